//! What contexts share.

use crate::names::Names;
use crate::state::buffer::Buffer;
use crate::state::framebuffer::Renderbuffer;
use crate::state::label::Key;
use crate::state::program::ShaderNamespace;
use crate::state::sampler::Sampler;
use crate::state::sync::Fence;
use crate::state::texture::Texture;
use crate::stream::{Graveyard, Stream};
use forerun_link::ClientLink;
use forerun_pipe::caps::{Caps, feature};
use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A share group: one stream, and the objects that its contexts share.
pub struct Group {
    /// What the server can do.
    pub caps: Arc<Caps>,
    /// Buffer objects.
    pub buffers: Mutex<Names<Arc<Buffer>>>,
    /// Texture objects.
    pub textures: Mutex<Names<Arc<Texture>>>,
    /// Renderbuffer objects.
    pub renderbuffers: Mutex<Names<Arc<Renderbuffer>>>,
    /// Sampler objects.
    pub samplers: Mutex<Names<Arc<Sampler>>>,
    /// Shader and program objects, one namespace.
    pub programs: Mutex<ShaderNamespace>,
    /// Sync objects, by the value that the program sees as a pointer.
    pub fences: Mutex<Names<Arc<Fence>>>,
    /// Labels of objects.
    pub labels: Mutex<FxHashMap<Key, Vec<u8>>>,
    /// Moves when an image that a framebuffer may have attached is defined anew.
    pub storage_epoch: AtomicU64,
    /// Where dead handles wait.
    pub graveyard: Arc<Graveyard>,
    stream: Mutex<Stream>,
}

impl Group {
    /// A group on a fresh link. It runs ahead if the server can be run ahead of and `run_ahead`, the knob, agrees.
    pub fn new(link: ClientLink, caps: Caps, run_ahead: bool) -> Arc<Group> {
        let graveyard = Arc::new(Graveyard::default());
        let mut stream = Stream::new(link, Arc::clone(&graveyard));
        let armed = run_ahead && caps.has(feature::RUN_AHEAD);
        stream.run_ahead(armed);
        match (armed, run_ahead) {
            (true, _) => log::info!("run-ahead ARMED"),
            (false, true) => log::info!("run-ahead off: the server does not offer it"),
            (false, false) => log::info!("run-ahead off: FORERUN_RUN_AHEAD=0"),
        }
        Arc::new(Group {
            caps: Arc::new(caps),
            buffers: Mutex::default(),
            textures: Mutex::default(),
            renderbuffers: Mutex::default(),
            samplers: Mutex::default(),
            programs: Mutex::default(),
            fences: Mutex::default(),
            storage_epoch: AtomicU64::new(0),
            labels: Mutex::default(),
            stream: Mutex::new(stream),
            graveyard,
        })
    }

    /// The stream, for as long as the guard lives. Never taken twice on one thread.
    #[inline]
    pub fn stream(&self) -> MutexGuard<'_, Stream> {
        let mut stream = self.stream.lock();
        stream.bury_dead();
        stream
    }

    /// The stream, if no thread has it.
    pub fn try_stream(&self) -> Option<MutexGuard<'_, Stream>> {
        self.stream.try_lock()
    }
}
