//! Which tokens a context knows: those of its version and of the extensions that it advertises, as Khronos' registry lists them.
//!
//! A token is the unit in which the specifications bring features in. So a family asks [`State::knows`] of the token that it was
//! given, and need not repeat versions and extension names.

use crate::context::{Api, State};
use std::sync::OnceLock;

/// Value, first OpenGL ES version, first OpenGL version, first core profile version (each 99 for none), extensions. Sorted.
static TOKENS: &[(u32, u32, u32, u32, &[&str])] = include!(concat!(env!("OUT_DIR"), "/tokens.rs"));

/// Tokens that the registry gives to no version or extension by which we advertise them, or gives to the wrong one:
/// `(value, OpenGL ES version, OpenGL version)`.
const MORE: &[(u32, u32, u32)] = &[
    // GL_DOUBLE_BUFFER, GL_STEREO and sample counts are state of every OpenGL context (OpenGL 3.3, table 6.52).
    (0x0C32, 99, 10),
    (0x0C33, 99, 10),
];

/// A bit for each value below 0x10000, made when it is first asked for.
#[derive(Debug, Default)]
pub struct Known(OnceLock<Box<[u64; 1024]>>);

impl State {
    /// Whether the context's version or one of its extensions has that token.
    pub fn knows(&self, token: u32) -> bool {
        let bits = self.known.0.get_or_init(|| self.all_known());
        bits.get(token as usize / 64).is_some_and(|word| word >> (token % 64) & 1 != 0)
    }

    fn all_known(&self) -> Box<[u64; 1024]> {
        let mut bits = Box::new([0; 1024]);
        let version = self.config.version;
        let mut set = |value: u32| {
            if let Some(word) = bits.get_mut(value as usize / 64) {
                *word |= 1u64 << (value % 64);
            }
        };
        for (value, es, desktop, core, extensions) in TOKENS {
            let least = match self.config.api {
                Api::Es => es,
                Api::Core => core,
                Api::Legacy => desktop,
            };
            if version >= *least || extensions.iter().any(|name| self.extensions.has(name)) {
                set(*value);
            }
        }
        for (value, es, desktop) in MORE {
            if version >= if self.config.api == Api::Es { *es } else { *desktop } {
                set(*value);
            }
        }
        bits
    }
}
