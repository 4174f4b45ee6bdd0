//! Shaders as programs ship them, and shaders that must be refused: `tests/corpus/TOPIC.txt`, many cases to a file.
//!
//! A case is
//!
//! ```text
//! == its name
//! accept|refuse vert|tesc|tese|geom|frag|comp desktop|es
//! rule: the section that says so
//! with: extensions of the context, besides none
//! flags: crlf or cr (how its lines end), bare (the last line has no end)
//! log: a word of the log of what is refused
//! host: what the driver of Mesa 22.3.6 says instead, where it has another opinion
//! but: why our compiler says the opposite
//! --
//! the source
//! ```
//!
//! of which everything between the second line and `--` but `rule` may be missing. What has a `but` is expected to be wrong: once it is right,
//! the test asks for the line to go.

mod common;

use common::{dialect, try_compile};
use forerun_pipe::archive::Stage;
use std::path::Path;

struct Case {
    name: String,
    accept: bool,
    stage: Stage,
    es: bool,
    extensions: Vec<String>,
    flags: String,
    log: String,
    but: bool,
    source: String,
}

fn stage(word: &str) -> Stage {
    match word {
        "vert" => Stage::Vertex,
        "tesc" => Stage::TessControl,
        "tese" => Stage::TessEvaluation,
        "geom" => Stage::Geometry,
        "frag" => Stage::Fragment,
        "comp" => Stage::Compute,
        other => panic!("no stage is called {other}"),
    }
}

fn parse(text: &str) -> Case {
    let (head, source) = text.split_once("\n--\n").unwrap();
    let mut lines = head.lines();
    let name = lines.next().unwrap().to_owned();
    let words: Vec<&str> = lines.next().unwrap().split(' ').collect();
    let [verdict, stage_word, language] = words[..] else { panic!("{name}: {words:?}") };
    let mut case = Case {
        accept: verdict == "accept",
        stage: stage(stage_word),
        es: language == "es",
        extensions: Vec::new(),
        flags: String::new(),
        log: String::new(),
        but: false,
        source: source.trim_end_matches('\n').to_owned(),
        name,
    };
    assert!(case.accept || verdict == "refuse", "{}", case.name);
    let mut rule = false;
    for line in lines {
        let (key, value) = line.split_once(": ").unwrap();
        match key {
            "rule" => rule = true,
            "with" => case.extensions = value.split(' ').map(str::to_owned).collect(),
            "flags" => value.clone_into(&mut case.flags),
            "log" => value.clone_into(&mut case.log),
            "host" => {}
            "but" => case.but = true,
            other => panic!("{}: {other}", case.name),
        }
    }
    assert!(rule, "{} has no rule", case.name);
    if case.flags != "bare" {
        case.source.push('\n');
    }
    match case.flags.as_str() {
        "crlf" => case.source = case.source.replace('\n', "\r\n"),
        "cr" => case.source = case.source.replace('\n', "\r"),
        "" | "bare" => {}
        other => panic!("{}: {other}", case.name),
    }
    case
}

/// What is wrong with our verdict.
fn fault(case: &Case) -> Option<String> {
    let extensions: Vec<&str> = case.extensions.iter().map(String::as_str).collect();
    let context = dialect(case.es, if case.es { 320 } else { 460 }, &extensions);
    let result = try_compile(case.stage, &case.source, &context);
    let accepted = result.shader.is_some();
    match (accepted == case.accept, case.but) {
        (true, true) => return Some("is right now: its `but` can go".into()),
        (false, false) if accepted => return Some("is accepted".into()),
        (false, false) => return Some(format!("is refused:\n{}", result.log)),
        _ => {}
    }
    if !accepted && !case.but && !result.log.contains(&case.log) {
        return Some(format!("has a log without `{}`:\n{}", case.log, result.log));
    }
    None
}

#[test]
fn every_shader_has_the_verdict_of_its_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut faults = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let topic = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut names = std::collections::HashSet::new();
        for part in text.split("\n== ").skip(1) {
            let case = parse(part);
            assert!(names.insert(case.name.clone()), "{topic}: `{}` stands twice", case.name);
            count += 1;
            if let Some(fault) = fault(&case) {
                faults.push(format!("{topic}: {}: {fault}", case.name));
            }
        }
    }
    assert!(count >= 300, "there are {count} cases");
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
}
