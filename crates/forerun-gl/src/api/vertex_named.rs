//! Entry points of vertex arrays by name, and of several vertex buffers at once.

use super::vertex::{float_format, integer_format, long_format};
use super::{put, put_all, slice};
use crate::entries;
use crate::error::count;
use crate::state::{vertex, vertex_named as named};

/// Name, offset and stride of each binding; without names, the bindings as they are at first.
///
/// # Safety
/// The program's arrays have `n` values, or are null.
unsafe fn bindings<'a>(
    n: usize,
    names: *const u32,
    offsets: *const isize,
    strides: *const i32,
) -> impl ExactSizeIterator<Item = (u32, i64, i32)> + 'a {
    let none = names.is_null();
    // SAFETY: the caller promised it.
    let (names, offsets, strides) =
        unsafe { (slice(names, n), slice(offsets, n), slice(strides, n)) };
    (0..n).map(move |i| {
        if none {
            return (0, 0, 16);
        }
        let offset = offsets.get(i).map_or(0, |v| *v as i64);
        (names.get(i).copied().unwrap_or(0), offset, strides.get(i).copied().unwrap_or(0))
    })
}

entries! {
    fn glCreateVertexArrays(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        unsafe { put_all(names, (0..n).map(|_| named::create(cx))) };
        Ok(())
    };
    fn glEnableVertexArrayAttrib(array: u32, index: u32) = |cx| {
        named::with(cx, array, |cx| vertex::enable(cx, index, true))
    };
    fn glDisableVertexArrayAttrib(array: u32, index: u32) = |cx| {
        named::with(cx, array, |cx| vertex::enable(cx, index, false))
    };
    fn glVertexArrayElementBuffer(array: u32, buffer: u32) = |cx| named::element_buffer(cx, array, buffer);
    fn glVertexArrayVertexBuffer(array: u32, binding: u32, buffer: u32, offset: isize, stride: i32) = |cx| {
        named::with(cx, array, |cx| named::vertex_buffer(cx, binding, buffer, offset as i64, stride))
    };
    fn glVertexArrayVertexBuffers(
        array: u32, first: u32, n: i32, names: *const u32, offsets: *const isize, strides: *const i32,
    ) = |cx| {
        let n = count(n)? as usize;
        let buffers = unsafe { bindings(n, names, offsets, strides) };
        named::with(cx, array, |cx| named::vertex_buffers(cx, first, buffers))
    };
    fn glBindVertexBuffers(
        first: u32, n: i32, names: *const u32, offsets: *const isize, strides: *const i32,
    ) = |cx| {
        named::check_bound(cx)?;
        let n = count(n)? as usize;
        named::vertex_buffers(cx, first, unsafe { bindings(n, names, offsets, strides) })
    };
    fn glVertexArrayAttribBinding(array: u32, index: u32, binding: u32) = |cx| {
        named::with(cx, array, |cx| vertex::attrib_binding(cx, index, binding))
    };
    fn glVertexArrayAttribFormat(array: u32, index: u32, size: i32, ty: u32, norm: u8, offset: u32) = |cx| {
        named::with(cx, array, |cx| vertex::format(cx, index, float_format(size, ty, norm), offset))
    };
    fn glVertexArrayAttribIFormat(array: u32, index: u32, size: i32, ty: u32, offset: u32) = |cx| {
        named::with(cx, array, |cx| vertex::format(cx, index, integer_format(size, ty), offset))
    };
    fn glVertexArrayAttribLFormat(array: u32, index: u32, size: i32, ty: u32, offset: u32) = |cx| {
        named::with(cx, array, |cx| vertex::format(cx, index, long_format(size, ty), offset))
    };
    fn glVertexArrayBindingDivisor(array: u32, binding: u32, divisor: u32) = |cx| {
        named::with(cx, array, |cx| vertex::binding_divisor(cx, binding, divisor))
    };
    fn glGetVertexArrayiv(array: u32, pname: u32, out: *mut i32) = |cx| {
        let value = named::parameter(cx, array, pname)?;
        unsafe { put(out, value) };
        Ok(())
    };
    fn glGetVertexArrayIndexediv(array: u32, index: u32, pname: u32, out: *mut i32) = |cx| {
        let value = named::indexed_parameter(cx, array, index, pname, false)?;
        unsafe { put_all(out, value.to_i32s()) };
        Ok(())
    };
    fn glGetVertexArrayIndexed64iv(array: u32, index: u32, pname: u32, out: *mut i64) = |cx| {
        let value = named::indexed_parameter(cx, array, index, pname, true)?;
        unsafe { put_all(out, value.to_i64s()) };
        Ok(())
    };
}
