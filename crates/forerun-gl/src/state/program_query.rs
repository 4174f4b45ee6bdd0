//! What `glGetShaderiv`, `glGetProgramiv` and the older queries of active variables answer.

use super::program_linked::Linked;
use crate::context::{Context, State};
use crate::error::{
    GlResult, check_enum, check_value, invalid_enum, invalid_operation, invalid_value,
};
use forerun_pipe::archive::{Archive, Block, Stage, Uniform};
use forerun_pipe::gl;
use std::sync::Arc;

/// glGetShaderiv.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown parameter.
pub fn shader_parameter(cx: &Context, name: u32, pname: u32) -> GlResult<i32> {
    let shader = cx.group.shader(name)?;
    let data = shader.data.borrow_mut();
    let compiled = data.compiled.as_ref();
    check_enum(cx.knows(pname), "shader parameter")?;
    Ok(match pname {
        gl::SHADER_TYPE => shader.stage.gl_token() as i32,
        gl::DELETE_STATUS => i32::from(data.delete_status),
        gl::COMPILE_STATUS => i32::from(compiled.is_some_and(|c| c.shader.is_some())),
        gl::INFO_LOG_LENGTH => with_nul(compiled.map_or(0, |c| c.log.len())),
        gl::SHADER_SOURCE_LENGTH => with_nul(data.source.len()),
        gl::COMPLETION_STATUS_KHR => 1,
        _ => return invalid_enum("shader parameter"),
    })
}

/// A shader's info log, as glGetShaderInfoLog gives it.
///
/// # Errors
/// As [`Group::shader`](crate::group::Group::shader).
pub fn shader_log(cx: &Context, name: u32) -> GlResult<String> {
    let shader = cx.group.shader(name)?;
    let data = shader.data.borrow_mut();
    Ok(data.compiled.as_ref().map_or_else(String::new, |compiled| compiled.log.clone()))
}

/// A program's info log, as glGetProgramInfoLog gives it.
///
/// # Errors
/// As [`Group::program`](crate::group::Group::program).
pub fn program_log(cx: &Context, name: u32) -> GlResult<String> {
    Ok(cx.group.program(name)?.data.borrow_mut().log.clone())
}

/// The length that a query tells of a string: with its NUL, 0 for an empty one.
fn with_nul(len: usize) -> i32 {
    if len == 0 { 0 } else { i32::try_from(len + 1).unwrap_or(i32::MAX) }
}

fn longest<'a, T: AsRef<str> + ?Sized + 'a>(names: impl Iterator<Item = &'a T>) -> i32 {
    names.map(|name| name.as_ref().len() as i32 + 1).max().unwrap_or(0)
}

/// An answer of one or three integers.
pub type Ints = ([i32; 3], usize);

fn one(value: i32) -> GlResult<Ints> {
    Ok(([value, 0, 0], 1))
}

/// glGetProgramiv.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown parameter, GL_INVALID_OPERATION for one of a stage that the program lacks.
pub fn program_parameter(cx: &Context, name: u32, pname: u32) -> GlResult<Ints> {
    let program = cx.group.program(name)?;
    let data = program.data.borrow_mut();
    let linked = data.linked.as_ref();
    let archive = linked.map(|l| &l.archive);
    let count = |of: fn(&Archive) -> usize| archive.map_or(0, |a| of(a) as i32);
    check_enum(cx.knows(pname), "program parameter")?;
    match pname {
        gl::DELETE_STATUS => return one(i32::from(data.delete_status)),
        gl::LINK_STATUS => return one(i32::from(data.link_status)),
        gl::VALIDATE_STATUS => return one(i32::from(data.validate_status)),
        gl::COMPLETION_STATUS_KHR => return one(1),
        gl::INFO_LOG_LENGTH => return one(with_nul(data.log.len())),
        gl::ATTACHED_SHADERS => return one(data.attached.len() as i32),
        gl::ACTIVE_ATTRIBUTES => return one(count(|a| attributes(a).count())),
        gl::ACTIVE_ATTRIBUTE_MAX_LENGTH => {
            return one(archive.map_or(0, |a| longest(attributes(a).map(|v| base(&v.name)))));
        }
        gl::ACTIVE_UNIFORMS => return one(count(|a| a.uniforms.len())),
        gl::ACTIVE_UNIFORM_MAX_LENGTH => {
            return one(archive.map_or(0, |a| longest(a.uniforms.iter().map(|u| &u.name))));
        }
        _ => {}
    }
    match pname {
        gl::TRANSFORM_FEEDBACK_BUFFER_MODE => return one(data.feedback_mode as i32),
        gl::TRANSFORM_FEEDBACK_VARYINGS => return one(count(|a| a.feedback.len())),
        gl::TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH => {
            return one(archive.map_or(0, |a| longest(a.feedback.iter().map(|f| &f.name))));
        }
        gl::ACTIVE_UNIFORM_BLOCKS => return one(count(|a| a.uniform_blocks.len())),
        gl::ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH => {
            return one(archive.map_or(0, |a| longest(a.uniform_blocks.iter().map(|b| &b.name))));
        }
        gl::PROGRAM_BINARY_RETRIEVABLE_HINT => return one(i32::from(data.linked_binary_hint)),
        gl::PROGRAM_BINARY_LENGTH => return one(super::program_link::binary_length(linked)),
        gl::PROGRAM_SEPARABLE => return one(i32::from(data.separable)),
        gl::ACTIVE_ATOMIC_COUNTER_BUFFERS => {
            return one(count(|a| a.atomic_buffers.len()));
        }
        _ => {}
    }
    let stage = match pname {
        gl::GEOMETRY_VERTICES_OUT
        | gl::GEOMETRY_INPUT_TYPE
        | gl::GEOMETRY_OUTPUT_TYPE
        | gl::GEOMETRY_SHADER_INVOCATIONS => Stage::Geometry,
        gl::TESS_CONTROL_OUTPUT_VERTICES => Stage::TessControl,
        gl::TESS_GEN_MODE
        | gl::TESS_GEN_SPACING
        | gl::TESS_GEN_VERTEX_ORDER
        | gl::TESS_GEN_POINT_MODE => Stage::TessEvaluation,
        gl::COMPUTE_WORK_GROUP_SIZE => Stage::Compute,
        _ => return invalid_enum("program parameter"),
    };
    let Some(info) = linked.and_then(|l| l.stage(stage)) else {
        return invalid_operation("the program is not linked or lacks that stage");
    };
    let value = match pname {
        gl::GEOMETRY_VERTICES_OUT => info.geometry_vertices_out,
        gl::GEOMETRY_INPUT_TYPE => info.geometry_input,
        gl::GEOMETRY_OUTPUT_TYPE => info.geometry_output,
        gl::GEOMETRY_SHADER_INVOCATIONS => info.geometry_invocations,
        gl::TESS_CONTROL_OUTPUT_VERTICES => info.tess_vertices,
        gl::TESS_GEN_MODE => info.tess_mode,
        gl::TESS_GEN_SPACING => info.tess_spacing,
        gl::TESS_GEN_VERTEX_ORDER => info.tess_order,
        gl::TESS_GEN_POINT_MODE => u32::from(info.tess_point_mode),
        _ => return Ok((info.local_size.map(|size| size as i32), 3)),
    };
    one(value as i32)
}

/// The name of an array without its `[0]`, as glGetActiveAttrib gives it.
fn base(name: &str) -> &str {
    name.strip_suffix("[0]").unwrap_or(name)
}

/// The active attributes: inputs of a vertex stage.
pub fn attributes(archive: &Archive) -> impl Iterator<Item = &forerun_pipe::archive::Varying> {
    let has_vertex = archive.stage(Stage::Vertex).is_some();
    archive.inputs.iter().filter(move |_| has_vertex)
}

/// A variable's name, type and size.
#[derive(Clone, Debug)]
pub struct Active {
    /// GL name.
    pub name: String,
    /// GL type.
    pub ty: u32,
    /// Array elements.
    pub size: i32,
}

/// The link of a program that may be unlinked: queries by index then find nothing.
fn maybe_linked(cx: &Context, name: u32) -> GlResult<Option<Arc<Linked>>> {
    Ok(cx.group.program(name)?.data.borrow_mut().linked.clone())
}

fn indexed<T>(
    cx: &Context,
    program: u32,
    room: i32,
    find: impl FnOnce(&Archive) -> Option<T>,
) -> GlResult<T> {
    let linked = maybe_linked(cx, program)?;
    check_value(room >= 0, "room for a name")?;
    match linked.as_ref().and_then(|l| find(&l.archive)) {
        Some(found) => Ok(found),
        None => invalid_value("index of an active variable"),
    }
}

/// glGetActiveUniform.
///
/// # Errors
/// GL_INVALID_VALUE for an index that is not below GL_ACTIVE_UNIFORMS.
pub fn active_uniform(cx: &Context, program: u32, index: u32, room: i32) -> GlResult<Active> {
    indexed(cx, program, room, |a| {
        let u = a.uniforms.get(index as usize)?;
        Some(Active { name: u.name.clone(), ty: u.ty, size: u.array_size.max(1) as i32 })
    })
}

/// glGetActiveAttrib.
///
/// # Errors
/// GL_INVALID_VALUE for an index that is not below GL_ACTIVE_ATTRIBUTES.
pub fn active_attribute(cx: &Context, program: u32, index: u32, room: i32) -> GlResult<Active> {
    indexed(cx, program, room, |a| {
        let v = attributes(a).nth(index as usize)?;
        Some(Active { name: base(&v.name).to_owned(), ty: v.ty, size: v.array_size.max(1) as i32 })
    })
}

/// glGetTransformFeedbackVarying.
///
/// # Errors
/// GL_INVALID_VALUE for an index that is not below GL_TRANSFORM_FEEDBACK_VARYINGS.
pub fn feedback_varying(cx: &Context, program: u32, index: u32, room: i32) -> GlResult<Active> {
    indexed(cx, program, room, |a| {
        let f = a.feedback.get(index as usize)?;
        Some(Active { name: f.name.clone(), ty: f.ty, size: f.array_size as i32 })
    })
}

/// glGetActiveUniformBlockName.
///
/// # Errors
/// GL_INVALID_VALUE for an index that is not below GL_ACTIVE_UNIFORM_BLOCKS.
pub fn uniform_block_name(cx: &Context, program: u32, index: u32, room: i32) -> GlResult<String> {
    indexed(cx, program, room, |a| Some(a.uniform_blocks.get(index as usize)?.name.clone()))
}

/// Splits `name[n]` into `name` and `n`. A leading zero, a sign or a space is no index (OpenGL 4.6, section 7.3.1.1).
pub fn subscript(name: &str) -> Option<(&str, u32)> {
    let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let plain =
        index.bytes().all(|b| b.is_ascii_digit()) && (index == "0" || !index.starts_with('0'));
    Some((base, if plain { index.parse().ok()? } else { return None }))
}

/// Whether a variable's GL name is meant by `wanted`: itself, or an array without its `[0]`.
pub fn is_named(name: &str, wanted: &str) -> bool {
    name == wanted || name.strip_suffix("[0]").is_some_and(|base| base == wanted)
}

/// The variable of a name, and the element that the name's subscript asks for.
pub fn find_element<'a, T>(
    list: impl Iterator<Item = &'a T> + Clone,
    wanted: &str,
    name: impl Fn(&T) -> &str,
    elements: impl Fn(&T) -> Option<u32>,
) -> Option<(&'a T, u32)> {
    if let Some(found) = list.clone().find(|item| is_named(name(item), wanted)) {
        return Some((found, 0));
    }
    let (base, index) = subscript(wanted)?;
    let mut list = list;
    let found = list.find(|item| name(item).strip_suffix("[0]").is_some_and(|b| b == base))?;
    elements(found).is_some_and(|count| index < count).then_some((found, index))
}

/// The location of a uniform by name, -1 if it has none.
pub fn uniform_location_in(archive: &Archive, name: &str) -> i32 {
    let elements = |u: &Uniform| u.is_array.then_some(u.array_size);
    match find_element(archive.uniforms.iter(), name, |u| &u.name, elements) {
        Some((uniform, element)) if uniform.location >= 0 => uniform.location + element as i32,
        _ => -1,
    }
}

/// glGetUniformLocation.
///
/// # Errors
/// GL_INVALID_OPERATION when the program is not linked.
pub fn uniform_location(cx: &Context, program: u32, name: &str) -> GlResult<i32> {
    Ok(uniform_location_in(&cx.group.linked(program)?.archive, name))
}

/// The location of an input or output by name, -1 if it has none.
pub fn varying_location_in<'a>(
    list: impl Iterator<Item = &'a forerun_pipe::archive::Varying> + Clone,
    name: &str,
) -> i32 {
    let elements = |v: &forerun_pipe::archive::Varying| v.is_array.then_some(v.array_size);
    match find_element(list, name, |v| &v.name, elements) {
        Some((varying, element)) if varying.location >= 0 => {
            let columns = super::program_types::info(varying.ty).columns;
            varying.location + (element * columns) as i32
        }
        _ => -1,
    }
}

/// glGetAttribLocation.
///
/// # Errors
/// GL_INVALID_OPERATION when the program is not linked.
pub fn attribute_location(cx: &Context, program: u32, name: &str) -> GlResult<i32> {
    let linked = cx.group.linked(program)?;
    if linked.archive.stage(Stage::Vertex).is_none() {
        return Ok(-1);
    }
    Ok(varying_location_in(linked.archive.inputs.iter(), name))
}

/// glGetFragDataLocation, and with `index` glGetFragDataIndex.
///
/// # Errors
/// GL_INVALID_OPERATION when the program is not linked.
pub fn frag_data(cx: &Context, program: u32, name: &str, index: bool) -> GlResult<i32> {
    let linked = cx.group.linked(program)?;
    let archive = &linked.archive;
    if archive.stage(Stage::Fragment).is_none() {
        return Ok(-1);
    }
    let location = varying_location_in(archive.outputs.iter(), name);
    if !index || location < 0 {
        return Ok(location);
    }
    let base = subscript(name).map_or(name, |s| s.0);
    let output =
        archive.outputs.iter().find(|o| is_named(&o.name, name) || is_named(&o.name, base));
    Ok(output.map_or(-1, |o| o.index as i32))
}

/// glGetUniformBlockIndex: GL_INVALID_INDEX when there is none.
///
/// # Errors
/// GL_INVALID_OPERATION when the program is not linked.
pub fn uniform_block_index(cx: &Context, program: u32, name: &str) -> GlResult<u32> {
    let linked = cx.group.linked(program)?;
    let index = linked.archive.uniform_blocks.iter().position(|b| is_named(&b.name, name));
    Ok(index.map_or(gl::INVALID_INDEX, |i| i as u32))
}

/// glGetUniformIndices, for one name.
///
/// # Errors
/// GL_INVALID_OPERATION when the program is not linked.
pub fn uniform_index(linked: &Linked, name: &str) -> u32 {
    let index = linked.archive.uniforms.iter().position(|u| is_named(&u.name, name));
    index.map_or(gl::INVALID_INDEX, |i| i as u32)
}

/// glGetActiveUniformsiv, for one index.
///
/// # Errors
/// GL_INVALID_VALUE for the index, GL_INVALID_ENUM for the parameter.
pub fn uniform_parameter(
    state: &State,
    archive: &Archive,
    index: u32,
    pname: u32,
) -> GlResult<i32> {
    let Some(uniform) = archive.uniforms.get(index as usize) else {
        return invalid_value("index of an active uniform");
    };
    let in_buffer = uniform.block >= 0 || uniform.atomic_buffer >= 0;
    let placed = |value: i32| if in_buffer { value } else { -1 };
    Ok(match pname {
        gl::UNIFORM_TYPE => uniform.ty as i32,
        gl::UNIFORM_SIZE => uniform.array_size.max(1) as i32,
        gl::UNIFORM_NAME_LENGTH => uniform.name.len() as i32 + 1,
        gl::UNIFORM_BLOCK_INDEX => uniform.block,
        gl::UNIFORM_OFFSET => placed(uniform.offset),
        gl::UNIFORM_ARRAY_STRIDE => placed(uniform.array_stride),
        gl::UNIFORM_MATRIX_STRIDE => placed(uniform.matrix_stride),
        gl::UNIFORM_IS_ROW_MAJOR => i32::from(in_buffer && uniform.row_major),
        gl::UNIFORM_ATOMIC_COUNTER_BUFFER_INDEX if state.knows(pname) => uniform.atomic_buffer,
        _ => return invalid_enum("uniform parameter"),
    })
}

fn referenced(stages: u32, pname: u32) -> Option<i32> {
    let stage = match pname {
        gl::UNIFORM_BLOCK_REFERENCED_BY_VERTEX_SHADER
        | gl::ATOMIC_COUNTER_BUFFER_REFERENCED_BY_VERTEX_SHADER => Stage::Vertex,
        gl::UNIFORM_BLOCK_REFERENCED_BY_TESS_CONTROL_SHADER
        | gl::ATOMIC_COUNTER_BUFFER_REFERENCED_BY_TESS_CONTROL_SHADER => Stage::TessControl,
        gl::UNIFORM_BLOCK_REFERENCED_BY_TESS_EVALUATION_SHADER
        | gl::ATOMIC_COUNTER_BUFFER_REFERENCED_BY_TESS_EVALUATION_SHADER => Stage::TessEvaluation,
        gl::UNIFORM_BLOCK_REFERENCED_BY_GEOMETRY_SHADER
        | gl::ATOMIC_COUNTER_BUFFER_REFERENCED_BY_GEOMETRY_SHADER => Stage::Geometry,
        gl::UNIFORM_BLOCK_REFERENCED_BY_FRAGMENT_SHADER
        | gl::ATOMIC_COUNTER_BUFFER_REFERENCED_BY_FRAGMENT_SHADER => Stage::Fragment,
        gl::UNIFORM_BLOCK_REFERENCED_BY_COMPUTE_SHADER
        | gl::ATOMIC_COUNTER_BUFFER_REFERENCED_BY_COMPUTE_SHADER => Stage::Compute,
        _ => return None,
    };
    Some(i32::from(stages & stage.bit() != 0))
}

/// The point that a uniform block reads now.
pub fn block_point(linked: &Linked, block: &Block) -> i32 {
    linked.values.borrow_mut().bindings.blocks.get(block.slot as usize).map_or(0, |p| *p as i32)
}

/// glGetActiveUniformBlockiv.
///
/// # Errors
/// GL_INVALID_VALUE for the index, GL_INVALID_ENUM for the parameter.
pub fn uniform_block_parameter(
    cx: &Context,
    program: u32,
    index: u32,
    pname: u32,
) -> GlResult<Vec<i32>> {
    let linked = maybe_linked(cx, program)?;
    let found =
        linked.as_ref().and_then(|l| Some((l, l.archive.uniform_blocks.get(index as usize)?)));
    let Some((linked, block)) = found else { return invalid_value("uniform block index") };
    Ok(vec![match pname {
        gl::UNIFORM_BLOCK_BINDING => block_point(linked, block),
        gl::UNIFORM_BLOCK_DATA_SIZE => block.data_size as i32,
        gl::UNIFORM_BLOCK_NAME_LENGTH => block.name.len() as i32 + 1,
        gl::UNIFORM_BLOCK_ACTIVE_UNIFORMS => block.members.len() as i32,
        gl::UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES => {
            return Ok(block.members.iter().map(|m| *m as i32).collect());
        }
        _ => match referenced(block.stages, pname) {
            Some(value) => value,
            None => return invalid_enum("uniform block parameter"),
        },
    }])
}

/// glGetActiveAtomicCounterBufferiv.
///
/// # Errors
/// GL_INVALID_VALUE for the index, GL_INVALID_ENUM for the parameter.
pub fn atomic_buffer_parameter(
    cx: &Context,
    program: u32,
    index: u32,
    pname: u32,
) -> GlResult<Vec<i32>> {
    let linked = maybe_linked(cx, program)?;
    let Some(buffer) = linked.as_ref().and_then(|l| l.archive.atomic_buffers.get(index as usize))
    else {
        return invalid_value("atomic counter buffer index");
    };
    Ok(vec![match pname {
        gl::ATOMIC_COUNTER_BUFFER_BINDING => buffer.binding as i32,
        gl::ATOMIC_COUNTER_BUFFER_DATA_SIZE => buffer.data_size as i32,
        gl::ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTERS => buffer.counters.len() as i32,
        gl::ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTER_INDICES => {
            return Ok(buffer.counters.iter().map(|c| *c as i32).collect());
        }
        _ => match referenced(buffer.stages, pname) {
            Some(value) => value,
            None => return invalid_enum("atomic counter buffer parameter"),
        },
    }])
}

/// glGetShaderPrecisionFormat: the range of the smallest and the largest value, and the precision. All precisions are one.
///
/// # Errors
/// GL_INVALID_ENUM for another shader or precision type.
pub fn precision_format(shader: u32, precision: u32) -> GlResult<([i32; 2], i32)> {
    check_enum(
        matches!(shader, gl::VERTEX_SHADER | gl::FRAGMENT_SHADER),
        "shader type of a precision query",
    )?;
    match precision {
        gl::LOW_FLOAT | gl::MEDIUM_FLOAT | gl::HIGH_FLOAT => Ok(([127, 127], 23)),
        gl::LOW_INT | gl::MEDIUM_INT | gl::HIGH_INT => Ok(([31, 30], 0)),
        _ => invalid_enum("precision type"),
    }
}

/// The shaders attached to a program.
///
/// # Errors
/// As [`crate::group::Group::program`].
pub fn attached(cx: &Context, program: u32) -> GlResult<Vec<u32>> {
    Ok(cx
        .group
        .program(program)?
        .data
        .borrow_mut()
        .attached
        .iter()
        .map(|a| a.shader().name)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::{is_named, subscript};

    #[test]
    fn subscripts_are_plain_numbers() {
        assert_eq!(subscript("a[12]"), Some(("a", 12)));
        assert_eq!(subscript("a.b[3]"), Some(("a.b", 3)));
        for name in ["a", "a[", "a[]", "a[01]", "a[-1]", "a[ 1]", "a[+1]", "a[99999999999]"] {
            assert_eq!(subscript(name), None, "{name}");
        }
    }

    #[test]
    fn an_array_is_known_with_and_without_its_first_element() {
        assert!(is_named("a[0]", "a") && is_named("a[0]", "a[0]") && !is_named("a[0]", "a[1]"));
        assert!(!is_named("s[0].x", "s"));
    }
}
