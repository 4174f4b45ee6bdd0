//! Entry points of transform feedback objects. Varyings belong to the program family.

use super::{put_all, slice};
use crate::entries;
use crate::error::{check_value, count};
use crate::state::{draw, feedback};

entries! {
    fn glGenTransformFeedbacks(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        unsafe { put_all(names, (0..n).map(|_| feedback::generate(cx))) };
        Ok(())
    };
    fn glDeleteTransformFeedbacks(n: i32, names: *const u32) = |cx| {
        let n = count(n)? as usize;
        feedback::delete(cx, unsafe { slice(names, n) })
    };
    fn glIsTransformFeedback(name: u32) -> u8 = |cx| Ok(u8::from(feedback::is_feedback(cx, name)));
    fn glBindTransformFeedback(target: u32, name: u32) = |cx| feedback::bind(cx, target, name);
    fn glBeginTransformFeedback(mode: u32) = |cx| feedback::begin(cx, mode);
    fn glEndTransformFeedback() = |cx| feedback::end(cx);
    fn glPauseTransformFeedback() = |cx| feedback::pause(cx);
    fn glResumeTransformFeedback() = |cx| feedback::resume(cx);
    fn glDrawTransformFeedback(mode: u32, name: u32) = |cx| draw::feedback(cx, mode, name, 0, 1);
    fn glDrawTransformFeedbackStream(mode: u32, name: u32, stream: u32) = |cx| {
        check_value(i64::from(stream) < i64::from(cx.caps.limits.max_vertex_streams), "vertex stream")?;
        draw::feedback(cx, mode, name, stream, 1)
    };
    fn glDrawTransformFeedbackInstanced(mode: u32, name: u32, instances: i32) = |cx| {
        draw::feedback(cx, mode, name, 0, instances)
    };
    fn glDrawTransformFeedbackStreamInstanced(mode: u32, name: u32, stream: u32, instances: i32) = |cx| {
        check_value(i64::from(stream) < i64::from(cx.caps.limits.max_vertex_streams), "vertex stream")?;
        draw::feedback(cx, mode, name, stream, instances)
    };
}
