//! What the script runner does, as a library, so that `cargo test` runs the same checks.
#![allow(clippy::print_stdout, reason = "a command's report goes to standard output")]

pub mod answers;
pub mod bench;
pub mod check;
pub mod conformance;
pub mod demo;
pub mod display;
pub mod docs;
pub mod fuzz;
pub mod gallery;
pub mod picture;
pub mod probe;
pub mod screens;
pub mod shell;
pub mod tidy;

use std::path::{Path, PathBuf};

/// What ends a command: one sentence.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(pub String);

impl Error {
    /// A fault with this sentence.
    pub fn new(sentence: impl Into<String>) -> Error {
        Error(sentence.into())
    }
}

/// The result of a command or a part of one.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// Adds what was being done to an error of the system.
pub trait Doing<T> {
    /// The same result, with `what` before the error's own words.
    ///
    /// # Errors
    /// When the result was one.
    fn doing(self, what: impl std::fmt::Display) -> Result<T>;
}

impl<T, E: std::fmt::Display> Doing<T> for std::result::Result<T, E> {
    fn doing(self, what: impl std::fmt::Display) -> Result<T> {
        self.map_err(|error| Error(format!("{what}: {error}")))
    }
}

/// The root of the working tree.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Where cargo puts the release build.
pub fn release() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), PathBuf::from)
        .join("release")
}

/// A file under `out/`, the folder of everything that a command leaves; its folder is made.
///
/// # Errors
/// When the folder cannot be made.
pub fn out(name: &str) -> Result<PathBuf> {
    let file = root().join("out").join(name);
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).doing(folder.display())?;
    }
    Ok(file)
}
