//! Doubles in attributes and uniforms (OpenGL 4.1, section 2.7 and OpenGL 4.0, section 2.14.4).

use forerun_pipe::gl as c;
use scenarios::Api::Core;
use scenarios::runner::Needs;
use scenarios::{World, scenarios};
use std::ptr::null;

scenarios! { "double";
    [Core(41), Core(45)], Needs::DESKTOP =>
        attributes_keep_all_bits_of_a_double,
        current_values_are_doubles_too,
        matrices_of_doubles_are_uniforms,
        matrices_of_doubles_stand_in_blocks_by_the_rules;
}

/// A third is no float.
const THIRD: f64 = 1.0 / 3.0;

/// A program that captures the double attributes `value` (two components) and `second` (four), at 1 and 2.
fn capturer(w: &World) -> u32 {
    w.capturing(
        "layout(location = 1) in dvec2 value; layout(location = 2) in dvec4 second;
         flat out dvec2 first; flat out dvec4 last;
         void main() { first = value * 2.0LF; last = second; gl_Position = vec4(0.0); }",
    )
}

/// Captures so many points.
fn capture<const N: usize>(w: &World, points: i32) -> [f64; N] {
    w.captured(points).map(f64::from_bits)
}

fn attributes_keep_all_bits_of_a_double(w: &mut World) {
    capturer(w);
    let data: [f64; 6] = [THIRD, -1e300, 7.0, 2.0 * THIRD, 1e-300, 9.0];
    w.buffer(c::ARRAY_BUFFER, &data);
    w.VertexAttribLPointer(1, 2, c::DOUBLE, 24, null());
    w.EnableVertexAttribArray(1);
    w.VertexAttribL4d(2, THIRD, 2.0, 3.0, 4.0);
    let got = capture::<12>(w, 2);
    let rest = [THIRD, 2.0, 3.0, 4.0];
    let (one, two) = ([2.0 * THIRD, -2e300], [4.0 * THIRD, 2e-300]);
    assert_eq!(got, [&one[..], &rest, &two, &rest].concat()[..]);
    // The name came with OpenGL 4.3.
    if w.cell.api == Core(45) {
        let mut long = 0;
        w.GetVertexAttribiv(1, c::VERTEX_ATTRIB_ARRAY_LONG, &mut long);
        assert_eq!(long, 1);
    }
    w.rejects(c::INVALID_ENUM, || w.VertexAttribLPointer(1, 2, c::FLOAT, 0, null()));
    w.rejects(c::INVALID_VALUE, || w.VertexAttribLPointer(1, 5, c::DOUBLE, 0, null()));
    w.rejects(c::INVALID_VALUE, || w.VertexAttribLPointer(1, 2, c::DOUBLE, -1, null()));
    w.rejects(c::INVALID_VALUE, || w.VertexAttribLPointer(99, 2, c::DOUBLE, 0, null()));
}

fn current_values_are_doubles_too(w: &mut World) {
    capturer(w);
    w.VertexAttribL2dv(1, [THIRD, 5.0].as_ptr());
    w.VertexAttribL3d(2, 6.0, -THIRD, 8.0);
    assert_eq!(capture::<6>(w, 1), [2.0 * THIRD, 10.0, 6.0, -THIRD, 8.0, 1.0]);
    let mut value = [0.0; 4];
    w.GetVertexAttribLdv(1, c::CURRENT_VERTEX_ATTRIB, value.as_mut_ptr());
    assert_eq!(value, [THIRD, 5.0, 0.0, 1.0]);
    w.rejects(c::INVALID_VALUE, || w.VertexAttribL1d(99, 0.0));
    w.rejects(c::INVALID_ENUM, || w.GetVertexAttribLdv(1, c::TEXTURE_2D, value.as_mut_ptr()));
}

/// A program that captures two `dvec4`, `first` and `last`, which `text` gives values to in its function `values`.
fn calculator(w: &World, text: &str) -> u32 {
    w.capturing(&format!(
        "flat out dvec4 first; flat out dvec4 last; {text}
         void main() {{ values(); gl_Position = vec4(0.0); }}"
    ))
}

fn matrices_of_doubles_are_uniforms(w: &mut World) {
    let program = calculator(
        w,
        "uniform double one; uniform dmat4x2 wide; uniform dmat2 pair[2]; uniform dmat3 square; uniform double two;
         void values() {
             first = dvec4(one, wide[0][1], wide[3][1], pair[0][1][0]);
             last = dvec4(pair[1][1][0], square[2][1], two, (wide * dvec4(1.0LF))[0]);
         }",
    );
    let at = |name| w.uniform(program, name);
    let numbers: [f64; 9] = std::array::from_fn(|i| i as f64 + THIRD);
    w.Uniform1d(at(c"one"), THIRD);
    w.Uniform1d(at(c"two"), -THIRD);
    w.UniformMatrix4x2dv(at(c"wide"), 1, 0, numbers.as_ptr());
    w.UniformMatrix2dv(at(c"pair[0]"), 2, 0, numbers.as_ptr());
    w.UniformMatrix3dv(at(c"square"), 1, 1, numbers.as_ptr());
    // Eight numbers, column by column; the square one row by row.
    let n = |i: f64| i + THIRD;
    let sum = n(0.0) + n(2.0) + n(4.0) + n(6.0);
    let expected = [THIRD, n(1.0), n(7.0), n(2.0), n(6.0), n(5.0), -THIRD, sum];
    assert_eq!(capture::<8>(w, 1), expected);
    let mut value = [0.0; 8];
    w.GetUniformdv(program, at(c"wide"), value.as_mut_ptr());
    assert_eq!(value, numbers[..8]);
    w.rejects(c::INVALID_OPERATION, || {
        w.UniformMatrix2x4dv(at(c"wide"), 1, 0, numbers.as_ptr());
    });
}

/// Offsets by OpenGL 4.6, section 7.6.2.2: a vector of two doubles is aligned to 16 bytes, and so are the vectors of a
/// matrix and what a structure or an array begins.
fn matrices_of_doubles_stand_in_blocks_by_the_rules(w: &mut World) {
    calculator(
        w,
        "struct Pair { dmat3x2 narrow; float number; };
         layout(std140) uniform Block {
             double a; dmat2 m; layout(row_major) dmat2x3 rows; Pair pairs[2]; dmat2 list[2]; double end;
         };
         void values() {
             first = dvec4(a, m[1][0], m[1][1], rows[1][2]);
             last = dvec4(pairs[1].narrow[2][1], double(pairs[1].number), list[1][0][1], end);
         }",
    );
    let mut numbers: [f64; 40] = std::array::from_fn(|i| i as f64 + THIRD);
    // a 0, m 16, rows 48 (three vectors), pairs 96 (64 bytes each), list 224 (32 bytes each), end 288.
    numbers[208 / 8] = f64::from_bits(u64::from(0.5f32.to_bits()));
    let buffer = w.buffer(c::UNIFORM_BUFFER, &numbers);
    w.BindBufferBase(c::UNIFORM_BUFFER, 0, buffer);
    let n = |offset: usize| (offset / 8) as f64 + THIRD;
    let expected = [n(0), n(32), n(40), n(88), n(200), 0.5, n(264), n(288)];
    assert_eq!(capture::<8>(w, 1), expected);
}
