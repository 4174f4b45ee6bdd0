//! EGL, GLX and surfaces: the library that programs load.
//!
//! A glvnd vendor ([`abi`], and [`glx`] for its other half): libEGL finds the `egl*` functions through [`procs`], and the `gl*` functions of `forerun-gl` too. An entry
//! point of [`api`] turns handles into objects, calls them, and sets the thread's error. Objects live in their [`display`]; what is
//! current on a thread keeps itself alive ([`current`]). Each share group has a link of its own ([`session`]).

pub mod abi;
pub mod api;
pub mod config;
pub mod context;
pub mod current;
pub mod display;
pub mod egl;
#[cfg(feature = "embedded")]
mod embedded;
pub mod error;
pub mod foreign;
pub mod glx;
pub mod procs;
pub mod request;
pub mod session;
pub mod settings;
pub mod stats;
pub mod stubs;
pub mod surface;
pub mod sync;
pub mod wayland;
mod wishes;
