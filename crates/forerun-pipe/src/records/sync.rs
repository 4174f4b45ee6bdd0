//! Fences, barriers, flush and finish.

use crate::flat;
use crate::handle::RawHandle;

/// Bits of [`MemoryBarrier::kind`].
pub mod barrier {
    /// glMemoryBarrier(bits).
    pub const MEMORY: u32 = 0;
    /// glMemoryBarrierByRegion(bits).
    pub const BY_REGION: u32 = 1;
    /// glTextureBarrier.
    pub const TEXTURE: u32 = 2;
    /// glBlendBarrier.
    pub const BLEND: u32 = 3;
    /// glFramebufferFetchBarrierEXT.
    pub const FRAMEBUFFER_FETCH: u32 = 4;
}

flat! {
    /// A fence after everything before it.
    pub struct FenceCreate {
        /// The new handle.
        pub handle: RawHandle,
    }

    /// glClientWaitSync with a timeout.
    pub struct FenceWait {
        /// The fence.
        pub handle: RawHandle,
        /// Nanoseconds.
        pub timeout_ns: u64,
        /// GL flags.
        pub flags: u32,
        /// Zero.
        pub pad: u32,
    }

    /// Ends a fence's life.
    pub struct FenceDestroy {
        /// The fence.
        pub handle: RawHandle,
    }

    /// glWaitSync.
    pub struct FenceWaitServer {
        /// The fence.
        pub handle: RawHandle,
    }

    /// glMemoryBarrier and its kin.
    pub struct MemoryBarrier {
        /// GL barrier bits.
        pub bits: u32,
        /// [`barrier`].
        pub kind: u32,
    }

    /// glFlush.
    pub struct Flush {
        /// Zero.
        pub pad: u64,
    }

    /// glFinish.
    pub struct Finish {
        /// Zero.
        pub pad: u64,
    }
}
