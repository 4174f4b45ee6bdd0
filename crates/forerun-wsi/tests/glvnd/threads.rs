//! What is current on which thread, and in which process.

use crate::cases::{
    COLOR, EGL_CONTEXT_LOST, ES, clear_and_look, config, context, display, pbuffer,
};
use crate::egl::{egl, gl, ok};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const BAD_ACCESS: c_int = 0x3002;
const BAD_CONTEXT: c_int = 0x3006;
const BAD_DISPLAY: c_int = 0x3008;
const BAD_MATCH: c_int = 0x3009;
const BAD_SURFACE: c_int = 0x300D;

/// A context is current on one thread only, and free when that thread ends.
pub fn one_at_a_time() {
    let display = display();
    let context = context(display, ES, 0);
    let surface = pbuffer(display, 4, 16, 8);
    let (tell, hear) = std::sync::mpsc::channel();
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || {
        ok(egl().eglMakeCurrent(display, surface, surface, context));
        clear_and_look();
        tell.send(()).expect("the other thread listens");
        let _ = ended.recv();
        // It ends with the context current.
    });
    hear.recv().expect("the thread draws");
    assert_eq!(egl().eglMakeCurrent(display, surface, surface, context), 0);
    assert_eq!(egl().eglGetError(), BAD_ACCESS);
    drop(end);
    thread.join().expect("the thread ends");
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    clear_and_look();
}

/// The errors of eglMakeCurrent (EGL 1.5, section 3.7.3). What was current stays so.
pub fn errors() {
    let display = display();
    let first = context(display, ES, 0);
    let second = context(display, ES, first);
    let (own, other) = (pbuffer(display, 4, 16, 8), pbuffer(display, 4, 16, 8));
    ok(egl().eglMakeCurrent(display, own, own, first));
    clear_and_look();
    let refused = |(display, draw, read, context), error: c_int, what: &str| {
        let answer = egl().eglMakeCurrent(display, draw, read, context);
        let got = egl().eglGetError();
        assert_eq!((answer, got), (0, error), "{what}: {got:#x}");
        assert_eq!(egl().eglGetCurrentContext(), first, "{what}");
        clear_and_look();
    };
    refused((77, own, own, first), BAD_DISPLAY, "no display");
    refused((display, own, own, 77), BAD_CONTEXT, "no context");
    refused((display, 77, own, first), BAD_SURFACE, "no draw surface");
    refused((display, own, 77, first), BAD_SURFACE, "no read surface");
    refused((display, own, 0, first), BAD_MATCH, "a draw surface alone");
    refused((display, 0, own, first), BAD_MATCH, "a read surface alone");
    refused((display, own, own, 0), BAD_MATCH, "surfaces without a context");
    // A config without depth, where the context's has one.
    let shallow = [0x3033, 1, 0x3040, 4, 0x3025, 0, 0x3038];
    let (mut flat, mut count) = ([0usize; 64], 0);
    ok(egl().eglChooseConfig(display, shallow.as_ptr(), flat.as_mut_ptr(), 64, &mut count));
    let depth = |config: usize| {
        let mut value = 0;
        ok(egl().eglGetConfigAttrib(display, config, 0x3025, &mut value));
        value
    };
    let of_context = depth(config(display, 4));
    let flat = flat.iter().take(count as usize).find(|config| depth(**config) != of_context);
    let flat = *flat.expect("a config with another depth");
    let strange =
        egl().eglCreatePbufferSurface(display, flat, [0x3057, 4, 0x3056, 4, 0x3038].as_ptr());
    assert_ne!(strange, 0);
    refused((display, strange, strange, first), BAD_MATCH, "buffers of another depth");
    // What another thread has.
    let (tell, hear) = std::sync::mpsc::channel();
    let (end, ended) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            ok(egl().eglMakeCurrent(display, 0, 0, second));
            tell.send(()).expect("it is waited for");
            ended.recv().expect_err("it is told to end");
            ok(egl().eglReleaseThread());
        });
        hear.recv().expect("the other thread has it");
        refused((display, other, other, second), BAD_ACCESS, "another thread's context");
        drop(end);
    });
    let (tell, hear) = std::sync::mpsc::channel();
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let monolith = std::env::var("FORERUN_TRANSPORT").is_ok_and(|topology| topology == "monolith");
    if !monolith {
        std::thread::scope(|scope| {
            scope.spawn(move || {
                ok(egl().eglMakeCurrent(display, other, other, second));
                tell.send(()).expect("it is waited for");
                ended.recv().expect_err("it is told to end");
                ok(egl().eglReleaseThread());
            });
            hear.recv().expect("the other thread has them");
            refused((display, other, other, first), BAD_ACCESS, "another thread's surface");
            refused((display, own, other, first), BAD_ACCESS, "another thread's read surface");
            drop(end);
        });
    }
    // Nothing of the refusals has stuck: all is free again.
    ok(egl().eglMakeCurrent(display, other, other, second));
    clear_and_look();
    ok(egl().eglMakeCurrent(display, own, other, first));
    ok(egl().eglMakeCurrent(display, own, own, second));
    clear_and_look();
    ok(egl().eglMakeCurrent(display, other, other, first));
}

/// eglTerminate while a context is current: it and its surface live until they are released.
pub fn terminated() {
    let display = display();
    let context = context(display, ES, 0);
    let surface = pbuffer(display, 4, 16, 8);
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    ok(egl().eglTerminate(display));
    clear_and_look();
    ok(egl().eglMakeCurrent(display, 0, 0, 0));
    let (mut major, mut minor) = (0, 0);
    ok(egl().eglInitialize(display, &mut major, &mut minor));
    assert_eq!(egl().eglMakeCurrent(display, surface, surface, context), 0);
    let error = egl().eglGetError();
    assert!([BAD_CONTEXT, BAD_SURFACE].contains(&error), "{error:#x}");
    let again = crate::cases::context(display, ES, 0);
    let surface = pbuffer(display, 4, 16, 8);
    ok(egl().eglMakeCurrent(display, surface, surface, again));
    clear_and_look();
}

/// What a child does with what it has of its parent. The number of what went wrong, or 0.
fn as_child(display: usize, surface: usize, context: usize) -> i32 {
    for _ in 0..3 {
        gl().glClear(COLOR);
        gl().glFlush();
        gl().glFinish();
        let mut pixel = [1u8; 4];
        gl().glReadPixels(0, 0, 1, 1, 0x1908, 0x1401, pixel.as_mut_ptr());
        let mut units = -1;
        gl().glGetIntegerv(0x8B4D, &mut units);
        if units <= 0 {
            return 1;
        }
        let mut query = 0;
        gl().glGenQueries(1, &mut query);
        gl().glBeginQuery(0x8C2F, query);
        gl().glEndQuery(0x8C2F);
        let mut available = 0;
        gl().glGetQueryObjectuiv(query, 0x8867, &mut available);
        if available != 1 {
            return 2;
        }
    }
    // At the first call of EGL, libEGL itself forgets what is current: from then on it answers in our stead where it can.
    for _ in 0..3 {
        if egl().eglSwapBuffers(display, surface) != 0 || egl().eglGetError() != EGL_CONTEXT_LOST {
            return 3;
        }
        egl().eglWaitClient();
        gl().glClear(COLOR);
    }
    if egl().eglMakeCurrent(display, surface, surface, context) != 0 {
        return 4;
    }
    if egl().eglGetError() != EGL_CONTEXT_LOST {
        return 5;
    }
    if egl().eglMakeCurrent(display, 0, 0, 0) != 1 { 6 } else { 0 }
}

/// The child's exit status; nothing when it hangs.
fn status_of(child: i32) -> Option<i32> {
    let begun = Instant::now();
    let mut status = 0;
    while begun.elapsed() < Duration::from_secs(5) {
        // SAFETY: asks after a child of this process.
        if unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == child {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    // SAFETY: ends a child of this process.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, &mut status, 0);
    }
    None
}

/// A program forks while another of its threads is inside GL: the children's contexts are lost, none hangs, and the parent's stream is
/// not touched.
pub fn fork_beside_a_thread() {
    let display = display();
    let first = context(display, ES, 0);
    let second = context(display, ES, first);
    let surface = pbuffer(display, 4, 16, 8);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let over = &over;
        let drawing = scope.spawn(move || {
            let surface = pbuffer(display, 4, 16, 8);
            ok(egl().eglMakeCurrent(display, surface, surface, second));
            let mut rounds = 0;
            while !over.load(Ordering::Relaxed) {
                clear_and_look();
                rounds += 1;
            }
            rounds
        });
        ok(egl().eglMakeCurrent(display, surface, surface, first));
        clear_and_look();
        let mut said = Vec::new();
        for _ in 0..40 {
            // SAFETY: the child makes calls of EGL and GL, and ends at once.
            let child = unsafe { libc::fork() };
            if child == 0 {
                let wrong = as_child(display, surface, first);
                // SAFETY: ends this process without running what belongs to the parent.
                unsafe { libc::_exit(wrong) };
            }
            assert!(child > 0, "a child is made");
            said.push(status_of(child));
            clear_and_look();
        }
        over.store(true, Ordering::Relaxed);
        assert!(said.iter().all(|status| *status == Some(0)), "{said:?}");
        assert!(drawing.join().expect("it draws") > 10);
    });
}
