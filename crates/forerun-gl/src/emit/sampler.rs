//! Image units.

use crate::context::State;
use crate::stream::Stream;

/// Sends the image units that moved.
pub fn sync_images(_state: &mut State, _stream: &mut Stream) {}
