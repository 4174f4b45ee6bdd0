//! Transform feedback objects by name (OpenGL 4.5, direct state access).

use super::buffer::IndexedPoint;
use super::buffer_named;
use super::feedback::FeedbackObject;
use crate::context::Context;
use crate::error::{GlResult, check_value, invalid_enum, invalid_operation, invalid_value};
use forerun_pipe::gl;
use std::sync::atomic::Ordering;

/// The feedback object of a name; 0 is the default one.
fn object(cx: &mut Context, name: u32) -> GlResult<&mut FeedbackObject> {
    match cx.state.feedback.object(name) {
        Some(object) => Ok(object),
        None => invalid_operation("no such feedback object"),
    }
}

/// glTransformFeedbackBufferBase (`range` is `None`) and glTransformFeedbackBufferRange.
///
/// # Errors
/// GL_INVALID_OPERATION for an unknown object, GL_INVALID_VALUE for an unknown buffer, the index, or a range that is empty, negative or
/// not a multiple of 4.
pub fn bind_buffer(
    cx: &mut Context,
    name: u32,
    index: u32,
    buffer: u32,
    range: Option<(i64, i64)>,
) -> GlResult {
    object(cx, name)?;
    let buffer = match buffer {
        0 => None,
        _ => match buffer_named::existing(cx, buffer) {
            Ok(buffer) => Some(buffer),
            Err(_) => return invalid_value("no such buffer"),
        },
    };
    let most = i64::from(cx.caps.limits.max_transform_feedback_buffers);
    check_value(i64::from(index) < most, "index of a feedback point")?;
    let (mut offset, mut size) = (0, 0);
    if let (Some((o, s)), true) = (range, buffer.is_some()) {
        check_value(o >= 0 && o % 4 == 0, "offset of a feedback range")?;
        check_value(s > 0 && s % 4 == 0, "size of a feedback range")?;
        (offset, size) = (o as u64, s as u64);
    }
    if let Some(buffer) = &buffer {
        buffer.gpu_writable.store(true, Ordering::Relaxed);
        buffer.data.borrow_mut().written();
    }
    object(cx, name)?.set_point(index, IndexedPoint { buffer, offset, size });
    Ok(())
}

/// glGetTransformFeedbackiv.
///
/// # Errors
/// GL_INVALID_OPERATION for an unknown object, GL_INVALID_ENUM for the parameter.
pub fn parameter(cx: &mut Context, name: u32, pname: u32) -> GlResult<i32> {
    let (active, paused) = object(cx, name)?.status();
    Ok(i32::from(match pname {
        gl::TRANSFORM_FEEDBACK_ACTIVE => active,
        gl::TRANSFORM_FEEDBACK_PAUSED => paused,
        _ => return invalid_enum("feedback parameter"),
    }))
}

/// glGetTransformFeedbacki_v (`wide` is false) and glGetTransformFeedbacki64_v.
///
/// # Errors
/// GL_INVALID_OPERATION for an unknown object, GL_INVALID_ENUM for the parameter, GL_INVALID_VALUE for the index.
pub fn indexed_parameter(
    cx: &mut Context,
    name: u32,
    pname: u32,
    index: u32,
    wide: bool,
) -> GlResult<i64> {
    let most = i64::from(cx.caps.limits.max_transform_feedback_buffers);
    let object = object(cx, name)?;
    let known = match pname {
        gl::TRANSFORM_FEEDBACK_BUFFER_BINDING => !wide,
        gl::TRANSFORM_FEEDBACK_BUFFER_START | gl::TRANSFORM_FEEDBACK_BUFFER_SIZE => wide,
        _ => false,
    };
    if !known {
        return invalid_enum("feedback parameter");
    }
    let point = object.point(index).filter(|_| i64::from(index) < most);
    let Some(point) = point else { return invalid_value("index of a feedback point") };
    Ok(match pname {
        gl::TRANSFORM_FEEDBACK_BUFFER_BINDING => {
            point.buffer.as_ref().map_or(0, |b| i64::from(b.name))
        }
        gl::TRANSFORM_FEEDBACK_BUFFER_START => point.offset as i64,
        _ => point.size as i64,
    })
}
