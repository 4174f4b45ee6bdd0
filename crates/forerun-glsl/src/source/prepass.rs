//! Before the preprocessor: `#version`, `#extension`, `#line`, and the macros that tell a shader where it is.
//!
//! All source is raised to `460 core` or `320 es`, so what the preprocessor would say about versions and
//! extensions must be what the *program* asked for. Lines stay lines: the output has as many as the input.

use super::extensions;
use super::token::{Kind, Token, tokenize};
use crate::Dialect;

/// Macro that is defined as 1 in every shader.
const YES: &str = "fr_yes";
/// Macro that no shader defines.
const NO: &str = "fr_no";

/// What the program's source says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// ES language.
    pub es: bool,
    /// `#version`, or the language's default.
    pub version: u32,
    /// Extensions that are on (or warned about) and supported.
    pub extensions: Vec<String>,
    /// Warnings for the log.
    pub warnings: Vec<String>,
}

impl Heading {
    /// True if the shader turned on one of `names`.
    pub fn has(&self, names: &[&str]) -> bool {
        self.extensions.iter().any(|on| names.contains(&on.as_str()))
    }
}

/// Gives the heading and a source for the preprocessor.
///
/// # Errors
/// A line for the log: the version is not one that the context compiles.
pub fn prepare(source: &str, dialect: &Dialect) -> Result<(Heading, String), String> {
    let tokens = tokenize(source);
    let mut heading = version(&tokens, dialect)?;
    let mut out = String::with_capacity(source.len() + 256);
    out.push_str(if heading.es { "#version 320 es\n" } else { "#version 460 core\n" });
    out.push_str("#define fr_yes 1\n#line 1\n");

    let mut at = 0;
    let mut line = 1usize;
    let mut seen_code = false;
    while let Some(token) = tokens.get(at) {
        if token.kind == Kind::Hash {
            let end = directive_end(&tokens, at);
            let body = tokens.get(at..end).unwrap_or_default();
            directive(body, line, seen_code, &mut heading, dialect, &mut out);
            line += body.iter().map(|t| newlines(t.text)).sum::<usize>();
            at = end;
            continue;
        }
        seen_code |= token.solid();
        out.push_str(&word(token, &heading, dialect));
        line += newlines(token.text);
        at += 1;
    }
    Ok((heading, out))
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&b| b == b'\n').count()
}

/// Index of the token that ends the directive's line.
fn directive_end(tokens: &[Token<'_>], from: usize) -> usize {
    tokens[from..].iter().position(|t| t.kind == Kind::Newline).map_or(tokens.len(), |n| from + n)
}

fn solid<'a>(body: &[Token<'a>]) -> Vec<&'a str> {
    body.iter().filter(|t| t.solid()).map(|t| t.text).collect()
}

fn version(tokens: &[Token<'_>], dialect: &Dialect) -> Result<Heading, String> {
    let first = tokens.iter().position(Token::solid);
    let words = match first.and_then(|f| tokens.get(f).map(|t| (f, t.kind))) {
        Some((f, Kind::Hash)) => solid(&tokens[f..directive_end(tokens, f)]),
        _ => Vec::new(),
    };
    let (number, profile) = match words.as_slice() {
        ["#", "version", number] => (*number, None),
        ["#", "version", number, profile] => (*number, Some(*profile)),
        ["#", "version", ..] => return Err("0:1: error: malformed #version directive".into()),
        _ if dialect.es => ("100", None),
        _ => ("110", None),
    };
    let bad = || {
        let profile = profile.map(|p| format!(" {p}")).unwrap_or_default();
        let context = if dialect.es { "OpenGL ES" } else { "OpenGL" };
        Err(format!(
            "0:1: error: GLSL{} {number}{profile} is not supported by this context; it compiles {}",
            if profile == " es" { " ES" } else { "" },
            supported(dialect, context),
        ))
    };
    let Ok(version) = number.parse::<u32>() else { return bad() };
    let es = version == 100 || profile == Some("es");
    let known = if es {
        matches!(
            (version, profile),
            (100, None) | (300, Some("es")) | (310, Some("es")) | (320, Some("es"))
        )
    } else {
        let core = profile.is_none() || profile == Some("core") && version >= 150;
        let versions =
            [110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460].contains(&version);
        versions && core
    };
    let allowed = if es == dialect.es {
        version <= dialect.max_version
    } else if es {
        let gate = match version {
            100 => "GL_ARB_ES2_compatibility",
            300 => "GL_ARB_ES3_compatibility",
            310 => "GL_ARB_ES3_1_compatibility",
            _ => "GL_ARB_ES3_2_compatibility",
        };
        dialect.offers(gate)
    } else {
        false
    };
    if !known || !allowed {
        return bad();
    }
    Ok(Heading { es, version, ..Heading::default() })
}

fn supported(dialect: &Dialect, context: &str) -> String {
    let all: &[u32] = if dialect.es {
        &[100, 300, 310, 320]
    } else {
        &[110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460]
    };
    let list: Vec<String> = all
        .iter()
        .filter(|&&v| v <= dialect.max_version)
        .map(|v| format!("{}.{:02}", v / 100, v % 100))
        .collect();
    format!("{context} {}", list.join(", "))
}

fn directive(
    body: &[Token<'_>],
    line: usize,
    seen_code: bool,
    heading: &mut Heading,
    dialect: &Dialect,
    out: &mut String,
) {
    let words = solid(body);
    // Continuations and comments inside a directive may hold line breaks, which must stay.
    let breaks = "\n".repeat(body.iter().map(|t| newlines(t.text)).sum());
    match words.as_slice() {
        ["#", "version", ..] => {
            if seen_code || line > 1 && version_was_late(body, out) {
                out.push_str("#error the version directive must occur first");
            }
            out.push_str(&breaks);
        }
        ["#", "extension", rest @ ..] => {
            match extension(rest, line, heading, dialect) {
                Ok(on) => out.push_str(&on),
                Err(message) => {
                    out.push_str("#error ");
                    out.push_str(&message);
                }
            }
            out.push_str(&breaks);
        }
        ["#", "line", number] | ["#", "line", number, _] if counts_from_next(heading) => {
            match number.parse::<u32>() {
                Ok(n) => {
                    out.push_str(&format!("#line {}", n.saturating_add(1)));
                    if let Some(string) = words.get(3) {
                        out.push(' ');
                        out.push_str(string);
                    }
                }
                Err(_) => body.iter().for_each(|t| out.push_str(t.text)),
            }
        }
        ["#", "define" | "undef", ..] => {
            // The name itself is left alone: glslang says what it thinks of a reserved one.
            let name = body.iter().enumerate().filter(|(_, t)| t.solid()).nth(2).map(|(i, _)| i);
            for (index, token) in body.iter().enumerate() {
                if Some(index) == name {
                    out.push_str(token.text);
                } else {
                    out.push_str(&word(token, heading, dialect));
                }
            }
        }
        _ => {
            let mut asked = false;
            for token in body {
                // `defined __VERSION__` asks for the macro, not for its value.
                if token.is("__VERSION__") && asked {
                    out.push_str(YES);
                } else {
                    out.push_str(&word(token, heading, dialect));
                }
                if token.solid() && !token.is("(") {
                    asked = matches!(token.text, "defined" | "ifdef" | "ifndef");
                }
            }
        }
    }
}

/// True when this is not the directive that [`version`] has read: something solid was put out before it.
fn version_was_late(_body: &[Token<'_>], out: &str) -> bool {
    let own = out.find("#line 1\n").map_or("", |at| &out[at + 8..]);
    tokenize(own).iter().any(Token::solid)
}

/// Before GLSL 3.30 and ES 3.00, `#line n` numbered the line itself, and the next is n + 1.
fn counts_from_next(heading: &Heading) -> bool {
    if heading.es { heading.version < 300 } else { heading.version < 330 }
}

fn extension(
    rest: &[&str],
    line: usize,
    heading: &mut Heading,
    dialect: &Dialect,
) -> Result<String, String> {
    let [name, ":", behaviour] = rest else {
        return Err("malformed #extension directive".into());
    };
    if !matches!(*behaviour, "require" | "enable" | "warn" | "disable") {
        return Err(format!("unknown extension behavior {behaviour}"));
    }
    if *name == "all" {
        return if matches!(*behaviour, "warn" | "disable") {
            Ok(String::new())
        } else {
            Err(format!("cannot {behaviour} all extensions"))
        };
    }
    let known = extensions::find(name, heading.es).is_some() && dialect.offers(name);
    match (*behaviour, known) {
        ("disable", true) => heading.extensions.retain(|on| on != name),
        (_, true) => {
            if !heading.extensions.iter().any(|on| on == name) {
                heading.extensions.push((*name).to_owned());
            }
            let needs = extensions::find(name, heading.es).map_or("", |e| e.needs);
            if !needs.is_empty() {
                return Ok(format!("#extension {needs} : enable"));
            }
        }
        ("require", false) => return Err(format!("extension {name} is not supported")),
        ("disable", false) => {}
        (_, false) => {
            let warning = format!("0:{line}: warning: extension `{name}' is not supported");
            heading.warnings.push(warning);
        }
    }
    Ok(String::new())
}

fn word(token: &Token<'_>, heading: &Heading, dialect: &Dialect) -> String {
    let text = token.text;
    if token.kind != Kind::Word {
        return text.to_owned();
    }
    match text {
        "__VERSION__" => heading.version.to_string(),
        "VULKAN" => NO.to_owned(),
        "GL_ES" | "GL_FRAGMENT_PRECISION_HIGH" => text.to_owned(),
        "GL_core_profile" if !heading.es && heading.version >= 150 => YES.to_owned(),
        "GL_es_profile" if heading.es && heading.version >= 300 => YES.to_owned(),
        _ if text.starts_with("GL_") => {
            let on = extensions::find(text, heading.es).is_some() && dialect.offers(text);
            if on { YES.to_owned() } else { format!("{NO}_{text}") }
        }
        _ => text.to_owned(),
    }
}
