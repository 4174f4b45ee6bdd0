//! Pixel store parameters and reading pixels (OpenGL ES 3.2, section 16.1).

use crate::context::State;
use crate::value::Value;
/// Pixel store parameters of a context.
#[derive(Clone, Copy, Debug, Default)]
pub struct PixelStoreState {}

/// Answers glGet*.
pub fn get(_state: &State, _pname: u32) -> Option<Value> {
    None
}
