//! Payloads of the records, one file per family.
//!
//! GL enums cross as their GL tokens (u32), booleans as u32 0 or 1, handles as [`RawHandle`](crate::RawHandle). Every payload is a
//! multiple of eight bytes.

mod blit;
mod buffer;
mod clear;
mod debug;
mod draw;
mod feedback;
mod framebuffer;
mod program;
mod query;
mod raster;
mod readback;
mod resource;
mod sampler;
mod surface;
mod sync;
mod texture;
mod vertex;

pub use blit::*;
pub use buffer::*;
pub use clear::*;
pub use debug::*;
pub use draw::*;
pub use feedback::*;
pub use framebuffer::*;
pub use program::*;
pub use query::*;
pub use raster::*;
pub use readback::*;
pub use resource::*;
pub use sampler::*;
pub use surface::*;
pub use sync::*;
pub use texture::*;
pub use vertex::*;
