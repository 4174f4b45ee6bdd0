//! Reading and patching the SPIR-V that glslang made.

pub mod live;
pub mod mend;
pub mod module;
pub mod op;
pub mod patch;
pub mod trinary;
pub mod types;
