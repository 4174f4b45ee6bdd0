//! Compute shaders, storage, images, atomics.

use forerun_pipe::gl as c;
use scenarios::Api::Es;
use scenarios::runner::Needs;
use scenarios::{World, scenarios};
use std::ptr::null;

scenarios! { "compute";
    [Es(31), Es(32)], Needs::PIXELS =>
        groups_write_to_storage,
        images_are_stored_and_sampled,
        group_counts_come_from_a_buffer,
        a_fragment_shader_writes_to_storage,
        counters_count_atomically,
        stages_count_with_counters_of_their_own,
        images_have_the_formats_of_an_extension;
}

fn compute(w: &World, text: &str) -> u32 {
    let program = w.program_with(&[(c::COMPUTE_SHADER, text)], |_| ());
    w.UseProgram(program);
    program
}

fn words<const N: usize>(w: &World, target: u32) -> [u32; N] {
    w.MemoryBarrier(c::BUFFER_UPDATE_BARRIER_BIT);
    w.words_at(target)
}

fn groups_write_to_storage(w: &mut World) {
    compute(
        w,
        "layout(local_size_x = 4) in; layout(std430, binding = 3) buffer Out { uint numbers[]; };
         shared uint sums[4]; uniform uint bias;
         void main() {
             sums[gl_LocalInvocationIndex] = gl_LocalInvocationIndex + bias;
             barrier();
             uint sum = sums[0] + sums[1] + sums[2] + sums[3];
             numbers[gl_GlobalInvocationID.x] = sum * 100u + gl_GlobalInvocationID.x + uint(numbers.length()) * 1000u;
         }",
    );
    let program = w.integer(c::CURRENT_PROGRAM) as u32;
    w.Uniform1ui(w.uniform(program, c"bias"), 2);
    let buffer = w.buffer(c::SHADER_STORAGE_BUFFER, &[0u32; 12]);
    w.BindBufferBase(c::SHADER_STORAGE_BUFFER, 3, buffer);
    w.DispatchCompute(3, 1, 1);
    let expected: [u32; 12] = std::array::from_fn(|i| 14 * 100 + i as u32 + 12_000);
    assert_eq!(words::<12>(w, c::SHADER_STORAGE_BUFFER), expected);
    let mut most = 0;
    w.GetIntegeri_v(c::MAX_COMPUTE_WORK_GROUP_COUNT, 1, &mut most);
    w.rejects(c::INVALID_VALUE, || w.DispatchCompute(1, most as u32 + 1, 1));
    w.UseProgram(0);
    w.rejects(c::INVALID_OPERATION, || w.DispatchCompute(1, 1, 1));
}

fn images_are_stored_and_sampled(w: &mut World) {
    compute(
        w,
        "layout(local_size_x = 2, local_size_y = 2) in; layout(rgba8, binding = 1) writeonly uniform highp image2D image;
         void main() {
             ivec2 at = ivec2(gl_GlobalInvocationID.xy);
             imageStore(image, at, vec4(vec2(at * 40) / 255.0, 0.2, 1.0));
         }",
    );
    let texture = w.new_texture(c::TEXTURE_2D);
    w.TexStorage2D(c::TEXTURE_2D, 1, c::RGBA8, 4, 4);
    w.BindImageTexture(1, texture, 0, 0, 0, c::WRITE_ONLY, c::RGBA8);
    w.DispatchCompute(2, 2, 1);
    w.MemoryBarrier(c::TEXTURE_FETCH_BARRIER_BIT | c::FRAMEBUFFER_BARRIER_BIT);
    let program = w.program(
        "layout(location = 0) in vec2 position; out vec2 uv; void main() { uv = position * 0.5 + 0.5; gl_Position = vec4(position, 0.0, 1.0); }",
        "in vec2 uv; uniform sampler2D image; out vec4 color; void main() { color = texture(image, uv); }",
    );
    w.UseProgram(program);
    w.whole();
    w.strip();
    for i in 0..16 {
        let (x, y) = (i % 4, i / 4);
        w.expect_rect(8 * x, 8 * y, 8, 8, [40 * x as u8, 40 * y as u8, 51, 255]);
    }
    let units = w.integer(c::MAX_IMAGE_UNITS) as u32;
    w.rejects(c::INVALID_VALUE, || {
        w.BindImageTexture(units, texture, 0, 0, 0, c::WRITE_ONLY, c::RGBA8);
    });
}

fn counters_count_atomically(w: &mut World) {
    compute(
        w,
        "layout(local_size_x = 8) in; layout(binding = 0, offset = 4) uniform atomic_uint counter;
         layout(std430, binding = 0) buffer Sum { uint low; uint sum; };
         void main() { uint mine = atomicCounterIncrement(counter); atomicAdd(sum, mine); }",
    );
    let counter = w.buffer(c::ATOMIC_COUNTER_BUFFER, &[7u32, 5, 9]);
    w.BindBufferBase(c::ATOMIC_COUNTER_BUFFER, 0, counter);
    let sum = w.buffer(c::SHADER_STORAGE_BUFFER, &[1u32, 0]);
    w.BindBufferBase(c::SHADER_STORAGE_BUFFER, 0, sum);
    w.DispatchCompute(4, 2, 1);
    w.MemoryBarrier(c::ATOMIC_COUNTER_BARRIER_BIT | c::SHADER_STORAGE_BARRIER_BIT);
    assert_eq!(words::<3>(w, c::ATOMIC_COUNTER_BUFFER), [7, 5 + 64, 9]);
    // 5 + 6 + … + 68.
    assert_eq!(words::<2>(w, c::SHADER_STORAGE_BUFFER), [1, (5 + 68) * 32]);
}

/// Counters stand where they were put, in any order, with gaps, and in each stage others of the same buffer.
fn stages_count_with_counters_of_their_own(w: &mut World) {
    let mut most = 0;
    w.GetIntegerv(c::MAX_VERTEX_ATOMIC_COUNTERS, &mut most);
    if most == 0 {
        // The host's vertex shaders cannot count.
        return;
    }
    let program = w.program(
        "layout(location = 0) in vec2 position;
         layout(binding = 1, offset = 12) uniform atomic_uint vertices;
         void main() { atomicCounterIncrement(vertices); gl_Position = vec4(position, 0.0, 1.0); }",
        "layout(binding = 1, offset = 8) uniform atomic_uint first;
         layout(binding = 1, offset = 0) uniform atomic_uint pair[2];
         out vec4 color;
         void main() {
             int which = int(gl_FragCoord.x) & 1;
             atomicCounterIncrement(pair[1]);
             if (which == 1) atomicCounterIncrement(first);
             color = vec4(0.0, 1.0, 0.0, 1.0);
         }",
    );
    w.UseProgram(program);
    w.whole();
    let buffer = w.buffer(c::ATOMIC_COUNTER_BUFFER, &[1u32, 2, 3, 4]);
    w.BindBufferBase(c::ATOMIC_COUNTER_BUFFER, 1, buffer);
    w.strip();
    w.MemoryBarrier(c::ATOMIC_COUNTER_BARRIER_BIT);
    assert_eq!(words::<4>(w, c::ATOMIC_COUNTER_BUFFER), [1, 2 + 1024, 3 + 512, 4 + 4]);
    w.expect_all([0, 255, 0, 255]);
}

fn group_counts_come_from_a_buffer(w: &mut World) {
    compute(
        w,
        "layout(local_size_x = 1) in; layout(std430, binding = 0) buffer Out { uint count; };
         void main() { atomicAdd(count, 1u + gl_NumWorkGroups.y * 100u); }",
    );
    let out = w.buffer(c::SHADER_STORAGE_BUFFER, &[0u32]);
    w.BindBufferBase(c::SHADER_STORAGE_BUFFER, 0, out);
    w.buffer(c::DISPATCH_INDIRECT_BUFFER, &[99u32, 3, 2, 1]);
    w.DispatchComputeIndirect(4);
    w.MemoryBarrier(c::SHADER_STORAGE_BARRIER_BIT);
    assert_eq!(words::<1>(w, c::SHADER_STORAGE_BUFFER), [6 * 201]);
    w.rejects(c::INVALID_VALUE, || w.DispatchComputeIndirect(2));
    w.rejects(c::INVALID_OPERATION, || w.DispatchComputeIndirect(8));
}

fn a_fragment_shader_writes_to_storage(w: &mut World) {
    if w.integer(c::MAX_FRAGMENT_SHADER_STORAGE_BLOCKS) == 0 {
        return;
    }
    let program = w.fragment_program(
        "layout(std430, binding = 0) buffer Out { uint count; }; out vec4 color;
         void main() { atomicAdd(count, 1u); color = vec4(0.0, 1.0, 0.0, 1.0); }",
    );
    w.UseProgram(program);
    w.whole();
    let out = w.buffer(c::SHADER_STORAGE_BUFFER, &[0u32]);
    w.BindBufferBase(c::SHADER_STORAGE_BUFFER, 0, out);
    w.strip();
    w.expect_all([0, 255, 0, 255]);
    w.MemoryBarrier(c::SHADER_STORAGE_BARRIER_BIT);
    assert_eq!(words::<1>(w, c::SHADER_STORAGE_BUFFER), [32 * 32]);
    w.BufferData(c::SHADER_STORAGE_BUFFER, 4, null(), c::STATIC_DRAW);
}

/// GL_NV_image_formats: two images of formats that OpenGL ES does not have of its own.
fn images_have_the_formats_of_an_extension(w: &mut World) {
    if !w.has("GL_NV_image_formats") {
        return;
    }
    let header = if w.cell.api == Es(31) { "#version 310 es" } else { "#version 320 es" };
    compute(
        w,
        &format!(
            "{header}\n#extension GL_NV_image_formats : require\n
             layout(local_size_x = 1) in;
             layout(rg8, binding = 0) readonly uniform highp image2D from;
             layout(rg32ui, binding = 1) writeonly uniform highp uimage2D to;
             void main() {{ imageStore(to, ivec2(0), uvec4(imageLoad(from, ivec2(0)) * 255.0 + 0.5) * 100u); }}"
        ),
    );
    let from = w.new_texture(c::TEXTURE_2D);
    w.TexStorage2D(c::TEXTURE_2D, 1, c::RG8, 1, 1);
    let pixel = [10u8, 200];
    w.PixelStorei(c::UNPACK_ALIGNMENT, 1);
    w.TexSubImage2D(c::TEXTURE_2D, 0, 0, 0, 1, 1, c::RG, c::UNSIGNED_BYTE, pixel.as_ptr().cast());
    let to = w.new_texture(c::TEXTURE_2D);
    w.TexStorage2D(c::TEXTURE_2D, 1, c::RG32UI, 1, 1);
    w.BindImageTexture(0, from, 0, 0, 0, c::READ_ONLY, c::RG8);
    w.BindImageTexture(1, to, 0, 0, 0, c::WRITE_ONLY, c::RG32UI);
    w.DispatchCompute(1, 1, 1);
    w.MemoryBarrier(c::FRAMEBUFFER_BARRIER_BIT);
    w.framebuffer_of(to);
    let mut words = [0u32; 4];
    w.ReadPixels(0, 0, 1, 1, c::RGBA_INTEGER, c::UNSIGNED_INT, words.as_mut_ptr().cast());
    assert_eq!(words, [1_000, 20_000, 0, 1]);
}
