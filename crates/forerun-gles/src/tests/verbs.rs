//! Feedback, queries, copies, blits, fences and what both hosts must agree on.

use super::objects::{SOLID, new_storage, read_buffer, words, write_texture};
use super::*;

#[test]
fn feedback_captures_and_counts() {
    everywhere(|world| {
        let text = "layout(location = 0) in vec2 at; out vec2 twice;
            void main() { twice = at * 2.0; gl_Position = vec4(at, 0.0, 1.0); }";
        let program = world
            .use_stages(&[(Stage::Vertex, text), (Stage::Fragment, SOLID)], &["twice".to_string()]);
        world.bind_vertices(2, &QUAD);
        let target = world.new_buffer(&[0; 48]);
        let handle = world.handle::<kind::Feedback>();
        let object = Feedback {
            active: true,
            executable: program,
            primitive_mode: c::TRIANGLES,
            targets: vec![Range { buffer: target, offset: 0, size: WHOLE }],
            serial: world.tick(),
            ..Default::default()
        };
        world.tables.feedbacks.create(handle.raw(), object, "test").unwrap();
        let query = world.handle::<kind::Query>();
        let object =
            Query { target: c::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, ..Default::default() };
        world.tables.queries.create(query.raw(), object, "test").unwrap();
        world.run(|backend, env| backend.query_begin(env, query)).unwrap();
        world.context.feedback.value = handle;
        world.context.feedback.serial = world.tick();
        world.run(|backend, env| backend.feedback_begin(env, handle)).unwrap();
        world.draw(3);
        // Another context draws meanwhile.
        world.run(|backend, env| backend.context_bound(Some(env))).unwrap();
        world.draw(3);
        world.run(|backend, env| backend.feedback_pause(env, handle)).unwrap();
        world.run(|backend, env| backend.feedback_resume(env, handle)).unwrap();
        world.run(|backend, env| backend.feedback_end(env, handle)).unwrap();
        world.context.feedback.value = Handle::NULL;
        world.run(|backend, env| backend.query_end(env, query)).unwrap();
        world.draw(3);
        let result = world.backend.query_result(&world.tables, query, true).unwrap();
        assert_eq!(result, Some(2));
        let floats: Vec<f32> =
            words(&read_buffer(world, target, 48)).into_iter().map(f32::from_bits).collect();
        let half: Vec<f32> = QUAD[..6].iter().map(|v| v * 2.0).collect();
        assert_eq!(floats, [&half[..], &half[..]].concat());
    });
}

#[test]
fn occlusion_is_told_and_conditions_draws() {
    everywhere(|world| {
        let program = world.use_program(
            "layout(location = 0) in vec2 at; void main() { gl_Position = vec4(at, 0.0, 1.0); }",
            SOLID,
        );
        world.set_uniform(program, "tint", &[0.0, 1.0, 0.0, 1.0]);
        world.bind_vertices(2, &QUAD);
        let query = world.handle::<kind::Query>();
        let object = Query { target: c::ANY_SAMPLES_PASSED, ..Default::default() };
        world.tables.queries.create(query.raw(), object, "test").unwrap();
        for (count, expected) in [(6, 1), (0, 0)] {
            world.run(|backend, env| backend.query_begin(env, query)).unwrap();
            if count > 0 {
                world.draw(count);
            }
            world.run(|backend, env| backend.query_end(env, query)).unwrap();
            let result = world.backend.query_result(&world.tables, query, true).unwrap();
            assert_eq!(result, Some(expected));
        }
        // The last result was none: what it conditions is not drawn.
        world.clear([0.0; 4]);
        world.context.conditional.value = Some((query, c::QUERY_WAIT));
        world.run(|backend, env| backend.conditional_render(env)).unwrap();
        world.draw(6);
        world.context.conditional.value = None;
        world.run(|backend, env| backend.conditional_render(env)).unwrap();
        assert_eq!(world.pixel(8, 8), [0; 4]);
        world.draw(6);
        assert_eq!(world.pixel(8, 8), [0, 255, 0, 255]);
    });
}

#[test]
fn a_copy_to_an_alpha_texture_takes_alpha() {
    everywhere(|world| {
        if world.context.desc.api != api::ES {
            return;
        }
        world.clear([0.2, 0.4, 0.6, 0.8]);
        let texture = world.new_texture(c::ALPHA, c::ALPHA, c::UNSIGNED_BYTE, [16, 16], &[]);
        let region =
            Region { target: c::TEXTURE_2D, face: 0, level: 0, origin: [0; 3], size: [16, 16, 1] };
        let p = CopyFramebufferToTexture {
            handle: texture.raw(),
            target: c::TEXTURE_2D,
            width: 16,
            height: 16,
            ..Default::default()
        };
        world
            .run(|backend, env| backend.copy_framebuffer_to_texture(env, texture, &region, &p))
            .unwrap();
        world.use_program(
            PASS,
            "uniform sampler2D image; in vec2 uv; layout(location = 0) out vec4 color;
            void main() { color = texture(image, uv); }",
        );
        world.bind_vertices(2, &QUAD);
        world.bind_texture(0, texture);
        world.draw(6);
        assert_eq!(world.pixel(8, 8), [0, 0, 0, 204]);
    });
}

#[test]
fn reads_convert_to_what_the_program_asks() {
    everywhere(|world| {
        if world.context.desc.api == api::ES {
            return;
        }
        world.clear([0.2, 0.4, 0.6, 0.8]);
        let read = |world: &mut World, format: u32, ty: u32, len: usize| {
            let mut bytes = vec![0u8; len];
            let p = ReadPixels { width: 1, height: 1, format, ty, ..Default::default() };
            world
                .run(|backend, env| backend.read_pixels(env, &p, &mut Dest::new(&mut bytes)))
                .unwrap();
            bytes
        };
        assert_eq!(read(world, c::BGRA, c::UNSIGNED_BYTE, 4), [153, 102, 51, 204]);
        assert_eq!(read(world, c::RGB, c::UNSIGNED_BYTE, 3), [51, 102, 153]);
        let floats = read(world, c::RGBA, c::FLOAT, 16);
        assert!((f32::from_bits(words(&floats)[1]) - 0.4).abs() < 0.01);
        assert_eq!(read(world, c::GREEN, c::UNSIGNED_SHORT, 2), (102u16 * 257).to_ne_bytes());
    });
}

#[test]
fn a_blit_scales_and_obeys_the_scissor() {
    everywhere(|world| {
        let texture = new_storage(world, c::TEXTURE_2D, c::RGBA8, [2, 2, 1], 1);
        let region =
            Region { target: c::TEXTURE_2D, face: 0, level: 0, origin: [0; 3], size: [2, 2, 1] };
        write_texture(world, texture, region, &[255; 16]);
        world.clear([0.0; 4]);
        let default = world.context.framebuffers.value.draw;
        world.bind_framebuffer(&[texture]);
        world.context.framebuffers.value.draw = default;
        let viewport = &mut world.context.viewports.value[0];
        (viewport.scissor, viewport.scissor_enable) = ([0, 0, 8, 16], 1);
        world.context.viewports.serial = world.tick();
        let p = Blit {
            src: [0, 0, 2, 2],
            dst: [0, 0, 16, 16],
            mask: c::COLOR_BUFFER_BIT,
            filter: c::NEAREST,
        };
        world.run(|backend, env| backend.blit(env, &p)).unwrap();
        world.context.framebuffers.value.read = default;
        assert_eq!(world.pixel(3, 12), [255; 4]);
        assert_eq!(world.pixel(12, 3), [0; 4]);
    });
}

#[test]
fn deleted_names_that_the_driver_uses_again_are_bound_again() {
    everywhere(|world| {
        world.use_program(
            PASS,
            "uniform sampler2D image; in vec2 uv; layout(location = 0) out vec4 color;
            void main() { color = texture(image, uv); }",
        );
        for step in 0..20u8 {
            let buffer = world.bind_vertices(2, &QUAD);
            let texture =
                world.new_texture(c::RGBA8, c::RGBA, c::UNSIGNED_BYTE, [1, 1], &[step; 4]);
            world.bind_texture(0, texture);
            world.draw(6);
            assert_eq!(world.pixel(8, 8), [step; 4]);
            world.tables.textures.destroy(texture);
            world.backend.destroyed(forerun_pipe::Kind::Texture, texture.raw());
            world.tables.buffers.destroy(buffer);
            world.backend.destroyed(forerun_pipe::Kind::Buffer, buffer.raw());
        }
    });
}

#[test]
fn fences_signal_and_time_goes_on() {
    everywhere(|world| {
        let fence = world.handle::<kind::Fence>();
        world.clear([1.0; 4]);
        world.backend.fence_create(fence).unwrap();
        assert!(world.backend.fence_wait(fence, 1_000_000_000).unwrap());
        assert!(world.backend.fence_wait(fence, 0).unwrap());
        world.backend.fence_destroyed(fence);
        let first = world.backend.timestamp().unwrap();
        assert!(world.backend.timestamp().unwrap() >= first);
        world.backend.finish().unwrap();
    });
}

#[test]
fn depth_stencil_and_points_are_as_desktop_gl_says_on_both_hosts() {
    everywhere(|world| {
        if world.context.desc.api == api::ES {
            return;
        }
        let p = Clear {
            kind: clear_kind::WHOLE,
            mask: c::COLOR_BUFFER_BIT | c::DEPTH_BUFFER_BIT | c::STENCIL_BUFFER_BIT,
            depth: 0.25,
            stencil: 7,
            ..Default::default()
        };
        world.run(|backend, env| backend.clear(env, &p)).unwrap();
        let mut bytes = [0u8; 4];
        for (format, ty) in [(c::DEPTH_COMPONENT, c::FLOAT), (c::STENCIL_INDEX, c::INT)] {
            let p = ReadPixels { width: 1, height: 1, format, ty, ..Default::default() };
            world
                .run(|backend, env| backend.read_pixels(env, &p, &mut Dest::new(&mut bytes)))
                .unwrap();
            if format == c::DEPTH_COMPONENT {
                assert!((f32::from_ne_bytes(bytes) - 0.25).abs() < 1e-4);
            } else {
                assert_eq!(i32::from_ne_bytes(bytes), 7);
            }
        }
        let program = world.use_program(
            "layout(location = 0) in vec2 at; void main() { gl_Position = vec4(at, 0.0, 1.0); }",
            SOLID,
        );
        world.set_uniform(program, "tint", &[0.0, 1.0, 0.0, 1.0]);
        world.bind_vertices(2, &[0.0, 0.0]);
        for size in [8.0, 2.0] {
            world.context.dynamic.value.point_size = size;
            world.context.dynamic.serial = world.tick();
            world.clear([0.0; 4]);
            let draw = Draw {
                mode: c::POINTS,
                indices: Indices::None,
                extent: Extent::Ranges(&[DrawRange { count: 1, ..Default::default() }]),
                instance_count: 1,
                base_instance: 0,
                first_draw_id: 0,
                first_vertex: 0,
                arrays: &[],
            };
            world.run(|backend, env| backend.draw(env, &draw)).unwrap();
            assert_eq!(world.pixel(8, 8), [0, 255, 0, 255]);
            assert_eq!(world.pixel(10, 10)[1], if size > 4.0 { 255 } else { 0 });
        }
    });
}

#[test]
fn a_program_without_fragments_draws_on_both_hosts() {
    everywhere(|world| {
        if world.context.desc.api == api::ES {
            return;
        }
        let text =
            "layout(location = 0) in vec2 at; void main() { gl_Position = vec4(at, 0.0, 1.0); }";
        world.use_stages(&[(Stage::Vertex, text)], &[]);
        world.bind_vertices(2, &QUAD);
        world.draw(3);
    });
}

#[test]
fn primitives_restart_at_any_index() {
    everywhere(|world| {
        if world.context.desc.api == api::ES {
            return;
        }
        let program = world.use_program(
            "layout(location = 0) in vec2 at; void main() { gl_Position = vec4(at, 0.0, 1.0); }",
            SOLID,
        );
        world.set_uniform(program, "tint", &[0.0, 1.0, 0.0, 1.0]);
        world.bind_vertices(2, &QUAD);
        let mut desc = raster();
        desc.primitive_restart = 1;
        world.set_state(&mut desc);
        world.context.dynamic.value.restart_index = 5;
        world.context.dynamic.serial = world.tick();
        // A strip of the lower left triangle; after the restart there are too few vertices for another.
        let indices = [9u8, 0, 1, 2, 5, 4, 3];
        world.context.index_buffer.value = world.new_buffer(&indices);
        world.context.index_buffer.serial = world.tick();
        let ranges = [DrawRange { start: 1, count: 6, ..Default::default() }];
        for client in [false, true] {
            world.clear([0.0; 4]);
            let ty = c::UNSIGNED_BYTE;
            let draw = Draw {
                mode: c::TRIANGLE_STRIP,
                indices: if client {
                    Indices::Client { ty, bytes: &indices }
                } else {
                    Indices::Buffer { ty }
                },
                extent: Extent::Ranges(&ranges),
                instance_count: 1,
                base_instance: 0,
                first_draw_id: 0,
                first_vertex: 0,
                arrays: &[],
            };
            world.run(|backend, env| backend.draw(env, &draw)).unwrap();
            assert_eq!(world.pixel(3, 3), [0, 255, 0, 255]);
            assert_eq!(world.pixel(13, 13), [0; 4]);
        }
    });
}
