//! What a backend does. Every argument was checked and resolved by the applier: handles are alive in the tables that come with
//! them, ranges lie inside sizes, enums are of their class, and bytes are exactly as many as the other arguments describe.
//!
//! A *twin* is a backend's own native object for a handle. It is made at first use, is clean when the serials that it synced equal
//! the table's, and dies in the `*_destroyed` methods. All methods of one backend are called on one thread.

use crate::bytes::{Dest, Source};
use crate::objects::Range;
use crate::state::Env;
use crate::tables::Tables;
use forerun_pipe::caps::Caps;
use forerun_pipe::event::Event;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{
    Blit, Clear, ClearBufferData, ClearTexture, CopyFramebufferToTexture, DebugMarker, DrawRange,
    GetTextureImage, GetTextureImageToBuffer, InvalidateFramebuffer, InvalidateTexture,
    MemoryBarrier, ReadPixels, ReadPixelsToBuffer, ResourceCopyRegion, TextureSubDataFromBuffer,
};
use forerun_pipe::{Fault, Handle, Kind, RawHandle};
use std::time::Duration;

/// Why a backend did not do what it was asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// A GL error of this operation; the program sees it late. The session goes on.
    Gl {
        /// The GL error.
        code: u32,
        /// For the log and the debug output.
        text: String,
    },
    /// There is no storage for this object; its uses are skipped.
    Declined {
        /// The GL error that a program sees for it.
        code: u32,
    },
    /// The session ends.
    Fault(Fault),
}

impl Failure {
    /// A GL error with a text.
    pub fn gl(code: u32, text: impl Into<String>) -> Self {
        Failure::Gl { code, text: text.into() }
    }

    /// The driver lost its device or context.
    pub const LOST: Failure = Failure::Fault(Fault::BackendDeviceLost);
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Failure::Fault(fault)
    }
}

/// What a backend answers.
pub type Outcome<T = ()> = core::result::Result<T, Failure>;

/// Which storage of a texture was defined. Its description stands in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defined {
    /// One level of one face of mutable storage.
    Level {
        /// Row of [`crate::objects::Texture::faces`].
        face: usize,
        /// Level.
        level: u32,
    },
    /// All levels, for good. Also the one level of a multisample texture, which may be defined again unless it is immutable.
    Immutable,
    /// A view of another texture's storage. Make the native view now: the origin may die before the view's first use.
    View,
    /// A buffer texture.
    TexelBuffer,
}

/// A box of a texture's image. For a whole cube map z counts its faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Image target: a face of a cube map, or the texture's own target.
    pub target: u32,
    /// Row of [`crate::objects::Texture::faces`].
    pub face: usize,
    /// Level.
    pub level: u32,
    /// x, y, z: inside the image.
    pub origin: [u32; 3],
    /// Width, height, depth: `origin + size` is inside the image; none is 0.
    pub size: [u32; 3],
}

/// Pixels, or blocks of a compressed format, in tight rows.
#[derive(Clone, Copy, Debug)]
pub struct Pixels<'a> {
    /// Pixel format; for compressed bytes the compressed internal format.
    pub format: u32,
    /// Pixel type; 0 for compressed bytes.
    pub ty: u32,
    /// Exactly the bytes of the region.
    pub bytes: Source<'a>,
}

/// A client-memory vertex array.
#[derive(Clone, Copy, Debug)]
pub struct ClientArray<'a> {
    /// Its bytes; they begin with element [`Draw::first_vertex`], or the base instance's when the binding has a divisor.
    pub bytes: Source<'a>,
    /// Vertex buffer binding that it stands for; below 32.
    pub binding: u32,
    /// Bytes between elements.
    pub stride: u32,
}

/// Where a draw's indices stand.
#[derive(Clone, Copy, Debug)]
pub enum Indices<'a> {
    /// No indices.
    None,
    /// In the element buffer of the context, which is alive; [`DrawRange::start`] is a byte offset.
    Buffer {
        /// GL_UNSIGNED_BYTE, _SHORT or _INT.
        ty: u32,
    },
    /// In client memory, copied to private bytes; [`DrawRange::start`] is a byte offset.
    Client {
        /// GL_UNSIGNED_BYTE, _SHORT or _INT.
        ty: u32,
        /// The bytes; all ranges lie inside.
        bytes: &'a [u8],
    },
}

/// What a draw draws.
#[derive(Clone, Copy, Debug)]
pub enum Extent<'a> {
    /// Ranges; each is a draw of its own (`gl_DrawID` counts from [`Draw::first_draw_id`]). With indices, all lie inside them.
    Ranges(&'a [DrawRange]),
    /// Commands in a buffer: all `draw_count` commands lie inside it.
    Indirect {
        /// The draw-indirect buffer.
        buffer: Handle<kind::Buffer>,
        /// First byte; a multiple of 4.
        offset: u64,
        /// The parameter buffer and the offset in it, of the *Count draws.
        parameter: Option<(Handle<kind::Buffer>, u64)>,
        /// Draws, or at most so many.
        draw_count: u32,
        /// Bytes between commands; never 0.
        stride: u32,
    },
    /// As many vertices as that feedback object captured.
    Feedback {
        /// The feedback object.
        handle: Handle<kind::Feedback>,
        /// Vertex stream.
        stream: u32,
    },
}

/// One or more draws with the state of the bound context.
#[derive(Clone, Copy, Debug)]
pub struct Draw<'a> {
    /// GL primitive mode.
    pub mode: u32,
    /// Indices.
    pub indices: Indices<'a>,
    /// What is drawn.
    pub extent: Extent<'a>,
    /// Instances, more than 0.
    pub instance_count: u32,
    /// gl_BaseInstance.
    pub base_instance: u32,
    /// gl_DrawID of the first range.
    pub first_draw_id: u32,
    /// First vertex that the client arrays hold.
    pub first_vertex: u32,
    /// Client-memory arrays.
    pub arrays: &'a [ClientArray<'a>],
}

/// What a dispatch runs.
#[derive(Clone, Copy, Debug)]
pub enum Grid {
    /// Work groups in x, y, z; none is 0.
    Groups([u32; 3]),
    /// Three numbers in a buffer, which lie inside it.
    Indirect {
        /// The dispatch-indirect buffer.
        buffer: Handle<kind::Buffer>,
        /// First byte; a multiple of 4.
        offset: u64,
    },
}

/// A drawable's size and presentation, as the backend has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceInfo {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// [`forerun_pipe::records::present_mode`]; never AUTO.
    pub present_mode: u32,
}

/// How far a present came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presented {
    /// It is done: its credit goes back.
    Done,
    /// It is done, without regard to the surface's swap interval: its credit goes back when its time has come.
    Early,
    /// Its credit goes back when [`Backend::presented`] says so.
    Pending,
}

/// Executes what the applier hands it.
///
/// Methods that have a body do nothing in backends that need no such call.
#[allow(unused_variables)]
pub trait Backend {
    // --- session

    /// What this backend can do; asked once, before any record.
    fn caps(&mut self) -> Caps;

    /// Calls of the driver so far, for the statistics.
    fn driver_calls(&self) -> u64 {
        0
    }

    /// How long the host's compiler worked so far, for the quota.
    fn compile_time(&self) -> Duration {
        Duration::ZERO
    }

    /// In a monolith: the calling thread is about to use this backend, and another thread or backend may have been at work since.
    fn enter(&mut self) {}

    /// In a monolith: another thread may come next.
    fn leave(&mut self) {}

    /// Debug messages of the driver and late GL errors since the last call. The applier sends them before the record's `applied`.
    fn take_events(&mut self, out: &mut Vec<Event>) {}

    /// A context is introduced. Fails when its version cannot be served.
    fn context_created(&mut self, env: &Env) -> Outcome {
        Ok(())
    }

    /// The records after this belong to that context and its surfaces; `None` when it is released.
    fn context_bound(&mut self, env: Option<&Env>) -> Outcome {
        Ok(())
    }

    /// A context is gone.
    fn context_destroyed(&mut self, handle: Handle<kind::Context>) {}

    /// The object of that handle is gone from the tables: its twin dies. For every kind but Context, Surface, Fence and Query.
    fn destroyed(&mut self, kind: Kind, handle: RawHandle);

    // --- buffers

    /// The store was defined, of [`crate::objects::Buffer::size`] bytes: undefined, or zero where the host offers it.
    fn buffer_defined(&mut self, tables: &Tables, handle: Handle<kind::Buffer>) -> Outcome;

    /// Bytes for the range from `offset`.
    fn buffer_sub_data(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Buffer>,
        offset: u64,
        bytes: Source,
    ) -> Outcome;

    /// Copies inside and between buffers; never an overlap in one buffer.
    fn buffer_copy(
        &mut self,
        tables: &Tables,
        src: Range,
        dst: Handle<kind::Buffer>,
        dst_offset: u64,
    ) -> Outcome;

    /// Repeats the pattern over the range.
    fn buffer_clear(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Buffer>,
        p: &ClearBufferData,
    ) -> Outcome;

    /// The contents of the range become undefined.
    fn buffer_invalidate(&mut self, tables: &Tables, range: Range) -> Outcome {
        Ok(())
    }

    /// Reads `dst.len()` bytes from `offset`, after everything before.
    fn buffer_read(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Buffer>,
        offset: u64,
        dst: &mut Dest,
    ) -> Outcome;

    // --- textures and renderbuffers

    /// Storage was defined; contents are undefined until written.
    fn texture_defined(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        what: Defined,
    ) -> Outcome;

    /// Pixels for a box.
    fn texture_sub_data(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        region: &Region,
        pixels: &Pixels,
    ) -> Outcome;

    /// Pixels for a box, from a buffer. All bytes that are read lie inside it.
    fn texture_sub_data_from_buffer(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        region: &Region,
        p: &TextureSubDataFromBuffer,
    ) -> Outcome;

    /// Parameters moved; a backend may wait for the next use ([`crate::objects::Texture::params_serial`]).
    fn texture_params(&mut self, tables: &Tables, handle: Handle<kind::Texture>) -> Outcome {
        Ok(())
    }

    /// Makes the levels below the base level. The table has them already.
    fn texture_generate_mipmap(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
    ) -> Outcome;

    /// glClearTexSubImage of a box.
    fn texture_clear(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        region: &Region,
        p: &ClearTexture,
    ) -> Outcome;

    /// The contents of a box, or a whole level, become undefined.
    fn texture_invalidate(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        p: &InvalidateTexture,
    ) -> Outcome {
        Ok(())
    }

    /// glCopyImageSubData; both boxes are inside their images.
    fn copy_image(&mut self, tables: &Tables, p: &ResourceCopyRegion) -> Outcome;

    /// Reads a box into exactly its bytes. The target is the texture's own for whole cube maps and arrays.
    fn texture_read(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        p: &GetTextureImage,
        dst: &mut Dest,
    ) -> Outcome;

    /// Reads a box into a buffer. All bytes that are written lie inside it.
    fn texture_read_to_buffer(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        p: &GetTextureImageToBuffer,
    ) -> Outcome;

    /// Storage was defined.
    fn renderbuffer_defined(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Renderbuffer>,
    ) -> Outcome;

    // --- programs

    /// A linked program is introduced. A backend may compile now, on a pool, or at the first use.
    fn executable_created(&mut self, tables: &Tables, handle: Handle<kind::Executable>) -> Outcome;

    // --- verbs

    /// glClear and glClearBuffer* of the draw target.
    fn clear(&mut self, env: &Env, p: &Clear) -> Outcome;

    /// Draws.
    fn draw(&mut self, env: &Env, draw: &Draw) -> Outcome;

    /// Dispatches.
    fn dispatch(&mut self, env: &Env, grid: &Grid) -> Outcome;

    /// glBlitFramebuffer from the read to the draw target.
    fn blit(&mut self, env: &Env, p: &Blit) -> Outcome;

    /// glCopyTexSubImage from the read target; the destination box is inside the image. The source rectangle may leave the target.
    fn copy_framebuffer_to_texture(
        &mut self,
        env: &Env,
        handle: Handle<kind::Texture>,
        region: &Region,
        p: &CopyFramebufferToTexture,
    ) -> Outcome;

    /// Pixels of the read target into exactly their bytes, tight rows. Pixels outside the target stay as they are.
    fn read_pixels(&mut self, env: &Env, p: &ReadPixels, dst: &mut Dest) -> Outcome;

    /// Pixels of the read target into a buffer. All bytes that are written lie inside it.
    fn read_pixels_to_buffer(
        &mut self,
        env: &Env,
        buffer: Handle<kind::Buffer>,
        p: &ReadPixelsToBuffer,
    ) -> Outcome;

    /// The contents of attachments of a framebuffer (or of the drawable, for the default framebuffer) become undefined.
    fn invalidate_framebuffer(
        &mut self,
        env: &Env,
        p: &InvalidateFramebuffer,
        attachments: &[u32],
    ) -> Outcome {
        Ok(())
    }

    /// glMemoryBarrier and its kin.
    fn memory_barrier(&mut self, env: &Env, p: &MemoryBarrier) -> Outcome;

    /// Feedback begins into [`crate::objects::Feedback::targets`].
    fn feedback_begin(&mut self, env: &Env, handle: Handle<kind::Feedback>) -> Outcome;

    /// Feedback ends.
    fn feedback_end(&mut self, env: &Env, handle: Handle<kind::Feedback>) -> Outcome;

    /// Feedback pauses.
    fn feedback_pause(&mut self, env: &Env, handle: Handle<kind::Feedback>) -> Outcome;

    /// Feedback goes on.
    fn feedback_resume(&mut self, env: &Env, handle: Handle<kind::Feedback>) -> Outcome;

    /// Conditional rendering moved ([`crate::ContextState::conditional`]); a backend may wait for the next verb.
    fn conditional_render(&mut self, env: &Env) -> Outcome {
        Ok(())
    }

    /// A marker, group or label for the host's tools.
    fn debug_marker(&mut self, env: &Env, p: &DebugMarker, text: &str) {}

    // --- queries

    /// Begins the query of [`crate::objects::Query::target`] and index.
    fn query_begin(&mut self, env: &Env, handle: Handle<kind::Query>) -> Outcome;

    /// Ends it.
    fn query_end(&mut self, env: &Env, handle: Handle<kind::Query>) -> Outcome;

    /// glQueryCounter: the GPU's time after everything before.
    fn query_counter(&mut self, env: &Env, handle: Handle<kind::Query>) -> Outcome;

    /// The result of an ended query, once it is there. With `wait` it is there on return.
    fn query_result(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Query>,
        wait: bool,
    ) -> Outcome<Option<u64>>;

    /// A query is gone.
    fn query_destroyed(&mut self, handle: Handle<kind::Query>);

    /// The GPU's time now, in nanoseconds.
    fn timestamp(&mut self) -> Outcome<i64>;

    // --- fences, flush, finish

    /// A fence after everything before.
    fn fence_create(&mut self, handle: Handle<kind::Fence>) -> Outcome;

    /// Whether a fence is signalled, waiting at most `timeout_ns`. Flushes the driver when it has to wait.
    fn fence_wait(&mut self, handle: Handle<kind::Fence>, timeout_ns: u64) -> Outcome<bool>;

    /// glWaitSync: what follows waits on the GPU.
    fn fence_wait_server(&mut self, handle: Handle<kind::Fence>) -> Outcome {
        Ok(())
    }

    /// A fence is gone.
    fn fence_destroyed(&mut self, handle: Handle<kind::Fence>);

    /// Hands everything to the GPU.
    fn flush(&mut self) -> Outcome;

    /// Waits for the GPU.
    fn finish(&mut self) -> Outcome;

    // --- drawables

    /// A drawable is introduced, described in the table. A window's size is asked from the window.
    fn surface_created(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
    ) -> Outcome<SurfaceInfo>;

    /// Another size for a drawable whose size the client decides; contents become undefined.
    fn surface_resized(&mut self, tables: &Tables, handle: Handle<kind::Surface>) -> Outcome;

    /// The size that a native drawable has now; `None` where the client decides. Asked after each present.
    fn surface_size(&mut self, handle: Handle<kind::Surface>) -> Option<(u32, u32)> {
        None
    }

    /// Shows the drawable's picture with [`crate::objects::Surface::swap_interval`].
    fn present(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
        serial: u64,
    ) -> Outcome<Presented>;

    /// Pending presents that are done since the last call: drawable and serial.
    fn presented(&mut self, out: &mut Vec<(Handle<kind::Surface>, u64)>) {}

    /// Shows the drawable's front buffer as it is; with `both` the back buffer becomes the front buffer first.
    fn present_front(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
        both: bool,
    ) -> Outcome;

    /// The drawable's picture, tight BGRA8 rows, top row first: `width * height * 4` bytes. With `front` that of its front buffer.
    fn surface_read(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
        front: bool,
        dst: &mut Dest,
    ) -> Outcome;

    /// A drawable is gone.
    fn surface_destroyed(&mut self, handle: Handle<kind::Surface>);
}
