//! Vertex formats, vertex and index buffers, current attribute values, tessellation parameters.

use super::{Applier, buffer::MAX_OFFSET, corrupt};
use crate::objects::VertexElements;
use crate::state::VertexBufferBinding;
use forerun_pipe::fault::Result;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, Kind, gl};

fn is_attrib_type(ty: u32) -> bool {
    matches!(
        ty,
        gl::BYTE
            | gl::UNSIGNED_BYTE
            | gl::SHORT
            | gl::UNSIGNED_SHORT
            | gl::INT
            | gl::UNSIGNED_INT
            | gl::HALF_FLOAT
            | gl::HALF_FLOAT_OES
            | gl::FLOAT
            | gl::DOUBLE
            | gl::FIXED
            | gl::INT_2_10_10_10_REV
            | gl::UNSIGNED_INT_2_10_10_10_REV
            | gl::UNSIGNED_INT_10F_11F_11F_REV
    )
}

pub(super) fn create_vertex_elements(
    a: &mut Applier,
    p: &CreateVertexElements,
    attribs: &[VertexAttrib],
    bindings: &[VertexBinding],
) -> Result<()> {
    if p.attrib_count > MAX_VERTEX_ATTRIBS || p.binding_count > MAX_VERTEX_ATTRIBS {
        return corrupt("CreateVertexElements.attrib_count");
    }
    let mut seen = 0u32;
    for attrib in attribs {
        if attrib.location >= MAX_VERTEX_ATTRIBS || seen & (1 << attrib.location) != 0 {
            return corrupt("CreateVertexElements.location");
        }
        seen |= 1 << attrib.location;
        if attrib.binding >= MAX_VERTEX_ATTRIBS {
            return corrupt("CreateVertexElements.binding");
        }
        let size_ok = matches!(attrib.size, 1..=4 | gl::BGRA);
        if !size_ok || !is_attrib_type(attrib.ty) || attrib.class > attrib_class::LONG {
            return corrupt("CreateVertexElements.size");
        }
        if attrib.relative_offset > i32::MAX as u32 {
            return corrupt("CreateVertexElements.relative_offset");
        }
    }
    if bindings.iter().any(|b| b.binding >= MAX_VERTEX_ATTRIBS) {
        return corrupt("CreateVertexElements.binding");
    }
    let serial = a.tables.clock.tick();
    let object = VertexElements { attribs: attribs.to_vec(), bindings: bindings.to_vec(), serial };
    a.tables.vertex_elements.create(p.handle, object, "CreateVertexElements.handle")?;
    Ok(())
}

pub(super) fn bind_vertex_elements(a: &mut Applier, p: &BindVertexElements) -> Result<()> {
    let alive = a.tables.vertex_elements.check(p.handle, "BindVertexElements.handle")?;
    let serial = a.tables.clock.tick();
    let state = a.state("BindVertexElements.context")?;
    state.vertex_elements.value = if alive { Handle::from_raw(p.handle) } else { Handle::NULL };
    state.vertex_elements.serial = serial;
    Ok(())
}

pub(super) fn delete_vertex_elements(a: &mut Applier, p: &DeleteVertexElements) -> Result<()> {
    if a.tables.vertex_elements.check(p.handle, "DeleteVertexElements.handle")? {
        a.tables.vertex_elements.destroy(Handle::from_raw(p.handle));
        a.backend.destroyed(Kind::VertexElements, p.handle);
    }
    Ok(())
}

pub(super) fn set_vertex_buffers(
    a: &mut Applier,
    _: &SetVertexBuffers,
    buffers: &[VertexBuffer],
) -> Result<()> {
    let serial = a.tables.clock.tick();
    for buffer in buffers {
        if buffer.offset > MAX_OFFSET {
            return corrupt("SetVertexBuffers.offset");
        }
        if buffer.stride > i32::MAX as u32 {
            return corrupt("SetVertexBuffers.stride");
        }
        let alive = a.tables.buffers.check(buffer.buffer, "SetVertexBuffers.buffer")?;
        let state = a.state("SetVertexBuffers.context")?;
        let Some(slot) = state.vertex_buffers.value.get_mut(buffer.binding as usize) else {
            return corrupt("SetVertexBuffers.binding");
        };
        *slot = VertexBufferBinding {
            buffer: if alive { Handle::from_raw(buffer.buffer) } else { Handle::NULL },
            offset: buffer.offset,
            stride: buffer.stride,
        };
        state.vertex_buffers.serial = serial;
    }
    Ok(())
}

pub(super) fn set_index_buffer(a: &mut Applier, p: &SetIndexBuffer) -> Result<()> {
    let alive = a.tables.buffers.check(p.buffer, "SetIndexBuffer.buffer")?;
    let serial = a.tables.clock.tick();
    let state = a.state("SetIndexBuffer.context")?;
    state.index_buffer.value = if alive { Handle::from_raw(p.buffer) } else { Handle::NULL };
    state.index_buffer.serial = serial;
    Ok(())
}

pub(super) fn set_vertex_attrib_defaults(
    a: &mut Applier,
    _: &SetVertexAttribDefaults,
    values: &[AttribDefault],
) -> Result<()> {
    let serial = a.tables.clock.tick();
    let state = a.state("SetVertexAttribDefaults.context")?;
    for value in values {
        if value.class > 3 {
            return corrupt("SetVertexAttribDefaults.class");
        }
        let Some(slot) = state.attrib_defaults.value.get_mut(value.location as usize) else {
            return corrupt("SetVertexAttribDefaults.location");
        };
        *slot = *value;
    }
    state.attrib_defaults.serial = serial;
    Ok(())
}

pub(super) fn set_patch_state(a: &mut Applier, p: &SetPatchState) -> Result<()> {
    if p.vertices == 0 || p.vertices > 256 {
        return corrupt("SetPatchState.vertices");
    }
    let serial = a.tables.clock.tick();
    let state = a.state("SetPatchState.context")?;
    state.patch.value = *p;
    state.patch.serial = serial;
    Ok(())
}
