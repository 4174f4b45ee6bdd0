//! Entry points of clears.

use super::slice;
use crate::entries;
use crate::error::invalid_enum;
use crate::state::clear;
use forerun_pipe::gl;

/// Up to four values of a program, as bits: four for a colour, else one.
///
/// # Safety
/// The program's array has as many values.
pub(super) unsafe fn values(buffer: u32, pointer: *const u32) -> [u32; 4] {
    let mut out = [0; 4];
    // SAFETY: the caller promised it.
    let given = unsafe { slice(pointer, if buffer == gl::COLOR { 4 } else { 1 }) };
    out[..given.len()].copy_from_slice(given);
    out
}

entries! {
    fn glClear(mask: u32) = |cx| clear::clear(cx, mask);
    fn glClearColor(r: f32, g: f32, b: f32, a: f32) = |cx| {
        (cx.clear.color, cx.clear.class) = ([r, g, b, a].map(f32::to_bits), 0);
        Ok(())
    };
    fn glClearColorIiEXT(r: i32, g: i32, b: i32, a: i32) = |cx| {
        (cx.clear.color, cx.clear.class) = ([r, g, b, a].map(i32::cast_unsigned), 1);
        Ok(())
    };
    fn glClearColorIuiEXT(r: u32, g: u32, b: u32, a: u32) = |cx| {
        (cx.clear.color, cx.clear.class) = ([r, g, b, a], 2);
        Ok(())
    };
    fn glClearDepthf(depth: f32) = |cx| {
        cx.clear.depth = depth.clamp(0.0, 1.0);
        Ok(())
    };
    fn glClearDepth(depth: f64) = |cx| {
        cx.clear.depth = depth.clamp(0.0, 1.0) as f32;
        Ok(())
    };
    fn glClearStencil(stencil: i32) = |cx| {
        cx.clear.stencil = stencil;
        Ok(())
    };
    fn glClearBufferiv(buffer: u32, index: i32, value: *const i32) = |cx| {
        if buffer != gl::COLOR && buffer != gl::STENCIL {
            return invalid_enum("buffer to clear");
        }
        // SAFETY: the program promised the values.
        clear::clear_buffer(cx, 1, buffer, index, unsafe { values(buffer, value.cast()) })
    };
    fn glClearBufferuiv(buffer: u32, index: i32, value: *const u32) = |cx| {
        if buffer != gl::COLOR {
            return invalid_enum("buffer to clear");
        }
        // SAFETY: the program promised the values.
        clear::clear_buffer(cx, 2, buffer, index, unsafe { values(buffer, value) })
    };
    fn glClearBufferfv(buffer: u32, index: i32, value: *const f32) = |cx| {
        if buffer != gl::COLOR && buffer != gl::DEPTH {
            return invalid_enum("buffer to clear");
        }
        // SAFETY: the program promised the values.
        clear::clear_buffer(cx, 0, buffer, index, unsafe { values(buffer, value.cast()) })
    };
    fn glClearBufferfi(buffer: u32, index: i32, depth: f32, stencil: i32) = |cx| {
        clear::clear_depth_stencil(cx, buffer, index, depth, stencil)
    };
}
