//! The server's half of the handshake.

use crate::client::BUILD;
use crate::link::{Channel, Core, Door, Notes};
use crate::memory::{Mapping, create_sealed};
use crate::message::{self, Rows, Welcome, kind};
use crate::options::{Hello, ServerOptions};
use crate::page::Segments;
use crate::server::ServerLink;
use crate::wire::Socket;
use forerun_pipe::caps::Caps;
use forerun_pipe::{Fault, fault::Result};
use rustix::event::EventfdFlags;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A client that connects and says nothing is not waited for longer than this.
const HELLO_WAIT: Duration = Duration::from_secs(10);

impl ServerLink {
    /// Shakes hands on a connected socket. `start` sees the Hello and makes the backend and its caps; what else it returns comes
    /// back with the link.
    ///
    /// # Errors
    /// Every refusal, after it was told to the client.
    pub fn accept<T>(
        socket: OwnedFd,
        options: &ServerOptions,
        start: impl FnOnce(&Hello) -> Result<(Caps, T)>,
    ) -> Result<(ServerLink, T)> {
        let mut socket = Socket::new(socket)?;
        let result = Self::answer(&mut socket, options, start);
        match result {
            Ok((core, segments, rows, value)) => {
                let channel = Channel::Socket(socket);
                Ok((ServerLink::new(core, &segments, channel, rows, options)?, value))
            }
            Err(fault) => {
                let deadline = Instant::now() + Duration::from_secs(1);
                let body = message::write_fault(&fault);
                // The client may be gone; the caller has the fault in any case.
                let _ = socket.send(kind::REFUSE, &body, &[], deadline);
                Err(fault)
            }
        }
    }

    fn answer<T>(
        socket: &mut Socket,
        options: &ServerOptions,
        start: impl FnOnce(&Hello) -> Result<(Caps, T)>,
    ) -> Result<(Arc<Core>, Segments, Rows, T)> {
        if options.same_user {
            check_user(socket.fd())?;
        }
        let deadline = Instant::now() + options.wait.min(HELLO_WAIT);
        let frame = socket.receive(deadline, "Hello")?;
        if frame.kind != kind::HELLO {
            return Err(Fault::ProtocolCorruption { what: "Hello.kind" });
        }
        let (hello, their_rows) = message::read_hello(&frame.body)?;
        let rows = Rows::agree(&their_rows)?;
        log::debug!("the client is {} in process {}", hello.build, hello.pid);
        let (caps, value) = start(&hello)?;
        let sizes = hello.sizes.sane().at_most(&options.sizes);
        let lengths = Segments::lengths(&sizes);
        let names = ["command", "stage", "reply", "event", "progress"];
        let mut fds = Vec::with_capacity(7);
        for (name, len) in names.iter().zip(lengths) {
            fds.push(create_sealed(&format!("forerun-{name}"), len)?);
        }
        let map = |index: usize| -> Result<Arc<Mapping>> {
            let (Some(fd), Some(len)) = (fds.get(index), lengths.get(index)) else {
                return Err(Fault::SegmentMismatch { what: "Welcome.fds" });
            };
            Ok(Arc::new(Mapping::of_fd(fd.as_fd(), *len)?))
        };
        let segments = Segments {
            command: map(0)?,
            stage: map(1)?,
            reply: map(2)?,
            event: map(3)?,
            progress: map(4)?,
        };
        let control = segments.control()?;
        control.reset();
        let bell = || {
            rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
                .map_err(|errno| Fault::System { what: "eventfd", why: errno.to_string() })
        };
        let (client, server) = (bell()?, bell()?);
        let welcome = Welcome {
            pid: std::process::id(),
            build: BUILD.into(),
            sizes,
            rows: message::own_rows(),
            caps: caps.encode(),
        };
        let sent: Vec<_> = fds.iter().chain([&client, &server]).map(|fd| fd.as_fd()).collect();
        let deadline = Instant::now() + options.wait;
        socket.send(kind::WELCOME, &welcome.write(), &sent, deadline)?;
        let door = Door::Process { client, server };
        let core = Arc::new(Core { control, door, notes: Notes::default() });
        Ok((core, segments, rows, value))
    }
}

/// Only the server's own user, and root, is served: the stream's content is as powerful as the user's own programs.
///
/// # Errors
/// [`Fault::Refused`] with both users.
pub fn check_user(socket: impl AsFd) -> Result<()> {
    let ours = rustix::process::geteuid();
    let refused = |theirs: String| Fault::Refused {
        what: "user of the client".into(),
        ours: ours.as_raw().to_string(),
        theirs,
    };
    match rustix::net::sockopt::socket_peercred(socket) {
        Ok(peer) if peer.uid == ours || peer.uid.is_root() => Ok(()),
        Ok(peer) => Err(refused(peer.uid.as_raw().to_string())),
        Err(errno) => Err(refused(errno.to_string())),
    }
}
