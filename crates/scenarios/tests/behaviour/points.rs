//! Deaths, stops and slowness at named points of the protocol: the server is held at a record of a row, and then killed, stopped or let
//! go slowly.

use super::loss::{at_once, scene};
use forerun_pipe::Op;
use forerun_pipe::gl as c;
use forerun_server::gate::Hand;
use rustix::process::{Pid, Signal, kill_process};
use scenarios::Api::{Core, Es};
use scenarios::actors::{Part, Playing};
use scenarios::runner::Needs;
use scenarios::servers::Kind;
use scenarios::{Mode, Topology, World, scenarios, servers};
use std::time::{Duration, Instant};

/// A server in a process of its own, run ahead of.
const MORTAL: Needs = Needs {
    fits: |cell| {
        matches!(cell.topology, Topology::Spawn | Topology::Unix) && cell.mode == Mode::RunAhead
    },
    ..Needs::PIXELS
};

/// A listening server whose sessions are threads.
const THREADS: Needs = Needs {
    alone: true,
    fits: |cell| cell.topology == Topology::Unix && cell.mode == Mode::RunAhead,
    ..Needs::PIXELS
};

scenarios! { "points";
    [Es(30), Core(33)], MORTAL =>
        a_server_that_dies_at_any_row_hangs_nothing,
        a_server_that_stops_for_five_seconds_is_not_dead,
        a_slow_server_is_not_dead,
        a_client_that_dies_at_any_row_leaves_nothing,
        clients_that_stop_for_five_seconds_are_not_dead;
    [Es(30)], THREADS =>
        dead_clients_leave_nothing_in_a_server_of_threads;
}

/// What clients do that are killed and stopped.
pub const PARTS: &[Part] = &[("frames", frames), ("some frames", some_frames)];

/// Goes on until it is killed.
fn frames(w: &World) {
    loop {
        frame(w);
        w.Finish();
    }
}

fn some_frames(w: &World) {
    for _ in 0..3 {
        frame(w);
        w.Finish();
    }
    w.expect_all([0, 255, 0, 255]);
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

/// Longer than a busy machine takes to start a program.
const LONG: Duration = Duration::from_secs(60);

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
    // Joined also when something below fails, so that no stopped server is left.
    std::thread::scope(|scope| {
        scope.spawn(move || {
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
    });
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

/// Waits until a record stands at a gate.
fn wait_held(gate: &Hand, op: Op) {
    let end = Instant::now() + LONG;
    while gate.held().is_none() {
        assert!(Instant::now() < end, "no record of {op:?}");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Starts an actor whose server stands at a record of that row.
fn at_row(part: &str, w: &World, kind: Kind, op: Op) -> (Playing, Hand) {
    let gate = servers::new_gate();
    gate.close_at(op as u16).expect("the gate closes");
    let actor = Playing::start(part, &w.cell, kind, &gate);
    (actor, gate)
}

/// Waits for a session's process to end.
fn wait_gone(server: u32, op: Op) {
    let begun = Instant::now();
    while servers::is_running(server) {
        assert!(begun.elapsed() < Duration::from_secs(5), "{op:?}: the server of a dead client");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn a_client_that_dies_at_any_row_leaves_nothing(w: &mut World) {
    for (i, op) in (0u8..).zip(ROWS) {
        let (mut actor, gate) = at_row("frames", w, Kind::Plain, op);
        wait_held(&gate, op);
        actor.signal(Signal::KILL);
        assert!(actor.wait(LONG).is_some_and(|status| !status.success()));
        // The server stands where it stood, and others do not notice.
        assert!(servers::is_running(actor.server));
        w.clear([i, 1, 2, 255]);
        w.expect_all([i, 1, 2, 255]);
        // It goes on with what there is, and then finds its client gone.
        gate.open().expect("the gate opens");
        wait_gone(actor.server, op);
        w.clear([i, 3, 2, 255]);
        w.expect_all([i, 3, 2, 255]);
    }
}

fn clients_that_stop_for_five_seconds_are_not_dead(w: &mut World) {
    // As many at once as a small machine can start in time.
    for rows in ROWS.chunks(10) {
        let mut all: Vec<_> =
            rows.iter().map(|op| (at_row("some frames", w, Kind::Plain, *op), *op)).collect();
        for ((actor, gate), op) in &all {
            wait_held(gate, *op);
            actor.signal(Signal::STOP);
            gate.open().expect("the gate opens");
        }
        std::thread::sleep(Duration::from_secs(5));
        w.clear([5, 1, 2, 255]);
        w.expect_all([5, 1, 2, 255]);
        for ((actor, _), op) in &all {
            assert!(servers::is_running(actor.server), "{op:?}: its server went");
            actor.signal(Signal::CONT);
        }
        for ((actor, _), op) in &mut all {
            let status = actor.wait(LONG);
            assert!(status.is_some_and(|status| status.success()), "{op:?}: {status:?}");
            wait_gone(actor.server, *op);
        }
    }
}

/// Descriptors, threads and anonymous memory (in KiB) of a process.
fn holdings(pid: u32) -> (usize, usize, usize) {
    let count = |what: &str| {
        std::fs::read_dir(format!("/proc/{pid}/{what}")).expect("the server is there").count()
    };
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok());
    (count("fd"), count("task"), kib.unwrap_or(0))
}

/// How many objects each session has freed that ended so far, as the server's log says. Every one of them lost its client.
fn freed() -> Vec<usize> {
    let text = std::fs::read_to_string(servers::log_of_threads()).unwrap_or_default();
    let ends = text.lines().filter(|line| line.contains("session ended"));
    let count = |line: &str| {
        let rest = line.split_once("the client hung up; ").expect("no session has a fault").1;
        let before = rest.split_once(" objects freed").expect("it says how many").0;
        before.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number")
    };
    ends.map(count).collect()
}

fn dead_clients_leave_nothing_in_a_server_of_threads(w: &mut World) {
    let mut before = None;
    let mut server = 0;
    // Twice, so that what is kept once is not taken for what grows.
    for (round, op) in ROWS.into_iter().chain(ROWS).enumerate() {
        let (mut actor, gate) = at_row("frames", w, Kind::Threads, op);
        server = actor.server;
        wait_held(&gate, op);
        actor.signal(Signal::KILL);
        actor.wait(LONG).expect("it is killed");
        gate.open().expect("the gate opens");
        let end = Instant::now() + Duration::from_secs(5);
        while freed().len() <= round {
            assert!(Instant::now() < end, "{op:?}: the session of a dead client");
            std::thread::sleep(Duration::from_millis(5));
        }
        // Context, drawable, program, buffer: what the client had, whose frame was under way.
        let last = freed().last().copied().unwrap_or(0);
        assert!(last >= 3, "{op:?}: {last} objects were freed");
        if round + 1 == ROWS.len() {
            before = Some(settled(server));
        }
    }
    let (before, after) = (before.expect("a first round"), settled(server));
    assert_eq!((before.0, before.1), (after.0, after.1), "{before:?} became {after:?}");
    assert!(after.2 <= before.2 + 2048, "{before:?} became {after:?}");
}

/// What a server holds once the threads of ended sessions are gone.
fn settled(server: u32) -> (usize, usize, usize) {
    let mut last = holdings(server);
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let now = holdings(server);
        if (now.0, now.1) == (last.0, last.1) {
            return now;
        }
        last = now;
    }
}
