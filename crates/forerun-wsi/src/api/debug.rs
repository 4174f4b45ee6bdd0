//! EGL_KHR_debug: errors are told to the program's callback, objects can be labelled.

use super::{attrib_pairs, put};
use crate::display;
use crate::egl::*;
use crate::error::{Error, enter, fail};
use std::cell::Cell;
use std::ffi::{CString, c_char, c_void};
use std::sync::Mutex;

/// EGLDEBUGPROCKHR.
pub type DebugProc = unsafe extern "C" fn(
    error: EGLenum,
    command: *const c_char,
    message_type: EGLint,
    thread_label: *const c_void,
    object_label: *const c_void,
    message: *const c_char,
);

struct Debug {
    callback: Option<DebugProc>,
    /// Which messages are wanted; the specification turns on errors and what is worse.
    critical: bool,
    error: bool,
    warn: bool,
    info: bool,
}

static DEBUG: Mutex<Debug> =
    Mutex::new(Debug { callback: None, critical: true, error: true, warn: false, info: false });

thread_local! {
    static LABEL: Cell<usize> = const { Cell::new(0) };
}

/// Tells the program's callback of a refusal.
pub fn report(command: &'static str, error: &Error) {
    let callback = match DEBUG.lock() {
        Ok(debug) if error.code == BAD_ALLOC && debug.critical => debug.callback,
        Ok(debug) if error.code != BAD_ALLOC && debug.error => debug.callback,
        _ => None,
    };
    let Some(callback) = callback else { return };
    let kind = if error.code == BAD_ALLOC { DEBUG_MSG_CRITICAL_KHR } else { DEBUG_MSG_ERROR_KHR };
    let (Ok(command), Ok(message)) = (CString::new(command), CString::new(error.why.as_str()))
    else {
        return;
    };
    let label = LABEL.try_with(Cell::get).unwrap_or(0);
    // SAFETY: the program's callback, with terminated strings that live for the call; no lock of ours is held.
    unsafe {
        callback(
            error.code as EGLenum,
            command.as_ptr(),
            kind as EGLint,
            label as *const c_void,
            std::ptr::null(),
            message.as_ptr(),
        );
    }
}

/// eglDebugMessageControlKHR.
pub unsafe extern "C" fn eglDebugMessageControlKHR(
    callback: Option<DebugProc>,
    attribs: *const EGLAttrib,
) -> EGLint {
    enter("eglDebugMessageControlKHR", BAD_ATTRIBUTE, || {
        // SAFETY: null or a list.
        let pairs = unsafe { attrib_pairs(attribs) }?;
        let Ok(mut debug) = DEBUG.lock() else { return Ok(SUCCESS) };
        for &(name, value) in &pairs {
            let wanted = value != 0;
            match name as EGLenum {
                DEBUG_MSG_CRITICAL_KHR => debug.critical = wanted,
                DEBUG_MSG_ERROR_KHR => debug.error = wanted,
                DEBUG_MSG_WARN_KHR => debug.warn = wanted,
                DEBUG_MSG_INFO_KHR => debug.info = wanted,
                _ => {
                    drop(debug);
                    return fail(BAD_ATTRIBUTE, format!("{name:#06x} is no kind of message"));
                }
            }
        }
        debug.callback = callback;
        Ok(SUCCESS)
    })
}

/// eglQueryDebugKHR.
pub unsafe extern "C" fn eglQueryDebugKHR(attribute: EGLint, value: *mut EGLAttrib) -> EGLBoolean {
    enter("eglQueryDebugKHR", FALSE, || {
        let Ok(debug) = DEBUG.lock() else { return Ok(FALSE) };
        let found = match attribute as EGLenum {
            DEBUG_MSG_CRITICAL_KHR => debug.critical as EGLAttrib,
            DEBUG_MSG_ERROR_KHR => debug.error as EGLAttrib,
            DEBUG_MSG_WARN_KHR => debug.warn as EGLAttrib,
            DEBUG_MSG_INFO_KHR => debug.info as EGLAttrib,
            DEBUG_CALLBACK_KHR => {
                debug.callback.map_or(0, |callback| callback as usize as EGLAttrib)
            }
            _ => {
                drop(debug);
                return fail(
                    BAD_ATTRIBUTE,
                    format!("{attribute:#06x} is no attribute of debugging"),
                );
            }
        };
        // SAFETY: null or writable.
        unsafe { put(value, found) };
        Ok(TRUE)
    })
}

/// eglLabelObjectKHR. The label of a thread comes back with its messages; those of objects are checked and not kept, since no
/// message of ours is about one object.
pub unsafe extern "C" fn eglLabelObjectKHR(
    display: EGLDisplay,
    kind: EGLenum,
    object: usize,
    label: *const c_void,
) -> EGLint {
    enter("eglLabelObjectKHR", BAD_PARAMETER, || {
        match kind {
            OBJECT_THREAD_KHR => {
                let _ = LABEL.try_with(|slot| slot.set(label as usize));
            }
            OBJECT_DISPLAY_KHR => {
                display::find(display)?;
            }
            OBJECT_CONTEXT_KHR => {
                display::live(display)?.context(object)?;
            }
            OBJECT_SURFACE_KHR => {
                display::live(display)?.surface(object)?;
            }
            OBJECT_SYNC_KHR => {
                display::live(display)?.sync(object)?;
            }
            _ => return fail(BAD_PARAMETER, format!("objects of kind {kind:#06x} do not exist")),
        }
        Ok(SUCCESS)
    })
}
