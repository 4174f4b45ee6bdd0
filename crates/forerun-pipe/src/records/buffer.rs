//! Buffer objects and binding points.

use crate::flat;
use crate::handle::RawHandle;

/// [`BufferRange::size`] of a whole buffer, resolved by the server at use.
pub const WHOLE: u64 = u64::MAX;

/// Alignment in bytes of a map's address, less the offset of what it maps: GL_MIN_MAP_BUFFER_ALIGNMENT.
pub const MAP_ALIGNMENT: u64 = 64;
/// Binding points per class at most.
pub const MAX_POINTS: u32 = 84;

/// Classes of [`SetShaderBuffers`].
pub mod class {
    /// GL_UNIFORM_BUFFER.
    pub const UNIFORM: u32 = 0;
    /// GL_SHADER_STORAGE_BUFFER.
    pub const STORAGE: u32 = 1;
    /// GL_ATOMIC_COUNTER_BUFFER.
    pub const ATOMIC: u32 = 2;
}

flat! {
    /// A range of a buffer at a binding point.
    pub struct BufferRange {
        /// The buffer, or null.
        pub buffer: RawHandle,
        /// First byte.
        pub offset: u64,
        /// Bytes, or [`WHOLE`].
        pub size: u64,
    }

    /// Points of one class, from point 0; points from `count` on are empty.
    pub struct SetShaderBuffers {
        /// [`class`].
        pub class: u32,
        /// How many points follow, at most [`MAX_POINTS`].
        pub count: u32,
        /// Bit per point: the program may write through it.
        pub writable_mask: [u32; 4],
    }

    /// glCopyBufferSubData.
    pub struct CopyBuffer {
        /// Source.
        pub src: RawHandle,
        /// Destination.
        pub dst: RawHandle,
        /// First byte read.
        pub src_offset: u64,
        /// First byte written.
        pub dst_offset: u64,
        /// Bytes.
        pub size: u64,
    }

    /// The contents of a range become undefined.
    pub struct InvalidateBuffer {
        /// The buffer.
        pub handle: RawHandle,
        /// First byte.
        pub offset: u64,
        /// Bytes.
        pub size: u64,
    }

    /// Attaches a segment to a buffer: until [`UnmapPersistent`] the server copies, before each verb, the ranges that it reads.
    pub struct MapPersistent {
        /// The buffer.
        pub handle: RawHandle,
        /// First byte of the buffer that is mapped. Its place in the segment is this modulo [`MAP_ALIGNMENT`].
        pub offset: u64,
        /// Bytes mapped.
        pub size: u64,
        /// Segment number, from [`crate::codec::BlobRef::FIRST_OWN`].
        pub segment: u32,
        /// GL access bits.
        pub access: u32,
    }

    /// Detaches the segment.
    pub struct UnmapPersistent {
        /// The buffer.
        pub handle: RawHandle,
    }

    /// glClearBufferSubData: the pattern is repeated over the range.
    pub struct ClearBufferData {
        /// The buffer.
        pub handle: RawHandle,
        /// First byte.
        pub offset: u64,
        /// Bytes: a multiple of the pattern's length.
        pub size: u64,
        /// The pattern, already in the buffer's internal format.
        pub pattern: [u8; 16],
        /// Bytes of the pattern in use: 1, 2, 4, 8, 12 or 16.
        pub pattern_len: u32,
        /// Zero.
        pub pad: u32,
    }
}
