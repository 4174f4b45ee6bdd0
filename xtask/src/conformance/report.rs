//! The page of the docs: what remains, by reason. It is made from the lists and the expectations,
//! which the ratchet keeps true.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::expect::{self, Expectations};
use super::list::{self, Test};
use super::run::Outcome;
use super::{LISTS, backends_of};
use crate::{Result, root};

const HEAD: &str = "\
# Conformance

<!-- Written by `cargo xtask docs` from conformance/; do not edit. -->

Lists of [piglit](https://piglit.freedesktop.org) tests (Debian's package; *es* for OpenGL ES 2.0–3.2, *core33* for core
OpenGL up to 3.3, *core* for core OpenGL up to 4.5, *shader* for GLSL 1.40–4.50, *fp64* for 64-bit types) and of other
*programs* (glmark2's scenes, information tools), each of which passes on the host driver that the lists were made on:
Mesa 22.3.6, llvmpipe. `cargo xtask conformance` runs them on Forerun, one process each, and compares every result with
the expectation in `conformance/expect-LIST-BACKEND.txt`. A test that passes against its expectation is as red as one that
fails, so the numbers below are what the last run gave.

";

/// The page.
///
/// # Errors
/// When a list or a file of expectations cannot be read.
pub fn page() -> Result<String> {
    let mut all = Vec::new();
    for name in LISTS {
        let folder = root().join("conformance");
        let tests = list::read(&folder.join(format!("{name}.txt")))?;
        for backend in backends_of(name) {
            let lines = expect::read(&folder.join(format!("expect-{name}-{backend}.txt")))?;
            all.push((name, *backend, tests.clone(), lines));
        }
    }
    Ok(render(&all))
}

fn render(all: &[(&str, &str, Vec<Test>, Expectations)]) -> String {
    let mut page = String::from(HEAD);
    page.push_str("| list | backend | tests | pass | fail | skip | crash, timeout | share |\n");
    page.push_str("|---|---|---|---|---|---|---|---|\n");
    for (name, backend, tests, lines) in all {
        let count = |wanted: &[Outcome]| {
            tests.iter().filter(|test| wanted.contains(&lines.of(&test.name))).count()
        };
        let passes = count(&[Outcome::Pass]);
        let _ = writeln!(
            page,
            "| {name} | {backend} | {} | {passes} | {} | {} | {} | {:.3} |",
            tests.len(),
            count(&[Outcome::Fail, Outcome::Warn]),
            count(&[Outcome::Skip]),
            count(&[Outcome::Crash, Outcome::Timeout, Outcome::Missing]),
            passes as f64 / tests.len().max(1) as f64,
        );
    }
    for (name, backend, _, lines) in all.iter().filter(|(.., lines)| !lines.0.is_empty()) {
        let _ = write!(page, "\n## {name} on {backend}\n");
        let mut by_reason: BTreeMap<&str, Vec<(&str, Outcome)>> = BTreeMap::new();
        for (test, line) in &lines.0 {
            by_reason.entry(&line.reason).or_default().push((test, line.outcome));
        }
        for (reason, tests) in by_reason {
            let _ = write!(page, "\n**{reason}** ({})\n\n", tests.len());
            for (test, outcome) in tests {
                let _ = writeln!(page, "- {outcome}: `{test}`");
            }
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_remains_is_counted_and_grouped_by_reason() {
        let tests = list::parse("a ::: x\nb ::: y\nc ::: z\n", "/p".as_ref()).unwrap();
        let mut lines = Expectations::default();
        lines.update(&[("a", Outcome::Fail), ("b", Outcome::Skip)].into_iter().collect());
        let page = render(&[("es", "gl", tests, lines)]);
        assert!(page.contains("| es | gl | 3 | 1 | 1 | 1 | 0 | 0.333 |"), "{page}");
        assert!(page.contains("**not yet explained** (2)\n\n- fail: `a`\n- skip: `b`\n"), "{page}");
    }
}
