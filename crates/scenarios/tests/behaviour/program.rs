//! Programs: uniforms, links, pipelines, stages.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::world::{FLAT, SIDE};
use scenarios::{World, scenarios};
use std::ffi::CString;

scenarios! { "program";
    [Es(20), Es(30), Core(33)], Needs::PIXELS =>
        a_program_in_use_survives_its_delete,
        a_relink_takes_effect_and_a_failed_one_does_not,
        programs_in_turn_keep_their_uniforms;
    [Es(20), Es(32), Core(33)], Needs::NOTHING =>
        a_wrong_shader_says_where,
        what_does_not_fit_is_not_linked;
    [Es(30), Core(33)], Needs::PIXELS =>
        every_kind_of_uniform_reaches_the_shader,
        uniforms_change_between_draws,
        arrays_and_structures_are_set_by_element,
        samplers_read_the_unit_that_they_name;
    [Es(30), Es(32), Core(33)], Needs::NOTHING => uniforms_are_told_back;
    [Es(31), Es(32)], Needs::PIXELS => a_pipeline_mixes_programs;
    [Es(32), Core(33)], Needs::PIXELS => a_geometry_shader_makes_primitives;
    [Es(32)], Needs::PIXELS => a_patch_is_tessellated;
}

const GREEN: [u8; 4] = [0, 255, 0, 255];
const RED: [u8; 4] = [255, 0, 0, 255];

fn a_program_in_use_survives_its_delete(w: &mut World) {
    let program = w.painter();
    let color = w.uniform(program, c"color");
    w.UseProgram(program);
    w.whole();
    w.DeleteProgram(program);
    let mut deleted = 0;
    w.GetProgramiv(program, c::DELETE_STATUS, &mut deleted);
    assert_eq!((w.IsProgram(program), deleted), (1, 1));
    w.Uniform4f(color, 0.0, 1.0, 0.0, 1.0);
    w.strip();
    w.expect_all(GREEN);
    w.UseProgram(0);
    assert_eq!(w.IsProgram(program), 0);
    w.rejects(c::INVALID_VALUE, || w.UseProgram(program));
}

/// Sources that paint that colour, in the language of the context.
fn fragment(w: &World, color: &str) -> String {
    if w.cell.api == Es(20) {
        return format!("void main() {{ gl_FragColor = vec4({color}); }}");
    }
    format!("out vec4 result; void main() {{ result = vec4({color}); }}")
}

fn vertex(w: &World) -> &'static str {
    if w.cell.api == Es(20) {
        return "attribute vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }";
    }
    FLAT
}

fn a_relink_takes_effect_and_a_failed_one_does_not(w: &mut World) {
    let program = w.program(vertex(w), &fragment(w, "1.0, 0.0, 0.0, 1.0"));
    w.UseProgram(program);
    w.whole();
    w.strip();
    w.expect_all(RED);
    // Another fragment shader: nothing changes until the link.
    let mut shaders = [0; 2];
    w.GetAttachedShaders(program, 2, std::ptr::null_mut(), shaders.as_mut_ptr());
    let is_fragment = |shader: u32| {
        let mut ty = 0;
        w.GetShaderiv(shader, c::SHADER_TYPE, &mut ty);
        ty as u32 == c::FRAGMENT_SHADER
    };
    let old = shaders.into_iter().find(|s| is_fragment(*s)).expect("it is attached");
    let green = w.shader(c::FRAGMENT_SHADER, &fragment(w, "0.0, 1.0, 0.0, 1.0"));
    w.DetachShader(program, old);
    w.AttachShader(program, green);
    w.strip();
    w.expect_all(RED);
    w.LinkProgram(program);
    w.expect_linked(program);
    w.strip();
    w.expect_all(GREEN);
    // A link that fails leaves what is in use in use.
    w.DetachShader(program, green);
    w.LinkProgram(program);
    let mut ok = 1;
    w.GetProgramiv(program, c::LINK_STATUS, &mut ok);
    if w.is_es() {
        assert_eq!(ok, 0);
    }
    if ok == 0 {
        w.clear([9; 4]);
        w.strip();
        w.expect_all(GREEN);
        // But it cannot be taken into use again.
        w.UseProgram(0);
        w.rejects(c::INVALID_OPERATION, || w.UseProgram(program));
    }
    w.AttachShader(program, green);
    w.LinkProgram(program);
    w.UseProgram(program);
    w.clear([9; 4]);
    w.strip();
    w.expect_all(GREEN);
}

fn programs_in_turn_keep_their_uniforms(w: &mut World) {
    let programs = [w.painter(), w.painter(), w.painter()];
    w.whole();
    for (i, program) in programs.into_iter().enumerate() {
        w.UseProgram(program);
        w.Uniform4f(w.uniform(program, c"color"), 0.2 * i as f32, 0.4, 0.6, 1.0);
    }
    w.Enable(c::SCISSOR_TEST);
    for i in 0..30 {
        w.UseProgram(programs[i % 3]);
        w.Scissor(i as i32, 0, 1, SIDE);
        w.strip();
    }
    w.Disable(c::SCISSOR_TEST);
    for i in 0..30 {
        w.expect_rect(i, 0, 1, SIDE, [51 * (i % 3) as u8, 102, 153, 255]);
    }
}

fn a_wrong_shader_says_where(w: &mut World) {
    let source = "void main() {\n  int a = nothing_of_that_name;\n}\n";
    let (shader, compiled) = w.compile(c::FRAGMENT_SHADER, source);
    assert!(!compiled);
    let mut value = 1;
    w.GetShaderiv(shader, c::INFO_LOG_LENGTH, &mut value);
    assert!(value > 1);
    let mut log = vec![0u8; value as usize];
    w.GetShaderInfoLog(shader, value, std::ptr::null_mut(), log.as_mut_ptr());
    let log = String::from_utf8_lossy(&log);
    assert!(log.contains("nothing_of_that_name") && log.contains('2'), "{log}");
    let program = w.CreateProgram();
    w.AttachShader(program, shader);
    w.LinkProgram(program);
    w.GetProgramiv(program, c::LINK_STATUS, &mut value);
    assert_eq!(value, 0);
    w.rejects(c::INVALID_OPERATION, || w.UseProgram(program));
    w.rejects(c::INVALID_VALUE, || w.CompileShader(4711));
    w.rejects(c::INVALID_OPERATION, || w.CompileShader(program));
    w.rejects(c::INVALID_ENUM, || {
        w.CreateShader(c::TEXTURE_2D);
    });
}

fn what_does_not_fit_is_not_linked(w: &mut World) {
    let (vertex, fragment) = if w.cell.api == Es(20) {
        (
            "attribute vec2 position; varying vec2 v; void main() { v = position; gl_Position = vec4(position, 0.0, 1.0); }",
            "varying vec3 v; void main() { gl_FragColor = vec4(v, 1.0); }",
        )
    } else {
        (
            "layout(location = 0) in vec2 position; out vec2 v; void main() { v = position; gl_Position = vec4(position, 0.0, 1.0); }",
            "in vec3 v; out vec4 color; void main() { color = vec4(v, 1.0); }",
        )
    };
    let program = w.CreateProgram();
    w.AttachShader(program, w.shader(c::VERTEX_SHADER, vertex));
    w.AttachShader(program, w.shader(c::FRAGMENT_SHADER, fragment));
    w.LinkProgram(program);
    let mut value = 1;
    w.GetProgramiv(program, c::LINK_STATUS, &mut value);
    assert_eq!(value, 0);
    w.GetProgramiv(program, c::INFO_LOG_LENGTH, &mut value);
    assert!(value > 1);
}

/// A kind of uniform: its type, a value in GLSL, and how it is set.
type Kind = (&'static str, &'static str, fn(&World, i32));

const KINDS: &[Kind] = &[
    ("float", "1.5", |w, l| w.Uniform1f(l, 1.5)),
    ("vec2", "vec2(1.0, -2.0)", |w, l| w.Uniform2f(l, 1.0, -2.0)),
    ("vec3", "vec3(1.0, 2.0, 3.0)", |w, l| w.Uniform3fv(l, 1, [1.0f32, 2.0, 3.0].as_ptr())),
    ("vec4", "vec4(1.0, 2.0, 3.0, 4.0)", |w, l| w.Uniform4f(l, 1.0, 2.0, 3.0, 4.0)),
    ("int", "-7", |w, l| w.Uniform1i(l, -7)),
    ("ivec2", "ivec2(1, -2)", |w, l| w.Uniform2i(l, 1, -2)),
    ("ivec3", "ivec3(1, 2, 3)", |w, l| w.Uniform3iv(l, 1, [1, 2, 3].as_ptr())),
    ("ivec4", "ivec4(1, 2, 3, 4)", |w, l| w.Uniform4i(l, 1, 2, 3, 4)),
    ("uint", "4000000000u", |w, l| w.Uniform1ui(l, 4_000_000_000)),
    ("uvec2", "uvec2(1, 2)", |w, l| w.Uniform2ui(l, 1, 2)),
    ("uvec3", "uvec3(1, 2, 3)", |w, l| w.Uniform3uiv(l, 1, [1u32, 2, 3].as_ptr())),
    ("uvec4", "uvec4(1, 2, 3, 4)", |w, l| w.Uniform4ui(l, 1, 2, 3, 4)),
    // A boolean may be set by floats, integers and unsigned integers; what is not zero is true.
    ("bool", "true", |w, l| w.Uniform1f(l, 0.5)),
    ("bvec2", "bvec2(true, false)", |w, l| w.Uniform2i(l, 12, 0)),
    ("bvec3", "bvec3(false, true, true)", |w, l| w.Uniform3ui(l, 0, 1, 9)),
    ("bvec4", "bvec4(true, false, false, true)", |w, l| w.Uniform4f(l, 1.0, 0.0, 0.0, -1.0)),
    ("mat2", "mat2(1.0, 2.0, 3.0, 4.0)", |w, l| {
        w.UniformMatrix2fv(l, 1, 0, [1.0f32, 2.0, 3.0, 4.0].as_ptr());
    }),
    ("mat3", "mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)", |w, l| {
        // Transposed: rows of what is above are columns here.
        w.UniformMatrix3fv(l, 1, 1, [1.0f32, 4.0, 7.0, 2.0, 5.0, 8.0, 3.0, 6.0, 9.0].as_ptr());
    }),
    ("mat4", "mat4(vec4(1.0), vec4(2.0), vec4(3.0), vec4(4.0))", |w, l| {
        let columns = [[1.0f32; 4], [2.0; 4], [3.0; 4], [4.0; 4]];
        w.UniformMatrix4fv(l, 1, 0, columns.as_ptr().cast());
    }),
    ("mat2x3", "mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)", |w, l| {
        w.UniformMatrix2x3fv(l, 1, 0, [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0].as_ptr());
    }),
    ("mat4x2", "mat4x2(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)", |w, l| {
        w.UniformMatrix4x2fv(l, 1, 1, [1.0f32, 3.0, 5.0, 7.0, 2.0, 4.0, 6.0, 8.0].as_ptr());
    }),
    ("mat3x4", "mat3x4(vec4(1.0), vec4(2.0), vec4(3.0))", |w, l| {
        let columns = [[1.0f32; 4], [2.0; 4], [3.0; 4]];
        w.UniformMatrix3x4fv(l, 1, 0, columns.as_ptr().cast());
    }),
];

fn every_kind_of_uniform_reaches_the_shader(w: &mut World) {
    // All in one program, so that each has neighbours; the number of the first that is wrong is the colour.
    let mut declarations = String::new();
    let mut tests = String::new();
    for (i, (ty, value, _)) in KINDS.iter().enumerate() {
        declarations += &format!("uniform {ty} u{i};\n");
        tests += &format!("if (bad == 0 && u{i} != {value}) bad = {};\n", i + 1);
    }
    let source = format!(
        "{declarations} out vec4 color; void main() {{ int bad = 0; {tests} color = vec4(float(bad) / 255.0, 0.0, 0.0, 1.0); }}"
    );
    let program = w.fragment_program(&source);
    w.UseProgram(program);
    w.whole();
    w.strip();
    w.expect_all([1, 0, 0, 255]);
    for (i, (ty, _, set)) in KINDS.iter().enumerate() {
        let name = CString::new(format!("u{i}")).expect("no null in it");
        set(w, w.uniform(program, &name));
        w.no_error();
        w.strip();
        let next = if i + 1 == KINDS.len() { 0 } else { i as u8 + 2 };
        assert_eq!(w.pixel(7, 7), [next, 0, 0, 255], "after {ty}");
    }
    // What does not fit is refused and changes nothing.
    let float = w.uniform(program, c"u0");
    w.rejects(c::INVALID_OPERATION, || w.Uniform1i(float, 1));
    w.rejects(c::INVALID_OPERATION, || w.Uniform2f(float, 1.0, 1.0));
    w.rejects(c::INVALID_OPERATION, || w.Uniform1f(9999, 1.0));
    w.Uniform1f(-1, 1.0);
    w.strip();
    w.expect_all([0, 0, 0, 255]);
}

fn uniforms_change_between_draws(w: &mut World) {
    let program = w.fragment_program(
        "uniform float a; uniform ivec2 b; uniform mat2 m; uniform bool on; out vec4 color;
         void main() { color = vec4(a, float(b.y) / 255.0, m[1][0], on ? 1.0 : 0.0); }",
    );
    w.UseProgram(program);
    w.whole();
    let [a, b, m, on] = [c"a", c"b", c"m", c"on"].map(|name| w.uniform(program, name));
    w.Enable(c::SCISSOR_TEST);
    for i in 0..SIDE {
        w.Scissor(i, 0, 1, SIDE);
        match i % 4 {
            0 => w.Uniform1f(a, (8 * i) as f32 / 255.0),
            1 => w.Uniform2i(b, 0, 3 * i),
            2 => w.UniformMatrix2fv(m, 1, 0, [9.0, 9.0, (7 * i) as f32 / 255.0, 9.0].as_ptr()),
            _ => w.Uniform1i(on, i & 4),
        }
        w.strip();
    }
    w.Disable(c::SCISSOR_TEST);
    let mut expected = [0; 4];
    for i in 0..SIDE {
        match i % 4 {
            0 => expected[0] = 8 * i as u8,
            1 => expected[1] = 3 * i as u8,
            2 => expected[2] = 7 * i as u8,
            _ => expected[3] = if i & 4 != 0 { 255 } else { 0 },
        }
        w.expect_rect(i, 0, 1, SIDE, expected);
    }
}

fn arrays_and_structures_are_set_by_element(w: &mut World) {
    let program = w.fragment_program(
        "struct Light { vec3 color; float power[2]; };
         uniform Light lights[2]; uniform float table[5]; out vec4 result; uniform int at;
         void main() { result = vec4(lights[1].color.y, lights[0].power[1], table[at], 1.0); }",
    );
    w.UseProgram(program);
    w.whole();
    w.Uniform3f(w.uniform(program, c"lights[1].color"), 0.0, 0.2, 0.0);
    w.Uniform1fv(w.uniform(program, c"lights[0].power"), 2, [9.0f32, 0.4].as_ptr());
    w.Uniform1fv(w.uniform(program, c"table"), 5, [0.0f32, 0.2, 0.4, 0.6, 0.8].as_ptr());
    let at = w.uniform(program, c"at");
    for i in 0..5 {
        w.Uniform1i(at, i);
        w.strip();
        w.expect_all([51, 102, 51 * i as u8, 255]);
    }
    w.Uniform1f(w.uniform(program, c"table[3]"), 1.0);
    w.Uniform1f(w.uniform(program, c"lights[0].power[1]"), 0.0);
    w.Uniform1i(at, 3);
    w.strip();
    w.expect_all([51, 0, 255, 255]);
    // What is past the end is left out.
    w.Uniform1fv(w.uniform(program, c"table[4]"), 5, [0.6f32; 5].as_ptr());
    w.Uniform1i(at, 4);
    w.strip();
    w.expect_all([51, 0, 153, 255]);
}

fn samplers_read_the_unit_that_they_name(w: &mut World) {
    let program = w.fragment_program(
        "uniform sampler2D images[2]; uniform sampler2D other; out vec4 color;
         void main() { color = vec4(texture(images[0], vec2(0.5)).r, texture(images[1], vec2(0.5)).r, texture(other, vec2(0.5)).r, 1.0); }",
    );
    w.UseProgram(program);
    w.whole();
    for unit in 0..4u8 {
        w.ActiveTexture(c::TEXTURE0 + u32::from(unit));
        w.texture(1, 1, &[[50 * unit, 0, 0, 255]]);
    }
    w.strip();
    w.expect_all([0, 0, 0, 255]);
    let (images, other) = (w.uniform(program, c"images"), w.uniform(program, c"other"));
    w.Uniform1iv(images, 2, [1, 2].as_ptr());
    w.Uniform1i(other, 3);
    w.strip();
    w.expect_all([50, 100, 150, 255]);
    w.Uniform1i(other, 1);
    w.strip();
    w.expect_all([50, 100, 50, 255]);
    w.rejects(c::INVALID_VALUE, || w.Uniform1i(other, 100_000));
}

fn uniforms_are_told_back(w: &mut World) {
    let program = w.fragment_program(
        "uniform vec3 v; uniform mat2 m; uniform int i; uniform uint u; uniform bool b; uniform float a[3]; out vec4 color;
         void main() { color = vec4(v * m[0][1] * float(i) * float(u) * a[1], b ? 1.0 : 0.0); }",
    );
    w.UseProgram(program);
    let place = |name: &std::ffi::CStr| w.uniform(program, name);
    let mut floats = [9.0f32; 4];
    w.GetUniformfv(program, place(c"v"), floats.as_mut_ptr());
    assert_eq!(floats, [0.0, 0.0, 0.0, 9.0]);
    w.Uniform3f(place(c"v"), 1.0, 2.0, 3.0);
    w.GetUniformfv(program, place(c"v"), floats.as_mut_ptr());
    assert_eq!(floats, [1.0, 2.0, 3.0, 9.0]);
    w.UniformMatrix2fv(place(c"m"), 1, 0, [1.0f32, 2.0, 3.0, 4.0].as_ptr());
    w.GetUniformfv(program, place(c"m"), floats.as_mut_ptr());
    assert_eq!(floats, [1.0, 2.0, 3.0, 4.0]);
    w.Uniform1i(place(c"i"), -5);
    let mut value = 0;
    w.GetUniformiv(program, place(c"i"), &mut value);
    assert_eq!(value, -5);
    w.Uniform1ui(place(c"u"), u32::MAX);
    let mut unsigned = 0;
    w.GetUniformuiv(program, place(c"u"), &mut unsigned);
    assert_eq!(unsigned, u32::MAX);
    w.Uniform1i(place(c"b"), 77);
    w.GetUniformiv(program, place(c"b"), &mut value);
    assert_eq!(value, 1);
    w.Uniform1f(place(c"a[1]"), 0.5);
    w.GetUniformfv(program, place(c"a[1]"), floats.as_mut_ptr());
    assert_eq!(floats[0], 0.5);
    let mut count = 0;
    w.GetProgramiv(program, c::ACTIVE_UNIFORMS, &mut count);
    assert_eq!(count, 6);
    let (mut size, mut ty, mut length, mut name) = (0, 0, 0, [0u8; 16]);
    let mut seen = Vec::new();
    for i in 0..6 {
        w.GetActiveUniform(program, i, 16, &mut length, &mut size, &mut ty, name.as_mut_ptr());
        seen.push((String::from_utf8_lossy(&name[..length as usize]).into_owned(), size, ty));
    }
    seen.sort();
    let expected = [
        ("a[0]", 3, c::FLOAT),
        ("b", 1, c::BOOL),
        ("i", 1, c::INT),
        ("m", 1, c::FLOAT_MAT2),
        ("u", 1, c::UNSIGNED_INT),
        ("v", 1, c::FLOAT_VEC3),
    ];
    assert_eq!(seen, expected.map(|(name, size, ty)| (name.to_owned(), size, ty)));
    // A link sets all to zero.
    w.LinkProgram(program);
    w.GetUniformfv(program, place(c"v"), floats.as_mut_ptr());
    assert_eq!(floats[..3], [0.0; 3]);
}

fn a_pipeline_mixes_programs(w: &mut World) {
    let separable = |w: &World, stage, text: &str| {
        let program = w.program_with(&[(stage, text)], |program| {
            w.ProgramParameteri(program, c::PROGRAM_SEPARABLE, 1);
        });
        assert_eq!(w.IsProgram(program), 1);
        program
    };
    let blocks = if w.cell.api == Es(31) { "" } else { "out gl_PerVertex { vec4 gl_Position; };" };
    let vertex = separable(
        w,
        c::VERTEX_SHADER,
        &format!(
            "{blocks} layout(location = 0) in vec2 position; uniform float size; void main() {{ gl_Position = vec4(position * size, 0.0, 1.0); }}"
        ),
    );
    let paint =
        "uniform vec4 color; layout(location = 0) out vec4 result; void main() { result = color; }";
    let first = separable(w, c::FRAGMENT_SHADER, paint);
    let second = separable(w, c::FRAGMENT_SHADER, paint);
    w.ProgramUniform1f(vertex, w.uniform(vertex, c"size"), 1.0);
    w.ProgramUniform4f(first, w.uniform(first, c"color"), 1.0, 0.0, 0.0, 1.0);
    w.ProgramUniform4f(second, w.uniform(second, c"color"), 0.0, 1.0, 0.0, 1.0);
    let mut pipelines = [0; 2];
    w.GenProgramPipelines(2, pipelines.as_mut_ptr());
    for (pipeline, fragment) in pipelines.into_iter().zip([first, second]) {
        w.UseProgramStages(pipeline, c::VERTEX_SHADER_BIT, vertex);
        w.UseProgramStages(pipeline, c::FRAGMENT_SHADER_BIT, fragment);
    }
    w.whole();
    for (pipeline, color) in [(0, RED), (1, GREEN), (0, RED)] {
        w.BindProgramPipeline(pipelines[pipeline]);
        w.strip();
        w.expect_all(color);
    }
    // A uniform of the shared vertex program, a stage that is exchanged.
    w.ProgramUniform1f(vertex, w.uniform(vertex, c"size"), 0.5);
    w.UseProgramStages(pipelines[0], c::FRAGMENT_SHADER_BIT, second);
    w.clear([0; 4]);
    w.strip();
    w.expect_rect(8, 8, 16, 16, GREEN);
    w.expect_rect(0, 0, SIDE, 8, [0; 4]);
    // glUniform goes to the active program.
    w.ActiveShaderProgram(pipelines[0], second);
    w.Uniform4f(w.uniform(second, c"color"), 0.0, 0.0, 1.0, 1.0);
    w.strip();
    w.expect_rect(8, 8, 16, 16, [0, 0, 255, 255]);
    // A program in use comes before the pipeline.
    let whole = w.painter();
    w.UseProgram(whole);
    w.Uniform4f(w.uniform(whole, c"color"), 1.0, 0.0, 0.0, 1.0);
    w.strip();
    w.expect_all(RED);
    w.UseProgram(0);
    w.strip();
    w.expect_rect(8, 8, 16, 16, [0, 0, 255, 255]);
}

fn a_geometry_shader_makes_primitives(w: &mut World) {
    let program = w.program_with(
        &[
            (c::VERTEX_SHADER, FLAT),
            (
                c::GEOMETRY_SHADER,
                "layout(points) in; layout(triangle_strip, max_vertices = 4) out; out vec4 tint;
                 void main() {
                     for (int i = 0; i < 4; i++) {
                         tint = vec4(0.0, 1.0, 0.0, 1.0);
                         vec2 corner = vec2(float(i & 1), float(i >> 1)) * 0.5 - 0.25;
                         gl_Position = gl_in[0].gl_Position + vec4(corner, 0.0, 0.0);
                         EmitVertex();
                     }
                     EndPrimitive();
                 }",
            ),
            (c::FRAGMENT_SHADER, "in vec4 tint; out vec4 color; void main() { color = tint; }"),
        ],
        |_| (),
    );
    w.UseProgram(program);
    w.vertices(&[-0.5, -0.5, 0.5, 0.5]);
    w.clear([0; 4]);
    w.DrawArrays(c::POINTS, 0, 2);
    w.expect_rect(4, 4, 8, 8, GREEN);
    w.expect_rect(20, 20, 8, 8, GREEN);
    w.expect_rect(0, 0, 4, SIDE, [0; 4]);
    w.expect_rect(12, 0, 8, SIDE, [0; 4]);
    w.rejects(c::INVALID_OPERATION, || w.DrawArrays(c::TRIANGLES, 0, 3));
}

fn a_patch_is_tessellated(w: &mut World) {
    let program = w.program_with(
        &[
            (c::VERTEX_SHADER, FLAT),
            (
                c::TESS_CONTROL_SHADER,
                "layout(vertices = 4) out;
                 void main() {
                     gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
                     gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 4.0;
                     gl_TessLevelInner[0] = gl_TessLevelInner[1] = 4.0;
                 }",
            ),
            (
                c::TESS_EVALUATION_SHADER,
                "layout(quads, equal_spacing, ccw) in;
                 void main() {
                     vec4 low = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x);
                     vec4 high = mix(gl_in[2].gl_Position, gl_in[3].gl_Position, gl_TessCoord.x);
                     gl_Position = mix(low, high, gl_TessCoord.y);
                 }",
            ),
            (c::FRAGMENT_SHADER, "out vec4 color; void main() { color = vec4(0.0, 1.0, 0.0, 1.0); }"),
        ],
        |_| (),
    );
    w.UseProgram(program);
    w.vertices(&[-0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0.5, 0.5]);
    w.PatchParameteri(c::PATCH_VERTICES, 4);
    w.clear([0; 4]);
    w.DrawArrays(c::PATCHES, 0, 4);
    w.expect_rect(8, 8, 16, 16, GREEN);
    w.expect_rect(0, 0, 8, SIDE, [0; 4]);
    w.expect_rect(0, 24, SIDE, 8, [0; 4]);
    w.rejects(c::INVALID_OPERATION, || w.DrawArrays(c::TRIANGLES, 0, 3));
    w.rejects(c::INVALID_VALUE, || w.PatchParameteri(c::PATCH_VERTICES, 0));
}
