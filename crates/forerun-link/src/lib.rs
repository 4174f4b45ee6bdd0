//! Carries records from the client to the server and answers and events back: segments, ring, stage, doorbell, progress page,
//! handshake and control messages. Code above this crate never asks which link it has.
//!
//! The client's end is [`ClientLink`], the server's end [`ServerLink`]. `unsafe` of shared memory lives here and nowhere above.
//!
//! Built with `--cfg loom`, only the cursors of the ring, the doorbell and the biased lock are here, with their models.

#[cfg_attr(loom, allow(dead_code))]
mod bell;
#[cfg_attr(loom, allow(dead_code))]
mod bias;
#[cfg_attr(loom, allow(dead_code))]
mod space;
mod sync;

#[cfg(loom)]
mod flow_models;
#[cfg(loom)]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;

macro_rules! unless_loom {
    ($($item:item)*) => { $( #[cfg(not(loom))] $item )* };
}

unless_loom! {
    mod accept;
    mod client;
    mod fork;
    mod link;
    mod memory;
    mod message;
    mod options;
    mod page;
    mod progress;
    mod ring;
    mod server;
    mod spawn;
    mod stage;
    mod wire;

    pub use crate::accept::check_user;
    pub use crate::bias::{Bias, Inside, Presence};
    pub use crate::fork::generation as forks;
    pub use crate::client::{ClientLink, CreditWait, LinkStats, OwnSegment, Pump, Reply, RowWaits, StageSlice, Status};
    pub use crate::options::{Hello, LinkOptions, ServerOptions, Sizes};
    pub use crate::progress::{Counter, FenceState, Progress};
    pub use crate::ring::RecordBuf;
    pub use crate::server::{Next, ServerLink, SharedBytes};
    pub use crate::spawn::{SERVER_FD, find_server};
}
