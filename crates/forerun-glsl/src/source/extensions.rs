//! The shading-language extensions and what each needs from glslang at the version that all source is raised to.

/// One extension that a shader may name in `#extension`.
pub struct Extension {
    /// GL name.
    pub name: &'static str,
    /// Exists for ES shaders.
    pub es: bool,
    /// Exists for desktop shaders.
    pub desktop: bool,
    /// Extension to turn on in glslang, empty when 460 and 320 es have it in their core.
    pub needs: &'static str,
}

const ES: u8 = 1;
const GL: u8 = 2;
const BOTH: u8 = 3;

macro_rules! table {
    ($($name:literal $kind:ident $needs:literal)*) => {
        &[$(Extension {
            name: $name,
            es: $kind & ES != 0,
            desktop: $kind & GL != 0,
            needs: $needs,
        },)*]
    };
}

/// Every extension known here. A context offers those that are also in its own list.
pub const EXTENSIONS: &[Extension] = table! {
    "GL_ANDROID_extension_pack_es31a" ES ""
    "GL_ARB_arrays_of_arrays" GL ""
    "GL_ARB_bindless_texture" GL "GL_ARB_bindless_texture"
    "GL_ARB_compute_shader" GL ""
    "GL_ARB_conservative_depth" GL ""
    "GL_ARB_cull_distance" GL ""
    "GL_ARB_derivative_control" GL ""
    "GL_ARB_draw_buffers" GL ""
    "GL_ARB_draw_instanced" GL ""
    "GL_ARB_enhanced_layouts" GL ""
    "GL_ARB_ES3_1_compatibility" GL ""
    "GL_ARB_ES3_2_compatibility" GL ""
    "GL_ARB_explicit_attrib_location" GL ""
    "GL_ARB_explicit_uniform_location" GL ""
    "GL_ARB_fragment_coord_conventions" GL ""
    "GL_ARB_fragment_layer_viewport" GL ""
    "GL_ARB_gpu_shader5" GL ""
    "GL_ARB_gpu_shader_fp64" GL ""
    "GL_ARB_gpu_shader_int64" GL "GL_ARB_gpu_shader_int64"
    "GL_ARB_post_depth_coverage" GL "GL_ARB_post_depth_coverage"
    "GL_ARB_sample_shading" GL ""
    "GL_ARB_separate_shader_objects" GL ""
    "GL_ARB_shader_atomic_counter_ops" GL ""
    "GL_ARB_shader_atomic_counters" GL ""
    "GL_ARB_shader_ballot" GL "GL_ARB_shader_ballot"
    "GL_ARB_shader_bit_encoding" GL ""
    "GL_ARB_shader_clock" GL "GL_ARB_shader_clock"
    "GL_ARB_shader_draw_parameters" GL "GL_ARB_shader_draw_parameters"
    "GL_ARB_shader_group_vote" GL "GL_ARB_shader_group_vote"
    "GL_ARB_shader_image_load_store" GL ""
    "GL_ARB_shader_image_size" GL ""
    "GL_ARB_shader_precision" GL ""
    "GL_ARB_shader_stencil_export" GL "GL_ARB_shader_stencil_export"
    "GL_ARB_shader_storage_buffer_object" GL ""
    "GL_ARB_shader_subroutine" GL ""
    "GL_ARB_shader_texture_image_samples" GL ""
    "GL_ARB_shader_texture_lod" GL ""
    "GL_ARB_shader_viewport_layer_array" GL "GL_ARB_shader_viewport_layer_array"
    "GL_ARB_shading_language_420pack" GL ""
    "GL_ARB_shading_language_packing" GL ""
    "GL_ARB_tessellation_shader" GL ""
    "GL_ARB_texture_cube_map_array" GL ""
    "GL_ARB_texture_gather" GL ""
    "GL_ARB_texture_multisample" GL ""
    "GL_ARB_texture_query_levels" GL ""
    "GL_ARB_texture_query_lod" GL ""
    "GL_ARB_texture_rectangle" GL ""
    "GL_ARB_uniform_buffer_object" GL ""
    "GL_ARB_vertex_attrib_64bit" GL ""
    "GL_ARB_viewport_array" GL ""
    "GL_AMD_conservative_depth" GL ""
    "GL_AMD_shader_trinary_minmax" GL "GL_AMD_shader_trinary_minmax"
    "GL_AMD_vertex_shader_layer" GL "GL_ARB_shader_viewport_layer_array"
    "GL_AMD_vertex_shader_viewport_index" GL "GL_ARB_shader_viewport_layer_array"
    "GL_EXT_blend_func_extended" ES "GL_EXT_blend_func_extended"
    "GL_EXT_clip_cull_distance" ES ""
    "GL_EXT_conservative_depth" ES "GL_EXT_conservative_depth"
    "GL_EXT_draw_buffers" ES ""
    "GL_EXT_draw_instanced" ES ""
    "GL_EXT_frag_depth" ES ""
    "GL_EXT_geometry_point_size" ES "GL_EXT_geometry_point_size"
    "GL_EXT_geometry_shader" ES ""
    "GL_EXT_gpu_shader4" GL ""
    "GL_EXT_gpu_shader5" ES ""
    "GL_EXT_primitive_bounding_box" ES ""
    "GL_EXT_separate_shader_objects" ES ""
    "GL_EXT_shader_framebuffer_fetch" BOTH ""
    "GL_EXT_shader_framebuffer_fetch_non_coherent" BOTH ""
    "GL_EXT_shader_group_vote" ES "GL_KHR_shader_subgroup_vote"
    "GL_EXT_shader_image_load_formatted" BOTH "GL_EXT_shader_image_load_formatted"
    "GL_EXT_shader_implicit_conversions" ES "GL_EXT_shader_implicit_conversions"
    "GL_EXT_shader_integer_mix" BOTH ""
    "GL_EXT_shader_io_blocks" ES ""
    "GL_EXT_shader_non_constant_global_initializers" ES "GL_EXT_shader_non_constant_global_initializers"
    "GL_EXT_shader_texture_lod" ES ""
    "GL_EXT_shadow_samplers" ES ""
    "GL_EXT_tessellation_point_size" ES "GL_EXT_tessellation_point_size"
    "GL_EXT_tessellation_shader" ES ""
    "GL_EXT_texture_array" GL ""
    "GL_EXT_texture_buffer" ES ""
    "GL_EXT_texture_cube_map_array" ES ""
    "GL_EXT_texture_query_lod" ES ""
    "GL_EXT_texture_shadow_lod" BOTH "GL_EXT_texture_shadow_lod"
    "GL_KHR_blend_equation_advanced" ES ""
    "GL_NV_image_formats" ES ""
    "GL_NV_shader_noperspective_interpolation" ES "GL_NV_shader_noperspective_interpolation"
    "GL_NV_viewport_array2" GL "GL_NV_viewport_array2"
    "GL_OES_EGL_image_external" ES ""
    "GL_OES_EGL_image_external_essl3" ES ""
    "GL_OES_geometry_point_size" ES "GL_OES_geometry_point_size"
    "GL_OES_geometry_shader" ES ""
    "GL_OES_gpu_shader5" ES ""
    "GL_OES_primitive_bounding_box" ES ""
    "GL_OES_sample_variables" ES ""
    "GL_OES_shader_image_atomic" ES ""
    "GL_OES_shader_io_blocks" ES ""
    "GL_OES_shader_multisample_interpolation" ES ""
    "GL_OES_standard_derivatives" ES ""
    "GL_OES_tessellation_point_size" ES "GL_OES_tessellation_point_size"
    "GL_OES_tessellation_shader" ES ""
    "GL_OES_texture_3D" ES ""
    "GL_OES_texture_buffer" ES ""
    "GL_OES_texture_cube_map_array" ES ""
    "GL_OES_texture_storage_multisample_2d_array" ES ""
    "GL_OES_viewport_array" ES ""
};

/// The extension of that name, if it exists for the language.
pub fn find(name: &str, es: bool) -> Option<&'static Extension> {
    EXTENSIONS.iter().find(|e| e.name == name && if es { e.es } else { e.desktop })
}
