//! Texture and sampler parameters (OpenGL ES 3.2, sections 8.10 and 8.2).

use super::{Texture, bound};
use crate::context::{Api, Context, State};
use crate::error::{GlResult, check_enum, check_operation, check_value, invalid_enum};
use crate::value::Value;
use forerun_pipe::records::{SamplerParams, SetTextureParams};
use forerun_pipe::{RawHandle, gl};

/// A parameter's value in the form in which the program gave it.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    /// gl*Parameteri.
    Int(i32),
    /// gl*Parameterf.
    Float(f32),
    /// gl*Parameteriv: colours are fractions of the largest integer.
    Ints(&'a [i32]),
    /// gl*Parameterfv.
    Floats(&'a [f32]),
    /// gl*ParameterIiv.
    PureInts(&'a [i32]),
    /// gl*ParameterIuiv.
    PureUints(&'a [u32]),
}

impl Given<'_> {
    /// The first value as an integer or token.
    pub fn int(&self) -> i32 {
        match self {
            Given::Int(value) => *value,
            Given::Float(value) => value.round() as i32,
            Given::Ints(values) | Given::PureInts(values) => {
                values.first().copied().unwrap_or_default()
            }
            Given::Floats(values) => values.first().map_or(0, |v| v.round() as i32),
            Given::PureUints(values) => values.first().map_or(0, |v| *v as i32),
        }
    }

    /// The first value as a float.
    pub fn float(&self) -> f32 {
        match self {
            Given::Float(value) => *value,
            Given::Floats(values) => values.first().copied().unwrap_or_default(),
            other => other.int() as f32,
        }
    }

    fn token(&self) -> u32 {
        self.int() as u32
    }

    /// Class and bits of a border colour; `None` for a single value.
    fn color(&self) -> Option<(u32, [u32; 4])> {
        let four = |bits: Vec<u32>| <[u32; 4]>::try_from(bits).ok();
        Some(match self {
            Given::Int(_) | Given::Float(_) => return None,
            Given::Ints(values) => {
                let fraction = |v: &i32| (f64::from(*v) / f64::from(i32::MAX)).max(-1.0) as f32;
                (0, four(values.iter().map(|v| fraction(v).to_bits()).collect())?)
            }
            Given::Floats(values) => (0, four(values.iter().map(|v| v.to_bits()).collect())?),
            Given::PureInts(values) => (1, four(values.iter().map(|v| *v as u32).collect())?),
            Given::PureUints(values) => (2, four(values.to_vec())?),
        })
    }
}

/// How many values a parameter has.
pub fn count(pname: u32) -> usize {
    match pname {
        gl::TEXTURE_BORDER_COLOR | gl::TEXTURE_SWIZZLE_RGBA => 4,
        _ => 1,
    }
}

/// Initial sampler parameters of a texture of that target, or of a sampler object (OpenGL 4.6, tables 23.18 and 23.23).
pub fn initial_sampler(target: u32) -> SamplerParams {
    let rectangle = target == gl::TEXTURE_RECTANGLE;
    SamplerParams {
        min_filter: if rectangle { gl::LINEAR } else { gl::NEAREST_MIPMAP_LINEAR },
        mag_filter: gl::LINEAR,
        wrap: [if rectangle { gl::CLAMP_TO_EDGE } else { gl::REPEAT }; 3],
        compare_mode: gl::NONE,
        compare_func: gl::LEQUAL,
        min_lod: -1000.0,
        max_lod: 1000.0,
        lod_bias: 0.0,
        max_anisotropy: 1.0,
        srgb_decode: gl::DECODE_EXT,
        border_class: 0,
        border: [0; 4],
        cube_seamless: 0,
    }
}

/// Initial parameters of a texture.
pub fn initial(handle: RawHandle, target: u32) -> SetTextureParams {
    SetTextureParams {
        handle,
        sampler: initial_sampler(target),
        base_level: 0,
        max_level: 1000,
        swizzle: [gl::RED, gl::GREEN, gl::BLUE, gl::ALPHA],
        depth_stencil_mode: gl::DEPTH_COMPONENT,
        pad: 0,
    }
}

fn wrap(state: &State, mode: u32, rectangle: bool) -> GlResult<u32> {
    let known = match mode {
        gl::REPEAT | gl::MIRRORED_REPEAT => !rectangle,
        gl::CLAMP_TO_EDGE => true,
        gl::CLAMP_TO_BORDER => state.knows(mode),
        gl::MIRROR_CLAMP_TO_EDGE => !rectangle && state.knows(mode),
        // What old programs say; it reads between edge and border, which no core hardware does.
        gl::CLAMP if state.config.api == Api::Legacy => return Ok(gl::CLAMP_TO_EDGE),
        _ => false,
    };
    check_enum(known, "wrap mode").map(|()| mode)
}

/// Sets a sampler parameter. False: the name is none of a sampler's.
///
/// # Errors
/// As OpenGL ES 3.2, sections 8.2 and 8.10 say.
pub fn set_sampler(
    state: &State,
    params: &mut SamplerParams,
    rectangle: bool,
    pname: u32,
    given: Given,
) -> GlResult<bool> {
    if !state.knows(pname) {
        return Ok(false);
    }
    match pname {
        gl::TEXTURE_MIN_FILTER => {
            let filter = given.token();
            let known = match filter {
                gl::NEAREST | gl::LINEAR => true,
                gl::NEAREST_MIPMAP_NEAREST..=gl::LINEAR_MIPMAP_LINEAR => !rectangle,
                _ => false,
            };
            check_enum(known, "minification filter")?;
            params.min_filter = filter;
        }
        gl::TEXTURE_MAG_FILTER => {
            let filter = given.token();
            check_enum(matches!(filter, gl::NEAREST | gl::LINEAR), "magnification filter")?;
            params.mag_filter = filter;
        }
        gl::TEXTURE_WRAP_S => params.wrap[0] = wrap(state, given.token(), rectangle)?,
        gl::TEXTURE_WRAP_T => params.wrap[1] = wrap(state, given.token(), rectangle)?,
        gl::TEXTURE_WRAP_R => {
            params.wrap[2] = wrap(state, given.token(), rectangle)?;
        }
        gl::TEXTURE_MIN_LOD => params.min_lod = given.float(),
        gl::TEXTURE_MAX_LOD => params.max_lod = given.float(),
        gl::TEXTURE_LOD_BIAS => params.lod_bias = given.float(),
        gl::TEXTURE_COMPARE_MODE => {
            let mode = given.token();
            check_enum(
                matches!(mode, gl::NONE | gl::COMPARE_REF_TO_TEXTURE),
                "texture comparison mode",
            )?;
            params.compare_mode = mode;
        }
        gl::TEXTURE_COMPARE_FUNC => {
            let func = given.token();
            check_enum((gl::NEVER..=gl::ALWAYS).contains(&func), "texture comparison")?;
            params.compare_func = func;
        }
        gl::TEXTURE_MAX_ANISOTROPY => {
            let most = state.caps.limits.max_texture_max_anisotropy;
            check_value(given.float() >= 1.0, "anisotropy below 1")?;
            params.max_anisotropy = given.float().min(most.max(1.0));
        }
        gl::TEXTURE_SRGB_DECODE_EXT => {
            let decode = given.token();
            check_enum(
                matches!(decode, gl::DECODE_EXT | gl::SKIP_DECODE_EXT),
                "decoding of nonlinear colours",
            )?;
            params.srgb_decode = decode;
        }
        gl::TEXTURE_CUBE_MAP_SEAMLESS => {
            let on = given.int();
            check_value(on == 0 || on == 1, "seamless cube maps")?;
            params.cube_seamless = on as u32;
        }
        gl::TEXTURE_BORDER_COLOR => {
            let Some((class, bits)) = given.color() else {
                return invalid_enum("a border colour has four values");
            };
            params.border_class = class;
            params.border = bits;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn is_multisample(target: u32) -> bool {
    matches!(target, gl::TEXTURE_2D_MULTISAMPLE | gl::TEXTURE_2D_MULTISAMPLE_ARRAY)
}

fn swizzle(source: u32) -> GlResult<u32> {
    let known = matches!(source, gl::RED | gl::GREEN | gl::BLUE | gl::ALPHA | gl::ZERO | gl::ONE);
    check_enum(known, "swizzle").map(|()| source)
}

fn apply(
    state: &State,
    texture: &Texture,
    params: &mut SetTextureParams,
    pname: u32,
    given: Given,
) -> GlResult {
    let target = texture.target;
    let rectangle = target == gl::TEXTURE_RECTANGLE;
    let single = rectangle || is_multisample(target);
    check_enum(state.knows(pname), "texture parameter")?;
    match pname {
        gl::TEXTURE_BASE_LEVEL => {
            check_value(given.int() >= 0, "base level")?;
            check_operation(!single || given.int() == 0, "the target has one level")?;
            params.base_level = given.int() as u32;
        }
        gl::TEXTURE_MAX_LEVEL => {
            check_value(given.int() >= 0, "maximum level")?;
            check_operation(!rectangle || given.int() == 0, "the target has one level")?;
            params.max_level = given.int() as u32;
        }
        gl::TEXTURE_SWIZZLE_R..=gl::TEXTURE_SWIZZLE_A => {
            params.swizzle[(pname - gl::TEXTURE_SWIZZLE_R) as usize & 3] = swizzle(given.token())?;
        }
        gl::TEXTURE_SWIZZLE_RGBA => {
            let sources: Vec<u32> = match given {
                Given::Ints(v) | Given::PureInts(v) => v.iter().map(|v| *v as u32).collect(),
                Given::PureUints(v) => v.to_vec(),
                Given::Floats(v) => v.iter().map(|v| *v as u32).collect(),
                Given::Int(_) | Given::Float(_) => {
                    return invalid_enum("a swizzle has four values");
                }
            };
            let mut all = [0; 4];
            for (slot, source) in all.iter_mut().zip(sources) {
                *slot = swizzle(source)?;
            }
            params.swizzle = all;
        }
        gl::DEPTH_STENCIL_TEXTURE_MODE => {
            let mode = given.token();
            check_enum(
                matches!(mode, gl::DEPTH_COMPONENT | gl::STENCIL_INDEX),
                "what is read of depth and stencil",
            )?;
            params.depth_stencil_mode = mode;
        }
        _ if is_multisample(target) => {
            return invalid_enum("sampler parameter of a multisample texture");
        }
        _ => {
            let known = set_sampler(state, &mut params.sampler, rectangle, pname, given)?;
            return check_enum(known, "texture parameter");
        }
    }
    Ok(())
}

/// glTexParameter*.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.10 says.
pub fn set(cx: &mut Context, target: u32, pname: u32, given: Given) -> GlResult {
    check_enum(target != gl::TEXTURE_BUFFER, "buffer textures have no parameters")?;
    let texture = bound(cx, target)?;
    let mut data = texture.data.borrow_mut();
    let mut params = data.params;
    apply(&cx.state, &texture, &mut params, pname, given)?;
    if params != data.params {
        data.params = params;
        params.send(&mut *cx.stream());
    }
    Ok(())
}

/// The value of a sampler parameter.
pub fn sampler_value(state: &State, params: &SamplerParams, pname: u32) -> Option<Value> {
    if !state.knows(pname) {
        return None;
    }
    Some(match pname {
        gl::TEXTURE_MIN_FILTER => Value::int(params.min_filter),
        gl::TEXTURE_MAG_FILTER => Value::int(params.mag_filter),
        gl::TEXTURE_WRAP_S => Value::int(params.wrap[0]),
        gl::TEXTURE_WRAP_T => Value::int(params.wrap[1]),
        gl::TEXTURE_WRAP_R => Value::int(params.wrap[2]),
        gl::TEXTURE_MIN_LOD => Value::float(params.min_lod),
        gl::TEXTURE_MAX_LOD => Value::float(params.max_lod),
        gl::TEXTURE_LOD_BIAS => Value::float(params.lod_bias),
        gl::TEXTURE_COMPARE_MODE => Value::int(params.compare_mode),
        gl::TEXTURE_COMPARE_FUNC => Value::int(params.compare_func),
        gl::TEXTURE_MAX_ANISOTROPY => Value::float(params.max_anisotropy),
        gl::TEXTURE_SRGB_DECODE_EXT => Value::int(params.srgb_decode),
        gl::TEXTURE_CUBE_MAP_SEAMLESS => Value::int(params.cube_seamless),
        gl::TEXTURE_BORDER_COLOR => match params.border_class {
            0 => Value::normalized(&params.border.map(f32::from_bits)),
            1 => Value::ints(&params.border.map(|bits| bits as i32)),
            _ => Value::ints(&params.border),
        },
        _ => return None,
    })
}

/// glGetTexParameter*.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target or parameter.
pub fn get(cx: &mut Context, target: u32, pname: u32) -> GlResult<Value> {
    check_enum(target != gl::TEXTURE_BUFFER, "buffer textures have no parameters")?;
    let texture = bound(cx, target)?;
    let data = texture.data.borrow_mut();
    let state = &cx.state;
    let params = &data.params;
    let immutable = data.immutable_levels > 0;
    let view = &data.view;
    check_enum(state.knows(pname), "texture parameter")?;
    Ok(match pname {
        gl::TEXTURE_BASE_LEVEL => Value::int(params.base_level),
        gl::TEXTURE_MAX_LEVEL => Value::int(params.max_level),
        gl::TEXTURE_SWIZZLE_R..=gl::TEXTURE_SWIZZLE_A => {
            Value::int(params.swizzle[(pname - gl::TEXTURE_SWIZZLE_R) as usize & 3])
        }
        gl::TEXTURE_SWIZZLE_RGBA => Value::ints(&params.swizzle),
        gl::DEPTH_STENCIL_TEXTURE_MODE => Value::int(params.depth_stencil_mode),
        gl::TEXTURE_IMMUTABLE_FORMAT => Value::int(u32::from(immutable)),
        gl::TEXTURE_IMMUTABLE_LEVELS => Value::int(data.immutable_levels),
        gl::TEXTURE_VIEW_MIN_LEVEL => Value::int(view.min_level),
        gl::TEXTURE_VIEW_NUM_LEVELS => Value::int(view.num_levels),
        gl::TEXTURE_VIEW_MIN_LAYER => Value::int(view.min_layer),
        gl::TEXTURE_VIEW_NUM_LAYERS => Value::int(view.num_layers),
        gl::IMAGE_FORMAT_COMPATIBILITY_TYPE => Value::int(gl::IMAGE_FORMAT_COMPATIBILITY_BY_SIZE),
        gl::TEXTURE_TARGET => Value::int(texture.target),
        gl::TEXTURE_RESIDENT => Value::int(1),
        _ => match sampler_value(state, &params.sampler, pname) {
            Some(value) => value,
            None => return invalid_enum("texture parameter"),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_border_colour_keeps_the_class_in_which_it_was_given() {
        let floats = [1.0f32, 0.5, 0.0, -1.0];
        assert_eq!(Given::Floats(&floats).color(), Some((0, floats.map(f32::to_bits))));
        assert_eq!(
            Given::Ints(&[i32::MAX, 0, i32::MIN, 0]).color(),
            Some((0, [1.0f32, 0.0, -1.0, 0.0].map(f32::to_bits)))
        );
        assert_eq!(Given::PureInts(&[-1, 0, 1, 2]).color(), Some((1, [u32::MAX, 0, 1, 2])));
        assert_eq!(Given::Int(1).color(), None);
    }
}
