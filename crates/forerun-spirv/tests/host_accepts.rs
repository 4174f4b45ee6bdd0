//! Every construct, translated and given to the host's driver in both dialects.

mod common;

use common::host::Host;
use forerun_pipe::archive::{Archive, Feedback, Stage, StageCode};
use forerun_spirv::{Dialect, Options, Target, feedback_names, translate};

const V: Stage = Stage::Vertex;
const F: Stage = Stage::Fragment;
const G: Stage = Stage::Geometry;
const C: Stage = Stage::Compute;

fn texts(stages: &[(Stage, &str)], target: &Target) -> Vec<(Stage, String)> {
    let mask = stages.iter().fold(0, |mask, s| mask | s.0.bit());
    stages
        .iter()
        .map(|(stage, source)| {
            let words = common::spirv(*stage, source);
            let options = Options { stages: mask, ..Options::default() };
            let text = translate(*stage, &words, target, &options)
                .unwrap_or_else(|refusal| panic!("{refusal}\n{source}"));
            (*stage, text)
        })
        .collect()
}

/// Links on the host in the wanted dialects.
fn accepted(es: bool, gl: bool, stages: &[(Stage, &str)]) {
    for (wanted, is_es) in [(es, true), (gl, false)] {
        let Some(host) = wanted.then(|| Host::new(is_es)).flatten() else { continue };
        let dialect = if is_es { Dialect::Essl(320) } else { Dialect::Glsl(450) };
        let target = Target::new(dialect, &host.extensions);
        if let Err(log) = host.link(&texts(stages, &target), &[]) {
            panic!("{dialect:?}: {log}");
        }
    }
}

const PLAIN_VERTEX: &str = "#version 460
    layout(location = 0) in vec4 position;
    layout(location = 0) out vec4 colour;
    void main() { gl_Position = position; colour = position; }";

const PLAIN_FRAGMENT: &str = "#version 460
    layout(location = 0) in vec4 colour;
    layout(location = 0) out vec4 result;
    void main() { result = colour; }";

#[test]
fn plain_program() {
    accepted(true, true, &[(V, PLAIN_VERTEX), (F, PLAIN_FRAGMENT)]);
}

#[test]
fn default_block_of_two_stages_is_one_block() {
    let block = "struct Light { vec3 colour; float power[2]; mat3 m; };
        layout(set = 0, binding = 0, std140) uniform fr_DefaultBlock {
            mat4 mvp; Light lights[2]; uint flag; mediump vec4 tint; };";
    let vertex = format!(
        "#version 460\n{block}
        layout(location = 0) in vec4 p;
        void main() {{ gl_Position = mvp * p * lights[1].power[1]; }}"
    );
    let fragment = format!(
        "#version 460\n{block}
        layout(location = 0) out vec4 c;
        void main() {{ c = vec4(lights[gl_FragCoord.x > 1.0 ? 1 : 0].m[1], 1.0) * tint * float(flag); }}"
    );
    accepted(true, true, &[(V, &vertex), (F, &fragment)]);
}

#[test]
fn uniform_and_storage_blocks_by_slot() {
    let vertex = "#version 460
        struct S { vec2 a; float b; };
        layout(set = 0, binding = 1, std140) uniform Blk { mat4 m; S s[3]; } blk;
        layout(set = 0, binding = 2, std140) uniform Arr { layout(row_major) mat3x2 m; vec4 v; } arr[2];
        layout(location = 0) in vec4 p;
        layout(location = 0) flat out int which;
        void main() { gl_Position = blk.m * p + blk.s[2].b + arr[0].v + arr[1].v.y; which = gl_VertexIndex + gl_InstanceIndex; }";
    let fragment = "#version 460
        struct S { vec2 a; float b; };
        layout(set = 0, binding = 1, std140) uniform Blk { mat4 m; S s[3]; } blk;
        layout(set = 1, binding = 0, std430) buffer Store { uint count; S s[]; } store;
        layout(set = 1, binding = 1, std430) readonly buffer Other { float f[]; } other[2];
        layout(location = 0) flat in int which;
        layout(location = 0) out vec4 c;
        void main() { atomicAdd(store.count, 1u); store.s[which].b = other[1].f[which]; c = vec4(blk.s[1].a, 0, 1); }";
    accepted(true, true, &[(V, vertex), (F, fragment)]);
}

#[test]
fn samplers_and_images() {
    let fragment = "#version 460
        layout(set = 2, binding = 0) uniform sampler2D gl_odd[3];
        layout(set = 2, binding = 3) uniform samplerCubeShadow sh;
        layout(set = 2, binding = 4) uniform usampler2DArray ua;
        layout(set = 2, binding = 5) uniform sampler3D vol;
        layout(set = 2, binding = 6) uniform samplerBuffer tb;
        layout(set = 2, binding = 7) uniform sampler2DMS ms;
        layout(set = 3, binding = 0, rgba8) uniform writeonly image2D im;
        layout(set = 3, binding = 1, r32ui) uniform uimage2D counter;
        layout(set = 3, binding = 2, rg16f) uniform readonly image2D two;
        layout(location = 0) out vec4 c;
        void main() {
            c = texture(gl_odd[2], gl_FragCoord.xy) + textureLod(vol, vec3(0.1), 1.0) + texelFetch(tb, 3)
                + texture(sh, vec4(1)) + vec4(texture(ua, vec3(0))) + texelFetch(ms, ivec2(0), 1)
                + textureGather(gl_odd[0], vec2(0), 1) + imageLoad(two, ivec2(1));
            imageStore(im, ivec2(0), c);
            imageAtomicAdd(counter, ivec2(0), 1u);
        }"
    .replace("gl_odd", "odd");
    accepted(true, true, &[(V, PLAIN_VERTEX), (F, &fragment)]);
}

#[test]
fn varyings_of_every_kind() {
    let vertex = "#version 460
        struct In { vec2 a; float b[2]; };
        layout(location = 0) in vec4 p;
        layout(location = 0) out In s;
        layout(location = 4) flat out ivec3 i;
        layout(location = 5) out Blk { vec4 x; centroid vec2 y; mat2 z; } blk;
        layout(location = 10) noperspective out float np;
        layout(location = 11) out float arr[3];
        void main() { gl_Position = p; s.a = p.xy; s.b[0] = p.x; s.b[1] = p.y; i = ivec3(1); blk.x = p; blk.y = p.xy; blk.z = mat2(1.0);
            np = 1.0; arr[0] = arr[1] = arr[2] = p.w; gl_PointSize = 2.0; }";
    let fragment = "#version 460
        struct In { vec2 a; float b[2]; };
        layout(location = 0) in In s;
        layout(location = 4) flat in ivec3 i;
        layout(location = 5) in Blk { vec4 x; centroid vec2 y; mat2 z; } other;
        layout(location = 10) noperspective in float np;
        layout(location = 11) in float arr[3];
        layout(location = 0) out vec4 c;
        layout(location = 1) out ivec4 d;
        void main() { c = vec4(s.a, s.b[1], other.x.x) + vec4(other.y, other.z[0]) * np * arr[1]; d = i.xyzz; }";
    // ESSL has no noperspective and no arrays in structures that vary.
    let smooth = |text: &str| {
        let text = text.replace("noperspective ", "").replace("float b[2]", "vec2 b");
        text.replace("s.b[0] = p.x; s.b[1] = p.y", "s.b = p.xy")
    };
    accepted(false, true, &[(V, vertex), (F, fragment)]);
    accepted(true, false, &[(V, &smooth(vertex)), (F, &smooth(fragment))]);
}

#[test]
fn geometry_with_point_size_and_blocks() {
    let vertex = "#version 460
        layout(location = 0) in vec4 p;
        layout(location = 0) out vec4 a;
        layout(location = 1) out Blk { vec4 x; } blk;
        void main() { gl_Position = p; a = p; blk.x = p; gl_PointSize = 1.0; }";
    let geometry = "#version 460
        layout(triangles) in;
        layout(points, max_vertices = 3) out;
        layout(location = 0) in vec4 a[];
        layout(location = 1) in Blk { vec4 x; } blk[];
        layout(location = 0) out vec4 b;
        layout(location = 1) out Blk { vec4 x; } blk_out;
        void main() { for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; gl_PointSize = gl_in[i].gl_PointSize; b = a[i];
            blk_out.x = blk[i].x; gl_PrimitiveID = gl_PrimitiveIDIn; gl_Layer = 0; EmitVertex(); } EndPrimitive(); }";
    let fragment = "#version 460
        layout(location = 0) in vec4 b;
        layout(location = 1) in Blk { vec4 x; } blk;
        layout(location = 0) out vec4 c;
        void main() { c = b + blk.x + vec4(gl_PrimitiveID, gl_PointCoord, gl_FrontFacing ? 1 : 0); gl_FragDepth = 0.5; }";
    accepted(true, true, &[(V, vertex), (G, geometry), (F, fragment)]);
}

#[test]
fn tessellation() {
    let control = "#version 460
        layout(vertices = 3) out;
        layout(location = 0) in vec4 colour[];
        layout(location = 0) out vec4 next[];
        layout(location = 1) patch out vec4 whole;
        void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position; next[gl_InvocationID] = colour[gl_InvocationID];
            whole = vec4(1); gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 2.0; }";
    let evaluation = "#version 460
        layout(triangles, equal_spacing, ccw) in;
        layout(location = 0) in vec4 next[];
        layout(location = 1) patch in vec4 whole;
        layout(location = 0) out vec4 colour;
        void main() { gl_Position = gl_in[0].gl_Position * gl_TessCoord.x; colour = next[1] + whole; }";
    accepted(
        true,
        true,
        &[
            (V, PLAIN_VERTEX),
            (Stage::TessControl, control),
            (Stage::TessEvaluation, evaluation),
            (F, PLAIN_FRAGMENT),
        ],
    );
}

#[test]
fn compute() {
    let compute = "#version 460
        layout(local_size_x = 8, local_size_y = 4) in;
        layout(set = 1, binding = 0, std430) buffer B { uint n; uint data[]; } b;
        layout(set = 3, binding = 0, rgba32f) uniform writeonly image2D im;
        shared uint part[32];
        void main() { part[gl_LocalInvocationIndex] = gl_GlobalInvocationID.x; barrier(); memoryBarrierShared();
            b.data[gl_LocalInvocationIndex] = part[31u - gl_LocalInvocationIndex]; imageStore(im, ivec2(0), vec4(1)); }";
    accepted(true, true, &[(C, compute)]);
}

#[test]
fn depth_modes_and_dual_source() {
    let fragment = "#version 460
        layout(depth_greater) out float gl_FragDepth;
        layout(location = 0, index = 0) out vec4 a;
        layout(location = 0, index = 1) out vec4 b;
        void main() { a = vec4(1); b = vec4(0.5); gl_FragDepth = 1.0; }";
    accepted(true, true, &[(V, PLAIN_VERTEX), (F, fragment)]);
}

#[test]
fn feedback_varyings_by_the_hosts_names() {
    let vertex = "#version 460
        struct In { vec2 a; vec2 b; };
        layout(location = 0) in vec4 p;
        layout(location = 0) out In s;
        layout(location = 4) out Blk { vec4 x; vec4 y[2]; } inst;
        layout(location = 8) out float arr[3];
        layout(location = 11, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) out vec4 plain;
        layout(location = 12) out Bare { vec4 lone; };
        void main() { gl_Position = p; s.a = p.xy; s.b = p.xy; inst.x = p; inst.y[0] = p; inst.y[1] = p;
            arr[0] = arr[1] = arr[2] = p.w; plain = p; lone = p; gl_PointSize = 2.0; }";
    let feedback = |path: &str| Feedback { path: path.into(), ty: 1, ..Feedback::default() };
    let paths = ["gl_Position", "s.a", "s.b", "Blk.x", "Blk.y[1]", "arr[2]", "plain", "lone"];
    let archive = Archive {
        stages: vec![StageCode {
            stage: V,
            spirv: common::spirv(V, vertex),
            ..StageCode::default()
        }],
        feedback: paths.iter().map(|path| feedback(path)).collect(),
        ..Archive::default()
    };
    let names = feedback_names(&archive, &Target::new(Dialect::Essl(320), ""))
        .expect("every path is known");
    assert_eq!(
        names,
        ["gl_Position", "v0._m0", "v0._m1", "V4._m0", "V4._m1[1]", "v8[2]", "v11", "V12._m0"]
    );
    for es in [true, false] {
        let Some(host) = Host::new(es) else { continue };
        let dialect = if es { Dialect::Essl(320) } else { Dialect::Glsl(450) };
        let target = Target::new(dialect, &host.extensions);
        let fragment =
            "#version 460\nlayout(location = 0) out vec4 c; void main() { c = vec4(1); }";
        let stages = texts(&[(V, vertex), (F, fragment)], &target);
        if let Err(log) = host.link(&stages, &names) {
            panic!("{dialect:?}: {log}");
        }
    }
}

#[test]
fn instance_and_vertex_numbers_are_gls_own() {
    let vertex =
        "#version 460\nvoid main() { gl_Position = vec4(gl_VertexIndex, gl_InstanceIndex, 0, 1); }";
    for dialect in [Dialect::Essl(320), Dialect::Glsl(430)] {
        let text = &texts(&[(V, vertex)], &Target::new(dialect, ""))[0].1;
        assert!(text.contains("gl_VertexID") && text.contains("gl_InstanceID"), "{text}");
        assert!(!text.contains("Base"), "{text}");
    }
}

#[test]
fn rectangles_are_two_dimensional_on_es() {
    let fragment = "#version 460
        layout(set = 2, binding = 0) uniform sampler2DRect r;
        layout(set = 2, binding = 1) uniform sampler2DRectShadow s;
        layout(location = 0) in vec4 colour;
        layout(location = 0) out vec4 c;
        void main() { c = texture(r, vec2(3)) + textureProj(r, colour.xyz) + texelFetch(r, ivec2(1)) + vec4(textureSize(r), 0, 0)
            + textureGrad(r, vec2(1), vec2(2), vec2(3)) + texture(s, vec3(1, 2, 0.5)) + textureOffset(r, vec2(1), ivec2(1)); }";
    accepted(true, true, &[(V, PLAIN_VERTEX), (F, fragment)]);
    let words = common::spirv(F, fragment);
    let text = translate(F, &words, &Target::new(Dialect::Essl(320), ""), &Options::default())
        .expect("rectangles can be said");
    assert!(!text.contains("Rect"), "{text}");
}

#[test]
fn one_colour_for_all_outputs() {
    let fragment = "#version 460
        layout(location = 0) in vec4 colour;
        layout(location = 0) out vec4 c;
        void main() { c = colour; if (colour.x < 0.5) return; c *= 2.0; }";
    let words = common::spirv(F, fragment);
    let options = Options { broadcast: 3, stages: V.bit() | F.bit(), ..Options::default() };
    for es in [true, false] {
        let Some(host) = Host::new(es) else { continue };
        let dialect = if es { Dialect::Essl(320) } else { Dialect::Glsl(450) };
        let target = Target::new(dialect, &host.extensions);
        let text = translate(F, &words, &target, &options).expect("a plain shader");
        assert!(text.contains("layout(location = 2) out"), "{text}");
        assert_eq!(text.matches("f2 = ").count(), 2, "{text}");
        let mut stages = texts(&[(V, PLAIN_VERTEX)], &target);
        stages.push((F, text));
        if let Err(log) = host.link(&stages, &[]) {
            panic!("{dialect:?}: {log}");
        }
    }
}

#[test]
fn origin_and_formats_on_request() {
    let fragment = "#version 460
        layout(set = 3, binding = 2) uniform writeonly image2D im;
        layout(location = 0) out vec4 c;
        void main() { c = gl_FragCoord; imageStore(im, ivec2(0), c); }";
    let words = common::spirv(F, fragment);
    let options = Options { upper_left: true, image_formats: &[(2, 0x8058)], ..Options::default() };
    let text = |dialect| translate(F, &words, &Target::new(dialect, ""), &options).expect("text");
    assert!(text(Dialect::Glsl(430)).contains("layout(origin_upper_left) in vec4 gl_FragCoord;"));
    assert!(text(Dialect::Essl(320)).contains("layout(binding = 2, rgba8)"));
}

#[test]
fn outputs_that_are_read_back() {
    let fragment = "#version 460
        layout(location = 0) in vec4 colour;
        layout(location = 1) out vec4 result;
        void main() { result = result * 0.5 + colour; }";
    for (is_es, dialect) in [(true, Dialect::Essl(320)), (false, Dialect::Glsl(450))] {
        let Some(host) = Host::new(is_es) else { continue };
        let target = Target::new(dialect, &host.extensions);
        let words = common::spirv(F, fragment);
        let options = Options { fetched: 0b10, stages: V.bit() | F.bit(), ..Options::default() };
        match translate(F, &words, &target, &options) {
            Ok(text) => {
                assert!(text.contains("inout"), "{text}");
                let vertex = texts(&[(V, PLAIN_VERTEX)], &target);
                let stages = [vertex[0].clone(), (F, text)];
                if let Err(log) = host.link(&stages, &[]) {
                    panic!("{dialect:?}: {log}");
                }
            }
            Err(refusal) => {
                assert!(!target.has("GL_EXT_shader_framebuffer_fetch"), "{refusal}");
            }
        }
    }
}

#[test]
fn matrices_of_doubles_in_blocks() {
    let block = "struct Pair { dmat3x2 narrow; float number; };
        layout(set = 0, binding = 0, std140) uniform fr_DefaultBlock {
            double a; dmat2 m; layout(row_major) dmat2x3 rows; Pair pairs[2]; dmat4x2 list[2][3]; double end; };";
    let vertex = format!(
        "#version 460\n{block}
        layout(set = 1, binding = 0, std140) buffer Store {{ dmat2 m; float f; dmat3x2 last[]; }} store;
        layout(set = 1, binding = 1, std430) buffer Tight {{ float f; dmat2 m; dmat3x2 last[]; }} tight;
        layout(location = 0) in vec4 p;
        void main() {{
            double sum = a + m[1][0] + rows[1][2] + pairs[1].narrow[2][1] + list[1][2][3][1] + end;
            gl_Position = p * float(sum + store.last[1][2][0] + tight.last[1][2][0]) * store.f * tight.f;
        }}"
    );
    accepted(false, true, &[(V, &vertex), (F, PLAIN_FRAGMENT_WITHOUT_INPUT)]);
}

const PLAIN_FRAGMENT_WITHOUT_INPUT: &str = "#version 460
    layout(location = 0) out vec4 result;
    void main() { result = vec4(1.0); }";
