//! Labels of objects (KHR_debug; OpenGL ES 3.2, section 20.7).
//!
//! A label is kept under the object's identity and not under its name, so that a name that is used again has none.

use super::debug::MAX_LABEL_LENGTH;
use crate::context::Context;
use crate::error::{GlResult, check_value, invalid_enum, invalid_value};
use forerun_pipe::{RawHandle, gl};

/// What a label hangs on: the kind of object and its identity.
pub type Key = (u32, u64);

fn identity(handle: RawHandle) -> u64 {
    u64::from(handle.slot) | u64::from(handle.generation) << 32
}

/// The key of an object of glObjectLabel.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown kind, GL_INVALID_VALUE for an unknown object.
pub fn object(cx: &Context, kind: u32, name: u32) -> GlResult<Key> {
    let group = &cx.group;
    // Objects that live in one context only and have no identity on the stream are known by context and name.
    let local =
        |exists: bool| exists.then(|| u64::from(cx.handle.raw().slot) << 32 | u64::from(name));
    let found = match kind {
        gl::BUFFER => group.buffers.borrow_mut().get(name).map(|b| identity(b.handle.raw())),
        gl::TEXTURE => group.textures.borrow_mut().get(name).map(|t| identity(t.handle.raw())),
        gl::RENDERBUFFER => {
            group.renderbuffers.borrow_mut().get(name).map(|r| identity(r.handle.raw()))
        }
        gl::SAMPLER => group.samplers.borrow_mut().get(name).map(|s| u64::from(s.name)),
        gl::SHADER => (super::program::is_shader(cx, name)? != 0).then_some(u64::from(name)),
        gl::PROGRAM => (super::program::is_program(cx, name)? != 0).then_some(u64::from(name)),
        gl::QUERY => local(cx.query.exists(name)),
        gl::TRANSFORM_FEEDBACK => super::feedback::handle(cx, name).map(identity),
        gl::FRAMEBUFFER => super::framebuffer::handle(cx, name).map(identity),
        gl::VERTEX_ARRAY => local(cx.vertex.arrays.get(name).is_some()),
        gl::PROGRAM_PIPELINE => local(super::program_pipeline::is_pipeline(cx, name)? != 0),
        _ => return invalid_enum("kind of a labelled object"),
    };
    match found {
        Some(identity) => Ok((kind, identity)),
        None => invalid_value("no such object"),
    }
}

/// The key of a sync object.
///
/// # Errors
/// GL_INVALID_VALUE for an unknown object.
pub fn sync(cx: &Context, sync: usize) -> GlResult<Key> {
    let fences = cx.group.fences.borrow_mut();
    match u32::try_from(sync).ok().and_then(|name| fences.get(name)) {
        Some(fence) => Ok((gl::SYNC_FENCE, identity(fence.handle.raw()))),
        None => invalid_value("no such sync object"),
    }
}

/// Sets a label; an empty one removes it.
///
/// # Errors
/// GL_INVALID_VALUE for a label that is too long.
pub fn set(cx: &Context, key: Key, text: Vec<u8>) -> GlResult {
    check_value(text.len() < MAX_LABEL_LENGTH, "length of a label")?;
    let mut labels = cx.group.labels.borrow_mut();
    if text.is_empty() {
        labels.remove(&key);
    } else {
        labels.insert(key, text);
    }
    Ok(())
}

/// The label of an object; empty without one.
pub fn get(cx: &Context, key: Key) -> Vec<u8> {
    cx.group.labels.borrow_mut().get(&key).cloned().unwrap_or_default()
}
