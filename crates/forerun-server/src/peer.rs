//! The client as the applier sees it: bytes that records name, answers, events, the progress page. [`ServerLink`] is the one of
//! a real session; tests and fuzzers bring their own.

use crate::bytes::{Dest, Source};
use forerun_link::{
    Counter, FenceState, Next, Progress, RecordBuf, ServerLink, SharedBytes, Status,
};
use forerun_pipe::codec::BlobRef;
use forerun_pipe::event::Event;
use forerun_pipe::fault::{Fault, Result};
use forerun_pipe::{RawHandle, Seq};
use std::time::Duration;

/// Bytes that a record names, kept alive while this value lives.
pub enum Blob {
    /// In shared memory.
    Shared(SharedBytes),
    /// In private memory.
    Private(Box<[u8]>),
}

impl Blob {
    /// Bytes.
    pub fn len(&self) -> usize {
        match self {
            Blob::Shared(bytes) => bytes.len(),
            Blob::Private(bytes) => bytes.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A part; `None` when it is not inside.
    pub fn slice(self, offset: usize, len: usize) -> Option<Blob> {
        match self {
            Blob::Shared(bytes) => bytes.slice(offset, len).map(Blob::Shared),
            Blob::Private(bytes) => {
                let part = bytes.get(offset..offset.checked_add(len)?)?;
                Some(Blob::Private(part.into()))
            }
        }
    }

    /// For reading.
    pub fn source(&self) -> Source<'_> {
        match self {
            // SAFETY: the mapping lives as long as `bytes`, which is borrowed for the view's life; its bounds were checked by
            // whoever made it.
            Blob::Shared(bytes) => unsafe { Source::from_raw(bytes.as_ptr(), bytes.len()) },
            Blob::Private(bytes) => Source::new(bytes),
        }
    }

    /// For writing.
    pub fn dest(&mut self) -> Dest<'_> {
        match self {
            // SAFETY: as in `source`; the link maps its segments writable.
            Blob::Shared(bytes) => unsafe { Dest::from_raw(bytes.as_mut_ptr(), bytes.len()) },
            Blob::Private(bytes) => Dest::new(bytes),
        }
    }
}

/// The client's end, as the server uses it.
pub trait Peer {
    /// The next record, waiting at most `timeout`.
    ///
    /// # Errors
    /// A fault of the ring or of the peer.
    fn next(&mut self, buf: &mut RecordBuf, timeout: Option<Duration>) -> Result<Next>;

    /// The bytes of a reference of the current record, not inline.
    ///
    /// # Errors
    /// [`Fault::SegmentMismatch`].
    fn blob(&mut self, blob: &BlobRef) -> Result<Blob>;

    /// The same for a readback's destination.
    ///
    /// # Errors
    /// [`Fault::SegmentMismatch`].
    fn blob_mut(&mut self, blob: &BlobRef) -> Result<Blob>;

    /// A whole segment, for persistent maps.
    ///
    /// # Errors
    /// [`Fault::SegmentMismatch`].
    fn segment(&mut self, number: u32) -> Result<Blob>;

    /// Answers a record.
    ///
    /// # Errors
    /// [`Fault::PeerLost`].
    fn reply(&mut self, seq: Seq, status: Status, bytes: &[u8]) -> Result<()>;

    /// Posts an event.
    fn post(&mut self, event: Event);

    /// The record was applied and its bytes are no longer needed.
    ///
    /// # Errors
    /// [`Fault::PeerLost`].
    fn applied(&mut self, seq: Seq) -> Result<()>;

    /// Tells the client why the session ends.
    fn fault(&mut self, fault: &Fault);

    /// A surface's frame was shown: returns a credit.
    fn presented(&mut self, surface: RawHandle, serial: u64);

    /// A surface's size.
    fn surface_size(&mut self, surface: RawHandle, width: u32, height: u32);

    /// The fence that that record created ended.
    fn fence(&mut self, fence: RawHandle, seq: Seq, state: FenceState);

    /// The result of the query that that record ended.
    fn query(&mut self, query: RawHandle, seq: Seq, result: u64);

    /// Sets a counter.
    fn count(&mut self, counter: Counter, value: u64);
}

/// What a peer around another one, its member `peer`, passes on as it is: all that goes to the client, credits last.
macro_rules! pass_answers_on {
    () => {
        crate::peer::pass_answers_on! { but credits }

        fn presented(&mut self, surface: RawHandle, serial: u64) {
            self.peer.presented(surface, serial);
        }
    };
    (but credits) => {
        fn reply(&mut self, seq: Seq, status: Status, bytes: &[u8]) -> Result<()> {
            self.peer.reply(seq, status, bytes)
        }

        fn post(&mut self, event: Event) {
            self.peer.post(event);
        }

        fn applied(&mut self, seq: Seq) -> Result<()> {
            self.peer.applied(seq)
        }

        fn fault(&mut self, fault: &Fault) {
            self.peer.fault(fault);
        }

        fn surface_size(&mut self, surface: RawHandle, width: u32, height: u32) {
            self.peer.surface_size(surface, width, height);
        }

        fn fence(&mut self, fence: RawHandle, seq: Seq, state: FenceState) {
            self.peer.fence(fence, seq, state);
        }

        fn query(&mut self, query: RawHandle, seq: Seq, result: u64) {
            self.peer.query(query, seq, result);
        }

        fn count(&mut self, counter: Counter, value: u64) {
            self.peer.count(counter, value);
        }
    };
}
pub(crate) use pass_answers_on;

/// A link and its progress page.
pub struct LinkPeer {
    link: ServerLink,
    progress: Progress,
}

impl LinkPeer {
    /// The peer at the other end of a link.
    pub fn new(link: ServerLink) -> Self {
        let progress = link.progress();
        LinkPeer { link, progress }
    }
}

impl Peer for LinkPeer {
    fn next(&mut self, buf: &mut RecordBuf, timeout: Option<Duration>) -> Result<Next> {
        self.link.next(buf, timeout)
    }

    fn blob(&mut self, blob: &BlobRef) -> Result<Blob> {
        self.link.blob(blob).map(Blob::Shared)
    }

    fn blob_mut(&mut self, blob: &BlobRef) -> Result<Blob> {
        self.link.blob_mut(blob).map(Blob::Shared)
    }

    fn segment(&mut self, number: u32) -> Result<Blob> {
        self.link.segment(number).map(Blob::Shared)
    }

    fn reply(&mut self, seq: Seq, status: Status, bytes: &[u8]) -> Result<()> {
        self.link.reply(seq, status, bytes)
    }

    fn post(&mut self, event: Event) {
        self.link.post(event);
    }

    fn applied(&mut self, seq: Seq) -> Result<()> {
        self.link.done(seq)
    }

    fn fault(&mut self, fault: &Fault) {
        self.link.fault(fault);
    }

    fn presented(&mut self, surface: RawHandle, serial: u64) {
        self.progress.presented(surface, serial);
    }

    fn surface_size(&mut self, surface: RawHandle, width: u32, height: u32) {
        self.progress.surface_size(surface, width, height);
    }

    fn fence(&mut self, fence: RawHandle, seq: Seq, state: FenceState) {
        self.progress.fence(fence, seq, state);
    }

    fn query(&mut self, query: RawHandle, seq: Seq, result: u64) {
        self.progress.query(query, seq, result);
    }

    fn count(&mut self, counter: Counter, value: u64) {
        self.progress.count(counter, value);
    }
}
