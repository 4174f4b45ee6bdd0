//! Rules of a program's own language version that the raised language no longer has.

use std::collections::HashSet;

use forerun_pipe::archive::Stage;

use super::declarations::{Declarations, Shape};
use super::prepass::Heading;
use super::token::{Kind, Token};
use crate::Limits;

/// Checks `tokens`, the preprocessed source before it is rewritten.
///
/// # Errors
/// One line per broken rule.
pub fn check(
    tokens: &[Token<'_>],
    declarations: &Declarations,
    stage: Stage,
    heading: &Heading,
    limits: &Limits,
) -> Result<(), String> {
    let mut errors = Vec::new();
    super::structures::check(tokens, &mut errors);
    sizes(tokens, declarations, stage, limits, &mut errors);
    streams(tokens, declarations, limits, &mut errors);
    interface(tokens, declarations, stage, heading, &mut errors);
    block_names(tokens, declarations, &mut errors);
    if stage == Stage::Fragment {
        flat_members(tokens, declarations, &mut errors);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}

/// GLSL 4.60 §4.4.1.4 and §4.4.1.1: how many invocations a work group, and a geometry shader, may have. glslang looks at each
/// dimension alone.
fn sizes(
    tokens: &[Token<'_>],
    declarations: &Declarations,
    stage: Stage,
    limits: &Limits,
    errors: &mut Vec<String>,
) {
    for declaration in declarations.list.iter().filter(|d| d.is("in")) {
        let value = |name: &str| declaration.layout_value(name).unwrap_or(1).max(1);
        let (count, most) = match stage {
            Stage::Compute => {
                let sides = ["local_size_x", "local_size_y", "local_size_z"].map(value);
                let count = sides.iter().fold(1i64, |product, side| product.saturating_mul(*side));
                (count, limits.max_compute_work_group_invocations)
            }
            Stage::Geometry => (value("invocations"), limits.max_geometry_shader_invocations),
            _ => return,
        };
        if count > i64::from(most) {
            let line = line_of(tokens, declaration.tokens.start);
            errors.push(format!("0:{line}: error: {count} invocations, more than {most}"));
        }
    }
}

/// GLSL 4.60 §4.4.2.2: outputs go to one of the streams that there are. (Where `EmitStreamVertex` goes is known when constants are.)
fn streams(
    tokens: &[Token<'_>],
    declarations: &Declarations,
    limits: &Limits,
    errors: &mut Vec<String>,
) {
    for declaration in declarations.list.iter().filter(|d| d.is("out")) {
        let Some(stream) = declaration.layout_value("stream") else { continue };
        if stream >= i64::from(limits.max_vertex_streams.max(1)) {
            let line = line_of(tokens, declaration.tokens.start);
            let streams = limits.max_vertex_streams.max(1);
            errors.push(format!("0:{line}: error: vertex stream {stream} of {streams}"));
        }
    }
}

/// GLSL 1.10 §7.2 and `GL_EXT_blend_func_extended`: a program writes colours or data, not both. `used` names the
/// built-ins. Gives what is wrong, for the link to say.
pub fn outputs(used: &HashSet<String>) -> Option<String> {
    let colors = ["gl_FragColor", "gl_SecondaryFragColorEXT"];
    let data = ["gl_FragData", "gl_SecondaryFragDataEXT"];
    let color = colors.iter().find(|c| used.contains(**c))?;
    let other = data.iter().find(|d| used.contains(**d))?;
    Some(format!("error: the fragment shader uses both `{color}' and `{other}'"))
}

/// GLSL 1.50 §4.3.7: a block's name has no other use at global scope. (glslang crashes on some that have.)
fn block_names(tokens: &[Token<'_>], declarations: &Declarations, errors: &mut Vec<String>) {
    let mut others: HashSet<&str> = HashSet::new();
    for declaration in &declarations.list {
        match &declaration.shape {
            Shape::Function { name, .. } => {
                others.insert(name);
            }
            Shape::Variables if !declaration.ty.is_empty() => {
                others.extend(declaration.names.iter().map(|n| n.name.as_str()));
            }
            Shape::Block(_) => others.extend(declaration.names.iter().map(|n| n.name.as_str())),
            _ => {}
        }
    }
    others.extend(declarations.structs.iter().map(|(name, _)| name.as_str()));
    for declaration in &declarations.list {
        let block = matches!(declaration.shape, Shape::Block(_));
        if block && !declaration.ty.is_empty() && others.contains(declaration.ty.as_str()) {
            let line = line_of(tokens, declaration.tokens.start);
            let name = &declaration.ty;
            errors.push(format!("0:{line}: error: `{name}': the name of a block has another use"));
        }
    }
}

/// GLSL 1.50 §4.3.4: integers and doubles that a fragment shader reads are `flat`; glslang looks for it outside blocks only.
fn flat_members(tokens: &[Token<'_>], declarations: &Declarations, errors: &mut Vec<String>) {
    for declaration in &declarations.list {
        let Shape::Block(members) = &declaration.shape else { continue };
        if !declaration.is("in") || declaration.is("flat") {
            continue;
        }
        for member in members {
            if !member.flat && is_flat_type(&member.ty, declarations, 0) {
                let line = line_of(tokens, declaration.tokens.start);
                let name = &member.name;
                errors.push(format!("0:{line}: error: `{name}': must be qualified as flat"));
            }
        }
    }
}

/// True for types that cannot be interpolated, and structures holding one.
fn is_flat_type(ty: &str, declarations: &Declarations, depth: usize) -> bool {
    let plain = ["ivec", "uvec", "dvec", "dmat", "i64vec", "u64vec"];
    if plain.iter().any(|p| ty.starts_with(p))
        || matches!(ty, "int" | "uint" | "double" | "int64_t" | "uint64_t")
    {
        return true;
    }
    let found = declarations.structs.iter().find(|(name, _)| name == ty && depth < 16);
    found.is_some_and(|(_, members)| {
        members.iter().any(|m| is_flat_type(&m.ty, declarations, depth + 1))
    })
}

/// The source line of a token, following `#line`.
pub fn line_of(tokens: &[Token<'_>], index: usize) -> usize {
    let mut line = 1usize;
    let mut at = 0;
    while at < index.min(tokens.len()) {
        let token = &tokens[at];
        if token.kind == Kind::Hash {
            let words: Vec<&str> = tokens[at..]
                .iter()
                .take_while(|t| t.kind != Kind::Newline)
                .filter(|t| t.solid())
                .map(|t| t.text)
                .collect();
            if let ["#", "line", number, ..] = words.as_slice()
                && let Ok(number) = number.parse::<usize>()
            {
                line = number.saturating_sub(1);
            }
        }
        line += token.text.bytes().filter(|&b| b == b'\n').count();
        at += 1;
    }
    line
}

fn interface(
    tokens: &[Token<'_>],
    declarations: &Declarations,
    stage: Stage,
    heading: &Heading,
    errors: &mut Vec<String>,
) {
    let old_es = heading.es && heading.version == 100;
    let structs: HashSet<&str> =
        declarations.structs.iter().map(|(name, _)| name.as_str()).collect();
    for declaration in &declarations.list {
        let mut error = |message: String| {
            errors
                .push(format!("0:{}: error: {message}", line_of(tokens, declaration.tokens.start)));
        };
        let name = declaration.names.first().map_or("", |n| n.name.as_str());
        if declaration.is("attribute") && stage != Stage::Vertex {
            error(format!("`{name}': attributes are for vertex shaders only"));
        }
        if declaration.is("varying") && !matches!(stage, Stage::Vertex | Stage::Fragment) {
            error(format!("`{name}': `varying' is for vertex and fragment shaders only"));
        }
        if old_es && (declaration.is("attribute") || declaration.is("varying")) {
            let integer = matches!(
                declaration.ty.as_str(),
                "int" | "ivec2" | "ivec3" | "ivec4" | "bool" | "bvec2" | "bvec3" | "bvec4"
            );
            if integer || structs.contains(declaration.ty.as_str()) {
                error(format!("`{name}': only floating-point types may be passed between stages"));
            }
            if declaration.is("attribute") && declaration.names.iter().any(|n| n.dimensions > 0) {
                error(format!("`{name}': attributes cannot be arrays"));
            }
        }
        if old_es {
            if declaration.is("uniform") && declaration.names.iter().any(|n| n.initialised) {
                error(format!("`{name}': a uniform cannot have an initial value"));
            }
            if declaration.is("in") || declaration.is("out") {
                error(format!("`{name}': storage qualifiers `in' and `out' need version 300 es"));
            }
            let fetches = declaration.layout.iter().all(|(name, _)| name == "noncoherent");
            if matches!(declaration.shape, Shape::Block(_)) || !fetches {
                error("interface blocks and layout qualifiers need version 300 es".to_owned());
            }
        } else if heading.es
            && heading.version >= 300
            && (declaration.is("attribute") || declaration.is("varying"))
        {
            error(format!("`{name}': `attribute' and `varying' are for version 100 only"));
        }
    }
}

/// Default precisions of an ES shader, as `precision` statements move them.
pub struct Precisions {
    float: Option<String>,
    int: Option<String>,
    samplers: Vec<(String, String)>,
}

impl Precisions {
    /// What a stage starts with.
    pub fn new(stage: Stage) -> Self {
        let fragment = stage == Stage::Fragment;
        let low = |ty: &str| (ty.to_owned(), "lowp".to_owned());
        Self {
            float: (!fragment).then(|| "highp".to_owned()),
            int: Some(if fragment { "mediump" } else { "highp" }.to_owned()),
            samplers: vec![low("sampler2D"), low("samplerCube")],
        }
    }

    /// Takes a `precision` statement in.
    pub fn note(&mut self, declaration: &super::declarations::Declaration) {
        if declaration.shape != Shape::Precision {
            return;
        }
        let Some(precision) = declaration.qualifiers.last().cloned() else { return };
        match declaration.ty.as_str() {
            "float" => self.float = Some(precision),
            "int" => self.int = Some(precision),
            ty => {
                self.samplers.retain(|(t, _)| t != ty);
                self.samplers.push((ty.to_owned(), precision));
            }
        }
    }

    /// The precision of a declared variable; None for types without one.
    pub fn of(&self, declaration: &super::declarations::Declaration) -> Option<String> {
        let own = declaration
            .qualifiers
            .iter()
            .find(|q| matches!(q.as_str(), "lowp" | "mediump" | "highp"));
        if let Some(own) = own {
            return Some(own.clone());
        }
        let ty = declaration.ty.as_str();
        if ty == "float" || ty.starts_with("vec") || ty.starts_with("mat") {
            self.float.clone()
        } else if ty == "int" || ty == "uint" || ty.starts_with("ivec") || ty.starts_with("uvec") {
            self.int.clone()
        } else {
            self.samplers.iter().find(|(t, _)| t == ty).map(|(_, p)| p.clone())
        }
    }
}
