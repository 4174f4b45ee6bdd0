//! The GL tokens, without their `GL_` (and with `_` before a digit): `gl::TEXTURE_2D`, `gl::_2_BYTES`.
//!
//! Made by the build script from Khronos' registry.

#![allow(non_upper_case_globals, reason = "the registry's own spelling")]

include!(concat!(env!("OUT_DIR"), "/tokens.rs"));
