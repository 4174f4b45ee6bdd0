//! The draw record, and joining draws that differ in their range only.

use super::Dirty;
use crate::context::State;
use crate::error::{GlResult, check_operation};
use crate::state::draw::Indices;
use crate::state::program;
use crate::stream::{Stream, lost};
use forerun_pipe::codec::BlobRef;
use forerun_pipe::records::{DrawIndirect, DrawRange, DrawVbo, UserArray};
use forerun_pipe::{RawHandle, Seq, indices};
use smallvec::SmallVec;
use zerocopy::IntoBytes;

/// The draw at the stream's end: while it is unpublished, a draw with the same state and info joins its range list.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenDraw {
    seq: Seq,
    info: DrawVbo,
    context: RawHandle,
}

/// What a draw reads.
const DRAW: Dirty = Dirty::all();

/// Ranges that are sent in one record at most; more are cut into several records.
const MAX_RANGES: usize = 128;

/// Ranges of one record.
type Batch = SmallVec<[DrawRange; MAX_RANGES]>;

/// Sends a draw of some ranges, after the state that moved.
///
/// # Errors
/// GL_OUT_OF_MEMORY when client memory cannot be copied.
#[inline]
pub fn draw(
    state: &mut State,
    stream: &mut Stream,
    info: DrawVbo,
    indices: Option<Indices>,
    ranges: impl Iterator<Item = DrawRange>,
) -> GlResult {
    // Before the walk, which forgets that it moved; and always, as what it finds is used later.
    let arrays = state.client_bindings() != 0;
    let client = arrays || indices.is_some_and(|i| i.client.is_some());
    state.bind(stream);
    super::sync(state, stream, DRAW)?;
    let mut ranges = ranges;
    let Some(first) = ranges.next() else { return Ok(()) };
    let Some(second) = ranges.next() else {
        stream.draws += 1;
        return flush(state, stream, info, indices, &mut [first], client);
    };
    let mut batch = Batch::new();
    let mut first_draw_id = 0;
    for range in [first, second].into_iter().chain(ranges) {
        batch.push(range);
        if batch.len() == MAX_RANGES {
            stream.draws += MAX_RANGES as u64;
            let info = DrawVbo { first_draw_id, ..info };
            flush(state, stream, info, indices, &mut batch, client)?;
            first_draw_id += MAX_RANGES as u32;
            batch.clear();
        }
    }
    if batch.is_empty() {
        return Ok(());
    }
    stream.draws += batch.len() as u64;
    flush(state, stream, DrawVbo { first_draw_id, ..info }, indices, &mut batch, client)
}

fn flush(
    state: &mut State,
    stream: &mut Stream,
    mut info: DrawVbo,
    indices: Option<Indices>,
    ranges: &mut [DrawRange],
    client: bool,
) -> GlResult {
    if client {
        return with_client_memory(state, stream, info, indices, ranges);
    }
    if let [range] = ranges
        && join(state, stream, &info, range)
    {
        return Ok(());
    }
    info.range_count = ranges.len() as u32;
    let seq = info.send(stream, ranges, &[], &[]);
    stream.open_draw = OpenDraw { seq, info, context: state.handle.raw() };
    Ok(())
}

/// Adds the range to the open draw, if that is the last record, unpublished and alike.
#[inline]
fn join(state: &State, stream: &mut Stream, info: &DrawVbo, range: &DrawRange) -> bool {
    let open = &stream.open_draw;
    let alike = open.seq != 0
        && open.context == state.handle.raw()
        && DrawVbo { range_count: info.range_count, ..open.info } == *info
        && open.info.range_count < MAX_RANGES as u32;
    if !alike || stream.link.last_unpublished() != Some(open.seq) || program::reads_draw_id(state) {
        return false;
    }
    let grown = DrawVbo { range_count: open.info.range_count + 1, ..open.info };
    if !stream.link.extend_last(open.seq, grown.as_bytes(), range.as_bytes()) {
        return false;
    }
    stream.open_draw.info = grown;
    true
}

/// Sends an indirect draw.
///
/// # Errors
/// GL_OUT_OF_MEMORY when the session is lost.
pub fn indirect(
    state: &mut State,
    stream: &mut Stream,
    info: DrawVbo,
    indirect: DrawIndirect,
) -> GlResult {
    state.bind(stream);
    super::sync(state, stream, DRAW)?;
    stream.draws += 1;
    info.send(stream, &[], &[], &[indirect]);
    Ok(())
}

/// Copies what the draw reads of client memory to the stage, and sends it.
#[cold]
fn with_client_memory(
    state: &State,
    stream: &mut Stream,
    mut info: DrawVbo,
    indices: Option<Indices>,
    ranges: &mut [DrawRange],
) -> GlResult {
    let span = match &indices {
        None => array_span(ranges),
        Some(indices) => index_span(state, indices, ranges)?,
    };
    let Some((first, last)) = span else { return Ok(()) };
    if let Some(Indices { client: Some(pointer), .. }) = indices {
        let size = indices.map_or(4, |i| i.size());
        let len = ranges.first().map_or(0, |r| r.count as usize) * size;
        // SAFETY: the program promised `count` indices at that address.
        let bytes = unsafe { std::slice::from_raw_parts(pointer, len) };
        info.indices = put(stream, bytes)?;
    }
    let mut arrays = [UserArray::default(); 32];
    let mut count = 0;
    let mut bindings = state.vertex.client;
    while bindings != 0 {
        let index = bindings.trailing_zeros();
        bindings &= bindings - 1;
        let bytes = client_bytes(state, index, &info, first, last);
        arrays[count] = UserArray {
            bytes: put(stream, bytes)?,
            binding: index,
            stride: state.vertex.current.bindings[index as usize].stride,
        };
        count += 1;
    }
    info.first_vertex = first;
    info.range_count = ranges.len() as u32;
    info.array_count = count as u32;
    info.send(stream, ranges, &arrays[..count], &[]);
    Ok(())
}

fn put(stream: &mut Stream, bytes: &[u8]) -> GlResult<BlobRef> {
    stream.link.put(bytes).map_err(|fault| lost(&fault))
}

/// First and last vertex of ranges without indices.
fn array_span(ranges: &[DrawRange]) -> Option<(u32, u32)> {
    let first = ranges.iter().map(|r| r.start).min()?;
    let last = ranges.iter().map(|r| r.start.saturating_add(r.count - 1)).max()?;
    Some((first, last))
}

/// First and last vertex that indices reach; the restart index is none.
fn index_span(
    state: &State,
    given: &Indices,
    ranges: &[DrawRange],
) -> GlResult<Option<(u32, u32)>> {
    let width = given.size();
    let dynamic = &state.raster.dynamic;
    let restart = indices::restart(&state.raster.desc, dynamic.restart_index, width);
    let mut span = None;
    let mut reach = |bytes: &[u8], base: i32| {
        span = indices::reach(span, bytes, width, base, restart);
    };
    match (given.client, &state.vertex.current.element_buffer) {
        (Some(pointer), _) => {
            for range in ranges {
                let len = range.count as usize * width;
                // SAFETY: the program promised `count` indices at that address.
                reach(unsafe { std::slice::from_raw_parts(pointer, len) }, range.base_vertex);
            }
        }
        (None, Some(buffer)) => {
            let data = buffer.data.borrow_mut();
            let shadow = data.shadow.as_deref().unwrap_or_default();
            for range in ranges {
                let start = range.start as usize;
                let end = start + range.count as usize * width;
                let Some(bytes) = shadow.get(start..end) else {
                    return check_operation(false, "indices end behind the element buffer")
                        .map(|()| None);
                };
                reach(bytes, range.base_vertex);
            }
        }
        (None, None) => {}
    }
    Ok(span.and_then(|(first, last)| Some((u32::try_from(first).ok()?, u32::try_from(last).ok()?))))
}

/// The bytes of a client array that the draw reads, from element `first` (or the base instance) on.
fn client_bytes<'a>(state: &State, index: u32, info: &DrawVbo, first: u32, last: u32) -> &'a [u8] {
    let array = &state.vertex.current;
    let binding = &array.bindings[index as usize];
    let (first, elements) = match binding.divisor {
        0 => (first, u64::from(last - first) + 1),
        divisor => (info.base_instance, u64::from(info.instance_count.div_ceil(divisor))),
    };
    let element = array
        .enabled_attribs()
        .filter(|(_, a)| a.binding == index)
        .map(|(_, a)| a.relative_offset + a.bytes())
        .max()
        .unwrap_or(0);
    let stride = u64::from(binding.stride);
    let start = binding.offset + u64::from(first) * stride;
    let len = (elements - 1) * stride + u64::from(element);
    // SAFETY: the program promised an array at that address for every vertex that the draw reads (OpenGL ES 3.2, section 10.3.8).
    unsafe { std::slice::from_raw_parts(start as *const u8, len as usize) }
}

/// Sends a draw whose vertices a feedback object counts.
///
/// # Errors
/// GL_OUT_OF_MEMORY when the session is lost.
pub fn feedback(state: &mut State, stream: &mut Stream, info: DrawVbo) -> GlResult {
    state.bind(stream);
    super::sync(state, stream, DRAW)?;
    stream.draws += 1;
    info.send(stream, &[], &[], &[]);
    Ok(())
}
