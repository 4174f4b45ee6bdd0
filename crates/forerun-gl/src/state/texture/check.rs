//! Which pixels suit which internal format, and how large images may be.

use super::format::{self, Format};
use super::{MAX_LEVELS, face_of};
use crate::context::{Api, State};
use crate::error::{
    GlResult, check_operation, check_value, invalid_enum, invalid_operation, invalid_value,
};
use forerun_pipe::gl;

/// Whether values of the pixel format are integers.
pub fn is_integer_format(format: u32) -> bool {
    matches!(
        format,
        gl::RED_INTEGER
            | gl::GREEN_INTEGER
            | gl::BLUE_INTEGER
            | gl::ALPHA_INTEGER
            | gl::RG_INTEGER
            | gl::RGB_INTEGER
            | gl::RGBA_INTEGER
            | gl::BGR_INTEGER
            | gl::BGRA_INTEGER
    )
}

/// Whether the context knows the pixel format.
pub fn is_format(state: &State, format: u32) -> bool {
    let es = state.config.api == Api::Es;
    let newer = !es || state.config.version >= 30;
    let has = |name| state.extensions.has(name);
    match format {
        gl::RGBA | gl::RGB => true,
        gl::ALPHA | gl::LUMINANCE | gl::LUMINANCE_ALPHA => state.config.api != Api::Core,
        gl::RED | gl::RG => newer || has("GL_EXT_texture_rg"),
        gl::RED_INTEGER | gl::RG_INTEGER | gl::RGB_INTEGER | gl::RGBA_INTEGER => newer,
        gl::DEPTH_COMPONENT => newer || has("GL_OES_depth_texture"),
        gl::DEPTH_STENCIL => newer || has("GL_OES_packed_depth_stencil"),
        gl::STENCIL_INDEX => {
            !es || state.es(32) || has("GL_OES_texture_stencil8") || has("GL_OES_depth_texture")
        }
        gl::BGRA => !es || has("GL_EXT_texture_format_BGRA8888"),
        gl::SRGB | gl::SRGB_ALPHA => es && has("GL_EXT_sRGB"),
        gl::BGR
        | gl::GREEN
        | gl::BLUE
        | gl::BGR_INTEGER
        | gl::BGRA_INTEGER
        | gl::GREEN_INTEGER
        | gl::BLUE_INTEGER => !es,
        _ => false,
    }
}

/// Whether the context knows the pixel type.
pub fn is_type(state: &State, ty: u32) -> bool {
    let es = state.config.api == Api::Es;
    let newer = !es || state.config.version >= 30;
    let has = |name| state.extensions.has(name);
    match ty {
        gl::UNSIGNED_BYTE
        | gl::UNSIGNED_SHORT_5_6_5
        | gl::UNSIGNED_SHORT_4_4_4_4
        | gl::UNSIGNED_SHORT_5_5_5_1 => true,
        gl::UNSIGNED_SHORT | gl::UNSIGNED_INT => newer || has("GL_OES_depth_texture"),
        gl::UNSIGNED_INT_24_8 => newer || has("GL_OES_packed_depth_stencil"),
        gl::FLOAT => newer || has("GL_OES_texture_float"),
        gl::HALF_FLOAT => newer,
        gl::HALF_FLOAT_OES => es && has("GL_OES_texture_half_float"),
        gl::UNSIGNED_INT_2_10_10_10_REV => newer || has("GL_EXT_texture_type_2_10_10_10_REV"),
        gl::BYTE
        | gl::SHORT
        | gl::INT
        | gl::UNSIGNED_INT_10F_11F_11F_REV
        | gl::UNSIGNED_INT_5_9_9_9_REV
        | gl::FLOAT_32_UNSIGNED_INT_24_8_REV => newer,
        gl::UNSIGNED_BYTE_3_3_2
        | gl::UNSIGNED_BYTE_2_3_3_REV
        | gl::UNSIGNED_SHORT_5_6_5_REV
        | gl::UNSIGNED_SHORT_4_4_4_4_REV
        | gl::UNSIGNED_SHORT_1_5_5_5_REV
        | gl::UNSIGNED_INT_8_8_8_8
        | gl::UNSIGNED_INT_8_8_8_8_REV
        | gl::UNSIGNED_INT_10_10_10_2 => !es,
        _ => false,
    }
}

/// Checks a pixel format with a type as desktop GL pairs them (OpenGL 4.6, section 8.4.4).
///
/// # Errors
/// GL_INVALID_ENUM for unknown tokens, GL_INVALID_OPERATION for a pair that does not suit.
pub fn check_pair(state: &State, format: u32, ty: u32) -> GlResult {
    if !is_format(state, format) {
        return invalid_enum("pixel format");
    }
    if !is_type(state, ty) {
        return invalid_enum("pixel type");
    }
    let fits = match ty {
        gl::UNSIGNED_BYTE_3_3_2
        | gl::UNSIGNED_BYTE_2_3_3_REV
        | gl::UNSIGNED_SHORT_5_6_5
        | gl::UNSIGNED_SHORT_5_6_5_REV => matches!(format, gl::RGB | gl::RGB_INTEGER),
        gl::UNSIGNED_SHORT_4_4_4_4
        | gl::UNSIGNED_SHORT_4_4_4_4_REV
        | gl::UNSIGNED_SHORT_5_5_5_1
        | gl::UNSIGNED_SHORT_1_5_5_5_REV
        | gl::UNSIGNED_INT_8_8_8_8
        | gl::UNSIGNED_INT_8_8_8_8_REV
        | gl::UNSIGNED_INT_10_10_10_2
        | gl::UNSIGNED_INT_2_10_10_10_REV => {
            matches!(format, gl::RGBA | gl::BGRA | gl::RGBA_INTEGER | gl::BGRA_INTEGER)
        }
        gl::UNSIGNED_INT_10F_11F_11F_REV | gl::UNSIGNED_INT_5_9_9_9_REV => format == gl::RGB,
        gl::UNSIGNED_INT_24_8 | gl::FLOAT_32_UNSIGNED_INT_24_8_REV => format == gl::DEPTH_STENCIL,
        gl::FLOAT | gl::HALF_FLOAT if is_integer_format(format) => {
            return invalid_enum("floats for an integer format");
        }
        _ if format == gl::DEPTH_STENCIL => {
            return invalid_enum("pixel type of GL_DEPTH_STENCIL");
        }
        _ => true,
    };
    check_operation(fits, "pixel format and type do not suit each other")
}

/// Checks internal format, pixel format and type of glTexImage*; gives what the image is made of.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.5 and OpenGL 4.6, section 8.5 say.
pub fn check_image_format(
    state: &State,
    internal: u32,
    format: u32,
    ty: u32,
) -> GlResult<&'static Format> {
    if state.config.api == Api::Es {
        check_es(state, internal, format, ty)
    } else {
        check_desktop(state, internal, format, ty)
    }
}

fn check_es(state: &State, internal: u32, format: u32, ty: u32) -> GlResult<&'static Format> {
    if !is_format(state, format) {
        return invalid_enum("pixel format");
    }
    if !is_type(state, ty) {
        return invalid_enum("pixel type");
    }
    if let Some(sized) = format::FORMATS.iter().find(|f| f.token == internal) {
        if !state.has_sized_format(sized) {
            return invalid_value("internal format");
        }
        let fits = sized.transfer == format && sized.types.contains(&ty)
            || state.config.version < 30
                && sized.transfer == format
                && ty == gl::UNSIGNED_BYTE
                && sized.is_color();
        check_operation(fits, "internal format, pixel format and type do not suit one another")?;
        return Ok(sized);
    }
    let has = |name| state.extensions.has(name);
    // EXT_texture_compression_s3tc lets the driver compress; other compressed formats do not.
    let s3tc = (gl::COMPRESSED_RGB_S3TC_DXT1_EXT..=gl::COMPRESSED_RGBA_S3TC_DXT5_EXT)
        .contains(&internal)
        && state.has_compressed_format(internal);
    if let (true, Some(found)) = (s3tc, format::find(internal)) {
        let types = ty == gl::UNSIGNED_BYTE || ty == gl::FLOAT && has("GL_OES_texture_float");
        let fits = matches!(format, gl::RGB | gl::RGBA) && types;
        return check_operation(fits, "pixels for a compressed format").map(|()| found);
    }
    let float = ty == gl::FLOAT && has("GL_OES_texture_float")
        || matches!(ty, gl::HALF_FLOAT_OES) && has("GL_OES_texture_half_float");
    let packed10 =
        ty == gl::UNSIGNED_INT_2_10_10_10_REV && has("GL_EXT_texture_type_2_10_10_10_REV");
    let (wanted, types): (u32, bool) = match internal {
        gl::RGBA => (
            gl::RGBA,
            matches!(
                ty,
                gl::UNSIGNED_BYTE | gl::UNSIGNED_SHORT_4_4_4_4 | gl::UNSIGNED_SHORT_5_5_5_1
            ) || float
                || packed10,
        ),
        gl::RGB => (
            gl::RGB,
            matches!(ty, gl::UNSIGNED_BYTE | gl::UNSIGNED_SHORT_5_6_5) || float || packed10,
        ),
        gl::LUMINANCE | gl::ALPHA | gl::LUMINANCE_ALPHA => {
            (internal, ty == gl::UNSIGNED_BYTE || float)
        }
        gl::RED | gl::RG if is_format(state, internal) && has("GL_EXT_texture_rg") => {
            (internal, ty == gl::UNSIGNED_BYTE || float)
        }
        gl::BGRA | gl::BGRA8_EXT if is_format(state, gl::BGRA) => {
            (gl::BGRA, ty == gl::UNSIGNED_BYTE)
        }
        gl::SRGB | gl::SRGB_ALPHA if is_format(state, internal) => {
            (internal, ty == gl::UNSIGNED_BYTE)
        }
        gl::DEPTH_COMPONENT if has("GL_OES_depth_texture") => {
            (internal, matches!(ty, gl::UNSIGNED_SHORT | gl::UNSIGNED_INT))
        }
        gl::DEPTH_STENCIL if has("GL_OES_packed_depth_stencil") => {
            (internal, ty == gl::UNSIGNED_INT_24_8)
        }
        gl::STENCIL_INDEX if has("GL_OES_texture_stencil8") => (internal, ty == gl::UNSIGNED_BYTE),
        _ => return invalid_value("internal format"),
    };
    check_operation(
        wanted == format && types,
        "internal format, pixel format and type do not suit one another",
    )?;
    match format::effective(true, internal, ty) {
        Some(format) => Ok(format),
        None => invalid_value("internal format"),
    }
}

fn check_desktop(state: &State, internal: u32, format: u32, ty: u32) -> GlResult<&'static Format> {
    let Some(found) = desktop_format(state, internal, ty) else {
        return invalid_value("internal format");
    };
    check_pair(state, format, ty)?;
    check_kind(found, format)?;
    Ok(found)
}

/// What an internal format of desktop GL is made of; `None` when the context does not have it.
pub fn desktop_format(state: &State, internal: u32, ty: u32) -> Option<&'static Format> {
    let found = format::effective(false, internal, ty)?;
    let legacy =
        matches!(found.base, gl::ALPHA | gl::LUMINANCE | gl::LUMINANCE_ALPHA | gl::INTENSITY);
    if state.config.api == Api::Core && (legacy || internal <= 4)
        || found.is_compressed() && !state.has_compressed_format(internal)
    {
        return None;
    }
    Some(found)
}

/// Checks that pixels of that format can be put into, or taken from, an image of that make.
///
/// # Errors
/// GL_INVALID_OPERATION.
pub fn check_kind(image: &Format, format: u32) -> GlResult {
    let fits = match format {
        gl::DEPTH_COMPONENT => image.has_depth(),
        gl::DEPTH_STENCIL => image.base == gl::DEPTH_STENCIL || image.base == gl::DEPTH_COMPONENT,
        gl::STENCIL_INDEX => image.has_stencil(),
        _ => image.is_color() && image.is_integer() == is_integer_format(format),
    };
    check_operation(fits, "the pixel format does not suit the internal format")
}

/// Checks format and type of glTexSubImage* against an image.
///
/// # Errors
/// GL_INVALID_ENUM for unknown tokens, GL_INVALID_OPERATION for a combination that the image does not take.
pub fn check_sub_format(state: &State, image: &super::Image, format: u32, ty: u32) -> GlResult {
    if state.config.api != Api::Es {
        check_pair(state, format, ty)?;
        return check_kind(image.format, format);
    }
    if !is_format(state, format) {
        return invalid_enum("pixel format");
    }
    if !is_type(state, ty) {
        return invalid_enum("pixel type");
    }
    if image.format.token == image.internal {
        let sized = image.format;
        // Storage of the extension formats is made for pixels of the unsized ones.
        let types = sized.types.contains(&ty)
            || sized.class == format::Class::Float && ty == gl::HALF_FLOAT_OES
            || state.config.version < 30 && ty == gl::UNSIGNED_BYTE;
        let transfer = sized.transfer == format
            || matches!(sized.token, gl::RGBA8) && format == gl::BGRA && ty == gl::UNSIGNED_BYTE;
        return check_operation(transfer && types, "pixels do not suit the image's format");
    }
    check_es(state, image.internal, format, ty).map(|_| ())
}

impl State {
    /// The largest width of an image of that target.
    pub fn max_size(&self, target: u32) -> u32 {
        let limits = &self.caps.limits;
        let size = match target {
            gl::TEXTURE_3D => limits.max_3d_texture_size,
            gl::TEXTURE_RECTANGLE => limits.max_rectangle_texture_size,
            gl::TEXTURE_CUBE_MAP | gl::TEXTURE_CUBE_MAP_ARRAY => limits.max_cube_map_texture_size,
            _ if face_of(target).is_some() => limits.max_cube_map_texture_size,
            _ => limits.max_texture_size,
        };
        size.max(1) as u32
    }

    /// How many levels a texture of that target can have.
    pub fn max_levels(&self, target: u32) -> u32 {
        match target {
            gl::TEXTURE_RECTANGLE
            | gl::TEXTURE_2D_MULTISAMPLE
            | gl::TEXTURE_2D_MULTISAMPLE_ARRAY
            | gl::TEXTURE_BUFFER => 1,
            _ => (self.max_size(target).ilog2() + 1).min(MAX_LEVELS),
        }
    }

    /// A level of that target.
    ///
    /// # Errors
    /// GL_INVALID_VALUE.
    pub fn check_level(&self, target: u32, level: i32) -> GlResult<u32> {
        match u32::try_from(level) {
            Ok(level) if level < self.max_levels(target) => Ok(level),
            _ => invalid_value("level"),
        }
    }
}

/// Checks the size of an image at a level.
///
/// # Errors
/// GL_INVALID_VALUE.
pub fn check_size(state: &State, target: u32, level: u32, size: [u32; 3]) -> GlResult {
    let most = (state.max_size(target) >> level).max(1);
    let layers = state.caps.limits.max_array_texture_layers.max(1) as u32;
    let limits = match target {
        gl::TEXTURE_1D => [most, 1, 1],
        gl::TEXTURE_1D_ARRAY => [most, layers, 1],
        gl::TEXTURE_2D_ARRAY | gl::TEXTURE_CUBE_MAP_ARRAY | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => {
            [most, most, layers]
        }
        gl::TEXTURE_3D => [most; 3],
        _ => [most, most, 1],
    };
    check_value(size.iter().zip(limits).all(|(n, limit)| *n <= limit), "size of an image")?;
    if face_of(target).is_some()
        || matches!(target, gl::TEXTURE_CUBE_MAP | gl::TEXTURE_CUBE_MAP_ARRAY)
    {
        check_value(size[0] == size[1], "a cube map's faces are squares")?;
    }
    check_value(
        target != gl::TEXTURE_CUBE_MAP_ARRAY || size[2].is_multiple_of(6),
        "layer-faces of a cube map array",
    )
}

/// Checks that images of that make can be of that target.
///
/// # Errors
/// GL_INVALID_OPERATION.
pub fn check_format_target(format: &Format, target: u32) -> GlResult {
    if format.base == gl::DEPTH_COMPONENT || format.base == gl::DEPTH_STENCIL {
        return check_operation(target != gl::TEXTURE_3D, "depth in a 3D texture");
    }
    if format.base == gl::STENCIL_INDEX {
        return check_operation(target != gl::TEXTURE_3D, "stencil in a 3D texture");
    }
    if format.is_compressed() {
        return check_compressed_target(format.token, target);
    }
    Ok(())
}

/// Checks that a compressed format can be of that target (OpenGL ES 3.2, table 8.17).
///
/// # Errors
/// GL_INVALID_ENUM for one- and two-dimensional targets without blocks, GL_INVALID_OPERATION for others.
pub fn check_compressed_target(token: u32, target: u32) -> GlResult {
    match target {
        gl::TEXTURE_1D | gl::TEXTURE_1D_ARRAY | gl::TEXTURE_RECTANGLE => {
            invalid_enum("target without compressed images")
        }
        gl::TEXTURE_3D => {
            let bptc = (gl::COMPRESSED_RGBA_BPTC_UNORM..=gl::COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT)
                .contains(&token);
            if bptc { Ok(()) } else { invalid_operation("compressed format in a 3D texture") }
        }
        _ => Ok(()),
    }
}

/// The sizes of an entry point, none negative.
///
/// # Errors
/// GL_INVALID_VALUE.
pub fn sizes(size: [i32; 3]) -> GlResult<[u32; 3]> {
    let mut out = [0; 3];
    for (slot, n) in out.iter_mut().zip(size) {
        *slot = crate::error::count(n)?;
    }
    Ok(out)
}
