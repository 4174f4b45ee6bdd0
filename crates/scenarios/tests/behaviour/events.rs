//! What only the server finds out is told late, to the context that it is about, and nothing waits for it.

use super::texture::sampler;
use forerun_link::Sizes;
use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::world::FIRST;
use scenarios::{Mode, Topology, World, scenarios};
use std::ptr::null;
use std::time::{Duration, Instant};

/// A server that goes on while the program does something else.
const BUSY: Needs = Needs {
    fits: |cell| cell.topology != Topology::Monolith && cell.mode == Mode::RunAhead,
    each: true,
    ..Needs::NOTHING
};

scenarios! { "events";
    [Es(30), Core(33)], Needs::PIXELS => a_declined_store_is_told_late_and_its_draws_are_skipped;
    [Es(30), Core(33)], Needs::NOTHING => an_error_goes_to_the_context_that_made_it;
    [Es(30), Core(33)], BUSY => a_program_that_stops_looking_is_not_harmed_and_stops_nobody_else;
    [Es(30), Core(33)], Needs::GATED => ten_thousand_creates_and_uploads_need_no_answer;
}

/// More bytes than any driver has. The client cannot know that.
const TOO_MUCH: isize = 1 << 41;

fn too_much(w: &World) {
    w.BufferData(c::ARRAY_BUFFER, TOO_MUCH, null(), c::STATIC_DRAW);
}

fn a_declined_store_is_told_late_and_its_draws_are_skipped(w: &mut World) {
    sampler(w);
    w.texture(1, 1, &[[0, 255, 0, 255]]);
    let vertices = w.whole();
    w.clear([9, 9, 9, 255]);
    w.strip();
    w.expect_all([0, 255, 0, 255]);
    w.clear([9, 9, 9, 255]);
    let before = w.waits();
    too_much(w);
    // Writing into it and copying from it are skipped, too.
    w.BufferSubData(c::ARRAY_BUFFER, 1 << 40, 4, [1u8; 4].as_ptr().cast());
    w.strip();
    let other = w.buffer(c::COPY_WRITE_BUFFER, &[7u32; 4]);
    w.CopyBufferSubData(c::ARRAY_BUFFER, c::COPY_WRITE_BUFFER, 0, 0, 16);
    if w.cell.mode != Mode::Lockstep {
        assert_eq!(w.waits(), before, "nothing waits for the store");
    }
    w.Finish();
    assert_eq!(w.GetError(), c::OUT_OF_MEMORY);
    w.no_error();
    w.expect_all([9, 9, 9, 255]);
    assert_eq!(w.words::<4>(other), [7; 4]);
    // Its next store is one like any other.
    let data = scenarios::world::WHOLE;
    w.BindBuffer(c::ARRAY_BUFFER, vertices);
    w.BufferData(c::ARRAY_BUFFER, 32, data.as_ptr().cast(), c::STATIC_DRAW);
    w.strip();
    w.expect_all([0, 255, 0, 255]);
    w.no_error();
}

fn an_error_goes_to_the_context_that_made_it(w: &mut World) {
    let second = w.new_context();
    w.make_current(second);
    w.setup();
    w.buffer(c::ARRAY_BUFFER, &[0u8; 4]);
    too_much(w);
    w.Finish();
    w.make_current(FIRST);
    w.buffer(c::ARRAY_BUFFER, &[0u8; 4]);
    w.Finish();
    w.no_error();
    w.make_current(second);
    assert_eq!(w.GetError(), c::OUT_OF_MEMORY);
    too_much(w);
    w.make_current(FIRST);
    w.Finish();
    w.no_error();
    // What comes for a context that is gone is nobody's.
    w.destroy(second);
    w.Finish();
    w.no_error();
    let third = w.new_context();
    w.make_current(third);
    w.no_error();
    w.make_current(FIRST);
}

fn a_program_that_stops_looking_is_not_harmed_and_stops_nobody_else(w: &mut World) {
    // Room for some 100 events, and for all records.
    let sizes = Sizes { event: Sizes::TINY.event, ..Sizes::default() };
    let mut silent = World::sized(sizes, w.cell);
    silent.buffer(c::ARRAY_BUFFER, &[0u8; 4]);
    silent.clear([1, 2, 3, 255]);
    silent.Finish();
    for _ in 0..300 {
        too_much(&silent);
    }
    silent.clear([4, 5, 6, 255]);
    silent.Flush();
    let progress = |silent: &World| {
        let stream = silent.group.lock();
        (stream.link.applied(), stream.link.seq())
    };
    // It stands still, and that is no fault of anybody.
    let begun = Instant::now();
    let mut before = progress(&silent);
    loop {
        std::thread::sleep(Duration::from_millis(100));
        let now = progress(&silent);
        if now == before {
            break;
        }
        before = now;
        assert!(begun.elapsed() < Duration::from_secs(20), "it never stands still");
    }
    assert!(before.0 < before.1, "the server went past events that have no room");
    // Meanwhile others of the same server go on…
    w.make_current(FIRST);
    let begun = Instant::now();
    for i in 0..50 {
        w.clear([i, 7, 7, 255]);
        w.Finish();
    }
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "others wait for a program that does not look"
    );
    w.release();
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(progress(&silent), before, "nobody looked");
    // …and so does another thread of the same group, which waits for an answer and reads what there is meanwhile.
    let (group, cell) = (silent.group.clone(), silent.cell);
    let other = std::thread::spawn(move || {
        let w = World::beside(&group, cell);
        w.clear([8, 8, 8, 255]);
        w.Finish();
        w.no_error();
    });
    other.join().expect("it goes on");
    let (applied, sent) = progress(&silent);
    assert!(applied > before.0 && applied <= sent);
    // Nothing is lost: the context that made them has them.
    silent.make_current(FIRST);
    silent.Finish();
    assert_eq!(silent.GetError(), c::OUT_OF_MEMORY);
    silent.expect_clean();
    silent.release();
    drop(silent);
    w.make_current(FIRST);
}

fn ten_thousand_creates_and_uploads_need_no_answer(w: &mut World) {
    const EACH: u32 = 2500;
    let before = w.waits();
    let mut buffers = vec![0; EACH as usize];
    let mut textures = vec![0; EACH as usize];
    w.GenBuffers(EACH as i32, buffers.as_mut_ptr());
    w.GenTextures(EACH as i32, textures.as_mut_ptr());
    w.held(|| {
        for (i, (buffer, texture)) in (0..EACH).zip(buffers.iter().zip(&textures)) {
            w.BindBuffer(c::ARRAY_BUFFER, *buffer);
            w.BufferData(c::ARRAY_BUFFER, 16, null(), c::STATIC_DRAW);
            w.BufferSubData(c::ARRAY_BUFFER, 4, 4, (&raw const i).cast());
            w.BindTexture(c::TEXTURE_2D, *texture);
            let (format, kind) = (c::RGBA, c::UNSIGNED_BYTE);
            w.TexImage2D(c::TEXTURE_2D, 0, c::RGBA as i32, 1, 1, 0, format, kind, null());
            let texel = i.to_ne_bytes();
            w.TexSubImage2D(c::TEXTURE_2D, 0, 0, 0, 1, 1, format, kind, texel.as_ptr().cast());
        }
        // What lockstep waits for.
        w.clear([0; 4]);
    });
    if w.runs_ahead() {
        assert_eq!(w.waits(), before, "nothing waited for an answer");
    }
    for i in (0..EACH).step_by(311) {
        w.BindBuffer(c::COPY_READ_BUFFER, buffers[i as usize]);
        assert_eq!(w.words_at::<2>(c::COPY_READ_BUFFER)[1], i);
        let framebuffer = w.framebuffer_of(textures[i as usize]);
        w.expect(0, 0, i.to_ne_bytes());
        w.DeleteFramebuffers(1, &framebuffer);
    }
    w.DeleteBuffers(EACH as i32, buffers.as_ptr());
    w.DeleteTextures(EACH as i32, textures.as_ptr());
    w.BindFramebuffer(c::FRAMEBUFFER, 0);
}
