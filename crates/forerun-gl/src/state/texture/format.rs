//! Internal formats: what they are made of, and which pixels suit them (OpenGL ES 3.2, tables 8.2 to 8.11; OpenGL 4.6, tables 8.12
//! to 8.14).

use crate::context::{Api, State};
use forerun_pipe::caps::format_flag;
use forerun_pipe::{gl, pixel};

/// How the values of a format are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Unsigned fractions.
    Norm,
    /// Signed fractions.
    Snorm,
    /// Floats.
    Float,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    Uint,
}

/// A sized internal format.
#[derive(Debug)]
pub struct Format {
    /// The token.
    pub token: u32,
    /// The base format: GL_RED, GL_RG, GL_RGB, GL_RGBA, GL_DEPTH_COMPONENT, GL_DEPTH_STENCIL, GL_STENCIL_INDEX or a legacy one.
    pub base: u32,
    /// How its values are read.
    pub class: Class,
    /// Bits of red (or luminance), green, blue, alpha, depth, stencil.
    pub bits: [u8; 6],
    /// Pixel format that ES takes with it.
    pub transfer: u32,
    /// Pixel types that ES takes with it.
    pub types: &'static [u32],
    /// The OpenGL ES version whose textures have it; 99 for none without an extension.
    pub es: u32,
    /// The OpenGL ES version in which it can be a colour attachment; 99 for none without an extension.
    pub es_color: u32,
}

const UB: u32 = gl::UNSIGNED_BYTE;
const SB: u32 = gl::BYTE;
const US: u32 = gl::UNSIGNED_SHORT;
const SS: u32 = gl::SHORT;
const UI: u32 = gl::UNSIGNED_INT;
const SI: u32 = gl::INT;
const H: u32 = gl::HALF_FLOAT;
const F: u32 = gl::FLOAT;

macro_rules! formats {
    ($( $token:ident $base:ident $class:ident [$r:literal $g:literal $b:literal $a:literal $d:literal $s:literal]
        $transfer:ident [$($ty:expr),+] $es:literal $color:literal; )*) => {
        &[ $( Format {
            token: gl::$token, base: gl::$base, class: Class::$class, bits: [$r, $g, $b, $a, $d, $s],
            transfer: gl::$transfer, types: &[$($ty),+], es: $es, es_color: $color,
        } ),* ]
    };
}

/// The sized formats but the compressed ones. The last two numbers: ES version as a texture, and as a colour attachment.
pub static FORMATS: &[Format] = formats! {
    RGBA8 RGBA Norm [8 8 8 8 0 0] RGBA [UB] 30 30;
    RGB8 RGB Norm [8 8 8 0 0 0] RGB [UB] 30 30;
    R8 RED Norm [8 0 0 0 0 0] RED [UB] 30 30;
    RG8 RG Norm [8 8 0 0 0 0] RG [UB] 30 30;
    RGB565 RGB Norm [5 6 5 0 0 0] RGB [UB, gl::UNSIGNED_SHORT_5_6_5] 30 20;
    RGBA4 RGBA Norm [4 4 4 4 0 0] RGBA [UB, gl::UNSIGNED_SHORT_4_4_4_4] 30 20;
    RGB5_A1 RGBA Norm [5 5 5 1 0 0] RGBA [UB, gl::UNSIGNED_SHORT_5_5_5_1, gl::UNSIGNED_INT_2_10_10_10_REV] 30 20;
    RGB10_A2 RGBA Norm [10 10 10 2 0 0] RGBA [gl::UNSIGNED_INT_2_10_10_10_REV] 30 30;
    RGB10_A2UI RGBA Uint [10 10 10 2 0 0] RGBA_INTEGER [gl::UNSIGNED_INT_2_10_10_10_REV] 30 30;
    SRGB8 RGB Norm [8 8 8 0 0 0] RGB [UB] 30 99;
    SRGB8_ALPHA8 RGBA Norm [8 8 8 8 0 0] RGBA [UB] 30 30;
    R8_SNORM RED Snorm [8 0 0 0 0 0] RED [SB] 30 99;
    RG8_SNORM RG Snorm [8 8 0 0 0 0] RG [SB] 30 99;
    RGB8_SNORM RGB Snorm [8 8 8 0 0 0] RGB [SB] 30 99;
    RGBA8_SNORM RGBA Snorm [8 8 8 8 0 0] RGBA [SB] 30 99;
    R16 RED Norm [16 0 0 0 0 0] RED [US] 99 99;
    RG16 RG Norm [16 16 0 0 0 0] RG [US] 99 99;
    RGB16 RGB Norm [16 16 16 0 0 0] RGB [US] 99 99;
    RGBA16 RGBA Norm [16 16 16 16 0 0] RGBA [US] 99 99;
    R16_SNORM RED Snorm [16 0 0 0 0 0] RED [SS] 99 99;
    RG16_SNORM RG Snorm [16 16 0 0 0 0] RG [SS] 99 99;
    RGB16_SNORM RGB Snorm [16 16 16 0 0 0] RGB [SS] 99 99;
    RGBA16_SNORM RGBA Snorm [16 16 16 16 0 0] RGBA [SS] 99 99;
    R3_G3_B2 RGB Norm [3 3 2 0 0 0] RGB [UB] 99 99;
    RGB4 RGB Norm [4 4 4 0 0 0] RGB [UB] 99 99;
    RGB5 RGB Norm [5 5 5 0 0 0] RGB [UB] 99 99;
    RGB10 RGB Norm [10 10 10 0 0 0] RGB [US] 99 99;
    RGB12 RGB Norm [12 12 12 0 0 0] RGB [US] 99 99;
    RGBA2 RGBA Norm [2 2 2 2 0 0] RGBA [UB] 99 99;
    RGBA12 RGBA Norm [12 12 12 12 0 0] RGBA [US] 99 99;
    R16F RED Float [16 0 0 0 0 0] RED [H, F] 30 32;
    RG16F RG Float [16 16 0 0 0 0] RG [H, F] 30 32;
    RGB16F RGB Float [16 16 16 0 0 0] RGB [H, F] 30 99;
    RGBA16F RGBA Float [16 16 16 16 0 0] RGBA [H, F] 30 32;
    R32F RED Float [32 0 0 0 0 0] RED [F] 30 32;
    RG32F RG Float [32 32 0 0 0 0] RG [F] 30 32;
    RGB32F RGB Float [32 32 32 0 0 0] RGB [F] 30 99;
    RGBA32F RGBA Float [32 32 32 32 0 0] RGBA [F] 30 32;
    R11F_G11F_B10F RGB Float [11 11 10 0 0 0] RGB [gl::UNSIGNED_INT_10F_11F_11F_REV, H, F] 30 32;
    RGB9_E5 RGB Float [9 9 9 0 0 0] RGB [gl::UNSIGNED_INT_5_9_9_9_REV, H, F] 30 99;
    R8I RED Int [8 0 0 0 0 0] RED_INTEGER [SB] 30 30;
    R8UI RED Uint [8 0 0 0 0 0] RED_INTEGER [UB] 30 30;
    R16I RED Int [16 0 0 0 0 0] RED_INTEGER [SS] 30 30;
    R16UI RED Uint [16 0 0 0 0 0] RED_INTEGER [US] 30 30;
    R32I RED Int [32 0 0 0 0 0] RED_INTEGER [SI] 30 30;
    R32UI RED Uint [32 0 0 0 0 0] RED_INTEGER [UI] 30 30;
    RG8I RG Int [8 8 0 0 0 0] RG_INTEGER [SB] 30 30;
    RG8UI RG Uint [8 8 0 0 0 0] RG_INTEGER [UB] 30 30;
    RG16I RG Int [16 16 0 0 0 0] RG_INTEGER [SS] 30 30;
    RG16UI RG Uint [16 16 0 0 0 0] RG_INTEGER [US] 30 30;
    RG32I RG Int [32 32 0 0 0 0] RG_INTEGER [SI] 30 30;
    RG32UI RG Uint [32 32 0 0 0 0] RG_INTEGER [UI] 30 30;
    RGB8I RGB Int [8 8 8 0 0 0] RGB_INTEGER [SB] 30 99;
    RGB8UI RGB Uint [8 8 8 0 0 0] RGB_INTEGER [UB] 30 99;
    RGB16I RGB Int [16 16 16 0 0 0] RGB_INTEGER [SS] 30 99;
    RGB16UI RGB Uint [16 16 16 0 0 0] RGB_INTEGER [US] 30 99;
    RGB32I RGB Int [32 32 32 0 0 0] RGB_INTEGER [SI] 30 99;
    RGB32UI RGB Uint [32 32 32 0 0 0] RGB_INTEGER [UI] 30 99;
    RGBA8I RGBA Int [8 8 8 8 0 0] RGBA_INTEGER [SB] 30 30;
    RGBA8UI RGBA Uint [8 8 8 8 0 0] RGBA_INTEGER [UB] 30 30;
    RGBA16I RGBA Int [16 16 16 16 0 0] RGBA_INTEGER [SS] 30 30;
    RGBA16UI RGBA Uint [16 16 16 16 0 0] RGBA_INTEGER [US] 30 30;
    RGBA32I RGBA Int [32 32 32 32 0 0] RGBA_INTEGER [SI] 30 30;
    RGBA32UI RGBA Uint [32 32 32 32 0 0] RGBA_INTEGER [UI] 30 30;
    DEPTH_COMPONENT16 DEPTH_COMPONENT Norm [0 0 0 0 16 0] DEPTH_COMPONENT [US, UI] 30 99;
    DEPTH_COMPONENT24 DEPTH_COMPONENT Norm [0 0 0 0 24 0] DEPTH_COMPONENT [UI] 30 99;
    DEPTH_COMPONENT32 DEPTH_COMPONENT Norm [0 0 0 0 32 0] DEPTH_COMPONENT [UI] 99 99;
    DEPTH_COMPONENT32F DEPTH_COMPONENT Float [0 0 0 0 32 0] DEPTH_COMPONENT [F] 30 99;
    DEPTH24_STENCIL8 DEPTH_STENCIL Norm [0 0 0 0 24 8] DEPTH_STENCIL [gl::UNSIGNED_INT_24_8] 30 99;
    DEPTH32F_STENCIL8 DEPTH_STENCIL Float [0 0 0 0 32 8] DEPTH_STENCIL [gl::FLOAT_32_UNSIGNED_INT_24_8_REV] 30 99;
    STENCIL_INDEX8 STENCIL_INDEX Uint [0 0 0 0 0 8] STENCIL_INDEX [UB] 32 99;
    ALPHA8 ALPHA Norm [0 0 0 8 0 0] ALPHA [UB] 99 99;
    LUMINANCE8 LUMINANCE Norm [8 0 0 0 0 0] LUMINANCE [UB] 99 99;
    LUMINANCE8_ALPHA8 LUMINANCE_ALPHA Norm [8 0 0 8 0 0] LUMINANCE_ALPHA [UB] 99 99;
    INTENSITY8 INTENSITY Norm [8 0 0 0 0 0] RED [UB] 99 99;
    ALPHA16 ALPHA Norm [0 0 0 16 0 0] ALPHA [US] 99 99;
    LUMINANCE16 LUMINANCE Norm [16 0 0 0 0 0] LUMINANCE [US] 99 99;
    LUMINANCE16_ALPHA16 LUMINANCE_ALPHA Norm [16 0 0 16 0 0] LUMINANCE_ALPHA [US] 99 99;
    ALPHA16F_ARB ALPHA Float [0 0 0 16 0 0] ALPHA [H] 99 99;
    LUMINANCE16F_ARB LUMINANCE Float [16 0 0 0 0 0] LUMINANCE [H] 99 99;
    LUMINANCE_ALPHA16F_ARB LUMINANCE_ALPHA Float [16 0 0 16 0 0] LUMINANCE_ALPHA [H] 99 99;
    ALPHA32F_ARB ALPHA Float [0 0 0 32 0 0] ALPHA [F] 99 99;
    LUMINANCE32F_ARB LUMINANCE Float [32 0 0 0 0 0] LUMINANCE [F] 99 99;
    LUMINANCE_ALPHA32F_ARB LUMINANCE_ALPHA Float [32 0 0 32 0 0] LUMINANCE_ALPHA [F] 99 99;
};

macro_rules! compressed {
    ($( $token:ident $base:ident $class:ident; )*) => {
        &[ $( Format {
            token: gl::$token, base: gl::$base, class: Class::$class, bits: [0; 6], transfer: 0, types: &[], es: 99, es_color: 99,
        } ),* ]
    };
}

/// The compressed formats but ASTC, with what they hold.
static COMPRESSED: &[Format] = compressed! {
    ETC1_RGB8_OES RGB Norm;
    COMPRESSED_RGB8_ETC2 RGB Norm;
    COMPRESSED_SRGB8_ETC2 RGB Norm;
    COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2 RGBA Norm;
    COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2 RGBA Norm;
    COMPRESSED_RGBA8_ETC2_EAC RGBA Norm;
    COMPRESSED_SRGB8_ALPHA8_ETC2_EAC RGBA Norm;
    COMPRESSED_R11_EAC RED Norm;
    COMPRESSED_SIGNED_R11_EAC RED Snorm;
    COMPRESSED_RG11_EAC RG Norm;
    COMPRESSED_SIGNED_RG11_EAC RG Snorm;
    COMPRESSED_RGB_S3TC_DXT1_EXT RGB Norm;
    COMPRESSED_RGBA_S3TC_DXT1_EXT RGBA Norm;
    COMPRESSED_RGBA_S3TC_DXT3_EXT RGBA Norm;
    COMPRESSED_RGBA_S3TC_DXT5_EXT RGBA Norm;
    COMPRESSED_SRGB_S3TC_DXT1_EXT RGB Norm;
    COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT RGBA Norm;
    COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT RGBA Norm;
    COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT RGBA Norm;
    COMPRESSED_RED_RGTC1 RED Norm;
    COMPRESSED_SIGNED_RED_RGTC1 RED Snorm;
    COMPRESSED_RG_RGTC2 RG Norm;
    COMPRESSED_SIGNED_RG_RGTC2 RG Snorm;
    COMPRESSED_RGBA_BPTC_UNORM RGBA Norm;
    COMPRESSED_SRGB_ALPHA_BPTC_UNORM RGBA Norm;
    COMPRESSED_RGB_BPTC_SIGNED_FLOAT RGB Float;
    COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT RGB Float;
};

/// All ASTC formats read as this one.
static ASTC: Format = Format {
    token: gl::COMPRESSED_RGBA_ASTC_4x4_KHR,
    base: gl::RGBA,
    class: Class::Norm,
    bits: [0; 6],
    transfer: 0,
    types: &[],
    es: 99,
    es_color: 99,
};

/// What a sized or specifically compressed format is made of.
pub fn find(token: u32) -> Option<&'static Format> {
    let plain = FORMATS.iter().chain(COMPRESSED).find(|f| f.token == token);
    plain.or_else(|| pixel::block(token).map(|_| &ASTC))
}

/// The sized format that an unsized, generically compressed or sized one stands for, given the pixel type that came with it
/// (OpenGL ES 3.2, table 8.3; desktop GL lets the implementation choose).
pub fn effective(es: bool, internal: u32, ty: u32) -> Option<&'static Format> {
    let half = matches!(ty, gl::HALF_FLOAT | gl::HALF_FLOAT_OES);
    let pick = |norm: u32, f16: u32, f32: u32| match ty {
        gl::FLOAT if es => f32,
        _ if half && es => f16,
        _ => norm,
    };
    let sized = match internal {
        gl::RGBA | gl::BGRA | gl::COMPRESSED_RGBA | 4 => match ty {
            gl::UNSIGNED_SHORT_4_4_4_4 if es => gl::RGBA4,
            gl::UNSIGNED_SHORT_5_5_5_1 if es => gl::RGB5_A1,
            gl::UNSIGNED_INT_2_10_10_10_REV if es => gl::RGB10_A2,
            _ => pick(gl::RGBA8, gl::RGBA16F, gl::RGBA32F),
        },
        gl::BGRA8_EXT => gl::RGBA8,
        gl::RGB | gl::COMPRESSED_RGB | 3 => match ty {
            gl::UNSIGNED_SHORT_5_6_5 if es => gl::RGB565,
            gl::UNSIGNED_INT_2_10_10_10_REV if es => gl::RGB10,
            _ => pick(gl::RGB8, gl::RGB16F, gl::RGB32F),
        },
        gl::RG | gl::COMPRESSED_RG => pick(gl::RG8, gl::RG16F, gl::RG32F),
        gl::RED | gl::COMPRESSED_RED => pick(gl::R8, gl::R16F, gl::R32F),
        gl::SRGB | gl::COMPRESSED_SRGB => gl::SRGB8,
        gl::SRGB_ALPHA | gl::COMPRESSED_SRGB_ALPHA => gl::SRGB8_ALPHA8,
        gl::DEPTH_COMPONENT => match ty {
            gl::UNSIGNED_SHORT => gl::DEPTH_COMPONENT16,
            _ => gl::DEPTH_COMPONENT24,
        },
        gl::DEPTH_STENCIL => match ty {
            gl::FLOAT_32_UNSIGNED_INT_24_8_REV => gl::DEPTH32F_STENCIL8,
            _ => gl::DEPTH24_STENCIL8,
        },
        gl::STENCIL_INDEX | gl::STENCIL_INDEX1 | gl::STENCIL_INDEX4 | gl::STENCIL_INDEX16 => {
            gl::STENCIL_INDEX8
        }
        gl::ALPHA | gl::ALPHA4 | gl::ALPHA12 => {
            pick(gl::ALPHA8, gl::ALPHA16F_ARB, gl::ALPHA32F_ARB)
        }
        gl::LUMINANCE | gl::LUMINANCE4 | gl::LUMINANCE12 | 1 => {
            pick(gl::LUMINANCE8, gl::LUMINANCE16F_ARB, gl::LUMINANCE32F_ARB)
        }
        gl::LUMINANCE_ALPHA | gl::LUMINANCE4_ALPHA4 | gl::LUMINANCE6_ALPHA2 | 2 => {
            pick(gl::LUMINANCE8_ALPHA8, gl::LUMINANCE_ALPHA16F_ARB, gl::LUMINANCE_ALPHA32F_ARB)
        }
        gl::INTENSITY => gl::INTENSITY8,
        sized => sized,
    };
    find(sized)
}

impl Format {
    /// Whether it holds colours.
    pub fn is_color(&self) -> bool {
        !matches!(self.base, gl::DEPTH_COMPONENT | gl::DEPTH_STENCIL | gl::STENCIL_INDEX)
    }

    /// Whether it holds depths.
    pub fn has_depth(&self) -> bool {
        matches!(self.base, gl::DEPTH_COMPONENT | gl::DEPTH_STENCIL)
    }

    /// Whether it holds stencil values.
    pub fn has_stencil(&self) -> bool {
        matches!(self.base, gl::STENCIL_INDEX | gl::DEPTH_STENCIL)
    }

    /// Whether it holds integers that are no fractions.
    pub fn is_integer(&self) -> bool {
        self.is_color() && matches!(self.class, Class::Int | Class::Uint)
    }

    /// Whether its blocks are compressed.
    pub fn is_compressed(&self) -> bool {
        self.transfer == 0
    }

    /// Whether its colours are nonlinear.
    pub fn is_srgb(&self) -> bool {
        is_srgb(self.token)
    }

    /// Bytes of a texel of an uncompressed format.
    pub fn bytes(&self) -> u32 {
        match self.token {
            gl::R11F_G11F_B10F | gl::RGB9_E5 => 4,
            gl::DEPTH32F_STENCIL8 => 8,
            _ => self.bits.iter().map(|b| u32::from(*b)).sum::<u32>().div_ceil(8),
        }
    }

    /// GL_TEXTURE_RED_TYPE and its kin.
    pub fn component_type(&self) -> u32 {
        match self.class {
            Class::Norm => gl::UNSIGNED_NORMALIZED,
            Class::Snorm => gl::SIGNED_NORMALIZED,
            Class::Float => gl::FLOAT,
            Class::Int => gl::INT,
            Class::Uint => gl::UNSIGNED_INT,
        }
    }
}

/// Whether a format's colours are nonlinear.
pub fn is_srgb(token: u32) -> bool {
    matches!(
        token,
        gl::SRGB8
            | gl::SRGB8_ALPHA8
            | gl::SRGB
            | gl::SRGB_ALPHA
            | gl::COMPRESSED_SRGB
            | gl::COMPRESSED_SRGB_ALPHA
            | gl::COMPRESSED_SRGB8_ETC2
            | gl::COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2
            | gl::COMPRESSED_SRGB8_ALPHA8_ETC2_EAC
            | gl::COMPRESSED_SRGB_S3TC_DXT1_EXT
            | gl::COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT
            | gl::COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT
            | gl::COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT
            | gl::COMPRESSED_SRGB_ALPHA_BPTC_UNORM
            | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR
            ..=gl::COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR
    )
}

fn is_norm16(token: u32) -> bool {
    matches!(
        token,
        gl::R16
            | gl::RG16
            | gl::RGB16
            | gl::RGBA16
            | gl::R16_SNORM
            | gl::RG16_SNORM
            | gl::RGB16_SNORM
            | gl::RGBA16_SNORM
    )
}

fn is_legacy(base: u32) -> bool {
    matches!(base, gl::ALPHA | gl::LUMINANCE | gl::LUMINANCE_ALPHA | gl::INTENSITY)
}

impl State {
    /// Whether the context has that sized, uncompressed format for textures.
    pub fn has_sized_format(&self, format: &Format) -> bool {
        if format.is_compressed() {
            return false;
        }
        let version = self.config.version;
        match self.config.api {
            Api::Es => {
                version >= format.es
                    || is_norm16(format.token) && self.extensions.has("GL_EXT_texture_norm16")
                    || format.token == gl::STENCIL_INDEX8
                        && self.extensions.has("GL_OES_texture_stencil8")
                    || version < 30
                        && matches!(
                            format.token,
                            gl::RGBA8 | gl::RGB8 | gl::RGB565 | gl::RGBA4 | gl::RGB5_A1
                        )
                        && self.extensions.has("GL_OES_required_internalformat")
            }
            Api::Core => !is_legacy(format.base),
            Api::Legacy => true,
        }
    }

    /// Whether the context has that compressed format.
    pub fn has_compressed_format(&self, token: u32) -> bool {
        pixel::block(token).is_some() && self.knows(token)
    }

    /// Whether the server's driver renders to it, as far as the caps say.
    fn host_flag(&self, format: &Format, flag: u32) -> bool {
        self.caps.format(format.token).is_none_or(|f| f.flags & flag != 0)
    }

    /// Whether it can be a colour attachment.
    pub fn is_color_renderable(&self, format: &Format) -> bool {
        if !format.is_color() || format.is_compressed() || is_legacy(format.base) {
            return false;
        }
        let has = |name| self.extensions.has(name);
        let allowed = match self.config.api {
            Api::Core | Api::Legacy => format.token != gl::RGB9_E5,
            Api::Es => {
                self.config.version >= format.es_color
                    || match format.class {
                        Class::Float => {
                            let half = format.bits[0] == 16;
                            format.base != gl::RGB && has("GL_EXT_color_buffer_float")
                                || format.token == gl::R11F_G11F_B10F
                                    && has("GL_EXT_color_buffer_float")
                                || half && has("GL_EXT_color_buffer_half_float")
                        }
                        Class::Snorm => format.base != gl::RGB && has("GL_EXT_render_snorm"),
                        Class::Norm if is_norm16(format.token) => {
                            format.base != gl::RGB && has("GL_EXT_texture_norm16")
                        }
                        Class::Norm => match format.token {
                            gl::RGBA8 | gl::RGB8 => true,
                            gl::R8 | gl::RG8 => has("GL_EXT_texture_rg"),
                            gl::SRGB8_ALPHA8 => has("GL_EXT_sRGB"),
                            _ => false,
                        },
                        _ => false,
                    }
            }
        };
        allowed && self.host_flag(format, format_flag::COLOR)
    }

    /// Whether it can be a depth (or stencil) attachment.
    pub fn is_depth_renderable(&self, format: &Format) -> bool {
        format.has_depth()
    }

    /// Whether it can be filtered linearly (OpenGL ES 3.2, table 8.10).
    pub fn is_filterable(&self, format: &Format) -> bool {
        if format.is_integer() || format.base == gl::STENCIL_INDEX {
            return false;
        }
        let es = self.config.api == Api::Es;
        match format.class {
            Class::Float if format.is_color() && !format.is_compressed() && es => {
                match format.bits[0] {
                    32 => self.extensions.has("GL_OES_texture_float_linear"),
                    16 => {
                        self.config.version >= 30
                            || self.extensions.has("GL_OES_texture_half_float_linear")
                    }
                    _ => true,
                }
            }
            _ => true,
        }
    }

    /// The most samples that a format can have, and with `counts` the counts themselves, largest first.
    pub fn sample_counts(&self, format: &Format) -> Vec<u32> {
        let limits = &self.caps.limits;
        let most =
            if format.is_integer() { limits.max_integer_samples } else { limits.max_samples };
        match self.caps.format(format.token) {
            Some(known) if known.samples != 0 => {
                (2..32u32).rev().filter(|n| known.samples >> n & 1 != 0).collect()
            }
            _ => [16, 8, 4, 2].into_iter().filter(|n| *n as i32 <= most).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_take_as_many_bytes_as_their_canonical_pixels() {
        for format in FORMATS.iter().filter(|f| !is_legacy(f.base)) {
            // Formats that no pixel type stands for bit by bit.
            if matches!(
                format.token,
                gl::R3_G3_B2 | gl::RGB4 | gl::RGB5 | gl::RGB10 | gl::RGB12 | gl::RGBA2 | gl::RGBA12
            ) {
                continue;
            }
            let expected = match format.token {
                gl::RGB565 | gl::RGBA4 | gl::RGB5_A1 => Some(2),
                gl::DEPTH_COMPONENT24 => Some(3),
                _ => pixel::pixel_bytes(format.transfer, format.types[0]),
            };
            assert_eq!(Some(format.bytes()), expected, "{:#x}", format.token);
        }
    }

    #[test]
    fn unsized_formats_take_their_size_from_the_type() {
        let token = |es, internal, ty| effective(es, internal, ty).map(|f| f.token);
        assert_eq!(token(true, gl::RGBA, gl::UNSIGNED_SHORT_4_4_4_4), Some(gl::RGBA4));
        assert_eq!(token(true, gl::RGB, gl::FLOAT), Some(gl::RGB32F));
        assert_eq!(token(false, gl::RGB, gl::FLOAT), Some(gl::RGB8));
        assert_eq!(
            token(true, gl::DEPTH_COMPONENT, gl::UNSIGNED_SHORT),
            Some(gl::DEPTH_COMPONENT16)
        );
        assert_eq!(token(true, gl::R32UI, gl::UNSIGNED_INT), Some(gl::R32UI));
        assert_eq!(token(true, 0xDEAD, gl::FLOAT), None);
    }
}
