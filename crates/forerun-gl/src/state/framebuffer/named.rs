//! Framebuffers and renderbuffers by name (OpenGL 4.5, direct state access).
//!
//! A call that names its framebuffer is the call that works on a binding, made while the framebuffer is bound to GL_FRAMEBUFFER.

use super::{Framebuffer, create};
use crate::context::Context;
use crate::error::{GlResult, check_enum, check_operation, invalid_operation};
use forerun_pipe::gl;

/// The target to which a named framebuffer is bound.
pub const TARGET: u32 = gl::FRAMEBUFFER;

fn check_existing(cx: &Context, name: u32) -> GlResult {
    check_operation(name == 0 || cx.framebuffer.objects.get(name).is_some(), "no such framebuffer")
}

/// Runs a call of the bound form while two framebuffers, or the default one for 0, are bound for drawing and reading.
///
/// # Errors
/// GL_INVALID_OPERATION for a name that is no framebuffer object's, and those of the call.
pub fn with_both<R>(
    cx: &mut Context,
    draw: u32,
    read: u32,
    call: impl FnOnce(&mut Context) -> GlResult<R>,
) -> GlResult<R> {
    check_existing(cx, draw)?;
    check_existing(cx, read)?;
    let bindings = &mut cx.state.framebuffer;
    let kept = (bindings.draw, bindings.read);
    if kept == (draw, read) {
        return call(cx);
    }
    (bindings.draw, bindings.read) = (draw, read);
    cx.state.framebuffer_moved();
    let result = call(cx);
    (cx.state.framebuffer.draw, cx.state.framebuffer.read) = kept;
    cx.state.framebuffer_moved();
    result
}

/// [`with_both`] of one framebuffer.
///
/// # Errors
/// As [`with_both`].
pub fn with<R>(
    cx: &mut Context,
    name: u32,
    call: impl FnOnce(&mut Context) -> GlResult<R>,
) -> GlResult<R> {
    with_both(cx, name, name, call)
}

/// [`with`] for what the default framebuffer does not have.
///
/// # Errors
/// As [`with`], and GL_INVALID_OPERATION for 0.
pub fn with_object<R>(
    cx: &mut Context,
    name: u32,
    call: impl FnOnce(&mut Context) -> GlResult<R>,
) -> GlResult<R> {
    check_operation(name != 0, "the default framebuffer")?;
    with(cx, name, call)
}

/// glCreateFramebuffers for one name.
///
/// # Errors
/// GL_OUT_OF_MEMORY when no handle can be minted.
pub fn create_named(cx: &mut Context) -> GlResult<u32> {
    let name = cx.state.framebuffer.objects.generate();
    let object: Box<Framebuffer> = create(cx, name)?;
    cx.state.framebuffer.objects.insert(name, object);
    Ok(name)
}

/// glCheckNamedFramebufferStatus. The target says only how a default framebuffer is looked at.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target, GL_INVALID_OPERATION for an unknown name.
pub fn check_status(cx: &mut Context, name: u32, target: u32) -> GlResult<u32> {
    let known = matches!(target, gl::FRAMEBUFFER | gl::DRAW_FRAMEBUFFER | gl::READ_FRAMEBUFFER);
    check_enum(known, "framebuffer target")?;
    with(cx, name, |cx| super::query::check_status(cx, TARGET))
}

/// Runs a call of the bound form while a named renderbuffer is bound.
///
/// # Errors
/// GL_INVALID_OPERATION for a name that is no renderbuffer object's, and those of the call.
pub fn with_renderbuffer<R>(
    cx: &mut Context,
    name: u32,
    call: impl FnOnce(&mut Context) -> GlResult<R>,
) -> GlResult<R> {
    let Some(object) = cx.group.renderbuffers.borrow_mut().get(name).cloned() else {
        return invalid_operation("no such renderbuffer");
    };
    let kept = cx.state.framebuffer.renderbuffer.replace(object);
    let result = call(cx);
    cx.state.framebuffer.renderbuffer = kept;
    result
}

/// glCreateRenderbuffers for one name.
///
/// # Errors
/// GL_OUT_OF_MEMORY when no handle can be minted.
pub fn create_renderbuffer(cx: &mut Context) -> GlResult<u32> {
    let name = cx.group.renderbuffers.borrow_mut().generate();
    super::renderbuffer::named(cx, name)?;
    Ok(name)
}
