//! Which bytes of a buffer a verb reads, as far as that is known without the GPU; whatever is not known counts as read.

use super::super::Applier;
use super::super::draw::index_end;
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, indices};
use std::ops::Range;

/// No vertex attribute has more bytes: four doubles.
const WIDEST: u64 = 32;
const ALL: Range<u64> = 0..u64::MAX;

/// What is known of the vertices that a verb reads.
pub(in super::super) enum Vertices<'a> {
    /// Nothing: the GPU knows.
    Unknown,
    /// The verb reads no vertices.
    None,
    /// Those of some ranges.
    Ranges {
        /// The ranges, in vertices or in indices.
        ranges: &'a [DrawRange],
        /// Bytes of an index in the element buffer, where there are indices.
        index: Option<usize>,
        /// Instances.
        instances: u32,
        /// First instance.
        base_instance: u32,
    },
}

/// First and last vertex.
pub(super) type Span = (u64, u64);

/// Where a draw's indices stand, if they stand in that buffer.
pub(super) fn of_indices(
    a: &Applier,
    buffer: Handle<kind::Buffer>,
    vertices: &Vertices,
) -> Vec<Range<u64>> {
    let bound = a.contexts.get(a.current).is_some_and(|c| c.index_buffer.value == buffer);
    match vertices {
        Vertices::Unknown if bound => vec![ALL],
        Vertices::Ranges { ranges, index: Some(width), .. } if bound => {
            ranges.iter().map(|r| u64::from(r.start)..index_end(r, *width)).collect()
        }
        _ => Vec::new(),
    }
}

/// The vertices that a draw reads. Indices are known when the program has their buffer mapped, and they are copied already.
pub(super) fn span(a: &Applier, vertices: &Vertices) -> Option<Span> {
    let Vertices::Ranges { ranges, index, .. } = vertices else { return None };
    let Some(width) = *index else {
        let used = ranges.iter().filter(|r| r.count > 0);
        let first = used.clone().map(|r| u64::from(r.start)).min()?;
        let last = used.map(|r| u64::from(r.start) + u64::from(r.count) - 1).max()?;
        return Some((first, last));
    };
    let context = a.contexts.get(a.current)?;
    let map = a.maps.iter().find(|map| map.buffer == context.index_buffer.value)?;
    let desc = &a.tables.render_states.get(context.render_state.value)?.desc;
    let restart = indices::restart(desc, context.dynamic.restart_index, width);
    let mut span = None;
    for range in *ranges {
        let bytes = map.held(u64::from(range.start)..index_end(range, width))?;
        span = indices::reach(span, bytes, width, range.base_vertex, restart);
    }
    let (first, last) = span?;
    Some((u64::try_from(first).ok()?, u64::try_from(last).ok()?))
}

/// What a verb reads of a buffer but its indices.
pub(super) fn others(
    a: &Applier,
    buffer: Handle<kind::Buffer>,
    vertices: &Vertices,
    span: Option<Span>,
) -> Vec<Range<u64>> {
    let Some(context) = a.contexts.get(a.current) else { return Vec::new() };
    let mut out = Vec::new();
    let elements = a.tables.vertex_elements.get(context.vertex_elements.value);
    if let Some(elements) = elements.filter(|_| !matches!(vertices, Vertices::None)) {
        for (binding, bound) in context.vertex_buffers.iter().enumerate() {
            if bound.buffer != buffer {
                continue;
            }
            let own = elements.attribs.iter().filter(|attrib| attrib.binding as usize == binding);
            let Some(offset) = own.map(|attrib| attrib.relative_offset).max() else { continue };
            let divisor = elements.bindings.iter().find(|b| b.binding as usize == binding);
            let divisor = u64::from(divisor.map_or(0, |b| b.divisor));
            let read = match vertices {
                Vertices::Ranges { instances, base_instance, .. } if divisor > 0 => {
                    let first = u64::from(*base_instance);
                    Some((first, first + u64::from(instances.saturating_sub(1)) / divisor))
                }
                _ => span,
            };
            let stride = u64::from(bound.stride);
            let element = |n: u64| n.saturating_mul(stride).saturating_add(bound.offset);
            out.push(match read {
                Some((first, last)) => {
                    let end = element(last).saturating_add(u64::from(offset) + WIDEST);
                    element(first)..end
                }
                None => bound.offset..u64::MAX,
            });
        }
    }
    let points = context.shader_buffers.iter().flat_map(|class| class.value.ranges.iter());
    let points = points.filter(|range| range.buffer == buffer);
    // A whole buffer's size is larger than any: the end is cut to the map's.
    out.extend(points.map(|range| range.offset..range.offset.saturating_add(range.size)));
    let texel = |texture: Handle<kind::Texture>| {
        let texel = a.tables.textures.get(texture)?.texel_buffer?;
        (texel.buffer == buffer).then_some(ALL)
    };
    out.extend(context.views.iter().filter_map(|view| texel(view.texture)));
    let images = context.images.iter().map(|image| Handle::from_raw(image.texture));
    out.extend(images.filter_map(texel));
    if super::captured(a, context.feedback.value, buffer) {
        out.push(ALL);
    }
    out
}
