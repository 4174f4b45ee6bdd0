//! EGL images, which EGL 1.5 has and which are refused: none of our sources can be one.

use super::attrib_pairs;
use crate::display;
use crate::egl::*;
use crate::error::{enter, fail};

/// eglCreateImage.
pub unsafe extern "C" fn eglCreateImage(
    display: EGLDisplay,
    context: EGLContext,
    target: EGLenum,
    _buffer: usize,
    attribs: *const EGLAttrib,
) -> EGLImage {
    enter("eglCreateImage", 0, || {
        let live = display::live(display)?;
        if context != 0 {
            live.context(context)?;
        }
        // SAFETY: null or a list.
        unsafe { attrib_pairs(attribs) }?;
        fail(BAD_PARAMETER, format!("images of target {target:#06x} are not served"))
    })
}

/// eglDestroyImage.
pub unsafe extern "C" fn eglDestroyImage(display: EGLDisplay, image: EGLImage) -> EGLBoolean {
    enter("eglDestroyImage", FALSE, || {
        display::live(display)?;
        fail(BAD_PARAMETER, format!("{image:#x} is no image"))
    })
}
