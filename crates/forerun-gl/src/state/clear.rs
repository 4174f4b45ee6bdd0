//! Clear values and clears (OpenGL ES 3.2, section 15.2.3).

use super::framebuffer;
use crate::context::{Context, State};
use crate::emit::{self, Dirty};
use crate::error::{GlResult, check_value, invalid_enum};
use crate::value::Value;
use forerun_pipe::gl;
use forerun_pipe::records::Clear;
use forerun_pipe::records::clear_kind as kind;

/// Clear values of a context.
#[derive(Clone, Copy, Debug)]
pub struct ClearState {
    /// GL_COLOR_CLEAR_VALUE, as bits.
    pub color: [u32; 4],
    /// What these are: 0 for float (glClearColor), 1 for int, 2 for unsigned int (EXT_texture_integer).
    pub class: u32,
    /// GL_DEPTH_CLEAR_VALUE.
    pub depth: f32,
    /// GL_STENCIL_CLEAR_VALUE.
    pub stencil: i32,
}

impl Default for ClearState {
    fn default() -> Self {
        ClearState { color: [0; 4], class: 0, depth: 1.0, stencil: 0 }
    }
}

/// glClear.
///
/// # Errors
/// GL_INVALID_VALUE for unknown bits, GL_INVALID_FRAMEBUFFER_OPERATION for an incomplete framebuffer.
pub fn clear(cx: &mut Context, mask: u32) -> GlResult {
    let known = gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT | gl::STENCIL_BUFFER_BIT;
    check_value(mask & !known == 0, "unknown clear bits")?;
    framebuffer::check_draw_complete(cx)?;
    if mask == 0 || cx.raster.desc.rasterizer_discard != 0 {
        return Ok(());
    }
    let values = cx.clear;
    let mut mask = mask;
    if values.class != 0 && mask & gl::COLOR_BUFFER_BIT != 0 {
        mask &= !gl::COLOR_BUFFER_BIT;
        let (class, color) = (values.class, values.color);
        // Of those that are GL_NONE a clear is without effect.
        for draw_buffer in 0..cx.caps.limits.max_draw_buffers.max(0) as u32 {
            send(cx, Clear { kind: kind::COLOR, draw_buffer, class, color, ..Default::default() })?;
        }
        if mask == 0 {
            return Ok(());
        }
    }
    send(
        cx,
        Clear {
            kind: kind::WHOLE,
            mask,
            draw_buffer: 0,
            class: 0,
            color: values.color,
            depth: values.depth,
            stencil: values.stencil,
        },
    )
}

/// glClearBuffer{i,u,f}v: `class` is 0 for float, 1 for int, 2 for unsigned int values.
///
/// # Errors
/// As OpenGL ES 3.2, section 15.2.3.1 says.
pub fn clear_buffer(
    cx: &mut Context,
    class: u32,
    buffer: u32,
    index: i32,
    values: [u32; 4],
) -> GlResult {
    let mut record = Clear { class, color: values, ..Default::default() };
    match (buffer, class) {
        (gl::COLOR, _) => {
            check_value(
                index >= 0 && index < cx.caps.limits.max_draw_buffers,
                "draw buffer index",
            )?;
            record.kind = kind::COLOR;
            record.draw_buffer = index as u32;
        }
        (gl::DEPTH, 0) => {
            check_value(index == 0, "draw buffer index")?;
            record.kind = kind::DEPTH;
            record.depth = f32::from_bits(values[0]);
        }
        (gl::STENCIL, 1) => {
            check_value(index == 0, "draw buffer index")?;
            record.kind = kind::STENCIL;
            record.stencil = values[0] as i32;
        }
        _ => return invalid_enum("buffer to clear"),
    }
    finish(cx, record)
}

/// glClearBufferfi.
///
/// # Errors
/// As OpenGL ES 3.2, section 15.2.3.1 says.
pub fn clear_depth_stencil(
    cx: &mut Context,
    buffer: u32,
    index: i32,
    depth: f32,
    stencil: i32,
) -> GlResult {
    if buffer != gl::DEPTH_STENCIL {
        return invalid_enum("buffer to clear");
    }
    check_value(index == 0, "draw buffer index")?;
    finish(cx, Clear { kind: kind::DEPTH_STENCIL, depth, stencil, ..Default::default() })
}

fn finish(cx: &mut Context, record: Clear) -> GlResult {
    framebuffer::check_draw_complete(cx)?;
    if cx.raster.desc.rasterizer_discard != 0 {
        return Ok(());
    }
    send(cx, record)
}

fn send(cx: &mut Context, record: Clear) -> GlResult {
    let mut stream = cx.group.stream();
    cx.state.bind(&mut stream);
    emit::sync(&mut cx.state, &mut stream, Dirty::CLEAR)?;
    record.send(&mut *stream);
    Ok(())
}

/// Answers glGet*.
pub fn get(state: &State, pname: u32) -> Option<Value> {
    Some(match pname {
        gl::COLOR_CLEAR_VALUE => match state.clear.class {
            0 => Value::normalized(&state.clear.color.map(f32::from_bits)),
            1 => Value::ints(&state.clear.color.map(|bits| bits as i32)),
            _ => Value::ints(&state.clear.color),
        },
        gl::DEPTH_CLEAR_VALUE => Value::normalized(&[state.clear.depth]),
        gl::STENCIL_CLEAR_VALUE => Value::int(state.clear.stencil),
        _ => return None,
    })
}
