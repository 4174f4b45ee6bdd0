//! How textures are sampled.

use crate::texture::sampler;
use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{World, scenarios};

scenarios! { "sampler";
    [Es(30), Core(33)], Needs::PIXELS =>
        levels_are_chosen_and_bounded,
        channels_are_swizzled,
        a_sampler_object_overrides_the_texture,
        depth_textures_compare;
    [Es(32), Core(45)], Needs::PIXELS =>
        samplers_in_structures_are_chosen_at_run_time;
}

fn levels_are_chosen_and_bounded(w: &mut World) {
    let program = w.fragment_program(
        "uniform sampler2D image; uniform float lod; out vec4 color; void main() { color = textureLod(image, vec2(0.5), lod); }",
    );
    w.UseProgram(program);
    w.whole();
    w.new_texture(c::TEXTURE_2D);
    w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_MIN_FILTER, c::NEAREST_MIPMAP_NEAREST as i32);
    for level in 0..4 {
        let side = 8 >> level;
        let texels = vec![[50 * level as u8, 9, 8, 255]; side * side];
        let side = side as i32;
        w.TexImage2D(
            c::TEXTURE_2D,
            level,
            c::RGBA8 as i32,
            side,
            side,
            0,
            c::RGBA,
            c::UNSIGNED_BYTE,
            texels.as_ptr().cast(),
        );
    }
    let lod = w.uniform(program, c"lod");
    let expect = |at: f32, level: u8| {
        w.Uniform1f(lod, at);
        w.strip();
        w.expect_all([50 * level, 9, 8, 255]);
    };
    for level in 0..4 {
        expect(level.into(), level);
    }
    w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_BASE_LEVEL, 1);
    expect(0.0, 1);
    expect(1.0, 2);
    w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_MAX_LEVEL, 2);
    expect(7.0, 2);
    w.TexParameterf(c::TEXTURE_2D, c::TEXTURE_MAX_LOD, 0.0);
    expect(7.0, 1);
    w.rejects(c::INVALID_VALUE, || w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_BASE_LEVEL, -1));
}

fn channels_are_swizzled(w: &mut World) {
    sampler(w);
    w.texture(1, 1, &[[10, 20, 30, 40]]);
    for (channel, from) in [
        (c::TEXTURE_SWIZZLE_R, c::BLUE),
        (c::TEXTURE_SWIZZLE_G, c::ONE),
        (c::TEXTURE_SWIZZLE_B, c::ZERO),
        (c::TEXTURE_SWIZZLE_A, c::RED),
    ] {
        w.TexParameteri(c::TEXTURE_2D, channel, from as i32);
    }
    w.strip();
    w.expect_all([30, 255, 0, 10]);
    w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_SWIZZLE_B, c::ALPHA as i32);
    w.strip();
    w.expect_all([30, 255, 40, 10]);
}

fn a_sampler_object_overrides_the_texture(w: &mut World) {
    let program = w.fragment_program(
        "uniform sampler2D image; out vec4 color; void main() { color = texture(image, vec2(1.75, 0.5)); }",
    );
    w.UseProgram(program);
    w.whole();
    w.texture(2, 1, &[[255, 0, 0, 255], [0, 255, 0, 255]]);
    // Clamped, it is the right texel.
    w.strip();
    w.expect_all([0, 255, 0, 255]);
    let mut sampler = 0;
    w.GenSamplers(1, &mut sampler);
    w.SamplerParameteri(sampler, c::TEXTURE_MIN_FILTER, c::NEAREST as i32);
    w.SamplerParameteri(sampler, c::TEXTURE_MAG_FILTER, c::NEAREST as i32);
    w.SamplerParameteri(sampler, c::TEXTURE_WRAP_S, c::MIRRORED_REPEAT as i32);
    w.BindSampler(0, sampler);
    w.strip();
    w.expect_all([255, 0, 0, 255]);
    w.SamplerParameteri(sampler, c::TEXTURE_WRAP_S, c::REPEAT as i32);
    w.strip();
    w.expect_all([0, 255, 0, 255]);
    w.SamplerParameteri(sampler, c::TEXTURE_WRAP_S, c::MIRRORED_REPEAT as i32);
    w.strip();
    w.expect_all([255, 0, 0, 255]);
    w.DeleteSamplers(1, &sampler);
    w.strip();
    w.expect_all([0, 255, 0, 255]);
    assert_eq!(w.integer(c::SAMPLER_BINDING), 0);
    w.rejects(c::INVALID_OPERATION, || {
        w.SamplerParameteri(sampler, c::TEXTURE_WRAP_S, c::REPEAT as i32)
    });
}

fn depth_textures_compare(w: &mut World) {
    let program = w.fragment_program(
        "precision highp sampler2DShadow; uniform sampler2DShadow image; uniform float depth; out vec4 color;
         void main() { color = vec4(texture(image, vec3(0.5, 0.5, depth))); }",
    );
    w.UseProgram(program);
    w.whole();
    w.new_texture(c::TEXTURE_2D);
    let half = [0x8000u16];
    w.TexImage2D(
        c::TEXTURE_2D,
        0,
        c::DEPTH_COMPONENT16 as i32,
        1,
        1,
        0,
        c::DEPTH_COMPONENT,
        c::UNSIGNED_SHORT,
        half.as_ptr().cast(),
    );
    w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_COMPARE_MODE, c::COMPARE_REF_TO_TEXTURE as i32);
    let depth = w.uniform(program, c"depth");
    for (func, at_quarter, at_three) in
        [(c::LEQUAL, 255, 0), (c::GREATER, 0, 255), (c::ALWAYS, 255, 255)]
    {
        w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_COMPARE_FUNC, func as i32);
        for (reference, value) in [(0.25, at_quarter), (0.75, at_three)] {
            w.Uniform1f(depth, reference);
            w.strip();
            w.expect_all([value; 4]);
        }
    }
}

/// GLSL 4.00 and ESSL 3.20, section 4.1.7: what indexes an array that holds samplers need only be the same for all invocations.
fn samplers_in_structures_are_chosen_at_run_time(w: &mut World) {
    // The vertex shader reads one of them by a constant.
    let program = w.program(
        "struct Layer { float scale; sampler2D maps[2]; };
         uniform Layer layers[2]; in vec2 position; out vec4 first;
         void main() { gl_Position = vec4(position, 0.0, 1.0); first = textureLod(layers[1].maps[0], vec2(0.5), 0.0); }",
        "struct Layer { float scale; sampler2D maps[2]; };
         uniform Layer layers[2]; uniform int n; uniform int m; in vec4 first; out vec4 color;
         void main() {
             color = texture(layers[n].maps[m], vec2(0.5)) * layers[n].scale + vec4(0.0, 0.0, first.x, 0.0);
         }",
    );
    w.UseProgram(program);
    w.whole();
    let at = |name| w.uniform(program, name);
    // Texture k is of red 60 k.
    for unit in 0..4 {
        w.ActiveTexture(c::TEXTURE0 + unit);
        w.texture(1, 1, &[[60 * unit as u8, 0, 0, 255]]);
    }
    w.Uniform1iv(at(c"layers[0].maps"), 2, [3, 1].as_ptr());
    w.Uniform1i(at(c"layers[1].maps[0]"), 2);
    w.Uniform1i(at(c"layers[1].maps[1]"), 0);
    w.Uniform1f(at(c"layers[0].scale"), 1.0);
    w.Uniform1f(at(c"layers[1].scale"), 0.5);
    for (n, m, red, alpha) in [(0, 0, 180, 255), (0, 1, 60, 255), (1, 0, 60, 128), (1, 1, 0, 128)] {
        w.Uniform1i(at(c"n"), n);
        w.Uniform1i(at(c"m"), m);
        w.strip();
        w.expect_near(4, 4, [red, 0, 120, alpha]);
    }
    let (mut size, mut ty) = (0, 0);
    let mut index = 0;
    w.GetUniformIndices(program, 1, &c"layers[1].maps[0]".as_ptr().cast(), &mut index);
    let mut name = [0; 32];
    w.GetActiveUniform(program, index, 32, &mut 0, &mut size, &mut ty, name.as_mut_ptr());
    assert_eq!((size, ty), (2, c::SAMPLER_2D));
}
