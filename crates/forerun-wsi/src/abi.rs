//! The vendor ABI of glvnd's libEGL, version 0.2 (`glvnd/libeglabi.h`).

use crate::egl::{
    EGLAttrib, EGLBoolean, EGLContext, EGLDevice, EGLDisplay, EGLSurface, EGLenum, EGLint, FALSE,
    TRUE,
};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// What libEGL offers a vendor. The pointer stays valid while libEGL is loaded; a reload brings another.
#[repr(C)]
pub struct Exports {
    /// Bookkeeping at the start of every dispatch stub.
    pub thread_init: Option<unsafe extern "C" fn()>,
    /// The API that eglBindAPI chose on this thread.
    pub get_current_api: Option<unsafe extern "C" fn() -> EGLenum>,
    /// The vendor of the current context.
    pub get_current_vendor: Option<unsafe extern "C" fn() -> *mut c_void>,
    /// The current context.
    pub get_current_context: Option<unsafe extern "C" fn() -> EGLContext>,
    /// The current display.
    pub get_current_display: Option<unsafe extern "C" fn() -> EGLDisplay>,
    /// The current draw or read surface.
    pub get_current_surface: Option<unsafe extern "C" fn(EGLint) -> EGLSurface>,
    /// A vendor's function by dispatch index.
    pub fetch_dispatch_entry: Option<unsafe extern "C" fn(*mut c_void, c_int) -> *mut c_void>,
    /// Sets the thread's error.
    pub set_egl_error: Option<unsafe extern "C" fn(EGLint)>,
    /// Whose eglGetError answers next.
    pub set_last_vendor: Option<unsafe extern "C" fn(*mut c_void) -> EGLBoolean>,
    /// The vendor of a display.
    pub get_vendor_from_display: Option<unsafe extern "C" fn(EGLDisplay) -> *mut c_void>,
    /// The vendor of a device.
    pub get_vendor_from_device: Option<unsafe extern "C" fn(EGLDevice) -> *mut c_void>,
    /// Since ABI 0.2.
    pub set_vendor_for_device: Option<unsafe extern "C" fn(EGLDevice, *mut c_void) -> EGLBoolean>,
}

/// What a vendor gives libEGL.
#[repr(C)]
pub struct Imports {
    get_platform_display:
        Option<unsafe extern "C" fn(EGLenum, *mut c_void, *const EGLAttrib) -> EGLDisplay>,
    get_supports_api: Option<unsafe extern "C" fn(EGLenum) -> EGLBoolean>,
    get_vendor_string: Option<unsafe extern "C" fn(c_int) -> *const c_char>,
    get_proc_address: Option<unsafe extern "C" fn(*const c_char) -> *const c_void>,
    get_dispatch_address: Option<unsafe extern "C" fn(*const c_char) -> *const c_void>,
    set_dispatch_index: Option<unsafe extern "C" fn(*const c_char, c_int)>,
    is_patch_supported: Option<unsafe extern "C" fn()>,
    initiate_patch: Option<unsafe extern "C" fn()>,
    release_patch: Option<unsafe extern "C" fn()>,
    patch_thread_attach: Option<unsafe extern "C" fn()>,
    find_native_display_platform: Option<unsafe extern "C" fn(*mut c_void) -> EGLenum>,
}

static EXPORTS: AtomicPtr<Exports> = AtomicPtr::new(std::ptr::null_mut());

/// What the libEGL that loaded us offers; `None` before `__egl_Main`.
pub fn exports() -> Option<&'static Exports> {
    // SAFETY: libEGL keeps the table for as long as it may call us, and a reload replaces the pointer before its first call.
    unsafe { EXPORTS.load(Ordering::Acquire).as_ref() }
}

/// The platforms that eglGetPlatformDisplay serves; glvnd leaves out what no vendor names here.
const PLATFORM_EXTENSIONS: &CStr =
    c"EGL_EXT_platform_base EGL_EXT_platform_device EGL_EXT_platform_x11 EGL_EXT_platform_xcb \
EGL_KHR_platform_x11 EGL_MESA_platform_surfaceless EGL_MESA_platform_xcb";

/// `__EGL_VENDOR_STRING_PLATFORM_EXTENSIONS`.
const VENDOR_STRING_PLATFORM_EXTENSIONS: c_int = 0;

unsafe extern "C" fn get_vendor_string(name: c_int) -> *const c_char {
    if name == VENDOR_STRING_PLATFORM_EXTENSIONS {
        PLATFORM_EXTENSIONS.as_ptr()
    } else {
        std::ptr::null()
    }
}

unsafe extern "C" fn get_supports_api(api: EGLenum) -> EGLBoolean {
    if matches!(api, crate::egl::OPENGL_API | crate::egl::OPENGL_ES_API) { TRUE } else { FALSE }
}

unsafe extern "C" fn get_proc_address(name: *const c_char) -> *const c_void {
    if name.is_null() {
        return std::ptr::null();
    }
    // SAFETY: libEGL passes a terminated name.
    let name = unsafe { CStr::from_ptr(name) };
    crate::procs::find(name)
}

unsafe extern "C" fn get_dispatch_address(name: *const c_char) -> *const c_void {
    if name.is_null() {
        return std::ptr::null();
    }
    // SAFETY: libEGL passes a terminated name.
    let name = unsafe { CStr::from_ptr(name) };
    crate::stubs::find(name)
}

unsafe extern "C" fn set_dispatch_index(name: *const c_char, index: c_int) {
    if name.is_null() {
        return;
    }
    // SAFETY: libEGL passes a terminated name.
    let name = unsafe { CStr::from_ptr(name) };
    crate::stubs::set_index(name, index);
}

/// The vendor's entry. It may be called again after libEGL was unloaded and loaded anew; it starts no thread and no connection.
///
/// # Safety
/// To be called by glvnd's libEGL with its own tables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __egl_Main(
    version: u32,
    exports: *const Exports,
    vendor: *mut c_void,
    imports: *mut Imports,
) -> EGLBoolean {
    let _ = vendor;
    if version >> 16 != 0 || exports.is_null() || imports.is_null() {
        return FALSE;
    }
    EXPORTS.store(exports.cast_mut(), Ordering::Release);
    crate::stubs::reset();
    // SAFETY: libEGL hands us its table to fill; the members that stay NULL are optional.
    unsafe {
        (*imports).get_platform_display = Some(crate::api::display::get_platform_display);
        (*imports).get_supports_api = Some(get_supports_api);
        (*imports).get_vendor_string = Some(get_vendor_string);
        (*imports).get_proc_address = Some(get_proc_address);
        (*imports).get_dispatch_address = Some(get_dispatch_address);
        (*imports).set_dispatch_index = Some(set_dispatch_index);
    }
    TRUE
}

/// The library's version, as `forerun doctor` asks for it: text that ends with a zero.
#[unsafe(no_mangle)]
pub extern "C" fn forerun_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
