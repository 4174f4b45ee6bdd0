//! A session: one link, one applier, one thread. Whatever goes wrong ends it by name, and nothing else.

use crate::applier::{Applier, Counts};
use crate::backend::Backend;
use crate::gate::{self, Gated};
use crate::peer::{LinkPeer, Peer};
use crate::quota::Quotas;
use crate::recording::Recorder;
use crate::stats::{self, Scope};
use forerun_link::{Counter, Hello, Next, RecordBuf, ServerLink, ServerOptions};
use forerun_pipe::caps::Caps;
use forerun_pipe::catalogue::{Op, row};
use forerun_pipe::fault::{Fault, Result};
use forerun_pipe::knobs::Knobs;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long the server first waits before it asks the driver about pending fences, queries and presents.
const FIRST_POLL: Duration = Duration::from_micros(200);
/// The wait doubles up to this.
const LAST_POLL: Duration = Duration::from_millis(4);
/// A silence after which the counters are brought up to date.
const QUIET: Duration = Duration::from_millis(20);
/// Memory is measured at most so often.
const MEASURE: Duration = Duration::from_millis(250);

/// Makes a session's backend, once the client has said who it is.
pub type Make<'a> = dyn FnMut(&Hello) -> Result<Box<dyn Backend>> + 'a;

/// On what terms a server serves its clients.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// What it grants.
    pub link: ServerOptions,
    /// What a session may use.
    pub quotas: Quotas,
    /// The folder where each session's records are written.
    pub record: Option<PathBuf>,
    /// The gates of tests.
    pub gates: Option<PathBuf>,
}

impl Terms {
    /// What the knobs say.
    pub fn from_knobs(knobs: &Knobs) -> Terms {
        Terms {
            link: ServerOptions::from_knobs(knobs),
            quotas: Quotas::from_knobs(knobs),
            record: knobs.record.clone(),
            gates: knobs.test_gates.clone(),
        }
    }
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Why, when it was not a hang-up.
    pub fault: Option<Fault>,
    /// What it did.
    pub counts: Counts,
    /// Objects that its end freed.
    pub freed: usize,
    /// Calls of the driver.
    pub driver_calls: u64,
}

/// A running session.
pub struct Session {
    applier: Applier,
    buf: RecordBuf,
    scope: Scope,
    poll: Duration,
    unreported: bool,
    /// Nothing was there when it was looked last.
    is_silent: bool,
    measured: Option<Instant>,
    ended: Option<Fault>,
    is_over: bool,
}

impl Session {
    /// A session over a link whose handshake is done.
    pub fn new(link: ServerLink, backend: Box<dyn Backend>, scope: Scope) -> Self {
        Session::with_peer(Box::new(LinkPeer::new(link)), backend, scope)
    }

    /// The same over any peer.
    pub fn with_peer(peer: Box<dyn Peer>, backend: Box<dyn Backend>, scope: Scope) -> Self {
        Session {
            applier: Applier::new(backend, peer),
            buf: RecordBuf::default(),
            scope,
            poll: FIRST_POLL,
            unreported: true,
            is_silent: false,
            measured: None,
            ended: None,
            is_over: false,
        }
    }

    /// The same with limits to what it may use.
    pub fn limited(mut self, quotas: Quotas) -> Self {
        self.applier.limit(quotas);
        self
    }

    /// Applies everything until the client is gone or a fault ends the session, then frees everything.
    pub fn run(mut self) -> Ended {
        self.guarded(|session| {
            while !session.is_over {
                session.step(true)?;
            }
            Ok(())
        });
        self.end()
    }

    /// Applies everything that is there and returns; for a client on the same thread.
    ///
    /// # Errors
    /// Why the session is over, at every call once it is.
    pub fn pump(&mut self) -> Result<()> {
        self.guarded(|session| {
            session.applier.backend.enter();
            while !session.is_over && session.step(false)? {}
            Ok(())
        });
        match (&self.ended, self.is_over) {
            (Some(fault), _) => Err(fault.clone()),
            (None, true) => Err(Fault::PeerLost),
            (None, false) => Ok(()),
        }
    }

    /// Lets another thread call [`Session::pump`] next.
    pub fn leave(&mut self) {
        self.guarded(|session| {
            session.applier.backend.leave();
            Ok(())
        });
    }

    /// Frees everything.
    pub fn end(mut self) -> Ended {
        // A driver that panicked once may panic again.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            self.applier.backend.enter();
            self.report(true);
        }));
        let Session { applier, ended, .. } = self;
        let (counts, freed) = (applier.counts(), applier.alive());
        let driver_calls = applier.driver_calls();
        if catch_unwind(AssertUnwindSafe(move || drop(applier))).is_err() {
            log::error!("the backend panicked at the session's end");
        }
        let done = format!("{} frames shown, {freed} objects freed", counts.frames);
        match &ended {
            Some(fault) => log::error!("session ended by {}: {fault}; {done}", fault.name()),
            None => log::info!("session ended: the client hung up; {done}"),
        }
        Ended { fault: ended, counts, freed, driver_calls }
    }

    /// Runs something that may end the session, by a fault or by a panic.
    fn guarded(&mut self, work: impl FnOnce(&mut Session) -> Result<()>) {
        let fault = match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(Ok(())) => return,
            Ok(Err(fault)) => fault,
            Err(panic) => {
                let text = panic
                    .downcast_ref::<&str>()
                    .map(|text| (*text).to_owned())
                    .or_else(|| panic.downcast_ref::<String>().cloned())
                    .unwrap_or_default();
                Fault::System { what: "panic in the server", why: text }
            }
        };
        self.is_over = true;
        if fault != Fault::PeerLost {
            let _ = catch_unwind(AssertUnwindSafe(|| self.applier.peer.fault(&fault)));
            self.ended = Some(fault);
        }
    }

    /// One record, or one silence. Returns whether there may be more at once.
    fn step(&mut self, wait: bool) -> Result<bool> {
        let timeout = if !wait {
            Some(Duration::ZERO)
        } else if self.applier.pending() {
            Some(self.poll)
        } else if self.unreported {
            Some(QUIET)
        } else {
            None
        };
        // The time of a present that is paced comes whatever else is waited for. While records come nobody looks at the clock.
        let due = self.applier.due().map(|due| match self.is_silent {
            true => due.saturating_duration_since(Instant::now()),
            false => Duration::ZERO,
        });
        let timeout = match (timeout, due) {
            (Some(timeout), Some(due)) => Some(timeout.min(due)),
            (timeout, due) => timeout.or(due),
        };
        let next = self.applier.peer.next(&mut self.buf, timeout)?;
        self.is_silent = matches!(next, Next::Idle);
        match next {
            Next::Record { op, flags, seq } => {
                self.applier.apply(op, flags, seq, self.buf.body()).inspect_err(|_| {
                    let name = row(op).map_or("unknown", |row| row.name);
                    log::error!("record {seq} ({name}) ended the session");
                })?;
                self.poll = FIRST_POLL;
                self.unreported = true;
                if op == Op::Present as u16
                    || op == Op::Finish as u16
                    || op == Op::ReadPixels as u16
                {
                    self.report(false);
                }
                Ok(true)
            }
            Next::Idle => {
                if self.applier.pending() || self.applier.due().is_some() {
                    self.poll = if self.applier.poll()? {
                        FIRST_POLL
                    } else {
                        (self.poll * 2).min(LAST_POLL)
                    };
                } else if self.unreported {
                    self.report(true);
                    self.unreported = false;
                }
                Ok(false)
            }
            Next::Pressure => {
                self.applier.flush()?;
                self.applier.poll()?;
                Ok(true)
            }
            Next::HangUp => {
                self.is_over = true;
                Ok(false)
            }
        }
    }

    /// Brings the counters on the progress page up to date.
    fn report(&mut self, at_leisure: bool) {
        let counts = self.applier.counts();
        let calls = self.applier.driver_calls();
        let objects = self.applier.tables.named();
        let peer = &mut self.applier.peer;
        peer.count(Counter::Draws, counts.draws);
        peer.count(Counter::Frames, counts.frames);
        peer.count(Counter::DriverCalls, calls);
        peer.count(Counter::Objects, objects as u64);
        peer.count(Counter::CpuMicros, stats::cpu_micros(self.scope));
        let now = Instant::now();
        if at_leisure || self.measured.is_none_or(|then| now - then >= MEASURE) {
            self.measured = Some(now);
            let (anon, shared) = stats::resident();
            peer.count(Counter::RssAnon, anon);
            peer.count(Counter::RssShared, shared);
        }
    }
}

/// Shakes hands on a connected socket and serves it to the end. The backend is made on this thread and never leaves it.
///
/// # Errors
/// A handshake that failed; it was told to the client.
pub fn serve(socket: OwnedFd, terms: &Terms, scope: Scope, make: &mut Make) -> Result<Ended> {
    let (link, (backend, gate, file)) = ServerLink::accept(socket, &terms.link, |hello| {
        let wish = hello.want("FORERUN_TEST_GATES");
        let gate = terms.gates.as_deref().map(|gates| gate::find(gates, wish)).transpose()?;
        let file = terms.record.as_deref().map(Recorder::create).transpose()?;
        let mut backend = guard_make(|| make(hello))?;
        Ok((backend.caps(), (backend, gate.flatten(), file)))
    })?;
    let mut peer: Box<dyn Peer> = Box::new(LinkPeer::new(link));
    if let Some(gate) = gate {
        peer = Box::new(Gated::new(peer, &gate)?);
    }
    if let Some(file) = file {
        peer = Box::new(Recorder::new(peer, file));
    }
    Ok(Session::with_peer(peer, backend, scope).limited(terms.quotas).run())
}

/// Serves a link of this process on a thread of its own, with the backend made on that thread.
///
/// # Errors
/// What `make` answers, or that no thread could be started.
pub fn start_thread(
    link: ServerLink,
    make: impl FnOnce() -> Result<Box<dyn Backend>> + Send + 'static,
) -> Result<(Caps, std::thread::JoinHandle<Ended>)>
where
    ServerLink: Send,
{
    let (send, receive) = std::sync::mpsc::sync_channel(1);
    let thread = std::thread::Builder::new().name("forerun-server".into()).spawn(move || {
        let started = guard_make(make);
        let (answer, backend) = match started {
            Ok(mut backend) => (Ok(backend.caps()), Some(backend)),
            Err(fault) => (Err(fault), None),
        };
        let heard = send.send(answer).is_ok();
        match backend.filter(|_| heard) {
            Some(backend) => Session::new(link, backend, Scope::Thread).run(),
            None => Ended { fault: None, counts: Counts::default(), freed: 0, driver_calls: 0 },
        }
    });
    let thread =
        thread.map_err(|error| Fault::System { what: "server thread", why: error.to_string() })?;
    let lost = |_| Fault::System { what: "server thread", why: "it ended early".into() };
    let caps = receive.recv().map_err(lost)??;
    Ok((caps, thread))
}

/// A driver's start that panics is a driver that cannot be used.
fn guard_make(make: impl FnOnce() -> Result<Box<dyn Backend>>) -> Result<Box<dyn Backend>> {
    catch_unwind(AssertUnwindSafe(make))
        .unwrap_or_else(|_| Err(Fault::NoHostDriver { why: "its start panicked".into() }))
}
