//! The same thing drawn by us and by the host's driver directly.

use forerun_gles::host::Dialect;
use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::host::Direct;
use scenarios::runner::Needs;
use scenarios::{Backend, Gl, Topology, World, scenarios};
use std::ptr::null;

/// The host's context is made current on this thread, where a monolith has its own.
const APART: Needs = Needs { fits: |cell| cell.topology != Topology::Monolith, ..Needs::PIXELS };

scenarios! { "host";
    [Es(32), Core(33)], APART => a_lit_and_textured_scene_is_the_hosts;
}

const VERTEX: &str = "
layout(location = 0) in vec2 position; out vec3 normal; out vec2 uv; uniform mat4 turn;
void main() {
    normal = vec3(position, 0.7); uv = position * 3.0;
    gl_Position = turn * vec4(position, position.x * 0.3, 1.0);
}";
const FRAGMENT: &str = "
in vec3 normal; in vec2 uv; uniform sampler2D image; uniform vec3 light; out vec4 color;
void main() {
    float lit = max(dot(normalize(normal), normalize(light)), 0.0);
    color = vec4(texture(image, uv).rgb * lit + 0.1, 0.5 + 0.5 * lit);
}";

fn program(gl: &Gl, header: &str) -> u32 {
    let program = gl.CreateProgram();
    for (stage, text) in [(c::VERTEX_SHADER, VERTEX), (c::FRAGMENT_SHADER, FRAGMENT)] {
        let source = format!("{header}{text}");
        let shader = gl.CreateShader(stage);
        let (pointer, length) = (source.as_ptr(), source.len() as i32);
        gl.ShaderSource(shader, 1, &pointer, &length);
        gl.CompileShader(shader);
        gl.AttachShader(program, shader);
    }
    gl.LinkProgram(program);
    let mut ok = 0;
    gl.GetProgramiv(program, c::LINK_STATUS, &mut ok);
    assert_eq!(ok, 1);
    program
}

/// Draws a turned fan in layers that are blended, and reads it back.
fn picture(gl: &Gl, header: &str) -> Vec<u8> {
    let mut names = [0; 5];
    gl.GenTextures(2, names.as_mut_ptr());
    gl.BindTexture(c::TEXTURE_2D, names[0]);
    gl.TexImage2D(c::TEXTURE_2D, 0, c::RGBA8 as i32, 64, 64, 0, c::RGBA, c::UNSIGNED_BYTE, null());
    gl.GenFramebuffers(1, &mut names[2]);
    gl.BindFramebuffer(c::FRAMEBUFFER, names[2]);
    gl.FramebufferTexture2D(c::FRAMEBUFFER, c::COLOR_ATTACHMENT0, c::TEXTURE_2D, names[0], 0);
    gl.BindTexture(c::TEXTURE_2D, names[1]);
    let texels: Vec<[u8; 4]> = (0..64u8).map(|i| [i * 4, 255 - i, (i % 8) * 30, 255]).collect();
    gl.TexImage2D(
        c::TEXTURE_2D,
        0,
        c::RGBA8 as i32,
        8,
        8,
        0,
        c::RGBA,
        c::UNSIGNED_BYTE,
        texels.as_ptr().cast(),
    );
    gl.GenerateMipmap(c::TEXTURE_2D);
    gl.GenVertexArrays(1, &mut names[3]);
    gl.BindVertexArray(names[3]);
    gl.GenBuffers(1, &mut names[4]);
    gl.BindBuffer(c::ARRAY_BUFFER, names[4]);
    let fan = [0.0f32, 0.0, 0.9, 0.1, 0.5, 0.8, -0.4, 0.9, -0.9, 0.0, -0.3, -0.8, 0.6, -0.7];
    gl.BufferData(c::ARRAY_BUFFER, 56, fan.as_ptr().cast(), c::STATIC_DRAW);
    gl.VertexAttribPointer(0, 2, c::FLOAT, 0, 0, null());
    gl.EnableVertexAttribArray(0);
    let program = program(gl, header);
    gl.UseProgram(program);
    let place = |name: &std::ffi::CStr| gl.GetUniformLocation(program, name.as_ptr().cast());
    gl.Viewport(0, 0, 64, 64);
    gl.ClearColor(0.1, 0.2, 0.3, 1.0);
    gl.Clear(c::COLOR_BUFFER_BIT);
    gl.Enable(c::BLEND);
    gl.BlendFunc(c::SRC_ALPHA, c::ONE_MINUS_SRC_ALPHA);
    for i in 0..5 {
        let (sin, cos) = (i as f32 * 0.7).sin_cos();
        let turn =
            [cos, sin, 0.0, 0.0, -sin, cos, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.2f32];
        gl.UniformMatrix4fv(place(c"turn"), 1, 0, turn.as_ptr());
        gl.Uniform3f(place(c"light"), cos, 0.5, sin + 1.5);
        gl.DrawArrays(c::TRIANGLE_FAN, 0, 7);
    }
    let mut pixels = vec![0u8; 64 * 64 * 4];
    gl.ReadPixels(0, 0, 64, 64, c::RGBA, c::UNSIGNED_BYTE, pixels.as_mut_ptr().cast());
    gl.Disable(c::BLEND);
    assert_eq!(gl.GetError(), 0);
    pixels
}

fn a_lit_and_textured_scene_is_the_hosts(w: &mut World) {
    let es = "#version 320 es\nprecision highp float;\n";
    let core = "#version 330 core\n";
    let ours = picture(w, if w.is_es() { es } else { core });
    let direct = match w.cell.backend {
        Backend::Gl => picture(&Direct::open(Dialect::Gl).gl, core),
        _ => picture(&Direct::open(Dialect::Gles).gl, es),
    };
    let distinct = direct.iter().collect::<std::collections::BTreeSet<_>>().len();
    assert!(distinct > 60, "the picture has something in it");
    // Another order of the same operations may round a channel to its neighbour.
    let far = ours.iter().zip(&direct).filter(|(a, b)| a.abs_diff(**b) > 1).count();
    let near = ours.iter().zip(&direct).filter(|(a, b)| a != b).count();
    assert!(far == 0 && near <= direct.len() / 50, "{far} bytes are far, {near} differ");
}
