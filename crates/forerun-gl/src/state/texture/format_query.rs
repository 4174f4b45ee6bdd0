//! glGetInternalformativ: what can be done with an internal format at a target (OpenGL 4.6, section 22.3; OpenGL ES 3.2, section 20.3).

use super::format::{self, Format};
use super::storage::{is_buffer_format, view_class};
use super::target_index;
use crate::context::{Api, Context, State};
use crate::error::{GlResult, check_enum, check_value, invalid_enum};
use forerun_pipe::caps::format_flag;
use forerun_pipe::{gl, pixel};

/// What is asked about.
struct Asked<'a> {
    state: &'a State,
    target: u32,
    internal: u32,
    /// What the format is made of; `None` when the target does not have it.
    format: Option<&'static Format>,
    renderable: bool,
}

/// glGetInternalformativ.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target or parameter, and before OpenGL 4.3 for a format that is not renderable.
pub fn internal_format(
    cx: &Context,
    target: u32,
    internal: u32,
    pname: u32,
    room: i32,
) -> GlResult<Vec<i32>> {
    check_value(room >= 0, "room for answers")?;
    let state = &cx.state;
    let es = state.config.api == Api::Es;
    let newer = state.desktop(43) || state.extensions.has("GL_ARB_internalformat_query2");
    let multisample = is_multisample(target);
    check_enum(
        target == gl::RENDERBUFFER || state.has_target(target) && (multisample || newer),
        "target of a format query",
    )?;
    let format = format::effective(es, internal, 0);
    let renderable = format
        .is_some_and(|f| !f.is_compressed() && (state.is_color_renderable(f) || !f.is_color()));
    if !newer {
        let sized = format.is_some_and(|f| f.token == internal) || !es;
        check_enum(renderable && sized, "internal format is not renderable")?;
    }
    if matches!(pname, gl::SAMPLES | gl::NUM_SAMPLE_COUNTS) {
        let counts = match format {
            Some(format)
                if renderable
                    && multisample
                    && !(es && format.is_integer() && state.config.version < 31) =>
            {
                state.sample_counts(format)
            }
            _ => Vec::new(),
        };
        return Ok(match pname {
            gl::SAMPLES => counts.iter().map(|n| *n as i32).collect(),
            _ => vec![counts.len() as i32],
        });
    }
    check_enum(newer && state.knows(pname), "format query")?;
    let supported = format.filter(|f| match target {
        gl::RENDERBUFFER | gl::TEXTURE_2D_MULTISAMPLE | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => {
            renderable
        }
        gl::TEXTURE_BUFFER => is_buffer_format(cx, f),
        gl::TEXTURE_3D if !f.is_color() => false,
        gl::TEXTURE_1D | gl::TEXTURE_1D_ARRAY | gl::TEXTURE_RECTANGLE => !f.is_compressed(),
        gl::TEXTURE_3D => {
            !f.is_compressed()
                || view_class(f.token).is_some_and(|(family, _)| matches!(family, 3 | 4))
        }
        _ => true,
    });
    let asked = Asked { state, target, internal, format: supported, renderable };
    match asked.answer(pname) {
        Some(values) => Ok(values),
        None => invalid_enum("format query"),
    }
}

fn is_multisample(target: u32) -> bool {
    matches!(
        target,
        gl::TEXTURE_2D_MULTISAMPLE | gl::TEXTURE_2D_MULTISAMPLE_ARRAY | gl::RENDERBUFFER
    )
}

/// The pixel type in which pixels of a format's own layout are given.
fn own_type(format: &Format) -> u32 {
    format.types.first().copied().unwrap_or(gl::UNSIGNED_BYTE)
}

impl Asked<'_> {
    fn is_texture(&self) -> bool {
        target_index(self.target).is_some()
    }

    /// Whether its texels can be written level by level.
    fn has_images(&self) -> bool {
        self.is_texture() && !is_multisample(self.target) && self.target != gl::TEXTURE_BUFFER
    }

    fn has_levels(&self) -> bool {
        self.has_images() && self.target != gl::TEXTURE_RECTANGLE
    }

    /// Whether shaders load and store it as an image.
    fn is_image(&self, format: &Format) -> bool {
        let host = self.state.caps.format(format.token);
        self.is_texture()
            && self.internal == format.token
            && host.is_none_or(|f| f.flags & format_flag::IMAGE != 0)
            && !format.is_compressed()
            && format.is_color()
            && image_class(format) != gl::NONE
    }

    /// Width, height, depth and layers at most; 0 for what the target does not have.
    fn most(&self) -> [i32; 4] {
        let limits = &self.state.caps.limits;
        let side = self.state.max_size(self.target) as i32;
        let layers = limits.max_array_texture_layers;
        match self.target {
            gl::TEXTURE_BUFFER => [limits.max_texture_buffer_size, 0, 0, 0],
            gl::RENDERBUFFER => [limits.max_renderbuffer_size, limits.max_renderbuffer_size, 0, 0],
            gl::TEXTURE_1D => [side, 0, 0, 0],
            gl::TEXTURE_1D_ARRAY => [side, 0, 0, layers],
            gl::TEXTURE_3D => [side, side, side, 0],
            gl::TEXTURE_2D_ARRAY
            | gl::TEXTURE_CUBE_MAP_ARRAY
            | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => [side, side, 0, layers],
            _ => [side, side, 0, 0],
        }
    }

    fn answer(&self, pname: u32) -> Option<Vec<i32>> {
        let known = self.format;
        let when = |holds: &dyn Fn(&Format) -> bool, value: u32| {
            vec![if known.is_some_and(holds) { value as i32 } else { 0 }]
        };
        let yes = |holds: &dyn Fn(&Format) -> bool| when(holds, 1);
        let full = |holds: &dyn Fn(&Format) -> bool| when(holds, gl::FULL_SUPPORT);
        let value = |of: &dyn Fn(&Format) -> u32| vec![known.map_or(0, |f| of(f) as i32)];
        let plain = |f: &Format| !f.is_compressed();
        let sampled = self.is_texture();
        Some(match pname {
            gl::INTERNALFORMAT_SUPPORTED => yes(&|_| true),
            gl::INTERNALFORMAT_PREFERRED => value(&|_| self.internal),
            gl::INTERNALFORMAT_RED_SIZE..=gl::INTERNALFORMAT_STENCIL_SIZE => {
                let index = (pname - gl::INTERNALFORMAT_RED_SIZE) as usize;
                value(&|f| f.bits.get(index).map_or(0, |b| u32::from(*b)))
            }
            gl::INTERNALFORMAT_SHARED_SIZE => {
                value(&|f| if f.token == gl::RGB9_E5 { 5 } else { 0 })
            }
            gl::INTERNALFORMAT_RED_TYPE..=gl::INTERNALFORMAT_STENCIL_TYPE => {
                let index = (pname - gl::INTERNALFORMAT_RED_TYPE) as usize;
                value(&|f| match (index, f.bits.get(index)) {
                    (_, Some(0) | None) => gl::NONE,
                    (5, _) => gl::UNSIGNED_INT,
                    _ => f.component_type(),
                })
            }
            gl::MAX_WIDTH => value(&|_| self.most()[0] as u32),
            gl::MAX_HEIGHT => value(&|_| self.most()[1] as u32),
            gl::MAX_DEPTH => value(&|_| self.most()[2] as u32),
            gl::MAX_LAYERS => value(&|_| self.most()[3] as u32),
            gl::MAX_COMBINED_DIMENSIONS => {
                // One number for a number of texels: what does not fit is the largest number.
                let most = self.most();
                let product = most.iter().filter(|n| **n > 0).map(|n| i64::from(*n));
                let faces = if self.target == gl::TEXTURE_CUBE_MAP { 6 } else { 1 };
                let texels = product.fold(faces, |all: i64, n| all.saturating_mul(n));
                value(&|_| u32::try_from(texels.min(i64::from(i32::MAX))).unwrap_or(0))
            }
            gl::COLOR_COMPONENTS => yes(&Format::is_color),
            gl::DEPTH_COMPONENTS => yes(&Format::has_depth),
            gl::STENCIL_COMPONENTS => yes(&Format::has_stencil),
            gl::COLOR_RENDERABLE => yes(&|f| self.renderable && f.is_color()),
            gl::DEPTH_RENDERABLE => yes(&|f| self.renderable && f.has_depth()),
            gl::STENCIL_RENDERABLE => yes(&|f| self.renderable && f.has_stencil()),
            gl::FRAMEBUFFER_RENDERABLE => {
                full(&|_| self.renderable && self.target != gl::TEXTURE_BUFFER)
            }
            gl::FRAMEBUFFER_RENDERABLE_LAYERED => full(&|_| {
                self.renderable
                    && matches!(
                        self.target,
                        gl::TEXTURE_3D
                            | gl::TEXTURE_1D_ARRAY
                            | gl::TEXTURE_2D_ARRAY
                            | gl::TEXTURE_CUBE_MAP
                            | gl::TEXTURE_CUBE_MAP_ARRAY
                            | gl::TEXTURE_2D_MULTISAMPLE_ARRAY
                    )
            }),
            gl::FRAMEBUFFER_BLEND => full(&|f| self.renderable && f.is_color() && !f.is_integer()),
            gl::READ_PIXELS => full(&|_| self.renderable),
            gl::READ_PIXELS_FORMAT | gl::TEXTURE_IMAGE_FORMAT | gl::GET_TEXTURE_IMAGE_FORMAT => {
                let pixels = pname == gl::READ_PIXELS_FORMAT;
                let there = if pixels { self.renderable } else { self.has_images() };
                when(&|f| there && plain(f), known.map_or(0, |f| f.transfer))
            }
            gl::READ_PIXELS_TYPE | gl::TEXTURE_IMAGE_TYPE | gl::GET_TEXTURE_IMAGE_TYPE => {
                let pixels = pname == gl::READ_PIXELS_TYPE;
                let there = if pixels { self.renderable } else { self.has_images() };
                when(&|f| there && plain(f), known.map_or(0, own_type))
            }
            gl::MIPMAP => yes(&|_| self.has_levels()),
            gl::MANUAL_GENERATE_MIPMAP => {
                full(&|f| self.has_levels() && !f.is_integer() && f.base != gl::STENCIL_INDEX)
            }
            // The core profile does not have it.
            gl::AUTO_GENERATE_MIPMAP => vec![gl::NONE as i32],
            gl::COLOR_ENCODING => value(&|f| match (f.is_color(), f.is_srgb()) {
                (false, _) => gl::NONE,
                (true, true) => gl::SRGB,
                (true, false) => gl::LINEAR,
            }),
            gl::SRGB_READ => full(&|f| sampled && f.is_srgb()),
            gl::SRGB_WRITE => full(&|f| self.renderable && f.is_srgb()),
            gl::SRGB_DECODE_ARB => full(&|f| {
                sampled && f.is_srgb() && self.state.extensions.has("GL_EXT_texture_sRGB_decode")
            }),
            gl::FILTER => full(&|f| self.has_images() && self.state.is_filterable(f)),
            gl::VERTEX_TEXTURE
            | gl::TESS_CONTROL_TEXTURE
            | gl::TESS_EVALUATION_TEXTURE
            | gl::GEOMETRY_TEXTURE
            | gl::FRAGMENT_TEXTURE
            | gl::COMPUTE_TEXTURE => full(&|_| sampled),
            gl::TEXTURE_SHADOW => {
                full(&|f| f.has_depth() && self.has_images() && self.target != gl::TEXTURE_3D)
            }
            gl::TEXTURE_GATHER => full(&|_| self.gathers()),
            gl::TEXTURE_GATHER_SHADOW => full(&|f| f.has_depth() && self.gathers()),
            gl::SHADER_IMAGE_LOAD | gl::SHADER_IMAGE_STORE => full(&|f| self.is_image(f)),
            gl::SHADER_IMAGE_ATOMIC => {
                full(&|f| self.is_image(f) && matches!(f.token, gl::R32I | gl::R32UI | gl::R32F))
            }
            gl::IMAGE_TEXEL_SIZE => value(&|f| if self.is_image(f) { f.bytes() * 8 } else { 0 }),
            gl::IMAGE_COMPATIBILITY_CLASS => {
                value(&|f| if self.is_image(f) { image_class(f) } else { gl::NONE })
            }
            gl::IMAGE_PIXEL_FORMAT => {
                value(&|f| if self.is_image(f) { f.transfer } else { gl::NONE })
            }
            gl::IMAGE_PIXEL_TYPE => {
                value(&|f| if self.is_image(f) { own_type(f) } else { gl::NONE })
            }
            gl::IMAGE_FORMAT_COMPATIBILITY_TYPE => value(&|f| {
                if self.is_image(f) { gl::IMAGE_FORMAT_COMPATIBILITY_BY_SIZE } else { gl::NONE }
            }),
            gl::SIMULTANEOUS_TEXTURE_AND_DEPTH_TEST | gl::SIMULTANEOUS_TEXTURE_AND_DEPTH_WRITE => {
                full(&|f| sampled && f.has_depth())
            }
            gl::SIMULTANEOUS_TEXTURE_AND_STENCIL_TEST
            | gl::SIMULTANEOUS_TEXTURE_AND_STENCIL_WRITE => full(&|f| sampled && f.has_stencil()),
            gl::TEXTURE_COMPRESSED => yes(&Format::is_compressed),
            gl::TEXTURE_COMPRESSED_BLOCK_WIDTH => self.block(|b| b.width),
            gl::TEXTURE_COMPRESSED_BLOCK_HEIGHT => self.block(|b| b.height),
            gl::TEXTURE_COMPRESSED_BLOCK_SIZE => self.block(|b| b.bytes * 8),
            gl::CLEAR_BUFFER => full(&|_| self.target == gl::TEXTURE_BUFFER),
            gl::CLEAR_TEXTURE => {
                full(&|f| sampled && plain(f) && self.target != gl::TEXTURE_BUFFER)
            }
            gl::TEXTURE_VIEW => full(&|_| self.is_viewed()),
            gl::VIEW_COMPATIBILITY_CLASS => {
                value(&|f| if self.is_viewed() { class_of_views(f) } else { gl::NONE })
            }
            _ => return None,
        })
    }

    fn gathers(&self) -> bool {
        matches!(
            self.target,
            gl::TEXTURE_2D
                | gl::TEXTURE_2D_ARRAY
                | gl::TEXTURE_CUBE_MAP
                | gl::TEXTURE_CUBE_MAP_ARRAY
                | gl::TEXTURE_RECTANGLE
        )
    }

    fn is_viewed(&self) -> bool {
        self.is_texture() && self.target != gl::TEXTURE_BUFFER
    }

    fn block(&self, of: impl Fn(pixel::Block) -> u32) -> Vec<i32> {
        let block = self.format.and_then(|f| pixel::block(f.token));
        vec![block.map_or(0, |b| of(b) as i32)]
    }
}

/// GL_IMAGE_CLASS_* (OpenGL 4.6, table 8.26).
fn image_class(format: &Format) -> u32 {
    let [r, g, b, a, ..] = format.bits;
    match (r, g, b, a) {
        (32, 32, 32, 32) => gl::IMAGE_CLASS_4_X_32,
        (32, 32, 0, 0) => gl::IMAGE_CLASS_2_X_32,
        (32, 0, 0, 0) => gl::IMAGE_CLASS_1_X_32,
        (16, 16, 16, 16) => gl::IMAGE_CLASS_4_X_16,
        (16, 16, 0, 0) => gl::IMAGE_CLASS_2_X_16,
        (16, 0, 0, 0) => gl::IMAGE_CLASS_1_X_16,
        (8, 8, 8, 8) if !format.is_srgb() => gl::IMAGE_CLASS_4_X_8,
        (8, 8, 0, 0) => gl::IMAGE_CLASS_2_X_8,
        (8, 0, 0, 0) => gl::IMAGE_CLASS_1_X_8,
        (11, 11, 10, 0) => gl::IMAGE_CLASS_11_11_10,
        (10, 10, 10, 2) => gl::IMAGE_CLASS_10_10_10_2,
        _ => gl::NONE,
    }
}

/// GL_VIEW_CLASS_* (OpenGL 4.6, table 8.22).
fn class_of_views(format: &Format) -> u32 {
    match view_class(format.token) {
        Some((0, 16)) => gl::VIEW_CLASS_128_BITS,
        Some((0, 12)) => gl::VIEW_CLASS_96_BITS,
        Some((0, 8)) => gl::VIEW_CLASS_64_BITS,
        Some((0, 6)) => gl::VIEW_CLASS_48_BITS,
        Some((0, 4)) => gl::VIEW_CLASS_32_BITS,
        Some((0, 3)) => gl::VIEW_CLASS_24_BITS,
        Some((0, 2)) => gl::VIEW_CLASS_16_BITS,
        Some((0, 1)) => gl::VIEW_CLASS_8_BITS,
        Some((1, _)) => gl::VIEW_CLASS_RGTC1_RED,
        Some((2, _)) => gl::VIEW_CLASS_RGTC2_RG,
        Some((3, _)) => gl::VIEW_CLASS_BPTC_UNORM,
        Some((4, _)) => gl::VIEW_CLASS_BPTC_FLOAT,
        Some((5, _)) => gl::VIEW_CLASS_S3TC_DXT1_RGB,
        Some((6, _)) => gl::VIEW_CLASS_S3TC_DXT1_RGBA,
        Some((7, _)) => gl::VIEW_CLASS_S3TC_DXT3_RGBA,
        Some((8, _)) => gl::VIEW_CLASS_S3TC_DXT5_RGBA,
        _ => gl::NONE,
    }
}
