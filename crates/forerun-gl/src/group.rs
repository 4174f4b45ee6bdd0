//! What contexts share.

use crate::names::Names;
use crate::shared::Shared;
use crate::state::buffer::Buffer;
use crate::state::framebuffer::Renderbuffer;
use crate::state::label::Key;
use crate::state::program::ShaderNamespace;
use crate::state::sampler::Sampler;
use crate::state::sync::Fence;
use crate::state::texture::Texture;
use crate::stream::{Graveyard, Stream};
use forerun_link::{Bias, ClientLink, Inside, Presence};
use forerun_pipe::caps::{Caps, feature};
use rustc_hash::FxHashMap;
use std::cell::RefMut;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A share group: one stream, and the objects that its contexts share.
pub struct Group {
    /// What the server can do.
    pub caps: Arc<Caps>,
    /// Buffer objects.
    pub buffers: Shared<Names<Arc<Buffer>>>,
    /// Texture objects.
    pub textures: Shared<Names<Arc<Texture>>>,
    /// Renderbuffer objects.
    pub renderbuffers: Shared<Names<Arc<Renderbuffer>>>,
    /// Sampler objects.
    pub samplers: Shared<Names<Arc<Sampler>>>,
    /// Shader and program objects, one namespace.
    pub programs: Shared<ShaderNamespace>,
    /// Sync objects, by the value that the program sees as a pointer.
    pub fences: Shared<Names<Arc<Fence>>>,
    /// Labels of objects.
    pub labels: Shared<FxHashMap<Key, Vec<u8>>>,
    /// Moves when an image that a framebuffer may have attached is defined anew.
    pub storage_epoch: AtomicU64,
    /// Where dead handles wait.
    pub graveyard: Arc<Graveyard>,
    /// Which thread is inside.
    pub(crate) bias: Bias,
    stream: Shared<Stream>,
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
            buffers: Shared::default(),
            textures: Shared::default(),
            renderbuffers: Shared::default(),
            samplers: Shared::default(),
            programs: Shared::default(),
            fences: Shared::default(),
            storage_epoch: AtomicU64::new(0),
            labels: Shared::default(),
            bias: Bias::default(),
            stream: Shared::new(stream),
            graveyard,
        })
    }

    /// The stream, inside an API call. Never taken twice at a time.
    #[inline]
    pub(crate) fn stream(&self) -> RefMut<'_, Stream> {
        let mut stream = self.stream.borrow_mut();
        stream.bury_dead();
        stream
    }

    /// Enters the group from outside of an API call, and gives its stream.
    pub fn lock(&self) -> Locked<'_> {
        let inside = self.bias.enter_here();
        Locked { stream: self.stream(), _inside: inside }
    }

    /// The same, if nobody is inside.
    pub fn try_lock(&self) -> Option<Locked<'_>> {
        let inside = self.bias.try_enter_here()?;
        Some(Locked { stream: self.stream(), _inside: inside })
    }
}

/// A group's stream, for whoever is not in an API call. Nobody else is inside the group meanwhile.
pub struct Locked<'a> {
    // Let go of in this order.
    stream: RefMut<'a, Stream>,
    _inside: Inside<'a, Arc<Presence>>,
}

impl std::ops::Deref for Locked<'_> {
    type Target = Stream;
    fn deref(&self) -> &Stream {
        &self.stream
    }
}

impl std::ops::DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }
}
