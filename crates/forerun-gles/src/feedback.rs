//! Transform feedback.

use crate::backend::GlBackend;
use crate::twin::Native;
use forerun_pipe::handle::kind;
use forerun_pipe::{Handle, RawHandle, gl as c};
use forerun_server::backend::{Failure, Outcome};
use forerun_server::state::Env;

/// A feedback object of the host.
#[derive(Clone, Copy, Debug)]
pub struct FeedbackTwin {
    name: u32,
    /// The context that began it.
    context: Handle<kind::Context>,
    /// Between begin and end.
    active: bool,
    /// Paused by the program.
    paused: bool,
}

impl GlBackend {
    pub(crate) fn begin_feedback(&mut self, env: &Env, handle: Handle<kind::Feedback>) -> Outcome {
        let Some(object) = env.tables.feedbacks.get(handle) else { return Ok(()) };
        let program = object.executable;
        let Some(executable) = env.tables.executables.get(program) else {
            return Err(Failure::Declined { code: c::INVALID_OPERATION });
        };
        self.suspend_feedback();
        self.drawing_points = object.primitive_mode == c::POINTS && !self.client_es;
        // The varyings of the program in use are captured.
        self.use_program(env, program, executable)?;
        let name = match self.feedbacks.get(handle) {
            Some(twin) => twin.name,
            None => {
                let mut name = 0;
                // SAFETY: one name.
                unsafe { self.host.gl.gen_transform_feedbacks(1, &mut name) };
                name
            }
        };
        self.host.gl.bind_transform_feedback(c::TRANSFORM_FEEDBACK, name);
        for (index, range) in object.targets.iter().enumerate() {
            let Some(found) = env.tables.resolve(range) else { continue };
            let buffer = self.buffer(found.handle);
            if buffer == Native::NONE {
                continue;
            }
            self.host.gl.bind_buffer_range(
                c::TRANSFORM_FEEDBACK_BUFFER,
                index as u32,
                buffer.name,
                found.offset as isize,
                // Whole words only.
                (found.size & !3) as isize,
            );
        }
        self.host.gl.begin_transform_feedback(object.primitive_mode);
        let twin = FeedbackTwin { name, context: self.context, active: true, paused: false };
        self.feedbacks.insert(handle, twin);
        self.capturing = handle;
        Ok(())
    }

    pub(crate) fn end_feedback(&mut self, handle: Handle<kind::Feedback>) -> Outcome {
        let Some(twin) = self.feedbacks.get_mut(handle) else { return Ok(()) };
        if !twin.active {
            return Ok(());
        }
        twin.active = false;
        let name = twin.name;
        if self.capturing != handle {
            self.suspend_feedback();
            self.host.gl.bind_transform_feedback(c::TRANSFORM_FEEDBACK, name);
        }
        self.host.gl.end_transform_feedback();
        self.host.gl.bind_transform_feedback(c::TRANSFORM_FEEDBACK, 0);
        self.capturing = Handle::NULL;
        Ok(())
    }

    pub(crate) fn pause_feedback(&mut self, handle: Handle<kind::Feedback>) -> Outcome {
        if let Some(twin) = self.feedbacks.get_mut(handle)
            && twin.active
        {
            twin.paused = true;
            self.suspend_feedback();
        }
        Ok(())
    }

    pub(crate) fn resume_feedback(&mut self, env: &Env, handle: Handle<kind::Feedback>) -> Outcome {
        if let Some(twin) = self.feedbacks.get_mut(handle) {
            twin.paused = false;
        }
        self.sync_feedback(env)
    }

    /// Stops capturing for now: the context changes, or the program paused.
    pub(crate) fn suspend_feedback(&mut self) {
        if !self.capturing.is_null() {
            self.capturing = Handle::NULL;
            self.host.gl.pause_transform_feedback();
            self.host.gl.bind_transform_feedback(c::TRANSFORM_FEEDBACK, 0);
        }
    }

    /// Captures what the bound context captures.
    pub(crate) fn sync_feedback(&mut self, env: &Env) -> Outcome {
        let handle = env.context.feedback.value;
        if handle == self.capturing {
            return Ok(());
        }
        self.suspend_feedback();
        let Some(twin) = self.feedbacks.get(handle) else { return Ok(()) };
        if !twin.active || twin.paused || twin.context != self.context {
            return Ok(());
        }
        let name = twin.name;
        let Some(object) = env.tables.feedbacks.get(handle) else { return Ok(()) };
        if let Some(executable) = env.tables.executables.get(object.executable) {
            self.use_program(env, object.executable, executable)?;
        }
        self.host.gl.bind_transform_feedback(c::TRANSFORM_FEEDBACK, name);
        self.host.gl.resume_transform_feedback();
        self.capturing = handle;
        Ok(())
    }

    /// The host's name of a feedback object, for draws from it.
    pub(crate) fn feedback_name(&self, handle: Handle<kind::Feedback>) -> Option<u32> {
        self.feedbacks.get(handle).map(|twin| twin.name)
    }

    pub(crate) fn feedback_gone(&mut self, raw: RawHandle) {
        if self.capturing.raw() == raw {
            self.suspend_feedback();
        }
        if let Some(twin) = self.feedbacks.remove(raw) {
            if twin.active {
                self.host.gl.bind_transform_feedback(c::TRANSFORM_FEEDBACK, twin.name);
                self.host.gl.end_transform_feedback();
                self.host.gl.bind_transform_feedback(c::TRANSFORM_FEEDBACK, 0);
            }
            // SAFETY: one name.
            unsafe { self.host.gl.delete_transform_feedbacks(1, &twin.name) };
        }
    }
}
