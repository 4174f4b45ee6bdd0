//! Vertex arrays by name (OpenGL 4.5, direct state access), and several vertex buffers at once (OpenGL 4.4, multi-bind).
//!
//! A call that names its vertex array is the call that works on the bound one, made while the array is bound.

use super::buffer_named;
use super::vertex::{self, VertexArray, bind, bind_buffer};
use crate::context::Context;
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_enum, invalid_operation,
};
use crate::value::Value;
use forerun_pipe::gl;

/// Runs a call of the bound form while a named vertex array is bound.
///
/// # Errors
/// GL_INVALID_OPERATION for a name that is no vertex array object's, and those of the call.
pub fn with<R>(
    cx: &mut Context,
    name: u32,
    call: impl FnOnce(&mut Context) -> GlResult<R>,
) -> GlResult<R> {
    let kept = cx.vertex.current.name;
    check_operation(
        name != 0 && (kept == name || cx.vertex.arrays.get(name).is_some()),
        "no such vertex array",
    )?;
    bind(cx, name)?;
    let result = call(cx);
    bind(cx, kept)?;
    result
}

/// glCreateVertexArrays for one name.
pub fn create(cx: &mut Context) -> u32 {
    let arrays = &mut cx.state.vertex.arrays;
    let name = arrays.generate();
    arrays.insert(name, Some(Box::new(VertexArray::new(name))));
    name
}

/// glVertexArrayElementBuffer.
///
/// # Errors
/// GL_INVALID_OPERATION for names that are no vertex array's or buffer's.
pub fn element_buffer(cx: &mut Context, name: u32, buffer: u32) -> GlResult {
    with(cx, name, |cx| {
        if buffer != 0 {
            buffer_named::existing(cx, buffer)?;
        }
        super::buffer::bind(cx, gl::ELEMENT_ARRAY_BUFFER, buffer)
    })
}

/// glVertexArrayVertexBuffer of a vertex array that is bound meanwhile: the buffer must be an object.
///
/// # Errors
/// As [`bind_buffer`].
pub fn vertex_buffer(
    cx: &mut Context,
    binding: u32,
    buffer: u32,
    offset: i64,
    stride: i32,
) -> GlResult {
    if buffer != 0 {
        buffer_named::existing(cx, buffer)?;
    }
    bind_buffer(cx, binding, buffer, offset, stride)
}

/// glBindVertexBuffers and glVertexArrayVertexBuffers; `buffers` gives name, offset and stride of each binding from `first` on. A wrong
/// one leaves the others bound.
///
/// # Errors
/// GL_INVALID_OPERATION when there are too many, and the first error of a binding.
pub fn vertex_buffers(
    cx: &mut Context,
    first: u32,
    buffers: impl ExactSizeIterator<Item = (u32, i64, i32)>,
) -> GlResult {
    let most = i64::from(cx.caps.limits.max_vertex_attrib_bindings);
    check_operation(i64::from(first) + buffers.len() as i64 <= most, "vertex buffer bindings")?;
    let mut result = Ok(());
    for (binding, (buffer, offset, stride)) in (first..).zip(buffers) {
        let bound = vertex_buffer(cx, binding, buffer, offset, stride);
        result = result.and(bound);
    }
    result
}

/// glGetVertexArrayiv.
///
/// # Errors
/// GL_INVALID_ENUM for another name than GL_ELEMENT_ARRAY_BUFFER_BINDING, GL_INVALID_OPERATION for an unknown vertex array.
pub fn parameter(cx: &mut Context, name: u32, pname: u32) -> GlResult<i32> {
    with(cx, name, |cx| {
        check_enum(pname == gl::ELEMENT_ARRAY_BUFFER_BINDING, "vertex array parameter")?;
        Ok(cx.vertex.current.element_buffer.as_ref().map_or(0, |b| b.name as i32))
    })
}

/// glGetVertexArrayIndexediv (`wide` is false) and glGetVertexArrayIndexed64iv.
///
/// # Errors
/// GL_INVALID_VALUE for the index, GL_INVALID_ENUM for the parameter, GL_INVALID_OPERATION for an unknown vertex array.
pub fn indexed_parameter(
    cx: &mut Context,
    name: u32,
    index: u32,
    pname: u32,
    wide: bool,
) -> GlResult<Value> {
    with(cx, name, |cx| {
        if wide {
            check_enum(pname == gl::VERTEX_BINDING_OFFSET, "vertex binding parameter")?;
            let most = i64::from(cx.caps.limits.max_vertex_attribs);
            check_value(i64::from(index) < most, "attribute index")?;
            // The index is the attribute's; its binding answers.
            let array = &cx.vertex.current;
            let binding = array.attribs[index as usize & 31].binding;
            return Ok(Value::int(array.bindings[binding as usize & 31].offset as i64));
        }
        let known = matches!(
            pname,
            gl::VERTEX_ATTRIB_ARRAY_ENABLED
                | gl::VERTEX_ATTRIB_ARRAY_SIZE
                | gl::VERTEX_ATTRIB_ARRAY_STRIDE
                | gl::VERTEX_ATTRIB_ARRAY_TYPE
                | gl::VERTEX_ATTRIB_ARRAY_NORMALIZED
                | gl::VERTEX_ATTRIB_ARRAY_INTEGER
                | gl::VERTEX_ATTRIB_ARRAY_LONG
                | gl::VERTEX_ATTRIB_ARRAY_DIVISOR
                | gl::VERTEX_ATTRIB_RELATIVE_OFFSET
        );
        if !known {
            return invalid_enum("vertex array parameter");
        }
        vertex::parameter(cx, index, pname)
    })
}

/// The vertex array that is bound when glBindVertexBuffers is called.
///
/// # Errors
/// GL_INVALID_OPERATION without one.
pub fn check_bound(cx: &Context) -> GlResult {
    if cx.config.api == crate::Api::Core && cx.vertex.current.name == 0 {
        return invalid_operation("no vertex array is bound");
    }
    Ok(())
}
