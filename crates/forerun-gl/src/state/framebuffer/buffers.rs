//! Draw and read buffers (OpenGL ES 3.2, section 15.2.1; OpenGL 4.6, section 17.4.1).

use super::DEPTH;
use crate::context::{Api, Context, State};
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_enum, invalid_operation,
};
use forerun_pipe::gl;

/// The colour attachment that a token names.
fn color(token: u32) -> Option<u32> {
    let index = token.wrapping_sub(gl::COLOR_ATTACHMENT0);
    (index < 32).then_some(index)
}

fn most_attachments(state: &State) -> u32 {
    (state.caps.limits.max_color_attachments.max(1) as u32).min(DEPTH as u32)
}

/// Whether a token names buffers of the default framebuffer of desktop GL.
fn is_default_buffer(token: u32) -> bool {
    matches!(
        token,
        gl::FRONT_LEFT
            | gl::FRONT_RIGHT
            | gl::BACK_LEFT
            | gl::BACK_RIGHT
            | gl::FRONT
            | gl::BACK
            | gl::LEFT
            | gl::RIGHT
            | gl::FRONT_AND_BACK
    )
}

/// Whether the drawable has such a buffer.
fn exists(state: &State, token: u32) -> bool {
    match token {
        gl::FRONT_RIGHT | gl::BACK_RIGHT | gl::RIGHT => false,
        gl::BACK | gl::BACK_LEFT => state.draw.double_buffered || state.draw.surface.is_null(),
        _ => true,
    }
}

fn store(cx: &mut Context, buffers: [u32; 8]) {
    let state = &mut cx.state;
    let name = state.framebuffer.draw;
    match state.framebuffer.objects.get_mut(name) {
        Some(object) => {
            if object.draw_buffers != buffers {
                object.draw_buffers = buffers;
                object.moved = true;
                object.status = None;
                state.framebuffer_moved();
            }
        }
        None => {
            state.framebuffer.set_draw_buffers(buffers);
            state.framebuffer_moved();
        }
    }
}

/// glDrawBuffers.
///
/// # Errors
/// As OpenGL ES 3.2, section 15.2.1 and OpenGL 4.6, section 17.4.1 say.
pub fn draw_buffers(cx: &mut Context, tokens: &[u32]) -> GlResult {
    let most = cx.caps.limits.max_draw_buffers.clamp(1, 8) as usize;
    check_value(tokens.len() <= most, "count of draw buffers")?;
    let es = cx.config.api == Api::Es;
    let default = cx.framebuffer.draw == 0;
    let limit = most_attachments(&cx.state);
    if es && default {
        check_operation(tokens.len() == 1, "draw buffers of the default framebuffer")?;
    }
    let mut seen = 0u64;
    for (index, &token) in tokens.iter().enumerate() {
        if token == gl::NONE {
            continue;
        }
        let attachment = color(token);
        if es {
            check_enum(token == gl::BACK || attachment.is_some(), "draw buffer")?;
        } else {
            check_enum(is_default_buffer(token) || attachment.is_some(), "draw buffer")?;
            let several = match token {
                gl::BACK => tokens.len() != 1,
                gl::FRONT | gl::LEFT | gl::RIGHT | gl::FRONT_AND_BACK => true,
                _ => false,
            };
            check_enum(!several, "a draw buffer that names several")?;
        }
        if default {
            check_operation(
                attachment.is_none() && (es || exists(&cx.state, token)),
                "draw buffer of the default framebuffer",
            )?;
        } else {
            match attachment {
                Some(n) if n < limit => {
                    check_operation(!es || n as usize == index, "draw buffers out of order")?;
                }
                _ => return invalid_operation("draw buffer of a framebuffer object"),
            }
        }
        let bit = match attachment {
            Some(n) => 1u64 << n,
            None => 1 << (32 + (token & 15)),
        };
        check_operation(seen & bit == 0, "a draw buffer stands twice")?;
        seen |= bit;
    }
    let mut buffers = [gl::NONE; 8];
    buffers[..tokens.len()].copy_from_slice(tokens);
    store(cx, buffers);
    Ok(())
}

/// glDrawBuffer (desktop).
///
/// # Errors
/// As OpenGL 4.6, section 17.4.1 says.
pub fn draw_buffer(cx: &mut Context, token: u32) -> GlResult {
    check_single(cx, token, cx.framebuffer.draw == 0)?;
    let mut buffers = [gl::NONE; 8];
    buffers[0] = token;
    store(cx, buffers);
    Ok(())
}

fn check_single(cx: &Context, token: u32, default: bool) -> GlResult {
    let attachment = color(token);
    check_enum(
        token == gl::NONE || is_default_buffer(token) || attachment.is_some(),
        "draw or read buffer",
    )?;
    let fits = token == gl::NONE
        || match attachment {
            Some(n) => !default && n < most_attachments(&cx.state),
            None => default && exists(&cx.state, token),
        };
    check_operation(fits, "buffer of the bound framebuffer")
}

/// glReadBuffer.
///
/// # Errors
/// As OpenGL ES 3.2, section 16.1.1 says.
pub fn read_buffer(cx: &mut Context, token: u32) -> GlResult {
    let default = cx.framebuffer.read == 0;
    if cx.config.api == Api::Es {
        let attachment = color(token);
        if token != gl::NONE && token != gl::BACK && attachment.is_none() {
            return invalid_enum("read buffer");
        }
        let fits = match (token, attachment) {
            (gl::NONE, _) => true,
            (gl::BACK, _) => default,
            (_, Some(n)) => !default && n < most_attachments(&cx.state),
            _ => false,
        };
        check_operation(fits, "buffer of the bound framebuffer")?;
    } else {
        check_enum(token != gl::FRONT_AND_BACK, "read buffer")?;
        check_single(cx, token, default)?;
    }
    let state = &mut cx.state;
    let name = state.framebuffer.read;
    match state.framebuffer.objects.get_mut(name) {
        Some(object) => {
            if object.read_buffer != token {
                object.read_buffer = token;
                object.moved = true;
                object.status = None;
                state.framebuffer_moved();
            }
        }
        None => {
            state.framebuffer.untouched = false;
            if state.framebuffer.read_buffer != token {
                state.framebuffer.read_buffer = token;
                state.framebuffer.moved = true;
                state.framebuffer_moved();
            }
        }
    }
    Ok(())
}
