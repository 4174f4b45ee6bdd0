//! GLX_MESA_query_renderer: what draws, asked without a context. There is one renderer, number 0: what the server said of itself at the
//! session's start.

use crate::glx::tokens::*;
use crate::{current, session, settings};
use forerun_pipe::caps::{Caps, feature};
use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::ptr;
use std::sync::OnceLock;

/// What stands for a PCI id where there is none.
const NO_ID: c_uint = 0xFFFF_FFFF;

/// Values of an attribute, in the extension's order; `None` for what is no attribute and for what no server tells.
fn integers(caps: &Caps, attribute: c_int, memory: Option<u64>) -> Option<Vec<c_uint>> {
    let version = |version: u32| vec![version / 10, version % 10];
    let software = caps.has(feature::SOFTWARE);
    Some(match attribute {
        // The device is the server's, and no bus of this process has it.
        RENDERER_VENDOR_ID | RENDERER_DEVICE_ID => vec![NO_ID],
        RENDERER_VERSION => {
            let number = |text: &str| text.parse().unwrap_or(0);
            vec![
                number(env!("CARGO_PKG_VERSION_MAJOR")),
                number(env!("CARGO_PKG_VERSION_MINOR")),
                number(env!("CARGO_PKG_VERSION_PATCH")),
            ]
        }
        RENDERER_ACCELERATED => vec![c_uint::from(!software)],
        // What draws on the CPU has the machine's memory; that of a device is told by nobody.
        RENDERER_VIDEO_MEMORY if software => vec![c_uint::try_from(memory? >> 20).ok()?],
        RENDERER_UNIFIED_MEMORY_ARCHITECTURE if software => vec![1],
        RENDERER_PREFERRED_PROFILE => vec![CONTEXT_CORE_PROFILE_BIT as c_uint],
        RENDERER_OPENGL_CORE_PROFILE_VERSION => version(caps.max_core),
        // Neither is there.
        RENDERER_OPENGL_COMPATIBILITY_PROFILE_VERSION | RENDERER_OPENGL_ES_PROFILE_VERSION => {
            version(0)
        }
        RENDERER_OPENGL_ES2_PROFILE_VERSION => version(caps.max_es),
        _ => return None,
    })
}

/// Bytes of memory that this machine has.
fn memory() -> Option<u64> {
    // SAFETY: plain questions to the C library.
    let (pages, page) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    Some(u64::try_from(pages).ok()? * u64::try_from(page).ok()?)
}

/// Answers a question about integers.
///
/// # Safety
/// `value` is null or has room for the attribute's values.
unsafe fn integer(caps: &Caps, attribute: c_int, value: *mut c_uint) -> Bool {
    let Some(values) = integers(caps, attribute, memory()).filter(|_| !value.is_null()) else {
        return FALSE;
    };
    for (index, number) in values.iter().enumerate() {
        // SAFETY: the caller promised the room.
        unsafe { value.add(index).write(*number) };
    }
    TRUE
}

/// Answers a question about a string.
fn string(caps: &Caps, attribute: c_int) -> *const c_char {
    static RENDERER: OnceLock<CString> = OnceLock::new();
    let text: &CStr = match attribute {
        RENDERER_VENDOR_ID => c"Forerun",
        RENDERER_DEVICE_ID => RENDERER.get_or_init(|| {
            CString::new(forerun_gl::renderer(caps).replace('\0', " ")).unwrap_or_default()
        }),
        _ => return ptr::null(),
    };
    text.as_ptr()
}

/// Does something with what the server said of a screen's renderer. Where that is not, it gives `otherwise`; a missing server is told.
fn of_screen<T>(
    display: XDisplay,
    screen: c_int,
    renderer: c_int,
    otherwise: T,
    work: impl FnOnce(&Caps) -> T,
) -> T {
    if renderer != 0 || !(0..crate::glx::xlib::screens(display)).contains(&screen) {
        return otherwise;
    }
    let caps = match session::caps() {
        Ok(caps) => caps,
        Err(why) => {
            settings::complain(&why);
            return otherwise;
        }
    };
    if current::get().is_none() {
        session::leave_thread();
    }
    work(&caps)
}

/// glXQueryRendererIntegerMESA.
pub unsafe extern "C" fn glXQueryRendererIntegerMESA(
    display: XDisplay,
    screen: c_int,
    renderer: c_int,
    attribute: c_int,
    value: *mut c_uint,
) -> Bool {
    // SAFETY: the extension says how many values each attribute has.
    of_screen(display, screen, renderer, FALSE, |caps| unsafe { integer(caps, attribute, value) })
}

/// glXQueryRendererStringMESA.
pub unsafe extern "C" fn glXQueryRendererStringMESA(
    display: XDisplay,
    screen: c_int,
    renderer: c_int,
    attribute: c_int,
) -> *const c_char {
    of_screen(display, screen, renderer, ptr::null(), |caps| string(caps, attribute))
}

/// glXQueryCurrentRendererIntegerMESA. Without a current context there is nothing to ask.
pub unsafe extern "C" fn glXQueryCurrentRendererIntegerMESA(
    attribute: c_int,
    value: *mut c_uint,
) -> Bool {
    let Some(binding) = current::get() else { return FALSE };
    // SAFETY: the extension says how many values each attribute has.
    unsafe { integer(&binding.context.group.caps, attribute, value) }
}

/// glXQueryCurrentRendererStringMESA.
pub unsafe extern "C" fn glXQueryCurrentRendererStringMESA(attribute: c_int) -> *const c_char {
    match current::get() {
        Some(binding) => string(&binding.context.group.caps, attribute),
        None => ptr::null(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renderer_is_what_the_server_said() {
        let mut caps = Caps { max_core: 45, max_es: 32, ..Caps::default() };
        let ask = |caps: &Caps, attribute| integers(caps, attribute, Some(3 << 30));
        assert_eq!(ask(&caps, RENDERER_OPENGL_CORE_PROFILE_VERSION), Some(vec![4, 5]));
        assert_eq!(ask(&caps, RENDERER_OPENGL_ES2_PROFILE_VERSION), Some(vec![3, 2]));
        assert_eq!(ask(&caps, RENDERER_OPENGL_COMPATIBILITY_PROFILE_VERSION), Some(vec![0, 0]));
        assert_eq!(ask(&caps, RENDERER_ACCELERATED), Some(vec![1]));
        assert_eq!(ask(&caps, RENDERER_VIDEO_MEMORY), None);
        caps.features |= feature::SOFTWARE;
        assert_eq!(ask(&caps, RENDERER_ACCELERATED), Some(vec![0]));
        assert_eq!(ask(&caps, RENDERER_VIDEO_MEMORY), Some(vec![3072]));
        assert_eq!(ask(&caps, RENDERER_VERSION).map(|v| v.len()), Some(3));
        assert_eq!(ask(&caps, 0x8182), None);
    }
}
