//! What the server can do: limits, features, formats and strings, in fixed widths.
//!
//! One table, [`limits!`], makes the struct, the list by which a GL backend asks its host, and the list by which the client answers
//! `glGet*`. Defaults are the minima of OpenGL ES 3.2, table 21.40 onwards (or of OpenGL 4.5 where ES has no such limit).

use crate::fault::{Fault, Result};
use crate::flat;
use zerocopy::{FromBytes, IntoBytes};

/// How a limit is asked for and answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitType {
    /// One or more integers by glGetIntegerv.
    Int,
    /// One integer per index by glGetIntegeri_v.
    Indexed,
    /// Floats by glGetFloatv.
    Float,
    /// A 64-bit integer by glGetInteger64v.
    Int64,
}

/// A limit: its name, GL token, type, number of values and byte offset in [`Limits`].
#[derive(Clone, Copy, Debug)]
pub struct LimitInfo {
    /// Member of [`Limits`].
    pub name: &'static str,
    /// GL token.
    pub pname: u32,
    /// Type.
    pub ty: LimitType,
    /// Values.
    pub count: usize,
    /// Byte offset in [`Limits`].
    pub offset: usize,
}

macro_rules! limits {
    ($( $name:ident : $ty:ty = $pname:literal, $kind:ident, $default:expr; )*) => {
        flat! {
            /// Implementation limits, by the names of their GL tokens in lower case without GL_.
            pub struct Limits { $( /** GL limit of that name. */ pub $name: $ty, )* }
        }

        impl Limits {
            /// The smallest values that a conformant implementation may have.
            pub const MINIMA: Limits = Limits { $( $name: $default, )* };

            /// All limits in order.
            pub const TABLE: &'static [LimitInfo] = &[ $( LimitInfo {
                name: stringify!($name), pname: $pname, ty: LimitType::$kind,
                count: size_of::<$ty>() / if matches!(LimitType::$kind, LimitType::Int64) { 8 } else { 4 },
                offset: core::mem::offset_of!(Limits, $name),
            } ),* ];
        }
    };
}

limits! {
    max_element_index: i64 = 0x8D6B, Int64, 0xFFFF_FFFF;
    max_server_wait_timeout: i64 = 0x9111, Int64, 0;
    max_uniform_block_size: i64 = 0x8A30, Int64, 16384;
    max_shader_storage_block_size: i64 = 0x90DE, Int64, 1 << 27;
    max_combined_vertex_uniform_components: i64 = 0x8A31, Int64, 1024 + 12 * 4096;
    max_combined_fragment_uniform_components: i64 = 0x8A33, Int64, 1024 + 12 * 4096;
    max_combined_geometry_uniform_components: i64 = 0x8A32, Int64, 1024 + 12 * 4096;
    max_combined_tess_control_uniform_components: i64 = 0x8E1E, Int64, 1024 + 12 * 4096;
    max_combined_tess_evaluation_uniform_components: i64 = 0x8E1F, Int64, 1024 + 12 * 4096;
    max_combined_compute_uniform_components: i64 = 0x8266, Int64, 1024 + 12 * 4096;
    aliased_point_size_range: [f32; 2] = 0x846D, Float, [1.0, 1.0];
    aliased_line_width_range: [f32; 2] = 0x846E, Float, [1.0, 1.0];
    smooth_line_width_range: [f32; 2] = 0x0B22, Float, [1.0, 1.0];
    smooth_line_width_granularity: [f32; 2] = 0x0B23, Float, [0.125, 0.0];
    point_size_granularity: [f32; 2] = 0x0B13, Float, [0.125, 0.0];
    multisample_line_width_range: [f32; 2] = 0x9381, Float, [1.0, 1.0];
    viewport_bounds_range: [f32; 2] = 0x825D, Float, [-32768.0, 32767.0];
    max_texture_lod_bias: f32 = 0x84FD, Float, 2.0;
    max_texture_max_anisotropy: f32 = 0x84FF, Float, 2.0;
    min_fragment_interpolation_offset: f32 = 0x8E5B, Float, -0.5;
    max_fragment_interpolation_offset: f32 = 0x8E5C, Float, 0.5;
    max_viewport_dims: [i32; 2] = 0x0D3A, Int, [2048, 2048];
    max_compute_work_group_count: [i32; 3] = 0x91BE, Indexed, [65535, 65535, 65535];
    max_compute_work_group_size: [i32; 3] = 0x91BF, Indexed, [128, 128, 64];
    max_texture_size: i32 = 0x0D33, Int, 2048;
    max_3d_texture_size: i32 = 0x8073, Int, 256;
    max_cube_map_texture_size: i32 = 0x851C, Int, 2048;
    max_array_texture_layers: i32 = 0x88FF, Int, 256;
    max_rectangle_texture_size: i32 = 0x84F8, Int, 1024;
    max_texture_buffer_size: i32 = 0x8C2B, Int, 65536;
    max_renderbuffer_size: i32 = 0x84E8, Int, 2048;
    max_framebuffer_width: i32 = 0x9315, Int, 2048;
    max_framebuffer_height: i32 = 0x9316, Int, 2048;
    max_framebuffer_layers: i32 = 0x9317, Int, 256;
    max_framebuffer_samples: i32 = 0x9318, Int, 4;
    max_samples: i32 = 0x8D57, Int, 4;
    max_integer_samples: i32 = 0x9110, Int, 1;
    max_color_texture_samples: i32 = 0x910E, Int, 1;
    max_depth_texture_samples: i32 = 0x910F, Int, 1;
    max_sample_mask_words: i32 = 0x8E59, Int, 1;
    max_draw_buffers: i32 = 0x8824, Int, 4;
    max_color_attachments: i32 = 0x8CDF, Int, 4;
    max_dual_source_draw_buffers: i32 = 0x88FC, Int, 0;
    max_viewports: i32 = 0x825B, Int, 1;
    viewport_subpixel_bits: i32 = 0x825C, Int, 0;
    subpixel_bits: i32 = 0x0D50, Int, 4;
    layer_provoking_vertex: i32 = 0x825E, Int, 0x8E4E;
    viewport_index_provoking_vertex: i32 = 0x825F, Int, 0x8E4E;
    max_clip_distances: i32 = 0x0D32, Int, 0;
    max_cull_distances: i32 = 0x82F9, Int, 0;
    max_combined_clip_and_cull_distances: i32 = 0x82FA, Int, 0;
    max_elements_indices: i32 = 0x80E9, Int, 65536;
    max_elements_vertices: i32 = 0x80E8, Int, 65536;
    max_vertex_attribs: i32 = 0x8869, Int, 16;
    max_vertex_attrib_bindings: i32 = 0x82DA, Int, 16;
    max_vertex_attrib_stride: i32 = 0x82E5, Int, 2048;
    max_vertex_attrib_relative_offset: i32 = 0x82D9, Int, 2047;
    max_varying_components: i32 = 0x8B4B, Int, 60;
    max_varying_vectors: i32 = 0x8DFC, Int, 15;
    max_vertex_output_components: i32 = 0x9122, Int, 64;
    max_fragment_input_components: i32 = 0x9125, Int, 60;
    max_vertex_uniform_components: i32 = 0x8B4A, Int, 1024;
    max_vertex_uniform_vectors: i32 = 0x8DFB, Int, 256;
    max_fragment_uniform_components: i32 = 0x8B49, Int, 1024;
    max_fragment_uniform_vectors: i32 = 0x8DFD, Int, 256;
    max_geometry_uniform_components: i32 = 0x8DDF, Int, 1024;
    max_tess_control_uniform_components: i32 = 0x8E7F, Int, 1024;
    max_tess_evaluation_uniform_components: i32 = 0x8E80, Int, 1024;
    max_compute_uniform_components: i32 = 0x8263, Int, 1024;
    max_uniform_locations: i32 = 0x826E, Int, 1024;
    max_texture_image_units: i32 = 0x8872, Int, 16;
    max_vertex_texture_image_units: i32 = 0x8B4C, Int, 16;
    max_geometry_texture_image_units: i32 = 0x8C29, Int, 16;
    max_tess_control_texture_image_units: i32 = 0x8E81, Int, 16;
    max_tess_evaluation_texture_image_units: i32 = 0x8E82, Int, 16;
    max_compute_texture_image_units: i32 = 0x91BC, Int, 16;
    max_combined_texture_image_units: i32 = 0x8B4D, Int, 96;
    min_program_texel_offset: i32 = 0x8904, Int, -8;
    max_program_texel_offset: i32 = 0x8905, Int, 7;
    min_program_texture_gather_offset: i32 = 0x8E5E, Int, -8;
    max_program_texture_gather_offset: i32 = 0x8E5F, Int, 7;
    fragment_interpolation_offset_bits: i32 = 0x8E5D, Int, 4;
    max_vertex_uniform_blocks: i32 = 0x8A2B, Int, 12;
    max_fragment_uniform_blocks: i32 = 0x8A2D, Int, 12;
    max_geometry_uniform_blocks: i32 = 0x8A2C, Int, 12;
    max_tess_control_uniform_blocks: i32 = 0x8E89, Int, 12;
    max_tess_evaluation_uniform_blocks: i32 = 0x8E8A, Int, 12;
    max_compute_uniform_blocks: i32 = 0x91BB, Int, 12;
    max_combined_uniform_blocks: i32 = 0x8A2E, Int, 60;
    max_uniform_buffer_bindings: i32 = 0x8A2F, Int, 72;
    uniform_buffer_offset_alignment: i32 = 0x8A34, Int, 256;
    max_vertex_shader_storage_blocks: i32 = 0x90D6, Int, 0;
    max_fragment_shader_storage_blocks: i32 = 0x90DA, Int, 4;
    max_geometry_shader_storage_blocks: i32 = 0x90D7, Int, 0;
    max_tess_control_shader_storage_blocks: i32 = 0x90D8, Int, 0;
    max_tess_evaluation_shader_storage_blocks: i32 = 0x90D9, Int, 0;
    max_compute_shader_storage_blocks: i32 = 0x90DB, Int, 4;
    max_combined_shader_storage_blocks: i32 = 0x90DC, Int, 4;
    max_shader_storage_buffer_bindings: i32 = 0x90DD, Int, 4;
    shader_storage_buffer_offset_alignment: i32 = 0x90DF, Int, 256;
    max_combined_shader_output_resources: i32 = 0x8F39, Int, 4;
    max_vertex_atomic_counter_buffers: i32 = 0x92CC, Int, 0;
    max_fragment_atomic_counter_buffers: i32 = 0x92D0, Int, 1;
    max_geometry_atomic_counter_buffers: i32 = 0x92CF, Int, 0;
    max_tess_control_atomic_counter_buffers: i32 = 0x92CD, Int, 0;
    max_tess_evaluation_atomic_counter_buffers: i32 = 0x92CE, Int, 0;
    max_compute_atomic_counter_buffers: i32 = 0x8264, Int, 1;
    max_combined_atomic_counter_buffers: i32 = 0x92D1, Int, 1;
    max_vertex_atomic_counters: i32 = 0x92D2, Int, 0;
    max_fragment_atomic_counters: i32 = 0x92D6, Int, 8;
    max_geometry_atomic_counters: i32 = 0x92D5, Int, 0;
    max_tess_control_atomic_counters: i32 = 0x92D3, Int, 0;
    max_tess_evaluation_atomic_counters: i32 = 0x92D4, Int, 0;
    max_compute_atomic_counters: i32 = 0x8265, Int, 8;
    max_combined_atomic_counters: i32 = 0x92D7, Int, 8;
    max_atomic_counter_buffer_bindings: i32 = 0x92DC, Int, 1;
    max_atomic_counter_buffer_size: i32 = 0x92D8, Int, 32;
    max_image_units: i32 = 0x8F38, Int, 4;
    max_vertex_image_uniforms: i32 = 0x90CA, Int, 0;
    max_fragment_image_uniforms: i32 = 0x90CE, Int, 4;
    max_geometry_image_uniforms: i32 = 0x90CD, Int, 0;
    max_tess_control_image_uniforms: i32 = 0x90CB, Int, 0;
    max_tess_evaluation_image_uniforms: i32 = 0x90CC, Int, 0;
    max_compute_image_uniforms: i32 = 0x91BD, Int, 4;
    max_combined_image_uniforms: i32 = 0x90CF, Int, 4;
    max_image_samples: i32 = 0x906D, Int, 0;
    max_compute_work_group_invocations: i32 = 0x90EB, Int, 128;
    max_compute_shared_memory_size: i32 = 0x8262, Int, 16384;
    max_geometry_input_components: i32 = 0x9123, Int, 64;
    max_geometry_output_components: i32 = 0x9124, Int, 64;
    max_geometry_output_vertices: i32 = 0x8DE0, Int, 256;
    max_geometry_total_output_components: i32 = 0x8DE1, Int, 1024;
    max_geometry_shader_invocations: i32 = 0x8E5A, Int, 32;
    max_vertex_streams: i32 = 0x8E71, Int, 1;
    max_patch_vertices: i32 = 0x8E7D, Int, 32;
    max_tess_gen_level: i32 = 0x8E7E, Int, 64;
    max_tess_control_input_components: i32 = 0x886C, Int, 64;
    max_tess_control_output_components: i32 = 0x8E83, Int, 64;
    max_tess_control_total_output_components: i32 = 0x8E85, Int, 2048;
    max_tess_evaluation_input_components: i32 = 0x886D, Int, 64;
    max_tess_evaluation_output_components: i32 = 0x8E86, Int, 64;
    max_tess_patch_components: i32 = 0x8E84, Int, 120;
    max_transform_feedback_interleaved_components: i32 = 0x8C8A, Int, 64;
    max_transform_feedback_separate_attribs: i32 = 0x8C8B, Int, 4;
    max_transform_feedback_separate_components: i32 = 0x8C80, Int, 4;
    max_transform_feedback_buffers: i32 = 0x8E70, Int, 1;
    texture_buffer_offset_alignment: i32 = 0x919F, Int, 256;
    min_map_buffer_alignment: i32 = 0x90BC, Int, 64;
    query_counter_bits_samples_passed: i32 = 0, Int, 0;
    query_counter_bits_time_elapsed: i32 = 0, Int, 0;
    query_counter_bits_timestamp: i32 = 0, Int, 0;
    implementation_color_read_format: i32 = 0x8B9B, Int, 0x1908;
    implementation_color_read_type: i32 = 0x8B9A, Int, 0x1401;
    max_debug_message_length: i32 = 0x9143, Int, 1024;
}

/// Things that a server can or cannot do, as bits of [`Caps::features`].
pub mod feature {
    /// The server can be run ahead of.
    pub const RUN_AHEAD: u64 = 1 << 0;
    /// The backend is a desktop GL host (or as capable).
    pub const DESKTOP_HOST: u64 = 1 << 1;
    /// Persistent maps by shared segment.
    pub const PERSISTENT_MAP: u64 = 1 << 2;
    /// Timer queries.
    pub const TIMER_QUERY: u64 = 1 << 3;
    /// Exact sample counts (GL_SAMPLES_PASSED).
    pub const SAMPLES_PASSED: u64 = 1 << 4;
    /// 64-bit floats in shaders.
    pub const FLOAT64: u64 = 1 << 5;
    /// Polygon modes.
    pub const POLYGON_MODE: u64 = 1 << 6;
    /// Logic operations.
    pub const LOGIC_OP: u64 = 1 << 7;
    /// Depth clamp.
    pub const DEPTH_CLAMP: u64 = 1 << 8;
    /// Clip distances.
    pub const CLIP_DISTANCE: u64 = 1 << 9;
    /// Dual-source blending.
    pub const DUAL_SOURCE: u64 = 1 << 10;
    /// Anisotropic filtering.
    pub const ANISOTROPY: u64 = 1 << 11;
    /// More than one viewport.
    pub const VIEWPORT_ARRAY: u64 = 1 << 12;
    /// S3TC texture compression.
    pub const S3TC: u64 = 1 << 13;
    /// BPTC texture compression.
    pub const BPTC: u64 = 1 << 14;
    /// RGTC texture compression.
    pub const RGTC: u64 = 1 << 15;
    /// ASTC LDR texture compression.
    pub const ASTC: u64 = 1 << 16;
    /// Conditional rendering.
    pub const CONDITIONAL_RENDER: u64 = 1 << 17;
    /// Framebuffer fetch.
    pub const FRAMEBUFFER_FETCH: u64 = 1 << 18;
    /// Base instance.
    pub const BASE_INSTANCE: u64 = 1 << 19;
    /// Texture views.
    pub const TEXTURE_VIEW: u64 = 1 << 20;
    /// Clip control.
    pub const CLIP_CONTROL: u64 = 1 << 21;
    /// Advanced blend equations.
    pub const BLEND_ADVANCED: u64 = 1 << 22;
    /// 32-bit float colour buffers can be blended.
    pub const FLOAT_BLEND: u64 = 1 << 23;
    /// Clamping of polygon offset.
    pub const POLYGON_OFFSET_CLAMP: u64 = 1 << 24;
    /// Read format BGRA.
    pub const READ_BGRA: u64 = 1 << 25;
    /// Clear of texture images.
    pub const CLEAR_TEXTURE: u64 = 1 << 26;
    /// Seamless cube maps per texture.
    pub const SEAMLESS_PER_TEXTURE: u64 = 1 << 27;
    /// Provoking vertex can be chosen.
    pub const PROVOKING_VERTEX: u64 = 1 << 28;
    /// 1D and rectangle textures.
    pub const TEXTURE_1D: u64 = 1 << 29;
    /// GL_TEXTURE_LOD_BIAS of objects and samplers.
    pub const LOD_BIAS: u64 = 1 << 30;
    /// Cull distances.
    pub const CULL_DISTANCE: u64 = 1 << 31;
    /// Border colours (GL_CLAMP_TO_BORDER).
    pub const BORDER_CLAMP: u64 = 1 << 32;
    /// GL_MIRROR_CLAMP_TO_EDGE.
    pub const MIRROR_CLAMP: u64 = 1 << 33;
    /// Indirect draw counts from a buffer.
    pub const INDIRECT_COUNT: u64 = 1 << 34;
    /// GL_EXT_memory-free robustness: out-of-range accesses are defined.
    pub const ROBUST_ACCESS: u64 = 1 << 35;
    /// The host's driver draws on the CPU.
    pub const SOFTWARE: u64 = 1 << 36;
}

/// Bits of [`FormatCaps::flags`].
pub mod format_flag {
    /// Can be sampled.
    pub const SAMPLE: u32 = 1;
    /// Can be filtered linearly.
    pub const FILTER: u32 = 2;
    /// Can be a colour attachment.
    pub const COLOR: u32 = 4;
    /// Can be a depth or stencil attachment.
    pub const DEPTH_STENCIL: u32 = 8;
    /// Can be blended.
    pub const BLEND: u32 = 16;
    /// Can be a renderbuffer.
    pub const RENDERBUFFER: u32 = 32;
    /// Can be an image of shaders.
    pub const IMAGE: u32 = 64;
    /// Can be a buffer texture.
    pub const BUFFER: u32 = 128;
    /// Can be a vertex format.
    pub const VERTEX: u32 = 256;
}

flat! {
    /// What can be done with one internal format.
    pub struct FormatCaps {
        /// Sized internal format.
        pub format: u32,
        /// [`format_flag`].
        pub flags: u32,
        /// Bit n: n samples can be had (n up to 31).
        pub samples: u32,
        /// Zero.
        pub pad: u32,
    }
}

/// All that the server states at the start of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Caps {
    /// Which backend: `gl`, `gles`, `vulkan` or `null`.
    pub backend: String,
    /// The host driver's GL_VENDOR.
    pub vendor: String,
    /// The host driver's GL_RENDERER.
    pub renderer: String,
    /// The host driver's GL_VERSION.
    pub version: String,
    /// Highest core profile version that programs may get, as 10 × major + minor; 0 for none.
    pub max_core: u32,
    /// Highest ES version likewise.
    pub max_es: u32,
    /// [`feature`] bits.
    pub features: u64,
    /// Limits.
    pub limits: Limits,
    /// Formats, sorted by format.
    pub formats: Vec<FormatCaps>,
    /// Compressed formats that GL_COMPRESSED_TEXTURE_FORMATS lists.
    pub compressed_formats: Vec<u32>,
    /// Extensions of the host, for decisions that no feature bit covers.
    pub host_extensions: Vec<String>,
}

impl Default for Caps {
    fn default() -> Self {
        Caps {
            backend: "null".into(),
            vendor: String::new(),
            renderer: String::new(),
            version: String::new(),
            max_core: 33,
            max_es: 32,
            features: 0,
            limits: Limits::MINIMA,
            formats: Vec::new(),
            compressed_formats: Vec::new(),
            host_extensions: Vec::new(),
        }
    }
}

const MAX_STRING: usize = 4096;
const MAX_ITEMS: usize = 4096;

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len).ok_or(CORRUPT)?;
        self.0 = rest;
        Ok(head)
    }

    fn u32(&mut self) -> Result<u32> {
        u32::read_from_bytes(self.take(4)?).map_err(|_| CORRUPT)
    }

    fn count(&mut self, limit: usize) -> Result<usize> {
        let count = self.u32()? as usize;
        if count <= limit { Ok(count) } else { Err(CORRUPT) }
    }

    fn string(&mut self) -> Result<String> {
        let len = self.count(MAX_STRING)?;
        String::from_utf8(self.take(len)?.to_vec()).map_err(|_| CORRUPT)
    }
}

const CORRUPT: Fault = Fault::ProtocolCorruption { what: "Caps" };

impl Caps {
    /// Whether all those [`feature`] bits are set.
    pub fn has(&self, features: u64) -> bool {
        self.features & features == features
    }

    /// What can be done with a sized internal format.
    pub fn format(&self, format: u32) -> Option<&FormatCaps> {
        self.formats.binary_search_by_key(&format, |f| f.format).ok().map(|i| &self.formats[i])
    }

    /// Whether the host driver has that extension.
    pub fn host_has(&self, extension: &str) -> bool {
        self.host_extensions.iter().any(|name| name == extension)
    }

    /// The bytes that cross in the handshake.
    pub fn encode(&self) -> Vec<u8> {
        fn string(out: &mut Vec<u8>, text: &str) {
            let text = &text[..text.floor_char_boundary(MAX_STRING)];
            out.extend((text.len() as u32).to_ne_bytes());
            out.extend(text.as_bytes());
        }
        let mut out = Vec::new();
        for text in [&self.backend, &self.vendor, &self.renderer, &self.version] {
            string(&mut out, text);
        }
        out.extend(self.max_core.to_ne_bytes());
        out.extend(self.max_es.to_ne_bytes());
        out.extend(self.features.to_ne_bytes());
        out.extend((size_of::<Limits>() as u32).to_ne_bytes());
        out.extend(self.limits.as_bytes());
        out.extend((self.formats.len() as u32).to_ne_bytes());
        out.extend(self.formats.as_bytes());
        out.extend((self.compressed_formats.len() as u32).to_ne_bytes());
        out.extend(self.compressed_formats.as_bytes());
        out.extend((self.host_extensions.len() as u32).to_ne_bytes());
        for name in &self.host_extensions {
            string(&mut out, name);
        }
        out
    }

    /// Reads them.
    ///
    /// # Errors
    /// [`Fault::ProtocolCorruption`] when they are cut, too long or not of this layout.
    pub fn decode(bytes: &[u8]) -> Result<Caps> {
        let mut cursor = Cursor(bytes);
        let c = &mut cursor;
        let (backend, vendor, renderer, version) =
            (c.string()?, c.string()?, c.string()?, c.string()?);
        let (max_core, max_es) = (c.u32()?, c.u32()?);
        let features = u64::read_from_bytes(c.take(8)?).map_err(|_| CORRUPT)?;
        if c.u32()? as usize != size_of::<Limits>() {
            return Err(CORRUPT);
        }
        let limits = Limits::read_from_bytes(c.take(size_of::<Limits>())?).map_err(|_| CORRUPT)?;
        let mut formats = Vec::new();
        for _ in 0..c.count(MAX_ITEMS)? {
            formats.push(
                FormatCaps::read_from_bytes(c.take(size_of::<FormatCaps>())?)
                    .map_err(|_| CORRUPT)?,
            );
        }
        formats.sort_by_key(|f| f.format);
        let mut compressed_formats = Vec::new();
        for _ in 0..c.count(MAX_ITEMS)? {
            compressed_formats.push(c.u32()?);
        }
        let mut host_extensions = Vec::new();
        for _ in 0..c.count(MAX_ITEMS)? {
            host_extensions.push(c.string()?);
        }
        if !cursor.0.is_empty() {
            return Err(CORRUPT);
        }
        Ok(Caps {
            backend,
            vendor,
            renderer,
            version,
            max_core,
            max_es,
            features,
            limits,
            formats,
            compressed_formats,
            host_extensions,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_survive_their_encoding_and_no_truncation() {
        let caps = Caps {
            renderer: "softpipe".into(),
            formats: vec![FormatCaps { format: 0x8058, flags: 3, ..Default::default() }],
            compressed_formats: vec![0x9274],
            host_extensions: vec!["GL_EXT_texture_border_clamp".into()],
            ..Default::default()
        };
        let bytes = caps.encode();
        assert_eq!(Caps::decode(&bytes).unwrap(), caps);
        // Miri would take minutes for all of them.
        for len in (0..bytes.len()).step_by(if cfg!(miri) { 101 } else { 1 }) {
            assert_eq!(Caps::decode(&bytes[..len]), Err(CORRUPT), "{len} bytes");
        }
    }

    #[test]
    fn every_limit_lies_where_its_table_says() {
        let limits = Limits::MINIMA;
        let bytes = limits.as_bytes();
        let info = Limits::TABLE.iter().find(|l| l.pname == 0x0D33).unwrap();
        assert_eq!(i32::read_from_bytes(&bytes[info.offset..info.offset + 4]).unwrap(), 2048);
    }
}
