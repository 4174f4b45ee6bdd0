//! Image units.

use crate::context::State;
use crate::stream::Stream;
use forerun_pipe::records::{ImageView, SetShaderImages};
use smallvec::SmallVec;

/// Sends the image units that moved.
pub fn sync_images(state: &mut State, stream: &mut Stream) {
    let used = state.image.used;
    if state.tracker.images.len() < used {
        let known = state.tracker.images.len();
        state.tracker.images.extend(
            (known..used).map(|unit| ImageView { unit: unit as u32, ..Default::default() }),
        );
    }
    let mut moved = SmallVec::<[_; 8]>::new();
    for (unit, sent) in state.image.units[..used].iter().zip(&mut state.tracker.images) {
        if *sent != unit.view {
            *sent = unit.view;
            moved.push(unit.view);
        }
    }
    if !moved.is_empty() {
        SetShaderImages { count: moved.len() as u32, pad: 0 }.send(stream, &moved);
    }
}
