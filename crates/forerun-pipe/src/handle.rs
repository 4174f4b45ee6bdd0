//! Identity of objects on the stream: `{slot, gen}`, minted by the client, dense per kind.

use crate::flat;
use core::marker::PhantomData;

/// Slots are below this bound for every kind.
pub const MAX_SLOTS: u32 = 1 << 20;

flat! {
    /// A handle without its kind, as it crosses. `{0, 0}` is null.
    pub struct RawHandle {
        /// Index into the table of its kind, from 0; below [`MAX_SLOTS`].
        pub slot: u32,
        /// Moves each time the slot is used again, from 1; 0 only in the null handle.
        pub generation: u32,
    }
}

impl Eq for RawHandle {}

impl RawHandle {
    /// The null handle.
    pub const NULL: RawHandle = RawHandle { slot: 0, generation: 0 };
    /// The default framebuffer, of kind Framebuffer. The first minted handle has generation 2 in slot 0 of that kind.
    pub const DEFAULT_FRAMEBUFFER: RawHandle = RawHandle { slot: 0, generation: 1 };

    /// Whether this is the null handle.
    #[inline]
    pub fn is_null(self) -> bool {
        self == Self::NULL
    }
}

macro_rules! kinds {
    ($( $(#[$meta:meta])* $name:ident = $value:literal ),* $(,)?) => {
        /// What a handle names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum Kind { $( $(#[$meta])* $name = $value ),* }

        impl Kind {
            /// All kinds, in the order of their numbers.
            pub const ALL: &'static [Kind] = &[ $( Kind::$name ),* ];

            /// The kind of that number, if there is one.
            pub fn from_u32(value: u32) -> Option<Kind> {
                match value { $( $value => Some(Kind::$name), )* _ => None }
            }
        }

        /// Types that stand for a [`Kind`] in [`Handle`].
        pub mod kind {
            use super::Kind;
            $( $(#[$meta])* #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)] pub enum $name {}
            impl super::Kinded for $name { const KIND: Kind = Kind::$name; } )*
        }
    };
}

kinds! {
    /// A buffer object.
    Buffer = 1,
    /// A texture object.
    Texture = 2,
    /// A renderbuffer object.
    Renderbuffer = 3,
    /// A framebuffer object.
    Framebuffer = 4,
    /// A transform feedback object.
    Feedback = 5,
    /// The pipeline half of the render state, a constant object.
    RenderState = 6,
    /// A vertex array's format, a constant object.
    VertexElements = 7,
    /// Sampler parameters, a constant object.
    Sampler = 8,
    /// A restricted view of a texture, a constant object.
    SamplerView = 9,
    /// A linked program.
    Executable = 10,
    /// A sync object.
    Fence = 11,
    /// A query object.
    Query = 12,
    /// A rendering context.
    Context = 13,
    /// A drawable.
    Surface = 14,
}

/// A type that stands for one [`Kind`].
pub trait Kinded: Copy {
    /// The kind.
    const KIND: Kind;
}

/// A handle of one kind.
pub struct Handle<K> {
    raw: RawHandle,
    kind: PhantomData<fn() -> K>,
}

impl<K> Handle<K> {
    /// The null handle.
    pub const NULL: Handle<K> = Handle::from_raw(RawHandle::NULL);

    /// Gives a raw handle its kind.
    #[inline]
    pub const fn from_raw(raw: RawHandle) -> Self {
        Handle { raw, kind: PhantomData }
    }

    /// The handle as it crosses.
    #[inline]
    pub const fn raw(self) -> RawHandle {
        self.raw
    }

    /// The slot.
    #[inline]
    pub const fn slot(self) -> u32 {
        self.raw.slot
    }

    /// The generation.
    #[inline]
    pub const fn generation(self) -> u32 {
        self.raw.generation
    }

    /// Whether this is the null handle.
    #[inline]
    pub fn is_null(self) -> bool {
        self.raw.is_null()
    }
}

impl<K> Clone for Handle<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Handle<K> {}
impl<K> PartialEq for Handle<K> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}
impl<K> Eq for Handle<K> {}
impl<K> Default for Handle<K> {
    fn default() -> Self {
        Self::NULL
    }
}
impl<K> core::fmt::Debug for Handle<K> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "#{}.{}", self.raw.slot, self.raw.generation)
    }
}

/// Mints handles of one kind on the client: dense slots, a free list, generations that move only when a slot is used again.
#[derive(Debug)]
pub struct Minter<K> {
    generations: Vec<u32>,
    free: Vec<u32>,
    first_generation: u32,
    kind: PhantomData<fn() -> K>,
}

impl<K: Kinded> Default for Minter<K> {
    fn default() -> Self {
        // Generation 1 of framebuffer slot 0 is taken by the default framebuffer.
        let first_generation = if K::KIND == Kind::Framebuffer { 2 } else { 1 };
        Minter { generations: Vec::new(), free: Vec::new(), first_generation, kind: PhantomData }
    }
}

impl<K: Kinded> Minter<K> {
    /// A new handle, or `None` when all [`MAX_SLOTS`] are alive.
    pub fn mint(&mut self) -> Option<Handle<K>> {
        if let Some(slot) = self.free.pop() {
            let generation = self.generations.get_mut(slot as usize)?;
            *generation = generation.checked_add(1)?;
            return Some(Handle::from_raw(RawHandle { slot, generation: *generation }));
        }
        let slot = u32::try_from(self.generations.len()).ok().filter(|s| *s < MAX_SLOTS)?;
        self.generations.push(self.first_generation);
        Some(Handle::from_raw(RawHandle { slot, generation: self.first_generation }))
    }

    /// Gives the slot back, once the object's death has been published.
    pub fn retire(&mut self, handle: Handle<K>) {
        if self.generations.get(handle.slot() as usize) == Some(&handle.generation()) {
            self.free.push(handle.slot());
        }
    }

    /// How many handles are alive.
    pub fn alive(&self) -> usize {
        self.generations.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reused_slot_has_a_new_generation() {
        let mut minter = Minter::<kind::Buffer>::default();
        let first = minter.mint().unwrap();
        minter.retire(first);
        let second = minter.mint().unwrap();
        assert_eq!(first.slot(), second.slot());
        assert_eq!(second.generation(), first.generation() + 1);
    }

    #[test]
    fn the_first_framebuffer_is_not_the_default_framebuffer() {
        let mut minter = Minter::<kind::Framebuffer>::default();
        assert_ne!(minter.mint().unwrap().raw(), RawHandle::DEFAULT_FRAMEBUFFER);
    }

    #[test]
    fn a_retired_handle_frees_its_slot_once() {
        let mut minter = Minter::<kind::Query>::default();
        let first = minter.mint().unwrap();
        minter.retire(first);
        let second = minter.mint().unwrap();
        minter.retire(first);
        assert_eq!(minter.alive(), 1);
        assert_ne!(minter.mint().unwrap().slot(), second.slot());
    }
}
