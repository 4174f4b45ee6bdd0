//! Contexts of a share group on threads of their own.

use super::texture::sampler;
use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::world::{FIRST, SIDE};
use scenarios::{Topology, World, scenarios};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A server that any thread of the program may speak to.
const THREADED: Needs = Needs { fits: |cell| cell.topology != Topology::Monolith, ..Needs::PIXELS };

scenarios! { "threads";
    [Es(30), Core(33)], THREADED =>
        two_threads_read_back_at_once,
        a_loader_uploads_while_another_thread_draws,
        two_threads_draw_into_shared_textures_with_fences,
        a_context_moves_between_threads,
        contexts_come_and_go_while_another_thread_draws,
        groups_do_not_wait_for_each_other;
}

/// Longer than any scenario of this room takes: one that is over it hangs.
const LONG: Duration = Duration::from_secs(60);

/// A sync object on its way to another thread.
struct Fence(*const c_void);

// SAFETY: a name of the share group.
unsafe impl Send for Fence {}

/// A fence behind everything that this thread's context did, published.
fn fence(w: &World) -> Fence {
    let fence = w.FenceSync(c::SYNC_GPU_COMMANDS_COMPLETE, 0);
    assert!(!fence.is_null());
    w.Flush();
    Fence(fence)
}

fn read_back(w: &World, own: u8) {
    let begun = Instant::now();
    for round in 0..150u8 {
        w.clear([own, round, 3, 255]);
        w.expect_rect(0, 0, SIDE, SIDE, [own, round, 3, 255]);
        let word = u32::from_ne_bytes([own, round, 5, 6]);
        let buffer = w.buffer(c::COPY_READ_BUFFER, &[word; 64]);
        assert_eq!(w.words::<64>(buffer), [word; 64]);
        w.DeleteBuffers(1, &buffer);
        assert!(begun.elapsed() < LONG, "two readbacks wait for each other");
    }
    w.no_error();
}

fn two_threads_read_back_at_once(w: &mut World) {
    let (group, cell) = (&w.group, w.cell);
    std::thread::scope(|scope| {
        for own in [10, 20] {
            scope.spawn(move || read_back(&World::beside(group, cell), own));
        }
        read_back(w, 30);
    });
}

fn a_loader_uploads_while_another_thread_draws(w: &mut World) {
    const TEXTURES: u8 = 40;
    sampler(w);
    let (group, cell) = (&w.group, w.cell);
    let (send, loaded) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let w = World::beside(group, cell);
            for i in 0..TEXTURES {
                // More than rides in a record, so that it goes over the stage or a segment.
                let texels = vec![[i, 255 - i, 7, 255]; 128 * 128];
                let texture = w.texture(128, 128, &texels);
                send.send((i, texture, fence(&w))).expect("somebody draws");
            }
            w.no_error();
        });
        let blank = w.texture(1, 1, &[[1, 2, 3, 255]]);
        let (begun, mut drawn) = (Instant::now(), 0);
        while drawn < TEXTURES {
            assert!(begun.elapsed() < LONG, "{drawn} textures are loaded");
            w.BindTexture(c::TEXTURE_2D, blank);
            w.strip();
            w.expect(3, 3, [1, 2, 3, 255]);
            while let Ok((i, texture, fence)) = loaded.try_recv() {
                w.WaitSync(fence.0, 0, c::TIMEOUT_IGNORED);
                w.BindTexture(c::TEXTURE_2D, texture);
                w.strip();
                w.expect_all([i, 255 - i, 7, 255]);
                w.DeleteSync(fence.0);
                w.DeleteTextures(1, &texture);
                drawn += 1;
            }
        }
    });
}

/// Draws the image of one texture, a step brighter, into the other.
fn brighten(w: &World, from: u32, framebuffer: u32) {
    w.BindFramebuffer(c::FRAMEBUFFER, framebuffer);
    w.BindTexture(c::TEXTURE_2D, from);
    w.strip();
}

/// A context's own objects around the two shared textures: the program is current, and the framebuffer has `target`.
fn brightener(w: &World, target: u32) -> u32 {
    let program = w.fragment_program(
        "uniform sampler2D image; out vec4 color;
         void main() { color = texelFetch(image, ivec2(0), 0) + vec4(1.0 / 255.0, 0.0, 0.0, 0.0); }",
    );
    w.UseProgram(program);
    w.whole();
    w.framebuffer_of(target)
}

fn two_threads_draw_into_shared_textures_with_fences(w: &mut World) {
    const ROUNDS: u8 = 100;
    let ours = w.texture(16, 16, &[[0, 9, 0, 255]; 256]);
    let theirs = w.texture(16, 16, &[[0; 4]; 256]);
    let framebuffer = brightener(w, ours);
    let (to_them, from_us) = mpsc::channel::<Fence>();
    let (to_us, from_them) = mpsc::channel::<Fence>();
    let (group, cell) = (&w.group, w.cell);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let w = World::beside(group, cell);
            let framebuffer = brightener(&w, theirs);
            while let Ok(fence) = from_us.recv_timeout(LONG) {
                // The server waits for what the other context did…
                w.WaitSync(fence.0, 0, c::TIMEOUT_IGNORED);
                w.DeleteSync(fence.0);
                brighten(&w, ours, framebuffer);
                if to_us.send(self::fence(&w)).is_err() {
                    break;
                }
            }
            w.no_error();
        });
        for _ in 0..ROUNDS {
            to_them.send(fence(w)).expect("the other thread draws");
            let fence = from_them.recv_timeout(LONG).expect("the other thread has drawn");
            // …and here the program does.
            let waited = w.ClientWaitSync(fence.0, c::SYNC_FLUSH_COMMANDS_BIT, 20_000_000_000);
            assert!(matches!(waited, c::ALREADY_SIGNALED | c::CONDITION_SATISFIED), "{waited:#x}");
            w.DeleteSync(fence.0);
            brighten(w, theirs, framebuffer);
        }
        drop(to_them);
    });
    w.expect_rect(0, 0, 16, 16, [2 * ROUNDS, 9, 0, 255]);
}

fn a_context_moves_between_threads(w: &mut World) {
    let second = w.new_context();
    w.make_current(second);
    w.setup();
    let program = w.painter();
    let color = w.uniform(program, c"color");
    w.UseProgram(program);
    w.whole();
    w.Enable(c::SCISSOR_TEST);
    w.Uniform4f(color, 0.0, 0.0, 1.0, 1.0);
    // An error, too, is the context's.
    w.Enable(0x7777);
    w.make_current(FIRST);
    let (group, cell) = (&w.group.clone(), w.cell);
    let mut given = w.give(second);
    for round in 0..10 {
        given = std::thread::scope(|scope| {
            let draw = move || {
                let mut w = World::beside(group, cell);
                let context = w.take(given);
                w.make_current(context);
                assert_eq!(w.GetError(), if round == 0 { c::INVALID_ENUM } else { c::NO_ERROR });
                assert_eq!(w.integer(c::CURRENT_PROGRAM) as u32, program);
                w.Disable(c::SCISSOR_TEST);
                w.clear([0, 0, 0, 255]);
                w.Enable(c::SCISSOR_TEST);
                w.Scissor(round, 0, 8, SIDE);
                w.strip();
                w.expect_rect(round, 0, 8, SIDE, [0, 0, 255, 255]);
                w.expect_rect(round + 8, 0, SIDE - 8 - round, SIDE, [0, 0, 0, 255]);
                w.release();
                w.give(context)
            };
            scope.spawn(draw).join().expect("it draws")
        });
        // Meanwhile current here: nothing.
        w.clear([round as u8, 1, 1, 255]);
        w.expect_all([round as u8, 1, 1, 255]);
    }
    let second = w.take(given);
    w.make_current(second);
    let mut scissor = [0; 4];
    w.GetIntegerv(c::SCISSOR_BOX, scissor.as_mut_ptr());
    assert_eq!(scissor, [9, 0, 8, SIDE]);
}

fn contexts_come_and_go_while_another_thread_draws(w: &mut World) {
    let (group, cell) = (&w.group.clone(), w.cell);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let over = &over;
        scope.spawn(move || {
            let mut w = World::beside(group, cell);
            for i in 0..60u8 {
                let context = w.new_context();
                w.make_current(context);
                let texture = w.texture(8, 8, &[[i; 4]; 64]);
                w.framebuffer_of(texture);
                w.expect_rect(0, 0, 8, 8, [i; 4]);
                w.DeleteTextures(1, &texture);
                w.make_current(FIRST);
                w.destroy(context);
            }
            over.store(true, Ordering::Relaxed);
        });
        let program = w.painter();
        w.UseProgram(program);
        w.whole();
        let color = w.uniform(program, c"color");
        let begun = Instant::now();
        for round in (0..=255u8).cycle() {
            w.Uniform4f(color, f32::from(round) / 255.0, 0.0, 0.0, 1.0);
            w.strip();
            w.expect_all([round, 0, 0, 255]);
            if over.load(Ordering::Relaxed) {
                break;
            }
            assert!(begun.elapsed() < LONG, "the other thread does not end");
        }
    });
}

/// A group whose server is held does not hold another group of the same program back: each has a stream and a thread of its own.
fn groups_do_not_wait_for_each_other(w: &mut World) {
    let held = World::behind(Some(scenarios::servers::new_gate()), w.cell);
    let (group, cell) = (held.group.clone(), held.cell);
    let (ready, is_ready) = mpsc::channel();
    let (go, may_go) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let waits = scope.spawn(move || {
            let inner = World::beside(&group, cell);
            ready.send(()).expect("it is waited for");
            may_go.recv().expect("it is let go");
            inner.clear([2, 2, 2, 255]);
            inner.Finish();
            inner.expect_all([2, 2, 2, 255]);
        });
        is_ready.recv().expect("the other thread has a context");
        held.gate().close_after(held.settle()).expect("the gate closes");
        go.send(()).expect("the other thread waits");
        let begun = Instant::now();
        while held.gate().held().is_none() {
            assert!(begun.elapsed() < LONG, "nothing stands at the gate");
            std::thread::yield_now();
        }
        w.make_current(FIRST);
        for round in 0..100u8 {
            w.clear([round, 9, 9, 255]);
            w.expect_all([round, 9, 9, 255]);
        }
        assert!(!waits.is_finished(), "an answer of a held server");
        held.gate().open().expect("the gate opens");
        waits.join().expect("it has waited");
        w.release();
    });
    drop(held);
    w.make_current(FIRST);
}
