//! What is used is given back, and uploads leave nothing behind in the program.

use forerun_pipe::gl as c;
use scenarios::Api::Es;
use scenarios::runner::Needs;
use scenarios::world::FIRST;
use scenarios::{Mode, Topology, World, scenarios, servers};
use std::time::{Duration, Instant};

const ALONE: Needs = Needs {
    alone: true,
    fits: |cell| cell.topology == Topology::Spawn && cell.mode == Mode::RunAhead,
    ..Needs::PIXELS
};

scenarios! { "memory";
    [Es(30)], ALONE =>
        uploads_leave_no_bytes_in_the_program,
        contexts_leave_nothing_behind,
        sessions_leave_nothing_behind;
}

const MIB: u64 = 1 << 20;

/// Anonymous and shared resident bytes of this process.
fn resident() -> (u64, u64) {
    forerun_server::stats::resident()
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("descriptors are listed").count()
}

fn uploads_leave_no_bytes_in_the_program(w: &mut World) {
    let texels = vec![[1u8, 2, 3, 4]; 1024 * 1024];
    let upload = || {
        w.TexImage2D(
            c::TEXTURE_2D,
            0,
            c::RGBA8 as i32,
            1024,
            1024,
            0,
            c::RGBA,
            c::UNSIGNED_BYTE,
            texels.as_ptr().cast(),
        );
    };
    let textures: Vec<u32> = (0..4).map(|_| w.new_texture(c::TEXTURE_2D)).collect();
    w.Finish();
    let (before, _) = resident();
    let mut most = (0, 0);
    // 128 times 4 MiB.
    for i in 0..128 {
        w.BindTexture(c::TEXTURE_2D, textures[i % 4]);
        upload();
        let (anonymous, shared) = resident();
        most = (most.0.max(anonymous), most.1.max(shared));
    }
    w.Finish();
    let grown = most.0.saturating_sub(before);
    assert!(grown <= 24 * MIB, "the program has {} MiB more", grown / MIB);
    // Ring, stage, answers and events, and the pages of progress and control.
    let segments = (8 + 32 + 16 + 1) * MIB;
    assert!(most.1 <= segments, "{} MiB are shared", most.1 / MIB);
    w.framebuffer_of(textures[3]);
    w.expect_rect(1000, 1000, 8, 8, [1, 2, 3, 4]);
}

/// A tangle of objects, so that their ends are tried too.
fn use_everything(w: &World) {
    let program = w.painter();
    w.UseProgram(program);
    w.whole();
    let texture = w.texture(16, 16, &[[9; 4]; 256]);
    w.framebuffer_of(texture);
    w.strip();
    w.expect(3, 3, [0; 4]);
    w.BindFramebuffer(c::FRAMEBUFFER, 0);
    let fence = w.FenceSync(c::SYNC_GPU_COMMANDS_COMPLETE, 0);
    w.DeleteSync(fence);
    w.DeleteProgram(program);
    w.DeleteTextures(1, &texture);
}

fn contexts_leave_nothing_behind(w: &mut World) {
    let server = w.server_pid();
    let server_fds =
        || std::fs::read_dir(format!("/proc/{server}/fd")).expect("the server is there").count();
    let mut marks = Vec::new();
    for round in 0..200 {
        let context = w.new_context();
        w.make_current(context);
        use_everything(w);
        w.make_current(FIRST);
        w.destroy(context);
        if round % 50 == 49 {
            w.Finish();
            marks.push((resident().0, descriptors(), server_fds()));
        }
    }
    let (first, last) = (marks[0], marks[3]);
    assert_eq!((first.1, first.2), (last.1, last.2), "descriptors: {marks:?}");
    assert!(last.0 <= first.0 + MIB, "memory grows: {marks:?}");
}

fn sessions_leave_nothing_behind(w: &mut World) {
    let mut marks = Vec::new();
    let mut pids = Vec::new();
    for round in 0..40 {
        let mut other = World::new(w.cell);
        use_everything(&other);
        pids.push(other.server_pid());
        other.release();
        drop(other);
        if round % 10 == 9 {
            marks.push((resident().0, descriptors()));
        }
    }
    w.make_current(FIRST);
    let (first, last) = (marks[0], marks[3]);
    assert_eq!(first.1, last.1, "descriptors: {marks:?}");
    assert!(last.0 <= first.0 + MIB, "memory grows: {marks:?}");
    let end = Instant::now() + Duration::from_secs(20);
    while pids.iter().any(|pid| servers::is_running(*pid)) {
        assert!(Instant::now() < end, "a server outlives its client");
        std::thread::sleep(Duration::from_millis(5));
    }
}
