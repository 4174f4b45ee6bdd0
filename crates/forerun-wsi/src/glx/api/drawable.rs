//! Windows, pixmaps, pbuffers, and what can be asked of them.

use super::config::of_visual;
use super::pairs;
use crate::api::put;
use crate::current;
use crate::egl;
use crate::foreign::Foreign;
use crate::glx::error::{
    BAD_ALLOC, BAD_MATCH, BAD_VALUE, Code, GLX_BAD_DRAWABLE, GLX_BAD_PBUFFER, GLX_BAD_PIXMAP,
    GLX_BAD_WINDOW, Result, enter, fail,
};
use crate::glx::screen::{self, Drawn, How};
use crate::glx::tokens::*;
use crate::glx::xlib::VisualInfo;
use crate::surface::{Attribs, Kind};
use std::ffi::{c_int, c_uint};
use std::sync::Arc;

fn native(xid: Xid) -> u32 {
    // XIDs have 29 bits; a larger number is nobody's, as zero is.
    u32::try_from(xid).unwrap_or(0)
}

/// glXCreateWindow.
pub unsafe extern "C" fn glXCreateWindow(
    display: XDisplay,
    config: GLXFBConfig,
    window: Xid,
    _attribs: *const c_int,
) -> Xid {
    enter("glXCreateWindow", display, opcode::CREATE_WINDOW, 0, || {
        let (screen, config) = screen::config(display, config)?;
        let kind = Kind::Window(native(window));
        screen.create_drawable(kind, How::Window, config, Attribs::default(), true)
    })
}

/// glXCreatePixmap.
pub unsafe extern "C" fn glXCreatePixmap(
    display: XDisplay,
    config: GLXFBConfig,
    pixmap: Xid,
    _attribs: *const c_int,
) -> Xid {
    enter("glXCreatePixmap", display, opcode::CREATE_PIXMAP, 0, || {
        let (screen, config) = screen::config(display, config)?;
        let kind = Kind::Pixmap(native(pixmap));
        screen.create_drawable(kind, How::Pixmap, config, Attribs::default(), true)
    })
}

/// glXCreateGLXPixmap.
pub unsafe extern "C" fn glXCreateGLXPixmap(
    display: XDisplay,
    visual: *const VisualInfo,
    pixmap: Xid,
) -> Xid {
    enter("glXCreateGLXPixmap", display, opcode::CREATE_GLX_PIXMAP, 0, || {
        // SAFETY: the specification says what `visual` points to.
        let Some((screen, config)) = unsafe { of_visual(display, visual) }? else {
            return fail(BAD_VALUE, 0, "the visual does not support OpenGL");
        };
        let kind = Kind::Pixmap(native(pixmap));
        screen.create_drawable(kind, How::Pixmap, config, Attribs::default(), true)
    })
}

/// glXCreatePbuffer.
pub unsafe extern "C" fn glXCreatePbuffer(
    display: XDisplay,
    config: GLXFBConfig,
    attribs: *const c_int,
) -> Xid {
    enter("glXCreatePbuffer", display, opcode::CREATE_PBUFFER, 0, || {
        let (screen, config) = screen::config(display, config)?;
        // SAFETY: null or a list.
        let Some(pairs) = (unsafe { pairs(attribs) }) else {
            return fail(BAD_VALUE, 0, "the attribute list has no end");
        };
        let (mut made, mut preserved) = (Attribs::default(), false);
        for (name, value) in pairs {
            match name {
                PBUFFER_WIDTH => made.width = value,
                PBUFFER_HEIGHT => made.height = value,
                LARGEST_PBUFFER => made.largest = value != 0,
                PRESERVED_CONTENTS => preserved = value != 0,
                _ => return fail(BAD_VALUE, 0, format!("{name:#06x} is no attribute of pbuffers")),
            }
        }
        if made.width < 0 || made.height < 0 {
            return fail(BAD_ALLOC, 0, "a size is negative");
        }
        screen.create_drawable(Kind::Pbuffer, How::Pbuffer, config, made, preserved)
    })
}

fn destroy(display: XDisplay, xid: Xid, how: How, code: Code) -> Result<()> {
    match screen::forget_drawable(display, xid, how) {
        Some(drawn) => {
            drop(drawn);
            Ok(())
        }
        None => fail(code, xid, format!("{xid:#x} is none")),
    }
}

/// glXDestroyWindow. What is current lives on until it is released. A GLXWindow goes with its window, as in X servers that speak GLX.
pub unsafe extern "C" fn glXDestroyWindow(display: XDisplay, window: Xid) {
    enter("glXDestroyWindow", display, opcode::DESTROY_WINDOW, (), || {
        let gone = screen::forget_drawable(display, window, How::Window);
        Foreign::Xlib(display).sync();
        match gone {
            Some(drawn) if drawn.surface.exists() => Ok(()),
            _ => fail(GLX_BAD_WINDOW, window, format!("{window:#x} is none")),
        }
    });
}

/// glXDestroyPixmap.
pub unsafe extern "C" fn glXDestroyPixmap(display: XDisplay, pixmap: Xid) {
    enter("glXDestroyPixmap", display, opcode::DESTROY_PIXMAP, (), || {
        destroy(display, pixmap, How::Pixmap, GLX_BAD_PIXMAP)
    });
}

/// glXDestroyGLXPixmap.
pub unsafe extern "C" fn glXDestroyGLXPixmap(display: XDisplay, pixmap: Xid) {
    enter("glXDestroyGLXPixmap", display, opcode::DESTROY_GLX_PIXMAP, (), || {
        destroy(display, pixmap, How::Pixmap, GLX_BAD_PIXMAP)
    });
}

/// glXDestroyPbuffer.
pub unsafe extern "C" fn glXDestroyPbuffer(display: XDisplay, pbuffer: Xid) {
    enter("glXDestroyPbuffer", display, opcode::DESTROY_PBUFFER, (), || {
        destroy(display, pbuffer, How::Pbuffer, GLX_BAD_PBUFFER)
    });
}

/// The value of an attribute of glXQueryDrawable; `None` for those that leave the program's variable alone.
fn ask(xid: Xid, drawn: &Drawn, attribute: c_int) -> Result<Option<c_uint>> {
    let surface = &drawn.surface;
    let of_surface = |attribute| -> Result<Option<c_uint>> {
        Ok(surface.query(attribute)?.map(|value| value as c_uint))
    };
    Ok(match attribute {
        WIDTH | HEIGHT => {
            if surface.measure() {
                current::tell(surface);
            }
            let name = if attribute == WIDTH { egl::WIDTH } else { egl::HEIGHT };
            return of_surface(name);
        }
        FBCONFIG_ID => Some(drawn.config.id as c_uint),
        PRESERVED_CONTENTS if drawn.how == How::Pbuffer => Some(drawn.preserved.into()),
        LARGEST_PBUFFER if drawn.how == How::Pbuffer => Some(surface.attribs.largest.into()),
        PRESERVED_CONTENTS | LARGEST_PBUFFER => None,
        EVENT_MASK => Some(drawn.events as c_uint),
        SWAP_INTERVAL => Some(surface.interval() as c_uint),
        MAX_SWAP_INTERVAL => {
            Some(surface.config.get(egl::MAX_SWAP_INTERVAL).map_or(1, |most| most as c_uint))
        }
        BACK_BUFFER_AGE => {
            let binding = current::get();
            let draws = binding
                .is_some_and(|b| b.draw.as_ref().is_some_and(|draw| Arc::ptr_eq(draw, surface)));
            if !draws {
                return fail(GLX_BAD_DRAWABLE, xid, "the drawable is not current");
            }
            return of_surface(egl::BUFFER_AGE_EXT);
        }
        _ => return fail(BAD_VALUE, 0, format!("{attribute:#06x} is no attribute of drawables")),
    })
}

/// glXQueryDrawable.
pub unsafe extern "C" fn glXQueryDrawable(
    display: XDisplay,
    drawable: Xid,
    attribute: c_int,
    value: *mut c_uint,
) {
    enter("glXQueryDrawable", display, opcode::GET_DRAWABLE_ATTRIBUTES, (), || {
        let drawn = screen::drawable(display, drawable)?;
        if let Some(found) = ask(drawable, &drawn, attribute)? {
            // SAFETY: null or writable.
            unsafe { put(value, found) };
        }
        Ok(())
    });
}

/// glXSelectEvent. The only event of GLX is sent when a pbuffer is damaged, which none of ours is.
pub unsafe extern "C" fn glXSelectEvent(display: XDisplay, drawable: Xid, mask: Xid) {
    enter("glXSelectEvent", display, opcode::CHANGE_DRAWABLE_ATTRIBUTES, (), || {
        if mask & !PBUFFER_CLOBBER_MASK != 0 {
            return fail(BAD_VALUE, mask, format!("event mask {mask:#x}"));
        }
        screen::change(display, drawable, |drawn| drawn.events = mask)
    });
}

/// glXGetSelectedEvent.
pub unsafe extern "C" fn glXGetSelectedEvent(display: XDisplay, drawable: Xid, mask: *mut Xid) {
    enter("glXGetSelectedEvent", display, opcode::GET_DRAWABLE_ATTRIBUTES, (), || {
        let drawn = screen::drawable(display, drawable)?;
        // SAFETY: null or writable.
        unsafe { put(mask, drawn.events) };
        Ok(())
    });
}

/// A surface that glXSwapBuffers or glXSwapIntervalEXT means.
///
/// # Errors
/// GLXBadDrawable.
pub fn meant(display: XDisplay, xid: Xid) -> Result<Drawn> {
    let drawn = screen::drawable(display, xid)?;
    if drawn.surface.is_gone() {
        return fail(BAD_MATCH, xid, "the drawable's window is gone");
    }
    Ok(drawn)
}
