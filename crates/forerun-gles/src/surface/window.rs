//! Windows of the program's X server, and two ways to show a picture on them.
//!
//! A driver with a GPU of its own *swaps*: it has a surface on the window, gets the picture by a blit and presents it. A driver that
//! rasterises on the CPU would copy it once more and then send it through the X server's socket; there the picture is read where it
//! stands and *put* through memory shared with the X server, which is measured to be faster than what such drivers do themselves.
//! Putting needs nothing of the host's EGL, so it also serves where that has no surface for the window.

use crate::backend::GlBackend;
use crate::host::Host;
use crate::host::egl::{Display, Object, token};
use crate::host::xcb::{Change, Connection};
use crate::twin::{Native, Twins};
use forerun_pipe::gl as c;
use forerun_pipe::handle::kind;
use forerun_pipe::{Handle, RawHandle};
use forerun_server::Tables;
use forerun_server::backend::{Failure, Outcome, Presented};
use forerun_server::objects::Surface;
use forerun_x11::{Frame, XServer};

/// Connections to the program's X server, once a window has come.
#[derive(Default)]
pub struct Presenter {
    /// The driver's, for swaps.
    connection: Option<Connection>,
    /// Ours, for puts.
    x: Option<XServer>,
    /// Pictures on their way to windows.
    frames: Twins<kind::Surface, Frame>,
    /// Whether the host's context draws to its window's back buffer.
    aimed: bool,
    /// Swaps are tried, or not, whatever the driver is.
    #[cfg(test)]
    pub(crate) swaps: Option<bool>,
}

/// How pictures reach a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By a swap of the host's surface.
    Swap(Object),
    /// By memory that the X server shares, on a window of that depth.
    Put(u8),
}

/// A window that is presented on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub way: Way,
    xid: u32,
    interval: i32,
    gone: bool,
    /// Its size as the X server last told it.
    pub size: (u32, u32),
}

impl GlBackend {
    /// Finds a way to show pictures on the program's window.
    pub(super) fn open_window(&mut self, surface: &Surface) -> Result<Window, String> {
        if surface.display.is_empty() {
            return Err("the program named no display".into());
        }
        let xid = u32::try_from(surface.native).map_err(|_| "the window's XID is none")?;
        if self.swaps_windows() {
            match self.open_swap(surface, xid) {
                Ok(window) => return Ok(window),
                Err(reason) => log::info!("the driver has no surface for the window: {reason}"),
            }
        }
        self.open_put(surface, xid)
    }

    /// Whether the driver's own surfaces are the faster way.
    fn swaps_windows(&self) -> bool {
        #[cfg(test)]
        if let Some(swaps) = self.presenter.swaps {
            return swaps;
        }
        !self.facts.software
    }

    fn open_put(&mut self, surface: &Surface, xid: u32) -> Result<Window, String> {
        // An X server that began anew has closed the old connection.
        let known = self.presenter.x.as_ref().filter(|x| x.name == surface.display);
        let geometry = match known.and_then(|x| x.watch(xid).ok()) {
            Some(geometry) => geometry,
            None => {
                let x = XServer::connect(Some(&surface.display), None)?;
                let geometry = x.watch(xid)?;
                self.presenter.frames = Twins::default();
                self.presenter.x = Some(x);
                geometry
            }
        };
        if !matches!(geometry.depth, 24 | 32) {
            return Err(format!("the window has {} bits per pixel", geometry.depth));
        }
        let size = (geometry.width, geometry.height);
        Ok(Window { way: Way::Put(geometry.depth), xid, interval: 1, gone: false, size })
    }

    /// Makes the host's surface of a window.
    fn open_swap(&mut self, surface: &Surface, xid: u32) -> Result<Window, String> {
        let open = self.presenter.connection.as_ref();
        if open.is_none_or(|open| open.name != surface.display || open.broken()) {
            if !self.is_fresh() {
                return Err("objects were made before the first window came".into());
            }
            let connection = Connection::open(&surface.display)?;
            if connection.size(xid).is_none() {
                return Err(format!("there is no window 0x{xid:X} on {}", surface.display));
            }
            let display = Display::open_xcb(self.host.display.vendor, &connection)?;
            let host = Host::on_display(display, &[self.host.dialect])?;
            self.move_to(host);
            self.presenter.aimed = false;
            // An old connection, if any, stays open: its display may be in use by the driver still.
            if let Some(old) = self.presenter.connection.replace(connection) {
                std::mem::forget(old);
            }
        }
        let connection = self.presenter.connection.as_ref().ok_or("no connection")?;
        let size = connection.size(xid).ok_or("the window is gone")?;
        connection.watch(xid);
        let display = &self.host.display;
        let config = display.window_config(surface.visual).ok_or("no config for the visual")?;
        let mut attribs = vec![token::NONE];
        if matches!(surface.color_format, c::SRGB8 | c::SRGB8_ALPHA8) {
            if !display.has("EGL_KHR_gl_colorspace") {
                return Err("its windows cannot be sRGB".into());
            }
            attribs = vec![token::GL_COLORSPACE, token::GL_COLORSPACE_SRGB, token::NONE];
        }
        // SAFETY: config and display belong together; the window exists, and if it has ceased to, the driver says so.
        let object = unsafe {
            (display.egl.create_window_surface)(display.raw, config, xid as usize, attribs.as_ptr())
        };
        if object.is_null() {
            // SAFETY: takes no argument.
            let error = unsafe { (display.egl.get_error)() };
            return Err(format!("eglCreateWindowSurface says 0x{error:04X}"));
        }
        Ok(Window { way: Way::Swap(object), xid, interval: 1, gone: false, size })
    }

    /// Takes in what the X server told about windows.
    fn take_changes(&mut self) {
        let Presenter { connection, x, .. } = &self.presenter;
        if let Some(x) = x {
            for window in self.surfaces.iter_mut().filter_map(|twin| twin.window.as_mut()) {
                if matches!(window.way, Way::Put(_))
                    && let Some(size) = x.size(window.xid)
                {
                    window.size = size;
                }
            }
        }
        let Some(connection) = connection else { return };
        for change in connection.changes() {
            let (Change::Size(xid, ..) | Change::Gone(xid)) = change;
            for window in self.surfaces.iter_mut().filter_map(|twin| twin.window.as_mut()) {
                if window.xid != xid || !matches!(window.way, Way::Swap(_)) {
                    continue;
                }
                match change {
                    Change::Size(_, width, height) => window.size = (width, height),
                    Change::Gone(_) => window.gone = true,
                }
            }
        }
    }

    /// Shows a drawable's picture, or with `front` that of its front buffer.
    pub(crate) fn show(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
        front: bool,
    ) -> Outcome<Presented> {
        let Some(surface) = tables.surfaces.get(handle) else { return Ok(Presented::Done) };
        self.take_changes();
        let window = self.surfaces.get(handle).and_then(|twin| twin.window);
        let mut lost = false;
        let mut presented = Presented::Early;
        match window.filter(|window| !window.gone) {
            Some(Window { way: Way::Swap(object), xid, interval, .. }) => {
                let wanted = self.swap_interval(surface);
                let change = (wanted != interval).then_some(wanted);
                lost = self.swap_window(handle, front, object, xid, change);
                if let Some(window) = self.window_mut(handle) {
                    window.interval = wanted;
                }
                if wanted == surface.swap_interval {
                    presented = Presented::Done;
                }
            }
            Some(Window { way: Way::Put(depth), xid, .. }) => {
                self.put_window(handle, front, xid, depth);
            }
            None => self.host.gl.flush(),
        }
        if lost || self.host.lost() { Err(Failure::LOST) } else { Ok(presented) }
    }

    /// The interval at which the driver swaps. It waits for the screen on this thread, so that it may only where nothing else is shown;
    /// beside other windows the credits alone pace.
    fn swap_interval(&self, surface: &Surface) -> i32 {
        let windows = self.surfaces.iter().filter(|twin| twin.window.is_some()).count();
        if windows > 1 { 0 } else { surface.swap_interval }
    }

    fn window_mut(&mut self, handle: Handle<kind::Surface>) -> Option<&mut Window> {
        self.surfaces.get_mut(handle).and_then(|twin| twin.window.as_mut())
    }

    /// Returns whether the context was lost over it.
    fn swap_window(
        &mut self,
        handle: Handle<kind::Surface>,
        front: bool,
        object: Object,
        xid: u32,
        interval: Option<i32>,
    ) -> bool {
        let Some(twin) = self.surfaces.get(handle).copied() else { return false };
        let source = self.resolve_surface(handle, front);
        if !self.host.make_current(object) {
            log::debug!("the window 0x{xid:X} cannot be presented on");
            self.host.make_current(std::ptr::null_mut());
            return false;
        }
        self.binds.read_framebuffer(&self.host.gl, source);
        self.binds.draw_framebuffer(&self.host.gl, Native::NONE);
        if !self.presenter.aimed {
            // A context that was first made current without a surface draws to no buffer of the window (OpenGL 4.6 §17.4.1).
            self.presenter.aimed = true;
            self.forget_viewports();
            if self.host.gl.has.draw_buffer {
                self.host.gl.draw_buffer(c::BACK);
            } else {
                // SAFETY: one token.
                unsafe { self.host.gl.draw_buffers(1, &c::BACK) };
            }
        }
        self.scissor_off();
        self.encode_as_read();
        let (w, h) = twin.sides();
        let (w, h) = (w as i32, h as i32);
        self.host.gl.blit_framebuffer(0, 0, w, h, 0, 0, w, h, c::COLOR_BUFFER_BIT, c::NEAREST);
        let egl = &self.host.display.egl;
        // SAFETY: the surface is current on this display.
        let swapped = unsafe {
            if let Some(interval) = interval {
                (egl.swap_interval)(self.host.display.raw, interval);
            }
            (egl.swap_buffers)(self.host.display.raw, object)
        };
        let mut lost = false;
        if swapped == 0 {
            // SAFETY: takes no argument.
            let error = unsafe { (egl.get_error)() };
            log::debug!("eglSwapBuffers says 0x{error:04X} for the window 0x{xid:X}");
            lost = error == token::CONTEXT_LOST;
        }
        // The answer comes when the X server has the picture: a frame is shown before its credit goes back.
        let size = self.presenter.connection.as_ref().and_then(|x| x.size(xid));
        if let Some(window) = self.window_mut(handle) {
            match size {
                Some(size) => window.size = size,
                None => window.gone = true,
            }
        }
        lost
    }

    fn put_window(&mut self, handle: Handle<kind::Surface>, front: bool, xid: u32, depth: u8) {
        let Some((width, height)) = self.surfaces.get(handle).map(|twin| twin.sides()) else {
            return;
        };
        let pixels = self.picture(handle, front, width, height);
        let put = self.put(handle, xid, depth, &pixels, (width, height));
        self.pixels = pixels;
        if let Err(reason) = put {
            log::debug!("the window 0x{xid:X} cannot be presented on: {reason}");
            if let Some(window) = self.window_mut(handle) {
                window.gone = true;
            }
        }
    }

    fn put(
        &mut self,
        handle: Handle<kind::Surface>,
        xid: u32,
        depth: u8,
        pixels: &[[u8; 4]],
        (width, height): (u32, u32),
    ) -> Result<(), String> {
        let x = self.presenter.x.as_ref().ok_or("there is no connection")?;
        let frames = &mut self.presenter.frames;
        if frames.get(handle).is_none_or(|f| (f.width, f.height) != (width, height)) {
            let made = x.frame(width, height)?;
            if let Some(old) = frames.insert(handle, made) {
                x.drop_frame(old);
            }
        }
        let frame = frames.get_mut(handle).ok_or("there is no frame")?;
        let row = width as usize;
        // GL's first row is the lowest.
        let lines = frame.bytes().chunks_exact_mut(row * 4);
        for (line, pixels) in lines.zip(pixels.chunks_exact(row).rev()) {
            super::bgra(pixels, line);
        }
        // Waits for the X server: a frame is shown before its credit goes back.
        x.put_frame(xid, frame, depth)
    }

    /// The size that a window has now; the drawable takes it.
    pub(crate) fn window_size(&mut self, handle: Handle<kind::Surface>) -> Option<(u32, u32)> {
        self.take_changes();
        let twin = self.surfaces.get(handle).copied()?;
        let size = twin.window?.size;
        if size != (twin.width, twin.height) {
            self.size_as_before(handle, size);
        }
        Some(size)
    }

    pub(super) fn window_gone(&mut self, handle: RawHandle, window: Option<Window>) {
        let Some(window) = window else { return };
        match window.way {
            Way::Swap(object) => {
                self.host.make_current(std::ptr::null_mut());
                // SAFETY: our surface, current nowhere.
                unsafe {
                    (self.host.display.egl.destroy_surface)(self.host.display.raw, object);
                }
                self.take_changes();
            }
            Way::Put(_) => {
                let frame = self.presenter.frames.remove(handle);
                let shared = self.surfaces.iter_mut().any(|twin| {
                    twin.window.is_some_and(|w| w.xid == window.xid && w.way == window.way)
                });
                let Some(x) = &self.presenter.x else { return };
                if let Some(frame) = frame {
                    x.drop_frame(frame);
                }
                if !shared {
                    x.forget(window.xid);
                }
            }
        }
    }
}
