//! The fixed-function render state.

use crate::flat;
use crate::handle::RawHandle;

/// Viewports at most.
pub const MAX_VIEWPORTS: u32 = 16;

flat! {
    /// Blending of one draw buffer.
    pub struct BlendTarget {
        /// GL_BLEND.
        pub enable: u32,
        /// RGB source factor.
        pub src_rgb: u32,
        /// RGB destination factor.
        pub dst_rgb: u32,
        /// Alpha source factor.
        pub src_alpha: u32,
        /// Alpha destination factor.
        pub dst_alpha: u32,
        /// RGB equation.
        pub equation_rgb: u32,
        /// Alpha equation.
        pub equation_alpha: u32,
        /// Colour mask: bit 0 red … bit 3 alpha.
        pub color_mask: u32,
    }

    /// Stencil test of one face; the reference is dynamic.
    pub struct StencilFace {
        /// Comparison.
        pub func: u32,
        /// Stencil fails.
        pub fail: u32,
        /// Depth fails.
        pub zfail: u32,
        /// Both pass.
        pub zpass: u32,
        /// Comparison mask.
        pub compare_mask: u32,
        /// Write mask.
        pub write_mask: u32,
    }

    /// The pipeline half of the render state. Booleans are 0 or 1.
    pub struct RenderStateDesc {
        /// Blending and colour masks per draw buffer.
        pub blend: [BlendTarget; 8],
        /// Front face, back face.
        pub stencil: [StencilFace; 2],
        /// GL_STENCIL_TEST.
        pub stencil_test: u32,
        /// GL_DEPTH_TEST.
        pub depth_test: u32,
        /// GL_DEPTH_FUNC.
        pub depth_func: u32,
        /// GL_DEPTH_WRITEMASK.
        pub depth_mask: u32,
        /// GL_DEPTH_CLAMP.
        pub depth_clamp: u32,
        /// GL_CULL_FACE.
        pub cull_enable: u32,
        /// GL_CULL_FACE_MODE.
        pub cull_face: u32,
        /// GL_FRONT_FACE.
        pub front_face: u32,
        /// GL_POLYGON_MODE.
        pub polygon_mode: u32,
        /// GL_POLYGON_OFFSET_FILL.
        pub polygon_offset_fill: u32,
        /// GL_POLYGON_OFFSET_LINE.
        pub polygon_offset_line: u32,
        /// GL_POLYGON_OFFSET_POINT.
        pub polygon_offset_point: u32,
        /// GL_LINE_SMOOTH.
        pub line_smooth: u32,
        /// GL_POLYGON_SMOOTH.
        pub polygon_smooth: u32,
        /// GL_DITHER.
        pub dither: u32,
        /// GL_MULTISAMPLE.
        pub multisample: u32,
        /// GL_SAMPLE_ALPHA_TO_COVERAGE.
        pub alpha_to_coverage: u32,
        /// GL_SAMPLE_ALPHA_TO_ONE.
        pub alpha_to_one: u32,
        /// GL_SAMPLE_COVERAGE.
        pub sample_coverage: u32,
        /// GL_SAMPLE_MASK.
        pub sample_mask: u32,
        /// GL_SAMPLE_SHADING.
        pub sample_shading: u32,
        /// GL_FRAMEBUFFER_SRGB.
        pub framebuffer_srgb: u32,
        /// GL_RASTERIZER_DISCARD.
        pub rasterizer_discard: u32,
        /// GL_PRIMITIVE_RESTART.
        pub primitive_restart: u32,
        /// GL_PRIMITIVE_RESTART_FIXED_INDEX.
        pub primitive_restart_fixed: u32,
        /// GL_PROGRAM_POINT_SIZE (ES: always 1).
        pub program_point_size: u32,
        /// GL_TEXTURE_CUBE_MAP_SEAMLESS (ES: always 1).
        pub cube_seamless: u32,
        /// GL_COLOR_LOGIC_OP.
        pub logic_op_enable: u32,
        /// GL_LOGIC_OP_MODE.
        pub logic_op: u32,
        /// GL_PROVOKING_VERTEX.
        pub provoking_vertex: u32,
        /// Bit per GL_CLIP_DISTANCEi.
        pub clip_distances: u32,
        /// GL_BLEND_ADVANCED_COHERENT_KHR.
        pub blend_advanced_coherent: u32,
        /// GL_POINT_SPRITE_COORD_ORIGIN.
        pub point_sprite_origin: u32,
        /// GL_CLIP_ORIGIN.
        pub clip_origin: u32,
        /// GL_CLIP_DEPTH_MODE.
        pub clip_depth_mode: u32,
        /// Zero.
        pub pad: u32,
    }

    /// Introduces a render state.
    pub struct CreateRenderState {
        /// The new handle.
        pub handle: RawHandle,
        /// The state.
        pub desc: RenderStateDesc,
    }

    /// Selects a render state.
    pub struct BindRenderState {
        /// The handle.
        pub handle: RawHandle,
    }

    /// Frees a render state.
    pub struct DeleteRenderState {
        /// The handle.
        pub handle: RawHandle,
    }

    /// The values of the render state that need no new pipeline.
    pub struct SetDynamicState {
        /// GL_BLEND_COLOR.
        pub blend_color: [f32; 4],
        /// Stencil reference of front and back.
        pub stencil_ref: [i32; 2],
        /// GL_LINE_WIDTH.
        pub line_width: f32,
        /// GL_POINT_SIZE.
        pub point_size: f32,
        /// GL_POLYGON_OFFSET_FACTOR.
        pub offset_factor: f32,
        /// GL_POLYGON_OFFSET_UNITS.
        pub offset_units: f32,
        /// GL_POLYGON_OFFSET_CLAMP.
        pub offset_clamp: f32,
        /// GL_SAMPLE_COVERAGE_VALUE.
        pub sample_coverage_value: f32,
        /// GL_SAMPLE_COVERAGE_INVERT.
        pub sample_coverage_invert: u32,
        /// GL_SAMPLE_MASK_VALUE.
        pub sample_mask: u32,
        /// GL_MIN_SAMPLE_SHADING_VALUE.
        pub min_sample_shading: f32,
        /// GL_PRIMITIVE_RESTART_INDEX.
        pub restart_index: u32,
        /// GL_POINT_FADE_THRESHOLD_SIZE.
        pub point_fade_threshold: f32,
        /// Zero.
        pub pad: u32,
        /// GL_PRIMITIVE_BOUNDING_BOX: minimum then maximum.
        pub bounding_box: [f32; 8],
    }

    /// A viewport with its depth range and scissor.
    pub struct Viewport {
        /// x, y, width, height.
        pub rect: [f32; 4],
        /// Near and far.
        pub depth_range: [f64; 2],
        /// Scissor x, y, width, height.
        pub scissor: [i32; 4],
        /// GL_SCISSOR_TEST.
        pub scissor_enable: u32,
        /// Zero.
        pub pad: u32,
    }

    /// Replaces viewports `first..first + count`.
    pub struct SetViewports {
        /// First index.
        pub first: u32,
        /// How many follow; `first + count` is at most [`MAX_VIEWPORTS`].
        pub count: u32,
    }
}
