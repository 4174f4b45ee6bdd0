//! GLXFBConfigs and visuals.

use super::{array, pairs};
use crate::api::put;
use crate::glx::config::{FbConfig, Request, handle};
use crate::glx::error::{Result, enter};
use crate::glx::screen::{self, Screen};
use crate::glx::tokens::*;
use crate::glx::xlib::{self, VisualInfo};
use std::ffi::{c_int, c_ulong};
use std::ptr;
use std::sync::Arc;

fn handles(screen: &Screen, configs: &[FbConfig], count: *mut c_int) -> *mut GLXFBConfig {
    let found: Vec<GLXFBConfig> =
        configs.iter().map(|config| handle(screen.number, config.id)).collect();
    // SAFETY: null or writable.
    unsafe { put(count, found.len() as c_int) };
    array(&found)
}

/// glXGetFBConfigs.
pub unsafe extern "C" fn glXGetFBConfigs(
    display: XDisplay,
    screen: c_int,
    count: *mut c_int,
) -> *mut GLXFBConfig {
    enter("glXGetFBConfigs", display, opcode::GET_FB_CONFIGS, ptr::null_mut(), || {
        // SAFETY: null or writable.
        unsafe { put(count, 0) };
        if screen >= xlib::screens(display) {
            return Ok(ptr::null_mut());
        }
        let screen = screen::open(display, screen)?;
        Ok(handles(&screen, &screen.configs, count))
    })
}

/// glXChooseFBConfig.
pub unsafe extern "C" fn glXChooseFBConfig(
    display: XDisplay,
    screen: c_int,
    attribs: *const c_int,
    count: *mut c_int,
) -> *mut GLXFBConfig {
    enter("glXChooseFBConfig", display, opcode::GET_FB_CONFIGS, ptr::null_mut(), || {
        // SAFETY: null or writable; null or a list.
        let pairs = unsafe {
            put(count, 0);
            pairs(attribs)
        };
        let request = pairs.and_then(|pairs| Request::of_pairs(&pairs));
        let Some(request) = request.filter(|_| screen < xlib::screens(display)) else {
            return Ok(ptr::null_mut());
        };
        let screen = screen::open(display, screen)?;
        let found = request.choose(screen.number, &screen.configs);
        Ok(handles(&screen, &found, count))
    })
}

/// glXGetFBConfigAttrib.
pub unsafe extern "C" fn glXGetFBConfigAttrib(
    display: XDisplay,
    config: GLXFBConfig,
    attribute: c_int,
    value: *mut c_int,
) -> c_int {
    enter("glXGetFBConfigAttrib", display, opcode::GET_FB_CONFIGS, NO_EXTENSION, || {
        let (screen, config) = screen::config(display, config)?;
        Ok(match config.get(screen.number, attribute) {
            Some(found) => {
                // SAFETY: null or writable.
                unsafe { put(value, found) };
                0
            }
            None => BAD_ATTRIBUTE,
        })
    })
}

/// glXGetVisualFromFBConfig.
pub unsafe extern "C" fn glXGetVisualFromFBConfig(
    display: XDisplay,
    config: GLXFBConfig,
) -> *mut VisualInfo {
    enter("glXGetVisualFromFBConfig", display, opcode::GET_FB_CONFIGS, ptr::null_mut(), || {
        let (screen, config) = screen::config(display, config)?;
        Ok(match config.config.visual {
            Some(visual) => xlib::visual_info(display, screen.number, visual.id),
            None => ptr::null_mut(),
        })
    })
}

/// glXChooseVisual.
pub unsafe extern "C" fn glXChooseVisual(
    display: XDisplay,
    screen: c_int,
    attribs: *const c_int,
) -> *mut VisualInfo {
    enter("glXChooseVisual", display, opcode::GET_VISUAL_CONFIGS, ptr::null_mut(), || {
        // SAFETY: null or a list.
        let list = unsafe { visual_list(attribs) };
        let Some(request) = Request::of_visual(&list).filter(|_| screen < xlib::screens(display))
        else {
            return Ok(ptr::null_mut());
        };
        let screen = screen::open(display, screen)?;
        let found = request.choose(screen.number, &screen.configs);
        // A context is made from the visual alone, so it must stand for the config.
        let visual = found.iter().find(|c| c.owns_visual).and_then(|c| c.config.visual);
        Ok(match visual {
            Some(visual) => xlib::visual_info(display, screen.number, visual.id),
            None => ptr::null_mut(),
        })
    })
}

/// Reads the list of glXChooseVisual, which zero ends where a name is due: some names stand alone, a value may be zero.
///
/// # Safety
/// `attribs` is null or points to such a list.
unsafe fn visual_list(attribs: *const c_int) -> Vec<c_int> {
    let mut list = Vec::new();
    while !attribs.is_null() && list.len() < 2 * super::MAX_ATTRIBS {
        // SAFETY: the list's end was not reached.
        let name = unsafe { attribs.add(list.len()).read() };
        if name == 0 {
            break;
        }
        list.push(name);
        if !matches!(name, USE_GL | RGBA | DOUBLEBUFFER | STEREO) {
            // SAFETY: any other name is followed by a value.
            list.push(unsafe { attribs.add(list.len()).read() });
        }
    }
    list
}

/// The config that a visual stands for.
///
/// # Safety
/// `visual` is null or points to an XVisualInfo.
pub unsafe fn of_visual(
    display: XDisplay,
    visual: *const VisualInfo,
) -> Result<Option<(Arc<Screen>, FbConfig)>> {
    if visual.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    let info = unsafe { visual.read_unaligned() };
    if info.screen >= xlib::screens(display) {
        return Ok(None);
    }
    let screen = screen::open(display, info.screen)?;
    let is = |c: &&FbConfig| {
        c.owns_visual && c.config.visual.is_some_and(|v| c_ulong::from(v.id) == info.visualid)
    };
    let config = screen.configs.iter().find(is).copied();
    Ok(config.map(|config| (screen, config)))
}

/// glXGetConfig.
pub unsafe extern "C" fn glXGetConfig(
    display: XDisplay,
    visual: *const VisualInfo,
    attribute: c_int,
    value: *mut c_int,
) -> c_int {
    enter("glXGetConfig", display, opcode::GET_VISUAL_CONFIGS, NO_EXTENSION, || {
        // SAFETY: the specification says what `visual` points to.
        let found = unsafe { of_visual(display, visual) }?;
        let found = match (found, attribute) {
            (Some(_), USE_GL | RGBA) => Some(1),
            (None, USE_GL) => Some(0),
            (None, _) => return Ok(BAD_VISUAL),
            (Some((screen, config)), _) => config.get(screen.number, attribute),
        };
        Ok(match found {
            Some(found) => {
                // SAFETY: null or writable.
                unsafe { put(value, found) };
                0
            }
            None => BAD_ATTRIBUTE,
        })
    })
}
