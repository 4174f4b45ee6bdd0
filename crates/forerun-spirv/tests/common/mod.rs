//! Helpers of the integration tests: GLSL in archive form to SPIR-V, and the host's driver as a judge.
#![allow(dead_code)]

pub mod host;

use forerun_pipe::archive::Stage;
use glslang_sys as sys;
use std::ffi::{CStr, CString};

/// Compiles Vulkan GLSL whose resources stand at the archive's slots. SPIR-V 1.3, as archives hold.
pub fn spirv(stage: Stage, source: &str) -> Vec<u32> {
    static PROCESS: std::sync::Once = std::sync::Once::new();
    // SAFETY: called once, before any other use of glslang.
    PROCESS.call_once(|| unsafe {
        sys::glslang_initialize_process();
    });
    let raw_stage = match stage {
        Stage::Vertex => sys::glslang_stage_t::Vertex,
        Stage::TessControl => sys::glslang_stage_t::TesselationControl,
        Stage::TessEvaluation => sys::glslang_stage_t::TesselationEvaluation,
        Stage::Geometry => sys::glslang_stage_t::Geometry,
        Stage::Fragment => sys::glslang_stage_t::Fragment,
        Stage::Compute => sys::glslang_stage_t::Compute,
    };
    let limits = limits();
    let code = CString::new(source).expect("a source without NUL");
    let messages = sys::glslang_messages_t::SPV_RULES | sys::glslang_messages_t::VULKAN_RULES;
    let input = sys::glslang_input_t {
        language: sys::glslang_source_t::GLSL,
        stage: raw_stage,
        client: sys::glslang_client_t::Vulkan,
        client_version: sys::glslang_target_client_version_t::Vulkan1_1,
        target_language: sys::glslang_target_language_t::SPIRV,
        target_language_version: sys::glslang_target_language_version_t::SPIRV1_3,
        code: code.as_ptr(),
        default_version: 460,
        default_profile: sys::glslang_profile_t::Core,
        force_default_version_and_profile: 0,
        forward_compatible: 0,
        messages,
        resource: &limits,
        callbacks: sys::glsl_include_callbacks_t {
            include_system: None,
            include_local: None,
            free_include_result: None,
        },
        callbacks_ctx: std::ptr::null_mut(),
    };
    // SAFETY: `input` and `code` outlive the calls; each object is used while alive and deleted once.
    unsafe {
        let shader = sys::glslang_shader_create(&input);
        let log = |text| CStr::from_ptr(text).to_string_lossy().into_owned();
        assert!(
            sys::glslang_shader_preprocess(shader, &input) != 0
                && sys::glslang_shader_parse(shader, &input) != 0,
            "{}\n{source}",
            log(sys::glslang_shader_get_info_log(shader))
        );
        let program = sys::glslang_program_create();
        sys::glslang_program_add_shader(program, shader);
        assert!(
            sys::glslang_program_link(program, messages.0) != 0,
            "{}\n{source}",
            log(sys::glslang_program_get_info_log(program))
        );
        sys::glslang_program_SPIRV_generate(program, raw_stage);
        let mut words = vec![0; sys::glslang_program_SPIRV_get_size(program)];
        sys::glslang_program_SPIRV_get(program, words.as_mut_ptr());
        sys::glslang_program_delete(program);
        sys::glslang_shader_delete(shader);
        words
    }
}

/// Limits that refuse nothing.
fn limits() -> sys::glslang_resource_t {
    let mut limits = std::mem::MaybeUninit::<sys::glslang_resource_t>::zeroed();
    let ints = std::mem::offset_of!(sys::glslang_resource_t, limits) / size_of::<i32>();
    // SAFETY: the structure is that many ints followed by a structure of bools, for all of which zero is valid.
    unsafe {
        let first = limits.as_mut_ptr().cast::<i32>();
        for index in 0..ints {
            first.add(index).write(1024);
        }
        let mut limits = limits.assume_init();
        limits.max_draw_buffers = 8;
        limits.min_program_texel_offset = -8;
        limits.max_program_texel_offset = 7;
        limits.limits = sys::glslang_limits_t {
            non_inductive_for_loops: true,
            while_loops: true,
            do_while_loops: true,
            general_uniform_indexing: true,
            general_attribute_matrix_vector_indexing: true,
            general_varying_indexing: true,
            general_sampler_indexing: true,
            general_variable_indexing: true,
            general_constant_matrix_vector_indexing: true,
        };
        limits
    }
}
