//! Drawables: off-screen framebuffers, shown on the program's windows.

use crate::backend::GlBackend;
use crate::binds::Slot;
use crate::format;
use crate::host::Host;
use crate::host::egl::{Display, Object, token};
use crate::host::xcb::{Change, Connection};
use crate::twin::Native;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{present_mode as mode, surface_kind};
use forerun_pipe::{Handle, gl as c};
use forerun_server::backend::{Failure, Outcome, Presented, SurfaceInfo};
use forerun_server::objects::Surface;
use forerun_server::{Dest, Tables};

/// The connection to the program's X server, once a window has come.
#[derive(Default)]
pub struct Presenter {
    connection: Option<Connection>,
    /// Whether the host's context draws to its window's back buffer.
    aimed: bool,
}

/// A window that is presented on.
#[derive(Clone, Copy, Debug)]
struct Window {
    surface: Object,
    xid: u32,
    interval: i32,
    gone: bool,
    /// Its size as the X server last told it.
    size: (u32, u32),
}

/// A drawable's framebuffer.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceTwin {
    /// Where the program draws.
    pub framebuffer: Native,
    color: Native,
    depth_stencil: Native,
    /// The single-sampled copy of a multisampled drawable.
    resolved: Native,
    resolved_color: Native,
    /// 0 for single-sampled.
    pub samples: u32,
    width: u32,
    height: u32,
    draw_buffer: u32,
    window: Option<Window>,
}

/// The host's formats of a drawable: colour, then depth and stencil with its attachment point.
fn formats(backend: &GlBackend, surface: &Surface) -> (u32, Option<(u32, u32)>) {
    let native = |format: u32| {
        format::native(backend.host.dialect, &backend.facts, format).map(|n| n.internal)
    };
    let color = native(surface.color_format).unwrap_or(c::RGBA8);
    let depth_stencil = native(surface.depth_stencil_format).map(|internal| {
        let point = match format::sized(internal).map(|info| info.class) {
            Some(format::Class::Depth) => c::DEPTH_ATTACHMENT,
            Some(format::Class::Stencil) => c::STENCIL_ATTACHMENT,
            _ => c::DEPTH_STENCIL_ATTACHMENT,
        };
        (internal, point)
    });
    (color, depth_stencil)
}

impl GlBackend {
    pub(crate) fn create_surface(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
    ) -> Outcome<SurfaceInfo> {
        let Some(surface) = tables.surfaces.get(handle) else {
            return Err(Failure::Declined { code: c::INVALID_OPERATION });
        };
        let mut present_mode = match surface.surface_kind {
            surface_kind::X11_WINDOW if surface.present_mode == mode::AUTO => mode::NATIVE,
            surface_kind::X11_WINDOW => surface.present_mode,
            surface_kind::X11_PIXMAP => mode::SHM,
            _ => mode::OFFSCREEN,
        };
        let (mut width, mut height) = (surface.width, surface.height);
        let mut window = None;
        if present_mode == mode::NATIVE {
            match self.open_window(surface) {
                Ok(opened) => {
                    (width, height) = opened.size;
                    window = Some(opened);
                }
                Err(reason) => {
                    log::info!("no native presentation: {reason}");
                    present_mode = mode::SHM;
                }
            }
        }
        let (color, depth_stencil) = formats(self, surface);
        let framebuffer = self.new_framebuffer();
        let twin = SurfaceTwin {
            framebuffer,
            color: Native::NONE,
            depth_stencil: Native::NONE,
            resolved: Native::NONE,
            resolved_color: Native::NONE,
            samples: surface.samples,
            width,
            height,
            draw_buffer: c::COLOR_ATTACHMENT0,
            window,
        };
        self.surfaces.insert(handle, twin);
        self.size_surface(handle, color, depth_stencil, width, height);
        self.check_memory("a drawable")?;
        Ok(SurfaceInfo { width, height, present_mode })
    }

    /// Gives a drawable's framebuffer storage of a size.
    fn size_surface(
        &mut self,
        handle: Handle<kind::Surface>,
        color: u32,
        depth_stencil: Option<(u32, u32)>,
        width: u32,
        height: u32,
    ) {
        let Some(mut twin) = self.surfaces.get(handle).copied() else { return };
        for old in [twin.color, twin.depth_stencil, twin.resolved_color] {
            self.delete_renderbuffer(old);
        }
        // A window may have no pixel; a framebuffer has one at least.
        let (w, h) = (width.max(1), height.max(1));
        const TO: u32 = c::DRAW_FRAMEBUFFER;
        twin.color = self.new_renderbuffer(color, twin.samples, w, h);
        self.binds.draw_framebuffer(&self.host.gl, twin.framebuffer);
        let attach = |backend: &GlBackend, point: u32, native: Native| {
            backend.host.gl.framebuffer_renderbuffer(TO, point, c::RENDERBUFFER, native.name);
        };
        attach(self, c::COLOR_ATTACHMENT0, twin.color);
        if let Some((internal, point)) = depth_stencil {
            twin.depth_stencil = self.new_renderbuffer(internal, twin.samples, w, h);
            attach(self, point, twin.depth_stencil);
        }
        if twin.samples > 0 {
            if twin.resolved == Native::NONE {
                twin.resolved = self.new_framebuffer();
            }
            twin.resolved_color = self.new_renderbuffer(color, 0, w, h);
            self.binds.draw_framebuffer(&self.host.gl, twin.resolved);
            attach(self, c::COLOR_ATTACHMENT0, twin.resolved_color);
        }
        (twin.width, twin.height) = (width, height);
        self.surfaces.insert(handle, twin);
    }

    /// The bound drawable's draw buffer.
    pub(crate) fn sync_surface_draw(&mut self, handle: Handle<kind::Surface>, buffer: u32) {
        let wanted = if buffer == c::NONE { c::NONE } else { c::COLOR_ATTACHMENT0 };
        let Some(twin) = self.surfaces.get_mut(handle) else { return };
        if twin.draw_buffer != wanted {
            twin.draw_buffer = wanted;
            // SAFETY: one token.
            unsafe { self.host.gl.draw_buffers(1, &wanted) };
        }
    }

    /// The single-sampled picture of a drawable.
    pub(crate) fn resolve_surface(&mut self, handle: Handle<kind::Surface>) -> Native {
        let Some(twin) = self.surfaces.get(handle).copied() else { return Native::NONE };
        if twin.samples == 0 {
            return twin.framebuffer;
        }
        self.binds.read_framebuffer(&self.host.gl, twin.framebuffer);
        self.binds.draw_framebuffer(&self.host.gl, twin.resolved);
        self.scissor_off();
        let (w, h) = (twin.width.max(1) as i32, twin.height.max(1) as i32);
        self.host.gl.blit_framebuffer(0, 0, w, h, 0, 0, w, h, c::COLOR_BUFFER_BIT, c::NEAREST);
        twin.resolved
    }

    pub(crate) fn resize_surface(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
    ) -> Outcome {
        let Some(surface) = tables.surfaces.get(handle) else { return Ok(()) };
        let (color, depth_stencil) = formats(self, surface);
        self.size_surface(handle, color, depth_stencil, surface.width, surface.height);
        self.check_memory("a drawable")
    }

    /// Makes the host's surface of a window.
    fn open_window(&mut self, surface: &Surface) -> Result<Window, String> {
        if surface.display.is_empty() {
            return Err("the program named no display".into());
        }
        let xid = u32::try_from(surface.native).map_err(|_| "the window's XID is none")?;
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
        let none = [token::NONE];
        // SAFETY: config and display belong together; the window exists, and if it has ceased to, the driver says so.
        let object = unsafe {
            (display.egl.create_window_surface)(display.raw, config, xid as usize, none.as_ptr())
        };
        if object.is_null() {
            // SAFETY: takes no argument.
            let error = unsafe { (display.egl.get_error)() };
            return Err(format!("eglCreateWindowSurface says 0x{error:04X}"));
        }
        Ok(Window { surface: object, xid, interval: 1, gone: false, size })
    }

    /// Takes in what the X server told about windows.
    fn take_changes(&mut self) {
        let Some(connection) = &self.presenter.connection else { return };
        for change in connection.changes() {
            let (Change::Size(xid, ..) | Change::Gone(xid)) = change;
            for twin in self.surfaces.iter_mut() {
                if let Some(window) = &mut twin.window
                    && window.xid == xid
                {
                    match change {
                        Change::Size(_, width, height) => window.size = (width, height),
                        Change::Gone(_) => window.gone = true,
                    }
                }
            }
        }
    }

    pub(crate) fn show(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
    ) -> Outcome<Presented> {
        let done = Ok(Presented::Done);
        let Some(surface) = tables.surfaces.get(handle) else { return done };
        self.take_changes();
        let Some(twin) = self.surfaces.get(handle).copied() else { return done };
        let Some(window) = twin.window.filter(|w| !w.gone) else {
            self.host.gl.flush();
            return if self.host.lost() { Err(Failure::LOST) } else { done };
        };
        let source = self.resolve_surface(handle);
        if !self.host.make_current(window.surface) {
            log::debug!("the window 0x{:X} cannot be presented on", window.xid);
            self.host.make_current(std::ptr::null_mut());
            return done;
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
        self.encoding_off();
        let (w, h) = (twin.width.max(1) as i32, twin.height.max(1) as i32);
        self.host.gl.blit_framebuffer(0, 0, w, h, 0, 0, w, h, c::COLOR_BUFFER_BIT, c::NEAREST);
        let egl = &self.host.display.egl;
        // SAFETY: the surface is current on this display.
        let swapped = unsafe {
            if surface.swap_interval != window.interval {
                (egl.swap_interval)(self.host.display.raw, surface.swap_interval);
            }
            (egl.swap_buffers)(self.host.display.raw, window.surface)
        };
        let mut lost = false;
        if swapped == 0 {
            // SAFETY: takes no argument.
            let error = unsafe { (egl.get_error)() };
            log::debug!("eglSwapBuffers says 0x{error:04X} for the window 0x{:X}", window.xid);
            lost = error == token::CONTEXT_LOST;
        }
        // The answer comes when the X server has the picture: a frame is shown before its credit goes back.
        let size = self.presenter.connection.as_ref().and_then(|x| x.size(window.xid));
        if let Some(window) = self.surfaces.get_mut(handle).and_then(|twin| twin.window.as_mut()) {
            window.interval = surface.swap_interval;
            match size {
                Some(size) => window.size = size,
                None => window.gone = true,
            }
        }
        if lost || self.host.lost() { Err(Failure::LOST) } else { done }
    }

    /// The size that a window has now; the drawable takes it.
    pub(crate) fn window_size(&mut self, handle: Handle<kind::Surface>) -> Option<(u32, u32)> {
        self.take_changes();
        let twin = self.surfaces.get(handle).copied()?;
        let size = twin.window?.size;
        if size != (twin.width, twin.height) {
            let of = |native: Native| (native != Native::NONE).then_some(native);
            let color = self.renderbuffer_format(twin.color);
            let depth_stencil = of(twin.depth_stencil).map(|native| {
                let internal = self.renderbuffer_format(native);
                let point = match format::sized(internal).map(|info| info.class) {
                    Some(format::Class::Depth) => c::DEPTH_ATTACHMENT,
                    Some(format::Class::Stencil) => c::STENCIL_ATTACHMENT,
                    _ => c::DEPTH_STENCIL_ATTACHMENT,
                };
                (internal, point)
            });
            self.size_surface(handle, color, depth_stencil, size.0, size.1);
            let _ = self.check_memory("a drawable");
        }
        Some(size)
    }

    pub(crate) fn read_surface(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
        dst: &mut Dest,
    ) -> Outcome {
        let Some(surface) = tables.surfaces.get(handle) else { return Ok(()) };
        let (width, height) = (surface.width, surface.height);
        let row = width as usize * 4;
        if row == 0 || dst.is_empty() {
            return Ok(());
        }
        let source = self.resolve_surface(handle);
        self.binds.read_framebuffer(&self.host.gl, source);
        self.binds.buffer(&self.host.gl, Slot::Pack, Native::NONE);
        self.binds.pack_alignment(&self.host.gl, 1);
        let mut bytes = vec![0u8; row * height as usize];
        // SAFETY: the vector holds all pixels.
        unsafe {
            self.host.gl.read_pixels(
                0,
                0,
                width as i32,
                height as i32,
                c::BGRA,
                c::UNSIGNED_BYTE,
                bytes.as_mut_ptr().cast(),
            );
        }
        // GL's first row is the lowest.
        for (from_top, line) in bytes.chunks_exact(row).rev().enumerate() {
            dst.write(from_top * row, line);
        }
        if self.host.lost() { Err(Failure::LOST) } else { Ok(()) }
    }

    pub(crate) fn surface_gone(&mut self, handle: Handle<kind::Surface>) {
        let Some(twin) = self.surfaces.remove(handle.raw()) else { return };
        for native in [twin.framebuffer, twin.resolved] {
            self.delete_framebuffer(native);
        }
        for native in [twin.color, twin.depth_stencil, twin.resolved_color] {
            self.delete_renderbuffer(native);
        }
        if let Some(window) = twin.window {
            self.host.make_current(std::ptr::null_mut());
            // SAFETY: our surface, current nowhere.
            unsafe {
                (self.host.display.egl.destroy_surface)(self.host.display.raw, window.surface);
            }
            self.take_changes();
        }
    }
}
