//! Entry points of sync objects, flush, finish and barriers.

use super::{put, put_all};
use crate::api::buffer::Pointer;
use crate::entries;
use crate::error::check_value;
use crate::state::sync::{self, WaitStatus};
use forerun_pipe::records::barrier;
use std::ffi::c_void;

entries! {
    fn glFenceSync(condition: u32, flags: u32) -> Pointer = |cx| {
        sync::create(cx, condition, flags).map(|name| Pointer::from(name as *mut c_void))
    };
    fn glIsSync(sync: *const c_void) -> u8 = |cx| Ok(u8::from(sync::is(cx, sync as usize)));
    fn glDeleteSync(sync: *const c_void) = |cx| sync::delete(cx, sync as usize);
    fn glClientWaitSync(sync: *const c_void, flags: u32, timeout: u64) -> WaitStatus = |cx| {
        sync::client_wait(cx, sync as usize, flags, timeout)
    };
    fn glWaitSync(sync: *const c_void, flags: u32, timeout: u64) = |cx| {
        sync::server_wait(cx, sync as usize, flags, timeout)
    };
    fn glGetSynciv(sync: *const c_void, pname: u32, size: i32, length: *mut i32, values: *mut i32) = |cx| {
        check_value(size >= 0, "room for sync parameters")?;
        let value = sync::parameter(cx, sync as usize, pname)?;
        let written = i32::from(size > 0);
        // SAFETY: the program promised room for `size` values, and for a length or null.
        unsafe {
            put_all(values, std::iter::once(value as i32).take(written as usize));
            put(length, written);
        }
        Ok(())
    };
    fn glFlush() = |cx| sync::flush(cx);
    fn glFinish() = |cx| sync::finish(cx);
    fn glMemoryBarrier(bits: u32) = |cx| sync::memory_barrier(cx, bits, false);
    fn glMemoryBarrierByRegion(bits: u32) = |cx| sync::memory_barrier(cx, bits, true);
    fn glTextureBarrier() = |cx| sync::barrier_of(cx, barrier::TEXTURE);
    fn glBlendBarrier() = |cx| sync::barrier_of(cx, barrier::BLEND);
    fn glFramebufferFetchBarrierEXT() = |cx| sync::barrier_of(cx, barrier::FRAMEBUFFER_FETCH);
}
