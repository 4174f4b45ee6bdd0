//! Objects and state, one file per family.

pub mod buffer;
pub mod clear;
pub mod debug;
pub mod draw;
pub mod feedback;
pub mod framebuffer;
pub mod get;
pub mod map;
pub mod program;
pub mod query;
pub mod raster;
pub mod readback;
pub mod sampler;
pub mod sync;
pub mod texture;
pub mod vertex;
