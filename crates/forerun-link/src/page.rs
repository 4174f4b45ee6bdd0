//! The control page: the cursors of all rings, one cache line per writer, and the two bells.

use crate::bell::Bell;
use crate::memory::{Mapping, Shared};
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use forerun_pipe::{Fault, fault::Result};
use std::sync::Arc;

/// Bytes that the control page takes at the start of the command segment.
pub const PAGE: usize = 4096;

/// Written by the client.
#[repr(C, align(64))]
pub struct ClientLine {
    /// Record ring: bytes published.
    pub head: AtomicU64,
    /// Event ring: bytes read.
    pub event_tail: AtomicU64,
    /// Answer ring: bytes read.
    pub reply_tail: AtomicU64,
    /// Moves each time the client starts to wait for stage space.
    pub pressure: AtomicU32,
    /// In one process: the client's end is gone.
    pub closed: AtomicU32,
}

/// Written by the server.
#[repr(C, align(64))]
pub struct ServerLine {
    /// Record ring: bytes read.
    pub tail: AtomicU64,
    /// Ordinal of the last applied record.
    pub applied: AtomicU64,
    /// Ordinal up to which stage bytes are free.
    pub retired: AtomicU64,
    /// Event ring: bytes published.
    pub event_head: AtomicU64,
    /// Answer ring: bytes published.
    pub reply_head: AtomicU64,
    /// Answers or events wait for room (in monolith, where the server cannot park).
    pub overflow: AtomicU32,
    /// In one process: the server's end is gone.
    pub closed: AtomicU32,
}

/// The page.
#[repr(C)]
pub struct Control {
    /// The client's cursors.
    pub client: ClientLine,
    /// The server's cursors.
    pub server: ServerLine,
    /// The client's bell: rung by the server.
    pub client_bell: Bell,
    /// The server's bell: rung by the client.
    pub server_bell: Bell,
}

// SAFETY: `repr(C)` structures of atomics.
unsafe impl Shared for Control {}
const _: () = assert!(size_of::<Control>() <= PAGE);

/// The segments of one link, mapped.
#[derive(Clone, Debug)]
pub struct Segments {
    /// Control page and record ring.
    pub command: Arc<Mapping>,
    /// Bulk bytes.
    pub stage: Arc<Mapping>,
    /// Answer ring.
    pub reply: Arc<Mapping>,
    /// Event ring.
    pub event: Arc<Mapping>,
    /// Progress page.
    pub progress: Arc<Mapping>,
}

impl Segments {
    /// The control page.
    ///
    /// # Errors
    /// [`Fault::SegmentMismatch`] when the command segment cannot hold it.
    pub fn control(&self) -> Result<ControlRef> {
        ControlRef::new(self.command.clone())
    }
}

/// The control page, kept mapped.
#[derive(Clone, Debug)]
pub struct ControlRef {
    command: Arc<Mapping>,
}

impl ControlRef {
    fn new(command: Arc<Mapping>) -> Result<ControlRef> {
        command.shared::<Control>(0).ok_or(Fault::SegmentMismatch { what: "Segment.command" })?;
        Ok(ControlRef { command })
    }

    /// Puts a fresh page to its first state. The server does it before the client sees the page.
    pub fn reset(&self) {
        self.client_bell.reset();
        self.server_bell.reset();
        self.server.applied.store(0, Ordering::Release);
    }
}

impl std::ops::Deref for ControlRef {
    type Target = Control;

    fn deref(&self) -> &Control {
        // SAFETY: `new` checked size and alignment; the page is made of atomics and stays mapped with `command`.
        unsafe { self.command.start().cast::<Control>().as_ref() }
    }
}
