//! Transform feedback (OpenGL ES 3.2, section 12.1; OpenGL 4.6, section 13.3).

use super::buffer::{Buffer, IndexedPoint};
use crate::context::{Api, Context, State};
use crate::emit::{self, Dirty};
use crate::error::{GlResult, check_enum, check_operation, invalid_operation, invalid_value};
use crate::names::Names;
use crate::stream::{Owned, Stream};
use crate::value::Value;
use forerun_pipe::archive::Stage;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{
    BeginStreamOutput, BufferRange, EndStreamOutput, PauseStreamOutput, ResumeStreamOutput,
};
use forerun_pipe::{RawHandle, gl};
use std::sync::Arc;

/// Feedback buffer points at most.
const POINTS: usize = 4;

/// A transform feedback object.
#[derive(Debug)]
pub struct FeedbackObject {
    /// Its name; 0 for the default one.
    pub name: u32,
    handle: Owned<kind::Feedback>,
    points: [IndexedPoint; POINTS],
    active: bool,
    paused: bool,
    mode: u32,
    /// The executable whose varyings are captured.
    executable: RawHandle,
    /// Vertices that the targets can still take.
    room: u64,
}

impl FeedbackObject {
    fn new(name: u32, handle: Owned<kind::Feedback>) -> Box<FeedbackObject> {
        Box::new(FeedbackObject {
            name,
            handle,
            points: Default::default(),
            active: false,
            paused: false,
            mode: gl::POINTS,
            executable: RawHandle::NULL,
            room: 0,
        })
    }
}

/// Feedback objects of a context.
#[derive(Debug)]
pub struct FeedbackState {
    /// The bound object; it is not in `objects` meanwhile.
    current: Box<FeedbackObject>,
    /// `None` in place of the bound one.
    objects: Names<Option<Box<FeedbackObject>>>,
    default: Option<Box<FeedbackObject>>,
}

impl FeedbackObject {
    /// Whether it is active, and whether it is paused.
    pub fn status(&self) -> (bool, bool) {
        (self.active, self.paused)
    }

    /// A feedback buffer point.
    pub fn point(&self, index: u32) -> Option<&IndexedPoint> {
        self.points.get(index as usize)
    }

    /// Puts a buffer at a point that exists.
    pub fn set_point(&mut self, index: u32, point: IndexedPoint) {
        if let Some(slot) = self.points.get_mut(index as usize) {
            *slot = point;
        }
    }
}

/// glCreateTransformFeedbacks for one name.
///
/// # Errors
/// GL_OUT_OF_MEMORY when no handle can be minted.
pub fn create_object(cx: &mut Context) -> GlResult<u32> {
    let handle = cx.group.stream().mint::<kind::Feedback>()?;
    let objects = &mut cx.state.feedback.objects;
    let name = objects.generate();
    objects.insert(name, Some(FeedbackObject::new(name, handle)));
    Ok(name)
}

impl FeedbackState {
    /// The object of a name, bound or not; 0 is the default one.
    pub fn object(&mut self, name: u32) -> Option<&mut FeedbackObject> {
        if self.current.name == name {
            return Some(&mut self.current);
        }
        if name == 0 {
            return self.default.as_deref_mut();
        }
        self.objects.get_mut(name)?.as_deref_mut()
    }

    /// The default feedback object is bound.
    ///
    /// # Errors
    /// GL_OUT_OF_MEMORY when no handle can be minted.
    pub fn new(stream: &mut Stream) -> GlResult<FeedbackState> {
        let handle = stream.mint::<kind::Feedback>()?;
        Ok(FeedbackState {
            current: FeedbackObject::new(0, handle),
            objects: Names::default(),
            default: None,
        })
    }
}

/// glGenTransformFeedbacks.
pub fn generate(cx: &mut Context) -> u32 {
    cx.state.feedback.objects.generate()
}

/// glIsTransformFeedback.
pub fn is_feedback(cx: &Context, name: u32) -> bool {
    cx.feedback.objects.get(name).is_some()
}

/// The identity of an object, for labels.
pub fn handle(cx: &Context, name: u32) -> Option<RawHandle> {
    let state = &cx.feedback;
    match state.objects.get(name)? {
        Some(object) => Some(object.handle.raw()),
        None => Some(state.current.handle.raw()),
    }
}

/// glBindTransformFeedback.
///
/// # Errors
/// GL_INVALID_OPERATION for a name that was not generated, or while the bound object captures.
pub fn bind(cx: &mut Context, target: u32, name: u32) -> GlResult {
    check_enum(target == gl::TRANSFORM_FEEDBACK, "feedback target")?;
    let bound = &cx.feedback.current;
    check_operation(!bound.active || bound.paused, "transform feedback is active")?;
    if bound.name == name {
        return Ok(());
    }
    let next = if name == 0 {
        cx.state.feedback.default.take()
    } else {
        check_operation(
            cx.feedback.objects.is_reserved(name),
            "the feedback name was not generated",
        )?;
        match cx.state.feedback.objects.get_mut(name).and_then(Option::take) {
            Some(object) => Some(object),
            None => Some(FeedbackObject::new(name, cx.group.stream().mint::<kind::Feedback>()?)),
        }
    };
    let next = match next {
        Some(next) => next,
        None => FeedbackObject::new(0, cx.group.stream().mint::<kind::Feedback>()?),
    };
    let state = &mut cx.state.feedback;
    let previous = std::mem::replace(&mut state.current, next);
    match previous.name {
        0 => state.default = Some(previous),
        old => {
            state.objects.insert(old, Some(previous));
        }
    }
    if name != 0 {
        state.objects.insert(name, None);
    }
    Ok(())
}

/// glDeleteTransformFeedbacks.
///
/// # Errors
/// GL_INVALID_OPERATION for an active object.
pub fn delete(cx: &mut Context, names: &[u32]) -> GlResult {
    for &name in names.iter().filter(|n| **n != 0) {
        let active = match cx.feedback.objects.get(name) {
            Some(Some(object)) => object.active,
            Some(None) => cx.feedback.current.active,
            None => false,
        };
        check_operation(!active, "the feedback object is active")?;
        if cx.feedback.current.name == name {
            bind(cx, gl::TRANSFORM_FEEDBACK, 0)?;
        }
        cx.state.feedback.objects.remove(name);
    }
    Ok(())
}

/// glBeginTransformFeedback.
///
/// # Errors
/// As OpenGL ES 3.2, section 12.1.2 says.
pub fn begin(cx: &mut Context, mode: u32) -> GlResult {
    check_enum(matches!(mode, gl::POINTS | gl::LINES | gl::TRIANGLES), "feedback primitive")?;
    check_operation(!cx.feedback.current.active, "transform feedback is active")?;
    cx.state.program.refresh();
    let Some(linked) = cx.program.drawing().cloned() else {
        return invalid_operation("no program is current");
    };
    let strides = &linked.archive.feedback_strides;
    check_operation(
        !linked.archive.feedback.is_empty() && !strides.is_empty(),
        "the program captures nothing",
    )?;
    let points = &cx.feedback.current.points;
    let mut room = u64::MAX;
    for (point, stride) in points.iter().zip(strides) {
        let Some(buffer) = &point.buffer else {
            return invalid_operation("a feedback buffer is missing");
        };
        let data = buffer.data.borrow_mut();
        check_operation(!data.blocked(), "a feedback buffer is mapped")?;
        let bytes = if point.size == 0 {
            data.size
        } else {
            point.size.min(data.size.saturating_sub(point.offset))
        };
        room = room.min(bytes / u64::from((*stride).max(1)));
    }
    check_operation(strides.len() <= points.len(), "a feedback buffer is missing")?;
    let ranges: Vec<BufferRange> =
        points[..strides.len()].iter().map(IndexedPoint::range).collect();
    let mut stream = cx.group.stream();
    cx.state.bind(&mut stream);
    cx.state.dirty |= Dirty::PROGRAM;
    emit::sync(&mut cx.state, &mut stream, Dirty::PROGRAM)?;
    let executable = linked.executable.get().map_or(RawHandle::NULL, Owned::raw);
    let object = &mut cx.state.feedback.current;
    (object.active, object.paused, object.mode, object.room, object.executable) =
        (true, false, mode, room, executable);
    BeginStreamOutput {
        handle: object.handle.raw(),
        executable,
        primitive_mode: mode,
        count: ranges.len() as u32,
    }
    .send(&mut *stream, &ranges);
    Ok(())
}

/// glEndTransformFeedback.
///
/// # Errors
/// GL_INVALID_OPERATION when the bound object is not active.
pub fn end(cx: &mut Context) -> GlResult {
    let object = &mut cx.state.feedback.current;
    check_operation(object.active, "transform feedback is not active")?;
    (object.active, object.paused) = (false, false);
    let handle = object.handle.raw();
    EndStreamOutput { handle }.send(&mut *cx.stream());
    Ok(())
}

/// glPauseTransformFeedback.
///
/// # Errors
/// GL_INVALID_OPERATION when the bound object is not active, or paused.
pub fn pause(cx: &mut Context) -> GlResult {
    let object = &mut cx.state.feedback.current;
    check_operation(
        object.active && !object.paused,
        "transform feedback is not active, or paused",
    )?;
    object.paused = true;
    let handle = object.handle.raw();
    PauseStreamOutput { handle }.send(&mut *cx.stream());
    Ok(())
}

/// glResumeTransformFeedback.
///
/// # Errors
/// GL_INVALID_OPERATION when the bound object is not paused, or another program is current than at the begin.
pub fn resume(cx: &mut Context) -> GlResult {
    cx.state.program.refresh();
    let current =
        cx.program.drawing().and_then(|l| l.executable.get()).map_or(RawHandle::NULL, Owned::raw);
    let object = &mut cx.state.feedback.current;
    check_operation(object.active && object.paused, "transform feedback is not paused")?;
    check_operation(object.executable == current, "another program captured")?;
    object.paused = false;
    let handle = object.handle.raw();
    ResumeStreamOutput { handle }.send(&mut *cx.stream());
    Ok(())
}

/// The object that glDrawTransformFeedback counts from.
///
/// # Errors
/// GL_INVALID_VALUE for an unknown name.
pub fn source(cx: &Context, name: u32) -> GlResult<RawHandle> {
    match if name == 0 { Some(cx.feedback.current.handle.raw()) } else { handle(cx, name) } {
        Some(handle) => Ok(handle),
        None => invalid_value("no such feedback object"),
    }
}

/// Whether the bound feedback object is active (paused or not).
pub fn is_active(state: &State) -> bool {
    state.feedback.current.active
}

/// Whether draws are captured now.
pub fn is_capturing(state: &State) -> bool {
    state.feedback.current.active && !state.feedback.current.paused
}

/// Whether the bound feedback object is active and paused.
pub fn is_paused(state: &State) -> bool {
    state.feedback.current.active && state.feedback.current.paused
}

/// Whether an active feedback object, paused or not, captures from that program.
pub fn uses_program(state: &State, program: &super::program::Program) -> bool {
    let object = &state.feedback.current;
    if !object.active {
        return false;
    }
    let linked = program.data.borrow_mut().linked.clone();
    linked.is_some_and(|linked| linked.executable.get().map(Owned::raw) == Some(object.executable))
}

/// Binds a buffer to an indexed point of the bound feedback object.
pub fn bind_target(state: &mut State, index: u32, point: IndexedPoint) {
    state.feedback.current.set_point(index, point);
}

/// A buffer was deleted: it is unbound from the bound feedback object.
pub fn buffer_deleted(state: &mut State, buffer: &Arc<Buffer>) {
    for point in &mut state.feedback.current.points {
        if point.buffer.as_ref().is_some_and(|b| Arc::ptr_eq(b, buffer)) {
            *point = IndexedPoint::default();
        }
    }
}

/// The class of primitive that a mode makes.
fn class(mode: u32) -> u32 {
    match mode {
        gl::POINTS => gl::POINTS,
        gl::LINES
        | gl::LINE_LOOP
        | gl::LINE_STRIP
        | gl::LINES_ADJACENCY
        | gl::LINE_STRIP_ADJACENCY => gl::LINES,
        _ => gl::TRIANGLES,
    }
}

/// Whether this is an API that forbids what geometry shaders would make uncountable: OpenGL ES 3.0 and 3.1.
fn strict(state: &State) -> bool {
    state.config.api == Api::Es && state.config.version < 32
}

/// Checks a draw's mode against the captured primitive (OpenGL ES 3.2, section 12.1.2).
///
/// # Errors
/// GL_INVALID_OPERATION.
#[inline]
pub fn check_draw(state: &State, mode: u32) -> GlResult {
    if !is_capturing(state) {
        return Ok(());
    }
    let captured = state.feedback.current.mode;
    if strict(state) {
        return check_operation(mode == captured, "the mode is not the captured one");
    }
    let linked = state.program.drawing();
    let last = |stage| linked.and_then(|linked| linked.stage(stage));
    let output = if let Some(geometry) = last(Stage::Geometry) {
        class(geometry.geometry_output)
    } else if let Some(tess) = last(Stage::TessEvaluation) {
        match (tess.tess_point_mode, tess.tess_mode) {
            (true, _) => gl::POINTS,
            (false, gl::ISOLINES) => gl::LINES,
            _ => gl::TRIANGLES,
        }
    } else {
        class(mode)
    };
    check_operation(output == captured, "the primitive is not the captured one")
}

/// Takes a draw's vertices from the room that the targets have, where the API asks for it (OpenGL ES 3.0 and 3.1).
///
/// # Errors
/// GL_INVALID_OPERATION.
pub fn check_room(state: &mut State, mode: u32, vertices: u64) -> GlResult {
    if !strict(state) || !is_capturing(state) {
        return Ok(());
    }
    let whole = match mode {
        gl::LINES => vertices / 2 * 2,
        gl::TRIANGLES => vertices / 3 * 3,
        _ => vertices,
    };
    let object = &mut state.feedback.current;
    check_operation(whole <= object.room, "the feedback buffers are full")?;
    object.room -= whole;
    Ok(())
}

/// Checks that an indexed draw is allowed while capturing (not in OpenGL ES 3.0 and 3.1).
///
/// # Errors
/// GL_INVALID_OPERATION.
pub fn check_indexed(state: &State) -> GlResult {
    check_operation(!strict(state) || !is_capturing(state), "an indexed draw is captured")
}

/// Checks that an indirect draw is allowed while capturing (not in OpenGL ES 3.1).
///
/// # Errors
/// GL_INVALID_OPERATION.
pub fn check_indirect(state: &State) -> GlResult {
    check_indexed(state)
}

/// Answers glGet*.
pub fn get(state: &State, pname: u32) -> Option<Value> {
    let object = &state.feedback.current;
    Some(match pname {
        gl::TRANSFORM_FEEDBACK_BINDING => Value::int(object.name),
        gl::TRANSFORM_FEEDBACK_ACTIVE => Value::bool(object.active),
        gl::TRANSFORM_FEEDBACK_PAUSED => Value::bool(object.paused),
        _ => return None,
    })
}

/// Answers glGet*i_v.
pub fn get_indexed(state: &State, pname: u32, index: u32) -> Option<GlResult<Value>> {
    if !matches!(
        pname,
        gl::TRANSFORM_FEEDBACK_BUFFER_BINDING
            | gl::TRANSFORM_FEEDBACK_BUFFER_START
            | gl::TRANSFORM_FEEDBACK_BUFFER_SIZE
    ) {
        return None;
    }
    let Some(point) = state.feedback.current.points.get(index as usize) else {
        return Some(invalid_value("index of a feedback point"));
    };
    Some(Ok(match pname {
        gl::TRANSFORM_FEEDBACK_BUFFER_START => Value::int(point.offset as i64),
        gl::TRANSFORM_FEEDBACK_BUFFER_SIZE => Value::int(point.size as i64),
        _ => Value::int(point.buffer.as_ref().map_or(0, |b| b.name)),
    }))
}
