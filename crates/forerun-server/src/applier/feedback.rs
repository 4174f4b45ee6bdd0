//! Transform feedback.

use super::{Applier, buffer, corrupt, verb};
use crate::objects::Feedback;
use forerun_pipe::fault::Result;
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, RawHandle, gl};

/// Feedback targets at most.
const MAX_TARGETS: u32 = 8;

pub(super) fn begin_stream_output(
    a: &mut Applier,
    p: &BeginStreamOutput,
    targets: &[BufferRange],
) -> Result<()> {
    const HANDLE: &str = "BeginStreamOutput.handle";
    if !matches!(p.primitive_mode, gl::POINTS | gl::LINES | gl::TRIANGLES) {
        return corrupt("BeginStreamOutput.primitive_mode");
    }
    if p.count > MAX_TARGETS {
        return corrupt("BeginStreamOutput.count");
    }
    let targets = targets
        .iter()
        .map(|r| buffer::range(&a.tables, r, "BeginStreamOutput.targets"))
        .collect::<Result<Vec<_>>>()?;
    let alive = a.tables.executables.check(p.executable, "BeginStreamOutput.executable")?;
    if a.tables.feedbacks.is_newer(p.handle) {
        // The first use introduces it.
        a.tables.feedbacks.create(p.handle, Feedback::default(), HANDLE)?;
    }
    if !a.tables.feedbacks.check(p.handle, HANDLE)? || !alive {
        return Ok(());
    }
    let handle = Handle::from_raw(p.handle);
    let serial = a.tables.clock.tick();
    let state = a.state("BeginStreamOutput.context")?;
    if !state.feedback.is_null() {
        // Only a paused object can give its place to another.
        let current = state.feedback.value;
        if a.tables.feedbacks.get(current).is_some_and(|f| f.active && !f.paused) {
            return corrupt(HANDLE);
        }
    }
    let Some(feedback) = a.tables.feedbacks.get_mut(handle) else { return Ok(()) };
    if feedback.active {
        return corrupt(HANDLE);
    }
    *feedback = Feedback {
        active: true,
        paused: false,
        executable: Handle::from_raw(p.executable),
        primitive_mode: p.primitive_mode,
        targets,
        serial,
    };
    select(a, handle)?;
    verb!(a, "BeginStreamOutput.context", feedback_begin(handle))
}

fn select(a: &mut Applier, handle: Handle<kind::Feedback>) -> Result<()> {
    let serial = a.tables.clock.tick();
    let state = a.state("StreamOutput.context")?;
    state.feedback.value = handle;
    state.feedback.serial = serial;
    Ok(())
}

/// An object between begin and end. `None`: it is dead.
fn active(
    a: &mut Applier,
    raw: RawHandle,
    what: &'static str,
) -> Result<Option<Handle<kind::Feedback>>> {
    if !a.tables.feedbacks.check(raw, what)? {
        return Ok(None);
    }
    let handle = Handle::from_raw(raw);
    match a.tables.feedbacks.get(handle) {
        Some(feedback) if feedback.active => Ok(Some(handle)),
        _ => corrupt(what),
    }
}

pub(super) fn end_stream_output(a: &mut Applier, p: &EndStreamOutput) -> Result<()> {
    let Some(handle) = active(a, p.handle, "EndStreamOutput.handle")? else { return Ok(()) };
    select(a, Handle::NULL)?;
    if let Some(feedback) = a.tables.feedbacks.get_mut(handle) {
        feedback.active = false;
        feedback.paused = false;
    }
    verb!(a, "EndStreamOutput.context", feedback_end(handle))
}

pub(super) fn pause_stream_output(a: &mut Applier, p: &PauseStreamOutput) -> Result<()> {
    const HANDLE: &str = "PauseStreamOutput.handle";
    let Some(handle) = active(a, p.handle, HANDLE)? else { return Ok(()) };
    let Some(feedback) = a.tables.feedbacks.get_mut(handle) else { return Ok(()) };
    if feedback.paused {
        return corrupt(HANDLE);
    }
    feedback.paused = true;
    verb!(a, "PauseStreamOutput.context", feedback_pause(handle))
}

pub(super) fn resume_stream_output(a: &mut Applier, p: &ResumeStreamOutput) -> Result<()> {
    const HANDLE: &str = "ResumeStreamOutput.handle";
    let Some(handle) = active(a, p.handle, HANDLE)? else { return Ok(()) };
    let Some(feedback) = a.tables.feedbacks.get_mut(handle) else { return Ok(()) };
    if !feedback.paused {
        return corrupt(HANDLE);
    }
    feedback.paused = false;
    select(a, handle)?;
    verb!(a, "ResumeStreamOutput.context", feedback_resume(handle))
}
