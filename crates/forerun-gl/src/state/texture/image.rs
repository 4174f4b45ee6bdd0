//! Defining levels of mutable textures: glTexImage*, glCompressedTexImage*, glCopyTexImage*.

use super::format::{self, Format};
use super::upload::{Box3, is_image_target, send, source};
use super::{Image, Texture, TextureData, bound, check, owner_target, target_index};
use crate::context::{Api, Context};
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_enum, invalid_value,
};
use crate::state::framebuffer;
use crate::stream::Stream;
use forerun_pipe::records::{PixelStore, ResourceRespecify};
use forerun_pipe::{Kind, gl, pixel};

/// The level that a call defines.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Dimensions of the entry point.
    pub dims: u32,
    /// Image target or proxy.
    pub target: u32,
    /// Level.
    pub level: i32,
    /// Internal format.
    pub internal: u32,
    /// Width, height, depth; 1 for what the entry point does not have.
    pub size: [i32; 3],
    /// Must be 0.
    pub border: i32,
}

/// The target that a proxy stands for.
pub fn proxied(target: u32) -> Option<u32> {
    Some(match target {
        gl::PROXY_TEXTURE_1D => gl::TEXTURE_1D,
        gl::PROXY_TEXTURE_2D => gl::TEXTURE_2D,
        gl::PROXY_TEXTURE_3D => gl::TEXTURE_3D,
        gl::PROXY_TEXTURE_CUBE_MAP => gl::TEXTURE_CUBE_MAP,
        gl::PROXY_TEXTURE_RECTANGLE => gl::TEXTURE_RECTANGLE,
        gl::PROXY_TEXTURE_1D_ARRAY => gl::TEXTURE_1D_ARRAY,
        gl::PROXY_TEXTURE_2D_ARRAY => gl::TEXTURE_2D_ARRAY,
        gl::PROXY_TEXTURE_CUBE_MAP_ARRAY => gl::TEXTURE_CUBE_MAP_ARRAY,
        gl::PROXY_TEXTURE_2D_MULTISAMPLE => gl::TEXTURE_2D_MULTISAMPLE,
        gl::PROXY_TEXTURE_2D_MULTISAMPLE_ARRAY => gl::TEXTURE_2D_MULTISAMPLE_ARRAY,
        _ => return None,
    })
}

/// Checks what all definitions have in common; gives level and size. A proxy's target is the one that it stands for.
fn check_definition(cx: &Context, d: &Definition, target: u32) -> GlResult<(u32, [u32; 3])> {
    let known = match target {
        gl::TEXTURE_CUBE_MAP => d.dims == 2 && d.target == gl::PROXY_TEXTURE_CUBE_MAP,
        _ => is_image_target(cx, d.dims, target),
    };
    check_enum(known, "texture target")?;
    let level = cx.state.check_level(target, d.level)?;
    let size = check::sizes(d.size)?;
    check_value(d.border == 0, "border")?;
    Ok((level, size))
}

/// Records an image on the client and on the stream.
fn define(
    stream: &mut Stream,
    texture: &Texture,
    data: &mut TextureData,
    target: u32,
    level: u32,
    image: Image,
    pixel_format: u32,
) {
    let Some(face) = texture.face(target) else { return };
    data.set_image(face, level, image);
    ResourceRespecify {
        handle: texture.handle.raw(),
        kind: Kind::Texture as u32,
        target,
        internal_format: image.internal,
        format: pixel_format,
        ty: image.ty,
        width: image.size[0],
        height: image.size[1],
        depth: image.size[2],
        level,
        ..Default::default()
    }
    .send(stream);
}

/// What stands for a compressed format when pixels come uncompressed: nothing is compressed on the way, and the format becomes that
/// of its base (OpenGL 4.6, section 8.5).
fn uncompressed(format: &'static Format) -> &'static Format {
    use format::Class;
    let token = match (format.base, format.class) {
        (gl::RGB, Class::Float) => gl::RGB16F,
        (gl::RED, Class::Snorm) => gl::R8_SNORM,
        (gl::RG, Class::Snorm) => gl::RG8_SNORM,
        (gl::RGB, _) if format.is_srgb() => gl::SRGB8,
        (gl::RGBA, _) if format.is_srgb() => gl::SRGB8_ALPHA8,
        (gl::RED, _) => gl::R8,
        (gl::RG, _) => gl::RG8,
        (gl::RGB, _) => gl::RGB8,
        _ => gl::RGBA8,
    };
    format::find(token).unwrap_or(format)
}

/// glTexImage1D, glTexImage2D, glTexImage3D.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.5 says.
pub fn tex_image(
    cx: &mut Context,
    d: Definition,
    pixel_format: u32,
    ty: u32,
    pointer: *const u8,
) -> GlResult {
    let proxy = proxied(d.target).filter(|_| cx.config.api != Api::Es);
    let target = proxy.unwrap_or(d.target);
    let (level, size) = check_definition(cx, &d, target)?;
    let format = check::check_image_format(&cx.state, d.internal, pixel_format, ty)?;
    check::check_format_target(format, target)?;
    let (internal, format) = if format.is_compressed() {
        // OpenGL ES converts nothing, so the pixels themselves say what holds them.
        match format::effective(true, pixel_format, ty) {
            Some(own) if cx.config.api == Api::Es => (pixel_format, own),
            _ => {
                let stand_in = uncompressed(format);
                (stand_in.token, stand_in)
            }
        }
    } else {
        (d.internal, format)
    };
    let image = Image { internal, ty, format, size, samples: 0, fixed_sample_locations: true };
    if proxy.is_some() {
        let fits = check::check_size(&cx.state, target, level, size).is_ok();
        if let Some(row) = target_index(target) {
            cx.texture.proxies[row] = fits.then_some((level, image));
        }
        return Ok(());
    }
    check::check_size(&cx.state, target, level, size)?;
    let texture = bound(cx, owner_target(target))?;
    let mut data = texture.data.borrow_mut();
    check_operation(data.immutable_levels == 0, "the texture's storage is immutable")?;
    let at = Box3 { target, level, origin: [0; 3], size, format: pixel_format, ty };
    let source = source(cx, &at, pointer)?;
    let store = cx.pixel.unpack;
    let mut stream = cx.stream();
    define(&mut stream, &texture, &mut data, target, level, image, pixel_format);
    cx.group.storage_moved(&texture.attached);
    send(&mut stream, &texture, &at, &source, &store)
}

/// glCompressedTexImage*.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.7 says.
pub fn compressed_image(
    cx: &mut Context,
    d: Definition,
    bytes: i32,
    pointer: *const u8,
) -> GlResult {
    let proxy = proxied(d.target).filter(|_| cx.config.api != Api::Es);
    let target = proxy.unwrap_or(d.target);
    check_enum(cx.state.has_compressed_format(d.internal), "compressed format")?;
    let (level, size) = check_definition(cx, &d, target)?;
    check::check_compressed_target(d.internal, target)?;
    let Some(format) = format::find(d.internal) else { return invalid_enum("compressed format") };
    let image = Image {
        internal: d.internal,
        ty: 0,
        format,
        size,
        samples: 0,
        fixed_sample_locations: true,
    };
    if proxy.is_some() {
        let fits = check::check_size(&cx.state, target, level, size).is_ok();
        if let Some(row) = target_index(target) {
            cx.texture.proxies[row] = fits.then_some((level, image));
        }
        return Ok(());
    }
    check::check_size(&cx.state, target, level, size)?;
    check_value(
        u64::try_from(bytes).ok() == pixel::compressed_bytes(d.internal, size),
        "size of compressed bytes",
    )?;
    let texture = bound(cx, owner_target(target))?;
    let mut data = texture.data.borrow_mut();
    check_operation(data.immutable_levels == 0, "the texture's storage is immutable")?;
    let at = Box3 { target, level, origin: [0; 3], size, format: d.internal, ty: 0 };
    let source = source(cx, &at, pointer)?;
    let store = PixelStore { alignment: 4, ..Default::default() };
    let mut stream = cx.stream();
    define(&mut stream, &texture, &mut data, target, level, image, 0);
    cx.group.storage_moved(&texture.attached);
    send(&mut stream, &texture, &at, &source, &store)
}

/// Whether colours of a source have every component that a copy of that base format needs (OpenGL ES 3.2, table 8.16).
fn has_components(source: u32, wanted: u32) -> bool {
    let rank = |base: u32| match base {
        gl::RED | gl::LUMINANCE => Some(1),
        gl::RG => Some(2),
        gl::RGB => Some(3),
        gl::RGBA => Some(4),
        _ => None,
    };
    match wanted {
        gl::ALPHA | gl::LUMINANCE_ALPHA | gl::INTENSITY => source == gl::RGBA,
        _ => match (rank(source), rank(wanted)) {
            (Some(has), Some(needs)) => has >= needs,
            _ => source == wanted,
        },
    }
}

/// The pixel type by which an unsized internal format takes after a source.
fn type_of(source: &Format, internal: u32) -> u32 {
    match (source.token, internal) {
        (gl::RGB565, gl::RGB) => gl::UNSIGNED_SHORT_5_6_5,
        (gl::RGBA4, gl::RGBA) => gl::UNSIGNED_SHORT_4_4_4_4,
        (gl::RGB5_A1, gl::RGBA) => gl::UNSIGNED_SHORT_5_5_5_1,
        _ => gl::UNSIGNED_BYTE,
    }
}

/// The pixel format that is given with a definition without pixels.
fn transfer_of(format: &Format, internal: u32) -> u32 {
    match internal {
        gl::RGBA
        | gl::RGB
        | gl::RG
        | gl::RED
        | gl::ALPHA
        | gl::LUMINANCE
        | gl::LUMINANCE_ALPHA
        | gl::SRGB
        | gl::SRGB_ALPHA
        | gl::BGRA
        | gl::DEPTH_COMPONENT
        | gl::DEPTH_STENCIL => internal,
        gl::BGRA8_EXT => gl::BGRA,
        _ => format.transfer,
    }
}

/// What glCopyTexImage2D makes of an internal format when it reads that source.
fn copied_format(
    cx: &Context,
    internal: u32,
    source: &'static Format,
) -> GlResult<(&'static Format, u32)> {
    let state = &cx.state;
    let es = state.config.api == Api::Es;
    if !es {
        let Some(format) = check::desktop_format(state, internal, 0) else {
            return invalid_enum("internal format");
        };
        let format = if format.is_compressed() { uncompressed(format) } else { format };
        check_operation(
            format.is_color() == source.is_color()
                && format.is_integer() == source.is_integer()
                && (format.has_stencil() <= source.has_stencil())
                && (format.has_depth() <= source.has_depth()),
            "the read buffer does not suit the internal format",
        )?;
        let signs = !format.is_integer() || format.class == source.class;
        check_operation(signs, "signed and unsigned integers")?;
        let ty = format.types.first().copied().unwrap_or(gl::UNSIGNED_BYTE);
        return Ok((format, ty));
    }
    let sized = format::FORMATS.iter().find(|f| f.token == internal);
    if let Some(sized) = sized {
        check_enum(state.has_sized_format(sized), "internal format")?;
        check_operation(sized.is_color(), "copies of depth")?;
        check_operation(has_components(source.base, sized.base), "components of the read buffer")?;
        check_operation(
            sized.class == source.class && sized.is_srgb() == source.is_srgb(),
            "the read buffer's values are of another kind",
        )?;
        let same = state.config.version < 30
            || (0..4).all(|i| sized.bits[i] == 0 || sized.bits[i] == source.bits[i]);
        check_operation(same, "component sizes of the read buffer")?;
        check_operation(sized.token != gl::RGB9_E5, "shared exponents")?;
        let ty = sized.types.first().copied().unwrap_or(gl::UNSIGNED_BYTE);
        return Ok((sized, ty));
    }
    let known = match internal {
        gl::RGBA | gl::RGB | gl::ALPHA | gl::LUMINANCE | gl::LUMINANCE_ALPHA => true,
        gl::RED | gl::RG => state.extensions.has("GL_EXT_texture_rg"),
        gl::BGRA => state.extensions.has("GL_EXT_texture_format_BGRA8888"),
        _ => false,
    };
    check_enum(known, "internal format")?;
    let base = if internal == gl::BGRA { gl::RGBA } else { internal };
    check_operation(has_components(source.base, base), "components of the read buffer")?;
    check_operation(
        source.class == format::Class::Norm && !source.is_srgb(),
        "the read buffer's values have no unsized format",
    )?;
    let ty = type_of(source, internal);
    match format::effective(true, internal, ty) {
        Some(format) => Ok((format, ty)),
        None => invalid_enum("internal format"),
    }
}

/// glCopyTexImage1D and glCopyTexImage2D.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.6 says.
pub fn copy_image(cx: &mut Context, d: Definition, x: i32, y: i32) -> GlResult {
    let target = d.target;
    let (level, size) = check_definition(cx, &d, target)?;
    let source = framebuffer::read_source(cx, d.internal)?;
    let (format, ty) = copied_format(cx, d.internal, source)?;
    check::check_format_target(format, target)?;
    check::check_size(&cx.state, target, level, size)?;
    let texture = bound(cx, owner_target(target))?;
    {
        let mut data = texture.data.borrow_mut();
        check_operation(data.immutable_levels == 0, "the texture's storage is immutable")?;
        let compressed = pixel::block(d.internal).is_some();
        let image = Image {
            internal: if compressed { format.token } else { d.internal },
            ty,
            format,
            size,
            samples: 0,
            fixed_sample_locations: true,
        };
        let mut stream = cx.stream();
        let transfer = transfer_of(format, image.internal);
        define(&mut stream, &texture, &mut data, target, level, image, transfer);
        cx.group.storage_moved(&texture.attached);
    }
    super::copy::from_framebuffer(cx, &texture, target, level, [0; 3], [x, y], [size[0], size[1]])
}

/// glTexImage2DMultisample and glTexImage3DMultisample (desktop).
///
/// # Errors
/// As OpenGL 4.6, section 8.8 says.
pub fn multisample_image(
    cx: &mut Context,
    d: Definition,
    samples: i32,
    fixed_sample_locations: bool,
) -> GlResult {
    let proxy = proxied(d.target);
    let target = proxy.unwrap_or(d.target);
    let wanted =
        if d.dims == 2 { gl::TEXTURE_2D_MULTISAMPLE } else { gl::TEXTURE_2D_MULTISAMPLE_ARRAY };
    check_enum(target == wanted && cx.state.has_target(target), "texture target")?;
    let size = check::sizes(d.size)?;
    check_value(samples > 0, "samples")?;
    let Some(format) = check::desktop_format(&cx.state, d.internal, 0) else {
        return invalid_enum("internal format");
    };
    let renderable = cx.state.is_color_renderable(format) || !format.is_color();
    check_enum(renderable && !format.is_compressed(), "internal format")?;
    let samples = samples as u32;
    let image =
        Image { internal: d.internal, ty: 0, format, size, samples, fixed_sample_locations };
    let fits = check::check_size(&cx.state, target, 0, size).is_ok();
    let most = super::storage::max_samples(cx, format);
    if proxy.is_some() {
        if let Some(row) = target_index(target) {
            cx.texture.proxies[row] = (fits && samples <= most).then_some((0, image));
        }
        return Ok(());
    }
    if !fits {
        return invalid_value("size of an image");
    }
    check_operation(samples <= most, "too many samples")?;
    let texture = bound(cx, target)?;
    let mut data = texture.data.borrow_mut();
    check_operation(data.immutable_levels == 0, "the texture's storage is immutable")?;
    let count = super::storage::stored_samples(cx, format, samples);
    let image = Image { samples: count, ..image };
    data.set_image(0, 0, image);
    if size.contains(&0) {
        return Ok(());
    }
    super::storage::respecify(&mut cx.stream(), &texture, &image, 1, false);
    cx.group.storage_moved(&texture.attached);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_takes_only_components_that_its_source_has() {
        assert!(has_components(gl::RGBA, gl::LUMINANCE_ALPHA));
        assert!(!has_components(gl::RGB, gl::RGBA));
        assert!(!has_components(gl::RGB, gl::ALPHA));
        assert!(has_components(gl::RG, gl::RED) && !has_components(gl::RED, gl::RG));
        assert!(has_components(gl::RGB, gl::LUMINANCE));
    }
}
