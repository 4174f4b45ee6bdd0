//! Compiling one shader.

use forerun_pipe::archive::Stage;
use parking_lot::Mutex;

use crate::ffi::{Client, RawShader};
use crate::source::declarations;
use crate::source::names::RENAMED;
use crate::source::prepass::{self, Heading};
use crate::source::rewrite::{self, Facts};
use crate::source::samplers;
use crate::source::token::{Kind, tokenize};
use crate::{Dialect, Limits, log, stack};

/// Longest source in bytes.
const MAX_SOURCE: usize = 16 << 20;
/// Deepest nesting of brackets; glslang's parser recurses and a program must not overflow the stack with it.
const MAX_NESTING: usize = 1000;
/// Most punctuation characters of one statement: a sum of n terms is a tree n deep. The compiler's stack holds twice
/// as many.
const MAX_STATEMENT: usize = 300_000;

/// What glslang says of a function with the name and the types of a built-in one, which GLSL lets a program hide (4.60 §8): its own
/// have no precision there.
const HIDES: &str = "overloaded functions must have the same parameter precision qualifiers";

/// What came of a compile.
pub struct CompileResult {
    /// The shader, if it compiled.
    pub shader: Option<Shader>,
    /// The info log; empty when there is nothing to say.
    pub log: String,
}

/// A compiled shader.
pub struct Shader {
    pub(crate) stage: Stage,
    pub(crate) heading: Heading,
    pub(crate) text: String,
    pub(crate) facts: Facts,
    pub(crate) limits: Limits,
    /// The parse that the compile made. A link consumes it, the next one parses again.
    parsed: Mutex<Option<RawShader>>,
}

impl Shader {
    /// The stage.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// True when written in the ES language.
    pub fn es(&self) -> bool {
        self.heading.es
    }

    /// The `#version` that it was written in.
    pub fn version(&self) -> u32 {
        self.heading.version
    }

    /// The source as glslang sees it, for debugging.
    pub fn raised_source(&self) -> &str {
        &self.text
    }

    /// The same shader with `prefix` before each of `names`, wherever they stand: for linking it with shaders of another
    /// program, to which those names mean something else.
    #[must_use]
    pub fn renamed(&self, names: &[String], prefix: &str) -> Shader {
        let change = |text: &str| {
            let own = text.strip_prefix(RENAMED).unwrap_or(text);
            names.iter().any(|name| name == own || samplers::is_of(own, name))
        };
        let mut text = String::with_capacity(self.text.len() + 64);
        for token in tokenize(&self.text) {
            if !prefix.is_empty() && token.kind == Kind::Word && change(token.text) {
                text.push_str(prefix);
            }
            text.push_str(token.text);
        }
        let mut facts = self.facts.clone();
        for lifted in facts.lifted.iter_mut().filter(|lifted| change(&lifted.name)) {
            lifted.name.insert_str(0, prefix);
            if let Some((root, _)) = lifted.parts.first_mut() {
                root.insert_str(0, prefix);
            }
        }
        let body = text.split_once("#line 1\n").map_or(text.as_str(), |(_, body)| body);
        facts.declarations = declarations::read(&tokenize(body));
        Shader {
            stage: self.stage,
            heading: self.heading.clone(),
            text,
            facts,
            limits: self.limits.clone(),
            parsed: Mutex::new(None),
        }
    }

    /// A parsed shader for one link.
    pub(crate) fn parsed(&self) -> Result<RawShader, String> {
        match self.parsed.lock().take() {
            Some(parsed) => Ok(parsed),
            None => self.parse(Client::Vulkan),
        }
    }

    /// Parses the raised source.
    pub(crate) fn parse(&self, client: Client) -> Result<RawShader, String> {
        let resource = self.limits.resource();
        let mut raw = RawShader::new(self.stage, "", self.heading.es, client, &resource)
            .ok_or_else(|| "error: the compiler could not start\n".to_owned())?;
        raw.parse(&self.text).map_err(|log| log::clean(&log))?;
        Ok(raw)
    }
}

/// Compiles `source` for `stage`.
pub fn compile(stage: Stage, source: &str, dialect: &Dialect, limits: &Limits) -> CompileResult {
    match stack::run(|| try_compile(stage, source, dialect, limits)) {
        Ok((shader, log)) => CompileResult { shader: Some(shader), log },
        Err(mut log) => {
            if log.is_empty() {
                log.push_str("error: the shader does not compile\n");
            } else if !log.ends_with('\n') {
                log.push('\n');
            }
            CompileResult { shader: None, log }
        }
    }
}

fn try_compile(
    stage: Stage,
    source: &str,
    dialect: &Dialect,
    limits: &Limits,
) -> Result<(Shader, String), String> {
    if source.len() > MAX_SOURCE {
        return Err("error: the source is too long".into());
    }
    // The preprocessor knows neither zeros nor the rarer white space (GLSL 4.60 §3.1).
    let source = source.replace(['\0', '\x0B', '\x0C'], " ");
    let (heading, prepared) = prepass::prepare(&source, dialect)?;
    let resource = limits.resource();
    let start = |text: &str| {
        RawShader::new(stage, text, heading.es, Client::Vulkan, &resource)
            .ok_or_else(|| "error: the compiler could not start".to_owned())
    };
    let code = start(&prepared)?.preprocess().map_err(|log| log::clean(&log))?;
    if nesting(&code) > MAX_NESTING {
        return Err("error: the source is nested too deeply".into());
    }
    if longest_statement(&code) > MAX_STATEMENT {
        return Err("error: a statement is too long".into());
    }
    let mut rewritten = rewrite::rewrite(&code, stage, &heading, limits, false)?;
    let mut parsed = start("")?;
    let mut outcome = parsed.parse(&rewritten.text).map_err(|log| log::clean(&log));
    if !heading.es && outcome.as_ref().is_err_and(|log| log.contains(HIDES)) {
        rewritten = rewrite::rewrite(&code, stage, &heading, limits, true)?;
        parsed = start("")?;
        outcome = parsed.parse(&rewritten.text).map_err(|log| log::clean(&log));
    }
    let parsed = match outcome {
        Ok(_) => Some(parsed),
        // How locations are shared is a matter of the link in desktop GLSL (4.60 §4.4.1).
        Err(log) if !heading.es && only_locations(&log) => {
            rewritten.facts.mixed_outputs = Some(log.trim_end().to_owned());
            None
        }
        Err(log) => return Err(log),
    };
    let mut log = heading.warnings.join("\n");
    if !log.is_empty() {
        log.push('\n');
    }
    let shader = Shader {
        stage,
        heading,
        text: rewritten.text,
        facts: rewritten.facts,
        limits: limits.clone(),
        parsed: Mutex::new(parsed),
    };
    Ok((shader, log))
}

/// Whether all that the compiler complains of is how locations are shared.
fn only_locations(log: &str) -> bool {
    let mut errors = log.lines().filter(|line| line.contains("error:")).peekable();
    errors.peek().is_some()
        && errors.all(|line| {
            line.contains("'location' : overlapping use of location")
                || line.contains("'location' : the aliases sharing the location")
        })
}

fn nesting(code: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0usize);
    for byte in code.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn longest_statement(code: &str) -> usize {
    let statements = code.as_bytes().split(|b| matches!(b, b';' | b'{' | b'}'));
    statements.map(|s| s.iter().filter(|b| b.is_ascii_punctuation()).count()).max().unwrap_or(0)
}
