//! The cases.

use crate::egl::{egl, gl, ok, text};
use crate::{glx, loss, names, pace, rounds, threads, wayland, window};
use std::ffi::c_int;
use std::ptr::{null, null_mut};

/// A case: its name, what it does, the topologies that it is for, and the knob FORERUN_PRESENT, followed by others as NAME=VALUE. `gate`
/// among them puts the server behind a gate, `log` lets both sides log to a file.
pub type Case = (&'static str, fn(), &'static [&'static str], &'static str);

const EACH: &[&str] = &["inproc", "monolith", "spawn"];
const ALL_FOUR: &[&str] = &["inproc", "monolith", "spawn", "unix"];
/// Where the server is a process of its own.
const FAR: &[&str] = &["spawn", "unix"];

/// Where threads may use GL at once.
const THREADED: &[&str] = &["inproc", "spawn", "unix"];
const BESIDE: &str = "native CREDIT=1 FORERUN_WAIT_MS=15000 gate";
const BESIDE_SHM: &str = "shm CREDIT=1 FORERUN_WAIT_MS=15000 gate";
const NO_CREDIT: &str = "native CREDIT=1 FORERUN_WAIT_MS=700 gate log";

/// All cases.
pub const ALL: &[Case] = &[
    ("an es context clears and reads back without a surface's help", es_pbuffer, EACH, ""),
    ("a core context clears and reads back", core_pbuffer, EACH, ""),
    ("a surfaceless context is current and has no default framebuffer", surfaceless, EACH, ""),
    ("versions are told by context and strings alike", versions, EACH, ""),
    (
        "objects that were destroyed while current live until release",
        destroyed_while_current,
        EACH,
        "",
    ),
    ("contexts of a share group see each other's textures", sharing, EACH, ""),
    (
        "a context is current on one thread only, and free when that thread ends",
        threads::one_at_a_time,
        EACH,
        "",
    ),
    ("what cannot be current is refused, and what was current stays", threads::errors, EACH, ""),
    ("a display that ends leaves what is current", threads::terminated, EACH, ""),
    (
        "a child that was made while a thread was inside hangs nowhere",
        threads::fork_beside_a_thread,
        THREADED,
        "",
    ),
    ("refusals have the errors of the specification", refusals, EACH, ""),
    ("a fence is signaled once the work before it is done", fence, EACH, ""),
    ("every name of a state variable or string has a value or an error", names::all, EACH, ""),
    ("shaders and programs are objects of one kind to older programs", names::objects, EACH, ""),
    ("sessions leave neither descriptors nor memory behind", rounds::sessions, EACH, ""),
    ("contexts and surfaces leave nothing behind on either side", rounds::contexts, FAR, ""),
    ("a child process has lost its parent's context", fork, EACH, ""),
    ("a server killed between frames loses the context, and a new one draws", loss::idle, FAR, ""),
    ("a server killed inside a draw loses the context, and a new one draws", loss::busy, FAR, ""),
    ("a server killed under a window loses the context", loss::window, FAR, "native"),
    ("a server killed under a window that the client shows", loss::window, FAR, "shm"),
    ("a swap after a loss that is known", loss::known, FAR, "native"),
    ("a swap after a loss that is known, shown by the client", loss::known, FAR, "shm"),
    (
        "a window without a pace is not slowed by a paced one of its group",
        pace::two_windows,
        THREADED,
        "native",
    ),
    ("a thread goes on while another waits for credit", pace::beside_a_wait, FAR, BESIDE),
    (
        "a thread goes on while a window that the client shows waits",
        pace::beside_a_wait,
        FAR,
        BESIDE_SHM,
    ),
    ("one frame at most is ahead of the window", pace::frames, EACH, "native CREDIT=1"),
    ("a program is one frame ahead of a slow server", pace::frames, FAR, "native CREDIT=1 gate"),
    ("a program is two frames ahead of a slow server", pace::frames, FAR, "native CREDIT=2 gate"),
    ("a program is three frames ahead of a slow server", pace::frames, FAR, "native CREDIT=3 gate"),
    ("a program is eight frames ahead of a slow server", pace::frames, FAR, "native CREDIT=8 gate"),
    ("a window that the client shows is never behind", pace::frames, FAR, "shm CREDIT=1 gate"),
    ("the same with a credit of eight", pace::frames, FAR, "shm CREDIT=8 gate"),
    ("a credit that never comes back is named", pace::no_credit, FAR, NO_CREDIT),
    ("the server shows a picture on the window itself", window::shown, ALL_FOUR, "native"),
    ("the client puts a picture on the window", window::shown, EACH, "shm"),
    ("a window that the server presents on is resized", window::resized, EACH, "native"),
    ("a window that the client presents on is resized", window::resized, EACH, "shm"),
    ("a window that the server presents on is destroyed", window::destroyed, EACH, "native"),
    ("a window that the client presents on is destroyed", window::destroyed, EACH, "shm"),
    ("a swap of glx shows the picture", glx::shown, ALL_FOUR, "native"),
    ("a swap of glx shows the picture that the client puts", glx::shown, EACH, "shm"),
    ("a window without a back buffer is shown by a flush", glx::single, EACH, "native"),
    ("a window without a back buffer that the client presents on", glx::single, EACH, "shm"),
    ("a release flushes or does not, as was asked for", glx::released, EACH, "native"),
    ("what draws is told without a context", glx::renderer, EACH, ""),
    ("the front buffer is drawn to, read and shown", glx::front, EACH, "native"),
    ("the front buffer is shown by the client", glx::front, EACH, "shm"),
    ("pbuffers and pixmaps of glx are drawn to", glx::offscreen, EACH, ""),
    ("a program of glx 1.2 gets a visual and a context", glx::visuals, EACH, ""),
    ("refusals of glx are its x errors", glx::refusals, EACH, ""),
    ("swap intervals are set in three ways", glx::intervals, EACH, ""),
    ("two threads draw to one window", glx::threads, &["inproc", "spawn"], "native"),
    ("a window goes and a display is closed", glx::closed, EACH, ""),
    ("x and gl wait for each other", glx::ordering, EACH, ""),
    ("a wayland window is shown", wayland::shown, ALL_FOUR, ""),
    ("a wayland window is resized", wayland::resized, EACH, ""),
    ("a wayland window is paced by its compositor", wayland::paced, EACH, ""),
    ("buffers of a wayland compositor are left alone", wayland::held, EACH, ""),
    ("a wayland compositor hears what is damaged", wayland::damaged, EACH, ""),
    ("wayland windows that are none or gone", wayland::refusals, EACH, ""),
];

pub const NONE: c_int = 0x3038;
pub const ES: u32 = 0x30A0;
pub const GL: u32 = 0x30A2;
pub const COLOR: u32 = 0x4000;
const RGBA: u32 = 0x1908;
const BYTES: u32 = 0x1401;
pub const EGL_CONTEXT_LOST: c_int = 0x300E;

/// An initialised surfaceless display.
pub fn display() -> usize {
    let display = egl().eglGetPlatformDisplay(0x31DD, null_mut(), null());
    assert_ne!(display, 0);
    let (mut major, mut minor) = (0, 0);
    ok(egl().eglInitialize(display, &mut major, &mut minor));
    assert_eq!((major, minor), (1, 5));
    display
}

/// A config with alpha for that client API.
pub fn config(display: usize, renderable: c_int) -> usize {
    let asked = [0x3033, 1, 0x3040, renderable, 0x3021, 8, NONE];
    let (mut config, mut count) = (0, 0);
    ok(egl().eglChooseConfig(display, asked.as_ptr(), &mut config, 1, &mut count));
    assert_eq!(count, 1);
    config
}

pub fn context(display: usize, api: u32, share: usize) -> usize {
    ok(egl().eglBindAPI(api));
    let es = [0x3098, 3, NONE];
    let core = [0x3098, 3, 0x30FB, 3, 0x30FD, 1, NONE];
    let (attribs, bit) = if api == ES { (es.as_ptr(), 4) } else { (core.as_ptr(), 8) };
    let context = egl().eglCreateContext(display, config(display, bit), share, attribs);
    assert_ne!(context, 0, "EGL error {:#x}", egl().eglGetError());
    context
}

/// An ES context on that config.
pub fn context_on(display: usize, config: usize) -> usize {
    ok(egl().eglBindAPI(ES));
    let context = egl().eglCreateContext(display, config, 0, [0x3098, 3, NONE].as_ptr());
    assert_ne!(context, 0, "EGL error {:#x}", egl().eglGetError());
    context
}

pub fn pbuffer(display: usize, bit: c_int, width: c_int, height: c_int) -> usize {
    let attribs = [0x3057, width, 0x3056, height, NONE];
    let surface = egl().eglCreatePbufferSurface(display, config(display, bit), attribs.as_ptr());
    assert_ne!(surface, 0, "EGL error {:#x}", egl().eglGetError());
    surface
}

/// Clears whole and in part, and looks at three pixels.
pub fn clear_and_look() {
    let gl = gl();
    gl.glClearColor(0.0, 1.0, 0.0, 1.0);
    gl.glClear(COLOR);
    gl.glEnable(0x0C11);
    gl.glScissor(0, 0, 4, 4);
    gl.glClearColor(1.0, 0.0, 0.0, 1.0);
    gl.glClear(COLOR);
    gl.glDisable(0x0C11);
    let mut pixels = [0u8; 16 * 8 * 4];
    gl.glReadPixels(0, 0, 16, 8, RGBA, BYTES, pixels.as_mut_ptr());
    assert_eq!(gl.glGetError(), 0);
    let at = |x: usize, y: usize| &pixels[(y * 16 + x) * 4..][..4];
    assert_eq!(at(0, 0), [255, 0, 0, 255]);
    assert_eq!(at(4, 0), [0, 255, 0, 255]);
    assert_eq!(at(0, 4), [0, 255, 0, 255]);
}

fn draw_with(api: u32, bit: c_int) {
    let display = display();
    let context = context(display, api, 0);
    let surface = pbuffer(display, bit, 16, 8);
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    clear_and_look();
    ok(egl().eglSwapBuffers(display, surface));
    ok(egl().eglTerminate(display));
    ok(egl().eglReleaseThread());
}

fn es_pbuffer() {
    draw_with(ES, 4);
}

fn core_pbuffer() {
    draw_with(GL, 8);
}

fn surfaceless() {
    let display = display();
    let context = context(display, ES, 0);
    ok(egl().eglMakeCurrent(display, 0, 0, context));
    gl().glClear(COLOR);
    // GL_INVALID_FRAMEBUFFER_OPERATION
    assert_eq!(gl().glGetError(), 0x0506);
}

fn versions() {
    let display = display();
    for (api, start) in [(ES, "OpenGL ES 3."), (GL, "")] {
        let context = context(display, api, 0);
        ok(egl().eglMakeCurrent(display, 0, 0, context));
        let version = text(gl().glGetString(0x1F02));
        assert!(version.starts_with(start), "{version}");
        let (mut major, mut minor, mut gl_major, mut gl_minor) = (0, 0, 0, 0);
        ok(egl().eglQueryContext(display, context, 0x3098, &mut major));
        ok(egl().eglQueryContext(display, context, 0x30FB, &mut minor));
        gl().glGetIntegerv(0x821B, &mut gl_major);
        gl().glGetIntegerv(0x821C, &mut gl_minor);
        assert_eq!((major, minor), (gl_major, gl_minor));
        assert!(version.contains(&format!("{major}.{minor}")), "{version}");
        assert!(text(gl().glGetString(0x1F01)).contains("Forerun"));
    }
}

fn destroyed_while_current() {
    let display = display();
    let context = context(display, ES, 0);
    let surface = pbuffer(display, 4, 16, 8);
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    ok(egl().eglDestroySurface(display, surface));
    ok(egl().eglDestroyContext(display, context));
    clear_and_look();
    ok(egl().eglMakeCurrent(display, 0, 0, 0));
    assert_eq!(egl().eglMakeCurrent(display, surface, surface, context), 0);
    assert_eq!(egl().eglGetError(), 0x3006);
}

fn sharing() {
    let display = display();
    let first = context(display, ES, 0);
    let second = context(display, ES, first);
    let stranger = context(display, ES, 0);
    let mut name = 0;
    ok(egl().eglMakeCurrent(display, 0, 0, first));
    gl().glGenTextures(1, &mut name);
    gl().glBindTexture(0x0DE1, name);
    assert_eq!(gl().glIsTexture(name), 1);
    ok(egl().eglMakeCurrent(display, 0, 0, second));
    assert_eq!(gl().glIsTexture(name), 1);
    ok(egl().eglMakeCurrent(display, 0, 0, stranger));
    assert_eq!(gl().glIsTexture(name), 0);
}

fn refusals() {
    let display = display();
    let refused = |answer: usize, error: c_int, what: &str| {
        let got = egl().eglGetError();
        assert_eq!((answer, got), (0, error), "{what}: {got:#x}");
    };
    ok(egl().eglBindAPI(ES));
    let es1 = [0x3098, 1, NONE];
    let config = config(display, 4);
    refused(egl().eglCreateContext(display, config, 0, es1.as_ptr()), 0x3005, "ES 1");
    let es9 = [0x3098, 9, NONE];
    refused(egl().eglCreateContext(display, config, 0, es9.as_ptr()), 0x3009, "ES 9");
    let odd = [0x1234, 1, NONE];
    refused(egl().eglCreateContext(display, config, 0, odd.as_ptr()), 0x3004, "odd attribute");
    refused(egl().eglCreateContext(display, 9999, 0, null()), 0x3005, "no config");
    refused(egl().eglCreateContext(display, config, 77, null()), 0x3006, "no context");
    refused(egl().eglCreateWindowSurface(display, config, 77, null()), 0x3009, "no windows");
    refused(egl().eglSwapBuffers(display, 77) as usize, 0x300D, "no surface");
    refused(egl().eglMakeCurrent(display, 0, 0, 77) as usize, 0x3006, "no context");
    let (context, surface) = (context(display, ES, 0), pbuffer(display, 4, 1, 1));
    refused(egl().eglMakeCurrent(display, surface, 0, context) as usize, 0x3009, "one surface");
    ok(egl().eglTerminate(display));
    refused(
        egl().eglMakeCurrent(display, surface, surface, context) as usize,
        0x3001,
        "terminated",
    );
}

fn fence() {
    let display = display();
    let context = context(display, ES, 0);
    let surface = pbuffer(display, 4, 16, 8);
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    clear_and_look();
    let sync = egl().eglCreateSync(display, 0x30F9, null());
    assert_ne!(sync, 0);
    assert_eq!(egl().eglClientWaitSync(display, sync, 1, 5_000_000_000), 0x30F6);
    assert_eq!(egl().eglClientWaitSync(display, sync, 0, 0), 0x30F6);
    ok(egl().eglDestroySync(display, sync));
}

fn fork() {
    let display = display();
    let context = context(display, ES, 0);
    let surface = pbuffer(display, 4, 16, 8);
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    clear_and_look();
    // SAFETY: the child calls EGL, which says that its context is lost, and ends at once.
    let child = unsafe { libc::fork() };
    if child == 0 {
        gl().glClear(COLOR);
        let lost =
            egl().eglSwapBuffers(display, surface) == 0 && egl().eglGetError() == EGL_CONTEXT_LOST;
        // SAFETY: ends this process without running what belongs to the parent.
        unsafe { libc::_exit(if lost { 0 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: waits for the child that was made above.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(status, 0, "the child's context was not lost");
    clear_and_look();
}
