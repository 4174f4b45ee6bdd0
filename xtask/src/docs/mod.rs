//! `cargo xtask docs`: the pages of `docs/` that are made from the code. A test compares each with
//! what the code says now.

mod protocol;

use std::fmt::Write;
use std::fs;

use forerun_pipe::fault::Fault;
use forerun_pipe::knobs;

use crate::{Doing, Error, Result, conformance, root};

/// What `cargo xtask docs` takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Write nothing; fail when a page is stale.
    #[arg(long)]
    check: bool,
}

/// Writes or checks the pages.
///
/// # Errors
/// When a page cannot be written, or is stale in a check.
pub fn main(args: &Args) -> Result {
    if args.check { check() } else { write() }
}

/// The generated pages: file and text.
///
/// # Errors
/// When a source of a page cannot be read.
pub fn pages() -> Result<Vec<(&'static str, String)>> {
    Ok(vec![
        ("docs/protocol.md", protocol::page()),
        ("docs/failures.md", failures()),
        ("docs/env.md", env()),
        ("docs/conformance.md", conformance::report::page()?),
    ])
}

/// Writes the pages that changed.
///
/// # Errors
/// When a page cannot be written.
pub fn write() -> Result {
    for (name, text) in pages()? {
        let file = root().join(name);
        if fs::read_to_string(&file).is_ok_and(|old| old == text) {
            continue;
        }
        fs::write(&file, text).doing(file.display())?;
        println!("wrote {name}");
    }
    Ok(())
}

/// Fails when a page is not what the code says.
///
/// # Errors
/// Names the stale pages.
pub fn check() -> Result {
    let stale: Vec<_> = pages()?
        .into_iter()
        .filter(|(name, text)| !fs::read_to_string(root().join(name)).is_ok_and(|old| &old == text))
        .map(|(name, _)| name)
        .collect();
    if stale.is_empty() {
        return Ok(());
    }
    Err(Error(format!("{} is stale; run `cargo xtask docs`", stale.join(", "))))
}

/// The page of the environment variables.
fn env() -> String {
    let mut page = String::from(
        "# Environment variables\n\n\
         <!-- Written by `cargo xtask docs` from crates/forerun-pipe/src/knobs; do not edit. -->\n\n\
         `forerun run` and `forerun serve` check them before anything starts: a value that is not allowed, and a name \
         that\nbegins with `FORERUN_` and is not here, is an error. An empty value is the default.\n\n\
         | variable | values | default | read by | meaning |\n|---|---|---|---|---|\n",
    );
    for knob in knobs::TABLE {
        let default = match knob.default {
            "" => "not set".to_owned(),
            text => format!("`{text}`"),
        };
        let _ = writeln!(
            page,
            "| `{}` | {} | {default} | {} | {} |",
            knob.name, knob.kind, knob.reader, knob.meaning
        );
    }
    page
}

/// The page of the names for what goes wrong.
fn failures() -> String {
    let mut page = String::from(
        "# Failures\n\n\
         <!-- Written by `cargo xtask docs` from crates/forerun-pipe/src/fault.rs; do not edit. -->\n\n\
         Three answers are different things. *Declined* is a value: the operation gives nothing and the program goes on. \
         *Refused*: this\noperation failed, by name, and the session goes on. A *fault* ends one session, with one of \
         the names below in the logs of both\nends. The program sees a lost context and is never aborted; the server goes \
         on serving others.\n\n\
         | code | name | message | meaning |\n|---|---|---|---|\n",
    );
    for (code, name, message, meaning) in Fault::PAGE {
        let meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(page, "| {code} | `{name}` | {message} | {meaning} |");
    }
    page
}
