//! Entry points of query objects and conditional rendering.

use super::{put, put_all, slice};
use crate::context::Context;
use crate::entries;
use crate::error::{GlResult, check_value, count};
use crate::state::query::{self, Answer};

/// Writes an answer as a value of that type, clamped to its range, to client memory or the bound query buffer.
fn give<T: TryFrom<u64> + Copy>(
    cx: &mut Context,
    name: u32,
    pname: u32,
    out: *mut T,
    most: T,
    bytes: fn(T) -> Vec<u8>,
) -> GlResult {
    let Answer::Value(value) = query::object_parameter(cx, name, pname)? else { return Ok(()) };
    let value = T::try_from(value).unwrap_or(most);
    if !query::to_buffer(cx, out as isize, &bytes(value))? {
        unsafe { put(out, value) };
    }
    Ok(())
}

fn target_parameter(cx: &Context, target: u32, index: u32, pname: u32, out: *mut i32) -> GlResult {
    let value = query::target_parameter(cx, target, index, pname)?;
    unsafe { put(out, value as i32) };
    Ok(())
}

/// As [`give`], into a named buffer at an offset (OpenGL 4.5).
fn give_to<T: TryFrom<u64> + Copy>(
    cx: &mut Context,
    (name, buffer, pname, offset): (u32, u32, u32, isize),
    most: T,
    bytes: fn(T) -> Vec<u8>,
) -> GlResult {
    let api = cx.config.api;
    let target = cx.group.buffer(api, buffer)?;
    let kept = std::mem::replace(&mut cx.buffer.slots.query, target);
    let done = match query::object_parameter(cx, name, pname) {
        Ok(Answer::Value(value)) => {
            query::to_buffer(cx, offset, &bytes(T::try_from(value).unwrap_or(most))).map(|_| ())
        }
        Ok(Answer::Nothing) => Ok(()),
        Err(error) => Err(error),
    };
    cx.buffer.slots.query = kept;
    done
}

entries! {
    fn glGenQueries(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        let table = cx.query.names();
        unsafe { put_all(names, (0..n).map(|_| table.generate())) };
        Ok(())
    };
    fn glCreateQueries(target: u32, n: i32, names: *mut u32) = |cx| {
        for index in 0..count(n)? as usize {
            let name = query::create_named(cx, target)?;
            unsafe { put(names.wrapping_add(index), name) };
        }
        Ok(())
    };
    fn glDeleteQueries(n: i32, names: *const u32) = |cx| {
        let n = count(n)? as usize;
        query::delete(cx, unsafe { slice(names, n) })
    };
    fn glIsQuery(name: u32) -> u8 = |cx| Ok(u8::from(cx.query.exists(name)));
    fn glBeginQuery(target: u32, name: u32) = |cx| query::begin(cx, target, 0, name);
    fn glEndQuery(target: u32) = |cx| query::end(cx, target, 0);
    fn glBeginQueryIndexed(target: u32, index: u32, name: u32) = |cx| query::begin(cx, target, index, name);
    fn glEndQueryIndexed(target: u32, index: u32) = |cx| query::end(cx, target, index);
    fn glQueryCounter(name: u32, target: u32) = |cx| query::counter(cx, name, target);
    fn glGetQueryiv(target: u32, pname: u32, out: *mut i32) = |cx| target_parameter(cx, target, 0, pname, out);
    fn glGetQueryIndexediv(target: u32, index: u32, pname: u32, out: *mut i32) = |cx| {
        target_parameter(cx, target, index, pname, out)
    };
    fn glGetQueryObjectiv(name: u32, pname: u32, out: *mut i32) = |cx| {
        give(cx, name, pname, out, i32::MAX, |v| v.to_ne_bytes().to_vec())
    };
    fn glGetQueryObjectuiv(name: u32, pname: u32, out: *mut u32) = |cx| {
        give(cx, name, pname, out, u32::MAX, |v| v.to_ne_bytes().to_vec())
    };
    fn glGetQueryObjecti64v(name: u32, pname: u32, out: *mut i64) = |cx| {
        give(cx, name, pname, out, i64::MAX, |v| v.to_ne_bytes().to_vec())
    };
    fn glGetQueryObjectui64v(name: u32, pname: u32, out: *mut u64) = |cx| {
        give(cx, name, pname, out, u64::MAX, |v| v.to_ne_bytes().to_vec())
    };
    fn glGetQueryBufferObjectiv(name: u32, buffer: u32, pname: u32, offset: isize) = |cx| {
        check_value(offset >= 0, "offset in a query buffer")?;
        give_to(cx, (name, buffer, pname, offset), i32::MAX, |v: i32| v.to_ne_bytes().to_vec())
    };
    fn glGetQueryBufferObjectuiv(name: u32, buffer: u32, pname: u32, offset: isize) = |cx| {
        check_value(offset >= 0, "offset in a query buffer")?;
        give_to(cx, (name, buffer, pname, offset), u32::MAX, |v: u32| v.to_ne_bytes().to_vec())
    };
    fn glGetQueryBufferObjecti64v(name: u32, buffer: u32, pname: u32, offset: isize) = |cx| {
        check_value(offset >= 0, "offset in a query buffer")?;
        give_to(cx, (name, buffer, pname, offset), i64::MAX, |v: i64| v.to_ne_bytes().to_vec())
    };
    fn glGetQueryBufferObjectui64v(name: u32, buffer: u32, pname: u32, offset: isize) = |cx| {
        check_value(offset >= 0, "offset in a query buffer")?;
        give_to(cx, (name, buffer, pname, offset), u64::MAX, |v: u64| v.to_ne_bytes().to_vec())
    };
    fn glBeginConditionalRender(name: u32, mode: u32) = |cx| query::begin_condition(cx, name, mode);
    fn glEndConditionalRender() = |cx| query::end_condition(cx);
}
