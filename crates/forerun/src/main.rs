//! The forerun command: run, serve, doctor

fn main() {}
