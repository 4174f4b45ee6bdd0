//! The client: what a program's GL calls become.
//!
//! Three layers, each with one file per family (`buffer texture sampler framebuffer vertex program raster query sync feedback draw clear
//! blit readback debug`):
//!
//! - [`api`]: the C entry points. An entry turns pointers into slices and calls one function of the layer below. Nothing else.
//! - [`state`]: objects and state. A setter validates as the specification says, stores, and marks its family dirty; what GL executes
//!   at once on a resource (define, upload, copy, parameters) is sent from here.
//! - [`emit`]: at a verb, walks the dirty families once and sends what differs from what was last sent, then the verb.
//!
//! A [`Context`] belongs to one thread at a time. An API call is inside its [`Group`](group::Group) from beginning to end, which costs
//! nothing while one thread alone uses the group (see [`forerun_link::Bias`]); so what is [`Shared`](shared::Shared) needs no lock of
//! its own. Container objects (vertex arrays, framebuffers, feedback objects, pipelines) and queries belong to their context. All
//! contexts of a group write to one [`Stream`](stream::Stream).
//!
//! Deleting sends nothing by itself: the last reference to an object puts its handle into the [`Graveyard`](stream::Graveyard), and the
//! next user of the stream sends the death, which is therefore after the last use.

pub mod api;
pub mod context;
pub mod emit;
pub mod entry;
pub mod error;
pub mod extensions;
pub mod group;
pub mod names;
pub mod proc_address;
pub mod shared;
pub mod state;
pub mod stream;
pub mod tokens;
pub mod value;

#[cfg(test)]
mod tests;

pub use context::{Api, Config, Context};
pub use error::{GlError, GlResult};
pub use group::Group;
pub use proc_address::get_proc_address;
pub use state::get::renderer;
