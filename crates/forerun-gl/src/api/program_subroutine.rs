//! Entry points of subroutines.

use super::program::name;
use super::program_query::{Index, Location};
use super::{put, put_all, put_string, slice};
use crate::entries;
use crate::error::count;
use crate::state::program_subroutine as subroutine;
use std::ffi::c_char;

entries! {
    fn glGetSubroutineUniformLocation(program: u32, stage: u32, uniform: *const c_char) -> Location = |cx| {
        subroutine::location(cx, program, stage, unsafe { name(uniform) }).map(Location)
    };
    fn glGetSubroutineIndex(program: u32, stage: u32, function: *const c_char) -> Index = |cx| {
        subroutine::index(cx, program, stage, unsafe { name(function) }).map(Index)
    };
    fn glGetActiveSubroutineUniformiv(program: u32, stage: u32, index: u32, pname: u32, out: *mut i32) = |cx| {
        let values = subroutine::uniform_parameter(cx, program, stage, index, pname)?;
        unsafe { put_all(out, values.into_iter()) };
        Ok(())
    };
    fn glGetActiveSubroutineUniformName(
        program: u32, stage: u32, index: u32, room: i32, length: *mut i32, out: *mut c_char,
    ) = |cx| {
        let found = subroutine::uniform_name(cx, program, stage, index, room)?;
        unsafe { put_string(found.as_bytes(), room, length, out) };
        Ok(())
    };
    fn glGetActiveSubroutineName(
        program: u32, stage: u32, index: u32, room: i32, length: *mut i32, out: *mut c_char,
    ) = |cx| {
        let found = subroutine::name(cx, program, stage, index, room)?;
        unsafe { put_string(found.as_bytes(), room, length, out) };
        Ok(())
    };
    fn glGetProgramStageiv(program: u32, stage: u32, pname: u32, out: *mut i32) = |cx| {
        let value = subroutine::stage_parameter(cx, program, stage, pname)?;
        unsafe { put(out, value) };
        Ok(())
    };
    fn glUniformSubroutinesuiv(stage: u32, n: i32, indices: *const u32) = |cx| {
        let n = count(n)? as usize;
        subroutine::select(cx, stage, unsafe { slice(indices, n) })
    };
    fn glGetUniformSubroutineuiv(stage: u32, location: i32, out: *mut u32) = |cx| {
        let value = subroutine::selected(cx, stage, location)?;
        unsafe { put(out, value) };
        Ok(())
    };
}
