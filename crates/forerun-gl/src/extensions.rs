//! Which extensions a context advertises: exactly those that work on the backend in use.

use crate::context::{Api, Config};
use forerun_pipe::caps::{Caps, feature};
use forerun_pipe::knobs::ExtensionEdit;
use std::borrow::Cow;
use std::ffi::CString;

/// The extensions of a context.
#[derive(Debug)]
pub struct Extensions {
    /// Sorted.
    names: Vec<Cow<'static, str>>,
    indexed: Vec<CString>,
    joined: CString,
}

/// One extension: its name without `GL_`, the least version at which each API has it (0: any, 99: never), and the
/// [`feature`] bits that it needs.
struct Row {
    name: &'static str,
    es: u32,
    desktop: u32,
    needs: u64,
    /// The extension that a desktop GL host must have, or "".
    host: &'static str,
    /// The extension that an OpenGL ES host must have, or "".
    es_host: &'static str,
}

const fn row(name: &'static str, es: u32, desktop: u32, needs: u64) -> Row {
    Row { name, es, desktop, needs, host: "", es_host: "" }
}

/// One that a desktop GL host executes as it is, and that no other host is made to do.
const fn passed_on(name: &'static str, desktop: u32) -> Row {
    Row { name, es: NEVER, desktop, needs: feature::DESKTOP_HOST, host: name, es_host: "" }
}

/// One that a desktop GL host executes as it is, and an OpenGL ES host by an extension of its own ("": by what ES 3.2 has).
const fn on_both(name: &'static str, desktop: u32, es_host: &'static str) -> Row {
    Row { name, es: NEVER, desktop, needs: 0, host: name, es_host }
}

const NEVER: u32 = 99;

/// Sorted by name.
const TABLE: &[Row] = &[
    row("GL_AMD_shader_trinary_minmax", NEVER, 31, 0),
    passed_on("GL_AMD_vertex_shader_layer", 31),
    passed_on("GL_AMD_vertex_shader_viewport_index", 32),
    row("GL_ANGLE_texture_compression_dxt3", 20, NEVER, feature::S3TC),
    row("GL_ANGLE_texture_compression_dxt5", 20, NEVER, feature::S3TC),
    row("GL_ARB_ES2_compatibility", NEVER, 30, 0),
    passed_on("GL_ARB_ES3_1_compatibility", 44),
    row("GL_ARB_ES3_compatibility", NEVER, 31, 0),
    row("GL_ARB_arrays_of_arrays", NEVER, 31, 0),
    row("GL_ARB_base_instance", NEVER, 31, feature::BASE_INSTANCE),
    row("GL_ARB_blend_func_extended", NEVER, 31, 0),
    row("GL_ARB_buffer_storage", NEVER, 31, feature::PERSISTENT_MAP),
    row("GL_ARB_clear_buffer_object", NEVER, 31, 0),
    row("GL_ARB_clear_texture", NEVER, 31, feature::CLEAR_TEXTURE),
    row("GL_ARB_clip_control", NEVER, 31, feature::CLIP_CONTROL),
    row("GL_ARB_color_buffer_float", NEVER, 30, 0),
    row("GL_ARB_compute_shader", NEVER, 31, 0),
    passed_on("GL_ARB_conditional_render_inverted", 30),
    row("GL_ARB_conservative_depth", NEVER, 31, 0),
    row("GL_ARB_copy_buffer", NEVER, 31, 0),
    row("GL_ARB_copy_image", NEVER, 31, 0),
    on_both("GL_ARB_cull_distance", 31, "GL_EXT_clip_cull_distance"),
    row("GL_ARB_depth_buffer_float", NEVER, 30, 0),
    row("GL_ARB_depth_clamp", NEVER, 32, 0),
    passed_on("GL_ARB_derivative_control", 31),
    row("GL_ARB_direct_state_access", NEVER, 31, feature::DESKTOP_HOST),
    row("GL_ARB_draw_buffers", NEVER, 30, 0),
    row("GL_ARB_draw_buffers_blend", NEVER, 31, 0),
    row("GL_ARB_draw_elements_base_vertex", NEVER, 32, 0),
    row("GL_ARB_draw_indirect", NEVER, 31, 0),
    row("GL_ARB_draw_instanced", NEVER, 31, 0),
    passed_on("GL_ARB_enhanced_layouts", 31),
    row("GL_ARB_explicit_attrib_location", NEVER, 31, 0),
    row("GL_ARB_explicit_uniform_location", NEVER, 31, 0),
    row("GL_ARB_fragment_coord_conventions", NEVER, 32, 0),
    on_both("GL_ARB_fragment_layer_viewport", 32, "GL_OES_viewport_array"),
    row("GL_ARB_fragment_shader", NEVER, 30, 0),
    row("GL_ARB_framebuffer_no_attachments", NEVER, 31, 0),
    row("GL_ARB_framebuffer_object", NEVER, 30, 0),
    row("GL_ARB_framebuffer_sRGB", NEVER, 30, 0),
    row("GL_ARB_get_program_binary", NEVER, 30, 0),
    row("GL_ARB_get_texture_sub_image", NEVER, 31, feature::DESKTOP_HOST),
    on_both("GL_ARB_gpu_shader5", 32, ""),
    passed_on("GL_ARB_gpu_shader_fp64", 32),
    passed_on("GL_ARB_gpu_shader_int64", 40),
    row("GL_ARB_half_float_pixel", NEVER, 30, 0),
    row("GL_ARB_half_float_vertex", NEVER, 30, 0),
    passed_on("GL_ARB_indirect_parameters", 31),
    row("GL_ARB_instanced_arrays", NEVER, 31, 0),
    row("GL_ARB_internalformat_query", NEVER, 31, 0),
    row("GL_ARB_internalformat_query2", NEVER, 31, feature::DESKTOP_HOST),
    row("GL_ARB_invalidate_subdata", NEVER, 31, 0),
    row("GL_ARB_map_buffer_alignment", NEVER, 31, 0),
    row("GL_ARB_map_buffer_range", NEVER, 30, 0),
    row("GL_ARB_multi_bind", NEVER, 31, 0),
    row("GL_ARB_multi_draw_indirect", NEVER, 31, 0),
    row("GL_ARB_occlusion_query", NEVER, 30, 0),
    row("GL_ARB_occlusion_query2", NEVER, 31, 0),
    row("GL_ARB_parallel_shader_compile", NEVER, 30, 0),
    passed_on("GL_ARB_pipeline_statistics_query", 30),
    row("GL_ARB_pixel_buffer_object", NEVER, 30, 0),
    row("GL_ARB_point_sprite", NEVER, 30, 0),
    row("GL_ARB_polygon_offset_clamp", NEVER, 30, feature::POLYGON_OFFSET_CLAMP),
    passed_on("GL_ARB_post_depth_coverage", 31),
    row("GL_ARB_program_interface_query", NEVER, 31, 0),
    row("GL_ARB_provoking_vertex", NEVER, 32, 0),
    passed_on("GL_ARB_query_buffer_object", 31),
    row("GL_ARB_robustness", NEVER, 30, 0),
    row("GL_ARB_sample_shading", NEVER, 31, 0),
    row("GL_ARB_sampler_objects", NEVER, 31, 0),
    row("GL_ARB_seamless_cube_map", NEVER, 32, 0),
    passed_on("GL_ARB_seamless_cubemap_per_texture", 31),
    row("GL_ARB_separate_shader_objects", NEVER, 31, 0),
    passed_on("GL_ARB_shader_atomic_counter_ops", 31),
    row("GL_ARB_shader_atomic_counters", NEVER, 31, 0),
    passed_on("GL_ARB_shader_ballot", 32),
    row("GL_ARB_shader_bit_encoding", NEVER, 31, 0),
    passed_on("GL_ARB_shader_clock", 31),
    passed_on("GL_ARB_shader_draw_parameters", 31),
    on_both("GL_ARB_shader_group_vote", 31, "GL_EXT_shader_group_vote"),
    row("GL_ARB_shader_image_load_store", NEVER, 31, 0),
    row("GL_ARB_shader_image_size", NEVER, 31, 0),
    row("GL_ARB_shader_objects", NEVER, 30, 0),
    passed_on("GL_ARB_shader_precision", 31),
    passed_on("GL_ARB_shader_stencil_export", 31),
    row("GL_ARB_shader_storage_buffer_object", NEVER, 31, 0),
    row("GL_ARB_shader_subroutine", NEVER, 32, 0),
    passed_on("GL_ARB_shader_texture_image_samples", 31),
    passed_on("GL_ARB_shader_viewport_layer_array", 32),
    row("GL_ARB_shading_language_100", NEVER, 30, 0),
    row("GL_ARB_shading_language_420pack", NEVER, 31, 0),
    row("GL_ARB_shading_language_packing", NEVER, 31, 0),
    row("GL_ARB_stencil_texturing", NEVER, 31, 0),
    row("GL_ARB_sync", NEVER, 32, 0),
    row("GL_ARB_tessellation_shader", NEVER, 32, 0),
    row("GL_ARB_texture_barrier", NEVER, 31, 0),
    row("GL_ARB_texture_buffer_object", NEVER, 31, 0),
    passed_on("GL_ARB_texture_buffer_object_rgb32", 31),
    row("GL_ARB_texture_buffer_range", NEVER, 31, 0),
    row("GL_ARB_texture_compression_bptc", NEVER, 31, feature::BPTC),
    row("GL_ARB_texture_compression_rgtc", NEVER, 30, feature::RGTC),
    row("GL_ARB_texture_cube_map_array", NEVER, 31, 0),
    row("GL_ARB_texture_filter_anisotropic", NEVER, 30, feature::ANISOTROPY),
    row("GL_ARB_texture_float", NEVER, 30, 0),
    row("GL_ARB_texture_gather", NEVER, 31, 0),
    passed_on("GL_ARB_texture_mirror_clamp_to_edge", 30),
    row("GL_ARB_texture_multisample", NEVER, 32, 0),
    row("GL_ARB_texture_non_power_of_two", NEVER, 30, 0),
    passed_on("GL_ARB_texture_query_levels", 31),
    passed_on("GL_ARB_texture_query_lod", 31),
    row("GL_ARB_texture_rectangle", NEVER, 31, 0),
    row("GL_ARB_texture_rg", NEVER, 30, 0),
    row("GL_ARB_texture_rgb10_a2ui", NEVER, 31, 0),
    passed_on("GL_ARB_texture_stencil8", 31),
    row("GL_ARB_texture_storage", NEVER, 31, 0),
    row("GL_ARB_texture_storage_multisample", NEVER, 31, 0),
    row("GL_ARB_texture_swizzle", NEVER, 31, 0),
    row("GL_ARB_texture_view", NEVER, 31, feature::TEXTURE_VIEW),
    row("GL_ARB_timer_query", NEVER, 31, feature::TIMER_QUERY),
    row("GL_ARB_transform_feedback2", NEVER, 31, 0),
    passed_on("GL_ARB_transform_feedback3", 31),
    row("GL_ARB_transform_feedback_instanced", NEVER, 31, 0),
    passed_on("GL_ARB_transform_feedback_overflow_query", 31),
    row("GL_ARB_uniform_buffer_object", NEVER, 31, 0),
    row("GL_ARB_vertex_array_bgra", NEVER, 30, 0),
    row("GL_ARB_vertex_array_object", NEVER, 30, 0),
    passed_on("GL_ARB_vertex_attrib_64bit", 32),
    row("GL_ARB_vertex_attrib_binding", NEVER, 31, 0),
    row("GL_ARB_vertex_buffer_object", NEVER, 30, 0),
    row("GL_ARB_vertex_shader", NEVER, 30, 0),
    passed_on("GL_ARB_vertex_type_10f_11f_11f_rev", 31),
    row("GL_ARB_vertex_type_2_10_10_10_rev", NEVER, 31, 0),
    row("GL_ARB_viewport_array", NEVER, 32, feature::VIEWPORT_ARRAY),
    row("GL_EXT_base_instance", 30, NEVER, feature::BASE_INSTANCE),
    row("GL_EXT_blend_func_extended", 20, NEVER, feature::DUAL_SOURCE),
    row("GL_EXT_blend_minmax", 20, NEVER, 0),
    row("GL_EXT_buffer_storage", 31, NEVER, feature::PERSISTENT_MAP),
    row("GL_EXT_clear_texture", 31, NEVER, feature::CLEAR_TEXTURE),
    row("GL_EXT_clip_control", 20, NEVER, feature::CLIP_CONTROL),
    row("GL_EXT_clip_cull_distance", 30, NEVER, feature::CLIP_DISTANCE | feature::CULL_DISTANCE),
    row("GL_EXT_color_buffer_float", 30, NEVER, 0),
    row("GL_EXT_color_buffer_half_float", 30, NEVER, 0),
    row("GL_EXT_copy_image", 31, NEVER, 0),
    row("GL_EXT_depth_clamp", 20, NEVER, feature::DEPTH_CLAMP),
    row("GL_EXT_discard_framebuffer", 20, NEVER, 0),
    row("GL_EXT_disjoint_timer_query", 20, NEVER, feature::TIMER_QUERY),
    row("GL_EXT_draw_buffers", 20, NEVER, 0),
    row("GL_EXT_draw_buffers2", NEVER, 30, 0),
    row("GL_EXT_draw_buffers_indexed", 30, NEVER, 0),
    row("GL_EXT_draw_elements_base_vertex", 30, NEVER, 0),
    row("GL_EXT_draw_instanced", 20, NEVER, 0),
    row("GL_EXT_float_blend", 30, NEVER, feature::FLOAT_BLEND),
    row("GL_EXT_frag_depth", 20, NEVER, 0),
    row("GL_EXT_framebuffer_sRGB", NEVER, 30, 0),
    row("GL_EXT_geometry_point_size", 31, NEVER, 0),
    row("GL_EXT_geometry_shader", 31, NEVER, 0),
    row("GL_EXT_gpu_shader5", 31, NEVER, 0),
    row("GL_EXT_instanced_arrays", 20, NEVER, 0),
    row("GL_EXT_map_buffer_range", 20, NEVER, 0),
    row("GL_EXT_multi_draw_arrays", 20, NEVER, 0),
    row("GL_EXT_occlusion_query_boolean", 20, NEVER, 0),
    row("GL_EXT_packed_depth_stencil", NEVER, 30, 0),
    row("GL_EXT_packed_float", NEVER, 30, 0),
    row("GL_EXT_polygon_offset_clamp", 20, 30, feature::POLYGON_OFFSET_CLAMP),
    row("GL_EXT_primitive_bounding_box", 31, NEVER, 0),
    row("GL_EXT_provoking_vertex", NEVER, 32, 0),
    row("GL_EXT_read_format_bgra", 20, NEVER, 0),
    row("GL_EXT_render_snorm", 30, NEVER, 0),
    row("GL_EXT_robustness", 20, NEVER, 0),
    row("GL_EXT_sRGB", 20, NEVER, 0),
    row("GL_EXT_separate_shader_objects", 20, NEVER, 0),
    row("GL_EXT_shader_framebuffer_fetch", 20, 30, feature::FRAMEBUFFER_FETCH),
    row("GL_EXT_shader_framebuffer_fetch_non_coherent", 20, 30, feature::FRAMEBUFFER_FETCH),
    row("GL_EXT_shader_implicit_conversions", 31, NEVER, 0),
    row("GL_EXT_shader_integer_mix", 30, NEVER, 0),
    row("GL_EXT_shader_io_blocks", 31, NEVER, 0),
    row("GL_EXT_shader_texture_lod", 20, NEVER, 0),
    row("GL_EXT_tessellation_point_size", 31, NEVER, 0),
    row("GL_EXT_tessellation_shader", 31, NEVER, 0),
    row("GL_EXT_texture_array", NEVER, 30, 0),
    row("GL_EXT_texture_border_clamp", 31, NEVER, 0),
    row("GL_EXT_texture_buffer", 31, NEVER, 0),
    row("GL_EXT_texture_compression_bptc", 30, NEVER, feature::BPTC),
    row("GL_EXT_texture_compression_dxt1", 20, 30, feature::S3TC),
    row("GL_EXT_texture_compression_rgtc", 30, 30, feature::RGTC),
    row("GL_EXT_texture_compression_s3tc", 20, 30, feature::S3TC),
    row("GL_EXT_texture_compression_s3tc_srgb", 30, NEVER, feature::S3TC),
    row("GL_EXT_texture_cube_map_array", 31, NEVER, 0),
    row("GL_EXT_texture_filter_anisotropic", 20, 30, feature::ANISOTROPY),
    row("GL_EXT_texture_format_BGRA8888", 20, NEVER, 0),
    row("GL_EXT_texture_integer", NEVER, 30, 0),
    row("GL_EXT_texture_norm16", 30, NEVER, 0),
    row("GL_EXT_texture_rg", 20, NEVER, 0),
    row("GL_EXT_texture_sRGB", NEVER, 30, 0),
    passed_on("GL_EXT_texture_sRGB_decode", 30),
    row("GL_EXT_texture_shared_exponent", NEVER, 30, 0),
    row("GL_EXT_texture_storage", 20, NEVER, 0),
    row("GL_EXT_texture_swizzle", NEVER, 30, 0),
    row("GL_EXT_texture_type_2_10_10_10_REV", 20, NEVER, 0),
    row("GL_EXT_texture_view", 31, NEVER, feature::TEXTURE_VIEW),
    row("GL_EXT_timer_query", NEVER, 31, feature::TIMER_QUERY),
    row("GL_EXT_transform_feedback", NEVER, 30, 0),
    row("GL_EXT_unpack_subimage", 20, NEVER, 0),
    row("GL_KHR_blend_equation_advanced", 30, 31, feature::BLEND_ADVANCED),
    row("GL_KHR_context_flush_control", 20, 30, 0),
    row("GL_KHR_debug", 20, 30, 0),
    row("GL_KHR_no_error", 20, 30, 0),
    row("GL_KHR_parallel_shader_compile", 20, 30, 0),
    row("GL_KHR_robustness", 20, 30, 0),
    row("GL_KHR_texture_compression_astc_ldr", 20, 30, feature::ASTC),
    row("GL_NV_conditional_render", NEVER, 30, 0),
    row("GL_NV_draw_buffers", 20, NEVER, 0),
    row("GL_NV_fbo_color_attachments", 20, NEVER, 0),
    row("GL_NV_image_formats", 31, NEVER, 0),
    row("GL_NV_pack_subimage", 20, NEVER, 0),
    row("GL_NV_read_buffer", 20, NEVER, 0),
    row("GL_NV_read_depth", 20, NEVER, 0),
    row("GL_NV_read_stencil", 20, NEVER, 0),
    row("GL_OES_EGL_sync", 20, NEVER, 0),
    row("GL_OES_compressed_ETC1_RGB8_texture", 20, NEVER, 0),
    row("GL_OES_copy_image", 31, NEVER, 0),
    row("GL_OES_depth24", 20, NEVER, 0),
    row("GL_OES_depth_texture", 20, NEVER, 0),
    row("GL_OES_depth_texture_cube_map", 20, NEVER, 0),
    row("GL_OES_draw_buffers_indexed", 30, NEVER, 0),
    row("GL_OES_draw_elements_base_vertex", 30, NEVER, 0),
    row("GL_OES_element_index_uint", 20, NEVER, 0),
    row("GL_OES_fbo_render_mipmap", 20, NEVER, 0),
    row("GL_OES_geometry_point_size", 31, NEVER, 0),
    row("GL_OES_geometry_shader", 31, NEVER, 0),
    row("GL_OES_get_program_binary", 20, NEVER, 0),
    row("GL_OES_gpu_shader5", 31, NEVER, 0),
    row("GL_OES_mapbuffer", 20, NEVER, 0),
    row("GL_OES_packed_depth_stencil", 20, NEVER, 0),
    row("GL_OES_primitive_bounding_box", 31, NEVER, 0),
    row("GL_OES_required_internalformat", 20, NEVER, 0),
    row("GL_OES_rgb8_rgba8", 20, NEVER, 0),
    row("GL_OES_sample_shading", 31, NEVER, 0),
    row("GL_OES_sample_variables", 31, NEVER, 0),
    row("GL_OES_shader_image_atomic", 31, NEVER, 0),
    row("GL_OES_shader_io_blocks", 31, NEVER, 0),
    row("GL_OES_shader_multisample_interpolation", 31, NEVER, 0),
    row("GL_OES_standard_derivatives", 20, NEVER, 0),
    row("GL_OES_stencil8", 31, NEVER, 0),
    row("GL_OES_surfaceless_context", 20, NEVER, 0),
    row("GL_OES_tessellation_point_size", 31, NEVER, 0),
    row("GL_OES_tessellation_shader", 31, NEVER, 0),
    row("GL_OES_texture_3D", 20, NEVER, 0),
    row("GL_OES_texture_border_clamp", 31, NEVER, 0),
    row("GL_OES_texture_buffer", 31, NEVER, 0),
    row("GL_OES_texture_cube_map_array", 31, NEVER, 0),
    row("GL_OES_texture_float", 20, NEVER, 0),
    row("GL_OES_texture_float_linear", 20, NEVER, 0),
    row("GL_OES_texture_half_float", 20, NEVER, 0),
    row("GL_OES_texture_half_float_linear", 20, NEVER, 0),
    row("GL_OES_texture_npot", 20, NEVER, 0),
    row("GL_OES_texture_stencil8", 31, NEVER, 0),
    row("GL_OES_texture_storage_multisample_2d_array", 31, NEVER, 0),
    row("GL_OES_texture_view", 31, NEVER, feature::TEXTURE_VIEW),
    row("GL_OES_vertex_array_object", 20, NEVER, 0),
    row("GL_OES_vertex_half_float", 20, NEVER, 0),
    row("GL_OES_viewport_array", 31, NEVER, feature::VIEWPORT_ARRAY),
];

/// What old programs ask for by name although version 3.0 has it; contexts without version or profile name it.
const LEGACY: &[&str] =
    &["GL_EXT_framebuffer_blit", "GL_EXT_framebuffer_multisample", "GL_EXT_framebuffer_object"];

impl Extensions {
    /// What a context of that configuration has.
    pub fn new(config: &Config, caps: &Caps) -> Extensions {
        let mut names: Vec<Cow<'static, str>> = TABLE
            .iter()
            .filter(|row| {
                let least = if config.api == Api::Es { row.es } else { row.desktop };
                let host = if caps.has(feature::DESKTOP_HOST) { row.host } else { row.es_host };
                config.version >= least
                    && caps.has(row.needs)
                    && (host.is_empty() || caps.host_has(host))
            })
            .map(|row| Cow::Borrowed(row.name))
            .collect();
        if config.api == Api::Legacy {
            names.extend(LEGACY.iter().map(|name| Cow::Borrowed(*name)));
        }
        names.sort_unstable();
        Extensions::of(names)
    }

    fn of(names: Vec<Cow<'static, str>>) -> Extensions {
        let indexed = names.iter().filter_map(|name| CString::new(&**name).ok()).collect();
        let joined = CString::new(names.join(" ")).unwrap_or_default();
        Extensions { names, indexed, joined }
    }

    /// Advertises or hides what a person says, whatever the server can do. To be called before the context is used.
    pub fn edit(&mut self, edits: &[ExtensionEdit]) {
        if edits.is_empty() {
            return;
        }
        let mut names = std::mem::take(&mut self.names);
        for edit in edits.iter().filter(|edit| edit.name.starts_with("GL_")) {
            match (names.binary_search_by(|name| name.as_ref().cmp(&edit.name)), edit.advertise) {
                (Err(at), true) => names.insert(at, edit.name.clone().into()),
                (Ok(at), false) => drop(names.remove(at)),
                _ => {}
            }
        }
        *self = Extensions::of(names);
    }

    /// Whether it is advertised.
    pub fn has(&self, name: &str) -> bool {
        self.names.binary_search_by(|known| known.as_ref().cmp(name)).is_ok()
    }

    /// GL_NUM_EXTENSIONS.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// glGetStringi(GL_EXTENSIONS, index).
    pub fn get(&self, index: usize) -> Option<&CString> {
        self.indexed.get(index)
    }

    /// glGetString(GL_EXTENSIONS).
    pub fn joined(&self) -> &CString {
        &self.joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proc_address::is_implemented;
    use roxmltree::{Document, Node};

    /// The commands that a `feature` or `extension` of Khronos' registry brings to the core profile and to OpenGL ES.
    /// `apis` are those that matter.
    fn commands<'a>(
        part: Node<'a, 'a>,
        apis: &'a [&'a str],
    ) -> impl Iterator<Item = (&'a str, bool)> {
        let blocks = part.children().filter(|n| n.is_element());
        let blocks = blocks.filter(|n| n.attribute("profile") != Some("compatibility"));
        let blocks = blocks.filter(|n| n.attribute("api").is_none_or(|api| apis.contains(&api)));
        blocks.flat_map(|block| {
            let commands = block.children().filter(|n| n.has_tag_name("command"));
            commands.filter_map(move |n| Some((n.attribute("name")?, block.has_tag_name("remove"))))
        })
    }

    #[test]
    fn every_command_of_what_is_advertised_is_there() {
        let registry = std::str::from_utf8(khronos_api::GL_XML).unwrap();
        let registry = Document::parse(registry).unwrap();
        let mut missing = Vec::new();
        for part in registry.descendants().filter(|n| n.has_tag_name("extension")) {
            let name = part.attribute("name").unwrap_or("");
            let Some(row) = TABLE.iter().find(|row| row.name == name) else { continue };
            let desktop: &[_] = if row.desktop == NEVER { &[] } else { &["gl", "glcore"] };
            let es: &[_] = if row.es == NEVER { &[] } else { &["gles2"] };
            let apis = [desktop, es].concat();
            let left = commands(part, &apis).filter(|(command, _)| !is_implemented(command));
            // The specification asks for these only where there is EXT_direct_state_access.
            let left = left.filter(|(c, _)| {
                !(name == "GL_EXT_texture_storage" && c.starts_with("glTextureStorage"))
            });
            missing.extend(left.map(|(command, _)| format!("{name}: {command}")));
        }
        for (api, most) in [("gles2", 32), ("gl", 45)] {
            let mut core = std::collections::BTreeSet::new();
            for part in registry.descendants().filter(|n| n.has_tag_name("feature")) {
                let number = part.attribute("number").unwrap_or("").replace('.', "");
                if part.attribute("api") != Some(api)
                    || number.parse::<u32>().map_or(true, |n| n > most)
                {
                    continue;
                }
                for (command, removed) in commands(part, &[]) {
                    match removed {
                        true => drop(core.remove(command)),
                        false => drop(core.insert(command)),
                    }
                }
            }
            let left = core.into_iter().filter(|command| !is_implemented(command));
            missing.extend(left.map(|command| format!("{api}: {command}")));
        }
        assert!(missing.is_empty(), "{missing:#?}");
    }

    #[test]
    fn a_person_hides_and_advertises_what_they_like() {
        let mut extensions = Extensions::of(vec!["GL_A".into(), "GL_C".into()]);
        let edit = |name: &str, advertise| ExtensionEdit { name: name.into(), advertise };
        extensions.edit(&[edit("GL_B", true), edit("GL_A", false), edit("GL_D", false)]);
        assert_eq!(extensions.joined().to_str(), Ok("GL_B GL_C"));
        assert_eq!((extensions.has("GL_B"), extensions.has("GL_A")), (true, false));
        assert_eq!(extensions.get(1).map(|name| name.as_bytes()), Some(&b"GL_C"[..]));
    }

    #[test]
    fn old_programs_find_framebuffer_objects_by_their_old_name_and_functions() {
        let has = |api, version| {
            let config = Config::new(api, version);
            Extensions::new(&config, &Caps::default()).has("GL_EXT_framebuffer_object")
        };
        assert!(has(Api::Legacy, 31));
        assert!(!has(Api::Core, 33) && !has(Api::Es, 32));
        for name in [
            "glBindFramebufferEXT",
            "glBindRenderbufferEXT",
            "glBlitFramebufferEXT",
            "glCheckFramebufferStatusEXT",
            "glDeleteFramebuffersEXT",
            "glDeleteRenderbuffersEXT",
            "glFramebufferRenderbufferEXT",
            "glFramebufferTexture1DEXT",
            "glFramebufferTexture2DEXT",
            "glFramebufferTexture3DEXT",
            "glGenFramebuffersEXT",
            "glGenRenderbuffersEXT",
            "glGenerateMipmapEXT",
            "glGetFramebufferAttachmentParameterivEXT",
            "glGetRenderbufferParameterivEXT",
            "glIsFramebufferEXT",
            "glIsRenderbufferEXT",
            "glRenderbufferStorageEXT",
            "glRenderbufferStorageMultisampleEXT",
        ] {
            assert!(crate::proc_address::is_implemented(name), "{name}");
        }
    }
}
