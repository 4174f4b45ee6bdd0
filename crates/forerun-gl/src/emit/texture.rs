//! Textures and sampler objects at their units.

use crate::context::State;
use crate::error::GlResult;
use crate::state::texture::{TARGETS, target_index};
use crate::stream::Stream;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{
    BindSamplerStates, BoundSampler, BoundView, CreateSamplerState, MAX_TEXTURE_UNITS,
    SetSamplerViews,
};
use forerun_pipe::{RawHandle, gl};
use smallvec::SmallVec;
use std::sync::Arc;

use super::tracker::same;

/// Sends the textures of units whose binding moved: of each unit the one that the current program's sampler reads, or else the one
/// that was bound last.
pub fn sync_views(state: &mut State, stream: &mut Stream) {
    let used = state.texture.used;
    if state.tracker.views.len() < used {
        let known = state.tracker.views.len();
        state.tracker.views.extend(
            (known..used).map(|unit| BoundView { unit: unit as u32, ..Default::default() }),
        );
    }
    find_rows(state);
    let rows = &state.texture.rows.rows;
    let mut moved = SmallVec::<[_; 16]>::new();
    for unit in 0..used {
        let wanted = rows.get(unit).copied().flatten();
        let row = wanted.map_or(state.texture.units[unit].last, usize::from);
        let texture = state.texture.at(unit, row).map_or(RawHandle::NULL, |t| t.handle.raw());
        let now = BoundView { texture, unit: unit as u32, target: TARGETS[row] };
        let sent = &mut state.tracker.views[unit];
        if *sent != now {
            *sent = now;
            moved.push(now);
        }
    }
    if !moved.is_empty() {
        SetSamplerViews { count: moved.len() as u32, pad: 0 }.send(stream, &moved);
    }
}

/// The rows of [`TARGETS`] that the current programs' samplers read, unit by unit.
#[derive(Debug, Default)]
pub struct Rows {
    /// Id of the link and serial of its units, for dispatches and for draws, as of which `rows` is.
    of: [Option<(u64, u64)>; 2],
    rows: Vec<Option<u8>>,
}

/// Brings [`Rows`] up to date.
fn find_rows(state: &mut State) {
    let programs = [state.program.dispatching(), state.program.drawing()];
    let of = programs.map(|linked| linked.map(|linked| (linked.id, linked.units_serial())));
    if state.texture.rows.of == of {
        return;
    }
    let known = &mut state.texture.rows;
    known.of = of;
    known.rows.clear();
    known.rows.resize(MAX_TEXTURE_UNITS as usize, None);
    for linked in programs.into_iter().flatten() {
        let values = linked.values.borrow_mut();
        for sampler in &linked.archive.samplers {
            let row = sampler_target(sampler.ty).and_then(target_index).map(|row| row as u8);
            for slot in sampler.slot..sampler.slot.saturating_add(sampler.count) {
                let unit = values.bindings.samplers.get(slot as usize).copied();
                if let Some(slot) = unit.and_then(|unit| known.rows.get_mut(unit as usize)) {
                    *slot = row;
                }
            }
        }
    }
}

/// The texture target that a sampler of that GL type reads.
fn sampler_target(ty: u32) -> Option<u32> {
    Some(match ty {
        gl::SAMPLER_2D
        | gl::SAMPLER_2D_SHADOW
        | gl::INT_SAMPLER_2D
        | gl::UNSIGNED_INT_SAMPLER_2D => gl::TEXTURE_2D,
        gl::SAMPLER_CUBE
        | gl::SAMPLER_CUBE_SHADOW
        | gl::INT_SAMPLER_CUBE
        | gl::UNSIGNED_INT_SAMPLER_CUBE => gl::TEXTURE_CUBE_MAP,
        gl::SAMPLER_3D | gl::INT_SAMPLER_3D | gl::UNSIGNED_INT_SAMPLER_3D => gl::TEXTURE_3D,
        gl::SAMPLER_2D_ARRAY
        | gl::SAMPLER_2D_ARRAY_SHADOW
        | gl::INT_SAMPLER_2D_ARRAY
        | gl::UNSIGNED_INT_SAMPLER_2D_ARRAY => gl::TEXTURE_2D_ARRAY,
        gl::SAMPLER_CUBE_MAP_ARRAY
        | gl::SAMPLER_CUBE_MAP_ARRAY_SHADOW
        | gl::INT_SAMPLER_CUBE_MAP_ARRAY
        | gl::UNSIGNED_INT_SAMPLER_CUBE_MAP_ARRAY => gl::TEXTURE_CUBE_MAP_ARRAY,
        gl::SAMPLER_BUFFER | gl::INT_SAMPLER_BUFFER | gl::UNSIGNED_INT_SAMPLER_BUFFER => {
            gl::TEXTURE_BUFFER
        }
        gl::SAMPLER_2D_MULTISAMPLE
        | gl::INT_SAMPLER_2D_MULTISAMPLE
        | gl::UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE => gl::TEXTURE_2D_MULTISAMPLE,
        gl::SAMPLER_2D_MULTISAMPLE_ARRAY
        | gl::INT_SAMPLER_2D_MULTISAMPLE_ARRAY
        | gl::UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE_ARRAY => gl::TEXTURE_2D_MULTISAMPLE_ARRAY,
        gl::SAMPLER_1D
        | gl::SAMPLER_1D_SHADOW
        | gl::INT_SAMPLER_1D
        | gl::UNSIGNED_INT_SAMPLER_1D => gl::TEXTURE_1D,
        gl::SAMPLER_1D_ARRAY
        | gl::SAMPLER_1D_ARRAY_SHADOW
        | gl::INT_SAMPLER_1D_ARRAY
        | gl::UNSIGNED_INT_SAMPLER_1D_ARRAY => gl::TEXTURE_1D_ARRAY,
        gl::SAMPLER_2D_RECT
        | gl::SAMPLER_2D_RECT_SHADOW
        | gl::INT_SAMPLER_2D_RECT
        | gl::UNSIGNED_INT_SAMPLER_2D_RECT => gl::TEXTURE_RECTANGLE,
        _ => return None,
    })
}

/// Sends the sampler objects of units whose binding or parameters moved, after a create when the parameters are new.
///
/// # Errors
/// GL_OUT_OF_MEMORY when no handle can be minted.
pub fn sync_samplers(state: &mut State, stream: &mut Stream) -> GlResult {
    let used = state.texture.used;
    if state.tracker.samplers.len() < used {
        let known = state.tracker.samplers.len();
        state.tracker.samplers.extend(
            (known..used).map(|unit| BoundSampler { unit: unit as u32, ..Default::default() }),
        );
    }
    let mut moved = SmallVec::<[_; 16]>::new();
    for unit in 0..used {
        let sampler = match &state.texture.units[unit].sampler {
            None => RawHandle::NULL,
            Some(sampler) => {
                let mut data = sampler.data.borrow_mut();
                match &data.state {
                    Some(known) => known.raw(),
                    None => {
                        let params = data.params;
                        let cache = &mut state.tracker.sampler_states;
                        let owned = match cache.find(|known| same(known, &params)) {
                            Some(known) => Arc::clone(known),
                            None => {
                                let owned = Arc::new(stream.mint::<kind::Sampler>()?);
                                CreateSamplerState { handle: owned.raw(), params }.send(stream);
                                cache.insert(params, Arc::clone(&owned));
                                owned
                            }
                        };
                        let raw = owned.raw();
                        data.state = Some(owned);
                        raw
                    }
                }
            }
        };
        let now = BoundSampler { sampler, unit: unit as u32, pad: 0 };
        let sent = &mut state.tracker.samplers[unit];
        if *sent != now {
            *sent = now;
            moved.push(now);
        }
    }
    if !moved.is_empty() {
        BindSamplerStates { count: moved.len() as u32, pad: 0 }.send(stream, &moved);
    }
    Ok(())
}
