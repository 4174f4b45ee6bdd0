//! Entry points of vertex arrays and current attribute values.

use super::{put, put_all, slice};
use crate::Context;
use crate::entries;
use crate::error::{GlResult, check_enum, count};
use crate::state::vertex::{self, Format, current_as_doubles};
use forerun_pipe::gl;
use forerun_pipe::records::{AttribDefault, attrib_class};
use std::ffi::c_void;

fn floats(cx: &mut Context, index: u32, given: &[f32]) -> GlResult {
    let mut value = [0.0, 0.0, 0.0, 1.0];
    value[..given.len()].copy_from_slice(given);
    vertex::set_current(cx, index, 0, value.map(f32::to_bits))
}

fn doubles(cx: &mut Context, index: u32, given: &[f64]) -> GlResult {
    let mut value = [0.0, 0.0, 0.0, 1.0];
    for (slot, given) in value.iter_mut().zip(given) {
        *slot = *given as f32;
    }
    floats(cx, index, &value)
}

fn ints(cx: &mut Context, index: u32, given: &[i32]) -> GlResult {
    let mut value = [0, 0, 0, 1];
    for (slot, given) in value.iter_mut().zip(given) {
        *slot = *given as u32;
    }
    vertex::set_current(cx, index, 1, value)
}

fn uints(cx: &mut Context, index: u32, given: &[u32]) -> GlResult {
    let mut value = [0, 0, 0, 1];
    value[..given.len()].copy_from_slice(given);
    vertex::set_current(cx, index, 2, value)
}

fn normalized(cx: &mut Context, index: u32, given: [f64; 4]) -> GlResult {
    floats(cx, index, &given.map(|v| v.max(-1.0) as f32))
}

/// glVertexAttribP*: a packed value (OpenGL 3.3, section 2.7).
fn packed(
    cx: &mut Context,
    index: u32,
    components: usize,
    ty: u32,
    norm: bool,
    bits: u32,
) -> GlResult {
    let field = |shift: u32, width: u32| bits >> shift & ((1 << width) - 1);
    let raw = [field(0, 10), field(10, 10), field(20, 10), field(30, 2)];
    let value: [f32; 4] = match ty {
        gl::UNSIGNED_INT_2_10_10_10_REV => {
            let scale = [1023.0, 1023.0, 1023.0, 3.0];
            std::array::from_fn(|i| if norm { raw[i] as f32 / scale[i] } else { raw[i] as f32 })
        }
        gl::INT_2_10_10_10_REV => {
            let width = [10, 10, 10, 2];
            std::array::from_fn(|i| {
                let signed = (raw[i] << (32 - width[i])) as i32 >> (32 - width[i]);
                let scale = ((1 << (width[i] - 1)) - 1) as f32;
                if norm { (signed as f32 / scale).max(-1.0) } else { signed as f32 }
            })
        }
        _ => return check_enum(false, "packed type"),
    };
    floats(cx, index, &value[..components])
}

/// Answers glGetVertexAttrib*: four values for the current value, one otherwise.
fn query(
    cx: &Context,
    index: u32,
    pname: u32,
    current: impl FnOnce(AttribDefault),
    other: impl FnOnce(crate::value::Value),
) -> GlResult {
    if pname == gl::CURRENT_VERTEX_ATTRIB {
        current(vertex::current(cx, index)?);
    } else {
        other(vertex::parameter(cx, index, pname)?);
    }
    Ok(())
}

/// glVertexAttribL*.
fn long(cx: &mut Context, index: u32, given: &[f64]) -> GlResult {
    let mut value = [0.0, 0.0, 0.0, 1.0];
    for (slot, given) in value.iter_mut().zip(given) {
        *slot = *given;
    }
    vertex::set_current_doubles(cx, index, value)
}

pub(super) fn float_format(size: i32, ty: u32, normalized: u8) -> Format {
    Format { size, ty, normalized: normalized != 0, class: attrib_class::FLOAT }
}

pub(super) fn integer_format(size: i32, ty: u32) -> Format {
    Format { size, ty, normalized: false, class: attrib_class::INTEGER }
}

pub(super) fn long_format(size: i32, ty: u32) -> Format {
    Format { size, ty, normalized: false, class: attrib_class::LONG }
}

entries! {
    fn glGenVertexArrays(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        // SAFETY: the program promised room for n names.
        unsafe { put_all(names, (0..n).map(|_| cx.state.vertex.arrays.generate())) };
        Ok(())
    };
    fn glDeleteVertexArrays(n: i32, names: *const u32) = |cx| {
        let n = count(n)? as usize;
        // SAFETY: the program promised n names.
        vertex::delete(cx, unsafe { slice(names, n) })
    };
    fn glIsVertexArray(name: u32) -> u8 = |cx| Ok(u8::from(cx.vertex.arrays.get(name).is_some()));
    fn glBindVertexArray(name: u32) = |cx| vertex::bind(cx, name);
    fn glEnableVertexAttribArray(index: u32) = |cx| vertex::enable(cx, index, true);
    fn glDisableVertexAttribArray(index: u32) = |cx| vertex::enable(cx, index, false);
    fn glVertexAttribPointer(index: u32, size: i32, ty: u32, norm: u8, stride: i32, pointer: *const c_void) = |cx| {
        let format = float_format(size, ty, norm);
        vertex::pointer(cx, index, format, stride, pointer as usize)
    };
    fn glVertexAttribIPointer(index: u32, size: i32, ty: u32, stride: i32, pointer: *const c_void) = |cx| {
        vertex::pointer(cx, index, integer_format(size, ty), stride, pointer as usize)
    };
    fn glVertexAttribLPointer(index: u32, size: i32, ty: u32, stride: i32, pointer: *const c_void) = |cx| {
        vertex::pointer(cx, index, long_format(size, ty), stride, pointer as usize)
    };
    fn glVertexAttribFormat(index: u32, size: i32, ty: u32, norm: u8, offset: u32) = |cx| {
        let format = float_format(size, ty, norm);
        vertex::format(cx, index, format, offset)
    };
    fn glVertexAttribIFormat(index: u32, size: i32, ty: u32, offset: u32) = |cx| {
        vertex::format(cx, index, integer_format(size, ty), offset)
    };
    fn glVertexAttribLFormat(index: u32, size: i32, ty: u32, offset: u32) = |cx| {
        vertex::format(cx, index, long_format(size, ty), offset)
    };
    fn glVertexAttribBinding(index: u32, binding: u32) = |cx| vertex::attrib_binding(cx, index, binding);
    fn glBindVertexBuffer(binding: u32, buffer: u32, offset: isize, stride: i32) = |cx| {
        vertex::bind_buffer(cx, binding, buffer, offset as i64, stride)
    };
    fn glVertexBindingDivisor(binding: u32, divisor: u32) = |cx| vertex::binding_divisor(cx, binding, divisor);
    fn glVertexAttribDivisor(index: u32, divisor: u32) = |cx| vertex::attrib_divisor(cx, index, divisor);
    fn glVertexAttrib1f(index: u32, x: f32) = |cx| floats(cx, index, &[x]);
    fn glVertexAttrib2f(index: u32, x: f32, y: f32) = |cx| floats(cx, index, &[x, y]);
    fn glVertexAttrib3f(index: u32, x: f32, y: f32, z: f32) = |cx| floats(cx, index, &[x, y, z]);
    fn glVertexAttrib4f(index: u32, x: f32, y: f32, z: f32, w: f32) = |cx| floats(cx, index, &[x, y, z, w]);
    // SAFETY (all vectors below): the program promised as many values as the name says.
    fn glVertexAttrib1fv(index: u32, v: *const f32) = |cx| floats(cx, index, unsafe { slice(v, 1) });
    fn glVertexAttrib2fv(index: u32, v: *const f32) = |cx| floats(cx, index, unsafe { slice(v, 2) });
    fn glVertexAttrib3fv(index: u32, v: *const f32) = |cx| floats(cx, index, unsafe { slice(v, 3) });
    fn glVertexAttrib4fv(index: u32, v: *const f32) = |cx| floats(cx, index, unsafe { slice(v, 4) });
    fn glVertexAttrib1d(index: u32, x: f64) = |cx| doubles(cx, index, &[x]);
    fn glVertexAttrib2d(index: u32, x: f64, y: f64) = |cx| doubles(cx, index, &[x, y]);
    fn glVertexAttrib3d(index: u32, x: f64, y: f64, z: f64) = |cx| doubles(cx, index, &[x, y, z]);
    fn glVertexAttrib4d(index: u32, x: f64, y: f64, z: f64, w: f64) = |cx| doubles(cx, index, &[x, y, z, w]);
    fn glVertexAttrib1dv(index: u32, v: *const f64) = |cx| doubles(cx, index, unsafe { slice(v, 1) });
    fn glVertexAttrib2dv(index: u32, v: *const f64) = |cx| doubles(cx, index, unsafe { slice(v, 2) });
    fn glVertexAttrib3dv(index: u32, v: *const f64) = |cx| doubles(cx, index, unsafe { slice(v, 3) });
    fn glVertexAttrib4dv(index: u32, v: *const f64) = |cx| doubles(cx, index, unsafe { slice(v, 4) });
    fn glVertexAttrib1s(index: u32, x: i16) = |cx| floats(cx, index, &[x.into()]);
    fn glVertexAttrib2s(index: u32, x: i16, y: i16) = |cx| floats(cx, index, &[x.into(), y.into()]);
    fn glVertexAttrib3s(index: u32, x: i16, y: i16, z: i16) = |cx| floats(cx, index, &[x.into(), y.into(), z.into()]);
    fn glVertexAttrib4s(index: u32, x: i16, y: i16, z: i16, w: i16) = |cx| {
        floats(cx, index, &[x.into(), y.into(), z.into(), w.into()])
    };
    fn glVertexAttrib1sv(index: u32, v: *const i16) = |cx| vector(cx, index, unsafe { slice(v, 1) });
    fn glVertexAttrib2sv(index: u32, v: *const i16) = |cx| vector(cx, index, unsafe { slice(v, 2) });
    fn glVertexAttrib3sv(index: u32, v: *const i16) = |cx| vector(cx, index, unsafe { slice(v, 3) });
    fn glVertexAttrib4sv(index: u32, v: *const i16) = |cx| vector(cx, index, unsafe { slice(v, 4) });
    fn glVertexAttrib4bv(index: u32, v: *const i8) = |cx| vector(cx, index, unsafe { slice(v, 4) });
    fn glVertexAttrib4ubv(index: u32, v: *const u8) = |cx| vector(cx, index, unsafe { slice(v, 4) });
    fn glVertexAttrib4usv(index: u32, v: *const u16) = |cx| vector(cx, index, unsafe { slice(v, 4) });
    fn glVertexAttrib4iv(index: u32, v: *const i32) = |cx| {
        doubles(cx, index, &unsafe { slice(v, 4) }.iter().map(|v| f64::from(*v)).collect::<Vec<_>>())
    };
    fn glVertexAttrib4uiv(index: u32, v: *const u32) = |cx| {
        doubles(cx, index, &unsafe { slice(v, 4) }.iter().map(|v| f64::from(*v)).collect::<Vec<_>>())
    };
    fn glVertexAttrib4Nub(index: u32, x: u8, y: u8, z: u8, w: u8) = |cx| {
        normalized(cx, index, [x, y, z, w].map(|v| f64::from(v) / 255.0))
    };
    fn glVertexAttrib4Nubv(index: u32, v: *const u8) = |cx| scaled(cx, index, unsafe { slice(v, 4) }, 255.0);
    fn glVertexAttrib4Nbv(index: u32, v: *const i8) = |cx| scaled(cx, index, unsafe { slice(v, 4) }, 127.0);
    fn glVertexAttrib4Nsv(index: u32, v: *const i16) = |cx| scaled(cx, index, unsafe { slice(v, 4) }, 32767.0);
    fn glVertexAttrib4Nusv(index: u32, v: *const u16) = |cx| scaled(cx, index, unsafe { slice(v, 4) }, 65535.0);
    fn glVertexAttrib4Niv(index: u32, v: *const i32) = |cx| scaled(cx, index, unsafe { slice(v, 4) }, 2147483647.0);
    fn glVertexAttrib4Nuiv(index: u32, v: *const u32) = |cx| scaled(cx, index, unsafe { slice(v, 4) }, 4294967295.0);
    fn glVertexAttribI1i(index: u32, x: i32) = |cx| ints(cx, index, &[x]);
    fn glVertexAttribI2i(index: u32, x: i32, y: i32) = |cx| ints(cx, index, &[x, y]);
    fn glVertexAttribI3i(index: u32, x: i32, y: i32, z: i32) = |cx| ints(cx, index, &[x, y, z]);
    fn glVertexAttribI4i(index: u32, x: i32, y: i32, z: i32, w: i32) = |cx| ints(cx, index, &[x, y, z, w]);
    fn glVertexAttribI1ui(index: u32, x: u32) = |cx| uints(cx, index, &[x]);
    fn glVertexAttribI2ui(index: u32, x: u32, y: u32) = |cx| uints(cx, index, &[x, y]);
    fn glVertexAttribI3ui(index: u32, x: u32, y: u32, z: u32) = |cx| uints(cx, index, &[x, y, z]);
    fn glVertexAttribI4ui(index: u32, x: u32, y: u32, z: u32, w: u32) = |cx| uints(cx, index, &[x, y, z, w]);
    fn glVertexAttribI1iv(index: u32, v: *const i32) = |cx| ints(cx, index, unsafe { slice(v, 1) });
    fn glVertexAttribI2iv(index: u32, v: *const i32) = |cx| ints(cx, index, unsafe { slice(v, 2) });
    fn glVertexAttribI3iv(index: u32, v: *const i32) = |cx| ints(cx, index, unsafe { slice(v, 3) });
    fn glVertexAttribI4iv(index: u32, v: *const i32) = |cx| ints(cx, index, unsafe { slice(v, 4) });
    fn glVertexAttribI1uiv(index: u32, v: *const u32) = |cx| uints(cx, index, unsafe { slice(v, 1) });
    fn glVertexAttribI2uiv(index: u32, v: *const u32) = |cx| uints(cx, index, unsafe { slice(v, 2) });
    fn glVertexAttribI3uiv(index: u32, v: *const u32) = |cx| uints(cx, index, unsafe { slice(v, 3) });
    fn glVertexAttribI4uiv(index: u32, v: *const u32) = |cx| uints(cx, index, unsafe { slice(v, 4) });
    fn glVertexAttribI4bv(index: u32, v: *const i8) = |cx| int_vector(cx, index, unsafe { slice(v, 4) });
    fn glVertexAttribI4sv(index: u32, v: *const i16) = |cx| int_vector(cx, index, unsafe { slice(v, 4) });
    fn glVertexAttribI4ubv(index: u32, v: *const u8) = |cx| uint_vector(cx, index, unsafe { slice(v, 4) });
    fn glVertexAttribI4usv(index: u32, v: *const u16) = |cx| uint_vector(cx, index, unsafe { slice(v, 4) });
    fn glVertexAttribL1d(index: u32, x: f64) = |cx| long(cx, index, &[x]);
    fn glVertexAttribL2d(index: u32, x: f64, y: f64) = |cx| long(cx, index, &[x, y]);
    fn glVertexAttribL3d(index: u32, x: f64, y: f64, z: f64) = |cx| long(cx, index, &[x, y, z]);
    fn glVertexAttribL4d(index: u32, x: f64, y: f64, z: f64, w: f64) = |cx| long(cx, index, &[x, y, z, w]);
    fn glVertexAttribL1dv(index: u32, v: *const f64) = |cx| long(cx, index, unsafe { slice(v, 1) });
    fn glVertexAttribL2dv(index: u32, v: *const f64) = |cx| long(cx, index, unsafe { slice(v, 2) });
    fn glVertexAttribL3dv(index: u32, v: *const f64) = |cx| long(cx, index, unsafe { slice(v, 3) });
    fn glVertexAttribL4dv(index: u32, v: *const f64) = |cx| long(cx, index, unsafe { slice(v, 4) });
    fn glVertexAttribP1ui(index: u32, ty: u32, norm: u8, v: u32) = |cx| packed(cx, index, 1, ty, norm != 0, v);
    fn glVertexAttribP2ui(index: u32, ty: u32, norm: u8, v: u32) = |cx| packed(cx, index, 2, ty, norm != 0, v);
    fn glVertexAttribP3ui(index: u32, ty: u32, norm: u8, v: u32) = |cx| packed(cx, index, 3, ty, norm != 0, v);
    fn glVertexAttribP4ui(index: u32, ty: u32, norm: u8, v: u32) = |cx| packed(cx, index, 4, ty, norm != 0, v);
    fn glVertexAttribP1uiv(index: u32, ty: u32, norm: u8, v: *const u32) = |cx| packed_vector(cx, index, 1, ty, norm, v);
    fn glVertexAttribP2uiv(index: u32, ty: u32, norm: u8, v: *const u32) = |cx| packed_vector(cx, index, 2, ty, norm, v);
    fn glVertexAttribP3uiv(index: u32, ty: u32, norm: u8, v: *const u32) = |cx| packed_vector(cx, index, 3, ty, norm, v);
    fn glVertexAttribP4uiv(index: u32, ty: u32, norm: u8, v: *const u32) = |cx| packed_vector(cx, index, 4, ty, norm, v);
    fn glGetVertexAttribfv(index: u32, pname: u32, out: *mut f32) = |cx| {
        // SAFETY: the program promised room for the answer.
        query(cx, index, pname, |v| unsafe { put_all(out, current_as_doubles(&v).iter().map(|v| *v as f32)) },
            |v| unsafe { put_all(out, v.to_f32s()) })
    };
    fn glGetVertexAttribdv(index: u32, pname: u32, out: *mut f64) = |cx| {
        // SAFETY: the program promised room for the answer.
        query(cx, index, pname, |v| unsafe { put_all(out, current_as_doubles(&v).into_iter()) },
            |v| unsafe { put_all(out, v.to_f64s()) })
    };
    fn glGetVertexAttribLdv(index: u32, pname: u32, out: *mut f64) = |cx| {
        // SAFETY: the program promised room for the answer.
        query(cx, index, pname, |v| unsafe { put_all(out, current_as_doubles(&v).into_iter()) },
            |v| unsafe { put_all(out, v.to_f64s()) })
    };
    fn glGetVertexAttribiv(index: u32, pname: u32, out: *mut i32) = |cx| {
        // SAFETY: the program promised room for the answer.
        query(cx, index, pname, |v| unsafe {
            let whole = matches!(v.class, 1 | 2);
            let rounded = current_as_doubles(&v).map(|v| v.round() as i32);
            put_all(out, (0..4).map(|i| if whole { v.value[i] as i32 } else { rounded[i] }));
        },
            |v| unsafe { put_all(out, v.to_i32s()) })
    };
    fn glGetVertexAttribIiv(index: u32, pname: u32, out: *mut i32) = |cx| {
        // SAFETY: the program promised room for the answer.
        query(cx, index, pname, |v| unsafe { put_all(out, v.value[..4].iter().map(|v| *v as i32)) },
            |v| unsafe { put_all(out, v.to_i32s()) })
    };
    fn glGetVertexAttribIuiv(index: u32, pname: u32, out: *mut u32) = |cx| {
        // SAFETY: the program promised room for the answer.
        query(cx, index, pname, |v| unsafe { put_all(out, v.value[..4].iter().copied()) },
            |v| unsafe { put_all(out, v.to_i32s().map(|v| v as u32)) })
    };
    fn glGetVertexAttribPointerv(index: u32, pname: u32, out: *mut *mut c_void) = |cx| {
        check_enum(pname == gl::VERTEX_ATTRIB_ARRAY_POINTER, "attribute pointer parameter")?;
        vertex::current(cx, index)?;
        let pointer = cx.vertex.current.attribs[index as usize & 31].pointer;
        // SAFETY: the program promised room for one pointer.
        unsafe { put(out, pointer as *mut c_void) };
        Ok(())
    };
}

fn vector<T: Copy + Into<f32>>(cx: &mut Context, index: u32, given: &[T]) -> GlResult {
    let mut value = [0.0, 0.0, 0.0, 1.0];
    for (slot, given) in value.iter_mut().zip(given) {
        *slot = (*given).into();
    }
    floats(cx, index, &value)
}

fn scaled<T: Copy + Into<f64>>(cx: &mut Context, index: u32, given: &[T], scale: f64) -> GlResult {
    let mut value = [0.0, 0.0, 0.0, 1.0];
    for (slot, given) in value.iter_mut().zip(given) {
        *slot = (*given).into() / scale;
    }
    normalized(cx, index, value)
}

fn int_vector<T: Copy + Into<i32>>(cx: &mut Context, index: u32, given: &[T]) -> GlResult {
    let mut value = [0, 0, 0, 1];
    for (slot, given) in value.iter_mut().zip(given) {
        *slot = (*given).into();
    }
    ints(cx, index, &value)
}

fn uint_vector<T: Copy + Into<u32>>(cx: &mut Context, index: u32, given: &[T]) -> GlResult {
    let mut value = [0, 0, 0, 1];
    for (slot, given) in value.iter_mut().zip(given) {
        *slot = (*given).into();
    }
    uints(cx, index, &value)
}

fn packed_vector(
    cx: &mut Context,
    index: u32,
    components: usize,
    ty: u32,
    norm: u8,
    v: *const u32,
) -> GlResult {
    // SAFETY: the program promised one value.
    let bits = unsafe { slice(v, 1) }.first().copied().unwrap_or_default();
    packed(cx, index, components, ty, norm != 0, bits)
}
