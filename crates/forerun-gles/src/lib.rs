//! The backend on the host's OpenGL: one module, two dialects (`gles`: an ES 3.2 context; `gl`: a desktop core context of 4.3 or later).
//!
//! [`GlBackend`] keeps a twin of the host for every handle, knows what is bound in the host's context, and makes no call that
//! would repeat what is so already.

mod backend;
mod binds;
mod blit;
mod buffer;
pub mod caps;
mod clear;
mod dispatch;
mod draw;
mod feedback;
mod format;
mod framebuffer;
mod freeze;
pub mod host;
mod program;
mod query;
mod raster;
mod readback;
mod renderbuffer;
mod ring;
mod sampler;
mod surface;
mod sync;
mod texture;
mod twin;
mod upload;
mod vertex;

pub use backend::{Choice, GlBackend, open};

#[cfg(test)]
mod tests;
