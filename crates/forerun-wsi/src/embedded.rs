//! The server half inside the program: on a thread of its own (inproc), or on the program's own thread (monolith).

use forerun_link::{ClientLink, LinkOptions, ServerLink, ServerOptions};
use forerun_pipe::Fault;
use forerun_pipe::caps::Caps;
use forerun_pipe::knobs::{Backend as Choice, Knobs, Transport};
use forerun_server::session::start_thread;
use forerun_server::stats::Scope;
use forerun_server::{Backend, NullBackend, Session};
use parking_lot::Mutex;
use std::sync::{Arc, Weak};
use std::thread::ThreadId;

/// Opens a session with a server in this process.
///
/// # Errors
/// [`Fault::NoHostDriver`], [`Fault::System`].
pub fn open(knobs: &Knobs, options: &LinkOptions) -> Result<(ClientLink, Caps), Fault> {
    let choice = knobs.clone();
    let granted = ServerOptions::from_knobs(knobs);
    if knobs.transport == Transport::Inproc {
        let (client, server) = ClientLink::inproc(options, &granted)?;
        let (caps, _) = start_thread(server, move || backend(&choice))?;
        return Ok((client, caps));
    }
    let (mut client, server) = ClientLink::monolith(options, &granted)?;
    let mut backend = backend(&choice)?;
    let caps = backend.caps();
    let here = Here::share(server, backend);
    client.set_pump(Box::new(move || here.lock().pump()));
    Ok((client, caps))
}

fn backend(knobs: &Knobs) -> Result<Box<dyn Backend>, Fault> {
    match knobs.backend {
        Choice::Null => Ok(Box::new(NullBackend::new())),
        _ => forerun_gles::open(knobs),
    }
}

/// A session that is applied on the thread that records. The host's context is current there until [`leave`].
struct Here {
    session: Option<Session>,
    thread: Option<ThreadId>,
}

// SAFETY: one thread at a time has the session (it stands in a mutex), and the host's context follows it: the thread that had it has
// let it go, which `take` checks.
unsafe impl Send for Here {}

/// Monoliths of this process.
static MONOLITHS: Mutex<Vec<Weak<Mutex<Here>>>> = Mutex::new(Vec::new());

/// The calling thread has no context any more: another one may apply next.
pub fn leave() {
    let monoliths = MONOLITHS.lock();
    for here in monoliths.iter().filter_map(Weak::upgrade) {
        let mut here = here.lock();
        if here.thread == Some(std::thread::current().id()) {
            here.thread = None;
            if let Some(session) = &mut here.session {
                session.leave();
            }
        }
    }
}

impl Here {
    fn share(link: ServerLink, backend: Box<dyn Backend>) -> Arc<Mutex<Here>> {
        let session = Some(Session::new(link, backend, Scope::Thread));
        let here =
            Arc::new(Mutex::new(Here { session, thread: Some(std::thread::current().id()) }));
        let mut monoliths = MONOLITHS.lock();
        monoliths.retain(|here| here.strong_count() > 0);
        monoliths.push(Arc::downgrade(&here));
        here
    }

    /// Makes the session this thread's; false when another thread has it.
    fn take(&mut self) -> bool {
        let own = std::thread::current().id();
        *self.thread.get_or_insert(own) == own
    }

    fn pump(&mut self) -> Result<(), Fault> {
        if !self.take() {
            let why = "the topology monolith serves one thread at a time".into();
            return Err(Fault::System { what: "wrong thread", why });
        }
        match &mut self.session {
            Some(session) => session.pump(),
            None => Err(Fault::PeerLost),
        }
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        let session = self.session.take();
        if self.take() {
            if let Some(session) = session {
                session.end();
            }
        } else {
            // The host's objects cannot be freed from here; they go with the process.
            std::mem::forget(session);
        }
    }
}
