//! Draws and dispatches.

use super::maps::{self, reads::Vertices};
use super::{Applier, Content, corrupt, query::MAX_STREAMS};
use crate::backend::{ClientArray, Draw, Extent, Failure, Grid, Indices};
use crate::objects::Executable;
use crate::state::{Env, Target};
use forerun_pipe::codec::BlobRef;
use forerun_pipe::fault::Result;
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, RawHandle, gl, indices};

/// Client indices of one draw at most; they are copied to private memory.
const MAX_INDEX_BYTES: u64 = 1 << 30;

fn is_mode(mode: u32) -> bool {
    matches!(mode, gl::POINTS..=gl::TRIANGLE_FAN | gl::LINES_ADJACENCY..=gl::PATCHES)
}

/// Where the indices end that a range reads.
pub(super) fn index_end(range: &DrawRange, width: usize) -> u64 {
    u64::from(range.start) + u64::from(range.count) * width as u64
}

pub(super) fn draw_vbo(
    a: &mut Applier,
    p: &DrawVbo,
    ranges: &[DrawRange],
    arrays: &[UserArray],
    indirect: &[DrawIndirect],
) -> Result<()> {
    if !is_mode(p.mode) {
        return corrupt("DrawVbo.mode");
    }
    let index = if p.index_type == 0 { None } else { Some(indices::width(p.index_type)) };
    if index == Some(None) {
        return corrupt("DrawVbo.index_type");
    }
    let index = index.flatten();
    if p.instance_count > i32::MAX as u32 || p.base_instance > i32::MAX as u32 {
        return corrupt("DrawVbo.instance_count");
    }
    let sources = usize::from(p.range_count > 0)
        + usize::from(p.indirect_count > 0)
        + usize::from(!p.feedback.is_null());
    if p.indirect_count > 1 || sources > 1 {
        return corrupt("DrawVbo.indirect_count");
    }
    let limit = i32::MAX as u32;
    if ranges.iter().any(|r| r.count > limit || (index.is_none() && r.start > limit)) {
        return corrupt("DrawVbo.ranges");
    }
    if p.array_count > MAX_VERTEX_ATTRIBS {
        return corrupt("DrawVbo.array_count");
    }
    let owned = p.indices.segment != BlobRef::NONE.segment;
    if owned && (index.is_none() || sources == 0 || p.range_count == 0) {
        return corrupt("DrawVbo.indices");
    }
    // Indices steer the driver: they are private before it sees them.
    let private = if owned { Some(client_indices(a, p, ranges, index)?) } else { None };
    let contents = arrays
        .iter()
        .map(|array| {
            if array.binding >= MAX_VERTEX_ATTRIBS || array.stride > limit {
                return corrupt("DrawVbo.arrays");
            }
            if array.bytes.segment == BlobRef::INLINE {
                return corrupt("DrawVbo.arrays");
            }
            a.content(&array.bytes, &[], "DrawVbo.arrays")
        })
        .collect::<Result<Vec<Content>>>()?;
    let arrays: Vec<ClientArray> = arrays
        .iter()
        .zip(&contents)
        .map(|(array, content)| ClientArray {
            bytes: content.source(),
            binding: array.binding,
            stride: array.stride,
        })
        .collect();

    let mut kept = Vec::new();
    let (indices, ranges) = match (index, &private) {
        (None, _) => (Indices::None, ranges),
        (Some(_), Some(bytes)) => (Indices::Client { ty: p.index_type, bytes }, ranges),
        (Some(bytes), None) => {
            // What reaches past the element buffer is undefined in GL; here it is skipped.
            let state = a.state("DrawVbo.context")?;
            let handle = state.index_buffer.value;
            let buffer = a.tables.buffers.get(handle).filter(|buffer| !buffer.declined);
            let Some(buffer) = buffer else { return Ok(()) };
            let fits = |r: &DrawRange| index_end(r, bytes) <= buffer.size;
            let ranges = if ranges.iter().all(fits) {
                ranges
            } else {
                kept.extend(ranges.iter().filter(|r| fits(r)));
                &kept[..]
            };
            (Indices::Buffer { ty: p.index_type }, ranges)
        }
    };
    let extent = match indirect.first() {
        Some(indirect) => match indirect_extent(a, indirect, index.is_some())? {
            Some(extent) => extent,
            None => return Ok(()),
        },
        None if !p.feedback.is_null() => {
            if index.is_some() || p.stream >= MAX_STREAMS {
                return corrupt("DrawVbo.stream");
            }
            if !a.tables.feedbacks.check(p.feedback, "DrawVbo.feedback")? {
                return Ok(());
            }
            Extent::Feedback { handle: Handle::from_raw(p.feedback), stream: p.stream }
        }
        None => Extent::Ranges(ranges),
    };
    let nothing = matches!(extent, Extent::Ranges(ranges) if ranges.iter().all(|r| r.count == 0));
    if nothing || (p.instance_count == 0 && indirect.is_empty()) {
        return Ok(());
    }
    let vertices = match extent {
        // Client indices tell which vertices are read, too, but they come with client arrays as a rule.
        Extent::Ranges(ranges) if !owned => Vertices::Ranges {
            ranges,
            index,
            instances: p.instance_count,
            base_instance: p.base_instance,
        },
        _ => Vertices::Unknown,
    };
    maps::sync_bound(a, &vertices)?;
    let env = Env::of(&a.tables, &a.contexts, a.current, "DrawVbo.context")?;
    let Some((_, executable)) = env.draw_executable() else { return Ok(()) };
    if matches!(env.draw_target(), Target::None) {
        return Ok(());
    }
    if a.any_declined && (reads_declined_vertices(&env) || reads_declined_images(&env, executable))
    {
        return Ok(());
    }
    let draw = Draw {
        mode: p.mode,
        indices,
        extent,
        instance_count: p.instance_count,
        base_instance: p.base_instance,
        first_draw_id: p.first_draw_id,
        first_vertex: p.first_vertex,
        arrays: &arrays,
    };
    a.counts.draws += match extent {
        Extent::Ranges(ranges) => ranges.len() as u64,
        Extent::Indirect { draw_count, .. } => u64::from(draw_count),
        Extent::Feedback { .. } => 1,
    };
    let outcome = a.backend.draw(&env, &draw);
    a.settle(outcome)
}

/// Whether a draw fetches vertices from a buffer without a store: what it would draw is older than the program thinks.
fn reads_declined_vertices(env: &Env) -> bool {
    let Some(elements) = env.tables.vertex_elements.get(env.context.vertex_elements.value) else {
        return false;
    };
    elements.attribs.iter().any(|attrib| {
        let bound = env.context.vertex_buffers.get(attrib.binding as usize);
        bound.is_some_and(|bound| {
            let declined = env.tables.buffers.get(bound.buffer).is_some_and(|b| b.declined);
            if declined {
                let RawHandle { slot, generation } = bound.buffer.raw();
                log::debug!("a draw is skipped: buffer {slot}.{generation} was declined");
            }
            declined
        })
    })
}

/// The same of textures that the program samples or stores to.
fn reads_declined_images(env: &Env, executable: &Executable) -> bool {
    let bindings = &executable.bindings;
    let views = bindings.samplers.iter().filter_map(|unit| env.context.views.get(*unit as usize));
    let images = bindings.images.iter().filter_map(|unit| env.context.images.get(*unit as usize));
    let textures = views.map(|view| view.texture);
    textures.chain(images.map(|image| Handle::from_raw(image.texture))).any(|texture| {
        let declined = env.tables.textures.get(texture).is_some_and(|object| object.declined);
        if declined {
            let RawHandle { slot, generation } = texture.raw();
            log::debug!("a draw is skipped: texture {slot}.{generation} was declined");
        }
        declined
    })
}

fn client_indices(
    a: &mut Applier,
    p: &DrawVbo,
    ranges: &[DrawRange],
    index: Option<usize>,
) -> Result<Vec<u8>> {
    const INDICES: &str = "DrawVbo.indices";
    let Some(bytes) = index else { return corrupt(INDICES) };
    let end = ranges.iter().map(|r| index_end(r, bytes)).max().unwrap_or(0);
    if end > p.indices.size || p.indices.size > MAX_INDEX_BYTES {
        return corrupt(INDICES);
    }
    if p.indices.segment == BlobRef::INLINE {
        return corrupt(INDICES);
    }
    Ok(a.content(&p.indices, &[], INDICES)?.source().to_vec())
}

/// Checks indirect commands. `None`: a buffer is dead or declined, or the commands leave it.
fn indirect_extent<'a>(
    a: &mut Applier,
    p: &DrawIndirect,
    indexed: bool,
) -> Result<Option<Extent<'a>>> {
    let tight = if indexed { 20 } else { 16 };
    let stride = if p.stride == 0 { tight } else { p.stride };
    if !p.offset.is_multiple_of(4) || !stride.is_multiple_of(4) || stride > i32::MAX as u32 {
        return corrupt("DrawVbo.indirect.offset");
    }
    if p.draw_count > i32::MAX as u32 || !p.parameter_offset.is_multiple_of(4) {
        return corrupt("DrawVbo.indirect.draw_count");
    }
    let alive = a.tables.buffers.check(p.buffer, "DrawVbo.indirect.buffer")?;
    let counted = !p.parameter_buffer.is_null();
    let parameter =
        a.tables.buffers.check(p.parameter_buffer, "DrawVbo.indirect.parameter_buffer")?;
    if !alive || (counted && !parameter) || p.draw_count == 0 {
        return Ok(None);
    }
    let buffer = Handle::from_raw(p.buffer);
    let commands = u64::from(p.draw_count - 1) * u64::from(stride) + u64::from(tight);
    let mut fits = holds(a, buffer, p.offset, commands);
    let mut count = None;
    if counted {
        let handle = Handle::from_raw(p.parameter_buffer);
        fits &= holds(a, handle, p.parameter_offset, 4);
        maps::sync(a, handle)?;
        count = Some((handle, p.parameter_offset));
    }
    if !fits {
        a.settle(Err(Failure::gl(gl::INVALID_OPERATION, "indirect commands leave their buffer")))?;
        return Ok(None);
    }
    maps::sync(a, buffer)?;
    Ok(Some(Extent::Indirect {
        buffer,
        offset: p.offset,
        parameter: count,
        draw_count: p.draw_count,
        stride,
    }))
}

/// Whether a living store has that range.
fn holds(a: &Applier, handle: Handle<kind::Buffer>, offset: u64, size: u64) -> bool {
    a.tables.buffers.get(handle).is_some_and(|buffer| {
        !buffer.declined && offset.checked_add(size).is_some_and(|end| end <= buffer.size)
    })
}

pub(super) fn launch_grid(a: &mut Applier, p: &LaunchGrid) -> Result<()> {
    let grid = if p.indirect != 0 {
        if !p.offset.is_multiple_of(4) {
            return corrupt("LaunchGrid.offset");
        }
        if !a.tables.buffers.check(p.buffer, "LaunchGrid.buffer")? {
            return Ok(());
        }
        let buffer = Handle::from_raw(p.buffer);
        if !holds(a, buffer, p.offset, 12) {
            return a.settle(Err(Failure::gl(
                gl::INVALID_OPERATION,
                "the group counts leave their buffer",
            )));
        }
        maps::sync(a, buffer)?;
        Grid::Indirect { buffer, offset: p.offset }
    } else if p.groups.contains(&0) {
        return Ok(());
    } else {
        Grid::Groups(p.groups)
    };
    maps::sync_bound(a, &Vertices::None)?;
    let env = Env::of(&a.tables, &a.contexts, a.current, "LaunchGrid.context")?;
    let Some((_, executable)) = env.dispatch_executable() else { return Ok(()) };
    if a.any_declined && reads_declined_images(&env, executable) {
        return Ok(());
    }
    let outcome = a.backend.dispatch(&env, &grid);
    a.settle(outcome)
}
