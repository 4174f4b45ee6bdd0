//! The server dies.

use forerun_pipe::gl as c;
use rustix::process::{Pid, Signal, kill_process};
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{Topology, World, scenarios, servers};
use std::time::{Duration, Instant};

/// A server in a process that can be killed without harm to others.
const MORTAL: Needs = Needs {
    fits: |cell| matches!(cell.topology, Topology::Spawn | Topology::Unix),
    ..Needs::PIXELS
};

scenarios! { "loss";
    [Es(30), Es(32), Core(33)], MORTAL =>
        a_server_killed_between_frames_loses_the_context_and_no_more,
        a_server_killed_inside_a_draw_hangs_nothing;
}

fn kill(w: &World) {
    let pid = w.server_pid();
    assert_ne!(pid, std::process::id());
    let pid = Pid::from_raw(pid as i32).expect("a process");
    kill_process(pid, Signal::KILL).expect("the server is there");
}

/// No call may take longer than a second.
pub fn at_once<T>(what: &str, call: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let value = call();
    let took = began.elapsed();
    assert!(took < Duration::from_secs(1), "{what} takes {took:?}");
    value
}

pub fn scene(w: &World) -> i32 {
    let program = w.painter();
    w.UseProgram(program);
    w.whole();
    w.uniform(program, c"color")
}

/// What programs do, after the server is gone.
fn go_on(w: &World, fence: *const std::ffi::c_void, query: u32) {
    at_once("a draw", || w.strip());
    at_once("glFinish", || w.Finish());
    at_once("glFlush", || w.Flush());
    at_once("glReadPixels", || w.pixel(0, 0));
    at_once("glClientWaitSync", || {
        w.ClientWaitSync(fence, c::SYNC_FLUSH_COMMANDS_BIT, 10_000_000_000)
    });
    at_once("a map", || {
        w.buffer(c::COPY_READ_BUFFER, &[0u8; 64]);
        for access in [c::MAP_READ_BIT, c::MAP_WRITE_BIT, c::MAP_READ_BIT | c::MAP_WRITE_BIT] {
            // The second time the server might have written into it.
            let map = w.MapBufferRange(c::COPY_READ_BUFFER, 0, 64, access).cast::<u8>();
            assert!(!map.is_null(), "programs write through it without a look");
            // SAFETY: 64 bytes are mapped.
            unsafe { map.add(63).write(1) };
            w.UnmapBuffer(c::COPY_READ_BUFFER);
            w.BindBufferBase(
                c::TRANSFORM_FEEDBACK_BUFFER,
                0,
                w.buffer(c::COPY_READ_BUFFER, &[0u8; 64]),
            );
        }
    });
    at_once("an upload", || {
        let texels = vec![[1u8; 4]; 256 * 256];
        for _ in 0..200 {
            w.new_texture(c::TEXTURE_2D);
            w.TexImage2D(
                c::TEXTURE_2D,
                0,
                c::RGBA as i32,
                256,
                256,
                0,
                c::RGBA,
                c::UNSIGNED_BYTE,
                texels.as_ptr().cast(),
            );
        }
    });
    at_once("a thousand draws", || (0..1000).for_each(|_| w.strip()));
    at_once("a link", || {
        let program = w.CreateProgram();
        w.LinkProgram(program);
    });
    // Polls end.
    let end = Instant::now() + Duration::from_secs(1);
    loop {
        let (mut signaled, mut available) = (0, 0);
        w.GetSynciv(fence, c::SYNC_STATUS, 1, std::ptr::null_mut(), &mut signaled);
        w.GetQueryObjectuiv(query, c::QUERY_RESULT_AVAILABLE, &mut available);
        if signaled as u32 == c::SIGNALED && available == 1 {
            break;
        }
        assert!(Instant::now() < end, "polls do not end: {signaled:#x}, {available}");
    }
    at_once("glGetGraphicsResetStatus", || {
        assert_ne!(w.GetGraphicsResetStatus(), c::NO_ERROR);
    });
    let mut errors = Vec::new();
    while let error @ 1.. = w.GetError() {
        errors.push(error);
        assert!(errors.len() < 20, "errors without end");
    }
    assert!(errors.contains(&c::CONTEXT_LOST), "{errors:x?}");
}

/// A new session of the same kind draws.
fn begin_anew(w: &World) {
    let mut again = World::new(w.cell);
    let color = scene(&again);
    again.Uniform4f(color, 0.0, 1.0, 0.0, 1.0);
    again.strip();
    again.expect_all([0, 255, 0, 255]);
    again.release();
}

fn prepare(w: &mut World) -> (i32, *const std::ffi::c_void, u32) {
    let context = w.new_context_that(|config| config.lose_context_on_reset = true);
    w.make_current(context);
    w.setup();
    let color = scene(w);
    let mut query = 0;
    w.GenQueries(1, &mut query);
    w.BeginQuery(c::ANY_SAMPLES_PASSED, query);
    w.strip();
    w.EndQuery(c::ANY_SAMPLES_PASSED);
    let fence = w.FenceSync(c::SYNC_GPU_COMMANDS_COMPLETE, 0);
    assert!(!fence.is_null());
    w.no_error();
    assert_eq!(w.GetGraphicsResetStatus(), c::NO_ERROR);
    (color, fence, query)
}

fn a_server_killed_between_frames_loses_the_context_and_no_more(w: &mut World) {
    let (color, fence, query) = prepare(w);
    for i in 0..3u8 {
        w.Uniform4f(color, f32::from(i) / 255.0, 0.0, 0.0, 1.0);
        w.strip();
        w.expect_all([i, 0, 0, 255]);
    }
    let pid = w.server_pid();
    kill(w);
    go_on(w, fence, query);
    assert!(!servers::is_running(pid));
    begin_anew(w);
    // The lost context is let go of without a word.
    at_once("the end", || w.release());
}

fn a_server_killed_inside_a_draw_hangs_nothing(w: &mut World) {
    let (color, fence, query) = prepare(w);
    let pid = Pid::from_raw(w.server_pid() as i32).expect("a process");
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        kill_process(pid, Signal::KILL).expect("the server is there");
    });
    let end = Instant::now() + Duration::from_secs(20);
    while w.GetGraphicsResetStatus() == c::NO_ERROR {
        assert!(Instant::now() < end, "the loss is never told");
        at_once("draws", || {
            for i in 0..50 {
                w.Uniform4f(color, i as f32 / 255.0, 0.0, 0.0, 1.0);
                w.strip();
            }
        });
        at_once("glFlush", || w.Flush());
    }
    killer.join().expect("it kills");
    go_on(w, fence, query);
    begin_anew(w);
    w.release();
}
