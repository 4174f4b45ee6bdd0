//! The system's libEGL, loaded as a program loads it.

#![allow(non_snake_case, dead_code, clippy::too_many_arguments)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::OnceLock;

type P = *mut c_void;

macro_rules! functions {
    ($what:ident, $( $name:ident ( $($arg:ident : $ty:ty),* ) -> $ret:ty; )*) => {
        /// Functions by name.
        pub struct $what { $( $name: unsafe extern "C" fn($($ty),*) -> $ret, )* }

        impl $what {
            fn load(find: impl Fn(&str) -> P) -> $what {
                $what { $( $name: {
                    let address = find(stringify!($name));
                    assert!(!address.is_null(), "{}", stringify!($name));
                    // SAFETY: the function has the type that its specification says.
                    unsafe { std::mem::transmute::<P, unsafe extern "C" fn($($ty),*) -> $ret>(address) }
                }, )* }
            }

            $( pub fn $name(&self, $($arg: $ty),*) -> $ret {
                // SAFETY: the cases pass what the specification allows, and handles that it refuses.
                unsafe { (self.$name)($($arg),*) }
            } )*
        }
    };
}

pub(crate) use functions;

functions! { Egl,
    eglGetError() -> c_int;
    eglGetPlatformDisplay(platform: u32, native: P, attribs: *const isize) -> usize;
    eglInitialize(display: usize, major: *mut c_int, minor: *mut c_int) -> u32;
    eglTerminate(display: usize) -> u32;
    eglBindAPI(api: u32) -> u32;
    eglQueryString(display: usize, name: c_int) -> *const c_char;
    eglGetConfigs(display: usize, configs: *mut usize, size: c_int, count: *mut c_int) -> u32;
    eglChooseConfig(display: usize, attribs: *const c_int, configs: *mut usize, size: c_int, count: *mut c_int) -> u32;
    eglGetConfigAttrib(display: usize, config: usize, name: c_int, value: *mut c_int) -> u32;
    eglCreateContext(display: usize, config: usize, share: usize, attribs: *const c_int) -> usize;
    eglDestroyContext(display: usize, context: usize) -> u32;
    eglCreatePbufferSurface(display: usize, config: usize, attribs: *const c_int) -> usize;
    eglCreateWindowSurface(display: usize, config: usize, window: usize, attribs: *const c_int) -> usize;
    eglDestroySurface(display: usize, surface: usize) -> u32;
    eglQuerySurface(display: usize, surface: usize, name: c_int, value: *mut c_int) -> u32;
    eglQueryContext(display: usize, context: usize, name: c_int, value: *mut c_int) -> u32;
    eglMakeCurrent(display: usize, draw: usize, read: usize, context: usize) -> u32;
    eglSwapBuffers(display: usize, surface: usize) -> u32;
    eglSwapInterval(display: usize, interval: c_int) -> u32;
    eglReleaseThread() -> u32;
    eglWaitClient() -> u32;
    eglGetCurrentContext() -> usize;
    eglCreateSync(display: usize, ty: u32, attribs: *const isize) -> usize;
    eglClientWaitSync(display: usize, sync: usize, flags: c_int, timeout: u64) -> c_int;
    eglDestroySync(display: usize, sync: usize) -> u32;
    eglGetProcAddress(name: *const c_char) -> P;
}

functions! { Gl,
    glClearColor(r: f32, g: f32, b: f32, a: f32) -> ();
    glClear(mask: u32) -> ();
    glGetError() -> u32;
    glCreateShaderObjectARB(stage: u32) -> u32;
    glCreateProgramObjectARB() -> u32;
    glShaderSourceARB(shader: u32, count: c_int, strings: *const *const c_char, lengths: *const c_int) -> ();
    glCompileShaderARB(shader: u32) -> ();
    glAttachObjectARB(program: u32, shader: u32) -> ();
    glLinkProgramARB(program: u32) -> ();
    glUseProgramObjectARB(program: u32) -> ();
    glGetHandleARB(name: u32) -> u32;
    glDeleteObjectARB(object: u32) -> ();
    glGetObjectParameterivARB(object: u32, name: u32, out: *mut c_int) -> ();
    glGetInfoLogARB(object: u32, room: c_int, length: *mut c_int, out: *mut c_char) -> ();
    glGetAttachedObjectsARB(program: u32, room: c_int, length: *mut c_int, out: *mut u32) -> ();
    glGetString(name: u32) -> *const c_char;
    glGetIntegerv(name: u32, out: *mut c_int) -> ();
    glFinish() -> ();
    glFlush() -> ();
    glScissor(x: c_int, y: c_int, w: c_int, h: c_int) -> ();
    glEnable(cap: u32) -> ();
    glDisable(cap: u32) -> ();
    glReadPixels(x: c_int, y: c_int, w: c_int, h: c_int, format: u32, ty: u32, out: *mut u8) -> ();
    glGenTextures(n: c_int, out: *mut u32) -> ();
    glBindTexture(target: u32, name: u32) -> ();
    glGetStringi(name: u32, index: u32) -> *const c_char;
    glDeleteTextures(n: c_int, names: *const u32) -> ();
    glGenQueries(n: c_int, out: *mut u32) -> ();
    glBeginQuery(target: u32, query: u32) -> ();
    glEndQuery(target: u32) -> ();
    glGetQueryObjectuiv(query: u32, name: u32, out: *mut u32) -> ();
    glGetGraphicsResetStatus() -> u32;
    glIsTexture(name: u32) -> u8;
}

/// libEGL.
pub fn egl() -> &'static Egl {
    static EGL: OnceLock<Egl> = OnceLock::new();
    EGL.get_or_init(|| {
        // SAFETY: the system's library, kept for the life of the process.
        let library =
            unsafe { libloading::Library::new("libEGL.so.1") }.expect("libEGL is installed");
        let library = Box::leak(Box::new(library));
        Egl::load(|name| {
            // SAFETY: only the address is taken.
            let symbol = unsafe { library.get::<P>(name) };
            symbol.map_or(std::ptr::null_mut(), |s| *s)
        })
    })
}

/// GL through eglGetProcAddress.
pub fn gl() -> &'static Gl {
    static GL: OnceLock<Gl> = OnceLock::new();
    GL.get_or_init(|| {
        Gl::load(|name| {
            let name = CString::new(name).expect("a plain name");
            egl().eglGetProcAddress(name.as_ptr())
        })
    })
}

/// A string of the library.
pub fn text(pointer: *const c_char) -> String {
    assert!(!pointer.is_null());
    // SAFETY: libEGL and GL return terminated strings.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// Fails with the EGL error.
#[track_caller]
pub fn ok(answer: u32) {
    let error = egl().eglGetError();
    assert_eq!(answer, 1, "EGL error {error:#x}");
}
