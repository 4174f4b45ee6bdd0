//! Indexed buffer binding points, class by class.

use super::Dirty;
use super::tracker::same;
use crate::context::State;
use crate::stream::Stream;
use forerun_pipe::records::{BufferRange, SetShaderBuffers};
use smallvec::SmallVec;

/// Sends the points of the classes that moved. Classes are compared apart.
pub fn sync_points(state: &mut State, stream: &mut Stream, moved: Dirty) {
    for (class, dirty) in [Dirty::UNIFORM_BUFFERS, Dirty::STORAGE_BUFFERS, Dirty::ATOMIC_BUFFERS]
        .into_iter()
        .enumerate()
    {
        if !moved.contains(dirty) {
            continue;
        }
        let points = &state.buffer.points[class];
        let used = points.iter().rposition(|p| p.buffer.is_some()).map_or(0, |last| last + 1);
        let ranges: SmallVec<[BufferRange; 16]> =
            points[..used].iter().map(|p| p.range()).collect();
        let sent = &mut state.tracker.points[class];
        if same(sent.as_slice(), ranges.as_slice()) {
            continue;
        }
        let mut writable_mask = [0u32; 4];
        if class != 0 {
            for index in 0..used {
                writable_mask[index / 32] |= 1 << (index % 32);
            }
        }
        SetShaderBuffers { class: class as u32, count: used as u32, writable_mask }
            .send(stream, &ranges);
        sent.clear();
        sent.extend_from_slice(&ranges);
    }
}
