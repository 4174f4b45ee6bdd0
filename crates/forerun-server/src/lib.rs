//! The server: sessions, the applier (records to object tables and context state), the [`Backend`] trait and the supervisor.
//!
//! A backend sees nothing but what the applier has checked and resolved: object descriptions in [`Tables`], the applied state in
//! [`ContextState`], and bytes as bounded views.

pub mod applier;
pub mod backend;
pub mod bytes;
pub mod gate;
pub mod null;
pub mod objects;
pub mod peer;
pub mod quota;
pub mod recording;
pub mod session;
pub mod state;
pub mod stats;
pub mod supervisor;
pub mod tables;

pub use applier::Applier;
pub use backend::{Backend, Failure};
pub use bytes::{Dest, Source};
pub use null::NullBackend;
pub use peer::Peer;
pub use quota::Quotas;
pub use session::{Ended, Session, Terms};
pub use state::ContextState;
pub use tables::Tables;
