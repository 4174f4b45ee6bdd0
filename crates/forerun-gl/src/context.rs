//! A rendering context.

use crate::emit::Dirty;
use crate::emit::tracker::Tracker;
use crate::error::{GlError, GlResult};
use crate::extensions::Extensions;
use crate::group::Group;
use crate::state::buffer::BufferBindings;
use crate::state::clear::ClearState;
use crate::state::debug::DebugState;
use crate::state::feedback::FeedbackState;
use crate::state::framebuffer::{FramebufferBindings, Front};
use crate::state::get::Strings;
use crate::state::program::ProgramState;
use crate::state::query::QueryState;
use crate::state::raster::RasterState;
use crate::state::readback::PixelStoreState;
use crate::state::sampler::ImageUnits;
use crate::state::texture::TextureUnits;
use crate::state::vertex::VertexState;
use crate::stream::{Owned, Stream};
use crate::tokens::Known;
use forerun_link::Presence;
use forerun_pipe::caps::Caps;
use forerun_pipe::event::Event;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{BindContext, CreateContext, api};
use forerun_pipe::{Fault, RawHandle, gl};
use std::cell::RefMut;
use std::sync::Arc;

/// Which API a context speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// OpenGL ES.
    Es,
    /// OpenGL, core profile.
    Core,
    /// OpenGL as old toolkits ask for it: no version, no profile. 3.1 without GL_ARB_compatibility, with vertex array 0 and client arrays.
    Legacy,
}

/// What a context was created with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// The API.
    pub api: Api,
    /// 10 × major + minor.
    pub version: u32,
    /// Debug context.
    pub debug: bool,
    /// Forward compatible.
    pub forward_compatible: bool,
    /// Robust buffer access.
    pub robust_access: bool,
    /// GL_LOSE_CONTEXT_ON_RESET was asked for.
    pub lose_context_on_reset: bool,
    /// Errors need not be checked (they still are).
    pub no_error: bool,
    /// Commands are flushed when the context is no longer current (GL_CONTEXT_RELEASE_BEHAVIOR).
    pub flushes: bool,
}

impl Config {
    /// A context of that API and version (10 × major + minor) with nothing special.
    pub const fn new(api: Api, version: u32) -> Config {
        Config {
            api,
            version,
            debug: false,
            forward_compatible: false,
            robust_access: false,
            lose_context_on_reset: false,
            no_error: false,
            flushes: true,
        }
    }
}

/// The drawable's format and size as the context sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Drawable {
    /// The surface, or null for a surfaceless context.
    pub surface: RawHandle,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// GL_RGBA8, GL_RGB8, …; 0 without a surface.
    pub color_format: u32,
    /// GL_DEPTH24_STENCIL8, GL_DEPTH_COMPONENT24, … or 0.
    pub depth_stencil_format: u32,
    /// 0 for single-sampled.
    pub samples: u32,
    /// Whether there is a back buffer.
    pub double_buffered: bool,
}

/// Looks whether the size of the current draw or read surface moved, and gives both if so.
pub type Moved = fn(&mut Stream) -> Option<(Drawable, Drawable)>;

/// Shows what was drawn to the current window's front buffer. Called with nothing of the group in hand.
pub type Flushed = fn(Front);

/// A rendering context: what it shares and what is its own.
///
/// The two halves are apart so that a verb can have the stream (borrowed from `group`) while it walks `state`. Everything of
/// [`State`] can also be reached directly: `cx.buffer` is `cx.state.buffer`.
pub struct Context {
    /// What it shares.
    pub group: Arc<Group>,
    /// The thread on which it is current, as the group's lock knows it.
    pub(crate) presence: Arc<Presence>,
    /// What is its own.
    pub state: State,
}

/// What belongs to one context alone.
pub struct State {
    /// What the server can do.
    pub caps: Arc<Caps>,
    /// The context's identity on the stream.
    pub handle: Owned<kind::Context>,
    /// What it was created with.
    pub config: Config,
    /// What it advertises.
    pub extensions: Extensions,
    /// The tokens that it knows.
    pub known: Known,
    /// The draw surface.
    pub draw: Drawable,
    /// The read surface.
    pub read: Drawable,
    /// Families whose state moved since the last verb.
    pub dirty: Dirty,
    /// What was last sent.
    pub tracker: Tracker,
    /// Buffer bindings.
    pub buffer: BufferBindings,
    /// Texture and sampler units.
    pub texture: TextureUnits,
    /// Image units.
    pub image: ImageUnits,
    /// Framebuffers.
    pub framebuffer: FramebufferBindings,
    /// Vertex arrays and current attribute values.
    pub vertex: VertexState,
    /// The current program and pipelines.
    pub program: ProgramState,
    /// Fixed-function render state.
    pub raster: RasterState,
    /// Clear values.
    pub clear: ClearState,
    /// Pixel store parameters.
    pub pixel: PixelStoreState,
    /// Queries.
    pub query: QueryState,
    /// Transform feedback.
    pub feedback: FeedbackState,
    /// Debug output.
    pub debug: DebugState,
    /// glGetString's answers.
    pub strings: Strings,
    /// Asked when the program sets a viewport, as it does when its window has another size: the drawables, if their size moved.
    pub moved: Option<Moved>,
    /// What glFlush and glFinish call at their end, if the draw surface is a window.
    pub flushed: Option<Flushed>,
    first_error: u32,
    told_lost: bool,
    bound_once: bool,
}

impl std::ops::Deref for Context {
    type Target = State;
    fn deref(&self) -> &State {
        &self.state
    }
}

impl std::ops::DerefMut for Context {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Context {
    /// Creates a context in a group.
    ///
    /// # Errors
    /// GL_OUT_OF_MEMORY when the session is lost or the server refuses.
    pub fn new(group: Arc<Group>, config: Config) -> GlResult<Box<Context>> {
        let mut stream = group.lock();
        let handle = stream.mint::<kind::Context>()?;
        let seq = CreateContext {
            handle: handle.raw(),
            api: match config.api {
                Api::Es => api::ES,
                Api::Core => api::CORE,
                Api::Legacy => api::COMPATIBILITY,
            },
            major: config.version / 10,
            minor: config.version % 10,
            flags: u32::from(config.debug)
                | u32::from(config.forward_compatible) << 1
                | u32::from(config.robust_access) << 2,
        }
        .send(&mut *stream);
        if stream.reply(seq)?.is_none() {
            return Err(GlError {
                code: gl::OUT_OF_MEMORY,
                what: "the server declined the context",
            });
        }
        let state = State::new(&group, config, handle, &mut stream)?;
        group.inbox.borrow_mut().open(state.handle.raw());
        drop(stream);
        let presence = group.bias.presence();
        Ok(Box::new(Context { group, presence, state }))
    }

    /// In the child of a fork: a context in the place of its parent's, in a group that is lost.
    pub(crate) fn heir(of: &Context) -> GlResult<Box<Context>> {
        let group = Arc::clone(of.group.heir());
        let mut stream = group.lock();
        let handle = stream.mint::<kind::Context>()?;
        let mut state = State::new(&group, of.state.config, handle, &mut stream)?;
        state.attach(of.state.draw, of.state.read);
        drop(stream);
        let presence = group.bias.presence();
        Ok(Box::new(Context { group, presence, state }))
    }

    /// The stream, with this context bound on it.
    #[inline]
    pub(crate) fn stream(&self) -> RefMut<'_, Stream> {
        let mut stream = self.group.stream();
        self.state.bind(&mut stream);
        stream
    }

    /// Lets other threads into the group while `work` runs, in an API call that waits.
    pub(crate) fn outside<R>(&self, work: impl FnOnce() -> R) -> R {
        self.group.bias.outside(&self.presence, work)
    }

    /// glGetError: drains what the server has told, then gives the first error since the last call.
    pub fn take_error(&mut self) -> u32 {
        self.drain_events();
        if !self.state.told_lost && self.state.config.lose_context_on_reset && self.lost().is_some()
        {
            self.state.told_lost = true;
            self.state.flag_error(gl::CONTEXT_LOST);
        }
        std::mem::take(&mut self.state.first_error)
    }

    /// Takes in what the server has told, from outside of an API call.
    pub fn look_for_events(&mut self) {
        let mut stream = self.group.lock();
        let events = stream.link.drain_events();
        deliver(&self.group, &mut self.state, events);
    }

    /// Takes in what the server has told.
    pub(crate) fn drain_events(&mut self) {
        let events = self.group.stream().link.drain_events();
        deliver(&self.group, &mut self.state, events);
    }

    /// Why the session ended, if it did.
    pub(crate) fn lost(&self) -> Option<Fault> {
        self.group.stream().link.lost().cloned()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let _inside = self.group.lock();
        self.group.inbox.borrow_mut().close(self.state.handle.raw());
    }
}

/// Hands events to the contexts that they are about, of which one is listening. To be called inside the group.
fn deliver(group: &Group, state: &mut State, events: Vec<Event>) {
    let own = state.handle.raw();
    let kept = group.inbox.borrow_mut().take(own);
    for event in kept.into_iter().chain(events) {
        match event.context().filter(|context| *context != own) {
            Some(other) => group.inbox.borrow_mut().put(other, event),
            None => state.take_event(event),
        }
    }
}

impl State {
    /// The state of a new context.
    ///
    /// # Errors
    /// GL_OUT_OF_MEMORY.
    fn new(
        group: &Group,
        config: Config,
        handle: Owned<kind::Context>,
        stream: &mut Stream,
    ) -> GlResult<State> {
        let caps = &group.caps;
        Ok(State {
            caps: Arc::clone(caps),
            extensions: Extensions::new(&config, caps),
            known: Known::default(),
            draw: Drawable::default(),
            read: Drawable::default(),
            dirty: Dirty::all(),
            tracker: Tracker::default(),
            buffer: BufferBindings::new(caps),
            texture: TextureUnits::new(caps),
            image: ImageUnits::new(caps),
            framebuffer: FramebufferBindings::new(&config),
            vertex: VertexState::new(&config),
            program: ProgramState::new(&config),
            raster: RasterState::new(&config),
            clear: ClearState::default(),
            pixel: PixelStoreState::default(),
            query: QueryState::new(&config),
            feedback: FeedbackState::new(stream)?,
            debug: DebugState::new(&config),
            strings: Strings::default(),
            moved: None,
            flushed: None,
            first_error: 0,
            told_lost: false,
            bound_once: false,
            handle,
            config,
        })
    }

    /// Whether this is an OpenGL ES context of at least that version (10 × major + minor).
    pub fn es(&self, version: u32) -> bool {
        self.config.api == Api::Es && self.config.version >= version
    }

    /// Whether this is an OpenGL (not ES) context of at least that version.
    pub fn desktop(&self, version: u32) -> bool {
        self.config.api != Api::Es && self.config.version >= version
    }

    /// Whether the context is of at least that ES version or that desktop version.
    pub fn at_least(&self, es: u32, desktop: u32) -> bool {
        match self.config.api {
            Api::Es => self.config.version >= es,
            Api::Core | Api::Legacy => self.config.version >= desktop,
        }
    }

    /// The context was made current with these drawables. The first time, viewport and scissor take the drawable's size
    /// (OpenGL ES 3.2, section 13.8.1).
    pub fn attach(&mut self, draw: Drawable, read: Drawable) {
        if !self.bound_once && !draw.surface.is_null() {
            self.bound_once = true;
            self.raster.set_initial_size(draw.width, draw.height);
            self.dirty |= Dirty::VIEWPORTS;
        }
        if self.draw != draw || self.read != read {
            self.dirty |= Dirty::FRAMEBUFFER;
            self.framebuffer.drawable_changed(&draw, &read);
        }
        self.draw = draw;
        self.read = read;
    }

    /// Says on the stream that what follows belongs to this context, if the last such record said otherwise.
    #[inline]
    pub fn bind(&self, stream: &mut Stream) {
        let bound = (self.handle.raw(), self.draw.surface, self.read.surface);
        if stream.bound != bound {
            stream.bound = bound;
            BindContext { context: bound.0, draw: bound.1, read: bound.2 }.send(stream);
        }
    }

    /// Records a GL error for glGetError and the debug log.
    pub fn record_error(&mut self, call: &'static str, error: GlError) {
        log::debug!("{call}: {:#06x}: {}", error.code, error.what);
        // A context that did not ask to be told of resets goes on as if nothing happened (OpenGL ES 3.2, section 2.3.3).
        if error.code != gl::CONTEXT_LOST || self.config.lose_context_on_reset {
            self.flag_error(error.code);
        }
        self.debug.api_error(call, &error);
    }

    fn flag_error(&mut self, code: u32) {
        if self.first_error == 0 {
            self.first_error = code;
        }
    }

    fn take_event(&mut self, event: Event) {
        match event {
            Event::GlError(head, text) => {
                log::info!("the server reports GL error {:#06x}: {text}", head.code);
                self.flag_error(head.code);
                self.debug.server_error(head.code, &text);
            }
            Event::ObjectDeclined(head) => {
                let RawHandle { slot, generation } = head.handle;
                log::warn!("the server declined object {slot}.{generation} of kind {}", head.kind);
                self.flag_error(head.code);
            }
            Event::DebugMessage(head, text) => self.debug.server_message(&head, &text),
            Event::SurfaceChanged(_) => {}
            Event::SessionFault(head, text) => {
                log::error!("the session ended by fault {}: {text}", head.code)
            }
        }
    }
}
