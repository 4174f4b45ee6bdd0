//! Strings.

use crate::glx::tokens::*;
use crate::settings;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;
use std::sync::OnceLock;

/// Extensions of GLX that work. GLX_EXT_texture_from_pixmap is not among them: the server cannot see a pixmap's contents.
const EXTENSIONS_SERVED: &[&str] = &[
    "GLX_ARB_context_flush_control",
    "GLX_ARB_create_context",
    "GLX_ARB_create_context_no_error",
    "GLX_ARB_create_context_profile",
    "GLX_ARB_create_context_robustness",
    "GLX_ARB_framebuffer_sRGB",
    "GLX_ARB_get_proc_address",
    "GLX_ARB_multisample",
    "GLX_EXT_buffer_age",
    "GLX_EXT_create_context_es2_profile",
    "GLX_EXT_create_context_es_profile",
    "GLX_EXT_framebuffer_sRGB",
    "GLX_EXT_no_config_context",
    "GLX_EXT_swap_control",
    "GLX_EXT_visual_info",
    "GLX_EXT_visual_rating",
    "GLX_MESA_query_renderer",
    "GLX_MESA_swap_control",
    "GLX_SGIS_multisample",
    "GLX_SGI_swap_control",
];

/// The extensions, edited as the knob says.
fn extensions() -> &'static CStr {
    static STRING: OnceLock<CString> = OnceLock::new();
    STRING.get_or_init(|| {
        let edits = settings::knobs().map_or(&[][..], |knobs| &knobs.extensions);
        CString::new(settings::edited("GLX_", EXTENSIONS_SERVED, edits)).unwrap_or_default()
    })
}

fn string(name: c_int) -> *const c_char {
    match name {
        VENDOR => c"Forerun".as_ptr(),
        VERSION => c"1.4".as_ptr(),
        EXTENSIONS => extensions().as_ptr(),
        _ => ptr::null(),
    }
}

/// glXQueryServerString. What a server can do is what we can do: no GLX protocol is spoken.
pub unsafe extern "C" fn glXQueryServerString(
    _display: XDisplay,
    _screen: c_int,
    name: c_int,
) -> *const c_char {
    string(name)
}

/// glXGetClientString.
pub unsafe extern "C" fn glXGetClientString(_display: XDisplay, name: c_int) -> *const c_char {
    string(name)
}

/// glXQueryExtensionsString.
pub unsafe extern "C" fn glXQueryExtensionsString(
    _display: XDisplay,
    _screen: c_int,
) -> *const c_char {
    extensions().as_ptr()
}
