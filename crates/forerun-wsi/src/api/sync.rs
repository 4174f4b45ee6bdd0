//! Fence syncs.

use super::{attrib_pairs, int_pairs, put};
use crate::current;
use crate::display;
use crate::egl::*;
use crate::error::{Result, enter, fail};
use crate::sync::Sync;
use std::sync::Arc;

fn create(display: EGLDisplay, ty: EGLenum, pairs: &[(EGLint, EGLint)]) -> Result<EGLSync> {
    let live = display::live(display)?;
    if ty != SYNC_FENCE {
        return fail(BAD_ATTRIBUTE, format!("syncs of type {ty:#06x} are not served"));
    }
    if !pairs.is_empty() {
        return fail(BAD_ATTRIBUTE, "a fence has no attributes");
    }
    let Some(binding) = current::get().filter(|b| b.display == display) else {
        return fail(BAD_MATCH, "no context of that display is current");
    };
    if binding.context.is_orphan() {
        return fail(CONTEXT_LOST, "the context belongs to the parent process");
    }
    let sync = Arc::new(Sync::create(&binding.context)?);
    let handle = display::new_handle();
    live.syncs.lock().insert(handle, sync);
    Ok(handle)
}

/// eglCreateSync.
pub unsafe extern "C" fn eglCreateSync(
    display: EGLDisplay,
    ty: EGLenum,
    attribs: *const EGLAttrib,
) -> EGLSync {
    // SAFETY: null or a list.
    enter("eglCreateSync", 0, || create(display, ty, &unsafe { attrib_pairs(attribs) }?))
}

/// eglCreateSyncKHR.
pub unsafe extern "C" fn eglCreateSyncKHR(
    display: EGLDisplay,
    ty: EGLenum,
    attribs: *const EGLint,
) -> EGLSync {
    // SAFETY: null or a list.
    enter("eglCreateSyncKHR", 0, || create(display, ty, &unsafe { int_pairs(attribs) }?))
}

/// eglDestroySync.
pub unsafe extern "C" fn eglDestroySync(display: EGLDisplay, sync: EGLSync) -> EGLBoolean {
    enter("eglDestroySync", FALSE, || {
        let live = display::live(display)?;
        let sync = live.syncs.lock().remove(&sync);
        match sync {
            Some(_) => Ok(TRUE),
            None => fail(BAD_PARAMETER, "there is no such sync"),
        }
    })
}

/// eglClientWaitSync. EGL_SYNC_FLUSH_COMMANDS_BIT makes no difference: a wait always publishes.
pub unsafe extern "C" fn eglClientWaitSync(
    display: EGLDisplay,
    sync: EGLSync,
    _flags: EGLint,
    timeout: EGLTime,
) -> EGLint {
    enter("eglClientWaitSync", FALSE as EGLint, || {
        let sync = display::live(display)?.sync(sync)?;
        Ok(if sync.wait(timeout) { CONDITION_SATISFIED } else { TIMEOUT_EXPIRED })
    })
}

/// eglWaitSync.
pub unsafe extern "C" fn eglWaitSync(display: EGLDisplay, sync: EGLSync, flags: EGLint) -> EGLint {
    enter("eglWaitSync", FALSE as EGLint, || {
        let sync = display::live(display)?.sync(sync)?;
        if flags != 0 {
            return fail(BAD_PARAMETER, format!("flags {flags:#x}"));
        }
        let Some(binding) = current::get() else {
            return fail(BAD_MATCH, "no context is current");
        };
        sync.wait_on_server(&binding.context);
        Ok(TRUE as EGLint)
    })
}

fn query(display: EGLDisplay, sync: EGLSync, attribute: EGLint) -> Result<EGLint> {
    let sync = display::live(display)?.sync(sync)?;
    Ok(match attribute {
        SYNC_TYPE => SYNC_FENCE as EGLint,
        SYNC_STATUS => {
            if sync.is_signaled() {
                SIGNALED
            } else {
                UNSIGNALED
            }
        }
        SYNC_CONDITION => SYNC_PRIOR_COMMANDS_COMPLETE,
        _ => return fail(BAD_ATTRIBUTE, format!("{attribute:#06x} is no attribute of syncs")),
    })
}

/// eglGetSyncAttrib.
pub unsafe extern "C" fn eglGetSyncAttrib(
    display: EGLDisplay,
    sync: EGLSync,
    attribute: EGLint,
    value: *mut EGLAttrib,
) -> EGLBoolean {
    enter("eglGetSyncAttrib", FALSE, || {
        let found = query(display, sync, attribute)?;
        // SAFETY: null or writable.
        unsafe { put(value, found as EGLAttrib) };
        Ok(TRUE)
    })
}

/// eglGetSyncAttribKHR.
pub unsafe extern "C" fn eglGetSyncAttribKHR(
    display: EGLDisplay,
    sync: EGLSync,
    attribute: EGLint,
    value: *mut EGLint,
) -> EGLBoolean {
    enter("eglGetSyncAttribKHR", FALSE, || {
        let found = query(display, sync, attribute)?;
        // SAFETY: null or writable.
        unsafe { put(value, found) };
        Ok(TRUE)
    })
}
