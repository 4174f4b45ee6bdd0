//! `cargo xtask conformance`: runs lists of tests, one process each, and holds the results
//! against what is expected. The ratchet has two sides: a test that passes and is expected to fail is
//! as red as the reverse, so that the expectations, and the page of the docs made from them, are true.

pub mod expect;
pub mod list;
pub mod report;
pub mod run;

use std::collections::BTreeMap;
use std::fs;

use crate::display::Display;
use crate::{Doing, Error, Result, out, release, root, shell};
use expect::Expectations;
use list::Test;
use run::{Outcome, Setup, TestResult};

/// The lists of the project, in `conformance/NAME.txt`.
pub const LISTS: [&str; 7] = ["es", "core33", "glx", "programs", "core", "shader", "fp64"];
/// The backends that have expectations.
pub const BACKENDS: [&str; 2] = ["gl", "gles"];

/// The backends whose expectations of a list are kept: what is about OpenGL 4 is held where OpenGL 4 is offered.
pub fn backends_of(list: &str) -> &'static [&'static str] {
    match list {
        "core" | "fp64" => &["gl"],
        _ => &BACKENDS,
    }
}

/// What `cargo xtask conformance` takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The list to run: es, core33, glx, programs, core, shader or fp64; without it, all.
    #[arg(long)]
    list: Option<String>,
    /// The backend: gl or gles; without it, both.
    #[arg(long)]
    backend: Option<String>,
    /// Where the server is.
    #[arg(long, default_value = "spawn")]
    transport: String,
    /// Run on the host's own driver, where every test of the lists is expected to pass.
    #[arg(long)]
    host: bool,
    /// Take every Nth test.
    #[arg(long, default_value_t = 1, value_name = "N")]
    every: usize,
    /// Take the tests whose name contains this.
    #[arg(long, default_value = "", value_name = "TEXT")]
    only: String,
    /// How many tests run at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The limit of one test, in seconds.
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// Write what happened as the new expectation, and the page of the docs.
    #[arg(long)]
    update: bool,
}

impl Args {
    /// A part of every list, for the test command.
    pub fn slice(every: usize) -> Args {
        Args {
            list: None,
            backend: None,
            transport: "spawn".into(),
            host: false,
            every,
            only: String::new(),
            jobs: 2,
            timeout: 60,
            update: false,
        }
    }
}

/// Runs what was asked for.
///
/// # Errors
/// When piglit or the build is missing, or a result is not the expected one.
pub fn main(args: &Args) -> Result {
    let lists = chosen("list", args.list.as_deref(), &LISTS)?;
    let backends = chosen("backend", args.backend.as_deref(), &BACKENDS)?;
    let backends = if args.host { vec!["host"] } else { backends };
    shell::need(&shell::programs())?;
    if !args.host && !release().join("forerun").is_file() {
        let what = ["build", "--release", "-p", "forerun", "-p", "forerun-wsi", "-p", "forerund"];
        let done = shell::cargo(&what).status().doing("cargo build")?;
        if !done.success() {
            return Err(Error::new("the build failed"));
        }
    }
    let mut red = 0;
    for list in lists {
        let mut tests = list::read(&root().join(format!("conformance/{list}.txt")))?;
        tests.retain(|test| test.name.contains(&args.only));
        let tests: Vec<Test> = tests.into_iter().step_by(args.every.max(1)).collect();
        if tests.is_empty() {
            return Err(Error(format!("no test of {list} is named like `{}`", args.only)));
        }
        let windows = tests.iter().any(Test::needs_display);
        let display = windows.then(Display::new).transpose()?;
        let display = display.as_ref().map(|display| display.name().to_owned());
        let held = |backend: &&&str| args.host || backends_of(list).contains(*backend);
        for backend in backends.iter().filter(held) {
            red += one(args, list, backend, &tests, display.clone())?;
        }
    }
    if args.update && !args.host {
        crate::docs::write()?;
    }
    match red {
        0 => Ok(()),
        _ => Err(Error(format!(
            "{red} results differ from conformance/expect-*.txt; after a look at each, \
             `cargo xtask conformance --update` takes them over"
        ))),
    }
}

fn chosen<'a>(what: &str, asked: Option<&'a str>, all: &[&'a str]) -> Result<Vec<&'a str>> {
    match asked {
        None => Ok(all.to_vec()),
        Some(one) if all.contains(&one) => Ok(vec![one]),
        Some(one) => Err(Error(format!("no {what} `{one}`; there are {}", all.join(", ")))),
    }
}

/// Runs one list on one backend and returns how many results are red.
fn one(
    args: &Args,
    list: &str,
    backend: &str,
    tests: &[Test],
    display: Option<String>,
) -> Result<usize> {
    let setup = Setup {
        prefix: if args.host { Vec::new() } else { forerun(backend, &args.transport) },
        jobs: args.jobs.max(1),
        limit: std::time::Duration::from_secs(args.timeout),
        display,
    };
    let file = root().join(format!("conformance/expect-{list}-{backend}.txt"));
    let mut expected = if args.host { Expectations::default() } else { expect::read(&file)? };
    let title = format!("{list} on {backend}");
    let mut results = run::all(&setup, tests, &title)?;
    // A machine under load makes slow tests late: what surprises is run once more, alone.
    let again: Vec<Test> = tests
        .iter()
        .filter(|test| {
            results.get(&test.name).is_some_and(|r| r.outcome != expected.of(&test.name))
        })
        .cloned()
        .collect();
    if !again.is_empty() && again.len() <= 40 {
        let alone = Setup { jobs: 1, ..setup };
        results.extend(run::all(&alone, &again, &format!("{title}, again"))?);
    }
    let json = out(&format!("conformance/{list}-{backend}.json"))?;
    fs::write(&json, serde_json::to_string_pretty(&results).doing("results")?)
        .doing(json.display())?;

    let red = surprises(tests, &results, &expected);
    for (test, want, got) in &red {
        println!("{got:<8} expected {want:<8} {}", test.name);
    }
    println!("{title}: {}", counts(results.values().map(|r| r.outcome)));
    if args.update && !args.host {
        let seen: BTreeMap<_, _> = results.iter().map(|(n, r)| (n.as_str(), r.outcome)).collect();
        expected.update(&seen);
        fs::write(&file, expected.to_string()).doing(file.display())?;
        return Ok(0);
    }
    Ok(red.len())
}

/// The tests that did not end as expected, in either direction: test, expected, seen.
fn surprises<'a>(
    tests: &'a [Test],
    results: &BTreeMap<String, TestResult>,
    expected: &Expectations,
) -> Vec<(&'a Test, Outcome, Outcome)> {
    let seen = tests.iter().filter_map(|test| Some((test, results.get(&test.name)?.outcome)));
    seen.map(|(test, got)| (test, expected.of(&test.name), got))
        .filter(|(_, want, got)| want != got)
        .collect()
}

/// The command that puts a program on Forerun.
pub fn forerun(backend: &str, transport: &str) -> Vec<String> {
    let forerun = release().join("forerun").display().to_string();
    [&forerun, "run", "--backend", backend, "--transport", transport, "--"]
        .map(str::to_owned)
        .into()
}

/// `pass=80 fail=2, 0.9756 of 82`.
pub fn counts(outcomes: impl Iterator<Item = Outcome>) -> String {
    let mut count: BTreeMap<Outcome, usize> = BTreeMap::new();
    let mut total = 0;
    for outcome in outcomes {
        *count.entry(outcome).or_default() += 1;
        total += 1;
    }
    let passes = count.get(&Outcome::Pass).copied().unwrap_or(0);
    let words: Vec<_> = count.iter().map(|(outcome, n)| format!("{outcome}={n}")).collect();
    format!("{}, {:.4} of {total}", words.join(" "), passes as f64 / total as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unexpected_pass_is_as_red_as_an_unexpected_failure() {
        let tests = list::parse("a ::: x\nb ::: x\nc ::: x\nd ::: x", "/p".as_ref()).unwrap();
        let mut expected = Expectations::default();
        expected.update(&[("b", Outcome::Fail), ("d", Outcome::Fail)].into_iter().collect());
        let result = |outcome| TestResult { outcome, seconds: 0.0, output: String::new() };
        let results = [
            ("a".to_owned(), result(Outcome::Fail)),
            ("b".to_owned(), result(Outcome::Pass)),
            ("c".to_owned(), result(Outcome::Pass)),
            ("d".to_owned(), result(Outcome::Fail)),
        ];
        let red: Vec<_> = surprises(&tests, &results.into(), &expected)
            .into_iter()
            .map(|(test, want, got)| (test.name.as_str(), want, got))
            .collect();
        assert_eq!(red, [("a", Outcome::Pass, Outcome::Fail), ("b", Outcome::Fail, Outcome::Pass)]);
    }
}
