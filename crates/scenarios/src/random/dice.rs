//! Numbers that a seed decides.

/// xorshift64*: enough for choosing what to call next.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Dice {
        // Neighbouring seeds must not begin alike.
        let mut dice = Dice((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            dice.roll();
        }
        dice
    }

    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number less than `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.roll() >> 16) % n as u64) as usize
    }

    /// One of these.
    pub fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A byte.
    pub fn byte(&mut self) -> u8 {
        self.below(256) as u8
    }

    /// Heads or tails.
    pub fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    /// A multiple of 1/16 from -1 to 1.
    pub fn unit(&mut self) -> f32 {
        self.below(33) as f32 / 16.0 - 1.0
    }
}
