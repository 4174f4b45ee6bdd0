//! What both ends share: the control page, the way to wake the other end and to sleep, and the control channel.

use crate::bell::Bell;
use crate::memory::Mapping;
use crate::page::ControlRef;
use crate::wire::{Socket, timespec};
use forerun_pipe::{Fault, Seq};
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::thread::futex;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One of the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The program's.
    Client,
    /// The driver's.
    Server,
}

/// How ends sleep and wake each other.
#[derive(Debug)]
pub enum Door {
    /// Two processes: an eventfd each, polled beside the control socket.
    Process {
        /// Wakes the client.
        client: OwnedFd,
        /// Wakes the server.
        server: OwnedFd,
    },
    /// Two threads: futexes on the bells' states.
    Threads,
    /// One thread: the server never sleeps.
    Inline,
}

/// What both ends and all pens of the progress page hold.
#[derive(Debug)]
pub struct Core {
    /// The control page.
    pub control: ControlRef,
    /// How to sleep and wake.
    pub door: Door,
    /// Control messages between threads.
    pub notes: Notes,
}

/// Control messages inside one process.
#[derive(Debug, Default)]
pub struct Notes {
    /// For the server.
    pub to_server: Mutex<Vec<Note>>,
    /// For the client: why the session ended.
    pub to_client: Mutex<Option<Fault>>,
}

/// A control message of a client.
#[derive(Debug)]
pub enum Note {
    /// A segment of its own.
    Segment(u32, Arc<Mapping>),
    /// Lets go of a segment after a record.
    Drop(u32, Seq),
    /// Ends the session by name.
    Fault(Fault),
}

impl Core {
    /// The bell of one end.
    pub fn bell(&self, side: Side) -> &Bell {
        match side {
            Side::Client => &self.control.client_bell,
            Side::Server => &self.control.server_bell,
        }
    }

    /// Server, after publishing: wakes the client if it sleeps and waits for this.
    pub fn ring_client(&self, is_wanted: impl FnOnce(&Bell) -> bool) -> bool {
        self.control.client_bell.ring(is_wanted, || self.wake(Side::Client))
    }

    /// Client, after publishing: wakes the server if it sleeps and waits for this.
    pub fn ring_server(&self, is_wanted: impl FnOnce(&Bell) -> bool) -> bool {
        self.control.server_bell.ring(is_wanted, || self.wake(Side::Server))
    }

    fn wake(&self, side: Side) {
        let result = match (&self.door, side) {
            (Door::Process { client, .. }, Side::Client) => {
                rustix::io::write(client, &1u64.to_ne_bytes()).map(|_| ())
            }
            (Door::Process { server, .. }, Side::Server) => {
                rustix::io::write(server, &1u64.to_ne_bytes()).map(|_| ())
            }
            _ => futex::wake(&self.bell(side).state, futex::Flags::PRIVATE, 1).map(|_| ()),
        };
        // A full eventfd (EAGAIN) wakes as well as any other.
        if let Err(errno) = result
            && errno != Errno::AGAIN
        {
            log::error!("cannot wake the peer: {errno}");
        }
    }

    /// Whether the other end of an in-process link is gone. Between processes the socket tells.
    pub fn is_closed(&self, by: Side) -> bool {
        use crate::sync::Ordering;
        let flag = match by {
            Side::Client => &self.control.client.closed,
            Side::Server => &self.control.server.closed,
        };
        !matches!(self.door, Door::Process { .. }) && flag.load(Ordering::Acquire) != 0
    }

    /// Tells the other end of an in-process link that this one is gone.
    pub fn close(&self, own: Side) {
        use crate::sync::Ordering;
        if matches!(self.door, Door::Process { .. }) {
            return;
        }
        match own {
            Side::Client => {
                self.control.client.closed.store(1, Ordering::Release);
                self.ring_server(|_| true);
            }
            Side::Server => {
                self.control.server.closed.store(1, Ordering::Release);
                self.ring_client(|_| true);
            }
        }
    }

    /// Sleeps until woken, until the socket has something to read, or until the time is over. Returns what the sleeper should look
    /// at. May return early.
    pub fn sleep(
        &self,
        side: Side,
        socket: Option<BorrowedFd<'_>>,
        timeout: Option<Duration>,
    ) -> Woken {
        let timeout = timespec(timeout);
        let Door::Process { client, server } = &self.door else {
            let state = &self.bell(side).state;
            let flags = futex::Flags::PRIVATE;
            let _ = futex::wait(state, flags, crate::bell::PARKED, timeout.as_ref());
            return Woken { socket: false };
        };
        let bell = if side == Side::Client { client } else { server };
        let mut fds = [PollFd::new(bell, PollFlags::IN), PollFd::new(bell, PollFlags::IN)];
        let count = match socket {
            Some(socket) => {
                fds[1] = PollFd::from_borrowed_fd(socket, PollFlags::IN | PollFlags::RDHUP);
                2
            }
            None => 1,
        };
        let polled = fds.get_mut(..count).unwrap_or(&mut []);
        if let Err(errno) = rustix::event::poll(polled, timeout.as_ref())
            && errno != Errno::INTR
        {
            log::error!("poll: {errno}");
            return Woken { socket: true };
        }
        if !fds[0].revents().is_empty() {
            // Empties the counter, so that the next sleep sleeps. Non-blocking: a wake may have been eaten already.
            let _ = rustix::io::read(bell, &mut [0; 8]);
        }
        Woken { socket: count == 2 && !fds[1].revents().is_empty() }
    }
}

/// What a sleeper should look at.
#[derive(Clone, Copy, Debug)]
pub struct Woken {
    /// The control socket.
    pub socket: bool,
}

/// The way of control messages.
#[derive(Debug)]
pub enum Channel {
    /// Between processes.
    Socket(Socket),
    /// In one process: [`Core::notes`].
    Notes,
}

impl Channel {
    /// The socket, for polling.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        match self {
            // A socket at its end is readable for ever: nobody may poll it again.
            Channel::Socket(socket) if !socket.is_over => Some(socket.fd()),
            _ => None,
        }
    }
}

/// Spins before a sleep, as long as that pays.
#[derive(Debug)]
pub struct Spinner {
    max: Duration,
    budget: Duration,
    skip: u32,
}

impl Spinner {
    /// Spins at most `max`; not at all on a single core.
    pub fn new(max: Duration) -> Spinner {
        let alone = std::thread::available_parallelism().is_ok_and(|n| n.get() == 1);
        let max = if alone { Duration::ZERO } else { max };
        Spinner { max, budget: max, skip: 0 }
    }

    /// Never spins.
    pub fn idle() -> Spinner {
        Spinner { max: Duration::ZERO, budget: Duration::ZERO, skip: 0 }
    }

    /// Looks again and again until `is_ready` holds or it no longer pays. Returns whether it holds.
    pub fn spin(&mut self, is_ready: impl Fn() -> bool) -> bool {
        if is_ready() {
            return true;
        }
        if self.max.is_zero() || self.skip > 0 {
            self.skip = self.skip.saturating_sub(1);
            return false;
        }
        let start = Instant::now();
        let mut last = start;
        loop {
            for _ in 0..32 {
                if is_ready() {
                    self.budget = (self.budget * 2).min(self.max);
                    return true;
                }
                std::hint::spin_loop();
            }
            let now = Instant::now();
            if now - last > Duration::from_micros(20) {
                // Somebody else ran on this core meanwhile: the cores are oversubscribed, and spinning takes from the one waited for.
                self.skip = 64;
                return is_ready();
            }
            if now - start >= self.budget {
                self.budget = (self.budget / 2).max(self.max / 16);
                return is_ready();
            }
            last = now;
        }
    }
}
