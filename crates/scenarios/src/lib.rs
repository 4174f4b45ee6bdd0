//! Behaviour tests, each written once and run over topology × backend × mode.
//!
//! A scenario is a function that takes a [`World`]: a context with a drawable on a session of the topology, backend and mode of its
//! [`Cell`]. It draws, reads back, and compares with what the specification says. [`runner`] runs them: pairwise by default, the whole
//! product with `FORERUN_SCENARIOS=all`.

pub mod actors;
pub mod ahead;
mod capture;
pub mod cell;
pub mod census;
pub mod gl;
pub mod host;
pub mod random;
pub mod runner;
pub mod servers;
pub mod world;

pub use cell::{Api, Backend, Cell, Mode, Topology};
pub use gl::Gl;
pub use runner::{Scenario, main};
pub use world::World;
