//! Native objects by handle.

use core::marker::PhantomData;
use forerun_pipe::{Handle, RawHandle};

/// A native object: its GL name, and a number that no other native object of this backend ever has. Drivers use names again, so
/// caches of what is bound compare the number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Native {
    /// GL name.
    pub name: u32,
    /// Unique number; 0 for no object.
    pub uid: u64,
}

impl Native {
    /// No object.
    pub const NONE: Native = Native { name: 0, uid: 0 };
}

/// Twins of one kind, by slot and generation.
pub struct Twins<K, T> {
    slots: Vec<Option<(u32, T)>>,
    kind: PhantomData<fn() -> K>,
}

impl<K, T> Default for Twins<K, T> {
    fn default() -> Self {
        Twins { slots: Vec::new(), kind: PhantomData }
    }
}

impl<K, T> Twins<K, T> {
    /// The twin of a handle.
    #[inline]
    pub fn get(&self, handle: Handle<K>) -> Option<&T> {
        match self.slots.get(handle.slot() as usize) {
            Some(Some((generation, twin))) if *generation == handle.generation() => Some(twin),
            _ => None,
        }
    }

    /// The same, for changing it.
    #[inline]
    pub fn get_mut(&mut self, handle: Handle<K>) -> Option<&mut T> {
        match self.slots.get_mut(handle.slot() as usize) {
            Some(Some((generation, twin))) if *generation == handle.generation() => Some(twin),
            _ => None,
        }
    }

    /// Keeps a twin; gives back one that stood in its slot.
    pub fn insert(&mut self, handle: Handle<K>, twin: T) -> Option<T> {
        let index = handle.slot() as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || None);
        }
        let slot = self.slots.get_mut(index)?;
        slot.replace((handle.generation(), twin)).map(|old| old.1)
    }

    /// Takes the twin of a handle.
    pub fn remove(&mut self, raw: RawHandle) -> Option<T> {
        let slot = self.slots.get_mut(raw.slot as usize)?;
        match slot {
            Some((generation, _)) if *generation == raw.generation => slot.take().map(|old| old.1),
            _ => None,
        }
    }

    /// How many twins there are.
    pub fn alive(&self) -> usize {
        self.slots.iter().flatten().count()
    }

    /// All twins.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten().map(|slot| &slot.1)
    }

    /// All twins.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().flatten().map(|slot| &mut slot.1)
    }
}
