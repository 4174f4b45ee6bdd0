//! Displays, configs, strings, the thread's state.

use super::{attrib_pairs, int_pairs, put};
use crate::config::{Config, Request};
use crate::display::{self, Platform};
use crate::egl::*;
use crate::error::{self, Result, enter, fail};
use crate::foreign::Foreign;
use crate::settings;
use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;
use std::sync::OnceLock;

/// Extensions of an initialised display.
const DISPLAY_EXTENSIONS: &[&str] = &[
    "EGL_EXT_buffer_age",
    "EGL_EXT_create_context_robustness",
    "EGL_EXT_pixel_format_float",
    "EGL_EXT_swap_buffers_with_damage",
    "EGL_KHR_context_flush_control",
    "EGL_KHR_create_context",
    "EGL_KHR_create_context_no_error",
    "EGL_KHR_fence_sync",
    "EGL_KHR_get_all_proc_addresses",
    "EGL_KHR_gl_colorspace",
    "EGL_KHR_no_config_context",
    "EGL_KHR_surfaceless_context",
    "EGL_KHR_swap_buffers_with_damage",
    "EGL_KHR_wait_sync",
];

/// Extensions without a display; glvnd shows those that it knows.
const CLIENT_EXTENSIONS: &CStr = c"EGL_EXT_client_extensions EGL_EXT_device_base EGL_EXT_device_enumeration EGL_EXT_device_query \
EGL_EXT_platform_base EGL_EXT_platform_device EGL_EXT_platform_wayland EGL_EXT_platform_x11 EGL_EXT_platform_xcb \
EGL_KHR_client_get_all_proc_addresses EGL_KHR_debug EGL_KHR_platform_wayland EGL_KHR_platform_x11 EGL_MESA_platform_surfaceless EGL_MESA_platform_xcb";

const VERSION_STRING: &CStr = c"1.5 Forerun";

thread_local! {
    static API: Cell<EGLenum> = const { Cell::new(OPENGL_ES_API) };
}

/// What eglBindAPI chose on this thread.
pub fn current_api() -> EGLenum {
    match crate::abi::exports().and_then(|exports| exports.get_current_api) {
        // SAFETY: a function of libEGL without arguments.
        Some(ask) => unsafe { ask() },
        None => API.try_with(Cell::get).unwrap_or(OPENGL_ES_API),
    }
}

/// The import behind eglGetDisplay and eglGetPlatformDisplay.
pub unsafe extern "C" fn get_platform_display(
    platform: EGLenum,
    native: *mut c_void,
    attribs: *const EGLAttrib,
) -> EGLDisplay {
    enter("eglGetPlatformDisplay", 0, || {
        // SAFETY: libEGL passes the program's list on.
        let pairs = unsafe { attrib_pairs(attribs) }?;
        choose_platform(platform, native as usize, &pairs).map(display::get)
    })
}

fn choose_platform(
    platform: EGLenum,
    native: usize,
    pairs: &[(EGLint, EGLint)],
) -> Result<Platform> {
    let mut screen = None;
    for &(name, value) in pairs {
        match (name, platform) {
            (PLATFORM_X11_SCREEN, PLATFORM_X11) | (PLATFORM_XCB_SCREEN, PLATFORM_XCB) => {
                screen = usize::try_from(value).ok();
            }
            (TRACK_REFERENCES_KHR, _) => {}
            _ => return fail(BAD_ATTRIBUTE, format!("{name:#06x} is no attribute of displays")),
        }
    }
    match platform {
        PLATFORM_X11 => {
            let foreign = if native == 0 { Foreign::Default } else { Foreign::Xlib(native) };
            Ok(Platform::X11 { foreign, screen })
        }
        PLATFORM_XCB => {
            let foreign = if native == 0 { Foreign::Default } else { Foreign::Xcb(native) };
            Ok(Platform::X11 { foreign, screen })
        }
        PLATFORM_WAYLAND => Ok(Platform::Wayland(native)),
        PLATFORM_SURFACELESS_MESA if native == 0 => Ok(Platform::Surfaceless),
        PLATFORM_DEVICE_EXT if native == super::device::DEVICE => Ok(Platform::Device),
        PLATFORM_SURFACELESS_MESA | PLATFORM_DEVICE_EXT => {
            fail(BAD_PARAMETER, "no native display of that platform")
        }
        PLATFORM_NONE => {
            let x11 = Platform::X11 { foreign: Foreign::Default, screen: None };
            match std::env::var("EGL_PLATFORM").as_deref() {
                Ok("surfaceless") => Ok(Platform::Surfaceless),
                Ok("device") => Ok(Platform::Device),
                Ok("x11") => Ok(x11),
                Ok("wayland") => Ok(Platform::Wayland(0)),
                _ if std::env::var_os("DISPLAY").is_some() => Ok(x11),
                _ => Ok(Platform::Surfaceless),
            }
        }
        _ => fail(BAD_PARAMETER, format!("platform {platform:#06x} is not served")),
    }
}

/// eglGetError.
pub unsafe extern "C" fn eglGetError() -> EGLint {
    error::take()
}

/// eglInitialize.
pub unsafe extern "C" fn eglInitialize(
    display: EGLDisplay,
    major: *mut EGLint,
    minor: *mut EGLint,
) -> EGLBoolean {
    enter("eglInitialize", FALSE, || {
        display::find(display)?.initialize()?;
        if crate::current::get().is_none() {
            crate::session::leave_thread();
        }
        // SAFETY: null or writable, says the specification.
        unsafe {
            put(major, 1);
            put(minor, 5);
        }
        Ok(TRUE)
    })
}

/// eglTerminate.
pub unsafe extern "C" fn eglTerminate(display: EGLDisplay) -> EGLBoolean {
    enter("eglTerminate", FALSE, || {
        display::find(display)?.terminate();
        Ok(TRUE)
    })
}

/// eglBindAPI.
pub unsafe extern "C" fn eglBindAPI(api: EGLenum) -> EGLBoolean {
    enter("eglBindAPI", FALSE, || {
        if !matches!(api, OPENGL_ES_API | OPENGL_API) {
            return fail(BAD_PARAMETER, format!("client API {api:#06x} is not served"));
        }
        let _ = API.try_with(|current| current.set(api));
        Ok(TRUE)
    })
}

/// eglReleaseThread.
pub unsafe extern "C" fn eglReleaseThread() -> EGLBoolean {
    enter("eglReleaseThread", FALSE, || {
        crate::current::release();
        let _ = API.try_with(|current| current.set(OPENGL_ES_API));
        Ok(TRUE)
    })
}

/// The display's extensions, edited as the knob says.
fn display_extensions() -> &'static CStr {
    static STRING: OnceLock<CString> = OnceLock::new();
    STRING.get_or_init(|| {
        let edits = settings::knobs().map_or(&[][..], |knobs| &knobs.extensions);
        CString::new(settings::edited("EGL_", DISPLAY_EXTENSIONS, edits)).unwrap_or_default()
    })
}

/// eglQueryString.
pub unsafe extern "C" fn eglQueryString(display: EGLDisplay, name: EGLint) -> *const c_char {
    enter("eglQueryString", ptr::null(), || {
        if display == 0 {
            return match name {
                EXTENSIONS => Ok(CLIENT_EXTENSIONS.as_ptr()),
                VERSION => Ok(VERSION_STRING.as_ptr()),
                _ => fail(BAD_DISPLAY, "that string belongs to a display"),
            };
        }
        display::live(display)?;
        let text = match name {
            CLIENT_APIS => c"OpenGL_ES OpenGL",
            EXTENSIONS => display_extensions(),
            VENDOR => c"Forerun",
            VERSION => VERSION_STRING,
            _ => return fail(BAD_PARAMETER, format!("there is no string {name:#06x}")),
        };
        Ok(text.as_ptr())
    })
}

/// Writes config handles; without room only their number.
unsafe fn put_configs(
    found: &[Config],
    configs: *mut EGLConfig,
    size: EGLint,
    count: *mut EGLint,
) -> Result<EGLBoolean> {
    if count.is_null() {
        return fail(BAD_PARAMETER, "there is nowhere to write the number of configs");
    }
    let mut written = found.len();
    if !configs.is_null() {
        written = written.min(usize::try_from(size).unwrap_or(0));
        for (index, config) in found.iter().take(written).enumerate() {
            // SAFETY: the program has room for `size` handles.
            unsafe { configs.add(index).write(config.id as usize) };
        }
    }
    // SAFETY: checked above.
    unsafe { count.write(written as EGLint) };
    Ok(TRUE)
}

/// eglGetConfigs.
pub unsafe extern "C" fn eglGetConfigs(
    display: EGLDisplay,
    configs: *mut EGLConfig,
    size: EGLint,
    count: *mut EGLint,
) -> EGLBoolean {
    enter("eglGetConfigs", FALSE, || {
        let live = display::live(display)?;
        // SAFETY: as the specification says of these arguments.
        unsafe { put_configs(&live.configs, configs, size, count) }
    })
}

/// eglChooseConfig.
pub unsafe extern "C" fn eglChooseConfig(
    display: EGLDisplay,
    attribs: *const EGLint,
    configs: *mut EGLConfig,
    size: EGLint,
    count: *mut EGLint,
) -> EGLBoolean {
    enter("eglChooseConfig", FALSE, || {
        let live = display::live(display)?;
        // SAFETY: null or a list.
        let request = Request::parse(&unsafe { int_pairs(attribs) }?)?;
        let mut found = request.choose(&live.configs);
        if let (Some(pixmap), Some(x)) = (request.pixmap, &live.x) {
            let depth = x.geometry(pixmap as u32).map(|g| g.depth);
            let Ok(depth) = depth else {
                return fail(BAD_NATIVE_PIXMAP, format!("{pixmap:#x} is no pixmap"));
            };
            found.retain(|c| c.visual.is_some_and(|v| v.depth == depth));
        }
        // SAFETY: as the specification says of these arguments.
        unsafe { put_configs(&found, configs, size, count) }
    })
}

/// eglGetConfigAttrib.
pub unsafe extern "C" fn eglGetConfigAttrib(
    display: EGLDisplay,
    config: EGLConfig,
    attribute: EGLint,
    value: *mut EGLint,
) -> EGLBoolean {
    enter("eglGetConfigAttrib", FALSE, || {
        let live = display::live(display)?;
        let found = live.config(config)?.get(attribute)?;
        // SAFETY: null or writable.
        unsafe { put(value, found) };
        Ok(TRUE)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_told_apart() {
        let choose = |platform, native| choose_platform(platform, native, &[]).map_err(|e| e.code);
        let xlib = Platform::X11 { foreign: Foreign::Xlib(0x1000), screen: None };
        assert_eq!(choose(PLATFORM_X11, 0x1000), Ok(xlib));
        assert_eq!(choose(PLATFORM_SURFACELESS_MESA, 0), Ok(Platform::Surfaceless));
        assert_eq!(choose(PLATFORM_SURFACELESS_MESA, 8), Err(BAD_PARAMETER));
        assert_eq!(choose(PLATFORM_DEVICE_EXT, 0), Err(BAD_PARAMETER));
        assert_eq!(choose(0x31D7, 0), Err(BAD_PARAMETER));
        let screened = choose_platform(PLATFORM_X11, 0, &[(PLATFORM_X11_SCREEN, 1)]);
        assert_eq!(screened, Ok(Platform::X11 { foreign: Foreign::Default, screen: Some(1) }));
        let wrong = choose_platform(PLATFORM_SURFACELESS_MESA, 0, &[(PLATFORM_X11_SCREEN, 1)]);
        assert_eq!(wrong.map_err(|e| e.code), Err(BAD_ATTRIBUTE));
    }

    #[test]
    fn a_display_is_found_by_its_handle_only() {
        let handle = display::get(Platform::Surfaceless);
        assert_eq!(display::get(Platform::Surfaceless), handle);
        assert!(display::find(handle).is_ok());
        for stale in [0, 1, handle + 1, usize::MAX] {
            // SAFETY: a display that is none is refused before anything is read.
            assert_eq!(unsafe { eglTerminate(stale) }, FALSE);
            assert_eq!(error::take(), BAD_DISPLAY);
        }
        // SAFETY: the calls need no more than the handle.
        unsafe {
            assert!(eglQueryString(handle, VENDOR).is_null());
            assert_eq!(eglGetError(), NOT_INITIALIZED);
            assert!(!eglQueryString(0, EXTENSIONS).is_null());
            assert_eq!(eglGetError(), SUCCESS);
        }
    }
}
