//! Which names a context knows: those of its version and of its extensions.

use crate::get::{CORE33, ES30, ES31, ES32, THREE, names};
use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{World, scenarios};

scenarios! { "names";
    [Es(20), Es(30), Es(31), Core(33)], Needs::NOTHING => names_of_other_versions_are_unknown;
}

/// Names that an extension of OpenGL ES brings to versions before the one that has them.
const EARLIER: &[(&str, &[u32])] = &[
    (
        "GL_EXT_draw_buffers",
        &[c::DRAW_BUFFER0, c::DRAW_BUFFER1, c::MAX_COLOR_ATTACHMENTS, c::MAX_DRAW_BUFFERS],
    ),
    ("GL_EXT_disjoint_timer_query", &[c::TIMESTAMP]),
    ("GL_EXT_blend_func_extended", &[c::MAX_DUAL_SOURCE_DRAW_BUFFERS]),
    ("GL_EXT_clip_cull_distance", &[c::MAX_CLIP_DISTANCES]),
    ("GL_EXT_depth_clamp", &[c::DEPTH_CLAMP]),
    (
        "GL_EXT_geometry_shader",
        &[
            c::LAYER_PROVOKING_VERTEX,
            c::MAX_FRAMEBUFFER_LAYERS,
            c::MAX_GEOMETRY_INPUT_COMPONENTS,
            c::MAX_GEOMETRY_OUTPUT_COMPONENTS,
            c::MAX_GEOMETRY_OUTPUT_VERTICES,
            c::MAX_GEOMETRY_SHADER_INVOCATIONS,
            c::MAX_GEOMETRY_TEXTURE_IMAGE_UNITS,
            c::MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS,
            c::MAX_GEOMETRY_UNIFORM_BLOCKS,
            c::MAX_GEOMETRY_UNIFORM_COMPONENTS,
            c::MAX_COMBINED_GEOMETRY_UNIFORM_COMPONENTS,
        ],
    ),
    ("GL_EXT_primitive_bounding_box", &[c::PRIMITIVE_BOUNDING_BOX]),
    ("GL_EXT_separate_shader_objects", &[c::PROGRAM_PIPELINE_BINDING]),
    (
        "GL_EXT_tessellation_shader",
        &[
            c::MAX_PATCH_VERTICES,
            c::MAX_TESS_CONTROL_INPUT_COMPONENTS,
            c::MAX_TESS_CONTROL_OUTPUT_COMPONENTS,
            c::MAX_TESS_CONTROL_TOTAL_OUTPUT_COMPONENTS,
            c::MAX_TESS_EVALUATION_INPUT_COMPONENTS,
            c::MAX_TESS_GEN_LEVEL,
            c::MAX_TESS_PATCH_COMPONENTS,
            c::PATCH_VERTICES,
            c::PRIMITIVE_RESTART_FOR_PATCHES_SUPPORTED,
        ],
    ),
    (
        "GL_EXT_texture_buffer",
        &[
            c::MAX_TEXTURE_BUFFER_SIZE,
            c::TEXTURE_BINDING_BUFFER,
            c::TEXTURE_BUFFER_BINDING,
            c::TEXTURE_BUFFER_OFFSET_ALIGNMENT,
        ],
    ),
    ("GL_EXT_texture_cube_map_array", &[c::TEXTURE_BINDING_CUBE_MAP_ARRAY]),
    ("GL_EXT_unpack_subimage", &[c::UNPACK_ROW_LENGTH, c::UNPACK_SKIP_PIXELS, c::UNPACK_SKIP_ROWS]),
    ("GL_NV_pack_subimage", &[c::PACK_ROW_LENGTH, c::PACK_SKIP_PIXELS, c::PACK_SKIP_ROWS]),
    (
        "GL_KHR_debug",
        &[
            c::DEBUG_GROUP_STACK_DEPTH,
            c::DEBUG_LOGGED_MESSAGES,
            c::DEBUG_OUTPUT,
            c::DEBUG_OUTPUT_SYNCHRONOUS,
            c::MAX_DEBUG_GROUP_STACK_DEPTH,
            c::MAX_DEBUG_LOGGED_MESSAGES,
            c::MAX_DEBUG_MESSAGE_LENGTH,
            c::MAX_LABEL_LENGTH,
            c::CONTEXT_FLAGS,
        ],
    ),
    ("GL_KHR_robustness", &[c::CONTEXT_ROBUST_ACCESS, c::RESET_NOTIFICATION_STRATEGY]),
    ("GL_NV_read_buffer", &[c::READ_BUFFER]),
    ("GL_OES_get_program_binary", &[c::NUM_PROGRAM_BINARY_FORMATS]),
    ("GL_OES_sample_shading", &[c::MIN_SAMPLE_SHADING_VALUE, c::SAMPLE_SHADING]),
    (
        "GL_OES_shader_multisample_interpolation",
        &[
            c::FRAGMENT_INTERPOLATION_OFFSET_BITS,
            c::MAX_FRAGMENT_INTERPOLATION_OFFSET,
            c::MIN_FRAGMENT_INTERPOLATION_OFFSET,
        ],
    ),
    ("GL_OES_standard_derivatives", &[c::FRAGMENT_SHADER_DERIVATIVE_HINT]),
    ("GL_OES_texture_3D", &[c::MAX_3D_TEXTURE_SIZE, c::TEXTURE_BINDING_3D]),
    ("GL_OES_texture_storage_multisample_2d_array", &[c::TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY]),
    ("GL_OES_vertex_array_object", &[c::VERTEX_ARRAY_BINDING]),
];

/// Of OpenGL ES or of the compatibility profile alone.
const NOT_CORE: &[u32] = &[
    c::ALIASED_POINT_SIZE_RANGE,
    c::RED_BITS,
    c::DEPTH_BITS,
    c::GENERATE_MIPMAP_HINT,
    c::PRIMITIVE_BOUNDING_BOX,
    c::CURRENT_COLOR,
    c::MATRIX_MODE,
    c::FOG,
    c::CLAMP_VERTEX_COLOR,
];

fn names_of_other_versions_are_unknown(w: &mut World) {
    let here = names(w);
    let mut others = match w.cell.api {
        Core(_) => NOT_CORE.to_vec(),
        _ => [THREE, ES30, ES31, ES32, CORE33].concat(),
    };
    // FRAMEBUFFER_BINDING has the same value.
    others.retain(|name| !here.contains(name) && *name != c::DRAW_FRAMEBUFFER_BINDING);
    for (_, names) in EARLIER.iter().filter(|(extension, _)| w.is_es() && w.has(extension)) {
        others.retain(|name| !names.contains(name));
    }
    assert!(others.len() >= NOT_CORE.len());
    let mut known = Vec::new();
    for name in others {
        let mut values = [0x5A5A; 16];
        w.GetIntegerv(name, values.as_mut_ptr());
        if w.GetError() != c::INVALID_ENUM || values[0] != 0x5A5A {
            known.push(format!("{name:#06x}"));
        }
    }
    assert!(known.is_empty(), "{}", known.join(" "));
    // Nor are their targets, switches and parameters.
    if w.cell.api == Es(20) {
        w.rejects(c::INVALID_ENUM, || w.BindBuffer(c::UNIFORM_BUFFER, 0));
        w.rejects(c::INVALID_ENUM, || w.BindTexture(c::TEXTURE_2D_ARRAY, 0));
        w.rejects(c::INVALID_ENUM, || w.Enable(c::RASTERIZER_DISCARD));
        w.rejects(c::INVALID_ENUM, || w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_MAX_LEVEL, 0));
        w.rejects(c::INVALID_ENUM, || w.Hint(c::LINE_SMOOTH_HINT, c::NICEST));
        w.rejects(c::INVALID_ENUM, || {
            w.CheckFramebufferStatus(c::READ_FRAMEBUFFER);
        });
    }
}
