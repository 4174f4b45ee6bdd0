//! Sends the program family.

use crate::context::State;
use crate::error::GlResult;
use crate::stream::Stream;

/// Sends what moved.
///
/// # Errors
/// GL_OUT_OF_MEMORY when the session is lost.
pub fn sync(_state: &mut State, _stream: &mut Stream) -> GlResult {
    Ok(())
}
