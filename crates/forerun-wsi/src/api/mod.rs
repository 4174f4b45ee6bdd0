//! The `egl*` entry points. Each turns handles and lists into objects and slices, calls one thing, and sets the thread's error.

#![allow(non_snake_case, clippy::missing_safety_doc)]

pub mod context;
pub mod debug;
pub mod device;
pub mod display;
pub mod image;
pub mod surface;
pub mod swap;
pub mod sync;

use crate::egl::{EGLAttrib, EGLint, NONE};
use crate::error::{Result, fail};

/// No attribute list is this long; one that is has no end.
const MAX_ATTRIBS: usize = 512;

/// Reads a list of EGLint pairs that EGL_NONE ends; empty for null.
///
/// # Safety
/// `list` is null or points to such a list.
pub unsafe fn int_pairs(list: *const EGLint) -> Result<Vec<(EGLint, EGLint)>> {
    let mut out = Vec::new();
    if list.is_null() {
        return Ok(out);
    }
    for index in 0..MAX_ATTRIBS {
        // SAFETY: the caller promised a list, and its end was not reached.
        let name = unsafe { list.add(2 * index).read() };
        if name == NONE {
            return Ok(out);
        }
        if !is_attribute(name) {
            return fail(crate::egl::BAD_ATTRIBUTE, format!("{name:#x} is no attribute"));
        }
        // SAFETY: a name is followed by its value.
        out.push((name, unsafe { list.add(2 * index + 1).read() }));
    }
    fail(crate::egl::BAD_ATTRIBUTE, "the attribute list has no end")
}

/// The same for EGLAttrib; values that no attribute can have are refused.
///
/// # Safety
/// `list` is null or points to such a list.
pub unsafe fn attrib_pairs(list: *const EGLAttrib) -> Result<Vec<(EGLint, EGLint)>> {
    let mut out = Vec::new();
    if list.is_null() {
        return Ok(out);
    }
    for index in 0..MAX_ATTRIBS {
        // SAFETY: the caller promised a list, and its end was not reached.
        let name = unsafe { list.add(2 * index).read() };
        if name == NONE as EGLAttrib {
            return Ok(out);
        }
        if !EGLint::try_from(name).is_ok_and(is_attribute) {
            return fail(crate::egl::BAD_ATTRIBUTE, format!("{name:#x} is no attribute"));
        }
        // SAFETY: a name is followed by its value.
        let value = unsafe { list.add(2 * index + 1).read() };
        match (EGLint::try_from(name), EGLint::try_from(value)) {
            (Ok(name), Ok(value)) => out.push((name, value)),
            _ => return fail(crate::egl::BAD_ATTRIBUTE, format!("{name:#x} = {value:#x}")),
        }
    }
    fail(crate::egl::BAD_ATTRIBUTE, "the attribute list has no end")
}

/// Whether a number may be an attribute of anything. A list with one that is not may have no end, so it is read no further.
fn is_attribute(name: EGLint) -> bool {
    (0x3000..0x3600).contains(&name) || name == crate::egl::CONTEXT_RELEASE_BEHAVIOR_KHR
}

/// Writes to a pointer of the program.
///
/// # Safety
/// `out` is null or writable.
pub unsafe fn put<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: the caller promised it.
        unsafe { out.write(value) };
    }
}
