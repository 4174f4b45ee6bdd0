//! The doorbell: how an end that has nothing to do sleeps without missing what the other end publishes.
//!
//! The sleeper says `PARKED`, then looks once more, then sleeps. The publisher publishes, then looks whether the other sleeps.
//! Both put a sequentially consistent fence between their write and their look, so at least one of them sees the other.

use crate::sync::{AtomicU32, AtomicU64, Ordering, fence};

/// Not waiting.
pub const RUNNING: u32 = 0;
/// Waiting with open eyes: what is published is seen without a wake.
pub const SPINNING: u32 = 1;
/// Asleep, or about to be.
pub const PARKED: u32 = 2;

/// One end's state and what it waits for. Lies in the control page: written by its owner, but for the exchange that wakes it.
#[repr(C, align(64))]
pub struct Bell {
    /// [`RUNNING`], [`SPINNING`] or [`PARKED`].
    pub state: AtomicU32,
    pad: AtomicU32,
    /// Thresholds of what is waited for ([`Want`]); `u64::MAX` where nothing is.
    wants: [AtomicU64; 5],
}

/// What a sleeper can wait for by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Want {
    /// The ordinal of the last applied record.
    Applied = 0,
    /// The ordinal up to which stage bytes are free.
    Retired = 1,
    /// The ring's tail.
    Tail = 2,
    /// The ordinal of an answered record.
    Reply = 3,
    /// Room in the event or answer ring, for a server, which then is not woken by records.
    Other = 4,
}

impl Default for Bell {
    fn default() -> Self {
        let none = || AtomicU64::new(u64::MAX);
        Bell {
            state: AtomicU32::new(RUNNING),
            pad: AtomicU32::new(0),
            wants: [none(), none(), none(), none(), none()],
        }
    }
}

impl Bell {
    /// Puts a bell in zeroed memory to its first state.
    pub fn reset(&self) {
        self.pad.store(0, Ordering::Relaxed);
        for want in &self.wants {
            want.store(u64::MAX, Ordering::Relaxed);
        }
        self.state.store(RUNNING, Ordering::Release);
    }

    /// Owner: says what is waited for.
    pub fn want(&self, want: Want, value: u64) {
        self.wants[want as usize].store(value, Ordering::Relaxed);
    }

    /// Owner: waits for nothing any more.
    pub fn unwant(&self, want: Want) {
        self.want(want, u64::MAX);
    }

    /// Peer: what the owner waits for.
    pub fn wanted(&self, want: Want) -> u64 {
        self.wants[want as usize].load(Ordering::Relaxed)
    }

    /// Whether the owner waits with open eyes.
    pub fn is_spinning(&self) -> bool {
        self.state.load(Ordering::Relaxed) == SPINNING
    }

    /// Peer, after publishing: wakes the owner if it sleeps and `is_wanted` holds. True when it did.
    pub fn ring(&self, is_wanted: impl FnOnce(&Bell) -> bool, wake: impl FnOnce()) -> bool {
        // Partner: the fence in `park`. What was published before is seen by the owner's last look, or its PARKED is seen here.
        fence(Ordering::SeqCst);
        // Acquire: the wants were stored before PARKED.
        if self.state.load(Ordering::Acquire) != PARKED || !is_wanted(self) {
            return false;
        }
        // An owner that woke meanwhile keeps the state that it has by now.
        let (was, woken) = (Ordering::AcqRel, Ordering::Acquire);
        if self.state.compare_exchange(PARKED, RUNNING, was, woken).is_err() {
            return false;
        }
        wake();
        true
    }

    /// Owner: sleeps in `block` unless `is_ready` holds on the last look. `block` must return at once when the state is no longer
    /// `PARKED`, or when a wake came before it.
    pub fn park(&self, is_ready: impl FnOnce() -> bool, block: impl FnOnce()) {
        self.state.store(PARKED, Ordering::Release);
        // Partner: the fence in `ring`.
        fence(Ordering::SeqCst);
        if !is_ready() {
            block();
        }
        self.state.store(RUNNING, Ordering::Release);
    }

    /// Owner: says that it looks with open eyes, or no longer does.
    pub fn spinning(&self, on: bool) {
        self.state.store(if on { SPINNING } else { RUNNING }, Ordering::Release);
    }
}
