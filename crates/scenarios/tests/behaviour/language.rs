//! Extensions of the shading language that every host executes, by what the front end or the translation makes of them.

use forerun_pipe::gl as c;
use scenarios::Api::Core;
use scenarios::runner::Needs;
use scenarios::{World, scenarios};

scenarios! { "language";
    [Core(33)], Needs::PIXELS =>
        the_least_the_middle_and_the_most_of_three,
        functions_of_newer_hardware_compute_what_they_say,
        samplers_are_chosen_by_an_index_of_run_time,
        no_stream_is_emitted_to_that_is_not_there,
        blocks_are_arrays_of_arrays,
        arrays_of_arrays_go_from_stage_to_stage,
        images_are_read_and_written_by_one_shader,
        images_are_chosen_by_an_index_of_run_time,
        textures_of_any_kind_are_images,
        votes_are_counted;
}

const GREEN: [u8; 4] = [0, 255, 0, 255];

/// Draws green where `test` holds: statements that set `ok`.
fn holds(w: &World, header: &str, test: &str) {
    let program = w.program(
        "#version 330\nlayout(location = 0) in vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }",
        &format!(
            "#version 330\n{header}
             out vec4 color;
             void main() {{ bool ok = true; {test} color = ok ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0); }}"
        ),
    );
    w.UseProgram(program);
    w.whole();
    w.strip();
    w.expect_all(GREEN);
}

fn compiles(w: &World, stage: u32, source: &str) -> bool {
    let (shader, compiled) = w.compile(stage, source);
    w.DeleteShader(shader);
    compiled
}

fn the_least_the_middle_and_the_most_of_three(w: &mut World) {
    assert!(w.has("GL_AMD_shader_trinary_minmax"));
    // In every order, so that no argument can be left out.
    holds(
        w,
        "#extension GL_AMD_shader_trinary_minmax : require
         const int orders[18] = int[](1, 2, 3, 1, 3, 2, 2, 1, 3, 2, 3, 1, 3, 1, 2, 3, 2, 1);",
        "for (int i = 0; i < 18; i += 3) {
             ivec3 v = ivec3(orders[i], orders[i + 1], orders[i + 2]);
             vec3 f = vec3(v) - 2.5; uvec3 u = uvec3(v) + 0x80000000u; ivec3 s = v - 2;
             ok = ok && min3(v.x, v.y, v.z) == 1 && mid3(v.x, v.y, v.z) == 2 && max3(v.x, v.y, v.z) == 3;
             ok = ok && min3(f.x, f.y, f.z) == -1.5 && mid3(f.x, f.y, f.z) == -0.5 && max3(f.x, f.y, f.z) == 0.5;
             ok = ok && min3(s.x, s.y, s.z) == -1 && mid3(s.x, s.y, s.z) == 0 && max3(s.x, s.y, s.z) == 1;
             ok = ok && mid3(u.xy, u.yz, u.zx).x == max(min(u.x, u.y), min(max(u.x, u.y), u.z));
             ok = ok && max3(u.x, u.y, u.z) == 0x80000003u && min3(u.x, u.y, u.z) == 0x80000001u;
         }",
    );
}

fn functions_of_newer_hardware_compute_what_they_say(w: &mut World) {
    assert!(w.has("GL_ARB_gpu_shader5"));
    let header = "#extension GL_ARB_gpu_shader5 : require\nuniform int seven = 7; uniform float half_one = 0.5;";
    for test in [
        "uint carry; uint sum = uaddCarry(0xFFFFFFFFu, uint(seven), carry); ok = sum == 6u && carry == 1u;",
        "uint borrow; uint less = usubBorrow(3u, uint(seven), borrow); ok = less == 0xFFFFFFFCu && borrow == 1u;",
        "int exponent; float significand = frexp(half_one * 24.0, exponent);
         ok = significand == 0.75 && exponent == 4 && ldexp(0.75, seven - 3) == 12.0;",
        "ok = bitfieldExtract(0xF0, 4, seven - 3) == -1 && bitfieldExtract(0xF0u, 4, 4) == 15u
             && bitfieldInsert(0, seven, 8, 3) == 0x700 && bitfieldReverse(uint(seven)) == 0xE0000000u;",
        "ok = bitCount(seven) == 3 && findLSB(seven << 3) == 3 && findMSB(seven) == 2 && findMSB(-1) == -1;",
        "ok = fma(2.0, half_one, 3.0) == 4.0 && floatBitsToInt(half_one) == 0x3F000000;",
        "ok = packUnorm4x8(vec4(1.0, 0.0, half_one * 2.0, 0.0)) == 0x00FF00FFu;",
        "uint converted = seven; precise float same = half_one * 2.0; ok = converted == 7u && same == 1.0;",
    ] {
        holds(w, header, test);
    }
    let program = w.program_with(
        &[
            (
                c::VERTEX_SHADER,
                "#version 330\nlayout(location = 0) in vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }",
            ),
            (
                c::GEOMETRY_SHADER,
                "#version 330\n#extension GL_ARB_gpu_shader5 : require
                 layout(triangles, invocations = 2) in; layout(triangle_strip, max_vertices = 3) out;
                 out float at; flat out int which;
                 void main() { for (int i = 0; i < 3; i++) {
                     vec4 p = gl_in[i].gl_Position; at = p.x * 16.0; which = gl_InvocationID;
                     gl_Position = vec4(p.x * 0.5 - 0.5 + float(gl_InvocationID), p.yzw); EmitVertex(); } }",
            ),
            (
                c::FRAGMENT_SHADER,
                "#version 330\n#extension GL_ARB_gpu_shader5 : require
                 in float at; flat in int which; out vec4 color;
                 void main() {
                     // A pixel is two units wide here: half of it lies between the centre and its edge.
                     bool ok = abs(interpolateAtOffset(at, vec2(0.25, 0.0)) - at - 0.5) < 0.01
                         && abs(interpolateAtOffset(at, vec2(-0.5, 0.25)) - at + 1.0) < 0.01
                         && abs(interpolateAtSample(at, 0) - at) < 1.01 && abs(interpolateAtCentroid(at) - at) < 1.01;
                     color = ok ? vec4(0.0, 1.0, float(which), 1.0) : vec4(1.0, 0.0, 0.0, 1.0);
                 }",
            ),
        ],
        |_| (),
    );
    w.UseProgram(program);
    w.strip();
    w.expect_rect(0, 0, 16, 32, GREEN);
    w.expect_rect(16, 0, 16, 32, [0, 255, 255, 255]);
}

fn samplers_are_chosen_by_an_index_of_run_time(w: &mut World) {
    let fragment = w.fragment_program(
        "#extension GL_ARB_gpu_shader5 : require
         uniform sampler2D images[3]; uniform int which; out vec4 color;
         const ivec2 offsets[4] = ivec2[](ivec2(0, 0), ivec2(1, 0), ivec2(0, 1), ivec2(1, 1));
         void main() {
             vec4 greens = textureGatherOffsets(images[which], vec2(0.25), offsets, 1);
             color = texture(images[which], vec2(0.25)) * (greens == vec4(0.0, 1.0, 0.0, 1.0) ? 1.0 : 0.0);
         }",
    );
    w.UseProgram(fragment);
    w.Uniform1iv(w.uniform(fragment, c"images"), 3, [0, 1, 2].as_ptr());
    let texels = |first: [u8; 4]| [first, [0, 255, 0, 255], [0; 4], [0, 255, 0, 255]];
    let firsts = [[255, 0, 0, 255], [255, 0, 255, 255], [0, 0, 255, 255]];
    for (unit, first) in firsts.iter().enumerate() {
        w.ActiveTexture(c::TEXTURE0 + unit as u32);
        w.texture(2, 2, &texels(*first));
    }
    w.whole();
    for which in [2, 0, 1] {
        w.Uniform1i(w.uniform(fragment, c"which"), which);
        w.strip();
        w.expect_all(firsts[which as usize]);
    }
}

/// GL_MAX_VERTEX_STREAMS says how many there are, on an OpenGL ES host one.
fn no_stream_is_emitted_to_that_is_not_there(w: &mut World) {
    let streams = w.integer(c::MAX_VERTEX_STREAMS);
    assert!(streams >= 1);
    let geometry = |stream: i32| {
        format!(
            "#version 330\n#extension GL_ARB_gpu_shader5 : require
             layout(points) in; layout(points, max_vertices = 1) out; layout(stream = {stream}) out vec4 value;
             void main() {{ value = vec4(1.0); EmitStreamVertex({stream}); }}"
        )
    };
    assert!(compiles(w, c::GEOMETRY_SHADER, &geometry(streams - 1)));
    assert!(!compiles(w, c::GEOMETRY_SHADER, &geometry(streams)));
}

fn blocks_are_arrays_of_arrays(w: &mut World) {
    let program = w.fragment_program(
        "#extension GL_ARB_arrays_of_arrays : require
         #extension GL_ARB_gpu_shader5 : require
         uniform Block { vec4 a; vec4 b; } blocks[2][3];
         uniform int i; uniform int j; out vec4 color;
         void main() { color = blocks[i][j].b + blocks[1][j].a + blocks[i][2].a; }",
    );
    w.UseProgram(program);
    for i in 0..2u32 {
        for j in 0..3u32 {
            let name = format!("Block[{i}][{j}]\0");
            let index = w.GetUniformBlockIndex(program, name.as_ptr().cast());
            assert_ne!(index, c::INVALID_INDEX, "{name}");
            let at = i * 3 + j;
            w.UniformBlockBinding(program, index, at);
            let value = (at + 1) as f32 / 16.0;
            let buffer = w.buffer(c::UNIFORM_BUFFER, &[value, 0.0, 0.0, 0.5, 0.0, value, 0.0, 0.0]);
            w.BindBufferBase(c::UNIFORM_BUFFER, at, buffer);
        }
    }
    w.whole();
    for (i, j) in [(0, 1), (1, 0), (1, 2)] {
        w.Uniform1i(w.uniform(program, c"i"), i);
        w.Uniform1i(w.uniform(program, c"j"), j);
        w.strip();
        let sixteenths = |n: i32| (n as f32 / 16.0 * 255.0).round() as u8;
        let red = (3 + j + 1) + (3 * i + 2 + 1);
        w.expect_all([sixteenths(red), sixteenths(3 * i + j + 1), 0, 255]);
    }
}

fn arrays_of_arrays_go_from_stage_to_stage(w: &mut World) {
    let program = w.program_with(
        &[
            (
                c::VERTEX_SHADER,
                "#version 330\n#extension GL_ARB_arrays_of_arrays : require
                 layout(location = 0) in vec2 position; out vec2 values[2][3]; uniform int two = 2;
                 void main() {
                     gl_Position = vec4(position, 0.0, 1.0);
                     vec2 whole[3]; whole[0] = vec2(0.25); whole[1] = vec2(0.5); whole[2] = vec2(0.75);
                     values[0] = whole;
                     for (int j = 0; j < 3; j++) values[two - 1][j] = vec2(0.125 * float(j + 1), 0.0);
                 }",
            ),
            (
                c::FRAGMENT_SHADER,
                "#version 330\n#extension GL_ARB_arrays_of_arrays : require
                 in vec2 values[2][3]; uniform int one = 1; out vec4 color;
                 void main() {
                     vec2 copy[2][3] = values;
                     bool ok = values[one][2].x == 0.375 && copy[0][2].y == 0.75 && copy[one][one].x == 0.25 && values[0][one].x == 0.5;
                     color = ok ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0);
                 }",
            ),
        ],
        |program| {
            let name = c"values[1][2]".as_ptr().cast::<u8>();
            w.TransformFeedbackVaryings(program, 1, &name, c::INTERLEAVED_ATTRIBS);
        },
    );
    w.UseProgram(program);
    w.whole();
    w.strip();
    w.expect_all(GREEN);
    let buffer = w.buffer(c::TRANSFORM_FEEDBACK_BUFFER, &[9f32; 2]);
    w.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    w.BeginTransformFeedback(c::POINTS);
    w.DrawArrays(c::POINTS, 0, 1);
    w.EndTransformFeedback();
    let captured: [u32; 2] = w.words_at(c::TRANSFORM_FEEDBACK_BUFFER);
    assert_eq!(captured.map(f32::from_bits), [0.375, 0.0]);
}

/// A texture of one level that glTexImage2D made, of one colour, bound to an image unit.
fn image(w: &World, unit: u32, size: i32, color: [u8; 4]) -> u32 {
    let texture = w.texture(size, size, &vec![color; (size * size) as usize]);
    w.BindImageTexture(unit, texture, 0, 0, 0, c::READ_WRITE, c::RGBA8);
    texture
}

const IMAGES: &str = "#extension GL_ARB_shader_image_load_store : require\n";

fn images_are_read_and_written_by_one_shader(w: &mut World) {
    image(w, 0, 32, [10, 20, 30, 40]);
    let program = w.fragment_program(&format!(
        "{IMAGES}layout(rgba8) uniform image2D image; out vec4 color;
         void main() {{
             ivec2 at = ivec2(gl_FragCoord.xy);
             vec4 had = imageLoad(image, at);
             imageStore(image, at, had + vec4(0.2, 0.0, 0.0, 0.0));
             color = imageLoad(image, at);
         }}"
    ));
    w.UseProgram(program);
    w.whole();
    w.strip();
    w.expect_all([61, 20, 30, 40]);
    w.MemoryBarrier(c::SHADER_IMAGE_ACCESS_BARRIER_BIT);
    w.strip();
    w.expect_all([112, 20, 30, 40]);
}

fn images_are_chosen_by_an_index_of_run_time(w: &mut World) {
    let colors = [[255, 0, 0, 255], [0, 0, 255, 255], [255, 0, 255, 255]];
    for (unit, color) in colors.iter().enumerate() {
        image(w, unit as u32, 4, *color);
    }
    let program = w.fragment_program(&format!(
        "{IMAGES}#extension GL_ARB_gpu_shader5 : require
         layout(rgba8) uniform image2D images[3]; uniform int from; uniform int to; out vec4 color;
         void main() {{
             color = imageLoad(images[from], ivec2(1, 2));
             imageStore(images[to], ivec2(1, 2), vec4(0.0, 1.0, 0.0, 1.0));
         }}"
    ));
    w.UseProgram(program);
    w.Uniform1iv(w.uniform(program, c"images"), 3, [0, 1, 2].as_ptr());
    w.whole();
    // The image that one draw wrote is what a later one reads.
    for (from, to, expected) in [(0, 2, colors[0]), (1, 1, colors[1]), (2, 0, GREEN), (1, 2, GREEN)]
    {
        w.Uniform1i(w.uniform(program, c"from"), from);
        w.Uniform1i(w.uniform(program, c"to"), to);
        w.MemoryBarrier(c::SHADER_IMAGE_ACCESS_BARRIER_BIT);
        // One fragment, so that it does not meet what another one wrote.
        w.Enable(c::SCISSOR_TEST);
        w.Scissor(0, 0, 1, 1);
        w.strip();
        w.Disable(c::SCISSOR_TEST);
        w.expect_rect(0, 0, 1, 1, expected);
    }
}

/// What glTexImage2D makes is bound as it is, drawn into, sampled, defined anew and bound again.
fn textures_of_any_kind_are_images(w: &mut World) {
    let texture = image(w, 0, 4, [50, 60, 70, 255]);
    let framebuffer = w.integer(c::DRAW_FRAMEBUFFER_BINDING) as u32;
    let store = w.fragment_program(&format!(
        "{IMAGES}layout(rgba8) writeonly uniform image2D image; out vec4 color;
         void main() {{ imageStore(image, ivec2(1, 1), vec4(0.0, 1.0, 0.0, 1.0)); color = vec4(0.0); }}"
    ));
    let fetch = w.fragment_program(
        "uniform sampler2D image; uniform ivec2 at; uniform int level; out vec4 color;
         void main() { color = texelFetch(image, at, level); }",
    );
    let sampled = |x: i32, y: i32, level: i32| {
        w.MemoryBarrier(c::TEXTURE_FETCH_BARRIER_BIT | c::FRAMEBUFFER_BARRIER_BIT);
        w.UseProgram(fetch);
        w.Uniform2i(w.uniform(fetch, c"at"), x, y);
        w.Uniform1i(w.uniform(fetch, c"level"), level);
        w.strip();
    };
    w.whole();
    w.UseProgram(store);
    w.strip();
    sampled(1, 1, 0);
    w.expect_all(GREEN);
    sampled(2, 1, 0);
    w.expect_all([50, 60, 70, 255]);
    // A framebuffer that had it attached before sees what is written after.
    let mut target = 0;
    w.GenFramebuffers(1, &mut target);
    w.BindFramebuffer(c::FRAMEBUFFER, target);
    w.FramebufferTexture2D(c::FRAMEBUFFER, c::COLOR_ATTACHMENT0, c::TEXTURE_2D, texture, 0);
    w.ClearColor(1.0, 0.0, 0.0, 1.0);
    w.Clear(c::COLOR_BUFFER_BIT);
    w.BindFramebuffer(c::FRAMEBUFFER, framebuffer);
    sampled(1, 1, 0);
    w.expect_all([255, 0, 0, 255]);
    // The same size again, then another one, then a second level.
    let define = |level: i32, size: i32, color: [u8; 4]| {
        let texels = vec![color; (size * size) as usize];
        w.TexImage2D(
            c::TEXTURE_2D,
            level,
            c::RGBA8 as i32,
            size,
            size,
            0,
            c::RGBA,
            c::UNSIGNED_BYTE,
            texels.as_ptr().cast(),
        );
    };
    define(0, 4, [1, 2, 3, 255]);
    sampled(1, 1, 0);
    w.expect_all([1, 2, 3, 255]);
    define(0, 8, [4, 5, 6, 255]);
    sampled(7, 7, 0);
    w.expect_all([4, 5, 6, 255]);
    w.UseProgram(store);
    w.strip();
    define(1, 4, [7, 8, 9, 255]);
    w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_MIN_FILTER, c::NEAREST_MIPMAP_NEAREST as i32);
    w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_MAX_LEVEL, 1);
    sampled(1, 1, 0);
    w.expect_all(GREEN);
    sampled(3, 3, 1);
    w.expect_all([7, 8, 9, 255]);
}

fn votes_are_counted(w: &mut World) {
    if !w.has("GL_ARB_shader_group_vote") {
        return;
    }
    holds(
        w,
        "#extension GL_ARB_shader_group_vote : require\nuniform int one = 1;",
        "ok = anyInvocationARB(one == 1) && !anyInvocationARB(one == 2) && allInvocationsARB(one == 1) && !allInvocationsARB(one == 2)
             && allInvocationsEqualARB(one == 2);",
    );
}
