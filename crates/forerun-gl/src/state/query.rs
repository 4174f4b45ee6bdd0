//! Query objects and conditional rendering (OpenGL ES 3.2, section 4.2; OpenGL 4.6, sections 4.2 and 10.9).

use super::buffer;
use crate::context::{Api, Config, Context, State};
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_enum, invalid_operation,
    invalid_value,
};
use crate::names::Names;
use crate::stream::Owned;
use crate::value::Value;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{
    ConditionalRender, QueryBegin, QueryCounter, QueryCreate, QueryEnd, QueryResult, QueryTimestamp,
};
use forerun_pipe::{RawHandle, Seq, gl};

/// A query object. It comes into being at its first use, which gives it its target.
#[derive(Debug)]
pub struct Query {
    /// Its identity on the stream.
    pub handle: Owned<kind::Query>,
    /// GL target.
    pub target: u32,
    /// The record that ended its last use; `None` while it is active or was never used.
    ended: Option<Seq>,
    active: bool,
    /// The last use's result, once it is known.
    result: Option<u64>,
}

/// An active query.
#[derive(Clone, Copy, Debug)]
struct Active {
    target: u32,
    index: u32,
    name: u32,
}

/// Queries of a context.
#[derive(Debug, Default)]
pub struct QueryState {
    names: Names<Query>,
    active: Vec<Active>,
    condition: bool,
}

impl QueryState {
    /// No queries.
    pub fn new(_config: &Config) -> QueryState {
        QueryState::default()
    }

    /// Names, for glGenQueries and glIsQuery.
    pub fn names(&mut self) -> &mut Names<Query> {
        &mut self.names
    }

    /// Whether a query of that name exists.
    pub fn exists(&self, name: u32) -> bool {
        self.names.get(name).is_some()
    }

    fn active(&self, target: u32, index: u32) -> Option<Active> {
        self.active.iter().copied().find(|a| a.target == target && a.index == index)
    }
}

/// Whether a target of glBeginQuery exists, and how many vertex streams it has.
fn streams(state: &State, target: u32) -> Option<u32> {
    let one = match target {
        gl::SAMPLES_PASSED
        | gl::ANY_SAMPLES_PASSED
        | gl::ANY_SAMPLES_PASSED_CONSERVATIVE
        | gl::TIME_ELAPSED
        | gl::TRANSFORM_FEEDBACK_OVERFLOW
        | gl::VERTICES_SUBMITTED
        | gl::PRIMITIVES_SUBMITTED
        | gl::VERTEX_SHADER_INVOCATIONS
        | gl::TESS_CONTROL_SHADER_PATCHES
        | gl::TESS_EVALUATION_SHADER_INVOCATIONS
        | gl::GEOMETRY_SHADER_INVOCATIONS
        | gl::GEOMETRY_SHADER_PRIMITIVES_EMITTED
        | gl::FRAGMENT_SHADER_INVOCATIONS
        | gl::COMPUTE_SHADER_INVOCATIONS
        | gl::CLIPPING_INPUT_PRIMITIVES
        | gl::CLIPPING_OUTPUT_PRIMITIVES => true,
        gl::PRIMITIVES_GENERATED
        | gl::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN
        | gl::TRANSFORM_FEEDBACK_STREAM_OVERFLOW => false,
        _ => return None,
    };
    let many = !one && state.knows(gl::MAX_VERTEX_STREAMS);
    let streams = if many { state.caps.limits.max_vertex_streams.max(1) as u32 } else { 1 };
    state.knows(target).then_some(streams)
}

fn check_target(state: &State, target: u32, index: u32) -> GlResult {
    match streams(state, target) {
        Some(count) => check_value(index < count, "vertex stream of a query"),
        None => invalid_enum("query target"),
    }
}

/// Targets of which only one may be active at a time.
fn occlusion(target: u32) -> bool {
    matches!(
        target,
        gl::SAMPLES_PASSED | gl::ANY_SAMPLES_PASSED | gl::ANY_SAMPLES_PASSED_CONSERVATIVE
    )
}

/// Brings the query of a name into being, for that target.
fn used_for(cx: &mut Context, name: u32, target: u32) -> GlResult<RawHandle> {
    check_operation(name != 0, "query 0")?;
    if let Some(query) = cx.query.names.get(name) {
        check_operation(query.target == target, "the query belongs to another target")?;
        check_operation(!query.active, "the query is active")?;
        return Ok(query.handle.raw());
    }
    check_operation(
        cx.query.names.is_reserved(name) || cx.config.api == Api::Legacy,
        "the query name was not generated",
    )?;
    create(cx, name, target)
}

fn create(cx: &mut Context, name: u32, target: u32) -> GlResult<RawHandle> {
    let handle = {
        let mut stream = cx.stream();
        let handle = stream.mint::<kind::Query>()?;
        QueryCreate { handle: handle.raw(), target, pad: 0 }.send(&mut *stream);
        handle
    };
    let raw = handle.raw();
    let query = Query { handle, target, ended: None, active: false, result: None };
    cx.query.names.insert(name, query);
    Ok(raw)
}

/// glCreateQueries: one object.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target.
pub fn create_named(cx: &mut Context, target: u32) -> GlResult<u32> {
    if target != gl::TIMESTAMP {
        check_target(&cx.state, target, 0)?;
    }
    let name = cx.query.names.generate();
    create(cx, name, target)?;
    Ok(name)
}

/// glBeginQuery, glBeginQueryIndexed.
///
/// # Errors
/// As OpenGL ES 3.2, section 4.2.2 says.
pub fn begin(cx: &mut Context, target: u32, index: u32, name: u32) -> GlResult {
    check_target(&cx.state, target, index)?;
    let taken = cx.query.active.iter().any(|a| {
        (a.target == target && a.index == index) || (occlusion(a.target) && occlusion(target))
    });
    check_operation(!taken, "a query of that target is active")?;
    let handle = used_for(cx, name, target)?;
    QueryBegin { handle, target, index }.send(&mut *cx.stream());
    if let Some(query) = cx.query.names.get_mut(name) {
        query.active = true;
        query.ended = None;
        query.result = None;
    }
    cx.query.active.push(Active { target, index, name });
    Ok(())
}

/// glEndQuery, glEndQueryIndexed.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target, GL_INVALID_OPERATION when none is active.
pub fn end(cx: &mut Context, target: u32, index: u32) -> GlResult {
    check_target(&cx.state, target, index)?;
    let Some(active) = cx.query.active(target, index) else {
        return invalid_operation("no query of that target is active");
    };
    finish(cx, active);
    Ok(())
}

fn finish(cx: &mut Context, active: Active) {
    cx.query.active.retain(|a| (a.target, a.index) != (active.target, active.index));
    let Some(handle) = cx.query.names.get(active.name).map(|q| q.handle.raw()) else { return };
    let seq =
        QueryEnd { handle, target: active.target, index: active.index }.send(&mut *cx.stream());
    if let Some(query) = cx.query.names.get_mut(active.name) {
        query.active = false;
        query.ended = Some(seq);
    }
}

/// glQueryCounter.
///
/// # Errors
/// GL_INVALID_ENUM for another target than GL_TIMESTAMP; as OpenGL 4.6, section 4.3 says.
pub fn counter(cx: &mut Context, name: u32, target: u32) -> GlResult {
    let known = cx.knows(gl::TIMESTAMP);
    check_enum(known && target == gl::TIMESTAMP, "target of a counter")?;
    let handle = used_for(cx, name, target)?;
    let seq = QueryCounter { handle }.send(&mut *cx.stream());
    if let Some(query) = cx.query.names.get_mut(name) {
        query.ended = Some(seq);
        query.result = None;
    }
    Ok(())
}

/// glDeleteQueries. An active query ends.
pub fn delete(cx: &mut Context, names: &[u32]) -> GlResult {
    for &name in names.iter().filter(|n| **n != 0) {
        if let Some(active) = cx.query.active.iter().copied().find(|a| a.name == name) {
            finish(cx, active);
        }
        let gone = cx.query.names.remove(name);
        drop(gone);
    }
    Ok(())
}

/// glGetQueryiv, glGetQueryIndexediv.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target or name.
pub fn target_parameter(cx: &Context, target: u32, index: u32, pname: u32) -> GlResult<u32> {
    let timestamp = target == gl::TIMESTAMP && cx.knows(target);
    // On ES a timestamp has only a number of bits.
    check_enum(
        !timestamp || cx.config.api != Api::Es || pname == gl::QUERY_COUNTER_BITS,
        "query parameter",
    )?;
    if !timestamp {
        check_target(&cx.state, target, index)?;
    }
    let limits = &cx.caps.limits;
    match pname {
        gl::CURRENT_QUERY => Ok(cx.query.active(target, index).map_or(0, |a| a.name)),
        gl::QUERY_COUNTER_BITS if cx.knows(pname) => Ok(match target {
            gl::SAMPLES_PASSED => limits.query_counter_bits_samples_passed.max(32) as u32,
            gl::ANY_SAMPLES_PASSED | gl::ANY_SAMPLES_PASSED_CONSERVATIVE => 1,
            gl::TRANSFORM_FEEDBACK_OVERFLOW | gl::TRANSFORM_FEEDBACK_STREAM_OVERFLOW => 1,
            gl::TIME_ELAPSED => limits.query_counter_bits_time_elapsed as u32,
            gl::TIMESTAMP => limits.query_counter_bits_timestamp as u32,
            _ => 64,
        }),
        _ => invalid_enum("query parameter"),
    }
}

/// What glGetQueryObject* answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A value.
    Value(u64),
    /// The result is not there, and the program did not want to wait.
    Nothing,
}

/// The value of a query's parameter. GL_QUERY_RESULT waits for the result.
///
/// # Errors
/// GL_INVALID_OPERATION for what is no query or is active, GL_INVALID_ENUM for an unknown name.
pub fn object_parameter(cx: &mut Context, name: u32, pname: u32) -> GlResult<Answer> {
    let Some(query) = cx.query.names.get(name) else {
        return invalid_operation("no query of that name");
    };
    check_operation(!query.active, "the query is active")?;
    let target = query.target;
    match pname {
        gl::QUERY_RESULT => {
            let value = result(cx, name);
            Ok(Answer::Value(clamp(target, value)))
        }
        gl::QUERY_RESULT_NO_WAIT if cx.knows(pname) => Ok(match poll(cx, name) {
            Some(value) => Answer::Value(clamp(target, value)),
            None => Answer::Nothing,
        }),
        gl::QUERY_RESULT_AVAILABLE => Ok(Answer::Value(u64::from(poll(cx, name).is_some()))),
        gl::QUERY_TARGET if cx.knows(pname) => Ok(Answer::Value(target.into())),
        _ => invalid_enum("query parameter"),
    }
}

/// Results of targets that are booleans are 0 or 1.
fn clamp(target: u32, value: u64) -> u64 {
    match target {
        gl::ANY_SAMPLES_PASSED
        | gl::ANY_SAMPLES_PASSED_CONSERVATIVE
        | gl::TRANSFORM_FEEDBACK_OVERFLOW
        | gl::TRANSFORM_FEEDBACK_STREAM_OVERFLOW => value.min(1),
        _ => value,
    }
}

/// The result if it is there; a local load. A poll that finds nothing publishes what is pending.
fn poll(cx: &mut Context, name: u32) -> Option<u64> {
    let query = cx.query.names.get(name)?;
    if query.result.is_some() {
        return query.result;
    }
    // A query that was never used has the result 0.
    let Some(ended) = query.ended else { return Some(0) };
    let handle = query.handle.raw();
    let found = {
        let mut stream = cx.group.stream();
        let found = stream.link.query(handle, ended);
        if found.is_none() && stream.link.flush_bell() {
            forerun_pipe::records::Flush { pad: 0 }.send(&mut *stream);
            stream.link.publish();
        }
        found
    };
    cx.query.names.get_mut(name)?.result = found;
    found
}

/// The result; waits for it.
fn result(cx: &mut Context, name: u32) -> u64 {
    if let Some(value) = poll(cx, name) {
        return value;
    }
    let Some(handle) = cx.query.names.get(name).map(|q| q.handle.raw()) else { return 0 };
    let value = {
        let mut stream = cx.stream();
        let seq = QueryResult { handle }.send(&mut *stream);
        let reply = stream.link.wait_reply(seq).ok();
        reply.and_then(|r| r.bytes.first_chunk().map(|b| u64::from_ne_bytes(*b))).unwrap_or(0)
    };
    if let Some(query) = cx.query.names.get_mut(name) {
        query.result = Some(value);
    }
    value
}

/// A value written into the bound query buffer in place of client memory. Whether there is one.
///
/// # Errors
/// GL_INVALID_VALUE for a negative offset, GL_INVALID_OPERATION when the value does not fit.
pub fn to_buffer(cx: &mut Context, offset: isize, bytes: &[u8]) -> GlResult<bool> {
    let Some(target) = cx.buffer.slots.query.clone() else { return Ok(false) };
    check_value(offset >= 0, "offset in a query buffer")?;
    let end = (offset as u64).saturating_add(bytes.len() as u64);
    let mut data = target.data.borrow_mut();
    check_operation(end <= data.size, "the query buffer is too small")?;
    data.written();
    buffer::send_bytes(&mut cx.stream(), &target, offset as u64, bytes)?;
    Ok(true)
}

/// glBeginConditionalRender.
///
/// # Errors
/// As OpenGL 4.6, section 10.9 says.
pub fn begin_condition(cx: &mut Context, name: u32, mode: u32) -> GlResult {
    let inverted = matches!(
        mode,
        gl::QUERY_WAIT_INVERTED
            | gl::QUERY_NO_WAIT_INVERTED
            | gl::QUERY_BY_REGION_WAIT_INVERTED
            | gl::QUERY_BY_REGION_NO_WAIT_INVERTED
    );
    let plain = matches!(
        mode,
        gl::QUERY_WAIT | gl::QUERY_NO_WAIT | gl::QUERY_BY_REGION_WAIT | gl::QUERY_BY_REGION_NO_WAIT
    );
    check_enum(plain || (inverted && cx.knows(mode)), "mode of a condition")?;
    check_operation(!cx.query.condition, "conditional rendering is active")?;
    let Some(query) = cx.query.names.get(name) else {
        return invalid_value("no query of that name");
    };
    check_operation(!query.active, "the query is active")?;
    let usable = occlusion(query.target)
        || matches!(
            query.target,
            gl::TRANSFORM_FEEDBACK_OVERFLOW | gl::TRANSFORM_FEEDBACK_STREAM_OVERFLOW
        );
    check_operation(usable, "a query of that target is no condition")?;
    let handle = query.handle.raw();
    ConditionalRender { handle, mode, pad: 0 }.send(&mut *cx.stream());
    cx.query.condition = true;
    Ok(())
}

/// glEndConditionalRender.
///
/// # Errors
/// GL_INVALID_OPERATION when none is active.
pub fn end_condition(cx: &mut Context) -> GlResult {
    check_operation(cx.query.condition, "no conditional rendering is active")?;
    ConditionalRender { handle: RawHandle::NULL, mode: 0, pad: 0 }.send(&mut *cx.stream());
    cx.query.condition = false;
    Ok(())
}

/// Answers glGet* for what needs the server's answer.
pub fn get(cx: &mut Context, pname: u32) -> Option<GlResult<Value>> {
    match pname {
        gl::TIMESTAMP => {
            let mut stream = cx.stream();
            let seq = QueryTimestamp { pad: 0 }.send(&mut *stream);
            let reply = stream.link.wait_reply(seq).ok();
            let now = reply.and_then(|r| r.bytes.first_chunk().map(|b| i64::from_ne_bytes(*b)));
            Some(Ok(Value::int(now.unwrap_or(0))))
        }
        // Frequency changes are not told to us, and say nothing about times that are measured in nanoseconds.
        gl::GPU_DISJOINT_EXT => Some(Ok(Value::int(0))),
        _ => None,
    }
}
