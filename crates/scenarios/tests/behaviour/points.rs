//! Deaths, stops and slowness at named points of the protocol: the server is held at a record of a row, and then killed, stopped or let
//! go slowly.

use super::loss::{at_once, scene};
use forerun_pipe::Op;
use forerun_pipe::gl as c;
use rustix::process::{Pid, Signal, kill_process};
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{Mode, Topology, World, scenarios, servers};
use std::time::{Duration, Instant};

/// A server in a process of its own, run ahead of.
const MORTAL: Needs = Needs {
    fits: |cell| {
        matches!(cell.topology, Topology::Spawn | Topology::Unix) && cell.mode == Mode::RunAhead
    },
    ..Needs::PIXELS
};

scenarios! { "points";
    [Es(30), Core(33)], MORTAL =>
        a_server_that_dies_at_any_row_hangs_nothing,
        a_server_that_stops_for_five_seconds_is_not_dead,
        a_slow_server_is_not_dead;
}

/// Rows of all families, of which [`frame`] sends at least one each.
const ROWS: [Op; 20] = [
    Op::ResourceCreate,
    Op::ResourceRespecify,
    Op::ResourceSubData,
    Op::ResourceDestroy,
    Op::SetTextureParams,
    Op::GenerateMipmap,
    Op::CreateShaderState,
    Op::SetGlobalConstants,
    Op::SetDrawProgram,
    Op::SetFramebufferState,
    Op::BindFramebuffers,
    Op::SetVertexBuffers,
    Op::CopyBuffer,
    Op::DrawVbo,
    Op::Clear,
    Op::Blit,
    Op::FenceCreate,
    Op::QueryBegin,
    Op::QueryEnd,
    Op::Finish,
];

fn pid(w: &World) -> Pid {
    let pid = w.server_pid();
    assert_ne!(pid, std::process::id());
    Pid::from_raw(pid as i32).expect("a process")
}

/// Calls of all families. Nothing waits but the last.
fn frame(w: &World) {
    let own = w.integer(c::DRAW_FRAMEBUFFER_BINDING) as u32;
    let color = scene(w);
    w.Uniform4f(color, 0.0, 1.0, 0.0, 1.0);
    let texture = w.texture(8, 8, &[[7; 4]; 64]);
    w.GenerateMipmap(c::TEXTURE_2D);
    let framebuffer = w.framebuffer_of(texture);
    w.clear([1, 2, 3, 4]);
    w.BindFramebuffer(c::DRAW_FRAMEBUFFER, own);
    w.BlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, c::COLOR_BUFFER_BIT, c::NEAREST);
    w.BindFramebuffer(c::FRAMEBUFFER, own);
    let source = w.buffer(c::COPY_READ_BUFFER, &[1u8; 8192]);
    let target = w.buffer(c::COPY_WRITE_BUFFER, &[0u8; 8192]);
    w.CopyBufferSubData(c::COPY_READ_BUFFER, c::COPY_WRITE_BUFFER, 0, 0, 4096);
    let mut query = 0;
    w.GenQueries(1, &mut query);
    w.BeginQuery(c::ANY_SAMPLES_PASSED, query);
    w.strip();
    w.EndQuery(c::ANY_SAMPLES_PASSED);
    let fence = w.FenceSync(c::SYNC_GPU_COMMANDS_COMPLETE, 0);
    w.DeleteSync(fence);
    w.DeleteQueries(1, &query);
    w.DeleteFramebuffers(1, &framebuffer);
    w.DeleteTextures(1, &texture);
    w.DeleteBuffers(2, [source, target].as_ptr());
    w.strip();
    w.Flush();
}

fn a_server_that_dies_at_any_row_hangs_nothing(w: &mut World) {
    for op in ROWS {
        let gate = servers::new_gate();
        let mut mortal = World::behind(Some(gate), w.cell);
        let context = mortal.new_context_that(|config| config.lose_context_on_reset = true);
        mortal.make_current(context);
        mortal.setup();
        mortal.settle();
        mortal.gate().close_at(op as u16).expect("the gate closes");
        let server = pid(&mortal);
        let gate = mortal.gate();
        // Dies while the client is wherever it is by then: in its calls, or in the wait at their end.
        let killer = std::thread::scope(|scope| {
            let killer = scope.spawn(move || {
                let end = Instant::now() + Duration::from_secs(20);
                while gate.held().is_none() {
                    assert!(Instant::now() < end, "no record of {op:?}");
                    std::thread::sleep(Duration::from_micros(100));
                }
                kill_process(server, Signal::KILL).expect("the server is there");
                Instant::now()
            });
            frame(&mortal);
            mortal.Finish();
            let told = Instant::now();
            (killer.join().expect("it kills"), told)
        });
        let (died, told) = killer;
        let took = told.saturating_duration_since(died);
        assert!(took < Duration::from_secs(1), "{op:?}: the end is told after {took:?}");
        at_once("more frames", || {
            for _ in 0..10 {
                frame(&mortal);
            }
            mortal.Finish();
        });
        assert_ne!(mortal.GetGraphicsResetStatus(), c::NO_ERROR, "{op:?}");
        mortal.release();
    }
    // What was current on this thread before.
    w.make_current(scenarios::world::FIRST);
    w.clear([0, 9, 0, 255]);
    w.expect_all([0, 9, 0, 255]);
}

fn a_server_that_stops_for_five_seconds_is_not_dead(w: &mut World) {
    let color = scene(w);
    let server = pid(w);
    kill_process(server, Signal::STOP).expect("the server is there");
    let cont = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(5));
        kill_process(server, Signal::CONT).expect("the server is there");
    });
    let begun = Instant::now();
    for i in 0..50 {
        w.Uniform4f(color, i as f32 / 255.0, 0.0, 0.0, 1.0);
        w.strip();
        w.Flush();
        assert_eq!(w.GetError(), c::NO_ERROR);
    }
    assert!(begun.elapsed() < Duration::from_secs(4), "the client goes on meanwhile");
    w.expect_all([49, 0, 0, 255]);
    assert!(begun.elapsed() >= Duration::from_secs(5), "the answer came from a stopped server");
    cont.join().expect("it continues");
}

fn a_slow_server_is_not_dead(w: &mut World) {
    let gate = servers::new_gate();
    let mut slow = World::behind(Some(gate), w.cell);
    slow.settle();
    slow.gate().slow(Duration::from_millis(1)).expect("the gate is slow");
    let begun = Instant::now();
    for _ in 0..5 {
        frame(&slow);
    }
    let sent = slow.stats().records;
    slow.expect_all([0, 255, 0, 255]);
    assert!(sent > 100 && begun.elapsed() > Duration::from_millis(100), "{sent} records");
    slow.expect_clean();
    slow.release();
    drop(slow);
    w.make_current(scenarios::world::FIRST);
}
