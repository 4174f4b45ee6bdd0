//! How a client's end comes to be: a server of our own, a server that listens, a thread, or no other thread at all.

use super::ClientLink;
use crate::link::{Channel, Core, Door, Notes};
use crate::memory::{Mapping, verify};
use crate::message::{self, Rows, Welcome, kind};
use crate::options::{Hello, LinkOptions, ServerOptions, Sizes};
use crate::page::{PAGE, Segments};
use crate::progress;
use crate::server::ServerLink;
use crate::spawn;
use crate::wire::Socket;
use forerun_pipe::caps::Caps;
use forerun_pipe::knobs::Transport;
use forerun_pipe::{Fault, fault::Result};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Instant;

/// This build, for logs.
pub(crate) const BUILD: &str = concat!("forerun ", env!("CARGO_PKG_VERSION"));

impl ClientLink {
    /// Starts a server of our own or dials a running one, and shakes hands.
    ///
    /// # Errors
    /// [`Fault::ServerUnavailable`], [`Fault::Refused`], [`Fault::AbiMismatch`], [`Fault::NoHostDriver`], …
    pub fn connect(options: &LinkOptions) -> Result<(ClientLink, Caps)> {
        let socket = match &options.transport {
            Transport::Unix(path) => UnixStream::connect(path)
                .map_err(|error| Fault::ServerUnavailable {
                    why: format!("cannot connect to {}: {error}", path.display()),
                })?
                .into(),
            Transport::Spawn => spawn::spawn(options.server.as_deref())?,
            Transport::Inproc | Transport::Monolith => {
                return Err(Fault::ServerUnavailable {
                    why: format!("{} has no server to connect to", options.transport),
                });
            }
        };
        Self::shake_hands(socket, options)
    }

    /// Shakes hands with a server at the other end of a stream socket.
    ///
    /// # Errors
    /// As [`ClientLink::connect`].
    pub fn shake_hands(socket: OwnedFd, options: &LinkOptions) -> Result<(ClientLink, Caps)> {
        let deadline = Instant::now() + options.wait;
        let mut socket = Socket::new(socket)?;
        let hello = Hello {
            pid: std::process::id(),
            build: BUILD.into(),
            sizes: options.sizes.sane(),
            wants: options.wants.clone(),
        };
        let body = message::write_hello(&hello, &message::own_rows());
        socket.send(kind::HELLO, &body, &[], deadline).map_err(|fault| left(fault, options))?;
        Self::welcomed(socket, deadline, options)
    }

    /// The second half of the handshake: what the server answers to a Hello.
    ///
    /// # Errors
    /// As [`ClientLink::connect`].
    pub(crate) fn welcomed(
        mut socket: Socket,
        deadline: Instant,
        options: &LinkOptions,
    ) -> Result<(ClientLink, Caps)> {
        let frame = socket.receive(deadline, "Welcome").map_err(|fault| left(fault, options))?;
        let welcome = match frame.kind {
            kind::WELCOME => Welcome::read(&frame.body)?,
            kind::REFUSE => return Err(message::read_fault(&frame.body)),
            _ => return Err(Fault::ProtocolCorruption { what: "Welcome.kind" }),
        };
        let rows = Rows::agree(&welcome.rows)?;
        let caps = Caps::decode(&welcome.caps)?;
        if welcome.sizes != welcome.sizes.sane() {
            return Err(Fault::SegmentMismatch { what: "Welcome.sizes" });
        }
        let fds: [OwnedFd; 7] = frame
            .fds
            .try_into()
            .map_err(|_| Fault::SegmentMismatch { what: "Welcome.fds" })?;
        let [command, stage, reply, event, page, client, server] = fds;
        let segments = Segments::lengths(&welcome.sizes);
        let map = |fd: &OwnedFd, len: usize| -> Result<Arc<Mapping>> {
            verify(fd, len)?;
            Ok(Arc::new(Mapping::of_fd(fd.as_fd(), len)?))
        };
        let segments = Segments {
            command: map(&command, segments[0])?,
            stage: map(&stage, segments[1])?,
            reply: map(&reply, segments[2])?,
            event: map(&event, segments[3])?,
            progress: map(&page, segments[4])?,
        };
        let door = Door::Process { client, server };
        let core = Core { control: segments.control()?, door, notes: Notes::default() };
        let channel = Channel::Socket(socket);
        log::debug!("the server is {} in process {}", welcome.build, welcome.pid);
        let link =
            ClientLink::new(Arc::new(core), &segments, channel, rows, welcome.pid, options)?;
        Ok((link, caps))
    }

    /// Both ends in one process: the caller runs the server's end on a thread of its own.
    ///
    /// # Errors
    /// [`Fault::System`] when memory cannot be mapped.
    pub fn inproc(
        options: &LinkOptions,
        server: &ServerOptions,
    ) -> Result<(ClientLink, ServerLink)> {
        Self::in_one_process(options, server, Door::Threads)
    }

    /// Both ends on one thread: give [`ClientLink::set_pump`] what applies everything published ([`ServerLink::next`] until idle).
    ///
    /// # Errors
    /// [`Fault::System`] when memory cannot be mapped.
    pub fn monolith(
        options: &LinkOptions,
        server: &ServerOptions,
    ) -> Result<(ClientLink, ServerLink)> {
        Self::in_one_process(options, server, Door::Inline)
    }

    /// A link whose session is lost: records go nowhere, and every wait ends at once.
    ///
    /// # Errors
    /// [`Fault::System`] when memory cannot be mapped.
    pub fn dead() -> Result<ClientLink> {
        let options = LinkOptions { sizes: Sizes::TINY, ..LinkOptions::default() };
        let (mut client, _) = Self::inproc(&options, &ServerOptions::default())?;
        // Without a word: nothing happened to this session.
        client.lost = Some(Fault::PeerLost);
        client.is_dead = true;
        Ok(client)
    }

    fn in_one_process(
        options: &LinkOptions,
        server: &ServerOptions,
        door: Door,
    ) -> Result<(ClientLink, ServerLink)> {
        let sizes = options.sizes.sane().at_most(&server.sizes);
        let [command, stage, reply, event, page] =
            Segments::lengths(&sizes).map(|len| Mapping::anonymous(len).map(Arc::new));
        let segments = Segments {
            command: command?,
            stage: stage?,
            reply: reply?,
            event: event?,
            progress: page?,
        };
        let control = segments.control()?;
        control.reset();
        let core = Arc::new(Core { control, door, notes: Notes::default() });
        let rows = Rows::agree(&message::own_rows())?;
        let ends = (
            ClientLink::new(
                core.clone(),
                &segments,
                Channel::Notes,
                rows.clone(),
                std::process::id(),
                options,
            )?,
            ServerLink::new(core, &segments, Channel::Notes, rows, server)?,
        );
        Ok(ends)
    }
}

/// A server that goes or says nothing during the handshake, which has one bound for all of its parts.
fn left(fault: Fault, options: &LinkOptions) -> Fault {
    match fault {
        Fault::WaitExpired { what, .. } => {
            Fault::WaitExpired { what, waited_ms: options.wait.as_millis() as u64 }
        }
        Fault::PeerLost => Fault::ServerUnavailable {
            why: "the server hung up during the handshake (its own messages say why)".into(),
        },
        other => other,
    }
}

impl Segments {
    /// Bytes of command, stage, reply, event and progress segments.
    pub(crate) fn lengths(sizes: &Sizes) -> [usize; 5] {
        let [ring, stage, reply, event] =
            [sizes.ring, sizes.stage, sizes.reply, sizes.event].map(|n| n as usize);
        [PAGE + ring, stage, reply, event, progress::LEN]
    }
}
