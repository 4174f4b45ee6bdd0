//! Devices (EGL_EXT_device_enumeration, EGL_EXT_device_query): there is one, and it stands for whatever the server draws on.

use super::put;
use crate::display::{self, Platform};
use crate::egl::*;
use crate::error::{enter, fail};
use std::ffi::c_char;
use std::ptr;

/// The handle of the one device.
pub const DEVICE: EGLDevice = 0x00FD_0000;

/// eglQueryDevicesEXT.
pub unsafe extern "C" fn eglQueryDevicesEXT(
    max: EGLint,
    devices: *mut EGLDevice,
    count: *mut EGLint,
) -> EGLBoolean {
    enter("eglQueryDevicesEXT", FALSE, || {
        if count.is_null() || (!devices.is_null() && max <= 0) {
            return fail(BAD_PARAMETER, "no room for devices");
        }
        // SAFETY: the program has room for at least one device where it gives an array, and for the number.
        unsafe {
            put(devices, DEVICE);
            count.write(1);
        }
        Ok(TRUE)
    })
}

/// eglQueryDeviceStringEXT.
pub unsafe extern "C" fn eglQueryDeviceStringEXT(device: EGLDevice, name: EGLint) -> *const c_char {
    enter("eglQueryDeviceStringEXT", ptr::null(), || {
        if device != DEVICE {
            return fail(BAD_DEVICE_EXT, format!("{device:#x} is no device"));
        }
        match name {
            // No extension: it is no file of this machine that could be named.
            EXTENSIONS => Ok(c"".as_ptr()),
            _ => fail(BAD_PARAMETER, format!("devices have no string {name:#06x}")),
        }
    })
}

/// eglQueryDeviceAttribEXT.
pub unsafe extern "C" fn eglQueryDeviceAttribEXT(
    device: EGLDevice,
    attribute: EGLint,
    _value: *mut EGLAttrib,
) -> EGLBoolean {
    enter("eglQueryDeviceAttribEXT", FALSE, || {
        if device != DEVICE {
            return fail(BAD_DEVICE_EXT, format!("{device:#x} is no device"));
        }
        fail(BAD_ATTRIBUTE, format!("{attribute:#06x} is no attribute of devices"))
    })
}

/// eglQueryDisplayAttribEXT.
pub unsafe extern "C" fn eglQueryDisplayAttribEXT(
    display: EGLDisplay,
    attribute: EGLint,
    value: *mut EGLAttrib,
) -> EGLBoolean {
    enter("eglQueryDisplayAttribEXT", FALSE, || {
        display::live(display)?;
        let found = match attribute {
            DEVICE_EXT => DEVICE as EGLAttrib,
            TRACK_REFERENCES_KHR => FALSE as EGLAttrib,
            _ => {
                return fail(
                    BAD_ATTRIBUTE,
                    format!("{attribute:#06x} is no attribute of displays"),
                );
            }
        };
        let _: Platform = display::find(display)?.platform;
        // SAFETY: null or writable.
        unsafe { put(value, found) };
        Ok(TRUE)
    })
}
