//! Entry points of transform feedback objects. Varyings belong to the program family.

use super::{put, put_all, slice};
use crate::entries;
use crate::error::{check_value, count};
use crate::state::{draw, feedback, feedback_named as named};

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
    fn glCreateTransformFeedbacks(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        let made: Result<Vec<u32>, _> = (0..n).map(|_| feedback::create_object(cx)).collect();
        unsafe { put_all(names, made?.into_iter()) };
        Ok(())
    };
    fn glTransformFeedbackBufferBase(name: u32, index: u32, buffer: u32) = |cx| {
        named::bind_buffer(cx, name, index, buffer, None)
    };
    fn glTransformFeedbackBufferRange(name: u32, index: u32, buffer: u32, offset: isize, size: isize) = |cx| {
        named::bind_buffer(cx, name, index, buffer, Some((offset as i64, size as i64)))
    };
    fn glGetTransformFeedbackiv(name: u32, pname: u32, out: *mut i32) = |cx| {
        let value = named::parameter(cx, name, pname)?;
        unsafe { put(out, value) };
        Ok(())
    };
    fn glGetTransformFeedbacki_v(name: u32, pname: u32, index: u32, out: *mut i32) = |cx| {
        let value = named::indexed_parameter(cx, name, pname, index, false)?;
        unsafe { put(out, value as i32) };
        Ok(())
    };
    fn glGetTransformFeedbacki64_v(name: u32, pname: u32, index: u32, out: *mut i64) = |cx| {
        let value = named::indexed_parameter(cx, name, pname, index, true)?;
        unsafe { put(out, value) };
        Ok(())
    };
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
