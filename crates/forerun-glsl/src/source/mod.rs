//! From the program's source to source that glslang takes.

pub mod builtins;
pub mod declarations;
pub mod extensions;
pub mod fetch;
pub mod fold;
pub mod images;
pub mod mend;
pub mod names;
pub mod prepass;
pub mod rewrite;
pub mod rules;
pub mod samplers;
pub mod structures;
pub mod subroutines;
pub mod token;
