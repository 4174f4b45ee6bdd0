//! After the preprocessor: old spellings become those of 460 and 320 es.

use std::collections::HashSet;
use std::fmt::Write as _;

use forerun_pipe::archive::Stage;

use super::builtins;
use super::declarations::{self, Declaration, Declarations, Shape, is_qualifier};
use super::extensions;
use super::names;
use super::prepass::Heading;
use super::token::{Kind, Token, tokenize};
use crate::Limits;

/// What SPIR-V will not say about the shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Outline of the rewritten globals.
    pub declarations: Declarations,
    /// `gl_FragCoord` with `origin_upper_left`.
    pub fragcoord_upper_left: bool,
    /// `gl_FragCoord` with `pixel_center_integer`.
    pub fragcoord_integer: bool,
    /// `gl_FragCoord` is redeclared with a layout.
    pub fragcoord_redeclared: bool,
    /// Reads or writes `gl_FragCoord`.
    pub uses_fragcoord: bool,
    /// Fragment outputs that begin with what their attachment holds.
    pub fetched: Vec<String>,
    /// They do so without coherency.
    pub fetches_noncoherently: bool,
    /// Why the shader does not link: its old outputs do not go together, or its locations.
    pub mixed_outputs: Option<String>,
    /// Some uniform has an initial value.
    pub has_initialisers: bool,
    /// Fragment outputs that were given a location only to please glslang.
    pub free_outputs: Vec<String>,
    /// Names declared `invariant`.
    pub invariant: Vec<String>,
    /// Formats of images: the one in the words, and the one that is meant.
    pub image_formats: Vec<(u32, u32)>,
    /// Writes `gl_FragColor`, which goes to every colour attachment.
    pub broadcasts: bool,
    /// Samplers in structures that are arrays of their own in the text.
    pub lifted: Vec<super::samplers::Lifted>,
    /// Subroutines, which the text no longer has.
    pub subroutines: super::subroutines::Subroutines,
}

/// A source for glslang's parser.
pub struct Rewritten {
    /// The text.
    pub text: String,
    /// What was learnt on the way.
    pub facts: Facts,
}

/// Source tokens with what some of them become.
pub struct Edit<'a> {
    /// As they were.
    pub tokens: Vec<Token<'a>>,
    /// What they become.
    pub changed: Vec<Option<String>>,
}

impl Edit<'_> {
    /// Replaces a token.
    pub fn set(&mut self, index: usize, text: impl Into<String>) {
        if let Some(slot) = self.changed.get_mut(index) {
            *slot = Some(text.into());
        }
    }

    /// The nearest solid token before (`step` −1) or after (+1) an index.
    pub fn neighbour(&self, index: usize, forward: bool) -> &str {
        let solid = |t: &&Token<'_>| t.solid();
        let found = if forward {
            self.tokens.get(index + 1..).and_then(|rest| rest.iter().find(solid))
        } else {
            self.tokens.get(..index).and_then(|rest| rest.iter().rev().find(solid))
        };
        found.map_or("", |t| t.text)
    }
}

/// Rewrites preprocessed `code`. With `hide` the program's functions get names that no built-in function has.
///
/// # Errors
/// Lines for the log: rules of the program's own version that the raised language no longer has.
pub fn rewrite(
    code: &str,
    stage: Stage,
    heading: &Heading,
    limits: &Limits,
    hide: bool,
) -> Result<Rewritten, String> {
    let mut facts = Facts::default();
    let lowered = super::subroutines::lower(code, stage, heading)?;
    let code = match &lowered {
        Some((text, found)) => {
            facts.subroutines = found.clone();
            text
        }
        None => code,
    };
    let tokens = tokenize(code);
    let declarations = declarations::read(&tokens);
    let mut edit = Edit { changed: vec![None; tokens.len()], tokens };
    let mut header = String::new();

    drop_headings(&mut edit);
    let mut renamed = names_to_change(&edit, &declarations, heading);
    for declaration in declarations.list.iter().filter(|_| hide) {
        if let Shape::Function { name, .. } = &declaration.shape
            && name != "main"
        {
            renamed.insert(name.clone());
        }
    }
    let functions: HashSet<&str> = declarations
        .list
        .iter()
        .filter_map(|d| match &d.shape {
            Shape::Function { name, .. } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    super::fold::fold(&mut edit, &functions);
    super::mend::uniform_sizes(&mut edit, &declarations);
    super::mend::indexed_swizzles(&mut edit, &declarations, stage);
    facts.lifted = super::samplers::lift(&mut edit, &declarations);
    let used = replace_words(&mut edit, stage, heading, &renamed, &functions, &mut facts);
    global_declarations(&mut edit, &declarations, stage, &mut facts)?;
    if heading.es && heading.extensions.iter().any(|name| *name == "GL_NV_image_formats") {
        facts.image_formats = super::images::stand_in(&mut edit, &declarations);
    }
    builtins::declare(&mut edit, &used, stage, heading, limits, &mut header, &mut facts);
    let fetches =
        super::fetch::rewrite(&mut edit, &declarations, stage, heading, &used, &mut facts);
    header.push_str(&fetches.header);
    builtins::free_outputs(&mut edit, &declarations, stage, heading, &mut facts);
    facts.mixed_outputs = super::rules::outputs(&used);
    super::rules::check(&edit.tokens, &declarations, stage, heading, limits)?;

    let mut text = String::with_capacity(code.len() + header.len() + 256);
    text.push_str(if heading.es { "#version 320 es\n" } else { "#version 460 core\n" });
    for name in &heading.extensions {
        if let Some(extension) = extensions::find(name, heading.es)
            && !extension.needs.is_empty()
        {
            let _ = writeln!(text, "#extension {} : enable", extension.needs);
        }
    }
    text.push_str(&header);
    text.push_str("#line 1\n");
    let body_start = text.len();
    for (token, changed) in edit.tokens.iter().zip(&edit.changed) {
        text.push_str(changed.as_deref().unwrap_or(token.text));
    }
    text.push_str(&fetches.trailer);
    let body = text.get(body_start..).unwrap_or_default();
    facts.declarations = declarations::read(&tokenize(body));
    for declaration in &facts.declarations.list {
        if declaration.is("uniform") && declaration.names.iter().any(|n| n.initialised) {
            facts.has_initialisers = true;
        }
    }
    Ok(Rewritten { text, facts })
}

/// Removes the preprocessor's `#version`, `#extension` and leading `#line`.
fn drop_headings(edit: &mut Edit<'_>) {
    let mut at = 0;
    while at < edit.tokens.len() {
        if edit.tokens[at].kind == Kind::Hash {
            let word = edit.neighbour(at, true).to_owned();
            let drop = matches!(word.as_str(), "version" | "extension");
            while at < edit.tokens.len() && edit.tokens[at].kind != Kind::Newline {
                if drop {
                    edit.set(at, "");
                }
                at += 1;
            }
        }
        at += 1;
    }
}

/// Names of the program that would be read as something else.
fn names_to_change(
    edit: &Edit<'_>,
    declarations: &Declarations,
    heading: &Heading,
) -> HashSet<String> {
    let mut renamed = HashSet::new();
    for (index, token) in edit.tokens.iter().enumerate() {
        let lookup = old_lookups(heading) && names::is_modern_lookup(token.text);
        let misread = names::became_keyword(token.text, heading.es, heading.version) || lookup;
        if token.kind != Kind::Word || !misread || renamed.contains(token.text) {
            continue;
        }
        let before = edit.neighbour(index, false);
        let after = edit.neighbour(index, true);
        let type_before = before.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && !is_qualifier(before)
            && !matches!(before, "return" | "case" | "else" | "do" | "precision");
        // Newer ES lets nobody define these functions.
        let function = after == "(" && lookup && !legacy(heading);
        let declares =
            matches!(after, ";" | "," | "=" | ")" | "[" | "(") && type_before && !function
                || before == "struct"
                || before == "]" && matches!(after, ";" | "," | "=");
        if declares {
            renamed.insert(token.text.to_owned());
        }
    }
    // `float a, sample;`: found through the outline instead.
    let mut name = |name: &str, global: bool| {
        if names::became_keyword(name, heading.es, heading.version)
            || (old_lookups(heading) || global) && names::is_modern_lookup(name)
            || global && heading.es && names::became_function(name, heading.version)
        {
            renamed.insert(name.to_owned());
        }
    };
    for declaration in &declarations.list {
        if !declaration.ty.is_empty() {
            declaration.names.iter().for_each(|n| name(&n.name, true));
        }
        if let Shape::Block(members) = &declaration.shape {
            members.iter().for_each(|m| name(&m.name, false));
        }
    }
    for (_, members) in &declarations.structs {
        members.iter().for_each(|m| name(&m.name, false));
    }
    if heading.es {
        for declaration in &declarations.list {
            if let Shape::Function { name, .. } = &declaration.shape
                && names::became_function(name, heading.version)
            {
                renamed.insert(name.clone());
            }
        }
    }
    renamed
}

fn legacy(heading: &Heading) -> bool {
    if heading.es { heading.version < 300 } else { heading.version < 420 }
}

/// The old names of the texture look-ups: part of the old languages, and taken by drivers in all of ES.
fn old_lookups(heading: &Heading) -> bool {
    heading.es || legacy(heading)
}

/// Rewrites single words; gives the built-ins met that need a declaration.
fn replace_words(
    edit: &mut Edit<'_>,
    stage: Stage,
    heading: &Heading,
    renamed: &HashSet<String>,
    functions: &HashSet<&str>,
    facts: &mut Facts,
) -> HashSet<String> {
    let mut used = HashSet::new();
    for index in 0..edit.tokens.len() {
        let token = edit.tokens[index];
        if token.kind != Kind::Word || edit.changed[index].is_some() {
            continue;
        }
        let word = token.text;
        if renamed.contains(word) {
            edit.set(index, format!("{}{word}", names::RENAMED));
            continue;
        }
        if word == "gl_FragCoord" {
            facts.uses_fragcoord = true;
        }
        if word == "gl_DepthRange" || word == "gl_DepthRangeParameters" || word == "gl_NumSamples" {
            used.insert(word.to_owned());
            edit.set(index, word.replacen("gl_", "fr_", 1));
            continue;
        }
        if heading.es && names::adopted(word).is_some() {
            used.insert(word.to_owned());
            edit.set(index, word.replacen("gl_", "fr_", 1));
            continue;
        }
        if word == "gl_LastFragData" && super::fetch::enabled(stage, heading) {
            used.insert(word.to_owned());
            edit.set(index, "fr_LastFragData");
            continue;
        }
        if names::counter_function(word).is_some() {
            used.insert(word.to_owned());
        }
        if !heading.es && names::NOISE.contains(&word) && !functions.contains(word) {
            used.insert(word.to_owned());
            edit.set(index, format!("fr_{word}"));
            continue;
        }
        if matches!(word, "gl_InstanceIDARB" | "gl_InstanceIDEXT") {
            edit.set(index, "gl_InstanceID");
            continue;
        }
        let called =
            |edit: &Edit<'_>| !functions.contains(word) && edit.neighbour(index, true) == "(";
        if old_lookups(heading)
            && called(edit)
            && let Some(new) = names::texture(word)
        {
            edit.set(index, new);
            continue;
        }
        if !legacy(heading) {
            continue;
        }
        match word {
            "attribute" => edit.set(index, "in"),
            "varying" if stage == Stage::Fragment => edit.set(index, "in"),
            "varying" => edit.set(index, "out"),
            "gl_SecondaryFragColorEXT" | "gl_SecondaryFragDataEXT"
                if !heading.has(&["GL_EXT_blend_func_extended"]) =>
            {
                // glslang has it in any case; the program must not.
                edit.set(index, format!("{}{word}", names::RENAMED));
            }
            "gl_FragColor"
            | "gl_FragData"
            | "gl_SecondaryFragColorEXT"
            | "gl_SecondaryFragDataEXT"
                if stage == Stage::Fragment =>
            {
                used.insert(word.to_owned());
                let new = word.replacen("gl_", "fr_", 1).replace("EXT", "");
                edit.set(index, new);
            }
            "gl_FragDepthEXT" => edit.set(index, "gl_FragDepth"),
            "gl_MaxVaryingFloats" if !heading.es => edit.set(index, "gl_MaxVaryingComponents"),
            "gl_MaxVaryingVectors" if heading.es => {
                used.insert(word.to_owned());
                edit.set(index, "fr_MaxVaryingVectors");
            }
            _ if !called(edit) => {}
            _ if heading.es => {
                if let Some(new) = names::shadow_es(word) {
                    edit.set(index, new);
                }
            }
            _ if names::shadow(word).is_some() => {
                used.insert(word.to_owned());
                edit.set(index, format!("fr_{word}"));
            }
            _ => {}
        }
    }
    used
}

fn global_declarations(
    edit: &mut Edit<'_>,
    declarations: &Declarations,
    stage: Stage,
    facts: &mut Facts,
) -> Result<(), String> {
    let mut offset = Vec::new();
    for declaration in &declarations.list {
        let range = declaration.tokens.clone();
        // A storage class that older fragment shaders may repeat and newer ones may not.
        if stage == Stage::Fragment && declaration.is("invariant") {
            let names = declaration.names.iter().map(|n| n.name.clone());
            facts.invariant.extend(names);
            let input = declaration.is("varying") || declaration.is("in");
            if declaration.ty.is_empty() && declaration.qualifiers.len() == 1 {
                let outputs = |name: &str| {
                    declarations
                        .list
                        .iter()
                        .any(|d| d.is("out") && d.names.iter().any(|n| n.name == name))
                };
                if !declaration.names.iter().all(|n| outputs(&n.name)) {
                    for index in range.clone() {
                        if edit.tokens.get(index).is_some_and(Token::solid) {
                            edit.set(index, "");
                        }
                    }
                }
            } else if input {
                blank(edit, range.clone(), "invariant");
            }
        } else if declaration.is("invariant") && declaration.is("in") {
            blank(edit, range.clone(), "invariant");
        } else if declaration.is("invariant") {
            facts.invariant.extend(declaration.names.iter().map(|n| n.name.clone()));
        }
        if declaration.names.iter().any(|n| n.name == "gl_FragCoord") && !declaration.ty.is_empty()
        {
            facts.fragcoord_redeclared = true;
            facts.fragcoord_upper_left |= declaration.has_layout("origin_upper_left");
            facts.fragcoord_integer |= declaration.has_layout("pixel_center_integer");
        }
        if declaration.names.iter().any(|n| n.name == "gl_FragCoord") && !declaration.ty.is_empty()
        {
            // The server knows the origin from the archive; glslang need not hear of it.
            for index in range.clone() {
                if edit.tokens.get(index).is_some_and(Token::solid) {
                    edit.set(index, "");
                }
            }
        }
        if declaration.has_layout("shared") || declaration.has_layout("packed") {
            let packing = if declaration.is("buffer") { "std430" } else { "std140" };
            layout_word(edit, range.clone(), "shared", packing);
            layout_word(edit, range, "packed", packing);
        }
        let patch_array = declaration.names.iter().any(|n| n.dimensions > 0);
        if stage == Stage::TessEvaluation && declaration.is("patch") && patch_array {
            // glslang takes their outermost dimension for the vertices'; under another name it does not compare them.
            for declared in &declaration.names {
                rename(edit, &declared.name);
            }
        }
        counter_offset(edit, declaration, &mut offset);
    }
    Ok(())
}

/// Renames a global of the program.
fn rename(edit: &mut Edit<'_>, name: &str) {
    for index in 0..edit.tokens.len() {
        if edit.tokens[index].is(name)
            && edit.changed[index].is_none()
            && edit.neighbour(index, false) != "."
        {
            edit.set(index, format!("{}{name}", names::RENAMED));
        }
    }
}

/// `layout(binding = b, offset = n) uniform atomic_uint;` sets where the next counter of the binding stands. glslang
/// refuses it, so the offset is given to that counter. `pending` holds binding and offset.
fn counter_offset(edit: &mut Edit<'_>, declaration: &Declaration, pending: &mut Vec<(i64, i64)>) {
    let counter = declaration.ty == "atomic_uint"
        || declaration.names.first().is_some_and(|n| n.name == "atomic_uint");
    if !counter || !declaration.is("uniform") {
        return;
    }
    let binding = declaration.layout_value("binding").unwrap_or(0);
    let offset = declaration.layout_value("offset");
    if declaration.ty.is_empty() {
        let Some(offset) = offset else { return };
        pending.retain(|(b, _)| *b != binding);
        pending.push((binding, offset));
        for index in declaration.tokens.clone() {
            if edit.tokens.get(index).is_some_and(Token::solid) {
                edit.set(index, "");
            }
        }
        return;
    }
    let Some(place) = pending.iter().position(|(b, _)| *b == binding) else { return };
    let (_, start) = pending.remove(place);
    if offset.is_some() {
        return;
    }
    let open = declaration.tokens.clone().find(|&i| {
        edit.tokens.get(i).is_some_and(|t| t.is("(")) && edit.neighbour(i, false) == "layout"
    });
    if let Some(open) = open {
        edit.set(open, format!("(offset = {start}, "));
    }
}

fn blank(edit: &mut Edit<'_>, range: std::ops::Range<usize>, word: &str) {
    for index in range {
        if edit.tokens.get(index).is_some_and(|t| t.is(word)) {
            edit.set(index, "");
        }
    }
}

/// Replaces an identifier inside the declaration's `layout(…)`, which comes before any brace.
fn layout_word(edit: &mut Edit<'_>, range: std::ops::Range<usize>, word: &str, new: &str) {
    for index in range {
        let Some(token) = edit.tokens.get(index) else { return };
        if token.is("{") {
            return;
        }
        if token.is(word) && matches!(edit.neighbour(index, false), "(" | ",") {
            edit.set(index, new);
        }
    }
}
