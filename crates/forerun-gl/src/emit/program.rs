//! Executables, their uniforms and bindings, and which one draws and dispatches.

use super::Dirty;
use crate::context::State;
use crate::error::GlResult;
use crate::state::framebuffer;
use crate::state::program_linked::{Linked, Values};
use crate::state::program_subroutine;
use crate::stream::{Stream, lost};
use forerun_pipe::handle::kind;
use forerun_pipe::records::{
    ByteRange, CreateShaderState, SetDispatchProgram, SetDrawProgram, SetGlobalConstants,
    SetProgramBindings,
};
use forerun_pipe::{RawHandle, gl};
use smallvec::SmallVec;
use std::sync::Arc;

/// Gives a link its executable on the server, unless it has one.
///
/// # Errors
/// GL_OUT_OF_MEMORY when no handle can be minted or the session is lost.
pub fn introduce(linked: &Linked, stream: &mut Stream) -> GlResult<RawHandle> {
    if let Some(executable) = linked.executable.get() {
        return Ok(executable.raw());
    }
    let executable = stream.mint::<kind::Executable>()?;
    let bytes = linked.archive.encode();
    let (archive, inline) = stream.link.content(&bytes).map_err(|fault| lost(&fault))?;
    CreateShaderState { handle: executable.raw(), archive }.send(stream, inline);
    Ok(linked.executable.get_or_init(|| executable).raw())
}

/// Sends what moved: the executables, changed uniforms and bindings, the selection.
///
/// # Errors
/// GL_OUT_OF_MEMORY when no handle can be minted or the session is lost.
pub fn sync(state: &mut State, stream: &mut Stream) -> GlResult {
    state.program.refresh();
    let draw = state.program.drawing().map(Arc::clone);
    let dispatch = state.program.dispatching().map(Arc::clone);
    if let Some(linked) = &draw {
        let samples = || {
            let samples =
                framebuffer::get(state, gl::SAMPLES).and_then(|value| value.to_i32s().next());
            samples.unwrap_or(0).max(1) as u32
        };
        linked.set_builtins(state.raster.viewports[0].depth_range, samples);
    }
    for linked in draw.iter().chain(&dispatch) {
        if !linked.archive.subroutine_uniforms.is_empty() {
            program_subroutine::apply(&state.program.subroutines, linked);
        }
    }
    let (draw, draw_bound) = send(draw.as_ref(), stream)?;
    let (dispatch, dispatch_bound) = send(dispatch.as_ref(), stream)?;
    state.program.mark_sent();
    if draw_bound
        || dispatch_bound
        || state.tracker.draw_program != draw
        || state.tracker.dispatch_program != dispatch
    {
        state.dirty |= Dirty::TEXTURES;
    }
    if state.tracker.draw_program != draw {
        state.tracker.draw_program = draw;
        SetDrawProgram { executable: draw }.send(stream);
    }
    if state.tracker.dispatch_program != dispatch {
        state.tracker.dispatch_program = dispatch;
        SetDispatchProgram { executable: dispatch }.send(stream);
    }
    Ok(())
}

/// Gives the executable, and whether what its slots read moved.
fn send(linked: Option<&Arc<Linked>>, stream: &mut Stream) -> GlResult<(RawHandle, bool)> {
    let Some(linked) = linked else { return Ok((RawHandle::NULL, false)) };
    let handle = introduce(linked, stream)?;
    linked.gather();
    let mut values = linked.values.borrow_mut();
    send_constants(handle, &mut values, stream)?;
    let moved = std::mem::take(&mut values.bindings_changed);
    if moved {
        let b = &values.bindings;
        let mut units = b.samplers.clone();
        units.extend_from_slice(&b.images);
        SetProgramBindings {
            executable: handle,
            block_count: b.blocks.len() as u32,
            sampler_count: b.samplers.len() as u32,
            image_count: b.images.len() as u32,
            storage_count: b.storages.len() as u32,
        }
        .send(stream, &b.blocks, &units, &b.storages);
    }
    Ok((handle, moved))
}

fn send_constants(executable: RawHandle, values: &mut Values, stream: &mut Stream) -> GlResult {
    if values.changed.is_empty() {
        return Ok(());
    }
    let ranges: SmallVec<[ByteRange; 4]> = values
        .changed
        .iter()
        .map(|r| ByteRange { offset: r.start, size: r.end - r.start })
        .collect();
    let slice = |r: &ByteRange| {
        values.bytes.get(r.offset as usize..(r.offset + r.size) as usize).unwrap_or(&[])
    };
    let gathered: SmallVec<[u8; 256]>;
    let bytes = match ranges.as_slice() {
        [only] => slice(only),
        several => {
            gathered = several.iter().flat_map(|r| slice(r).iter().copied()).collect();
            &gathered
        }
    };
    let (blob, inline) = stream.link.content(bytes).map_err(|fault| lost(&fault))?;
    SetGlobalConstants { executable, range_count: ranges.len() as u32, pad: 0, bytes: blob }
        .send(stream, &ranges, inline);
    values.changed.clear();
    Ok(())
}
