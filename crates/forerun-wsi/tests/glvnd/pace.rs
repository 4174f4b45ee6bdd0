//! The pace of windows: how far a program may be ahead of what is seen, and that each window has a pace of its own.

use crate::cases::{
    COLOR, EGL_CONTEXT_LOST, ES, NONE, clear_and_look, config, context_on, pbuffer,
};
use crate::egl::{egl, gl, ok};
use crate::window::{Window, draw_on, paint};
use forerun_server::gate::Hand;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

/// The gate that `main` has named, for servers that have one.
fn gate() -> Option<Hand> {
    let path = std::env::var_os("FORERUN_TEST_GATES")?;
    let _ = std::fs::remove_file(&path);
    Some(Hand::new(Path::new(&path)).expect("a gate"))
}

fn knob(name: &str) -> u32 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).expect("main has set it")
}

/// Each frame has a colour of its own, and the window is looked at after each swap: how many frames have been shown later than the one
/// that is seen is never more than the credit says. A slow server makes the program go as far ahead as it may.
pub fn frames() {
    let Some(window) = Window::open(64, 48) else { return };
    let gate = gate();
    let credit = knob("FORERUN_PRESENT_CREDIT");
    let (display, surface) = draw_on(&window);
    paint(48);
    gl().glDisable(0x0C11);
    ok(egl().eglSwapBuffers(display, surface));
    gl().glFinish();
    if let Some(gate) = &gate {
        gate.slow(Duration::from_millis(2)).expect("the gate is slow");
    }
    let (mut last, mut most) = (0, 0);
    for frame in 1..=100u32 {
        gl().glClearColor(frame as f32 / 255.0, 0.0, 1.0, 1.0);
        gl().glClear(COLOR);
        ok(egl().eglSwapBuffers(display, surface));
        let color = window.pixel_now(20, 20);
        // What was there before has no blue.
        let seen = if color & 0xff == 0xff { color >> 16 } else { 0 };
        assert!(seen >= last && seen <= frame, "frame {seen} is seen after {last} of {frame}");
        let ahead = frame - seen;
        assert!(ahead <= credit, "frame {seen} is seen after frame {frame}: credit {credit}");
        (last, most) = (seen, most.max(ahead));
    }
    // Where the client itself puts the picture, it does so in the swap.
    let native = std::env::var("FORERUN_PRESENT").is_ok_and(|mode| mode == "native");
    if gate.is_some() {
        let expected = if native { credit } else { 0 };
        assert_eq!(most, expected, "how far the program went ahead");
    }
}

/// A server that presents and never gives a credit back: the session ends by that name after the time of the knob, in both logs, and
/// nothing hangs any longer.
pub fn no_credit() {
    let Some(window) = Window::open(64, 48) else { return };
    let Some(gate) = gate() else { return };
    let limit = Duration::from_millis(knob("FORERUN_WAIT_MS").into());
    let log = std::env::var("FORERUN_LOG").expect("main has set it");
    let log = log.split_once(':').expect("a file is named").1;
    let (display, surface) = draw_on(&window);
    for _ in 0..3 {
        paint(48);
        ok(egl().eglSwapBuffers(display, surface));
    }
    gl().glFinish();
    gate.keep_credits().expect("the gate is written");
    let begun = Instant::now();
    // The first one has the last credit that came back.
    let mut swaps = 0;
    loop {
        paint(48);
        if egl().eglSwapBuffers(display, surface) == 0 {
            break;
        }
        swaps += 1;
        assert!(swaps <= knob("FORERUN_PRESENT_CREDIT"), "{swaps} swaps without credit");
    }
    assert_eq!(egl().eglGetError(), EGL_CONTEXT_LOST);
    let took = begun.elapsed();
    assert!(took >= limit && took < limit + Duration::from_secs(1), "{took:?} of {limit:?}");
    for _ in 0..3 {
        let begun = Instant::now();
        gl().glClear(COLOR);
        gl().glFinish();
        assert_eq!(egl().eglSwapBuffers(display, surface), 0);
        assert_eq!(egl().eglGetError(), EGL_CONTEXT_LOST);
        assert!(begun.elapsed() < Duration::from_millis(200), "a lost session waits for nothing");
    }
    let own = format!("{} ", std::process::id());
    let begun = Instant::now();
    loop {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let named = |line: &&str| line.contains("ended by PresentCreditTimeout");
        let (ours, theirs): (Vec<&str>, Vec<&str>) =
            text.lines().filter(named).partition(|line| line.starts_with(&own));
        if ours.len() == 1 && theirs.len() == 1 {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "both logs name it once:\n{text}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// While one thread waits for a credit that does not come, another one of the same share group draws and reads back.
pub fn beside_a_wait() {
    let Some(window) = Window::open(64, 48) else { return };
    let Some(gate) = gate() else { return };
    let (display, surface) = draw_on(&window);
    let first = egl().eglGetCurrentContext();
    paint(48);
    ok(egl().eglSwapBuffers(display, surface));
    gl().glFinish();
    let second =
        egl().eglCreateContext(display, config(display, 4), first, [0x3098, 3, NONE].as_ptr());
    assert_ne!(second, 0, "EGL error {:#x}", egl().eglGetError());
    ok(egl().eglMakeCurrent(display, 0, 0, 0));
    gate.keep_credits().expect("the gate is written");
    let waiting = std::thread::spawn(move || {
        ok(egl().eglMakeCurrent(display, surface, surface, first));
        while egl().eglSwapBuffers(display, surface) == 1 {}
    });
    ok(egl().eglBindAPI(ES));
    let own = pbuffer(display, 4, 16, 8);
    ok(egl().eglMakeCurrent(display, own, own, second));
    // By then the other thread has had its last credit.
    std::thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    for _ in 0..50 {
        clear_and_look();
    }
    let took = begun.elapsed();
    assert!(!waiting.is_finished() && took < Duration::from_secs(8), "50 rounds take {took:?}");
    waiting.join().expect("its session ends");
}

/// Swaps for a while, and counts.
fn swap_for(time: Duration, display: usize, surface: usize, context: usize, interval: i32) -> u32 {
    ok(egl().eglBindAPI(ES));
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    ok(egl().eglSwapInterval(display, interval));
    let (begun, mut count) = (Instant::now(), 0);
    while begun.elapsed() < time {
        paint(48);
        ok(egl().eglSwapBuffers(display, surface));
        count += 1;
    }
    ok(egl().eglMakeCurrent(display, 0, 0, 0));
    count
}

/// Two windows of one share group, drawn to by two threads: one has the screen's pace, the other has none.
pub fn two_windows() {
    let (Some(slow), Some(fast)) = (Window::open(64, 48), Window::open(64, 48)) else { return };
    let display = egl().eglGetPlatformDisplay(0x31D5, null_mut(), null());
    let (mut major, mut minor) = (0, 0);
    ok(egl().eglInitialize(display, &mut major, &mut minor));
    let config = config(display, 4);
    let surface = |window: &Window| {
        let surface = egl().eglCreateWindowSurface(display, config, window.id() as usize, null());
        assert_ne!(surface, 0, "EGL error {:#x}", egl().eglGetError());
        surface
    };
    let surfaces = [surface(&slow), surface(&fast)];
    let first = context_on(display, config);
    let second = egl().eglCreateContext(display, config, first, [0x3098, 3, NONE].as_ptr());
    assert_ne!(second, 0, "EGL error {:#x}", egl().eglGetError());
    let time = Duration::from_millis(1500);
    let (paced, free) = std::thread::scope(|scope| {
        let paced = scope.spawn(move || swap_for(time, display, surfaces[0], first, 1));
        let free = scope.spawn(move || swap_for(time, display, surfaces[1], second, 0));
        (paced.join().expect("it swaps"), free.join().expect("it swaps"))
    });
    // 60 frames a second at most, and what the credit allows at the start.
    assert!((10..=95).contains(&paced), "{paced} frames with interval 1, {free} without");
    assert!(free >= 2 * paced, "{free} frames beside {paced} with interval 1");
}
