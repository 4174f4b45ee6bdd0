//! Showing what was drawn, and waiting for it.

use crate::current;
use crate::display;
use crate::egl::*;
use crate::error::{Error, Result, enter, fail};
use crate::wayland::Rect;
use std::sync::Arc;

/// Rectangles of damage that are told at most; where there are more, all counts as damaged.
const MAX_RECTS: usize = 256;

fn swap(display: EGLDisplay, surface: EGLSurface, damage: &[Rect]) -> Result<EGLBoolean> {
    let surface = display::live(display)?.surface(surface)?;
    let binding = current::get();
    let Some(binding) =
        binding.filter(|b| b.draw.as_ref().is_some_and(|d| Arc::ptr_eq(d, &surface)))
    else {
        return fail(BAD_SURFACE, "the surface is not this thread's draw surface");
    };
    if binding.context.is_orphan() {
        return fail(CONTEXT_LOST, "the context belongs to the parent process");
    }
    // SAFETY: the context is current on this thread, and no GL call is under way.
    unsafe { (*binding.context.gl()).look_for_events() };
    surface.swap_damaged(&binding.context.group, damage)?;
    if surface.follow() {
        current::tell(&surface);
    }
    Ok(TRUE)
}

/// eglSwapBuffers.
pub unsafe extern "C" fn eglSwapBuffers(display: EGLDisplay, surface: EGLSurface) -> EGLBoolean {
    enter("eglSwapBuffers", FALSE, || swap(display, surface, &[]))
}

/// eglSwapBuffersWithDamageKHR and -EXT: the damage is a hint. The whole picture is shown, and a Wayland compositor told the hint.
pub unsafe extern "C" fn eglSwapBuffersWithDamage(
    display: EGLDisplay,
    surface: EGLSurface,
    rects: *const EGLint,
    count: EGLint,
) -> EGLBoolean {
    enter("eglSwapBuffersWithDamage", FALSE, || {
        if count < 0 || (count > 0 && rects.is_null()) {
            return fail(BAD_PARAMETER, "no rectangles, but a number of them");
        }
        let count = usize::try_from(count).ok().filter(|n| *n <= MAX_RECTS).unwrap_or(0);
        // SAFETY: the program says that so many rectangles of four numbers are there.
        let damage: Vec<Rect> = (0..count)
            .map(|index| unsafe { rects.cast::<Rect>().add(index).read_unaligned() })
            .collect();
        swap(display, surface, &damage)
    })
}

/// eglSwapInterval.
pub unsafe extern "C" fn eglSwapInterval(display: EGLDisplay, interval: EGLint) -> EGLBoolean {
    enter("eglSwapInterval", FALSE, || {
        display::live(display)?;
        let Some(binding) = current::get() else {
            return fail(BAD_CONTEXT, "no context is current");
        };
        let Some(draw) = &binding.draw else {
            return fail(BAD_SURFACE, "no surface is current");
        };
        if !binding.context.is_orphan() {
            draw.set_interval(interval.clamp(0, 1));
        }
        Ok(TRUE)
    })
}

/// eglCopyBuffers.
pub unsafe extern "C" fn eglCopyBuffers(
    display: EGLDisplay,
    surface: EGLSurface,
    pixmap: usize,
) -> EGLBoolean {
    enter("eglCopyBuffers", FALSE, || {
        let live = display::live(display)?;
        let surface = live.surface(surface)?;
        let Some(x) = &live.x else {
            return fail(BAD_MATCH, "the display has no pixmaps");
        };
        if let display::Platform::X11 { foreign, .. } = display::find(display)?.platform {
            foreign.sync();
        }
        let found = x.geometry(pixmap as u32).map_err(|why| Error::new(BAD_NATIVE_PIXMAP, why))?;
        let depth = surface.config.visual.map_or(found.depth, |v| v.depth);
        if depth != found.depth {
            return fail(BAD_MATCH, "the pixmap's depth is not the surface's");
        }
        let Some(binding) = current::get().filter(|b| {
            b.draw.as_ref().is_some_and(|d| Arc::ptr_eq(d, &surface)) && !b.context.is_orphan()
        }) else {
            // Nothing was drawn to it on this thread that could be copied.
            return Ok(TRUE);
        };
        surface.copy_out(&binding.context.group, Some(pixmap as u32))?;
        Ok(TRUE)
    })
}

/// eglWaitClient and eglWaitGL: GL is done when this returns, and pixmaps show it.
pub unsafe extern "C" fn eglWaitClient() -> EGLBoolean {
    enter("eglWaitClient", FALSE, || current::finish().map(|()| TRUE))
}

/// eglWaitNative: what the program asked of its X server has been done.
pub unsafe extern "C" fn eglWaitNative(engine: EGLint) -> EGLBoolean {
    enter("eglWaitNative", FALSE, || {
        if engine != CORE_NATIVE_ENGINE {
            return fail(BAD_PARAMETER, format!("there is no engine {engine:#x}"));
        }
        let Some(binding) = current::get() else { return Ok(TRUE) };
        if let display::Platform::X11 { foreign, .. } = display::find(binding.display)?.platform {
            foreign.sync();
        }
        Ok(TRUE)
    })
}
