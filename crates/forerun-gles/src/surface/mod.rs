//! Drawables: off-screen framebuffers, shown on the program's windows ([`window`]).

pub mod window;

use crate::backend::GlBackend;
use crate::format;
use crate::twin::Native;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{present_mode as mode, surface_kind};
use forerun_pipe::{Handle, gl as c};
use forerun_server::backend::{Failure, Outcome, SurfaceInfo};
use forerun_server::objects::Surface;
use forerun_server::{Dest, Tables};
use window::Window;

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
    /// The front buffer of a drawable that has two, once a program drew to it or read it.
    front: Option<Front>,
    pub(crate) window: Option<Window>,
}

/// A front buffer with the depth and stencil of its drawable.
#[derive(Clone, Copy, Debug)]
struct Front {
    framebuffer: Native,
    color: Native,
    draw_buffer: u32,
}

/// Whether a buffer of the default framebuffer is the front one alone. Clients name it only where there are two.
pub(crate) fn is_front(buffer: u32) -> bool {
    matches!(buffer, c::FRONT | c::FRONT_LEFT)
}

impl SurfaceTwin {
    /// Pixels of its sides: a window may have none, a framebuffer has one at least.
    fn sides(&self) -> (u32, u32) {
        (self.width.max(1), self.height.max(1))
    }
}

/// Where a buffer of that depth or stencil format is attached.
fn attachment(internal: u32) -> u32 {
    match format::sized(internal).map(|info| info.class) {
        Some(format::Class::Depth) => c::DEPTH_ATTACHMENT,
        Some(format::Class::Stencil) => c::STENCIL_ATTACHMENT,
        _ => c::DEPTH_STENCIL_ATTACHMENT,
    }
}

/// The host's formats of a drawable: colour, then depth and stencil with its attachment point.
fn formats(backend: &GlBackend, surface: &Surface) -> (u32, Option<(u32, u32)>) {
    let native = |format: u32| {
        format::native(backend.host.dialect, &backend.facts, format).map(|n| n.internal)
    };
    let color = native(surface.color_format).unwrap_or(c::RGBA8);
    let depth_stencil =
        native(surface.depth_stencil_format).map(|internal| (internal, attachment(internal)));
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
            surface_kind::CLIENT_WINDOW if surface.present_mode != mode::OFFSCREEN => mode::SHM,
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
            front: None,
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
        if let Some(front) = twin.front.take() {
            self.delete_framebuffer(front.framebuffer);
            self.delete_renderbuffer(front.color);
        }
        for old in [twin.color, twin.depth_stencil, twin.resolved_color] {
            self.delete_renderbuffer(old);
        }
        (twin.width, twin.height) = (width, height);
        let (w, h) = twin.sides();
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
        self.surfaces.insert(handle, twin);
    }

    /// The framebuffer in which a buffer of the default framebuffer is.
    pub(crate) fn surface_buffer(&mut self, handle: Handle<kind::Surface>, buffer: u32) -> Native {
        let Some(twin) = self.surfaces.get(handle) else { return Native::NONE };
        if is_front(buffer) { self.front(handle) } else { twin.framebuffer }
    }

    /// A drawable's front buffer. At first it is what the back buffer is: what was shown last, where nothing was drawn since.
    fn front(&mut self, handle: Handle<kind::Surface>) -> Native {
        let Some(twin) = self.surfaces.get(handle).copied() else { return Native::NONE };
        if let Some(front) = twin.front {
            return front.framebuffer;
        }
        let (w, h) = twin.sides();
        let color = self.renderbuffer_format(twin.color);
        let framebuffer = self.new_framebuffer();
        let front = Front {
            framebuffer,
            color: self.new_renderbuffer(color, twin.samples, w, h),
            draw_buffer: c::COLOR_ATTACHMENT0,
        };
        self.binds.draw_framebuffer(&self.host.gl, framebuffer);
        const TO: u32 = c::DRAW_FRAMEBUFFER;
        let mut points = vec![(c::COLOR_ATTACHMENT0, front.color)];
        if twin.depth_stencil != Native::NONE {
            let internal = self.renderbuffer_format(twin.depth_stencil);
            points.push((attachment(internal), twin.depth_stencil));
        }
        for (point, native) in points {
            self.host.gl.framebuffer_renderbuffer(TO, point, c::RENDERBUFFER, native.name);
        }
        if let Some(twin) = self.surfaces.get_mut(handle) {
            twin.front = Some(front);
        }
        self.back_to_front(handle);
        framebuffer
    }

    /// A swap that nobody sees: a pbuffer has both buffers from then on.
    pub(crate) fn swap_inside(&mut self, tables: &Tables, handle: Handle<kind::Surface>) {
        let kind = tables.surfaces.get(handle).map(|surface| surface.surface_kind);
        if kind == Some(surface_kind::PBUFFER) {
            self.front(handle);
        }
        self.back_to_front(handle);
    }

    /// Makes the back buffer's picture the front buffer's, if the drawable has one.
    pub(crate) fn back_to_front(&mut self, handle: Handle<kind::Surface>) {
        let Some(twin) = self.surfaces.get(handle) else { return };
        let Some(front) = &twin.front else { return };
        let (from, to, (w, h)) = (twin.color.name, front.color.name, twin.sides());
        let (w, h) = (w as i32, h as i32);
        const KIND: u32 = c::RENDERBUFFER;
        // A blit between multisampled buffers is not in OpenGL ES; this copies samples and encoded values as they are.
        self.host.gl.copy_image_sub_data(from, KIND, 0, 0, 0, 0, to, KIND, 0, 0, 0, 0, w, h, 1);
    }

    /// The bound drawable's draw buffer.
    pub(crate) fn sync_surface_draw(&mut self, handle: Handle<kind::Surface>, buffer: u32) {
        let wanted = if buffer == c::NONE { c::NONE } else { c::COLOR_ATTACHMENT0 };
        let Some(twin) = self.surfaces.get_mut(handle) else { return };
        let aim = match &mut twin.front {
            Some(front) if is_front(buffer) => &mut front.draw_buffer,
            _ => &mut twin.draw_buffer,
        };
        if *aim != wanted {
            *aim = wanted;
            // SAFETY: one token.
            unsafe { self.host.gl.draw_buffers(1, &wanted) };
        }
    }

    /// The single-sampled picture of a drawable, or of its front buffer.
    pub(crate) fn resolve_surface(&mut self, handle: Handle<kind::Surface>, front: bool) -> Native {
        let Some(twin) = self.surfaces.get(handle).copied() else { return Native::NONE };
        let source = match twin.front {
            Some(buffer) if front => buffer.framebuffer,
            _ => twin.framebuffer,
        };
        if twin.samples == 0 {
            return source;
        }
        self.binds.read_framebuffer(&self.host.gl, source);
        self.binds.draw_framebuffer(&self.host.gl, twin.resolved);
        self.scissor_off();
        let (w, h) = twin.sides();
        let (w, h) = (w as i32, h as i32);
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

    /// Gives a drawable another size, in the formats that it has.
    fn size_as_before(&mut self, handle: Handle<kind::Surface>, size: (u32, u32)) {
        let Some(twin) = self.surfaces.get(handle).copied() else { return };
        let color = self.renderbuffer_format(twin.color);
        let depth_stencil = (twin.depth_stencil != Native::NONE).then(|| {
            let internal = self.renderbuffer_format(twin.depth_stencil);
            (internal, attachment(internal))
        });
        self.size_surface(handle, color, depth_stencil, size.0, size.1);
        let _ = self.check_memory("a drawable");
    }

    pub(crate) fn read_surface(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
        front: bool,
        dst: &mut Dest,
    ) -> Outcome {
        let Some(surface) = tables.surfaces.get(handle) else { return Ok(()) };
        let (width, height) = (surface.width, surface.height);
        let row = width as usize * 4;
        if row == 0 || dst.is_empty() {
            return Ok(());
        }
        let pixels = self.picture(handle, front, width, height);
        let mut line = vec![0u8; row];
        // GL's first row is the lowest.
        for (from_top, pixels) in pixels.chunks_exact(width as usize).rev().enumerate() {
            bgra(pixels, &mut line);
            dst.write(from_top * row, &line);
        }
        self.pixels = pixels;
        if self.host.lost() { Err(Failure::LOST) } else { Ok(()) }
    }

    /// The pixels of a drawable as RGBA, lowest row first. The vector is the backend's own, to be given back.
    fn picture(
        &mut self,
        handle: Handle<kind::Surface>,
        front: bool,
        width: u32,
        height: u32,
    ) -> Vec<[u8; 4]> {
        let source = self.resolve_surface(handle, front);
        self.binds.read_framebuffer(&self.host.gl, source);
        let mut pixels = std::mem::take(&mut self.pixels);
        pixels.resize(width as usize * height as usize, [0; 4]);
        // RGBA is what every host can read.
        self.read_rgba(0, 0, width, height, pixels.as_flattened_mut());
        pixels
    }

    pub(crate) fn surface_gone(&mut self, handle: Handle<kind::Surface>) {
        let Some(twin) = self.surfaces.remove(handle.raw()) else { return };
        if let Some(front) = twin.front {
            self.delete_framebuffer(front.framebuffer);
            self.delete_renderbuffer(front.color);
        }
        for native in [twin.framebuffer, twin.resolved] {
            self.delete_framebuffer(native);
        }
        for native in [twin.color, twin.depth_stencil, twin.resolved_color] {
            self.delete_renderbuffer(native);
        }
        self.window_gone(handle.raw(), twin.window);
    }
}

/// Turns pixels as GL gives them into pixels as an X server takes them.
fn bgra(pixels: &[[u8; 4]], out: &mut [u8]) {
    for (pixel, out) in pixels.iter().zip(out.as_chunks_mut::<4>().0) {
        // Words instead of bytes: compilers turn this into vectors.
        let word = u32::from_le_bytes(*pixel);
        let swapped = (word & 0xFF00_FF00) | (word & 0xFF) << 16 | (word >> 16 & 0xFF);
        *out = swapped.to_le_bytes();
    }
}
