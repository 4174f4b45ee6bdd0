//! The server half inside the program: on a thread of its own (inproc), or on the program's own thread (monolith).

use forerun_link::{ClientLink, LinkOptions, ServerLink, ServerOptions};
use forerun_pipe::Fault;
use forerun_pipe::caps::Caps;
use forerun_pipe::knobs::{Backend as Choice, Knobs, Transport};
use forerun_server::session::start_thread;
use forerun_server::stats::Scope;
use forerun_server::{Backend, NullBackend, Session};
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
    let mut here = Here::new(server, backend);
    client.set_pump(Box::new(move || here.pump()));
    Ok((client, caps))
}

fn backend(knobs: &Knobs) -> Result<Box<dyn Backend>, Fault> {
    match knobs.backend {
        Choice::Null => Ok(Box::new(NullBackend::new())),
        _ => forerun_gles::open(knobs),
    }
}

/// A session on the thread that made it. The host's context is current there, so it may not move.
struct Here {
    session: Option<Session>,
    thread: ThreadId,
}

// SAFETY: the session is touched on the thread that made it only; `pump` and `drop` check that.
unsafe impl Send for Here {}

impl Here {
    fn new(link: ServerLink, backend: Box<dyn Backend>) -> Here {
        let session = Some(Session::new(link, backend, Scope::Thread));
        Here { session, thread: std::thread::current().id() }
    }

    fn pump(&mut self) -> Result<(), Fault> {
        if std::thread::current().id() != self.thread {
            let why = "the topology monolith serves the thread that made the context only".into();
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
        if std::thread::current().id() == self.thread {
            if let Some(session) = session {
                session.end();
            }
        } else {
            // The host's objects cannot be freed from here; they go with the process.
            std::mem::forget(session);
        }
    }
}
