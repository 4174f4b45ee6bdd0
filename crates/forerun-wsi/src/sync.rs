//! EGL fence syncs (EGL 1.5, §3.8).

use crate::context::Context;
use crate::egl::*;
use crate::error::{Error, Result};
use forerun_gl::Group;
use forerun_gl::stream::Owned;
use forerun_link::Status;
use forerun_pipe::Seq;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{FenceCreate, FenceWait, FenceWaitServer};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A fence after everything that was recorded on its group's stream.
pub struct Sync {
    group: Arc<Group>,
    fence: Owned<kind::Fence>,
    seq: Seq,
    signaled: AtomicBool,
}

/// GL_ALREADY_SIGNALED and GL_CONDITION_SATISFIED, as `FenceWait` answers them.
const DONE: [u32; 2] = [0x911A, 0x911C];

impl Sync {
    /// A fence behind the context's commands.
    ///
    /// # Errors
    /// EGL_BAD_ALLOC.
    pub fn create(context: &Context) -> Result<Sync> {
        let group = context.group.clone();
        let (fence, seq) = {
            let mut stream = group.stream();
            let fence =
                stream.mint::<kind::Fence>().map_err(|error| Error::new(BAD_ALLOC, error.what))?;
            let seq = FenceCreate { handle: fence.raw() }.send(&mut *stream);
            (fence, seq)
        };
        Ok(Sync { group, fence, seq, signaled: AtomicBool::new(false) })
    }

    /// EGL_SYNC_STATUS.
    pub fn is_signaled(&self) -> bool {
        if self.signaled.load(Ordering::Relaxed) {
            return true;
        }
        let mut stream = self.group.stream();
        // A fence that nobody publishes is never reached.
        stream.link.flush_bell();
        let done =
            stream.link.lost().is_some() || stream.link.fence(self.fence.raw(), self.seq).is_some();
        if done {
            self.signaled.store(true, Ordering::Relaxed);
        }
        done
    }

    /// eglClientWaitSync: whether it was signaled within that many nanoseconds (`u64::MAX`: no bound). The stream is not held while
    /// waiting, so that other threads go on.
    pub fn wait(&self, nanoseconds: u64) -> bool {
        const SLICE: Duration = Duration::from_millis(4);
        let begun = Instant::now();
        let limit = Duration::from_nanos(nanoseconds);
        loop {
            if self.is_signaled() {
                return true;
            }
            let spent = begun.elapsed();
            if spent >= limit {
                return false;
            }
            let part = SLICE.min(limit - spent);
            let mut stream = self.group.stream();
            let seq = FenceWait {
                handle: self.fence.raw(),
                timeout_ns: part.as_nanos() as u64,
                flags: 0,
                pad: 0,
            }
            .send(&mut *stream);
            match stream.link.wait_reply_for(seq, part) {
                Ok(reply) if reply.status == Status::Ok => {
                    let result = reply.bytes.first_chunk::<4>().map(|b| u32::from_ne_bytes(*b));
                    if result.is_some_and(|r| DONE.contains(&r)) {
                        self.signaled.store(true, Ordering::Relaxed);
                        return true;
                    }
                }
                // The server cannot wait for it, so it is as done as it will be.
                _ => {
                    self.signaled.store(true, Ordering::Relaxed);
                    return true;
                }
            }
        }
    }

    /// eglWaitSync: the context's later commands come after the fence.
    pub fn wait_on_server(&self, context: &Context) {
        if Arc::ptr_eq(&self.group, &context.group) {
            let mut stream = self.group.stream();
            FenceWaitServer { handle: self.fence.raw() }.send(&mut *stream);
        } else {
            // Streams of different groups know nothing of each other: wait here.
            self.wait(u64::MAX);
        }
    }
}
