//! Showing what was drawn, and waiting for it.

use super::drawable::meant;
use crate::current::{self, Binding};
use crate::display::{self, Platform};
use crate::glx::error::{BAD_FONT, GLX_BAD_DRAWABLE, Result, enter, fail};
use crate::glx::screen;
use crate::glx::tokens::*;
use crate::surface::{Buffers, Kind, Surface};
use forerun_gl::error::GlError;
use forerun_pipe::gl;
use std::ffi::{c_int, c_uint};
use std::sync::Arc;

fn draws(binding: &Binding, surface: &Arc<Surface>) -> bool {
    binding.draw.as_ref().is_some_and(|draw| Arc::ptr_eq(draw, surface))
}

/// glXSwapBuffers. The drawable need not be current.
pub unsafe extern "C" fn glXSwapBuffers(display: XDisplay, drawable: Xid) {
    enter("glXSwapBuffers", display, opcode::SWAP_BUFFERS, (), || {
        let surface = meant(display, drawable)?.surface;
        let binding = current::get().filter(|binding| draws(binding, &surface));
        let group = match &binding {
            Some(binding) if binding.context.is_orphan() => return Ok(()),
            Some(binding) => {
                // SAFETY: the context is current on this thread, and no GL call is under way.
                unsafe { (*binding.context.gl()).look_for_events() };
                Some(binding.context.group.clone())
            }
            None => surface.group(),
        };
        // Nobody has drawn there.
        let Some(group) = group else { return Ok(()) };
        match surface.kind {
            Kind::Pixmap(_) if surface.attribs.buffers == Buffers::Double => {
                surface.copy_out(&group, None)?;
            }
            _ => surface.swap(&group)?,
        }
        if surface.follow() {
            current::tell(&surface);
        }
        Ok(())
    });
}

/// glXWaitGL: GL is done when this returns, and X sees it.
pub unsafe extern "C" fn glXWaitGL() {
    // No display is named that an X error could be sent on; what fails is a lost session.
    enter("glXWaitGL", 0, opcode::WAIT_GL, (), || Ok(current::finish()?));
}

/// glXWaitX: what the program asked of its X server has been done.
pub unsafe extern "C" fn glXWaitX() {
    enter("glXWaitX", 0, opcode::WAIT_X, (), || {
        let Some(binding) = current::get().filter(|b| screen::is_open(b.display)) else {
            return Ok(());
        };
        if let Platform::X11 { foreign, .. } = display::find(binding.display)?.platform {
            foreign.sync();
        }
        Ok(())
    });
}

/// glXUseXFont: its display lists are of the compatibility profile, which no context here has.
pub unsafe extern "C" fn glXUseXFont(font: Xid, _first: c_int, _count: c_int, _base: c_int) {
    enter("glXUseXFont", 0, opcode::USE_X_FONT, (), || {
        let Some(binding) = current::get() else {
            return fail(BAD_FONT, font, "no context is current");
        };
        let error = GlError {
            code: gl::INVALID_OPERATION,
            what: "display lists are of the compatibility profile",
        };
        log::warn!("glXUseXFont: {}", error.what);
        // SAFETY: the context is current on this thread, and no GL call is under way.
        unsafe { (*binding.context.gl()).state.record_error("glXUseXFont", error) };
        Ok(())
    });
}

/// glXSwapIntervalEXT.
pub unsafe extern "C" fn glXSwapIntervalEXT(display: XDisplay, drawable: Xid, interval: c_int) {
    enter("glXSwapIntervalEXT", display, opcode::VENDOR_PRIVATE, (), || {
        if interval < 0 {
            // Only GLX_EXT_swap_control_tear gives these a meaning.
            return fail(crate::glx::error::BAD_VALUE, 0, format!("swap interval {interval}"));
        }
        match meant(display, drawable) {
            Ok(drawn) => {
                drawn.surface.set_interval(interval.clamp(0, 1));
                Ok(())
            }
            Err(refusal) => fail(GLX_BAD_DRAWABLE, drawable, refusal.why),
        }
    });
}

/// Sets the interval of the current draw surface.
fn set_current(interval: c_int) -> Result<c_int> {
    let Some(binding) = current::get() else { return Ok(BAD_CONTEXT) };
    let Some(draw) = &binding.draw else { return Ok(BAD_CONTEXT) };
    if !binding.context.is_orphan() {
        draw.set_interval(interval.clamp(0, 1));
    }
    Ok(0)
}

/// glXSwapIntervalMESA.
pub unsafe extern "C" fn glXSwapIntervalMESA(interval: c_uint) -> c_int {
    enter("glXSwapIntervalMESA", 0, opcode::VENDOR_PRIVATE, BAD_VALUE, || {
        match c_int::try_from(interval) {
            Ok(interval) => set_current(interval),
            Err(_) => Ok(BAD_VALUE),
        }
    })
}

/// glXGetSwapIntervalMESA.
pub unsafe extern "C" fn glXGetSwapIntervalMESA() -> c_int {
    enter("glXGetSwapIntervalMESA", 0, opcode::VENDOR_PRIVATE, 0, || {
        let binding = current::get();
        Ok(binding.as_ref().and_then(|b| b.draw.as_ref()).map_or(0, |draw| draw.interval()))
    })
}

/// glXSwapIntervalSGI.
pub unsafe extern "C" fn glXSwapIntervalSGI(interval: c_int) -> c_int {
    enter("glXSwapIntervalSGI", 0, opcode::VENDOR_PRIVATE, BAD_VALUE, || {
        // Zero was no interval in that extension; programs use the other two for it.
        if interval <= 0 { Ok(BAD_VALUE) } else { set_current(interval) }
    })
}
