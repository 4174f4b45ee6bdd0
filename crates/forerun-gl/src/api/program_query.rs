//! Entry points that ask shaders and programs.

use super::program::name;
use super::{put, put_all, put_string, slice};
use crate::entries;
use crate::error::{GlResult, check_value, count};
use crate::state::{program_query as query, program_resource as resource};
use std::ffi::c_char;

/// Writes a variable as glGetActiveUniform and its kin do.
unsafe fn put_active(
    active: &query::Active,
    room: i32,
    length: *mut i32,
    size: *mut i32,
    ty: *mut u32,
    out: *mut c_char,
) {
    unsafe {
        put(size, active.size);
        put(ty, active.ty);
        put_string(active.name.as_bytes(), room, length, out);
    }
}

/// Writes as many names as there is room for, and their number.
///
/// # Errors
/// GL_INVALID_VALUE for negative room.
///
/// # Safety
/// The pointers are null or have room.
pub(super) unsafe fn put_some(
    names: Vec<u32>,
    room: i32,
    length: *mut i32,
    out: *mut u32,
) -> GlResult {
    let len = names.len().min(count(room)? as usize);
    unsafe {
        put(length, len as i32);
        put_all(out, names.into_iter().take(len));
    }
    Ok(())
}

entries! {
    // SAFETY (all below): the program promised room for as many values, or `room` bytes, as the specification says.
    fn glGetShaderiv(shader: u32, pname: u32, out: *mut i32) = |cx| {
        let value = query::shader_parameter(cx, shader, pname)?;
        unsafe { put(out, value) };
        Ok(())
    };
    fn glGetShaderInfoLog(shader: u32, room: i32, length: *mut i32, out: *mut c_char) = |cx| {
        let log = query::shader_log(cx, shader)?;
        check_value(room >= 0, "room for a log")?;
        unsafe { put_string(log.as_bytes(), room, length, out) };
        Ok(())
    };
    fn glGetShaderSource(shader: u32, room: i32, length: *mut i32, out: *mut c_char) = |cx| {
        let shader = cx.group.shader(shader)?;
        check_value(room >= 0, "room for a source")?;
        unsafe { put_string(&shader.data.borrow_mut().source, room, length, out) };
        Ok(())
    };
    fn glGetShaderPrecisionFormat(shader: u32, precision: u32, range: *mut i32, digits: *mut i32) = |_cx| {
        let (bounds, bits) = query::precision_format(shader, precision)?;
        unsafe {
            put_all(range, bounds.into_iter());
            put(digits, bits);
        }
        Ok(())
    };
    fn glGetProgramiv(program: u32, pname: u32, out: *mut i32) = |cx| {
        let (values, len) = query::program_parameter(cx, program, pname)?;
        unsafe { put_all(out, values.into_iter().take(len)) };
        Ok(())
    };
    fn glGetProgramInfoLog(program: u32, room: i32, length: *mut i32, out: *mut c_char) = |cx| {
        let log = query::program_log(cx, program)?;
        check_value(room >= 0, "room for a log")?;
        unsafe { put_string(log.as_bytes(), room, length, out) };
        Ok(())
    };
    fn glGetAttachedShaders(program: u32, room: i32, length: *mut i32, out: *mut u32) = |cx| {
        let shaders = query::attached(cx, program)?;
        unsafe { put_some(shaders, room, length, out) }
    };
    fn glGetActiveUniform(
        program: u32, index: u32, room: i32, length: *mut i32, size: *mut i32, ty: *mut u32, out: *mut c_char,
    ) = |cx| {
        let active = query::active_uniform(cx, program, index, room)?;
        unsafe { put_active(&active, room, length, size, ty, out) };
        Ok(())
    };
    fn glGetActiveAttrib(
        program: u32, index: u32, room: i32, length: *mut i32, size: *mut i32, ty: *mut u32, out: *mut c_char,
    ) = |cx| {
        let active = query::active_attribute(cx, program, index, room)?;
        unsafe { put_active(&active, room, length, size, ty, out) };
        Ok(())
    };
    fn glGetTransformFeedbackVarying(
        program: u32, index: u32, room: i32, length: *mut i32, size: *mut i32, ty: *mut u32, out: *mut c_char,
    ) = |cx| {
        let active = query::feedback_varying(cx, program, index, room)?;
        unsafe { put_active(&active, room, length, size, ty, out) };
        Ok(())
    };
    fn glGetActiveUniformName(program: u32, index: u32, room: i32, length: *mut i32, out: *mut c_char) = |cx| {
        let active = query::active_uniform(cx, program, index, room)?;
        unsafe { put_string(active.name.as_bytes(), room, length, out) };
        Ok(())
    };
    fn glGetUniformLocation(program: u32, uniform: *const c_char) -> Location = |cx| {
        query::uniform_location(cx, program, unsafe { name(uniform) }).map(Location)
    };
    fn glGetAttribLocation(program: u32, attribute: *const c_char) -> Location = |cx| {
        query::attribute_location(cx, program, unsafe { name(attribute) }).map(Location)
    };
    fn glGetFragDataLocation(program: u32, output: *const c_char) -> Location = |cx| {
        query::frag_data(cx, program, unsafe { name(output) }, false).map(Location)
    };
    fn glGetFragDataIndex(program: u32, output: *const c_char) -> Location = |cx| {
        query::frag_data(cx, program, unsafe { name(output) }, true).map(Location)
    };
    fn glGetUniformBlockIndex(program: u32, block: *const c_char) -> Index = |cx| {
        query::uniform_block_index(cx, program, unsafe { name(block) }).map(Index)
    };
    fn glGetActiveUniformBlockName(program: u32, index: u32, room: i32, length: *mut i32, out: *mut c_char) = |cx| {
        let block = query::uniform_block_name(cx, program, index, room)?;
        unsafe { put_string(block.as_bytes(), room, length, out) };
        Ok(())
    };
    fn glGetActiveUniformBlockiv(program: u32, index: u32, pname: u32, out: *mut i32) = |cx| {
        let values = query::uniform_block_parameter(cx, program, index, pname)?;
        unsafe { put_all(out, values.into_iter()) };
        Ok(())
    };
    fn glGetActiveAtomicCounterBufferiv(program: u32, index: u32, pname: u32, out: *mut i32) = |cx| {
        let values = query::atomic_buffer_parameter(cx, program, index, pname)?;
        unsafe { put_all(out, values.into_iter()) };
        Ok(())
    };
    fn glGetUniformIndices(program: u32, n: i32, names: *const *const c_char, out: *mut u32) = |cx| {
        let n = count(n)? as usize;
        let linked = cx.group.linked(program)?;
        let names = unsafe { slice(names, n) };
        unsafe { put_all(out, names.iter().map(|n| query::uniform_index(&linked, name(*n)))) };
        Ok(())
    };
    fn glGetActiveUniformsiv(program: u32, n: i32, indices: *const u32, pname: u32, out: *mut i32) = |cx| {
        let n = count(n)? as usize;
        let program = cx.group.program(program)?;
        let linked = program.data.borrow_mut().linked.clone();
        let indices = unsafe { slice(indices, n) };
        let archive = linked.as_ref().map(|l| &l.archive);
        let mut values = Vec::with_capacity(n);
        for index in indices {
            let Some(archive) = archive else { return crate::error::invalid_value("index of an active uniform") };
            values.push(query::uniform_parameter(&cx.state, archive, *index, pname)?);
        }
        unsafe { put_all(out, values.into_iter()) };
        Ok(())
    };
    fn glGetProgramInterfaceiv(program: u32, interface: u32, pname: u32, out: *mut i32) = |cx| {
        let value = resource::interface_parameter(cx, program, interface, pname)?;
        unsafe { put(out, value) };
        Ok(())
    };
    fn glGetProgramResourceIndex(program: u32, interface: u32, resource: *const c_char) -> Index = |cx| {
        resource::resource_index(cx, program, interface, unsafe { name(resource) }).map(Index)
    };
    fn glGetProgramResourceName(
        program: u32, interface: u32, index: u32, room: i32, length: *mut i32, out: *mut c_char,
    ) = |cx| {
        let text = resource::resource_name(cx, program, interface, index, room)?;
        unsafe { put_string(text.as_bytes(), room, length, out) };
        Ok(())
    };
    fn glGetProgramResourceiv(
        program: u32, interface: u32, index: u32, n: i32, props: *const u32, room: i32, length: *mut i32, out: *mut i32,
    ) = |cx| {
        check_value(n > 0, "count of properties")?;
        let room = count(room)? as usize;
        let props = unsafe { slice(props, n as usize) };
        let values = resource::resource_values(cx, program, interface, index, props)?;
        let len = values.len().min(room);
        unsafe {
            put(length, len as i32);
            put_all(out, values.into_iter().take(len));
        }
        Ok(())
    };
    fn glGetProgramResourceLocation(program: u32, interface: u32, resource: *const c_char) -> Location = |cx| {
        resource::resource_location(cx, program, interface, unsafe { name(resource) }).map(Location)
    };
    fn glGetProgramResourceLocationIndex(program: u32, interface: u32, resource: *const c_char) -> Location = |cx| {
        resource::resource_location_index(cx, program, interface, unsafe { name(resource) }).map(Location)
    };
}

/// A location that an entry point returns; -1 after an error.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Location(pub(super) i32);

impl Default for Location {
    fn default() -> Self {
        Location(-1)
    }
}

/// An index that an entry point returns; GL_INVALID_INDEX after an error.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Index(pub(super) u32);

impl Default for Index {
    fn default() -> Self {
        Index(forerun_pipe::gl::INVALID_INDEX)
    }
}
