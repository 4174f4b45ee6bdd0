//! Where the next record goes: arithmetic of monotonic cursors, no memory.

use crate::sync::{AtomicU64, Ordering};

/// The producer's view of a ring. Cursors count bytes since the start and never go back; the place is the cursor modulo the
/// capacity.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    /// A power of two.
    pub capacity: u64,
    /// Bytes written, published or not.
    pub write: u64,
    /// Bytes published.
    pub published: u64,
    /// The greatest value that `write` may take as far as is known.
    pub limit: u64,
}

/// Where a record fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// At `offset`, after a pad of `pad` bytes up to the ring's end.
    At {
        /// Bytes of filler at the write cursor.
        pad: u64,
        /// Place of the record.
        offset: u64,
    },
    /// Nowhere until the tail has reached `tail`.
    Full {
        /// The cursor to wait for.
        tail: u64,
    },
}

impl Space {
    /// An empty ring.
    pub fn new(capacity: u64) -> Space {
        Space { capacity, write: 0, published: 0, limit: capacity }
    }

    /// The greatest record: at most half, because a pad may cost almost as much again.
    pub fn max_record(&self) -> u64 {
        self.capacity / 2
    }

    /// Where `size` bytes fit.
    #[inline]
    pub fn fit(&self, size: u64) -> Fit {
        let place = self.write & (self.capacity - 1);
        let room = self.capacity - place;
        let pad = if size > room { room } else { 0 };
        let end = self.write + pad + size;
        if end > self.limit {
            return Fit::Full { tail: end - self.capacity };
        }
        Fit::At { pad, offset: (place + pad) & (self.capacity - 1) }
    }

    /// Takes note of the consumer's cursor. False when it is not a place that the consumer can be at.
    pub fn observe(&mut self, tail: &AtomicU64) -> bool {
        // Acquire: the consumer has read what is about to be overwritten. Partner: `release`.
        let tail = tail.load(Ordering::Acquire);
        let known = self.limit - self.capacity;
        if tail < known || tail > self.published {
            return false;
        }
        self.limit = tail + self.capacity;
        true
    }

    /// The consumer's cursor as far as is known.
    pub fn tail(&self) -> u64 {
        self.limit - self.capacity
    }

    /// Publishes everything written.
    #[inline]
    pub fn publish(&mut self, head: &AtomicU64) {
        self.published = self.write;
        // Release: what was written is seen by whoever sees the cursor. Partner: `View::observe`.
        head.store(self.write, Ordering::Release);
    }
}

/// The consumer's view of a ring.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// A power of two.
    pub capacity: u64,
    /// Bytes read.
    pub read: u64,
    /// Bytes known to be published.
    pub seen: u64,
}

impl View {
    /// An empty ring.
    pub fn new(capacity: u64) -> View {
        View { capacity, read: 0, seen: 0 }
    }

    /// Takes note of the producer's cursor. False when it is not a place that the producer can be at.
    #[inline]
    pub fn observe(&mut self, head: &AtomicU64) -> bool {
        // Acquire: partner is `Space::publish`.
        let head = head.load(Ordering::Acquire);
        if head < self.seen || head - self.read > self.capacity || !head.is_multiple_of(8) {
            return false;
        }
        self.seen = head;
        true
    }

    /// Gives `size` bytes back to the producer.
    #[inline]
    pub fn release(&mut self, size: u64, tail: &AtomicU64) {
        self.read += size;
        // Release: the bytes were read before they may be overwritten. Partner: `Space::observe`.
        tail.store(self.read, Ordering::Release);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_does_not_fit_before_the_end_goes_to_the_start_behind_a_pad() {
        let mut space = Space { capacity: 64, write: 40, published: 40, limit: 64 };
        assert_eq!(space.fit(24), Fit::At { pad: 0, offset: 40 });
        assert_eq!(space.fit(32), Fit::Full { tail: 32 });
        assert!(space.observe(&AtomicU64::new(40)));
        assert_eq!(space.fit(32), Fit::At { pad: 24, offset: 0 });
    }

    #[test]
    fn half_the_ring_always_fits_in_an_empty_one() {
        for place in (0..64).step_by(8) {
            let mut space = Space { capacity: 64, write: place, published: place, limit: 64 };
            assert!(space.observe(&AtomicU64::new(place)));
            assert!(matches!(space.fit(space.max_record()), Fit::At { .. }), "at {place}");
        }
    }

    #[test]
    fn cursors_that_lie_are_noticed() {
        let mut space = Space { capacity: 64, write: 48, published: 40, limit: 80 };
        assert!(!space.observe(&AtomicU64::new(48)), "past what was published");
        assert!(!space.observe(&AtomicU64::new(8)), "backwards");
        let mut view = View { capacity: 64, read: 16, seen: 32 };
        assert!(!view.observe(&AtomicU64::new(24)), "backwards");
        assert!(!view.observe(&AtomicU64::new(88)), "past the capacity");
        assert!(!view.observe(&AtomicU64::new(36)), "misaligned");
        assert!(view.observe(&AtomicU64::new(80)));
    }
}
