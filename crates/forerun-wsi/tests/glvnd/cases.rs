//! The cases.

use crate::egl::{egl, gl, ok, text};
use crate::window;
use std::ffi::c_int;
use std::ptr::{null, null_mut};

/// A case: its name, what it does, the topologies that it is for, and the knob FORERUN_PRESENT.
pub type Case = (&'static str, fn(), &'static [&'static str], &'static str);

const EACH: &[&str] = &["inproc", "monolith", "spawn"];

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
    ("a context is current on one thread only, and free when that thread ends", threads, EACH, ""),
    ("refusals have the errors of the specification", refusals, EACH, ""),
    ("a fence is signaled once the work before it is done", fence, EACH, ""),
    ("a hundred contexts leave neither descriptors nor memory behind", churn, EACH, ""),
    ("a child process has lost its parent's context", fork, EACH, ""),
    ("a killed server loses the context, and a new one draws", killed, &["spawn"], ""),
    ("the server shows a picture on the window itself", window::shown, EACH, "native"),
    ("the client puts a picture on the window", window::shown, EACH, "shm"),
    ("a window that the server presents on is resized", window::resized, EACH, "native"),
    ("a window that the client presents on is resized", window::resized, EACH, "shm"),
    ("a window that the server presents on is destroyed", window::destroyed, EACH, "native"),
    ("a window that the client presents on is destroyed", window::destroyed, EACH, "shm"),
];

const NONE: c_int = 0x3038;
const ES: u32 = 0x30A0;
const GL: u32 = 0x30A2;
const COLOR: u32 = 0x4000;
const RGBA: u32 = 0x1908;
const BYTES: u32 = 0x1401;
const EGL_CONTEXT_LOST: c_int = 0x300E;

/// An initialised surfaceless display.
fn display() -> usize {
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

fn context(display: usize, api: u32, share: usize) -> usize {
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

fn pbuffer(display: usize, bit: c_int, width: c_int, height: c_int) -> usize {
    let attribs = [0x3057, width, 0x3056, height, NONE];
    let surface = egl().eglCreatePbufferSurface(display, config(display, bit), attribs.as_ptr());
    assert_ne!(surface, 0, "EGL error {:#x}", egl().eglGetError());
    surface
}

/// Clears whole and in part, and looks at three pixels.
fn clear_and_look() {
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

fn threads() {
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
    assert_eq!(egl().eglGetError(), 0x3002);
    drop(end);
    thread.join().expect("the thread ends");
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    clear_and_look();
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

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, |dir| dir.count())
}

/// Anonymous resident memory of this process, in KiB.
fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn churn() {
    let display = display();
    let round = || {
        let context = context(display, ES, 0);
        let surface = pbuffer(display, 4, 16, 8);
        ok(egl().eglMakeCurrent(display, surface, surface, context));
        clear_and_look();
        ok(egl().eglMakeCurrent(display, 0, 0, 0));
        ok(egl().eglDestroySurface(display, surface));
        ok(egl().eglDestroyContext(display, context));
    };
    for _ in 0..30 {
        round();
    }
    let before = (descriptors(), memory());
    for _ in 0..70 {
        round();
    }
    let after = (descriptors(), memory());
    assert!(after.0 <= before.0 + 2, "{} descriptors became {}", before.0, after.0);
    // 70 contexts that left a page behind each would be 280 KiB; the allocator's own noise is less than a MiB.
    assert!(after.1 <= before.1 + 1024, "{} KiB became {}", before.1, after.1);
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

/// The servers that this process started. They are nobody's children, but they have its environment.
fn servers() -> Vec<i32> {
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

fn killed() {
    let display = display();
    let context_1 = context(display, ES, 0);
    let surface = pbuffer(display, 4, 16, 8);
    ok(egl().eglMakeCurrent(display, surface, surface, context_1));
    clear_and_look();
    let servers = servers();
    assert!(!servers.is_empty(), "spawn has a server");
    for pid in servers {
        // SAFETY: kills the server that this process started.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
    let begun = std::time::Instant::now();
    let mut error = 0;
    for _ in 0..50 {
        gl().glClear(COLOR);
        if egl().eglSwapBuffers(display, surface) == 0 {
            error = egl().eglGetError();
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(error, EGL_CONTEXT_LOST);
    assert!(begun.elapsed().as_secs() < 2, "it took {:?}", begun.elapsed());
    // While it is current libEGL does not ask us again.
    ok(egl().eglMakeCurrent(display, 0, 0, 0));
    assert_eq!(egl().eglMakeCurrent(display, surface, surface, context_1), 0);
    assert_eq!(egl().eglGetError(), EGL_CONTEXT_LOST);
    let again = context(display, ES, 0);
    ok(egl().eglMakeCurrent(display, surface, surface, again));
    clear_and_look();
}
