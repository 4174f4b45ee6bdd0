//! The system's libGLX and libX11, loaded as a program loads them, and cases on them. Without a display they say so and pass.

#![allow(non_snake_case, dead_code, clippy::too_many_arguments)]

use crate::egl::{gl, text};
use crate::window::{Window, look, paint};
use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

type P = *mut c_void;

crate::egl::functions! { X11,
    XOpenDisplay(name: *const c_char) -> usize;
    XCloseDisplay(display: usize) -> c_int;
    XInitThreads() -> c_int;
    XSetErrorHandler(handler: P) -> P;
    XQueryExtension(display: usize, name: *const c_char, major: *mut c_int, event: *mut c_int, error: *mut c_int) -> c_int;
    XFree(memory: P) -> c_int;
    XCreateGC(display: usize, drawable: c_ulong, mask: c_ulong, values: P) -> P;
    XSetForeground(display: usize, gc: P, color: c_ulong) -> c_int;
    XFillRectangle(display: usize, drawable: c_ulong, gc: P, x: c_int, y: c_int, width: c_uint, height: c_uint) -> c_int;
}

crate::egl::functions! { Glx,
    glXChooseFBConfig(display: usize, screen: c_int, attribs: *const c_int, count: *mut c_int) -> *mut usize;
    glXChooseVisual(display: usize, screen: c_int, attribs: *const c_int) -> *mut VisualInfo;
    glXCopyContext(display: usize, source: usize, target: usize, mask: c_ulong) -> ();
    glXCreateContext(display: usize, visual: *mut VisualInfo, share: usize, direct: c_int) -> usize;
    glXCreateNewContext(display: usize, config: usize, kind: c_int, share: usize, direct: c_int) -> usize;
    glXCreatePbuffer(display: usize, config: usize, attribs: *const c_int) -> c_ulong;
    glXCreatePixmap(display: usize, config: usize, pixmap: c_ulong, attribs: *const c_int) -> c_ulong;
    glXCreateWindow(display: usize, config: usize, window: c_ulong, attribs: *const c_int) -> c_ulong;
    glXDestroyContext(display: usize, context: usize) -> ();
    glXDestroyPbuffer(display: usize, pbuffer: c_ulong) -> ();
    glXDestroyPixmap(display: usize, pixmap: c_ulong) -> ();
    glXDestroyWindow(display: usize, window: c_ulong) -> ();
    glXGetConfig(display: usize, visual: *mut VisualInfo, name: c_int, value: *mut c_int) -> c_int;
    glXGetFBConfigAttrib(display: usize, config: usize, name: c_int, value: *mut c_int) -> c_int;
    glXGetVisualFromFBConfig(display: usize, config: usize) -> *mut VisualInfo;
    glXGetProcAddress(name: *const c_char) -> P;
    glXIsDirect(display: usize, context: usize) -> c_int;
    glXMakeContextCurrent(display: usize, draw: c_ulong, read: c_ulong, context: usize) -> c_int;
    glXMakeCurrent(display: usize, drawable: c_ulong, context: usize) -> c_int;
    glXQueryDrawable(display: usize, drawable: c_ulong, name: c_int, value: *mut c_uint) -> ();
    glXQueryExtensionsString(display: usize, screen: c_int) -> *const c_char;
    glXSwapBuffers(display: usize, drawable: c_ulong) -> ();
    glXUseXFont(font: c_ulong, first: c_int, count: c_int, base: c_int) -> ();
    glXWaitGL() -> ();
    glXWaitX() -> ();
}

crate::egl::functions! { Extension,
    glXCreateContextAttribsARB(display: usize, config: usize, share: usize, direct: c_int, attribs: *const c_int) -> usize;
    glXSwapIntervalEXT(display: usize, drawable: c_ulong, interval: c_int) -> ();
    glXSwapIntervalMESA(interval: c_uint) -> c_int;
    glXGetSwapIntervalMESA() -> c_int;
    glXSwapIntervalSGI(interval: c_int) -> c_int;
    glDrawBuffer(buffer: c_uint) -> ();
    glReadBuffer(buffer: c_uint) -> ();
}

crate::egl::functions! { Renderers,
    glXQueryRendererIntegerMESA(display: usize, screen: c_int, renderer: c_int, name: c_int, value: *mut c_uint) -> c_int;
    glXQueryRendererStringMESA(display: usize, screen: c_int, renderer: c_int, name: c_int) -> *const c_char;
    glXQueryCurrentRendererIntegerMESA(name: c_int, value: *mut c_uint) -> c_int;
    glXQueryCurrentRendererStringMESA(name: c_int) -> *const c_char;
}

fn renderers() -> &'static Renderers {
    static RENDERERS: OnceLock<Renderers> = OnceLock::new();
    RENDERERS.get_or_init(|| {
        Renderers::load(|name| {
            let name = std::ffi::CString::new(name).expect("a plain name");
            glx().glXGetProcAddress(name.as_ptr())
        })
    })
}

/// The head of XVisualInfo.
#[repr(C)]
pub struct VisualInfo {
    visual: P,
    id: c_ulong,
    screen: c_int,
    depth: c_int,
}

fn library(name: &'static str) -> impl Fn(&str) -> P {
    // SAFETY: a library of the system, kept for the life of the process.
    let library = unsafe { libloading::Library::new(name) }.expect("the library is installed");
    let library = Box::leak(Box::new(library));
    |name| {
        // SAFETY: only the address is taken.
        let symbol = unsafe { library.get::<P>(name) };
        symbol.map_or(null_mut(), |s| *s)
    }
}

fn x11() -> &'static X11 {
    static X11: OnceLock<X11> = OnceLock::new();
    X11.get_or_init(|| X11::load(library("libX11.so.6")))
}

fn glx() -> &'static Glx {
    static GLX: OnceLock<Glx> = OnceLock::new();
    GLX.get_or_init(|| Glx::load(library("libGLX.so.0")))
}

fn extension() -> &'static Extension {
    static EXTENSION: OnceLock<Extension> = OnceLock::new();
    EXTENSION.get_or_init(|| {
        Extension::load(|name| {
            let name = std::ffi::CString::new(name).expect("a plain name");
            glx().glXGetProcAddress(name.as_ptr())
        })
    })
}

/// The last X error, 0 for none.
static ERROR: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn caught(_display: usize, event: *const u8) -> c_int {
    // SAFETY: an XErrorEvent: type, display, resource, serial, then the error's number.
    ERROR.store(u32::from(unsafe { event.add(32).read() }), Ordering::SeqCst);
    0
}

/// The X error of what was just called, and forgets it.
fn error() -> u32 {
    ERROR.swap(0, Ordering::SeqCst)
}

fn open() -> usize {
    x11().XInitThreads();
    let display = x11().XOpenDisplay(null());
    assert_ne!(display, 0, "there is a display, since there is a window");
    x11().XSetErrorHandler(caught as P);
    display
}

/// The number of GLXBadContext and its kin on that display.
fn of_glx(display: usize, error: u32) -> u32 {
    let (mut major, mut event, mut first) = (0, 0, 0);
    let name = c"GLX".as_ptr();
    let there = x11().XQueryExtension(display, name, &mut major, &mut event, &mut first);
    // Without the X server's GLX its errors have no numbers: BadImplementation.
    if there == 1 { first as u32 + error } else { 17 }
}

const DOUBLE: &[c_int] = &[5, 1, 8, 8, 12, 24, 13, 8, 0];
const SINGLE: &[c_int] = &[5, 0, 8, 8, 12, 24, 13, 8, 0];
const CORE: &[c_int] = &[0x2091, 3, 0x2092, 3, 0x9126, 1, 0];
const BAD_MATCH: u32 = 8;
const BAD_VALUE: u32 = 2;

fn config(display: usize, attribs: &[c_int]) -> usize {
    let mut count = 0;
    let list = glx().glXChooseFBConfig(display, 0, attribs.as_ptr(), &mut count);
    assert!(count > 0 && !list.is_null());
    // SAFETY: an array of that many.
    let first = unsafe { list.read() };
    x11().XFree(list.cast());
    first
}

fn context(display: usize, config: usize, share: usize) -> usize {
    let context = extension().glXCreateContextAttribsARB(display, config, share, 1, CORE.as_ptr());
    assert_ne!(context, 0, "X error {}", error());
    context
}

#[track_caller]
fn current(display: usize, drawable: c_ulong, context: usize) {
    let made = glx().glXMakeCurrent(display, drawable, context);
    assert_eq!((made, error()), (1, 0));
}

fn ask(display: usize, drawable: c_ulong, name: c_int) -> c_uint {
    let mut value = 0xAAAA;
    glx().glXQueryDrawable(display, drawable, name, &mut value);
    assert_eq!(error(), 0);
    value
}

fn clear(r: f32, g: f32, b: f32) {
    gl().glDisable(0x0C11);
    gl().glClearColor(r, g, b, 1.0);
    gl().glClear(0x4000);
}

fn read(x: c_int, y: c_int) -> [u8; 4] {
    let mut pixel = [0u8; 4];
    gl().glReadPixels(x, y, 1, 1, 0x1908, 0x1401, pixel.as_mut_ptr());
    pixel
}

/// A swap shows the picture, on an X window as it is and on a GLXWindow.
pub fn shown() {
    let Some(window) = Window::open(64, 48) else { return };
    let display = open();
    let config = config(display, DOUBLE);
    let context = context(display, config, 0);
    assert_eq!(glx().glXIsDirect(display, context), 1);
    for wrapped in [false, true] {
        let drawable = match wrapped {
            true => glx().glXCreateWindow(display, config, window.id().into(), null()),
            false => window.id().into(),
        };
        current(display, drawable, context);
        assert_eq!((ask(display, drawable, 0x801D), ask(display, drawable, 0x801E)), (64, 48));
        clear(0.0, 0.0, 1.0);
        glx().glXSwapBuffers(display, drawable);
        paint(48);
        glx().glXSwapBuffers(display, drawable);
        look(&window, 64, 48);
        // Buffers keep their contents, so the back buffer is one frame old.
        assert_eq!(ask(display, drawable, 0x20F4), 1);
        current(display, 0, 0);
        if wrapped {
            glx().glXDestroyWindow(display, drawable);
            glx().glXDestroyWindow(display, drawable);
            assert_eq!(error(), of_glx(display, 12), "GLXBadWindow");
        }
    }
}

/// What is drawn without a back buffer is shown by glFlush, and by glXWaitGL.
pub fn single() {
    let Some(window) = Window::open(64, 48) else { return };
    let display = open();
    let config = config(display, SINGLE);
    let context = context(display, config, 0);
    let drawable = window.id().into();
    current(display, drawable, context);
    paint(48);
    gl().glFlush();
    look(&window, 64, 48);
    clear(0.0, 0.0, 1.0);
    glx().glXWaitGL();
    assert_eq!(window.pixel_now(20, 20), 0x0000ff);
    paint(48);
    current(display, 0, 0);
    look(&window, 64, 48);
}

/// A release shows what was drawn, unless the context was made to flush nothing; then a later flush does (GLX_ARB_context_flush_control).
pub fn released() {
    const BEHAVIOR: c_int = 0x2097;
    const FLUSH: c_int = 0x2098;
    let Some(window) = Window::open(64, 48) else { return };
    let display = open();
    let config = config(display, SINGLE);
    let drawable = window.id().into();
    let create = |behavior: c_int| {
        let mut attribs = CORE.to_vec();
        attribs.splice(0..0, [BEHAVIOR, behavior]);
        extension().glXCreateContextAttribsARB(display, config, 0, 1, attribs.as_ptr())
    };
    assert_eq!((create(1), error()), (0, BAD_VALUE));
    for (behavior, name) in [(FLUSH, 0x82FC), (0, 0)] {
        let context = create(behavior);
        assert_ne!(context, 0);
        current(display, drawable, context);
        let mut found = -1;
        gl().glGetIntegerv(0x82FB, &mut found);
        assert_eq!(found, name, "GL_CONTEXT_RELEASE_BEHAVIOR");
        clear(0.0, 0.0, 1.0);
        gl().glFinish();
        assert_eq!(window.pixel_now(20, 20), 0x0000ff);
        clear(1.0, 1.0, 0.0);
        current(display, 0, 0);
        let shown = window.settled(20, 20, 0xffff00, name != 0);
        assert_eq!(shown, if name != 0 { 0xffff00 } else { 0x0000ff }, "behaviour {behavior:#x}");
        current(display, drawable, context);
        gl().glFinish();
        assert_eq!(window.pixel_now(20, 20), 0xffff00);
        current(display, 0, 0);
        glx().glXDestroyContext(display, context);
    }
}

/// What draws is told without a context, and by the current one, alike (GLX_MESA_query_renderer).
pub fn renderer() {
    let Some(window) = Window::open(64, 48) else { return };
    let display = open();
    let integer = |attribute: c_int, renderer: c_int| {
        let mut values = [7; 4];
        let told = renderers().glXQueryRendererIntegerMESA(
            display,
            0,
            renderer,
            attribute,
            values.as_mut_ptr(),
        );
        (told, values)
    };
    let (told, version) = integer(0x818A, 0);
    assert_eq!((told, version[2]), (1, 7), "two numbers are written");
    assert_eq!(integer(0x818A, 1), (0, [7; 4]), "there is one renderer");
    assert_eq!(integer(0x8182, 0), (0, [7; 4]), "no attribute");
    let mut value = 7;
    assert_eq!(renderers().glXQueryCurrentRendererIntegerMESA(0x8186, &mut value), 0);
    let name = text(renderers().glXQueryRendererStringMESA(display, 0, 0, 0x8184));
    let context = context(display, config(display, DOUBLE), 0);
    current(display, window.id().into(), context);
    let (mut major, mut minor) = (0, 0);
    gl().glGetIntegerv(0x821B, &mut major);
    gl().glGetIntegerv(0x821C, &mut minor);
    assert_eq!([version[0], version[1]], [major as c_uint, minor as c_uint]);
    assert_eq!(name, text(gl().glGetString(0x1F01)));
    assert_eq!(name, text(renderers().glXQueryCurrentRendererStringMESA(0x8184)));
    assert_eq!(renderers().glXQueryCurrentRendererIntegerMESA(0x8186, &mut value), 1);
    assert_eq!(value, integer(0x8186, 0).1[0]);
    current(display, 0, 0);
    glx().glXDestroyContext(display, context);
}

/// The front buffer of a window that has two: it is what was shown last, is drawn to alone, and is replaced by a swap.
pub fn front() {
    const FRONT: c_uint = 0x0404;
    const BACK: c_uint = 0x0405;
    const BOTH: c_uint = 0x0408;
    let Some(window) = Window::open(64, 48) else { return };
    let display = open();
    for samples in [0, 4] {
        let mut attribs = DOUBLE.to_vec();
        attribs.splice(0..0, [100_001, samples]);
        let config = config(display, &attribs);
        let context = context(display, config, 0);
        let drawable = window.id().into();
        current(display, drawable, context);
        clear(0.0, 0.0, 1.0);
        glx().glXSwapBuffers(display, drawable);
        extension().glReadBuffer(FRONT);
        assert_eq!(read(20, 20), [0, 0, 255, 255], "the front buffer is what was shown");
        extension().glDrawBuffer(FRONT);
        paint(48);
        gl().glFlush();
        look(&window, 64, 48);
        assert_eq!(read(20, 20), [0, 255, 0, 255]);
        extension().glReadBuffer(BACK);
        assert_eq!(read(20, 20), [0, 0, 255, 255], "the back buffer was not drawn to");
        extension().glDrawBuffer(BACK);
        clear(1.0, 1.0, 0.0);
        glx().glXSwapBuffers(display, drawable);
        extension().glReadBuffer(FRONT);
        assert_eq!(read(20, 20), [255, 255, 0, 255], "a swap replaces the front buffer");
        extension().glDrawBuffer(BOTH);
        clear(1.0, 0.0, 1.0);
        extension().glDrawBuffer(BACK);
        gl().glFinish();
        assert_eq!(window.pixel_now(20, 20), 0xff00ff);
        extension().glReadBuffer(BACK);
        assert_eq!(read(20, 20), [255, 0, 255, 255]);
        assert_eq!(gl().glGetError(), 0);
        current(display, 0, 0);
        glx().glXDestroyContext(display, context);
    }
}

/// Pbuffers have the size and the buffers of their config; pixmaps show what was drawn once glXWaitGL returns.
pub fn offscreen() {
    let Some(window) = Window::open(64, 48) else { return };
    let display = open();
    let config = config(display, DOUBLE);
    let context = context(display, config, 0);
    let size = [0x8041, 40, 0x8040, 30, 0];
    let pbuffer = glx().glXCreatePbuffer(display, config, size.as_ptr());
    assert_ne!(pbuffer, 0);
    current(display, pbuffer, context);
    assert_eq!((ask(display, pbuffer, 0x801D), ask(display, pbuffer, 0x801E)), (40, 30));
    clear(0.0, 1.0, 0.0);
    assert_eq!(read(39, 29), [0, 255, 0, 255]);
    let native = window.pixmap(32, 32);
    let pixmap = glx().glXCreatePixmap(display, config, native.into(), null());
    assert_ne!(pixmap, 0);
    current(display, pixmap, context);
    clear(1.0, 0.0, 0.0);
    glx().glXWaitGL();
    assert_eq!(window.pixel_of(native, 31, 31), 0xff0000);
    current(display, 0, 0);
    glx().glXDestroyPixmap(display, pixmap);
    glx().glXDestroyPbuffer(display, pbuffer);
    assert_eq!(error(), 0);
    glx().glXDestroyPbuffer(display, pbuffer);
    assert_eq!(error(), of_glx(display, 10), "GLXBadPbuffer");
}

/// Old programs: a visual, a context without version, a window.
pub fn visuals() {
    let Some(window) = Window::open(64, 48) else { return };
    let display = open();
    let value = |visual, name| {
        let mut value = -7;
        assert_eq!(glx().glXGetConfig(display, visual, name, &mut value), 0);
        value
    };
    for (list, double) in [(&[4, 5, 12, 16, 0][..], 1), (&[4, 12, 16, 0], 0)] {
        let visual = glx().glXChooseVisual(display, 0, list.as_ptr());
        assert!(!visual.is_null());
        assert_eq!((value(visual, 1), value(visual, 4), value(visual, 5)), (1, 1, double));
        assert!(value(visual, 12) >= 16);
        let context = glx().glXCreateContext(display, visual, 0, 1);
        assert_ne!(context, 0);
        // SAFETY: an XVisualInfo of ours to free.
        if unsafe { (*visual).depth } == 24 {
            current(display, window.id().into(), context);
            assert!(text(gl().glGetString(0x1F02)).starts_with("3.1"));
            current(display, 0, 0);
        }
        glx().glXDestroyContext(display, context);
        x11().XFree(visual.cast());
    }
    // Nothing but RGBA is there.
    assert!(glx().glXChooseVisual(display, 0, [12, 16, 0].as_ptr()).is_null());
}

/// Each refusal is the X error that GLX says, and nothing ends the program.
pub fn refusals() {
    let Some(window) = Window::open(64, 48) else { return };
    let display = open();
    let config = config(display, DOUBLE);
    let good = context(display, config, 0);
    let create = |config, share, attribs: &[c_int]| {
        let made =
            extension().glXCreateContextAttribsARB(display, config, share, 1, attribs.as_ptr());
        assert_eq!(made, 0);
        error()
    };
    let bad_context = of_glx(display, 0);
    assert_eq!(create(config, 0, &[0x2091, 3, 0x2092, 7, 0]), BAD_MATCH);
    assert_eq!(create(config, 0, &[0x1234, 3, 0]), BAD_VALUE);
    assert_eq!(create(config, 0, &[0x2091, 3, 0x2092, 2, 0x9126, 3, 0]), of_glx(display, 13));
    assert_eq!(create(config, 0, &[0x2091, 4, 0x2092, 6, 0x9126, 2, 0]), of_glx(display, 9));
    assert_eq!(create(config, 0xBAD0, CORE), bad_context);
    assert_eq!(glx().glXMakeCurrent(display, window.id().into(), 0), 0);
    assert_eq!(error(), BAD_MATCH);
    assert_eq!(glx().glXMakeCurrent(display, 0x7fff_fff0, good), 0);
    assert_eq!(error(), of_glx(display, 2), "GLXBadDrawable");
    assert_eq!(glx().glXMakeContextCurrent(display, window.id().into(), 0, good), 0);
    assert_eq!(error(), BAD_MATCH);
    let mut value = 0;
    glx().glXQueryDrawable(display, window.id().into(), 0x801D, &mut value);
    assert_eq!(error(), of_glx(display, 2));
    assert_ne!(glx().glXGetFBConfigAttrib(display, config, 0x7777, &mut 0), 0);
    let other = context(display, config, good);
    glx().glXCopyContext(display, good, other, 1);
    assert_eq!(error(), 1, "BadRequest: there are no attribute groups");
    current(display, window.id().into(), good);
    glx().glXUseXFont(1, 0, 1, 1);
    assert_eq!((error(), gl().glGetError()), (0, 0x0502));
    let extensions = text(glx().glXQueryExtensionsString(display, 0));
    assert!(extensions.contains("GLX_ARB_create_context_profile"), "{extensions}");
    assert!(!extensions.contains("texture_from_pixmap"), "{extensions}");
}

/// The three ways to set the swap interval, and the one to ask.
pub fn intervals() {
    let Some(window) = Window::open(64, 48) else { return };
    let display = open();
    let config = config(display, DOUBLE);
    let drawable = window.id().into();
    assert_eq!(extension().glXSwapIntervalSGI(1), 5, "GLX_BAD_CONTEXT");
    current(display, drawable, context(display, config, 0));
    assert_eq!(ask(display, drawable, 0x20F1), 1);
    extension().glXSwapIntervalEXT(display, drawable, 0);
    assert_eq!((ask(display, drawable, 0x20F1), extension().glXGetSwapIntervalMESA()), (0, 0));
    assert_eq!(extension().glXSwapIntervalMESA(1), 0);
    assert_eq!((ask(display, drawable, 0x20F1), extension().glXGetSwapIntervalMESA()), (1, 1));
    assert_eq!(extension().glXSwapIntervalSGI(0), 6, "GLX_BAD_VALUE");
    assert_eq!(extension().glXSwapIntervalSGI(1), 0);
    extension().glXSwapIntervalEXT(display, drawable, -1);
    assert_eq!(error(), BAD_VALUE);
}

/// Threads with contexts of one group draw to one window in turns, and each of their pictures is whole.
pub fn threads() {
    let Some(window) = Window::open(64, 48) else { return };
    let display = open();
    let config = config(display, DOUBLE);
    let first = context(display, config, 0);
    let second = context(display, config, first);
    let drawable: c_ulong = window.id().into();
    let turn = Mutex::new(());
    std::thread::scope(|scope| {
        for (context, red) in [(first, 1.0), (second, 0.0)] {
            let (turn, window) = (&turn, &window);
            scope.spawn(move || {
                current(display, drawable, context);
                for _ in 0..50 {
                    let _mine = turn.lock().unwrap();
                    clear(red, 1.0 - red, 0.0);
                    glx().glXSwapBuffers(display, drawable);
                    gl().glFinish();
                    let hoped = if red > 0.5 { 0xff0000 } else { 0x00ff00 };
                    assert_eq!(window.pixel_now(20, 20), hoped);
                }
                current(display, 0, 0);
            });
        }
    });
}

/// A window that goes, a display that is closed and one that is opened anew.
pub fn closed() {
    let Some(window) = Window::open(64, 48) else { return };
    for round in 0..5 {
        let display = open();
        let config = config(display, DOUBLE);
        let context = context(display, config, 0);
        let other = Window::open(32, 32).expect("the display is still there");
        current(display, other.id().into(), context);
        paint(32);
        glx().glXSwapBuffers(display, other.id().into());
        look(&other, 32, 32);
        drop(other);
        paint(32);
        current(display, window.id().into(), context);
        clear(0.0, 0.0, 1.0);
        paint(48);
        glx().glXSwapBuffers(display, window.id().into());
        look(&window, 64, 48);
        current(display, 0, 0);
        if round % 2 == 0 {
            glx().glXDestroyContext(display, context);
        }
        x11().XCloseDisplay(display);
    }
    assert_eq!(error(), 0);
}

/// What the program asked of its X server is done when glXWaitX returns, and what it draws through X afterwards stays on top.
pub fn ordering() {
    let Some(window) = Window::open(64, 48) else { return };
    let display = open();
    let config = config(display, DOUBLE);
    let drawable = window.id().into();
    current(display, drawable, context(display, config, 0));
    let gc = x11().XCreateGC(display, drawable, 0, null_mut());
    x11().XSetForeground(display, gc, 0x0000ff);
    for _ in 0..20 {
        clear(1.0, 0.0, 0.0);
        glx().glXSwapBuffers(display, drawable);
        glx().glXWaitGL();
        assert_eq!(window.pixel_now(20, 20), 0xff0000);
        // Xlib keeps this in its buffer until somebody sends it.
        x11().XFillRectangle(display, drawable, gc, 0, 0, 64, 48);
        glx().glXWaitX();
        assert_eq!(window.pixel_now(20, 20), 0x0000ff);
    }
}
