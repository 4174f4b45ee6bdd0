//! What an archive holds: code per stage, and the interface as the GL queries see it.

use super::wire::{wire_enum, wire_struct};

wire_enum! {
    /// A shader stage. The order is the pipeline's, compute last.
    pub enum Stage {
        /// `GL_VERTEX_SHADER`
        Vertex = 0,
        /// `GL_TESS_CONTROL_SHADER`
        TessControl = 1,
        /// `GL_TESS_EVALUATION_SHADER`
        TessEvaluation = 2,
        /// `GL_GEOMETRY_SHADER`
        Geometry = 3,
        /// `GL_FRAGMENT_SHADER`
        Fragment = 4,
        /// `GL_COMPUTE_SHADER`
        Compute = 5,
    }
}

impl Stage {
    /// The stage's bit in a stage mask.
    #[inline]
    pub const fn bit(self) -> u32 {
        1 << (self as u32)
    }

    /// The GL token of the stage, `GL_VERTEX_SHADER` and so on.
    pub fn gl_token(self) -> u32 {
        match self {
            Stage::Vertex => 0x8B31,
            Stage::TessControl => 0x8E88,
            Stage::TessEvaluation => 0x8E87,
            Stage::Geometry => 0x8DD9,
            Stage::Fragment => 0x8B30,
            Stage::Compute => 0x91B9,
        }
    }

    /// The stage of a GL shader type token.
    pub fn from_gl_token(token: u32) -> Option<Stage> {
        Stage::ALL.iter().copied().find(|stage| stage.gl_token() == token)
    }

    /// Word for messages: "vertex", "tessellation control" and so on.
    pub fn word(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::TessControl => "tessellation control",
            Stage::TessEvaluation => "tessellation evaluation",
            Stage::Geometry => "geometry",
            Stage::Fragment => "fragment",
            Stage::Compute => "compute",
        }
    }
}

wire_struct! {
    /// The language that the program's shaders were written in.
    pub struct SourceDialect {
        /// True for the OpenGL ES shading language.
        pub es: bool,
        /// The highest `#version` number among the shaders (110 or 100 when there was none).
        pub version: u32,
    }
}

wire_struct! {
    /// Facts about a stage that are not interface variables. Fields of other stages stay zero.
    pub struct StageInfo {
        /// Geometry: `GL_GEOMETRY_VERTICES_OUT`.
        pub geometry_vertices_out: u32,
        /// Geometry: input primitive token (`GL_POINTS`, `GL_LINES`, `GL_TRIANGLES_ADJACENCY`, …).
        pub geometry_input: u32,
        /// Geometry: output primitive token (`GL_POINTS`, `GL_LINE_STRIP`, `GL_TRIANGLE_STRIP`).
        pub geometry_output: u32,
        /// Geometry: `GL_GEOMETRY_SHADER_INVOCATIONS`.
        pub geometry_invocations: u32,
        /// Tessellation control: `GL_TESS_CONTROL_OUTPUT_VERTICES`.
        pub tess_vertices: u32,
        /// Tessellation evaluation: `GL_TRIANGLES`, `GL_QUADS` or `GL_ISOLINES`.
        pub tess_mode: u32,
        /// Tessellation evaluation: `GL_EQUAL`, `GL_FRACTIONAL_EVEN` or `GL_FRACTIONAL_ODD`.
        pub tess_spacing: u32,
        /// Tessellation evaluation: `GL_CW` or `GL_CCW`.
        pub tess_order: u32,
        /// Tessellation evaluation: points instead of lines or triangles.
        pub tess_point_mode: bool,
        /// Compute: work group size in x, y, z.
        pub local_size: [u32; 3],
        /// Fragment: `layout(early_fragment_tests)`.
        pub early_fragment_tests: bool,
        /// Fragment: runs per sample (a `sample` input, `gl_SampleID` or `gl_SamplePosition`).
        pub sample_shading: bool,
        /// Fragment: `gl_FragCoord` was declared with `origin_upper_left`.
        pub fragcoord_upper_left: bool,
        /// Fragment: `gl_FragCoord` was declared with `pixel_center_integer`.
        pub fragcoord_integer: bool,
        /// Fragment: writes `gl_FragDepth`.
        pub writes_depth: bool,
        /// Fragment: bits of the colour locations whose old contents the output has at the start
        /// (`GL_EXT_shader_framebuffer_fetch`).
        pub fetched_outputs: u32,
        /// Fragment: the old contents are fetched without coherency.
        pub fetches_noncoherently: bool,
        /// Fragment: may discard.
        pub discards: bool,
        /// The stage writes `gl_PointSize`.
        pub writes_point_size: bool,
        /// Number of `gl_ClipDistance` elements written.
        pub clip_distances: u32,
        /// Number of `gl_CullDistance` elements written.
        pub cull_distances: u32,
        /// Writes `gl_Layer`.
        pub writes_layer: bool,
        /// Writes `gl_ViewportIndex`.
        pub writes_viewport_index: bool,
        /// Vertex: reads `gl_DrawID`.
        pub uses_draw_id: bool,
        /// Vertex: reads `gl_BaseVertex`.
        pub uses_base_vertex: bool,
        /// Vertex: reads `gl_BaseInstance`.
        pub uses_base_instance: bool,
        /// Vertex: reads `gl_VertexID`.
        pub uses_vertex_id: bool,
        /// Vertex: reads `gl_InstanceID`.
        pub uses_instance_id: bool,
        /// Stores to or does atomic operations on an image, a storage block or a counter.
        pub has_side_effects: bool,
    }
}

wire_struct! {
    /// One stage's code.
    pub struct StageCode {
        /// Which stage.
        pub stage: Stage,
        /// SPIR-V words, with the dense slots of [`Archive`](super::Archive) as their sets and bindings.
        pub spirv: Vec<u32>,
        /// What else is known of the stage.
        pub info: StageInfo,
    }
}

#[allow(clippy::derivable_impls)] // The macro derives for every enumeration alike.
impl Default for Stage {
    fn default() -> Self {
        Stage::Vertex
    }
}

wire_struct! {
    /// An active uniform as `glGetActiveUniform` numbers them: leaves of the default block, block
    /// members, samplers, images and atomic counters.
    pub struct Uniform {
        /// GL name: struct paths spelled out, `[0]` at the end of an array.
        pub name: String,
        /// GL type token.
        pub ty: u32,
        /// Elements; 1 when not an array, 0 when the array has no declared size.
        pub array_size: u32,
        /// True for an array, also for one of a single element.
        pub is_array: bool,
        /// Index into `uniform_blocks`, or −1 for the default block and for opaque types.
        pub block: i32,
        /// Byte offset in the block (in the counter buffer for an atomic counter), or −1 for samplers and images.
        pub offset: i32,
        /// Bytes between elements in the block, 0 when not an array, −1 when not in a block.
        pub array_stride: i32,
        /// Bytes between columns (rows if row-major), 0 when not a matrix.
        pub matrix_stride: i32,
        /// The matrix is stored row-major in its block.
        pub row_major: bool,
        /// First location, or −1 when the uniform has none. An array takes one per element.
        pub location: i32,
        /// First sampler slot, or −1.
        pub sampler_slot: i32,
        /// First image slot, or −1.
        pub image_slot: i32,
        /// Index into `atomic_buffers`, or −1.
        pub atomic_buffer: i32,
        /// Bits of the stages that refer to it ([`Stage::bit`]).
        pub stages: u32,
        /// Declared `bool` or `bvec`: stored as one `uint` (0 or 1) per component.
        pub is_bool: bool,
        /// A built-in that the implementation fills in (`gl_DepthRange.near` and so on); no location.
        pub is_builtin: bool,
        /// Initial value, in the layout of the default block from `offset` on; empty for zero.
        pub initial: Vec<u8>,
    }
}

wire_struct! {
    /// A uniform block or a shader storage block. Each element of a block array is a block of its own.
    pub struct Block {
        /// GL name, with `[i]` for an element of an array of blocks.
        pub name: String,
        /// Uniform-block slot or storage slot.
        pub slot: u32,
        /// Initial binding point (`layout(binding)`, else 0).
        pub binding: u32,
        /// Least size of a buffer bound to it, in bytes.
        pub data_size: u32,
        /// Indices into `uniforms` or `buffer_variables`.
        pub members: Vec<u32>,
        /// Bits of the stages that refer to it.
        pub stages: u32,
        /// No stage writes to it (storage blocks).
        pub read_only: bool,
    }
}

wire_struct! {
    /// An active member of a shader storage block.
    pub struct BufferVariable {
        /// GL name.
        pub name: String,
        /// GL type token.
        pub ty: u32,
        /// Elements; 1 when not an array, 0 when the array has no declared size.
        pub array_size: u32,
        /// True for an array.
        pub is_array: bool,
        /// Index into `storage_blocks`.
        pub block: i32,
        /// Byte offset in the block.
        pub offset: i32,
        /// Bytes between elements, 0 when not an array.
        pub array_stride: i32,
        /// Bytes between columns or rows, 0 when not a matrix.
        pub matrix_stride: i32,
        /// Row-major matrix.
        pub row_major: bool,
        /// `GL_TOP_LEVEL_ARRAY_SIZE`.
        pub top_level_array_size: u32,
        /// `GL_TOP_LEVEL_ARRAY_STRIDE`.
        pub top_level_array_stride: u32,
        /// Bits of the stages that refer to it.
        pub stages: u32,
        /// Declared `bool` or `bvec`.
        pub is_bool: bool,
    }
}

wire_struct! {
    /// One atomic-counter buffer; for the backends it is a storage buffer with a slot of its own.
    pub struct AtomicBuffer {
        /// Storage slot in set 1.
        pub slot: u32,
        /// `layout(binding)` of its counters, the atomic-counter binding point.
        pub binding: u32,
        /// Least size of a buffer bound to it, in bytes.
        pub data_size: u32,
        /// Indices into `uniforms`.
        pub counters: Vec<u32>,
        /// Bits of the stages that refer to it.
        pub stages: u32,
    }
}

wire_struct! {
    /// An active sampler uniform, seen from its slots.
    pub struct Sampler {
        /// First slot in set 2.
        pub slot: u32,
        /// Slots taken: the elements of an array.
        pub count: u32,
        /// GL sampler type token.
        pub ty: u32,
        /// Index into `uniforms`.
        pub uniform: u32,
        /// Initial texture unit of the first element (`layout(binding)`), else −1: all elements start at 0.
        pub binding: i32,
        /// Bits of the stages that refer to it.
        pub stages: u32,
    }
}

wire_struct! {
    /// An active image uniform, seen from its slots.
    pub struct Image {
        /// First slot in set 3.
        pub slot: u32,
        /// Slots taken.
        pub count: u32,
        /// GL image type token.
        pub ty: u32,
        /// Format in the shader as a GL internal format token, 0 when it has none.
        pub format: u32,
        /// Index into `uniforms`.
        pub uniform: u32,
        /// Initial image unit of the first element, else −1.
        pub binding: i32,
        /// `GL_READ_ONLY`, `GL_WRITE_ONLY` or `GL_READ_WRITE` as declared.
        pub access: u32,
        /// Bits of the stages that refer to it.
        pub stages: u32,
    }
}

wire_struct! {
    /// An active input of the first stage or output of the last one.
    pub struct Varying {
        /// GL name, `[0]` at the end of an array.
        pub name: String,
        /// GL type token.
        pub ty: u32,
        /// Elements; 1 when not an array.
        pub array_size: u32,
        /// True for an array.
        pub is_array: bool,
        /// Location, −1 for built-ins.
        pub location: i32,
        /// Blend source index of a fragment output, else 0.
        pub index: u32,
        /// Component within the location (`layout(component)`).
        pub component: u32,
        /// `patch` qualifier.
        pub is_patch: bool,
    }
}

wire_struct! {
    /// A captured transform feedback varying, or a hole or buffer change between two.
    pub struct Feedback {
        /// GL name as `glGetTransformFeedbackVarying` gives it.
        pub name: String,
        /// Path of the variable in the SPIR-V's names; differs where a name was renamed.
        pub path: String,
        /// GL type token, 0 (`GL_NONE`) for `gl_SkipComponents*` and `gl_NextBuffer`.
        pub ty: u32,
        /// Elements captured; the component count for `gl_SkipComponents*`, 0 for `gl_NextBuffer`.
        pub array_size: u32,
        /// Feedback buffer.
        pub buffer: u32,
        /// Byte offset in the buffer's vertex record.
        pub offset: u32,
        /// Vertex stream.
        pub stream: u32,
    }
}

wire_struct! {
    /// An active subroutine: a function that a subroutine uniform can select.
    pub struct Subroutine {
        /// The stage that has it.
        pub stage: Stage,
        /// The function's name.
        pub name: String,
        /// The number that selects it.
        pub index: u32,
    }
}

wire_struct! {
    /// An active subroutine uniform: an `int` of the default block that holds the number of the function selected.
    pub struct SubroutineUniform {
        /// The stage that has it.
        pub stage: Stage,
        /// GL name, `[0]` at the end of an array.
        pub name: String,
        /// Elements; 1 when not an array.
        pub array_size: u32,
        /// True for an array, also for one of a single element.
        pub is_array: bool,
        /// First location. An array takes one per element.
        pub location: u32,
        /// Byte offset in the default block.
        pub offset: u32,
        /// Bytes between elements, 0 when not an array.
        pub array_stride: u32,
        /// Numbers of the subroutines of its type, in rising order; never empty.
        pub compatible: Vec<u32>,
    }
}
