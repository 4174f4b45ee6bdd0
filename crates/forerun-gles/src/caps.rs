//! What the host can do, asked of the host.

use crate::format;
use crate::host::{Dialect, Host, gl::Gl};
use forerun_pipe::caps::{Caps, FormatCaps, LimitType, Limits, feature as f, format_flag as flag};
use forerun_pipe::gl as c;
use forerun_pipe::records::{
    MAP_ALIGNMENT, MAX_IMAGE_UNITS, MAX_POINTS, MAX_TEXTURE_UNITS, MAX_VIEWPORTS,
};
use rustc_hash::FxHashSet;
use zerocopy::IntoBytes;

/// Facts about the host that the backend itself needs at every turn.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Its extensions.
    pub extensions: FxHashSet<String>,
    /// 10 × major + minor.
    pub version: u32,
    /// Unmodified limits.
    pub limits: HostLimits,
    /// Depth clamping.
    pub depth_clamp: bool,
    /// GL_MULTISAMPLE can be turned off.
    pub multisample_switch: bool,
    /// GL_FRAMEBUFFER_SRGB can be turned on and off.
    pub srgb_switch: bool,
    /// Anisotropic filtering.
    pub anisotropy: bool,
    /// GL_TEXTURE_SRGB_DECODE_EXT.
    pub srgb_decode: bool,
    /// Seamless cube maps per texture.
    pub seamless_per_texture: bool,
    /// Depth and stencil can be read from an ES framebuffer.
    pub read_depth: bool,
    /// Stencil can be read from an ES framebuffer.
    pub read_stencil: bool,
    /// It rasterises on the CPU.
    pub software: bool,
}

/// Whether a renderer of that name rasterises on the CPU.
fn is_software(renderer: &str) -> bool {
    ["llvmpipe", "softpipe", "SWR", "SwiftShader", "Software Rasterizer"]
        .iter()
        .any(|name| renderer.contains(name))
}

/// Limits of the host as it states them.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostLimits {
    /// GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS.
    pub texture_units: u32,
    /// GL_MAX_IMAGE_UNITS.
    pub image_units: u32,
    /// GL_MAX_UNIFORM_BUFFER_BINDINGS.
    pub uniform_bindings: u32,
    /// GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS.
    pub storage_bindings: u32,
    /// GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT.
    pub uniform_alignment: u64,
    /// GL_MAX_UNIFORM_BLOCK_SIZE.
    pub uniform_block_size: u64,
    /// GL_MAX_VERTEX_ATTRIBS.
    pub vertex_attribs: u32,
    /// GL_MAX_VERTEX_ATTRIB_BINDINGS.
    pub vertex_bindings: u32,
    /// GL_MAX_DRAW_BUFFERS.
    pub draw_buffers: u32,
    /// GL_MAX_COLOR_ATTACHMENTS.
    pub color_attachments: u32,
    /// GL_MAX_VIEWPORTS, 1 without viewport arrays.
    pub viewports: u32,
    /// GL_MAX_CLIP_DISTANCES.
    pub clip_distances: u32,
}

impl Facts {
    /// Whether the host has that extension.
    pub fn has(&self, extension: &str) -> bool {
        self.extensions.contains(extension)
    }
}

/// Asks the host for its facts.
pub fn facts(host: &Host) -> Facts {
    let gl = &host.gl;
    let get = |pname: u32, least: u32| {
        let value = u32::try_from(gl.integer(pname)).unwrap_or(0);
        if gl.get_error() == 0 && value > 0 { value } else { least }
    };
    let desktop = host.dialect == Dialect::Gl;
    let extensions: FxHashSet<String> = gl.extensions().into_iter().collect();
    let has = |name: &str| extensions.contains(name);
    Facts {
        depth_clamp: desktop || has("GL_EXT_depth_clamp"),
        multisample_switch: desktop || has("GL_EXT_multisample_compatibility"),
        srgb_switch: desktop || has("GL_EXT_sRGB_write_control"),
        anisotropy: has("GL_EXT_texture_filter_anisotropic")
            || has("GL_ARB_texture_filter_anisotropic"),
        srgb_decode: has("GL_EXT_texture_sRGB_decode"),
        seamless_per_texture: has("GL_AMD_seamless_cubemap_per_texture"),
        read_depth: desktop || has("GL_NV_read_depth"),
        read_stencil: desktop || has("GL_NV_read_stencil"),
        software: is_software(&gl.string(c::RENDERER)),
        version: get(c::MAJOR_VERSION, 3) * 10 + get(c::MINOR_VERSION, 0),
        limits: HostLimits {
            texture_units: get(c::MAX_COMBINED_TEXTURE_IMAGE_UNITS, 96).min(MAX_TEXTURE_UNITS + 1),
            image_units: get(c::MAX_IMAGE_UNITS, 4).min(MAX_IMAGE_UNITS),
            uniform_bindings: get(c::MAX_UNIFORM_BUFFER_BINDINGS, 72),
            storage_bindings: get(c::MAX_SHADER_STORAGE_BUFFER_BINDINGS, 4),
            uniform_alignment: u64::from(get(c::UNIFORM_BUFFER_OFFSET_ALIGNMENT, 256)),
            uniform_block_size: u64::from(get(c::MAX_UNIFORM_BLOCK_SIZE, 16384)),
            vertex_attribs: get(c::MAX_VERTEX_ATTRIBS, 16).min(32),
            vertex_bindings: get(c::MAX_VERTEX_ATTRIB_BINDINGS, 16).min(32),
            draw_buffers: get(c::MAX_DRAW_BUFFERS, 4).min(8),
            color_attachments: get(c::MAX_COLOR_ATTACHMENTS, 4).min(8),
            viewports: if gl.has.viewport_indexedf && gl.has.scissor_indexed {
                get(c::MAX_VIEWPORTS, 1).min(MAX_VIEWPORTS)
            } else {
                1
            },
            clip_distances: if desktop || has("GL_EXT_clip_cull_distance") {
                get(c::MAX_CLIP_DISTANCES, 0).min(8)
            } else {
                0
            },
        },
        extensions,
    }
}

/// Fills the caps that the server states.
pub fn caps(host: &Host, facts: &Facts) -> Caps {
    let gl = &host.gl;
    while gl.get_error() != 0 {}
    let mut extensions: Vec<String> = facts.extensions.iter().cloned().collect();
    extensions.sort();
    Caps {
        backend: host.dialect.name().into(),
        vendor: gl.string(c::VENDOR),
        renderer: gl.string(c::RENDERER),
        version: gl.string(c::VERSION),
        max_core: max_core(host, facts),
        max_es: 32,
        features: features(host, facts),
        limits: limits(host, facts),
        formats: formats(host, facts),
        compressed_formats: compressed_formats(gl),
        host_extensions: extensions,
    }
}

/// The core version that programs may get. All of 4.x is passed on to a desktop host, up to its own version; what GLES lacks of it is
/// not made up for.
fn max_core(host: &Host, facts: &Facts) -> u32 {
    match host.dialect {
        Dialect::Gl => facts.version.clamp(33, 45),
        Dialect::Gles => 33,
    }
}

fn limits(host: &Host, facts: &Facts) -> Limits {
    let gl = &host.gl;
    let mut limits = Limits::MINIMA;
    for info in Limits::TABLE.iter().filter(|info| info.pname != 0) {
        let mut ints = [0i32; 16];
        let mut floats = [0f32; 16];
        let mut longs = [0i64; 16];
        // SAFETY: no limit has more than sixteen values.
        unsafe {
            match info.ty {
                LimitType::Int => gl.get_integerv(info.pname, ints.as_mut_ptr()),
                LimitType::Indexed => {
                    for (index, value) in ints.iter_mut().take(info.count).enumerate() {
                        gl.get_integeri_v(info.pname, index as u32, value);
                    }
                }
                LimitType::Float => gl.get_floatv(info.pname, floats.as_mut_ptr()),
                LimitType::Int64 => gl.get_integer_64v(info.pname, longs.as_mut_ptr()),
            }
        }
        // A limit that the host does not know keeps its smallest value.
        if gl.get_error() != 0 {
            while gl.get_error() != 0 {}
            continue;
        }
        let bytes = match info.ty {
            LimitType::Int | LimitType::Indexed => ints.as_bytes(),
            LimitType::Float => floats.as_bytes(),
            LimitType::Int64 => longs.as_bytes(),
        };
        let len = info.count * if info.ty == LimitType::Int64 { 8 } else { 4 };
        let target = limits.as_mut_bytes().get_mut(info.offset..info.offset + len);
        if let (Some(target), Some(bytes)) = (target, bytes.get(..len)) {
            target.copy_from_slice(bytes);
        }
    }
    let bits = |target: u32, pname: u32| {
        let mut value = 0;
        // SAFETY: one integer is answered.
        unsafe { gl.get_queryiv(target, pname, &mut value) };
        if gl.get_error() == 0 { value } else { 0 }
    };
    let timer = host.dialect == Dialect::Gl || facts.has("GL_EXT_disjoint_timer_query");
    if host.dialect == Dialect::Gl {
        limits.query_counter_bits_samples_passed = bits(c::SAMPLES_PASSED, c::QUERY_COUNTER_BITS);
    }
    if timer {
        limits.query_counter_bits_time_elapsed = bits(c::TIME_ELAPSED, c::QUERY_COUNTER_BITS);
        limits.query_counter_bits_timestamp = bits(c::TIMESTAMP, c::QUERY_COUNTER_BITS);
    }
    if host.dialect == Dialect::Gles {
        limits.max_varying_components = limits.max_varying_vectors * 4;
        limits.max_rectangle_texture_size = limits.max_texture_size;
        limits.max_vertex_streams = 1;
        limits.max_transform_feedback_buffers = limits.max_transform_feedback_separate_attribs;
    } else {
        // Desktop hosts need not answer GL_IMPLEMENTATION_COLOR_READ_* as ES does.
        limits.implementation_color_read_format = c::RGBA as i32;
        limits.implementation_color_read_type = c::UNSIGNED_BYTE as i32;
    }
    // Maps are memory of the client.
    limits.min_map_buffer_alignment = MAP_ALIGNMENT as i32;
    limits.max_viewports = facts.limits.viewports as i32;
    limits.max_clip_distances = facts.limits.clip_distances as i32;
    limits.max_draw_buffers = facts.limits.draw_buffers as i32;
    limits.max_color_attachments = facts.limits.color_attachments as i32;
    limits.max_vertex_attribs = facts.limits.vertex_attribs as i32;
    limits.max_vertex_attrib_bindings = facts.limits.vertex_bindings as i32;
    // The last unit is ours, for uploads.
    limits.max_combined_texture_image_units = facts.limits.texture_units as i32 - 1;
    limits.max_image_units = facts.limits.image_units as i32;
    reserve_uniforms(&mut limits);
    reserve_storage(&mut limits);
    limits
}

/// Default uniforms are one uniform block per program, in every stage: it takes one block and one binding of each limit, and all
/// stages' uniforms share its size.
fn reserve_uniforms(l: &mut Limits) {
    for blocks in [
        &mut l.max_vertex_uniform_blocks,
        &mut l.max_fragment_uniform_blocks,
        &mut l.max_geometry_uniform_blocks,
        &mut l.max_tess_control_uniform_blocks,
        &mut l.max_tess_evaluation_uniform_blocks,
        &mut l.max_compute_uniform_blocks,
    ] {
        *blocks = (*blocks - 1).max(0);
    }
    l.max_uniform_buffer_bindings = (l.max_uniform_buffer_bindings - 1).min(MAX_POINTS as i32);
    // A block of an array may stand in several stages but takes its slot once.
    l.max_combined_uniform_blocks =
        (l.max_combined_uniform_blocks - 6).min(l.max_uniform_buffer_bindings);
    let share = i32::try_from(l.max_uniform_block_size / 16).unwrap_or(4096).max(1024);
    for components in [
        &mut l.max_vertex_uniform_components,
        &mut l.max_fragment_uniform_components,
        &mut l.max_geometry_uniform_components,
        &mut l.max_tess_control_uniform_components,
        &mut l.max_tess_evaluation_uniform_components,
        &mut l.max_compute_uniform_components,
    ] {
        *components = (*components).min(share);
    }
    l.max_vertex_uniform_vectors = l.max_vertex_uniform_components / 4;
    l.max_fragment_uniform_vectors = l.max_fragment_uniform_components / 4;
    let combined = |blocks: i32, components: i32| {
        i64::from(blocks) * (l.max_uniform_block_size / 4) + i64::from(components)
    };
    let vertex = combined(l.max_vertex_uniform_blocks, l.max_vertex_uniform_components);
    let fragment = combined(l.max_fragment_uniform_blocks, l.max_fragment_uniform_components);
    let geometry = combined(l.max_geometry_uniform_blocks, l.max_geometry_uniform_components);
    let control =
        combined(l.max_tess_control_uniform_blocks, l.max_tess_control_uniform_components);
    let evaluation =
        combined(l.max_tess_evaluation_uniform_blocks, l.max_tess_evaluation_uniform_components);
    let compute = combined(l.max_compute_uniform_blocks, l.max_compute_uniform_components);
    l.max_combined_vertex_uniform_components = vertex;
    l.max_combined_fragment_uniform_components = fragment;
    l.max_combined_geometry_uniform_components = geometry;
    l.max_combined_tess_control_uniform_components = control;
    l.max_combined_tess_evaluation_uniform_components = evaluation;
    l.max_combined_compute_uniform_components = compute;
}

/// Atomic counters are storage blocks here: both limits are carved from the host's storage blocks.
fn reserve_storage(l: &mut Limits) {
    let points = l.max_shader_storage_buffer_bindings.min(MAX_POINTS as i32);
    let carve = |storage: &mut i32, atomic: &mut i32, counters: &mut i32| {
        let host = *storage;
        let room = if host >= 16 { 8 } else { (host - 4).max(0) };
        *atomic = (*atomic).clamp(0, room.min(host));
        *storage = host - *atomic;
        if *atomic == 0 {
            *counters = 0;
        }
    };
    carve(
        &mut l.max_vertex_shader_storage_blocks,
        &mut l.max_vertex_atomic_counter_buffers,
        &mut l.max_vertex_atomic_counters,
    );
    carve(
        &mut l.max_fragment_shader_storage_blocks,
        &mut l.max_fragment_atomic_counter_buffers,
        &mut l.max_fragment_atomic_counters,
    );
    carve(
        &mut l.max_geometry_shader_storage_blocks,
        &mut l.max_geometry_atomic_counter_buffers,
        &mut l.max_geometry_atomic_counters,
    );
    carve(
        &mut l.max_tess_control_shader_storage_blocks,
        &mut l.max_tess_control_atomic_counter_buffers,
        &mut l.max_tess_control_atomic_counters,
    );
    carve(
        &mut l.max_tess_evaluation_shader_storage_blocks,
        &mut l.max_tess_evaluation_atomic_counter_buffers,
        &mut l.max_tess_evaluation_atomic_counters,
    );
    carve(
        &mut l.max_compute_shader_storage_blocks,
        &mut l.max_compute_atomic_counter_buffers,
        &mut l.max_compute_atomic_counters,
    );
    let atomics = [
        l.max_vertex_atomic_counter_buffers,
        l.max_fragment_atomic_counter_buffers,
        l.max_geometry_atomic_counter_buffers,
        l.max_tess_control_atomic_counter_buffers,
        l.max_tess_evaluation_atomic_counter_buffers,
        l.max_compute_atomic_counter_buffers,
    ];
    let most = atomics.into_iter().max().unwrap_or(0);
    l.max_atomic_counter_buffer_bindings = most.max(1).min(points);
    l.max_combined_atomic_counter_buffers = most;
    l.max_shader_storage_buffer_bindings = (points - most).max(4).min(points);
    l.max_combined_shader_storage_blocks =
        (l.max_combined_shader_storage_blocks - most).min(l.max_shader_storage_buffer_bindings);
}

fn features(host: &Host, facts: &Facts) -> u64 {
    let gl = &host.gl;
    let desktop = host.dialect == Dialect::Gl;
    let any = |names: &[&str]| names.iter().any(|name| facts.has(name));
    let mut features = f::RUN_AHEAD | f::PERSISTENT_MAP | f::BORDER_CLAMP | f::READ_BGRA;
    let mut set = |bit: u64, condition: bool| {
        if condition {
            features |= bit;
        }
    };
    set(f::DESKTOP_HOST, desktop);
    set(f::TIMER_QUERY, desktop || (any(&["GL_EXT_disjoint_timer_query"]) && gl.has.query_counter));
    set(f::SAMPLES_PASSED, desktop);
    set(f::FLOAT64, desktop && any(&["GL_ARB_gpu_shader_fp64"]));
    set(f::POLYGON_MODE, gl.has.polygon_mode);
    set(f::LOGIC_OP, gl.has.logic_op);
    set(f::DEPTH_CLAMP, desktop || any(&["GL_EXT_depth_clamp"]));
    set(f::CLIP_DISTANCE, facts.limits.clip_distances >= 8);
    set(f::SOFTWARE, facts.software);
    set(f::DUAL_SOURCE, desktop || any(&["GL_EXT_blend_func_extended"]));
    set(
        f::ANISOTROPY,
        any(&["GL_EXT_texture_filter_anisotropic", "GL_ARB_texture_filter_anisotropic"]),
    );
    set(f::VIEWPORT_ARRAY, facts.limits.viewports > 1);
    set(f::S3TC, any(&["GL_EXT_texture_compression_s3tc"]));
    set(
        f::BPTC,
        desktop || any(&["GL_EXT_texture_compression_bptc", "GL_ARB_texture_compression_bptc"]),
    );
    set(f::RGTC, desktop || any(&["GL_EXT_texture_compression_rgtc"]));
    set(f::ASTC, any(&["GL_KHR_texture_compression_astc_ldr"]));
    // Where the host lacks it, the result is waited for.
    set(f::CONDITIONAL_RENDER, true);
    set(f::FRAMEBUFFER_FETCH, any(&["GL_EXT_shader_framebuffer_fetch"]));
    set(f::BASE_INSTANCE, gl.has.draw_elements_instanced_base_vertex_base_instance);
    set(f::TEXTURE_VIEW, gl.has.texture_view);
    set(
        f::CLIP_CONTROL,
        gl.has.clip_control && any(&["GL_ARB_clip_control", "GL_EXT_clip_control"]),
    );
    set(f::BLEND_ADVANCED, any(&["GL_KHR_blend_equation_advanced"]));
    set(f::FLOAT_BLEND, desktop || any(&["GL_EXT_float_blend"]));
    set(
        f::POLYGON_OFFSET_CLAMP,
        gl.has.polygon_offset_clamp
            && any(&["GL_ARB_polygon_offset_clamp", "GL_EXT_polygon_offset_clamp"]),
    );
    set(f::CLEAR_TEXTURE, true);
    set(f::SEAMLESS_PER_TEXTURE, any(&["GL_AMD_seamless_cubemap_per_texture"]));
    set(f::PROVOKING_VERTEX, gl.has.provoking_vertex);
    set(f::TEXTURE_1D, true);
    set(f::LOD_BIAS, desktop);
    set(
        f::CULL_DISTANCE,
        facts.version >= 45 || any(&["GL_ARB_cull_distance", "GL_EXT_clip_cull_distance"]),
    );
    set(
        f::MIRROR_CLAMP,
        any(&["GL_ARB_texture_mirror_clamp_to_edge", "GL_EXT_texture_mirror_clamp_to_edge"]),
    );
    set(f::INDIRECT_COUNT, gl.has.multi_draw_arrays_indirect_count);
    set(f::ROBUST_ACCESS, host.robust);
    features
}

fn compressed_formats(gl: &Gl) -> Vec<u32> {
    let count = usize::try_from(gl.integer(c::NUM_COMPRESSED_TEXTURE_FORMATS)).unwrap_or(0);
    let mut formats = vec![0i32; count.clamp(0, 1024).max(16)];
    // SAFETY: as many integers are answered as the host has just said.
    unsafe { gl.get_integerv(c::COMPRESSED_TEXTURE_FORMATS, formats.as_mut_ptr()) };
    formats.truncate(count);
    formats.into_iter().map(|format| format as u32).collect()
}

/// Tries each sized format: storage, attachment, sample counts.
fn formats(host: &Host, facts: &Facts) -> Vec<FormatCaps> {
    let gl = &host.gl;
    let desktop = host.dialect == Dialect::Gl;
    let (mut framebuffer, mut scratch) = (0, 0);
    // SAFETY: one name each.
    unsafe {
        gl.gen_framebuffers(1, &mut framebuffer);
        gl.gen_textures(1, &mut scratch);
        gl.delete_textures(1, &scratch);
    }
    gl.bind_framebuffer(c::FRAMEBUFFER, framebuffer);
    let mut found = Vec::new();
    for info in format::SIZED {
        let Some(native) = format::native(host.dialect, facts, info.format) else { continue };
        let mut texture = 0;
        // SAFETY: one name.
        unsafe { gl.gen_textures(1, &mut texture) };
        gl.bind_texture(c::TEXTURE_2D, texture);
        gl.tex_storage_2d(c::TEXTURE_2D, 1, native.internal, 4, 4);
        let sampled = gl.get_error() == 0;
        let mut flags = if sampled { flag::SAMPLE } else { 0 };
        let attachment = match info.class {
            format::Class::Depth => c::DEPTH_ATTACHMENT,
            format::Class::Stencil => c::STENCIL_ATTACHMENT,
            format::Class::DepthStencil => c::DEPTH_STENCIL_ATTACHMENT,
            _ => c::COLOR_ATTACHMENT0,
        };
        let color = attachment == c::COLOR_ATTACHMENT0;
        let mut renderable = false;
        if sampled {
            gl.framebuffer_texture_2d(c::FRAMEBUFFER, attachment, c::TEXTURE_2D, texture, 0);
            renderable = gl.get_error() == 0
                && gl.check_framebuffer_status(c::FRAMEBUFFER) == c::FRAMEBUFFER_COMPLETE;
            gl.framebuffer_texture_2d(c::FRAMEBUFFER, attachment, c::TEXTURE_2D, 0, 0);
        }
        // SAFETY: one name.
        unsafe { gl.delete_textures(1, &texture) };
        while gl.get_error() != 0 {}
        let mut samples = 0;
        if renderable || !sampled {
            let mut counts = [0i32; 16];
            // SAFETY: the size stated is the array's.
            unsafe {
                gl.get_internalformativ(
                    c::RENDERBUFFER,
                    native.internal,
                    c::SAMPLES,
                    counts.len() as i32,
                    counts.as_mut_ptr(),
                );
            }
            if gl.get_error() == 0 {
                for count in counts.into_iter().filter(|n| (1..32).contains(n)) {
                    samples |= 1 << count;
                }
                renderable = renderable || samples != 0;
            }
            while gl.get_error() != 0 {}
        }
        if renderable {
            flags |= flag::RENDERBUFFER | if color { flag::COLOR } else { flag::DEPTH_STENCIL };
        }
        let float32 = matches!(info.class, format::Class::Float) && info.bits >= 32;
        let integer = matches!(info.class, format::Class::Int | format::Class::Uint);
        let filterable = !integer
            && info.class != format::Class::Stencil
            && (!float32 || desktop || facts.has("GL_OES_texture_float_linear"));
        if sampled && filterable {
            flags |= flag::FILTER;
        }
        let blendable = color
            && renderable
            && !integer
            && (!float32 || desktop || facts.has("GL_EXT_float_blend"));
        if blendable {
            flags |= flag::BLEND;
        }
        if sampled && native.internal == info.format {
            if info.image_es || (desktop && info.image) {
                flags |= flag::IMAGE;
            }
            if info.buffer {
                flags |= flag::BUFFER;
            }
        }
        if flags != 0 {
            found.push(FormatCaps { format: info.format, flags, samples, pad: 0 });
        }
    }
    gl.bind_framebuffer(c::FRAMEBUFFER, 0);
    gl.bind_texture(c::TEXTURE_2D, 0);
    // SAFETY: one name.
    unsafe { gl.delete_framebuffers(1, &framebuffer) };
    while gl.get_error() != 0 {}
    found.sort_by_key(|f| f.format);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_of_both_dialects_reach_what_the_versions_call_for() {
        for dialect in [Dialect::Gles, Dialect::Gl] {
            let host = Host::open(None, &[dialect]).unwrap();
            let facts = facts(&host);
            let start = std::time::Instant::now();
            let caps = caps(&host, &facts);
            eprintln!("{} caps in {:?}: {:#?}", dialect.name(), start.elapsed(), caps.limits);
            let l = &caps.limits;
            // OpenGL ES 3.2, tables 21.40 to 21.49; OpenGL 3.3 core, tables 6.42 onwards.
            assert!(l.max_texture_size >= 2048 && l.max_uniform_buffer_bindings >= 72);
            assert!(l.max_vertex_uniform_components >= 1024 && l.max_draw_buffers >= 4);
            assert!(l.max_combined_texture_image_units >= 96 && l.max_image_units >= 4);
            assert!(l.max_vertex_uniform_blocks >= 12 && l.max_fragment_uniform_blocks >= 12);
            assert!(l.max_fragment_shader_storage_blocks >= 4);
            assert!(l.max_atomic_counter_buffer_bindings >= 1);
            let rgba8 = caps.format(c::RGBA8).unwrap();
            assert_eq!(
                rgba8.flags & (flag::COLOR | flag::BLEND | flag::FILTER | flag::SAMPLE),
                7 | 16
            );
            assert!(caps.format(c::DEPTH24_STENCIL8).unwrap().flags & flag::DEPTH_STENCIL != 0);
            assert_eq!(caps.format(c::RGBA8UI).unwrap().flags & flag::FILTER, 0);
            assert_eq!(Caps::decode(&caps.encode()).unwrap(), caps);
            assert_eq!(host.gl.get_error(), 0);
        }
    }
}
