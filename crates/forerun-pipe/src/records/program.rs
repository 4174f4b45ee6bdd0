//! Executables, their uniforms and their bindings.

use crate::codec::BlobRef;
use crate::flat;
use crate::handle::RawHandle;

flat! {
    /// Introduces an executable, immutable from here on.
    pub struct CreateShaderState {
        /// The new handle.
        pub handle: RawHandle,
        /// The archive.
        pub archive: BlobRef,
    }

    /// Frees an executable, its uniforms and bindings.
    pub struct DeleteShaderState {
        /// The handle.
        pub handle: RawHandle,
    }

    /// A range of bytes.
    pub struct ByteRange {
        /// First byte.
        pub offset: u32,
        /// Bytes.
        pub size: u32,
    }

    /// Changed ranges of the default uniform block of an executable.
    pub struct SetGlobalConstants {
        /// The executable.
        pub executable: RawHandle,
        /// Ranges that follow.
        pub range_count: u32,
        /// Zero.
        pub pad: u32,
        /// The bytes of all ranges, one after another.
        pub bytes: BlobRef,
    }

    /// The executable of draws.
    pub struct SetDrawProgram {
        /// The executable, or null.
        pub executable: RawHandle,
    }

    /// The executable of dispatches.
    pub struct SetDispatchProgram {
        /// The executable, or null.
        pub executable: RawHandle,
    }

    /// What the slots of an executable read; all three tails are always whole.
    pub struct SetProgramBindings {
        /// The executable.
        pub executable: RawHandle,
        /// Uniform block slots: each gives a point of class uniform.
        pub block_count: u32,
        /// Sampler slots: each gives a texture unit.
        pub sampler_count: u32,
        /// Image slots, after the samplers: each gives an image unit.
        pub image_count: u32,
        /// Storage slots: each gives a point, of class atomic when [`ATOMIC_POINT`] is set, else of class storage.
        pub storage_count: u32,
    }
}

/// Bit of a storage slot's point: the point is of class atomic.
pub const ATOMIC_POINT: u32 = 1 << 31;
