//! What glGet* says of vertex arrays.

use crate::context::State;
use crate::error::{GlResult, invalid_value};
use crate::value::Value;
use forerun_pipe::gl;

/// Answers glGet*.
pub fn get(state: &State, pname: u32) -> Option<Value> {
    Some(match pname {
        gl::VERTEX_ARRAY_BINDING => Value::int(state.vertex.current.name),
        _ => return None,
    })
}

/// Answers glGet*i_v for vertex buffer bindings.
pub fn get_indexed(state: &State, pname: u32, index: u32) -> Option<GlResult<Value>> {
    if !matches!(
        pname,
        gl::VERTEX_BINDING_OFFSET
            | gl::VERTEX_BINDING_STRIDE
            | gl::VERTEX_BINDING_DIVISOR
            | gl::VERTEX_BINDING_BUFFER
    ) {
        return None;
    }
    let limit = state.caps.limits.max_vertex_attrib_bindings.clamp(0, 32) as usize;
    let Some(binding) = state.vertex.current.bindings[..limit].get(index as usize) else {
        return Some(invalid_value("binding index"));
    };
    Some(Ok(match pname {
        gl::VERTEX_BINDING_OFFSET => Value::int(binding.offset as i64),
        gl::VERTEX_BINDING_STRIDE => Value::int(binding.stride),
        gl::VERTEX_BINDING_DIVISOR => Value::int(binding.divisor),
        _ => Value::int(binding.buffer.as_ref().map_or(0, |b| b.name)),
    }))
}
