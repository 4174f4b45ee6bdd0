//! Cases with a Wayland window, before a compositor of the test's own. Without the Wayland libraries they say so and pass.

#![allow(non_snake_case)]

use crate::cases::{config, context_on};
use crate::compositor::{Commit, Compositor};
use crate::egl::{egl, functions, gl, ok};
use crate::window::paint;
use std::ffi::{CString, c_int, c_void};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};
use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::{wl_compositor, wl_registry, wl_surface};
use wayland_client::{Connection, EventQueue, Proxy, delegate_noop};

type P = *mut c_void;

functions! { WaylandEgl,
    wl_egl_window_create(surface: P, width: c_int, height: c_int) -> P;
    wl_egl_window_destroy(window: P) -> ();
    wl_egl_window_resize(window: P, width: c_int, height: c_int, dx: c_int, dy: c_int) -> ();
}

functions! { Damage,
    eglSwapBuffersWithDamageKHR(display: usize, surface: usize, rects: *const c_int, count: c_int) -> u32;
    eglCreatePlatformWindowSurfaceEXT(display: usize, config: usize, window: P, attribs: *const c_int) -> usize;
    eglCreatePlatformPixmapSurfaceEXT(display: usize, config: usize, pixmap: P, attribs: *const c_int) -> usize;
}

fn damage() -> Damage {
    Damage::load(|name| {
        let name = CString::new(name).expect("a name");
        egl().eglGetProcAddress(name.as_ptr())
    })
}

const ARGB8888: u32 = 0;
const BAD_ALLOC: c_int = 0x3003;
const BAD_PARAMETER: c_int = 0x300C;
const BAD_NATIVE_WINDOW: c_int = 0x300B;

/// The program's side: what a toolkit has before it calls EGL.
struct Program {
    compositor: Compositor,
    connection: Connection,
    _queue: EventQueue<Nobody>,
    surface: wl_surface::WlSurface,
    library: WaylandEgl,
    display: usize,
}

struct Nobody;

impl wayland_client::Dispatch<wl_registry::WlRegistry, GlobalListContents> for Nobody {
    fn event(
        _: &mut Nobody,
        _: &wl_registry::WlRegistry,
        _: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &wayland_client::QueueHandle<Nobody>,
    ) {
    }
}

delegate_noop!(Nobody: ignore wl_compositor::WlCompositor);
delegate_noop!(Nobody: ignore wl_surface::WlSurface);

impl Program {
    fn start() -> Option<Program> {
        // SAFETY: the system's library, kept for the life of the process.
        let library = unsafe { libloading::Library::new("libwayland-egl.so.1") };
        let Ok(library) = library else {
            println!("  (left out: there is no libwayland-egl)");
            return None;
        };
        let library = Box::leak(Box::new(library));
        let library = WaylandEgl::load(|name| {
            // SAFETY: only the address is taken.
            let symbol = unsafe { library.get::<P>(name) };
            symbol.map_or(null_mut(), |s| *s)
        });
        let (compositor, socket) = Compositor::start();
        let connection = match Connection::from_socket(socket) {
            Ok(connection) => connection,
            Err(error) => {
                println!("  (left out: {error})");
                return None;
            }
        };
        let (globals, queue) = registry_queue_init::<Nobody>(&connection).expect("globals");
        let handle = queue.handle();
        let maker: wl_compositor::WlCompositor =
            globals.bind(&handle, 5..=5, ()).expect("wl_compositor");
        let surface = maker.create_surface(&handle, ());
        let native = connection.backend().display_ptr();
        let display = egl().eglGetPlatformDisplay(0x31D8, native.cast(), null());
        assert_ne!(display, 0);
        let (mut major, mut minor) = (0, 0);
        ok(egl().eglInitialize(display, &mut major, &mut minor));
        Some(Program { compositor, connection, _queue: queue, surface, library, display })
    }

    fn window(&self, width: i32, height: i32) -> P {
        let surface: P = self.surface.id().as_ptr().cast();
        let window = self.library.wl_egl_window_create(surface, width, height);
        assert!(!window.is_null());
        window
    }

    /// A surface on the window with that swap interval, and a current context.
    fn draw_on(&self, window: P, interval: c_int) -> usize {
        let config = config(self.display, 4);
        let made = egl().eglCreateWindowSurface(self.display, config, window as usize, null());
        assert_ne!(made, 0, "EGL error {:#x}", egl().eglGetError());
        let context = context_on(self.display, config);
        ok(egl().eglMakeCurrent(self.display, made, made, context));
        ok(egl().eglSwapInterval(self.display, interval));
        made
    }

    /// Nothing was written to a buffer of the compositor's, and the connection is whole.
    fn check(&self) {
        assert_eq!(self.compositor.shared.lock().expect("no panic").torn, 0);
        self.connection.roundtrip().expect("no error of the protocol");
    }
}

fn look(commit: &Commit, width: i32, height: i32) {
    assert_eq!(commit.size, (width, height));
    assert_eq!(commit.pixel(0, 0), 0xffff_0000, "the upper left corner");
    assert_eq!(commit.pixel(8, 0), 0xff00_ff00);
    assert_eq!(commit.pixel(width - 1, height - 1), 0xff00_ff00);
}

/// A picture is committed the right way up, as a whole.
pub fn shown() {
    let Some(program) = Program::start() else { return };
    let surface = program.draw_on(program.window(64, 48), 0);
    for _ in 0..3 {
        paint(48);
        ok(egl().eglSwapBuffers(program.display, surface));
    }
    let commits = program.compositor.commits(3);
    for commit in &commits {
        look(commit, 64, 48);
        assert_eq!((commit.format, commit.paced), (ARGB8888, false));
        assert_eq!(commit.damage, [[0, 0, i32::MAX, i32::MAX]]);
    }
    let mut age = 0;
    ok(egl().eglQuerySurface(program.display, surface, 0x313D, &mut age));
    assert_eq!(age, 1);
    program.check();
}

/// A new size of the window is that of the next frame, with the distance that the program gave.
pub fn resized() {
    let Some(program) = Program::start() else { return };
    let window = program.window(64, 48);
    let surface = program.draw_on(window, 0);
    let mut frames = 0;
    for round in 0..40 {
        let (width, height) = (40 + (round * 37) % 150, 40 + (round * 53) % 130);
        program.library.wl_egl_window_resize(window, width, height, 3, -round);
        let (mut w, mut h) = (0, 0);
        ok(egl().eglQuerySurface(program.display, surface, 0x3057, &mut w));
        ok(egl().eglQuerySurface(program.display, surface, 0x3056, &mut h));
        assert_eq!((w, h), (width, height));
        for _ in 0..2 {
            paint(height);
            ok(egl().eglSwapBuffers(program.display, surface));
        }
        frames += 2;
        let commits = program.compositor.commits(frames);
        look(&commits[frames - 1], width, height);
        assert_eq!(commits[frames - 2].moved, (3, -round));
        assert_eq!(commits[frames - 1].moved, (0, 0));
    }
    program.check();
    let buffers = program.compositor.shared.lock().expect("no panic").buffers;
    assert!(buffers <= 6, "{buffers} buffers are left");
}

/// With swap interval 1 no frame is committed before the compositor wants it; with 0 none is waited for.
pub fn paced() {
    let Some(program) = Program::start() else { return };
    let frame = Duration::from_millis(60);
    program.compositor.set(|shared| shared.frame = frame);
    let surface = program.draw_on(program.window(32, 32), 1);
    let begun = Instant::now();
    for _ in 0..4 {
        paint(32);
        ok(egl().eglSwapBuffers(program.display, surface));
    }
    assert!(begun.elapsed() >= frame * 3, "{:?}", begun.elapsed());
    let commits = program.compositor.commits(4);
    assert!(commits.iter().all(|commit| commit.paced && !commit.early));
    ok(egl().eglSwapInterval(program.display, 0));
    // A compositor that never wants a frame again stops nobody who does not ask.
    program.compositor.set(|shared| shared.frame = Duration::from_secs(1000));
    for _ in 0..20 {
        paint(32);
        ok(egl().eglSwapBuffers(program.display, surface));
    }
    assert!(program.compositor.commits(24).iter().skip(4).all(|commit| !commit.paced));
    program.check();
}

/// A compositor that keeps buffers for long gets other ones, and those that it has are left alone.
pub fn held() {
    let Some(program) = Program::start() else { return };
    program.compositor.set(|shared| shared.hold = Duration::from_millis(40));
    let surface = program.draw_on(program.window(32, 32), 0);
    for frame in 0..24 {
        gl().glClearColor(frame as f32 * 10.0 / 255.0, 0.0, 1.0, 1.0);
        gl().glClear(0x4000);
        ok(egl().eglSwapBuffers(program.display, surface));
    }
    let commits = program.compositor.commits(24);
    for (frame, commit) in commits.iter().enumerate() {
        let red = frame as u32 * 10;
        assert_eq!(commit.pixel(5, 5), 0xff00_00ff | red << 16, "frame {frame}");
    }
    assert_eq!(program.compositor.shared.lock().expect("no panic").buffers, 4);
    // Those that are kept are looked at when they are released.
    std::thread::sleep(Duration::from_millis(80));
    program.check();
}

/// Damage counts from the lower edge in EGL, and from the upper one in Wayland.
pub fn damaged() {
    let Some(program) = Program::start() else { return };
    let surface = program.draw_on(program.window(64, 48), 0);
    paint(48);
    let rects = [0, 0, 8, 8, 10, 20, 30, 5];
    ok(damage().eglSwapBuffersWithDamageKHR(program.display, surface, rects.as_ptr(), 2));
    let commits = program.compositor.commits(1);
    assert_eq!(commits[0].damage, [[0, 40, 8, 8], [10, 23, 30, 5]]);
    program.check();
}

/// Windows are destroyed before their surfaces, used twice, and are none at all.
pub fn refusals() {
    let Some(program) = Program::start() else { return };
    let window = program.window(64, 48);
    let surface = program.draw_on(window, 0);
    let config = config(program.display, 4);
    let create = |native: P| {
        let made =
            damage().eglCreatePlatformWindowSurfaceEXT(program.display, config, native, null());
        (made, egl().eglGetError())
    };
    assert_eq!(create(window), (0, BAD_ALLOC), "a window has one surface");
    assert_eq!(create(null_mut()), (0, BAD_NATIVE_WINDOW));
    let pixmap =
        damage().eglCreatePlatformPixmapSurfaceEXT(program.display, config, window, null());
    assert_eq!((pixmap, egl().eglGetError()), (0, BAD_PARAMETER));
    paint(48);
    ok(egl().eglSwapBuffers(program.display, surface));
    program.library.wl_egl_window_destroy(window);
    for _ in 0..3 {
        paint(48);
        // Whether it succeeds is left open by the specification; that it comes back is not.
        egl().eglSwapBuffers(program.display, surface);
    }
    ok(egl().eglMakeCurrent(program.display, 0, 0, 0));
    ok(egl().eglDestroySurface(program.display, surface));
    let (other, error) = create(program.window(32, 32));
    assert_ne!(other, 0, "EGL error {error:#x}");
    let context = context_on(program.display, config);
    ok(egl().eglMakeCurrent(program.display, other, other, context));
    paint(32);
    ok(egl().eglSwapBuffers(program.display, other));
    look(program.compositor.commits(2).last().expect("a commit"), 32, 32);
    program.check();
    ok(egl().eglMakeCurrent(program.display, 0, 0, 0));
    ok(egl().eglTerminate(program.display));
}
