//! Transform feedback: the captured names resolved against the outputs of the last vertex stage.

use forerun_pipe::archive::{Archive, Feedback, Stage};

use super::LinkOptions;
use super::unit::{Unit, display};
use crate::Limits;
use crate::source::names;
use crate::spirv::module::{Module, Variable};
use crate::spirv::op;
use crate::spirv::types::Type;

const INTERLEAVED: u32 = 0x8C8C;
const SEPARATE: u32 = 0x8C8D;

/// What a name stands for.
struct Target {
    ty: u32,
    array: Option<u32>,
    path: String,
    stream: u32,
}

/// Resolves the captured varyings.
///
/// # Errors
/// A line for the log.
pub fn resolve(
    units: &[Unit<'_>],
    options: &LinkOptions<'_>,
    limits: &Limits,
    archive: &mut Archive,
) -> Result<(), String> {
    let unit = units
        .iter()
        .rev()
        .find(|u| matches!(u.stage, Stage::Vertex | Stage::TessEvaluation | Stage::Geometry));
    if options.feedback.is_empty() {
        if let Some(unit) = unit {
            from_layout(unit, archive);
        }
        return Ok(());
    }
    let Some(unit) = unit else {
        return Err(
            "error: transform feedback needs a vertex, tessellation or geometry shader".into()
        );
    };
    let separate = options.feedback_mode == SEPARATE;
    archive.feedback_mode = if separate { SEPARATE } else { INTERLEAVED };
    let (mut buffer, mut offset) = (0u32, 0u32);
    let mut strides = Vec::new();
    for (index, name) in options.feedback.iter().enumerate() {
        if name == "gl_NextBuffer" && !separate {
            strides.push(offset);
            archive.feedback.push(marker(name, 0, buffer, offset));
            buffer += 1;
            offset = 0;
            continue;
        }
        if let Some(skip) = name.strip_prefix("gl_SkipComponents")
            && let Ok(count @ 1..=4) = skip.parse::<u32>()
            && !separate
        {
            archive.feedback.push(marker(name, count, buffer, offset));
            offset += count * 4;
            continue;
        }
        if options.feedback.iter().take(index).any(|n| n == name) {
            return Err(format!("error: transform feedback captures `{name}' twice"));
        }
        let target = find(unit, name)
            .map_err(|why| format!("error: transform feedback cannot capture `{name}': {why}"))?;
        let other = archive.feedback.iter().find(|f| f.buffer == buffer && f.ty != 0);
        if !separate && other.is_some_and(|f| f.stream != target.stream) {
            return Err(format!(
                "error: transform feedback varying `{name}' is of another stream than those before in its buffer"
            ));
        }
        let each = unit.module.components(target.ty);
        let count = each.saturating_mul(target.array.unwrap_or(1));
        if separate {
            if count > limits.max_transform_feedback_separate_components.max(4) as u32 {
                return Err(format!(
                    "error: transform feedback varying `{name}' has {count} components, more than {}",
                    limits.max_transform_feedback_separate_components
                ));
            }
            buffer = index as u32;
            offset = 0;
        }
        archive.feedback.push(Feedback {
            name: name.clone(),
            path: target.path,
            ty: unit.module.gl_type(target.ty, false),
            array_size: target.array.unwrap_or(1),
            buffer,
            offset,
            stream: target.stream,
        });
        offset = offset.saturating_add(count.saturating_mul(4));
        if separate {
            strides.push(offset);
        }
    }
    if !separate {
        strides.push(offset);
    }
    let most = if separate {
        limits.max_transform_feedback_separate_attribs.min(8)
    } else {
        limits.max_transform_feedback_buffers.min(8)
    };
    if strides.len() > most.max(1) as usize {
        return Err(format!(
            "error: transform feedback uses {} buffers, more than {most}",
            strides.len()
        ));
    }
    let components = limits.max_transform_feedback_interleaved_components.max(1) as u32;
    if !separate && strides.iter().any(|s| s / 4 > components) {
        return Err(format!(
            "error: transform feedback captures more than {components} components"
        ));
    }
    archive.feedback_strides = strides;
    Ok(())
}

fn marker(name: &str, count: u32, buffer: u32, offset: u32) -> Feedback {
    Feedback { name: name.to_owned(), array_size: count, buffer, offset, ..Feedback::default() }
}

/// One step of a captured name.
enum Part<'n> {
    Field(&'n str),
    Index(u32),
}

fn parse(name: &str) -> Option<(&str, Vec<Part<'_>>)> {
    let end = name.find(['.', '[']).unwrap_or(name.len());
    let (root, mut rest) = name.split_at(end);
    let mut parts = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (field, next) = after.split_at(end);
            parts.push(Part::Field(field));
            rest = next;
        } else {
            let after = rest.strip_prefix('[')?;
            let (index, next) = after.split_once(']')?;
            parts.push(Part::Index(index.parse().ok()?));
            rest = next;
        }
    }
    (!root.is_empty()).then_some((root, parts))
}

fn find(unit: &Unit<'_>, name: &str) -> Result<Target, String> {
    let module = &unit.module;
    let (root, parts) = parse(name).ok_or("it is not a name")?;
    let mut parts = parts.as_slice();
    for variable in unit.variables(op::CLASS_OUTPUT) {
        let (base, dimensions) = module.peel(variable.ty);
        let block = matches!(module.ty(base), Type::Struct(_))
            && module.decoration(base, op::DEC_BLOCK).is_some();
        let variable_name = module.name(variable.id);
        let block_name = display(module.name(base));
        let mut path;
        let mut ty;
        if block && (variable_name.is_empty() || block_name == "gl_PerVertex") {
            let Some((index, member)) = member_of(module, base, root) else { continue };
            if unit.is_builtin(&variable) && !written(unit, &variable, index) {
                return Err("the shader does not write it".into());
            }
            path = module.member_name(base, index).to_owned();
            ty = member;
        } else if block && block_name == root {
            path = module.name(base).to_owned();
            if !dimensions.is_empty() {
                let Some((Part::Index(index), rest)) = parts.split_first() else {
                    return Err("a block array needs an index".into());
                };
                path = format!("{path}[{index}]");
                parts = rest;
            }
            let Some((Part::Field(field), rest)) = parts.split_first() else {
                return Err("a block's member is needed".into());
            };
            let (index, member) = member_of(module, base, field).ok_or("no such member")?;
            path = format!("{path}.{}", module.member_name(base, index));
            ty = member;
            parts = rest;
        } else if !block && display(variable_name) == root {
            path = variable_name.to_owned();
            ty = variable.ty;
        } else {
            continue;
        }
        for part in parts {
            match (part, module.ty(ty)) {
                (Part::Field(field), Type::Struct(_)) => {
                    let (index, member) = member_of(module, ty, field).ok_or("no such member")?;
                    path = format!("{path}.{}", module.member_name(ty, index));
                    ty = member;
                }
                (Part::Index(index), Type::Array(element, count)) => {
                    if index >= count {
                        return Err("the index is out of range".into());
                    }
                    path = format!("{path}[{index}]");
                    ty = *element;
                }
                _ => return Err("it is not such a variable".into()),
            }
        }
        let (ty, array) = match module.ty(ty) {
            Type::Array(element, count) => (*element, Some(*count)),
            _ => (ty, None),
        };
        if matches!(module.ty(ty), Type::Struct(_) | Type::Array(..)) {
            return Err("it is a structure".into());
        }
        let stream = module.decoration(variable.id, op::DEC_STREAM).unwrap_or(0);
        return Ok(Target { ty, array, path, stream });
    }
    Err("it is not an output".into())
}

fn written(unit: &Unit<'_>, variable: &Variable, member: u32) -> bool {
    unit.live.touches(variable.id, &[crate::spirv::live::Step::At(member)])
}

fn member_of(module: &Module, ty: u32, name: &str) -> Option<(u32, u32)> {
    let Type::Struct(members) = module.ty(ty) else { return None };
    members.iter().zip(0u32..).find_map(|(member, index)| {
        (names::original(module.member_name(ty, index)) == name).then_some((index, *member))
    })
}

/// Captures declared in the shader with `xfb_offset`.
fn from_layout(unit: &Unit<'_>, archive: &mut Archive) {
    let module = &unit.module;
    let mut found = Vec::new();
    for variable in unit.variables(op::CLASS_OUTPUT) {
        let stream = module.decoration(variable.id, op::DEC_STREAM).unwrap_or(0);
        let (base, _) = module.peel(variable.ty);
        let own_buffer = module.decoration(variable.id, op::DEC_XFB_BUFFER);
        if let Some(offset) = module.decoration(variable.id, op::DEC_OFFSET) {
            let (element, dimensions) = module.peel(variable.ty);
            let name = display(module.name(variable.id));
            found.push((
                own_buffer.unwrap_or(0),
                module.decoration(variable.id, op::DEC_XFB_STRIDE),
                offset,
                name,
                module.name(variable.id).to_owned(),
                element,
                dimensions.first().copied(),
                stream,
            ));
        }
        let Type::Struct(members) = module.ty(base) else { continue };
        let prefix = if module.name(variable.id).is_empty() || unit.is_builtin(&variable) {
            String::new()
        } else {
            format!("{}.", module.name(base))
        };
        for (member, index) in members.iter().zip(0u32..) {
            let Some(offset) = module.member_decoration(base, index, op::DEC_OFFSET) else {
                continue;
            };
            let buffer = module.member_decoration(base, index, op::DEC_XFB_BUFFER).or(own_buffer);
            let stride = module
                .member_decoration(base, index, op::DEC_XFB_STRIDE)
                .or_else(|| module.decoration(variable.id, op::DEC_XFB_STRIDE));
            let (element, dimensions) = module.peel(*member);
            let path = format!("{prefix}{}", module.member_name(base, index));
            found.push((
                buffer.unwrap_or(0),
                stride,
                offset,
                display(&path),
                path,
                element,
                dimensions.first().copied(),
                stream,
            ));
        }
    }
    found.sort_by_key(|(buffer, _, offset, ..)| (*buffer, *offset));
    for (buffer, stride, offset, name, path, ty, array, stream) in found {
        if buffer >= 8 {
            continue;
        }
        archive.feedback_mode = INTERLEAVED;
        while archive.feedback_strides.len() <= buffer as usize {
            archive.feedback_strides.push(0);
        }
        let size = module.components(ty).saturating_mul(array.unwrap_or(1)).saturating_mul(4);
        if let Some(known) = archive.feedback_strides.get_mut(buffer as usize) {
            *known = (*known).max(stride.unwrap_or(0)).max(offset.saturating_add(size));
        }
        archive.feedback.push(Feedback {
            name,
            path,
            ty: module.gl_type(ty, false),
            array_size: array.unwrap_or(1),
            buffer,
            offset,
            stream,
        });
    }
}
