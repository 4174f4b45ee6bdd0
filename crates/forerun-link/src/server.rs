//! The server's end of a link.

use crate::bell::Want;
use crate::client::Status;
use crate::link::{Channel, Core, Door, Note, Side, Spinner};
use crate::memory::{Mapping, verify};
use crate::message::{self, Rows, kind};
use crate::options::ServerOptions;
use crate::page::{PAGE, Segments};
use crate::progress::{Counter, Page, Progress};
use crate::ring::{Answers, Consumer, Events, NoRoom, Producer, RecordBuf, Records};
use crate::sync::Ordering;
use crate::wire::{Frame, Parser};
use forerun_pipe::codec::{BlobRef, framing};
use forerun_pipe::event::Event;
use forerun_pipe::{Fault, Seq, fault::Result};
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

/// A bounds-checked range of shared memory. The client may write to it at any time: copy out what steers control flow.
#[derive(Clone, Debug)]
pub struct SharedBytes {
    memory: Arc<Mapping>,
    offset: usize,
    len: usize,
}

impl SharedBytes {
    /// Bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the bytes are, for a driver that copies them at once. Valid while this value lives.
    pub fn as_ptr(&self) -> *const u8 {
        self.as_mut_ptr()
    }

    /// Where the bytes are, for a driver that writes them at once. Valid while this value lives.
    pub fn as_mut_ptr(&self) -> *mut u8 {
        self.memory.at(self.offset, self.len).map_or(std::ptr::null_mut(), |at| at.as_ptr())
    }

    /// A private copy.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = vec![0; self.len];
        self.memory.read(self.offset, &mut out);
        out
    }

    /// Copies from `offset` on into `out`; false when the range is not inside.
    pub fn copy_to(&self, offset: usize, out: &mut [u8]) -> bool {
        self.has(offset, out.len()) && self.memory.read(self.offset + offset, out)
    }

    /// Writes at `offset` (readback destinations); false when the range is not inside.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> bool {
        self.has(offset, bytes.len()) && self.memory.write(self.offset + offset, bytes)
    }

    /// A part of it; `None` when the range is not inside.
    pub fn slice(&self, offset: usize, len: usize) -> Option<SharedBytes> {
        self.has(offset, len).then(|| SharedBytes {
            memory: self.memory.clone(),
            offset: self.offset + offset,
            len,
        })
    }

    fn has(&self, offset: usize, len: usize) -> bool {
        offset.checked_add(len).is_some_and(|end| end <= self.len)
    }
}

enum Out {
    Event(Event),
    Answer(Seq, Status, Vec<u8>),
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

    /// Takes control messages in.
    fn read_channel(&mut self) -> Result<()> {
        match &mut self.channel {
            Channel::Notes => {
                let notes = std::mem::take(&mut *self.core.notes.to_server.lock());
                for note in notes {
                    match note {
                        Note::Segment(number, memory) => self.add_segment(number, memory)?,
                        Note::Drop(number, after) => self.drops.push((after, number)),
                    }
                }
            }
            Channel::Socket(socket) => {
                socket.fill()?;
                let mut frames = Vec::new();
                while let Some(frame) = socket.take()? {
                    frames.push(frame);
                }
                self.is_over |= socket.is_over;
                for frame in frames {
                    self.take_frame(frame)?;
                }
            }
        }
        Ok(())
    }

    fn take_frame(&mut self, frame: Frame) -> Result<()> {
        let mut parser = Parser(&frame.body);
        match frame.kind {
            kind::SEGMENT => {
                let (number, len) = (parser.u32()?, parser.u64()?);
                parser.finish()?;
                let [fd] = frame.fds.as_slice() else {
                    return Err(Fault::ProtocolCorruption { what: "Segment.fds" });
                };
                let len = usize::try_from(len)
                    .map_err(|_| Fault::SegmentMismatch { what: "Segment.size" })?;
                if len as u64 > self.own_quota.saturating_sub(self.own_bytes) {
                    return Err(Fault::QuotaExceeded { what: "own segments" });
                }
                verify(fd, len)?;
                let memory = Arc::new(Mapping::of_fd(std::os::fd::AsFd::as_fd(fd), len)?);
                self.add_segment(number, memory)
            }
            kind::DROP_SEGMENT => {
                let (number, after) = (parser.u32()?, parser.u64()?);
                parser.finish()?;
                self.drops.push((after, number));
                self.let_go(self.core.control.server.retired.load(Ordering::Relaxed));
                Ok(())
            }
            _ => Err(Fault::ProtocolCorruption { what: "Frame.kind" }),
        }
    }

    fn add_segment(&mut self, number: u32, memory: Arc<Mapping>) -> Result<()> {
        if number < BlobRef::FIRST_OWN || number == BlobRef::INLINE {
            return Err(Fault::SegmentMismatch { what: "Segment.number" });
        }
        let len = memory.len() as u64;
        if len > self.own_quota.saturating_sub(self.own_bytes) {
            return Err(Fault::QuotaExceeded { what: "own segments" });
        }
        if self.own.insert(number, memory).is_some() {
            return Err(Fault::SegmentMismatch { what: "Segment.number" });
        }
        self.own_bytes += len;
        Ok(())
    }

    fn let_go(&mut self, retired: Seq) {
        if self.drops.is_empty() {
            return;
        }
        let (own, own_bytes) = (&mut self.own, &mut self.own_bytes);
        self.drops.retain(|(after, number)| {
            let keep = *after > retired;
            if !keep && let Some(memory) = own.remove(number) {
                *own_bytes -= memory.len() as u64;
            }
            keep
        });
    }

    /// The bytes of a reference that the current record owns (not of an inline one: they are the record's last tail).
    ///
    /// # Errors
    /// [`Fault::SegmentMismatch`] when they do not lie inside their segment.
    pub fn blob(&mut self, blob: &BlobRef) -> Result<SharedBytes> {
        let bytes = self.blob_mut(blob)?;
        if blob.segment == BlobRef::STAGE
            && let Some(audit) = &mut self.audit
        {
            audit.push_back((self.seq, bytes.offset, bytes.len));
        }
        Ok(bytes)
    }

    /// The same for a readback's destination, which audit mode leaves alone.
    ///
    /// # Errors
    /// As [`ServerLink::blob`].
    pub fn blob_mut(&mut self, blob: &BlobRef) -> Result<SharedBytes> {
        const WRONG: Fault = Fault::SegmentMismatch { what: "BlobRef.offset" };
        let memory = match blob.segment {
            BlobRef::STAGE => self.stage.clone(),
            number => self.find(number)?,
        };
        let offset = usize::try_from(blob.offset).map_err(|_| WRONG)?;
        let len = usize::try_from(blob.size).map_err(|_| WRONG)?;
        memory.at(offset, len).ok_or(WRONG)?;
        Ok(SharedBytes { memory, offset, len })
    }

    /// A whole own segment, for persistent maps; stays mapped while the value lives.
    ///
    /// # Errors
    /// [`Fault::SegmentMismatch`].
    pub fn segment(&mut self, number: u32) -> Result<SharedBytes> {
        let memory = self.find(number)?;
        let len = memory.len();
        Ok(SharedBytes { memory, offset: 0, len })
    }

    fn find(&mut self, number: u32) -> Result<Arc<Mapping>> {
        // The message that introduces a segment was sent before the record that names it was published.
        if !self.own.contains_key(&number) {
            self.read_channel()?;
        }
        let found = self.own.get(&number).cloned();
        found.ok_or(Fault::SegmentMismatch { what: "BlobRef.segment" })
    }

    /// Answers record `seq`; nothing is posted for a record that wants no answer.
    ///
    /// # Errors
    /// [`Fault::QuotaExceeded`] for an answer over [`ServerLink::max_reply`].
    pub fn reply(&mut self, seq: Seq, status: Status, bytes: &[u8]) -> Result<()> {
        if seq == self.seq && self.flags & framing::NO_ANSWER != 0 {
            return Ok(());
        }
        if bytes.len() > self.max_reply() {
            return Err(Fault::QuotaExceeded { what: "answer" });
        }
        if !self.outbox.is_empty() || !self.push_answer(seq, status, bytes)? {
            self.outbox.push_back(Out::Answer(seq, status, bytes.to_vec()));
        }
        Ok(())
    }

    fn push_answer(&mut self, seq: Seq, status: Status, bytes: &[u8]) -> Result<bool> {
        let head = [seq, bytes.len() as u64];
        let head = zerocopy::IntoBytes::as_bytes(&head);
        match self.answers.push(status as u16, 0, [head, bytes, &[], &[]]) {
            Ok(_) => {
                self.answers.publish();
                self.core.ring_client(|bell| seq >= bell.wanted(Want::Reply));
                Ok(true)
            }
            Err(NoRoom::Lies) => Err(Fault::RingOverrun { what: "reply_tail" }),
            Err(_) => Ok(false),
        }
    }

    /// The longest answer in bytes.
    pub fn max_reply(&self) -> usize {
        self.answers.space.max_record() as usize - 24
    }

    /// Posts an event: ordered, lossless. Parks only at the record's boundary ([`ServerLink::applied`]).
    pub fn post(&mut self, event: Event) {
        if !self.outbox.is_empty() || !matches!(self.push_event(&event), Ok(true)) {
            self.outbox.push_back(Out::Event(event));
        }
    }

    fn push_event(&mut self, event: &Event) -> Result<bool> {
        let (op, bytes) = event.encode();
        match self.events.push(op, 0, [&bytes, &[], &[], &[]]) {
            Ok(_) => {
                // No bell: events are read when a wait ends, and the record's `applied` follows them.
                self.events.publish();
                Ok(true)
            }
            Err(NoRoom::Lies) => Err(Fault::RingOverrun { what: "event_tail" }),
            Err(_) => Ok(false),
        }
    }

    /// Sends what found no room, in order, as far as there is room now.
    fn flush_outbox(&mut self) -> Result<()> {
        while let Some(out) = self.outbox.pop_front() {
            let sent = match &out {
                Out::Event(event) => self.push_event(event)?,
                Out::Answer(seq, status, bytes) => self.push_answer(*seq, *status, bytes)?,
            };
            if !sent {
                self.outbox.push_front(out);
                break;
            }
        }
        if matches!(self.core.door, Door::Inline) {
            let more = u32::from(!self.outbox.is_empty());
            self.core.control.server.overflow.store(more, Ordering::Release);
        }
        Ok(())
    }

    /// Parks until everything posted has room. Not in monolith: there the client asks again.
    fn settle(&mut self) -> Result<()> {
        loop {
            self.flush_outbox()?;
            if self.outbox.is_empty() || matches!(self.core.door, Door::Inline) {
                return Ok(());
            }
            if self.is_over || self.core.is_closed(Side::Client) {
                // Nobody will read it. What was published before the end is applied all the same.
                self.outbox.clear();
                return Ok(());
            }
            // At most one side is parked: whatever the client waits for, it reads first.
            self.core.ring_client(|_| true);
            // Only the ring that what stands first needs: the other one's cursor may have moved long ago.
            let client = &self.core.control.client;
            let (tail, known) = match self.outbox.front() {
                Some(Out::Answer(..)) => (&client.reply_tail, self.answers.space.tail()),
                _ => (&client.event_tail, self.events.space.tail()),
            };
            let has_room = || {
                tail.load(Ordering::Acquire) != known || self.core.is_closed(Side::Client)
            };
            self.write_counters();
            let bell = self.core.bell(Side::Server);
            let (core, fd, mut woken) = (&self.core, self.channel.fd(), None);
            bell.want(Want::Other, 0);
            bell.park(has_room, || woken = Some(core.sleep(Side::Server, fd, None)));
            bell.unwant(Want::Other);
            self.parks += 1;
            if woken.is_some_and(|woken| woken.socket) {
                self.read_channel()?;
            }
        }
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
        Progress::new(self.page.clone(), self.core.clone())
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
