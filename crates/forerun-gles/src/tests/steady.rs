//! How many calls of the driver a draw makes, by the recording table of the tests.

use super::*;

const TEXTURED: &str = "uniform vec4 tint; uniform sampler2D image; in vec2 uv;
layout(location = 0) out vec4 color; void main() { color = texture(image, uv) * tint; }";

fn scene(world: &mut World) -> Handle<kind::Executable> {
    let program = world.use_program(PASS, TEXTURED);
    world.set_uniform(program, "tint", &[1.0; 4]);
    let texture = world.new_texture(c::RGBA8, c::RGBA, c::UNSIGNED_BYTE, [1, 1], &[255, 0, 0, 255]);
    world.bind_texture(0, texture);
    world.bind_vertices(2, &QUAD);
    let indices: Vec<u8> = (0..6u16).flat_map(|v| v.to_ne_bytes()).collect();
    world.context.index_buffer.value = world.new_buffer(&indices);
    world.context.index_buffer.serial = world.tick();
    world.draw(6);
    let _ = world.backend.host.gl.take_log();
    program
}

fn calls(world: &World) -> Vec<&'static str> {
    world.backend.host.gl.take_log()
}

#[test]
fn a_draw_without_a_change_is_one_call() {
    everywhere(|world| {
        scene(world);
        for _ in 0..3 {
            world.draw(6);
            assert_eq!(calls(world), ["draw_arrays"]);
        }
        let ty = c::UNSIGNED_SHORT;
        let range = [DrawRange { count: 6, ..Default::default() }];
        world.draw_ranges(&range, Indices::Buffer { ty });
        assert_eq!(calls(world), ["bind_buffer", "draw_elements"]);
        world.draw_ranges(&range, Indices::Buffer { ty });
        assert_eq!(calls(world), ["draw_elements"]);
    });
}

#[test]
fn merged_draws_are_one_call_where_the_host_has_it() {
    everywhere(|world| {
        scene(world);
        let has = world.backend.host.gl.has;
        let ranges = [DrawRange { count: 3, ..Default::default() }; 8];
        world.draw_ranges(&ranges, Indices::None);
        assert_eq!(calls(world).len(), if has.multi_draw_arrays { 1 } else { 8 });
        world.draw_ranges(&ranges, Indices::Buffer { ty: c::UNSIGNED_SHORT });
        let _ = calls(world);
        world.draw_ranges(&ranges, Indices::Buffer { ty: c::UNSIGNED_SHORT });
        assert_eq!(calls(world).len(), if has.multi_draw_elements_base_vertex { 1 } else { 8 });
    });
}

#[test]
fn a_change_costs_what_it_changes() {
    everywhere(|world| {
        let program = scene(world);
        world.set_uniform(program, "tint", &[0.5; 4]);
        world.draw(6);
        let persistent = world.backend.host.gl.has.buffer_storage;
        assert!(persistent, "this host maps persistently");
        assert_eq!(calls(world), ["bind_buffer_range", "draw_arrays"]);

        let other = world.new_texture(c::RGBA8, c::RGBA, c::UNSIGNED_BYTE, [1, 1], &[9; 4]);
        world.bind_texture(0, other);
        world.draw(6);
        let _ = calls(world);
        let first = world.context.views.value[0].texture;
        for texture in [other, first, other] {
            world.bind_texture(0, texture);
        }
        world.draw(6);
        // Nothing moved after all.
        assert_eq!(calls(world), ["draw_arrays"]);

        let mut desc = raster();
        desc.depth_test = 1;
        world.set_state(&mut desc);
        world.draw(6);
        assert_eq!(calls(world), ["enable", "draw_arrays"]);
        desc.depth_test = 0;
        desc.blend = desc.blend.map(|b| BlendTarget { enable: 1, ..b });
        world.set_state(&mut desc);
        world.draw(6);
        assert_eq!(calls(world), ["enable", "disable", "draw_arrays"]);
    });
}

#[test]
fn two_programs_in_turn_keep_their_uniforms() {
    everywhere(|world| {
        let first = scene(world);
        let second = world.use_program(PASS, TEXTURED);
        world.set_uniform(second, "tint", &[0.25; 4]);
        world.draw(6);
        let _ = calls(world);
        for program in [first, second, first] {
            world.context.draw_program.value = program;
            world.draw(6);
            assert_eq!(calls(world), ["use_program", "bind_buffer_range", "draw_arrays"]);
        }
    });
}
