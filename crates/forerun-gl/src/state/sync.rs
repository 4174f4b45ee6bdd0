//! Sync objects, flush, finish and barriers (OpenGL ES 3.2, sections 4.1, 5.1 and 7.12; OpenGL 4.6, sections 4.1, 2.3.2 and 7.13).

use crate::context::Context;
use crate::error::{GlResult, check_enum, check_value, invalid_value};
use crate::group::Group;
use crate::stream::{Owned, Stream};
use forerun_link::Status;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{self, barrier};
use forerun_pipe::{Seq, gl};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A sync object: a fence after everything that was recorded before it.
#[derive(Debug)]
pub struct Fence {
    /// Its identity on the stream.
    pub handle: Owned<kind::Fence>,
    /// The record that made it.
    seq: Seq,
    signaled: AtomicBool,
}

/// How a blocking wait ended. The default is GL_WAIT_FAILED, which a call returns when it ends in an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct WaitStatus(pub u32);

impl Default for WaitStatus {
    fn default() -> Self {
        WaitStatus(gl::WAIT_FAILED)
    }
}

/// The server is asked to block no longer than this at a time, so that other threads of the group get their turn.
const SLICE: Duration = Duration::from_millis(20);
/// How long a thread that shares its group first sleeps between two looks at a fence…
const FIRST_PAUSE: Duration = Duration::from_micros(20);
/// …twice as long each time, up to this.
const LAST_PAUSE: Duration = Duration::from_millis(1);

impl Fence {
    /// A fence behind everything on the stream.
    ///
    /// # Errors
    /// GL_OUT_OF_MEMORY when no handle can be minted.
    pub fn new(stream: &mut Stream) -> GlResult<Fence> {
        let handle = stream.mint::<kind::Fence>()?;
        let seq = records::FenceCreate { handle: handle.raw() }.send(stream);
        Ok(Fence { handle, seq, signaled: AtomicBool::new(false) })
    }

    /// Whether it is signaled; a local load. A poll that finds nothing publishes what is pending.
    pub fn poll(&self, stream: &mut Stream) -> bool {
        if self.signaled.load(Ordering::Relaxed) {
            return true;
        }
        let reached = |stream: &Stream| {
            stream.link.lost().is_some() || stream.link.fence(self.handle.raw(), self.seq).is_some()
        };
        let done = reached(stream) || {
            if stream.link.flush_bell() {
                // What nobody reads is never reached, and a driver that nobody flushes may wait for ever.
                records::Flush { pad: 0 }.send(stream);
                stream.link.publish();
            }
            reached(stream)
        };
        if done {
            self.signaled.store(true, Ordering::Relaxed);
        }
        done
    }

    /// Lets the server block for the fence, at most that long. Whether it was signaled.
    fn block(&self, stream: &mut Stream, limit: Duration) -> bool {
        let seq = records::FenceWait {
            handle: self.handle.raw(),
            timeout_ns: limit.as_nanos() as u64,
            flags: gl::SYNC_FLUSH_COMMANDS_BIT,
            pad: 0,
        }
        .send(stream);
        let result = match stream.link.wait_reply_for(seq, limit) {
            Ok(reply) if reply.status == Status::Ok => {
                reply.bytes.first_chunk().map_or(gl::WAIT_FAILED, |b| u32::from_ne_bytes(*b))
            }
            // A server that cannot wait for it will never tell more.
            _ => gl::CONDITION_SATISFIED,
        };
        let done = matches!(result, gl::ALREADY_SIGNALED | gl::CONDITION_SATISFIED);
        if done {
            self.signaled.store(true, Ordering::Relaxed);
        }
        done
    }

    /// Waits for at most that long, for who is not in an API call. Whether it was signaled.
    pub fn wait(&self, group: &Group, nanoseconds: u64) -> bool {
        let mut wait = Wait::new(nanoseconds);
        loop {
            if let Some(done) = wait.step(self, group, &mut group.lock()) {
                return done;
            }
            wait.pause();
        }
    }
}

/// A blocking wait for a fence, in steps between which other threads of the group get their turn.
struct Wait {
    begun: Instant,
    limit: Duration,
    pause: Duration,
}

impl Wait {
    fn new(nanoseconds: u64) -> Wait {
        let limit = Duration::from_nanos(nanoseconds);
        Wait { begun: Instant::now(), limit, pause: Duration::ZERO }
    }

    /// Whether the fence was signaled, once that is known or the time is over.
    fn step(&mut self, fence: &Fence, group: &Group, stream: &mut Stream) -> Option<bool> {
        if fence.poll(stream) {
            return Some(true);
        }
        let left = self.limit.saturating_sub(self.begun.elapsed());
        if left.is_zero() {
            return Some(false);
        }
        if group.bias.is_contended() {
            // Others want to come in: look now and then, and wait outside.
            self.pause = (2 * self.pause).clamp(FIRST_PAUSE, LAST_PAUSE).min(left);
            return None;
        }
        fence.block(stream, SLICE.min(left)).then_some(true)
    }

    /// To be called between steps, outside of the group.
    fn pause(&self) {
        if !self.pause.is_zero() {
            std::thread::sleep(self.pause);
        }
    }
}

/// The sync object that the program sees as that pointer.
fn find(cx: &Context, sync: usize) -> Option<Arc<Fence>> {
    let name = u32::try_from(sync).ok()?;
    cx.group.fences.borrow_mut().get(name).cloned()
}

fn get(cx: &Context, sync: usize) -> GlResult<Arc<Fence>> {
    match find(cx, sync) {
        Some(fence) => Ok(fence),
        None => invalid_value("sync object"),
    }
}

/// glFenceSync: the pointer that stands for the new object.
///
/// # Errors
/// GL_INVALID_ENUM, GL_INVALID_VALUE, GL_OUT_OF_MEMORY.
pub fn create(cx: &mut Context, condition: u32, flags: u32) -> GlResult<usize> {
    check_enum(condition == gl::SYNC_GPU_COMMANDS_COMPLETE, "condition of a fence")?;
    check_value(flags == 0, "flags of a fence")?;
    let fence = Fence::new(&mut cx.stream())?;
    let mut fences = cx.group.fences.borrow_mut();
    let name = fences.generate();
    fences.insert(name, Arc::new(fence));
    Ok(name as usize)
}

/// glIsSync.
pub fn is(cx: &Context, sync: usize) -> bool {
    find(cx, sync).is_some()
}

/// glDeleteSync; null is ignored.
///
/// # Errors
/// GL_INVALID_VALUE for what is no sync object.
pub fn delete(cx: &mut Context, sync: usize) -> GlResult {
    if sync == 0 {
        return Ok(());
    }
    get(cx, sync)?;
    let name = u32::try_from(sync).unwrap_or(0);
    let gone = cx.group.fences.borrow_mut().remove(name);
    drop(gone);
    Ok(())
}

/// glClientWaitSync.
///
/// # Errors
/// GL_INVALID_VALUE for what is no sync object and for unknown flags.
pub fn client_wait(
    cx: &mut Context,
    sync: usize,
    flags: u32,
    timeout: u64,
) -> GlResult<WaitStatus> {
    check_value(flags & !gl::SYNC_FLUSH_COMMANDS_BIT == 0, "flags of a wait")?;
    let fence = get(cx, sync)?;
    if fence.poll(&mut cx.group.stream()) {
        return Ok(WaitStatus(gl::ALREADY_SIGNALED));
    }
    let mut wait = Wait::new(timeout);
    let done = loop {
        let step = wait.step(&fence, &cx.group, &mut cx.group.stream());
        match step {
            Some(done) => break done,
            None => cx.outside(|| wait.pause()),
        }
    };
    Ok(WaitStatus(if done { gl::CONDITION_SATISFIED } else { gl::TIMEOUT_EXPIRED }))
}

/// glWaitSync.
///
/// # Errors
/// GL_INVALID_VALUE for what is no sync object, for flags, and for a timeout.
pub fn server_wait(cx: &mut Context, sync: usize, flags: u32, timeout: u64) -> GlResult {
    let fence = get(cx, sync)?;
    check_value(flags == 0, "flags of a wait on the server")?;
    check_value(timeout == gl::TIMEOUT_IGNORED, "timeout of a wait on the server")?;
    records::FenceWaitServer { handle: fence.handle.raw() }.send(&mut *cx.stream());
    Ok(())
}

/// glGetSynciv.
///
/// # Errors
/// GL_INVALID_VALUE for what is no sync object, GL_INVALID_ENUM for an unknown name.
pub fn parameter(cx: &mut Context, sync: usize, pname: u32) -> GlResult<u32> {
    let fence = get(cx, sync)?;
    Ok(match pname {
        gl::OBJECT_TYPE => gl::SYNC_FENCE,
        gl::SYNC_STATUS => {
            if fence.poll(&mut cx.group.stream()) {
                gl::SIGNALED
            } else {
                gl::UNSIGNALED
            }
        }
        gl::SYNC_CONDITION => gl::SYNC_GPU_COMMANDS_COMPLETE,
        gl::SYNC_FLAGS => 0,
        _ => return crate::error::invalid_enum("sync parameter"),
    })
}

/// glFlush: everything is published, and the server flushes its driver.
pub fn flush(cx: &mut Context) -> GlResult {
    let mut stream = cx.stream();
    records::Flush { pad: 0 }.send(&mut *stream);
    stream.link.publish();
    drop(stream);
    show(cx);
    Ok(())
}

/// Shows what was drawn to a window's front buffer.
fn show(cx: &mut Context) {
    if let (Some(flushed), Some(front)) = (cx.state.flushed, cx.state.framebuffer.take_front()) {
        cx.outside(|| flushed(front));
    }
}

/// glFinish: returns when the GPU is done.
pub fn finish(cx: &mut Context) -> GlResult {
    show(cx);
    let mut stream = cx.stream();
    let seq = records::Finish { pad: 0 }.send(&mut *stream);
    // A lost session has nothing left to finish.
    let _ = stream.link.wait_reply(seq);
    drop(stream);
    cx.drain_events();
    Ok(())
}

/// Barriers that OpenGL ES 3.2 and OpenGL 4.6 have.
const KNOWN: u32 = gl::VERTEX_ATTRIB_ARRAY_BARRIER_BIT
    | gl::ELEMENT_ARRAY_BARRIER_BIT
    | gl::UNIFORM_BARRIER_BIT
    | gl::TEXTURE_FETCH_BARRIER_BIT
    | gl::SHADER_IMAGE_ACCESS_BARRIER_BIT
    | gl::COMMAND_BARRIER_BIT
    | gl::PIXEL_BUFFER_BARRIER_BIT
    | gl::TEXTURE_UPDATE_BARRIER_BIT
    | gl::BUFFER_UPDATE_BARRIER_BIT
    | gl::FRAMEBUFFER_BARRIER_BIT
    | gl::TRANSFORM_FEEDBACK_BARRIER_BIT
    | gl::ATOMIC_COUNTER_BARRIER_BIT
    | gl::SHADER_STORAGE_BARRIER_BIT
    | gl::CLIENT_MAPPED_BUFFER_BARRIER_BIT
    | gl::QUERY_BUFFER_BARRIER_BIT;

/// Barriers that are allowed by region.
const BY_REGION: u32 = gl::UNIFORM_BARRIER_BIT
    | gl::TEXTURE_FETCH_BARRIER_BIT
    | gl::SHADER_IMAGE_ACCESS_BARRIER_BIT
    | gl::FRAMEBUFFER_BARRIER_BIT
    | gl::ATOMIC_COUNTER_BARRIER_BIT
    | gl::SHADER_STORAGE_BARRIER_BIT;

/// glMemoryBarrier and glMemoryBarrierByRegion.
///
/// # Errors
/// GL_INVALID_VALUE for unknown bits.
pub fn memory_barrier(cx: &mut Context, bits: u32, by_region: bool) -> GlResult {
    let known = if by_region { BY_REGION } else { KNOWN };
    check_value(bits == gl::ALL_BARRIER_BITS || bits & !known == 0, "barrier bits")?;
    let bits = if bits == gl::ALL_BARRIER_BITS { known } else { bits };
    send_barrier(cx, bits, if by_region { barrier::BY_REGION } else { barrier::MEMORY })
}

/// glTextureBarrier, glBlendBarrier and glFramebufferFetchBarrierEXT, by [`barrier`].
pub fn barrier_of(cx: &mut Context, kind: u32) -> GlResult {
    send_barrier(cx, 0, kind)
}

fn send_barrier(cx: &mut Context, bits: u32, kind: u32) -> GlResult {
    let mut stream = cx.stream();
    records::MemoryBarrier { bits, kind }.send(&mut *stream);
    Ok(())
}
