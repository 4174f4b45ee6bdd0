//! A list of tests: `name ::: program arguments` a line, `@PIGLIT@` for piglit's folder. A program is one of
//! piglit's, unless it is written `@PATH@/program`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Doing, Error, Result};

/// Where Debian's package puts piglit.
pub const PIGLIT: &str = "/usr/lib/x86_64-linux-gnu/piglit";

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Piglit's name of it.
    pub name: String,
    /// The program: in piglit's folder, or a bare name that is looked for in `PATH`.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

impl Test {
    /// Whether it is one of piglit's, which print a result.
    pub fn is_piglits(&self) -> bool {
        self.program.components().count() > 1
    }

    /// Whether it draws on an X display: of piglit's only those of GLX do.
    pub fn needs_display(&self) -> bool {
        let name = self.program.file_name().unwrap_or_default().to_string_lossy();
        !self.is_piglits() || name.starts_with("glx-")
    }
}

/// Piglit's folder: `PIGLIT_ROOT`, or where Debian puts it.
pub fn piglit() -> PathBuf {
    std::env::var_os("PIGLIT_ROOT").map_or_else(|| PathBuf::from(PIGLIT), PathBuf::from)
}

/// Reads a list.
///
/// # Errors
/// When it cannot be read, a line has not the form, or a name stands twice.
pub fn read(file: &Path) -> Result<Vec<Test>> {
    let text = fs::read_to_string(file).doing(file.display())?;
    parse(&text, &piglit()).map_err(|error| Error(format!("{}: {error}", file.display())))
}

/// Parses a list's text, with `piglit` as piglit's folder.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, piglit: &Path) -> Result<Vec<Test>> {
    let mut tests: Vec<Test> = Vec::new();
    let mut names = std::collections::HashSet::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, command) =
            line.split_once(" ::: ").ok_or_else(|| Error(format!("no ` ::: ` in `{line}`")))?;
        let mut words = words(command)?.into_iter();
        let program = words.next().ok_or_else(|| Error(format!("no program in `{line}`")))?;
        let program = match program.strip_prefix("@PATH@/") {
            Some(name) => Some(PathBuf::from(name)),
            None => Path::new(&program).file_name().map(|name| piglit.join("bin").join(name)),
        };
        if !names.insert(name.to_owned()) {
            return Err(Error(format!("`{name}` stands twice")));
        }
        tests.push(Test {
            name: name.to_owned(),
            program: program.ok_or_else(|| Error(format!("no program in `{line}`")))?,
            args: words.map(|word| word.replace("@PIGLIT@", &piglit.to_string_lossy())).collect(),
        });
    }
    Ok(tests)
}

/// Splits a command as a shell does, quotes and backslashes only.
fn words(command: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = command.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(letters.next()),
            (None, ' ' | '\t') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(Error(format!("a quote is not closed in `{command}`")));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_as_a_shell_does() {
        let text = "# a comment\n\ns@a b ::: t-x -auto 'two words' \"a\\\"b\" @PIGLIT@/d.frag ''\n";
        let tests = parse(text, Path::new("/p")).unwrap();
        assert_eq!(
            tests,
            [Test {
                name: "s@a b".into(),
                program: "/p/bin/t-x".into(),
                args: ["-auto", "two words", "a\"b", "/p/d.frag", ""].map(str::to_owned).into(),
            }]
        );
        assert!(tests[0].is_piglits());
        let test = &parse("g ::: @PATH@/glmark2-es2 --validate", Path::new("/p")).unwrap()[0];
        assert_eq!(test.program, Path::new("glmark2-es2"));
        assert!(!test.is_piglits() && test.needs_display());
        let test = &parse("g ::: glx-swap-copy -auto", Path::new("/p")).unwrap()[0];
        assert!(test.is_piglits() && test.needs_display());
    }

    #[test]
    fn bad_lines_are_refused() {
        for bad in ["a b c", "a ::: ", "a ::: 'x", "a ::: x\na ::: y"] {
            assert!(parse(bad, Path::new("/p")).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_projects_lists_parse() {
        for name in super::super::LISTS {
            let tests = read(&crate::root().join(format!("conformance/{name}.txt"))).unwrap();
            assert!(tests.len() > 30, "{name}");
        }
    }
}
