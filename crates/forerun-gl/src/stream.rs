//! One share group's end of the command stream: the link, and the handles that it mints.

use crate::error::{GlError, GlResult};
use forerun_link::{ClientLink, StageSlice};
use forerun_pipe::catalogue::{self, Class};
use forerun_pipe::codec::BlobRef;
use forerun_pipe::handle::{Kinded, Minter, kind};
use forerun_pipe::records::{
    DeleteRenderState, DeleteSamplerState, DeleteShaderState, DeleteVertexElements, FenceDestroy,
    ObjectDeath, QueryDestroy, ResourceDestroy,
};
use forerun_pipe::{Fault, Handle, Kind, RawHandle, Seq, Sink, gl};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Handles whose last reference is gone, waiting for the next user of the stream.
#[derive(Debug)]
pub struct Graveyard {
    dead: Mutex<Vec<(Kind, RawHandle)>>,
    any: AtomicBool,
    forks: u32,
}

impl Default for Graveyard {
    fn default() -> Self {
        Graveyard {
            dead: Mutex::default(),
            any: AtomicBool::new(false),
            forks: forerun_link::forks(),
        }
    }
}

impl Graveyard {
    /// The object of that handle is gone.
    pub fn bury(&self, kind: Kind, handle: RawHandle) {
        if self.forks != forerun_link::forks() {
            // The objects are the parent's, and who knows which of its threads had the lock.
            return;
        }
        self.dead.lock().push((kind, handle));
        self.any.store(true, Ordering::Release);
    }
}

/// A handle that is buried when it is dropped.
#[derive(Debug)]
pub struct Owned<K: Kinded> {
    handle: Handle<K>,
    graveyard: Arc<Graveyard>,
}

impl<K: Kinded> Owned<K> {
    /// The handle.
    pub fn handle(&self) -> Handle<K> {
        self.handle
    }

    /// The handle as it crosses.
    pub fn raw(&self) -> RawHandle {
        self.handle.raw()
    }
}

impl<K: Kinded> Drop for Owned<K> {
    fn drop(&mut self) {
        self.graveyard.bury(K::KIND, self.handle.raw());
    }
}

macro_rules! minters {
    ($( $field:ident : $kind:ident ),* $(,)?) => {
        #[doc(hidden)]
        #[derive(Debug, Default)]
        pub struct Minters { $( $field: Minter<kind::$kind>, )* }

        impl Minters {
            fn retire(&mut self, kind: Kind, handle: RawHandle) {
                match kind { $( Kind::$kind => self.$field.retire(Handle::from_raw(handle)), )* }
            }
        }

        $( impl Mint for kind::$kind {
            fn minter(minters: &mut Minters) -> &mut Minter<Self> { &mut minters.$field }
        } )*
    };
}

/// Kinds that a stream mints.
pub trait Mint: Kinded {
    #[doc(hidden)]
    fn minter(minters: &mut Minters) -> &mut Minter<Self>;
}

minters! {
    buffers: Buffer, textures: Texture, renderbuffers: Renderbuffer, framebuffers: Framebuffer, feedbacks: Feedback,
    render_states: RenderState, vertex_elements: VertexElements, samplers: Sampler, sampler_views: SamplerView,
    executables: Executable, fences: Fence, queries: Query, contexts: Context, surfaces: Surface,
}

/// What [`Stream::bound`] remembers: the context and drawables of the last BindContext.
pub type Bound = (RawHandle, RawHandle, RawHandle);

/// The stream of a share group.
pub struct Stream {
    /// The link.
    pub link: ClientLink,
    /// The last BindContext that was sent.
    pub bound: Bound,
    minters: Minters,
    graveyard: Arc<Graveyard>,
    /// The draw at the stream's end that a following draw may join, see [`crate::emit::draw`].
    pub open_draw: crate::emit::draw::OpenDraw,
    /// Draws sent, joined ones included.
    pub draws: u64,
    /// Frames presented.
    pub frames: u64,
    /// Memory of the last large map that ended: fresh pages cost more than the copy into them.
    pub spare: Box<[u8]>,
    /// Wait until each verb was applied: run-ahead is off, by the server's word or the knob's.
    lockstep: bool,
}

impl Stream {
    /// A stream on a fresh link.
    pub fn new(link: ClientLink, graveyard: Arc<Graveyard>) -> Stream {
        Stream {
            link,
            bound: (RawHandle::NULL, RawHandle::NULL, RawHandle::NULL),
            minters: Minters::default(),
            graveyard,
            open_draw: Default::default(),
            draws: 0,
            frames: 0,
            spare: Box::default(),
            lockstep: false,
        }
    }

    /// Whether the client runs ahead. Off, it waits until each verb was applied: the paired control for every claim about running
    /// ahead. It is decided once, and can later only be switched off.
    pub fn run_ahead(&mut self, on: bool) {
        self.lockstep |= !on;
    }

    /// Whether the client runs ahead.
    pub fn runs_ahead(&self) -> bool {
        !self.lockstep
    }

    #[cold]
    fn wait_for_verb(&mut self, op: u16, seq: Seq) {
        if catalogue::row(op).is_some_and(|row| row.class == Class::Verb) {
            // A lost session waits for nothing; the fault is kept by the link.
            let _ = self.link.wait_applied(seq);
        }
    }

    /// A new handle.
    ///
    /// # Errors
    /// GL_OUT_OF_MEMORY when 2²⁰ objects of the kind are alive.
    pub fn mint<K: Mint>(&mut self) -> GlResult<Owned<K>> {
        match K::minter(&mut self.minters).mint() {
            Some(handle) => Ok(Owned { handle, graveyard: Arc::clone(&self.graveyard) }),
            None => Err(GlError { code: gl::OUT_OF_MEMORY, what: "too many objects of one kind" }),
        }
    }

    /// Sends the deaths of objects whose last reference is gone, and gives their slots back.
    pub fn bury_dead(&mut self) {
        if !self.graveyard.any.load(Ordering::Acquire) {
            return;
        }
        let dead = {
            let mut dead = self.graveyard.dead.lock();
            self.graveyard.any.store(false, Ordering::Release);
            std::mem::take(&mut *dead)
        };
        for (kind, handle) in dead {
            self.send_death(kind, handle);
            self.minters.retire(kind, handle);
        }
    }

    fn send_death(&mut self, kind: Kind, handle: RawHandle) {
        let link = &mut self.link;
        match kind {
            Kind::Buffer | Kind::Texture | Kind::Renderbuffer => {
                ResourceDestroy { handle, kind: kind as u32, pad: 0 }.send(link)
            }
            Kind::RenderState => DeleteRenderState { handle }.send(link),
            Kind::VertexElements => DeleteVertexElements { handle }.send(link),
            Kind::Sampler | Kind::SamplerView => DeleteSamplerState { handle }.send(link),
            Kind::Executable => DeleteShaderState { handle }.send(link),
            Kind::Fence => FenceDestroy { handle }.send(link),
            Kind::Query => QueryDestroy { handle }.send(link),
            Kind::Framebuffer | Kind::Feedback | Kind::Context | Kind::Surface => {
                ObjectDeath { handle, kind: kind as u32, pad: 0 }.send(link)
            }
        };
    }

    /// Waits for an answer's bytes. `None` when the server declined.
    ///
    /// # Errors
    /// GL_OUT_OF_MEMORY when the server refused, GL_CONTEXT_LOST when the session is lost.
    pub fn reply(&mut self, seq: Seq) -> GlResult<Option<Vec<u8>>> {
        self.reply_of(self.link.row_of(seq), seq)
    }

    fn reply_of(&mut self, row: u16, seq: Seq) -> GlResult<Option<Vec<u8>>> {
        use forerun_link::Status;
        match self.link.wait_reply_of(row, seq, Duration::ZERO) {
            Ok(reply) => match reply.status {
                Status::Ok => Ok(Some(reply.bytes)),
                Status::Declined => Ok(None),
                Status::Error => {
                    Err(GlError { code: gl::OUT_OF_MEMORY, what: "the server refused" })
                }
            },
            Err(fault) => Err(lost(&fault)),
        }
    }

    /// How long the bands are, in bytes, in which `total` bytes are read back.
    pub fn band(&self, total: usize) -> usize {
        /// Two of them lie in a cache, and take longer than a wake-up.
        const BAND: usize = 1 << 20;
        let band = BAND.min(self.link.max_held());
        if total > band { band } else { self.link.max_chunk().max(1) }
    }

    /// Reads back in bands of so many bytes each: `ask` sends the record that fills one, and `take` empties it. The server fills
    /// one while the client empties the one before.
    ///
    /// # Errors
    /// The first of [`Stream::reply`], and GL_CONTEXT_LOST.
    pub fn read_bands<T>(
        &mut self,
        bands: Vec<(usize, T)>,
        mut ask: impl FnMut(&mut Stream, &T, BlobRef) -> Seq,
        mut take: impl FnMut(T, &StageSlice),
    ) -> GlResult {
        let longest = bands.iter().map(|(len, _)| *len).max().unwrap_or(0);
        let mut held = Vec::new();
        while bands.len() > 1 && held.len() < 2 {
            match self.link.hold(longest).map_err(|fault| lost(&fault))? {
                Some(slice) => held.push(slice),
                None => break,
            }
        }
        let mut asked = VecDeque::with_capacity(held.len().max(1));
        let mut result = Ok(());
        let mut bands = bands.into_iter().enumerate();
        loop {
            while asked.len() < held.len().max(1)
                && result.is_ok()
                && let Some((n, (len, band))) = bands.next()
            {
                let slice = match held.get(n % held.len().max(1)) {
                    Some(slice) => slice.clone(),
                    None => match self.link.stage(len) {
                        Ok(slice) => slice,
                        Err(fault) => {
                            result = Err(lost(&fault));
                            break;
                        }
                    },
                };
                let seq = ask(self, &band, slice.part(0, len));
                asked.push_back((self.link.row_of(seq), seq, band, slice));
            }
            let Some((row, seq, band, slice)) = asked.pop_front() else { break };
            // All that was asked for is awaited: the server writes there.
            match self.reply_of(row, seq) {
                Ok(Some(_)) => take(band, &slice),
                Ok(None) => {}
                Err(error) => result = result.and(Err(error)),
            }
        }
        held.iter().for_each(|slice| self.link.release(slice));
        result
    }
}

impl Sink for Stream {
    #[inline]
    fn record(&mut self, op: u16, flags: u16, parts: [&[u8]; 4]) -> Seq {
        let seq = self.link.record(op, flags, parts);
        if self.lockstep {
            self.wait_for_verb(op, seq);
        }
        seq
    }
}

/// The error of an operation that a lost session cannot do.
pub fn lost(fault: &Fault) -> GlError {
    log::debug!("the session is lost: {fault}");
    GlError { code: gl::CONTEXT_LOST, what: "the session with the server is lost" }
}
