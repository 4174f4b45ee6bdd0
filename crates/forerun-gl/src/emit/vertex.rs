//! Vertex formats, vertex buffers, the element buffer, current values.

use crate::context::State;
use crate::error::GlResult;
use crate::stream::Stream;
use forerun_pipe::RawHandle;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{
    BindVertexElements, CreateVertexElements, SetIndexBuffer, SetVertexAttribDefaults,
    SetVertexBuffers, VertexAttrib, VertexBinding, VertexBuffer,
};
use smallvec::SmallVec;
use std::sync::Arc;
use zerocopy::IntoBytes;

/// Sends the format of the bound vertex array: a bind, after a create when the content is new.
///
/// # Errors
/// GL_OUT_OF_MEMORY when no handle can be minted.
pub fn sync_format(state: &mut State, stream: &mut Stream) -> GlResult {
    if state.vertex.current.elements.is_none() {
        let elements = find_or_create(state, stream)?;
        state.vertex.current.elements = Some(elements);
    }
    let handle = state.vertex.current.elements.as_ref().map_or(RawHandle::NULL, |e| e.raw());
    if state.tracker.vertex_format != handle {
        state.tracker.vertex_format = handle;
        BindVertexElements { handle }.send(stream);
    }
    Ok(())
}

type Elements = Arc<crate::stream::Owned<kind::VertexElements>>;

fn find_or_create(state: &mut State, stream: &mut Stream) -> GlResult<Elements> {
    let array = &state.vertex.current;
    let attribs: Vec<VertexAttrib> = array
        .enabled_attribs()
        .map(|(location, a)| VertexAttrib {
            location,
            binding: a.binding,
            size: a.size,
            ty: a.ty,
            normalized: u32::from(a.normalized),
            class: a.class,
            relative_offset: a.relative_offset,
            pad: 0,
        })
        .collect();
    let used = array.used_bindings();
    let bindings: Vec<VertexBinding> = (0..32)
        .filter(|index| used >> index & 1 != 0)
        .map(|binding| VertexBinding { binding, divisor: array.bindings[binding as usize].divisor })
        .collect();
    let content = [attribs.as_bytes(), bindings.as_bytes()].concat();
    if let Some(known) = state.tracker.vertex_elements.find(|known| *known == content) {
        return Ok(Arc::clone(known));
    }
    let owned = Arc::new(stream.mint::<kind::VertexElements>()?);
    CreateVertexElements {
        handle: owned.raw(),
        attrib_count: attribs.len() as u32,
        binding_count: bindings.len() as u32,
    }
    .send(stream, &attribs, &bindings);
    state.tracker.vertex_elements.insert(content, Arc::clone(&owned));
    Ok(owned)
}

/// Sends the bindings that enabled attributes use and whose buffer, offset or stride moved.
pub fn sync_buffers(state: &mut State, stream: &mut Stream) {
    let array = &state.vertex.current;
    let mut used = array.used_bindings();
    let mut moved = SmallVec::<[VertexBuffer; 16]>::new();
    while used != 0 {
        let index = used.trailing_zeros() as usize;
        used &= used - 1;
        let binding = &array.bindings[index];
        let now = match &binding.buffer {
            Some(buffer) => VertexBuffer {
                buffer: buffer.handle.raw(),
                offset: binding.offset,
                stride: binding.stride,
                binding: index as u32,
            },
            None => {
                VertexBuffer { binding: index as u32, stride: binding.stride, ..Default::default() }
            }
        };
        if state.tracker.vertex_buffers[index] != now {
            state.tracker.vertex_buffers[index] = now;
            moved.push(now);
        }
    }
    if !moved.is_empty() {
        SetVertexBuffers { count: moved.len() as u32, pad: 0 }.send(stream, &moved);
    }
}

/// Sends the element buffer.
pub fn sync_index_buffer(state: &mut State, stream: &mut Stream) {
    let buffer =
        state.vertex.current.element_buffer.as_ref().map_or(RawHandle::NULL, |b| b.handle.raw());
    if state.tracker.index_buffer != buffer {
        state.tracker.index_buffer = buffer;
        SetIndexBuffer { buffer }.send(stream);
    }
}

/// Sends the current values that moved. The server starts from (0, 0, 0, 1).
pub fn sync_defaults(state: &mut State, stream: &mut Stream) {
    let limit = state.caps.limits.max_vertex_attribs.clamp(0, 32) as usize;
    let mut moved = SmallVec::<[_; 16]>::new();
    for index in 0..limit {
        let now = state.vertex.defaults[index];
        if state.tracker.attrib_defaults[index] != now {
            state.tracker.attrib_defaults[index] = now;
            moved.push(now);
        }
    }
    if !moved.is_empty() {
        SetVertexAttribDefaults { count: moved.len() as u32, pad: 0 }.send(stream, &moved);
    }
}
