//! The `glX*` entry points. Each turns handles and lists into objects and slices, calls one thing, and sends X errors.

#![allow(non_snake_case, clippy::missing_safety_doc)]

pub mod config;
pub mod context;
pub mod drawable;
pub mod query;
pub mod renderer;
pub mod swap;

use std::ffi::c_int;

/// No attribute list is this long; one that is has no end.
const MAX_ATTRIBS: usize = 512;

/// Reads a list of pairs that zero ends; empty for null, `None` when it has no end.
///
/// # Safety
/// `list` is null or points to such a list.
unsafe fn pairs(list: *const c_int) -> Option<Vec<(c_int, c_int)>> {
    let mut out = Vec::new();
    if list.is_null() {
        return Some(out);
    }
    for index in 0..MAX_ATTRIBS {
        // SAFETY: the caller promised a list, and its end was not reached.
        let name = unsafe { list.add(2 * index).read() };
        if name == 0 {
            return Some(out);
        }
        // SAFETY: a name is followed by its value.
        out.push((name, unsafe { list.add(2 * index + 1).read() }));
    }
    None
}

/// Copies values into memory that the program frees with XFree; null when there are none.
fn array(values: &[usize]) -> *mut usize {
    if values.is_empty() {
        return std::ptr::null_mut();
    }
    // SAFETY: fresh memory of the C library, which is what XFree frees, of exactly this size.
    unsafe {
        let memory = libc::malloc(std::mem::size_of_val(values)).cast::<usize>();
        if !memory.is_null() {
            memory.copy_from_nonoverlapping(values.as_ptr(), values.len());
        }
        memory
    }
}
