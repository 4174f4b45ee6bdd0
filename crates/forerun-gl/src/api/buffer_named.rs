//! Entry points of buffers by name, of several binding points at once, and of clears.

use super::buffer::{Pointer, access_bits, content};
use super::{put, put_all, slice, slice_mut};
use crate::entries;
use crate::error::{check_enum, check_value, count};
use crate::state::buffer_named::{self as named, TARGET};
use crate::state::{buffer, buffer_clear, buffer_query, map};
use forerun_pipe::{gl, pixel};
use std::ffi::c_void;

/// One texel of a clear; `None` for a null pointer and for a pair that the call refuses anyway.
///
/// # Safety
/// `pointer` is null or holds a texel of that format and type.
unsafe fn texel<'a>(format: u32, ty: u32, pointer: *const c_void) -> Option<&'a [u8]> {
    let bytes = pixel::pixel_bytes(format, ty)? as usize;
    // SAFETY: the caller promised it.
    (!pointer.is_null()).then(|| unsafe { slice(pointer.cast::<u8>(), bytes) })
}

fn clamped(value: i64) -> i32 {
    value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

entries! {
    fn glCreateBuffers(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        let made: Result<Vec<u32>, _> = (0..n).map(|_| named::create(cx)).collect();
        unsafe { put_all(names, made?.into_iter()) };
        Ok(())
    };
    fn glNamedBufferData(name: u32, size: isize, bytes: *const c_void, usage: u32) = |cx| {
        let content = unsafe { content(bytes, size) }?;
        named::with(cx, name, |cx| buffer::data(cx, TARGET, size as i64, content, usage))
    };
    fn glNamedBufferStorage(name: u32, size: isize, bytes: *const c_void, flags: u32) = |cx| {
        let content = unsafe { content(bytes, size) }?;
        named::with(cx, name, |cx| buffer::storage(cx, TARGET, size as i64, content, flags))
    };
    fn glNamedBufferSubData(name: u32, offset: isize, size: isize, bytes: *const c_void) = |cx| {
        check_value(size >= 0, "size of a buffer range")?;
        let content = unsafe { slice(bytes.cast::<u8>(), size as usize) };
        named::with(cx, name, |cx| buffer::sub_data(cx, TARGET, offset as i64, content))
    };
    fn glGetNamedBufferSubData(name: u32, offset: isize, size: isize, out: *mut c_void) = |cx| {
        check_value(size >= 0, "size of a buffer range")?;
        let out = unsafe { slice_mut(out.cast::<u8>(), size as usize) };
        named::with(cx, name, |cx| buffer::get_sub_data(cx, TARGET, offset as i64, out))
    };
    fn glCopyNamedBufferSubData(read: u32, write: u32, from: isize, to: isize, size: isize) = |cx| {
        named::copy_named(cx, read, write, [from as i64, to as i64, size as i64])
    };
    fn glMapNamedBuffer(name: u32, access: u32) -> Pointer = |cx| {
        let bits = access_bits(access)?;
        named::with(cx, name, |cx| {
            let len = buffer_query::parameter(cx, TARGET, gl::BUFFER_SIZE)?;
            map::map(cx, TARGET, 0, len, bits).map(Pointer::from)
        })
    };
    fn glMapNamedBufferRange(name: u32, offset: isize, len: isize, access: u32) -> Pointer = |cx| {
        named::with(cx, name, |cx| map::map(cx, TARGET, offset as i64, len as i64, access).map(Pointer::from))
    };
    fn glFlushMappedNamedBufferRange(name: u32, offset: isize, len: isize) = |cx| {
        named::with(cx, name, |cx| map::flush(cx, TARGET, offset as i64, len as i64))
    };
    fn glUnmapNamedBuffer(name: u32) -> u8 = |cx| named::with(cx, name, |cx| map::unmap(cx, TARGET).map(u8::from));
    fn glGetNamedBufferParameteriv(name: u32, pname: u32, out: *mut i32) = |cx| {
        let value = named::with(cx, name, |cx| buffer_query::parameter(cx, TARGET, pname))?;
        unsafe { put(out, clamped(value)) };
        Ok(())
    };
    fn glGetNamedBufferParameteri64v(name: u32, pname: u32, out: *mut i64) = |cx| {
        let value = named::with(cx, name, |cx| buffer_query::parameter(cx, TARGET, pname))?;
        unsafe { put(out, value) };
        Ok(())
    };
    fn glGetNamedBufferPointerv(name: u32, pname: u32, out: *mut *mut c_void) = |cx| {
        check_enum(pname == gl::BUFFER_MAP_POINTER, "buffer pointer parameter")?;
        let buffer = named::existing(cx, name)?;
        let pointer = buffer.data.borrow_mut().map.as_mut().map_or(std::ptr::null_mut(), |map| map.pointer());
        unsafe { put(out, pointer.cast()) };
        Ok(())
    };
    fn glClearBufferData(target: u32, internal: u32, format: u32, ty: u32, value: *const c_void) = |cx| {
        buffer_clear::clear(cx, target, internal, None, (format, ty), unsafe { texel(format, ty, value) })
    };
    fn glClearBufferSubData(
        target: u32, internal: u32, offset: isize, size: isize, format: u32, ty: u32, value: *const c_void,
    ) = |cx| {
        let range = Some((offset as i64, size as i64));
        buffer_clear::clear(cx, target, internal, range, (format, ty), unsafe { texel(format, ty, value) })
    };
    fn glClearNamedBufferData(name: u32, internal: u32, format: u32, ty: u32, value: *const c_void) = |cx| {
        let value = unsafe { texel(format, ty, value) };
        named::with(cx, name, |cx| buffer_clear::clear(cx, TARGET, internal, None, (format, ty), value))
    };
    fn glClearNamedBufferSubData(
        name: u32, internal: u32, offset: isize, size: isize, format: u32, ty: u32, value: *const c_void,
    ) = |cx| {
        let (range, value) = (Some((offset as i64, size as i64)), unsafe { texel(format, ty, value) });
        named::with(cx, name, |cx| buffer_clear::clear(cx, TARGET, internal, range, (format, ty), value))
    };
    fn glBindBuffersBase(target: u32, first: u32, n: i32, names: *const u32) = |cx| {
        let n = count(n)? as usize;
        let names = unsafe { slice(names, n) };
        named::bind_many(cx, target, first, (0..n).map(|i| names.get(i).copied().unwrap_or(0)), |_| None)
    };
    fn glBindBuffersRange(
        target: u32, first: u32, n: i32, names: *const u32, offsets: *const isize, sizes: *const isize,
    ) = |cx| {
        let n = count(n)? as usize;
        let names = unsafe { slice(names, n) };
        let (offsets, sizes) = if names.is_empty() { (&[][..], &[][..]) } else {
            unsafe { (slice(offsets, n), slice(sizes, n)) }
        };
        let of = |list: &[isize], i: usize| list.get(i).map_or(0, |v| *v as i64);
        named::bind_many(cx, target, first, (0..n).map(|i| names.get(i).copied().unwrap_or(0)), |i| {
            Some((of(offsets, i), of(sizes, i)))
        })
    };
}
