//! The limits that shaders can read as `gl_Max…` constants and that bound what compiles.

use glslang_sys as sys;

/// Fragment output locations as far as glslang knows.
const MORE_DRAW_BUFFERS: i32 = 64;

macro_rules! limits {
    ($($(#[$meta:meta])* $name:ident = $value:literal,)*) => {
        /// Implementation limits. The fields are GL's own (`GL_MAX_…`); the defaults are what
        /// OpenGL 4.6 and ES 3.2 ask for at least, or what is common where that is little.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct Limits {
            $($(#[$meta])* pub $name: i32,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $value,)* }
            }
        }
    };
}

limits! {
    /// `GL_MAX_VERTEX_ATTRIBS`
    max_vertex_attribs = 16,
    /// `GL_MAX_VERTEX_UNIFORM_COMPONENTS`
    max_vertex_uniform_components = 4096,
    /// `GL_MAX_FRAGMENT_UNIFORM_COMPONENTS`
    max_fragment_uniform_components = 4096,
    /// `GL_MAX_GEOMETRY_UNIFORM_COMPONENTS`, also for both tessellation stages
    max_geometry_uniform_components = 4096,
    /// `GL_MAX_COMPUTE_UNIFORM_COMPONENTS`
    max_compute_uniform_components = 4096,
    /// `GL_MAX_VARYING_COMPONENTS`
    max_varying_components = 128,
    /// `GL_MAX_VERTEX_OUTPUT_COMPONENTS`
    max_vertex_output_components = 128,
    /// `GL_MAX_FRAGMENT_INPUT_COMPONENTS`
    max_fragment_input_components = 128,
    /// `GL_MAX_GEOMETRY_INPUT_COMPONENTS`
    max_geometry_input_components = 128,
    /// `GL_MAX_GEOMETRY_OUTPUT_COMPONENTS`
    max_geometry_output_components = 128,
    /// `GL_MAX_GEOMETRY_OUTPUT_VERTICES`
    max_geometry_output_vertices = 256,
    /// `GL_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS`
    max_geometry_total_output_components = 1024,
    /// `GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS`
    max_vertex_texture_image_units = 16,
    /// `GL_MAX_TEXTURE_IMAGE_UNITS`
    max_texture_image_units = 16,
    /// `GL_MAX_GEOMETRY_TEXTURE_IMAGE_UNITS`, also for both tessellation stages
    max_geometry_texture_image_units = 16,
    /// `GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS`
    max_compute_texture_image_units = 16,
    /// `GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS`
    max_combined_texture_image_units = 96,
    /// `GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS`
    max_compute_work_group_invocations = 1024,
    /// `GL_MAX_GEOMETRY_SHADER_INVOCATIONS`
    max_geometry_shader_invocations = 32,
    /// `GL_MAX_DRAW_BUFFERS`
    max_draw_buffers = 8,
    /// `GL_MAX_DUAL_SOURCE_DRAW_BUFFERS`
    max_dual_source_draw_buffers = 1,
    /// `GL_MIN_PROGRAM_TEXEL_OFFSET`
    min_program_texel_offset = -8,
    /// `GL_MAX_PROGRAM_TEXEL_OFFSET`
    max_program_texel_offset = 7,
    /// `GL_MAX_CLIP_DISTANCES`
    max_clip_distances = 8,
    /// `GL_MAX_CULL_DISTANCES`
    max_cull_distances = 8,
    /// `GL_MAX_COMBINED_CLIP_AND_CULL_DISTANCES`
    max_combined_clip_and_cull_distances = 8,
    /// `GL_MAX_COMPUTE_WORK_GROUP_COUNT`, each dimension
    max_compute_work_group_count = 65535,
    /// `GL_MAX_COMPUTE_WORK_GROUP_SIZE` in x and y
    max_compute_work_group_size_xy = 1024,
    /// `GL_MAX_COMPUTE_WORK_GROUP_SIZE` in z
    max_compute_work_group_size_z = 64,
    /// `GL_MAX_IMAGE_UNITS`
    max_image_units = 8,
    /// `GL_MAX_VERTEX_IMAGE_UNIFORMS`, also for the geometry and tessellation stages
    max_vertex_image_uniforms = 8,
    /// `GL_MAX_FRAGMENT_IMAGE_UNIFORMS`
    max_fragment_image_uniforms = 8,
    /// `GL_MAX_COMPUTE_IMAGE_UNIFORMS`
    max_compute_image_uniforms = 8,
    /// `GL_MAX_COMBINED_IMAGE_UNIFORMS`
    max_combined_image_uniforms = 48,
    /// `GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES`
    max_combined_shader_output_resources = 48,
    /// `GL_MAX_IMAGE_SAMPLES`
    max_image_samples = 0,
    /// `GL_MAX_VERTEX_ATOMIC_COUNTERS`, also for the geometry and tessellation stages
    max_vertex_atomic_counters = 4096,
    /// `GL_MAX_FRAGMENT_ATOMIC_COUNTERS`
    max_fragment_atomic_counters = 4096,
    /// `GL_MAX_COMPUTE_ATOMIC_COUNTERS`
    max_compute_atomic_counters = 4096,
    /// `GL_MAX_COMBINED_ATOMIC_COUNTERS`
    max_combined_atomic_counters = 4096,
    /// `GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS`
    max_atomic_counter_bindings = 8,
    /// `GL_MAX_…_ATOMIC_COUNTER_BUFFERS` of the vertex, geometry and tessellation stages
    max_vertex_atomic_counter_buffers = 8,
    /// `GL_MAX_FRAGMENT_ATOMIC_COUNTER_BUFFERS`, also for compute
    max_fragment_atomic_counter_buffers = 8,
    /// `GL_MAX_COMBINED_ATOMIC_COUNTER_BUFFERS`
    max_combined_atomic_counter_buffers = 8,
    /// `GL_MAX_ATOMIC_COUNTER_BUFFER_SIZE`
    max_atomic_counter_buffer_size = 16384,
    /// `GL_MAX_TESS_CONTROL_INPUT_COMPONENTS`, and the other tessellation component limits
    max_tess_components = 128,
    /// `GL_MAX_TESS_CONTROL_TOTAL_OUTPUT_COMPONENTS`
    max_tess_control_total_output_components = 4096,
    /// `GL_MAX_TESS_PATCH_COMPONENTS`
    max_tess_patch_components = 120,
    /// `GL_MAX_PATCH_VERTICES`
    max_patch_vertices = 32,
    /// `GL_MAX_TESS_GEN_LEVEL`
    max_tess_gen_level = 64,
    /// `GL_MAX_VIEWPORTS`
    max_viewports = 16,
    /// `GL_MAX_SAMPLES`
    max_samples = 4,
    /// `GL_MAX_VERTEX_STREAMS`
    max_vertex_streams = 4,
    /// `GL_MAX_TRANSFORM_FEEDBACK_BUFFERS`
    max_transform_feedback_buffers = 4,
    /// `GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS`
    max_transform_feedback_interleaved_components = 128,
    /// `GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS`
    max_transform_feedback_separate_components = 4,
    /// `GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS`
    max_transform_feedback_separate_attribs = 4,
    /// `GL_MAX_…_UNIFORM_BLOCKS` of one stage
    max_stage_uniform_blocks = 14,
    /// `GL_MAX_COMBINED_UNIFORM_BLOCKS`
    max_combined_uniform_blocks = 70,
    /// `GL_MAX_UNIFORM_BUFFER_BINDINGS`
    max_uniform_buffer_bindings = 72,
    /// `GL_MAX_UNIFORM_BLOCK_SIZE` in bytes
    max_uniform_block_size = 65536,
    /// `GL_MAX_SHADER_STORAGE_BLOCK_SIZE` in bytes
    max_storage_block_size = 134_217_728,
    /// `GL_MAX_…_SHADER_STORAGE_BLOCKS` of one stage
    max_stage_storage_blocks = 16,
    /// `GL_MAX_COMBINED_SHADER_STORAGE_BLOCKS`
    max_combined_storage_blocks = 96,
    /// `GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS`
    max_storage_buffer_bindings = 96,
    /// `GL_MAX_UNIFORM_LOCATIONS`
    max_uniform_locations = 4096,
}

impl Limits {
    /// In glslang's form. Zero anywhere would break its built-in tables, so nothing is below 1.
    pub(crate) fn resource(&self) -> sys::glslang_resource_t {
        let at_least_one = |value: i32| value.max(1);
        sys::glslang_resource_t {
            max_lights: 8,
            max_clip_planes: 8,
            max_texture_units: 8,
            max_texture_coords: 8,
            max_vertex_attribs: at_least_one(self.max_vertex_attribs),
            max_vertex_uniform_components: at_least_one(self.max_vertex_uniform_components),
            max_varying_floats: at_least_one(self.max_varying_components),
            max_vertex_texture_image_units: self.max_vertex_texture_image_units,
            max_combined_texture_image_units: at_least_one(self.max_combined_texture_image_units),
            max_texture_image_units: at_least_one(self.max_texture_image_units),
            max_fragment_uniform_components: at_least_one(self.max_fragment_uniform_components),
            // Room for outputs that the link places; it also checks the program's own.
            max_draw_buffers: MORE_DRAW_BUFFERS,
            max_vertex_uniform_vectors: at_least_one(self.max_vertex_uniform_components / 4),
            max_varying_vectors: at_least_one(self.max_varying_components / 4),
            max_fragment_uniform_vectors: at_least_one(self.max_fragment_uniform_components / 4),
            max_vertex_output_vectors: at_least_one(self.max_vertex_output_components / 4),
            max_fragment_input_vectors: at_least_one(self.max_fragment_input_components / 4),
            min_program_texel_offset: self.min_program_texel_offset,
            max_program_texel_offset: self.max_program_texel_offset,
            max_clip_distances: at_least_one(self.max_clip_distances),
            max_compute_work_group_count_x: self.max_compute_work_group_count,
            max_compute_work_group_count_y: self.max_compute_work_group_count,
            max_compute_work_group_count_z: self.max_compute_work_group_count,
            max_compute_work_group_size_x: self.max_compute_work_group_size_xy,
            max_compute_work_group_size_y: self.max_compute_work_group_size_xy,
            max_compute_work_group_size_z: self.max_compute_work_group_size_z,
            max_compute_uniform_components: at_least_one(self.max_compute_uniform_components),
            max_compute_texture_image_units: at_least_one(self.max_compute_texture_image_units),
            max_compute_image_uniforms: self.max_compute_image_uniforms,
            max_compute_atomic_counters: self.max_compute_atomic_counters,
            max_compute_atomic_counter_buffers: self.max_fragment_atomic_counter_buffers,
            max_varying_components: at_least_one(self.max_varying_components),
            max_vertex_output_components: at_least_one(self.max_vertex_output_components),
            max_geometry_input_components: at_least_one(self.max_geometry_input_components),
            max_geometry_output_components: at_least_one(self.max_geometry_output_components),
            max_fragment_input_components: at_least_one(self.max_fragment_input_components),
            max_image_units: at_least_one(self.max_image_units),
            max_combined_image_units_and_fragment_outputs: self
                .max_combined_shader_output_resources,
            max_combined_shader_output_resources: self.max_combined_shader_output_resources,
            max_image_samples: self.max_image_samples,
            max_vertex_image_uniforms: self.max_vertex_image_uniforms,
            max_tess_control_image_uniforms: self.max_vertex_image_uniforms,
            max_tess_evaluation_image_uniforms: self.max_vertex_image_uniforms,
            max_geometry_image_uniforms: self.max_vertex_image_uniforms,
            max_fragment_image_uniforms: self.max_fragment_image_uniforms,
            max_combined_image_uniforms: self.max_combined_image_uniforms,
            max_geometry_texture_image_units: self.max_geometry_texture_image_units,
            max_geometry_output_vertices: at_least_one(self.max_geometry_output_vertices),
            max_geometry_total_output_components: at_least_one(
                self.max_geometry_total_output_components,
            ),
            max_geometry_uniform_components: at_least_one(self.max_geometry_uniform_components),
            max_geometry_varying_components: at_least_one(self.max_varying_components),
            max_tess_control_input_components: at_least_one(self.max_tess_components),
            max_tess_control_output_components: at_least_one(self.max_tess_components),
            max_tess_control_texture_image_units: self.max_geometry_texture_image_units,
            max_tess_control_uniform_components: at_least_one(self.max_geometry_uniform_components),
            max_tess_control_total_output_components: at_least_one(
                self.max_tess_control_total_output_components,
            ),
            max_tess_evaluation_input_components: at_least_one(self.max_tess_components),
            max_tess_evaluation_output_components: at_least_one(self.max_tess_components),
            max_tess_evaluation_texture_image_units: self.max_geometry_texture_image_units,
            max_tess_evaluation_uniform_components: at_least_one(
                self.max_geometry_uniform_components,
            ),
            max_tess_patch_components: at_least_one(self.max_tess_patch_components),
            max_patch_vertices: at_least_one(self.max_patch_vertices),
            max_tess_gen_level: at_least_one(self.max_tess_gen_level),
            max_viewports: at_least_one(self.max_viewports),
            max_vertex_atomic_counters: self.max_vertex_atomic_counters,
            max_tess_control_atomic_counters: self.max_vertex_atomic_counters,
            max_tess_evaluation_atomic_counters: self.max_vertex_atomic_counters,
            max_geometry_atomic_counters: self.max_vertex_atomic_counters,
            max_fragment_atomic_counters: self.max_fragment_atomic_counters,
            max_combined_atomic_counters: self.max_combined_atomic_counters,
            max_atomic_counter_bindings: at_least_one(self.max_atomic_counter_bindings),
            max_vertex_atomic_counter_buffers: self.max_vertex_atomic_counter_buffers,
            max_tess_control_atomic_counter_buffers: self.max_vertex_atomic_counter_buffers,
            max_tess_evaluation_atomic_counter_buffers: self.max_vertex_atomic_counter_buffers,
            max_geometry_atomic_counter_buffers: self.max_vertex_atomic_counter_buffers,
            max_fragment_atomic_counter_buffers: self.max_fragment_atomic_counter_buffers,
            max_combined_atomic_counter_buffers: self.max_combined_atomic_counter_buffers,
            max_atomic_counter_buffer_size: at_least_one(self.max_atomic_counter_buffer_size),
            max_transform_feedback_buffers: at_least_one(self.max_transform_feedback_buffers),
            max_transform_feedback_interleaved_components: at_least_one(
                self.max_transform_feedback_interleaved_components,
            ),
            max_cull_distances: at_least_one(self.max_cull_distances),
            max_combined_clip_and_cull_distances: at_least_one(
                self.max_combined_clip_and_cull_distances,
            ),
            max_samples: at_least_one(self.max_samples),
            max_mesh_output_vertices_nv: 256,
            max_mesh_output_primitives_nv: 512,
            max_mesh_work_group_size_x_nv: 32,
            max_mesh_work_group_size_y_nv: 1,
            max_mesh_work_group_size_z_nv: 1,
            max_task_work_group_size_x_nv: 32,
            max_task_work_group_size_y_nv: 1,
            max_task_work_group_size_z_nv: 1,
            max_mesh_view_count_nv: 4,
            max_mesh_output_vertices_ext: 256,
            max_mesh_output_primitives_ext: 256,
            max_mesh_work_group_size_x_ext: 128,
            max_mesh_work_group_size_y_ext: 128,
            max_mesh_work_group_size_z_ext: 128,
            max_task_work_group_size_x_ext: 128,
            max_task_work_group_size_y_ext: 128,
            max_task_work_group_size_z_ext: 128,
            max_mesh_view_count_ext: 4,
            __bindgen_anon_1: sys::glslang_resource_s__bindgen_ty_1 {
                max_dual_source_draw_buffers_ext: self.max_dual_source_draw_buffers.max(1),
            },
            limits: sys::glslang_limits_s::default(),
        }
    }
}
