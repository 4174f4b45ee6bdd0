//! The host's own driver, through libEGL on the surfaceless platform.

use forerun_pipe::archive::Stage;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

type Get = unsafe extern "C" fn(*const c_char) -> *const c_void;

/// A current context of the host.
pub struct Host {
    get: Get,
    /// `GL_EXTENSIONS`, space-separated.
    pub extensions: String,
}

const EGL_PLATFORM_SURFACELESS_MESA: u32 = 0x31DD;

impl Host {
    /// An ES 3.2 or a desktop core 4.5 context, made current on this thread. None, with a printed reason, if the host has none.
    pub fn new(es: bool) -> Option<Host> {
        Host::try_new(es).map_err(|why| eprintln!("skipped: {why}")).ok()
    }

    fn try_new(es: bool) -> Result<Host, String> {
        // SAFETY: libEGL's initialisers have no preconditions.
        let library = unsafe { Library::new("libEGL.so.1") }.map_err(|e| e.to_string())?;
        // SAFETY: the signature is EGL's.
        let get: Get =
            unsafe { *library.get::<Get>(b"eglGetProcAddress\0").map_err(|e| e.to_string())? };
        // Drivers do not survive being unloaded beside running threads.
        std::mem::forget(library);
        let mut host = Host { get, extensions: String::new() };
        let attributes: &[i32] = if es {
            &[0x3098, 3, 0x30FB, 2, 0x3038]
        } else {
            &[0x3098, 4, 0x30FB, 5, 0x30FD, 1, 0x3038]
        };
        // SAFETY: functions are called with EGL's signatures and live arguments.
        unsafe {
            let display: unsafe extern "C" fn(u32, *mut c_void, *const isize) -> *mut c_void =
                host.function("eglGetPlatformDisplay")?;
            let initialize: unsafe extern "C" fn(*mut c_void, *mut i32, *mut i32) -> u32 =
                host.function("eglInitialize")?;
            let bind: unsafe extern "C" fn(u32) -> u32 = host.function("eglBindAPI")?;
            let create: unsafe extern "C" fn(
                *mut c_void,
                *mut c_void,
                *mut c_void,
                *const i32,
            ) -> *mut c_void = host.function("eglCreateContext")?;
            let current: unsafe extern "C" fn(
                *mut c_void,
                *mut c_void,
                *mut c_void,
                *mut c_void,
            ) -> u32 = host.function("eglMakeCurrent")?;
            let dpy = display(EGL_PLATFORM_SURFACELESS_MESA, null_mut(), null());
            if dpy.is_null() || initialize(dpy, null_mut(), null_mut()) == 0 {
                return Err("no surfaceless EGL display".into());
            }
            bind(if es { 0x30A0 } else { 0x30A2 });
            let context = create(dpy, null_mut(), null_mut(), attributes.as_ptr());
            if context.is_null() || current(dpy, null_mut(), null_mut(), context) == 0 {
                return Err(format!("no host context (es: {es})"));
            }
            let count: unsafe extern "C" fn(u32, *mut i32) = host.function("glGetIntegerv")?;
            let name: unsafe extern "C" fn(u32, u32) -> *const c_char =
                host.function("glGetStringi")?;
            let mut total = 0;
            count(0x821D, &mut total);
            for index in 0..total as u32 {
                let text = CStr::from_ptr(name(0x1F03, index)).to_string_lossy();
                host.extensions.push_str(&text);
                host.extensions.push(' ');
            }
        }
        Ok(host)
    }

    /// A function of the host, as the type that the caller gives it.
    ///
    /// # Safety
    /// `F` is the function's type.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, String> {
        assert_eq!(size_of::<F>(), size_of::<*const c_void>());
        let c_name = CString::new(name).map_err(|e| e.to_string())?;
        // SAFETY: eglGetProcAddress takes any name.
        let pointer = unsafe { (self.get)(c_name.as_ptr()) };
        if pointer.is_null() {
            return Err(format!("{name} is missing"));
        }
        // SAFETY: a non-null pointer of F's size; its type is the caller's promise.
        Ok(unsafe { std::mem::transmute_copy(&pointer) })
    }

    /// Compiles and links; gives the program, or the driver's log.
    pub fn link(&self, stages: &[(Stage, String)], feedback: &[String]) -> Result<u32, String> {
        // SAFETY: functions are called with GL's signatures and live arguments on the thread of the context.
        unsafe {
            let create_shader: unsafe extern "C" fn(u32) -> u32 =
                self.function("glCreateShader")?;
            let source: unsafe extern "C" fn(u32, i32, *const *const c_char, *const i32) =
                self.function("glShaderSource")?;
            let compile: unsafe extern "C" fn(u32) = self.function("glCompileShader")?;
            let shader_iv: unsafe extern "C" fn(u32, u32, *mut i32) =
                self.function("glGetShaderiv")?;
            let shader_log: unsafe extern "C" fn(u32, i32, *mut i32, *mut c_char) =
                self.function("glGetShaderInfoLog")?;
            let create_program: unsafe extern "C" fn() -> u32 = self.function("glCreateProgram")?;
            let attach: unsafe extern "C" fn(u32, u32) = self.function("glAttachShader")?;
            let link: unsafe extern "C" fn(u32) = self.function("glLinkProgram")?;
            let program_iv: unsafe extern "C" fn(u32, u32, *mut i32) =
                self.function("glGetProgramiv")?;
            let program_log: unsafe extern "C" fn(u32, i32, *mut i32, *mut c_char) =
                self.function("glGetProgramInfoLog")?;
            let varyings: unsafe extern "C" fn(u32, i32, *const *const c_char, u32) =
                self.function("glTransformFeedbackVaryings")?;
            let program = create_program();
            let mut log = vec![0u8; 65536];
            for (stage, text) in stages {
                let shader = create_shader(stage.gl_token());
                let (pointer, length) = (text.as_ptr().cast(), text.len() as i32);
                source(shader, 1, &pointer, &length);
                compile(shader);
                let mut ok = 0;
                shader_iv(shader, 0x8B81, &mut ok);
                if ok == 0 {
                    shader_log(shader, log.len() as i32, null_mut(), log.as_mut_ptr().cast());
                    let log = CStr::from_bytes_until_nul(&log).map_err(|e| e.to_string())?;
                    return Err(format!("{}\n{text}", log.to_string_lossy()));
                }
                attach(program, shader);
            }
            if !feedback.is_empty() {
                let owned: Vec<CString> =
                    feedback.iter().filter_map(|n| CString::new(n.as_str()).ok()).collect();
                let pointers: Vec<_> = owned.iter().map(|n| n.as_ptr()).collect();
                varyings(program, pointers.len() as i32, pointers.as_ptr(), 0x8C8C);
            }
            link(program);
            let mut ok = 0;
            program_iv(program, 0x8B82, &mut ok);
            if ok == 0 {
                program_log(program, log.len() as i32, null_mut(), log.as_mut_ptr().cast());
                let log = CStr::from_bytes_until_nul(&log).map_err(|e| e.to_string())?;
                let texts: Vec<&str> = stages.iter().map(|s| s.1.as_str()).collect();
                return Err(format!("{}\n{}", log.to_string_lossy(), texts.join("\n----\n")));
            }
            Ok(program)
        }
    }
}
