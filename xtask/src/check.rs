//! `cargo xtask test`: everything that must hold, in the order in which it is cheapest to learn that it
//! does not. One profile, so that the C++ libraries are built once.

use std::path::PathBuf;
use std::process::Command;

use crate::shell::{self, Steps, cargo};
use crate::{Result, conformance, docs, fuzz, screens, tidy};

/// What `cargo xtask test` takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Leave the conformance slice and the screens out.
    #[arg(long)]
    no_conformance: bool,
    /// Take every Nth test of each conformance list.
    #[arg(long, default_value_t = 4, value_name = "N")]
    every: usize,
}

/// The platform of the cross check.
const CROSS: &str = "aarch64-unknown-linux-gnu";
/// What compiles C++ for it; without it, only the crates that need none are checked.
const CROSS_CXX: &str = "aarch64-linux-gnu-g++";

/// Runs everything.
///
/// # Errors
/// The first step that fails.
pub fn main(args: &Args) -> Result {
    shell::need(&shell::toolchain())?;
    shell::need(&shell::programs())?;
    let mut steps = Steps::new("test", 12);
    steps.run("format", &mut cargo(&["fmt", "--all", "--check"]))?;
    steps.call("tree", tidy::main)?;
    steps.call("generated pages", docs::check)?;
    let lints =
        ["clippy", "--release", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    steps.run("lints", &mut cargo(&lints))?;
    steps.run("build", &mut cargo(&["build", "--release", "--workspace", "--locked"]))?;
    let tests = ["test", "--release", "--workspace", "--locked", "--exclude", "scenarios"];
    steps.run("tests", &mut cargo(&tests))?;
    // Every interleaving of the ring's cursors and the doorbell. Another cfg for all crates, so a folder of its own.
    let models = ["test", "--release", "--locked", "-p", "forerun-link", "--lib"];
    let mut models = cargo(&models);
    models.env("RUSTFLAGS", "--cfg loom").env("CARGO_TARGET_DIR", "target/loom");
    steps.run("models", &mut models)?;
    undefined_behaviour(&mut steps)?;
    // Scenarios start servers and displays of their own: they get the machine for themselves.
    steps.run("scenarios", &mut cargo(&["test", "--release", "--locked", "-p", "scenarios"]))?;
    if args.no_conformance {
        steps.skip("conformance", "as asked");
    } else {
        steps.call("conformance", || conformance::main(&conformance::Args::slice(args.every)))?;
    }
    if args.no_conformance {
        steps.skip("screens", "as asked");
    } else {
        steps.call("screens", || screens::main(&screens::Args::all()))?;
    }
    steps.call("fuzz", || fuzz::main(&fuzz::Args::short()))?;
    cross(&mut steps)?;
    steps.finish();
    Ok(())
}

/// Modules whose tests Miri runs.
const CODEC_AND_TABLES: &[&str] = &[
    "archive::",
    "bytes::",
    "caps::",
    "catalogue::",
    "convert::",
    "event::",
    "fault::",
    "handle::",
    "indices::",
    "pixel::",
    "stage::",
    "tables::",
];

/// Bytes from a peer are decoded, and objects are found by handles, without undefined behaviour: the tests of that run in Miri, which
/// executes no C++ and no driver.
fn undefined_behaviour(steps: &mut Steps) -> Result {
    const WHAT: &str = "miri";
    let there = Command::new("cargo").args(["+nightly", "miri", "--version"]).output();
    if !there.is_ok_and(|said| said.status.success()) {
        steps.skip(WHAT, "Miri is not installed (rustup +nightly component add miri rust-src)");
        return Ok(());
    }
    let mut miri = Command::new("cargo");
    miri.args(["+nightly", "miri", "test", "--locked", "--lib"]);
    miri.args(["-p", "forerun-pipe", "-p", "forerun-link", "-p", "forerun-server", "--"]);
    miri.args(CODEC_AND_TABLES);
    // A folder of its own, as for the models. Chance finds more in the same tests outside of Miri.
    miri.env("CARGO_TARGET_DIR", "target/miri").env("PROPTEST_CASES", "2");
    miri.env("MIRIFLAGS", "-Zmiri-disable-isolation");
    steps.run(WHAT, &mut miri)
}

fn cross(steps: &mut Steps) -> Result {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot = sysroot.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned());
    let library = PathBuf::from(sysroot.unwrap_or_default()).join("lib/rustlib").join(CROSS);
    let what = format!("check for {CROSS}");
    if !library.is_dir() {
        let why = format!("the target is not installed (rustup target add {CROSS})");
        steps.skip(&what, &why);
        return Ok(());
    }
    let mut check = cargo(&["check", "--release", "--locked", "--target", CROSS]);
    if shell::has(CROSS_CXX) {
        check.args(["--workspace", "--exclude", "xtask"]);
    } else {
        println!("{CROSS_CXX} is not installed: checking the crates that need no C++");
        for package in ["forerun-pipe", "forerun-link", "forerun-server", "forerun"] {
            check.args(["-p", package]);
        }
    }
    steps.run(&what, &mut check)
}
