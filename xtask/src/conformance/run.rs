//! Runs tests, several at a time, and reads the result that each printed.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use serde::Serialize;

use super::list::Test;
use crate::Result;
use crate::shell::{Counter, End, Ran, has, run_for, tail};

/// How one test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It printed `pass`.
    Pass,
    /// It printed `warn`.
    Warn,
    /// It printed `fail`.
    Fail,
    /// It printed `skip`: something that it needs is not offered.
    Skip,
    /// It printed no result, or died after one.
    Crash,
    /// It did not end within its limit.
    Timeout,
    /// There is no such program.
    Missing,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Outcome; 7] = [
        Outcome::Pass,
        Outcome::Warn,
        Outcome::Fail,
        Outcome::Skip,
        Outcome::Crash,
        Outcome::Timeout,
        Outcome::Missing,
    ];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Warn => "warn",
            Outcome::Fail => "fail",
            Outcome::Skip => "skip",
            Outcome::Crash => "crash",
            Outcome::Timeout => "timeout",
            Outcome::Missing => "missing",
        }
    }

    /// The outcome with this word.
    pub fn from_word(word: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| outcome.word() == word)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How the tests are run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What stands before the program's name; empty for the host's own driver.
    pub prefix: Vec<String>,
    /// How many at a time.
    pub jobs: usize,
    /// The limit of one test.
    pub limit: Duration,
    /// The X display, for programs that open a window.
    pub display: Option<String>,
}

/// One test's result.
#[derive(Clone, Debug, Serialize)]
pub struct TestResult {
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took.
    pub seconds: f64,
    /// The end of what it printed, when it did not pass.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// Runs all of `tests` and returns the results by name.
///
/// # Errors
/// When a program that exists cannot be started.
pub fn all(setup: &Setup, tests: &[Test], title: &str) -> Result<BTreeMap<String, TestResult>> {
    let queue = Mutex::new(tests.iter().collect::<VecDeque<_>>());
    let counter = Mutex::new(Counter::new(title, tests.len()));
    let results = Mutex::new(BTreeMap::new());
    let lock = |queue: &Mutex<VecDeque<&Test>>| queue.lock().ok()?.pop_front().cloned();
    let work = || -> Result {
        while let Some(test) = lock(&queue) {
            let result = one(setup, &test)?;
            if let Ok(mut counter) = counter.lock() {
                counter.step(&test.name);
            }
            if let Ok(mut results) = results.lock() {
                results.insert(test.name, result);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| -> Result {
        let workers: Vec<_> = (0..setup.jobs).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            worker.join().map_err(|_| crate::Error::new("a worker of the runner died"))??;
        }
        Ok(())
    })?;
    Ok(results.into_inner().unwrap_or_default())
}

fn one(setup: &Setup, test: &Test) -> Result<TestResult> {
    let found = if test.is_piglits() {
        test.program.is_file()
    } else {
        has(&test.program.to_string_lossy())
    };
    if !found {
        let output = test.program.display().to_string();
        return Ok(TestResult { outcome: Outcome::Missing, seconds: 0.0, output });
    }
    let mut command = match setup.prefix.split_first() {
        Some((first, rest)) => {
            let mut command = Command::new(first);
            command.args(rest).arg(&test.program);
            command
        }
        None => Command::new(&test.program),
    };
    command.args(&test.args);
    command.env("PIGLIT_PLATFORM", "surfaceless_egl").env("PIGLIT_NO_WINDOW", "1");
    if let Some(display) = &setup.display {
        command.env("DISPLAY", display);
    }
    let ran = run_for(&mut command, setup.limit)?;
    let outcome = if test.is_piglits() { outcome(&ran) } else { judged(&ran, &test.args) };
    let output = if outcome == Outcome::Pass { String::new() } else { tail(&ran.text(), 30) };
    Ok(TestResult { outcome, seconds: ran.took.as_secs_f64(), output })
}

/// What a finished test's output and exit status mean.
fn outcome(ran: &Ran) -> Outcome {
    let status = match &ran.end {
        End::Timeout => return Outcome::Timeout,
        End::Exit(status) => status,
    };
    let text = ran.text();
    match text.rsplit_once("PIGLIT: {\"result\": \"").and_then(|(_, rest)| rest.split_once('"')) {
        Some(("pass", _)) if status.signal().is_some() => Outcome::Crash,
        Some((word, _)) => Outcome::from_word(word).unwrap_or(Outcome::Crash),
        None => Outcome::Crash,
    }
}

/// What another program's end means: its exit status, and for glmark2, which ends with 0 in any case, the
/// word of its validation or the frames that it drew.
fn judged(ran: &Ran, args: &[String]) -> Outcome {
    let status = match &ran.end {
        End::Timeout => return Outcome::Timeout,
        End::Exit(status) if status.signal().is_some() => return Outcome::Crash,
        End::Exit(status) => status,
    };
    let text = ran.text();
    let bad = ["Validation: Failure", ": Unsupported", "Set up failed"];
    let asked = |word: &str| args.iter().any(|arg| arg == word);
    let good = match (asked("--validate"), asked("-b")) {
        (true, _) => text.contains("Validation: Success") && !bad.iter().any(|b| text.contains(b)),
        (false, true) => crate::demo::frames_per_second(&text).is_some(),
        (false, false) => true,
    };
    if good && status.success() { Outcome::Pass } else { Outcome::Fail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_programs_are_judged_by_status_and_words() {
        let judge = |script: &str, args: &[&str]| {
            let mut command = Command::new("sh");
            command.arg("-c").arg(script);
            let ran = run_for(&mut command, Duration::from_secs(5)).unwrap();
            judged(&ran, &args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>())
        };
        let validate = ["--validate", "-b", "x"];
        assert_eq!(judge("echo '[x] Validation: Success'", &validate), Outcome::Pass);
        assert_eq!(judge("echo '[x] Validation: Failure'", &validate), Outcome::Fail);
        let mixed = "echo '[x] Validation: Success'; echo '[y] Validation: Failure'";
        assert_eq!(judge(mixed, &["--validate"]), Outcome::Fail);
        assert_eq!(judge("echo '[x] <default>: Unsupported'", &["-b", "x"]), Outcome::Fail);
        assert_eq!(judge("echo '[x]: FPS: 10 FrameTime: 1 ms'", &["-b", "x"]), Outcome::Pass);
        assert_eq!(judge("exit 1", &[]), Outcome::Fail);
        assert_eq!(judge("kill -ABRT $$", &[]), Outcome::Crash);
    }

    fn sh(script: &str, limit_ms: u64) -> Outcome {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        outcome(&run_for(&mut command, Duration::from_millis(limit_ms)).unwrap())
    }

    #[test]
    fn the_last_printed_result_counts_unless_the_program_died_of_a_signal() {
        let pass = r#"echo 'PIGLIT: {"result": "pass" }'"#;
        let fail = r#"echo 'PIGLIT: {"result": "fail" }'"#;
        assert_eq!(sh(&format!("{pass}; {fail}; exit 1"), 5000), Outcome::Fail);
        assert_eq!(sh(&format!("{fail}; {pass}"), 5000), Outcome::Pass);
        assert_eq!(sh(&format!("{pass}; kill -SEGV $$"), 5000), Outcome::Crash);
        assert_eq!(sh("exit 0", 5000), Outcome::Crash);
    }

    #[test]
    fn a_test_that_hangs_is_killed_with_what_it_started() {
        let start = std::time::Instant::now();
        assert_eq!(sh("sleep 30 & sleep 30", 100), Outcome::Timeout);
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
