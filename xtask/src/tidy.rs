//! `cargo xtask tidy`: the shape of the tree. `cargo test` runs the same checks.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Doing, Error, Result, root, shell};

/// Past this many lines a file is split along a seam that has a name.
const LONG: usize = 600;

/// What a shipped artefact, or a floor of the house, must not reach: arguments of `cargo tree`, and the
/// crates that may not show.
pub const GRAPH: &[(&[&str], &[&str])] = &[
    (&["-p", "forerund"], &["forerun-gl", "forerun-glsl", "forerun-wsi", "glslang-sys"]),
    (
        &["-p", "forerun-wsi", "--no-default-features"],
        &["forerun-server", "forerun-gles", "forerun-spirv", "spirv-cross2", "spirv-tools"],
    ),
    (
        &["-p", "forerun"],
        &["forerun-gl", "forerun-glsl", "forerun-wsi", "forerun-server", "forerun-gles"],
    ),
    (&["-p", "forerun-gl"], &["forerun-wsi", "forerun-server", "forerun-gles", "forerun-spirv"]),
    (&["-p", "forerun-glsl"], &["forerun-gl", "forerun-link", "forerun-server", "forerun-spirv"]),
    (
        &["-p", "forerun-server"],
        &["forerun-gl", "forerun-glsl", "forerun-wsi", "forerun-gles", "forerun-spirv"],
    ),
    (&["-p", "forerun-gles"], &["forerun-gl", "forerun-glsl", "forerun-wsi", "glslang-sys"]),
    (
        &["-p", "forerun-spirv"],
        &["forerun-gl", "forerun-glsl", "forerun-wsi", "forerun-link", "forerun-server"],
    ),
    (&["-p", "forerun-link"], &["forerun-gl", "forerun-glsl", "forerun-server"]),
    (&["-p", "forerun-x11"], &["forerun-pipe", "forerun-link", "forerun-gl", "forerun-server"]),
    (&["-p", "forerun-pipe"], &["forerun-link", "rustix", "libc", "log"]),
];

/// Words that promise instead of do. They are spelt in halves so that this file may be searched too.
const OWED: [&str; 6] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("assert!(", "true)"),
];

/// Folders that exist on one person's machine only.
const PLACES: [&str; 4] =
    [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/"), concat!("/tmp/", "wt")];

/// Runs every check and prints what each found.
///
/// # Errors
/// When a check found something.
pub fn main() -> Result {
    let mut found = 0;
    for (what, faults) in all()? {
        println!(
            "{what}: {}",
            if faults.is_empty() { "ok".into() } else { faults.len().to_string() }
        );
        for fault in &faults {
            println!("    {fault}");
        }
        found += faults.len();
    }
    if found == 0 { Ok(()) } else { Err(Error(format!("{found} things to tidy"))) }
}

/// Every check, by name, with what it found.
///
/// # Errors
/// When the tree cannot be read.
pub fn all() -> Result<Vec<(&'static str, Vec<String>)>> {
    let sources = sources()?;
    let architecture = read(&root().join("docs/architecture.md"))?;
    let mut lines = Vec::new();
    let mut owed = Vec::new();
    for (file, text) in &sources {
        lines.extend(long(file, text));
        owed.extend(promises(file, text));
    }
    let mut graph = Vec::new();
    for (args, forbidden) in GRAPH {
        graph.extend(
            reached(&tree(args)?, forbidden).map(|c| format!("{} reaches {c}", args.join(" "))),
        );
    }
    let mut manifests = Vec::new();
    for file in manifests_of_crates()? {
        manifests.extend(manifest(&file, &read(&file)?));
    }
    let workspace = read(&root().join("Cargo.toml"))?;
    let dependencies = read(&root().join("docs/dependencies.md"))?;
    let code: Vec<_> = sources.iter().map(|(_, text)| text.as_str()).collect();
    Ok(vec![
        ("file lengths", lines),
        ("owed work and places", owed),
        ("crate graph", graph),
        ("manifests", manifests),
        ("dependencies", unexplained(&workspace, &dependencies)),
        ("invariants", unpinned(&architecture, &code)),
    ])
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).doing(file.display())
}

/// Every Rust file of the tree, with its text.
fn sources() -> Result<Vec<(PathBuf, String)>> {
    let mut folders = vec![root().join("crates"), root().join("xtask"), root().join("fuzz")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.doing(folder.display())?.path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "target") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                let text = read(&path)?;
                files.push((path, text));
            }
        }
    }
    files.sort();
    Ok(files)
}

fn manifests_of_crates() -> Result<Vec<PathBuf>> {
    let folder = root().join("crates");
    let mut files = vec![root().join("xtask/Cargo.toml")];
    for entry in fs::read_dir(&folder).doing(folder.display())? {
        files.push(entry.doing(folder.display())?.path().join("Cargo.toml"));
    }
    files.retain(|file| file.is_file());
    Ok(files)
}

fn long(file: &Path, text: &str) -> Option<String> {
    let lines = text.lines().count();
    (lines > LONG).then(|| format!("{}: {lines} lines", short(file)))
}

fn promises(file: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(word) = OWED.iter().chain(&PLACES).find(|word| line.contains(**word)) {
            found.push(format!("{}:{}: {word}", short(file), number + 1));
        }
    }
    found
}

fn short(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).display().to_string()
}

/// The crates that an artefact is made of, one a line.
fn tree(args: &[&str]) -> Result<String> {
    let form =
        ["tree", "--locked", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"];
    let output = shell::cargo(&form).args(args).output().doing("cargo tree")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error(format!("cargo tree {}: {said}", args.join(" "))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Which of the forbidden crates a tree names.
fn reached<'a>(tree: &'a str, forbidden: &'a [&str]) -> impl Iterator<Item = &'a str> {
    let named = move |name: &str| tree.lines().any(|line| line.split(' ').next() == Some(name));
    forbidden.iter().copied().filter(move |name| named(name))
}

/// A crate that does not take the workspace's lints or licence escapes the rules.
fn manifest(file: &Path, text: &str) -> Vec<String> {
    ["[lints]\nworkspace = true", "license.workspace = true", "publish.workspace = true"]
        .into_iter()
        .filter(|line| !text.contains(line))
        .map(|line| format!("{}: no `{}`", short(file), line.replace('\n', " ")))
        .collect()
}

/// The crates that the workspace uses and the page of the dependencies does not name.
fn unexplained(workspace: &str, page: &str) -> Vec<String> {
    let section = workspace.split_once("[workspace.dependencies]\n").map_or("", |(_, rest)| rest);
    let section = section.split("\n[").next().unwrap_or("");
    section
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .filter(|(name, _)| !name.starts_with("forerun-") && !page.contains(&format!("`{name}`")))
        .map(|(name, _)| format!("docs/dependencies.md does not say what `{name}` is for"))
        .collect()
}

/// The invariants of the page of the architecture that share a number, name no test, or one that does not exist. An
/// invariant is a numbered line and what follows it; its test stands after `Test:` in backticks.
fn unpinned(page: &str, code: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut invariants: Vec<String> = Vec::new();
    let section = page.split_once("\n## Invariants\n").map_or("", |(_, rest)| rest);
    let section = section.split("\n## ").next().unwrap_or("");
    for line in section.lines() {
        let numbered = line.split_once(". ").is_some_and(|(n, _)| n.parse::<u32>().is_ok());
        match invariants.last_mut() {
            _ if numbered => invariants.push(line.to_owned()),
            Some(last) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            None => {}
        }
    }
    if invariants.is_empty() {
        faults.push("docs/architecture.md has no numbered invariants".to_owned());
    }
    let mut numbers = std::collections::BTreeSet::new();
    for invariant in &invariants {
        let number = invariant.split('.').next().unwrap_or("");
        if !numbers.insert(number) {
            faults.push(format!("invariant {number} is there twice"));
        }
        let tests: Vec<&str> = match invariant.split_once("Test: ") {
            Some((_, named)) => named.split('`').skip(1).step_by(2).collect(),
            None => Vec::new(),
        };
        if tests.is_empty() {
            faults.push(format!("invariant {number} names no test"));
        }
        for test in tests {
            let name = test.rsplit("::").next().unwrap_or(test);
            let head = format!("fn {name}(");
            if !code.iter().any(|text| text.contains(&head)) {
                faults.push(format!("invariant {number}: there is no test `{test}`"));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found() {
        assert!(long(Path::new("a.rs"), &"x\n".repeat(LONG)).is_none());
        assert!(long(Path::new("a.rs"), &"x\n".repeat(LONG + 1)).is_some());
    }

    #[test]
    fn a_promise_and_a_place_are_found() {
        let text = format!("fine\n// {} later\nlet p = \"{}x\";\n", OWED[0], PLACES[1]);
        let found = promises(Path::new("a.rs"), &text);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("a.rs:2: "));
    }

    #[test]
    fn a_forbidden_crate_is_found_by_its_whole_name() {
        let tree = "forerund v0.1.0 (/x)\nforerun-glsl v0.1.0 (/y)\n";
        assert!(reached(tree, &["forerun-gl"]).next().is_none());
        assert_eq!(reached(tree, &["forerun-gl", "forerun-glsl"]).next(), Some("forerun-glsl"));
    }

    #[test]
    fn the_graph_of_a_real_artefact_is_read() {
        let tree = tree(&["-p", "forerund"]).unwrap();
        assert!(reached(&tree, &["forerun-server"]).next().is_some(), "{tree}");
    }

    #[test]
    fn a_crate_without_the_workspaces_lints_is_found() {
        let good = "[package]\nlicense.workspace = true\npublish.workspace = true\n[lints]\nworkspace = true\n";
        assert!(manifest(Path::new("Cargo.toml"), good).is_empty());
        assert_eq!(manifest(Path::new("Cargo.toml"), "[package]\n").len(), 3);
    }

    #[test]
    fn a_dependency_that_nobody_explains_is_found() {
        let workspace = "[workspace]\nx = 1\n[workspace.dependencies]\nforerun-pipe = { path = \"p\" }\n\
                         log = \"0.4\"\nlibc = \"0.2\"\n\n[workspace.lints.rust]\ny = \"deny\"\n";
        assert_eq!(
            unexplained(workspace, "uses `log`"),
            ["docs/dependencies.md does not say what `libc` is for"]
        );
    }

    #[test]
    fn an_invariant_without_a_living_test_is_found() {
        let page = "# A\n\n## Invariants\n\n1. One thing.\n   Test: `a::one_thing`\n2. Two.\n3. Three. \
                    Test: `b::gone`, `a::one_thing`\n1. Again. Test: `a::one_thing`\n\n## After\n\n1. Not one.\n";
        let faults = unpinned(page, &["#[test]\nfn one_thing() {}"]);
        assert_eq!(
            faults,
            [
                "invariant 2 names no test",
                "invariant 3: there is no test `b::gone`",
                "invariant 1 is there twice"
            ]
        );
        assert_eq!(unpinned("nothing", &[]).len(), 1);
    }
}
