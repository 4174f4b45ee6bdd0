//! What a vertex shader computes, to the bit: captured by transform feedback.

use crate::World;
use forerun_pipe::gl as c;

impl World {
    /// A program in use that captures the outputs `first` and `last` of a vertex shader, one behind the other.
    pub fn capturing(&self, vertex: &str) -> u32 {
        let program = self.program_with(&[(c::VERTEX_SHADER, vertex)], |program| {
            let names = [c"first".as_ptr().cast::<u8>(), c"last".as_ptr().cast()];
            self.TransformFeedbackVaryings(program, 2, names.as_ptr(), c::INTERLEAVED_ATTRIBS);
        });
        self.UseProgram(program);
        program
    }

    /// Draws so many points from the first on, and gives the `N` 64-bit words that they made.
    pub fn captured<const N: usize>(&self, points: i32) -> [u64; N] {
        let buffer = self.buffer(c::TRANSFORM_FEEDBACK_BUFFER, &[0u64; N]);
        self.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
        self.Enable(c::RASTERIZER_DISCARD);
        self.BeginTransformFeedback(c::POINTS);
        self.DrawArrays(c::POINTS, 0, points);
        self.EndTransformFeedback();
        let mut out = [0; N];
        let bytes = size_of_val(&out) as isize;
        self.GetBufferSubData(c::TRANSFORM_FEEDBACK_BUFFER, 0, bytes, out.as_mut_ptr().cast());
        out
    }
}
