//! Built-ins that the raised language does not have: declared before the program's text.

use std::collections::HashSet;
use std::fmt::Write as _;

use forerun_pipe::archive::Stage;

use super::declarations::Declarations;
use super::names;
use super::prepass::Heading;
use super::rewrite::{Edit, Facts};
use crate::Limits;

/// Declares what the raised language no longer has built in.
pub fn declare(
    edit: &mut Edit<'_>,
    used: &HashSet<String>,
    stage: Stage,
    heading: &Heading,
    limits: &Limits,
    header: &mut String,
    facts: &mut Facts,
) {
    let mut add = |line: std::fmt::Arguments<'_>| {
        let _ = header.write_fmt(line);
        header.push('\n');
    };
    let secondary = ["gl_SecondaryFragColorEXT", "gl_SecondaryFragDataEXT"];
    let blends = secondary.iter().any(|name| used.contains(*name));
    let dual = limits.max_dual_source_draw_buffers.max(1);
    let buffers = if blends { dual } else { limits.max_draw_buffers.max(1) };
    let precision = if heading.es { "mediump " } else { "" };
    if used.contains("gl_FragColor") {
        facts.broadcasts = !heading.es || heading.has(&["GL_EXT_draw_buffers"]);
        add(format_args!("layout(location = 0) out {precision}vec4 fr_FragColor;"));
    }
    if used.contains("gl_FragData") {
        // With gl_FragColor beside it the link fails, and says so.
        let place = if used.contains("gl_FragColor") { 8 } else { 0 };
        add(format_args!("layout(location = {place}) out {precision}vec4 fr_FragData[{buffers}];"));
    }
    // glslang does not let two arrays share a location by index: the link moves these to 0, index 1.
    if used.contains("gl_SecondaryFragColorEXT") {
        add(format_args!("layout(location = 24) out {precision}vec4 fr_SecondaryFragColor;"));
    }
    if used.contains("gl_SecondaryFragDataEXT") {
        add(format_args!(
            "layout(location = 24) out {precision}vec4 fr_SecondaryFragData[{dual}];"
        ));
    }
    if used.contains("gl_DepthRange") || used.contains("gl_DepthRangeParameters") {
        add(format_args!(
            "struct fr_DepthRangeParameters {{ highp float near; highp float far; highp float diff; }};"
        ));
        add(format_args!("uniform fr_DepthRangeParameters fr_DepthRange;"));
    }
    if used.contains("gl_MaxVaryingVectors") {
        let vectors = limits.max_varying_components / 4;
        add(format_args!("const mediump int fr_MaxVaryingVectors = {vectors};"));
    }
    if used.contains("gl_NumSamples") {
        add(format_args!("uniform highp int fr_NumSamples;"));
    }
    for word in used {
        if let Some(meaning) = names::counter_function(word) {
            add(format_args!("#define {word}{meaning}"));
        }
        // GLSL 4.60 §8.16: what SPIR-V is made of has no noise, all of it is zero.
        if let Some(at) = names::NOISE.iter().position(|name| name == word) {
            let result = ["float", "vec2", "vec3", "vec4"].get(at).copied().unwrap_or("float");
            for argument in ["float", "vec2", "vec3", "vec4"] {
                add(format_args!("{result} fr_{word}({argument} x) {{ return {result}(0.0); }}"));
            }
        }
        let Some((lookup, sampler, coordinate)) = names::shadow(word) else { continue };
        if lookup.ends_with("Lod") {
            add(format_args!(
                "vec4 fr_{word}({sampler} s, {coordinate} p, float l) \
                 {{ return vec4(vec3({lookup}(s, p, l)), 1.0); }}"
            ));
        } else {
            add(format_args!(
                "vec4 fr_{word}({sampler} s, {coordinate} p) \
                 {{ return vec4(vec3({lookup}(s, p)), 1.0); }}"
            ));
            let bias = stage == Stage::Fragment
                && !matches!(sampler, "sampler2DRectShadow" | "sampler2DArrayShadow");
            if bias {
                add(format_args!(
                    "vec4 fr_{word}({sampler} s, {coordinate} p, float b) \
                     {{ return vec4(vec3({lookup}(s, p, b)), 1.0); }}"
                ));
            }
        }
    }
    for index in 0..edit.tokens.len() {
        // glslang is told of more, see `Limits::resource`.
        if edit.tokens[index].is("gl_MaxDrawBuffers") {
            edit.set(index, limits.max_draw_buffers.max(1).to_string());
        }
    }
    adopted(edit, used, stage, header);
}

/// `GL_EXT_blend_func_extended` lets an ES program have several outputs without locations, to be bound by name.
pub fn free_outputs(
    edit: &mut Edit<'_>,
    declarations: &Declarations,
    stage: Stage,
    heading: &Heading,
    facts: &mut Facts,
) {
    if stage != Stage::Fragment || !heading.es || !heading.has(&["GL_EXT_blend_func_extended"]) {
        return;
    }
    let outputs = declarations.list.iter().filter(|d| d.is("out") && !d.ty.is_empty());
    for (number, output) in outputs.enumerate() {
        if output.has_layout("location") || output.names.len() != 1 {
            continue;
        }
        let start = output.tokens.start;
        let Some(token) = edit.tokens.get(start) else { continue };
        let place = number + 16;
        let text = format!("layout(location = {place}) {}", token.text);
        edit.set(start, text);
        facts.free_outputs.extend(output.names.iter().map(|n| n.name.clone()));
    }
}

/// Declares built-ins that ES extensions add and glslang does not have: ordinary variables here, decorated as
/// built-ins once they are SPIR-V.
fn adopted(edit: &Edit<'_>, used: &HashSet<String>, stage: Stage, header: &mut String) {
    let direction = if stage == Stage::Fragment { "in" } else { "out" };
    if used.contains("gl_ViewportIndex") {
        let _ = writeln!(header, "flat {direction} highp int fr_ViewportIndex;");
    }
    for (word, name) in
        [("gl_ClipDistance", "fr_ClipDistance"), ("gl_CullDistance", "fr_CullDistance")]
    {
        if !used.contains(word) || redeclared(edit, word) {
            continue;
        }
        let size = highest_index(edit, word).map_or(8, |highest| highest + 1);
        let _ = writeln!(header, "{direction} highp float {name}[{size}];");
    }
}

/// True if the program declares the built-in array itself, with a size.
fn redeclared(edit: &Edit<'_>, word: &str) -> bool {
    edit.tokens
        .iter()
        .enumerate()
        .any(|(index, token)| token.is(word) && edit.neighbour(index, false) == "float")
}

/// The largest literal index of an array; None if there is another index, or none.
pub fn highest_index(edit: &Edit<'_>, word: &str) -> Option<u32> {
    let mut highest = None;
    for (index, token) in edit.tokens.iter().enumerate() {
        let gone = edit.changed.get(index).is_some_and(|c| c.as_deref() == Some(""));
        if !token.is(word) || gone {
            continue;
        }
        let after: Vec<&str> = edit
            .tokens
            .get(index + 1..)
            .unwrap_or_default()
            .iter()
            .filter(|t| t.solid())
            .take(3)
            .map(|t| t.text)
            .collect();
        match after.as_slice() {
            ["[", number, "]"] => highest = highest.max(Some(number.parse::<u32>().ok()?.min(7))),
            _ => return None,
        }
    }
    highest
}
