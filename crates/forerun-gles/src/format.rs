//! Internal formats: what the program's formats are on the host.
//!
//! Desktop core has no luminance and alpha formats, and takes unsized formats by other rules than ES; an ES host lacks formats of
//! desktop GL and takes few combinations of pixel format and type. Each case has one answer here: the host's format, the way in which
//! pixels go to it, and the swizzle that makes up for the rest.

use crate::caps::Facts;
use crate::host::Dialect;
use forerun_pipe::gl as c;

/// What kind of values a format holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Normalized, unsigned or signed.
    Norm,
    /// Floats.
    Float,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    Uint,
    /// Depth.
    Depth,
    /// Stencil.
    Stencil,
    /// Depth and stencil.
    DepthStencil,
    /// Compressed blocks.
    Compressed,
}

/// A sized internal format.
#[derive(Clone, Copy, Debug)]
pub struct Sized {
    /// The token.
    pub format: u32,
    /// Kind of values.
    pub class: Class,
    /// Bits of the largest component.
    pub bits: u32,
    /// Pixel format of transfers.
    pub transfer: u32,
    /// Types that ES takes with it (ES 3.2, table 8.2), the canonical one first.
    pub types: &'static [u32],
    /// Can be an image on ES.
    pub image_es: bool,
    /// Can be an image on desktop GL.
    pub image: bool,
    /// Can be a buffer texture.
    pub buffer: bool,
}

const B: u32 = c::UNSIGNED_BYTE;
const SB: u32 = c::BYTE;
const US: u32 = c::UNSIGNED_SHORT;
const SS: u32 = c::SHORT;
const UI: u32 = c::UNSIGNED_INT;
const SI: u32 = c::INT;
const H: u32 = c::HALF_FLOAT;
const F: u32 = c::FLOAT;

macro_rules! sized {
    ($( $name:ident $class:ident $bits:literal $transfer:ident [$($ty:expr),+] $es:literal $image:literal $buffer:literal; )*) => {
        &[ $( Sized {
            format: c::$name, class: Class::$class, bits: $bits, transfer: c::$transfer, types: &[$($ty),+],
            image_es: $es != 0, image: $image != 0, buffer: $buffer != 0,
        } ),* ]
    };
}

/// All sized formats that OpenGL 4.6 core or ES 3.2 name, but compressed ones. The three numbers say: image on ES, image on
/// desktop GL, buffer texture.
pub static SIZED: &[Sized] = sized! {
    R8 Norm 8 RED [B] 0 1 1;
    R8_SNORM Norm 8 RED [SB] 0 1 0;
    R16 Norm 16 RED [US] 0 1 1;
    R16_SNORM Norm 16 RED [SS] 0 1 0;
    RG8 Norm 8 RG [B] 0 1 1;
    RG8_SNORM Norm 8 RG [SB] 0 1 0;
    RG16 Norm 16 RG [US] 0 1 1;
    RG16_SNORM Norm 16 RG [SS] 0 1 0;
    R3_G3_B2 Norm 3 RGB [B] 0 0 0;
    RGB4 Norm 4 RGB [B] 0 0 0;
    RGB5 Norm 5 RGB [B] 0 0 0;
    RGB565 Norm 6 RGB [B, c::UNSIGNED_SHORT_5_6_5] 0 0 0;
    RGB8 Norm 8 RGB [B] 0 0 0;
    RGB8_SNORM Norm 8 RGB [SB] 0 0 0;
    RGB10 Norm 10 RGB [US] 0 0 0;
    RGB12 Norm 12 RGB [US] 0 0 0;
    RGB16 Norm 16 RGB [US] 0 0 0;
    RGB16_SNORM Norm 16 RGB [SS] 0 0 0;
    RGBA2 Norm 2 RGBA [B] 0 0 0;
    RGBA4 Norm 4 RGBA [B, c::UNSIGNED_SHORT_4_4_4_4] 0 0 0;
    RGB5_A1 Norm 5 RGBA [B, c::UNSIGNED_SHORT_5_5_5_1, c::UNSIGNED_INT_2_10_10_10_REV] 0 0 0;
    RGBA8 Norm 8 RGBA [B] 1 1 1;
    RGBA8_SNORM Norm 8 RGBA [SB] 1 1 0;
    RGB10_A2 Norm 10 RGBA [c::UNSIGNED_INT_2_10_10_10_REV] 0 1 0;
    RGB10_A2UI Uint 10 RGBA_INTEGER [c::UNSIGNED_INT_2_10_10_10_REV] 0 1 0;
    RGBA12 Norm 12 RGBA [US] 0 0 0;
    RGBA16 Norm 16 RGBA [US] 0 1 1;
    RGBA16_SNORM Norm 16 RGBA [SS] 0 1 0;
    SRGB8 Norm 8 RGB [B] 0 0 0;
    SRGB8_ALPHA8 Norm 8 RGBA [B] 0 0 0;
    R16F Float 16 RED [H, F] 0 1 1;
    RG16F Float 16 RG [H, F] 0 1 1;
    RGB16F Float 16 RGB [H, F] 0 0 0;
    RGBA16F Float 16 RGBA [H, F] 1 1 1;
    R32F Float 32 RED [F] 1 1 1;
    RG32F Float 32 RG [F] 0 1 1;
    RGB32F Float 32 RGB [F] 0 0 1;
    RGBA32F Float 32 RGBA [F] 1 1 1;
    R11F_G11F_B10F Float 11 RGB [c::UNSIGNED_INT_10F_11F_11F_REV, H, F] 0 1 0;
    RGB9_E5 Float 9 RGB [c::UNSIGNED_INT_5_9_9_9_REV, H, F] 0 0 0;
    R8I Int 8 RED_INTEGER [SB] 0 1 1;
    R8UI Uint 8 RED_INTEGER [B] 0 1 1;
    R16I Int 16 RED_INTEGER [SS] 0 1 1;
    R16UI Uint 16 RED_INTEGER [US] 0 1 1;
    R32I Int 32 RED_INTEGER [SI] 1 1 1;
    R32UI Uint 32 RED_INTEGER [UI] 1 1 1;
    RG8I Int 8 RG_INTEGER [SB] 0 1 1;
    RG8UI Uint 8 RG_INTEGER [B] 0 1 1;
    RG16I Int 16 RG_INTEGER [SS] 0 1 1;
    RG16UI Uint 16 RG_INTEGER [US] 0 1 1;
    RG32I Int 32 RG_INTEGER [SI] 0 1 1;
    RG32UI Uint 32 RG_INTEGER [UI] 0 1 1;
    RGB8I Int 8 RGB_INTEGER [SB] 0 0 0;
    RGB8UI Uint 8 RGB_INTEGER [B] 0 0 0;
    RGB16I Int 16 RGB_INTEGER [SS] 0 0 0;
    RGB16UI Uint 16 RGB_INTEGER [US] 0 0 0;
    RGB32I Int 32 RGB_INTEGER [SI] 0 0 1;
    RGB32UI Uint 32 RGB_INTEGER [UI] 0 0 1;
    RGBA8I Int 8 RGBA_INTEGER [SB] 1 1 1;
    RGBA8UI Uint 8 RGBA_INTEGER [B] 1 1 1;
    RGBA16I Int 16 RGBA_INTEGER [SS] 1 1 1;
    RGBA16UI Uint 16 RGBA_INTEGER [US] 1 1 1;
    RGBA32I Int 32 RGBA_INTEGER [SI] 1 1 1;
    RGBA32UI Uint 32 RGBA_INTEGER [UI] 1 1 1;
    DEPTH_COMPONENT16 Depth 16 DEPTH_COMPONENT [US, UI] 0 0 0;
    DEPTH_COMPONENT24 Depth 24 DEPTH_COMPONENT [UI] 0 0 0;
    DEPTH_COMPONENT32 Depth 32 DEPTH_COMPONENT [UI] 0 0 0;
    DEPTH_COMPONENT32F Depth 32 DEPTH_COMPONENT [F] 0 0 0;
    DEPTH24_STENCIL8 DepthStencil 24 DEPTH_STENCIL [c::UNSIGNED_INT_24_8] 0 0 0;
    DEPTH32F_STENCIL8 DepthStencil 32 DEPTH_STENCIL [c::FLOAT_32_UNSIGNED_INT_24_8_REV] 0 0 0;
    STENCIL_INDEX8 Stencil 8 STENCIL_INDEX [B] 0 0 0;
};

/// A sized format by its token.
pub fn sized(format: u32) -> Option<&'static Sized> {
    SIZED.iter().find(|info| info.format == format)
}

/// No change by a swizzle.
pub const IDENTITY: [u32; 4] = [c::RED, c::GREEN, c::BLUE, c::ALPHA];

/// What a format of the program is on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Native {
    /// The host's internal format.
    pub internal: u32,
    /// Pixel format in which pixels go to it.
    pub format: u32,
    /// Canonical type; 0 for compressed blocks.
    pub ty: u32,
    /// Kind of values.
    pub class: Class,
    /// What a shader reads as red, green, blue and alpha.
    pub swizzle: [u32; 4],
    /// The host takes the program's own pixel format and type.
    pub as_given: bool,
}

/// What a sized format is on the host; `None` when nothing there stands for it.
pub fn native(dialect: Dialect, facts: &Facts, format: u32) -> Option<Native> {
    let on_host = match dialect {
        Dialect::Gl => format,
        Dialect::Gles => es_stand_in(facts, format),
    };
    let info = sized(on_host)?;
    Some(Native {
        internal: on_host,
        format: info.transfer,
        ty: *info.types.first()?,
        class: info.class,
        swizzle: IDENTITY,
        as_given: dialect == Dialect::Gl,
    })
}

/// The format of an ES host that comes nearest to one of desktop GL.
fn es_stand_in(facts: &Facts, format: u32) -> u32 {
    let norm16 = facts.has("GL_EXT_texture_norm16");
    match format {
        c::R3_G3_B2 | c::RGB4 | c::RGB5 => c::RGB565,
        c::RGB10 | c::RGB12 => c::RGB8,
        c::RGB16 if !norm16 => c::RGB8,
        c::RGBA2 => c::RGBA4,
        c::RGBA12 | c::RGBA16 => {
            if norm16 {
                c::RGBA16
            } else {
                c::RGBA8
            }
        }
        c::R16 if !norm16 => c::R8,
        c::RG16 if !norm16 => c::RG8,
        c::R16_SNORM if !norm16 => c::R8_SNORM,
        c::RG16_SNORM if !norm16 => c::RG8_SNORM,
        c::RGB16_SNORM if !norm16 => c::RGB8_SNORM,
        c::RGBA16_SNORM if !norm16 => c::RGBA8_SNORM,
        c::DEPTH_COMPONENT32 => c::DEPTH_COMPONENT24,
        other => other,
    }
}

/// Luminance, alpha and intensity formats: the sized format that holds them, and the swizzle that reads them.
fn legacy(internal: u32, ty: u32, client_es: bool) -> Option<(u32, [u32; 4])> {
    let luminance = [c::RED, c::RED, c::RED, c::ONE];
    let alpha = [c::ZERO, c::ZERO, c::ZERO, c::RED];
    let both = [c::RED, c::RED, c::RED, c::GREEN];
    let all = [c::RED; 4];
    let (one, two) = match ty {
        c::FLOAT if client_es => (c::R32F, c::RG32F),
        c::HALF_FLOAT | c::HALF_FLOAT_OES if client_es => (c::R16F, c::RG16F),
        _ => (c::R8, c::RG8),
    };
    Some(match internal {
        c::LUMINANCE => (one, luminance),
        c::ALPHA => (one, alpha),
        c::LUMINANCE_ALPHA => (two, both),
        c::LUMINANCE8 | c::LUMINANCE4 => (c::R8, luminance),
        c::LUMINANCE16 | c::LUMINANCE12 => (c::R16, luminance),
        c::ALPHA8 | c::ALPHA4 => (c::R8, alpha),
        c::ALPHA16 | c::ALPHA12 => (c::R16, alpha),
        c::LUMINANCE8_ALPHA8 | c::LUMINANCE4_ALPHA4 | c::LUMINANCE6_ALPHA2 => (c::RG8, both),
        c::LUMINANCE16_ALPHA16 | c::LUMINANCE12_ALPHA12 | c::LUMINANCE12_ALPHA4 => (c::RG16, both),
        c::INTENSITY | c::INTENSITY8 | c::INTENSITY4 => (c::R8, all),
        c::INTENSITY16 | c::INTENSITY12 => (c::R16, all),
        c::LUMINANCE16F_ARB => (c::R16F, luminance),
        c::LUMINANCE32F_ARB => (c::R32F, luminance),
        c::ALPHA16F_ARB => (c::R16F, alpha),
        c::ALPHA32F_ARB => (c::R32F, alpha),
        c::LUMINANCE_ALPHA16F_ARB => (c::RG16F, both),
        c::LUMINANCE_ALPHA32F_ARB => (c::RG32F, both),
        _ => return None,
    })
}

/// The sized format that an unsized one with that type stands for (ES 3.2, table 8.3 and its extensions; desktop GL lets the
/// implementation choose).
fn effective(internal: u32, ty: u32, client_es: bool) -> Option<u32> {
    let half = matches!(ty, c::HALF_FLOAT | c::HALF_FLOAT_OES);
    let float = |f16: u32, f32: u32, otherwise: u32| match ty {
        c::FLOAT if client_es => f32,
        _ if half && client_es => f16,
        _ => otherwise,
    };
    Some(match internal {
        c::RGBA | c::BGRA | 4 => match ty {
            c::UNSIGNED_SHORT_4_4_4_4 if client_es => c::RGBA4,
            c::UNSIGNED_SHORT_5_5_5_1 if client_es => c::RGB5_A1,
            c::UNSIGNED_INT_2_10_10_10_REV => c::RGB10_A2,
            _ => float(c::RGBA16F, c::RGBA32F, c::RGBA8),
        },
        c::BGRA8_EXT => c::RGBA8,
        c::RGB | 3 => match ty {
            c::UNSIGNED_SHORT_5_6_5 => c::RGB565,
            c::UNSIGNED_INT_10F_11F_11F_REV => c::R11F_G11F_B10F,
            c::UNSIGNED_INT_5_9_9_9_REV => c::RGB9_E5,
            _ => float(c::RGB16F, c::RGB32F, c::RGB8),
        },
        c::RG | c::COMPRESSED_RG => float(c::RG16F, c::RG32F, c::RG8),
        c::RED | c::COMPRESSED_RED => float(c::R16F, c::R32F, c::R8),
        c::SRGB | c::COMPRESSED_SRGB => c::SRGB8,
        c::SRGB_ALPHA | c::COMPRESSED_SRGB_ALPHA => c::SRGB8_ALPHA8,
        c::COMPRESSED_RGB => c::RGB8,
        c::COMPRESSED_RGBA => c::RGBA8,
        c::DEPTH_COMPONENT => match ty {
            c::UNSIGNED_SHORT => c::DEPTH_COMPONENT16,
            c::FLOAT => c::DEPTH_COMPONENT32F,
            _ => c::DEPTH_COMPONENT24,
        },
        c::DEPTH_STENCIL => match ty {
            c::FLOAT_32_UNSIGNED_INT_24_8_REV => c::DEPTH32F_STENCIL8,
            _ => c::DEPTH24_STENCIL8,
        },
        c::STENCIL_INDEX | c::STENCIL_INDEX1 | c::STENCIL_INDEX4 | c::STENCIL_INDEX16 => {
            c::STENCIL_INDEX8
        }
        _ => return None,
    })
}

/// Whether a format is of compressed blocks.
pub fn is_compressed(internal: u32) -> bool {
    forerun_pipe::pixel::block(internal).is_some()
}

/// What an internal format, given by a program of that API with that pixel format and type (0 for storage without pixels), is on
/// the host; `None` when nothing there stands for it.
pub fn resolve(
    dialect: Dialect,
    facts: &Facts,
    client_es: bool,
    internal: u32,
    format: u32,
    ty: u32,
) -> Option<Native> {
    if is_compressed(internal) {
        let on_host = match (dialect, internal) {
            // ETC2 reads all ETC1 blocks.
            (Dialect::Gl, c::ETC1_RGB8_OES) => c::COMPRESSED_RGB8_ETC2,
            _ => internal,
        };
        return Some(Native {
            internal: on_host,
            format: on_host,
            ty: 0,
            class: Class::Compressed,
            swizzle: IDENTITY,
            as_given: true,
        });
    }
    if dialect == Dialect::Gles && client_es && format != 0 {
        // The host speaks the program's own language: as given, one to one.
        let class = match sized(internal) {
            Some(info) => info.class,
            None => effective(internal, ty, true)
                .or(legacy(internal, ty, true).map(|l| l.0))
                .and_then(sized)
                .map_or(Class::Norm, |info| info.class),
        };
        return Some(Native { internal, format, ty, class, swizzle: IDENTITY, as_given: true });
    }
    if let Some((on_host, swizzle)) = legacy(internal, ty, client_es) {
        let native = native(dialect, facts, on_host)?;
        // Pixels go in as red or red and green, in the program's type.
        return Some(Native { swizzle, ..native });
    }
    if let Some(info) = sized(internal) {
        return native(dialect, facts, info.format);
    }
    native(dialect, facts, effective(internal, ty, client_es)?)
}

/// The pixel format and type by which the program's pixels can go to a native format as they are; `None` when they must be
/// converted to the canonical ones.
pub fn upload(dialect: Dialect, native: &Native, format: u32, ty: u32) -> Option<(u32, u32)> {
    let format = match format {
        c::LUMINANCE | c::ALPHA if native.swizzle != IDENTITY => c::RED,
        c::LUMINANCE_ALPHA if native.swizzle != IDENTITY => c::RG,
        other => other,
    };
    let ty = if ty == c::HALF_FLOAT_OES && !(dialect == Dialect::Gles && native.as_given) {
        c::HALF_FLOAT
    } else {
        ty
    };
    if native.as_given {
        return Some((format, ty));
    }
    let info = sized(native.internal)?;
    (info.transfer == format && info.types.contains(&ty)).then_some((format, ty))
}

/// A program's swizzle applied after a format's.
pub fn compose(format: [u32; 4], own: [u32; 4]) -> [u32; 4] {
    own.map(|component| match component {
        c::RED => format[0],
        c::GREEN => format[1],
        c::BLUE => format[2],
        c::ALPHA => format[3],
        constant => constant,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luminance_is_red_with_a_swizzle_on_desktop_core() {
        let facts = Facts::default();
        let native =
            resolve(Dialect::Gl, &facts, true, c::LUMINANCE_ALPHA, c::LUMINANCE_ALPHA, B).unwrap();
        assert_eq!((native.internal, native.swizzle), (c::RG8, [c::RED, c::RED, c::RED, c::GREEN]));
        assert_eq!(upload(Dialect::Gl, &native, c::LUMINANCE_ALPHA, B), Some((c::RG, B)));
        // A program that swaps alpha into red reads the second component there.
        let own = [c::ALPHA, c::ZERO, c::ONE, c::RED];
        assert_eq!(compose(native.swizzle, own), [c::GREEN, c::ZERO, c::ONE, c::RED]);
    }

    #[test]
    fn unsized_formats_follow_the_program_s_api() {
        let facts = Facts::default();
        let es = resolve(Dialect::Gl, &facts, true, c::RGBA, c::RGBA, c::FLOAT).unwrap();
        let core = resolve(Dialect::Gl, &facts, false, c::RGBA, c::RGBA, c::FLOAT).unwrap();
        assert_eq!((es.internal, core.internal), (c::RGBA32F, c::RGBA8));
        let given = resolve(Dialect::Gles, &facts, true, c::RGBA, c::RGBA, c::FLOAT).unwrap();
        assert_eq!((given.internal, given.ty), (c::RGBA, c::FLOAT));
    }

    #[test]
    fn an_es_host_converts_what_it_does_not_take() {
        let facts = Facts::default();
        let native = resolve(Dialect::Gles, &facts, false, c::RGBA8, c::BGRA, B).unwrap();
        assert_eq!(upload(Dialect::Gles, &native, c::BGRA, B), None);
        assert_eq!(upload(Dialect::Gles, &native, c::RGBA, B), Some((c::RGBA, B)));
        let oes = resolve(Dialect::Gl, &facts, true, c::RGBA, c::RGBA, c::HALF_FLOAT_OES).unwrap();
        assert_eq!(
            upload(Dialect::Gl, &oes, c::RGBA, c::HALF_FLOAT_OES),
            Some((c::RGBA, c::HALF_FLOAT))
        );
    }
}
