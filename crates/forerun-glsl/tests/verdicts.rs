//! What compiles and what does not, by the rules of the version that the source asks for.

mod common;

use common::{desktop, dialect, es, try_compile};
use forerun_pipe::archive::Stage::{self, Compute, Fragment, Geometry, Vertex};

/// (context is ES, stage, compiles, source, a word that the log of a failure has)
type Case = (bool, Stage, bool, &'static str, &'static str);

const CASES: &[Case] = &[
    // Sizes
    (
        false,
        Compute,
        true,
        "#version 430\nlayout(local_size_x = 32, local_size_y = 32) in; void main() {}",
        "",
    ),
    (
        false,
        Compute,
        false,
        "#version 430\nlayout(local_size_x = 11, local_size_y = 11, local_size_z = 11) in; void main() {}",
        "1331 invocations",
    ),
    (
        false,
        Geometry,
        false,
        "#version 400\nlayout(points, invocations = 33) in; layout(points, max_vertices = 1) out; void main() {}",
        "33 invocations",
    ),
    // ES 1.00
    (true, Vertex, true, "attribute vec4 p; void main() { gl_Position = p; }", ""),
    (
        true,
        Fragment,
        true,
        "precision mediump float; varying vec4 c; void main() { gl_FragColor = c; }",
        "",
    ),
    (true, Fragment, false, "varying vec4 c; void main() { gl_FragColor = c; }", "precision"),
    (
        true,
        Fragment,
        true,
        "#ifdef GL_ES\nprecision mediump float;\n#endif\nvoid main() { gl_FragColor = vec4(1.0); }",
        "",
    ),
    (
        true,
        Fragment,
        false,
        "precision mediump float; attribute vec4 a; void main() { gl_FragColor = a; }",
        "attribute",
    ),
    (true, Vertex, false, "attribute ivec4 a; void main() { gl_Position = vec4(a); }", "floating"),
    (true, Vertex, false, "attribute vec4 a[2]; void main() { gl_Position = a[0]; }", "arrays"),
    (
        true,
        Vertex,
        false,
        "uniform float f = 1.0; void main() { gl_Position = vec4(f); }",
        "initial",
    ),
    (true, Vertex, false, "in vec4 a; void main() { gl_Position = a; }", "300"),
    (true, Vertex, false, "attribute float a; void main() { gl_Position = vec4(a + 1); }", "+"),
    (
        true,
        Vertex,
        true,
        "attribute vec4 p; float round(float x) { return floor(x + 0.5); } void main() { gl_Position = p * round(p.x); }",
        "",
    ),
    (
        true,
        Fragment,
        true,
        "precision mediump float; uniform sampler2D texture; varying vec2 t; void main() { gl_FragColor = texture2D(texture, t); }",
        "",
    ),
    (
        true,
        Fragment,
        true,
        "precision mediump float; uniform vec4 sample, buffer; void main() { vec4 patch = sample; gl_FragColor = patch + buffer; }",
        "",
    ),
    (
        true,
        Fragment,
        true,
        "precision mediump float; invariant varying vec4 v; void main() { gl_FragColor = v; }",
        "",
    ),
    (
        true,
        Fragment,
        true,
        "precision mediump float; invariant gl_FragCoord; void main() { gl_FragColor = gl_FragCoord; }",
        "",
    ),
    (
        true,
        Fragment,
        true,
        "precision mediump float; void main() { gl_FragData[0] = vec4(float(gl_MaxDrawBuffers)); }",
        "",
    ),
    (true, Vertex, false, "#version 110\nvoid main() { gl_Position = vec4(0.0); }", "1.00"),
    (true, Vertex, false, "#version 330\nvoid main() { gl_Position = vec4(0.0); }", "supported"),
    (true, Vertex, false, "#version 100 es\nvoid main() { gl_Position = vec4(0.0); }", "supported"),
    (true, Vertex, false, "void main() { gl_Position = vec4(0.0) }", "0:1:"),
    (
        true,
        Vertex,
        false,
        "#extension GL_FR_nothing : require\nvoid main() { gl_Position = vec4(0.0); }",
        "GL_FR_nothing",
    ),
    (
        true,
        Vertex,
        true,
        "#extension GL_FR_nothing : enable\nvoid main() { gl_Position = vec4(0.0); }",
        "",
    ),
    (
        true,
        Vertex,
        true,
        "#ifdef GL_FR_nothing\n#extension GL_FR_nothing : require\n#endif\nvoid main() { gl_Position = vec4(0.0); }",
        "",
    ),
    (
        true,
        Vertex,
        false,
        "#extension all : enable\nvoid main() { gl_Position = vec4(0.0); }",
        "all",
    ),
    (
        true,
        Vertex,
        true,
        "#if __VERSION__ != 100\n#error\n#endif\nvoid main() { gl_Position = vec4(0.0); }",
        "",
    ),
    (
        true,
        Vertex,
        true,
        "#ifdef VULKAN\n#error\n#endif\nvoid main() { gl_Position = vec4(0.0); }",
        "",
    ),
    (
        true,
        Fragment,
        false,
        "precision mediump float; void main() { gl_SecondaryFragColorEXT = vec4(1.0); gl_FragColor = vec4(1.0); }",
        "gl_SecondaryFragColorEXT",
    ),
    (
        true,
        Fragment,
        true,
        "precision mediump float; void main() { gl_FragColor = vec4(float(gl_MaxVaryingVectors)); }",
        "",
    ),
    // ES 3.x
    (
        true,
        Vertex,
        true,
        "#version 300 es\nin vec4 p; flat out int i; void main() { i = gl_VertexID; gl_Position = p; }",
        "",
    ),
    (
        true,
        Vertex,
        false,
        "#version 300 es\nattribute vec4 p; void main() { gl_Position = p; }",
        "100",
    ),
    (
        true,
        Fragment,
        false,
        "#version 300 es\nprecision highp float; in int i; out vec4 c; void main() { c = vec4(i); }",
        "flat",
    ),
    (
        true,
        Fragment,
        true,
        "#version 300 es\nprecision highp float; flat in int i; out vec4 c; void main() { c = vec4(i); }",
        "",
    ),
    (
        true,
        Fragment,
        true,
        "// first\n/* a\ncomment */ #version 300 es\r\nprecision highp float;\r\nout vec4 c;\r\nvoid main() { c = vec4(1); }\r\n",
        "",
    ),
    (
        true,
        Fragment,
        false,
        "precision mediump float;\n#version 300 es\nvoid main() { }",
        "version",
    ),
    (
        true,
        Compute,
        true,
        "#version 310 es\nlayout(local_size_x = 8) in; layout(std430, binding = 1) buffer B { uint n[]; }; void main() { n[gl_LocalInvocationIndex] = 1u; }",
        "",
    ),
    (true, Compute, false, "#version 310 es\nvoid main() { undeclared = 1; }", "undeclared"),
    (
        true,
        Compute,
        true,
        "#version 310 es\nlayout(local_size_x = 1) in; layout(binding = 0, offset = 4) uniform atomic_uint a; void main() { atomicCounterIncrement(a); }",
        "",
    ),
    (
        true,
        Compute,
        true,
        "#version 310 es\nlayout(local_size_x = 1) in; layout(rgba8, binding = 1) writeonly uniform highp image2D i; void main() { imageStore(i, ivec2(0), vec4(1)); }",
        "",
    ),
    (
        true,
        Geometry,
        true,
        "#version 320 es\nlayout(points) in; layout(points, max_vertices = 1) out; void main() { gl_Position = gl_in[0].gl_Position; EmitVertex(); }",
        "",
    ),
    (
        true,
        Compute,
        true,
        "#version 310 es\nlayout(local_size_x = 1) in; layout(binding = 0) uniform atomic_uint a; void main() { atomicCounterDecrement(a); uint b = atomicCounterIncrement(a) + atomicCounter(a); }",
        "",
    ),
    (
        true,
        Vertex,
        true,
        "#if !defined(__VERSION__) || !defined __VERSION__\n#error\n#endif\nvoid main() { gl_Position = vec4(0.0); }",
        "",
    ),
    (
        true,
        Fragment,
        false,
        "#version 320 es\nprecision highp float; struct S { uint u; }; in B { S s; }; out vec4 c; void main() { c = vec4(s.u); }",
        "flat",
    ),
    (
        true,
        Fragment,
        true,
        "#version 320 es\nprecision highp float; in B { flat int s; }; out vec4 c; void main() { c = vec4(s); }",
        "",
    ),
    (
        false,
        Vertex,
        false,
        "#version 150\nvec4 block() { return vec4(0); } out block { vec4 a; } inst; void main() { }",
        "block",
    ),
    (
        true,
        Fragment,
        true,
        "#version 310 es\nprecision highp float; layout(location = 0) uniform sampler2D texture; in vec2 t; out vec4 c; void main() { c = texture2D(texture, t); }",
        "",
    ),
    // Desktop
    (
        false,
        Fragment,
        true,
        "#version 420\nlayout(binding = 1, offset = 8) uniform atomic_uint; layout(binding = 1) uniform atomic_uint a; out vec4 c; void main() { c = vec4(atomicCounter(a)); }",
        "",
    ),
    (
        false,
        Vertex,
        true,
        "attribute vec4 p; varying vec3 v; void main() { v = p.xyz; gl_Position = p; }",
        "",
    ),
    (
        false,
        Fragment,
        true,
        "uniform sampler2DShadow s; varying vec3 t; void main() { gl_FragColor = shadow2D(s, t) + shadow2D(s, t, 0.5); }",
        "",
    ),
    (
        false,
        Fragment,
        true,
        "uniform sampler2D a; uniform samplerCube b; uniform sampler3D c; void main() { gl_FragData[1] = texture2D(a, vec2(0.0)) + texture2DProj(a, vec4(1.0)) + textureCube(b, vec3(1.0)) + texture3D(c, vec3(0.0)); }",
        "",
    ),
    (
        false,
        Fragment,
        true,
        "#version 120\nuniform float f = 2.0; void main() { gl_FragColor = vec4(f); }",
        "",
    ),
    (
        false,
        Fragment,
        true,
        "#version 140\nout vec4 c; uniform samplerBuffer b; void main() { c = texelFetch(b, 1); }",
        "",
    ),
    (
        false,
        Fragment,
        true,
        "#version 150\nlayout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord; out vec4 c; void main() { c = gl_FragCoord; }",
        "",
    ),
    (
        false,
        Fragment,
        true,
        "#version 330 core\nout vec4 c; uniform float double; void main() { float sample = double; c = vec4(sample); }",
        "",
    ),
    (
        false,
        Fragment,
        false,
        "#version 400\nout vec4 c; uniform float double; void main() { c = vec4(double); }",
        "DOUBLE",
    ),
    (
        false,
        Fragment,
        false,
        "#version 420\nvoid main() { gl_FragColor = vec4(1.0); }",
        "gl_FragColor",
    ),
    (
        false,
        Vertex,
        true,
        "#version 330\nlayout(shared) uniform B { bool flag; mat4 m; }; void main() { gl_Position = flag ? m[0] : m[1]; }",
        "",
    ),
    (
        false,
        Fragment,
        true,
        "#version 130\nvoid main() { gl_FragColor = vec4(gl_DepthRange.near, gl_DepthRange.far, gl_DepthRange.diff, 1.0); }",
        "",
    ),
    (
        false,
        Vertex,
        false,
        "#version 300 es\nvoid main() { gl_Position = vec4(0.0); }",
        "supported",
    ),
    (
        false,
        Vertex,
        false,
        "#version 150 compatibility\nvoid main() { gl_Position = vec4(0.0); }",
        "supported",
    ),
    (false, Vertex, false, "#version 101\nvoid main() { gl_Position = vec4(0.0); }", "supported"),
    (
        false,
        Geometry,
        true,
        "#version 150\nlayout(triangles) in; layout(triangle_strip, max_vertices = 3) out; in vec4 v[]; out vec4 w; void main() { for (int i = 0; i < 3; i++) { w = v[i]; gl_Position = gl_in[i].gl_Position; EmitVertex(); } EndPrimitive(); }",
        "",
    ),
];

#[test]
fn verdicts_follow_the_language_version() {
    for (is_es, stage, good, source, word) in CASES {
        let context = if *is_es { es() } else { desktop() };
        let result = try_compile(*stage, source, &context);
        assert_eq!(result.shader.is_some(), *good, "{source}\n{}", result.log);
        assert!(result.log.contains(word), "the log lacks `{word}':\n{}\n{source}", result.log);
    }
}

#[test]
fn the_context_bounds_the_version() {
    let source = "#version 310 es\nvoid main() { gl_Position = vec4(0.0); }";
    assert!(try_compile(Vertex, source, &dialect(true, 300, &[])).shader.is_none());
    assert!(try_compile(Vertex, source, &dialect(true, 310, &[])).shader.is_some());
    let source = "#version 400\nvoid main() { gl_Position = vec4(0.0); }";
    assert!(try_compile(Vertex, source, &dialect(false, 330, &[])).shader.is_none());
    let source = "#version 100\nvoid main() { gl_Position = vec4(0.0); }";
    assert!(try_compile(Vertex, source, &dialect(false, 330, &[])).shader.is_none());
    let both = dialect(false, 330, &["GL_ARB_ES2_compatibility"]);
    assert!(try_compile(Vertex, source, &both).shader.is_some());
}

#[test]
fn extensions_are_those_of_the_context() {
    let source = "#extension GL_OES_standard_derivatives : require\nprecision mediump float;\n\
        varying vec2 v;\nvoid main() { gl_FragColor = vec4(dFdx(v), 0.0, 1.0); }";
    assert!(try_compile(Fragment, source, &es()).shader.is_none());
    let with = dialect(true, 100, &["GL_OES_standard_derivatives"]);
    assert!(try_compile(Fragment, source, &with).shader.is_some());
    let macros = "#ifndef GL_OES_standard_derivatives\n#error missing\n#endif\n\
        #ifdef GL_EXT_frag_depth\n#error not offered\n#endif\nvoid main() { gl_FragColor = vec4(1.0); }";
    let result = try_compile(Fragment, macros, &with);
    assert!(result.shader.is_some(), "{}", result.log);
}

#[test]
fn errors_name_the_lines_of_the_program() {
    let line = |source: &str, context: &forerun_glsl::Dialect, expected: &str| {
        let result = try_compile(Fragment, source, context);
        assert!(result.shader.is_none());
        assert!(result.log.starts_with(expected), "{expected} in:\n{}", result.log);
    };
    line(
        "#version 300 es\nprecision highp float;\nout vec4 c;\n\nvoid main() { c = nope; }",
        &es(),
        "0:5: error:",
    );
    line(
        "precision mediump float;\nvoid main() {\n  gl_FragColor = nope;\n}",
        &es(),
        "0:3: error:",
    );
    line(
        "#define A \\\n 1.0\nprecision mediump float;\nvoid main() { gl_FragColor = nope; }",
        &es(),
        "0:4: error:",
    );
    line(
        "precision mediump float;\n#line 10\nvoid main() { gl_FragColor = nope; }",
        &es(),
        "0:11: error:",
    );
    line(
        "#version 330\nout vec4 c;\n#line 10\nvoid main() { c = nope; }",
        &desktop(),
        "0:10: error:",
    );
    line("#version 330\nout vec4 c;\n#error here\nvoid main() { }", &desktop(), "0:3: error:");
    line(
        "#version 110\nuniform float sample;\nvoid main() { gl_FragColor = vec4(sample.y, sample2); }",
        &desktop(),
        "0:3: error:",
    );
    line("#extension GL_FR_nothing : require\nvoid main() { }", &es(), "0:1: error:");
}

#[test]
fn logs_speak_of_the_programs_names() {
    let source = "#version 110\nuniform vec4 sample;\nvoid main() { gl_FragColor = sample.nope; }";
    let log = try_compile(Fragment, source, &desktop()).log;
    assert!(!log.contains("fr_") && !log.contains("frn"), "our own names show:\n{log}");
}

#[test]
fn limits_of_zero_do_not_break_the_compiler() {
    let limits = forerun_glsl::Limits {
        max_vertex_atomic_counters: 0,
        max_vertex_atomic_counter_buffers: 0,
        max_vertex_image_uniforms: 0,
        max_fragment_image_uniforms: 0,
        max_combined_image_uniforms: 0,
        max_image_units: 0,
        max_image_samples: 0,
        max_cull_distances: 0,
        max_clip_distances: 0,
        max_dual_source_draw_buffers: 0,
        max_compute_work_group_count: 0,
        max_geometry_texture_image_units: 0,
        max_tess_components: 0,
        max_viewports: 0,
        max_transform_feedback_buffers: 0,
        max_combined_atomic_counters: 0,
        max_atomic_counter_bindings: 0,
        max_vertex_texture_image_units: 0,
        ..Default::default()
    };
    let sources = [
        (es(), "attribute vec4 a; void main() { gl_Position = a; }"),
        (es(), "#version 320 es\nin vec4 a; void main() { gl_Position = a; }"),
        (desktop(), "#version 330\nin vec4 a; void main() { gl_Position = a; }"),
    ];
    for (context, source) in &sources {
        let result = forerun_glsl::compile(Vertex, source, context, &limits);
        assert!(result.shader.is_some(), "{source}\n{}", result.log);
    }
}
