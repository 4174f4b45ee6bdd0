//! Entry points of debug output and labels.

use super::{put, put_string, slice};
use crate::Context;
use crate::entries;
use crate::error::{GlResult, check_value, count};
use crate::state::debug::{Callback, Message};
use crate::state::label;
use std::ffi::{CStr, c_char, c_void};

/// A text of `length` bytes, or NUL-terminated when that is negative.
///
/// # Safety
/// The program promised such a text, or a null pointer.
unsafe fn text(length: i32, pointer: *const c_char) -> Vec<u8> {
    if pointer.is_null() {
        return Vec::new();
    }
    match usize::try_from(length) {
        Ok(length) => unsafe { slice(pointer.cast::<u8>(), length) }.to_vec(),
        Err(_) => unsafe { CStr::from_ptr(pointer) }.to_bytes().to_vec(),
    }
}

/// Writes messages of the log one behind another (OpenGL ES 3.2, section 20.9).
#[allow(clippy::too_many_arguments)]
unsafe fn read_log(
    cx: &mut Context,
    wanted: u32,
    size: i32,
    [sources, types, ids, severities]: [*mut u32; 4],
    lengths: *mut i32,
    out: *mut c_char,
) -> GlResult<u32> {
    check_value(size >= 0 || out.is_null(), "size of the log buffer")?;
    let mut room = size.max(0) as usize;
    let mut at = out;
    let mut taken = 0;
    while taken < wanted {
        let limit = (!out.is_null()).then_some(room);
        let Some(message) = cx.debug.take_logged(limit) else { break };
        let index = taken as usize;
        let len = message.text.len() + 1;
        for (array, value) in [
            (sources, message.source),
            (types, message.ty),
            (ids, message.id),
            (severities, message.severity),
        ] {
            if !array.is_null() {
                unsafe { put(array.add(index), value) };
            }
        }
        if !lengths.is_null() {
            unsafe { put(lengths.add(index), len as i32) };
        }
        if !at.is_null() {
            unsafe { put_string(&message.text, len as i32, std::ptr::null_mut(), at) };
            at = at.wrapping_add(len);
            room -= len;
        }
        taken += 1;
    }
    Ok(taken)
}

entries! {
    fn glDebugMessageControl(source: u32, ty: u32, severity: u32, n: i32, ids: *const u32, on: u8) = |cx| {
        let n = count(n)? as usize;
        cx.debug.control(source, ty, severity, unsafe { slice(ids, n) }, on != 0)
    };
    fn glDebugMessageInsert(source: u32, ty: u32, id: u32, severity: u32, length: i32, message: *const c_char) = |cx| {
        let text = unsafe { text(length, message) };
        cx.debug.insert(Message { source, ty, id, severity, text })
    };
    fn glDebugMessageCallback(callback: Option<Callback>, user: *const c_void) = |cx| {
        cx.debug.set_callback(callback, user);
        Ok(())
    };
    fn glGetDebugMessageLog(
        n: u32, size: i32, sources: *mut u32, types: *mut u32, ids: *mut u32, severities: *mut u32, lengths: *mut i32,
        out: *mut c_char,
    ) -> u32 = |cx| unsafe { read_log(cx, n, size, [sources, types, ids, severities], lengths, out) };
    fn glPushDebugGroup(source: u32, id: u32, length: i32, message: *const c_char) = |cx| {
        let text = unsafe { text(length, message) };
        cx.debug.push(source, id, text)
    };
    fn glPopDebugGroup() = |cx| cx.debug.pop();
    fn glGetPointerv(pname: u32, out: *mut *const c_void) = |cx| {
        let pointer = cx.debug.pointer(pname)?;
        unsafe { put(out, pointer) };
        Ok(())
    };
    fn glObjectLabel(identifier: u32, name: u32, length: i32, text_in: *const c_char) = |cx| {
        let text = unsafe { text(length, text_in) };
        label::set(cx, label::object(cx, identifier, name)?, text)
    };
    fn glGetObjectLabel(identifier: u32, name: u32, size: i32, length: *mut i32, out: *mut c_char) = |cx| {
        let text = label::get(cx, label::object(cx, identifier, name)?);
        count(size)?;
        unsafe { put_label(&text, size, length, out) };
        Ok(())
    };
    fn glObjectPtrLabel(sync: *const c_void, length: i32, text_in: *const c_char) = |cx| {
        let text = unsafe { text(length, text_in) };
        label::set(cx, label::sync(cx, sync as usize)?, text)
    };
    fn glGetObjectPtrLabel(sync: *const c_void, size: i32, length: *mut i32, out: *mut c_char) = |cx| {
        let text = label::get(cx, label::sync(cx, sync as usize)?);
        count(size)?;
        unsafe { put_label(&text, size, length, out) };
        Ok(())
    };
    fn glInsertEventMarkerEXT(_length: i32, _marker: *const c_char) = |_cx| Ok(());
    fn glPushGroupMarkerEXT(_length: i32, _marker: *const c_char) = |_cx| Ok(());
    fn glPopGroupMarkerEXT() = |_cx| Ok(());
}

/// A label with its length; without a buffer the length is the whole label's.
unsafe fn put_label(text: &[u8], size: i32, length: *mut i32, out: *mut c_char) {
    if out.is_null() {
        unsafe { put(length, text.len() as i32) };
    } else {
        unsafe { put_string(text, size, length, out) };
    }
}
