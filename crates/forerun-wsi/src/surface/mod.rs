//! EGL surfaces. A surface has a twin on the stream of every share group that draws to it.

mod present;

use crate::config::Config;
use crate::display::Live;
use crate::egl::*;
use crate::error::{Error, Result, fail};
use crate::settings;
use crate::wayland;
use forerun_gl::Group;
use forerun_gl::context::Drawable;
use forerun_gl::stream::Owned;
use forerun_gl::stream::Stream;
use forerun_link::Status;
use forerun_pipe::Fault;
use forerun_pipe::handle::kind;
use forerun_pipe::knobs::PresentMode;
use forerun_pipe::records::{
    CreateSurface, ResizeSurface, SetSwapInterval, SurfaceReply, present_mode, surface_kind,
};
use forerun_x11::{Frame, XServer};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use zerocopy::FromBytes;

/// What a surface draws to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Off-screen.
    Pbuffer,
    /// An X11 window.
    Window(u32),
    /// An X11 pixmap.
    Pixmap(u32),
    /// A `struct wl_egl_window`, by its address.
    Wayland(usize),
}

impl Kind {
    /// Whether it is a window, of whichever platform.
    pub fn is_window(self) -> bool {
        matches!(self, Kind::Window(_) | Kind::Wayland(_))
    }
}

/// Which colour buffers a surface has for GL, and how many contexts may have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Buffers {
    /// As EGL has it: windows have a back buffer; one context at a time.
    #[default]
    Egl,
    /// A config of GLX without a back buffer; any number of contexts.
    Single,
    /// A config of GLX with one; any number of contexts.
    Double,
}

/// Attributes of a surface's creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attribs {
    /// EGL_WIDTH of a pbuffer.
    pub width: EGLint,
    /// EGL_HEIGHT of a pbuffer.
    pub height: EGLint,
    /// EGL_LARGEST_PBUFFER.
    pub largest: bool,
    /// EGL_GL_COLORSPACE_SRGB.
    pub srgb: bool,
    /// EGL_RENDER_BUFFER was EGL_SINGLE_BUFFER: a hint that has no effect on what is drawn to.
    pub single: bool,
    /// Colour buffers.
    pub buffers: Buffers,
}

impl Attribs {
    /// Reads attribute pairs (without the terminator) of eglCreateWindowSurface, eglCreatePixmapSurface or eglCreatePbufferSurface.
    ///
    /// # Errors
    /// EGL_BAD_ATTRIBUTE, EGL_BAD_PARAMETER, EGL_BAD_MATCH.
    pub fn parse(pairs: &[(EGLint, EGLint)], pbuffer: bool, window: bool) -> Result<Attribs> {
        let mut out = Attribs::default();
        for &(name, value) in pairs {
            match name {
                WIDTH if pbuffer => out.width = value,
                HEIGHT if pbuffer => out.height = value,
                LARGEST_PBUFFER if pbuffer => out.largest = value != 0,
                MIPMAP_TEXTURE if pbuffer => {}
                TEXTURE_FORMAT | TEXTURE_TARGET if pbuffer => {
                    if value != NO_TEXTURE {
                        return fail(BAD_MATCH, "pbuffers cannot be bound to textures");
                    }
                }
                RENDER_BUFFER if window => match value {
                    BACK_BUFFER => out.single = false,
                    SINGLE_BUFFER => out.single = true,
                    _ => return fail(BAD_ATTRIBUTE, format!("render buffer {value:#x}")),
                },
                GL_COLORSPACE => match value {
                    GL_COLORSPACE_LINEAR => out.srgb = false,
                    GL_COLORSPACE_SRGB => out.srgb = true,
                    _ => return fail(BAD_ATTRIBUTE, format!("colour space {value:#x}")),
                },
                VG_COLORSPACE if value == GL_COLORSPACE_SRGB => {}
                VG_ALPHA_FORMAT if value == VG_ALPHA_FORMAT_NONPRE => {}
                VG_COLORSPACE | VG_ALPHA_FORMAT => {
                    return fail(BAD_MATCH, "the config does not support that OpenVG attribute");
                }
                _ => {
                    return fail(
                        BAD_ATTRIBUTE,
                        format!("{name:#06x} is no attribute of this surface"),
                    );
                }
            }
        }
        if out.width < 0 || out.height < 0 {
            return fail(BAD_PARAMETER, "a size is negative");
        }
        Ok(out)
    }
}

/// The surface on one group's stream.
struct Twin {
    group: Weak<Group>,
    surface: Owned<kind::Surface>,
    mode: u32,
    serial: u64,
    /// The size that the stream knows.
    told: (u32, u32),
}

impl Twin {
    /// Tells the stream the surface's size, if it knows another one.
    fn tell_size(&mut self, width: u32, height: u32, stream: &mut Stream) {
        let size = (width.max(MIN_SIDE), height.max(MIN_SIDE));
        if self.told != size {
            self.told = size;
            ResizeSurface { handle: self.surface.raw(), width: size.0, height: size.1 }
                .send(stream);
        }
    }
}

struct State {
    width: u32,
    height: u32,
    /// Bits of the native drawable.
    depth: u8,
    interval: EGLint,
    preserved: bool,
    twins: Vec<Twin>,
    /// Where pictures wait for the X server, in shm presentation.
    frame: Option<Frame>,
    swaps: u64,
}

impl State {
    /// What the surface is on a group's stream.
    fn twin(&mut self, group: &Arc<Group>) -> Option<&mut Twin> {
        self.twins.iter_mut().find(|twin| twin.group.as_ptr() == Arc::as_ptr(group))
    }
}

/// An EGL surface.
pub struct Surface {
    /// EGLSurface.
    pub handle: EGLSurface,
    /// What it draws to.
    pub kind: Kind,
    /// Its config.
    pub config: Config,
    /// How it was created.
    pub attribs: Attribs,
    x: Option<Arc<XServer>>,
    wayland: Option<wayland::Window>,
    /// Handle of the context that has it, or 0.
    owner: AtomicUsize,
    state: Mutex<State>,
}

/// No surface has fewer pixels on the server: GL has no framebuffer without any.
const MIN_SIDE: u32 = 1;

impl Surface {
    /// Creates a surface. No server hears of it before it is made current.
    ///
    /// # Errors
    /// EGL_BAD_NATIVE_WINDOW, EGL_BAD_NATIVE_PIXMAP, EGL_BAD_MATCH, EGL_BAD_ALLOC.
    pub fn create(
        live: &Live,
        kind: Kind,
        config: Config,
        attribs: Attribs,
    ) -> Result<Arc<Surface>> {
        let mut wayland = None;
        let (width, height, depth) = match (kind, &live.x) {
            (Kind::Pbuffer, _) => {
                let limit = crate::config::MAX_PBUFFER_SIDE;
                let (width, height) = (attribs.width, attribs.height);
                if (width > limit || height > limit) && !attribs.largest {
                    return fail(BAD_ALLOC, format!("a pbuffer of {width}×{height} is too large"));
                }
                (width.min(limit) as u32, height.min(limit) as u32, 24)
            }
            (Kind::Window(window), Some(x)) => {
                let found = x.watch(window).map_err(|why| Error::new(BAD_NATIVE_WINDOW, why))?;
                if config.visual.is_some_and(|v| v.depth != found.depth) {
                    x.forget(window);
                    return fail(BAD_MATCH, "the window's depth is not the config's");
                }
                (found.width, found.height, found.depth)
            }
            (Kind::Pixmap(pixmap), Some(x)) => {
                let found = x.geometry(pixmap).map_err(|why| Error::new(BAD_NATIVE_PIXMAP, why))?;
                if config.visual.is_some_and(|v| v.depth != found.depth) {
                    return fail(BAD_MATCH, "the pixmap's depth is not the config's");
                }
                (found.width, found.height, found.depth)
            }
            (Kind::Wayland(window), None) => {
                let Some(compositor) = &live.wayland else {
                    return fail(BAD_MATCH, "the display has no native drawables");
                };
                let alpha = config.alpha > 0;
                // SAFETY: what a program passes as a window of this platform is one (EGL_KHR_platform_wayland).
                let claimed = unsafe { wayland::Window::claim(compositor, window, alpha) };
                let claimed = claimed.map_err(|why| Error::new(BAD_NATIVE_WINDOW, why))?;
                let (width, height) = claimed.size().unwrap_or_default();
                wayland = Some(claimed);
                (width, height, 32)
            }
            (Kind::Wayland(_), Some(_)) | (_, None) => {
                return fail(BAD_MATCH, "the display has no native drawables");
            }
        };
        Ok(Arc::new(Surface {
            handle: crate::display::new_handle(),
            kind,
            config,
            attribs,
            x: live.x.clone(),
            wayland,
            owner: AtomicUsize::new(0),
            state: Mutex::new(State {
                width,
                height,
                depth,
                interval: 1,
                preserved: false,
                twins: Vec::new(),
                frame: None,
                swaps: 0,
            }),
        }))
    }

    /// Claims the surface for a context; false when another context has it.
    pub fn acquire(&self, context: EGLContext) -> bool {
        if self.attribs.buffers != Buffers::Egl {
            return true;
        }
        let claimed = self.owner.compare_exchange(0, context, Ordering::Acquire, Ordering::Relaxed);
        claimed.is_ok() || claimed == Err(context)
    }

    /// Gives it up.
    pub fn release(&self) {
        self.owner.store(0, Ordering::Release);
    }

    /// Handle of the context that has it, or 0.
    pub fn owner(&self) -> EGLContext {
        self.owner.load(Ordering::Relaxed)
    }

    /// Pixels, as far as is known without asking.
    pub fn size(&self) -> (u32, u32) {
        let state = self.state.lock();
        (state.width, state.height)
    }

    fn drawable(&self, surface: forerun_pipe::RawHandle, state: &State) -> Drawable {
        Drawable {
            surface,
            width: state.width.max(MIN_SIDE),
            height: state.height.max(MIN_SIDE),
            color_format: self.color_format(),
            depth_stencil_format: self.depth_stencil_format(),
            samples: self.config.samples as u32,
            double_buffered: match self.attribs.buffers {
                Buffers::Egl => self.kind.is_window(),
                buffers => buffers == Buffers::Double,
            },
        }
    }

    /// Sized internal format of the colour buffer.
    fn color_format(&self) -> u32 {
        use forerun_pipe::gl;
        match (self.attribs.srgb, self.config.alpha > 0) {
            (false, true) => gl::RGBA8,
            (false, false) => gl::RGB8,
            (true, true) => gl::SRGB8_ALPHA8,
            (true, false) => gl::SRGB8,
        }
    }

    fn depth_stencil_format(&self) -> u32 {
        use forerun_pipe::gl;
        match (self.config.depth, self.config.stencil) {
            (0, _) => 0,
            (_, 0) => gl::DEPTH_COMPONENT24,
            _ => gl::DEPTH24_STENCIL8,
        }
    }

    /// The surface as a context of that group sees it; introduces it on the group's stream at first.
    ///
    /// # Errors
    /// EGL_BAD_ALLOC, EGL_CONTEXT_LOST.
    pub fn attach(&self, group: &Arc<Group>, stream: &mut Stream) -> Result<Drawable> {
        self.follow();
        let mut state = self.state.lock();
        state.twins.retain(|twin| twin.group.strong_count() > 0);
        let (width, height) = (state.width, state.height);
        if let Some(twin) = state.twin(group) {
            twin.tell_size(width, height, stream);
            let handle = twin.surface.raw();
            return Ok(self.drawable(handle, &state));
        }
        let twin = self.introduce(group, stream, &state)?;
        let handle = twin.surface.raw();
        state.twins.push(twin);
        Ok(self.drawable(handle, &state))
    }

    fn introduce(&self, group: &Arc<Group>, stream: &mut Stream, state: &State) -> Result<Twin> {
        let (surface_kind, native) = match self.kind {
            Kind::Pbuffer => (surface_kind::PBUFFER, 0),
            Kind::Window(window) => (surface_kind::X11_WINDOW, window),
            Kind::Pixmap(pixmap) => (surface_kind::X11_PIXMAP, pixmap),
            Kind::Wayland(_) => (surface_kind::CLIENT_WINDOW, 0),
        };
        let wanted = match (self.kind, settings::knobs().map(|k| k.present)) {
            (Kind::Pbuffer, _) | (_, Ok(PresentMode::Offscreen)) => present_mode::OFFSCREEN,
            // Pixmaps are filled by the client at the few moments when others may look at them.
            // A Wayland window is known to its program's connection alone.
            (Kind::Pixmap(_) | Kind::Wayland(_), _) | (_, Ok(PresentMode::Shm)) => {
                present_mode::SHM
            }
            (_, Ok(PresentMode::Native)) => present_mode::NATIVE,
            _ => present_mode::AUTO,
        };
        let display = self.x.as_ref().map_or("", |x| x.name.as_str());
        let surface =
            stream.mint::<kind::Surface>().map_err(|error| Error::new(BAD_ALLOC, error.what))?;
        let seq = CreateSurface {
            handle: surface.raw(),
            native: native.into(),
            surface_kind,
            width: state.width.max(MIN_SIDE),
            height: state.height.max(MIN_SIDE),
            color_format: self.color_format(),
            depth_stencil_format: self.depth_stencil_format(),
            samples: self.config.samples as u32,
            present_mode: wanted,
            display_len: display.len() as u32,
            visual: self.config.visual.map_or(0, |v| v.id.into()),
        }
        .send(stream, display.as_bytes());
        let reply = stream.link.wait_reply(seq).map_err(lost)?;
        let reply = match reply.status {
            Status::Ok => SurfaceReply::read_from_prefix(&reply.bytes).ok().map(|(reply, _)| reply),
            _ => None,
        };
        let Some(reply) = reply else {
            return fail(BAD_ALLOC, "the server has no room for the surface");
        };
        let mode = reply.present_mode;
        if wanted == present_mode::NATIVE && mode != wanted {
            log::warn!("the server cannot present on the window itself");
        }
        let name = match mode {
            present_mode::NATIVE => "native",
            present_mode::SHM => "shm",
            _ => "offscreen",
        };
        match self.kind {
            Kind::Window(window) => log::info!("window {window:#x} is presented by way of {name}"),
            Kind::Wayland(_) => log::info!("a Wayland window is presented by way of {name}"),
            Kind::Pbuffer | Kind::Pixmap(_) => {}
        }
        if state.interval != 1 {
            SetSwapInterval { surface: surface.raw(), interval: state.interval, pad: 0 }
                .send(stream);
        }
        let told = (state.width.max(MIN_SIDE), state.height.max(MIN_SIDE));
        Ok(Twin { group: Arc::downgrade(group), surface, mode, serial: 0, told })
    }

    /// Whether its window is known to be gone.
    pub fn is_gone(&self) -> bool {
        match (self.kind, &self.x, &self.wayland) {
            (Kind::Window(window), Some(x), _) => x.size(window).is_none(),
            (Kind::Wayland(_), _, Some(window)) => window.size().is_none(),
            _ => false,
        }
    }

    /// Whether its native drawable is there. Asks the X server.
    pub fn exists(&self) -> bool {
        match (self.kind, &self.x) {
            (Kind::Window(native) | Kind::Pixmap(native), Some(x)) => x.geometry(native).is_ok(),
            _ => true,
        }
    }

    /// A group that drew to it and is still there.
    pub fn group(&self) -> Option<Arc<Group>> {
        self.state.lock().twins.iter().rev().find_map(|twin| twin.group.upgrade())
    }

    /// Takes in a window's new size as events have told it; streams are told when the surface is attached or shown next. Answers
    /// whether it moved.
    pub fn follow(&self) -> bool {
        self.take_size(XServer::size)
    }

    /// The same, but asks the X server.
    pub fn measure(&self) -> bool {
        self.take_size(XServer::measure)
    }

    fn take_size(&self, look: fn(&XServer, u32) -> Option<(u32, u32)>) -> bool {
        let found = match (self.kind, &self.x, &self.wayland) {
            (Kind::Window(window), Some(x), _) => look(x, window),
            (Kind::Wayland(_), _, Some(window)) => window.size(),
            _ => None,
        };
        let Some((width, height)) = found else { return false };
        let mut state = self.state.lock();
        if (state.width, state.height) == (width, height) {
            return false;
        }
        (state.width, state.height) = (width, height);
        true
    }

    /// eglSwapInterval. Every group that draws to the surface hears of it.
    pub fn set_interval(&self, interval: EGLint) {
        let mut state = self.state.lock();
        if state.interval == interval {
            return;
        }
        state.interval = interval;
        for twin in &state.twins {
            if let Some(group) = twin.group.upgrade() {
                SetSwapInterval { surface: twin.surface.raw(), interval, pad: 0 }
                    .send(&mut *group.lock());
            }
        }
    }

    /// Vertical blanks per frame.
    pub fn interval(&self) -> EGLint {
        self.state.lock().interval
    }

    /// EGL_SWAP_BEHAVIOR is EGL_BUFFER_PRESERVED. Buffers always are; the attribute is only remembered.
    pub fn set_preserved(&self, preserved: bool) {
        self.state.lock().preserved = preserved;
    }

    /// The value of an attribute of eglQuerySurface; `None` for those that leave the program's variable alone.
    ///
    /// # Errors
    /// EGL_BAD_ATTRIBUTE.
    pub fn query(&self, attribute: EGLint) -> Result<Option<EGLint>> {
        let state = self.state.lock();
        let pbuffer = self.kind == Kind::Pbuffer;
        Ok(Some(match attribute {
            CONFIG_ID => self.config.id,
            WIDTH => state.width as EGLint,
            HEIGHT => state.height as EGLint,
            LARGEST_PBUFFER if pbuffer => EGLint::from(self.attribs.largest),
            TEXTURE_FORMAT | TEXTURE_TARGET if pbuffer => NO_TEXTURE,
            MIPMAP_TEXTURE | MIPMAP_LEVEL if pbuffer => 0,
            // Asked of something else, these leave the program's variable as it was.
            LARGEST_PBUFFER | TEXTURE_FORMAT | TEXTURE_TARGET | MIPMAP_TEXTURE | MIPMAP_LEVEL => {
                return Ok(None);
            }
            RENDER_BUFFER => match self.kind {
                Kind::Pixmap(_) => SINGLE_BUFFER,
                _ => BACK_BUFFER,
            },
            SWAP_BEHAVIOR => {
                if state.preserved {
                    BUFFER_PRESERVED
                } else {
                    BUFFER_DESTROYED
                }
            }
            MULTISAMPLE_RESOLVE => MULTISAMPLE_RESOLVE_DEFAULT,
            HORIZONTAL_RESOLUTION | VERTICAL_RESOLUTION => UNKNOWN,
            PIXEL_ASPECT_RATIO => DISPLAY_SCALING,
            GL_COLORSPACE => {
                if self.attribs.srgb {
                    GL_COLORSPACE_SRGB
                } else {
                    GL_COLORSPACE_LINEAR
                }
            }
            VG_COLORSPACE => GL_COLORSPACE_SRGB,
            VG_ALPHA_FORMAT => VG_ALPHA_FORMAT_NONPRE,
            // The picture of the last swap is still there: every buffer is one frame old.
            BUFFER_AGE_EXT => EGLint::from(state.swaps > 0),
            _ => {
                return fail(
                    BAD_ATTRIBUTE,
                    format!("{attribute:#06x} is no attribute of surfaces"),
                );
            }
        }))
    }
}

impl Drop for Surface {
    fn drop(&mut self) {
        let Some(x) = &self.x else { return };
        if let Some(frame) = self.state.get_mut().frame.take() {
            x.drop_frame(frame);
        }
        if let Kind::Window(window) = self.kind {
            x.forget(window);
        }
    }
}

fn lost(fault: Fault) -> Error {
    Error::new(CONTEXT_LOST, fault.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_belong_to_their_kind_of_surface() {
        let parse = |pairs: &[(EGLint, EGLint)], pbuffer, window| {
            Attribs::parse(pairs, pbuffer, window).map_err(|e| e.code)
        };
        let sized = parse(&[(WIDTH, 3), (HEIGHT, 4)], true, false).unwrap();
        assert_eq!((sized.width, sized.height), (3, 4));
        assert_eq!(parse(&[(WIDTH, 3)], false, true), Err(BAD_ATTRIBUTE));
        assert_eq!(parse(&[(RENDER_BUFFER, BACK_BUFFER)], true, false), Err(BAD_ATTRIBUTE));
        assert_eq!(parse(&[(WIDTH, -1)], true, false), Err(BAD_PARAMETER));
        assert_eq!(parse(&[(TEXTURE_FORMAT, TEXTURE_RGBA)], true, false), Err(BAD_MATCH));
        assert!(parse(&[(GL_COLORSPACE, GL_COLORSPACE_SRGB)], false, true).unwrap().srgb);
    }
}
