//! Draws and dispatches.

use crate::codec::BlobRef;
use crate::flat;
use crate::handle::RawHandle;

flat! {
    /// One or more draws with one state.
    pub struct DrawVbo {
        /// GL primitive mode.
        pub mode: u32,
        /// GL_UNSIGNED_BYTE, _SHORT, _INT; 0 for a draw without indices.
        pub index_type: u32,
        /// Instances; of every range.
        pub instance_count: u32,
        /// gl_BaseInstance.
        pub base_instance: u32,
        /// Ranges that follow; 0 when `indirect_count` is 1 or `feedback` is not null.
        pub range_count: u32,
        /// Client-memory arrays that follow.
        pub array_count: u32,
        /// 1 when a [`DrawIndirect`] follows.
        pub indirect_count: u32,
        /// Client arrays: first vertex that the copied bytes hold.
        pub first_vertex: u32,
        /// Client indices; [`BlobRef::NONE`] when they stand in the element buffer.
        pub indices: BlobRef,
        /// glDrawTransformFeedback: the feedback object that says how many vertices; otherwise null.
        pub feedback: RawHandle,
        /// Vertex stream of that feedback object.
        pub stream: u32,
        /// gl_DrawID of the first range.
        pub first_draw_id: u32,
    }

    /// One draw. With indices, `start` counts indices from the start of the element buffer's range at byte `offset`.
    pub struct DrawRange {
        /// First vertex; with indices, the byte offset in the element buffer or in the client's indices.
        pub start: u32,
        /// Vertices or indices.
        pub count: u32,
        /// Added to each index.
        pub base_vertex: i32,
        /// Zero.
        pub pad: u32,
    }

    /// A client-memory vertex array, copied.
    pub struct UserArray {
        /// The bytes: element `first` onwards, where `first` is [`DrawVbo::first_vertex`] or, with a divisor, the base instance.
        pub bytes: BlobRef,
        /// Vertex buffer binding that it stands for.
        pub binding: u32,
        /// Bytes between elements.
        pub stride: u32,
    }

    /// Where the parameters of an indirect draw stand.
    pub struct DrawIndirect {
        /// The draw-indirect buffer.
        pub buffer: RawHandle,
        /// First byte.
        pub offset: u64,
        /// The parameter buffer of the *Count draws, or null.
        pub parameter_buffer: RawHandle,
        /// First byte.
        pub parameter_offset: u64,
        /// Draws; for *Count draws at most so many.
        pub draw_count: u32,
        /// Bytes between commands; 0 for tight.
        pub stride: u32,
    }

    /// glDispatchCompute, glDispatchComputeIndirect.
    pub struct LaunchGrid {
        /// Groups in x, y, z.
        pub groups: [u32; 3],
        /// Take the groups from the buffer.
        pub indirect: u32,
        /// The dispatch-indirect buffer.
        pub buffer: RawHandle,
        /// First byte.
        pub offset: u64,
    }
}
