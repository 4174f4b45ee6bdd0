//! Buffers by name (OpenGL 4.5, direct state access; OpenGL 4.4, multi-bind).
//!
//! A call that names its buffer is the call that works on a binding, made while the buffer stands at GL_COPY_WRITE_BUFFER.

use super::buffer::{Buffer, bind_indexed, copy};
use crate::context::Context;
use crate::error::{GlResult, check_operation, invalid_operation};
use forerun_pipe::gl;
use std::sync::Arc;

/// The target at which a named buffer stands.
pub const TARGET: u32 = gl::COPY_WRITE_BUFFER;

/// The buffer object of a name.
///
/// # Errors
/// GL_INVALID_OPERATION when the name is no buffer object's.
pub fn existing(cx: &Context, name: u32) -> GlResult<Arc<Buffer>> {
    match cx.group.buffers.borrow_mut().get(name) {
        Some(buffer) => Ok(Arc::clone(buffer)),
        None => invalid_operation("no such buffer"),
    }
}

/// Runs a call of the bound form while a named buffer is bound to [`TARGET`].
///
/// # Errors
/// As [`existing`], and those of the call.
pub fn with<R>(
    cx: &mut Context,
    name: u32,
    call: impl FnOnce(&mut Context) -> GlResult<R>,
) -> GlResult<R> {
    let buffer = existing(cx, name)?;
    let kept = cx.state.buffer.slots.copy_write.replace(buffer);
    let result = call(cx);
    cx.state.buffer.slots.copy_write = kept;
    result
}

/// glCreateBuffers for one name.
///
/// # Errors
/// GL_OUT_OF_MEMORY when no handle can be minted.
pub fn create(cx: &mut Context) -> GlResult<u32> {
    let name = cx.group.buffers.borrow_mut().generate();
    cx.group.buffer(cx.config.api, name)?;
    Ok(name)
}

/// glCopyNamedBufferSubData.
///
/// # Errors
/// As [`copy`], and GL_INVALID_OPERATION for names that are no buffers'.
pub fn copy_named(cx: &mut Context, read: u32, write: u32, range: [i64; 3]) -> GlResult {
    let from = existing(cx, read)?;
    let [source, target, size] = range;
    let kept = cx.state.buffer.slots.copy_read.replace(from);
    let result = with(cx, write, |cx| copy(cx, gl::COPY_READ_BUFFER, TARGET, source, target, size));
    cx.state.buffer.slots.copy_read = kept;
    result
}

/// glBindBuffersBase (`range` gives `None`) and glBindBuffersRange: each point for itself, so that a wrong one leaves the others bound.
/// The binding that glBindBuffer sets stays.
///
/// # Errors
/// GL_INVALID_OPERATION when the points exceed the target's, and the first error of a point.
pub fn bind_many(
    cx: &mut Context,
    target: u32,
    first: u32,
    names: impl ExactSizeIterator<Item = u32>,
    range: impl Fn(usize) -> Option<(i64, i64)>,
) -> GlResult {
    let kept = cx.state.buffer_slot(target)?.clone();
    let limits = &cx.caps.limits;
    let most = match target {
        gl::UNIFORM_BUFFER => cx.buffer.points[0].len(),
        gl::SHADER_STORAGE_BUFFER => cx.buffer.points[1].len(),
        gl::ATOMIC_COUNTER_BUFFER => cx.buffer.points[2].len(),
        gl::TRANSFORM_FEEDBACK_BUFFER => limits.max_transform_feedback_buffers.max(0) as usize,
        _ => return crate::error::invalid_enum("target without indexed binding points"),
    };
    check_operation(
        target != gl::TRANSFORM_FEEDBACK_BUFFER || !super::feedback::is_active(&cx.state),
        "transform feedback is active",
    )?;
    check_operation(
        (first as usize).checked_add(names.len()).is_some_and(|end| end <= most),
        "binding points",
    )?;
    let mut result = Ok(());
    for (index, name) in names.enumerate() {
        let bound = if name == 0 {
            bind_indexed(cx, target, first + index as u32, 0, None)
        } else {
            existing(cx, name).and_then(|_| {
                let range = range(index);
                bind_indexed(cx, target, first + index as u32, name, range)
            })
        };
        result = result.and(bound);
    }
    *cx.state.buffer_slot(target)? = kept;
    result
}
