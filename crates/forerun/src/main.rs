//! The forerun command: runs a program on Forerun's OpenGL, starts a server, or says what this
//! machine has and lacks.
//!
//! `run` and `serve` set the environment and replace themselves by the program; they stay out of
//! its way afterwards. Every fault is one sentence on standard error and a non-zero exit.

mod doctor;
mod install;
mod run;
mod serve;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use forerun_pipe::knobs;

/// A refusal: the sentence, and the exit status that goes with it.
#[derive(Debug)]
pub struct Fault {
    /// What went wrong and what mends it.
    pub sentence: String,
    /// The exit status: 127 no such program, 126 it cannot be run, 2 a bad knob, 1 anything else.
    pub status: u8,
}

impl Fault {
    fn new(sentence: impl Into<String>) -> Fault {
        Fault { sentence: sentence.into(), status: 1 }
    }
}

impl From<knobs::KnobError> for Fault {
    fn from(error: knobs::KnobError) -> Fault {
        Fault { sentence: error.to_string(), status: 2 }
    }
}

#[derive(Parser)]
#[command(version, about = "OpenGL in two halves: runs programs, serves, and looks after both")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a program with Forerun as its OpenGL.
    #[command(after_help = knob_help())]
    Run(RunArgs),
    /// Listen for programs of this user on a socket: at most 64 at once.
    #[command(after_help = knob_help())]
    Serve(ServeArgs),
    /// Say what is found, what would be used, and what mends what is missing.
    Doctor,
}

/// What `forerun run` takes.
#[derive(Args)]
pub struct RunArgs {
    /// Where the server is: monolith, inproc, spawn or unix:PATH.
    #[arg(long, short, value_name = "T")]
    pub transport: Option<String>,
    /// What the server executes on: auto, gl, gles or null.
    #[arg(long, short, value_name = "B")]
    pub backend: Option<String>,
    /// Print counters of both roles on standard error when the program ends.
    #[arg(long)]
    pub stats: bool,
    /// Write the counters to a file when the program ends.
    #[arg(long, value_name = "FILE")]
    pub stats_json: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

/// What `forerun serve` takes.
#[derive(Args)]
pub struct ServeArgs {
    /// Where to listen: unix:PATH.
    #[arg(value_name = "unix:PATH")]
    pub address: String,
    /// What to execute on: auto, gl, gles or null.
    #[arg(long, short, value_name = "B")]
    pub backend: Option<String>,
    /// What each session gets: process or thread.
    #[arg(long, value_name = "I")]
    pub isolate: Option<String>,
}

/// The knobs as they stand under `--help`.
fn knob_help() -> String {
    let mut text = String::from("Environment (docs/env.md says more):\n");
    for knob in knobs::TABLE {
        let default = match knob.default {
            "" => String::new(),
            set => format!(" [default: {set}]"),
        };
        text.push_str(&format!("  {:<25} {}{default}\n", knob.name, knob.kind));
    }
    text
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Serve(args) => serve::serve(&args),
        Command::Doctor => doctor::doctor(),
    };
    match done {
        Ok(code) => code,
        Err(fault) => {
            eprintln!("forerun: {}", fault.sentence);
            ExitCode::from(fault.status)
        }
    }
}
