//! Fences, flush and finish.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{World, scenarios};
use std::time::{Duration, Instant};

scenarios! { "sync";
    [Es(30), Core(33)], Needs::NOTHING =>
        a_client_waits_for_a_fence,
        fences_are_guarded;
    [Es(30), Core(33)], Needs::NOTHING => polls_of_a_fence_end;
    [Es(20), Es(30), Core(33)], Needs::PIXELS => finish_and_flush_keep_what_was_drawn;
}

fn status(w: &World, fence: *const std::ffi::c_void) -> u32 {
    let mut value = 0;
    let mut length = 0;
    w.GetSynciv(fence, c::SYNC_STATUS, 1, &mut length, &mut value);
    assert_eq!(length, 1);
    value as u32
}

fn a_client_waits_for_a_fence(w: &mut World) {
    for _ in 0..20 {
        w.clear([1; 4]);
        let fence = w.FenceSync(c::SYNC_GPU_COMMANDS_COMPLETE, 0);
        assert_eq!(w.IsSync(fence), 1);
        w.WaitSync(fence, 0, c::TIMEOUT_IGNORED);
        let waited = w.ClientWaitSync(fence, c::SYNC_FLUSH_COMMANDS_BIT, 20_000_000_000);
        assert!(matches!(waited, c::ALREADY_SIGNALED | c::CONDITION_SATISFIED), "{waited:#x}");
        assert_eq!(w.ClientWaitSync(fence, 0, 0), c::ALREADY_SIGNALED);
        assert_eq!(status(w, fence), c::SIGNALED);
        w.DeleteSync(fence);
        assert_eq!(w.IsSync(fence), 0);
    }
}

fn polls_of_a_fence_end(w: &mut World) {
    w.clear([1; 4]);
    let fence = w.FenceSync(c::SYNC_GPU_COMMANDS_COMPLETE, 0);
    let before = w.stats();
    let end = Instant::now() + Duration::from_secs(20);
    while status(w, fence) != c::SIGNALED {
        assert!(Instant::now() < end, "the fence is never signaled");
        std::thread::yield_now();
    }
    assert_eq!(w.stats().reply_waits, before.reply_waits, "polls are local");
    w.DeleteSync(fence);
}

fn fences_are_guarded(w: &mut World) {
    w.rejects(c::INVALID_ENUM, || {
        w.FenceSync(c::TEXTURE_2D, 0);
    });
    w.rejects(c::INVALID_VALUE, || {
        w.FenceSync(c::SYNC_GPU_COMMANDS_COMPLETE, 1);
    });
    let nothing = 0x1234_5678 as *const std::ffi::c_void;
    w.rejects(c::INVALID_VALUE, || {
        w.ClientWaitSync(nothing, 0, 0);
    });
    w.rejects(c::INVALID_VALUE, || w.DeleteSync(nothing));
    w.DeleteSync(std::ptr::null());
    let fence = w.FenceSync(c::SYNC_GPU_COMMANDS_COMPLETE, 0);
    w.rejects(c::INVALID_VALUE, || w.WaitSync(fence, 0, 5));
    w.rejects(c::INVALID_VALUE, || {
        w.ClientWaitSync(fence, 0x80, 0);
    });
    w.DeleteSync(fence);
}

fn finish_and_flush_keep_what_was_drawn(w: &mut World) {
    for i in 0..10u8 {
        w.clear([i, 0, 0, 255]);
        w.Flush();
        w.Enable(c::SCISSOR_TEST);
        w.Scissor(0, 0, 8, 8);
        w.clear([0, i, 0, 255]);
        w.Disable(c::SCISSOR_TEST);
        w.Finish();
        w.expect_rect(0, 0, 8, 8, [0, i, 0, 255]);
        w.expect_rect(8, 8, 24, 24, [i, 0, 0, 255]);
    }
}
