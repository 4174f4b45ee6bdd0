//! Bulk bytes: pieces of the stage, and segments of single transfers and persistent maps.

use super::ClientLink;
use super::waiting::Until;
use crate::link::{Channel, Note};
use crate::memory::{Mapping, create_sealed};
use crate::message::kind;
use crate::stage::{Full, Stage};
use crate::sync::Ordering;
use crate::wire::Writer;
use forerun_pipe::codec::BlobRef;
use forerun_pipe::{Fault, Seq, fault::Result};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// After so many bytes of pieces the allocator looks what came back, so that it stays on warm pages.
const LOOK_BYTES: u64 = 256 << 10;

/// A transfer's segment of more bytes is not kept for the next one.
const MAX_SPARE: usize = 32 << 20;

/// A piece of shared memory that the next record with a blob names. The pointer stays valid while this value lives, but the
/// bytes belong to the server once the record that names them is published, and to somebody else once that retired.
#[derive(Clone, Debug)]
pub struct StageSlice {
    memory: Arc<Mapping>,
    blob: BlobRef,
}

impl StageSlice {
    /// What the record names.
    pub fn blob(&self) -> BlobRef {
        self.blob
    }

    /// A range of it, as a record names it.
    pub fn part(&self, offset: usize, size: usize) -> BlobRef {
        BlobRef { offset: self.blob.offset + offset as u64, size: size as u64, ..self.blob }
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
        let at = self.memory.at(self.blob.offset as usize, self.len());
        at.map_or(std::ptr::null_mut(), |at| at.as_ptr())
    }

    /// Copies `bytes` to `offset`; what does not fit is cut off.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) {
        let room = self.len().saturating_sub(offset).min(bytes.len());
        if let Some(bytes) = bytes.get(..room) {
            self.memory.write(self.blob.offset as usize + offset, bytes);
        }
    }

    /// Copies from `offset` on into `out` (after a readback); what lies outside is left alone.
    pub fn read(&self, offset: usize, out: &mut [u8]) {
        let room = self.len().saturating_sub(offset).min(out.len());
        if let Some(out) = out.get_mut(..room) {
            self.memory.read(self.blob.offset as usize + offset, out);
        }
    }
}

/// A segment of one transfer or one persistent map.
#[derive(Debug)]
pub struct OwnSegment {
    number: u32,
    memory: Arc<Mapping>,
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
        self.memory.start().as_ptr()
    }

    /// A range of it, as a record names it.
    pub fn blob(&self, offset: usize, size: usize) -> BlobRef {
        BlobRef { offset: offset as u64, size: size as u64, segment: self.number, pad: 0 }
    }
}

/// The client's side of bulk memory.
pub(super) struct Staging {
    memory: Arc<Mapping>,
    /// Pieces that the next record names: the first three quarters of the memory.
    stage: Stage,
    /// Pieces that outlive other records: the last quarter. One that is never released stops the linear allocator behind it,
    /// and must not stop that of the others.
    held: Stage,
    /// Bytes handed out since the last look at what came back.
    fresh: u64,
    /// Segments of single transfers that wait for the record that names them.
    open: Vec<OwnSegment>,
    /// The segment of the last transfer, and the record that named it: fresh memory costs more than what is copied into it.
    spare: Option<(OwnSegment, Seq)>,
    next: u32,
}

impl Staging {
    pub(super) fn new(memory: Arc<Mapping>) -> Staging {
        let quarter = memory.len() as u64 / 4;
        Staging {
            memory,
            stage: Stage::new(quarter * 3, quarter),
            held: Stage::new(quarter, quarter / 4),
            fresh: 0,
            open: Vec::new(),
            spare: None,
            next: BlobRef::FIRST_OWN,
        }
    }

    pub(super) fn max_chunk(&self) -> usize {
        self.stage.max_piece() as usize
    }

    pub(super) fn max_held(&self) -> usize {
        self.held.max_piece() as usize
    }

    #[inline]
    pub(super) fn has_open(&self) -> bool {
        self.stage.has_open() || self.held.has_open() || !self.open.is_empty()
    }
}

impl ClientLink {
    /// The record sent last names all open pieces.
    pub(super) fn bind_stage(&mut self) {
        self.staging.stage.bind(self.seq);
        self.staging.held.bind(self.seq);
        for segment in std::mem::take(&mut self.staging.open) {
            let old = match segment.len {
                0..=MAX_SPARE => self.staging.spare.replace((segment, self.seq)).map(|old| old.0),
                _ => Some(segment),
            };
            if let Some(old) = old {
                self.let_go(old.number, self.seq);
            }
        }
    }

    /// Room for `len` bytes that the next record with a blob names (the next record whose row is flagged has-blob retires it).
    /// Waits for room. More than [`ClientLink::max_chunk`] gets a segment of its own. A readback's bytes must be read before the
    /// next piece is asked for.
    ///
    /// # Errors
    /// The fault that ended the session, or [`Fault::System`] when there is no memory.
    pub fn stage(&mut self, len: usize) -> Result<StageSlice> {
        match self.place(len, false)? {
            Some(blob) => Ok(StageSlice { memory: self.staging.memory.clone(), blob }),
            None => {
                let segment = self.transfer_segment(len)?;
                let slice =
                    StageSlice { memory: segment.memory.clone(), blob: segment.blob(0, len) };
                self.staging.open.push(segment);
                Ok(slice)
            }
        }
    }

    /// A segment of at least `len` bytes that nobody reads or writes.
    fn transfer_segment(&mut self, len: usize) -> Result<OwnSegment> {
        let retired = self.retired();
        match self.staging.spare.take() {
            Some((spare, named)) if named <= retired && spare.len >= len => {
                self.stats.stage_bytes += len as u64;
                return Ok(spare);
            }
            Some((spare, _)) => self.let_go(spare.number, self.seq),
            None => {}
        }
        self.create_segment(len)
    }

    /// Copies bytes to the stage.
    ///
    /// # Errors
    /// As [`ClientLink::stage`].
    pub fn put(&mut self, bytes: &[u8]) -> Result<BlobRef> {
        if let Some(blob) = self.place(bytes.len(), false)? {
            self.staging.memory.write(blob.offset as usize, bytes);
            return Ok(blob);
        }
        let mut slice = self.stage(bytes.len())?;
        slice.write(0, bytes);
        Ok(slice.blob())
    }

    /// Content as a record carries it: inline when small, else on the stage. The second value is the inline tail.
    ///
    /// # Errors
    /// As [`ClientLink::stage`].
    pub fn content<'a>(&mut self, bytes: &'a [u8]) -> Result<(BlobRef, &'a [u8])> {
        if bytes.len() <= self.max_inline() {
            return Ok((BlobRef::inline(bytes.len()), bytes));
        }
        Ok((self.put(bytes)?, &[]))
    }

    /// Like [`ClientLink::stage`], but the slice outlives other records: it stays ours until [`ClientLink::release`] (write maps).
    /// Never waits: `None` when it is too long (over a sixteenth of the stage), or when what was held before is still in use.
    ///
    /// # Errors
    /// The fault that ended the session.
    pub fn hold(&mut self, len: usize) -> Result<Option<StageSlice>> {
        let blob = self.place(len, true)?;
        Ok(blob.map(|blob| StageSlice { memory: self.staging.memory.clone(), blob }))
    }

    /// The next record with a blob names the held slice, or the last one did, or none does: it is free after the next one.
    pub fn release(&mut self, slice: &StageSlice) {
        let first = self.staging.stage.capacity();
        if let Some(offset) = slice.blob.offset.checked_sub(first) {
            self.staging.held.release(offset);
        }
    }

    /// A piece of the stage; `None` when other memory is needed instead.
    fn place(&mut self, len: usize, held: bool) -> Result<Option<BlobRef>> {
        if !self.is_alive() {
            return Err(self.lost().cloned().unwrap_or(Fault::PeerLost));
        }
        let size = len as u64;
        if self.staging.fresh >= LOOK_BYTES {
            self.reclaim();
        }
        let mut looked = false;
        loop {
            let Staging { stage, held: apart, .. } = &mut self.staging;
            let (part, first) = if held { (apart, stage.capacity()) } else { (stage, 0) };
            match part.alloc(size, held) {
                Ok(offset) => {
                    let offset = first + offset;
                    self.staging.fresh += size;
                    self.stats.stage_bytes += size;
                    return Ok(Some(BlobRef { offset, size, segment: BlobRef::STAGE, pad: 0 }));
                }
                Err(Full::Stuck) if looked || size > part.max_piece() => return Ok(None),
                Err(_) if !looked => {
                    looked = true;
                    self.reclaim();
                }
                Err(Full::Stuck) => return Ok(None),
                Err(Full::Until(_)) if held => return Ok(None),
                Err(Full::Until(seq)) => self.wait_for_stage(seq)?,
            }
        }
    }

    fn reclaim(&mut self) {
        self.staging.fresh = 0;
        let retired = self.retired();
        self.staging.stage.reclaim(retired);
        self.staging.held.reclaim(retired);
    }

    fn wait_for_stage(&mut self, seq: Seq) -> Result<()> {
        self.stats.space_waits += 1;
        if self.retired() < seq {
            self.publish();
            // A server that keeps uploads pending gives their bytes back when it sees this.
            self.core.control.client.pressure.fetch_add(1, Ordering::Release);
            self.core.ring_server(|_| true);
            self.wait_for(Until::Retired(seq), Duration::ZERO)?;
        }
        self.reclaim();
        Ok(())
    }

    /// A segment for a persistent map, known to the server before any later record.
    ///
    /// # Errors
    /// As [`ClientLink::stage`].
    pub fn create_segment(&mut self, len: usize) -> Result<OwnSegment> {
        if !self.is_alive() {
            return Err(self.lost().cloned().unwrap_or(Fault::PeerLost));
        }
        let (number, size) = (self.staging.next, len.max(1));
        let memory = match &mut self.channel {
            Channel::Notes => {
                let memory = Arc::new(Mapping::anonymous(size)?);
                let note = Note::Segment(number, memory.clone());
                self.core.notes.to_server.lock().push(note);
                memory
            }
            Channel::Socket(socket) => {
                let fd = create_sealed("forerun-own", size)?;
                let memory = Arc::new(Mapping::of_fd(fd.as_fd(), size)?);
                let body = Writer::default().u32(number).u64(size as u64).0;
                let deadline = Instant::now() + self.wait;
                if let Err(fault) = socket.send(kind::SEGMENT, &body, &[fd.as_fd()], deadline) {
                    self.lose(fault.clone());
                    return Err(fault);
                }
                memory
            }
        };
        self.staging.next += 1;
        self.stats.stage_bytes += len as u64;
        Ok(OwnSegment { number, memory, len })
    }

    /// The server lets go of the segment after everything recorded so far.
    pub fn drop_segment(&mut self, segment: OwnSegment) {
        self.let_go(segment.number, self.seq);
    }

    fn let_go(&mut self, number: u32, after: Seq) {
        if !self.is_alive() {
            return;
        }
        match &mut self.channel {
            Channel::Notes => self.core.notes.to_server.lock().push(Note::Drop(number, after)),
            Channel::Socket(socket) => {
                let body = Writer::default().u32(number).u64(after).0;
                let deadline = Instant::now() + self.wait;
                if let Err(fault) = socket.send(kind::DROP_SEGMENT, &body, &[], deadline) {
                    self.lose(fault);
                }
            }
        }
    }
}
