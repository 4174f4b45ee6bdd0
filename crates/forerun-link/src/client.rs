//! The client's end of a link.

use crate::options::LinkOptions;
use crate::progress::{Counter, FenceState};
use crate::server::ServerLink;
use forerun_pipe::caps::Caps;
use forerun_pipe::codec::BlobRef;
use forerun_pipe::event::Event;
use forerun_pipe::handle::RawHandle;
use forerun_pipe::{Fault, Seq, Sink};
use std::time::Duration;

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

/// A piece of shared memory that the next record with a blob names. The pointer stays valid while this value lives, but the
/// bytes belong to the server once the record that names them is published, and to somebody else once that retired.
pub struct StageSlice {
    blob: BlobRef,
}

impl StageSlice {
    /// What the record names.
    pub fn blob(&self) -> BlobRef {
        self.blob
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.blob.size as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.blob.size == 0
    }

    /// Where the bytes are.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        core::ptr::null_mut()
    }

    /// Copies `bytes` to `offset`; what does not fit is cut off.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) {
        let _ = (offset, bytes);
    }

    /// Copies from `offset` on into `out` (after a readback); what lies outside is left alone.
    pub fn read(&self, offset: usize, out: &mut [u8]) {
        let _ = (offset, out);
    }
}

/// A segment of one transfer or one persistent map.
pub struct OwnSegment {
    number: u32,
    len: usize,
}

impl OwnSegment {
    /// Its number, from [`BlobRef::FIRST_OWN`].
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the bytes are, while this value lives.
    pub fn as_mut_ptr(&self) -> *mut u8 {
        core::ptr::null_mut()
    }

    /// A range of it, as a record names it.
    pub fn blob(&self, offset: usize, size: usize) -> BlobRef {
        BlobRef { offset: offset as u64, size: size as u64, segment: self.number, pad: 0 }
    }
}

/// What a monolith's `publish` calls: applies everything that was published.
pub type Pump = Box<dyn FnMut() -> Result<(), Fault> + Send>;

/// The client's end of a link. One thread at a time.
pub struct ClientLink {
    stats: LinkStats,
    lost: Option<Fault>,
    seq: Seq,
}

impl ClientLink {
    /// Starts a server of our own or dials a running one, and shakes hands.
    ///
    /// # Errors
    /// [`Fault::ServerUnavailable`], [`Fault::Refused`], [`Fault::AbiMismatch`], [`Fault::NoHostDriver`], …
    pub fn connect(options: &LinkOptions) -> Result<(ClientLink, Caps), Fault> {
        let _ = options;
        Err(Fault::ServerUnavailable { why: "no link".into() })
    }

    /// Both ends in one process: the caller runs the server's end on a thread of its own.
    ///
    /// # Errors
    /// [`Fault::System`] when memory cannot be mapped.
    pub fn inproc(options: &LinkOptions) -> Result<(ClientLink, ServerLink), Fault> {
        let _ = options;
        Err(Fault::ServerUnavailable { why: "no link".into() })
    }

    /// Both ends on one thread: give [`ClientLink::set_pump`] what applies everything published ([`ServerLink::next`] until idle).
    ///
    /// # Errors
    /// [`Fault::System`] when memory cannot be mapped.
    pub fn monolith(options: &LinkOptions) -> Result<(ClientLink, ServerLink), Fault> {
        Self::inproc(options)
    }

    /// What a monolith's publish calls. It must not touch this link.
    pub fn set_pump(&mut self, pump: Pump) {
        let _ = pump;
    }

    /// Whether the server has that row.
    pub fn available(&self, op: u16) -> bool {
        let _ = op;
        true
    }

    /// Ordinal of the last record.
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// The last record, if it is still unpublished (open).
    pub fn last_unpublished(&self) -> Option<Seq> {
        None
    }

    /// Grows the last record while it is unpublished: replaces its payload and appends to its last tail (a multiple of 8 bytes).
    /// False when `seq` is not open or there is no room: send a new record then.
    pub fn extend_last(&mut self, seq: Seq, payload: &[u8], append: &[u8]) -> bool {
        let _ = (seq, payload, append);
        false
    }

    /// The greatest record in bytes, header included: half the ring.
    pub fn max_record(&self) -> usize {
        0
    }

    /// Content up to this length should ride in the record: 4096, less on a tiny ring.
    pub fn max_inline(&self) -> usize {
        0
    }

    /// Content beyond this length should be cut into pieces of at most it: a quarter of the stage.
    pub fn max_chunk(&self) -> usize {
        0
    }

    /// Room for `len` bytes that the next record with a blob names (the next record whose row is flagged has-blob retires it).
    /// Waits for room. More than [`ClientLink::max_chunk`] gets a segment of its own.
    ///
    /// # Errors
    /// The fault that ended the session, or [`Fault::System`] when there is no memory.
    pub fn stage(&mut self, len: usize) -> Result<StageSlice, Fault> {
        let _ = len;
        Err(Fault::PeerLost)
    }

    /// Copies bytes to the stage.
    ///
    /// # Errors
    /// As [`ClientLink::stage`].
    pub fn put(&mut self, bytes: &[u8]) -> Result<BlobRef, Fault> {
        let mut slice = self.stage(bytes.len())?;
        slice.write(0, bytes);
        Ok(slice.blob())
    }

    /// Content as a record carries it: inline when small, else on the stage. The second value is the inline tail.
    ///
    /// # Errors
    /// As [`ClientLink::stage`].
    pub fn content<'a>(&mut self, bytes: &'a [u8]) -> Result<(BlobRef, &'a [u8]), Fault> {
        if bytes.len() <= self.max_inline() {
            return Ok((BlobRef::inline(bytes.len()), bytes));
        }
        Ok((self.put(bytes)?, &[]))
    }

    /// Like [`ClientLink::stage`], but the slice outlives other records: it stays ours until [`ClientLink::release`] (write maps).
    ///
    /// # Errors
    /// As [`ClientLink::stage`].
    pub fn hold(&mut self, len: usize) -> Result<StageSlice, Fault> {
        let _ = len;
        Err(Fault::PeerLost)
    }

    /// The next record with a blob names the held slice (or nothing does, and it is free).
    pub fn release(&mut self, slice: &StageSlice) {
        let _ = slice;
    }

    /// A segment for a persistent map, known to the server before any later record.
    ///
    /// # Errors
    /// As [`ClientLink::stage`].
    pub fn create_segment(&mut self, len: usize) -> Result<OwnSegment, Fault> {
        let _ = len;
        Err(Fault::PeerLost)
    }

    /// The server lets go of the segment after everything recorded so far.
    pub fn drop_segment(&mut self, segment: OwnSegment) {
        let _ = segment;
    }

    /// Makes everything recorded visible to the server, and wakes it.
    pub fn publish(&mut self) {}

    /// Publishes if anything is pending: the bell for polls, flushes and stage pressure. True when something was.
    pub fn flush_bell(&mut self) -> bool {
        false
    }

    /// Publishes and waits until record `seq` was applied.
    ///
    /// # Errors
    /// The fault that ended the session.
    pub fn wait_applied(&mut self, seq: Seq) -> Result<(), Fault> {
        let _ = seq;
        Err(Fault::PeerLost)
    }

    /// Publishes and waits for the answer of record `seq`.
    ///
    /// # Errors
    /// The fault that ended the session.
    pub fn wait_reply(&mut self, seq: Seq) -> Result<Reply, Fault> {
        self.wait_reply_for(seq, Duration::ZERO)
    }

    /// The same with `extra` on top of the bound, for rows that block on purpose (FenceWait).
    ///
    /// # Errors
    /// The fault that ended the session.
    pub fn wait_reply_for(&mut self, seq: Seq, extra: Duration) -> Result<Reply, Fault> {
        let _ = (seq, extra);
        Err(Fault::PeerLost)
    }

    /// The events that have come, in order. Also looks whether the peer is still there.
    pub fn drain_events(&mut self) -> Vec<Event> {
        Vec::new()
    }

    /// Why the session ended, if it did.
    pub fn lost(&self) -> Option<&Fault> {
        self.lost.as_ref()
    }

    /// Ends the session from this side.
    pub fn lose(&mut self, fault: Fault) {
        self.lost.get_or_insert(fault);
    }

    /// Counters of this end.
    pub fn stats(&self) -> &LinkStats {
        &self.stats
    }

    /// The server's process; our own for in-process links.
    pub fn server_pid(&self) -> u32 {
        std::process::id()
    }

    /// Ordinal up to which records were applied.
    pub fn applied(&self) -> Seq {
        0
    }

    /// Ordinal up to which stage bytes are free again.
    pub fn retired(&self) -> Seq {
        0
    }

    /// Serial of the surface's last presented frame.
    pub fn presented(&self, surface: RawHandle) -> u64 {
        let _ = surface;
        0
    }

    /// The surface's size as the server knows it.
    pub fn surface_size(&self, surface: RawHandle) -> Option<(u32, u32)> {
        let _ = surface;
        None
    }

    /// How the fence that record `seq` created ended, if it did. After loss every fence is signaled.
    pub fn fence(&self, fence: RawHandle, seq: Seq) -> Option<FenceState> {
        let _ = (fence, seq);
        None
    }

    /// The result of the use of a query that record `seq` ended (QueryEnd or QueryCounter), if it is there. After loss every
    /// query is available with result 0.
    pub fn query(&self, query: RawHandle, seq: Seq) -> Option<u64> {
        let _ = (query, seq);
        None
    }

    /// A counter of the server.
    pub fn server_counter(&self, counter: Counter) -> u64 {
        let _ = counter;
        0
    }

    /// Waits until frame `serial` may be encoded: until `serial - credit` was presented. Publishes first.
    ///
    /// # Errors
    /// The fault that ended the session.
    pub fn take_present_credit(
        &mut self,
        surface: RawHandle,
        serial: u64,
        credit: u32,
    ) -> Result<(), Fault> {
        let _ = (surface, serial, credit);
        Err(Fault::PeerLost)
    }
}

impl Sink for ClientLink {
    fn record(&mut self, op: u16, flags: u16, parts: [&[u8]; 4]) -> Seq {
        let _ = (op, flags, parts);
        self.seq += 1;
        self.seq
    }
}
