//! The applier: the catalogue's dispatch trait implemented once. It checks every handle, range and count, keeps the tables and the
//! applied state, and hands what is to be executed to the backend.

mod blit;
mod buffer;
mod clear;
mod debug;
mod draw;
mod feedback;
mod framebuffer;
mod maps;
mod program;
mod query;
mod raster;
mod readback;
mod resource;
mod sampler;
mod surface;
mod sync;
mod texture;
mod vertex;

#[cfg(test)]
mod tests;

use crate::backend::{Backend, Failure, Outcome};
use crate::bytes::Source;
use crate::peer::{Blob, Peer};
use crate::quota::{Meter, Quotas};
use crate::state::ContextState;
use crate::tables::{Table, Tables};
use forerun_link::Status;
use forerun_pipe::catalogue::{self, Dispatch, ROWS, Wait};
use forerun_pipe::codec::BlobRef;
use forerun_pipe::event::{Event, GlErrorEvent, ObjectDeclinedEvent};
use forerun_pipe::fault::{Fault, Result};
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, Kind, RawHandle, Seq};
use maps::Map;
use std::time::Instant;

/// After so many records of a stream that is never silent the credits of paced presents are looked at.
const PACED_RECORDS: u64 = 64;

/// What a stream did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records applied.
    pub records: u64,
    /// Bytes of records, headers included.
    pub record_bytes: u64,
    /// Draws handed to the backend.
    pub draws: u64,
    /// Presents.
    pub frames: u64,
}

/// Applies records to one stream.
pub struct Applier {
    pub(crate) tables: Tables,
    pub(crate) contexts: Table<kind::Context, ContextState>,
    pub(crate) current: Handle<kind::Context>,
    pub(crate) backend: Box<dyn Backend>,
    pub(crate) peer: Box<dyn Peer>,
    pub(crate) counts: Counts,
    seq: Seq,
    answered: bool,
    maps: Vec<Map>,
    pending_fences: Vec<(Handle<kind::Fence>, Seq)>,
    pending_queries: Vec<(Handle<kind::Query>, Seq)>,
    pending_presents: usize,
    /// Presents that were shown before their time, with the time at which their credit goes back.
    paced: Vec<(Instant, Handle<kind::Surface>, u64)>,
    unflushed: bool,
    /// Whether any object was ever declined: only then uses look for such.
    any_declined: bool,
    events: Vec<Event>,
    /// What of its quotas the session uses, where it has any.
    pub(crate) meter: Option<Box<Meter>>,
}

/// Which rows have an answer, by opcode: asked for every record. It is the rows that the client waits after.
static ANSWERED: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < ROWS.len() {
        assert!((ROWS[i].op as usize) < table.len());
        table[ROWS[i].op as usize] = matches!(ROWS[i].wait, Wait::Reply);
        i += 1;
    }
    table
};

/// The end of the session that a contradiction causes.
pub(crate) fn corrupt<T>(what: &'static str) -> Result<T> {
    Err(Fault::ProtocolCorruption { what })
}

/// Calls a method of the backend in the bound context and settles its outcome.
macro_rules! verb {
    ($a:ident, $what:literal, $method:ident ( $($arg:expr),* )) => {{
        let env = $crate::state::Env::of(&$a.tables, &$a.contexts, $a.current, $what)?;
        let outcome = $a.backend.$method(&env $(, $arg)*);
        $a.settle(outcome)
    }};
}
pub(crate) use verb;

/// A record's content: inline or in a segment.
pub(crate) enum Content<'a> {
    Inline(&'a [u8]),
    Blob(Blob),
}

impl Content<'_> {
    pub(crate) fn source(&self) -> Source<'_> {
        match self {
            Content::Inline(bytes) => Source::new(bytes),
            Content::Blob(blob) => blob.source(),
        }
    }
}

impl Applier {
    /// An applier without objects.
    pub fn new(backend: Box<dyn Backend>, peer: Box<dyn Peer>) -> Self {
        Applier {
            tables: Tables::default(),
            contexts: Table::default(),
            current: Handle::NULL,
            backend,
            peer,
            counts: Counts::default(),
            seq: 0,
            answered: false,
            maps: Vec::new(),
            pending_fences: Vec::new(),
            pending_queries: Vec::new(),
            pending_presents: 0,
            paced: Vec::new(),
            unflushed: false,
            any_declined: false,
            events: Vec::new(),
            meter: None,
        }
    }

    /// Limits what the stream may use.
    pub fn limit(&mut self, quotas: Quotas) {
        self.meter = Meter::new(quotas);
    }

    /// The stream's objects.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The state of a context.
    pub fn context(&self, handle: RawHandle) -> Option<&ContextState> {
        self.contexts.get(Handle::from_raw(handle))
    }

    /// How many objects live, contexts included.
    pub fn alive(&self) -> usize {
        self.tables.alive() + self.contexts.alive()
    }

    /// What the stream did so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Calls of the driver so far.
    pub fn driver_calls(&self) -> u64 {
        self.backend.driver_calls()
    }

    /// Applies one record. `body` are the bytes after the header: private and 8-aligned.
    ///
    /// # Errors
    /// The fault that ends the session.
    pub fn apply(&mut self, op: u16, flags: u16, seq: Seq, body: &[u8]) -> Result<()> {
        self.seq = seq;
        self.answered = false;
        catalogue::dispatch(op, flags, body, self)?;
        if !self.answered && ANSWERED.get(usize::from(op)).is_some_and(|answered| *answered) {
            let row = catalogue::row(op).map_or("unknown", |row| row.name);
            return Err(Fault::ReplyMissing { row });
        }
        if let Some(meter) = &self.meter {
            meter.check(self.alive(), self.backend.compile_time())?;
        }
        self.counts.records += 1;
        self.counts.record_bytes += body.len() as u64 + 8;
        self.forward_events();
        if !self.paced.is_empty() && self.counts.records.is_multiple_of(PACED_RECORDS) {
            // A stream that is never silent is not polled.
            surface::return_paced(self);
        }
        self.peer.applied(seq)
    }

    /// Sends what the driver said meanwhile.
    fn forward_events(&mut self) {
        self.backend.take_events(&mut self.events);
        for event in self.events.drain(..) {
            self.peer.post(event);
        }
    }

    /// Whether [`Applier::poll`] has something to ask the driver for.
    pub fn pending(&self) -> bool {
        !self.pending_fences.is_empty()
            || !self.pending_queries.is_empty()
            || self.pending_presents > 0
    }

    /// When [`Applier::poll`] has something to do that no driver has to be asked for.
    pub fn due(&self) -> Option<Instant> {
        self.paced.iter().map(|(time, ..)| *time).min()
    }

    /// Asks the driver which fences, queries and presents are done, and tells the client. Returns whether any was.
    ///
    /// # Errors
    /// The fault that ends the session.
    pub fn poll(&mut self) -> Result<bool> {
        if self.unflushed && self.pending() {
            self.unflushed = false;
            let outcome = self.backend.flush();
            self.settle(outcome)?;
        }
        let fences = sync::poll(self)?;
        let queries = query::poll(self)?;
        let presents = surface::poll(self);
        self.forward_events();
        Ok(fences || queries || presents)
    }

    /// Hands everything to the GPU, so that nothing keeps the client's bytes.
    ///
    /// # Errors
    /// The fault that ends the session.
    pub fn flush(&mut self) -> Result<()> {
        let outcome = self.backend.flush();
        self.settle(outcome)
    }

    /// Turns a backend's failure into an event, or into the fault that it is.
    pub(crate) fn settle(&mut self, outcome: Outcome) -> Result<()> {
        match outcome {
            Ok(()) => Ok(()),
            Err(Failure::Fault(fault)) => Err(fault),
            Err(Failure::Gl { code, text }) => {
                log::debug!("record {}: GL error {code:#x}: {text}", self.seq);
                let head = GlErrorEvent { context: self.current.raw(), code, ..Default::default() };
                self.peer.post(Event::GlError(head, text));
                Ok(())
            }
            Err(Failure::Declined { code }) => {
                let head = GlErrorEvent { context: self.current.raw(), code, ..Default::default() };
                self.peer.post(Event::GlError(head, "declined by the server".into()));
                Ok(())
            }
        }
    }

    /// Tells the client that an object has no storage.
    pub(crate) fn decline(
        &mut self,
        kind: Kind,
        handle: RawHandle,
        failure: Failure,
    ) -> Result<()> {
        let code = match failure {
            Failure::Fault(fault) => return Err(fault),
            Failure::Declined { code } => code,
            Failure::Gl { code, text } => {
                log::warn!("{kind:?} {}.{}: {text}", handle.slot, handle.generation);
                code
            }
        };
        self.any_declined = true;
        let context = self.current.raw();
        let head = ObjectDeclinedEvent { context, handle, kind: kind as u32, code };
        self.peer.post(Event::ObjectDeclined(head));
        Ok(())
    }

    /// Answers the current record.
    pub(crate) fn answer(&mut self, status: Status, bytes: &[u8]) -> Result<()> {
        self.answered = true;
        self.peer.reply(self.seq, status, bytes)
    }

    /// Answers the current record by a backend's outcome without a value.
    pub(crate) fn answer_outcome(&mut self, outcome: Outcome) -> Result<()> {
        let status = match &outcome {
            Ok(()) => Status::Ok,
            Err(Failure::Declined { .. }) => return self.answer(Status::Declined, &[]),
            Err(_) => Status::Error,
        };
        self.settle(outcome)?;
        self.answer(status, &[])
    }

    /// The state of the bound context.
    pub(crate) fn state(&mut self, what: &'static str) -> Result<&mut ContextState> {
        self.contexts.get_mut(self.current).ok_or(Fault::ProtocolCorruption { what })
    }

    /// The bytes that a record carries or names: exactly as many as `blob` says.
    pub(crate) fn content<'a>(
        &mut self,
        blob: &BlobRef,
        inline: &'a [u8],
        what: &'static str,
    ) -> Result<Content<'a>> {
        if blob.segment == BlobRef::INLINE {
            if inline.len() as u64 != blob.size {
                return corrupt(what);
            }
            return Ok(Content::Inline(inline));
        }
        if blob.segment == BlobRef::NONE.segment {
            if blob.size != 0 {
                return corrupt(what);
            }
            return Ok(Content::Inline(&[]));
        }
        let bytes = self.peer.blob(blob)?;
        if bytes.len() as u64 != blob.size {
            return corrupt(what);
        }
        Ok(Content::Blob(bytes))
    }

    /// A readback's destination: exactly `size` bytes in a segment.
    pub(crate) fn destination(
        &mut self,
        blob: &BlobRef,
        size: Option<u64>,
        what: &'static str,
    ) -> Result<Blob> {
        let inside = blob.segment != BlobRef::INLINE && blob.segment != BlobRef::NONE.segment;
        if size != Some(blob.size) || !inside {
            return corrupt(what);
        }
        let bytes = self.peer.blob_mut(blob)?;
        if bytes.len() as u64 != blob.size { corrupt(what) } else { Ok(bytes) }
    }
}

/// Makes the dispatch: every row belongs to a room.
macro_rules! rooms {
    ($( $room:ident { $( $method:ident ( $payload:ty $( , $tail:ident : $elem:ty )* ); )* } )*) => {
        impl Dispatch for Applier { $( $(
            fn $method(&mut self, p: &$payload $( , $tail: &[$elem] )*) -> Result<()> {
                $room::$method(self, p $( , $tail )*)
            }
        )* )* }
    };
}

rooms! {
    resource {
        resource_create(ResourceCreate);
        resource_respecify(ResourceRespecify);
        resource_destroy(ResourceDestroy);
        resource_sub_data(ResourceSubData, inline: u8);
        object_death(ObjectDeath);
    }
    buffer {
        set_shader_buffers(SetShaderBuffers, ranges: BufferRange);
        copy_buffer(CopyBuffer);
        invalidate_buffer(InvalidateBuffer);
        clear_buffer_data(ClearBufferData);
        resource_readback(ResourceReadback);
    }
    maps {
        map_persistent(MapPersistent);
        unmap_persistent(UnmapPersistent);
    }
    texture {
        set_texture_params(SetTextureParams);
        generate_mipmap(GenerateMipmap);
        resource_copy_region(ResourceCopyRegion);
        copy_framebuffer_to_texture(CopyFramebufferToTexture);
        texture_sub_data_from_buffer(TextureSubDataFromBuffer);
        clear_texture(ClearTexture);
        invalidate_texture(InvalidateTexture);
    }
    sampler {
        create_sampler_state(CreateSamplerState);
        delete_sampler_state(DeleteSamplerState);
        set_sampler_views(SetSamplerViews, views: BoundView);
        bind_sampler_states(BindSamplerStates, samplers: BoundSampler);
        set_shader_images(SetShaderImages, images: ImageView);
    }
    framebuffer {
        set_framebuffer_state(SetFramebufferState);
        bind_framebuffers(BindFramebuffers);
        invalidate_framebuffer(InvalidateFramebuffer, attachments: u32);
    }
    vertex {
        create_vertex_elements(CreateVertexElements, attribs: VertexAttrib, bindings: VertexBinding);
        bind_vertex_elements(BindVertexElements);
        delete_vertex_elements(DeleteVertexElements);
        set_vertex_buffers(SetVertexBuffers, buffers: VertexBuffer);
        set_index_buffer(SetIndexBuffer);
        set_vertex_attrib_defaults(SetVertexAttribDefaults, values: AttribDefault);
        set_patch_state(SetPatchState);
    }
    program {
        create_shader_state(CreateShaderState, inline: u8);
        delete_shader_state(DeleteShaderState);
        set_global_constants(SetGlobalConstants, ranges: ByteRange, inline: u8);
        set_draw_program(SetDrawProgram);
        set_dispatch_program(SetDispatchProgram);
        set_program_bindings(SetProgramBindings, blocks: u32, units: u32, storages: u32);
    }
    raster {
        create_render_state(CreateRenderState);
        bind_render_state(BindRenderState);
        delete_render_state(DeleteRenderState);
        set_dynamic_state(SetDynamicState);
        set_viewports(SetViewports, viewports: Viewport);
    }
    query {
        query_create(QueryCreate);
        query_begin(QueryBegin);
        query_end(QueryEnd);
        query_result(QueryResult);
        query_destroy(QueryDestroy);
        query_timestamp(QueryTimestamp);
        query_counter(QueryCounter);
        conditional_render(ConditionalRender);
    }
    sync {
        fence_create(FenceCreate);
        fence_wait(FenceWait);
        fence_destroy(FenceDestroy);
        fence_wait_server(FenceWaitServer);
        memory_barrier(MemoryBarrier);
        flush(Flush);
        finish(Finish);
    }
    feedback {
        begin_stream_output(BeginStreamOutput, targets: BufferRange);
        end_stream_output(EndStreamOutput);
        pause_stream_output(PauseStreamOutput);
        resume_stream_output(ResumeStreamOutput);
    }
    draw {
        draw_vbo(DrawVbo, ranges: DrawRange, arrays: UserArray, indirect: DrawIndirect);
        launch_grid(LaunchGrid);
    }
    clear {
        clear(Clear);
    }
    blit {
        blit(Blit);
    }
    readback {
        read_pixels(ReadPixels);
        read_pixels_to_buffer(ReadPixelsToBuffer);
        get_texture_image(GetTextureImage);
        get_texture_image_to_buffer(GetTextureImageToBuffer);
    }
    surface {
        create_context(CreateContext);
        create_surface(CreateSurface, display: u8);
        resize_surface(ResizeSurface);
        bind_context(BindContext);
        present(Present);
        set_swap_interval(SetSwapInterval);
        read_surface(ReadSurface);
        present_front(PresentFront);
        read_front(ReadFront);
    }
    debug {
        debug_marker(DebugMarker, text: u8);
    }
}
