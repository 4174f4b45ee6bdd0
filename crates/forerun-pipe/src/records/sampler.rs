//! Sampler objects, texture units and image units.

use crate::flat;
use crate::handle::RawHandle;

/// Texture units at most.
pub const MAX_TEXTURE_UNITS: u32 = 192;
/// Image units at most.
pub const MAX_IMAGE_UNITS: u32 = 192;

flat! {
    /// Sampler parameters.
    pub struct SamplerParams {
        /// GL_TEXTURE_MIN_FILTER.
        pub min_filter: u32,
        /// GL_TEXTURE_MAG_FILTER.
        pub mag_filter: u32,
        /// GL_TEXTURE_WRAP_S, _T, _R.
        pub wrap: [u32; 3],
        /// GL_TEXTURE_COMPARE_MODE.
        pub compare_mode: u32,
        /// GL_TEXTURE_COMPARE_FUNC.
        pub compare_func: u32,
        /// GL_TEXTURE_MIN_LOD.
        pub min_lod: f32,
        /// GL_TEXTURE_MAX_LOD.
        pub max_lod: f32,
        /// GL_TEXTURE_LOD_BIAS.
        pub lod_bias: f32,
        /// GL_TEXTURE_MAX_ANISOTROPY.
        pub max_anisotropy: f32,
        /// GL_TEXTURE_SRGB_DECODE_EXT.
        pub srgb_decode: u32,
        /// How the border colour was given: 0 as floats, 1 as integers, 2 as unsigned integers.
        pub border_class: u32,
        /// Its bits.
        pub border: [u32; 4],
        /// GL_TEXTURE_CUBE_MAP_SEAMLESS of the object.
        pub cube_seamless: u32,
    }

    /// Introduces sampler parameters.
    pub struct CreateSamplerState {
        /// The new handle.
        pub handle: RawHandle,
        /// The parameters.
        pub params: SamplerParams,
    }

    /// Frees sampler parameters.
    pub struct DeleteSamplerState {
        /// The handle.
        pub handle: RawHandle,
    }

    /// A texture at a unit.
    pub struct BoundView {
        /// The texture, or null.
        pub texture: RawHandle,
        /// Unit, below [`MAX_TEXTURE_UNITS`].
        pub unit: u32,
        /// Target of the binding that the program's sampler reads.
        pub target: u32,
    }

    /// Replaces the textures of the named units.
    pub struct SetSamplerViews {
        /// How many follow.
        pub count: u32,
        /// Zero.
        pub pad: u32,
    }

    /// A sampler object at a unit.
    pub struct BoundSampler {
        /// The sampler, or null for the texture's own parameters.
        pub sampler: RawHandle,
        /// Unit.
        pub unit: u32,
        /// Zero.
        pub pad: u32,
    }

    /// Replaces the sampler objects of the named units.
    pub struct BindSamplerStates {
        /// How many follow.
        pub count: u32,
        /// Zero.
        pub pad: u32,
    }

    /// A texture level at an image unit.
    pub struct ImageView {
        /// The texture, or null.
        pub texture: RawHandle,
        /// Unit, below [`MAX_IMAGE_UNITS`].
        pub unit: u32,
        /// Level.
        pub level: u32,
        /// Whole level (1) or one layer (0).
        pub layered: u32,
        /// The layer.
        pub layer: u32,
        /// GL_READ_ONLY, GL_WRITE_ONLY or GL_READ_WRITE.
        pub access: u32,
        /// Format.
        pub format: u32,
    }

    /// Replaces the named image units.
    pub struct SetShaderImages {
        /// How many follow.
        pub count: u32,
        /// Zero.
        pub pad: u32,
    }
}
