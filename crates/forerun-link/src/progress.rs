//! The progress page: what can be a value is a value here, not an event, so that polls are local loads and completions come in
//! any order.
//!
//! Completions carry the ordinal of the record that asked for them, so that no earlier use of a slot can be mistaken for a later
//! one. The page is sparse: only the slots in use take memory.

use crate::memory::{Mapping, Shared};
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use forerun_pipe::Seq;
use forerun_pipe::handle::{MAX_SLOTS, RawHandle};
use rustix::thread::futex;
use std::sync::Arc;
use std::time::Duration;

/// Counters of the server that the client reads for its statistics, even after the server died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Counter {
    /// Records applied. Kept by the link.
    Records = 0,
    /// Draws executed.
    Draws = 1,
    /// Presents executed.
    Frames = 2,
    /// Calls of the host's driver.
    DriverCalls = 3,
    /// CPU time of the server in microseconds.
    CpuMicros = 4,
    /// Anonymous resident bytes.
    RssAnon = 5,
    /// Shared resident bytes.
    RssShared = 6,
    /// Times that the server slept. Kept by the link.
    Parks = 7,
    /// Bytes of records. Kept by the link.
    RecordBytes = 8,
    /// Objects that live and that the program named.
    Objects = 9,
}

/// How a fence ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceState {
    /// Everything before it is done.
    Signaled,
    /// The server could not make it.
    Declined,
}

#[repr(C)]
struct Surface {
    generation: AtomicU64,
    /// Width in the upper half, height in the lower.
    size: AtomicU64,
    presented: AtomicU64,
    /// Moves with `presented`: what [`Page::wait_presented`] sleeps on.
    turn: AtomicU32,
    pad: AtomicU32,
}

#[repr(C)]
struct Query {
    seq: AtomicU64,
    result: AtomicU64,
}

/// Twice the ordinal, plus 1 when declined.
#[repr(C)]
struct Fence(AtomicU64);

// SAFETY: `repr(C)` structures of atomics.
unsafe impl Shared for Surface {}
// SAFETY: as above.
unsafe impl Shared for Query {}
// SAFETY: as above.
unsafe impl Shared for Fence {}
// SAFETY: an atomic.
unsafe impl Shared for AtomicU64 {}

const SLOTS: usize = MAX_SLOTS as usize;
const SURFACES: usize = 4096;
const QUERIES: usize = SURFACES + SLOTS * size_of::<Surface>();
const FENCES: usize = QUERIES + SLOTS * size_of::<Query>();
/// Bytes of the segment.
pub const LEN: usize = FENCES + SLOTS * size_of::<Fence>();

/// Both ends' view of the page.
#[derive(Clone, Debug)]
pub struct Page(pub Arc<Mapping>);

impl Page {
    fn surface(&self, slot: u32) -> Option<&Surface> {
        Self::slot(slot).and_then(|slot| self.0.shared(SURFACES + slot * size_of::<Surface>()))
    }

    fn query(&self, slot: u32) -> Option<&Query> {
        Self::slot(slot).and_then(|slot| self.0.shared(QUERIES + slot * size_of::<Query>()))
    }

    fn fence(&self, slot: u32) -> Option<&Fence> {
        Self::slot(slot).and_then(|slot| self.0.shared(FENCES + slot * size_of::<Fence>()))
    }

    fn counter(&self, counter: Counter) -> Option<&AtomicU64> {
        self.0.shared(counter as usize * size_of::<AtomicU64>())
    }

    fn slot(slot: u32) -> Option<usize> {
        (slot < MAX_SLOTS).then_some(slot as usize)
    }

    /// Serial of the surface's last presented frame.
    pub fn read_presented(&self, surface: RawHandle) -> u64 {
        self.surface(surface.slot)
            .filter(|s| s.generation.load(Ordering::Acquire) == surface.generation.into())
            .map_or(0, |s| s.presented.load(Ordering::Acquire))
    }

    /// Sleeps until the surface's frame `serial` was presented, at most that long. May return early.
    pub fn wait_presented(&self, surface: RawHandle, serial: u64, timeout: Duration) {
        let Some(entry) = self.surface(surface.slot) else { return };
        // Acquire: partner is `Progress::presented`, which moves the turn last. A turn that moved after this look ends the sleep.
        let turn = entry.turn.load(Ordering::Acquire);
        if self.read_presented(surface) < serial {
            let timeout = crate::wire::timespec(Some(timeout));
            // Not private: the server may be another process.
            let _ = futex::wait(&entry.turn, futex::Flags::empty(), turn, timeout.as_ref());
        }
    }

    /// Width and height.
    pub fn read_surface_size(&self, surface: RawHandle) -> Option<(u32, u32)> {
        let entry = self
            .surface(surface.slot)
            .filter(|s| s.generation.load(Ordering::Acquire) == surface.generation.into())?;
        let size = entry.size.load(Ordering::Acquire);
        Some(((size >> 32) as u32, size as u32))
    }

    /// How the fence that record `seq` created ended.
    pub fn read_fence(&self, fence: RawHandle, seq: Seq) -> Option<FenceState> {
        let value = self.fence(fence.slot)?.0.load(Ordering::Acquire);
        (value >> 1 >= seq).then_some(if value & 1 == 0 {
            FenceState::Signaled
        } else {
            FenceState::Declined
        })
    }

    /// The result of the use that record `seq` ended.
    pub fn read_query(&self, query: RawHandle, seq: Seq) -> Option<u64> {
        let entry = self.query(query.slot)?;
        // Acquire: the result was stored before the ordinal.
        (entry.seq.load(Ordering::Acquire) >= seq).then(|| entry.result.load(Ordering::Relaxed))
    }

    /// A counter.
    pub fn read_counter(&self, counter: Counter) -> u64 {
        self.counter(counter).map_or(0, |c| c.load(Ordering::Relaxed))
    }

    /// Sets a counter.
    pub fn write_counter(&self, counter: Counter, value: u64) {
        if let Some(counter) = self.counter(counter) {
            counter.store(value, Ordering::Relaxed);
        }
    }
}

/// The server's pen for the progress page. Clones write to the same page, from any thread.
#[derive(Clone)]
pub struct Progress {
    page: Page,
}

impl Progress {
    pub(crate) fn new(page: Page) -> Progress {
        Progress { page }
    }

    /// The surface's frame `serial` was presented: returns a credit.
    pub fn presented(&self, surface: RawHandle, serial: u64) {
        if let Some(entry) = self.page.surface(surface.slot)
            && entry.generation.load(Ordering::Relaxed) == surface.generation.into()
        {
            entry.presented.fetch_max(serial, Ordering::Release);
            entry.turn.fetch_add(1, Ordering::Release);
            // Whoever waits for credit sleeps here and not at the bell, which is one thread's.
            let _ = futex::wake(&entry.turn, futex::Flags::empty(), u32::MAX);
        }
    }

    /// The surface's size as the server knows it. Also to be called when the surface is created: it opens the slot.
    pub fn surface_size(&self, surface: RawHandle, width: u32, height: u32) {
        let Some(entry) = self.page.surface(surface.slot) else { return };
        entry.size.store(u64::from(width) << 32 | u64::from(height), Ordering::Release);
        if entry.generation.load(Ordering::Relaxed) != surface.generation.into() {
            entry.presented.store(0, Ordering::Relaxed);
            entry.generation.store(surface.generation.into(), Ordering::Release);
        }
    }

    /// The fence that record `seq` created is done.
    pub fn fence(&self, fence: RawHandle, seq: Seq, state: FenceState) {
        if let Some(entry) = self.page.fence(fence.slot) {
            let value = seq << 1 | u64::from(state == FenceState::Declined);
            // A late completion of the slot's former fence must not hide this one's.
            entry.0.fetch_max(value, Ordering::Release);
        }
    }

    /// The result of the use of a query that record `seq` ended (QueryEnd or QueryCounter).
    pub fn query(&self, query: RawHandle, seq: Seq, result: u64) {
        if let Some(entry) = self.page.query(query.slot)
            && entry.seq.load(Ordering::Relaxed) < seq
        {
            entry.result.store(result, Ordering::Relaxed);
            entry.seq.store(seq, Ordering::Release);
        }
    }

    /// Sets a counter.
    pub fn count(&self, counter: Counter, value: u64) {
        self.page.write_counter(counter, value);
    }

    /// Reads a counter back.
    pub fn counter(&self, counter: Counter) -> u64 {
        self.page.read_counter(counter)
    }
}
