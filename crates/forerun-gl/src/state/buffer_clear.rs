//! glClearBufferData and glClearBufferSubData (OpenGL 4.6, section 6.2.1): a texel, repeated over a range.

use super::buffer::{bound, checked_range};
use super::texture::check::{check_pair, is_integer_format};
use super::texture::format::{self, Class, Format};
use super::texture::storage::is_buffer_format;
use crate::context::Context;
use crate::error::{GlResult, check_operation, check_value, invalid_enum, invalid_value};
use forerun_pipe::records::ClearBufferData;
use forerun_pipe::{convert, gl};

/// The pixel type whose pixels, in the format's transfer format, are the internal format itself.
fn own_type(format: &Format) -> u32 {
    match (format.class, format.bits[0]) {
        (Class::Float, 16) => gl::HALF_FLOAT,
        (Class::Float, _) => gl::FLOAT,
        (Class::Int | Class::Snorm, 8) => gl::BYTE,
        (Class::Int | Class::Snorm, 16) => gl::SHORT,
        (Class::Int | Class::Snorm, _) => gl::INT,
        (Class::Uint | Class::Norm, 8) => gl::UNSIGNED_BYTE,
        (Class::Uint | Class::Norm, 16) => gl::UNSIGNED_SHORT,
        (Class::Uint | Class::Norm, _) => gl::UNSIGNED_INT,
    }
}

/// Fills `range` (the whole buffer if `None`) with a texel; `value` is missing for zeros.
///
/// # Errors
/// GL_INVALID_ENUM for an internal format that buffers do not have, GL_INVALID_VALUE for unknown pixel formats or types and for a
/// range that leaves the buffer or cuts texels, GL_INVALID_OPERATION for a mapped buffer and for integers that are to become fractions
/// or the other way round.
pub fn clear(
    cx: &mut Context,
    target: u32,
    internal: u32,
    range: Option<(i64, i64)>,
    (format, ty): (u32, u32),
    value: Option<&[u8]>,
) -> GlResult {
    let buffer = bound(cx, target)?;
    let known = format::FORMATS.iter().find(|f| f.token == internal);
    let Some(texel) = known.filter(|f| is_buffer_format(cx, f)) else {
        return invalid_enum("internal format of a buffer");
    };
    let mut data = buffer.data.borrow_mut();
    let own = own_type(texel);
    let bytes = forerun_pipe::pixel::pixel_bytes(texel.transfer, own).unwrap_or(1);
    let (offset, size) = match range {
        Some((offset, size)) => checked_range(&data, offset, size)?,
        None => (0, data.size - data.size % u64::from(bytes)),
    };
    check_value(
        offset % u64::from(bytes) == 0 && size % u64::from(bytes) == 0,
        "the range of a clear cuts texels",
    )?;
    check_operation(!data.blocked(), "the buffer is mapped")?;
    let pair = check_pair(&cx.state, format, ty);
    if pair.as_ref().is_err_and(|error| error.code == gl::INVALID_ENUM) {
        return invalid_value("pixel format or type");
    }
    pair?;
    let color = !matches!(format, gl::DEPTH_COMPONENT | gl::DEPTH_STENCIL | gl::STENCIL_INDEX);
    check_value(color, "pixel format of a buffer")?;
    check_operation(
        is_integer_format(format) == is_integer_format(texel.transfer),
        "integers and fractions",
    )?;
    let mut record = ClearBufferData {
        handle: buffer.handle.raw(),
        offset,
        size,
        pattern_len: bytes,
        ..Default::default()
    };
    if let Some(value) = value {
        let Some(pattern) = convert::pixels(value, format, ty, texel.transfer, own) else {
            return invalid_value("pixel format or type");
        };
        let len = pattern.len().min(record.pattern.len());
        record.pattern[..len].copy_from_slice(&pattern[..len]);
    }
    data.written();
    if size > 0 {
        record.send(&mut *cx.stream());
    }
    Ok(())
}
