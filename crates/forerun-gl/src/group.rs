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
use forerun_pipe::event::Event;
use forerun_pipe::{Fault, RawHandle};
use rustc_hash::FxHashMap;
use std::cell::RefMut;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

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
    /// Events that wait for their contexts.
    pub(crate) inbox: Shared<Inbox>,
    /// Where dead handles wait.
    pub graveyard: Arc<Graveyard>,
    /// Which thread is inside.
    pub(crate) bias: Bias,
    stream: Shared<Stream>,
    forks: u32,
    /// In the child of a fork: what stands for this group.
    heir: OnceLock<Arc<Group>>,
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
        Arc::new(Group::of(stream, caps, graveyard))
    }

    fn of(stream: Stream, caps: Caps, graveyard: Arc<Graveyard>) -> Group {
        Group {
            caps: Arc::new(caps),
            buffers: Shared::default(),
            textures: Shared::default(),
            renderbuffers: Shared::default(),
            samplers: Shared::default(),
            programs: Shared::default(),
            fences: Shared::default(),
            storage_epoch: AtomicU64::new(0),
            labels: Shared::default(),
            inbox: Shared::default(),
            bias: Bias::default(),
            stream: Shared::new(stream),
            graveyard,
            forks: forerun_link::forks(),
            heir: OnceLock::new(),
        }
    }

    /// Whether the group belongs to the parent of this process. Another thread of the parent may have been inside when it forked, and
    /// will never leave in this process.
    fn is_parents(&self) -> bool {
        self.forks != forerun_link::forks()
    }

    /// In the child of a fork: a lost group in the place of this one.
    ///
    /// # Panics
    /// When there is no memory for it.
    pub(crate) fn heir(&self) -> &Arc<Group> {
        self.heir.get_or_init(|| {
            let graveyard = Arc::new(Graveyard::default());
            let link = ClientLink::dead().unwrap_or_else(|fault| panic!("no lost link: {fault}"));
            let stream = Stream::new(link, Arc::clone(&graveyard));
            Arc::new(Group::of(stream, Caps::clone(&self.caps), graveyard))
        })
    }

    /// The stream, inside an API call. Never taken twice at a time.
    #[inline]
    pub(crate) fn stream(&self) -> RefMut<'_, Stream> {
        let mut stream = self.stream.borrow_mut();
        stream.bury_dead();
        stream
    }

    /// Waits until frame `serial` (from 1) of a surface may be encoded, without being inside: other threads go on meanwhile.
    ///
    /// # Errors
    /// The fault that ended the session.
    pub fn take_present_credit(
        &self,
        surface: RawHandle,
        serial: u64,
        credit: u32,
    ) -> Result<(), Fault> {
        let wait = self.lock().link.present_credit(surface, serial, credit);
        if let Some(wait) = wait {
            while !wait.look(&mut self.lock().link)? {
                wait.sleep();
            }
        }
        Ok(())
    }

    /// Enters the group from outside of an API call, and gives its stream; in the child of a fork a lost one.
    pub fn lock(&self) -> Locked<'_> {
        if self.is_parents() {
            return self.heir().lock();
        }
        let inside = self.bias.enter_here();
        Locked { stream: self.stream(), _inside: inside }
    }

    /// The same, if nobody is inside.
    pub fn try_lock(&self) -> Option<Locked<'_>> {
        if self.is_parents() {
            return self.heir().try_lock();
        }
        let inside = self.bias.try_enter_here()?;
        Some(Locked { stream: self.stream(), _inside: inside })
    }
}

/// What the server told about contexts while another one of the group was listening. Events of contexts that are gone are forgotten.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    any: bool,
    contexts: Vec<(RawHandle, Vec<Event>)>,
}

impl Inbox {
    /// A context that events may come for.
    pub fn open(&mut self, context: RawHandle) {
        self.contexts.push((context, Vec::new()));
    }

    /// A context that is gone.
    pub fn close(&mut self, context: RawHandle) {
        self.contexts.retain(|(of, _)| *of != context);
    }

    /// Keeps an event for a context.
    pub fn put(&mut self, context: RawHandle, event: Event) {
        if let Some((_, events)) = self.contexts.iter_mut().find(|(of, _)| *of == context) {
            events.push(event);
            self.any = true;
        }
    }

    /// The events that were kept for a context, in order.
    pub fn take(&mut self, context: RawHandle) -> Vec<Event> {
        if !self.any {
            return Vec::new();
        }
        let found = self.contexts.iter_mut().find(|(of, _)| *of == context);
        let taken = found.map(|(_, events)| std::mem::take(events)).unwrap_or_default();
        self.any = self.contexts.iter().any(|(_, events)| !events.is_empty());
        taken
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
