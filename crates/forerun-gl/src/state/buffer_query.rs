//! What glGet* says of buffer objects and their binding points.

use super::buffer::{Buffer, bound};
use super::map::Map;
use crate::context::{Api, Context, State};
use crate::error::{GlResult, check_enum, invalid_enum, invalid_value};
use crate::value::Value;
use forerun_pipe::gl;
use std::sync::Arc;

/// glGetBufferParameter*.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown parameter.
pub fn parameter(cx: &mut Context, target: u32, pname: u32) -> GlResult<i64> {
    let buffer = bound(cx, target)?;
    let data = buffer.data.borrow_mut();
    let map = data.map.as_ref();
    check_enum(cx.state.knows(pname), "buffer parameter")?;
    Ok(match pname {
        gl::BUFFER_SIZE => data.size as i64,
        gl::BUFFER_USAGE => i64::from(data.usage),
        gl::BUFFER_MAPPED => i64::from(map.is_some()),
        gl::BUFFER_ACCESS => i64::from(map.map_or(
            if cx.config.api == Api::Es { gl::WRITE_ONLY } else { gl::READ_WRITE },
            Map::old_access,
        )),
        gl::BUFFER_ACCESS_FLAGS => i64::from(map.map_or(0, |m| m.access)),
        gl::BUFFER_MAP_LENGTH => map.map_or(0, |m| m.len() as i64),
        gl::BUFFER_MAP_OFFSET => map.map_or(0, |m| m.offset as i64),
        gl::BUFFER_IMMUTABLE_STORAGE => i64::from(data.immutable),
        gl::BUFFER_STORAGE_FLAGS => i64::from(data.storage_flags),
        _ => return invalid_enum("buffer parameter"),
    })
}

fn name_of(buffer: &Option<Arc<Buffer>>) -> Value {
    Value::int(buffer.as_ref().map_or(0, |b| b.name))
}

/// Answers glGet* for bindings.
pub fn get(state: &State, pname: u32) -> Option<Value> {
    let slots = &state.buffer.slots;
    Some(name_of(match pname {
        gl::ARRAY_BUFFER_BINDING => &slots.array,
        gl::ELEMENT_ARRAY_BUFFER_BINDING => &state.vertex.current.element_buffer,
        gl::PIXEL_PACK_BUFFER_BINDING => &slots.pixel_pack,
        gl::PIXEL_UNPACK_BUFFER_BINDING => &slots.pixel_unpack,
        gl::COPY_READ_BUFFER_BINDING => &slots.copy_read,
        gl::COPY_WRITE_BUFFER_BINDING => &slots.copy_write,
        gl::UNIFORM_BUFFER_BINDING => &slots.uniform,
        gl::TRANSFORM_FEEDBACK_BUFFER_BINDING => &slots.feedback,
        gl::SHADER_STORAGE_BUFFER_BINDING => &slots.storage,
        gl::ATOMIC_COUNTER_BUFFER_BINDING => &slots.atomic,
        gl::DRAW_INDIRECT_BUFFER_BINDING => &slots.draw_indirect,
        gl::DISPATCH_INDIRECT_BUFFER_BINDING => &slots.dispatch_indirect,
        gl::TEXTURE_BUFFER_BINDING => &slots.texture,
        gl::QUERY_BUFFER_BINDING => &slots.query,
        gl::PARAMETER_BUFFER_BINDING => &slots.parameter,
        _ => return None,
    }))
}

/// Answers glGet*i_v for indexed points.
pub fn get_indexed(state: &State, pname: u32, index: u32) -> Option<GlResult<Value>> {
    let class = match pname {
        gl::UNIFORM_BUFFER_BINDING | gl::UNIFORM_BUFFER_START | gl::UNIFORM_BUFFER_SIZE => 0,
        gl::SHADER_STORAGE_BUFFER_BINDING
        | gl::SHADER_STORAGE_BUFFER_START
        | gl::SHADER_STORAGE_BUFFER_SIZE => 1,
        gl::ATOMIC_COUNTER_BUFFER_BINDING
        | gl::ATOMIC_COUNTER_BUFFER_START
        | gl::ATOMIC_COUNTER_BUFFER_SIZE => 2,
        _ => return None,
    };
    let Some(point) = state.buffer.points[class].get(index as usize) else {
        return Some(invalid_value("index of a binding point"));
    };
    Some(Ok(match pname {
        gl::UNIFORM_BUFFER_START
        | gl::SHADER_STORAGE_BUFFER_START
        | gl::ATOMIC_COUNTER_BUFFER_START => Value::int(point.offset as i64),
        gl::UNIFORM_BUFFER_SIZE
        | gl::SHADER_STORAGE_BUFFER_SIZE
        | gl::ATOMIC_COUNTER_BUFFER_SIZE => Value::int(point.size as i64),
        _ => name_of(&point.buffer),
    }))
}
