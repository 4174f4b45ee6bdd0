//! The few functions of Xlib that GLX needs, taken from the libX11 that the program has loaded.

use super::tokens::XDisplay;
use crate::foreign;
use std::ffi::{CStr, c_char, c_int, c_long, c_ulong, c_void};
use std::sync::OnceLock;

/// XVisualInfo.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct VisualInfo {
    visual: *mut c_void,
    /// XID of the visual.
    pub visualid: c_ulong,
    /// Its screen.
    pub screen: c_int,
    /// Bits.
    pub depth: c_int,
    class: c_int,
    red_mask: c_ulong,
    green_mask: c_ulong,
    blue_mask: c_ulong,
    colormap_size: c_int,
    bits_per_rgb: c_int,
}

/// XErrorEvent.
#[repr(C)]
pub struct ErrorEvent {
    kind: c_int,
    display: XDisplay,
    resource: c_ulong,
    serial: c_ulong,
    error: u8,
    major: u8,
    minor: u8,
}

type CloseHook = unsafe extern "C" fn(XDisplay, *mut c_void) -> c_int;
type ErrorHandler = unsafe extern "C" fn(XDisplay, *mut ErrorEvent) -> c_int;

struct Xlib {
    get_visual_info:
        unsafe extern "C" fn(XDisplay, c_long, *const VisualInfo, *mut c_int) -> *mut VisualInfo,
    query_extension:
        unsafe extern "C" fn(XDisplay, *const c_char, *mut c_int, *mut c_int, *mut c_int) -> c_int,
    next_request: unsafe extern "C" fn(XDisplay) -> c_ulong,
    no_op: unsafe extern "C" fn(XDisplay) -> c_int,
    screen_count: unsafe extern "C" fn(XDisplay) -> c_int,
    add_extension: unsafe extern "C" fn(XDisplay) -> *mut c_int,
    on_close: unsafe extern "C" fn(XDisplay, c_int, CloseHook) -> *mut c_void,
    error_handler: *const Option<ErrorHandler>,
}

// SAFETY: addresses of functions and of one variable of a library that is never unloaded.
unsafe impl Send for Xlib {}
// SAFETY: as above.
unsafe impl Sync for Xlib {}

/// A function of Xlib by its address.
///
/// # Safety
/// The address is that of a function of this type.
unsafe fn function<F: Copy>(address: *mut c_void) -> F {
    // SAFETY: the caller's promise; a function pointer has the size of any pointer.
    unsafe { std::mem::transmute_copy(&address) }
}

fn xlib() -> Option<&'static Xlib> {
    static XLIB: OnceLock<Option<Xlib>> = OnceLock::new();
    XLIB.get_or_init(|| {
        let find = |name: &CStr| foreign::loaded(c"libX11.so.6", name);
        // SAFETY: these are the types that Xlib's headers give these names.
        unsafe {
            Some(Xlib {
                get_visual_info: function(find(c"XGetVisualInfo")?),
                query_extension: function(find(c"XQueryExtension")?),
                next_request: function(find(c"XNextRequest")?),
                no_op: function(find(c"XNoOp")?),
                screen_count: function(find(c"XScreenCount")?),
                add_extension: function(find(c"XAddExtension")?),
                on_close: function(find(c"XESetCloseDisplay")?),
                error_handler: find(c"_XErrorFunction")? as *const Option<ErrorHandler>,
            })
        }
    })
    .as_ref()
}

/// Screens of a display; 0 without Xlib.
pub fn screens(display: XDisplay) -> c_int {
    // SAFETY: a display of the program, which called GLX with it.
    xlib().map_or(0, |xlib| unsafe { (xlib.screen_count)(display) })
}

/// The XVisualInfo of a visual, to be freed by the program with XFree; null when there is none.
pub fn visual_info(display: XDisplay, screen: c_int, visual: u32) -> *mut VisualInfo {
    const BY_ID_AND_SCREEN: c_long = 0x1 | 0x2;
    let Some(xlib) = xlib() else { return std::ptr::null_mut() };
    // SAFETY: all-zero is a value of this plain struct.
    let mut wanted: VisualInfo = unsafe { std::mem::zeroed() };
    (wanted.visualid, wanted.screen) = (visual.into(), screen);
    let mut count = 0;
    // SAFETY: a display of the program, a template, and room for the number.
    unsafe { (xlib.get_visual_info)(display, BY_ID_AND_SCREEN, &wanted, &mut count) }
}

/// Runs `hook` when the program closes the display.
pub fn watch_close(display: XDisplay, hook: CloseHook) {
    let Some(xlib) = xlib() else { return };
    // SAFETY: a display of the program. What XAddExtension returns begins with the extension's number.
    unsafe {
        let codes = (xlib.add_extension)(display);
        if !codes.is_null() {
            (xlib.on_close)(display, *codes, hook);
        }
    }
}

/// Major opcode and first error of GLX on that display, if its X server has GLX. Asks the X server.
pub fn glx_codes(display: XDisplay) -> Option<(u8, u8)> {
    let xlib = xlib()?;
    let (mut major, mut event, mut error) = (0, 0, 0);
    // SAFETY: a display of the program, a terminated name, room for the numbers.
    let there = unsafe {
        (xlib.query_extension)(display, c"GLX".as_ptr(), &mut major, &mut event, &mut error)
    };
    (there != 0).then_some((major as u8, error as u8))
}

/// Hands an X error to the program's handler, which may end the program. No lock of ours may be held.
pub fn raise(display: XDisplay, error: u8, major: u8, minor: u8, resource: c_ulong) {
    let Some(xlib) = xlib() else { return };
    // SAFETY: a display of the program. The handler is Xlib's variable, set by XOpenDisplay at the latest, and read as Xlib reads it.
    unsafe {
        // Traps of toolkits look at the serial: the error belongs to a request made since the trap was set.
        (xlib.no_op)(display);
        let serial = (xlib.next_request)(display).wrapping_sub(1);
        let mut event = ErrorEvent { kind: 0, display, resource, serial, error, major, minor };
        if let Some(handler) = xlib.error_handler.read_volatile() {
            handler(display, &mut event);
        }
    }
}
