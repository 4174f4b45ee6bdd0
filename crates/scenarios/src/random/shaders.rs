//! Thirty fixed programs: six ways to place a vertex, five ways to colour a fragment. Their arithmetic is exact, so that every driver
//! and every translation of them gives the same bits.

use crate::gl::Gl;
use forerun_pipe::gl as c;

const PLACES: [&str; 6] = [
    "vec2 place() { return position; }",
    "vec2 place() { return position * 0.5 + shift; }",
    "vec2 place() { return position * 0.25 + vec2(float(gl_InstanceID) * 0.5 - 0.5, shift.y); }",
    "vec2 place() { return vec2(position.y, -position.x); }",
    "vec2 place() { return position + vec2(float(gl_VertexID & 3) * 0.0625, 0.0); }",
    "vec2 place() { return position * moved.xy + moved.zw; }",
];

const COLORS: [&str; 5] = [
    "vec4 paint() { return tint; }",
    "vec4 paint() { return vec4(given) / 255.0; }",
    "vec4 paint() { return texture(image, uv); }",
    "vec4 paint() { return texelFetch(other, ivec2(gl_FragCoord.xy) & 3, 0); }",
    "vec4 paint() {
        if (((int(gl_FragCoord.x) ^ int(gl_FragCoord.y)) & 1) == 1) discard;
        return vec4(tint.rg, moved.x, 1.0);
     }",
];

/// How many there are.
pub const COUNT: usize = PLACES.len() * COLORS.len();

fn vertex(place: &str) -> String {
    format!(
        "layout(location = 0) in vec2 position; layout(location = 1) in ivec4 color;
         uniform vec2 shift; uniform float depth; layout(std140) uniform Moves {{ vec4 moved; }};
         flat out ivec4 given; out vec2 uv; {place}
         void main() {{
             given = color & 255; uv = position * 0.5 + 0.5; gl_PointSize = 3.0;
             gl_Position = vec4(place(), depth, 1.0);
         }}"
    )
}

fn fragment(color: &str) -> String {
    format!(
        "flat in ivec4 given; in vec2 uv; uniform vec4 tint; uniform sampler2D image; uniform sampler2D other;
         layout(std140) uniform Moves {{ vec4 moved; }}; out vec4 result; {color}
         void main() {{ result = paint(); }}"
    )
}

/// A linked program and where its uniforms are; -1 where it has none of that name.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name.
    pub name: u32,
    /// A move.
    pub shift: i32,
    /// Depth.
    pub depth: i32,
    /// A colour.
    pub tint: i32,
}

/// Links one of them. `header` is the version and the precisions.
pub fn link(gl: &Gl, header: &str, number: usize) -> Program {
    let texts = [
        (c::VERTEX_SHADER, vertex(PLACES[number % PLACES.len()])),
        (c::FRAGMENT_SHADER, fragment(COLORS[number / PLACES.len()])),
    ];
    let name = gl.CreateProgram();
    for (stage, text) in texts {
        let text = format!("{header}{text}");
        let shader = gl.CreateShader(stage);
        let (pointer, length) = (text.as_ptr(), text.len() as i32);
        gl.ShaderSource(shader, 1, &pointer, &length);
        gl.CompileShader(shader);
        gl.AttachShader(name, shader);
        gl.DeleteShader(shader);
    }
    gl.LinkProgram(name);
    let mut linked = 0;
    gl.GetProgramiv(name, c::LINK_STATUS, &mut linked);
    assert_eq!(linked, 1, "program {number} is linked");
    let place = |uniform: &std::ffi::CStr| gl.GetUniformLocation(name, uniform.as_ptr().cast());
    gl.UseProgram(name);
    gl.Uniform1i(place(c"other"), 1);
    let block = gl.GetUniformBlockIndex(name, c"Moves".as_ptr().cast());
    if block != c::INVALID_INDEX {
        gl.UniformBlockBinding(name, block, 2);
    }
    Program { name, shift: place(c"shift"), depth: place(c"depth"), tint: place(c"tint") }
}
