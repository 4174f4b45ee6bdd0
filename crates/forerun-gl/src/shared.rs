//! What the contexts of a group share.

use std::cell::{RefCell, RefMut};

/// A value that only a thread inside its group reaches, so that it needs no lock of its own.
///
/// [`crate::entry::enter`] is inside the group for the whole of an API call; everybody else has [`crate::group::Group::lock`].
#[derive(Debug, Default)]
pub struct Shared<T>(RefCell<T>);

// SAFETY: one thread at a time is inside a group, and its lock orders them: what one wrote the next one sees.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// A shared value.
    pub fn new(value: T) -> Shared<T> {
        Shared(RefCell::new(value))
    }

    /// The value, which nobody else has meanwhile: a second borrow is a bug, and panics.
    #[inline]
    pub fn borrow_mut(&self) -> RefMut<'_, T> {
        self.0.borrow_mut()
    }
}
