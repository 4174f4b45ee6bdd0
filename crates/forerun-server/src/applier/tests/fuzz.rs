//! Arbitrary records: any fault by name is right, a panic never is.

use super::*;
use forerun_pipe::catalogue::ROWS;
use std::time::Instant;

/// xorshift64*: enough for choosing bytes.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// A word as records hold them: mostly small, a known handle or token, sometimes anything.
    fn word(&mut self) -> u32 {
        const TOKENS: &[u32] = &[
            gl::TEXTURE_2D,
            gl::TEXTURE_CUBE_MAP,
            gl::TEXTURE_CUBE_MAP_POSITIVE_X,
            gl::TEXTURE_3D,
            gl::RGBA,
            gl::UNSIGNED_BYTE,
            gl::UNSIGNED_SHORT,
            gl::RGBA8,
            gl::COLOR_BUFFER_BIT,
            gl::NEAREST,
            gl::ANY_SAMPLES_PASSED,
            gl::RENDERBUFFER,
            gl::READ_WRITE,
            gl::FLOAT,
            BlobRef::INLINE,
            16,
            64,
            1024,
            u32::MAX,
            i32::MAX as u32,
            i32::MIN as u32,
        ];
        match self.below(8) {
            0..=4 => self.below(4) as u32,
            5 | 6 => TOKENS[self.below(TOKENS.len() as u64) as usize],
            _ => self.next() as u32,
        }
    }
}

/// Applies arbitrary records for a while. Returns how many were accepted.
fn throw(seed: u64, limit: Duration) -> u64 {
    let mut dice = Dice(seed);
    let end = Instant::now() + limit;
    let mut accepted = 0;
    let mut rig = Rig::ready();
    let mut thrown = 0u64;
    while Instant::now() < end {
        thrown += 1;
        if thrown.is_multiple_of(4096) {
            rig = Rig::ready();
        }
        let row = &ROWS[dice.below(ROWS.len() as u64) as usize];
        let mut words: Vec<u32> = (0..row.size / 4).map(|_| dice.word()).collect();
        // Tails: as long as small counts make them, now and then.
        let tail: usize = row.tails.iter().map(|t| t.1 * dice.below(3) as usize).sum();
        words.extend((0..tail.div_ceil(4)).map(|_| dice.word()));
        if words.len() % 2 == 1 {
            words.push(dice.word());
        }
        let mut body = vec![0u64; words.len() / 2];
        body.as_mut_bytes().copy_from_slice(words.as_bytes());
        rig.seq += 1;
        if rig.applier.apply(row.op, 0, rig.seq, body.as_bytes()).is_ok() {
            accepted += 1;
        }
        if dice.below(64) == 0 {
            let _ = rig.applier.poll();
        }
        if rig.heard.borrow().replies.len() > 10_000 {
            *rig.heard.borrow_mut() = Heard {
                segments: std::mem::take(&mut rig.heard.borrow_mut().segments),
                ..Default::default()
            };
        }
    }
    accepted
}

#[test]
fn arbitrary_records_never_panic() {
    let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(2);
    let seed = std::env::var("FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0x5EED);
    let accepted = throw(seed, Duration::from_secs(seconds));
    assert!(accepted > 1000, "records that nothing accepts test nothing: {accepted}");
}
