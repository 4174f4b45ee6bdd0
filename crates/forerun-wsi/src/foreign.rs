//! The program's own connection, as far as we must touch it: its display's name, and that what it sent has arrived.

use std::ffi::{CStr, c_char, c_int, c_void};

/// A native display that a program handed to EGL. The pointer is the program's and is used only inside EGL calls that mean it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// `Display *` of Xlib.
    Xlib(usize),
    /// `xcb_connection_t *`.
    Xcb(usize),
    /// None: we connect by ourselves.
    Default,
}

/// A function of a library that the program has loaded; nothing is loaded by this.
pub fn loaded(library: &CStr, function: &CStr) -> Option<*mut c_void> {
    // SAFETY: plain loader calls with terminated names. The handle is kept on purpose: the library must not go before the program.
    unsafe {
        let handle = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() {
            return None;
        }
        let address = libc::dlsym(handle, function.as_ptr());
        if address.is_null() { None } else { Some(address) }
    }
}

impl Foreign {
    /// The display's name, where the connection tells it.
    pub fn name(self) -> Option<String> {
        let Foreign::Xlib(display) = self else { return None };
        let address = loaded(c"libX11.so.6", c"XDisplayString")?;
        // SAFETY: the function has this type, and the program says that this is its Display.
        let name = unsafe {
            let call: unsafe extern "C" fn(usize) -> *const c_char = std::mem::transmute(address);
            call(display)
        };
        if name.is_null() {
            return None;
        }
        // SAFETY: Xlib returns a terminated string that lives as long as the display.
        Some(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }

    /// Screen that the program's connection prefers.
    pub fn screen(self) -> Option<usize> {
        let Foreign::Xlib(display) = self else { return None };
        let address = loaded(c"libX11.so.6", c"XDefaultScreen")?;
        // SAFETY: the function has this type, and the program says that this is its Display.
        let screen = unsafe {
            let call: unsafe extern "C" fn(usize) -> c_int = std::mem::transmute(address);
            call(display)
        };
        usize::try_from(screen).ok()
    }

    /// Waits until the X server has done everything that the program asked for on its own connection, so that a window made there a
    /// moment ago can be seen on ours.
    pub fn sync(self) {
        match self {
            Foreign::Xlib(display) => {
                let Some(address) = loaded(c"libX11.so.6", c"XSync") else { return };
                // SAFETY: the function has this type; the program called EGL with this display, so it may be used now.
                unsafe {
                    let call: unsafe extern "C" fn(usize, c_int) -> c_int =
                        std::mem::transmute(address);
                    call(display, 0);
                }
            }
            Foreign::Xcb(connection) => {
                let (Some(ask), Some(answer)) = (
                    loaded(c"libxcb.so.1", c"xcb_get_input_focus"),
                    loaded(c"libxcb.so.1", c"xcb_get_input_focus_reply"),
                ) else {
                    return;
                };
                // SAFETY: the functions have these types; a reply is ours to free.
                unsafe {
                    let ask: unsafe extern "C" fn(usize) -> u32 = std::mem::transmute(ask);
                    let answer: unsafe extern "C" fn(usize, u32, *mut *mut c_void) -> *mut c_void =
                        std::mem::transmute(answer);
                    let cookie = ask(connection);
                    libc::free(answer(connection, cookie, std::ptr::null_mut()));
                }
            }
            Foreign::Default => {}
        }
    }
}
