//! Dispatch stubs: what libEGL hands to programs for the extension functions that it does not know itself. A stub finds the
//! display's vendor and calls that vendor's function.

use crate::abi::exports;
use crate::egl::*;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

/// By which of its arguments a function finds its vendor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Display,
    Device,
}

/// The function that has that dispatch index in the vendor of a display or device.
fn target(handle: usize, by: By, index: &AtomicI32) -> Option<*mut c_void> {
    let exports = exports()?;
    let index = index.load(Ordering::Relaxed);
    // SAFETY: the calls that glvnd's ABI prescribes for a stub, in its order.
    unsafe {
        (exports.thread_init?)();
        let (vendor, error) = match by {
            By::Display => ((exports.get_vendor_from_display?)(handle), BAD_DISPLAY),
            By::Device => ((exports.get_vendor_from_device?)(handle), BAD_DEVICE_EXT),
        };
        if vendor.is_null() {
            (exports.set_egl_error?)(error);
            return None;
        }
        let entry = (exports.fetch_dispatch_entry?)(vendor, index);
        if entry.is_null() {
            (exports.set_egl_error?)(BAD_PARAMETER);
            return None;
        }
        (exports.set_last_vendor?)(vendor);
        Some(entry)
    }
}

macro_rules! stubs {
    ($( $by:ident $name:ident ( $($arg:ident : $ty:ty),* ) -> $ret:ty = $failed:expr; )*) => {
        #[allow(non_snake_case)]
        mod stub {
            use super::*;
            $( pub unsafe extern "C" fn $name(handle: usize $(, $arg: $ty)*) -> $ret {
                match target(handle, By::$by, &index::$name) {
                    // SAFETY: the entry is the vendor's function of this name, so it has this type.
                    Some(entry) => unsafe {
                        let call: unsafe extern "C" fn(usize $(, $ty)*) -> $ret = std::mem::transmute(entry);
                        call(handle $(, $arg)*)
                    },
                    None => $failed,
                }
            } )*
        }

        #[allow(non_upper_case_globals)]
        mod index {
            use super::AtomicI32;
            $( pub static $name: AtomicI32 = AtomicI32::new(-1); )*
        }

        /// The stub of that name.
        pub fn find(name: &CStr) -> *const c_void {
            match name.to_bytes() {
                $( n if n == stringify!($name).as_bytes() => stub::$name as *const c_void, )*
                _ => std::ptr::null(),
            }
        }

        /// Remembers which index libEGL gave that function.
        pub fn set_index(name: &CStr, value: c_int) {
            match name.to_bytes() {
                $( n if n == stringify!($name).as_bytes() => index::$name.store(value, Ordering::Relaxed), )*
                _ => {}
            }
        }

        /// Forgets the indices of an earlier libEGL.
        pub fn reset() {
            $( index::$name.store(-1, Ordering::Relaxed); )*
        }
    };
}

stubs! {
    Display eglCreateSyncKHR(ty: EGLenum, attribs: *const EGLint) -> EGLSync = 0;
    Display eglDestroySyncKHR(sync: EGLSync) -> EGLBoolean = FALSE;
    Display eglClientWaitSyncKHR(sync: EGLSync, flags: EGLint, timeout: EGLTime) -> EGLint = FALSE as EGLint;
    Display eglGetSyncAttribKHR(sync: EGLSync, attribute: EGLint, value: *mut EGLint) -> EGLBoolean = FALSE;
    Display eglWaitSyncKHR(sync: EGLSync, flags: EGLint) -> EGLint = FALSE as EGLint;
    Display eglCreatePlatformWindowSurfaceEXT(config: EGLConfig, window: *mut c_void, attribs: *const EGLint) -> EGLSurface = 0;
    Display eglCreatePlatformPixmapSurfaceEXT(config: EGLConfig, pixmap: *mut c_void, attribs: *const EGLint) -> EGLSurface = 0;
    Display eglSwapBuffersWithDamageKHR(surface: EGLSurface, rects: *const EGLint, count: EGLint) -> EGLBoolean = FALSE;
    Display eglSwapBuffersWithDamageEXT(surface: EGLSurface, rects: *const EGLint, count: EGLint) -> EGLBoolean = FALSE;
    Display eglQueryDisplayAttribEXT(attribute: EGLint, value: *mut EGLAttrib) -> EGLBoolean = FALSE;
    Device eglQueryDeviceAttribEXT(attribute: EGLint, value: *mut EGLAttrib) -> EGLBoolean = FALSE;
    Device eglQueryDeviceStringEXT(name: EGLint) -> *const c_char = std::ptr::null();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stub_has_a_function_behind_it() {
        for name in [
            c"eglCreateSyncKHR",
            c"eglSwapBuffersWithDamageEXT",
            c"eglCreatePlatformWindowSurfaceEXT",
            c"eglQueryDeviceStringEXT",
        ] {
            assert!(!find(name).is_null(), "{name:?}");
            assert!(!crate::procs::find(name).is_null(), "{name:?}");
        }
        assert!(find(c"eglNothing").is_null());
    }
}
