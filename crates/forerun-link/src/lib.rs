//! Carries records from the client to the server and answers and events back: segments, ring, stage, doorbell, progress page,
//! handshake and control messages. Code above this crate never asks which link it has.
//!
//! The client's end is [`ClientLink`], the server's end [`ServerLink`]. `unsafe` of shared memory lives here and nowhere above.

mod client;
mod options;
mod progress;
mod server;

pub use client::{ClientLink, LinkStats, OwnSegment, Reply, StageSlice, Status};
pub use options::{Hello, LinkOptions, ServerOptions, Sizes};
pub use progress::{Counter, FenceState, Progress};
pub use server::{Next, RecordBuf, ServerLink, SharedBytes};
