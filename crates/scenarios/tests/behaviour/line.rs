//! One-dimensional textures.

use forerun_pipe::gl as c;
use scenarios::Api::Core;
use scenarios::runner::Needs;
use scenarios::{World, scenarios};

scenarios! { "line";
    [Core(33)], Needs::PIXELS => lines_are_sampled_in_every_stage;
}

/// One-dimensional textures, which an ES host does not have: sampled, fetched with an offset, and measured, alone and in layers.
fn lines_are_sampled_in_every_stage(w: &mut World) {
    let program = w.program_with(
        &[
            (
                c::VERTEX_SHADER,
                "layout(location = 0) in vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }",
            ),
            (
                c::GEOMETRY_SHADER,
                "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;
                 uniform sampler1D line; uniform sampler1DArray lines; flat out vec4 seen; flat out ivec3 sizes;
                 void main() {
                     for (int i = 0; i < 3; i++) {
                         gl_Position = gl_in[i].gl_Position;
                         seen = vec4(texelFetchOffset(line, 1, 0, 2).r, textureLod(line, 0.375, 0.0).g,
                                     texelFetch(lines, ivec2(1, 1), 0).b, textureLodOffset(lines, vec2(0.25, 2.0), 0.0, 1).a);
                         sizes = ivec3(textureSize(line, 0), textureSize(lines, 0));
                         EmitVertex();
                     }
                 }",
            ),
            (
                c::FRAGMENT_SHADER,
                "flat in vec4 seen; flat in ivec3 sizes; uniform sampler1D line; out vec4 color;
                 void main() {
                     bool good = sizes == ivec3(4, 2, 3) && textureGrad(line, 0.875, 0.0, 0.0).b == 1.0
                         && textureProj(line, vec2(0.25, 2.0)).a == 1.0;
                     color = good ? seen : vec4(1.0, 0.0, 0.0, 1.0);
                 }",
            ),
        ],
        |_| (),
    );
    w.UseProgram(program);
    let line: [[u8; 4]; 4] = [[0, 0, 0, 255], [0, 51, 0, 0], [0, 0, 0, 0], [102, 0, 255, 0]];
    let texture = |target| {
        w.new_texture(target);
        for (name, value) in [
            (c::TEXTURE_MIN_FILTER, c::NEAREST),
            (c::TEXTURE_MAG_FILTER, c::NEAREST),
            (c::TEXTURE_MAX_LEVEL, 0),
        ] {
            w.TexParameteri(target, name, value as i32);
        }
    };
    texture(c::TEXTURE_1D);
    w.TexImage1D(
        c::TEXTURE_1D,
        0,
        c::RGBA8 as i32,
        4,
        0,
        c::RGBA,
        c::UNSIGNED_BYTE,
        line.as_ptr().cast(),
    );
    w.ActiveTexture(c::TEXTURE1);
    texture(c::TEXTURE_1D_ARRAY);
    let mut layers = [[[0u8; 4]; 2]; 3];
    layers[1][1][2] = 153;
    layers[2][1][3] = 204;
    w.TexImage2D(
        c::TEXTURE_1D_ARRAY,
        0,
        c::RGBA8 as i32,
        2,
        3,
        0,
        c::RGBA,
        c::UNSIGNED_BYTE,
        layers.as_ptr().cast(),
    );
    w.Uniform1i(w.uniform(program, c"lines"), 1);
    w.ActiveTexture(c::TEXTURE0);
    w.whole();
    w.strip();
    w.expect_all([102, 51, 153, 204]);
}
