//! Entry points that set and read uniforms. Those that end in `i64ARB` and so on are GL_ARB_gpu_shader_int64's.

use super::{put_all, slice};
use crate::context::Context;
use crate::entries;
use crate::error::GlResult;
use crate::state::program_types::{Kind, TypeInfo};
use crate::state::program_uniform::{self as uniform, Of};

/// A component type of `glUniform*`.
trait Component: Copy {
    const KIND: Kind;
    /// 32-bit words of a component.
    const WORDS: usize;
}

macro_rules! components {
    ($($ty:ident = $kind:ident, $words:literal;)*) => { $(
        impl Component for $ty {
            const KIND: Kind = Kind::$kind;
            const WORDS: usize = $words;
        }
    )* };
}

components! {
    f32 = Float, 1; i32 = Int, 1; u32 = Uint, 1; f64 = Double, 2; i64 = Int64, 2; u64 = Uint64, 2;
}

/// The memory of components as words.
fn words<T: Component>(values: &[T]) -> &[u32] {
    // SAFETY: components are plain numbers of WORDS × 4 bytes, at least as aligned as a u32.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len() * T::WORDS) }
}

/// One value given by value.
#[inline]
fn one<T: Component, const N: usize>(
    cx: &mut Context,
    of: Of,
    location: i32,
    value: [T; N],
) -> GlResult {
    uniform::set(cx, of, location, 1, T::KIND, N as u32, words(&value))
}

/// `count` values in memory.
#[inline]
unsafe fn many<T: Component>(
    cx: &mut Context,
    of: Of,
    location: i32,
    count: i32,
    components: u32,
    values: *const T,
) -> GlResult {
    let len = usize::try_from(count).unwrap_or(0).saturating_mul(components as usize);
    let values = unsafe { slice(values, len) };
    uniform::set(cx, of, location, count, T::KIND, components, words(values))
}

/// `count` matrices in memory.
#[expect(clippy::too_many_arguments, reason = "as glUniformMatrix*")]
unsafe fn matrices<T: Component>(
    cx: &mut Context,
    of: Of,
    location: i32,
    count: i32,
    transpose: u8,
    columns: u32,
    rows: u32,
    values: *const T,
) -> GlResult {
    let len = usize::try_from(count).unwrap_or(0).saturating_mul((columns * rows) as usize);
    let values = unsafe { slice(values, len) };
    let given = TypeInfo { kind: T::KIND, columns, rows };
    uniform::set_matrices(cx, of, location, count, transpose, given, words(values))
}

entries! {
    // SAFETY (all below): the program promised `count` values, or room for the value of the uniform.
    fn glUniform1f(location: i32, x: f32) = |cx| one(cx, Of::Active, location, [x]);
    fn glUniform1fv(location: i32, count: i32, values: *const f32) = |cx| unsafe {
        many(cx, Of::Active, location, count, 1, values)
    };
    fn glUniform2f(location: i32, x: f32, y: f32) = |cx| one(cx, Of::Active, location, [x, y]);
    fn glUniform2fv(location: i32, count: i32, values: *const f32) = |cx| unsafe {
        many(cx, Of::Active, location, count, 2, values)
    };
    fn glUniform3f(location: i32, x: f32, y: f32, z: f32) = |cx| one(cx, Of::Active, location, [x, y, z]);
    fn glUniform3fv(location: i32, count: i32, values: *const f32) = |cx| unsafe {
        many(cx, Of::Active, location, count, 3, values)
    };
    fn glUniform4f(location: i32, x: f32, y: f32, z: f32, w: f32) = |cx| one(cx, Of::Active, location, [x, y, z, w]);
    fn glUniform4fv(location: i32, count: i32, values: *const f32) = |cx| unsafe {
        many(cx, Of::Active, location, count, 4, values)
    };
    fn glUniform1i(location: i32, x: i32) = |cx| one(cx, Of::Active, location, [x]);
    fn glUniform1iv(location: i32, count: i32, values: *const i32) = |cx| unsafe {
        many(cx, Of::Active, location, count, 1, values)
    };
    fn glUniform2i(location: i32, x: i32, y: i32) = |cx| one(cx, Of::Active, location, [x, y]);
    fn glUniform2iv(location: i32, count: i32, values: *const i32) = |cx| unsafe {
        many(cx, Of::Active, location, count, 2, values)
    };
    fn glUniform3i(location: i32, x: i32, y: i32, z: i32) = |cx| one(cx, Of::Active, location, [x, y, z]);
    fn glUniform3iv(location: i32, count: i32, values: *const i32) = |cx| unsafe {
        many(cx, Of::Active, location, count, 3, values)
    };
    fn glUniform4i(location: i32, x: i32, y: i32, z: i32, w: i32) = |cx| one(cx, Of::Active, location, [x, y, z, w]);
    fn glUniform4iv(location: i32, count: i32, values: *const i32) = |cx| unsafe {
        many(cx, Of::Active, location, count, 4, values)
    };
    fn glUniform1ui(location: i32, x: u32) = |cx| one(cx, Of::Active, location, [x]);
    fn glUniform1uiv(location: i32, count: i32, values: *const u32) = |cx| unsafe {
        many(cx, Of::Active, location, count, 1, values)
    };
    fn glUniform2ui(location: i32, x: u32, y: u32) = |cx| one(cx, Of::Active, location, [x, y]);
    fn glUniform2uiv(location: i32, count: i32, values: *const u32) = |cx| unsafe {
        many(cx, Of::Active, location, count, 2, values)
    };
    fn glUniform3ui(location: i32, x: u32, y: u32, z: u32) = |cx| one(cx, Of::Active, location, [x, y, z]);
    fn glUniform3uiv(location: i32, count: i32, values: *const u32) = |cx| unsafe {
        many(cx, Of::Active, location, count, 3, values)
    };
    fn glUniform4ui(location: i32, x: u32, y: u32, z: u32, w: u32) = |cx| one(cx, Of::Active, location, [x, y, z, w]);
    fn glUniform4uiv(location: i32, count: i32, values: *const u32) = |cx| unsafe {
        many(cx, Of::Active, location, count, 4, values)
    };
    fn glUniform1d(location: i32, x: f64) = |cx| one(cx, Of::Active, location, [x]);
    fn glUniform1dv(location: i32, count: i32, values: *const f64) = |cx| unsafe {
        many(cx, Of::Active, location, count, 1, values)
    };
    fn glUniform2d(location: i32, x: f64, y: f64) = |cx| one(cx, Of::Active, location, [x, y]);
    fn glUniform2dv(location: i32, count: i32, values: *const f64) = |cx| unsafe {
        many(cx, Of::Active, location, count, 2, values)
    };
    fn glUniform3d(location: i32, x: f64, y: f64, z: f64) = |cx| one(cx, Of::Active, location, [x, y, z]);
    fn glUniform3dv(location: i32, count: i32, values: *const f64) = |cx| unsafe {
        many(cx, Of::Active, location, count, 3, values)
    };
    fn glUniform4d(location: i32, x: f64, y: f64, z: f64, w: f64) = |cx| one(cx, Of::Active, location, [x, y, z, w]);
    fn glUniform4dv(location: i32, count: i32, values: *const f64) = |cx| unsafe {
        many(cx, Of::Active, location, count, 4, values)
    };
    fn glUniformMatrix2fv(location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 2, 2, values)
    };
    fn glUniformMatrix2x3fv(location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 2, 3, values)
    };
    fn glUniformMatrix2x4fv(location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 2, 4, values)
    };
    fn glUniformMatrix3x2fv(location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 3, 2, values)
    };
    fn glUniformMatrix3fv(location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 3, 3, values)
    };
    fn glUniformMatrix3x4fv(location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 3, 4, values)
    };
    fn glUniformMatrix4x2fv(location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 4, 2, values)
    };
    fn glUniformMatrix4x3fv(location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 4, 3, values)
    };
    fn glUniformMatrix4fv(location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 4, 4, values)
    };
    fn glUniformMatrix2dv(location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 2, 2, values)
    };
    fn glUniformMatrix2x3dv(location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 2, 3, values)
    };
    fn glUniformMatrix2x4dv(location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 2, 4, values)
    };
    fn glUniformMatrix3x2dv(location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 3, 2, values)
    };
    fn glUniformMatrix3dv(location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 3, 3, values)
    };
    fn glUniformMatrix3x4dv(location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 3, 4, values)
    };
    fn glUniformMatrix4x2dv(location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 4, 2, values)
    };
    fn glUniformMatrix4x3dv(location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 4, 3, values)
    };
    fn glUniformMatrix4dv(location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Active, location, count, transpose, 4, 4, values)
    };
    fn glProgramUniform1f(program: u32, location: i32, x: f32) = |cx| one(cx, Of::Program(program), location, [x]);
    fn glProgramUniform1fv(program: u32, location: i32, count: i32, values: *const f32) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 1, values)
    };
    fn glProgramUniform2f(program: u32, location: i32, x: f32, y: f32) = |cx| one(cx, Of::Program(program), location, [x, y]);
    fn glProgramUniform2fv(program: u32, location: i32, count: i32, values: *const f32) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 2, values)
    };
    fn glProgramUniform3f(program: u32, location: i32, x: f32, y: f32, z: f32) = |cx| one(cx, Of::Program(program), location, [x, y, z]);
    fn glProgramUniform3fv(program: u32, location: i32, count: i32, values: *const f32) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 3, values)
    };
    fn glProgramUniform4f(program: u32, location: i32, x: f32, y: f32, z: f32, w: f32) = |cx| one(cx, Of::Program(program), location, [x, y, z, w]);
    fn glProgramUniform4fv(program: u32, location: i32, count: i32, values: *const f32) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 4, values)
    };
    fn glProgramUniform1i(program: u32, location: i32, x: i32) = |cx| one(cx, Of::Program(program), location, [x]);
    fn glProgramUniform1iv(program: u32, location: i32, count: i32, values: *const i32) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 1, values)
    };
    fn glProgramUniform2i(program: u32, location: i32, x: i32, y: i32) = |cx| one(cx, Of::Program(program), location, [x, y]);
    fn glProgramUniform2iv(program: u32, location: i32, count: i32, values: *const i32) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 2, values)
    };
    fn glProgramUniform3i(program: u32, location: i32, x: i32, y: i32, z: i32) = |cx| one(cx, Of::Program(program), location, [x, y, z]);
    fn glProgramUniform3iv(program: u32, location: i32, count: i32, values: *const i32) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 3, values)
    };
    fn glProgramUniform4i(program: u32, location: i32, x: i32, y: i32, z: i32, w: i32) = |cx| one(cx, Of::Program(program), location, [x, y, z, w]);
    fn glProgramUniform4iv(program: u32, location: i32, count: i32, values: *const i32) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 4, values)
    };
    fn glProgramUniform1ui(program: u32, location: i32, x: u32) = |cx| one(cx, Of::Program(program), location, [x]);
    fn glProgramUniform1uiv(program: u32, location: i32, count: i32, values: *const u32) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 1, values)
    };
    fn glProgramUniform2ui(program: u32, location: i32, x: u32, y: u32) = |cx| one(cx, Of::Program(program), location, [x, y]);
    fn glProgramUniform2uiv(program: u32, location: i32, count: i32, values: *const u32) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 2, values)
    };
    fn glProgramUniform3ui(program: u32, location: i32, x: u32, y: u32, z: u32) = |cx| one(cx, Of::Program(program), location, [x, y, z]);
    fn glProgramUniform3uiv(program: u32, location: i32, count: i32, values: *const u32) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 3, values)
    };
    fn glProgramUniform4ui(program: u32, location: i32, x: u32, y: u32, z: u32, w: u32) = |cx| one(cx, Of::Program(program), location, [x, y, z, w]);
    fn glProgramUniform4uiv(program: u32, location: i32, count: i32, values: *const u32) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 4, values)
    };
    fn glProgramUniform1d(program: u32, location: i32, x: f64) = |cx| one(cx, Of::Program(program), location, [x]);
    fn glProgramUniform1dv(program: u32, location: i32, count: i32, values: *const f64) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 1, values)
    };
    fn glProgramUniform2d(program: u32, location: i32, x: f64, y: f64) = |cx| one(cx, Of::Program(program), location, [x, y]);
    fn glProgramUniform2dv(program: u32, location: i32, count: i32, values: *const f64) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 2, values)
    };
    fn glProgramUniform3d(program: u32, location: i32, x: f64, y: f64, z: f64) = |cx| one(cx, Of::Program(program), location, [x, y, z]);
    fn glProgramUniform3dv(program: u32, location: i32, count: i32, values: *const f64) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 3, values)
    };
    fn glProgramUniform4d(program: u32, location: i32, x: f64, y: f64, z: f64, w: f64) = |cx| one(cx, Of::Program(program), location, [x, y, z, w]);
    fn glProgramUniform4dv(program: u32, location: i32, count: i32, values: *const f64) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 4, values)
    };
    fn glProgramUniformMatrix2fv(program: u32, location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 2, 2, values)
    };
    fn glProgramUniformMatrix2x3fv(program: u32, location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 2, 3, values)
    };
    fn glProgramUniformMatrix2x4fv(program: u32, location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 2, 4, values)
    };
    fn glProgramUniformMatrix3x2fv(program: u32, location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 3, 2, values)
    };
    fn glProgramUniformMatrix3fv(program: u32, location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 3, 3, values)
    };
    fn glProgramUniformMatrix3x4fv(program: u32, location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 3, 4, values)
    };
    fn glProgramUniformMatrix4x2fv(program: u32, location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 4, 2, values)
    };
    fn glProgramUniformMatrix4x3fv(program: u32, location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 4, 3, values)
    };
    fn glProgramUniformMatrix4fv(program: u32, location: i32, count: i32, transpose: u8, values: *const f32) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 4, 4, values)
    };
    fn glProgramUniformMatrix2dv(program: u32, location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 2, 2, values)
    };
    fn glProgramUniformMatrix2x3dv(program: u32, location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 2, 3, values)
    };
    fn glProgramUniformMatrix2x4dv(program: u32, location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 2, 4, values)
    };
    fn glProgramUniformMatrix3x2dv(program: u32, location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 3, 2, values)
    };
    fn glProgramUniformMatrix3dv(program: u32, location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 3, 3, values)
    };
    fn glProgramUniformMatrix3x4dv(program: u32, location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 3, 4, values)
    };
    fn glProgramUniformMatrix4x2dv(program: u32, location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 4, 2, values)
    };
    fn glProgramUniformMatrix4x3dv(program: u32, location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 4, 3, values)
    };
    fn glProgramUniformMatrix4dv(program: u32, location: i32, count: i32, transpose: u8, values: *const f64) = |cx| unsafe {
        matrices(cx, Of::Program(program), location, count, transpose, 4, 4, values)
    };
    fn glGetUniformfv(program: u32, location: i32, out: *mut f32) = |cx| {
        let value = uniform::get(cx, program, location, None, size_of::<f32>())?;
        unsafe { put_all(out, value.floats()) };
        Ok(())
    };
    fn glGetnUniformfv(program: u32, location: i32, room: i32, out: *mut f32) = |cx| {
        let value = uniform::get(cx, program, location, Some(room), size_of::<f32>())?;
        unsafe { put_all(out, value.floats()) };
        Ok(())
    };
    fn glGetUniformiv(program: u32, location: i32, out: *mut i32) = |cx| {
        let value = uniform::get(cx, program, location, None, size_of::<i32>())?;
        unsafe { put_all(out, value.ints()) };
        Ok(())
    };
    fn glGetnUniformiv(program: u32, location: i32, room: i32, out: *mut i32) = |cx| {
        let value = uniform::get(cx, program, location, Some(room), size_of::<i32>())?;
        unsafe { put_all(out, value.ints()) };
        Ok(())
    };
    fn glGetUniformuiv(program: u32, location: i32, out: *mut u32) = |cx| {
        let value = uniform::get(cx, program, location, None, size_of::<u32>())?;
        unsafe { put_all(out, value.uints()) };
        Ok(())
    };
    fn glGetnUniformuiv(program: u32, location: i32, room: i32, out: *mut u32) = |cx| {
        let value = uniform::get(cx, program, location, Some(room), size_of::<u32>())?;
        unsafe { put_all(out, value.uints()) };
        Ok(())
    };
    fn glGetUniformdv(program: u32, location: i32, out: *mut f64) = |cx| {
        let value = uniform::get(cx, program, location, None, size_of::<f64>())?;
        unsafe { put_all(out, value.doubles()) };
        Ok(())
    };
    fn glGetnUniformdv(program: u32, location: i32, room: i32, out: *mut f64) = |cx| {
        let value = uniform::get(cx, program, location, Some(room), size_of::<f64>())?;
        unsafe { put_all(out, value.doubles()) };
        Ok(())
    };
    fn glUniform1i64ARB(location: i32, x: i64) = |cx| one(cx, Of::Active, location, [x]);
    fn glUniform1i64vARB(location: i32, count: i32, values: *const i64) = |cx| unsafe {
        many(cx, Of::Active, location, count, 1, values)
    };
    fn glUniform2i64ARB(location: i32, x: i64, y: i64) = |cx| one(cx, Of::Active, location, [x, y]);
    fn glUniform2i64vARB(location: i32, count: i32, values: *const i64) = |cx| unsafe {
        many(cx, Of::Active, location, count, 2, values)
    };
    fn glUniform3i64ARB(location: i32, x: i64, y: i64, z: i64) = |cx| one(cx, Of::Active, location, [x, y, z]);
    fn glUniform3i64vARB(location: i32, count: i32, values: *const i64) = |cx| unsafe {
        many(cx, Of::Active, location, count, 3, values)
    };
    fn glUniform4i64ARB(location: i32, x: i64, y: i64, z: i64, w: i64) = |cx| one(cx, Of::Active, location, [x, y, z, w]);
    fn glUniform4i64vARB(location: i32, count: i32, values: *const i64) = |cx| unsafe {
        many(cx, Of::Active, location, count, 4, values)
    };
    fn glUniform1ui64ARB(location: i32, x: u64) = |cx| one(cx, Of::Active, location, [x]);
    fn glUniform1ui64vARB(location: i32, count: i32, values: *const u64) = |cx| unsafe {
        many(cx, Of::Active, location, count, 1, values)
    };
    fn glUniform2ui64ARB(location: i32, x: u64, y: u64) = |cx| one(cx, Of::Active, location, [x, y]);
    fn glUniform2ui64vARB(location: i32, count: i32, values: *const u64) = |cx| unsafe {
        many(cx, Of::Active, location, count, 2, values)
    };
    fn glUniform3ui64ARB(location: i32, x: u64, y: u64, z: u64) = |cx| one(cx, Of::Active, location, [x, y, z]);
    fn glUniform3ui64vARB(location: i32, count: i32, values: *const u64) = |cx| unsafe {
        many(cx, Of::Active, location, count, 3, values)
    };
    fn glUniform4ui64ARB(location: i32, x: u64, y: u64, z: u64, w: u64) = |cx| one(cx, Of::Active, location, [x, y, z, w]);
    fn glUniform4ui64vARB(location: i32, count: i32, values: *const u64) = |cx| unsafe {
        many(cx, Of::Active, location, count, 4, values)
    };
    fn glProgramUniform1i64ARB(program: u32, location: i32, x: i64) = |cx| one(cx, Of::Program(program), location, [x]);
    fn glProgramUniform1i64vARB(program: u32, location: i32, count: i32, values: *const i64) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 1, values)
    };
    fn glProgramUniform2i64ARB(program: u32, location: i32, x: i64, y: i64) = |cx| one(cx, Of::Program(program), location, [x, y]);
    fn glProgramUniform2i64vARB(program: u32, location: i32, count: i32, values: *const i64) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 2, values)
    };
    fn glProgramUniform3i64ARB(program: u32, location: i32, x: i64, y: i64, z: i64) = |cx| one(cx, Of::Program(program), location, [x, y, z]);
    fn glProgramUniform3i64vARB(program: u32, location: i32, count: i32, values: *const i64) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 3, values)
    };
    fn glProgramUniform4i64ARB(program: u32, location: i32, x: i64, y: i64, z: i64, w: i64) = |cx| one(cx, Of::Program(program), location, [x, y, z, w]);
    fn glProgramUniform4i64vARB(program: u32, location: i32, count: i32, values: *const i64) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 4, values)
    };
    fn glProgramUniform1ui64ARB(program: u32, location: i32, x: u64) = |cx| one(cx, Of::Program(program), location, [x]);
    fn glProgramUniform1ui64vARB(program: u32, location: i32, count: i32, values: *const u64) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 1, values)
    };
    fn glProgramUniform2ui64ARB(program: u32, location: i32, x: u64, y: u64) = |cx| one(cx, Of::Program(program), location, [x, y]);
    fn glProgramUniform2ui64vARB(program: u32, location: i32, count: i32, values: *const u64) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 2, values)
    };
    fn glProgramUniform3ui64ARB(program: u32, location: i32, x: u64, y: u64, z: u64) = |cx| one(cx, Of::Program(program), location, [x, y, z]);
    fn glProgramUniform3ui64vARB(program: u32, location: i32, count: i32, values: *const u64) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 3, values)
    };
    fn glProgramUniform4ui64ARB(program: u32, location: i32, x: u64, y: u64, z: u64, w: u64) = |cx| one(cx, Of::Program(program), location, [x, y, z, w]);
    fn glProgramUniform4ui64vARB(program: u32, location: i32, count: i32, values: *const u64) = |cx| unsafe {
        many(cx, Of::Program(program), location, count, 4, values)
    };
    fn glGetUniformi64vARB(program: u32, location: i32, out: *mut i64) = |cx| {
        let value = uniform::get(cx, program, location, None, size_of::<i64>())?;
        unsafe { put_all(out, value.longs()) };
        Ok(())
    };
    fn glGetnUniformi64vARB(program: u32, location: i32, room: i32, out: *mut i64) = |cx| {
        let value = uniform::get(cx, program, location, Some(room), size_of::<i64>())?;
        unsafe { put_all(out, value.longs()) };
        Ok(())
    };
    fn glGetUniformui64vARB(program: u32, location: i32, out: *mut u64) = |cx| {
        let value = uniform::get(cx, program, location, None, size_of::<u64>())?;
        unsafe { put_all(out, value.unsigned_longs()) };
        Ok(())
    };
    fn glGetnUniformui64vARB(program: u32, location: i32, room: i32, out: *mut u64) = |cx| {
        let value = uniform::get(cx, program, location, Some(room), size_of::<u64>())?;
        unsafe { put_all(out, value.unsigned_longs()) };
        Ok(())
    };
    fn glUniformBlockBinding(program: u32, index: u32, point: u32) = |cx| uniform::bind_block(cx, program, index, point);
    fn glShaderStorageBlockBinding(program: u32, index: u32, point: u32) = |cx| {
        uniform::bind_storage(cx, program, index, point)
    };
}
