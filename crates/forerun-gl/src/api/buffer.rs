//! Entry points of buffer objects.

use super::{put, put_all, slice, slice_mut};
use crate::entries;
use crate::error::{GlResult, check_enum, check_value, count, invalid_enum, out_of_memory};
use crate::state::{buffer, buffer_query, map};
use forerun_pipe::gl;
use std::ffi::c_void;

/// The GL_MAP_* bits of the access that glMapBuffer is given.
pub(super) fn access_bits(access: u32) -> GlResult<u32> {
    Ok(match access {
        gl::READ_ONLY => gl::MAP_READ_BIT,
        gl::WRITE_ONLY => gl::MAP_WRITE_BIT,
        gl::READ_WRITE => gl::MAP_READ_BIT | gl::MAP_WRITE_BIT,
        _ => return invalid_enum("access of a map"),
    })
}

/// What a store of `size` bytes is filled with, if with anything.
///
/// # Errors
/// GL_INVALID_VALUE for a negative size; GL_OUT_OF_MEMORY for one that no implementation has, before the pointer is used.
///
/// # Safety
/// `bytes` is null or valid for `size` bytes for as long as the slice is used.
pub(super) unsafe fn content<'a>(bytes: *const c_void, size: isize) -> GlResult<Option<&'a [u8]>> {
    check_value(size >= 0, "size of a buffer")?;
    if size as u64 > buffer::MAX_SIZE {
        return out_of_memory("size of a buffer");
    }
    // SAFETY: the caller promised it.
    Ok((!bytes.is_null()).then(|| unsafe { slice(bytes.cast::<u8>(), size as usize) }))
}

entries! {
    fn glGenBuffers(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        let mut table = cx.group.buffers.borrow_mut();
        // SAFETY: the program promised room for n names.
        unsafe { put_all(names, (0..n).map(|_| table.generate())) };
        Ok(())
    };
    fn glDeleteBuffers(n: i32, names: *const u32) = |cx| {
        let n = count(n)? as usize;
        // SAFETY: the program promised n names.
        buffer::delete(cx, unsafe { slice(names, n) })
    };
    fn glIsBuffer(name: u32) -> u8 = |cx| Ok(u8::from(cx.group.buffers.borrow_mut().get(name).is_some()));
    fn glBindBuffer(target: u32, name: u32) = |cx| buffer::bind(cx, target, name);
    fn glBindBufferBase(target: u32, index: u32, name: u32) = |cx| buffer::bind_indexed(cx, target, index, name, None);
    fn glBindBufferRange(target: u32, index: u32, name: u32, offset: isize, size: isize) = |cx| {
        buffer::bind_indexed(cx, target, index, name, Some((offset as i64, size as i64)))
    };
    fn glBindBufferOffsetEXT(target: u32, index: u32, name: u32, offset: isize) = |cx| {
        buffer::bind_from(cx, target, index, name, offset as i64)
    };
    fn glBufferData(target: u32, size: isize, bytes: *const c_void, usage: u32) = |cx| {
        // SAFETY: the program promised `size` bytes, or none.
        let content = unsafe { content(bytes, size) }?;
        buffer::data(cx, target, size as i64, content, usage)
    };
    fn glBufferStorage(target: u32, size: isize, bytes: *const c_void, flags: u32) = |cx| {
        // SAFETY: the program promised `size` bytes, or none.
        let content = unsafe { content(bytes, size) }?;
        buffer::storage(cx, target, size as i64, content, flags)
    };
    fn glBufferSubData(target: u32, offset: isize, size: isize, bytes: *const c_void) = |cx| {
        check_value(size >= 0, "size of a buffer range")?;
        // SAFETY: the program promised `size` bytes.
        buffer::sub_data(cx, target, offset as i64, unsafe { slice(bytes.cast::<u8>(), size as usize) })
    };
    fn glGetBufferSubData(target: u32, offset: isize, size: isize, out: *mut c_void) = |cx| {
        check_value(size >= 0, "size of a buffer range")?;
        // SAFETY: the program promised room for `size` bytes.
        buffer::get_sub_data(cx, target, offset as i64, unsafe { slice_mut(out.cast::<u8>(), size as usize) })
    };
    fn glCopyBufferSubData(read: u32, write: u32, from: isize, to: isize, size: isize) = |cx| {
        buffer::copy(cx, read, write, from as i64, to as i64, size as i64)
    };
    fn glInvalidateBufferData(name: u32) = |cx| buffer::invalidate(cx, name, None);
    fn glInvalidateBufferSubData(name: u32, offset: isize, size: isize) = |cx| {
        buffer::invalidate(cx, name, Some((offset as i64, size as i64)))
    };
    fn glMapBuffer(target: u32, access: u32) -> Pointer = |cx| {
        let bits = access_bits(access)?;
        check_enum(cx.config.api != crate::Api::Es || access == gl::WRITE_ONLY, "access of a map")?;
        let len = buffer_query::parameter(cx, target, gl::BUFFER_SIZE)?;
        map::map(cx, target, 0, len, bits).map(Pointer::from)
    };
    fn glMapBufferRange(target: u32, offset: isize, len: isize, access: u32) -> Pointer = |cx| {
        map::map(cx, target, offset as i64, len as i64, access).map(Pointer::from)
    };
    fn glFlushMappedBufferRange(target: u32, offset: isize, len: isize) = |cx| {
        map::flush(cx, target, offset as i64, len as i64)
    };
    fn glUnmapBuffer(target: u32) -> u8 = |cx| map::unmap(cx, target).map(u8::from);
    fn glGetBufferParameteriv(target: u32, pname: u32, out: *mut i32) = |cx| {
        let value = buffer_query::parameter(cx, target, pname)?.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
        // SAFETY: the program promised room for one value.
        unsafe { put(out, value) };
        Ok(())
    };
    fn glGetBufferParameteri64v(target: u32, pname: u32, out: *mut i64) = |cx| {
        let value = buffer_query::parameter(cx, target, pname)?;
        // SAFETY: the program promised room for one value.
        unsafe { put(out, value) };
        Ok(())
    };
    fn glGetBufferPointerv(target: u32, pname: u32, out: *mut *mut c_void) = |cx| {
        check_enum(pname == gl::BUFFER_MAP_POINTER, "buffer pointer parameter")?;
        let buffer = buffer::bound(cx, target)?;
        let pointer = buffer.data.borrow_mut().map.as_mut().map_or(std::ptr::null_mut(), |map| map.pointer());
        // SAFETY: the program promised room for one pointer.
        unsafe { put(out, pointer.cast()) };
        Ok(())
    };
}

/// A pointer that an entry point returns; null by default.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Pointer(*const c_void);

impl Default for Pointer {
    fn default() -> Self {
        Pointer(std::ptr::null())
    }
}

impl<T> From<*mut T> for Pointer {
    fn from(pointer: *mut T) -> Self {
        Pointer(pointer.cast())
    }
}

impl<T> From<*const T> for Pointer {
    fn from(pointer: *const T) -> Self {
        Pointer(pointer.cast())
    }
}
