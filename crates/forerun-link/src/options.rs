//! What either end asks for, and what a client says first.

use forerun_pipe::knobs::{Knobs, Transport};
use std::path::PathBuf;
use std::time::Duration;

/// Bytes of the segments. The client asks, the server states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The record ring: a power of two from 4096.
    pub ring: u32,
    /// The stage: a power of two from 16384.
    pub stage: u32,
    /// The ring of answers: a power of two from 4096.
    pub reply: u32,
    /// The ring of events: a power of two from 4096.
    pub event: u32,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { ring: 8 << 20, stage: 8 << 20, reply: 16 << 20, event: 256 << 10 }
    }
}

impl Sizes {
    /// The least sizes that work, for tests: everything wraps every few records.
    pub const TINY: Sizes = Sizes { ring: 4096, stage: 16384, reply: 4096, event: 4096 };

    /// Sizes that the rings can have: powers of two, not too small, not too large.
    pub fn sane(&self) -> Sizes {
        let sane = |n: u32, least: u32| {
            let n = n.clamp(least, 1 << 30);
            if n.is_power_of_two() { n } else { n.next_power_of_two() >> 1 }
        };
        Sizes {
            ring: sane(self.ring, Self::TINY.ring),
            stage: sane(self.stage, Self::TINY.stage),
            reply: sane(self.reply, Self::TINY.reply),
            event: sane(self.event, Self::TINY.event),
        }
    }

    /// The lesser of each.
    pub fn at_most(&self, other: &Sizes) -> Sizes {
        Sizes {
            ring: self.ring.min(other.ring),
            stage: self.stage.min(other.stage),
            reply: self.reply.min(other.reply),
            event: self.event.min(other.event),
        }
        .sane()
    }
}

/// What a client wants from its link.
#[derive(Clone, Debug)]
pub struct LinkOptions {
    /// Where the server is ([`Transport::Spawn`] or [`Transport::Unix`] for [`crate::ClientLink::connect`]).
    pub transport: Transport,
    /// Asked sizes.
    pub sizes: Sizes,
    /// Longest spin before a wait sleeps.
    pub spin: Duration,
    /// Bound of a wait; its expiry is a fault.
    pub wait: Duration,
    /// The server's executable, for spawn; without it `forerund` beside the library.
    pub server: Option<PathBuf>,
    /// Wishes for the server, by knob name (`FORERUN_BACKEND`, `FORERUN_PRESENT`, `FORERUN_GL_VERSION`, …).
    pub wants: Vec<(String, String)>,
}

impl Default for LinkOptions {
    fn default() -> Self {
        LinkOptions {
            transport: Transport::Spawn,
            sizes: Sizes::default(),
            spin: Duration::from_micros(50),
            wait: Duration::from_secs(120),
            server: None,
            wants: Vec::new(),
        }
    }
}

impl LinkOptions {
    /// What the knobs say. `wants` is left empty.
    pub fn from_knobs(knobs: &Knobs) -> LinkOptions {
        LinkOptions {
            transport: knobs.transport.clone(),
            sizes: sizes(knobs),
            spin: Duration::from_micros(knobs.spin_us.into()),
            wait: Duration::from_millis(knobs.wait_ms.into()),
            server: knobs.server_path.clone(),
            wants: Vec::new(),
        }
    }
}

/// What a server grants.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Greatest sizes; a client that asks for less gets less.
    pub sizes: Sizes,
    /// Longest spin before a wait sleeps.
    pub spin: Duration,
    /// Bound of the handshake.
    pub wait: Duration,
    /// Retired stage bytes are overwritten with 0xDD.
    pub audit: bool,
    /// Bytes of all own segments that are alive at once.
    pub own_bytes: u64,
    /// Whether only clients of the server's own user are served.
    pub same_user: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions {
            sizes: Sizes::default(),
            spin: Duration::from_micros(50),
            wait: Duration::from_secs(120),
            audit: false,
            own_bytes: 16 << 30,
            same_user: true,
        }
    }
}

impl ServerOptions {
    /// What the knobs say.
    pub fn from_knobs(knobs: &Knobs) -> ServerOptions {
        ServerOptions {
            sizes: sizes(knobs),
            spin: Duration::from_micros(knobs.spin_us.into()),
            wait: Duration::from_millis(knobs.wait_ms.into()),
            audit: knobs.audit,
            ..ServerOptions::default()
        }
    }
}

fn sizes(knobs: &Knobs) -> Sizes {
    let kib = |n: u32| n.saturating_mul(1 << 10);
    Sizes {
        ring: kib(knobs.ring_kb),
        stage: kib(knobs.stage_kb),
        reply: kib(knobs.reply_kb),
        event: kib(knobs.event_kb),
    }
}

/// What a client says first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The client's process.
    pub pid: u32,
    /// The client's build, for logs.
    pub build: String,
    /// Asked sizes.
    pub sizes: Sizes,
    /// Wishes by knob name.
    pub wants: Vec<(String, String)>,
}

impl Hello {
    /// A wish, if the client has it.
    pub fn want(&self, name: &str) -> Option<&str> {
        self.wants.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}
