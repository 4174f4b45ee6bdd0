//! Screens of programs' displays, and what GLX made there: contexts, and which XID is which surface.

use super::config::{self, FbConfig};
use super::error::{BAD_ALLOC, GLX_BAD_CONTEXT, GLX_BAD_DRAWABLE, GLX_BAD_FBCONFIG, Result, fail};
use super::tokens::*;
use super::xlib;
use crate::context::Context;
use crate::display::{self, Live, Platform};
use crate::egl::{self, EGLDisplay};
use crate::foreign::Foreign;
use crate::surface::{Attribs, Buffers, Kind, Surface};
use forerun_x11::XServer;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// A context as GLX knows it.
#[derive(Clone)]
pub struct Made {
    /// The context.
    pub context: Arc<Context>,
    /// Its GLXFBConfig; none for GLX_EXT_no_config_context.
    pub config: Option<FbConfig>,
    /// Its screen.
    pub screen: c_int,
}

/// How an XID came to be a drawable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// glXCreateWindow.
    Window,
    /// glXCreatePixmap and glXCreateGLXPixmap.
    Pixmap,
    /// glXCreatePbuffer.
    Pbuffer,
    /// An X window that was made current as it is (GLX 1.2).
    Plain,
}

/// A drawable as GLX knows it.
#[derive(Clone)]
pub struct Drawn {
    /// The surface.
    pub surface: Arc<Surface>,
    /// Its GLXFBConfig.
    pub config: FbConfig,
    /// How it came to be.
    pub how: How,
    /// What glXSelectEvent asked for.
    pub events: Xid,
    /// GLX_PRESERVED_CONTENTS; pbuffers always are.
    pub preserved: bool,
}

/// A screen of a program's display.
pub struct Screen {
    /// The program's `Display`.
    pub x_display: XDisplay,
    /// Its number.
    pub number: c_int,
    /// The EGL display that it stands on.
    pub display: EGLDisplay,
    /// What is open there.
    pub live: Arc<Live>,
    /// All GLXFBConfigs.
    pub configs: Vec<FbConfig>,
    contexts: Mutex<HashMap<GLXContext, Made>>,
    drawables: Mutex<HashMap<Xid, Drawn>>,
}

static SCREENS: Mutex<Vec<Arc<Screen>>> = Mutex::new(Vec::new());

/// The screen of that number, opened if it was not.
///
/// # Errors
/// BadAlloc; a person is told the reason, since programs tend to say only that GLX failed.
pub fn open(x_display: XDisplay, number: c_int) -> Result<Arc<Screen>> {
    let same = |screen: &&Arc<Screen>| (screen.x_display, screen.number) == (x_display, number);
    if let Some(screen) = SCREENS.lock().iter().find(same) {
        return Ok(screen.clone());
    }
    let Ok(index) = usize::try_from(number) else {
        return fail(BAD_ALLOC, 0, format!("there is no screen {number}"));
    };
    let platform = Platform::X11 { foreign: Foreign::Xlib(x_display), screen: Some(index) };
    let handle = display::get(platform);
    display::find(handle)?.initialize()?;
    let live = display::live(handle)?;
    let visuals = live.x.as_ref().map_or(&[][..], |x| &x.all_visuals);
    let screen = Arc::new(Screen {
        x_display,
        number,
        display: handle,
        configs: config::table(&live.configs, visuals),
        live,
        contexts: Mutex::default(),
        drawables: Mutex::default(),
    });
    let mut screens = SCREENS.lock();
    // Another thread may have been faster.
    if let Some(screen) = screens.iter().find(same) {
        return Ok(screen.clone());
    }
    let first = screens.iter().all(|screen| screen.x_display != x_display);
    screens.push(screen.clone());
    drop(screens);
    if first {
        xlib::watch_close(x_display, closed);
    }
    Ok(screen)
}

/// The program closes its display: what was made there goes, except what is current.
unsafe extern "C" fn closed(x_display: XDisplay, _codes: *mut c_void) -> c_int {
    let done = std::panic::catch_unwind(|| {
        let gone: Vec<Arc<Screen>> = {
            let mut screens = SCREENS.lock();
            let (gone, kept) = screens.drain(..).partition(|s| s.x_display == x_display);
            *screens = kept;
            gone
        };
        for screen in gone {
            // Taken out first and dropped afterwards: an object's end may take locks of other rooms.
            let contexts = std::mem::take(&mut *screen.contexts.lock());
            let drawables = std::mem::take(&mut *screen.drawables.lock());
            drop((drawables, contexts));
            if let Ok(display) = display::find(screen.display) {
                display.terminate();
            }
        }
    });
    c_int::from(done.is_ok())
}

fn all() -> Vec<Arc<Screen>> {
    SCREENS.lock().clone()
}

/// Whether the program still has the display that this EGL display stands on.
pub fn is_open(display: EGLDisplay) -> bool {
    SCREENS.lock().iter().any(|screen| screen.display == display)
}

/// The screen and GLXFBConfig of a handle.
///
/// # Errors
/// GLXBadFBConfig, BadAlloc.
pub fn config(x_display: XDisplay, handle: GLXFBConfig) -> Result<(Arc<Screen>, FbConfig)> {
    let bad = || fail(GLX_BAD_FBCONFIG, 0, format!("{handle:#x} is no GLXFBConfig"));
    let Some((number, id)) = config::parts(handle) else { return bad() };
    if number >= xlib::screens(x_display) {
        return bad();
    }
    let screen = open(x_display, number)?;
    match screen.configs.iter().find(|config| config.id == id).copied() {
        Some(config) => Ok((screen, config)),
        None => bad(),
    }
}

/// The context of a handle. Contexts are known on every display of the process.
///
/// # Errors
/// GLXBadContext.
pub fn context(handle: GLXContext) -> Result<Made> {
    let found = all().iter().find_map(|screen| screen.contexts.lock().get(&handle).cloned());
    match found {
        Some(made) => Ok(made),
        None => fail(GLX_BAD_CONTEXT, 0, format!("{handle:#x} is no GLXContext")),
    }
}

/// Takes a context out.
///
/// # Errors
/// GLXBadContext.
pub fn forget_context(handle: GLXContext) -> Result<Made> {
    let found = all().iter().find_map(|screen| screen.contexts.lock().remove(&handle));
    match found {
        Some(made) => Ok(made),
        None => fail(GLX_BAD_CONTEXT, 0, format!("{handle:#x} is no GLXContext")),
    }
}

/// The name of the X server of a display, which its XIDs belong to.
fn server(x_display: XDisplay) -> Option<String> {
    let screens = SCREENS.lock();
    let screen = screens.iter().find(|screen| screen.x_display == x_display);
    match screen.and_then(|screen| screen.live.x.as_ref()) {
        Some(x) => Some(x.name.clone()),
        None => Foreign::Xlib(x_display).name(),
    }
}

fn on_server(name: &str) -> Vec<Arc<Screen>> {
    let has = |s: &Arc<Screen>| s.live.x.as_ref().is_some_and(|x| x.name == name);
    SCREENS.lock().iter().filter(|s| has(s)).cloned().collect()
}

/// The drawable of an XID, whichever display of that X server it was made with.
///
/// # Errors
/// GLXBadDrawable.
pub fn drawable(x_display: XDisplay, xid: Xid) -> Result<Drawn> {
    let screens = server(x_display).map(|name| on_server(&name)).unwrap_or_default();
    let found = screens.iter().find_map(|screen| screen.drawables.lock().get(&xid).cloned());
    match found {
        Some(drawn) => Ok(drawn),
        None => fail(GLX_BAD_DRAWABLE, xid, format!("{xid:#x} is no drawable")),
    }
}

/// Changes what is known of a drawable.
///
/// # Errors
/// GLXBadDrawable.
pub fn change(x_display: XDisplay, xid: Xid, what: impl FnOnce(&mut Drawn)) -> Result<()> {
    let screens = server(x_display).map(|name| on_server(&name)).unwrap_or_default();
    for screen in &screens {
        if let Some(drawn) = screen.drawables.lock().get_mut(&xid) {
            what(drawn);
            return Ok(());
        }
    }
    fail(GLX_BAD_DRAWABLE, xid, format!("{xid:#x} is no drawable"))
}

/// Takes a drawable out if it came to be that way. A surface that is current lives on until it is released.
pub fn forget_drawable(x_display: XDisplay, xid: Xid, how: How) -> Option<Drawn> {
    let screens = server(x_display).map(|name| on_server(&name)).unwrap_or_default();
    screens.iter().find_map(|screen| {
        let mut drawables = screen.drawables.lock();
        drawables.get(&xid).filter(|drawn| drawn.how == how)?;
        drawables.remove(&xid)
    })
}

/// Whether a native window is a GLXWindow.
fn native(screens: &[Arc<Screen>], kind: Kind) -> bool {
    screens.iter().any(|screen| {
        let drawables = screen.drawables.lock();
        drawables.values().any(|drawn| drawn.surface.kind == kind && drawn.how != How::Plain)
    })
}

impl Screen {
    /// The X server.
    ///
    /// # Errors
    /// BadAlloc.
    fn x(&self) -> Result<&Arc<XServer>> {
        match &self.live.x {
            Some(x) => Ok(x),
            None => fail(BAD_ALLOC, 0, "the display has no X server"),
        }
    }

    /// Takes a context in, and gives its handle.
    pub fn add_context(&self, context: Arc<Context>, config: Option<FbConfig>) -> GLXContext {
        let handle = context.handle;
        let made = Made { context, config, screen: self.number };
        self.contexts.lock().insert(handle, made);
        handle
    }

    /// Makes a surface for glXCreateWindow, glXCreatePixmap or glXCreatePbuffer, and gives its new XID.
    ///
    /// # Errors
    /// BadAlloc, BadMatch, BadWindow, BadPixmap.
    pub fn create_drawable(
        &self,
        kind: Kind,
        how: How,
        config: FbConfig,
        attribs: Attribs,
        preserved: bool,
    ) -> Result<Xid> {
        if kind != Kind::Pbuffer {
            Foreign::Xlib(self.x_display).sync();
            if how == How::Window && native(&on_server(&self.x()?.name), kind) {
                return fail(BAD_ALLOC, 0, "the native drawable has a GLXFBConfig already");
            }
        }
        let surface = self.surface(kind, config, attribs)?;
        let xid = match self.x()?.new_id() {
            Ok(id) => Xid::from(id),
            Err(why) => return fail(BAD_ALLOC, 0, why),
        };
        let drawn = Drawn { surface, config, how, events: 0, preserved };
        self.drawables.lock().insert(xid, drawn);
        Ok(xid)
    }

    fn surface(&self, kind: Kind, config: FbConfig, attribs: Attribs) -> Result<Arc<Surface>> {
        let buffers = if config.double { Buffers::Double } else { Buffers::Single };
        let attribs = Attribs { srgb: config.srgb, buffers, ..attribs };
        Ok(Surface::create(&self.live, kind, config.config, attribs)?)
    }

    /// The surface that a context gets for an XID: a drawable of GLX, or an X window, which becomes one with the context's config.
    ///
    /// # Errors
    /// GLXBadDrawable, BadMatch, BadAlloc.
    pub fn surface_for(&self, made: &Made, xid: Xid) -> Result<Arc<Surface>> {
        self.prune();
        if let Ok(drawn) = drawable(self.x_display, xid) {
            let fits = made.config.is_none_or(|config| {
                drawn.how != How::Plain || drawn.config.config.fits(&config.config)
            });
            if fits {
                return Ok(drawn.surface);
            }
            // A window that is no GLXWindow goes with each context's config in turn.
            forget_drawable(self.x_display, xid, How::Plain);
        }
        let Ok(window) = u32::try_from(xid) else {
            return fail(GLX_BAD_DRAWABLE, xid, format!("{xid:#x} is no XID"));
        };
        Foreign::Xlib(self.x_display).sync();
        let config = match made.config {
            Some(config) => config,
            None => self.config_of_window(window)?,
        };
        let surface = self.surface(Kind::Window(window), config, Attribs::default());
        let surface = surface.or_else(|refusal| match refusal.code {
            super::error::BAD_WINDOW => fail(GLX_BAD_DRAWABLE, xid, refusal.why),
            _ => Err(refusal),
        })?;
        let (how, events, preserved) = (How::Plain, 0, false);
        let drawn = Drawn { surface: surface.clone(), config, how, events, preserved };
        self.drawables.lock().insert(xid, drawn);
        Ok(surface)
    }

    /// The config of a window that was made without one, for a context without one.
    fn config_of_window(&self, window: u32) -> Result<FbConfig> {
        let found = self.x()?.geometry(window);
        let Ok(geometry) = found else {
            return fail(GLX_BAD_DRAWABLE, window.into(), format!("{window:#x} is no window"));
        };
        let fits = |c: &&FbConfig| {
            c.double && c.config.visual.is_some_and(|visual| visual.depth == geometry.depth)
        };
        match self.configs.iter().find(fits) {
            Some(config) => Ok(*config),
            None => {
                fail(super::error::BAD_MATCH, window.into(), "no config has the window's depth")
            }
        }
    }

    /// Windows that are gone take their surfaces with them, if GLX was not asked to keep those.
    fn prune(&self) {
        let gone: Vec<Drawn> = {
            let mut drawables = self.drawables.lock();
            let of_gone = |drawn: &Drawn| drawn.how == How::Plain && drawn.surface.is_gone();
            let xids: Vec<Xid> =
                drawables.iter().filter(|(_, drawn)| of_gone(drawn)).map(|(xid, _)| *xid).collect();
            xids.iter().filter_map(|xid| drawables.remove(xid)).collect()
        };
        drop(gone);
    }
}

/// Whether a surface serves a context (GLX 1.4, §2.1): the buffers must be alike.
///
/// # Errors
/// BadMatch.
pub fn check(made: &Made, surface: &Surface, xid: Xid) -> Result<()> {
    let needed = made.context.request.renderable_bit();
    let alike = made.config.is_none_or(|config| config.config.fits(&surface.config));
    if surface.config.renderable & needed == 0 || !alike {
        let why = "the drawable's buffers are not those of the context's config";
        return fail(super::error::BAD_MATCH, xid, why);
    }
    Ok(())
}

/// Whether an EGL error of a surface means that its session is gone.
pub fn is_lost(error: &crate::error::Error) -> bool {
    error.code == egl::CONTEXT_LOST
}
