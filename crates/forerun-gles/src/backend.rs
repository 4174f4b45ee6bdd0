//! The backend's state.

use crate::binds::{Binds, Slot};
use crate::buffer::BufferTwin;
use crate::caps::{self, Facts};
use crate::feedback::FeedbackTwin;
use crate::framebuffer::FramebufferTwin;
use crate::host::{Dialect, Host, gl::Gl};
use crate::program::ProgramTwin;
use crate::query::QueryTwin;
use crate::raster::Raster;
use crate::renderbuffer::RenderbufferTwin;
use crate::ring::Ring;
use crate::surface::SurfaceTwin;
use crate::texture::TextureTwin;
use crate::twin::{Native, Twins};
use crate::vertex::VertexTwin;
use forerun_pipe::caps::Caps;
use forerun_pipe::event::Event;
use forerun_pipe::handle::kind;
use forerun_pipe::knobs::{Backend as Wanted, Knobs};
use forerun_pipe::{Fault, Handle, gl as c};
use forerun_server::backend::{Backend, Failure, Outcome};
use std::ffi::c_void;
use std::path::{Path, PathBuf};

/// A segment of the ring of uniforms.
const UNIFORM_SEGMENT: u64 = 512 << 10;
/// A segment of the ring of client arrays and indices.
const STREAM_SEGMENT: u64 = 2 << 20;

/// Serials of context state that the host's context has: see [`forerun_server::state`] for why one number per family is enough.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Synced {
    pub attribs: u64,
    pub patch: u64,
    pub views: (u64, u64, u64, u64, u64),
    pub images: (u64, u64, u64),
    pub prepared: (u64, u64, u64),
    pub uniforms: (u64, u64, u64, u64),
    pub storages: (u64, u64, u64, u64, u64),
    pub bounding_box: [f32; 8],
}

impl Default for Synced {
    fn default() -> Self {
        const NEVER: u64 = u64::MAX;
        Synced {
            attribs: NEVER,
            patch: NEVER,
            views: (NEVER, 0, 0, 0, 0),
            images: (NEVER, 0, 0),
            prepared: (NEVER, 0, 0),
            uniforms: (NEVER, 0, 0, 0),
            storages: (NEVER, 0, 0, 0, 0),
            bounding_box: [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        }
    }
}

/// The backend on the host's GL.
pub struct GlBackend {
    /// How long the compiler worked, the host's and the translation for it.
    pub(crate) compiled: std::time::Duration,
    pub(crate) host: Host,
    pub(crate) facts: Facts,
    pub(crate) binds: Binds,
    pub(crate) raster: Raster,
    pub(crate) synced: Synced,
    next_uid: u64,
    /// Moves when any texture's storage or parameters may need to be synced, or a name died.
    pub(crate) texture_epoch: u64,
    /// Moves when another object stands for an attached texture.
    pub(crate) attach_epoch: u64,
    /// Moves when any buffer's store was defined or died.
    pub(crate) buffer_epoch: u64,
    pub(crate) buffers: Twins<kind::Buffer, BufferTwin>,
    pub(crate) textures: Twins<kind::Texture, TextureTwin>,
    pub(crate) renderbuffers: Twins<kind::Renderbuffer, RenderbufferTwin>,
    pub(crate) samplers: Twins<kind::Sampler, Native>,
    pub(crate) framebuffers: Twins<kind::Framebuffer, FramebufferTwin>,
    pub(crate) vertices: Twins<kind::VertexElements, VertexTwin>,
    pub(crate) programs: Twins<kind::Executable, ProgramTwin>,
    pub(crate) feedbacks: Twins<kind::Feedback, FeedbackTwin>,
    pub(crate) queries: Twins<kind::Query, QueryTwin>,
    pub(crate) fences: Twins<kind::Fence, *const c_void>,
    pub(crate) surfaces: Twins<kind::Surface, SurfaceTwin>,
    uniform_ring: Option<Ring>,
    stream_ring: Option<Ring>,
    /// A buffer that bytes of others are copied to before they are read.
    pub(crate) read_store: Native,
    /// A buffer of zeros for attributes without an array.
    pub(crate) zeros: Native,
    /// The vertex array of draws without attributes.
    pub(crate) no_vertices: VertexTwin,
    /// Buffers for client arrays too large for the ring, by use.
    pub(crate) oversize: Vec<Native>,
    /// A framebuffer for copies.
    pub(crate) scratch_framebuffer: Native,
    pub(crate) scratch_draw_framebuffer: Native,
    pub(crate) events: Vec<Event>,
    /// The bound context.
    pub(crate) context: Handle<kind::Context>,
    /// Whether the bound context is of OpenGL ES.
    pub(crate) client_es: bool,
    /// The feedback object that the driver captures into, unpaused.
    pub(crate) capturing: Handle<kind::Feedback>,
    /// Whether shaders may have written buffers since the last barrier of ours.
    pub(crate) shaders_write: bool,
    /// Whether the present draw is of points.
    pub(crate) drawing_points: bool,
    /// Conditional rendering, emulated: draws are skipped.
    pub(crate) skip: bool,
    /// Whether the driver's conditional rendering is on.
    pub(crate) conditional: bool,
    pub(crate) presenter: crate::surface::window::Presenter,
    /// Pixels that were read, kept for the next time.
    pub(crate) pixels: Vec<[u8; 4]>,
    /// The host's shading language.
    pub(crate) language: forerun_spirv::Target,
    vendor: Option<PathBuf>,
    pub(crate) caps: Caps,
}

/// Which host API a server wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Desktop GL where the host has core 4.3, else ES.
    Auto,
    /// One dialect.
    Only(Dialect),
}

/// Opens the backend that the knobs name, on this thread.
///
/// # Errors
/// [`Fault::NoHostDriver`] with what each attempt said, or for a backend that is none of these.
pub fn open(knobs: &Knobs) -> Result<Box<dyn Backend>, Fault> {
    let choice = match knobs.backend {
        Wanted::Auto => Choice::Auto,
        Wanted::Gl => Choice::Only(Dialect::Gl),
        Wanted::Gles => Choice::Only(Dialect::Gles),
        other => return Err(Fault::NoHostDriver { why: format!("`{other}` is no GL backend") }),
    };
    Ok(Box::new(GlBackend::open(choice, knobs.host_egl.as_deref())?))
}

impl GlBackend {
    /// Opens the host's driver on this thread: the vendor library `vendor`, or the first that works of the host's.
    ///
    /// # Errors
    /// [`Fault::NoHostDriver`] with what each attempt said.
    pub fn open(choice: Choice, vendor: Option<&Path>) -> Result<GlBackend, Fault> {
        let host = match choice {
            Choice::Auto => Host::open(vendor, &[Dialect::Gl, Dialect::Gles])?,
            Choice::Only(dialect) => Host::open(vendor, &[dialect])?,
        };
        log::info!("the backend {} runs on {}", host.dialect.name(), host.describe());
        Ok(GlBackend::on(host, vendor.map(Path::to_owned)))
    }

    fn on(host: Host, vendor: Option<PathBuf>) -> GlBackend {
        let facts = caps::facts(&host);
        let caps = caps::caps(&host, &facts);
        if log::log_enabled!(log::Level::Debug) && host.gl.has.debug_message_callback {
            host.gl.enable(c::DEBUG_OUTPUT);
            host.gl.enable(c::DEBUG_OUTPUT_SYNCHRONOUS);
            // SAFETY: the callback lives for ever and takes no user data.
            unsafe { host.gl.debug_message_callback(Some(driver_says), std::ptr::null()) };
        }
        let mut backend = GlBackend {
            binds: Binds::new(facts.limits.texture_units),
            raster: Raster::new(host.dialect),
            synced: Synced::default(),
            compiled: std::time::Duration::ZERO,
            next_uid: 0,
            texture_epoch: 1,
            attach_epoch: 1,
            buffer_epoch: 1,
            buffers: Twins::default(),
            textures: Twins::default(),
            renderbuffers: Twins::default(),
            samplers: Twins::default(),
            framebuffers: Twins::default(),
            vertices: Twins::default(),
            programs: Twins::default(),
            feedbacks: Twins::default(),
            queries: Twins::default(),
            fences: Twins::default(),
            surfaces: Twins::default(),
            uniform_ring: None,
            stream_ring: None,
            read_store: Native::NONE,
            zeros: Native::NONE,
            no_vertices: VertexTwin::default(),
            oversize: Vec::new(),
            scratch_framebuffer: Native::NONE,
            scratch_draw_framebuffer: Native::NONE,
            events: Vec::new(),
            context: Handle::NULL,
            client_es: false,
            capturing: Handle::NULL,
            shaders_write: false,
            drawing_points: false,
            skip: false,
            conditional: false,
            presenter: Default::default(),
            pixels: Vec::new(),
            language: language(&host, &facts),
            vendor,
            caps,
            host,
            facts,
        };
        backend.start();
        backend
    }

    /// Objects that every session needs.
    fn start(&mut self) {
        let zeros = [0u8; 4096];
        self.zeros = self.new_buffer();
        self.binds.buffer(&self.host.gl, Slot::CopyWrite, self.zeros);
        // SAFETY: as many bytes as stated.
        unsafe {
            self.host.gl.buffer_data(
                c::COPY_WRITE_BUFFER,
                zeros.len() as isize,
                zeros.as_ptr().cast(),
                c::STATIC_DRAW,
            );
        }
        self.no_vertices = self.new_vertex_array();
        self.scratch_framebuffer = self.new_framebuffer();
        self.scratch_draw_framebuffer = self.new_framebuffer();
        if self.host.dialect == Dialect::Gl {
            // As the state that `Raster` begins with says.
            self.host.gl.enable(c::PROGRAM_POINT_SIZE);
        }
    }

    /// Opens the host's driver anew on the X display of a connection, as nothing was made yet on the present one.
    pub(crate) fn move_to(&mut self, host: Host) {
        let presenter = std::mem::take(&mut self.presenter);
        let (context, client_es) = (self.context, self.client_es);
        let fresh = GlBackend::on(host, self.vendor.clone());
        let old = std::mem::replace(self, fresh);
        drop(old);
        // Dropping the old context left this thread without one.
        self.host.rebind();
        self.presenter = presenter;
        self.context = context;
        self.client_es = client_es;
    }

    /// Whether no object of the program lives in the host's context.
    pub(crate) fn is_fresh(&self) -> bool {
        self.buffers.alive() == 0
            && self.textures.alive() == 0
            && self.renderbuffers.alive() == 0
            && self.programs.alive() == 0
            && self.queries.alive() == 0
            && self.fences.alive() == 0
            && self.framebuffers.alive() == 0
            && self.surfaces.alive() == 0
    }

    /// A number that no object had before.
    pub(crate) fn uid(&mut self) -> u64 {
        self.next_uid += 1;
        self.next_uid
    }

    /// A new buffer without a store.
    pub(crate) fn new_buffer(&mut self) -> Native {
        let mut name = 0;
        // SAFETY: one name.
        unsafe { self.host.gl.gen_buffers(1, &mut name) };
        Native { name, uid: self.uid() }
    }

    /// A new framebuffer.
    pub(crate) fn new_framebuffer(&mut self) -> Native {
        let mut name = 0;
        // SAFETY: one name.
        unsafe { self.host.gl.gen_framebuffers(1, &mut name) };
        Native { name, uid: self.uid() }
    }

    /// Whether this host speaks OpenGL ES.
    pub(crate) fn is_gles(&self) -> bool {
        self.host.dialect == Dialect::Gles
    }

    /// The ring of uniforms.
    pub(crate) fn uniform_ring(&mut self) -> (&Gl, &mut Ring) {
        if self.uniform_ring.is_none() {
            let uid = self.uid();
            self.uniform_ring = Some(Ring::new(&self.host.gl, uid, UNIFORM_SEGMENT));
            self.binds.forget_buffer(Slot::CopyWrite);
        }
        let gl = &self.host.gl;
        let ring = self.uniform_ring.get_or_insert_with(|| Ring::new(gl, 0, UNIFORM_SEGMENT));
        (gl, ring)
    }

    /// The ring of client arrays and indices.
    pub(crate) fn stream_ring(&mut self) -> (&Gl, &mut Ring) {
        if self.stream_ring.is_none() {
            let uid = self.uid();
            self.stream_ring = Some(Ring::new(&self.host.gl, uid, STREAM_SEGMENT));
            self.binds.forget_buffer(Slot::CopyWrite);
        }
        let gl = &self.host.gl;
        let ring = self.stream_ring.get_or_insert_with(|| Ring::new(gl, 0, STREAM_SEGMENT));
        (gl, ring)
    }

    /// Looks for errors after something that may have needed memory.
    pub(crate) fn check_memory(&mut self, what: &str) -> Outcome {
        let mut outcome = Ok(());
        // A lost context may answer the same error for ever.
        for _ in 0..16 {
            match self.host.gl.get_error() {
                0 => return outcome,
                c::OUT_OF_MEMORY => {
                    outcome = Err(Failure::gl(c::OUT_OF_MEMORY, format!("{what}: out of memory")));
                }
                c::CONTEXT_LOST => return Err(Failure::LOST),
                code => log::warn!("the host's driver says 0x{code:04X} at {what}"),
            }
        }
        if self.host.lost() { Err(Failure::LOST) } else { outcome }
    }
}

/// The host's shading language.
fn language(host: &Host, facts: &Facts) -> forerun_spirv::Target {
    let dialect = match host.dialect {
        Dialect::Gles => forerun_spirv::Dialect::Essl(320),
        Dialect::Gl => forerun_spirv::Dialect::Glsl((facts.version * 10).min(460) as u16),
    };
    forerun_spirv::Target { dialect, extensions: facts.extensions.clone() }
}

/// Messages of the driver, when they are wanted in the log.
unsafe extern "system" fn driver_says(
    _source: u32,
    ty: u32,
    _id: u32,
    _severity: u32,
    length: i32,
    message: *const std::ffi::c_char,
    _user: *const c_void,
) {
    if message.is_null() || length < 0 {
        return;
    }
    // SAFETY: the driver's message has this length.
    let bytes = unsafe { std::slice::from_raw_parts(message.cast::<u8>(), length as usize) };
    let text = String::from_utf8_lossy(bytes);
    if ty == c::DEBUG_TYPE_ERROR {
        log::warn!("driver: {text}");
    } else {
        log::debug!("driver: {text}");
    }
}
