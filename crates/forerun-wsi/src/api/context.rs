//! Contexts and what is current.

use super::{int_pairs, put};
use crate::context::Context;
use crate::current;
use crate::display;
use crate::egl::*;
use crate::error::{enter, fail};
use crate::request::Request;
use crate::session;
use crate::surface::Kind;
use std::sync::Arc;

/// eglCreateContext.
pub unsafe extern "C" fn eglCreateContext(
    display: EGLDisplay,
    config: EGLConfig,
    share: EGLContext,
    attribs: *const EGLint,
) -> EGLContext {
    enter("eglCreateContext", 0, || {
        let live = display::live(display)?;
        // EGL_NO_CONFIG_KHR is 0.
        let config = if config == 0 { None } else { Some(live.config(config)?) };
        let share = if share == 0 { None } else { Some(live.context(share)?) };
        // SAFETY: null or a list.
        let pairs = unsafe { int_pairs(attribs) }?;
        let request = Request::parse(super::display::current_api(), &pairs)?;
        let context = Context::create(config, share, request)?;
        let handle = context.handle;
        if current::get().is_none() {
            session::leave_thread();
        }
        live.contexts.lock().insert(handle, context);
        Ok(handle)
    })
}

/// eglDestroyContext. A context that is current lives on until it is released.
pub unsafe extern "C" fn eglDestroyContext(display: EGLDisplay, context: EGLContext) -> EGLBoolean {
    enter("eglDestroyContext", FALSE, || {
        let live = display::live(display)?;
        let context = live.contexts.lock().remove(&context);
        match context {
            Some(_) => Ok(TRUE),
            None => fail(BAD_CONTEXT, "there is no such context"),
        }
    })
}

/// eglMakeCurrent.
pub unsafe extern "C" fn eglMakeCurrent(
    display: EGLDisplay,
    draw: EGLSurface,
    read: EGLSurface,
    context: EGLContext,
) -> EGLBoolean {
    enter("eglMakeCurrent", FALSE, || {
        if context == 0 {
            if draw != 0 || read != 0 {
                return fail(BAD_MATCH, "surfaces without a context");
            }
            // Nothing may be released on a display that was never initialised.
            display::find(display)?;
            current::release();
            return Ok(TRUE);
        }
        let live = display::live(display)?;
        let context = live.context(context)?;
        if (draw == 0) != (read == 0) {
            return fail(BAD_MATCH, "one surface without the other");
        }
        let find = |handle| if handle == 0 { Ok(None) } else { live.surface(handle).map(Some) };
        let (draw, read) = (find(draw)?, find(read)?);
        for surface in [&draw, &read].into_iter().flatten() {
            let needed = context.request.renderable_bit();
            if surface.config.renderable & needed == 0 {
                return fail(BAD_MATCH, "the surface's config does not support that client API");
            }
            if let Some(config) = &context.config
                && !config.fits(&surface.config)
            {
                return fail(
                    BAD_MATCH,
                    "the surface's buffers are not those of the context's config",
                );
            }
        }
        current::make(display, context, draw, read)?;
        Ok(TRUE)
    })
}

/// eglQueryContext.
pub unsafe extern "C" fn eglQueryContext(
    display: EGLDisplay,
    context: EGLContext,
    attribute: EGLint,
    value: *mut EGLint,
) -> EGLBoolean {
    enter("eglQueryContext", FALSE, || {
        let context = display::live(display)?.context(context)?;
        let found = match attribute {
            CONFIG_ID => context.config.map_or(0, |config| config.id),
            CONTEXT_CLIENT_TYPE => context.request.client as EGLint,
            CONTEXT_MAJOR_VERSION => context.granted.major as EGLint,
            CONTEXT_MINOR_VERSION => context.granted.minor as EGLint,
            CONTEXT_OPENGL_NO_ERROR_KHR => EGLint::from(context.request.no_error),
            RENDER_BUFFER => {
                let binding = current::get();
                match binding.filter(|b| Arc::ptr_eq(&b.context, &context)) {
                    Some(binding) => match binding.draw.as_ref().map(|draw| draw.kind) {
                        Some(Kind::Pixmap(_)) => SINGLE_BUFFER,
                        Some(_) => BACK_BUFFER,
                        None => NONE,
                    },
                    None => NONE,
                }
            }
            _ => {
                return fail(
                    BAD_ATTRIBUTE,
                    format!("{attribute:#06x} is no attribute of contexts"),
                );
            }
        };
        // SAFETY: null or writable.
        unsafe { put(value, found) };
        Ok(TRUE)
    })
}
