//! 64-bit integers in shaders and uniforms (GL_ARB_gpu_shader_int64).

use forerun_pipe::gl as c;
use scenarios::Api::Core;
use scenarios::runner::Needs;
use scenarios::{World, scenarios};

scenarios! { "integer64";
    [Core(45)], Needs::DESKTOP =>
        uniforms_keep_all_bits,
        a_value_is_read_in_any_type,
        blocks_hold_them_by_the_rules,
        the_clock_of_a_shader_goes_on;
}

/// A number that is no double.
const BIG: i64 = (1 << 62) + 1;

/// A program that captures two vectors, `first` of signed and `last` of unsigned integers, which `text` gives values to in
/// its function `values`. None where the host has no such integers.
fn calculator(w: &World, text: &str) -> Option<u32> {
    if !w.has("GL_ARB_gpu_shader_int64") {
        return None;
    }
    Some(w.capturing(&format!(
        "#version 450 core
         #extension GL_ARB_gpu_shader_int64 : require
         flat out i64vec4 first; flat out u64vec4 last; {text}
         void main() {{ values(); gl_Position = vec4(0.0); }}"
    )))
}

/// Captures one point.
fn capture(w: &World) -> ([i64; 4], [u64; 4]) {
    let [a, b, c, d, last @ ..] = w.captured::<8>(1);
    ([a, b, c, d].map(u64::cast_signed), last)
}

fn uniforms_keep_all_bits(w: &mut World) {
    let Some(program) = calculator(
        w,
        "uniform int64_t one; uniform u64vec2 pair[2]; uniform i64vec4 four; uniform int64_t start = -5000000000L;
         uniform uint64_t last_one; uniform bool flag;
         void values() {
             first = i64vec4(one + four.w, four.x / 3L, min(four.y, one), start);
             last = u64vec4(pair[1] * 3UL + pair[0].yx, last_one >> 33, flag ? 7UL : uint64_t(one));
         }",
    ) else {
        return;
    };
    let at = |name| w.uniform(program, name);
    w.Uniform1i64ARB(at(c"one"), BIG);
    w.Uniform4i64vARB(at(c"four"), 1, [-BIG, i64::MIN, 3, 2].as_ptr());
    let pairs = [u64::MAX, 1, 1 << 63, BIG as u64];
    w.Uniform2ui64vARB(at(c"pair[0]"), 2, pairs.as_ptr());
    w.ProgramUniform1ui64ARB(program, at(c"last_one"), u64::MAX - 1);
    let signed = [BIG + 2, -BIG / 3, i64::MIN, -5_000_000_000];
    let big = BIG as u64;
    let sums = [(1 << 63) + 1, big.wrapping_mul(3).wrapping_add(u64::MAX)];
    assert_eq!(capture(w), (signed, [sums[0], sums[1], 0x7FFF_FFFF, big]));

    let (mut ty, mut size) = (0, 0);
    for (name, wanted) in [(c"one", c::INT64_ARB), (c"last_one", c::UNSIGNED_INT64_ARB)] {
        let mut index = 0;
        w.GetUniformIndices(program, 1, &name.as_ptr().cast(), &mut index);
        let mut name = [0; 16];
        w.GetActiveUniform(program, index, 16, &mut 0, &mut size, &mut ty, name.as_mut_ptr());
        assert_eq!((ty, size), (wanted, 1));
    }
    w.rejects(c::INVALID_OPERATION, || w.Uniform1i64ARB(at(c"last_one"), 1));
    w.rejects(c::INVALID_OPERATION, || w.Uniform1i64ARB(at(c"flag"), 1));
    w.rejects(c::INVALID_OPERATION, || w.Uniform1i(at(c"one"), 1));
    w.rejects(c::INVALID_OPERATION, || w.Uniform1d(at(c"one"), 1.0));
    w.rejects(c::INVALID_VALUE, || w.Uniform4i64vARB(at(c"four"), -1, pairs.as_ptr().cast()));
}

fn a_value_is_read_in_any_type(w: &mut World) {
    let Some(program) = calculator(
        w,
        "uniform int64_t one; uniform u64vec2 pair; uniform float half_of_five; uniform int minus;
         void values() {
             first = i64vec4(one, int64_t(half_of_five), minus, 0); last = pair.xyxy;
         }",
    ) else {
        return;
    };
    let at = |name| w.uniform(program, name);
    w.Uniform1i64ARB(at(c"one"), -BIG);
    w.Uniform2ui64vARB(at(c"pair"), 1, [u64::MAX, BIG as u64].as_ptr());
    w.Uniform1f(at(c"half_of_five"), 2.75);
    w.Uniform1i(at(c"minus"), -3);
    let signed = |name| {
        let mut value = 0;
        w.GetUniformi64vARB(program, at(name), &mut value);
        value
    };
    assert_eq!(signed(c"one"), -BIG);
    // A number with a fraction is rounded (OpenGL 4.6, section 2.2.2).
    assert_eq!((signed(c"half_of_five"), signed(c"minus")), (3, -3));
    let mut pair = [0; 2];
    w.GetnUniformui64vARB(program, at(c"pair"), 16, pair.as_mut_ptr());
    assert_eq!(pair, [u64::MAX, BIG as u64]);
    w.rejects(c::INVALID_OPERATION, || {
        w.GetnUniformui64vARB(program, at(c"pair"), 15, pair.as_mut_ptr());
    });
    let (mut float, mut int) = (0.0, 0);
    w.GetUniformfv(program, at(c"one"), &mut float);
    w.GetUniformiv(program, at(c"one"), &mut int);
    assert_eq!((float, int), (-BIG as f32, i32::MIN));
}

/// A 64-bit integer has the size and alignment of a double (GL_ARB_gpu_shader_int64, additions to section 7.6.2.1).
fn blocks_hold_them_by_the_rules(w: &mut World) {
    if calculator(
        w,
        "layout(std140) uniform Block { int a; int64_t b; i64vec3 c; uint64_t list[2]; u64vec2 d; };
         void values() { first = i64vec4(a, b, c.y, c.z); last = u64vec4(list[1], d, 0); }",
    )
    .is_none()
    {
        return;
    }
    // a 0, b 8, c 32 (three of 8, aligned to 32), list 64 (16 bytes each), d 96: the number at each place says which.
    let words: [i64; 14] = std::array::from_fn(|i| if i == 0 { 5 } else { BIG + i as i64 });
    let buffer = w.buffer(c::UNIFORM_BUFFER, &words);
    w.BindBufferBase(c::UNIFORM_BUFFER, 0, buffer);
    let n = |offset: i64| BIG + offset / 8;
    let unsigned = [n(80) as u64, n(96) as u64, n(104) as u64, 0];
    assert_eq!(capture(w), ([5, n(8), n(40), n(48)], unsigned));
}

/// GL_ARB_shader_clock: a later reading of the clock is not less than an earlier one, and both forms read the same clock.
fn the_clock_of_a_shader_goes_on(w: &mut World) {
    if !w.has("GL_ARB_gpu_shader_int64") || !w.has("GL_ARB_shader_clock") {
        return;
    }
    let text = "#version 450 core
        #extension GL_ARB_gpu_shader_int64 : require
        #extension GL_ARB_shader_clock : require
        layout(local_size_x = 1) in;
        layout(std430, binding = 0) buffer Times { uint64_t first; uint64_t second; uint64_t third; };
        void main() {
            first = clockARB();
            second = packUint2x32(clock2x32ARB());
            third = clockARB();
        }";
    let program = w.program_with(&[(c::COMPUTE_SHADER, text)], |_| ());
    w.UseProgram(program);
    let buffer = w.buffer(c::SHADER_STORAGE_BUFFER, &[0u64; 3]);
    w.BindBufferBase(c::SHADER_STORAGE_BUFFER, 0, buffer);
    w.DispatchCompute(1, 1, 1);
    w.MemoryBarrier(c::BUFFER_UPDATE_BARRIER_BIT);
    let mut times = [0u64; 3];
    w.GetBufferSubData(c::SHADER_STORAGE_BUFFER, 0, 24, times.as_mut_ptr().cast());
    assert!(times[0] > 0 && times.is_sorted(), "{times:?}");
}
