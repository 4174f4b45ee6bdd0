//! Framebuffer and renderbuffer objects (OpenGL ES 3.2, chapter 9).

use crate::context::State;
use crate::context::{Config, Context, Drawable};
use crate::error::GlResult;
use crate::stream::Owned;
use crate::value::Value;
use forerun_pipe::RawHandle;
use forerun_pipe::handle::kind;

/// A renderbuffer object.
#[derive(Debug)]
pub struct Renderbuffer {
    /// Its name.
    pub name: u32,
    /// Its identity on the stream.
    pub handle: Owned<kind::Renderbuffer>,
}

/// Framebuffers of a context.
#[derive(Debug, Default)]
pub struct FramebufferBindings {}

impl FramebufferBindings {
    /// The default framebuffer is bound.
    pub fn new(_config: &Config) -> FramebufferBindings {
        FramebufferBindings {}
    }

    /// The context got other drawables, or theirs changed size.
    pub fn drawable_changed(&mut self, _draw: &Drawable, _read: &Drawable) {}
}

/// Whether the draw framebuffer is complete; memoized by the serials of what is attached.
///
/// # Errors
/// GL_INVALID_FRAMEBUFFER_OPERATION.
pub fn check_draw_complete(_cx: &mut Context) -> GlResult {
    Ok(())
}

/// Answers glGet*.
pub fn get(_state: &State, _pname: u32) -> Option<Value> {
    None
}

/// The identity of a framebuffer, for labels.
pub fn handle(_cx: &Context, _name: u32) -> Option<RawHandle> {
    None
}
