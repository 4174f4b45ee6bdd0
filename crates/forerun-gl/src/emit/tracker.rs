//! What was last sent, family by family, for byte-for-byte comparison.

use crate::stream::Owned;
use forerun_pipe::RawHandle;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{
    AttribDefault, BindFramebuffers, BoundSampler, BoundView, BufferRange, ImageView,
    SetDynamicState, SetPatchState, VertexBuffer, Viewport,
};
use std::collections::VecDeque;
use std::sync::Arc;
use zerocopy::{Immutable, IntoBytes};

/// The last payloads of a context.
#[derive(Default)]
pub struct Tracker {
    /// Render states by content, most recent first.
    pub render_states: Lru<forerun_pipe::records::RenderStateDesc, kind::RenderState>,
    /// The render state selected.
    pub render_state: RawHandle,
    /// The dynamic state.
    pub dynamic: Option<SetDynamicState>,
    /// The viewports.
    pub viewports: Vec<Viewport>,
    /// The patch state.
    pub patch: Option<SetPatchState>,
    /// The framebuffers selected.
    pub framebuffers: Option<BindFramebuffers>,
    /// Vertex formats by content (attributes, then bindings), most recent first.
    pub vertex_elements: Lru<Vec<u8>, kind::VertexElements>,
    /// The vertex format selected.
    pub vertex_format: RawHandle,
    /// Vertex buffers by binding.
    pub vertex_buffers: [VertexBuffer; 32],
    /// The element array buffer.
    pub index_buffer: RawHandle,
    /// Current attribute values by location.
    pub attrib_defaults: [AttribDefault; 32],
    /// Textures by unit.
    pub views: Vec<BoundView>,
    /// Samplers by unit.
    pub samplers: Vec<BoundSampler>,
    /// Sampler parameters by content, most recent first.
    pub sampler_states: Lru<forerun_pipe::records::SamplerParams, kind::Sampler>,
    /// Images by unit.
    pub images: Vec<ImageView>,
    /// Buffer points by class.
    pub points: [Vec<BufferRange>; 3],
    /// The executable of draws.
    pub draw_program: RawHandle,
    /// The executable of dispatches.
    pub dispatch_program: RawHandle,
}

/// Whether two payloads have the same bytes.
#[inline]
pub fn same<T: IntoBytes + Immutable + ?Sized>(a: &T, b: &T) -> bool {
    a.as_bytes() == b.as_bytes()
}

/// Constant state objects by content. At most [`Lru::LIMIT`] are kept; what is looked up last is never the one that goes.
pub struct Lru<T, K: forerun_pipe::handle::Kinded> {
    entries: VecDeque<(T, Arc<Owned<K>>)>,
}

impl<T, K: forerun_pipe::handle::Kinded> Default for Lru<T, K> {
    fn default() -> Self {
        Lru { entries: VecDeque::new() }
    }
}

impl<T, K: forerun_pipe::handle::Kinded> Lru<T, K> {
    /// How many objects are kept.
    pub const LIMIT: usize = 64;

    /// The object of that content, now among the most recent. Those are not sorted: programs go to and fro between few states.
    pub fn find(&mut self, is: impl Fn(&T) -> bool) -> Option<&Arc<Owned<K>>> {
        let mut index = self.entries.iter().position(|(content, _)| is(content))?;
        if index >= Self::LIMIT / 8 {
            let entry = self.entries.remove(index)?;
            self.entries.push_front(entry);
            index = 0;
        }
        self.entries.get(index).map(|(_, handle)| handle)
    }

    /// Adds an object as the most recent.
    pub fn insert(&mut self, content: T, handle: Arc<Owned<K>>) {
        self.entries.push_front((content, handle));
        self.entries.truncate(Self::LIMIT);
    }
}
