//! The object tables of a stream: what every handle names, checked by generation at each use.

use crate::objects::*;
use core::marker::PhantomData;
use forerun_pipe::fault::{Fault, Result};
use forerun_pipe::handle::{Kinded, MAX_SLOTS, kind};
use forerun_pipe::{Handle, RawHandle};

/// Gives out serials: each is larger than all before it, and none is given twice on a stream, so that equal serials mean equal
/// values whatever object or context they came from.
#[derive(Debug, Default)]
pub struct Clock(u64);

impl Clock {
    /// The next serial; the first is 1.
    #[inline]
    pub fn tick(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }
}

#[derive(Debug)]
struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

/// The objects of one kind, by slot.
#[derive(Debug)]
pub struct Table<K, T> {
    slots: Vec<Slot<T>>,
    alive: usize,
    kind: PhantomData<fn() -> K>,
}

impl<K, T> Default for Table<K, T> {
    fn default() -> Self {
        Table { slots: Vec::new(), alive: 0, kind: PhantomData }
    }
}

impl<K: Kinded, T> Table<K, T> {
    /// Introduces an object. `what` names the row's member in the fault.
    ///
    /// # Errors
    /// [`Fault::ProtocolCorruption`] for a null handle, a slot out of bounds, a generation that is not newer than the slot's, or a
    /// slot whose object was not destroyed.
    pub fn create(&mut self, raw: RawHandle, value: T, what: &'static str) -> Result<Handle<K>> {
        let corrupt = Fault::ProtocolCorruption { what };
        if raw.generation == 0 || raw.slot >= MAX_SLOTS {
            return Err(corrupt);
        }
        let index = raw.slot as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || Slot { generation: 0, value: None });
        }
        let Some(slot) = self.slots.get_mut(index) else { return Err(corrupt) };
        if raw.generation <= slot.generation || slot.value.is_some() {
            return Err(corrupt);
        }
        *slot = Slot { generation: raw.generation, value: Some(value) };
        self.alive += 1;
        Ok(Handle::from_raw(raw))
    }

    /// Checks a handle in a use: `true` when it names a living object, `false` (declined) when it is null, old or dead.
    ///
    /// # Errors
    /// [`Fault::ProtocolCorruption`] for a slot out of bounds, or a generation that was never introduced.
    #[inline]
    pub fn check(&self, raw: RawHandle, what: &'static str) -> Result<bool> {
        if raw.is_null() {
            return Ok(false);
        }
        match self.slots.get(raw.slot as usize) {
            Some(slot) if slot.generation >= raw.generation => {
                Ok(slot.generation == raw.generation && slot.value.is_some())
            }
            _ => Err(Fault::ProtocolCorruption { what }),
        }
    }

    /// Whether [`Table::create`] would take that handle: for objects that their first use introduces.
    pub fn is_newer(&self, raw: RawHandle) -> bool {
        let old = self.slots.get(raw.slot as usize).map_or(0, |slot| slot.generation);
        raw.generation > old
    }

    /// The object, if the handle names a living one.
    #[inline]
    pub fn get(&self, handle: Handle<K>) -> Option<&T> {
        let slot = self.slots.get(handle.slot() as usize)?;
        if slot.generation == handle.generation() { slot.value.as_ref() } else { None }
    }

    /// The same, for changing it.
    #[inline]
    pub fn get_mut(&mut self, handle: Handle<K>) -> Option<&mut T> {
        let slot = self.slots.get_mut(handle.slot() as usize)?;
        if slot.generation == handle.generation() { slot.value.as_mut() } else { None }
    }

    /// Ends an object's life. Its slot takes newer generations only.
    pub fn destroy(&mut self, handle: Handle<K>) -> Option<T> {
        let slot = self.slots.get_mut(handle.slot() as usize)?;
        if slot.generation != handle.generation() {
            return None;
        }
        let value = slot.value.take();
        self.alive -= usize::from(value.is_some());
        value
    }

    /// How many objects live.
    pub fn alive(&self) -> usize {
        self.alive
    }

    /// All living objects.
    pub fn iter(&self) -> impl Iterator<Item = (Handle<K>, &T)> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| {
            let value = slot.value.as_ref()?;
            let raw = RawHandle { slot: index as u32, generation: slot.generation };
            Some((Handle::from_raw(raw), value))
        })
    }
}

/// The tables of a stream, shared by all its contexts.
#[derive(Debug, Default)]
pub struct Tables {
    /// Source of serials.
    pub clock: Clock,
    /// Buffers.
    pub buffers: Table<kind::Buffer, Buffer>,
    /// Textures.
    pub textures: Table<kind::Texture, Texture>,
    /// Renderbuffers.
    pub renderbuffers: Table<kind::Renderbuffer, Renderbuffer>,
    /// Framebuffers but the default one.
    pub framebuffers: Table<kind::Framebuffer, Framebuffer>,
    /// Transform feedback objects.
    pub feedbacks: Table<kind::Feedback, Feedback>,
    /// Render states.
    pub render_states: Table<kind::RenderState, RenderState>,
    /// Vertex formats.
    pub vertex_elements: Table<kind::VertexElements, VertexElements>,
    /// Sampler parameters.
    pub samplers: Table<kind::Sampler, Sampler>,
    /// Linked programs.
    pub executables: Table<kind::Executable, Executable>,
    /// Fences.
    pub fences: Table<kind::Fence, Fence>,
    /// Queries.
    pub queries: Table<kind::Query, Query>,
    /// Drawables.
    pub surfaces: Table<kind::Surface, Surface>,
}

impl Tables {
    /// How many objects live that a program named. The others, descriptions of state, are kept by clients for their next use.
    pub fn named(&self) -> usize {
        self.buffers.alive()
            + self.textures.alive()
            + self.renderbuffers.alive()
            + self.framebuffers.alive()
            + self.feedbacks.alive()
            + self.executables.alive()
            + self.fences.alive()
            + self.queries.alive()
    }

    /// How many objects live, of all kinds.
    pub fn alive(&self) -> usize {
        self.named()
            + self.render_states.alive()
            + self.vertex_elements.alive()
            + self.samplers.alive()
            + self.surfaces.alive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHAT: &str = "Test.handle";
    const CORRUPT: Fault = Fault::ProtocolCorruption { what: WHAT };

    fn raw(slot: u32, generation: u32) -> RawHandle {
        RawHandle { slot, generation }
    }

    #[test]
    fn a_slot_is_used_again_by_newer_generations_only() {
        let mut table = Table::<kind::Query, u32>::default();
        let first = table.create(raw(3, 1), 10, WHAT).unwrap();
        assert_eq!(table.create(raw(3, 2), 11, WHAT), Err(CORRUPT), "alive");
        assert_eq!(table.destroy(first), Some(10));
        assert_eq!(table.create(raw(3, 1), 11, WHAT), Err(CORRUPT), "the same generation");
        table.create(raw(3, 2), 11, WHAT).unwrap();
        assert_eq!(table.get(first), None);
        assert_eq!(table.check(raw(3, 1), WHAT), Ok(false), "older: declined");
        assert_eq!(table.check(raw(3, 2), WHAT), Ok(true));
        assert_eq!(table.check(raw(3, 3), WHAT), Err(CORRUPT), "never introduced");
        assert_eq!(table.alive(), 1);
        assert_eq!(table.destroy(first), None);
        assert_eq!(table.alive(), 1);
    }

    #[test]
    fn slots_are_bounded_and_null_introduces_nothing() {
        let mut table = Table::<kind::Buffer, u32>::default();
        assert_eq!(table.create(raw(MAX_SLOTS, 1), 0, WHAT), Err(CORRUPT));
        assert_eq!(table.create(RawHandle::NULL, 0, WHAT), Err(CORRUPT));
        assert_eq!(table.check(raw(5, 1), WHAT), Err(CORRUPT));
        assert_eq!(table.check(RawHandle::NULL, WHAT), Ok(false));
    }
}
