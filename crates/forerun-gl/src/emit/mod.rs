//! At a verb: what differs from what was last sent goes out, then the verb.
//!
//! Invariant: all state of a verb precedes it on the stream. Between the records of state there is no order, except create before
//! bind.

pub mod buffer;
pub mod draw;
pub mod framebuffer;
pub mod program;
pub mod raster;
pub mod sampler;
pub mod texture;
pub mod tracker;
pub mod vertex;

use crate::context::State;
use crate::error::GlResult;
use crate::stream::Stream;
use bitflags::bitflags;

bitflags! {
    /// Families whose state moved since it was last sent.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Dirty: u32 {
        /// The pipeline half of the render state.
        const RASTER = 1 << 0;
        /// The dynamic half.
        const DYNAMIC = 1 << 1;
        /// Viewports, depth ranges, scissors.
        const VIEWPORTS = 1 << 2;
        /// Bound framebuffers or what is attached to them.
        const FRAMEBUFFER = 1 << 3;
        /// Enabled attributes, formats, divisors.
        const VERTEX_FORMAT = 1 << 4;
        /// Vertex buffer bindings.
        const VERTEX_BUFFERS = 1 << 5;
        /// The element array buffer.
        const INDEX_BUFFER = 1 << 6;
        /// Current attribute values.
        const ATTRIB_DEFAULTS = 1 << 7;
        /// Textures at units.
        const TEXTURES = 1 << 8;
        /// Sampler objects at units.
        const SAMPLERS = 1 << 9;
        /// Image units.
        const IMAGES = 1 << 10;
        /// Uniform buffer points.
        const UNIFORM_BUFFERS = 1 << 11;
        /// Storage buffer points.
        const STORAGE_BUFFERS = 1 << 12;
        /// Atomic counter buffer points.
        const ATOMIC_BUFFERS = 1 << 13;
        /// The current program or pipeline, its uniforms or its bindings.
        const PROGRAM = 1 << 14;
        /// Patch parameters.
        const PATCH = 1 << 15;

        /// What a dispatch reads.
        const DISPATCH = Self::TEXTURES.bits() | Self::SAMPLERS.bits() | Self::IMAGES.bits() | Self::UNIFORM_BUFFERS.bits()
            | Self::STORAGE_BUFFERS.bits() | Self::ATOMIC_BUFFERS.bits() | Self::PROGRAM.bits();
        /// What a clear reads.
        const CLEAR = Self::RASTER.bits() | Self::VIEWPORTS.bits() | Self::FRAMEBUFFER.bits();
        /// What a blit reads.
        const BLIT = Self::RASTER.bits() | Self::VIEWPORTS.bits() | Self::FRAMEBUFFER.bits();
    }
}

/// Sends the named families where they moved.
///
/// # Errors
/// GL_OUT_OF_MEMORY when no handle can be minted or the session is lost.
#[inline]
pub fn sync(state: &mut State, stream: &mut Stream, families: Dirty) -> GlResult {
    let moved = state.dirty & families;
    if moved.is_empty() {
        return Ok(());
    }
    walk(state, stream, moved)
}

fn walk(state: &mut State, stream: &mut Stream, mut moved: Dirty) -> GlResult {
    state.dirty -= moved;
    if moved.contains(Dirty::FRAMEBUFFER) {
        framebuffer::sync(state, stream)?;
    }
    // Built-in uniforms follow the framebuffer's samples and the first depth range.
    let builtins = moved.intersects(Dirty::FRAMEBUFFER | Dirty::VIEWPORTS)
        && state.program.drawing().is_some_and(|linked| linked.has_builtins());
    if moved.contains(Dirty::PROGRAM) || builtins {
        program::sync(state, stream)?;
        // Another program, or another unit of its samplers, may read other textures of a unit.
        moved |= state.dirty & Dirty::TEXTURES;
        state.dirty -= Dirty::TEXTURES;
    }
    if moved.intersects(Dirty::RASTER) {
        raster::sync_pipeline(state, stream)?;
    }
    if moved.intersects(Dirty::DYNAMIC) {
        raster::sync_dynamic(state, stream);
    }
    if moved.intersects(Dirty::VIEWPORTS) {
        raster::sync_viewports(state, stream);
    }
    if moved.intersects(Dirty::PATCH) {
        raster::sync_patch(state, stream);
    }
    if moved.intersects(Dirty::VERTEX_FORMAT) {
        vertex::sync_format(state, stream)?;
    }
    if moved.intersects(Dirty::VERTEX_BUFFERS) {
        vertex::sync_buffers(state, stream);
    }
    if moved.intersects(Dirty::INDEX_BUFFER) {
        vertex::sync_index_buffer(state, stream);
    }
    if moved.intersects(Dirty::ATTRIB_DEFAULTS) {
        vertex::sync_defaults(state, stream);
    }
    if moved.intersects(Dirty::TEXTURES) {
        texture::sync_views(state, stream);
    }
    if moved.intersects(Dirty::SAMPLERS) {
        texture::sync_samplers(state, stream)?;
    }
    if moved.intersects(Dirty::IMAGES) {
        sampler::sync_images(state, stream);
    }
    if moved.intersects(Dirty::UNIFORM_BUFFERS | Dirty::STORAGE_BUFFERS | Dirty::ATOMIC_BUFFERS) {
        buffer::sync_points(state, stream, moved);
    }
    Ok(())
}
