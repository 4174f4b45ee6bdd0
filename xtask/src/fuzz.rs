//! `cargo xtask fuzz`: records sessions of the scenarios and of real programs, and replays them with wrong words. Whatever ends a
//! session must have a name; a panic or a crash fails, and leaves the session that caused it in `out/corpus/current.finding`.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::conformance::forerun;
use crate::display::Display;
use crate::shell::{self, cargo, run_for};
use crate::{Doing, Error, Result, out};

/// What `cargo xtask fuzz` takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// How long.
    #[arg(long, default_value_t = 300)]
    seconds: u64,
    /// What the records are applied to: null, gl or gles.
    #[arg(long, default_value = "null")]
    backend: String,
    /// Where the dice begin.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Args {
    /// What `cargo xtask test` runs.
    pub fn short() -> Args {
        Args { seconds: 300, backend: "null".into(), seed: 1 }
    }
}

/// Scenes that use many rows between them; each is a session of its own.
const SCENES: [&str; 10] = [
    "build",
    "texture",
    "shading:shading=phong",
    "bump:bump-render=height",
    "effect2d",
    "desktop:effect=blur",
    "buffer:update-method=map",
    "buffer:update-method=subdata",
    "shadow",
    "refract",
];

/// The scenarios that are recorded: each behaviour that runs on this cell, but not those that are long, or about deaths.
const SCENARIOS: [&str; 5] =
    ["spawn-gl-runahead", "--skip=points::", "--skip=loss::", "--skip=random::", "--skip=memory::"];

/// Runs a command that writes its sessions into the corpus.
fn record(command: &mut Command, folder: &Path, seconds: u64) -> Result {
    let ran = run_for(command.env("FORERUN_RECORD", folder), Duration::from_secs(seconds))?;
    if ran.ok() {
        return Ok(());
    }
    Err(Error(format!("nothing was recorded:\n{}", shell::tail(&ran.text(), 20))))
}

/// Records, then fuzzes.
///
/// # Errors
/// When nothing could be recorded, or a session ended without a name.
pub fn main(args: &Args) -> Result {
    shell::need(&shell::programs())?;
    let build = ["build", "--release", "-p", "forerun", "-p", "forerun-wsi", "-p", "forerund"];
    let built = run_for(&mut cargo(&build), Duration::from_secs(7200))?;
    if !built.ok() {
        return Err(Error(format!("the build failed:\n{}", shell::tail(&built.text(), 40))));
    }
    let folder = out("corpus/x")?.with_file_name("");
    std::fs::remove_dir_all(&folder).doing(folder.display())?;
    std::fs::create_dir_all(&folder).doing(folder.display())?;
    let display = Display::current_or_new()?;
    let words = forerun("auto", "spawn");
    let (program, rest) = words.split_first().ok_or_else(|| Error::new("no program"))?;
    let mut scenes = Command::new(program);
    scenes.args(rest).args(["glmark2-es2", "--validate"]);
    scenes.args(SCENES.iter().flat_map(|scene| ["-b", *scene]));
    record(scenes.env("DISPLAY", display.name()), &folder, 300)?;
    let mut scenarios =
        cargo(&["test", "--release", "-p", "scenarios", "--test", "behaviour", "--"]);
    record(scenarios.args(SCENARIOS), &folder, 1800)?;
    let mut fuzz = cargo(&["test", "--release", "-p", "forerund", "--test", "fuzz"]);
    fuzz.env("FUZZ_CORPUS", &folder)
        .env("FUZZ_BACKEND", &args.backend)
        .env("FUZZ_SECONDS", args.seconds.to_string())
        .env("FUZZ_SEED", args.seed.to_string());
    let ran = run_for(&mut fuzz, Duration::from_secs(args.seconds + 1200))?;
    if ran.ok() {
        println!("no session of {} s ended without a name", args.seconds);
        return Ok(());
    }
    let said = shell::tail(&ran.text(), 40);
    Err(Error(format!("a session ended without a name (seed {}):\n{said}", args.seed)))
}
