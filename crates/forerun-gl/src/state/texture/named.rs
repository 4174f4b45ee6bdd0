//! Textures by name (OpenGL 4.5, direct state access).
//!
//! A call that names its texture is the call that works on the active unit's binding, made while the texture stands there. What differs:
//! a target that does not suit is GL_INVALID_OPERATION, and a cube map has its six faces as layers.

use super::check;
use super::copy::copy_sub_image;
use super::query::{get_compressed_image, get_image, read};
use super::upload::{
    Box3, check_box, compressed_sub_image, is_aligned, is_image_target, sub_image,
};
use super::{Texture, target_index};
use crate::context::Context;
use crate::error::{GlResult, check_operation, check_value, invalid_operation, invalid_value};
use forerun_pipe::{gl, pixel};
use std::sync::Arc;

/// The texture object of a name.
///
/// # Errors
/// GL_INVALID_OPERATION when the name is no texture object's.
pub fn existing(cx: &Context, name: u32) -> GlResult<Arc<Texture>> {
    match cx.group.texture(name) {
        Some(texture) => Ok(texture),
        None => invalid_operation("no such texture"),
    }
}

/// Runs a call of the bound form, which gets the texture's target, while the texture is bound to the active unit.
///
/// # Errors
/// As [`existing`], and those of the call.
pub fn with<R>(
    cx: &mut Context,
    name: u32,
    call: impl FnOnce(&mut Context, u32) -> GlResult<R>,
) -> GlResult<R> {
    let texture = existing(cx, name)?;
    let (target, unit) = (texture.target, cx.texture.active);
    let Some(row) = target_index(target) else { return invalid_operation("texture target") };
    let Some(slot) = cx.state.texture.units.get_mut(unit).map(|u| &mut u.bound[row]) else {
        return invalid_operation("texture unit");
    };
    let kept = slot.replace(texture);
    let result = call(cx, target);
    if let Some(unit) = cx.state.texture.units.get_mut(unit) {
        unit.bound[row] = kept;
    }
    result
}

/// Whether a call that takes images of so many dimensions goes to the faces of a cube map, which counts as three.
///
/// # Errors
/// GL_INVALID_OPERATION for an unknown texture, or one of another kind.
fn is_cube(cx: &Context, name: u32, dims: u32) -> GlResult<bool> {
    let texture = existing(cx, name)?;
    let cube = texture.target == gl::TEXTURE_CUBE_MAP && dims == 3;
    check_operation(cube || is_image_target(cx, dims, texture.target), "texture target")?;
    Ok(cube)
}

/// The faces of a level must be alike before any of them is changed (OpenGL 4.6, section 8.6).
fn check_faces(cx: &Context, name: u32, level: i32) -> GlResult {
    let texture = existing(cx, name)?;
    let level = cx.state.check_level(texture.target, level)?;
    check_cube(&texture, level)
}

/// The faces that a range of layers of a cube map names: target of the face and number in the range.
fn faces(z: i32, depth: i32) -> GlResult<impl Iterator<Item = (u32, usize)>> {
    check_value(z >= 0 && depth >= 0 && z.saturating_add(depth) <= 6, "faces of a cube map")?;
    let first = gl::TEXTURE_CUBE_MAP_POSITIVE_X + z as u32;
    Ok((0..depth as u32).map(move |face| (first + face, face as usize)))
}

/// Bytes from one image to the next with the unpack parameters, and those before the first.
fn unpack_steps(cx: &Context, format: u32, ty: u32, size: [i32; 3]) -> Option<(usize, usize)> {
    let store = &cx.pixel.unpack;
    let size = size.map(|v| v.max(0) as u32);
    let (image, _, _) = pixel::strides(format, ty, size, store, true)?;
    Some((image as usize, store.skip_images as usize * image as usize))
}

/// glTextureSubImage*.
///
/// # Errors
/// As [`sub_image`]; GL_INVALID_OPERATION for an unknown texture or one of another kind.
#[allow(clippy::too_many_arguments)]
pub fn upload(
    cx: &mut Context,
    dims: u32,
    name: u32,
    level: i32,
    origin: [i32; 3],
    size: [i32; 3],
    format: u32,
    ty: u32,
    pointer: *const u8,
) -> GlResult {
    if !is_cube(cx, name, dims)? {
        return with(cx, name, |cx, target| {
            sub_image(cx, dims, target, level, origin, size, format, ty, pointer)
        });
    }
    check_faces(cx, name, level)?;
    let ([x, y, z], [width, height, depth]) = (origin, size);
    let (step, skip) = unpack_steps(cx, format, ty, size).unwrap_or_default();
    for (face, number) in faces(z, depth)? {
        let from = pointer.wrapping_add(skip + number * step);
        let from = if pointer.is_null() && cx.buffer.slots.pixel_unpack.is_none() {
            pointer
        } else {
            from
        };
        with(cx, name, |cx, _| {
            sub_image(cx, 2, face, level, [x, y, 0], [width, height, 1], format, ty, from)
        })?;
    }
    Ok(())
}

/// glCompressedTextureSubImage*.
///
/// # Errors
/// As [`compressed_sub_image`]; GL_INVALID_OPERATION for an unknown texture or one of another kind.
#[allow(clippy::too_many_arguments)]
pub fn upload_compressed(
    cx: &mut Context,
    dims: u32,
    name: u32,
    level: i32,
    origin: [i32; 3],
    size: [i32; 3],
    format: u32,
    bytes: i32,
    pointer: *const u8,
) -> GlResult {
    if !is_cube(cx, name, dims)? {
        return with(cx, name, |cx, target| {
            compressed_sub_image(cx, dims, target, level, origin, size, format, bytes, pointer)
        });
    }
    check_faces(cx, name, level)?;
    let ([x, y, z], [width, height, depth]) = (origin, size);
    let all = size.map(|v| v.max(0) as u32);
    check_value(
        pixel::compressed_bytes(format, all).is_none_or(|all| all == bytes as u64),
        "size of compressed bytes",
    )?;
    let step = bytes / depth.max(1);
    for (face, number) in faces(z, depth)? {
        let from = pointer.wrapping_add(number * step.max(0) as usize);
        with(cx, name, |cx, _| {
            let size = [width, height, 1];
            compressed_sub_image(cx, 2, face, level, [x, y, 0], size, format, step, from)
        })?;
    }
    Ok(())
}

/// glCopyTextureSubImage*.
///
/// # Errors
/// As [`copy_sub_image`]; GL_INVALID_OPERATION for an unknown texture or one of another kind.
pub fn copy(
    cx: &mut Context,
    dims: u32,
    name: u32,
    level: i32,
    origin: [i32; 3],
    from: [i32; 2],
    size: [i32; 2],
) -> GlResult {
    if !is_cube(cx, name, dims)? {
        return with(cx, name, |cx, target| {
            copy_sub_image(cx, dims, target, level, origin, from, size)
        });
    }
    let [x, y, z] = origin;
    for (face, _) in faces(z, 1)? {
        with(cx, name, |cx, _| copy_sub_image(cx, 2, face, level, [x, y, 0], from, size))?;
    }
    Ok(())
}

fn check_readable(texture: &Texture) -> GlResult {
    check_operation(
        !matches!(
            texture.target,
            gl::TEXTURE_BUFFER | gl::TEXTURE_2D_MULTISAMPLE | gl::TEXTURE_2D_MULTISAMPLE_ARRAY
        ),
        "texture target",
    )
}

/// All six faces of a level alike, or GL_INVALID_OPERATION; other textures are as they are.
fn check_cube(texture: &Texture, level: u32) -> GlResult {
    if texture.target != gl::TEXTURE_CUBE_MAP {
        return Ok(());
    }
    let data = texture.data.borrow_mut();
    let first = data.image(0, level).map(|i| (i.size, i.internal));
    let alike = first.is_some()
        && (1..6).all(|face| data.image(face, level).map(|i| (i.size, i.internal)) == first);
    check_operation(alike, "the cube map is not complete")
}

/// glGetTextureImage.
///
/// # Errors
/// As [`get_image`]; GL_INVALID_OPERATION for an unknown texture, one of another kind or a cube map that is not complete.
pub fn image(
    cx: &mut Context,
    name: u32,
    level: i32,
    format: u32,
    ty: u32,
    room: i32,
    pointer: *mut u8,
) -> GlResult {
    let texture = existing(cx, name)?;
    check_readable(&texture)?;
    if texture.target != gl::TEXTURE_CUBE_MAP {
        return with(cx, name, |cx, target| {
            get_image(cx, target, level, format, ty, Some(room), pointer)
        });
    }
    let at = cx.state.check_level(texture.target, level)?;
    check_cube(&texture, at)?;
    let size = texture.data.borrow_mut().image(0, at).map_or([0; 3], |i| i.size);
    let size = [size[0] as i32, size[1] as i32, 6];
    sub_image_of(cx, name, level, ([0; 3], size), (format, ty), room, pointer)
}

/// glGetCompressedTextureImage.
///
/// # Errors
/// As [`get_compressed_image`]; GL_INVALID_OPERATION for an unknown texture, one of another kind or a cube map that is not complete.
pub fn compressed_image(
    cx: &mut Context,
    name: u32,
    level: i32,
    room: i32,
    pointer: *mut u8,
) -> GlResult {
    let texture = existing(cx, name)?;
    check_readable(&texture)?;
    if texture.target != gl::TEXTURE_CUBE_MAP {
        return with(cx, name, |cx, target| {
            get_compressed_image(cx, target, level, Some(room), pointer)
        });
    }
    let at = cx.state.check_level(texture.target, level)?;
    let size = texture.data.borrow_mut().image(0, at).map_or([0; 3], |i| i.size);
    let size = [size[0] as i32, size[1] as i32, 6];
    compressed_sub_image_of(cx, name, level, ([0; 3], size), room, pointer)
}

/// A checked level and box of a texture; dimensions that the target lacks must be 0 and 1.
fn checked(
    cx: &Context,
    texture: &Texture,
    level: i32,
    (origin, size): ([i32; 3], [i32; 3]),
) -> GlResult<(u32, super::Image, [u32; 3])> {
    check_readable(texture)?;
    let level = cx.state.check_level(texture.target, level)?;
    let size = check::sizes(size)?;
    check_cube(texture, level)?;
    let data = texture.data.borrow_mut();
    if texture.face(texture.target).is_none_or(|face| data.image(face, level).is_none()) {
        return invalid_value("the level is not defined");
    }
    let image = check_box(texture, &data, texture.target, level, origin, size)?;
    Ok((level, image, size))
}

/// glGetTextureSubImage.
///
/// # Errors
/// As OpenGL 4.6, section 8.11.4 says.
pub fn sub_image_of(
    cx: &mut Context,
    name: u32,
    level: i32,
    (origin, size): ([i32; 3], [i32; 3]),
    (format, ty): (u32, u32),
    room: i32,
    pointer: *mut u8,
) -> GlResult {
    let texture = existing(cx, name)?;
    let (level, image, size) = checked(cx, &texture, level, (origin, size))?;
    check::check_pair(&cx.state, format, ty)?;
    check::check_kind(image.format, format)?;
    let at = Box3 { target: texture.target, level, origin, size, format, ty };
    if size.contains(&0) {
        return Ok(());
    }
    read(cx, &texture, &at, Some(room), pointer)
}

/// glGetCompressedTextureSubImage.
///
/// # Errors
/// As OpenGL 4.6, section 8.11.4 says.
pub fn compressed_sub_image_of(
    cx: &mut Context,
    name: u32,
    level: i32,
    (origin, size): ([i32; 3], [i32; 3]),
    room: i32,
    pointer: *mut u8,
) -> GlResult {
    let texture = existing(cx, name)?;
    let (level, image, size) = checked(cx, &texture, level, (origin, size))?;
    let Some(block) = pixel::block(image.internal) else {
        return invalid_operation("the image is not compressed");
    };
    check_value(
        is_aligned(&block, origin, size, &image),
        "a box of compressed blocks is not aligned",
    )?;
    let at = Box3 { target: texture.target, level, origin, size, format: image.internal, ty: 0 };
    if size.contains(&0) {
        return Ok(());
    }
    read(cx, &texture, &at, Some(room), pointer)
}
