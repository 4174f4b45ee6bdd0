//! Fixed-function state between the shader and the framebuffer.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::world::SIDE;
use scenarios::{Backend, World, scenarios};

/// OpenGL ES hosts need an extension for clip distances.
const CLIPS: Needs = Needs { backends: &[Backend::Gl], ..Needs::PIXELS };

scenarios! { "raster";
    [Es(20), Es(30), Core(33)], Needs::PIXELS =>
        blending_combines_source_and_destination,
        the_depth_test_keeps_the_nearer,
        the_stencil_test_masks,
        scissor_viewport_and_colour_mask_bound_a_draw,
        culled_faces_are_not_drawn,
        state_of_each_draw_is_of_its_moment;
    [Core(33)], Needs::PIXELS => points_have_a_size_and_count_from_either_edge, pixel_centres_are_where_the_shader_says;
    [Core(33)], CLIPS => clip_distances_are_read_by_any_index;
    [Es(32)], Needs::PIXELS => draw_buffers_blend_apart;
}

fn paint(w: &World) -> impl Fn(f32, f32, f32, f32) {
    let program = w.painter();
    w.UseProgram(program);
    let location = w.uniform(program, c"color");
    w.whole();
    move |r, g, b, a| {
        w.Uniform4f(location, r, g, b, a);
        w.strip();
    }
}

fn blending_combines_source_and_destination(w: &mut World) {
    let draw = paint(w);
    w.Enable(c::BLEND);
    w.clear([100, 0, 50, 255]);
    w.BlendFunc(c::ONE, c::ONE);
    draw(0.2, 0.4, 1.0, 1.0);
    w.expect_all([151, 102, 255, 255]);
    w.clear([255, 0, 0, 255]);
    w.BlendFunc(c::SRC_ALPHA, c::ONE_MINUS_SRC_ALPHA);
    draw(0.0, 1.0, 0.0, 0.2);
    w.expect_near(3, 3, [204, 51, 0, 214]);
    w.clear([255, 10, 10, 255]);
    draw(0.0, 1.0, 0.0, 0.0);
    w.expect_all([255, 10, 10, 255]);
    draw(0.0, 1.0, 0.0, 1.0);
    w.expect_all([0, 255, 0, 255]);
    w.clear([200, 100, 50, 255]);
    w.BlendEquation(c::FUNC_REVERSE_SUBTRACT);
    w.BlendFunc(c::ONE, c::ONE);
    draw(0.2, 0.2, 0.2, 0.0);
    w.expect_all([149, 49, 0, 255]);
    w.BlendEquation(c::FUNC_ADD);
    w.BlendFuncSeparate(c::ZERO, c::ONE, c::CONSTANT_ALPHA, c::ZERO);
    w.BlendColor(0.0, 0.0, 0.0, 0.4);
    draw(1.0, 1.0, 1.0, 1.0);
    w.expect_near(9, 9, [149, 49, 0, 102]);
    w.rejects(c::INVALID_ENUM, || w.BlendFunc(c::ONE, c::TEXTURE_2D));
    w.rejects(c::INVALID_ENUM, || w.BlendEquation(c::ONE));
}

/// A painter whose depth is a uniform.
fn deep(w: &World) -> impl Fn(f32, [f32; 4]) {
    let program = if w.cell.api == Es(20) {
        w.program(
            "attribute vec2 position; uniform float depth; void main() { gl_Position = vec4(position, depth, 1.0); }",
            "uniform vec4 color; void main() { gl_FragColor = color; }",
        )
    } else {
        w.program(
            "layout(location = 0) in vec2 position; uniform float depth; void main() { gl_Position = vec4(position, depth, 1.0); }",
            "uniform vec4 color; out vec4 result; void main() { result = color; }",
        )
    };
    w.UseProgram(program);
    w.whole();
    let (depth, color) = (w.uniform(program, c"depth"), w.uniform(program, c"color"));
    move |z, rgba| {
        w.Uniform1f(depth, z);
        w.Uniform4fv(color, 1, rgba.as_ptr());
        w.strip();
    }
}

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];

fn the_depth_test_keeps_the_nearer(w: &mut World) {
    let draw = deep(w);
    w.Enable(c::DEPTH_TEST);
    w.Clear(c::COLOR_BUFFER_BIT | c::DEPTH_BUFFER_BIT);
    draw(0.0, RED);
    draw(0.5, GREEN);
    w.expect_all([255, 0, 0, 255]);
    draw(-0.5, BLUE);
    w.expect_all([0, 0, 255, 255]);
    // Without writes the depth stays.
    w.DepthMask(0);
    w.Clear(c::DEPTH_BUFFER_BIT);
    draw(-0.75, RED);
    draw(-0.6, GREEN);
    w.expect_all([0, 255, 0, 255]);
    w.DepthMask(1);
    w.ClearDepthf(0.25);
    w.Clear(c::DEPTH_BUFFER_BIT);
    w.DepthFunc(c::GREATER);
    draw(-0.6, RED);
    w.expect_all([0, 255, 0, 255]);
    draw(-0.4, BLUE);
    w.expect_all([0, 0, 255, 255]);
    // The range maps depths.
    w.DepthFunc(c::LESS);
    w.DepthRangef(0.5, 1.0);
    w.ClearDepthf(0.6);
    w.Clear(c::DEPTH_BUFFER_BIT);
    draw(-0.5, RED);
    w.expect_all([0, 0, 255, 255]);
    draw(-0.7, RED);
    w.expect_all([255, 0, 0, 255]);
    w.DepthFunc(c::NEVER);
    draw(-1.0, GREEN);
    w.expect_all([255, 0, 0, 255]);
    w.rejects(c::INVALID_ENUM, || w.DepthFunc(c::ONE));
}

fn the_stencil_test_masks(w: &mut World) {
    let draw = deep(w);
    w.clear([0; 4]);
    w.ClearStencil(1);
    w.Clear(c::STENCIL_BUFFER_BIT);
    w.Enable(c::STENCIL_TEST);
    w.Enable(c::SCISSOR_TEST);
    // The left half is raised by two.
    w.Scissor(0, 0, 16, 32);
    w.StencilFunc(c::ALWAYS, 0, 0xFF);
    w.StencilOp(c::KEEP, c::KEEP, c::INCR);
    w.ColorMask(0, 0, 0, 0);
    draw(0.0, RED);
    draw(0.0, RED);
    w.ColorMask(1, 1, 1, 1);
    w.Disable(c::SCISSOR_TEST);
    w.StencilOp(c::KEEP, c::KEEP, c::KEEP);
    w.StencilFunc(c::EQUAL, 3, 0xFF);
    draw(0.0, GREEN);
    w.StencilFunc(c::NOTEQUAL, 1, 0x01);
    draw(0.0, RED);
    w.expect_rect(0, 0, 16, SIDE, [0, 255, 0, 255]);
    w.expect_rect(16, 0, 16, SIDE, [0; 4]);
    w.StencilFunc(c::NOTEQUAL, 3, 0xFF);
    w.StencilOp(c::REPLACE, c::KEEP, c::KEEP);
    draw(0.0, BLUE);
    w.expect_rect(16, 0, 16, SIDE, [0, 0, 255, 255]);
    // A failed test replaced nothing that was not 3 before.
    w.StencilMask(0);
    w.ClearStencil(0);
    w.Clear(c::STENCIL_BUFFER_BIT);
    w.StencilFunc(c::EQUAL, 1, 0xFF);
    draw(0.0, RED);
    w.expect_rect(0, 0, 16, SIDE, [0, 255, 0, 255]);
    w.expect_rect(16, 0, 16, SIDE, [255, 0, 0, 255]);
}

fn scissor_viewport_and_colour_mask_bound_a_draw(w: &mut World) {
    let draw = paint(w);
    w.clear([0; 4]);
    w.Viewport(8, 4, 16, 20);
    draw(0.0, 1.0, 0.0, 1.0);
    w.expect_rect(8, 4, 16, 20, [0, 255, 0, 255]);
    w.expect_rect(0, 0, 8, SIDE, [0; 4]);
    w.expect_rect(24, 0, 8, SIDE, [0; 4]);
    w.expect_rect(0, 24, SIDE, 8, [0; 4]);
    w.Viewport(0, 0, SIDE, SIDE);
    w.Enable(c::SCISSOR_TEST);
    w.Scissor(0, 0, 10, 10);
    w.ColorMask(1, 0, 0, 0);
    draw(1.0, 1.0, 1.0, 1.0);
    w.expect_rect(0, 0, 10, 4, [255, 0, 0, 0]);
    w.expect_rect(8, 4, 2, 6, [255, 255, 0, 255]);
    w.expect_rect(10, 4, 14, 20, [0, 255, 0, 255]);
    w.rejects(c::INVALID_VALUE, || w.Viewport(0, 0, -1, 1));
    w.rejects(c::INVALID_VALUE, || w.Scissor(0, 0, 1, -1));
    let mut viewport = [0; 4];
    w.GetIntegerv(c::VIEWPORT, viewport.as_mut_ptr());
    assert_eq!(viewport, [0, 0, SIDE, SIDE]);
}

fn culled_faces_are_not_drawn(w: &mut World) {
    let draw = paint(w);
    w.clear([0; 4]);
    w.Enable(c::CULL_FACE);
    draw(0.0, 1.0, 0.0, 1.0);
    w.expect_all([0, 255, 0, 255]);
    w.CullFace(c::FRONT);
    draw(1.0, 0.0, 0.0, 1.0);
    w.expect_all([0, 255, 0, 255]);
    w.FrontFace(c::CW);
    draw(0.0, 0.0, 1.0, 1.0);
    w.expect_all([0, 0, 255, 255]);
    w.CullFace(c::FRONT_AND_BACK);
    draw(1.0, 0.0, 0.0, 1.0);
    w.expect_all([0, 0, 255, 255]);
    w.rejects(c::INVALID_ENUM, || w.CullFace(c::CW));
    w.rejects(c::INVALID_ENUM, || w.FrontFace(c::BACK));
}

fn state_of_each_draw_is_of_its_moment(w: &mut World) {
    let draw = paint(w);
    w.clear([0, 0, 0, 255]);
    w.Enable(c::SCISSOR_TEST);
    w.BlendFunc(c::ONE, c::ONE);
    for i in 0..SIDE {
        w.Scissor(i, 0, 1, SIDE);
        if i % 2 == 0 {
            w.Enable(c::BLEND)
        } else {
            w.Disable(c::BLEND)
        }
        w.ColorMask((i % 4 < 2).into(), 1, 1, 1);
        draw(0.2, 0.2, 0.0, 0.0);
    }
    w.Disable(c::SCISSOR_TEST);
    for i in 0..SIDE {
        let red = if i % 4 < 2 { 51 } else { 0 };
        w.expect_rect(i, 0, 1, SIDE, [red, 51, 0, if i % 2 == 0 { 255 } else { 0 }]);
    }
}

fn draw_buffers_blend_apart(w: &mut World) {
    let program = w.fragment_program(
        "layout(location = 0) out vec4 a; layout(location = 1) out vec4 b; void main() { a = vec4(0.2); b = vec4(0.4); }",
    );
    w.UseProgram(program);
    w.whole();
    let first = w.texture(2, 2, &[[100; 4]; 4]);
    let second = w.texture(2, 2, &[[100; 4]; 4]);
    w.framebuffer_of(first);
    w.FramebufferTexture2D(c::FRAMEBUFFER, c::COLOR_ATTACHMENT1, c::TEXTURE_2D, second, 0);
    w.DrawBuffers(2, [c::COLOR_ATTACHMENT0, c::COLOR_ATTACHMENT1].as_ptr());
    w.Viewport(0, 0, 2, 2);
    w.Enablei(c::BLEND, 1);
    w.BlendFunci(1, c::ONE, c::ONE);
    w.ColorMaski(0, 1, 0, 1, 0);
    w.strip();
    w.ReadBuffer(c::COLOR_ATTACHMENT0);
    w.expect_rect(0, 0, 2, 2, [51, 100, 51, 100]);
    w.ReadBuffer(c::COLOR_ATTACHMENT1);
    w.expect_rect(0, 0, 2, 2, [202; 4]);
    assert_eq!((w.IsEnabledi(c::BLEND, 0), w.IsEnabledi(c::BLEND, 1)), (0, 1));
}

/// GL_POINT_SIZE holds for points that a vertex or a geometry shader makes, and gl_PointCoord counts from the edge that was chosen.
fn points_have_a_size_and_count_from_either_edge(w: &mut World) {
    let vertex = "void main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }";
    let geometry = "layout(triangles) in; layout(points, max_vertices = 1) out;
         void main() { gl_Position = gl_in[0].gl_Position; EmitVertex(); }";
    let fragment = "out vec4 color; void main() { color = vec4(0.0, gl_PointCoord.y < 0.5 ? 1.0 : 0.0, 0.0, 1.0); }";
    let stages = [
        (c::VERTEX_SHADER, vertex),
        (c::FRAGMENT_SHADER, fragment),
        (c::GEOMETRY_SHADER, geometry),
    ];
    for (stages, mode, count) in [(&stages[..2], c::POINTS, 1), (&stages[..], c::TRIANGLES, 3)] {
        let program = w.program_with(stages, |_| ());
        w.UseProgram(program);
        w.PointSize(8.0);
        for (origin, low, high) in [(c::UPPER_LEFT, 0, 255), (c::LOWER_LEFT, 255, 0)] {
            w.PointParameteri(c::POINT_SPRITE_COORD_ORIGIN, origin as i32);
            w.clear([7; 4]);
            w.DrawArrays(mode, 0, count);
            w.expect_rect(12, 12, 8, 4, [0, low, 0, 255]);
            w.expect_rect(12, 16, 8, 4, [0, high, 0, 255]);
            w.expect_rect(20, 0, 12, 32, [7; 4]);
        }
    }
}

/// GLSL 1.50, section 7.2: `pixel_center_integer` moves gl_FragCoord by half a pixel.
fn pixel_centres_are_where_the_shader_says(w: &mut World) {
    for (layout, half) in [("", 0.5), ("layout(pixel_center_integer)", 0.0)] {
        let fragment = format!(
            "{layout} in vec4 gl_FragCoord; out vec4 color;
             void main() {{ color = vec4(fract(gl_FragCoord.xy) == vec2({half:?}) ? 1.0 : 0.0, gl_FragCoord.x / 51.0, gl_FragCoord.w, 1.0); }}"
        );
        let program = w.fragment_program(&fragment);
        w.UseProgram(program);
        w.whole();
        w.strip();
        w.expect_near(10, 3, [255, (50.0 + 5.0 * half) as u8, 255, 255]);
    }
}

/// A geometry shader hands the distances on one by one, and as a whole.
fn clip_distances_are_read_by_any_index(w: &mut World) {
    let vertex = "layout(location = 0) in vec2 position; out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[8]; };
         void main() {
             gl_Position = vec4(position, 0.0, 1.0);
             for (int i = 0; i < 8; i++) gl_ClipDistance[i] = i == 2 ? position.x : 1.0;
         }";
    let each = "gl_ClipDistance[i] = gl_in[v].gl_ClipDistance[i];";
    let whole = "float all[8] = gl_in[v].gl_ClipDistance; gl_ClipDistance[i] = all[i];";
    for copy in [each, whole] {
        let geometry = format!(
            "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;
             in gl_PerVertex {{ vec4 gl_Position; float gl_ClipDistance[8]; }} gl_in[];
             out gl_PerVertex {{ vec4 gl_Position; float gl_ClipDistance[8]; }};
             void main() {{
                 for (int v = 0; v < 3; v++) {{
                     gl_Position = gl_in[v].gl_Position;
                     for (int i = 0; i < 8; i++) {{ {copy} }}
                     EmitVertex();
                 }}
             }}"
        );
        let fragment = "out vec4 color; void main() { color = vec4(0.0, 1.0, 0.0, 1.0); }";
        let program = w.program_with(
            &[
                (c::VERTEX_SHADER, vertex),
                (c::GEOMETRY_SHADER, &geometry),
                (c::FRAGMENT_SHADER, fragment),
            ],
            |_| (),
        );
        w.UseProgram(program);
        w.whole();
        w.Enable(c::CLIP_DISTANCE2);
        w.clear([7; 4]);
        w.strip();
        w.expect_rect(0, 0, 16, 32, [7; 4]);
        w.expect_rect(16, 0, 16, 32, [0, 255, 0, 255]);
        w.Disable(c::CLIP_DISTANCE2);
    }
}
