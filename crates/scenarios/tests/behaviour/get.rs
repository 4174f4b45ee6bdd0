//! Queries about the context.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{World, scenarios};

scenarios! { "get";
    [Es(20), Es(30), Es(31), Es(32), Core(33)], Needs::NOTHING =>
        strings_name_both_sides_and_the_version,
        every_state_variable_has_a_value,
        limits_are_as_large_as_promised,
        initial_state_is_as_specified;
    [Es(30), Es(31), Es(32), Core(33)], Needs::NOTHING => extensions_are_told_one_by_one;
}

fn strings_name_both_sides_and_the_version(w: &mut World) {
    let version = w.string(c::VERSION);
    let language = w.string(c::SHADING_LANGUAGE_VERSION);
    match w.cell.api {
        Es(20) => {
            assert!(version.starts_with("OpenGL ES 2.0 "), "{version}");
            assert!(language.starts_with("OpenGL ES GLSL ES 1.00"), "{language}");
        }
        Es(v) => {
            let (major, minor) = (v / 10, v % 10);
            assert!(version.starts_with(&format!("OpenGL ES {major}.{minor} ")), "{version}");
            let prefix = format!("OpenGL ES GLSL ES {major}.{minor}0");
            assert!(language.starts_with(&prefix), "{language}");
        }
        Core(v) => {
            let (major, minor) = (v / 10, v % 10);
            assert!(version.starts_with(&format!("{major}.{minor}")), "{version}");
            assert!(language.starts_with(&format!("{major}.{minor}0")), "{language}");
        }
    }
    assert!(!w.string(c::VENDOR).is_empty());
    let renderer = w.string(c::RENDERER);
    assert!(renderer.starts_with("Forerun (") && renderer.contains(": "), "{renderer}");
}

/// Of every version of both APIs.
const COMMON: &[u32] = &[
    c::ACTIVE_TEXTURE,
    c::ALIASED_LINE_WIDTH_RANGE,
    c::ARRAY_BUFFER_BINDING,
    c::BLEND,
    c::BLEND_COLOR,
    c::BLEND_DST_ALPHA,
    c::BLEND_DST_RGB,
    c::BLEND_EQUATION_ALPHA,
    c::BLEND_EQUATION_RGB,
    c::BLEND_SRC_ALPHA,
    c::BLEND_SRC_RGB,
    c::COLOR_CLEAR_VALUE,
    c::COLOR_WRITEMASK,
    c::CULL_FACE,
    c::CULL_FACE_MODE,
    c::CURRENT_PROGRAM,
    c::DEPTH_CLEAR_VALUE,
    c::DEPTH_FUNC,
    c::DEPTH_RANGE,
    c::DEPTH_TEST,
    c::DEPTH_WRITEMASK,
    c::DITHER,
    c::ELEMENT_ARRAY_BUFFER_BINDING,
    c::FRAMEBUFFER_BINDING,
    c::FRONT_FACE,
    c::LINE_WIDTH,
    c::MAX_COMBINED_TEXTURE_IMAGE_UNITS,
    c::MAX_CUBE_MAP_TEXTURE_SIZE,
    c::MAX_RENDERBUFFER_SIZE,
    c::MAX_TEXTURE_IMAGE_UNITS,
    c::MAX_TEXTURE_SIZE,
    c::MAX_VERTEX_ATTRIBS,
    c::MAX_VERTEX_TEXTURE_IMAGE_UNITS,
    c::MAX_VIEWPORT_DIMS,
    c::NUM_COMPRESSED_TEXTURE_FORMATS,
    c::PACK_ALIGNMENT,
    c::POLYGON_OFFSET_FACTOR,
    c::POLYGON_OFFSET_FILL,
    c::POLYGON_OFFSET_UNITS,
    c::RENDERBUFFER_BINDING,
    c::SAMPLE_ALPHA_TO_COVERAGE,
    c::SAMPLE_BUFFERS,
    c::SAMPLE_COVERAGE,
    c::SAMPLE_COVERAGE_INVERT,
    c::SAMPLE_COVERAGE_VALUE,
    c::SAMPLES,
    c::SCISSOR_BOX,
    c::SCISSOR_TEST,
    c::STENCIL_BACK_FAIL,
    c::STENCIL_BACK_FUNC,
    c::STENCIL_BACK_PASS_DEPTH_FAIL,
    c::STENCIL_BACK_PASS_DEPTH_PASS,
    c::STENCIL_BACK_REF,
    c::STENCIL_BACK_VALUE_MASK,
    c::STENCIL_BACK_WRITEMASK,
    c::STENCIL_CLEAR_VALUE,
    c::STENCIL_FAIL,
    c::STENCIL_FUNC,
    c::STENCIL_PASS_DEPTH_FAIL,
    c::STENCIL_PASS_DEPTH_PASS,
    c::STENCIL_REF,
    c::STENCIL_TEST,
    c::STENCIL_VALUE_MASK,
    c::STENCIL_WRITEMASK,
    c::SUBPIXEL_BITS,
    c::TEXTURE_BINDING_2D,
    c::TEXTURE_BINDING_CUBE_MAP,
    c::UNPACK_ALIGNMENT,
    c::VIEWPORT,
    c::MAX_VERTEX_UNIFORM_VECTORS,
    c::MAX_FRAGMENT_UNIFORM_VECTORS,
    c::MAX_VARYING_VECTORS,
    c::IMPLEMENTATION_COLOR_READ_FORMAT,
    c::IMPLEMENTATION_COLOR_READ_TYPE,
    c::SHADER_COMPILER,
];

/// Of every version of OpenGL ES.
const ES: &[u32] = &[
    c::NUM_SHADER_BINARY_FORMATS,
    c::ALIASED_POINT_SIZE_RANGE,
    c::RED_BITS,
    c::GREEN_BITS,
    c::BLUE_BITS,
    c::ALPHA_BITS,
    c::DEPTH_BITS,
    c::STENCIL_BITS,
    c::GENERATE_MIPMAP_HINT,
];

/// Of OpenGL ES 3.0 and OpenGL 3.3 on.
pub const THREE: &[u32] = &[
    c::MAJOR_VERSION,
    c::MINOR_VERSION,
    c::NUM_EXTENSIONS,
    c::COPY_READ_BUFFER_BINDING,
    c::COPY_WRITE_BUFFER_BINDING,
    c::DRAW_BUFFER0,
    c::DRAW_BUFFER1,
    c::DRAW_FRAMEBUFFER_BINDING,
    c::FRAGMENT_SHADER_DERIVATIVE_HINT,
    c::MAX_3D_TEXTURE_SIZE,
    c::MAX_ARRAY_TEXTURE_LAYERS,
    c::MAX_COLOR_ATTACHMENTS,
    c::MAX_COMBINED_FRAGMENT_UNIFORM_COMPONENTS,
    c::MAX_COMBINED_UNIFORM_BLOCKS,
    c::MAX_COMBINED_VERTEX_UNIFORM_COMPONENTS,
    c::MAX_DRAW_BUFFERS,
    c::MAX_ELEMENTS_INDICES,
    c::MAX_ELEMENTS_VERTICES,
    c::MAX_FRAGMENT_INPUT_COMPONENTS,
    c::MAX_FRAGMENT_UNIFORM_BLOCKS,
    c::MAX_FRAGMENT_UNIFORM_COMPONENTS,
    c::MAX_PROGRAM_TEXEL_OFFSET,
    c::MAX_SAMPLES,
    c::MAX_SERVER_WAIT_TIMEOUT,
    c::MAX_TEXTURE_LOD_BIAS,
    c::MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS,
    c::MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS,
    c::MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS,
    c::MAX_UNIFORM_BLOCK_SIZE,
    c::MAX_UNIFORM_BUFFER_BINDINGS,
    c::MAX_VARYING_COMPONENTS,
    c::MAX_VERTEX_OUTPUT_COMPONENTS,
    c::MAX_VERTEX_UNIFORM_BLOCKS,
    c::MAX_VERTEX_UNIFORM_COMPONENTS,
    c::MIN_PROGRAM_TEXEL_OFFSET,
    c::PACK_ROW_LENGTH,
    c::PACK_SKIP_PIXELS,
    c::PACK_SKIP_ROWS,
    c::PIXEL_PACK_BUFFER_BINDING,
    c::PIXEL_UNPACK_BUFFER_BINDING,
    c::RASTERIZER_DISCARD,
    c::READ_BUFFER,
    c::READ_FRAMEBUFFER_BINDING,
    c::SAMPLER_BINDING,
    c::TEXTURE_BINDING_2D_ARRAY,
    c::TEXTURE_BINDING_3D,
    c::TRANSFORM_FEEDBACK_BUFFER_BINDING,
    c::UNIFORM_BUFFER_BINDING,
    c::UNIFORM_BUFFER_OFFSET_ALIGNMENT,
    c::UNPACK_IMAGE_HEIGHT,
    c::UNPACK_ROW_LENGTH,
    c::UNPACK_SKIP_IMAGES,
    c::UNPACK_SKIP_PIXELS,
    c::UNPACK_SKIP_ROWS,
    c::VERTEX_ARRAY_BINDING,
    c::NUM_PROGRAM_BINARY_FORMATS,
];

pub const ES30: &[u32] = &[
    c::MAX_ELEMENT_INDEX,
    c::PRIMITIVE_RESTART_FIXED_INDEX,
    c::TRANSFORM_FEEDBACK_ACTIVE,
    c::TRANSFORM_FEEDBACK_BINDING,
    c::TRANSFORM_FEEDBACK_PAUSED,
];

pub const ES31: &[u32] = &[
    c::ATOMIC_COUNTER_BUFFER_BINDING,
    c::DISPATCH_INDIRECT_BUFFER_BINDING,
    c::DRAW_INDIRECT_BUFFER_BINDING,
    c::MAX_ATOMIC_COUNTER_BUFFER_BINDINGS,
    c::MAX_ATOMIC_COUNTER_BUFFER_SIZE,
    c::MAX_COLOR_TEXTURE_SAMPLES,
    c::MAX_COMBINED_ATOMIC_COUNTERS,
    c::MAX_COMBINED_ATOMIC_COUNTER_BUFFERS,
    c::MAX_COMBINED_COMPUTE_UNIFORM_COMPONENTS,
    c::MAX_COMBINED_IMAGE_UNIFORMS,
    c::MAX_COMBINED_SHADER_OUTPUT_RESOURCES,
    c::MAX_COMBINED_SHADER_STORAGE_BLOCKS,
    c::MAX_COMPUTE_ATOMIC_COUNTERS,
    c::MAX_COMPUTE_ATOMIC_COUNTER_BUFFERS,
    c::MAX_COMPUTE_IMAGE_UNIFORMS,
    c::MAX_COMPUTE_SHADER_STORAGE_BLOCKS,
    c::MAX_COMPUTE_SHARED_MEMORY_SIZE,
    c::MAX_COMPUTE_TEXTURE_IMAGE_UNITS,
    c::MAX_COMPUTE_UNIFORM_BLOCKS,
    c::MAX_COMPUTE_UNIFORM_COMPONENTS,
    c::MAX_COMPUTE_WORK_GROUP_INVOCATIONS,
    c::MAX_DEPTH_TEXTURE_SAMPLES,
    c::MAX_FRAGMENT_ATOMIC_COUNTERS,
    c::MAX_FRAGMENT_ATOMIC_COUNTER_BUFFERS,
    c::MAX_FRAGMENT_IMAGE_UNIFORMS,
    c::MAX_FRAGMENT_SHADER_STORAGE_BLOCKS,
    c::MAX_FRAMEBUFFER_HEIGHT,
    c::MAX_FRAMEBUFFER_SAMPLES,
    c::MAX_FRAMEBUFFER_WIDTH,
    c::MAX_IMAGE_UNITS,
    c::MAX_INTEGER_SAMPLES,
    c::MAX_PROGRAM_TEXTURE_GATHER_OFFSET,
    c::MAX_SAMPLE_MASK_WORDS,
    c::MAX_SHADER_STORAGE_BLOCK_SIZE,
    c::MAX_SHADER_STORAGE_BUFFER_BINDINGS,
    c::MAX_UNIFORM_LOCATIONS,
    c::MAX_VERTEX_ATOMIC_COUNTERS,
    c::MAX_VERTEX_ATOMIC_COUNTER_BUFFERS,
    c::MAX_VERTEX_ATTRIB_BINDINGS,
    c::MAX_VERTEX_ATTRIB_RELATIVE_OFFSET,
    c::MAX_VERTEX_ATTRIB_STRIDE,
    c::MAX_VERTEX_IMAGE_UNIFORMS,
    c::MAX_VERTEX_SHADER_STORAGE_BLOCKS,
    c::MIN_PROGRAM_TEXTURE_GATHER_OFFSET,
    c::PROGRAM_PIPELINE_BINDING,
    c::SAMPLE_MASK,
    c::SHADER_STORAGE_BUFFER_BINDING,
    c::SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT,
    c::TEXTURE_BINDING_2D_MULTISAMPLE,
];

pub const ES32: &[u32] = &[
    c::CONTEXT_FLAGS,
    c::PRIMITIVE_RESTART_FOR_PATCHES_SUPPORTED,
    c::CONTEXT_ROBUST_ACCESS,
    c::MULTISAMPLE_LINE_WIDTH_GRANULARITY,
    c::DEBUG_GROUP_STACK_DEPTH,
    c::DEBUG_LOGGED_MESSAGES,
    c::DEBUG_OUTPUT,
    c::DEBUG_OUTPUT_SYNCHRONOUS,
    c::FRAGMENT_INTERPOLATION_OFFSET_BITS,
    c::LAYER_PROVOKING_VERTEX,
    c::MAX_DEBUG_GROUP_STACK_DEPTH,
    c::MAX_DEBUG_LOGGED_MESSAGES,
    c::MAX_DEBUG_MESSAGE_LENGTH,
    c::MAX_FRAGMENT_INTERPOLATION_OFFSET,
    c::MAX_FRAMEBUFFER_LAYERS,
    c::MAX_GEOMETRY_INPUT_COMPONENTS,
    c::MAX_GEOMETRY_OUTPUT_COMPONENTS,
    c::MAX_GEOMETRY_OUTPUT_VERTICES,
    c::MAX_GEOMETRY_SHADER_INVOCATIONS,
    c::MAX_GEOMETRY_TEXTURE_IMAGE_UNITS,
    c::MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS,
    c::MAX_GEOMETRY_UNIFORM_BLOCKS,
    c::MAX_GEOMETRY_UNIFORM_COMPONENTS,
    c::MAX_LABEL_LENGTH,
    c::MAX_PATCH_VERTICES,
    c::MAX_TESS_CONTROL_INPUT_COMPONENTS,
    c::MAX_TESS_CONTROL_OUTPUT_COMPONENTS,
    c::MAX_TESS_CONTROL_TOTAL_OUTPUT_COMPONENTS,
    c::MAX_TESS_EVALUATION_INPUT_COMPONENTS,
    c::MAX_TESS_GEN_LEVEL,
    c::MAX_TESS_PATCH_COMPONENTS,
    c::MAX_TEXTURE_BUFFER_SIZE,
    c::MIN_FRAGMENT_INTERPOLATION_OFFSET,
    c::MIN_SAMPLE_SHADING_VALUE,
    c::MULTISAMPLE_LINE_WIDTH_RANGE,
    c::PATCH_VERTICES,
    c::PRIMITIVE_BOUNDING_BOX,
    c::RESET_NOTIFICATION_STRATEGY,
    c::SAMPLE_SHADING,
    c::TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY,
    c::TEXTURE_BINDING_BUFFER,
    c::TEXTURE_BINDING_CUBE_MAP_ARRAY,
    c::TEXTURE_BUFFER_BINDING,
    c::TEXTURE_BUFFER_OFFSET_ALIGNMENT,
];

pub const CORE33: &[u32] = &[
    c::COLOR_LOGIC_OP,
    c::LOGIC_OP_MODE,
    c::DOUBLEBUFFER,
    c::DRAW_BUFFER,
    c::LINE_SMOOTH,
    c::LINE_SMOOTH_HINT,
    c::STEREO,
    c::MAX_CLIP_DISTANCES,
    c::MAX_RECTANGLE_TEXTURE_SIZE,
    c::MAX_TEXTURE_BUFFER_SIZE,
    c::MAX_DUAL_SOURCE_DRAW_BUFFERS,
    c::MAX_GEOMETRY_UNIFORM_BLOCKS,
    c::MAX_GEOMETRY_UNIFORM_COMPONENTS,
    c::MAX_GEOMETRY_OUTPUT_VERTICES,
    c::MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS,
    c::MAX_COMBINED_GEOMETRY_UNIFORM_COMPONENTS,
    c::MAX_VARYING_FLOATS,
    c::MAX_COLOR_TEXTURE_SAMPLES,
    c::MAX_DEPTH_TEXTURE_SAMPLES,
    c::MAX_INTEGER_SAMPLES,
    c::MAX_SAMPLE_MASK_WORDS,
    c::MULTISAMPLE,
    c::PACK_IMAGE_HEIGHT,
    c::PACK_LSB_FIRST,
    c::PACK_SKIP_IMAGES,
    c::PACK_SWAP_BYTES,
    c::UNPACK_LSB_FIRST,
    c::UNPACK_SWAP_BYTES,
    c::POINT_FADE_THRESHOLD_SIZE,
    c::POINT_SIZE,
    c::POINT_SIZE_GRANULARITY,
    c::POINT_SIZE_RANGE,
    c::POINT_SPRITE_COORD_ORIGIN,
    c::POLYGON_MODE,
    c::POLYGON_OFFSET_LINE,
    c::POLYGON_OFFSET_POINT,
    c::POLYGON_SMOOTH,
    c::POLYGON_SMOOTH_HINT,
    c::PRIMITIVE_RESTART,
    c::PRIMITIVE_RESTART_INDEX,
    c::PROGRAM_POINT_SIZE,
    c::PROVOKING_VERTEX,
    c::SAMPLE_MASK,
    c::SMOOTH_LINE_WIDTH_GRANULARITY,
    c::SMOOTH_LINE_WIDTH_RANGE,
    c::TEXTURE_BINDING_1D,
    c::TEXTURE_BINDING_1D_ARRAY,
    c::TEXTURE_BINDING_2D_MULTISAMPLE,
    c::TEXTURE_BINDING_BUFFER,
    c::TEXTURE_BINDING_RECTANGLE,
    c::TEXTURE_BUFFER_BINDING,
    c::TEXTURE_COMPRESSION_HINT,
    c::TEXTURE_CUBE_MAP_SEAMLESS,
    c::TIMESTAMP,
    c::TRANSFORM_FEEDBACK_BUFFER_BINDING,
    c::CONTEXT_FLAGS,
    c::CONTEXT_PROFILE_MASK,
    c::DEPTH_CLAMP,
    c::FRAMEBUFFER_SRGB,
    c::CLAMP_READ_COLOR,
    c::NUM_SHADER_BINARY_FORMATS,
];

/// The names of the world's version.
pub fn names(w: &World) -> Vec<u32> {
    let lists: &[&[u32]] = match w.cell.api {
        Es(20) => &[COMMON, ES],
        Es(30) => &[COMMON, ES, THREE, ES30],
        Es(31) => &[COMMON, ES, THREE, ES30, ES31],
        Es(_) => &[COMMON, ES, THREE, ES30, ES31, ES32],
        Core(_) => &[COMMON, THREE, CORE33],
    };
    lists.concat()
}

fn every_state_variable_has_a_value(w: &mut World) {
    const UNSET: i32 = 0x5A5A_A5A5;
    let mut wrong = Vec::new();
    for name in names(w) {
        let mut values = [UNSET; 64];
        w.GetIntegerv(name, values.as_mut_ptr());
        let mut floats = [f32::from_bits(UNSET as u32); 64];
        w.GetFloatv(name, floats.as_mut_ptr());
        let mut booleans = [0xA5u8; 64];
        w.GetBooleanv(name, booleans.as_mut_ptr());
        let is_set = values[0] != UNSET && floats[0].to_bits() != UNSET as u32 && booleans[0] < 2;
        if w.GetError() != 0 || !is_set {
            wrong.push(format!("{name:#06x}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join(" "));
    let count = w.integer(c::NUM_COMPRESSED_TEXTURE_FORMATS) as usize;
    let mut values = [UNSET; 256];
    w.GetIntegerv(c::COMPRESSED_TEXTURE_FORMATS, values.as_mut_ptr());
    assert_eq!(values.iter().position(|v| *v == UNSET), Some(count));
    w.no_error();
}

/// The least values of the state tables of OpenGL ES 2.0, 3.0, 3.1, 3.2 and OpenGL 3.3.
fn limits_are_as_large_as_promised(w: &mut World) {
    let version = match w.cell.api {
        Es(v) => v,
        Core(_) => 100,
    };
    let least = |since: u32, name: u32, least: i32| {
        if version >= since && version < 100 {
            let got = w.integer(name);
            assert!(got >= least, "{name:#06x} is {got}, less than {least}");
        }
    };
    least(20, c::MAX_VERTEX_ATTRIBS, 8);
    least(20, c::MAX_VERTEX_UNIFORM_VECTORS, 128);
    least(20, c::MAX_VARYING_VECTORS, 8);
    least(20, c::MAX_COMBINED_TEXTURE_IMAGE_UNITS, 8);
    least(30, c::MAX_VERTEX_ATTRIBS, 16);
    least(30, c::MAX_TEXTURE_SIZE, 2048);
    least(30, c::MAX_3D_TEXTURE_SIZE, 256);
    least(30, c::MAX_ARRAY_TEXTURE_LAYERS, 256);
    least(30, c::MAX_DRAW_BUFFERS, 4);
    least(30, c::MAX_COLOR_ATTACHMENTS, 4);
    least(30, c::MAX_SAMPLES, 4);
    least(30, c::MAX_VERTEX_UNIFORM_VECTORS, 256);
    least(30, c::MAX_FRAGMENT_UNIFORM_VECTORS, 224);
    least(30, c::MAX_UNIFORM_BUFFER_BINDINGS, 24);
    least(30, c::MAX_UNIFORM_BLOCK_SIZE, 16384);
    least(30, c::MAX_COMBINED_UNIFORM_BLOCKS, 24);
    least(30, c::MAX_VARYING_COMPONENTS, 60);
    least(30, c::MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS, 64);
    least(31, c::MAX_IMAGE_UNITS, 4);
    least(31, c::MAX_COMPUTE_UNIFORM_BLOCKS, 12);
    least(31, c::MAX_COMPUTE_WORK_GROUP_INVOCATIONS, 128);
    least(31, c::MAX_SHADER_STORAGE_BUFFER_BINDINGS, 4);
    least(31, c::MAX_COMPUTE_SHADER_STORAGE_BLOCKS, 4);
    least(31, c::MAX_UNIFORM_LOCATIONS, 1024);
    least(31, c::MAX_ATOMIC_COUNTER_BUFFER_BINDINGS, 1);
    least(31, c::MAX_VERTEX_ATTRIB_BINDINGS, 16);
    least(32, c::MAX_PATCH_VERTICES, 32);
    least(32, c::MAX_TESS_GEN_LEVEL, 64);
    least(32, c::MAX_GEOMETRY_OUTPUT_VERTICES, 256);
    least(32, c::MAX_UNIFORM_BUFFER_BINDINGS, 72);
    least(32, c::MAX_COMBINED_TEXTURE_IMAGE_UNITS, 96);
    least(32, c::MAX_TEXTURE_BUFFER_SIZE, 65536);
    if version == 100 {
        for (name, least) in [
            (c::MAX_TEXTURE_SIZE, 1024),
            (c::MAX_DRAW_BUFFERS, 8),
            (c::MAX_COLOR_ATTACHMENTS, 8),
            (c::MAX_CLIP_DISTANCES, 8),
            (c::MAX_TEXTURE_IMAGE_UNITS, 16),
            (c::MAX_COMBINED_TEXTURE_IMAGE_UNITS, 48),
            (c::MAX_VERTEX_UNIFORM_COMPONENTS, 1024),
            (c::MAX_UNIFORM_BUFFER_BINDINGS, 36),
            (c::MAX_GEOMETRY_OUTPUT_VERTICES, 256),
            (c::MAX_DUAL_SOURCE_DRAW_BUFFERS, 1),
        ] {
            let got = w.integer(name);
            assert!(got >= least, "{name:#06x} is {got}, less than {least}");
        }
    }
}

fn initial_state_is_as_specified(w: &mut World) {
    let expected = [
        (c::BLEND_SRC_RGB, c::ONE),
        (c::BLEND_DST_ALPHA, c::ZERO),
        (c::BLEND_EQUATION_RGB, c::FUNC_ADD),
        (c::CULL_FACE_MODE, c::BACK),
        (c::FRONT_FACE, c::CCW),
        (c::DEPTH_FUNC, c::LESS),
        (c::STENCIL_FUNC, c::ALWAYS),
        (c::STENCIL_FAIL, c::KEEP),
        (c::ACTIVE_TEXTURE, c::TEXTURE0),
        (c::PACK_ALIGNMENT, 4),
        (c::UNPACK_ALIGNMENT, 4),
        (c::DITHER, 1),
        (c::DEPTH_WRITEMASK, 1),
        (c::FRAMEBUFFER_BINDING, 0),
        (c::CURRENT_PROGRAM, 0),
        (c::SCISSOR_TEST, 0),
    ];
    for (name, value) in expected {
        assert_eq!(w.integer(name) as u32, value, "{name:#06x}");
    }
    // The masks are all ones, which a signed integer shows as −1 or, clamped, as its greatest.
    let mask = w.integer(c::STENCIL_WRITEMASK);
    assert!(mask == -1 || mask == i32::MAX, "{mask:#x}");
    let mut values = [9.0f32; 4];
    w.GetFloatv(c::DEPTH_RANGE, values.as_mut_ptr());
    assert_eq!(values[..2], [0.0, 1.0]);
    w.GetFloatv(c::COLOR_CLEAR_VALUE, values.as_mut_ptr());
    assert_eq!(values, [0.0; 4]);
    let mut viewport = [0; 4];
    w.GetIntegerv(c::SCISSOR_BOX, viewport.as_mut_ptr());
    assert_eq!(viewport, [0, 0, 32, 32]);
    if w.is_es() {
        let bits =
            [c::RED_BITS, c::ALPHA_BITS, c::DEPTH_BITS, c::STENCIL_BITS].map(|b| w.integer(b));
        assert_eq!(bits, [8, 8, 24, 8]);
    }
    // Floats become integers by rounding, colours by scaling.
    w.ClearColor(1.0, 0.0, 0.5, 1.0);
    let mut color = [7; 4];
    w.GetIntegerv(c::COLOR_CLEAR_VALUE, color.as_mut_ptr());
    assert_eq!((color[0], color[1]), (i32::MAX, 0));
}

fn extensions_are_told_one_by_one(w: &mut World) {
    let count = w.integer(c::NUM_EXTENSIONS) as u32;
    let mut seen: Vec<String> = Vec::new();
    for i in 0..count {
        let text = w.GetStringi(c::EXTENSIONS, i);
        assert!(!text.is_null());
        // SAFETY: GL's strings end with a null.
        let name = unsafe { std::ffi::CStr::from_ptr(text.cast()) }.to_string_lossy().into_owned();
        assert!(name.starts_with("GL_") && !seen.contains(&name), "{name}");
        seen.push(name);
    }
    w.rejects(c::INVALID_VALUE, || {
        w.GetStringi(c::EXTENSIONS, count);
    });
    if w.is_es() {
        let joined = w.string(c::EXTENSIONS);
        assert_eq!(joined.split_whitespace().count(), count as usize);
    } else {
        w.rejects(c::INVALID_ENUM, || {
            w.GetString(c::EXTENSIONS);
        });
    }
}
