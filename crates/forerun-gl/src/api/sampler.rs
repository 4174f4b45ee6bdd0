//! Entry points of sampler objects and image units.

use super::{put_all, slice};
use crate::entries;
use crate::error::{count, invalid_operation};
use crate::state::sampler::{self, ImageBinding};
use crate::state::texture::params::{self, Given};

/// Values of a vector form.
///
/// # Safety
/// The program's array has as many values as the parameter.
unsafe fn values<'a, T>(pname: u32, pointer: *const T) -> &'a [T] {
    // SAFETY: the caller promised it.
    unsafe { slice(pointer, params::count(pname)) }
}

entries! {
    fn glGenSamplers(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        let made = sampler::generate(cx, n)?;
        unsafe { put_all(names, made.into_iter()) };
        Ok(())
    };
    fn glCreateSamplers(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        let made = sampler::generate(cx, n)?;
        unsafe { put_all(names, made.into_iter()) };
        Ok(())
    };
    fn glDeleteSamplers(n: i32, names: *const u32) = |cx| {
        let n = count(n)? as usize;
        sampler::delete(cx, unsafe { slice(names, n) })
    };
    fn glIsSampler(name: u32) -> u8 = |cx| Ok(u8::from(cx.group.samplers.borrow_mut().get(name).is_some()));
    fn glBindSampler(unit: u32, name: u32) = |cx| sampler::bind(cx, unit, name);
    fn glBindSamplers(first: u32, n: i32, names: *const u32) = |cx| {
        let n = count(n)?;
        let end = first.checked_add(n).map_or(usize::MAX, |end| end as usize);
        if end > cx.texture.units.len() {
            return invalid_operation("texture units");
        }
        let names = unsafe { slice(names, n as usize) };
        let mut result = Ok(());
        for index in 0..n {
            let name = names.get(index as usize).copied().unwrap_or(0);
            let bound = sampler::bind(cx, first + index, name);
            result = result.and(bound);
        }
        result
    };
    fn glSamplerParameteri(name: u32, pname: u32, value: i32) = |cx| sampler::set(cx, name, pname, Given::Int(value));
    fn glSamplerParameterf(name: u32, pname: u32, value: f32) = |cx| sampler::set(cx, name, pname, Given::Float(value));
    fn glSamplerParameteriv(name: u32, pname: u32, value: *const i32) = |cx| {
        sampler::set(cx, name, pname, Given::Ints(unsafe { values(pname, value) }))
    };
    fn glSamplerParameterfv(name: u32, pname: u32, value: *const f32) = |cx| {
        sampler::set(cx, name, pname, Given::Floats(unsafe { values(pname, value) }))
    };
    fn glSamplerParameterIiv(name: u32, pname: u32, value: *const i32) = |cx| {
        sampler::set(cx, name, pname, Given::PureInts(unsafe { values(pname, value) }))
    };
    fn glSamplerParameterIuiv(name: u32, pname: u32, value: *const u32) = |cx| {
        sampler::set(cx, name, pname, Given::PureUints(unsafe { values(pname, value) }))
    };
    fn glGetSamplerParameteriv(name: u32, pname: u32, out: *mut i32) = |cx| {
        let value = sampler::get_parameter(cx, name, pname)?;
        unsafe { put_all(out, value.to_i32s()) };
        Ok(())
    };
    fn glGetSamplerParameterfv(name: u32, pname: u32, out: *mut f32) = |cx| {
        let value = sampler::get_parameter(cx, name, pname)?;
        unsafe { put_all(out, value.to_f32s()) };
        Ok(())
    };
    fn glGetSamplerParameterIiv(name: u32, pname: u32, out: *mut i32) = |cx| {
        let value = sampler::get_parameter(cx, name, pname)?;
        unsafe { put_all(out, value.to_i64s().map(|v| v as i32)) };
        Ok(())
    };
    fn glGetSamplerParameterIuiv(name: u32, pname: u32, out: *mut u32) = |cx| {
        let value = sampler::get_parameter(cx, name, pname)?;
        unsafe { put_all(out, value.to_i64s().map(|v| v as u32)) };
        Ok(())
    };
    fn glBindImageTexture(
        unit: u32, name: u32, level: i32, layered: u8, layer: i32, access: u32, format: u32,
    ) = |cx| {
        let at = ImageBinding { level, layered: layered != 0, layer, access, format };
        sampler::bind_image(cx, unit, name, at)
    };
    fn glBindImageTextures(first: u32, n: i32, names: *const u32) = |cx| {
        let n = count(n)?;
        let end = first.checked_add(n).map_or(usize::MAX, |end| end as usize);
        if end > cx.image.units.len() {
            return invalid_operation("image units");
        }
        let names = unsafe { slice(names, n as usize) };
        let mut result = Ok(());
        for index in 0..n {
            let name = names.get(index as usize).copied().unwrap_or(0);
            let bound = sampler::bind_whole_image(cx, first + index, name);
            result = result.and(bound);
        }
        result
    };
}
