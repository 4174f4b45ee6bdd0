//! The server's end of a link.

use crate::client::Status;
use crate::options::{Hello, ServerOptions};
use crate::progress::Progress;
use forerun_pipe::caps::Caps;
use forerun_pipe::codec::BlobRef;
use forerun_pipe::event::Event;
use forerun_pipe::{Fault, Seq};
use std::os::fd::OwnedFd;
use std::time::Duration;

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

/// Private, 8-aligned memory that a record is copied into before anything in it is checked.
#[derive(Default)]
pub struct RecordBuf {
    words: Vec<u64>,
    len: usize,
}

impl RecordBuf {
    /// The bytes after the header.
    pub fn body(&self) -> &[u8] {
        let bytes = zerocopy::IntoBytes::as_bytes(self.words.as_slice());
        bytes.get(..self.len).unwrap_or(&[])
    }
}

/// A bounds-checked range of shared memory. The client may write to it at any time: copy out what steers control flow.
#[derive(Clone)]
pub struct SharedBytes {
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
        core::ptr::null()
    }

    /// A private copy.
    pub fn to_vec(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Copies from `offset` on into `out`; false when the range is not inside.
    pub fn copy_to(&self, offset: usize, out: &mut [u8]) -> bool {
        let _ = (offset, out);
        false
    }

    /// Writes at `offset` (readback destinations); false when the range is not inside.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> bool {
        let _ = (offset, bytes);
        false
    }

    /// Where the bytes are, for a driver that writes them at once. Valid while this value lives.
    pub fn as_mut_ptr(&self) -> *mut u8 {
        core::ptr::null_mut()
    }
}

/// The server's end of a link.
pub struct ServerLink {}

impl ServerLink {
    /// Shakes hands on a connected socket. `start` sees the Hello and makes the backend and its caps; what else it returns comes
    /// back with the link.
    ///
    /// # Errors
    /// Every refusal, after it was told to the client.
    pub fn accept<T>(
        socket: OwnedFd,
        options: &ServerOptions,
        start: impl FnOnce(&Hello) -> Result<(Caps, T), Fault>,
    ) -> Result<(ServerLink, T), Fault> {
        let _ = (socket, options, start);
        Err(Fault::PeerLost)
    }

    /// The next record, waiting at most `timeout` (`None`: until something comes). In monolith it never waits.
    ///
    /// # Errors
    /// [`Fault::RingOverrun`], [`Fault::ProtocolCorruption`].
    pub fn next(&mut self, buf: &mut RecordBuf, timeout: Option<Duration>) -> Result<Next, Fault> {
        let _ = (buf, timeout);
        Ok(Next::HangUp)
    }

    /// The bytes of a reference that the current record owns (not of an inline one: they are the record's last tail).
    ///
    /// # Errors
    /// [`Fault::SegmentMismatch`] when they do not lie inside their segment.
    pub fn blob(&mut self, blob: &BlobRef) -> Result<SharedBytes, Fault> {
        let _ = blob;
        Err(Fault::SegmentMismatch { what: "BlobRef.segment" })
    }

    /// The same for a readback's destination, which audit mode leaves alone.
    ///
    /// # Errors
    /// As [`ServerLink::blob`].
    pub fn blob_mut(&mut self, blob: &BlobRef) -> Result<SharedBytes, Fault> {
        self.blob(blob)
    }

    /// A whole own segment, for persistent maps; stays mapped while the value lives.
    ///
    /// # Errors
    /// [`Fault::SegmentMismatch`].
    pub fn segment(&mut self, number: u32) -> Result<SharedBytes, Fault> {
        let _ = number;
        Err(Fault::SegmentMismatch { what: "segment" })
    }

    /// Answers record `seq`; nothing is posted for a record that wants no answer.
    ///
    /// # Errors
    /// [`Fault::PeerLost`], or [`Fault::QuotaExceeded`] for an answer over [`ServerLink::max_reply`].
    pub fn reply(&mut self, seq: Seq, status: Status, bytes: &[u8]) -> Result<(), Fault> {
        let _ = (seq, status, bytes);
        Ok(())
    }

    /// The longest answer in bytes.
    pub fn max_reply(&self) -> usize {
        0
    }

    /// Posts an event: ordered, lossless. Parks only at the record's boundary ([`ServerLink::applied`]).
    pub fn post(&mut self, event: Event) {
        let _ = event;
    }

    /// Record `seq` was applied, after all its events and its answer. Parks while events have no room.
    ///
    /// # Errors
    /// [`Fault::PeerLost`].
    pub fn applied(&mut self, seq: Seq) -> Result<(), Fault> {
        let _ = seq;
        Ok(())
    }

    /// No record up to `seq` needs its stage bytes any more. Usually called after each [`ServerLink::applied`].
    pub fn retired(&mut self, seq: Seq) {
        let _ = seq;
    }

    /// The pen for the progress page; clones may be used by other threads.
    pub fn progress(&self) -> Progress {
        Progress {}
    }

    /// Ends the session by name: the client finds this fault instead of a bare hang-up.
    pub fn fault(&mut self, fault: &Fault) {
        let _ = fault;
    }

    /// Whether the client has that row.
    pub fn available(&self, op: u16) -> bool {
        let _ = op;
        true
    }
}
