//! Displays: where drawables come from. A display is made once per native display and never freed (EGL 1.5, §3.2).

use crate::config::{self, Config};
use crate::context::Context;
use crate::egl::*;
use crate::error::{Result, fail};
use crate::foreign::Foreign;
use crate::surface::Surface;
use crate::sync::Sync;
use crate::wayland::Compositor;
use crate::{session, settings};
use forerun_x11::{Visual, XServer};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where drawables come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Windows and pixmaps of an X server.
    X11 {
        /// The program's own connection.
        foreign: Foreign,
        /// Screen, when the program named one.
        screen: Option<usize>,
    },
    /// Windows of a Wayland compositor: the program's `wl_display`, or 0 for that of the environment.
    Wayland(usize),
    /// Off-screen only.
    Surfaceless,
    /// Off-screen only, asked for through a device.
    Device,
}

/// A display. Its handle is its number in the registry.
pub struct Display {
    /// EGLDisplay.
    pub handle: EGLDisplay,
    /// Where drawables come from.
    pub platform: Platform,
    state: Mutex<Option<Arc<Live>>>,
}

/// An initialised display. eglTerminate replaces it; what is current lives on through its own references.
pub struct Live {
    /// The X server, where there is one.
    pub x: Option<Arc<XServer>>,
    /// The Wayland compositor, where there is one.
    pub wayland: Option<Compositor>,
    /// All configs, by id.
    pub configs: Vec<Config>,
    /// Contexts by handle.
    pub contexts: Mutex<HashMap<EGLContext, Arc<Context>>>,
    /// Surfaces by handle.
    pub surfaces: Mutex<HashMap<EGLSurface, Arc<Surface>>>,
    /// Syncs by handle.
    pub syncs: Mutex<HashMap<EGLSync, Arc<Sync>>>,
}

static DISPLAYS: Mutex<Vec<Arc<Display>>> = Mutex::new(Vec::new());

/// Handles of displays begin here, so that no small number is one.
const FIRST_DISPLAY: usize = 0x00F0_0000;
/// Handles are this far apart: they look like addresses to programs that check alignment.
const HANDLE_STEP: usize = 16;

static NEXT_OBJECT: AtomicUsize = AtomicUsize::new(0x0F00_0000);

/// A handle for a context, surface or sync; never used again, so that a stale one is told apart.
pub fn new_handle() -> usize {
    NEXT_OBJECT.fetch_add(HANDLE_STEP, Ordering::Relaxed)
}

/// The display of that platform, made if there is none yet.
pub fn get(platform: Platform) -> EGLDisplay {
    let mut displays = DISPLAYS.lock();
    if let Some(display) = displays.iter().find(|d| d.platform == platform) {
        return display.handle;
    }
    let handle = FIRST_DISPLAY + displays.len() * HANDLE_STEP;
    displays.push(Arc::new(Display { handle, platform, state: Mutex::new(None) }));
    handle
}

/// The display of that handle.
///
/// # Errors
/// EGL_BAD_DISPLAY.
pub fn find(handle: EGLDisplay) -> Result<Arc<Display>> {
    let index = handle.checked_sub(FIRST_DISPLAY).map(|distance| distance / HANDLE_STEP);
    let display = index.and_then(|index| DISPLAYS.lock().get(index).cloned());
    match display.filter(|d| d.handle == handle) {
        Some(display) => Ok(display),
        None => fail(BAD_DISPLAY, format!("{handle:#x} is no display")),
    }
}

/// The initialised display of that handle.
///
/// # Errors
/// EGL_BAD_DISPLAY, EGL_NOT_INITIALIZED.
pub fn live(handle: EGLDisplay) -> Result<Arc<Live>> {
    match find(handle)?.state.lock().clone() {
        Some(live) => Ok(live),
        None => fail(NOT_INITIALIZED, "the display is not initialised"),
    }
}

impl Display {
    /// eglInitialize: connects to what the platform needs and to a server. Repeated calls do nothing.
    ///
    /// # Errors
    /// EGL_NOT_INITIALIZED; the reason is logged as an error, since programs tend to say only that EGL failed.
    pub fn initialize(&self) -> Result<()> {
        let mut state = self.state.lock();
        if state.is_some() {
            return Ok(());
        }
        match self.bring_up() {
            Ok(live) => {
                *state = Some(Arc::new(live));
                Ok(())
            }
            Err(why) => {
                settings::complain(&why);
                fail(NOT_INITIALIZED, why)
            }
        }
    }

    fn bring_up(&self) -> std::result::Result<Live, String> {
        let x = match self.platform {
            Platform::X11 { foreign, screen } => {
                let screen = screen.or_else(|| foreign.screen());
                Some(Arc::new(XServer::connect(foreign.name().as_deref(), screen)?))
            }
            Platform::Wayland(_) | Platform::Surfaceless | Platform::Device => None,
        };
        let wayland = match self.platform {
            // SAFETY: a program keeps its native display until it terminates EGL's (EGL_KHR_platform_wayland).
            Platform::Wayland(display) => Some(unsafe { Compositor::connect(display) }?),
            _ => None,
        };
        let native = match self.platform {
            Platform::X11 { .. } => WINDOW_BIT | PIXMAP_BIT,
            Platform::Wayland(_) => WINDOW_BIT,
            Platform::Surfaceless | Platform::Device => 0,
        };
        let caps = session::caps()?;
        let visuals: &[Visual] = x.as_ref().map_or(&[], |x| &x.visuals);
        let samples: &[EGLint] = if caps.limits.max_samples >= 4 { &[0, 4] } else { &[0] };
        let configs = config::table(visuals, native, config::renderable(&caps), samples);
        Ok(Live {
            x,
            wayland,
            configs,
            contexts: Mutex::default(),
            surfaces: Mutex::default(),
            syncs: Mutex::default(),
        })
    }

    /// eglTerminate: every object goes, except that what is current stays until it is released.
    pub fn terminate(&self) {
        let live = self.state.lock().take();
        if let Some(live) = live {
            // Taken out first and dropped afterwards: an object's end may take locks of other rooms.
            let contexts = std::mem::take(&mut *live.contexts.lock());
            let surfaces = std::mem::take(&mut *live.surfaces.lock());
            let syncs = std::mem::take(&mut *live.syncs.lock());
            drop((syncs, surfaces, contexts));
        }
    }

    /// Whether eglInitialize succeeded and eglTerminate did not follow.
    pub fn is_live(&self) -> bool {
        self.state.lock().is_some()
    }
}

impl Live {
    /// The config of that handle.
    ///
    /// # Errors
    /// EGL_BAD_CONFIG.
    pub fn config(&self, handle: EGLConfig) -> Result<Config> {
        match self.configs.iter().find(|c| c.id as usize == handle) {
            Some(config) => Ok(*config),
            None => fail(BAD_CONFIG, format!("{handle:#x} is no config")),
        }
    }

    /// The context of that handle.
    ///
    /// # Errors
    /// EGL_BAD_CONTEXT.
    pub fn context(&self, handle: EGLContext) -> Result<Arc<Context>> {
        match self.contexts.lock().get(&handle) {
            Some(context) => Ok(context.clone()),
            None => fail(BAD_CONTEXT, format!("{handle:#x} is no context")),
        }
    }

    /// The surface of that handle.
    ///
    /// # Errors
    /// EGL_BAD_SURFACE.
    pub fn surface(&self, handle: EGLSurface) -> Result<Arc<Surface>> {
        match self.surfaces.lock().get(&handle) {
            Some(surface) => Ok(surface.clone()),
            None => fail(BAD_SURFACE, format!("{handle:#x} is no surface")),
        }
    }

    /// The sync of that handle.
    ///
    /// # Errors
    /// EGL_BAD_PARAMETER.
    pub fn sync(&self, handle: EGLSync) -> Result<Arc<Sync>> {
        match self.syncs.lock().get(&handle) {
            Some(sync) => Ok(sync.clone()),
            None => fail(BAD_PARAMETER, format!("{handle:#x} is no sync")),
        }
    }
}
