//! Immutable storage, buffer textures and views (OpenGL ES 3.2, sections 8.9 and 8.17; OpenGL 4.6, section 8.18).

use super::format::{self, Format};
use super::{Image, TexelBuffer, Texture, TextureData, View, bound, check, create};
use crate::context::{Api, Context};
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_enum, invalid_operation,
    invalid_value,
};
use crate::stream::Stream;
use forerun_pipe::records::ResourceRespecify;
use forerun_pipe::{Kind, RawHandle, gl, pixel};
use std::sync::Arc;

/// The size of a mipmap `n` levels below an image.
pub fn minified(target: u32, size: [u32; 3], n: u32) -> [u32; 3] {
    let shrink = |v: u32| v.checked_shr(n).unwrap_or(0).max(1);
    [
        shrink(size[0]),
        if target == gl::TEXTURE_1D_ARRAY { size[1] } else { shrink(size[1]) },
        if target == gl::TEXTURE_3D { shrink(size[2]) } else { size[2] },
    ]
}

/// How many levels a full mipmap chain of that size has.
pub fn chain_length(target: u32, size: [u32; 3]) -> u32 {
    let longest = match target {
        gl::TEXTURE_1D | gl::TEXTURE_1D_ARRAY => size[0],
        gl::TEXTURE_3D => size[0].max(size[1]).max(size[2]),
        _ => size[0].max(size[1]),
    };
    longest.max(1).ilog2() + 1
}

/// The most samples of textures of that make.
pub fn max_samples(cx: &Context, format: &Format) -> u32 {
    let limits = &cx.caps.limits;
    let limit = if format.is_integer() {
        limits.max_integer_samples
    } else if format.is_color() {
        limits.max_color_texture_samples
    } else {
        limits.max_depth_texture_samples
    };
    let own = cx.state.sample_counts(format).first().copied().unwrap_or(1);
    (limit.max(1) as u32).min(own.max(1))
}

/// The samples that storage gets when the program asks for at least so many.
pub fn stored_samples(cx: &Context, format: &Format, samples: u32) -> u32 {
    let counts = cx.state.sample_counts(format);
    counts.iter().rev().copied().find(|n| *n >= samples).unwrap_or(samples)
}

/// Sends the definition of all levels at once.
pub fn respecify(
    stream: &mut Stream,
    texture: &Texture,
    image: &Image,
    levels: u32,
    immutable: bool,
) {
    ResourceRespecify {
        handle: texture.handle.raw(),
        kind: Kind::Texture as u32,
        target: texture.target,
        internal_format: image.internal,
        width: image.size[0],
        height: image.size[1],
        depth: image.size[2],
        levels,
        samples: image.samples,
        fixed_sample_locations: u32::from(image.fixed_sample_locations),
        immutable: u32::from(immutable),
        ..Default::default()
    }
    .send(stream);
}

/// The sized format of glTexStorage*.
fn storage_format(cx: &Context, internal: u32) -> GlResult<&'static Format> {
    let es = cx.config.api == Api::Es;
    let found = if pixel::block(internal).is_some() {
        format::find(internal).filter(|_| cx.state.has_compressed_format(internal))
    } else if internal == gl::BGRA8_EXT && es {
        format::find(gl::RGBA8)
            .filter(|_| cx.state.extensions.has("GL_EXT_texture_format_BGRA8888"))
    } else {
        format::FORMATS.iter().find(|f| f.token == internal).filter(|f| {
            cx.state.has_sized_format(f)
                || es
                    && !f.is_integer()
                    && f.token != gl::INTENSITY8
                    && matches!(f.base, gl::ALPHA | gl::LUMINANCE | gl::LUMINANCE_ALPHA)
                || cx.config.version < 30 && cx.state.extensions.has("GL_EXT_texture_storage")
        })
    };
    match found {
        Some(format) => Ok(format),
        None => invalid_enum("internal format is not sized"),
    }
}

/// Makes a whole chain of levels.
fn fill(texture: &Texture, data: &mut TextureData, image: Image, levels: u32) {
    let target = texture.target;
    for face in &mut data.faces {
        *face = (0..levels)
            .map(|n| Some(Image { size: minified(target, image.size, n), ..image }))
            .collect();
    }
}

/// glTexStorage1D, glTexStorage2D, glTexStorage3D.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.17 says.
pub fn tex_storage(
    cx: &mut Context,
    dims: u32,
    target: u32,
    levels: i32,
    internal: u32,
    size: [i32; 3],
) -> GlResult {
    let known = match dims {
        1 => target == gl::TEXTURE_1D,
        2 => matches!(
            target,
            gl::TEXTURE_2D | gl::TEXTURE_CUBE_MAP | gl::TEXTURE_RECTANGLE | gl::TEXTURE_1D_ARRAY
        ),
        _ => matches!(target, gl::TEXTURE_3D | gl::TEXTURE_2D_ARRAY | gl::TEXTURE_CUBE_MAP_ARRAY),
    };
    check_enum(known && cx.state.has_target(target), "texture target")?;
    let format = storage_format(cx, internal)?;
    check_value(levels >= 1 && size.iter().all(|n| *n >= 1), "levels or size of storage")?;
    let size = check::sizes(size)?;
    check::check_size(&cx.state, target, 0, size)?;
    let levels = levels as u32;
    let most = if target == gl::TEXTURE_RECTANGLE { 1 } else { chain_length(target, size) };
    check_operation(levels <= most, "more levels than the size has")?;
    check::check_format_target(format, target)?;
    let texture = bound(cx, target)?;
    check_operation(texture.name != 0, "storage of texture 0")?;
    let mut data = texture.data.borrow_mut();
    check_operation(data.immutable_levels == 0, "the texture's storage is immutable")?;
    let image = Image { internal, ty: 0, format, size, samples: 0, fixed_sample_locations: true };
    fill(&texture, &mut data, image, levels);
    make_immutable(&mut data, target, levels, size);
    respecify(&mut cx.stream(), &texture, &image, levels, true);
    cx.group.storage_moved(&texture.attached);
    Ok(())
}

fn make_immutable(data: &mut TextureData, target: u32, levels: u32, size: [u32; 3]) {
    data.immutable_levels = levels;
    data.view =
        View { min_level: 0, num_levels: levels, min_layer: 0, num_layers: layers(target, size) };
}

/// Layers of a texture of that target and size.
pub fn layers(target: u32, size: [u32; 3]) -> u32 {
    match target {
        gl::TEXTURE_1D_ARRAY => size[1],
        gl::TEXTURE_2D_ARRAY | gl::TEXTURE_CUBE_MAP_ARRAY | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => {
            size[2]
        }
        gl::TEXTURE_CUBE_MAP => 6,
        _ => 1,
    }
}

/// glTexStorage2DMultisample, glTexStorage3DMultisample.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.8 says.
pub fn multisample_storage(
    cx: &mut Context,
    target: u32,
    samples: i32,
    internal: u32,
    size: [i32; 3],
    fixed_sample_locations: bool,
) -> GlResult {
    check_enum(cx.state.has_target(target), "texture target")?;
    let format = storage_format(cx, internal)?;
    let renderable = cx.state.is_color_renderable(format) || !format.is_color();
    check_enum(renderable && !format.is_compressed(), "internal format is not renderable")?;
    check_value(samples >= 1 && size.iter().all(|n| *n >= 1), "samples or size of storage")?;
    let size = check::sizes(size)?;
    check::check_size(&cx.state, target, 0, size)?;
    let samples = samples as u32;
    check_operation(samples <= max_samples(cx, format), "too many samples")?;
    let texture = bound(cx, target)?;
    check_operation(texture.name != 0, "storage of texture 0")?;
    let mut data = texture.data.borrow_mut();
    check_operation(data.immutable_levels == 0, "the texture's storage is immutable")?;
    let samples = stored_samples(cx, format, samples);
    let image = Image { internal, ty: 0, format, size, samples, fixed_sample_locations };
    fill(&texture, &mut data, image, 1);
    make_immutable(&mut data, target, 1, size);
    respecify(&mut cx.stream(), &texture, &image, 1, true);
    cx.group.storage_moved(&texture.attached);
    Ok(())
}

/// Whether buffer textures, and clears of buffers, know the format (OpenGL 4.6, table 8.16).
pub fn is_buffer_format(cx: &Context, format: &Format) -> bool {
    let es = cx.config.api == Api::Es;
    if !format.is_color() || format.is_compressed() {
        return false;
    }
    match format.base {
        gl::RED | gl::RG | gl::RGBA => match format.token {
            gl::RGB10_A2
            | gl::RGB10_A2UI
            | gl::SRGB8_ALPHA8
            | gl::RGBA4
            | gl::RGB5_A1
            | gl::RGBA2
            | gl::RGBA12 => false,
            gl::R16 | gl::RG16 | gl::RGBA16 => !es || cx.extensions.has("GL_EXT_texture_norm16"),
            _ => format.class != format::Class::Snorm,
        },
        gl::RGB => {
            matches!(format.token, gl::RGB32F | gl::RGB32I | gl::RGB32UI)
                && (es
                    || cx.config.version >= 40
                    || cx.extensions.has("GL_ARB_texture_buffer_object_rgb32"))
        }
        _ => false,
    }
}

/// glTexBuffer (`range` is `None`) and glTexBufferRange.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.9 says.
pub fn tex_buffer(
    cx: &mut Context,
    target: u32,
    internal: u32,
    name: u32,
    range: Option<(i64, i64)>,
) -> GlResult {
    check_enum(target == gl::TEXTURE_BUFFER && cx.state.has_target(target), "texture target")?;
    let format = format::FORMATS.iter().find(|f| f.token == internal);
    let Some(format) = format.filter(|f| is_buffer_format(cx, f)) else {
        return invalid_enum("internal format of a buffer texture");
    };
    let buffer = if name == 0 {
        None
    } else {
        let known = cx.group.buffers.borrow_mut().get(name).cloned();
        match known {
            Some(buffer) => Some(buffer),
            None => return invalid_operation("no such buffer"),
        }
    };
    let mut texel = TexelBuffer { buffer, internal, offset: 0, size: None };
    if let (Some((offset, size)), Some(buffer)) = (range, &texel.buffer) {
        let alignment = i64::from(cx.caps.limits.texture_buffer_offset_alignment.max(1));
        check_value(offset >= 0 && size > 0, "range of a buffer texture")?;
        let end = offset.checked_add(size).map(|end| end as u64);
        let whole = buffer.data.borrow_mut().size;
        check_value(end.is_some_and(|end| end <= whole), "range of a buffer texture")?;
        check_value(offset % alignment == 0, "alignment of a buffer texture")?;
        texel.offset = offset as u64;
        texel.size = Some(size as u64);
    }
    let texture = bound(cx, target)?;
    let mut data = texture.data.borrow_mut();
    let image = Image {
        internal,
        ty: 0,
        format,
        size: [0, 1, 1],
        samples: 0,
        fixed_sample_locations: true,
    };
    data.set_image(0, 0, image);
    if let Some(buffer) = &texel.buffer {
        // Shaders may write it through an image.
        buffer.gpu_writable.store(true, std::sync::atomic::Ordering::Relaxed);
        buffer.data.borrow_mut().written();
    }
    ResourceRespecify {
        handle: texture.handle.raw(),
        kind: Kind::Texture as u32,
        target,
        internal_format: internal,
        buffer: texel.buffer.as_ref().map_or(RawHandle::NULL, |b| b.handle.raw()),
        buffer_offset: texel.offset,
        buffer_size: texel.size.unwrap_or(u64::MAX),
        ..Default::default()
    }
    .send(&mut *cx.stream());
    data.buffer = Some(texel);
    Ok(())
}

/// The class in which formats can be viewed and copied as one another: bytes of a texel, or a family of compressed blocks.
pub fn view_class(format: u32) -> Option<(u32, u32)> {
    let Some(block) = pixel::block(format) else {
        let found = format::FORMATS.iter().find(|f| f.token == format)?;
        let packed = matches!(
            format,
            gl::RGB565
                | gl::RGBA4
                | gl::RGB5_A1
                | gl::R3_G3_B2
                | gl::RGB4
                | gl::RGB5
                | gl::RGB10
                | gl::RGB12
                | gl::RGBA2
                | gl::RGBA12
        );
        let legacy =
            matches!(found.base, gl::ALPHA | gl::LUMINANCE | gl::LUMINANCE_ALPHA | gl::INTENSITY);
        return (found.is_color() && !packed && !legacy).then(|| (0, found.bytes()));
    };
    let family = match format {
        gl::COMPRESSED_RED_RGTC1 | gl::COMPRESSED_SIGNED_RED_RGTC1 => 1,
        gl::COMPRESSED_RG_RGTC2 | gl::COMPRESSED_SIGNED_RG_RGTC2 => 2,
        gl::COMPRESSED_RGBA_BPTC_UNORM | gl::COMPRESSED_SRGB_ALPHA_BPTC_UNORM => 3,
        gl::COMPRESSED_RGB_BPTC_SIGNED_FLOAT | gl::COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT => 4,
        gl::COMPRESSED_RGB_S3TC_DXT1_EXT | gl::COMPRESSED_SRGB_S3TC_DXT1_EXT => 5,
        gl::COMPRESSED_RGBA_S3TC_DXT1_EXT | gl::COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT => 6,
        gl::COMPRESSED_RGBA_S3TC_DXT3_EXT | gl::COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT => 7,
        gl::COMPRESSED_RGBA_S3TC_DXT5_EXT | gl::COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT => 8,
        gl::COMPRESSED_R11_EAC | gl::COMPRESSED_SIGNED_R11_EAC => 9,
        gl::COMPRESSED_RG11_EAC | gl::COMPRESSED_SIGNED_RG11_EAC => 10,
        gl::COMPRESSED_RGB8_ETC2 | gl::COMPRESSED_SRGB8_ETC2 => 11,
        gl::COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2
        | gl::COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2 => 12,
        gl::COMPRESSED_RGBA8_ETC2_EAC | gl::COMPRESSED_SRGB8_ALPHA8_ETC2_EAC => 13,
        gl::COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR..=gl::COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR => {
            100 + format - gl::COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR
        }
        gl::COMPRESSED_RGBA_ASTC_4x4_KHR..=gl::COMPRESSED_RGBA_ASTC_12x12_KHR => {
            100 + format - gl::COMPRESSED_RGBA_ASTC_4x4_KHR
        }
        other => other,
    };
    Some((family, block.bytes))
}

/// Whether storage of one target can be seen as another (OpenGL 4.6, table 8.21).
fn targets_suit(of: u32, target: u32) -> bool {
    const FLAT: [u32; 2] = [gl::TEXTURE_2D, gl::TEXTURE_2D_ARRAY];
    const CUBES: [u32; 4] =
        [gl::TEXTURE_2D, gl::TEXTURE_2D_ARRAY, gl::TEXTURE_CUBE_MAP, gl::TEXTURE_CUBE_MAP_ARRAY];
    match of {
        gl::TEXTURE_1D | gl::TEXTURE_1D_ARRAY => {
            matches!(target, gl::TEXTURE_1D | gl::TEXTURE_1D_ARRAY)
        }
        gl::TEXTURE_2D => FLAT.contains(&target),
        gl::TEXTURE_CUBE_MAP | gl::TEXTURE_CUBE_MAP_ARRAY | gl::TEXTURE_2D_ARRAY => {
            CUBES.contains(&target)
        }
        gl::TEXTURE_2D_MULTISAMPLE | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => {
            matches!(target, gl::TEXTURE_2D_MULTISAMPLE | gl::TEXTURE_2D_MULTISAMPLE_ARRAY)
        }
        other => other == target,
    }
}

/// glTextureView: the range is first level, levels, first layer, layers.
///
/// # Errors
/// As OpenGL 4.6, section 8.18 says.
pub fn view(
    cx: &mut Context,
    name: u32,
    target: u32,
    of: u32,
    internal: u32,
    range: [u32; 4],
) -> GlResult {
    let Some(origin) = cx.group.texture(of) else { return invalid_value("no such texture") };
    let [min_level, levels, min_layer, num_layers] = range;
    let (seen, first) = {
        let data = origin.data.borrow_mut();
        check_operation(data.immutable_levels > 0, "the texture's storage is mutable")?;
        check_value(
            min_level < data.view.num_levels && min_layer < data.view.num_layers,
            "first level or layer of a view",
        )?;
        let Some(image) = data.image(0, min_level).copied() else {
            return invalid_value("first level of a view");
        };
        let seen = View {
            min_level,
            num_levels: levels.min(data.view.num_levels - min_level),
            min_layer,
            num_layers: num_layers.min(data.view.num_layers - min_layer),
        };
        (seen, image)
    };
    cx.state.target_row(target)?;
    check_operation(targets_suit(origin.target, target), "target of a view")?;
    let own = view_class(first.internal);
    check_operation(
        internal == first.internal || own.is_some() && own == view_class(internal),
        "internal format of a view",
    )?;
    let Some(format) = format::find(internal) else { return invalid_operation("internal format") };
    check_value(seen.num_levels > 0 && seen.num_layers > 0, "an empty view")?;
    match target {
        gl::TEXTURE_CUBE_MAP => check_value(seen.num_layers == 6, "layers of a cube map")?,
        gl::TEXTURE_CUBE_MAP_ARRAY => {
            check_value(seen.num_layers % 6 == 0, "layers of a cube map array")?;
        }
        gl::TEXTURE_1D | gl::TEXTURE_2D | gl::TEXTURE_3D | gl::TEXTURE_2D_MULTISAMPLE => {
            check_value(num_layers == 1, "layers of a view without layers")?;
        }
        _ => {}
    }
    if matches!(target, gl::TEXTURE_CUBE_MAP | gl::TEXTURE_CUBE_MAP_ARRAY) {
        check_operation(first.size[0] == first.size[1], "a cube map's faces are squares")?;
    }
    let mut names = cx.group.textures.borrow_mut();
    check_value(name != 0, "texture 0 as a view")?;
    check_operation(names.is_reserved(name), "the texture name was not generated")?;
    check_operation(names.get(name).is_none(), "the texture was bound before")?;
    let mut stream = cx.stream();
    let texture = create(&mut stream, name, target)?;
    {
        let mut data = texture.data.borrow_mut();
        let size = match target {
            gl::TEXTURE_1D_ARRAY => [first.size[0], seen.num_layers, 1],
            gl::TEXTURE_1D => [first.size[0], 1, 1],
            gl::TEXTURE_3D => first.size,
            gl::TEXTURE_2D_ARRAY
            | gl::TEXTURE_CUBE_MAP_ARRAY
            | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => [first.size[0], first.size[1], seen.num_layers],
            _ => [first.size[0], first.size[1], 1],
        };
        fill(&texture, &mut data, Image { internal, format, size, ..first }, seen.num_levels);
        let (whole, base) = {
            let of = origin.data.borrow_mut();
            (of.immutable_levels, of.view)
        };
        data.immutable_levels = whole;
        // A view of a view counts from the storage.
        data.view = View {
            min_level: base.min_level + seen.min_level,
            min_layer: base.min_layer + seen.min_layer,
            ..seen
        };
    }
    ResourceRespecify {
        handle: texture.handle.raw(),
        kind: Kind::Texture as u32,
        target,
        internal_format: internal,
        levels: seen.num_levels,
        immutable: 1,
        min_level: seen.min_level,
        min_layer: seen.min_layer,
        num_layers: seen.num_layers,
        view_of: origin.handle.raw(),
        ..Default::default()
    }
    .send(&mut *stream);
    drop(stream);
    names.insert(name, Arc::clone(&texture));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_keep_their_layers_in_all_levels() {
        assert_eq!(minified(gl::TEXTURE_1D_ARRAY, [8, 5, 1], 2), [2, 5, 1]);
        assert_eq!(minified(gl::TEXTURE_2D_ARRAY, [8, 4, 5], 3), [1, 1, 5]);
        assert_eq!(minified(gl::TEXTURE_3D, [8, 4, 5], 1), [4, 2, 2]);
    }

    #[test]
    fn a_chain_ends_at_one_texel() {
        assert_eq!(chain_length(gl::TEXTURE_2D, [17, 3, 1]), 5);
        assert_eq!(chain_length(gl::TEXTURE_3D, [1, 1, 9]), 4);
        assert_eq!(chain_length(gl::TEXTURE_2D_ARRAY, [4, 4, 99]), 3);
    }

    #[test]
    fn formats_of_one_size_can_be_viewed_as_one_another() {
        assert_eq!(view_class(gl::RGBA8), view_class(gl::R32F));
        assert_ne!(view_class(gl::RGBA8), view_class(gl::RG32F));
        assert_eq!(view_class(gl::DEPTH_COMPONENT24), None);
        assert_eq!(
            view_class(gl::COMPRESSED_RGBA_ASTC_8x8_KHR),
            view_class(gl::COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR)
        );
    }
}
