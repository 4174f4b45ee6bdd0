//! What programs see, as sentences: each scenario over topology × backend × mode.

mod clear;
mod get;

fn main() -> std::process::ExitCode {
    scenarios::main(&[clear::SCENARIOS, get::SCENARIOS])
}
