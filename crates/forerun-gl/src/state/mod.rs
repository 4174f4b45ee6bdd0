//! Objects and state, one file per family.

pub mod blit;
pub mod buffer;
pub mod clear;
pub mod debug;
pub mod draw;
pub mod feedback;
pub mod framebuffer;
pub mod get;
pub mod label;
pub mod map;
pub mod program;
pub mod program_compose;
pub mod program_link;
pub mod program_linked;
pub mod program_pipeline;
pub mod program_query;
pub mod program_resource;
pub mod program_types;
pub mod program_uniform;
pub mod query;
pub mod raster;
pub mod readback;
pub mod sampler;
pub mod sync;
pub mod texture;
pub mod vertex;
