//! EGL fence syncs (EGL 1.5, §3.8).

use crate::context::Context;
use crate::egl::*;
use crate::error::{Error, Result};
use forerun_gl::Group;
use forerun_gl::state::sync::Fence;
use forerun_pipe::records::FenceWaitServer;
use std::sync::Arc;

/// A fence after everything that was recorded on its group's stream.
pub struct Sync {
    group: Arc<Group>,
    fence: Fence,
}

impl Sync {
    /// A fence behind the context's commands.
    ///
    /// # Errors
    /// EGL_BAD_ALLOC.
    pub fn create(context: &Context) -> Result<Sync> {
        let group = context.group.clone();
        let fence = Fence::new(&mut group.lock());
        match fence {
            Ok(fence) => Ok(Sync { group, fence }),
            Err(error) => Err(Error::new(BAD_ALLOC, error.what)),
        }
    }

    /// EGL_SYNC_STATUS.
    pub fn is_signaled(&self) -> bool {
        self.fence.poll(&mut self.group.lock())
    }

    /// eglClientWaitSync: whether it was signaled within that many nanoseconds (`u64::MAX`: no bound).
    pub fn wait(&self, nanoseconds: u64) -> bool {
        self.fence.wait(&self.group, nanoseconds)
    }

    /// eglWaitSync: the context's later commands come after the fence.
    pub fn wait_on_server(&self, context: &Context) {
        if Arc::ptr_eq(&self.group, &context.group) {
            let mut stream = self.group.lock();
            FenceWaitServer { handle: self.fence.handle.raw() }.send(&mut *stream);
        } else {
            // Streams of different groups know nothing of each other: wait here.
            self.wait(u64::MAX);
        }
    }
}
