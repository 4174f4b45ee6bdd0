//! `cargo xtask demo`.

use crate::Result;

/// What it takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {}

/// Runs it.
///
/// # Errors
/// None yet.
pub fn main(_: &Args) -> Result {
    Ok(())
}
