//! The vendor ABI of glvnd's libGLX, version 1.0 (`glvnd/libglxabi.h`).

use super::tokens::{Bool, FALSE, GLXContext, GLXFBConfig, TRUE, XDisplay, Xid};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// What libGLX offers the dispatch stubs of a vendor. The pointer stays valid while libGLX is loaded; a reload brings another.
#[repr(C)]
pub struct Exports {
    /// The vendor of a screen.
    pub get_dyn_dispatch: Option<unsafe extern "C" fn(XDisplay, c_int) -> *mut c_void>,
    /// The vendor of the current context.
    pub get_current_dyn_dispatch: Option<unsafe extern "C" fn() -> *mut c_void>,
    /// A vendor's function by dispatch index.
    pub fetch_dispatch_entry: Option<unsafe extern "C" fn(*mut c_void, c_int) -> *mut c_void>,
    get_current_context: Option<unsafe extern "C" fn() -> GLXContext>,
    add_vendor_context_mapping:
        Option<unsafe extern "C" fn(XDisplay, GLXContext, *mut c_void) -> c_int>,
    remove_vendor_context_mapping: Option<unsafe extern "C" fn(XDisplay, GLXContext)>,
    vendor_from_context: Option<unsafe extern "C" fn(GLXContext) -> *mut c_void>,
    add_vendor_fb_config_mapping:
        Option<unsafe extern "C" fn(XDisplay, GLXFBConfig, *mut c_void) -> c_int>,
    remove_vendor_fb_config_mapping: Option<unsafe extern "C" fn(XDisplay, GLXFBConfig)>,
    vendor_from_fb_config: Option<unsafe extern "C" fn(XDisplay, GLXFBConfig) -> *mut c_void>,
    add_vendor_drawable_mapping: Option<unsafe extern "C" fn(XDisplay, Xid, *mut c_void) -> c_int>,
    remove_vendor_drawable_mapping: Option<unsafe extern "C" fn(XDisplay, Xid)>,
    /// The vendor of a drawable.
    pub vendor_from_drawable: Option<unsafe extern "C" fn(XDisplay, Xid) -> *mut c_void>,
}

/// What a vendor gives libGLX.
#[repr(C)]
pub struct Imports {
    is_screen_supported: Option<unsafe extern "C" fn(XDisplay, c_int) -> Bool>,
    get_proc_address: Option<unsafe extern "C" fn(*const c_char) -> *const c_void>,
    get_dispatch_address: Option<unsafe extern "C" fn(*const c_char) -> *const c_void>,
    set_dispatch_index: Option<unsafe extern "C" fn(*const c_char, c_int)>,
    notify_error: Option<unsafe extern "C" fn()>,
    is_patch_supported: Option<unsafe extern "C" fn()>,
    initiate_patch: Option<unsafe extern "C" fn()>,
    release_patch: Option<unsafe extern "C" fn()>,
    patch_thread_attach: Option<unsafe extern "C" fn()>,
}

static EXPORTS: AtomicPtr<Exports> = AtomicPtr::new(std::ptr::null_mut());

/// What the libGLX that loaded us offers; `None` before `__glx_Main`.
pub fn exports() -> Option<&'static Exports> {
    // SAFETY: libGLX keeps the table for as long as it may call us, and a reload replaces the pointer before its first call.
    unsafe { EXPORTS.load(Ordering::Acquire).as_ref() }
}

/// Every screen is ours: a screen that cannot be served is told when it is used, instead of another driver being taken in silence.
unsafe extern "C" fn is_screen_supported(_display: XDisplay, _screen: c_int) -> Bool {
    TRUE
}

unsafe extern "C" fn get_proc_address(name: *const c_char) -> *const c_void {
    if name.is_null() {
        return std::ptr::null();
    }
    // SAFETY: libGLX passes a terminated name.
    crate::procs::find(unsafe { CStr::from_ptr(name) })
}

unsafe extern "C" fn get_dispatch_address(name: *const c_char) -> *const c_void {
    if name.is_null() {
        return std::ptr::null();
    }
    // SAFETY: libGLX passes a terminated name.
    super::stubs::find(unsafe { CStr::from_ptr(name) })
}

unsafe extern "C" fn set_dispatch_index(name: *const c_char, index: c_int) {
    if name.is_null() {
        return;
    }
    // SAFETY: libGLX passes a terminated name.
    super::stubs::set_index(unsafe { CStr::from_ptr(name) }, index);
}

/// The vendor's entry. It may be called again after libGLX was unloaded and loaded anew. Every program that links libGL calls it: it
/// starts no thread and no connection.
///
/// # Safety
/// To be called by glvnd's libGLX with its own tables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __glx_Main(
    version: u32,
    exports: *const Exports,
    vendor: *mut c_void,
    imports: *mut Imports,
) -> Bool {
    let _ = vendor;
    if version >> 16 != 1 || exports.is_null() || imports.is_null() {
        return FALSE;
    }
    EXPORTS.store(exports.cast_mut(), Ordering::Release);
    super::stubs::reset();
    // SAFETY: libGLX hands us its table to fill; the members that stay NULL are optional.
    unsafe {
        (*imports).is_screen_supported = Some(is_screen_supported);
        (*imports).get_proc_address = Some(get_proc_address);
        (*imports).get_dispatch_address = Some(get_dispatch_address);
        (*imports).set_dispatch_index = Some(set_dispatch_index);
    }
    TRUE
}
