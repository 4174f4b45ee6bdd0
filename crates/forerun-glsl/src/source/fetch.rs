//! `GL_EXT_shader_framebuffer_fetch`: fragment outputs that begin with what their attachment holds.
//!
//! In SPIR-V they are outputs that are read before they are written; the archive says which. The old language's
//! `gl_LastFragData` becomes an array that a new `main` fills from them before it calls the program's.

use std::collections::HashSet;
use std::fmt::Write as _;

use forerun_pipe::archive::Stage;

use super::builtins::highest_index;
use super::declarations::Declarations;
use super::prepass::Heading;
use super::rewrite::{Edit, Facts};

const COHERENT: &str = "GL_EXT_shader_framebuffer_fetch";
const NONCOHERENT: &str = "GL_EXT_shader_framebuffer_fetch_non_coherent";

/// What goes before and after the program's text.
#[derive(Default)]
pub struct Added {
    /// Declarations.
    pub header: String,
    /// The new `main`.
    pub trailer: String,
}

/// True if the shader may fetch.
pub fn enabled(stage: Stage, heading: &Heading) -> bool {
    stage == Stage::Fragment && heading.has(&[COHERENT, NONCOHERENT])
}

/// Rewrites `inout` outputs and `gl_LastFragData`. `used` names the built-ins that the shader uses.
pub fn rewrite(
    edit: &mut Edit<'_>,
    declarations: &Declarations,
    stage: Stage,
    heading: &Heading,
    used: &HashSet<String>,
    facts: &mut Facts,
) -> Added {
    if !enabled(stage, heading) {
        return Added::default();
    }
    facts.fetches_noncoherently = !heading.has(&[COHERENT]);
    for declaration in &declarations.list {
        let last = declaration.names.iter().any(|n| n.name == "gl_LastFragData");
        if declaration.has_layout("noncoherent") {
            facts.fetches_noncoherently = true;
            noncoherent(edit, declaration.tokens.clone());
        }
        for index in declaration.tokens.clone() {
            let Some(token) = edit.tokens.get(index) else { break };
            if last && token.solid() {
                edit.set(index, "");
            } else if token.is("inout") && declaration.is("inout") {
                edit.set(index, "out");
                break;
            }
        }
        if declaration.is("inout") {
            facts.fetched.extend(declaration.names.iter().map(|n| n.name.clone()));
        }
    }
    if !used.contains("gl_LastFragData") {
        return Added::default();
    }
    let mut added = Added::default();
    let count = highest_index(edit, "gl_LastFragData").map_or(1, |highest| highest + 1);
    let precision = if heading.es { "mediump " } else { "" };
    let _ = writeln!(added.header, "{precision}vec4 fr_LastFragData[{count}];");
    let color = used.contains("gl_FragColor");
    if !color && !used.contains("gl_FragData") {
        let _ = writeln!(
            added.header,
            "layout(location = 0) out {precision}vec4 fr_FragData[{count}];"
        );
    }
    added.trailer.push_str("\nvoid main() {");
    for index in 0..count {
        if color {
            let _ = write!(added.trailer, " fr_LastFragData[{index}] = fr_FragColor;");
        } else {
            let _ = write!(added.trailer, " fr_LastFragData[{index}] = fr_FragData[{index}];");
        }
    }
    added.trailer.push_str(" fr_main(); }\n");
    facts.fetched.push(if color { "fr_FragColor" } else { "fr_FragData" }.to_owned());
    for index in 0..edit.tokens.len() {
        if edit.tokens[index].is("main") && edit.neighbour(index, true) == "(" {
            edit.set(index, "fr_main");
        }
    }
    added
}

/// Takes `noncoherent` out of a layout, and the layout away when nothing else is in it.
fn noncoherent(edit: &mut Edit<'_>, range: std::ops::Range<usize>) {
    for index in range {
        let Some(token) = edit.tokens.get(index) else { return };
        if !token.is("noncoherent") {
            continue;
        }
        match (edit.neighbour(index, false), edit.neighbour(index, true)) {
            ("(", ")") => {
                // layout ( noncoherent )
                let mut at = index;
                while at > 0 && !edit.tokens[at].is("layout") {
                    at -= 1;
                }
                let mut end = index;
                while end < edit.tokens.len() && !edit.tokens[end].is(")") {
                    end += 1;
                }
                for inside in at..=end {
                    if edit.tokens.get(inside).is_some_and(|t| t.solid()) {
                        edit.set(inside, "");
                    }
                }
            }
            ("(", ",") => {
                edit.set(index, "");
                drop_comma(edit, index, true);
            }
            _ => {
                edit.set(index, "");
                drop_comma(edit, index, false);
            }
        }
        return;
    }
}

fn drop_comma(edit: &mut Edit<'_>, from: usize, forward: bool) {
    let mut at = from;
    loop {
        let next = if forward { at.checked_add(1) } else { at.checked_sub(1) };
        let Some(next) = next.filter(|&n| n < edit.tokens.len()) else { return };
        at = next;
        if edit.tokens[at].is(",") {
            edit.set(at, "");
            return;
        }
        if edit.tokens[at].solid() {
            return;
        }
    }
}
