//! The project's script runner: `cargo xtask COMMAND`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::{answers, bench, check, conformance, demo, docs, fuzz, gallery, probe, screens, tidy};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The project's script runner")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run an unmodified GL program on Forerun, and show what it drew and how fast.
    Demo(demo::Args),
    /// Everything that must hold: format, lints, build, tests, scenarios, conformance, docs.
    Test(check::Args),
    /// Measure Forerun beside the host's driver and virgl, in one run.
    Bench(bench::Args),
    /// Run piglit's tests and compare the results with what is expected.
    Conformance(conformance::Args),
    /// Compare what programs show with what they show on the host's driver.
    Screens(screens::Args),
    /// Run real programs on the host's driver and on Forerun, and put what they show beside each other.
    Gallery(gallery::Args),
    /// Write the generated pages of docs/, or check that they are fresh.
    Docs(docs::Args),
    /// Replay recorded sessions with wrong words.
    Fuzz(fuzz::Args),
    /// Measure what this very process runs on, as JSON; `bench` runs it on each contestant.
    Probe(probe::Args),
    /// Give every name to every function, here and on the host, and compare.
    Answers(answers::Args),
    /// Check the shape of the tree: file lengths, crate graphs, named tests.
    Tidy,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Demo(args) => demo::main(&args),
        Command::Test(args) => check::main(&args),
        Command::Bench(args) => bench::main(&args),
        Command::Conformance(args) => conformance::main(&args),
        Command::Screens(args) => screens::main(&args),
        Command::Gallery(args) => gallery::main(&args),
        Command::Docs(args) => docs::main(&args),
        Command::Fuzz(args) => fuzz::main(&args),
        Command::Probe(args) => probe::main(&args),
        Command::Answers(args) => answers::main(&args),
        Command::Tidy => tidy::main(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
