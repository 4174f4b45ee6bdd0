//! Render state, viewports, patch parameters.

use super::tracker::same;
use crate::context::State;
use crate::error::GlResult;
use crate::stream::Stream;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{BindRenderState, CreateRenderState, SetViewports};
use std::sync::Arc;

/// Sends the pipeline half: a bind, after a create when the content is new.
///
/// # Errors
/// GL_OUT_OF_MEMORY when no handle can be minted.
pub fn sync_pipeline(state: &mut State, stream: &mut Stream) -> GlResult {
    let desc = &state.raster.desc;
    let tracker = &mut state.tracker;
    let handle = match tracker.render_states.find(|known| same(known, desc)) {
        Some(known) => known.raw(),
        None => {
            let owned = Arc::new(stream.mint::<kind::RenderState>()?);
            let handle = owned.raw();
            CreateRenderState { handle, desc: *desc }.send(stream);
            tracker.render_states.insert(*desc, owned);
            handle
        }
    };
    if tracker.render_state != handle {
        tracker.render_state = handle;
        BindRenderState { handle }.send(stream);
    }
    Ok(())
}

/// Sends the dynamic half.
pub fn sync_dynamic(state: &mut State, stream: &mut Stream) {
    let now = state.raster.dynamic;
    if !state.tracker.dynamic.as_ref().is_some_and(|sent| same(sent, &now)) {
        now.send(stream);
        state.tracker.dynamic = Some(now);
    }
}

/// Sends the viewports from the first to the last that moved.
pub fn sync_viewports(state: &mut State, stream: &mut Stream) {
    let now = &state.raster.viewports[..state.viewport_count()];
    let sent = &mut state.tracker.viewports;
    let moved =
        |index: &usize| sent.get(*index).is_none_or(|viewport| !same(viewport, &now[*index]));
    let (Some(first), Some(last)) = ((0..now.len()).find(moved), (0..now.len()).rfind(moved))
    else {
        return;
    };
    let range = &now[first..=last];
    SetViewports { first: first as u32, count: range.len() as u32 }.send(stream, range);
    sent.clear();
    sent.extend_from_slice(now);
}

/// Sends the patch parameters.
pub fn sync_patch(state: &mut State, stream: &mut Stream) {
    let now = state.raster.patch;
    if !state.tracker.patch.as_ref().is_some_and(|sent| same(sent, &now)) {
        now.send(stream);
        state.tracker.patch = Some(now);
    }
}
