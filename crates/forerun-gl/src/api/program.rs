//! Entry points of shader, program and pipeline objects.

use super::{put, put_all, put_string, slice};
use crate::entries;
use crate::error::{GlResult, check_operation, check_value, count};
use crate::state::{program, program_link, program_pipeline as pipeline};
use std::ffi::{CStr, c_char, c_void};

/// A NUL-terminated name as text; bytes that are no UTF-8 name nothing.
pub(super) unsafe fn name<'a>(pointer: *const c_char) -> &'a str {
    if pointer.is_null() {
        return "";
    }
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("\u{fffd}")
}

/// The strings of glShaderSource, joined.
unsafe fn joined(
    count: i32,
    strings: *const *const c_char,
    lengths: *const i32,
) -> GlResult<Vec<u8>> {
    check_value(count >= 0, "count of source strings")?;
    let strings = unsafe { slice(strings, count as usize) };
    let mut out = Vec::new();
    for (index, string) in strings.iter().enumerate() {
        check_operation(!string.is_null(), "a source string is null")?;
        let length =
            if lengths.is_null() { -1 } else { unsafe { lengths.add(index).read_unaligned() } };
        match usize::try_from(length) {
            Ok(length) => out.extend_from_slice(unsafe { slice(string.cast::<u8>(), length) }),
            Err(_) => out.extend_from_slice(unsafe { CStr::from_ptr(*string) }.to_bytes()),
        }
    }
    Ok(out)
}

entries! {
    fn glCreateShader(kind: u32) -> u32 = |cx| program::create_shader(cx, kind);
    fn glCreateProgram() -> u32 = |cx| program::create_program(cx);
    fn glDeleteShader(shader: u32) = |cx| program::delete_shader(cx, shader);
    fn glDeleteProgram(program: u32) = |cx| program::delete_program(cx, program);
    fn glIsShader(shader: u32) -> u8 = |cx| program::is_shader(cx, shader);
    fn glIsProgram(program: u32) -> u8 = |cx| program::is_program(cx, program);
    fn glAttachShader(program: u32, shader: u32) = |cx| program::attach(cx, program, shader);
    fn glDetachShader(program: u32, shader: u32) = |cx| program::detach(cx, program, shader);
    fn glShaderSource(shader: u32, count: i32, strings: *const *const c_char, lengths: *const i32) = |cx| {
        cx.group.shader(shader)?;
        let source = unsafe { joined(count, strings, lengths) }?;
        program::set_source(cx, shader, source)
    };
    fn glCompileShader(shader: u32) = |cx| program_link::compile(cx, shader);
    fn glReleaseShaderCompiler() = |_cx| Ok(());
    fn glMaxShaderCompilerThreadsKHR(threads: u32) = |cx| {
        cx.program.withheld_threads = !threads;
        Ok(())
    };
    fn glShaderBinary(n: i32, shaders: *const u32, format: u32, _bytes: *const c_void, len: i32) = |cx| {
        let n = count(n)? as usize;
        program_link::shader_binary(cx, unsafe { slice(shaders, n) }, format, len)
    };
    fn glLinkProgram(program: u32) = |cx| program_link::link(cx, program);
    fn glUseProgram(program: u32) = |cx| program::use_program(cx, program);
    fn glValidateProgram(program: u32) = |cx| program::validate(cx, program);
    fn glProgramParameteri(program: u32, pname: u32, value: i32) = |cx| program::parameter(cx, program, pname, value);
    fn glBindAttribLocation(program: u32, index: u32, attribute: *const c_char) = |cx| {
        program::bind_attribute(cx, program, index, unsafe { name(attribute) })
    };
    fn glBindFragDataLocation(program: u32, number: u32, output: *const c_char) = |cx| {
        program::bind_frag_data(cx, program, number, 0, unsafe { name(output) })
    };
    fn glBindFragDataLocationIndexed(program: u32, number: u32, index: u32, output: *const c_char) = |cx| {
        program::bind_frag_data(cx, program, number, index, unsafe { name(output) })
    };
    fn glTransformFeedbackVaryings(program: u32, n: i32, names: *const *const c_char, mode: u32) = |cx| {
        let n = count(n)? as usize;
        let names = unsafe { slice(names, n) };
        let names = names.iter().map(|n| unsafe { name(*n) }.to_owned()).collect();
        program::feedback_varyings(cx, program, names, mode)
    };
    fn glGetProgramBinary(program: u32, room: i32, length: *mut i32, format: *mut u32, out: *mut c_void) = |cx| {
        let bytes = program_link::binary(cx, program, room)?;
        unsafe {
            put(length, bytes.len() as i32);
            put(format, program_link::BINARY_FORMAT);
            put_all(out.cast::<u8>(), bytes.into_iter());
        }
        Ok(())
    };
    fn glProgramBinary(program: u32, format: u32, bytes: *const c_void, len: i32) = |cx| {
        let len = count(len)? as usize;
        program_link::load_binary(cx, program, format, unsafe { slice(bytes.cast::<u8>(), len) })
    };
    fn glCreateShaderProgramv(kind: u32, count: i32, strings: *const *const c_char) -> u32 = |cx| {
        let source = unsafe { joined(count, strings, std::ptr::null()) }?;
        program_link::create_shader_program(cx, kind, source)
    };
    fn glGenProgramPipelines(n: i32, out: *mut u32) = |cx| {
        let names = pipeline::generate(cx, count(n)?, false)?;
        unsafe { put_all(out, names.into_iter()) };
        Ok(())
    };
    fn glCreateProgramPipelines(n: i32, out: *mut u32) = |cx| {
        let names = pipeline::generate(cx, count(n)?, true)?;
        unsafe { put_all(out, names.into_iter()) };
        Ok(())
    };
    fn glDeleteProgramPipelines(n: i32, names: *const u32) = |cx| {
        let n = count(n)? as usize;
        pipeline::delete(cx, unsafe { slice(names, n) })
    };
    fn glIsProgramPipeline(name: u32) -> u8 = |cx| pipeline::is_pipeline(cx, name);
    fn glBindProgramPipeline(name: u32) = |cx| pipeline::bind(cx, name);
    fn glUseProgramStages(name: u32, stages: u32, program: u32) = |cx| pipeline::use_stages(cx, name, stages, program);
    fn glActiveShaderProgram(name: u32, program: u32) = |cx| pipeline::set_active(cx, name, program);
    fn glValidateProgramPipeline(name: u32) = |cx| pipeline::validate(cx, name);
    fn glGetProgramPipelineiv(name: u32, pname: u32, out: *mut i32) = |cx| {
        let value = pipeline::parameter(cx, name, pname)?;
        unsafe { put(out, value) };
        Ok(())
    };
    fn glGetProgramPipelineInfoLog(name: u32, room: i32, length: *mut i32, out: *mut c_char) = |cx| {
        let log = pipeline::log(cx, name, room)?;
        unsafe { put_string(log.as_bytes(), room, length, out) };
        Ok(())
    };
}
