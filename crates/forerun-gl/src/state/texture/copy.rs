//! What happens between images: copies, mipmaps, clears, invalidation.

use super::storage::{chain_length, minified, view_class};
use super::upload::{check_box, is_image_target};
use super::{Image, Texture, bound, check, owner_target};
use crate::context::{Api, Context};
use crate::emit::{self, Dirty};
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_operation, invalid_value,
};
use crate::state::framebuffer::{self, Renderbuffer};
use forerun_pipe::records::{
    ClearTexture, CopyFramebufferToTexture, GenerateMipmap, InvalidateTexture, ResourceCopyRegion,
};
use forerun_pipe::{RawHandle, gl, pixel};
use std::sync::Arc;

/// Copies from the read framebuffer into an image. The part of the rectangle outside the framebuffer stays undefined.
///
/// # Errors
/// GL_OUT_OF_MEMORY when the session is lost.
pub fn from_framebuffer(
    cx: &mut Context,
    texture: &Texture,
    target: u32,
    level: u32,
    dst_origin: [i32; 3],
    from: [i32; 2],
    size: [u32; 2],
) -> GlResult {
    if size.contains(&0) {
        return Ok(());
    }
    let mut stream = cx.group.stream();
    cx.state.bind(&mut stream);
    emit::sync(&mut cx.state, &mut stream, Dirty::FRAMEBUFFER)?;
    CopyFramebufferToTexture {
        handle: texture.handle.raw(),
        target,
        level,
        dst_origin,
        x: from[0],
        y: from[1],
        width: size[0],
        height: size[1],
        pad: 0,
    }
    .send(&mut *stream);
    Ok(())
}

/// glCopyTexSubImage*.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.6 says.
pub fn copy_sub_image(
    cx: &mut Context,
    dims: u32,
    target: u32,
    level: i32,
    origin: [i32; 3],
    from: [i32; 2],
    size: [i32; 2],
) -> GlResult {
    check_enum(is_image_target(cx, dims, target), "texture target")?;
    let level = cx.state.check_level(target, level)?;
    let [width, height, _] = check::sizes([size[0], size[1], 1])?;
    let texture = bound(cx, owner_target(target))?;
    let image = {
        let data = texture.data.borrow_mut();
        let face = texture.face(target).and_then(|face| data.image(face, level).copied());
        let Some(image) = face else { return invalid_operation("the level is not defined") };
        image
    };
    let source = framebuffer::read_source(cx, image.internal)?;
    check_operation(!image.format.is_compressed(), "the image is compressed")?;
    let format = image.format;
    check_operation(
        format.is_color() == source.is_color()
            && format.is_integer() == source.is_integer()
            && (!format.is_integer() || format.class == source.class)
            && format.token != gl::RGB9_E5,
        "the read buffer does not suit the image",
    )?;
    check_operation(cx.config.api != Api::Es || format.is_color(), "copies of depth")?;
    check_box(&texture, &texture.data.borrow_mut(), target, level, origin, [width, height, 1])?;
    from_framebuffer(cx, &texture, target, level, origin, from, [width, height])
}

/// glGenerateMipmap.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.14.4 says.
pub fn generate_mipmap(cx: &mut Context, target: u32) -> GlResult {
    let mipmapped = !matches!(
        target,
        gl::TEXTURE_BUFFER
            | gl::TEXTURE_RECTANGLE
            | gl::TEXTURE_2D_MULTISAMPLE
            | gl::TEXTURE_2D_MULTISAMPLE_ARRAY
    );
    check_enum(mipmapped && cx.state.has_target(target), "texture target")?;
    let texture = bound(cx, target)?;
    let mut data = texture.data.borrow_mut();
    let base = data.base_level();
    let Some(image) = data.image(0, base).copied() else {
        // Desktop GL makes nothing out of nothing; ES asks for a base level.
        return check_operation(cx.config.api != Api::Es, "no base level");
    };
    if target == gl::TEXTURE_CUBE_MAP {
        let same = (0..6).all(|face| {
            data.image(face, base)
                .is_some_and(|i| i.size == image.size && i.format.token == image.format.token)
        });
        check_operation(same && image.size[0] == image.size[1], "the cube map is not complete")?;
    }
    let es = cx.config.api == Api::Es;
    let format = image.format;
    check_operation(
        !format.is_integer() && format.base != gl::STENCIL_INDEX,
        "mipmaps of integers or stencil values",
    )?;
    if es {
        check_operation(!format.is_compressed(), "mipmaps of compressed images")?;
        check_operation(format.is_color() || image.internal != format.token, "mipmaps of depth")?;
        let able = cx.state.is_color_renderable(format) && cx.state.is_filterable(format)
            || image.internal != format.token
            || matches!(format.base, gl::ALPHA | gl::LUMINANCE | gl::LUMINANCE_ALPHA);
        check_operation(able || format.token == gl::SRGB8_ALPHA8, "mipmaps of such a format")?;
        check_operation(
            cx.config.version >= 30 || !format.is_srgb(),
            "mipmaps of nonlinear colours",
        )?;
    }
    if image.size.contains(&0) {
        return Ok(());
    }
    if data.immutable_levels == 0 {
        let last = (base + chain_length(target, image.size) - 1)
            .min(data.params.max_level)
            .min(super::MAX_LEVELS - 1);
        for face in 0..data.faces.len() {
            for level in base + 1..=last {
                let size = minified(target, image.size, level - base);
                data.set_image(face, level, Image { size, ..image });
            }
        }
        cx.group.storage_moved(&texture.attached);
    }
    GenerateMipmap { handle: texture.handle.raw(), target, pad: 0 }.send(&mut *cx.stream());
    Ok(())
}

/// One side of glCopyImageSubData.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Texture or renderbuffer name.
    pub name: u32,
    /// GL_RENDERBUFFER or a texture target.
    pub target: u32,
    /// Level.
    pub level: i32,
    /// x, y, z.
    pub origin: [i32; 3],
}

struct Found {
    handle: RawHandle,
    level: u32,
    internal: u32,
    extent: [u32; 3],
    samples: u32,
    // Keeps the object alive until the record is written.
    _object: (Option<Arc<Texture>>, Option<Arc<Renderbuffer>>),
}

fn find_side(cx: &Context, side: &Side) -> GlResult<Found> {
    if side.target == gl::RENDERBUFFER {
        let Some(object) = cx.group.renderbuffers.borrow_mut().get(side.name).cloned() else {
            return invalid_value("no such renderbuffer");
        };
        check_value(side.level == 0, "level of a renderbuffer")?;
        let data = *object.data.borrow_mut();
        let Some(format) = data.format else {
            return invalid_operation("the renderbuffer has no storage");
        };
        return Ok(Found {
            handle: object.handle.raw(),
            level: 0,
            internal: format.token,
            extent: [data.width, data.height, 1],
            samples: data.samples,
            _object: (None, Some(object)),
        });
    }
    let known = side.target != gl::TEXTURE_BUFFER && cx.state.has_target(side.target);
    check_enum(known, "target of a copied image")?;
    let Some(texture) = cx.group.texture(side.name) else {
        return invalid_value("no such texture");
    };
    check_enum(texture.target == side.target, "the texture has another target")?;
    let level = match u32::try_from(side.level) {
        Ok(level) if level < super::MAX_LEVELS => level,
        _ => return invalid_value("level"),
    };
    let data = texture.data.borrow_mut();
    let image = data.image(0, level).copied();
    let Some(image) = image else { return invalid_value("the level is not defined") };
    let mut extent = image.size;
    if side.target == gl::TEXTURE_CUBE_MAP {
        extent[2] = 6;
        let complete = (0..6).all(|face| data.image(face, level).is_some());
        check_operation(complete, "the cube map is not complete")?;
    }
    let internal =
        if pixel::block(image.internal).is_some() { image.internal } else { image.format.token };
    drop(data);
    Ok(Found {
        handle: texture.handle.raw(),
        level,
        internal,
        extent,
        samples: image.samples,
        _object: (Some(texture), None),
    })
}

fn check_region(found: &Found, origin: [i32; 3], size: [u32; 3]) -> GlResult {
    let block = pixel::block(found.internal).map_or([1; 3], |b| [b.width, b.height, b.depth]);
    for i in 0..3 {
        let Ok(o) = u32::try_from(origin[i]) else { return invalid_value("origin of a copy") };
        let end = o.checked_add(size[i]);
        check_value(
            end.is_some_and(|end| end <= found.extent[i].next_multiple_of(block[i])),
            "a copy leaves the image",
        )?;
        let aligned = o % block[i] == 0
            && (size[i].is_multiple_of(block[i]) || end.is_some_and(|end| end >= found.extent[i]));
        check_value(aligned, "a copy of compressed blocks is not aligned")?;
    }
    Ok(())
}

/// glCopyImageSubData.
///
/// # Errors
/// As OpenGL ES 3.2, section 16.2.2 says.
pub fn copy_images(cx: &mut Context, src: Side, dst: Side, size: [i32; 3]) -> GlResult {
    let size = check::sizes(size)?;
    let (from, to) = (find_side(cx, &src)?, find_side(cx, &dst)?);
    check_operation(from.samples == to.samples, "sample counts differ")?;
    let (a, b) = (pixel::block(from.internal), pixel::block(to.internal));
    let suits = match (a, b) {
        (None, None) => {
            from.internal == to.internal
                || view_class(from.internal).is_some()
                    && view_class(from.internal) == view_class(to.internal)
        }
        (Some(_), Some(_)) => view_class(from.internal) == view_class(to.internal),
        (Some(block), None) => view_class(to.internal) == Some((0, block.bytes)),
        (None, Some(block)) => view_class(from.internal) == Some((0, block.bytes)),
    };
    check_operation(suits, "formats cannot be copied into each other")?;
    check_region(&from, src.origin, size)?;
    let dst_size = match (a, b) {
        (Some(block), None) => {
            [size[0].div_ceil(block.width), size[1].div_ceil(block.height), size[2]]
        }
        (None, Some(block)) => {
            [size[0].saturating_mul(block.width), size[1].saturating_mul(block.height), size[2]]
        }
        _ => size,
    };
    check_region(&to, dst.origin, dst_size)?;
    if size.contains(&0) {
        return Ok(());
    }
    ResourceCopyRegion {
        src: from.handle,
        dst: to.handle,
        src_target: src.target,
        dst_target: dst.target,
        src_level: from.level,
        dst_level: to.level,
        src_origin: src.origin,
        dst_origin: dst.origin,
        size,
        pad: 0,
    }
    .send(&mut *cx.stream());
    Ok(())
}

/// A level of a named texture, and the texture.
fn named_level(cx: &Context, name: u32, level: i32) -> GlResult<(Arc<Texture>, u32)> {
    let Some(texture) = cx.group.texture(name) else { return invalid_value("no such texture") };
    let level = cx.state.check_level(texture.target, level)?;
    Ok((texture, level))
}

fn whole(texture: &Texture, level: u32) -> Option<[u32; 3]> {
    let data = texture.data.borrow_mut();
    let mut size = data.image(0, level)?.size;
    if texture.target == gl::TEXTURE_CUBE_MAP {
        size[2] = 6;
    }
    Some(size)
}

/// glClearTexSubImage; `area` is `None` for glClearTexImage. The value has [`pixel::pixel_bytes`] bytes, or is missing for zeros.
///
/// # Errors
/// As OpenGL 4.6, section 8.21 says.
pub fn clear(
    cx: &mut Context,
    name: u32,
    level: i32,
    area: Option<([i32; 3], [i32; 3])>,
    format: u32,
    ty: u32,
    value: Option<&[u8]>,
) -> GlResult {
    let Some(texture) = cx.group.texture(name) else {
        return invalid_operation("no such texture");
    };
    check_operation(texture.target != gl::TEXTURE_BUFFER, "clearing a buffer texture")?;
    let level = cx.state.check_level(texture.target, level)?;
    let image = texture.data.borrow_mut().image(0, level).copied();
    let Some(image) = image else { return invalid_operation("the level is not defined") };
    check_operation(!image.format.is_compressed(), "clearing a compressed image")?;
    check::check_pair(&cx.state, format, ty)?;
    check::check_kind(image.format, format)?;
    let (origin, size) = match area {
        None => ([0; 3], whole(&texture, level).unwrap_or_default()),
        Some((origin, size)) => {
            let size = check::sizes(size)?;
            let data = texture.data.borrow_mut();
            let inside = check_box(&texture, &data, texture.target, level, origin, size);
            if inside.is_err() {
                return invalid_operation("a box leaves the image");
            }
            (origin, size)
        }
    };
    if size.contains(&0) {
        return Ok(());
    }
    let mut record = ClearTexture {
        handle: texture.handle.raw(),
        level,
        format,
        ty,
        origin,
        size,
        ..Default::default()
    };
    if let Some(value) = value {
        let len = value.len().min(record.value.len());
        record.value[..len].copy_from_slice(&value[..len]);
        record.value_len = len as u32;
    }
    record.send(&mut *cx.stream());
    Ok(())
}

/// glInvalidateTexSubImage; `area` is `None` for glInvalidateTexImage.
///
/// # Errors
/// As OpenGL 4.6, section 8.20 says.
pub fn invalidate(
    cx: &mut Context,
    name: u32,
    level: i32,
    area: Option<([i32; 3], [i32; 3])>,
) -> GlResult {
    let (texture, level) = named_level(cx, name, level)?;
    let (origin, size) = match area {
        None => ([0; 3], [u32::MAX, 0, 0]),
        Some((origin, size)) => {
            let size = check::sizes(size)?;
            let data = texture.data.borrow_mut();
            match check_box(&texture, &data, texture.target, level, origin, size) {
                Ok(_) => {}
                Err(_) => return invalid_value("a box leaves the image"),
            }
            (origin, size)
        }
    };
    if whole(&texture, level).is_none() || size[0] == 0 {
        return Ok(());
    }
    InvalidateTexture { handle: texture.handle.raw(), level, pad: 0, origin, size }
        .send(&mut *cx.stream());
    Ok(())
}
