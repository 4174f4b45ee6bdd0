//! The server dies under a program.

use crate::cases::{
    COLOR, EGL_CONTEXT_LOST, ES, NONE, clear_and_look, config, context, display, pbuffer,
};
use crate::egl::{egl, gl, ok};
use crate::{Listening, window};
use std::ptr::null;
use std::time::{Duration, Instant};

const CONTEXT_LOST: u32 = 0x0507;

/// The servers of this case. They may be nobody's children, but they have its environment.
pub fn servers() -> Vec<i32> {
    let mark = format!("{}={}", crate::MARK, std::env::var(crate::MARK).unwrap_or_default());
    let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
    all.flatten()
        .filter_map(|entry| {
            let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
            let name = std::fs::read_to_string(entry.path().join("comm")).ok()?;
            let environ = std::fs::read(entry.path().join("environ")).ok()?;
            let marked = environ.split(|b| *b == 0).any(|entry| entry == mark.as_bytes());
            (name.starts_with("forerund") && marked).then_some(pid)
        })
        .collect()
}

fn kill_servers() {
    let servers = servers();
    assert!(!servers.is_empty(), "there is a server");
    for pid in servers {
        // SAFETY: kills a server that this case started.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
}

/// No call may take longer than a second.
fn at_once<T>(what: &str, call: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let value = call();
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(1), "{what} takes {took:?}");
    value
}

/// A context that asks to be told of resets, by EGL_EXT_create_context_robustness.
fn careful(display: usize) -> usize {
    ok(egl().eglBindAPI(ES));
    let attribs = [0x3098, 3, 0x3138, 0x31BF, 0x30BF, 1, NONE];
    let context = egl().eglCreateContext(display, config(display, 4), 0, attribs.as_ptr());
    assert_ne!(context, 0, "EGL error {:#x}", egl().eglGetError());
    context
}

/// The calls of a program whose server is gone: none hangs, polls end, and the loss is told.
fn go_on(display: usize, surface: usize, query: u32, fence: usize) {
    at_once("glClear", || gl().glClear(COLOR));
    at_once("glFlush", || gl().glFlush());
    at_once("glFinish", || gl().glFinish());
    let mut pixel = [0u8; 4];
    at_once("glReadPixels", || gl().glReadPixels(0, 0, 1, 1, 0x1908, 0x1401, pixel.as_mut_ptr()));
    at_once("eglClientWaitSync", || egl().eglClientWaitSync(display, fence, 1, 60_000_000_000));
    let begun = Instant::now();
    let mut available = 0;
    while available == 0 {
        gl().glGetQueryObjectuiv(query, 0x8867, &mut available);
        assert!(begun.elapsed() < Duration::from_secs(1), "the query's poll does not end");
    }
    assert_ne!(at_once("glGetGraphicsResetStatus", || gl().glGetGraphicsResetStatus()), 0);
    let errors: Vec<u32> =
        std::iter::repeat_with(|| gl().glGetError()).take(20).take_while(|e| *e != 0).collect();
    assert!(errors.contains(&CONTEXT_LOST) && errors.len() < 20, "{errors:x?}");
    for _ in 0..3 {
        assert_eq!(at_once("eglSwapBuffers", || egl().eglSwapBuffers(display, surface)), 0);
        assert_eq!(egl().eglGetError(), EGL_CONTEXT_LOST);
    }
    // While it is current libEGL does not ask us again.
    ok(egl().eglMakeCurrent(display, 0, 0, 0));
}

/// The context stays lost; a new one draws, on the server that is there by then.
fn begin_anew(display: usize, lost: usize, draw: impl FnOnce(usize)) {
    let surface = pbuffer(display, 4, 16, 8);
    assert_eq!(egl().eglMakeCurrent(display, surface, surface, lost), 0);
    assert_eq!(egl().eglGetError(), EGL_CONTEXT_LOST);
    let _server = Listening::start();
    let again = context(display, ES, 0);
    ok(egl().eglMakeCurrent(display, surface, surface, again));
    assert_eq!(gl().glGetError(), 0);
    clear_and_look();
    draw(again);
    ok(egl().eglMakeCurrent(display, 0, 0, 0));
    at_once("the lost context's end", || ok(egl().eglDestroyContext(display, lost)));
}

/// A query that has been asked and a fence.
fn pending(display: usize) -> (u32, usize) {
    let mut query = 0;
    gl().glGenQueries(1, &mut query);
    gl().glBeginQuery(0x8C2F, query);
    gl().glEndQuery(0x8C2F);
    let fence = egl().eglCreateSync(display, 0x30F9, null());
    assert_ne!(fence, 0);
    (query, fence)
}

/// Between frames.
pub fn idle() {
    let display = display();
    let context = careful(display);
    let surface = pbuffer(display, 4, 16, 8);
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    for _ in 0..3 {
        clear_and_look();
        ok(egl().eglSwapBuffers(display, surface));
    }
    assert_eq!(gl().glGetGraphicsResetStatus(), 0);
    let (query, fence) = pending(display);
    kill_servers();
    go_on(display, surface, query, fence);
    begin_anew(display, context, |_| ());
}

/// While the server has work, and the program makes more.
pub fn busy() {
    let display = display();
    let context = careful(display);
    let surface = pbuffer(display, 4, 2048, 2048);
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    clear_and_look();
    let (query, fence) = pending(display);
    let killer = std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(60));
        kill_servers();
    });
    let begun = Instant::now();
    while gl().glGetGraphicsResetStatus() == 0 {
        assert!(begun.elapsed() < Duration::from_secs(20), "the loss is never told");
        at_once("clears", || (0..20).for_each(|_| gl().glClear(COLOR)));
        at_once("glFlush", || gl().glFlush());
    }
    killer.join().expect("it kills");
    go_on(display, surface, query, fence);
    begin_anew(display, context, |_| ());
}

/// Under a window, which a new context draws on.
pub fn window() {
    let Some(window) = window::Window::open(64, 48) else { return };
    let (display, surface) = window::draw_on(&window);
    let lost = egl().eglGetCurrentContext();
    for _ in 0..3 {
        window::paint(48);
        ok(egl().eglSwapBuffers(display, surface));
    }
    kill_servers();
    let begun = Instant::now();
    let swap = || at_once("eglSwapBuffers", || egl().eglSwapBuffers(display, surface));
    while swap() == 1 {
        assert!(begun.elapsed() < Duration::from_secs(2), "the loss is never told");
    }
    assert_eq!(egl().eglGetError(), EGL_CONTEXT_LOST);
    ok(egl().eglMakeCurrent(display, 0, 0, 0));
    begin_anew(display, lost, |again| {
        ok(egl().eglMakeCurrent(display, surface, surface, again));
        window::paint(48);
        ok(egl().eglSwapBuffers(display, surface));
        window::look(&window, 64, 48);
    });
}

/// A swap after the program was told of the loss: all credit is there, so that it waits for nothing by which it could find out.
pub fn known() {
    let Some(window) = window::Window::open(64, 48) else { return };
    let (display, surface) = window::draw_on(&window);
    for _ in 0..3 {
        window::paint(48);
        ok(egl().eglSwapBuffers(display, surface));
    }
    gl().glFinish();
    std::thread::sleep(Duration::from_millis(100));
    kill_servers();
    at_once("glFinish", || gl().glFinish());
    assert_eq!(at_once("eglSwapBuffers", || egl().eglSwapBuffers(display, surface)), 0);
    assert_eq!(egl().eglGetError(), EGL_CONTEXT_LOST);
}
