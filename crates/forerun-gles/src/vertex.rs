//! Vertex arrays: one of the host's per vertex format.

use crate::backend::GlBackend;
use crate::binds::Slot;
use crate::host::Dialect;
use crate::twin::Native;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{MAX_VERTEX_ATTRIBS, attrib_class};
use forerun_pipe::{Handle, RawHandle, gl as c};
use forerun_server::Source;
use forerun_server::backend::{ClientArray, Draw, Indices};
use forerun_server::state::Env;

const BINDINGS: usize = MAX_VERTEX_ATTRIBS as usize;

/// A vertex buffer at a binding of the host: unique number, first byte, stride.
type Bound = (u64, u64, u32);

/// A vertex array of the host.
#[derive(Clone, Debug)]
pub struct VertexTwin {
    /// The object.
    pub native: Native,
    /// Bindings that its attributes use.
    bindings: Vec<u32>,
    /// Bindings that stand for another one at a later byte: host binding, the context's binding, bytes.
    moved: Vec<(u32, u32, u32)>,
    buffers: [Bound; BINDINGS],
    index_buffer: u64,
    /// Serials of the vertex buffers and of all buffers' stores that were synced.
    synced: (u64, u64),
    /// The same of the index buffer.
    index_synced: (u64, u64),
}

impl Default for VertexTwin {
    fn default() -> Self {
        VertexTwin {
            native: Native::NONE,
            bindings: Vec::new(),
            moved: Vec::new(),
            buffers: [(0, 0, 0); BINDINGS],
            index_buffer: 0,
            synced: (u64::MAX, 0),
            index_synced: (u64::MAX, 0),
        }
    }
}

impl GlBackend {
    /// A new vertex array without attributes.
    pub(crate) fn new_vertex_array(&mut self) -> VertexTwin {
        let mut name = 0;
        // SAFETY: one name.
        unsafe { self.host.gl.gen_vertex_arrays(1, &mut name) };
        VertexTwin { native: Native { name, uid: self.uid() }, ..Default::default() }
    }

    fn ensure_vertices(&mut self, env: &Env, handle: Handle<kind::VertexElements>) {
        if handle.is_null() || self.vertices.get(handle).is_some() {
            return;
        }
        let Some(object) = env.tables.vertex_elements.get(handle) else { return };
        let mut twin = self.new_vertex_array();
        let gl = &self.host.gl;
        self.binds.vertex_array(gl, twin.native);
        let taken: Vec<u32> = object.attribs.iter().map(|a| a.binding).collect();
        for attrib in &object.attribs {
            let (location, size, offset) =
                (attrib.location, attrib.size as i32, attrib.relative_offset);
            if location >= self.facts.limits.vertex_attribs
                || attrib.binding >= self.facts.limits.vertex_bindings
            {
                continue;
            }
            gl.enable_vertex_attrib_array(location);
            match attrib.class {
                attrib_class::INTEGER => {
                    gl.vertex_attrib_i_format(location, size, attrib.ty, offset)
                }
                attrib_class::LONG => gl.vertex_attrib_l_format(location, size, attrib.ty, offset),
                _ if attrib.ty == c::FIXED && self.host.dialect == Dialect::Gles => {
                    // ES drivers know GL_FIXED of old, but some only by the old function, which binds a buffer at an offset as well and
                    // takes no relative one: the attribute gets a binding of its own, which lies that much further.
                    gl.bind_buffer(c::ARRAY_BUFFER, self.zeros.name);
                    let normalized = u8::from(attrib.normalized != 0);
                    gl.vertex_attrib_pointer(location, size, attrib.ty, normalized, 0, 0);
                    gl.bind_buffer(c::ARRAY_BUFFER, 0);
                    if let Some(bound) = twin.buffers.get_mut(location as usize) {
                        *bound = (u64::MAX, 0, 0);
                    }
                    if offset > 0
                        && let Some(own) = (0..self.facts.limits.vertex_bindings)
                            .find(|b| !taken.contains(b) && !twin.bindings.contains(b))
                    {
                        gl.vertex_attrib_binding(location, own);
                        let divisor = object.bindings.iter().find(|b| b.binding == attrib.binding);
                        gl.vertex_binding_divisor(own, divisor.map_or(0, |b| b.divisor));
                        twin.moved.push((own, attrib.binding, offset));
                        twin.bindings.push(own);
                        continue;
                    }
                }
                _ => {
                    let normalized = u8::from(attrib.normalized != 0);
                    gl.vertex_attrib_format(location, size, attrib.ty, normalized, offset);
                }
            }
            if attrib.binding != location || attrib.ty == c::FIXED {
                gl.vertex_attrib_binding(location, attrib.binding);
            }
            if !twin.bindings.contains(&attrib.binding) {
                twin.bindings.push(attrib.binding);
            }
        }
        for binding in object.bindings.iter().filter(|b| b.divisor != 0) {
            if binding.binding < self.facts.limits.vertex_bindings {
                gl.vertex_binding_divisor(binding.binding, binding.divisor);
            }
        }
        self.vertices.insert(handle, twin);
    }

    /// Binds the vertex array of the context's format, with its buffers and the element buffer.
    pub(crate) fn sync_vertices(&mut self, env: &Env, draw: &Draw) {
        let handle = env.context.vertex_elements.value;
        if self.vertices.get(handle).is_none() {
            self.ensure_vertices(env, handle);
        }
        let key = (env.context.vertex_buffers.serial, self.buffer_epoch);
        let index_key = (env.context.index_buffer.serial, self.buffer_epoch);
        let twin = self.vertices.get(handle).unwrap_or(&self.no_vertices);
        let native = twin.native;
        let (stale, index_stale) = (twin.synced != key, twin.index_synced != index_key);
        self.binds.vertex_array(&self.host.gl, native);
        if stale && !twin_bindings(&self.vertices, handle).is_empty() {
            self.sync_vertex_buffers(env, handle, key);
        }
        if index_stale && matches!(draw.indices, Indices::Buffer { .. }) {
            let buffer = self.buffer(env.context.index_buffer.value);
            self.set_index_buffer(handle, buffer, index_key);
        }
        if !draw.arrays.is_empty() {
            self.client_arrays(env, handle, draw);
        }
    }

    fn sync_vertex_buffers(
        &mut self,
        env: &Env,
        handle: Handle<kind::VertexElements>,
        key: (u64, u64),
    ) {
        let count = twin_bindings(&self.vertices, handle).len();
        for i in 0..count {
            let Some(binding) = twin_bindings(&self.vertices, handle).get(i).copied() else {
                break;
            };
            let twin = self.vertices.get(handle);
            let moved = twin.and_then(|t| t.moved.iter().find(|m| m.0 == binding)).copied();
            let (source, more) = moved.map_or((binding, 0), |m| (m.1, m.2));
            let Some(wanted) = env.context.vertex_buffers.get(source as usize) else { continue };
            let mut buffer = self.buffer(wanted.buffer);
            let (mut offset, mut stride) = (wanted.offset + u64::from(more), wanted.stride);
            if buffer == Native::NONE {
                // Nothing is there, or client memory that rides the draw; the driver must never follow a null address.
                (buffer, offset, stride) = (self.zeros, 0, 0);
            }
            let Some(twin) = self.vertices.get_mut(handle) else { break };
            let Some(bound) = twin.buffers.get_mut(binding as usize) else { continue };
            if *bound != (buffer.uid, offset, stride) {
                *bound = (buffer.uid, offset, stride);
                self.host.gl.bind_vertex_buffer(
                    binding,
                    buffer.name,
                    offset as isize,
                    stride as i32,
                );
            }
        }
        if let Some(twin) = self.vertices.get_mut(handle) {
            twin.synced = key;
        }
    }

    /// Binds an element buffer to the bound vertex array.
    fn set_index_buffer(
        &mut self,
        handle: Handle<kind::VertexElements>,
        buffer: Native,
        key: (u64, u64),
    ) {
        let twin = match self.vertices.get_mut(handle) {
            Some(twin) => twin,
            None => &mut self.no_vertices,
        };
        twin.index_synced = key;
        if twin.index_buffer != buffer.uid {
            twin.index_buffer = buffer.uid;
            self.host.gl.bind_buffer(c::ELEMENT_ARRAY_BUFFER, buffer.name);
        }
    }

    /// Copies client indices into the ring and binds it; the byte offset at which they stand.
    pub(crate) fn client_indices(&mut self, env: &Env, bytes: &[u8]) -> u64 {
        let handle = env.context.vertex_elements.value;
        let (buffer, offset) = self.stream(Source::new(bytes), 4, 0);
        self.set_index_buffer(handle, buffer, (u64::MAX, 0));
        offset
    }

    fn client_arrays(&mut self, env: &Env, handle: Handle<kind::VertexElements>, draw: &Draw) {
        for ClientArray { bytes, binding, stride } in draw.arrays {
            let divided = env.tables.vertex_elements.get(handle).is_some_and(|o| {
                o.bindings.iter().any(|b| b.binding == *binding && b.divisor != 0)
            });
            let first = if divided { draw.base_instance } else { draw.first_vertex };
            let before = u64::from(first) * u64::from(*stride);
            let (buffer, offset) = self.stream(*bytes, 16, before);
            let Some(twin) = self.vertices.get_mut(handle) else { return };
            // The next draw without client arrays looks at all buffers again.
            twin.synced = (u64::MAX, 0);
            let Some(bound) = twin.buffers.get_mut(*binding as usize) else { continue };
            let wanted = (buffer.uid, offset - before, *stride);
            if *bound != wanted {
                *bound = wanted;
                self.host.gl.bind_vertex_buffer(
                    *binding,
                    buffer.name,
                    (offset - before) as isize,
                    *stride as i32,
                );
            }
        }
    }

    /// Puts bytes where the GPU can read them, with at least `before` bytes in front of them in the same buffer.
    fn stream(&mut self, bytes: Source, align: u64, before: u64) -> (Native, u64) {
        let len = bytes.len() as u64;
        let (gl, ring) = self.stream_ring();
        if len <= ring.largest() {
            let (place, moved) = ring.write(gl, len, align, |to| {
                // SAFETY: the ring has room for exactly these bytes at `to`.
                let room = unsafe { std::slice::from_raw_parts_mut(to, len as usize) };
                bytes.copy_to(room);
            });
            let buffer = ring.buffer;
            if moved {
                self.binds.forget_buffer(Slot::CopyWrite);
            }
            if place.offset >= before {
                return (buffer, place.offset);
            }
        }
        // Too large, or it would begin before the ring: a buffer of its own, which the next such draw uses again.
        let buffer = match self.oversize.pop() {
            Some(buffer) => buffer,
            None => self.new_buffer(),
        };
        self.oversize.insert(0, buffer);
        if self.oversize.len() < 8 {
            let spare = self.new_buffer();
            self.oversize.push(spare);
        }
        self.binds.buffer(&self.host.gl, Slot::CopyWrite, buffer);
        // SAFETY: no bytes are given; then exactly those of the view.
        unsafe {
            self.host.gl.buffer_data(
                c::COPY_WRITE_BUFFER,
                (before + len) as isize,
                std::ptr::null(),
                c::STREAM_DRAW,
            );
            self.host.gl.buffer_sub_data(
                c::COPY_WRITE_BUFFER,
                before as isize,
                len as isize,
                bytes.as_ptr().cast(),
            );
        }
        (buffer, before)
    }

    /// Current values of attributes.
    pub(crate) fn sync_attribs(&mut self, env: &Env) {
        let family = &env.context.attrib_defaults;
        if self.synced.attribs == family.serial {
            return;
        }
        self.synced.attribs = family.serial;
        let count = self.facts.limits.vertex_attribs as usize;
        for (location, wanted) in family.value.iter().enumerate().take(count) {
            let Some(had) = self.raster.attribs.get_mut(location) else { continue };
            if had.class == wanted.class && had.value == wanted.value {
                continue;
            }
            *had = *wanted;
            let (location, value) = (location as u32, wanted.value.as_ptr());
            let gl = &self.host.gl;
            // SAFETY: eight words stand there, four of 32 bits or four of 64 are read.
            unsafe {
                match wanted.class {
                    1 => gl.vertex_attrib_i4iv(location, value.cast()),
                    2 => gl.vertex_attrib_i4uiv(location, value),
                    3 => gl.vertex_attrib_l4dv(location, wanted.value.as_ptr().cast()),
                    _ => gl.vertex_attrib_4fv(location, value.cast()),
                }
            }
        }
    }

    pub(crate) fn vertex_elements_gone(&mut self, raw: RawHandle) {
        if let Some(twin) = self.vertices.remove(raw) {
            // SAFETY: one name.
            unsafe { self.host.gl.delete_vertex_arrays(1, &twin.native.name) };
            self.binds.vertex_array_gone(twin.native.uid);
        }
    }
}

fn twin_bindings(
    vertices: &crate::twin::Twins<kind::VertexElements, VertexTwin>,
    handle: Handle<kind::VertexElements>,
) -> &[u32] {
    vertices.get(handle).map_or(&[], |twin| &twin.bindings)
}
