//! Contexts and what is current.

use super::config::of_visual;
use super::pairs;
use crate::api::put;
use crate::context::Context;
use crate::glx::config::FbConfig;
use crate::glx::error::{
    BAD_ACCESS, BAD_MATCH, BAD_REQUEST, BAD_VALUE, GLX_BAD_FBCONFIG, Result, enter, fail,
};
use crate::glx::screen::{self, Screen};
use crate::glx::tokens::*;
use crate::glx::xlib::{self, VisualInfo};
use crate::request::Request;
use crate::surface::Surface;
use crate::{current, session, settings};
use std::ffi::c_int;
use std::sync::Arc;

fn create(
    screen: &Screen,
    config: Option<FbConfig>,
    share: GLXContext,
    request: Request,
) -> Result<GLXContext> {
    let share = match share {
        0 => None,
        handle => {
            let made = screen::context(handle)?;
            if made.screen != screen.number {
                return fail(BAD_MATCH, 0, "contexts that share must be of one screen");
            }
            Some(made.context)
        }
    };
    // A version that does not work is the config's fault (GLX_ARB_create_context); what cannot be shared is a mismatch.
    if let Ok(caps) = session::caps()
        && let Err(error) = request.grant(&caps, settings::gl_version())
    {
        return fail(GLX_BAD_FBCONFIG, 0, error.why);
    }
    let context = Context::create(config.map(|c| c.config), share, request)?;
    if current::get().is_none() {
        session::leave_thread();
    }
    Ok(screen.add_context(context, config))
}

/// glXCreateContext. Every context is direct.
pub unsafe extern "C" fn glXCreateContext(
    display: XDisplay,
    visual: *const VisualInfo,
    share: GLXContext,
    _direct: Bool,
) -> GLXContext {
    enter("glXCreateContext", display, opcode::CREATE_CONTEXT, 0, || {
        // SAFETY: the specification says what `visual` points to.
        let Some((screen, config)) = unsafe { of_visual(display, visual) }? else {
            return fail(BAD_VALUE, 0, "the visual does not support OpenGL");
        };
        create(&screen, Some(config), share, crate::glx::request::legacy()?)
    })
}

/// glXCreateNewContext.
pub unsafe extern "C" fn glXCreateNewContext(
    display: XDisplay,
    config: GLXFBConfig,
    render_type: c_int,
    share: GLXContext,
    _direct: Bool,
) -> GLXContext {
    enter("glXCreateNewContext", display, opcode::CREATE_NEW_CONTEXT, 0, || {
        let (screen, config) = screen::config(display, config)?;
        match render_type {
            RGBA_TYPE => {}
            COLOR_INDEX_TYPE => return fail(BAD_MATCH, 0, "no config draws colour indices"),
            _ => return fail(BAD_VALUE, 0, format!("render type {render_type:#x}")),
        }
        create(&screen, Some(config), share, crate::glx::request::legacy()?)
    })
}

/// glXCreateContextAttribsARB.
pub unsafe extern "C" fn glXCreateContextAttribsARB(
    display: XDisplay,
    config: GLXFBConfig,
    share: GLXContext,
    _direct: Bool,
    attribs: *const c_int,
) -> GLXContext {
    enter("glXCreateContextAttribsARB", display, opcode::CREATE_CONTEXT_ATTRIBS, 0, || {
        // SAFETY: null or a list.
        let Some(mut pairs) = (unsafe { pairs(attribs) }) else {
            return fail(BAD_VALUE, 0, "the attribute list has no end");
        };
        let (screen, config) = if config == 0 {
            // GLX_EXT_no_config_context: the list says which screen.
            let number = pairs.iter().rev().find(|pair| pair.0 == SCREEN).map(|pair| pair.1);
            pairs.retain(|pair| pair.0 != SCREEN);
            match number {
                Some(number) if (0..xlib::screens(display)).contains(&number) => {
                    (screen::open(display, number)?, None)
                }
                Some(number) => return fail(BAD_VALUE, 0, format!("there is no screen {number}")),
                None => return fail(GLX_BAD_FBCONFIG, 0, "neither a config nor a screen"),
            }
        } else {
            let (screen, config) = screen::config(display, config)?;
            (screen, Some(config))
        };
        let request = crate::glx::request::parse(&pairs)?;
        create(&screen, config, share, request)
    })
}

/// glXDestroyContext. A context that is current lives on until it is released.
pub unsafe extern "C" fn glXDestroyContext(display: XDisplay, context: GLXContext) {
    enter("glXDestroyContext", display, opcode::DESTROY_CONTEXT, (), || {
        let gone = screen::forget_context(context);
        // Its name lasts as long as it is current.
        if gone.is_err() && current::get().is_some_and(|b| b.context.handle == context) {
            return Ok(());
        }
        gone.map(drop)
    });
}

/// glXIsDirect.
pub unsafe extern "C" fn glXIsDirect(display: XDisplay, context: GLXContext) -> Bool {
    enter("glXIsDirect", display, opcode::IS_DIRECT, FALSE, || {
        screen::context(context).map(|_| TRUE)
    })
}

fn make(display: XDisplay, draw: Xid, read: Xid, context: GLXContext) -> Result<Bool> {
    if context == 0 {
        if draw != 0 || read != 0 {
            return fail(BAD_MATCH, 0, "drawables without a context");
        }
        current::release();
        return Ok(TRUE);
    }
    let made = screen::context(context)?;
    if (draw == 0) != (read == 0) {
        return fail(BAD_MATCH, 0, "one drawable without the other");
    }
    let screen = screen::open(display, made.screen)?;
    let find = |xid: Xid| -> Result<Option<Arc<Surface>>> {
        if xid == 0 {
            return Ok(None);
        }
        let surface = screen.surface_for(&made, xid)?;
        screen::check(&made, &surface, xid)?;
        Ok(Some(surface))
    };
    let draw_surface = find(draw)?;
    let read_surface = if read == draw { draw_surface.clone() } else { find(read)? };
    match current::make(screen.display, made.context, draw_surface, read_surface) {
        Ok(()) => Ok(TRUE),
        // The context stays usable in name; its GL calls do nothing, and say so to a program that asked.
        Err(error) if screen::is_lost(&error) => {
            log::debug!("{}", error.why);
            Ok(FALSE)
        }
        Err(error) => Err(error.into()),
    }
}

/// glXMakeCurrent.
pub unsafe extern "C" fn glXMakeCurrent(
    display: XDisplay,
    drawable: Xid,
    context: GLXContext,
) -> Bool {
    enter("glXMakeCurrent", display, opcode::MAKE_CURRENT, FALSE, || {
        make(display, drawable, drawable, context)
    })
}

/// glXMakeContextCurrent.
pub unsafe extern "C" fn glXMakeContextCurrent(
    display: XDisplay,
    draw: Xid,
    read: Xid,
    context: GLXContext,
) -> Bool {
    enter("glXMakeContextCurrent", display, opcode::MAKE_CONTEXT_CURRENT, FALSE, || {
        make(display, draw, read, context)
    })
}

/// glXCopyContext: the groups of state that it copies are those of glPushAttrib, which no context here has.
pub unsafe extern "C" fn glXCopyContext(
    display: XDisplay,
    source: GLXContext,
    target: GLXContext,
    _mask: std::ffi::c_ulong,
) {
    enter("glXCopyContext", display, opcode::COPY_CONTEXT, (), || {
        let (source, target) = (screen::context(source)?, screen::context(target)?);
        if source.screen != target.screen {
            return fail(BAD_MATCH, 0, "the contexts are of two screens");
        }
        let binding = current::get();
        if binding.is_some_and(|b| Arc::ptr_eq(&b.context, &target.context)) {
            return fail(BAD_ACCESS, 0, "the context that would be written is current");
        }
        fail(BAD_REQUEST, 0, "attribute groups are of the compatibility profile")
    });
}

/// glXQueryContext.
pub unsafe extern "C" fn glXQueryContext(
    display: XDisplay,
    context: GLXContext,
    attribute: c_int,
    value: *mut c_int,
) -> c_int {
    enter("glXQueryContext", display, opcode::QUERY_CONTEXT, BAD_CONTEXT, || {
        let made = screen::context(context)?;
        let found = match attribute {
            FBCONFIG_ID => made.config.map_or(0, |config| config.id),
            RENDER_TYPE => RGBA_TYPE,
            SCREEN => made.screen,
            _ => return Ok(BAD_ATTRIBUTE),
        };
        // SAFETY: null or writable.
        unsafe { put(value, found) };
        Ok(0)
    })
}
