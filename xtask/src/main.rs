//! The project's script runner.

fn main() {}
