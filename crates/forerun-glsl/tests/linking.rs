//! What links, what does not, and that the log says why.

mod common;

use common::*;
use forerun_glsl::{LinkOptions, link};
use forerun_pipe::archive::Stage;

fn two(vertex: &str, fragment: &str, es_context: bool) -> Result<(), String> {
    let context = if es_context { es() } else { desktop() };
    let stages = [(Stage::Vertex, vertex), (Stage::Fragment, fragment)];
    link_all(&stages, &context, &LinkOptions::default()).map(|_| ())
}

#[test]
fn interfaces_must_agree() {
    let cases: &[(bool, &str, &str, &str)] = &[
        (
            true,
            "varying vec4 v; void main() { v = vec4(1.0); gl_Position = v; }",
            "precision mediump float; varying vec3 v; void main() { gl_FragColor = vec4(v, 1.0); }",
            "v",
        ),
        (
            true,
            "void main() { gl_Position = vec4(1.0); }",
            "precision mediump float; varying vec4 v; void main() { gl_FragColor = v; }",
            "`v' is not written",
        ),
        (
            true,
            "uniform vec4 u; void main() { gl_Position = u; }",
            "precision highp float; uniform vec3 u; void main() { gl_FragColor = vec4(u, 1.0); }",
            "u",
        ),
        (
            true,
            "uniform float u; void main() { gl_Position = vec4(u); }",
            "precision mediump float; uniform float u; void main() { gl_FragColor = vec4(u); }",
            "highp in the vertex shader and mediump",
        ),
        (
            true,
            "#version 300 es\nflat out float v; void main() { v = 1.0; gl_Position = vec4(v); }",
            "#version 300 es\nprecision highp float; in float v; out vec4 c; void main() { c = vec4(v); }",
            "interpolation",
        ),
        (
            true,
            "#version 300 es\nout float v; void main() { v = 1.0; gl_Position = vec4(v); }",
            "precision mediump float; varying float v; void main() { gl_FragColor = vec4(v); }",
            "#version",
        ),
        (
            false,
            "#version 330\nuniform sampler2D t; void main() { gl_Position = texture(t, vec2(0)); }",
            "#version 330\nuniform sampler3D t; out vec4 c; void main() { c = texture(t, vec3(0)); }",
            "`t'",
        ),
        (
            false,
            "#version 330\nuniform B { vec4 a; }; void main() { gl_Position = a; }",
            "#version 330\nuniform B { vec3 a; }; out vec4 c; void main() { c = vec4(a, 1); }",
            "B",
        ),
        (
            false,
            "#version 330\nout S { vec4 a; } v; void main() { v.a = vec4(1); gl_Position = v.a; }",
            "#version 330\nin S { vec4 b; } v; out vec4 c; void main() { c = v.b; }",
            "S",
        ),
        (
            false,
            "#version 330\nvec4 f(); void main() { gl_Position = f(); }",
            "#version 330\nout vec4 c; void main() { c = vec4(1); }",
            "f(",
        ),
        (
            false,
            "#version 430\nlayout(location = 1) uniform vec4 a; void main() { gl_Position = a; }",
            "#version 430\nlayout(location = 1) uniform vec4 b; out vec4 c; void main() { c = b; }",
            "location 1",
        ),
    ];
    for (context, vertex, fragment, word) in cases {
        let log = two(vertex, fragment, *context).expect_err(fragment);
        assert!(log.contains(word), "the log lacks `{word}':\n{log}\n{vertex}\n{fragment}");
        assert!(log.ends_with('\n'));
    }
}

#[test]
fn what_differs_without_harm_links() {
    let cases: &[(bool, &str, &str)] = &[
        // Declared, but used in one stage only.
        (
            true,
            "uniform float u; void main() { gl_Position = vec4(1.0); }",
            "precision mediump float; uniform float u; void main() { gl_FragColor = vec4(u); }",
        ),
        // Read in a branch, declared but never written.
        (
            true,
            "varying vec4 v; void main() { gl_Position = vec4(1.0); }",
            "precision mediump float; varying vec4 v; void main() { gl_FragColor = v; }",
        ),
        // Not declared by the vertex shader, not used by the fragment shader.
        (
            true,
            "void main() { gl_Position = vec4(1.0); }",
            "precision mediump float; varying vec4 v; void main() { gl_FragColor = vec4(1.0); }",
        ),
        // Versions of the desktop may be mixed.
        (
            false,
            "#version 150\nout vec4 v; void main() { v = vec4(1); gl_Position = v; }",
            "#version 330\nin vec4 v; out vec4 c; void main() { c = v; }",
        ),
        (
            false,
            "varying vec4 v; void main() { v = vec4(1.0); gl_Position = v; }",
            "#version 140\nin vec4 v; out vec4 c; void main() { c = v; }",
        ),
        // Matched by location, named otherwise.
        (
            false,
            "#version 430\nlayout(location = 2) out vec4 one; void main() { one = vec4(1); gl_Position = one; }",
            "#version 430\nlayout(location = 2) in vec4 two; out vec4 c; void main() { c = two; }",
        ),
    ];
    for (context, vertex, fragment) in cases {
        if let Err(log) = two(vertex, fragment, *context) {
            panic!("{log}\n{vertex}\n{fragment}");
        }
    }
}

#[test]
fn locations_between_stages_meet() {
    let vertex = "#version 330\nout float a; out mat3 b; out vec4 c[2]; out Block { vec4 d; vec2 e; } block; flat out int f;\n\
        void main() { a = 1.0; b = mat3(1); c[0] = c[1] = vec4(1); block.d = vec4(1); block.e = vec2(1); f = 1; gl_Position = vec4(0); }";
    let fragment = "#version 330\nflat in int f; in vec4 c[2]; in Block { vec4 d; vec2 e; } other; in mat3 b; in float a; out vec4 o;\n\
        void main() { o = vec4(b * vec3(a), f) + c[1] + other.d + other.e.xyxy; }";
    let archive = program(vertex, fragment, &desktop());
    let mut taken = std::collections::HashSet::new();
    for (name, count) in [("a", 1), ("b", 3), ("c", 2), ("Block", 2), ("f", 1)] {
        let out = decoration(&archive, Stage::Vertex, name, 30).expect(name);
        assert_eq!(decoration(&archive, Stage::Fragment, name, 30), Some(out), "{name}");
        for location in out..out + count {
            assert!(taken.insert(location), "{name} shares location {location}");
        }
    }
}

#[test]
fn sets_of_stages_are_checked() {
    let vertex = (Stage::Vertex, "#version 310 es\nvoid main() { gl_Position = vec4(0); }");
    let fragment = (Stage::Fragment, "#version 310 es\nvoid main() { }");
    let compute = (Stage::Compute, "#version 310 es\nlayout(local_size_x = 1) in; void main() { }");
    let verdict = |stages: &[(Stage, &str)], separable| {
        let options = LinkOptions { separable, ..Default::default() };
        link_all(stages, &es(), &options).is_ok()
    };
    assert!(!verdict(&[vertex], false));
    assert!(!verdict(&[fragment], false));
    assert!(verdict(&[vertex, fragment], false));
    assert!(verdict(&[vertex], true));
    assert!(verdict(&[fragment], true));
    assert!(verdict(&[compute], false));
    assert!(!verdict(&[vertex, fragment, compute], false));
    assert!(link(&[], &LinkOptions::default()).is_err());
    let core = [(Stage::Vertex, "#version 330\nvoid main() { gl_Position = vec4(0); }")];
    assert!(
        link_all(&core, &desktop(), &LinkOptions::default()).is_ok(),
        "the desktop needs no fragment shader"
    );
}

#[test]
fn shaders_of_one_stage_are_joined_and_can_be_linked_again() {
    let main = shader(
        Stage::Vertex,
        "#version 330\nvec4 f(); void main() { gl_Position = f(); }",
        &desktop(),
    );
    let one = shader(
        Stage::Vertex,
        "#version 330\nuniform vec4 one; vec4 f() { return one; }",
        &desktop(),
    );
    let two = shader(
        Stage::Vertex,
        "#version 330\nuniform vec4 two; vec4 f() { return two; }",
        &desktop(),
    );
    for (part, name) in [(&one, "one"), (&two, "two"), (&one, "one")] {
        let archive = link(&[&main, part], &LinkOptions::default()).expect("links");
        assert_eq!(names(&archive), [name]);
    }
    assert!(link(&[&main], &LinkOptions::default()).is_err());
    assert!(link(&[&main, &one, &two], &LinkOptions::default()).is_err(), "f is defined twice");
}

#[test]
fn fragment_coordinates_are_declared_alike() {
    let vertex = "#version 150\nvoid main() { gl_Position = vec4(0); }";
    let parts = |a: &str, b: &str| {
        let first = format!(
            "#version 150\n{a}\nvec4 f(); out vec4 c; void main() {{ c = f() + gl_FragCoord; }}"
        );
        let second = format!("#version 150\n{b}\nvec4 f() {{ return gl_FragCoord; }}");
        let stages = [
            (Stage::Vertex, vertex),
            (Stage::Fragment, first.as_str()),
            (Stage::Fragment, second.as_str()),
        ];
        link_all(&stages, &desktop(), &LinkOptions::default())
    };
    let upper = "layout(origin_upper_left) in vec4 gl_FragCoord;";
    let integer = "layout(pixel_center_integer) in vec4 gl_FragCoord;";
    let archive = parts(upper, upper).expect("alike");
    let info = &archive.stage(Stage::Fragment).expect("fragment").info;
    assert!(info.fragcoord_upper_left && !info.fragcoord_integer);
    assert!(parts(upper, integer).is_err());
    assert!(parts(upper, "").is_err());
    assert!(parts("", "").is_ok());
}

#[test]
fn compute_shaders_need_a_work_group_size() {
    let without = [(Stage::Compute, "#version 430\nvoid main() { }")];
    let log = link_all(&without, &desktop(), &LinkOptions::default()).expect_err("no size");
    assert!(log.contains("work group"), "{log}");
}

#[test]
fn invariance_of_what_is_derived_needs_its_origin() {
    let fragment = "precision mediump float; invariant gl_PointCoord; void main() { gl_FragColor = gl_PointCoord.xyxy; }";
    let plain = "void main() { gl_Position = vec4(0.0); gl_PointSize = 1.0; }";
    let invariant =
        "invariant gl_PointSize; void main() { gl_Position = vec4(0.0); gl_PointSize = 1.0; }";
    assert!(two(plain, fragment, true).is_err());
    assert!(two(invariant, fragment, true).is_ok());
}

#[test]
fn patch_arrays_are_not_per_vertex() {
    let stages = [
        (Stage::Vertex, "#version 400\nvoid main() { gl_Position = vec4(0); }"),
        (
            Stage::TessControl,
            "#version 400\nlayout(vertices = 3) out; patch out int[2] v; out vec4 w[];\n\
             void main() { v[0] = v[1] = 1; w[gl_InvocationID] = vec4(1); gl_TessLevelOuter[0] = 1.0; }",
        ),
        (
            Stage::TessEvaluation,
            "#version 400\nlayout(quads) in; patch in int[2] v; in vec4 w[]; void main() { gl_Position = w[v[1]]; }",
        ),
    ];
    let archive = link_all(&stages, &desktop(), &LinkOptions::default()).expect("links");
    let out = decoration(&archive, Stage::TessControl, "v", 30);
    assert!(out.is_some());
    assert_eq!(decoration(&archive, Stage::TessEvaluation, "frn_v", 30), out);
}

#[test]
fn clip_distances_are_copied_by_element() {
    let stages = [
        (
            Stage::Vertex,
            "#version 150\nout gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };\n\
             void main() { gl_Position = vec4(0); gl_ClipDistance[1] = 1.0; }",
        ),
        (
            Stage::Geometry,
            "#version 150\nlayout(points) in; layout(points, max_vertices = 1) out;\n\
             in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];\n\
             void main() { float c[2] = gl_in[0].gl_ClipDistance; gl_Position = vec4(c[1]); EmitVertex(); }",
        ),
    ];
    let archive = link_all(&stages, &desktop(), &LinkOptions::default()).expect("links");
    use forerun_glsl::spirv::{module, op, types::Type};
    let words = archive.stage(Stage::Geometry).expect("geometry").spirv.clone();
    let read = module::Module::read(words.clone()).expect("module");
    let mut copies = 0;
    let mut input_pointers = std::collections::HashSet::new();
    for instruction in module::instructions(&words) {
        match instruction.op {
            op::ACCESS_CHAIN => {
                let input = matches!(
                    read.ty(instruction.word(0)),
                    Type::Pointer { class: op::CLASS_INPUT, .. }
                );
                if input {
                    input_pointers.insert(instruction.word(1));
                }
            }
            op::LOAD if input_pointers.contains(&instruction.word(2)) => {
                assert!(
                    !matches!(read.ty(instruction.word(0)), Type::Array(..)),
                    "an array is read whole"
                );
                copies += 1;
            }
            _ => {}
        }
    }
    assert_eq!(copies, 2);
}

#[test]
fn colours_and_data_are_not_mixed() {
    let vertex = "void main() { gl_Position = vec4(0.0); }";
    let both = "precision mediump float; void main() { gl_FragColor = vec4(1.0); gl_FragData[0] = vec4(1.0); }";
    let log = two(vertex, both, true).expect_err("both");
    assert!(log.contains("gl_FragColor") && log.contains("gl_FragData"), "{log}");
    let blends = "#extension GL_EXT_blend_func_extended : require\nprecision mediump float;\n\
        void main() { gl_FragData[0] = vec4(1.0); gl_SecondaryFragDataEXT[0] = vec4(0.5); }";
    let context = dialect(true, 320, &["GL_EXT_blend_func_extended"]);
    let stages = [(Stage::Vertex, vertex), (Stage::Fragment, blends)];
    let archive = link_all(&stages, &context, &LinkOptions::default()).expect("links");
    let mut found: Vec<_> = archive.outputs.iter().map(|o| (o.name.as_str(), o.index)).collect();
    found.sort_unstable();
    assert_eq!(found, [("gl_FragData[0]", 0), ("gl_SecondaryFragDataEXT[0]", 1)]);
}

#[test]
fn inputs_of_separate_programs_without_an_output_have_locations_of_their_own() {
    let vertex = "#version 150\nout vec4 a0; out vec4 a1; out vec2 a2;\n\
        void main() { gl_Position = a0 = a1 = vec4(1.0); a2 = vec2(1.0); }";
    let geometry = "#version 150\nlayout(triangles) in; layout(points, max_vertices = 1) out;\n\
        in vec4 b0[]; in vec4 b1[]; in vec3 other[];\n\
        void main() { gl_Position = b0[0] + b1[1] + other[2].xyzz; EmitVertex(); }";
    let stages = [(Stage::Vertex, vertex), (Stage::Geometry, geometry)];
    let options = LinkOptions { pipeline: true, separable: true, ..LinkOptions::default() };
    let archive = link_all(&stages, &desktop(), &options).expect("links");
    let at = |stage, name| decoration(&archive, stage, name, 30).expect(name);
    for (output, input) in [("a0", "b0"), ("a1", "b1")] {
        assert_eq!(at(Stage::Vertex, output), at(Stage::Geometry, input));
    }
    let outputs = ["a0", "a1", "a2"].map(|name| at(Stage::Vertex, name));
    assert!(!outputs.contains(&at(Stage::Geometry, "other")), "{outputs:?}");
}

#[test]
fn uniforms_beyond_all_bounds_are_told_in_words() {
    let log = |declared: &str, used: &str| {
        let vertex =
            format!("#version 430\n{declared}\nvoid main() {{ gl_Position = vec4({used}); }}");
        link_all(&[(Stage::Vertex, &vertex)], &desktop(), &LinkOptions::default()).unwrap_err()
    };
    for (declared, used) in [
        ("uniform float a[1000000000];", "a[1]"),
        ("struct S { float f; }; uniform S a[1000000000];", "a[1].f"),
        ("struct S { float f[100000]; float g; }; uniform S a[100];", "a[1].g"),
        ("layout(std140) uniform B { float a[1000000000]; };", "a[1]"),
    ] {
        let said = log(declared, used);
        assert!(said.contains("more than") && said.contains("uniform"), "{declared}: {said}");
    }
}
