//! The C entry points, one file per family.
//!
//! SAFETY, for every `unsafe` block of the entry points: the specification says how many values a pointer argument holds or has
//! room for, and a program that breaks this promise is undefined on every GL. Each entry point states it in its Safety section.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "stated once, above, for all pointer arguments"
)]

pub mod blit;
pub mod buffer;
pub mod buffer_named;
pub mod clear;
pub mod debug;
pub mod draw;
pub mod feedback;
pub mod framebuffer;
pub mod framebuffer_named;
pub mod get;
pub mod program;
pub mod program_query;
pub mod program_subroutine;
pub mod program_uniform;
pub mod query;
pub mod raster;
pub mod readback;
pub mod sampler;
pub mod shader_objects;
pub mod sync;
pub mod texture;
pub mod texture_named;
pub mod vertex;
pub mod vertex_named;

use crate::entry::Entry;

/// Every entry point by name.
pub fn all() -> impl Iterator<Item = (&'static str, Entry)> {
    let families = [
        blit::ENTRIES,
        buffer::ENTRIES,
        buffer_named::ENTRIES,
        clear::ENTRIES,
        debug::ENTRIES,
        draw::ENTRIES,
        feedback::ENTRIES,
        framebuffer::ENTRIES,
        framebuffer_named::ENTRIES,
        get::ENTRIES,
        program::ENTRIES,
        program_query::ENTRIES,
        program_subroutine::ENTRIES,
        program_uniform::ENTRIES,
        query::ENTRIES,
        raster::ENTRIES,
        readback::ENTRIES,
        sampler::ENTRIES,
        shader_objects::ENTRIES,
        sync::ENTRIES,
        texture::ENTRIES,
        texture_named::ENTRIES,
        vertex::ENTRIES,
        vertex_named::ENTRIES,
    ];
    families.into_iter().flatten().copied()
}

/// A slice of a program's memory; empty for a null pointer.
///
/// # Safety
/// `pointer` is null or valid for `len` values for as long as the slice is used.
pub unsafe fn slice<'a, T>(pointer: *const T, len: usize) -> &'a [T] {
    if pointer.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: the caller promised it.
    unsafe { std::slice::from_raw_parts(pointer, len) }
}

/// A mutable slice of a program's memory; empty for a null pointer.
///
/// # Safety
/// As [`slice`], and nothing else uses the memory meanwhile.
pub unsafe fn slice_mut<'a, T>(pointer: *mut T, len: usize) -> &'a mut [T] {
    if pointer.is_null() || len == 0 {
        return &mut [];
    }
    // SAFETY: the caller promised it.
    unsafe { std::slice::from_raw_parts_mut(pointer, len) }
}

/// Writes one value, if there is somewhere to write it.
///
/// # Safety
/// `pointer` is null or valid for a write.
pub unsafe fn put<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: the caller promised it. Programs do pass unaligned pointers.
        unsafe { pointer.write_unaligned(value) };
    }
}

/// Writes as many values as there are.
///
/// # Safety
/// `pointer` is null or valid for as many writes as the iterator gives.
pub unsafe fn put_all<T>(pointer: *mut T, values: impl Iterator<Item = T>) {
    for (index, value) in values.enumerate() {
        // SAFETY: the caller promised it.
        unsafe { put(pointer.wrapping_add(index), value) };
    }
}

/// Writes a string with its NUL into a buffer of `size` bytes, cutting it if need be; gives the length without NUL that was
/// written to `length` too.
///
/// # Safety
/// `buffer` is null or valid for `size` bytes, `length` is null or valid.
pub unsafe fn put_string(text: &[u8], size: i32, length: *mut i32, buffer: *mut std::ffi::c_char) {
    let room = usize::try_from(size).unwrap_or(0);
    let len = if room == 0 || buffer.is_null() { 0 } else { text.len().min(room - 1) };
    if room > 0 && !buffer.is_null() {
        // SAFETY: len < room and the caller promised room bytes.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), len);
            buffer.add(len).write(0);
        }
    }
    // SAFETY: the caller promised it.
    unsafe { put(length, len as i32) };
}
