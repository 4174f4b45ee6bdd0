//! Entry points of textures: objects, images, storage, queries.

use super::{put, put_all, slice};
use crate::entries;
use crate::error::{GlResult, check_value, count, invalid_operation};
use crate::state::texture::copy::{self, Side};
use crate::state::texture::image::{self, Definition};
use crate::state::texture::params::{self, Given};
use crate::state::texture::{self, format_query, query, storage, upload};
use forerun_pipe::{gl, pixel};
use std::ffi::c_void;

type Void = *const c_void;

/// Values of a vector form; scalars have one.
///
/// # Safety
/// The program's array has as many values as the parameter.
pub(super) unsafe fn values<'a, T>(pname: u32, pointer: *const T) -> &'a [T] {
    // SAFETY: the caller promised it.
    unsafe { slice(pointer, params::count(pname)) }
}

/// One texel of glClearTexImage.
///
/// # Safety
/// `pointer` is null or holds a texel of that format and type.
unsafe fn texel<'a>(format: u32, ty: u32, pointer: Void) -> Option<&'a [u8]> {
    let bytes = pixel::pixel_bytes(format, ty)? as usize;
    // SAFETY: the caller promised it.
    (!pointer.is_null()).then(|| unsafe { slice(pointer.cast::<u8>(), bytes) })
}

fn define(
    dims: u32,
    target: u32,
    level: i32,
    internal: u32,
    size: [i32; 3],
    border: i32,
) -> Definition {
    Definition { dims, target, level, internal, size, border }
}

entries! {
    fn glActiveTexture(unit: u32) = |cx| texture::set_active(cx, unit);
    fn glGenTextures(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        let mut table = cx.group.textures.borrow_mut();
        unsafe { put_all(names, (0..n).map(|_| table.generate())) };
        Ok(())
    };
    fn glCreateTextures(target: u32, n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        let made: GlResult<Vec<u32>> = (0..n).map(|_| texture::create_named(cx, target)).collect();
        unsafe { put_all(names, made?.into_iter()) };
        Ok(())
    };
    fn glDeleteTextures(n: i32, names: *const u32) = |cx| {
        let n = count(n)? as usize;
        texture::delete(cx, unsafe { slice(names, n) })
    };
    fn glIsTexture(name: u32) -> u8 = |cx| Ok(u8::from(cx.group.texture(name).is_some()));
    fn glBindTexture(target: u32, name: u32) = |cx| texture::bind(cx, target, name);
    fn glBindTextureUnit(unit: u32, name: u32) = |cx| texture::bind_texture_unit(cx, unit, name);
    fn glBindTextures(first: u32, n: i32, names: *const u32) = |cx| {
        let n = count(n)?;
        let end = first.checked_add(n).map_or(usize::MAX, |end| end as usize);
        if end > cx.texture.units.len() {
            return invalid_operation("texture units");
        }
        let names = unsafe { slice(names, n as usize) };
        let mut result = Ok(());
        for index in 0..n {
            let name = names.get(index as usize).copied().unwrap_or(0);
            let bound = texture::bind_texture_unit(cx, first + index, name);
            result = result.and(bound);
        }
        result
    };

    fn glTexImage1D(
        target: u32, level: i32, internal: i32, width: i32, border: i32, format: u32, ty: u32, pixels: Void,
    ) = |cx| {
        let d = define(1, target, level, internal as u32, [width, 1, 1], border);
        image::tex_image(cx, d, format, ty, pixels.cast())
    };
    fn glTexImage2D(
        target: u32, level: i32, internal: i32, width: i32, height: i32, border: i32, format: u32, ty: u32, pixels: Void,
    ) = |cx| {
        let d = define(2, target, level, internal as u32, [width, height, 1], border);
        image::tex_image(cx, d, format, ty, pixels.cast())
    };
    fn glTexImage3D(
        target: u32, level: i32, internal: i32, width: i32, height: i32, depth: i32, border: i32, format: u32, ty: u32,
        pixels: Void,
    ) = |cx| {
        let d = define(3, target, level, internal as u32, [width, height, depth], border);
        image::tex_image(cx, d, format, ty, pixels.cast())
    };
    fn glTexSubImage1D(target: u32, level: i32, x: i32, width: i32, format: u32, ty: u32, pixels: Void) = |cx| {
        upload::sub_image(cx, 1, target, level, [x, 0, 0], [width, 1, 1], format, ty, pixels.cast())
    };
    fn glTexSubImage2D(
        target: u32, level: i32, x: i32, y: i32, width: i32, height: i32, format: u32, ty: u32, pixels: Void,
    ) = |cx| upload::sub_image(cx, 2, target, level, [x, y, 0], [width, height, 1], format, ty, pixels.cast());
    fn glTexSubImage3D(
        target: u32, level: i32, x: i32, y: i32, z: i32, width: i32, height: i32, depth: i32, format: u32, ty: u32,
        pixels: Void,
    ) = |cx| upload::sub_image(cx, 3, target, level, [x, y, z], [width, height, depth], format, ty, pixels.cast());
    fn glCompressedTexImage1D(
        target: u32, level: i32, internal: u32, width: i32, border: i32, bytes: i32, data: Void,
    ) = |cx| {
        let d = define(1, target, level, internal, [width, 1, 1], border);
        image::compressed_image(cx, d, bytes, data.cast())
    };
    fn glCompressedTexImage2D(
        target: u32, level: i32, internal: u32, width: i32, height: i32, border: i32, bytes: i32, data: Void,
    ) = |cx| {
        let d = define(2, target, level, internal, [width, height, 1], border);
        image::compressed_image(cx, d, bytes, data.cast())
    };
    fn glCompressedTexImage3D(
        target: u32, level: i32, internal: u32, width: i32, height: i32, depth: i32, border: i32, bytes: i32, data: Void,
    ) = |cx| {
        let d = define(3, target, level, internal, [width, height, depth], border);
        image::compressed_image(cx, d, bytes, data.cast())
    };
    fn glCompressedTexSubImage1D(
        target: u32, level: i32, x: i32, width: i32, format: u32, bytes: i32, data: Void,
    ) = |cx| {
        upload::compressed_sub_image(cx, 1, target, level, [x, 0, 0], [width, 1, 1], format, bytes, data.cast())
    };
    fn glCompressedTexSubImage2D(
        target: u32, level: i32, x: i32, y: i32, width: i32, height: i32, format: u32, bytes: i32, data: Void,
    ) = |cx| {
        upload::compressed_sub_image(cx, 2, target, level, [x, y, 0], [width, height, 1], format, bytes, data.cast())
    };
    fn glCompressedTexSubImage3D(
        target: u32, level: i32, x: i32, y: i32, z: i32, width: i32, height: i32, depth: i32, format: u32, bytes: i32,
        data: Void,
    ) = |cx| {
        upload::compressed_sub_image(cx, 3, target, level, [x, y, z], [width, height, depth], format, bytes, data.cast())
    };
    fn glCopyTexImage1D(target: u32, level: i32, internal: u32, x: i32, y: i32, width: i32, border: i32) = |cx| {
        image::copy_image(cx, define(1, target, level, internal, [width, 1, 1], border), x, y)
    };
    fn glCopyTexImage2D(
        target: u32, level: i32, internal: u32, x: i32, y: i32, width: i32, height: i32, border: i32,
    ) = |cx| image::copy_image(cx, define(2, target, level, internal, [width, height, 1], border), x, y);
    fn glCopyTexSubImage1D(target: u32, level: i32, xoffset: i32, x: i32, y: i32, width: i32) = |cx| {
        copy::copy_sub_image(cx, 1, target, level, [xoffset, 0, 0], [x, y], [width, 1])
    };
    fn glCopyTexSubImage2D(
        target: u32, level: i32, xoffset: i32, yoffset: i32, x: i32, y: i32, width: i32, height: i32,
    ) = |cx| copy::copy_sub_image(cx, 2, target, level, [xoffset, yoffset, 0], [x, y], [width, height]);
    fn glCopyTexSubImage3D(
        target: u32, level: i32, xoffset: i32, yoffset: i32, zoffset: i32, x: i32, y: i32, width: i32, height: i32,
    ) = |cx| copy::copy_sub_image(cx, 3, target, level, [xoffset, yoffset, zoffset], [x, y], [width, height]);
    fn glTexImage2DMultisample(
        target: u32, samples: i32, internal: u32, width: i32, height: i32, fixed: u8,
    ) = |cx| {
        image::multisample_image(cx, define(2, target, 0, internal, [width, height, 1], 0), samples, fixed != 0)
    };
    fn glTexImage3DMultisample(
        target: u32, samples: i32, internal: u32, width: i32, height: i32, depth: i32, fixed: u8,
    ) = |cx| {
        image::multisample_image(cx, define(3, target, 0, internal, [width, height, depth], 0), samples, fixed != 0)
    };

    fn glTexStorage1D(target: u32, levels: i32, internal: u32, width: i32) = |cx| {
        storage::tex_storage(cx, 1, target, levels, internal, [width, 1, 1])
    };
    fn glTexStorage2D(target: u32, levels: i32, internal: u32, width: i32, height: i32) = |cx| {
        storage::tex_storage(cx, 2, target, levels, internal, [width, height, 1])
    };
    fn glTexStorage3D(target: u32, levels: i32, internal: u32, width: i32, height: i32, depth: i32) = |cx| {
        storage::tex_storage(cx, 3, target, levels, internal, [width, height, depth])
    };
    fn glTexStorage2DMultisample(
        target: u32, samples: i32, internal: u32, width: i32, height: i32, fixed: u8,
    ) = |cx| {
        if target != gl::TEXTURE_2D_MULTISAMPLE {
            return crate::error::invalid_enum("texture target");
        }
        storage::multisample_storage(cx, target, samples, internal, [width, height, 1], fixed != 0)
    };
    fn glTexStorage3DMultisample(
        target: u32, samples: i32, internal: u32, width: i32, height: i32, depth: i32, fixed: u8,
    ) = |cx| {
        if target != gl::TEXTURE_2D_MULTISAMPLE_ARRAY {
            return crate::error::invalid_enum("texture target");
        }
        storage::multisample_storage(cx, target, samples, internal, [width, height, depth], fixed != 0)
    };
    fn glTexBuffer(target: u32, internal: u32, buffer: u32) = |cx| {
        storage::tex_buffer(cx, target, internal, buffer, None)
    };
    fn glTexBufferRange(target: u32, internal: u32, buffer: u32, offset: isize, size: isize) = |cx| {
        storage::tex_buffer(cx, target, internal, buffer, Some((offset as i64, size as i64)))
    };
    fn glTextureView(
        name: u32, target: u32, of: u32, internal: u32, min_level: u32, levels: u32, min_layer: u32, layers: u32,
    ) = |cx| storage::view(cx, name, target, of, internal, [min_level, levels, min_layer, layers]);

    fn glGenerateMipmap(target: u32) = |cx| copy::generate_mipmap(cx, target);
    fn glCopyImageSubData(
        src: u32, src_target: u32, src_level: i32, src_x: i32, src_y: i32, src_z: i32,
        dst: u32, dst_target: u32, dst_level: i32, dst_x: i32, dst_y: i32, dst_z: i32,
        width: i32, height: i32, depth: i32,
    ) = |cx| {
        let from = Side { name: src, target: src_target, level: src_level, origin: [src_x, src_y, src_z] };
        let to = Side { name: dst, target: dst_target, level: dst_level, origin: [dst_x, dst_y, dst_z] };
        copy::copy_images(cx, from, to, [width, height, depth])
    };
    fn glClearTexImage(name: u32, level: i32, format: u32, ty: u32, data: Void) = |cx| {
        copy::clear(cx, name, level, None, format, ty, unsafe { texel(format, ty, data) })
    };
    fn glClearTexSubImage(
        name: u32, level: i32, x: i32, y: i32, z: i32, width: i32, height: i32, depth: i32, format: u32, ty: u32,
        data: Void,
    ) = |cx| {
        let area = Some(([x, y, z], [width, height, depth]));
        copy::clear(cx, name, level, area, format, ty, unsafe { texel(format, ty, data) })
    };
    fn glInvalidateTexImage(name: u32, level: i32) = |cx| copy::invalidate(cx, name, level, None);
    fn glInvalidateTexSubImage(
        name: u32, level: i32, x: i32, y: i32, z: i32, width: i32, height: i32, depth: i32,
    ) = |cx| copy::invalidate(cx, name, level, Some(([x, y, z], [width, height, depth])));

    fn glTexParameteri(target: u32, pname: u32, value: i32) = |cx| params::set(cx, target, pname, Given::Int(value));
    fn glTexParameterf(target: u32, pname: u32, value: f32) = |cx| params::set(cx, target, pname, Given::Float(value));
    fn glTexParameteriv(target: u32, pname: u32, value: *const i32) = |cx| {
        params::set(cx, target, pname, Given::Ints(unsafe { values(pname, value) }))
    };
    fn glTexParameterfv(target: u32, pname: u32, value: *const f32) = |cx| {
        params::set(cx, target, pname, Given::Floats(unsafe { values(pname, value) }))
    };
    fn glTexParameterIiv(target: u32, pname: u32, value: *const i32) = |cx| {
        params::set(cx, target, pname, Given::PureInts(unsafe { values(pname, value) }))
    };
    fn glTexParameterIuiv(target: u32, pname: u32, value: *const u32) = |cx| {
        params::set(cx, target, pname, Given::PureUints(unsafe { values(pname, value) }))
    };
    fn glGetTexParameteriv(target: u32, pname: u32, out: *mut i32) = |cx| {
        let value = params::get(cx, target, pname)?;
        unsafe { put_all(out, value.to_i32s()) };
        Ok(())
    };
    fn glGetTexParameterfv(target: u32, pname: u32, out: *mut f32) = |cx| {
        let value = params::get(cx, target, pname)?;
        unsafe { put_all(out, value.to_f32s()) };
        Ok(())
    };
    fn glGetTexParameterIiv(target: u32, pname: u32, out: *mut i32) = |cx| {
        let value = params::get(cx, target, pname)?;
        unsafe { put_all(out, value.to_i64s().map(|v| v as i32)) };
        Ok(())
    };
    fn glGetTexParameterIuiv(target: u32, pname: u32, out: *mut u32) = |cx| {
        let value = params::get(cx, target, pname)?;
        unsafe { put_all(out, value.to_i64s().map(|v| v as u32)) };
        Ok(())
    };
    fn glGetTexLevelParameteriv(target: u32, level: i32, pname: u32, out: *mut i32) = |cx| {
        let value = query::level_parameter(cx, target, level, pname)?;
        unsafe { put(out, value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32) };
        Ok(())
    };
    fn glGetTexLevelParameterfv(target: u32, level: i32, pname: u32, out: *mut f32) = |cx| {
        let value = query::level_parameter(cx, target, level, pname)?;
        unsafe { put(out, value as f32) };
        Ok(())
    };
    fn glGetTexImage(target: u32, level: i32, format: u32, ty: u32, pixels: *mut c_void) = |cx| {
        query::get_image(cx, target, level, format, ty, None, pixels.cast())
    };
    fn glGetnTexImage(target: u32, level: i32, format: u32, ty: u32, room: i32, pixels: *mut c_void) = |cx| {
        query::get_image(cx, target, level, format, ty, Some(room), pixels.cast())
    };
    fn glGetCompressedTexImage(target: u32, level: i32, data: *mut c_void) = |cx| {
        query::get_compressed_image(cx, target, level, None, data.cast())
    };
    fn glGetnCompressedTexImage(target: u32, level: i32, room: i32, data: *mut c_void) = |cx| {
        query::get_compressed_image(cx, target, level, Some(room), data.cast())
    };
    fn glGetInternalformativ(target: u32, internal: u32, pname: u32, room: i32, out: *mut i32) = |cx| {
        let answers = format_query::internal_format(cx, target, internal, pname, room)?;
        unsafe { put_all(out, answers.into_iter().take(room.max(0) as usize)) };
        Ok(())
    };
    fn glGetInternalformati64v(target: u32, internal: u32, pname: u32, room: i32, out: *mut i64) = |cx| {
        check_value(room >= 0, "room for answers")?;
        let answers = format_query::internal_format(cx, target, internal, pname, room)?;
        unsafe { put_all(out, answers.into_iter().map(i64::from).take(room as usize)) };
        Ok(())
    };
}
