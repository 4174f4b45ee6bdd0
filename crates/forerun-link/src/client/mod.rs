//! The client's end of a link.

mod connect;
mod credit;
mod staging;
mod waiting;

pub(crate) use connect::BUILD;
pub use credit::CreditWait;
pub use staging::{OwnSegment, StageSlice};

use crate::bell::Want;
use crate::fork;
use crate::link::{Channel, Core, Door, Note, Side, Spinner};
use crate::message::{self, Rows, kind};
use crate::options::LinkOptions;
use crate::page::{PAGE, Segments};
use crate::progress::{Counter, FenceState, Page};
use crate::ring::{Answers, Consumer, Events, NoRoom, Producer, RecordBuf, Records};
use crate::sync::Ordering;
use forerun_pipe::catalogue::{self, ROWS};
use forerun_pipe::codec::INLINE_MAX;
use forerun_pipe::event::Event;
use forerun_pipe::handle::RawHandle;
use forerun_pipe::{Fault, Seq, Sink, Wait, fault::Result};
use staging::Staging;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Records are published after so many unpublished bytes…
const BATCH_BYTES: u64 = 1024;
/// …or so many records…
const BATCH_RECORDS: u32 = 32;
/// …and an open record grows at most to this many bytes.
const OPEN_BYTES: u64 = 4096;

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Status {
    /// The answer is there.
    Ok = 1,
    /// There is none, and that is a value: go on.
    Declined = 2,
    /// The operation failed.
    Error = 3,
}

impl Status {
    fn from_u16(value: u16) -> Option<Status> {
        [Status::Ok, Status::Declined, Status::Error].into_iter().find(|s| *s as u16 == value)
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// How it ended.
    pub status: Status,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Counters of the client's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStats {
    /// Records sent.
    pub records: u64,
    /// Bytes of records.
    pub record_bytes: u64,
    /// Bytes that went through the stage and own segments.
    pub stage_bytes: u64,
    /// Waits for an answer.
    pub reply_waits: u64,
    /// Waits for `applied`.
    pub applied_waits: u64,
    /// Presents that had to wait for credit.
    pub credit_waits: u64,
    /// Records or stage slices that had to wait for room.
    pub space_waits: u64,
    /// Times that the client slept.
    pub parks: u64,
    /// Times that `head` moved.
    pub publishes: u64,
    /// Times that a sleeping server was woken.
    pub wakes: u64,
}

/// How often the client waited after records of one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowWaits {
    /// For an answer.
    pub reply: u64,
    /// For `applied`.
    pub applied: u64,
    /// For present credit.
    pub credit: u64,
}

/// What a monolith's `publish` calls: applies everything that was published.
pub type Pump = Box<dyn FnMut() -> Result<()> + Send>;

/// What to do after a record of a row.
#[derive(Clone, Copy)]
struct After {
    /// It names the open pieces of the stage.
    binds: bool,
    /// It is published at once.
    publishes: bool,
}

static AFTER: [After; 256] = {
    let mut table = [After { binds: true, publishes: false }; 256];
    let mut i = 0;
    while i < ROWS.len() {
        let row = &ROWS[i];
        if (row.op as usize) < table.len() {
            table[row.op as usize] = After {
                binds: row.flags & catalogue::BLOB != 0,
                publishes: matches!(row.wait, Wait::Present),
            };
        }
        i += 1;
    }
    table
};

/// The client's end of a link. One thread at a time.
pub struct ClientLink {
    ring: Producer<Records>,
    seq: Seq,
    /// Records written and not published.
    pending: u32,
    /// Records are dropped: the session was lost, or this is a forked child.
    is_dead: bool,
    fork: u32,
    core: Arc<Core>,
    stats: LinkStats,
    /// The waits by row. A wait for an earlier record than the last one counts for row 0.
    waits: BTreeMap<u16, RowWaits>,
    staging: Staging,
    answers: Consumer<Answers>,
    events: Consumer<Events>,
    buf: RecordBuf,
    stash: HashMap<Seq, Reply>,
    queue: VecDeque<Event>,
    page: Page,
    channel: Channel,
    lost: Option<Fault>,
    /// The peer hung up; what it had sent may still wait to be read.
    is_over: bool,
    last_word: Option<Fault>,
    last_look: Instant,
    spinner: Spinner,
    wait: Duration,
    rows: Rows,
    server_pid: u32,
    pump: Option<Pump>,
}

impl ClientLink {
    fn new(
        core: Arc<Core>,
        segments: &Segments,
        channel: Channel,
        rows: Rows,
        server_pid: u32,
        options: &LinkOptions,
    ) -> Result<ClientLink> {
        fork::watch();
        let control = || segments.control();
        let mut link = ClientLink {
            ring: Producer::new(control()?, segments.command.clone(), PAGE)?,
            answers: Consumer::new(control()?, segments.reply.clone(), 0)?,
            events: Consumer::new(control()?, segments.event.clone(), 0)?,
            staging: Staging::new(segments.stage.clone()),
            page: Page(segments.progress.clone()),
            seq: 0,
            pending: 0,
            is_dead: false,
            fork: fork::generation(),
            core,
            stats: LinkStats::default(),
            waits: BTreeMap::new(),
            buf: RecordBuf::default(),
            stash: HashMap::new(),
            queue: VecDeque::new(),
            channel,
            lost: None,
            is_over: false,
            last_word: None,
            last_look: Instant::now(),
            spinner: Spinner::new(options.spin),
            wait: options.wait,
            rows,
            server_pid,
            pump: None,
        };
        // What came together with the handshake's last message, the end of the connection too, wakes nobody again.
        link.read_channel();
        Ok(link)
    }

    /// What a monolith's publish calls. It must not touch this link.
    pub fn set_pump(&mut self, pump: Pump) {
        self.pump = Some(pump);
    }

    /// Whether the server has that row.
    pub fn available(&self, op: u16) -> bool {
        self.rows.has(op)
    }

    /// Ordinal of the last record.
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// The last record, if it is still unpublished (open).
    pub fn last_unpublished(&self) -> Option<Seq> {
        (self.pending > 0).then_some(self.seq)
    }

    /// Grows the last record while it is unpublished: replaces its payload and appends to its last tail (a multiple of 8 bytes).
    /// False when `seq` is not open, or there is no room, or the server has nothing else to do: send a new record then.
    #[inline]
    pub fn extend_last(&mut self, seq: Seq, payload: &[u8], append: &[u8]) -> bool {
        if seq != self.seq || self.pending == 0 || self.is_dead {
            return false;
        }
        if self.core.control.server_bell.is_spinning() {
            return false;
        }
        let grown = self.ring.extend_last(payload, append, OPEN_BYTES);
        if grown {
            self.stats.record_bytes += append.len() as u64;
        }
        grown
    }

    /// The greatest record in bytes, header included: half the ring.
    pub fn max_record(&self) -> usize {
        self.ring.space.max_record() as usize
    }

    /// Content up to this length should ride in the record: 4096, less on a tiny ring.
    pub fn max_inline(&self) -> usize {
        INLINE_MAX.min(self.max_record() / 4)
    }

    /// Content beyond this length should be cut into pieces of at most it: a quarter of the stage.
    pub fn max_chunk(&self) -> usize {
        self.staging.max_chunk()
    }

    /// The longest slice of the stage that can be held, in bytes: see [`ClientLink::hold`].
    pub fn max_held(&self) -> usize {
        self.staging.max_held()
    }

    /// Moves `head` and wakes a sleeping server.
    fn move_head(&mut self) {
        if !self.ring.publish() {
            return;
        }
        self.pending = 0;
        self.stats.publishes += 1;
        if self.pump.is_some() {
            self.run_pump();
            return;
        }
        // A server that sleeps because its events have no room is not helped by records.
        let woke = self.core.ring_server(|bell| bell.wanted(Want::Other) == u64::MAX);
        self.stats.wakes += u64::from(woke);
    }

    fn run_pump(&mut self) {
        let Some(mut pump) = self.pump.take() else { return };
        loop {
            let result = pump();
            self.drain();
            if let Err(fault) = result {
                self.lose(fault);
                break;
            }
            if self.core.control.server.overflow.load(Ordering::Acquire) == 0 {
                break;
            }
        }
        self.pump = Some(pump);
    }

    /// Makes everything recorded visible to the server, and wakes it.
    pub fn publish(&mut self) {
        if self.is_alive() {
            self.move_head();
        }
    }

    /// Publishes if anything is pending: the bell for polls and flushes. True when something was. Also looks, now and then, whether
    /// the peer is still there, so that a program that only polls learns of a loss.
    pub fn flush_bell(&mut self) -> bool {
        if !self.is_alive() {
            return false;
        }
        let pending = self.pending > 0;
        self.move_head();
        if !pending {
            // A server on this thread looks at its driver only when it is let.
            self.run_pump();
        }
        self.look_for_hangup(Duration::from_millis(1));
        pending
    }

    /// Whether records still go anywhere. In a forked child they do not.
    #[inline]
    fn is_alive(&mut self) -> bool {
        if fork::generation() != self.fork && !self.is_dead {
            self.lose(Fault::PeerLost);
        }
        !self.is_dead
    }

    /// Why the session ended, if it did.
    pub fn lost(&self) -> Option<&Fault> {
        self.lost.as_ref()
    }

    /// Ends the session from this side.
    pub fn lose(&mut self, fault: Fault) {
        if self.lost.is_none() {
            log::error!("the session ended by {}: {fault}", fault.name());
            self.tell(&fault);
            self.lost = Some(fault);
        }
        self.is_dead = true;
        self.pending = 0;
    }

    /// Tells the server why this end ends the session, so that both logs name it. A peer that is gone, or that belongs to the parent of
    /// this process, is told nothing.
    fn tell(&mut self, fault: &Fault) {
        if self.is_over || *fault == Fault::PeerLost || fork::generation() != self.fork {
            return;
        }
        match &mut self.channel {
            Channel::Notes => {
                self.core.notes.to_server.lock().push(Note::Fault(fault.clone()));
                // A server that has looked at the notes already looks again when this moved.
                self.core.control.client.pressure.fetch_add(1, Ordering::Release);
                self.core.ring_server(|_| true);
            }
            Channel::Socket(socket) => {
                // A server that does not read is not waited for.
                let deadline = Instant::now() + Duration::from_millis(100);
                let _ = socket.send(kind::FAULT, &message::write_fault(fault), &[], deadline);
            }
        }
    }

    /// Counters of this end.
    pub fn stats(&self) -> &LinkStats {
        &self.stats
    }

    /// How often the client waited, by the row of the record that it waited for.
    pub fn waits(&self) -> &BTreeMap<u16, RowWaits> {
        &self.waits
    }

    /// Answers that have come and that nobody has read.
    pub fn unread(&self) -> usize {
        self.stash.len()
    }

    /// The row of the last record; 0 for others, and when the session is lost.
    pub fn row_of(&self, seq: Seq) -> u16 {
        let op = if seq == self.seq && !self.is_dead { self.ring.last_op() } else { None };
        op.unwrap_or(0)
    }

    /// Counts a wait for a record by its row. A lost session writes no records, and waits for none.
    fn count_wait(&mut self, row: u16, count: impl FnOnce(&mut RowWaits)) {
        if !self.is_dead {
            count(self.waits.entry(row).or_default());
        }
    }

    /// The server's process; our own for in-process links.
    pub fn server_pid(&self) -> u32 {
        self.server_pid
    }

    /// Ordinal up to which records were applied.
    pub fn applied(&self) -> Seq {
        self.core.control.server.applied.load(Ordering::Acquire)
    }

    /// Ordinal up to which stage bytes are free again.
    pub fn retired(&self) -> Seq {
        self.core.control.server.retired.load(Ordering::Acquire)
    }

    /// Serial of the surface's last presented frame.
    pub fn presented(&self, surface: RawHandle) -> u64 {
        self.page.read_presented(surface)
    }

    /// The surface's size as the server knows it.
    pub fn surface_size(&self, surface: RawHandle) -> Option<(u32, u32)> {
        self.page.read_surface_size(surface)
    }

    /// How the fence that record `seq` created ended, if it did. After loss every fence is signaled.
    pub fn fence(&self, fence: RawHandle, seq: Seq) -> Option<FenceState> {
        if self.is_dead { Some(FenceState::Signaled) } else { self.page.read_fence(fence, seq) }
    }

    /// The result of the use of a query that record `seq` ended (QueryEnd or QueryCounter), if it is there. After loss every
    /// query is available with result 0.
    pub fn query(&self, query: RawHandle, seq: Seq) -> Option<u64> {
        if self.is_dead { Some(0) } else { self.page.read_query(query, seq) }
    }

    /// A counter of the server.
    pub fn server_counter(&self, counter: Counter) -> u64 {
        self.page.read_counter(counter)
    }

    #[cold]
    fn make_room(&mut self, why: NoRoom) -> bool {
        let until = match why {
            NoRoom::Never => {
                self.lose(Fault::RingOverrun { what: "record over half the ring" });
                return false;
            }
            NoRoom::Lies => {
                self.lose(Fault::RingOverrun { what: "tail" });
                return false;
            }
            NoRoom::Until(tail) => tail,
        };
        self.stats.space_waits += 1;
        // A quarter of the ring, if it comes soon: fewer wakes. Never more than was written.
        let space = &self.ring.space;
        let better = space.write.min(until + space.capacity / 4).max(until);
        self.wait_for_room(until, better).is_ok()
    }
}

impl Sink for ClientLink {
    fn record(&mut self, op: u16, flags: u16, parts: [&[u8]; 4]) -> Seq {
        self.seq += 1;
        if fork::generation() != self.fork || self.is_dead {
            self.is_alive();
            return self.seq;
        }
        // What stands before this record is complete; the record itself stays open, so that a draw can grow.
        if self.pending > 0
            && (self.pending >= BATCH_RECORDS
                || self.ring.pending() >= BATCH_BYTES
                || self.core.control.server_bell.is_spinning())
        {
            self.move_head();
        }
        let size = loop {
            match self.ring.push(op, flags, parts) {
                Ok(size) => break size,
                Err(why) if !self.make_room(why) => return self.seq,
                Err(_) => {}
            }
        };
        self.pending += 1;
        self.stats.records += 1;
        self.stats.record_bytes += size as u64;
        let after = AFTER[usize::from(op) & 255];
        if after.binds && self.staging.has_open() {
            self.bind_stage();
        }
        if after.publishes {
            self.move_head();
        }
        self.seq
    }
}

impl Drop for ClientLink {
    fn drop(&mut self) {
        // A forked child must not speak for its parent.
        if fork::generation() == self.fork {
            self.publish();
            self.core.close(Side::Client);
        }
    }
}

impl ClientLink {
    fn is_inline(&self) -> bool {
        matches!(self.core.door, Door::Inline)
    }
}
