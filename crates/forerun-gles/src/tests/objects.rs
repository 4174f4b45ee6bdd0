//! Buffers, textures, queries, feedback and dispatches.

use super::*;
use forerun_server::backend::Grid;

pub const SOLID: &str =
    "uniform vec4 tint; layout(location = 0) out vec4 color; void main() { color = tint; }";

pub fn read_buffer(world: &mut World, buffer: Handle<kind::Buffer>, len: usize) -> Vec<u8> {
    let mut bytes = vec![0u8; len];
    let tables = &world.tables;
    world.backend.buffer_read(tables, buffer, 0, &mut Dest::new(&mut bytes)).unwrap();
    bytes
}

pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect()
}

#[test]
fn buffers_are_written_copied_cleared_and_read() {
    everywhere(|world| {
        let first = world.new_buffer(&[1, 2, 3, 4, 5, 6, 7, 8]);
        let second = world.new_buffer(&[0; 16]);
        world.backend.buffer_sub_data(&world.tables, first, 2, Source::new(&[9, 9])).unwrap();
        let src = Range { buffer: first, offset: 0, size: 4 };
        world.backend.buffer_copy(&world.tables, src, second, 8).unwrap();
        let p = ClearBufferData {
            offset: 0,
            size: 8,
            pattern_len: 2,
            pattern: [7; 16],
            ..Default::default()
        };
        world.backend.buffer_clear(&world.tables, second, &p).unwrap();
        let expected = [7, 7, 7, 7, 7, 7, 7, 7, 1, 2, 9, 9, 0, 0, 0, 0];
        assert_eq!(read_buffer(world, second, 16), expected);
    });
}

#[test]
fn indexed_instanced_and_shifted_draws_fetch_what_they_should() {
    everywhere(|world| {
        let text = "layout(location = 0) in vec2 at; flat out int who;
            void main() { who = gl_InstanceID + 1; gl_Position = vec4(at, 0.0, 1.0); }";
        let fragment = "flat in int who; layout(location = 0) out vec4 color;
            void main() { color = vec4(float(who) / 255.0); }";
        world.use_program(text, fragment);
        // Two vertices of nonsense before the quad: the base vertex skips them.
        let vertices = [&[9.0f32; 4][..], &QUAD].concat();
        world.bind_vertices(2, &vertices);
        let indices: Vec<u8> = (0..6u16).flat_map(|v| v.to_ne_bytes()).collect();
        world.context.index_buffer.value = world.new_buffer(&indices);
        world.context.index_buffer.serial = world.tick();
        let ranges = [DrawRange { count: 6, base_vertex: 2, ..Default::default() }];
        for (instances, base_instance) in [(1, 0), (3, 0), (2, 5)] {
            world.clear([0.0; 4]);
            let draw = Draw {
                mode: c::TRIANGLES,
                indices: Indices::Buffer { ty: c::UNSIGNED_SHORT },
                extent: Extent::Ranges(&ranges),
                instance_count: instances,
                base_instance,
                first_draw_id: 0,
                first_vertex: 0,
                arrays: &[],
            };
            world.run(|backend, env| backend.draw(env, &draw)).unwrap();
            assert_eq!(u32::from(world.pixel(8, 8)[0]), instances);
        }
        // The same by an indirect command: count, instances, first index, base vertex, base instance.
        let command: Vec<u8> = [6u32, 4, 0, 2, 0].iter().flat_map(|v| v.to_ne_bytes()).collect();
        let buffer = world.new_buffer(&command);
        let draw = Draw {
            mode: c::TRIANGLES,
            indices: Indices::Buffer { ty: c::UNSIGNED_SHORT },
            extent: Extent::Indirect {
                buffer,
                offset: 0,
                parameter: None,
                draw_count: 1,
                stride: 20,
            },
            instance_count: 1,
            base_instance: 0,
            first_draw_id: 0,
            first_vertex: 0,
            arrays: &[],
        };
        world.run(|backend, env| backend.draw(env, &draw)).unwrap();
        assert_eq!(world.pixel(8, 8)[0], 4);
    });
}

#[test]
fn blocks_and_storage_read_their_points() {
    everywhere(|world| {
        let fragment = "layout(std140) uniform Colors { vec4 value; };
            layout(std430) buffer Sums { uint total; };
            layout(location = 0) out vec4 color;
            void main() { color = value; atomicAdd(total, 1u); }";
        let program = world.use_program(
            "layout(location = 0) in vec2 at; void main() { gl_Position = vec4(at, 0.0, 1.0); }",
            fragment,
        );
        let object = world.tables.executables.get_mut(program).unwrap();
        object.bindings.blocks[0] = 3;
        object.bindings.storages[0] = 2;
        world.bind_vertices(2, &QUAD);
        let mut bytes = vec![0u8; 256];
        bytes.extend([0.0f32, 1.0, 0.0, 1.0].iter().flat_map(|v| v.to_ne_bytes()));
        let uniform = world.new_buffer(&bytes);
        let storage = world.new_buffer(&[0; 16]);
        let mut ranges = vec![Range::default(); 4];
        ranges[3] = Range { buffer: uniform, offset: 256, size: WHOLE };
        world.context.shader_buffers[0].value.ranges = ranges.clone();
        world.context.shader_buffers[0].serial = world.tick();
        ranges[2] = Range { buffer: storage, offset: 0, size: WHOLE };
        world.context.shader_buffers[1].value.ranges = ranges;
        world.context.shader_buffers[1].serial = world.tick();
        world.draw(6);
        assert_eq!(world.pixel(8, 8), [0, 255, 0, 255]);
        let p = MemoryBarrier { bits: c::BUFFER_UPDATE_BARRIER_BIT, ..Default::default() };
        world.run(|backend, env| backend.memory_barrier(env, &p)).unwrap();
        assert_eq!(words(&read_buffer(world, storage, 4)), [256]);
        // The store is defined anew: the point follows.
        let fresh: Vec<u8> = [0.0f32, 0.0, 1.0, 1.0].iter().flat_map(|v| v.to_ne_bytes()).collect();
        let serial = world.tick();
        let buffer = world.tables.buffers.get_mut(uniform).unwrap();
        (buffer.size, buffer.serial) = (16, serial);
        world.backend.buffer_defined(&world.tables, uniform).unwrap();
        world.backend.buffer_sub_data(&world.tables, uniform, 0, Source::new(&fresh)).unwrap();
        world.context.shader_buffers[0].value.ranges[3].offset = 0;
        world.context.shader_buffers[0].serial = world.tick();
        world.draw(6);
        assert_eq!(world.pixel(8, 8), [0, 0, 255, 255]);
    });
}

#[test]
fn a_dispatch_writes_storage_and_images() {
    everywhere(|world| {
        let text = "layout(local_size_x = 4) in;
            layout(std430) buffer Out { uint values[]; };
            layout(rgba8) writeonly uniform highp image2D target;
            void main() {
                values[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x * 3u;
                imageStore(target, ivec2(int(gl_GlobalInvocationID.x), 0), vec4(0.0, 1.0, 0.0, 1.0));
            }";
        world.use_stages(&[(Stage::Compute, text)], &[]);
        let storage = world.new_buffer(&[0; 32]);
        world.context.shader_buffers[1].value.ranges =
            vec![Range { buffer: storage, offset: 0, size: WHOLE }];
        world.context.shader_buffers[1].serial = world.tick();
        let texture = new_storage(world, c::TEXTURE_2D, c::RGBA8, [8, 1, 1], 1);
        world.context.images.value[0] = ImageView {
            texture: texture.raw(),
            access: c::WRITE_ONLY,
            format: c::RGBA8,
            ..Default::default()
        };
        world.context.images.serial = world.tick();
        world.run(|backend, env| backend.dispatch(env, &Grid::Groups([2, 1, 1]))).unwrap();
        let p = MemoryBarrier { bits: c::ALL_BARRIER_BITS, ..Default::default() };
        world.run(|backend, env| backend.memory_barrier(env, &p)).unwrap();
        assert_eq!(words(&read_buffer(world, storage, 32)), [0, 3, 6, 9, 12, 15, 18, 21]);
        let bytes = read_texture(world, texture, c::TEXTURE_2D, [0; 3], [8, 1, 1]);
        assert_eq!(bytes, [0, 255, 0, 255].repeat(8));
    });
}

/// An immutable texture.
pub fn new_storage(
    world: &mut World,
    target: u32,
    internal: u32,
    size: [u32; 3],
    levels: u32,
) -> Handle<kind::Texture> {
    let handle = world.handle::<kind::Texture>();
    let mut texture = Texture::new(target);
    texture.immutable_levels = levels;
    texture.serial = world.tick();
    for face in &mut texture.faces {
        for n in 0..levels {
            let [width, height, depth] = Texture::minified(target, size, n);
            let level =
                Level { internal_format: internal, width, height, depth, ..Default::default() };
            face.push(Some(level));
        }
    }
    world.tables.textures.create(handle.raw(), texture, "test").unwrap();
    world.backend.texture_defined(&world.tables, handle, Defined::Immutable).unwrap();
    handle
}

pub fn read_texture(
    world: &mut World,
    texture: Handle<kind::Texture>,
    target: u32,
    origin: [i32; 3],
    size: [u32; 3],
) -> Vec<u8> {
    let mut bytes = vec![0u8; (size[0] * size[1] * size[2] * 4) as usize];
    let p = GetTextureImage {
        handle: texture.raw(),
        target,
        origin,
        size,
        format: c::RGBA,
        ty: c::UNSIGNED_BYTE,
        ..Default::default()
    };
    let tables = &world.tables;
    world.backend.texture_read(tables, texture, &p, &mut Dest::new(&mut bytes)).unwrap();
    bytes
}

pub fn write_texture(
    world: &mut World,
    texture: Handle<kind::Texture>,
    region: Region,
    bytes: &[u8],
) {
    let pixels = Pixels { format: c::RGBA, ty: c::UNSIGNED_BYTE, bytes: Source::new(bytes) };
    world.backend.texture_sub_data(&world.tables, texture, &region, &pixels).unwrap();
}

#[test]
fn textures_of_all_shapes_take_and_give_their_boxes() {
    everywhere(|world| {
        let es = world.context.desc.api == api::ES;
        let mut shapes = vec![
            (c::TEXTURE_2D, [4, 4, 1]),
            (c::TEXTURE_3D, [4, 4, 4]),
            (c::TEXTURE_2D_ARRAY, [4, 4, 3]),
        ];
        if !es {
            shapes.extend([(c::TEXTURE_1D, [4, 1, 1]), (c::TEXTURE_1D_ARRAY, [4, 3, 1])]);
        }
        for (target, size) in shapes {
            let texture = new_storage(world, target, c::RGBA8, size, 1);
            let count = size.iter().product::<u32>() * 4;
            let bytes: Vec<u8> = (0..count).map(|i| i as u8).collect();
            let region = Region { target, face: 0, level: 0, origin: [0; 3], size };
            write_texture(world, texture, region, &bytes);
            assert_eq!(read_texture(world, texture, target, [0; 3], size), bytes, "0x{target:04X}");
            // One texel, in the last row and layer.
            let last = size.map(|v| v - 1);
            let region = Region { origin: last, size: [1; 3], ..region };
            write_texture(world, texture, region, &[200; 4]);
            let read = read_texture(world, texture, target, last.map(|v| v as i32), [1; 3]);
            assert_eq!(read, [200; 4], "0x{target:04X}");
        }
        let cube = new_storage(world, c::TEXTURE_CUBE_MAP, c::RGBA8, [2, 2, 1], 2);
        for face in 0..6 {
            let target = c::TEXTURE_CUBE_MAP_POSITIVE_X + face;
            let region =
                Region { target, face: face as usize, level: 0, origin: [0; 3], size: [2, 2, 1] };
            write_texture(world, cube, region, &[face as u8; 16]);
        }
        let third = c::TEXTURE_CUBE_MAP_POSITIVE_X + 3;
        assert_eq!(read_texture(world, cube, third, [0; 3], [2, 2, 1]), [3; 16]);
        let whole = read_texture(world, cube, c::TEXTURE_CUBE_MAP, [0; 3], [2, 2, 6]);
        assert_eq!(whole[16 * 5..], [5; 16]);
    });
}

#[test]
fn mipmaps_are_made_below_the_base() {
    everywhere(|world| {
        let texture = new_storage(world, c::TEXTURE_2D, c::RGBA8, [4, 4, 1], 3);
        let region =
            Region { target: c::TEXTURE_2D, face: 0, level: 0, origin: [0; 3], size: [4, 4, 1] };
        write_texture(world, texture, region, &[80; 64]);
        world.backend.texture_generate_mipmap(&world.tables, texture).unwrap();
        let mut bytes = [0u8; 4];
        let p = GetTextureImage {
            handle: texture.raw(),
            target: c::TEXTURE_2D,
            level: 2,
            size: [1; 3],
            format: c::RGBA,
            ty: c::UNSIGNED_BYTE,
            ..Default::default()
        };
        let tables = &world.tables;
        world.backend.texture_read(tables, texture, &p, &mut Dest::new(&mut bytes)).unwrap();
        assert_eq!(bytes, [80; 4]);
    });
}

#[test]
fn pixels_go_through_buffers_with_their_strides() {
    everywhere(|world| {
        let texture = new_storage(world, c::TEXTURE_2D, c::RGBA8, [2, 2, 1], 1);
        let bytes: Vec<u8> = (0..64).collect();
        let buffer = world.new_buffer(&bytes);
        let region =
            Region { target: c::TEXTURE_2D, face: 0, level: 0, origin: [0; 3], size: [2, 2, 1] };
        let store =
            PixelStore { alignment: 4, row_length: 4, skip_pixels: 1, ..Default::default() };
        let es = world.context.desc.api == api::ES;
        let format = if es { c::RGBA } else { c::BGRA };
        let p = TextureSubDataFromBuffer {
            handle: texture.raw(),
            buffer: buffer.raw(),
            offset: 4,
            target: c::TEXTURE_2D,
            size: [2, 2, 1],
            format,
            ty: c::UNSIGNED_BYTE,
            store,
            ..Default::default()
        };
        world.backend.texture_sub_data_from_buffer(&world.tables, texture, &region, &p).unwrap();
        let read = read_texture(world, texture, c::TEXTURE_2D, [0; 3], [2, 2, 1]);
        let expected = if es { [8, 9, 10, 11] } else { [10, 9, 8, 11] };
        assert_eq!(read[..4], expected);
        assert_eq!(read[8], if es { 24 } else { 26 });
        // And back, one pixel further.
        world.bind_framebuffer(&[texture]);
        let p = ReadPixelsToBuffer {
            buffer: buffer.raw(),
            offset: 0,
            width: 2,
            height: 2,
            format,
            ty: c::UNSIGNED_BYTE,
            store,
            ..Default::default()
        };
        world.run(|backend, env| backend.read_pixels_to_buffer(env, buffer, &p)).unwrap();
        let read = read_buffer(world, buffer, 64);
        assert_eq!(read[..8], [0, 1, 2, 3, 8, 9, 10, 11]);
        assert_eq!(read[20..24], [24, 25, 26, 27]);
    });
}

#[test]
fn several_outputs_go_to_several_textures() {
    everywhere(|world| {
        let fragment = "layout(location = 0) out vec4 a; layout(location = 1) out vec4 b;
            void main() { a = vec4(1.0, 0.0, 0.0, 1.0); b = vec4(0.0, 1.0, 0.0, 1.0); }";
        world.use_program(PASS, &format!("in vec2 uv; {fragment}"));
        world.bind_vertices(2, &QUAD);
        let textures = [0; 2].map(|_| new_storage(world, c::TEXTURE_2D, c::RGBA8, [16, 16, 1], 1));
        world.bind_framebuffer(&textures);
        world.draw(6);
        let second = read_texture(world, textures[1], c::TEXTURE_2D, [0; 3], [1; 3]);
        assert_eq!(second, [0, 255, 0, 255]);
        assert_eq!(world.pixel(3, 3), [255, 0, 0, 255]);
    });
}
