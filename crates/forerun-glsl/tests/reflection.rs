//! What an archive says of a linked program, against the rules of the GL specification.

mod common;

use common::*;
use forerun_glsl::LinkOptions;
use forerun_pipe::archive::Stage;

const FLOAT: u32 = 0x1406;
const FLOAT_VEC4: u32 = 0x8B52;
const FLOAT_MAT4: u32 = 0x8B5C;
const BOOL: u32 = 0x8B56;
const SAMPLER_2D: u32 = 0x8B5E;
const SET: u32 = 34;
const BINDING: u32 = 33;
const LOCATION: u32 = 30;

const VERTEX: &str = "#version 330\nlayout(location = 5) in vec4 pos; in mat3 m; in vec2 unused; in float a;\n\
    out vec4 v;\nuniform mat4 mvp;\nuniform bool on;\n\
    void main() { v = vec4(m * pos.xyz, a); gl_Position = on ? mvp * pos : pos; }";
const FRAGMENT: &str = "#version 330\nin vec4 v; out vec4 colour; uniform sampler2D tex[2]; uniform sampler2D other;\n\
    struct Light { vec4 colour; float power[3]; bool on; sampler2D map; }; uniform Light lights[2]; uniform float dead;\n\
    void main() { colour = v * texture(tex[1], v.xy) * lights[1].colour * lights[0].power[2] + texture(other, v.xy);\n\
    if (lights[1].on) colour *= texture(lights[1].map, v.xy); }";

#[test]
fn uniforms_have_gl_names_and_std140_places() {
    let archive = program(VERTEX, FRAGMENT, &desktop());
    assert_eq!(
        names(&archive),
        [
            "lights[0].power[0]",
            "lights[1].colour",
            "lights[1].map",
            "lights[1].on",
            "mvp",
            "on",
            "other",
            "tex[0]"
        ]
    );
    let mvp = uniform(&archive, "mvp");
    assert_eq!((mvp.ty, mvp.array_size, mvp.is_array), (FLOAT_MAT4, 1, false));
    assert_eq!((mvp.matrix_stride, mvp.row_major, mvp.block), (16, false, -1));
    assert_eq!(mvp.stages, Stage::Vertex.bit());
    let on = uniform(&archive, "on");
    assert_eq!((on.ty, on.is_bool), (BOOL, true));
    // std140: vec4 at 0, float[3] at 16 with stride 16, bool at 64; the structure takes 80 bytes.
    let colour = uniform(&archive, "lights[1].colour");
    let power = uniform(&archive, "lights[0].power[0]");
    let flag = uniform(&archive, "lights[1].on");
    assert_eq!(colour.ty, FLOAT_VEC4);
    assert_eq!(
        (power.ty, power.array_size, power.is_array, power.array_stride),
        (FLOAT, 3, true, 16)
    );
    assert_eq!(power.offset % 16, 0);
    assert_eq!(flag.offset - colour.offset, 64);
    assert!(flag.is_bool);
    assert!(archive.default_block_size as i32 >= flag.offset + 4);
    assert_eq!(archive.default_block_size % 16, 0);
}

#[test]
fn every_uniform_has_its_own_locations() {
    let archive = program(VERTEX, FRAGMENT, &desktop());
    let mut taken = std::collections::HashSet::new();
    for uniform in &archive.uniforms {
        for element in 0..uniform.array_size as i32 {
            assert!(
                uniform.location >= 0 && taken.insert(uniform.location + element),
                "{}",
                uniform.name
            );
        }
    }
}

#[test]
fn samplers_take_dense_slots_in_set_two() {
    let archive = program(VERTEX, FRAGMENT, &desktop());
    let mut slots = vec![];
    for sampler in &archive.samplers {
        assert_eq!(sampler.ty, SAMPLER_2D);
        let uniform = &archive.uniforms[sampler.uniform as usize];
        assert_eq!(uniform.sampler_slot as u32, sampler.slot);
        slots.extend(sampler.slot..sampler.slot + sampler.count);
        let root = uniform.name.trim_end_matches("[0]");
        assert_eq!(decoration(&archive, Stage::Fragment, root, SET), Some(2));
        assert_eq!(decoration(&archive, Stage::Fragment, root, BINDING), Some(sampler.slot));
    }
    slots.sort_unstable();
    assert_eq!(slots, [0, 1, 2, 3]);
    assert_eq!(archive.sampler_slots(), 4);
}

#[test]
fn attributes_are_active_when_used_and_keep_their_places() {
    let options =
        LinkOptions { attributes: &[("a".into(), 2), ("pos".into(), 1)], ..Default::default() };
    let stages = [(Stage::Vertex, VERTEX), (Stage::Fragment, FRAGMENT)];
    let archive = link_all(&stages, &desktop(), &options).expect("links");
    let find = |name: &str| archive.inputs.iter().find(|i| i.name == name);
    assert!(find("unused").is_none());
    assert_eq!(find("pos").map(|i| i.location), Some(5), "layout wins over the binding");
    assert_eq!(find("a").map(|i| i.location), Some(2));
    let m = find("m").expect("m").location;
    assert!((m..m + 3).all(|l| l != 2 && l != 5), "a matrix takes three locations, not {m}");
    assert_eq!(decoration(&archive, Stage::Vertex, "m", LOCATION), Some(m as u32));
}

#[test]
fn the_vertex_id_is_an_active_attribute() {
    let vertex =
        "#version 330\nvoid main() { gl_Position = vec4(gl_VertexID, gl_InstanceID, 0, 1); }";
    let archive =
        program(vertex, "#version 330\nout vec4 c; void main() { c = vec4(1); }", &desktop());
    let mut found: Vec<_> = archive.inputs.iter().map(|i| (i.name.as_str(), i.location)).collect();
    found.sort_unstable();
    assert_eq!(found, [("gl_InstanceID", -1), ("gl_VertexID", -1)]);
    let info = &archive.stage(Stage::Vertex).expect("vertex").info;
    assert!(info.uses_vertex_id && info.uses_instance_id && !info.uses_draw_id);
}

#[test]
fn attributes_may_share_a_location_only_in_old_languages() {
    let options =
        LinkOptions { attributes: &[("a".into(), 1), ("b".into(), 1)], ..Default::default() };
    let fragment = "precision mediump float; void main() { gl_FragColor = vec4(1.0); }";
    let old = [
        (Stage::Vertex, "attribute vec4 a, b; void main() { gl_Position = a + b; }"),
        (Stage::Fragment, fragment),
    ];
    assert!(link_all(&old, &es(), &options).is_ok());
    let new = [
        (Stage::Vertex, "#version 300 es\nin vec4 a, b; void main() { gl_Position = a + b; }"),
        (Stage::Fragment, "#version 300 es\nout lowp vec4 c; void main() { c = vec4(1.0); }"),
    ];
    assert!(link_all(&new, &es(), &options).is_err());
}

#[test]
fn too_many_attributes_do_not_link() {
    let vertex = "#version 330\nin mat4 a, b, c, d; in vec4 e;\n\
        void main() { gl_Position = (a + b + c + d) * e; }";
    let stages = [
        (Stage::Vertex, vertex),
        (Stage::Fragment, "#version 330\nout vec4 c; void main() { c = vec4(1); }"),
    ];
    let log = link_all(&stages, &desktop(), &LinkOptions::default()).expect_err("17 vectors of 16");
    assert!(log.contains("attribute"), "{log}");
}

#[test]
fn fragment_outputs_are_bound_by_name_and_index() {
    let fragment =
        "#version 330\nout vec4 a; out vec4 b; void main() { a = vec4(0); b = vec4(1); }";
    let vertex = "#version 330\nvoid main() { gl_Position = vec4(0); }";
    let stages = [(Stage::Vertex, vertex), (Stage::Fragment, fragment)];
    let options =
        LinkOptions { frag_data: &[("a".into(), 3, 0), ("b".into(), 1, 0)], ..Default::default() };
    let archive = link_all(&stages, &desktop(), &options).expect("links");
    let mut found: Vec<_> =
        archive.outputs.iter().map(|o| (o.name.as_str(), o.location, o.index)).collect();
    found.sort_unstable();
    assert_eq!(found, [("a", 3, 0), ("b", 1, 0)]);
    let options =
        LinkOptions { frag_data: &[("a".into(), 0, 0), ("b".into(), 0, 1)], ..Default::default() };
    let archive = link_all(&stages, &desktop(), &options).expect("links");
    assert_eq!(
        archive.outputs.iter().find(|o| o.name == "b").map(|o| (o.location, o.index)),
        Some((0, 1))
    );
    assert_eq!(decoration(&archive, Stage::Fragment, "b", 32), Some(1));
    let options =
        LinkOptions { frag_data: &[("a".into(), 2, 0), ("b".into(), 2, 0)], ..Default::default() };
    assert!(link_all(&stages, &desktop(), &options).is_err());
}

#[test]
fn legacy_outputs_keep_their_gl_names() {
    let archive = program(
        "attribute vec4 p; void main() { gl_Position = p; }",
        "precision mediump float; void main() { gl_FragColor = vec4(1.0); }",
        &es(),
    );
    assert_eq!(archive.outputs.len(), 1);
    assert_eq!(
        (archive.outputs[0].name.as_str(), archive.outputs[0].location),
        ("gl_FragColor", -1)
    );
    assert!(!archive.broadcasts_color);
    let archive = program(
        "attribute vec4 p; void main() { gl_Position = p; }",
        "void main() { gl_FragColor = vec4(1.0); }",
        &desktop(),
    );
    assert!(archive.broadcasts_color, "gl_FragColor of the desktop goes to every attachment");
}

#[test]
fn blocks_have_slots_bindings_and_members() {
    let vertex = "#version 420\n\
        layout(std140, binding = 3) uniform First { vec4 a; bool b; float c[2]; };\n\
        layout(std140, row_major) uniform Second { mat3x4 m; vec2 v; } second[2];\n\
        void main() { gl_Position = b ? a * c[1] : vec4(second[1].v, 0, 1) ; }";
    let fragment = "#version 420\nlayout(std140, binding = 3) uniform First { vec4 a; bool b; float c[2]; };\n\
        out vec4 o; void main() { o = a; }";
    let archive = program(vertex, fragment, &desktop());
    let blocks: Vec<_> = archive
        .uniform_blocks
        .iter()
        .map(|b| (b.name.as_str(), b.slot, b.binding, b.data_size, b.members.len()))
        .collect();
    assert_eq!(
        blocks,
        [("First", 0, 3, 64, 3), ("Second[0]", 1, 0, 80, 2), ("Second[1]", 2, 0, 80, 2)]
    );
    // mat3x4, row-major: four rows of 16 bytes; vec2 at 64; rounded up to 80.
    let both = Stage::Vertex.bit() | Stage::Fragment.bit();
    assert_eq!(archive.uniform_blocks[0].stages, both);
    let b = uniform(&archive, "b");
    assert_eq!((b.ty, b.offset, b.block, b.location, b.is_bool), (BOOL, 16, 0, -1, true));
    let c = uniform(&archive, "c[0]");
    assert_eq!((c.offset, c.array_stride, c.array_size), (32, 16, 2));
    let m = uniform(&archive, "Second.m");
    assert_eq!((m.row_major, m.matrix_stride, m.offset), (true, 16, 0));
    assert_eq!(decoration(&archive, Stage::Vertex, "First", SET), Some(0));
    assert_eq!(decoration(&archive, Stage::Vertex, "First", BINDING), Some(1));
    assert_eq!(decoration(&archive, Stage::Vertex, "Second", BINDING), Some(2));
    assert_eq!(decoration(&archive, Stage::Fragment, "First", BINDING), Some(1));
}

#[test]
fn storage_blocks_images_and_counters_are_listed() {
    let source = "#version 310 es\nlayout(local_size_x = 4, local_size_y = 2) in;\n\
        struct S { vec2 p; float q; };\n\
        layout(std430, binding = 2) buffer Data { uint count; S items[4]; float tail[]; } data;\n\
        layout(binding = 1, offset = 8) uniform atomic_uint counter[2];\n\
        layout(r32ui, binding = 3) readonly uniform highp uimage2D image;\n\
        void main() { data.tail[data.count] = data.items[2].q + float(imageLoad(image, ivec2(0)).x)\n\
        + float(atomicCounterIncrement(counter[1])); }";
    let archive =
        link_all(&[(Stage::Compute, source)], &es(), &LinkOptions::default()).expect("links");
    let info = &archive.stage(Stage::Compute).expect("compute").info;
    assert_eq!(info.local_size, [4, 2, 1]);
    assert!(info.has_side_effects);
    let block = &archive.storage_blocks[0];
    assert_eq!((block.name.as_str(), block.slot, block.binding), ("Data", 0, 2));
    // count at 0, items at 8 with stride 16 (4 of them), tail at 72: one element counted.
    assert_eq!(block.data_size, 76);
    let find = |name: &str| archive.buffer_variables.iter().find(|v| v.name == name).expect(name);
    let q = find("Data.items[0].q");
    assert_eq!((q.offset, q.top_level_array_size, q.top_level_array_stride), (16, 4, 16));
    let tail = find("Data.tail[0]");
    assert_eq!((tail.offset, tail.array_size, tail.array_stride), (72, 0, 4));
    assert_eq!(archive.buffer_variables.len(), 4);
    let counters = &archive.atomic_buffers[0];
    assert_eq!((counters.slot, counters.binding, counters.data_size), (1, 1, 16));
    let counter = uniform(&archive, "counter[0]");
    assert_eq!(
        (counter.ty, counter.offset, counter.array_size, counter.location),
        (0x92DB, 8, 2, -1)
    );
    let image = &archive.images[0];
    assert_eq!((image.slot, image.binding, image.format, image.access), (0, 3, 0x8236, 0x88B8));
    assert_eq!(image.ty, 0x9063, "GL_UNSIGNED_INT_IMAGE_2D");
    assert_eq!(decoration(&archive, Stage::Compute, "image", SET), Some(3));
    assert_eq!(decoration(&archive, Stage::Compute, "Data", SET), Some(1));
}

#[test]
fn initial_values_and_locations_are_kept() {
    let vertex = "#version 430\n#define TWO 2.0\n\
        uniform vec4 a = vec4(1.0, TWO, 3.0, 4.0); uniform float b[2] = float[2](5.0, 6.0); uniform bvec2 c = bvec2(true, false);\n\
        layout(location = 7) uniform int d = -1; uniform mat2 m = mat2(1.0, 2.0, 3.0, 4.0); layout(binding = 4) uniform sampler2D s;\n\
        void main() { gl_Position = a * b[1] * float(d) + (c.x ? a : vec4(m[0], m[1])) + texture(s, vec2(0)); }";
    let archive =
        program(vertex, "#version 430\nout vec4 c; void main() { c = vec4(1); }", &desktop());
    let floats = |name: &str| -> Vec<f32> {
        let bytes = &uniform(&archive, name).initial;
        bytes.chunks_exact(4).map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    };
    assert_eq!(floats("a"), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(floats("b[0]"), [5.0, 0.0, 0.0, 0.0, 6.0]);
    assert_eq!(floats("m"), [1.0, 2.0, 0.0, 0.0, 3.0, 4.0]);
    assert_eq!(uniform(&archive, "c").initial, [1, 0, 0, 0, 0, 0, 0, 0]);
    let d = uniform(&archive, "d");
    assert_eq!((d.location, d.initial.as_slice()), (7, [255u8; 4].as_slice()));
    assert!(
        archive
            .uniforms
            .iter()
            .all(|u| u.name == "d" || !(u.location..u.location + u.array_size as i32).contains(&7))
    );
    assert_eq!(archive.samplers[0].binding, 4);
}

#[test]
fn the_depth_range_is_a_builtin_uniform() {
    let fragment = "#version 330\nout vec4 c; void main() { c = vec4(gl_DepthRange.far); }";
    let archive =
        program("#version 330\nvoid main() { gl_Position = vec4(0); }", fragment, &desktop());
    let far = uniform(&archive, "gl_DepthRange.far");
    assert_eq!((far.location, far.is_builtin, far.ty), (-1, true, FLOAT));
}

#[test]
fn the_default_block_is_the_same_in_every_stage() {
    let vertex =
        "#version 330\nuniform vec4 a, b; out vec4 v; void main() { v = a; gl_Position = b; }";
    let fragment = "#version 330\nuniform float x; uniform vec4 b; in vec4 v; out vec4 c; void main() { c = v * x + b; }";
    let archive = program(vertex, fragment, &desktop());
    let layout = |stage| {
        use forerun_glsl::spirv::{module::Module, types::Type};
        let module =
            Module::read(archive.stage(stage).expect("stage").spirv.clone()).expect("module");
        let block = module
            .types
            .iter()
            .find(|(id, _)| module.name(**id) == "fr_DefaultBlock")
            .expect("block");
        let Type::Struct(members) = block.1 else { panic!() };
        (0..members.len() as u32)
            .map(|i| {
                (
                    module.member_name(*block.0, i).to_owned(),
                    module.member_decoration(*block.0, i, 35),
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(layout(Stage::Vertex), layout(Stage::Fragment));
    assert_eq!(uniform(&archive, "b").stages, Stage::Vertex.bit() | Stage::Fragment.bit());
}

#[test]
fn renamed_identifiers_show_their_own_names() {
    let vertex = "attribute vec4 sample; uniform vec4 buffer; varying vec4 patch;\n\
        void main() { patch = buffer; gl_Position = sample; }";
    let fragment = "precision mediump float; uniform sampler2D texture; uniform struct resource { vec4 filter; } active;\n\
        varying vec4 patch; void main() { gl_FragColor = patch + texture2D(texture, patch.xy) + active.filter; }";
    let archive = program(vertex, fragment, &es());
    assert_eq!(names(&archive), ["active.filter", "buffer", "texture"]);
    assert_eq!(archive.inputs[0].name, "sample");
}

#[test]
fn stages_say_what_they_are() {
    let stages = [
        (Stage::Vertex, "#version 400\nvoid main() { gl_Position = vec4(0); }"),
        (
            Stage::TessControl,
            "#version 400\nlayout(vertices = 3) out; void main() { gl_TessLevelOuter[0] = 1.0; }",
        ),
        (
            Stage::TessEvaluation,
            "#version 400\nlayout(quads, fractional_odd_spacing, cw, point_mode) in; void main() { gl_Position = vec4(0); }",
        ),
        (
            Stage::Geometry,
            "#version 400\nlayout(points, invocations = 2) in; layout(line_strip, max_vertices = 5) out;\n\
             void main() { gl_Layer = 1; gl_PointSize = 2.0; EmitVertex(); }",
        ),
        (
            Stage::Fragment,
            "#version 420\nlayout(early_fragment_tests) in; out vec4 c; void main() { if (gl_FragCoord.x > 2.0) discard; gl_FragDepth = 0.5; c = vec4(gl_SampleID); }",
        ),
    ];
    let archive = link_all(&stages, &desktop(), &LinkOptions::default()).expect("links");
    let info = |stage| archive.stage(stage).expect("stage").info.clone();
    assert_eq!(info(Stage::TessControl).tess_vertices, 3);
    let evaluation = info(Stage::TessEvaluation);
    assert_eq!(
        (
            evaluation.tess_mode,
            evaluation.tess_spacing,
            evaluation.tess_order,
            evaluation.tess_point_mode
        ),
        (0x0007, 0x8E7B, 0x0900, true)
    );
    let geometry = info(Stage::Geometry);
    assert_eq!(
        (
            geometry.geometry_input,
            geometry.geometry_output,
            geometry.geometry_vertices_out,
            geometry.geometry_invocations
        ),
        (0x0000, 0x0003, 5, 2)
    );
    assert!(geometry.writes_layer && geometry.writes_point_size && !geometry.writes_viewport_index);
    let fragment = info(Stage::Fragment);
    assert!(
        fragment.early_fragment_tests
            && fragment.discards
            && fragment.writes_depth
            && fragment.sample_shading
    );
    assert_eq!(archive.stage_mask(), 0b11111);
}

#[test]
fn transform_feedback_names_are_resolved() {
    let vertex = "#version 330\nstruct S { vec3 a; float b[2]; }; out S s[2]; out vec4 v; out vec2 w[3]; out Block { vec4 x; } block;\n\
        void main() { s[0].a = s[1].a = vec3(1); s[0].b[0] = s[0].b[1] = s[1].b[0] = s[1].b[1] = 1.0; v = vec4(0); w[0] = w[1] = w[2] = vec2(0); block.x = v; gl_Position = v; }";
    let link = |names: &[&str], mode: u32| {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        let options = LinkOptions { feedback: &names, feedback_mode: mode, ..Default::default() };
        link_all(&[(Stage::Vertex, vertex)], &desktop(), &options)
    };
    let archive = link(
        &["s[1].a", "gl_Position", "gl_SkipComponents2", "w", "gl_NextBuffer", "Block.x", "w[1]"],
        0x8C8C,
    )
    .expect("links");
    let found: Vec<_> = archive
        .feedback
        .iter()
        .map(|f| (f.name.as_str(), f.ty, f.array_size, f.buffer, f.offset))
        .collect();
    assert_eq!(
        found,
        [
            ("s[1].a", 0x8B51, 1, 0, 0),
            ("gl_Position", 0x8B52, 1, 0, 12),
            ("gl_SkipComponents2", 0, 2, 0, 28),
            ("w", 0x8B50, 3, 0, 36),
            ("gl_NextBuffer", 0, 0, 0, 60),
            ("Block.x", 0x8B52, 1, 1, 0),
            ("w[1]", 0x8B50, 1, 1, 16),
        ]
    );
    assert_eq!(archive.feedback_strides, [60, 24]);
    let archive = link(&["v", "s[0].b"], 0x8C8D).expect("links");
    assert_eq!(archive.feedback_strides, [16, 8]);
    for bad in [
        &["nope"][..],
        &["s[1]"],
        &["s"],
        &["v", "v"],
        &["s[2].a"],
        &["Block"],
        &["w[3]"],
        &["v.x"],
    ] {
        assert!(link(bad, 0x8C8C).is_err(), "{bad:?} was captured");
    }
}

#[test]
fn fetched_outputs_are_named() {
    let coherent = "GL_EXT_shader_framebuffer_fetch";
    let loose = "GL_EXT_shader_framebuffer_fetch_non_coherent";
    let vertex = "void main() { gl_Position = vec4(0.0); }";
    let fetch = |vertex: &str, fragment: &str| {
        let archive = program(vertex, fragment, &dialect(true, 320, &[coherent, loose]));
        let info = &archive.stage(Stage::Fragment).expect("fragment").info;
        (info.fetched_outputs, info.fetches_noncoherently)
    };
    let old = format!(
        "#extension {coherent} : require\nvoid main() {{ gl_FragColor = gl_LastFragData[0] * 0.5; }}"
    );
    assert_eq!(fetch(vertex, &old), (0b1, false));
    let several = format!(
        "#extension {loose} : require\nlayout(noncoherent) mediump vec4 gl_LastFragData[gl_MaxDrawBuffers];\n\
         void main() {{ gl_FragData[0] = gl_LastFragData[0]; gl_FragData[1] = gl_LastFragData[1]; }}"
    );
    assert_eq!(fetch(vertex, &several), (0xff, true));
    let vertex = "#version 300 es\nvoid main() { gl_Position = vec4(0.0); }";
    let new = format!(
        "#version 300 es\n#extension {loose} : require\nlayout(noncoherent, location = 2) inout mediump vec4 c;\n\
         layout(location = 0) out mediump vec4 d; void main() {{ c += vec4(0.5); d = c; }}"
    );
    assert_eq!(fetch(vertex, &new), (0b100, true));
    let result = try_compile(Stage::Fragment, &old, &es());
    assert!(result.shader.is_none(), "the context does not offer it");
}

#[test]
fn subroutines_are_no_uniforms_and_call_what_they_choose_among() {
    let fragment = "#version 400\n\
        subroutine float Part(); subroutine uniform Part parts[2]; subroutine uniform Part unused;\n\
        subroutine(Part) float one() { return 1.0; } subroutine(Part) float none() { return 0.0; }\n\
        uniform float scale; out float c; void main() { c = parts[1]() * scale + parts[0](); }";
    let archive =
        program("#version 400\nvoid main() { gl_Position = vec4(0.0); }", fragment, &desktop());
    assert_eq!(names(&archive), ["scale"]);
    let functions: Vec<_> =
        archive.subroutines.iter().map(|s| (s.stage, s.name.as_str(), s.index)).collect();
    assert_eq!(functions, [(Stage::Fragment, "one", 0), (Stage::Fragment, "none", 1)]);
    let [parts] = archive.subroutine_uniforms.as_slice() else {
        panic!("{:?}", archive.subroutine_uniforms)
    };
    assert_eq!((parts.name.as_str(), parts.array_size, parts.location), ("parts[0]", 2, 0));
    assert_eq!(parts.compatible, [0, 1]);
    // std140: an element of an int array takes 16 bytes.
    assert_eq!(parts.array_stride, 16);
    assert!(parts.offset + 20 <= archive.default_block_size);
}

#[test]
fn subroutines_that_call_themselves_do_not_link() {
    let recursion = "#version 400\nsubroutine void T(int x); subroutine uniform T t;\n\
        subroutine(T) void f(int x) { if (x > 0) t(x - 1); } void main() { t(4); }";
    let overload = "#version 400\nsubroutine void T(); subroutine(T) void f() {} void f(int x) {}\n\
        void main() { gl_Position = vec4(0.0); }";
    let nobody = "#version 400\nsubroutine void T(); subroutine uniform T t; void main() { t(); }";
    for (source, word) in [(recursion, "ecurs"), (overload, "twice"), (nobody, "no function")] {
        let log = link_all(&[(Stage::Vertex, source)], &desktop(), &LinkOptions::default());
        let log = log.expect_err(source);
        assert!(log.contains(word), "{log}");
    }
}

#[test]
fn rules_of_the_link_are_told_at_the_link() {
    let vertex = "#version 400\nvoid main() { gl_Position = vec4(0.0); }";
    let strip = "#version 400\nlayout(points) in; layout(triangle_strip, max_vertices = 3) out;\n\
        void main() { gl_Position = vec4(0.0); EmitStreamVertex(1); EndStreamPrimitive(1); }";
    let log = link_all(
        &[(Stage::Vertex, vertex), (Stage::Geometry, strip)],
        &desktop(),
        &LinkOptions::default(),
    );
    assert!(log.expect_err("strips in several streams").contains("points"));
    let points = "#version 400\nlayout(points) in; layout(points, max_vertices = 1) out;\n\
        void main() { gl_Position = gl_in[0].gl_Position; EmitVertex(); }";
    let stages = [(Stage::Vertex, vertex), (Stage::Geometry, points)];
    let apart = LinkOptions { separable: true, ..LinkOptions::default() };
    assert!(link_all(&stages, &desktop(), &LinkOptions::default()).is_ok());
    let log = link_all(&stages, &desktop(), &apart).expect_err("not redeclared");
    assert!(log.contains("gl_PerVertex"), "{log}");
    // Two outputs at one place compile; together they do not link.
    let shared = "#version 440\nlayout(location = 0) out vec4 a; layout(location = 0) out vec4 b;\n\
        void main() { a = b = vec4(0.0); gl_Position = a; }";
    let log = link_all(&[(Stage::Vertex, shared)], &desktop(), &LinkOptions::default());
    assert!(log.expect_err("one place").contains("location"));
    // A buffer takes what one stream makes.
    let streams = "#version 400\nlayout(points) in; layout(points, max_vertices = 1) out;\n\
        layout(stream = 0) out float a; layout(stream = 1) out float b;\n\
        void main() { a = b = 0.0; EmitStreamVertex(0); EmitStreamVertex(1); }";
    let names = ["a".to_owned(), "b".to_owned()];
    let options = LinkOptions { feedback: &names, feedback_mode: 0x8C8C, ..LinkOptions::default() };
    let stages = [(Stage::Vertex, vertex), (Stage::Geometry, streams)];
    let log = link_all(&stages, &desktop(), &options).expect_err("two streams in one buffer");
    assert!(log.contains("stream"), "{log}");
}

#[test]
fn samplers_that_an_index_chooses_keep_their_names() {
    let vertex = "#version 400\nstruct S { sampler2D plain; float f; };\n\
        uniform S s[2][2]; uniform int n;\n\
        void main() { gl_Position = texture(s[n][1].plain, vec2(s[1][0].f)); }";
    let fragment = "#version 400\nstruct In { sampler3D deep[3]; }; struct Out { In inner[2]; };\n\
        struct S { sampler2D plain; float f; }; uniform S s[2][2];\n\
        uniform Out o; uniform int n; out vec4 c;\n\
        void main() { c = texture(o.inner[n].deep[n + 1], vec3(0.5)) + texture(s[1][0].plain, vec2(0.5)); }";
    let archive = program(vertex, fragment, &desktop());
    assert_eq!(
        names(&archive),
        [
            "n",
            "o.inner[0].deep[0]",
            "o.inner[1].deep[0]",
            "s[0][0].plain",
            "s[0][1].plain",
            "s[1][0].f",
            "s[1][0].plain",
            "s[1][1].plain",
        ]
    );
    // The elements of an array follow each other, in the order of the indices.
    let slot = |name| uniform(&archive, name).sampler_slot;
    let plain = ["s[0][0].plain", "s[0][1].plain", "s[1][0].plain", "s[1][1].plain"].map(slot);
    assert!(plain.windows(2).all(|pair| pair[1] == pair[0] + 1), "{plain:?}");
    assert_eq!(slot("o.inner[1].deep[0]"), slot("o.inner[0].deep[0]") + 3);
    assert_eq!(uniform(&archive, "o.inner[1].deep[0]").array_size, 3);
    // One of them is used by both stages, by an index and by its name.
    let both = Stage::Vertex.bit() | Stage::Fragment.bit();
    assert_eq!(uniform(&archive, "s[1][0].plain").stages, both);
    let named = decoration(&archive, Stage::Fragment, "s[1][0].plain", 33);
    assert_eq!(named, u32::try_from(plain[2]).ok());
}
