//! The stage's allocator: linear, reclaimed when `retired` passes the record that names a piece. It owns no memory.

use forerun_pipe::Seq;
use std::collections::VecDeque;

/// Pieces start at a multiple of this, so that copies run at full speed.
const PIECE: u64 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// Waits for the record that names it.
    Open,
    /// Outlives other records until it is released.
    Held,
    /// Free when this record is retired.
    Named(Seq),
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    start: u64,
    end: u64,
    owner: Owner,
}

/// Why there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// There will be when that record is retired.
    Until(Seq),
    /// Waiting does not help: an open or held piece stands in the way, or the length is over that of the longest piece.
    Stuck,
}

/// The allocator.
#[derive(Debug)]
pub struct Stage {
    capacity: u64,
    longest: u64,
    head: u64,
    pieces: VecDeque<Piece>,
    open: usize,
}

impl Stage {
    /// An empty stage of `capacity` bytes for pieces of at most `longest`.
    pub fn new(capacity: u64, longest: u64) -> Stage {
        Stage { capacity, longest, head: 0, pieces: VecDeque::new(), open: 0 }
    }

    /// Bytes of all.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The longest piece, in bytes.
    pub fn max_piece(&self) -> u64 {
        self.longest
    }

    /// Room for `len` bytes; the offset. The piece is open, or held.
    ///
    /// # Errors
    /// [`Full`]: nothing changed.
    pub fn alloc(&mut self, len: u64, held: bool) -> Result<u64, Full> {
        if len > self.longest {
            return Err(Full::Stuck);
        }
        let size = len.max(1).next_multiple_of(PIECE);
        if self.pieces.is_empty() {
            // From the start again: the pages there are warm.
            self.head = 0;
        }
        let place = self.head % self.capacity;
        let skip = if size > self.capacity - place { self.capacity - place } else { 0 };
        let (start, end) = (self.head + skip, self.head + skip + size);
        if let Some(first) = self.pieces.front()
            && end - first.start > self.capacity
        {
            return Err(self.until(end - self.capacity));
        }
        let owner = if held { Owner::Held } else { Owner::Open };
        match self.pieces.back_mut() {
            // Neighbours that wait for the same record are one piece.
            Some(last) if !held && last.owner == Owner::Open => last.end = end,
            _ => {
                // A skipped end belongs to the piece after it.
                self.pieces.push_back(Piece { start: self.head, end, owner });
                self.open += usize::from(!held);
            }
        }
        self.head = end;
        Ok(start % self.capacity)
    }

    fn until(&self, free_to: u64) -> Full {
        let mut until = 0;
        for piece in self.pieces.iter().take_while(|piece| piece.start < free_to) {
            match piece.owner {
                Owner::Named(seq) => until = until.max(seq),
                Owner::Open | Owner::Held => return Full::Stuck,
            }
        }
        Full::Until(until)
    }

    /// Whether a piece waits for the record that names it.
    #[inline]
    pub fn has_open(&self) -> bool {
        self.open > 0
    }

    /// All open pieces are named by that record.
    pub fn bind(&mut self, seq: Seq) {
        for piece in self.pieces.iter_mut().rev() {
            if self.open == 0 {
                break;
            }
            if piece.owner == Owner::Open {
                piece.owner = Owner::Named(seq);
                self.open -= 1;
            }
        }
        self.open = 0;
    }

    /// A held piece becomes open. False when no held piece is there.
    pub fn release(&mut self, offset: u64) -> bool {
        let capacity = self.capacity;
        let held = self.pieces.iter_mut().find(|piece| {
            let inside = |at: u64| at >= piece.start && at < piece.end;
            let base = piece.start - piece.start % capacity + offset;
            piece.owner == Owner::Held && (inside(base) || inside(base + capacity))
        });
        let Some(piece) = held else { return false };
        piece.owner = Owner::Open;
        self.open += 1;
        true
    }

    /// Gives back what is named by records up to `retired`.
    pub fn reclaim(&mut self, retired: Seq) {
        while let Some(Piece { owner: Owner::Named(seq), .. }) = self.pieces.front()
            && *seq <= retired
        {
            self.pieces.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn room_comes_back_when_the_naming_record_retires() {
        let mut stage = Stage::new(1024, 256);
        for seq in 1..=4 {
            assert_eq!(stage.alloc(256, false), Ok((seq - 1) * 256));
            stage.bind(seq);
        }
        assert_eq!(stage.alloc(1, false), Err(Full::Until(1)));
        assert_eq!(stage.alloc(256, false), Err(Full::Until(1)));
        stage.reclaim(1);
        assert_eq!(stage.alloc(256, false), Ok(0));
    }

    #[test]
    fn what_is_not_named_yet_cannot_be_waited_for() {
        let mut stage = Stage::new(1024, 256);
        for _ in 0..4 {
            stage.alloc(256, false).unwrap();
        }
        assert_eq!(stage.alloc(64, false), Err(Full::Stuck));
        stage.bind(9);
        assert_eq!(stage.alloc(64, false), Err(Full::Until(9)));
    }

    #[test]
    fn a_held_piece_survives_other_records_until_it_is_released() {
        let mut stage = Stage::new(1024, 256);
        let held = stage.alloc(256, true).unwrap();
        stage.alloc(256, false).unwrap();
        stage.bind(1);
        stage.reclaim(1);
        assert_eq!(stage.alloc(256, false), Ok(512));
        stage.bind(2);
        assert_eq!(stage.alloc(256, false), Ok(768));
        stage.bind(3);
        stage.reclaim(3);
        assert_eq!(stage.alloc(64, false), Err(Full::Stuck));
        assert!(stage.release(held));
        assert!(!stage.release(held));
        assert!(stage.has_open());
        stage.bind(4);
        stage.reclaim(4);
        assert_eq!(stage.alloc(256, false), Ok(0));
    }

    #[test]
    fn over_the_longest_never_fits() {
        assert_eq!(Stage::new(1024, 256).alloc(257, false), Err(Full::Stuck));
    }

    proptest! {
        /// Live pieces never overlap, whatever the order of allocation, naming and retiring.
        #[test]
        fn live_pieces_are_disjoint(steps in prop::collection::vec((0u8..5, 1u64..=256), 1..200)) {
            let mut stage = Stage::new(1024, 256);
            let mut live: Vec<(u64, u64, Option<u64>, bool)> = Vec::new();
            let (mut seq, mut retired) = (0, 0);
            for (what, len) in steps {
                match what {
                    0 | 1 => if let Ok(at) = stage.alloc(len, what == 1) {
                        prop_assert!(at + len <= 1024);
                        for (other, size, ..) in &live {
                            prop_assert!(at + len <= *other || other + size <= at);
                        }
                        live.push((at, len, None, what == 1));
                    },
                    2 => {
                        seq += 1;
                        stage.bind(seq);
                        for piece in live.iter_mut().filter(|p| !p.3 && p.2.is_none()) {
                            piece.2 = Some(seq);
                        }
                    }
                    3 => {
                        retired = (retired + 1).min(seq);
                        stage.reclaim(retired);
                        live.retain(|p| p.2.is_none_or(|named| named > retired));
                    }
                    _ => if let Some(piece) = live.iter_mut().find(|p| p.3) {
                        prop_assert!(stage.release(piece.0));
                        piece.3 = false;
                    },
                }
            }
        }
    }
}
