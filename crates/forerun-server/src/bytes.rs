//! Bounded views of bytes that may lie in memory shared with a hostile peer.
//!
//! No Rust reference is made to such bytes: the peer may write while we read. A view hands out pointers for a driver's copy, and
//! copies for everything else. What steers control flow is read from a copy only.

use core::marker::PhantomData;

/// Bytes to read.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    ptr: *const u8,
    len: usize,
    life: PhantomData<&'a [u8]>,
}

/// Bytes to write.
pub struct Dest<'a> {
    ptr: *mut u8,
    len: usize,
    life: PhantomData<&'a mut [u8]>,
}

impl core::fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Source({} bytes)", self.len)
    }
}

impl core::fmt::Debug for Dest<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Dest({} bytes)", self.len)
    }
}

impl<'a> Source<'a> {
    /// No bytes.
    pub const EMPTY: Source<'static> =
        Source { ptr: core::ptr::NonNull::<u8>::dangling().as_ptr(), len: 0, life: PhantomData };

    /// Private bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Source { ptr: bytes.as_ptr(), len: bytes.len(), life: PhantomData }
    }

    /// Shared bytes.
    ///
    /// # Safety
    /// `ptr..ptr + len` stays mapped for `'a`. Others may write it meanwhile.
    pub unsafe fn from_raw(ptr: *const u8, len: usize) -> Self {
        Source { ptr, len, life: PhantomData }
    }

    /// Bytes in view.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// For a driver that copies [`Source::len`] bytes from here.
    pub fn as_ptr(&self) -> *const u8 {
        self.ptr
    }

    /// A part; `None` when it is not inside.
    pub fn slice(&self, offset: usize, len: usize) -> Option<Source<'a>> {
        if offset.checked_add(len)? > self.len {
            return None;
        }
        // SAFETY: offset + len is inside the view.
        Some(Source { ptr: unsafe { self.ptr.add(offset) }, len, life: PhantomData })
    }

    /// Copies the first `out.len()` bytes; fewer when the view is shorter. Returns how many.
    pub fn copy_to(&self, out: &mut [u8]) -> usize {
        let len = out.len().min(self.len);
        // SAFETY: both ranges hold `len` bytes; `out` is private, so they do not overlap. A concurrent write by the peer can only
        // change which values are copied: nothing else is derived from them here.
        unsafe { core::ptr::copy_nonoverlapping(self.ptr, out.as_mut_ptr(), len) };
        len
    }

    /// A private copy.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = vec![0; self.len];
        self.copy_to(&mut out);
        out
    }
}

impl<'a> Dest<'a> {
    /// Private bytes.
    pub fn new(bytes: &'a mut [u8]) -> Self {
        Dest { ptr: bytes.as_mut_ptr(), len: bytes.len(), life: PhantomData }
    }

    /// Shared bytes.
    ///
    /// # Safety
    /// `ptr..ptr + len` stays mapped and writable for `'a`. Others may read or write it meanwhile.
    pub unsafe fn from_raw(ptr: *mut u8, len: usize) -> Self {
        Dest { ptr, len, life: PhantomData }
    }

    /// Bytes in view.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// For a driver that writes at most [`Dest::len`] bytes to here.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.ptr
    }

    /// Copies `bytes` to `offset`; what lies outside the view is dropped. Returns how many bytes were written.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> usize {
        let len = bytes.len().min(self.len.saturating_sub(offset));
        if len > 0 {
            // SAFETY: offset + len is inside the view; `bytes` is private.
            unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), self.ptr.add(offset), len) };
        }
        len
    }

    /// Sets all bytes.
    pub fn fill(&mut self, value: u8) {
        // SAFETY: the view holds `len` bytes.
        unsafe { core::ptr::write_bytes(self.ptr, value, self.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_outside_is_refused() {
        let bytes = [1u8, 2, 3, 4];
        let source = Source::new(&bytes);
        assert_eq!(source.slice(1, 3).unwrap().to_vec(), [2, 3, 4]);
        assert!(source.slice(1, 4).is_none());
        assert!(source.slice(usize::MAX, 2).is_none());
    }

    #[test]
    fn a_write_is_cut_at_the_end() {
        let mut bytes = [0u8; 4];
        let mut dest = Dest::new(&mut bytes);
        assert_eq!(dest.write(2, &[7, 8, 9]), 2);
        assert_eq!(dest.write(9, &[1]), 0);
        assert_eq!(bytes, [0, 0, 7, 8]);
    }
}
