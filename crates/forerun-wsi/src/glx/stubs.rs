//! Dispatch stubs: what libGLX hands to programs for the extension functions that it does not know itself. A stub finds the vendor
//! and calls that vendor's function.

use super::abi::exports;
use super::tokens::*;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

/// The function that has that dispatch index in the vendor.
fn entry(vendor: *mut c_void, index: &AtomicI32) -> Option<*mut c_void> {
    if vendor.is_null() {
        return None;
    }
    let fetch = exports()?.fetch_dispatch_entry?;
    // SAFETY: a vendor that libGLX gave, and an index that it gave.
    let entry = unsafe { fetch(vendor, index.load(Ordering::Relaxed)) };
    (!entry.is_null()).then_some(entry)
}

fn of_current(index: &AtomicI32) -> Option<*mut c_void> {
    let ask = exports()?.get_current_dyn_dispatch?;
    // SAFETY: a function of libGLX without arguments.
    entry(unsafe { ask() }, index)
}

fn of_screen(display: XDisplay, screen: c_int, index: &AtomicI32) -> Option<*mut c_void> {
    let ask = exports()?.get_dyn_dispatch?;
    // SAFETY: the program's arguments, as libGLX takes them.
    entry(unsafe { ask(display, screen) }, index)
}

fn of_drawable(display: XDisplay, drawable: Xid, index: &AtomicI32) -> Option<*mut c_void> {
    let ask = exports()?.vendor_from_drawable?;
    // SAFETY: the program's arguments, as libGLX takes them.
    entry(unsafe { ask(display, drawable) }, index)
}

#[allow(non_upper_case_globals)]
mod index {
    use super::AtomicI32;
    pub static glXSwapIntervalEXT: AtomicI32 = AtomicI32::new(-1);
    pub static glXSwapIntervalMESA: AtomicI32 = AtomicI32::new(-1);
    pub static glXGetSwapIntervalMESA: AtomicI32 = AtomicI32::new(-1);
    pub static glXSwapIntervalSGI: AtomicI32 = AtomicI32::new(-1);
    pub static glXQueryRendererIntegerMESA: AtomicI32 = AtomicI32::new(-1);
    pub static glXQueryRendererStringMESA: AtomicI32 = AtomicI32::new(-1);
    pub static glXQueryCurrentRendererIntegerMESA: AtomicI32 = AtomicI32::new(-1);
    pub static glXQueryCurrentRendererStringMESA: AtomicI32 = AtomicI32::new(-1);
}

#[allow(non_snake_case)]
unsafe extern "C" fn glXSwapIntervalEXT(display: XDisplay, drawable: Xid, interval: c_int) {
    match of_drawable(display, drawable, &index::glXSwapIntervalEXT) {
        // SAFETY: the entry is the vendor's function of this name, so it has this type.
        Some(entry) => unsafe {
            let call: unsafe extern "C" fn(XDisplay, Xid, c_int) = std::mem::transmute(entry);
            call(display, drawable, interval);
        },
        // Nobody's drawable: the error is ours to send.
        None => {
            super::error::enter("glXSwapIntervalEXT", display, opcode::VENDOR_PRIVATE, (), || {
                super::error::fail(
                    super::error::GLX_BAD_DRAWABLE,
                    drawable,
                    "no vendor has the drawable",
                )
            })
        }
    }
}

#[allow(non_snake_case)]
unsafe extern "C" fn glXSwapIntervalMESA(interval: c_uint) -> c_int {
    match of_current(&index::glXSwapIntervalMESA) {
        // SAFETY: the entry is the vendor's function of this name, so it has this type.
        Some(entry) => unsafe {
            let call: unsafe extern "C" fn(c_uint) -> c_int = std::mem::transmute(entry);
            call(interval)
        },
        None => BAD_CONTEXT,
    }
}

#[allow(non_snake_case)]
unsafe extern "C" fn glXGetSwapIntervalMESA() -> c_int {
    match of_current(&index::glXGetSwapIntervalMESA) {
        // SAFETY: the entry is the vendor's function of this name, so it has this type.
        Some(entry) => unsafe {
            let call: unsafe extern "C" fn() -> c_int = std::mem::transmute(entry);
            call()
        },
        None => 0,
    }
}

#[allow(non_snake_case)]
unsafe extern "C" fn glXSwapIntervalSGI(interval: c_int) -> c_int {
    match of_current(&index::glXSwapIntervalSGI) {
        // SAFETY: the entry is the vendor's function of this name, so it has this type.
        Some(entry) => unsafe {
            let call: unsafe extern "C" fn(c_int) -> c_int = std::mem::transmute(entry);
            call(interval)
        },
        None => BAD_CONTEXT,
    }
}

#[allow(non_snake_case)]
unsafe extern "C" fn glXQueryRendererIntegerMESA(
    display: XDisplay,
    screen: c_int,
    renderer: c_int,
    attribute: c_int,
    value: *mut c_uint,
) -> Bool {
    match of_screen(display, screen, &index::glXQueryRendererIntegerMESA) {
        // SAFETY: the entry is the vendor's function of this name, so it has this type.
        Some(entry) => unsafe {
            let call: unsafe extern "C" fn(XDisplay, c_int, c_int, c_int, *mut c_uint) -> Bool =
                std::mem::transmute(entry);
            call(display, screen, renderer, attribute, value)
        },
        None => FALSE,
    }
}

#[allow(non_snake_case)]
unsafe extern "C" fn glXQueryRendererStringMESA(
    display: XDisplay,
    screen: c_int,
    renderer: c_int,
    attribute: c_int,
) -> *const c_char {
    match of_screen(display, screen, &index::glXQueryRendererStringMESA) {
        // SAFETY: the entry is the vendor's function of this name, so it has this type.
        Some(entry) => unsafe {
            let call: unsafe extern "C" fn(XDisplay, c_int, c_int, c_int) -> *const c_char =
                std::mem::transmute(entry);
            call(display, screen, renderer, attribute)
        },
        None => std::ptr::null(),
    }
}

#[allow(non_snake_case)]
unsafe extern "C" fn glXQueryCurrentRendererIntegerMESA(
    attribute: c_int,
    value: *mut c_uint,
) -> Bool {
    match of_current(&index::glXQueryCurrentRendererIntegerMESA) {
        // SAFETY: the entry is the vendor's function of this name, so it has this type.
        Some(entry) => unsafe {
            let call: unsafe extern "C" fn(c_int, *mut c_uint) -> Bool = std::mem::transmute(entry);
            call(attribute, value)
        },
        None => FALSE,
    }
}

#[allow(non_snake_case)]
unsafe extern "C" fn glXQueryCurrentRendererStringMESA(attribute: c_int) -> *const c_char {
    match of_current(&index::glXQueryCurrentRendererStringMESA) {
        // SAFETY: the entry is the vendor's function of this name, so it has this type.
        Some(entry) => unsafe {
            let call: unsafe extern "C" fn(c_int) -> *const c_char = std::mem::transmute(entry);
            call(attribute)
        },
        None => std::ptr::null(),
    }
}

fn row(name: &CStr) -> Option<(*const c_void, &'static AtomicI32)> {
    Some(match name.to_bytes() {
        b"glXSwapIntervalEXT" => (glXSwapIntervalEXT as *const c_void, &index::glXSwapIntervalEXT),
        b"glXSwapIntervalMESA" => {
            (glXSwapIntervalMESA as *const c_void, &index::glXSwapIntervalMESA)
        }
        b"glXGetSwapIntervalMESA" => {
            (glXGetSwapIntervalMESA as *const c_void, &index::glXGetSwapIntervalMESA)
        }
        b"glXSwapIntervalSGI" => (glXSwapIntervalSGI as *const c_void, &index::glXSwapIntervalSGI),
        b"glXQueryRendererIntegerMESA" => {
            (glXQueryRendererIntegerMESA as *const c_void, &index::glXQueryRendererIntegerMESA)
        }
        b"glXQueryRendererStringMESA" => {
            (glXQueryRendererStringMESA as *const c_void, &index::glXQueryRendererStringMESA)
        }
        b"glXQueryCurrentRendererIntegerMESA" => (
            glXQueryCurrentRendererIntegerMESA as *const c_void,
            &index::glXQueryCurrentRendererIntegerMESA,
        ),
        b"glXQueryCurrentRendererStringMESA" => (
            glXQueryCurrentRendererStringMESA as *const c_void,
            &index::glXQueryCurrentRendererStringMESA,
        ),
        _ => return None,
    })
}

/// The stub of that name, or null.
pub fn find(name: &CStr) -> *const c_void {
    row(name).map_or(std::ptr::null(), |row| row.0)
}

/// Remembers which index libGLX gave that function.
pub fn set_index(name: &CStr, value: c_int) {
    if let Some((_, index)) = row(name) {
        index.store(value, Ordering::Relaxed);
    }
}

/// Forgets the indices of an earlier libGLX.
pub fn reset() {
    for index in [
        &index::glXSwapIntervalEXT,
        &index::glXSwapIntervalMESA,
        &index::glXGetSwapIntervalMESA,
        &index::glXSwapIntervalSGI,
        &index::glXQueryRendererIntegerMESA,
        &index::glXQueryRendererStringMESA,
        &index::glXQueryCurrentRendererIntegerMESA,
        &index::glXQueryCurrentRendererStringMESA,
    ] {
        index.store(-1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stub_has_a_function_behind_it() {
        for name in [
            c"glXSwapIntervalEXT",
            c"glXSwapIntervalMESA",
            c"glXGetSwapIntervalMESA",
            c"glXSwapIntervalSGI",
            c"glXQueryRendererIntegerMESA",
            c"glXQueryRendererStringMESA",
            c"glXQueryCurrentRendererIntegerMESA",
            c"glXQueryCurrentRendererStringMESA",
        ] {
            assert!(!find(name).is_null(), "{name:?}");
            assert!(!crate::procs::find(name).is_null(), "{name:?}");
        }
        assert!(find(c"glXNothing").is_null());
    }

    #[test]
    fn without_a_context_the_interval_is_refused() {
        // SAFETY: no pointers.
        unsafe {
            assert_eq!(glXSwapIntervalSGI(1), BAD_CONTEXT);
            assert_eq!(glXSwapIntervalMESA(1), BAD_CONTEXT);
            assert_eq!(glXGetSwapIntervalMESA(), 0);
        }
    }
}
