//! What is expected of each test that is not expected to pass: `fail name  # reason` a line.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use super::run::Outcome;
use crate::{Doing, Error, Result};

/// The reason that `--update` gives a test that had none; it is to be replaced by a person.
pub const UNEXPLAINED: &str = "not yet explained";

/// One line: what happens, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// How the test ends.
    pub outcome: Outcome,
    /// Why it does not pass.
    pub reason: String,
}

/// The tests of one list on one backend that are not expected to pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations(pub BTreeMap<String, Expectation>);

impl Expectations {
    /// What is expected of a test.
    pub fn of(&self, name: &str) -> Outcome {
        self.0.get(name).map_or(Outcome::Pass, |line| line.outcome)
    }

    /// Takes over what was seen. A reason stays as long as its test does not pass.
    pub fn update(&mut self, seen: &BTreeMap<&str, Outcome>) {
        for (&name, &outcome) in seen {
            if outcome == Outcome::Pass {
                self.0.remove(name);
            } else {
                let line = self
                    .0
                    .entry(name.to_owned())
                    .or_insert_with(|| Expectation { outcome, reason: UNEXPLAINED.to_owned() });
                line.outcome = outcome;
            }
        }
    }
}

impl fmt::Display for Expectations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# OUTCOME NAME  # REASON; what is not here is expected to pass")?;
        for (name, Expectation { outcome, reason }) in &self.0 {
            writeln!(f, "{outcome} {name}  # {reason}")?;
        }
        Ok(())
    }
}

/// Reads a file of expectations; one that does not exist expects every test to pass.
///
/// # Errors
/// When it cannot be read or a line has not the form.
pub fn read(file: &Path) -> Result<Expectations> {
    if !file.exists() {
        return Ok(Expectations::default());
    }
    let text = fs::read_to_string(file).doing(file.display())?;
    parse(&text).map_err(|error| Error(format!("{}: {error}", file.display())))
}

fn parse(text: &str) -> Result<Expectations> {
    let mut all = BTreeMap::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let form = || Error(format!("`{line}` is not `OUTCOME NAME  # REASON`"));
        let (rest, reason) = line.rsplit_once("  # ").ok_or_else(form)?;
        let (word, name) = rest.split_once(' ').ok_or_else(form)?;
        let outcome = Outcome::from_word(word).filter(|&o| o != Outcome::Pass).ok_or_else(form)?;
        let reason = reason.trim().to_owned();
        if reason.is_empty() || name.is_empty() {
            return Err(form());
        }
        if all.insert(name.to_owned(), Expectation { outcome, reason }).is_some() {
            return Err(Error(format!("`{name}` stands twice")));
        }
    }
    Ok(Expectations(all))
}

#[cfg(test)]
mod tests {
    use super::super::{LISTS, backends_of, list};
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let text = "fail s@a b  # no such thing\nskip s@c  # needs x\n";
        let read = parse(text).unwrap();
        assert_eq!(read.of("s@a b"), Outcome::Fail);
        assert_eq!(read.of("s@other"), Outcome::Pass);
        assert_eq!(parse(&read.to_string()).unwrap(), read);
    }

    #[test]
    fn bad_lines_are_refused() {
        let twice = "fail a  # r\nskip a  # r";
        for bad in ["fail a", "pass a  # r", "fails a  # r", "fail  # r", "fail a  #  ", twice] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_update_keeps_reasons_and_drops_what_passes() {
        let mut lines = parse("fail a  # r\nfail b  # s\nfail not-run  # t").unwrap();
        let seen = [("a", Outcome::Skip), ("b", Outcome::Pass), ("c", Outcome::Crash)];
        lines.update(&seen.into_iter().collect());
        let text = format!("crash c  # {UNEXPLAINED}\nskip a  # r\nfail not-run  # t");
        assert_eq!(lines, parse(&text).unwrap());
    }

    #[test]
    fn every_expectation_is_of_a_test_in_its_list() {
        for name in LISTS {
            let folder = crate::root().join("conformance");
            let tests = list::read(&folder.join(format!("{name}.txt"))).unwrap();
            for backend in backends_of(name) {
                let lines = read(&folder.join(format!("expect-{name}-{backend}.txt"))).unwrap();
                for line in lines.0.keys() {
                    assert!(tests.iter().any(|test| &test.name == line), "{name}: {line}");
                }
            }
        }
    }
}
