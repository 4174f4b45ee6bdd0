//! Query objects.

use super::{Applier, corrupt, verb};
use crate::backend::Failure;
use crate::objects::Query;
use forerun_link::Status;
use forerun_pipe::fault::Result;
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, gl};

/// Vertex streams at most.
pub(super) const MAX_STREAMS: u32 = 4;
/// Pending queries asked for in one poll.
const POLLS: usize = 64;

fn is_target(target: u32) -> bool {
    matches!(
        target,
        gl::SAMPLES_PASSED
            | gl::ANY_SAMPLES_PASSED
            | gl::ANY_SAMPLES_PASSED_CONSERVATIVE
            | gl::PRIMITIVES_GENERATED
            | gl::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN
            | gl::TRANSFORM_FEEDBACK_OVERFLOW
            | gl::TRANSFORM_FEEDBACK_STREAM_OVERFLOW
            | gl::TIME_ELAPSED
            | gl::TIMESTAMP
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
            | gl::CLIPPING_OUTPUT_PRIMITIVES
    )
}

pub(super) fn query_create(a: &mut Applier, p: &QueryCreate) -> Result<()> {
    if !is_target(p.target) {
        return corrupt("QueryCreate.target");
    }
    let query = Query { target: p.target, ..Default::default() };
    a.tables.queries.create(p.handle, query, "QueryCreate.handle")?;
    Ok(())
}

pub(super) fn query_begin(a: &mut Applier, p: &QueryBegin) -> Result<()> {
    if !is_target(p.target) || p.target == gl::TIMESTAMP || p.index >= MAX_STREAMS {
        return corrupt("QueryBegin.target");
    }
    if !a.tables.queries.check(p.handle, "QueryBegin.handle")? {
        return Ok(());
    }
    let handle = Handle::from_raw(p.handle);
    let state = a.state("QueryBegin.context")?;
    if state.active_queries.iter().any(|q| q.2 == handle || (q.0, q.1) == (p.target, p.index)) {
        return corrupt("QueryBegin.handle");
    }
    state.active_queries.push((p.target, p.index, handle));
    a.pending_queries.retain(|(query, _)| *query != handle);
    let Some(query) = a.tables.queries.get_mut(handle) else { return Ok(()) };
    if query.active {
        return corrupt("QueryBegin.handle");
    }
    *query = Query { target: p.target, index: p.index, active: true, pending: false, result: None };
    verb!(a, "QueryBegin.context", query_begin(handle))
}

pub(super) fn query_end(a: &mut Applier, p: &QueryEnd) -> Result<()> {
    if !a.tables.queries.check(p.handle, "QueryEnd.handle")? {
        return Ok(());
    }
    let handle = Handle::from_raw(p.handle);
    let state = a.state("QueryEnd.context")?;
    let index = state.active_queries.iter().position(|q| q.2 == handle);
    let Some(index) = index else { return corrupt("QueryEnd.handle") };
    state.active_queries.swap_remove(index);
    ended(a, handle);
    verb!(a, "QueryEnd.context", query_end(handle))
}

fn ended(a: &mut Applier, handle: Handle<kind::Query>) {
    if let Some(query) = a.tables.queries.get_mut(handle) {
        query.active = false;
        query.pending = true;
        query.result = None;
    }
    a.pending_queries.retain(|(query, _)| *query != handle);
    a.pending_queries.push((handle, a.seq));
    a.unflushed = true;
}

pub(super) fn query_counter(a: &mut Applier, p: &QueryCounter) -> Result<()> {
    if !a.tables.queries.check(p.handle, "QueryCounter.handle")? {
        return Ok(());
    }
    let handle = Handle::from_raw(p.handle);
    let Some(query) = a.tables.queries.get_mut(handle) else { return Ok(()) };
    if query.active {
        return corrupt("QueryCounter.handle");
    }
    query.target = gl::TIMESTAMP;
    ended(a, handle);
    verb!(a, "QueryCounter.context", query_counter(handle))
}

/// Keeps a result and tells the client.
fn complete(a: &mut Applier, handle: Handle<kind::Query>, result: u64) {
    if let Some(query) = a.tables.queries.get_mut(handle) {
        query.pending = false;
        query.result = Some(result);
    }
    if let Some(index) = a.pending_queries.iter().position(|(query, _)| *query == handle) {
        let (_, seq) = a.pending_queries.remove(index);
        a.peer.query(handle.raw(), seq, result);
    }
}

/// Asks for a result; a query that the backend cannot answer has result 0.
fn ask(a: &mut Applier, handle: Handle<kind::Query>, wait: bool) -> Result<Option<u64>> {
    match a.backend.query_result(&a.tables, handle, wait) {
        Ok(result) => Ok(result),
        Err(Failure::Fault(fault)) => Err(fault),
        Err(Failure::Declined { .. }) => Ok(Some(0)),
        Err(failure) => {
            a.settle(Err(failure))?;
            Ok(Some(0))
        }
    }
}

pub(super) fn query_result(a: &mut Applier, p: &QueryResult) -> Result<()> {
    if !a.tables.queries.check(p.handle, "QueryResult.handle")? {
        return a.answer(Status::Declined, &[]);
    }
    let handle = Handle::from_raw(p.handle);
    let Some(query) = a.tables.queries.get(handle) else {
        return a.answer(Status::Declined, &[]);
    };
    let result = match (query.result, query.pending) {
        (Some(result), _) => result,
        (None, false) => return a.answer(Status::Declined, &[]),
        (None, true) => {
            let result = ask(a, handle, true)?.unwrap_or(0);
            complete(a, handle, result);
            result
        }
    };
    a.answer(Status::Ok, &result.to_ne_bytes())
}

pub(super) fn query_destroy(a: &mut Applier, p: &QueryDestroy) -> Result<()> {
    if a.tables.queries.check(p.handle, "QueryDestroy.handle")? {
        let handle = Handle::from_raw(p.handle);
        a.pending_queries.retain(|(query, _)| *query != handle);
        if let Some(state) = a.contexts.get_mut(a.current) {
            state.active_queries.retain(|q| q.2 != handle);
        }
        a.tables.queries.destroy(handle);
        a.backend.query_destroyed(handle);
    }
    Ok(())
}

pub(super) fn query_timestamp(a: &mut Applier, _: &QueryTimestamp) -> Result<()> {
    match a.backend.timestamp() {
        Ok(time) => a.answer(Status::Ok, &time.to_ne_bytes()),
        Err(failure) => a.answer_outcome(Err(failure)),
    }
}

pub(super) fn conditional_render(a: &mut Applier, p: &ConditionalRender) -> Result<()> {
    let alive = a.tables.queries.check(p.handle, "ConditionalRender.handle")?;
    let modes = gl::QUERY_WAIT..=gl::QUERY_BY_REGION_NO_WAIT;
    let inverted = gl::QUERY_WAIT_INVERTED..=gl::QUERY_BY_REGION_NO_WAIT_INVERTED;
    if alive && !modes.contains(&p.mode) && !inverted.contains(&p.mode) {
        return corrupt("ConditionalRender.mode");
    }
    let serial = a.tables.clock.tick();
    let state = a.state("ConditionalRender.context")?;
    state.conditional.value = alive.then_some((Handle::from_raw(p.handle), p.mode));
    state.conditional.serial = serial;
    verb!(a, "ConditionalRender.context", conditional_render())
}

/// Tells the client the results that are there. Returns whether any was.
pub(super) fn poll(a: &mut Applier) -> Result<bool> {
    let asked: Vec<_> = a.pending_queries.iter().take(POLLS).map(|(query, _)| *query).collect();
    let mut any = false;
    for handle in asked {
        if let Some(result) = ask(a, handle, false)? {
            complete(a, handle, result);
            any = true;
        }
    }
    Ok(any)
}
