//! Textures and sampler objects at their units.

use crate::context::State;
use crate::stream::Stream;

/// Sends the textures of units whose binding moved.
pub fn sync_views(_state: &mut State, _stream: &mut Stream) {}

/// Sends the sampler objects of units whose binding moved.
pub fn sync_samplers(_state: &mut State, _stream: &mut Stream) {}
