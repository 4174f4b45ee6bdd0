//! Transform feedback (OpenGL ES 3.2, section 12.1).

use super::buffer::{Buffer, IndexedPoint};
use crate::context::State;
use crate::error::GlResult;
use crate::group::Group;
use crate::value::Value;
use std::sync::Arc;

/// Feedback objects of a context.
#[derive(Debug, Default)]
pub struct FeedbackState {}

impl FeedbackState {
    /// The default feedback object is bound.
    ///
    /// # Errors
    /// GL_OUT_OF_MEMORY when no handle can be minted.
    pub fn new(_group: &Group) -> GlResult<FeedbackState> {
        Ok(FeedbackState {})
    }
}

/// Whether the bound feedback object is active (paused or not).
pub fn is_active(_state: &State) -> bool {
    false
}

/// Whether the bound feedback object is active and paused.
pub fn is_paused(_state: &State) -> bool {
    false
}

/// Whether an active feedback object, paused or not, captures from that program.
pub fn uses_program(_state: &State, _program: &super::program::Program) -> bool {
    false
}

/// Binds a buffer to an indexed point of the bound feedback object.
pub fn bind_target(_state: &mut State, _index: u32, _point: IndexedPoint) {}

/// A buffer was deleted: it is unbound from the bound feedback object.
pub fn buffer_deleted(_state: &mut State, _buffer: &Arc<Buffer>) {}

/// Checks a draw's mode against the captured primitive (OpenGL ES 3.2, section 12.1.2).
///
/// # Errors
/// GL_INVALID_OPERATION.
pub fn check_draw(_state: &State, _mode: u32) -> GlResult {
    Ok(())
}

/// Checks that the targets have room for a draw's vertices, where the API asks for it (OpenGL ES 3.0 and 3.1).
///
/// # Errors
/// GL_INVALID_OPERATION.
pub fn check_room(_state: &State, _mode: u32, _vertices: u64) -> GlResult {
    Ok(())
}

/// Checks that an indexed draw is allowed while capturing (not in OpenGL ES 3.0 and 3.1).
///
/// # Errors
/// GL_INVALID_OPERATION.
pub fn check_indexed(_state: &State) -> GlResult {
    Ok(())
}

/// Checks that an indirect draw is allowed while capturing (not in OpenGL ES 3.1).
///
/// # Errors
/// GL_INVALID_OPERATION.
pub fn check_indirect(_state: &State) -> GlResult {
    Ok(())
}

/// Answers glGet*.
pub fn get(_state: &State, _pname: u32) -> Option<Value> {
    None
}

/// Answers glGet*i_v.
pub fn get_indexed(_state: &State, _pname: u32, _index: u32) -> Option<GlResult<Value>> {
    None
}
