//! The contract between the two halves of Forerun: the catalogue of calls that cross, their records,
//! the handles that name objects, the capabilities that the server states, and the names of what can go wrong.
//!
//! This crate does no I/O, knows no GL function and has no `unsafe` of its own.

pub mod archive;
pub mod caps;
pub mod catalogue;
pub mod codec;
pub mod convert;
pub mod event;
pub mod fault;
pub mod gl;
pub mod handle;
pub mod indices;
pub mod knobs;
pub mod layout;
pub mod pixel;
pub mod records;

pub use catalogue::{Dispatch, Op, ROWS, Wait, barriered};
pub use codec::{Header, Seq, Sink};
pub use fault::Fault;
pub use handle::{Handle, Kind, RawHandle};
