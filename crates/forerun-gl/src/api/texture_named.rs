//! Entry points of textures by name.

use super::texture::values;
use super::{put, put_all};
use crate::Context;
use crate::entries;
use crate::error::GlResult;
use crate::state::texture::params::{self, Given};
use crate::state::texture::{copy, named, query, storage};
use crate::value::Value;
use forerun_pipe::gl;
use std::ffi::c_void;

type Void = *const c_void;

/// The value of a texture's parameter.
fn parameter(cx: &mut Context, name: u32, pname: u32) -> GlResult<Value> {
    named::with(cx, name, |cx, target| {
        if pname == gl::TEXTURE_TARGET {
            Ok(Value::int(target))
        } else {
            params::get(cx, target, pname)
        }
    })
}

fn set(cx: &mut Context, name: u32, pname: u32, given: Given) -> GlResult {
    named::with(cx, name, |cx, target| params::set(cx, target, pname, given))
}

/// A parameter of a level; of a cube map's, of its first face.
fn level_parameter(cx: &mut Context, name: u32, level: i32, pname: u32) -> GlResult<i64> {
    named::with(cx, name, |cx, target| {
        let image =
            if target == gl::TEXTURE_CUBE_MAP { gl::TEXTURE_CUBE_MAP_POSITIVE_X } else { target };
        query::level_parameter(cx, image, level, pname)
    })
}

entries! {
    fn glTextureBuffer(name: u32, internal: u32, buffer: u32) = |cx| {
        named::with(cx, name, |cx, target| storage::tex_buffer(cx, target, internal, buffer, None))
    };
    fn glTextureBufferRange(name: u32, internal: u32, buffer: u32, offset: isize, size: isize) = |cx| {
        let range = Some((offset as i64, size as i64));
        named::with(cx, name, |cx, target| storage::tex_buffer(cx, target, internal, buffer, range))
    };
    fn glTextureStorage1D(name: u32, levels: i32, internal: u32, width: i32) = |cx| {
        named::with(cx, name, |cx, target| storage::tex_storage(cx, 1, target, levels, internal, [width, 1, 1]))
    };
    fn glTextureStorage2D(name: u32, levels: i32, internal: u32, width: i32, height: i32) = |cx| {
        named::with(cx, name, |cx, target| storage::tex_storage(cx, 2, target, levels, internal, [width, height, 1]))
    };
    fn glTextureStorage3D(name: u32, levels: i32, internal: u32, width: i32, height: i32, depth: i32) = |cx| {
        let size = [width, height, depth];
        named::with(cx, name, |cx, target| storage::tex_storage(cx, 3, target, levels, internal, size))
    };
    fn glTextureStorage2DMultisample(
        name: u32, samples: i32, internal: u32, width: i32, height: i32, fixed: u8,
    ) = |cx| named::with(cx, name, |cx, target| {
        if target != gl::TEXTURE_2D_MULTISAMPLE {
            return crate::error::invalid_operation("texture target");
        }
        storage::multisample_storage(cx, target, samples, internal, [width, height, 1], fixed != 0)
    });
    fn glTextureStorage3DMultisample(
        name: u32, samples: i32, internal: u32, width: i32, height: i32, depth: i32, fixed: u8,
    ) = |cx| named::with(cx, name, |cx, target| {
        if target != gl::TEXTURE_2D_MULTISAMPLE_ARRAY {
            return crate::error::invalid_operation("texture target");
        }
        storage::multisample_storage(cx, target, samples, internal, [width, height, depth], fixed != 0)
    });
    fn glTextureSubImage1D(name: u32, level: i32, x: i32, width: i32, format: u32, ty: u32, pixels: Void) = |cx| {
        named::upload(cx, 1, name, level, [x, 0, 0], [width, 1, 1], format, ty, pixels.cast())
    };
    fn glTextureSubImage2D(
        name: u32, level: i32, x: i32, y: i32, width: i32, height: i32, format: u32, ty: u32, pixels: Void,
    ) = |cx| named::upload(cx, 2, name, level, [x, y, 0], [width, height, 1], format, ty, pixels.cast());
    fn glTextureSubImage3D(
        name: u32, level: i32, x: i32, y: i32, z: i32, width: i32, height: i32, depth: i32, format: u32, ty: u32,
        pixels: Void,
    ) = |cx| named::upload(cx, 3, name, level, [x, y, z], [width, height, depth], format, ty, pixels.cast());
    fn glCompressedTextureSubImage1D(
        name: u32, level: i32, x: i32, width: i32, format: u32, bytes: i32, data: Void,
    ) = |cx| named::upload_compressed(cx, 1, name, level, [x, 0, 0], [width, 1, 1], format, bytes, data.cast());
    fn glCompressedTextureSubImage2D(
        name: u32, level: i32, x: i32, y: i32, width: i32, height: i32, format: u32, bytes: i32, data: Void,
    ) = |cx| {
        named::upload_compressed(cx, 2, name, level, [x, y, 0], [width, height, 1], format, bytes, data.cast())
    };
    fn glCompressedTextureSubImage3D(
        name: u32, level: i32, x: i32, y: i32, z: i32, width: i32, height: i32, depth: i32, format: u32, bytes: i32,
        data: Void,
    ) = |cx| {
        let (origin, size) = ([x, y, z], [width, height, depth]);
        named::upload_compressed(cx, 3, name, level, origin, size, format, bytes, data.cast())
    };
    fn glCopyTextureSubImage1D(name: u32, level: i32, xoffset: i32, x: i32, y: i32, width: i32) = |cx| {
        named::copy(cx, 1, name, level, [xoffset, 0, 0], [x, y], [width, 1])
    };
    fn glCopyTextureSubImage2D(
        name: u32, level: i32, xoffset: i32, yoffset: i32, x: i32, y: i32, width: i32, height: i32,
    ) = |cx| named::copy(cx, 2, name, level, [xoffset, yoffset, 0], [x, y], [width, height]);
    fn glCopyTextureSubImage3D(
        name: u32, level: i32, xoffset: i32, yoffset: i32, zoffset: i32, x: i32, y: i32, width: i32, height: i32,
    ) = |cx| named::copy(cx, 3, name, level, [xoffset, yoffset, zoffset], [x, y], [width, height]);
    fn glGenerateTextureMipmap(name: u32) = |cx| {
        named::with(cx, name, |cx, target| {
            // Here the target is not a token of the call.
            copy::generate_mipmap(cx, target).map_err(|error| crate::error::GlError {
                code: gl::INVALID_OPERATION,
                ..error
            })
        })
    };
    fn glTextureParameteri(name: u32, pname: u32, value: i32) = |cx| set(cx, name, pname, Given::Int(value));
    fn glTextureParameterf(name: u32, pname: u32, value: f32) = |cx| set(cx, name, pname, Given::Float(value));
    fn glTextureParameteriv(name: u32, pname: u32, value: *const i32) = |cx| {
        set(cx, name, pname, Given::Ints(unsafe { values(pname, value) }))
    };
    fn glTextureParameterfv(name: u32, pname: u32, value: *const f32) = |cx| {
        set(cx, name, pname, Given::Floats(unsafe { values(pname, value) }))
    };
    fn glTextureParameterIiv(name: u32, pname: u32, value: *const i32) = |cx| {
        set(cx, name, pname, Given::PureInts(unsafe { values(pname, value) }))
    };
    fn glTextureParameterIuiv(name: u32, pname: u32, value: *const u32) = |cx| {
        set(cx, name, pname, Given::PureUints(unsafe { values(pname, value) }))
    };
    fn glGetTextureParameteriv(name: u32, pname: u32, out: *mut i32) = |cx| {
        let value = parameter(cx, name, pname)?;
        unsafe { put_all(out, value.to_i32s()) };
        Ok(())
    };
    fn glGetTextureParameterfv(name: u32, pname: u32, out: *mut f32) = |cx| {
        let value = parameter(cx, name, pname)?;
        unsafe { put_all(out, value.to_f32s()) };
        Ok(())
    };
    fn glGetTextureParameterIiv(name: u32, pname: u32, out: *mut i32) = |cx| {
        let value = parameter(cx, name, pname)?;
        unsafe { put_all(out, value.to_i64s().map(|v| v as i32)) };
        Ok(())
    };
    fn glGetTextureParameterIuiv(name: u32, pname: u32, out: *mut u32) = |cx| {
        let value = parameter(cx, name, pname)?;
        unsafe { put_all(out, value.to_i64s().map(|v| v as u32)) };
        Ok(())
    };
    fn glGetTextureLevelParameteriv(name: u32, level: i32, pname: u32, out: *mut i32) = |cx| {
        let value = level_parameter(cx, name, level, pname)?;
        unsafe { put(out, value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32) };
        Ok(())
    };
    fn glGetTextureLevelParameterfv(name: u32, level: i32, pname: u32, out: *mut f32) = |cx| {
        let value = level_parameter(cx, name, level, pname)?;
        unsafe { put(out, value as f32) };
        Ok(())
    };
    fn glGetTextureImage(name: u32, level: i32, format: u32, ty: u32, room: i32, pixels: *mut c_void) = |cx| {
        named::image(cx, name, level, format, ty, room, pixels.cast())
    };
    fn glGetCompressedTextureImage(name: u32, level: i32, room: i32, data: *mut c_void) = |cx| {
        named::compressed_image(cx, name, level, room, data.cast())
    };
    fn glGetTextureSubImage(
        name: u32, level: i32, x: i32, y: i32, z: i32, width: i32, height: i32, depth: i32, format: u32, ty: u32,
        room: i32, pixels: *mut c_void,
    ) = |cx| {
        let area = ([x, y, z], [width, height, depth]);
        named::sub_image_of(cx, name, level, area, (format, ty), room, pixels.cast())
    };
    fn glGetCompressedTextureSubImage(
        name: u32, level: i32, x: i32, y: i32, z: i32, width: i32, height: i32, depth: i32, room: i32,
        data: *mut c_void,
    ) = |cx| {
        let area = ([x, y, z], [width, height, depth]);
        named::compressed_sub_image_of(cx, name, level, area, room, data.cast())
    };
}
