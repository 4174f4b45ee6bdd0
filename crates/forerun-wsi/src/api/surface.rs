//! Creating, asking and destroying surfaces.

use super::{attrib_pairs, int_pairs, put};
use crate::current;
use crate::display::{self, Live, Platform};
use crate::egl::*;
use crate::error::{Result, enter, fail};
use crate::surface::{Attribs, Kind, Surface};
use std::ffi::c_void;
use std::sync::Arc;

/// What a program wants to draw to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// An XID, or the address of a `struct wl_egl_window`.
    Window(usize),
    Pixmap(u32),
    Pbuffer,
}

fn create(
    display: EGLDisplay,
    config: EGLConfig,
    wanted: Wanted,
    pairs: &[(EGLint, EGLint)],
) -> Result<EGLSurface> {
    let live = display::live(display)?;
    let config = live.config(config)?;
    let platform = display::find(display)?.platform;
    let (kind, bit) = match wanted {
        Wanted::Window(window) if matches!(platform, Platform::Wayland(_)) => {
            (Kind::Wayland(window), WINDOW_BIT)
        }
        Wanted::Window(window) => (Kind::Window(window as u32), WINDOW_BIT),
        Wanted::Pixmap(pixmap) => (Kind::Pixmap(pixmap), PIXMAP_BIT),
        Wanted::Pbuffer => (Kind::Pbuffer, PBUFFER_BIT),
    };
    let attribs =
        Attribs::parse(pairs, wanted == Wanted::Pbuffer, matches!(wanted, Wanted::Window(_)))?;
    if config.surfaces & bit == 0 {
        return fail(BAD_MATCH, "the config does not support that kind of surface");
    }
    if let (Platform::X11 { foreign, .. }, true) = (platform, wanted != Wanted::Pbuffer) {
        foreign.sync();
    }
    if kind != Kind::Pbuffer && live.surfaces.lock().values().any(|surface| surface.kind == kind) {
        return fail(BAD_ALLOC, "the native drawable has a surface already");
    }
    let surface = Surface::create(&live, kind, config, attribs)?;
    let handle = surface.handle;
    live.surfaces.lock().insert(handle, surface);
    Ok(handle)
}

/// eglCreateWindowSurface.
pub unsafe extern "C" fn eglCreateWindowSurface(
    display: EGLDisplay,
    config: EGLConfig,
    window: usize,
    attribs: *const EGLint,
) -> EGLSurface {
    enter("eglCreateWindowSurface", 0, || {
        // SAFETY: null or a list.
        let pairs = unsafe { int_pairs(attribs) }?;
        create(display, config, Wanted::Window(window), &pairs)
    })
}

/// eglCreatePixmapSurface.
pub unsafe extern "C" fn eglCreatePixmapSurface(
    display: EGLDisplay,
    config: EGLConfig,
    pixmap: usize,
    attribs: *const EGLint,
) -> EGLSurface {
    enter("eglCreatePixmapSurface", 0, || {
        // SAFETY: null or a list.
        let pairs = unsafe { int_pairs(attribs) }?;
        create(display, config, Wanted::Pixmap(pixmap as u32), &pairs)
    })
}

/// eglCreatePbufferSurface.
pub unsafe extern "C" fn eglCreatePbufferSurface(
    display: EGLDisplay,
    config: EGLConfig,
    attribs: *const EGLint,
) -> EGLSurface {
    enter("eglCreatePbufferSurface", 0, || {
        // SAFETY: null or a list.
        let pairs = unsafe { int_pairs(attribs) }?;
        create(display, config, Wanted::Pbuffer, &pairs)
    })
}

/// The native window of a platform surface's argument: what it points to with X11, itself with Wayland.
unsafe fn native_window(display: EGLDisplay, native: *const c_void) -> Result<usize> {
    if let Platform::Wayland(_) = display::find(display)?.platform {
        return Ok(native as usize);
    }
    // SAFETY: as the caller promised.
    Ok(unsafe { native_id(display, native, BAD_NATIVE_WINDOW) }? as usize)
}

/// The XID that a platform surface's native argument points to: a `Window *` or `Pixmap *` (64 bits) with Xlib, an
/// `xcb_window_t *` or `xcb_pixmap_t *` (32 bits) with XCB. `refusal` is the error where there is none.
unsafe fn native_id(display: EGLDisplay, native: *const c_void, refusal: EGLint) -> Result<u32> {
    use crate::foreign::Foreign;
    let foreign = match display::find(display)?.platform {
        Platform::X11 { foreign, .. } => foreign,
        // EGL_KHR_platform_wayland: it has no pixmaps.
        Platform::Wayland(_) => return fail(BAD_PARAMETER, "Wayland has no pixmaps"),
        _ => return fail(refusal, "the platform has no native drawables"),
    };
    if native.is_null() {
        return fail(refusal, "the native drawable is null");
    }
    // SAFETY: the platform extensions say what the pointer points to.
    Ok(unsafe {
        match foreign {
            Foreign::Xcb(_) => native.cast::<u32>().read_unaligned(),
            _ => native.cast::<libc::c_ulong>().read_unaligned() as u32,
        }
    })
}

/// eglCreatePlatformWindowSurface.
pub unsafe extern "C" fn eglCreatePlatformWindowSurface(
    display: EGLDisplay,
    config: EGLConfig,
    window: *mut c_void,
    attribs: *const EGLAttrib,
) -> EGLSurface {
    enter("eglCreatePlatformWindowSurface", 0, || {
        // SAFETY: as the specification says of these arguments.
        let (id, pairs) = unsafe { (native_window(display, window)?, attrib_pairs(attribs)?) };
        create(display, config, Wanted::Window(id), &pairs)
    })
}

/// eglCreatePlatformWindowSurfaceEXT.
pub unsafe extern "C" fn eglCreatePlatformWindowSurfaceEXT(
    display: EGLDisplay,
    config: EGLConfig,
    window: *mut c_void,
    attribs: *const EGLint,
) -> EGLSurface {
    enter("eglCreatePlatformWindowSurfaceEXT", 0, || {
        // SAFETY: as the specification says of these arguments.
        let (id, pairs) = unsafe { (native_window(display, window)?, int_pairs(attribs)?) };
        create(display, config, Wanted::Window(id), &pairs)
    })
}

/// eglCreatePlatformPixmapSurface.
pub unsafe extern "C" fn eglCreatePlatformPixmapSurface(
    display: EGLDisplay,
    config: EGLConfig,
    pixmap: *mut c_void,
    attribs: *const EGLAttrib,
) -> EGLSurface {
    enter("eglCreatePlatformPixmapSurface", 0, || {
        // SAFETY: as the specification says of these arguments.
        let (id, pairs) =
            unsafe { (native_id(display, pixmap, BAD_NATIVE_PIXMAP)?, attrib_pairs(attribs)?) };
        create(display, config, Wanted::Pixmap(id), &pairs)
    })
}

/// eglCreatePlatformPixmapSurfaceEXT.
pub unsafe extern "C" fn eglCreatePlatformPixmapSurfaceEXT(
    display: EGLDisplay,
    config: EGLConfig,
    pixmap: *mut c_void,
    attribs: *const EGLint,
) -> EGLSurface {
    enter("eglCreatePlatformPixmapSurfaceEXT", 0, || {
        // SAFETY: as the specification says of these arguments.
        let (id, pairs) =
            unsafe { (native_id(display, pixmap, BAD_NATIVE_PIXMAP)?, int_pairs(attribs)?) };
        create(display, config, Wanted::Pixmap(id), &pairs)
    })
}

/// eglCreatePbufferFromClientBuffer: only OpenVG has such buffers.
pub unsafe extern "C" fn eglCreatePbufferFromClientBuffer(
    display: EGLDisplay,
    _kind: EGLenum,
    _buffer: usize,
    config: EGLConfig,
    _attribs: *const EGLint,
) -> EGLSurface {
    enter("eglCreatePbufferFromClientBuffer", 0, || {
        display::live(display)?.config(config)?;
        fail(BAD_PARAMETER, "OpenVG is not served")
    })
}

/// eglDestroySurface. A surface that is current lives on until it is released.
pub unsafe extern "C" fn eglDestroySurface(display: EGLDisplay, surface: EGLSurface) -> EGLBoolean {
    enter("eglDestroySurface", FALSE, || {
        let live = display::live(display)?;
        let surface = live.surfaces.lock().remove(&surface);
        match surface {
            Some(_) => Ok(TRUE),
            None => fail(BAD_SURFACE, "there is no such surface"),
        }
    })
}

/// eglQuerySurface.
pub unsafe extern "C" fn eglQuerySurface(
    display: EGLDisplay,
    surface: EGLSurface,
    attribute: EGLint,
    value: *mut EGLint,
) -> EGLBoolean {
    enter("eglQuerySurface", FALSE, || {
        let surface = display::live(display)?.surface(surface)?;
        if matches!(attribute, WIDTH | HEIGHT) && surface.measure() {
            current::tell(&surface);
        }
        if let Some(found) = surface.query(attribute)? {
            // SAFETY: null or writable.
            unsafe { put(value, found) };
        }
        Ok(TRUE)
    })
}

/// eglSurfaceAttrib.
pub unsafe extern "C" fn eglSurfaceAttrib(
    display: EGLDisplay,
    surface: EGLSurface,
    attribute: EGLint,
    value: EGLint,
) -> EGLBoolean {
    enter("eglSurfaceAttrib", FALSE, || {
        let surface = display::live(display)?.surface(surface)?;
        match attribute {
            MIPMAP_LEVEL => {}
            MULTISAMPLE_RESOLVE => match value {
                MULTISAMPLE_RESOLVE_DEFAULT => {}
                MULTISAMPLE_RESOLVE_BOX => return fail(BAD_MATCH, "no config has a box filter"),
                _ => return fail(BAD_ATTRIBUTE, format!("multisample resolve {value:#x}")),
            },
            SWAP_BEHAVIOR => match value {
                BUFFER_DESTROYED => surface.set_preserved(false),
                BUFFER_PRESERVED => surface.set_preserved(true),
                _ => return fail(BAD_ATTRIBUTE, format!("swap behaviour {value:#x}")),
            },
            _ => return fail(BAD_ATTRIBUTE, format!("{attribute:#06x} cannot be set")),
        }
        Ok(TRUE)
    })
}

fn texture(live: &Arc<Live>, surface: EGLSurface) -> Result<EGLBoolean> {
    let surface = live.surface(surface)?;
    match surface.kind {
        Kind::Pbuffer => fail(BAD_MATCH, "the pbuffer has no texture format"),
        _ => fail(BAD_SURFACE, "only pbuffers can be bound to textures"),
    }
}

/// eglBindTexImage: no config has bindable pbuffers.
pub unsafe extern "C" fn eglBindTexImage(
    display: EGLDisplay,
    surface: EGLSurface,
    _buffer: EGLint,
) -> EGLBoolean {
    enter("eglBindTexImage", FALSE, || texture(&display::live(display)?, surface))
}

/// eglReleaseTexImage.
pub unsafe extern "C" fn eglReleaseTexImage(
    display: EGLDisplay,
    surface: EGLSurface,
    _buffer: EGLint,
) -> EGLBoolean {
    enter("eglReleaseTexImage", FALSE, || texture(&display::live(display)?, surface))
}
