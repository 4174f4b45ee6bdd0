//! Entry points of ARB_shader_objects that have no equal in the core: those that take a shader or a program. The rest of the
//! extension's commands are other names of the core's.

use super::program_query::put_some;
use super::{put, put_string};
use crate::context::Context;
use crate::entries;
use crate::error::{GlResult, check_enum, check_value, invalid_value};
use crate::state::program::{self, Object};
use crate::state::{program_query as query, program_use};
use forerun_pipe::gl;
use std::ffi::c_char;

/// Whether an object is a program; else it is a shader.
///
/// # Errors
/// GL_INVALID_VALUE for what is neither.
fn is_program(cx: &Context, object: u32) -> GlResult<bool> {
    match cx.group.programs.borrow_mut().get(object) {
        Some(Object::Program(_)) => Ok(true),
        Some(Object::Shader(_)) => Ok(false),
        None => invalid_value("not a shader or program"),
    }
}

/// One value of glGetObjectParameter*ARB (ARB_shader_objects, section 6.1.12). Its names with an equal in the core have that one's value.
///
/// # Errors
/// GL_INVALID_VALUE for what is no object; GL_INVALID_ENUM for a name that this kind of object does not have.
fn parameter(cx: &mut Context, object: u32, pname: u32) -> GlResult<i32> {
    let of_program = is_program(cx, object)?;
    match pname {
        gl::OBJECT_TYPE_ARB if of_program => Ok(gl::PROGRAM_OBJECT_ARB as i32),
        gl::OBJECT_TYPE_ARB => Ok(gl::SHADER_OBJECT_ARB as i32),
        gl::OBJECT_SUBTYPE_ARB => query::shader_parameter(cx, object, gl::SHADER_TYPE),
        _ if of_program => query::program_parameter(cx, object, pname).map(|(values, _)| values[0]),
        _ => query::shader_parameter(cx, object, pname),
    }
}

entries! {
    fn glDeleteObjectARB(object: u32) = |cx| {
        if object == 0 {
            return Ok(());
        }
        match is_program(cx, object)? {
            true => program::delete_program(cx, object),
            false => program::delete_shader(cx, object),
        }
    };
    fn glGetHandleARB(pname: u32) -> u32 = |cx| {
        check_enum(pname == gl::PROGRAM_OBJECT_ARB, "name of a handle")?;
        Ok(program_use::current_name(&cx.state))
    };
    // SAFETY (all below): the program promised room for as many values, or `room` bytes, as the specification says.
    fn glGetObjectParameterivARB(object: u32, pname: u32, out: *mut i32) = |cx| {
        let value = parameter(cx, object, pname)?;
        unsafe { put(out, value) };
        Ok(())
    };
    fn glGetObjectParameterfvARB(object: u32, pname: u32, out: *mut f32) = |cx| {
        let value = parameter(cx, object, pname)?;
        unsafe { put(out, value as f32) };
        Ok(())
    };
    fn glGetInfoLogARB(object: u32, room: i32, length: *mut i32, out: *mut c_char) = |cx| {
        check_value(room >= 0, "room for a log")?;
        let log = match is_program(cx, object)? {
            true => query::program_log(cx, object)?,
            false => query::shader_log(cx, object)?,
        };
        unsafe { put_string(log.as_bytes(), room, length, out) };
        Ok(())
    };
    fn glGetAttachedObjectsARB(program: u32, room: i32, length: *mut i32, out: *mut u32) = |cx| {
        let shaders = query::attached(cx, program)?;
        unsafe { put_some(shaders, room, length, out) }
    };
}
