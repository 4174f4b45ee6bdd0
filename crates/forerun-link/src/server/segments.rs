//! Bulk bytes as the server sees them: the stage, and segments of the client's own.

use super::ServerLink;
use crate::link::{Channel, Note};
use crate::memory::{Mapping, verify};
use crate::message::{kind, read_fault};
use crate::sync::Ordering;
use crate::wire::{Frame, Parser};
use forerun_pipe::codec::BlobRef;
use forerun_pipe::{Fault, Seq, fault::Result};
use std::os::fd::AsFd;
use std::sync::Arc;

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

impl ServerLink {
    /// Takes control messages in.
    pub(super) fn read_channel(&mut self) -> Result<()> {
        match &mut self.channel {
            Channel::Notes => {
                let notes = std::mem::take(&mut *self.core.notes.to_server.lock());
                for note in notes {
                    match note {
                        Note::Segment(number, memory) => self.add_segment(number, memory)?,
                        Note::Drop(number, after) => self.drops.push((after, number)),
                        Note::Fault(fault) => return Err(fault),
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
                let memory = Arc::new(Mapping::of_fd(fd.as_fd(), len)?);
                self.add_segment(number, memory)
            }
            kind::DROP_SEGMENT => {
                let (number, after) = (parser.u32()?, parser.u64()?);
                parser.finish()?;
                self.drops.push((after, number));
                self.let_go(self.core.control.server.retired.load(Ordering::Relaxed));
                Ok(())
            }
            kind::FAULT => Err(read_fault(&frame.body)),
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

    pub(super) fn let_go(&mut self, retired: Seq) {
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
}
