//! What is drawn is what GL says.

use super::*;
use forerun_pipe::event::Event;
use forerun_server::backend::{ClientArray, Failure};

const UNIFORM: &str = "uniform vec4 tint; in vec2 uv; layout(location = 0) out vec4 color;
void main() { color = tint; }";
const SAMPLE: &str = "uniform sampler2D image; in vec2 uv; layout(location = 0) out vec4 color;
void main() { color = texture(image, uv); }";

#[test]
fn a_triangle_covers_its_half() {
    everywhere(|world| {
        world.clear([0.0, 0.0, 1.0, 1.0]);
        let program = world.use_program(PASS, UNIFORM);
        world.set_uniform(program, "tint", &[1.0, 0.0, 0.0, 1.0]);
        world.bind_vertices(2, &QUAD);
        world.draw(3);
        assert_eq!(world.pixel(2, 2), [255, 0, 0, 255]);
        assert_eq!(world.pixel(13, 13), [0, 0, 255, 255]);
    });
}

#[test]
fn uniforms_between_draws_keep_their_draws_apart() {
    everywhere(|world| {
        world.clear([0.0; 4]);
        let program = world.use_program(PASS, UNIFORM);
        world.bind_vertices(2, &QUAD);
        // More than the ring holds: 16,000 places of 256 bytes.
        for step in 0..16_000u32 {
            let row = step % 16;
            world.context.viewports.value[0].rect = [0.0, row as f32, 16.0, 1.0];
            world.context.viewports.serial = world.tick();
            world.set_uniform(program, "tint", &[row as f32 / 255.0, 0.0, 0.0, 1.0]);
            world.draw(6);
        }
        for row in 0..16 {
            assert_eq!(world.pixel(7, row)[0], row as u8);
        }
    });
}

#[test]
fn textures_of_old_and_new_formats_are_read_as_their_api_says() {
    everywhere(|world| {
        world.use_program(PASS, SAMPLE);
        world.bind_vertices(2, &QUAD);
        let es = world.context.desc.api == api::ES;
        let mut cases = vec![
            (c::RGBA8, c::RGBA, c::UNSIGNED_BYTE, vec![10, 20, 30, 40], [10, 20, 30, 40]),
            (c::RGB8, c::RGB, c::UNSIGNED_BYTE, vec![10, 20, 30], [10, 20, 30, 255]),
            (c::RGB, c::RGB, c::UNSIGNED_SHORT_5_6_5, vec![0x00, 0xF8], [255, 0, 0, 255]),
            (c::R8, c::RED, c::UNSIGNED_BYTE, vec![10], [10, 0, 0, 255]),
        ];
        if es {
            let half_one = 0x3C00u16.to_le_bytes();
            cases.extend([
                (c::LUMINANCE, c::LUMINANCE, c::UNSIGNED_BYTE, vec![9], [9, 9, 9, 255]),
                (c::ALPHA, c::ALPHA, c::UNSIGNED_BYTE, vec![9], [0, 0, 0, 9]),
                (
                    c::LUMINANCE_ALPHA,
                    c::LUMINANCE_ALPHA,
                    c::UNSIGNED_BYTE,
                    vec![8, 9],
                    [8, 8, 8, 9],
                ),
                (c::BGRA, c::BGRA, c::UNSIGNED_BYTE, vec![1, 2, 3, 4], [3, 2, 1, 4]),
                (
                    c::RGBA,
                    c::RGBA,
                    c::HALF_FLOAT_OES,
                    [half_one, [0, 0], half_one, half_one].concat(),
                    [255, 0, 255, 255],
                ),
            ]);
        } else {
            let one = 1.0f32.to_le_bytes();
            cases.extend([
                (c::RGBA8, c::BGRA, c::UNSIGNED_BYTE, vec![1, 2, 3, 4], [3, 2, 1, 4]),
                (c::RGBA8, c::RGBA, c::UNSIGNED_INT_8_8_8_8, vec![4, 3, 2, 1], [1, 2, 3, 4]),
                (c::RGB, c::RGB, c::FLOAT, [one, [0; 4], one].concat(), [255, 0, 255, 255]),
                (c::RGB5, c::RGBA, c::UNSIGNED_BYTE, vec![255, 0, 255, 7], [255, 0, 255, 255]),
            ]);
        }
        for (internal, format, ty, bytes, expected) in cases {
            let texture = world.new_texture(internal, format, ty, [1, 1], &bytes);
            world.bind_texture(0, texture);
            world.clear([0.5; 4]);
            world.draw(6);
            assert_eq!(world.pixel(8, 8), expected, "0x{internal:04X} 0x{format:04X} 0x{ty:04X}");
        }
    });
}

#[test]
fn a_program_s_swizzle_comes_after_the_format_s() {
    everywhere(|world| {
        if world.context.desc.api != api::ES {
            return;
        }
        world.use_program(PASS, SAMPLE);
        world.bind_vertices(2, &QUAD);
        let texture = world.new_texture(
            c::LUMINANCE_ALPHA,
            c::LUMINANCE_ALPHA,
            c::UNSIGNED_BYTE,
            [1, 1],
            &[8, 9],
        );
        let serial = world.tick();
        let object = world.tables.textures.get_mut(texture).unwrap();
        object.params.swizzle = [c::ALPHA, c::ONE, c::RED, c::ZERO];
        object.params_serial = serial;
        world.backend.texture_params(&world.tables, texture).unwrap();
        world.bind_texture(0, texture);
        world.draw(6);
        assert_eq!(world.pixel(8, 8), [9, 255, 8, 0]);
    });
}

#[test]
fn rendering_to_a_texture_can_be_sampled() {
    everywhere(|world| {
        let program = world.use_program(PASS, UNIFORM);
        world.bind_vertices(2, &QUAD);
        let texture = world.new_texture(c::RGBA8, c::RGBA, c::UNSIGNED_BYTE, [16, 16], &[]);
        world.bind_framebuffer(&[texture]);
        world.clear([0.0; 4]);
        world.set_uniform(program, "tint", &[0.0, 1.0, 0.0, 1.0]);
        world.draw(3);
        assert_eq!(world.pixel(2, 2), [0, 255, 0, 255]);
        let default = Handle::from_raw(RawHandle::DEFAULT_FRAMEBUFFER);
        world.context.framebuffers.value = Framebuffers { draw: default, read: default };
        world.use_program(PASS, SAMPLE);
        world.bind_texture(0, texture);
        world.clear([1.0; 4]);
        world.draw(6);
        assert_eq!(world.pixel(2, 2), [0, 255, 0, 255]);
        assert_eq!(world.pixel(13, 13), [0; 4]);
    });
}

#[test]
fn client_arrays_and_indices_ride_the_draw() {
    everywhere(|world| {
        let program = world.use_program(PASS, UNIFORM);
        world.set_uniform(program, "tint", &[0.0, 0.0, 1.0, 1.0]);
        world.bind_vertices(2, &QUAD);
        world.set_vertex_buffer(Handle::NULL, 0, 8);
        // The first vertex that the bytes hold is number 1000.
        let bytes: Vec<u8> = QUAD.iter().flat_map(|v| v.to_ne_bytes()).collect();
        let arrays = [ClientArray { bytes: Source::new(&bytes), binding: 0, stride: 8 }];
        let indices: Vec<u8> =
            [1000u16, 1001, 1002, 1003, 1004, 1005].iter().flat_map(|v| v.to_ne_bytes()).collect();
        for _ in 0..3 {
            world.clear([0.0; 4]);
            let draw = Draw {
                mode: c::TRIANGLES,
                indices: Indices::Client { ty: c::UNSIGNED_SHORT, bytes: &indices },
                extent: Extent::Ranges(&[DrawRange { count: 6, ..Default::default() }]),
                instance_count: 1,
                base_instance: 0,
                first_draw_id: 0,
                first_vertex: 1000,
                arrays: &arrays,
            };
            world.run(|backend, env| backend.draw(env, &draw)).unwrap();
            assert_eq!(world.pixel(8, 8), [0, 0, 255, 255]);
        }
        // And a buffer again.
        let buffer = world.new_buffer(&bytes);
        world.set_vertex_buffer(buffer, 0, 8);
        world.clear([0.0; 4]);
        world.draw(6);
        assert_eq!(world.pixel(8, 8), [0, 0, 255, 255]);
    });
}

#[test]
fn an_attribute_without_an_array_and_a_dead_buffer_read_no_stray_memory() {
    everywhere(|world| {
        let program = world.use_program(PASS, UNIFORM);
        world.set_uniform(program, "tint", &[0.0, 0.0, 1.0, 1.0]);
        let buffer = world.bind_vertices(2, &QUAD);
        world.draw(6);
        world.tables.buffers.destroy(buffer);
        world.backend.destroyed(forerun_pipe::Kind::Buffer, buffer.raw());
        world.clear([0.0; 4]);
        world.draw(6);
        assert_eq!(world.pixel(8, 8), [0; 4]);
    });
}

#[test]
fn a_multisampled_drawable_is_resolved_when_it_is_read() {
    everywhere(|world| {
        let surface = world.new_surface(16, 16, 4);
        world.context.surfaces.value = Surfaces { draw: surface, read: surface };
        world.clear([0.0, 1.0, 0.0, 1.0]);
        assert_eq!(world.pixel(3, 3), [0, 255, 0, 255]);
        let mut bytes = vec![0u8; 16 * 16 * 4];
        let tables = &world.tables;
        world.backend.surface_read(tables, surface, false, &mut Dest::new(&mut bytes)).unwrap();
        assert_eq!(bytes[..4], [0, 255, 0, 255]);
    });
}

#[test]
fn a_drawable_is_read_top_row_first_as_bgra() {
    everywhere(|world| {
        world.clear([0.0; 4]);
        let program = world.use_program(PASS, UNIFORM);
        world.set_uniform(program, "tint", &[1.0, 0.0, 0.0, 1.0]);
        world.bind_vertices(2, &QUAD);
        world.context.viewports.value[0].rect = [0.0, 0.0, 16.0, 1.0];
        world.context.viewports.serial = world.tick();
        world.draw(6);
        let mut bytes = vec![0u8; 16 * 16 * 4];
        let (tables, surface) = (&world.tables, world.surface);
        world.backend.surface_read(tables, surface, false, &mut Dest::new(&mut bytes)).unwrap();
        assert_eq!(bytes[..4], [0; 4]);
        assert_eq!(bytes[15 * 64..15 * 64 + 4], [0, 0, 255, 255]);
    });
}

#[test]
fn what_the_host_cannot_compile_is_an_error_with_its_text() {
    everywhere(|world| {
        let handle = world.use_program(PASS, UNIFORM);
        let mut executable = world.tables.executables.get(handle).unwrap().clone();
        let mut archive = (*executable.archive).clone();
        archive.stages[0].spirv.truncate(20);
        executable.archive = Arc::new(archive);
        *world.tables.executables.get_mut(handle).unwrap() = executable;
        world.bind_vertices(2, &QUAD);
        let draw = Draw {
            mode: c::TRIANGLES,
            indices: Indices::None,
            extent: Extent::Ranges(&[DrawRange { count: 3, ..Default::default() }]),
            instance_count: 1,
            base_instance: 0,
            first_draw_id: 0,
            first_vertex: 0,
            arrays: &[],
        };
        let first = world.run(|backend, env| backend.draw(env, &draw));
        assert!(
            matches!(first, Err(Failure::Gl { code: c::INVALID_OPERATION, text }) if !text.is_empty())
        );
        let second = world.run(|backend, env| backend.draw(env, &draw));
        assert_eq!(second, Err(Failure::Declined { code: c::INVALID_OPERATION }));
        let mut events: Vec<Event> = Vec::new();
        world.backend.take_events(&mut events);
        assert!(events.is_empty());
    });
}
