//! `struct wl_egl_window` of libwayland-egl, version 3 (`wayland-egl-backend.h`): what a program makes of a surface and a size, and what
//! a driver and that library tell each other through.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The struct as that header has it.
#[repr(C)]
struct EglWindow {
    version: isize,
    width: c_int,
    height: c_int,
    dx: c_int,
    dy: c_int,
    attached_width: c_int,
    attached_height: c_int,
    driver_private: *mut c_void,
    resize_callback: Option<unsafe extern "C" fn(*mut EglWindow, *mut c_void)>,
    destroy_window_callback: Option<unsafe extern "C" fn(*mut c_void)>,
    surface: *mut c_void,
}

/// Versions that have this layout; before it the first member was a pointer, which is no small number.
const VERSIONS: std::ops::Range<isize> = 3..4096;

/// A program's window, until the program destroys it.
pub struct Native(AtomicPtr<EglWindow>);

/// libwayland-egl destroys the window: nothing is read of it from now on.
unsafe extern "C" fn destroyed(private: *mut c_void) {
    // SAFETY: what `Native::claim` stored there, which lives until `Native::give_back` takes it from there.
    if let Some(native) = unsafe { private.cast::<Native>().as_ref() } {
        native.0.store(ptr::null_mut(), Ordering::Release);
    }
}

impl Native {
    /// Takes a window for a surface; `None` when it is none of this layout, has a driver already, or stands for no `wl_surface`. Also gives
    /// that `wl_surface`.
    ///
    /// # Safety
    /// `window` is null or a `struct wl_egl_window` of any version.
    pub unsafe fn claim(window: usize) -> Option<(Arc<Native>, *mut c_void)> {
        let window = window as *mut EglWindow;
        if window.is_null() || !window.is_aligned() {
            return None;
        }
        let native = Arc::new(Native(AtomicPtr::new(window)));
        // SAFETY: the caller's promise; a member behind the version is touched only where it is known.
        unsafe {
            if !VERSIONS.contains(&(*window).version) || (*window).surface.is_null() {
                return None;
            }
            if !(*window).driver_private.is_null() {
                return None;
            }
            (*window).driver_private = Arc::as_ptr(&native).cast_mut().cast();
            (*window).destroy_window_callback = Some(destroyed);
            Some((native, (*window).surface))
        }
    }

    fn get(&self) -> Option<*mut EglWindow> {
        let window = self.0.load(Ordering::Acquire);
        (!window.is_null()).then_some(window)
    }

    /// The size that the program wants, in pixels; `None` when the window is gone.
    pub fn size(&self) -> Option<(u32, u32)> {
        let window = self.get()?;
        // SAFETY: the program has the window still; it changes these words on the thread that also draws, as the library asks.
        let (width, height) =
            unsafe { ((&raw const (*window).width).read(), (&raw const (*window).height).read()) };
        Some((u32::try_from(width).unwrap_or(0), u32::try_from(height).unwrap_or(0)))
    }

    /// How far the picture moves with the next commit. It is then used up, and the size is the attached one.
    pub fn attach(&self, width: u32, height: u32) -> (i32, i32) {
        let Some(window) = self.get() else { return (0, 0) };
        // SAFETY: as above.
        unsafe {
            let moved = ((*window).dx, (*window).dy);
            ((*window).dx, (*window).dy) = (0, 0);
            (*window).attached_width = width as c_int;
            (*window).attached_height = height as c_int;
            moved
        }
    }

    /// Gives the window back to the program, for another surface.
    pub fn give_back(&self) {
        let Some(window) = self.get() else { return };
        // SAFETY: the program has the window still, and the claim is this one's.
        unsafe {
            (*window).driver_private = ptr::null_mut();
            (*window).destroy_window_callback = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(version: isize) -> EglWindow {
        EglWindow {
            version,
            width: 30,
            height: 20,
            dx: 5,
            dy: -6,
            attached_width: 0,
            attached_height: 0,
            driver_private: ptr::null_mut(),
            resize_callback: None,
            destroy_window_callback: None,
            surface: 16 as *mut c_void,
        }
    }

    #[test]
    fn a_window_is_claimed_once_and_given_back() {
        let mut one = window(3);
        let address = &raw mut one as usize;
        // SAFETY: windows of this test.
        unsafe {
            let (native, surface) = Native::claim(address).unwrap();
            assert_eq!((surface as usize, native.size()), (16, Some((30, 20))));
            assert!(Native::claim(address).is_none(), "one driver at a time");
            assert_eq!(native.attach(30, 20), (5, -6));
            assert_eq!(native.attach(30, 20), (0, 0));
            assert_eq!((one.attached_width, one.attached_height), (30, 20));
            native.give_back();
            assert!(Native::claim(address).is_some());
        }
    }

    #[test]
    fn a_destroyed_window_is_read_no_more() {
        let mut one = window(3);
        // SAFETY: windows of this test.
        unsafe {
            let (native, _) = Native::claim(&raw mut one as usize).unwrap();
            one.destroy_window_callback.unwrap()(one.driver_private);
            assert_eq!(native.size(), None);
        }
    }

    #[test]
    fn what_has_another_layout_is_refused() {
        let mut old = window(0x7f00_1234_5000);
        let mut bare = window(3);
        bare.surface = ptr::null_mut();
        // SAFETY: windows of this test.
        unsafe {
            assert!(Native::claim(0).is_none());
            assert!(Native::claim(&raw mut old as usize).is_none());
            assert!(Native::claim(&raw mut bare as usize).is_none());
        }
    }
}
