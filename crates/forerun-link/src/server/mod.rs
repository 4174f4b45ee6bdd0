//! The server's end of a link.

mod posting;
mod segments;

pub use segments::SharedBytes;

use crate::bell::Want;
use crate::link::{Channel, Core, Door, Side, Spinner};
use crate::memory::Mapping;
use crate::message::{self, Rows, kind};
use crate::options::ServerOptions;
use crate::page::{PAGE, Segments};
use crate::progress::{Counter, Page, Progress};
use crate::ring::{Answers, Consumer, Events, Producer, RecordBuf, Records};
use crate::sync::Ordering;
use forerun_pipe::{Fault, Seq, fault::Result};
use posting::Out;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What [`ServerLink::next`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A record; its body is in the buffer.
    Record {
        /// Row of the catalogue, unchecked.
        op: u16,
        /// Framing bits.
        flags: u16,
        /// Ordinal.
        seq: Seq,
    },
    /// Nothing came within the time: poll the driver.
    Idle,
    /// The client waits for stage space: retire what you can, then go on.
    Pressure,
    /// The client is gone and everything it published has been handed out.
    HangUp,
}

/// The server's end of a link.
pub struct ServerLink {
    core: Arc<Core>,
    ring: Consumer<Records>,
    events: Producer<Events>,
    answers: Producer<Answers>,
    /// What found no room, in order.
    outbox: VecDeque<Out>,
    stage: Arc<Mapping>,
    own: HashMap<u32, Arc<Mapping>>,
    own_bytes: u64,
    own_quota: u64,
    /// Segments to let go of when their record is retired.
    drops: Vec<(Seq, u32)>,
    channel: Channel,
    page: Page,
    rows: Rows,
    seq: Seq,
    flags: u16,
    is_over: bool,
    spinner: Spinner,
    wait: Duration,
    pressure: u32,
    audit: Option<VecDeque<(Seq, usize, usize)>>,
    records: u64,
    record_bytes: u64,
    parks: u64,
}

impl ServerLink {
    pub(crate) fn new(
        core: Arc<Core>,
        segments: &Segments,
        channel: Channel,
        rows: Rows,
        options: &ServerOptions,
    ) -> Result<ServerLink> {
        let control = || segments.control();
        Ok(ServerLink {
            ring: Consumer::new(control()?, segments.command.clone(), PAGE)?,
            events: Producer::new(control()?, segments.event.clone(), 0)?,
            answers: Producer::new(control()?, segments.reply.clone(), 0)?,
            core,
            outbox: VecDeque::new(),
            stage: segments.stage.clone(),
            own: HashMap::new(),
            own_bytes: 0,
            own_quota: options.own_bytes,
            drops: Vec::new(),
            channel,
            page: Page(segments.progress.clone()),
            rows,
            seq: 0,
            flags: 0,
            is_over: false,
            spinner: Spinner::new(options.spin),
            wait: options.wait,
            pressure: 0,
            audit: options.audit.then(VecDeque::new),
            records: 0,
            record_bytes: 0,
            parks: 0,
        })
    }

    /// The next record, waiting at most `timeout` (`None`: until something comes). In monolith it never waits.
    ///
    /// # Errors
    /// [`Fault::RingOverrun`], [`Fault::ProtocolCorruption`].
    pub fn next(&mut self, buf: &mut RecordBuf, timeout: Option<Duration>) -> Result<Next> {
        if !self.outbox.is_empty() {
            self.flush_outbox()?;
        }
        let mut deadline = None;
        loop {
            if let Some(header) = self.ring.pop(buf)? {
                self.seq += 1;
                self.flags = header.flags;
                self.records += 1;
                self.record_bytes += u64::from(header.size);
                if self.records.is_multiple_of(256) {
                    self.write_counters();
                }
                return Ok(Next::Record { op: header.op, flags: header.flags, seq: self.seq });
            }
            if let Some(next) = self.look_around()? {
                return Ok(next);
            }
            let deadline = *deadline.get_or_insert_with(|| timeout.map(|t| Instant::now() + t));
            let left = deadline.map(|d| d.saturating_duration_since(Instant::now()));
            if matches!(self.core.door, Door::Inline) || left == Some(Duration::ZERO) {
                return Ok(Next::Idle);
            }
            self.wait_for_records(left)?;
        }
    }

    /// What there is to do besides records.
    fn look_around(&mut self) -> Result<Option<Next>> {
        self.write_counters();
        if self.pressure_moved() {
            self.pressure = self.core.control.client.pressure.load(Ordering::Acquire);
            return Ok(Some(Next::Pressure));
        }
        if matches!(self.channel, Channel::Notes) {
            // Looked at before the ring's last look below, so that nothing published before the end is missed.
            self.is_over |= self.core.is_closed(Side::Client);
            self.read_channel()?;
            self.let_go(self.core.control.server.retired.load(Ordering::Relaxed));
        }
        Ok((self.is_over && !self.ring.is_waiting()).then_some(Next::HangUp))
    }

    fn pressure_moved(&self) -> bool {
        self.core.control.client.pressure.load(Ordering::Acquire) != self.pressure
    }

    fn wait_for_records(&mut self, left: Option<Duration>) -> Result<()> {
        let (core, ring, pressure) = (&self.core, &self.ring, self.pressure);
        let has_work = || {
            ring.is_waiting()
                || core.control.client.pressure.load(Ordering::Acquire) != pressure
                || core.is_closed(Side::Client)
        };
        let bell = core.bell(Side::Server);
        bell.spinning(true);
        let found = self.spinner.spin(has_work);
        bell.spinning(false);
        if found {
            return Ok(());
        }
        let mut woken = None;
        let fd = self.channel.fd();
        bell.park(has_work, || woken = Some(core.sleep(Side::Server, fd, left)));
        let Some(woken) = woken else { return Ok(()) };
        self.parks += 1;
        if woken.socket { self.read_channel() } else { Ok(()) }
    }

    /// Record `seq` was applied, after all its events and its answer. Parks while events have no room.
    ///
    /// # Errors
    /// [`Fault::RingOverrun`], [`Fault::ProtocolCorruption`].
    pub fn applied(&mut self, seq: Seq) -> Result<()> {
        if !self.outbox.is_empty() {
            self.settle()?;
        }
        // Release: the events and answers of the record come first.
        self.core.control.server.applied.store(seq, Ordering::Release);
        let read = self.ring.view.read;
        self.core.ring_client(|bell| {
            seq >= bell.wanted(Want::Applied) || read >= bell.wanted(Want::Tail)
        });
        Ok(())
    }

    /// No record up to `seq` needs its stage bytes any more.
    pub fn retired(&mut self, seq: Seq) {
        self.clean(seq);
        self.core.control.server.retired.store(seq, Ordering::Release);
        self.core.ring_client(|bell| seq >= bell.wanted(Want::Retired));
    }

    /// [`ServerLink::applied`] and [`ServerLink::retired`] in one: the usual end of a record.
    ///
    /// # Errors
    /// As [`ServerLink::applied`].
    pub fn done(&mut self, seq: Seq) -> Result<()> {
        if !self.outbox.is_empty() {
            self.settle()?;
        }
        self.clean(seq);
        let server = &self.core.control.server;
        server.retired.store(seq, Ordering::Release);
        server.applied.store(seq, Ordering::Release);
        let read = self.ring.view.read;
        self.core.ring_client(|bell| {
            seq >= bell.wanted(Want::Applied)
                || seq >= bell.wanted(Want::Retired)
                || read >= bell.wanted(Want::Tail)
        });
        Ok(())
    }

    /// Before stage bytes go back to the client: audit mode makes late readers visible, segments that the client dropped go.
    fn clean(&mut self, seq: Seq) {
        if let Some(audit) = &mut self.audit {
            while let Some((named, offset, len)) = audit.front().copied()
                && named <= seq
            {
                self.stage.fill(offset, len, 0xDD);
                audit.pop_front();
            }
        }
        self.let_go(seq);
    }

    /// Ordinal of the record handed out last.
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// The pen for the progress page; clones may be used by other threads.
    pub fn progress(&self) -> Progress {
        Progress::new(self.page.clone())
    }

    /// Ends the session by name: the client finds this fault instead of a bare hang-up once this end is dropped.
    pub fn fault(&mut self, fault: &Fault) {
        self.write_counters();
        match &mut self.channel {
            Channel::Notes => {
                *self.core.notes.to_client.lock() = Some(fault.clone());
            }
            Channel::Socket(socket) => {
                let deadline = Instant::now() + self.wait.min(Duration::from_secs(1));
                let body = message::write_fault(fault);
                // A client that is gone needs no reason.
                let _ = socket.send(kind::FAULT, &body, &[], deadline);
            }
        }
    }

    /// Whether the client has that row.
    pub fn available(&self, op: u16) -> bool {
        self.rows.has(op)
    }

    fn write_counters(&self) {
        self.page.write_counter(Counter::Records, self.records);
        self.page.write_counter(Counter::RecordBytes, self.record_bytes);
        self.page.write_counter(Counter::Parks, self.parks);
    }
}

impl Drop for ServerLink {
    fn drop(&mut self) {
        self.write_counters();
        self.core.close(Side::Server);
    }
}
