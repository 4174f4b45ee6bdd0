//! Shader and program objects (OpenGL ES 3.2, chapter 7).

use crate::context::{Config, Context, State};
use crate::error::{GlResult, invalid_operation};
use crate::value::Value;

/// Shader and program objects of a share group.
#[derive(Debug, Default)]
pub struct ShaderNamespace {}

/// The current program and pipelines of a context.
#[derive(Debug, Default)]
pub struct ProgramState {}

impl ProgramState {
    /// No program.
    pub fn new(_config: &Config) -> ProgramState {
        ProgramState {}
    }
}

/// Whether there is something to draw with: a program or pipeline with the stages that the mode needs. Without one, nothing is
/// drawn, which is no error outside the core profile.
///
/// # Errors
/// GL_INVALID_OPERATION when the stages do not fit the mode.
pub fn check_draw(_cx: &mut Context, _mode: u32) -> GlResult<bool> {
    Ok(false)
}

/// Whether there is a compute program.
///
/// # Errors
/// GL_INVALID_OPERATION when there is none.
pub fn check_dispatch(_cx: &mut Context) -> GlResult {
    invalid_operation("no compute program is current")
}

/// Whether the current program reads gl_DrawID: then draws are not joined.
pub fn reads_draw_id(_state: &State) -> bool {
    false
}

/// Answers glGet*.
pub fn get(_state: &State, _pname: u32) -> Option<Value> {
    None
}
