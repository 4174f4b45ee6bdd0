//! Fences, barriers, flush and finish.

use super::{Applier, corrupt, maps, verb};
use crate::backend::Failure;
use crate::objects::Fence;
use forerun_link::{FenceState, Status};
use forerun_pipe::fault::Result;
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, gl};

pub(super) fn fence_create(a: &mut Applier, p: &FenceCreate) -> Result<()> {
    let handle = a.tables.fences.create(p.handle, Fence::default(), "FenceCreate.handle")?;
    match a.backend.fence_create(handle) {
        Ok(()) => {
            a.pending_fences.push((handle, a.seq));
            a.unflushed = true;
            Ok(())
        }
        Err(Failure::Fault(fault)) => Err(fault),
        Err(_) => {
            // A fence that cannot be made counts as signalled, after everything before it is done.
            let outcome = a.backend.finish();
            a.settle(outcome)?;
            maps::refresh(a)?;
            signal(a, handle, a.seq, FenceState::Declined);
            Ok(())
        }
    }
}

/// Longest wait for one fence, in nanoseconds: the client asks again.
const MAX_WAIT_NS: u64 = 10_000_000_000;

fn signal(a: &mut Applier, handle: Handle<kind::Fence>, seq: u64, state: FenceState) {
    if let Some(fence) = a.tables.fences.get_mut(handle) {
        fence.signalled = true;
    }
    a.peer.fence(handle.raw(), seq, state);
}

fn complete(a: &mut Applier, handle: Handle<kind::Fence>) {
    if let Some(index) = a.pending_fences.iter().position(|(fence, _)| *fence == handle) {
        let (_, seq) = a.pending_fences.remove(index);
        signal(a, handle, seq, FenceState::Signaled);
    }
}

pub(super) fn fence_wait(a: &mut Applier, p: &FenceWait) -> Result<()> {
    let answer = |result: u32| result.to_ne_bytes();
    if !a.tables.fences.check(p.handle, "FenceWait.handle")? {
        return a.answer(Status::Declined, &answer(gl::ALREADY_SIGNALED));
    }
    let handle = Handle::from_raw(p.handle);
    if a.tables.fences.get(handle).is_none_or(|fence| fence.signalled) {
        return a.answer(Status::Ok, &answer(gl::ALREADY_SIGNALED));
    }
    a.unflushed = false;
    match a.backend.fence_wait(handle, p.timeout_ns.min(MAX_WAIT_NS)) {
        Ok(true) => {
            maps::refresh(a)?;
            complete(a, handle);
            a.answer(Status::Ok, &answer(gl::CONDITION_SATISFIED))
        }
        Ok(false) => a.answer(Status::Ok, &answer(gl::TIMEOUT_EXPIRED)),
        Err(failure) => {
            a.settle(Err(failure))?;
            a.answer(Status::Ok, &answer(gl::WAIT_FAILED))
        }
    }
}

pub(super) fn fence_destroy(a: &mut Applier, p: &FenceDestroy) -> Result<()> {
    if a.tables.fences.check(p.handle, "FenceDestroy.handle")? {
        let handle = Handle::from_raw(p.handle);
        a.pending_fences.retain(|(fence, _)| *fence != handle);
        a.tables.fences.destroy(handle);
        a.backend.fence_destroyed(handle);
    }
    Ok(())
}

pub(super) fn fence_wait_server(a: &mut Applier, p: &FenceWaitServer) -> Result<()> {
    if !a.tables.fences.check(p.handle, "FenceWaitServer.handle")? {
        return Ok(());
    }
    let outcome = a.backend.fence_wait_server(Handle::from_raw(p.handle));
    a.settle(outcome)
}

pub(super) fn memory_barrier(a: &mut Applier, p: &MemoryBarrier) -> Result<()> {
    if p.kind > barrier::FRAMEBUFFER_FETCH {
        return corrupt("MemoryBarrier.kind");
    }
    verb!(a, "MemoryBarrier.context", memory_barrier(p))
}

pub(super) fn flush(a: &mut Applier, _: &Flush) -> Result<()> {
    a.unflushed = false;
    let outcome = a.backend.flush();
    a.settle(outcome)?;
    a.poll().map(|_| ())
}

pub(super) fn finish(a: &mut Applier, _: &Finish) -> Result<()> {
    a.unflushed = false;
    let outcome = a.backend.finish();
    maps::refresh(a)?;
    a.answer_outcome(outcome)?;
    a.poll().map(|_| ())
}

/// Tells the client which fences are signalled. Returns whether any was.
pub(super) fn poll(a: &mut Applier) -> Result<bool> {
    let mut any = false;
    // Fences of one stream are signalled in order.
    while let Some((handle, _)) = a.pending_fences.first().copied() {
        match a.backend.fence_wait(handle, 0) {
            Ok(true) => {
                maps::refresh(a)?;
                complete(a, handle);
            }
            Ok(false) => break,
            Err(Failure::Fault(fault)) => return Err(fault),
            Err(_) => complete(a, handle),
        }
        any = true;
    }
    Ok(any)
}
