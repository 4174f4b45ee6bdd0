//! The probe's EGL and GL: loaded at run time, as any program's, and held in one scene of a program,
//! two textures, two vertex arrays and a target.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null;

use libloading::Library;

use crate::{Doing, Error, Result};

pub(super) type Enum = u32;

const EGL_NONE: i32 = 0x3038;
const SURFACELESS: u32 = 0x31DD;
pub(super) const TEXTURE_2D: Enum = 0x0DE1;
pub(super) const RGBA: Enum = 0x1908;
pub(super) const RGBA8: i32 = 0x8058;
pub(super) const UNSIGNED_BYTE: Enum = 0x1401;
pub(super) const FLOAT: Enum = 0x1406;
pub(super) const ARRAY_BUFFER: Enum = 0x8892;
const STATIC_DRAW: Enum = 0x88E4;
pub(super) const FRAMEBUFFER: Enum = 0x8D40;
const BLEND: Enum = 0x0BE2;
const COLOR_BUFFER_BIT: u32 = 0x4000;
const TRIANGLES: Enum = 4;

const VERTEX: &CStr = c"#version 300 es
layout(location = 0) in vec2 at;
uniform float shift;
out vec2 uv;
void main() { uv = at; gl_Position = vec4(at * 0.01 + shift, 0.0, 1.0); }";
const FRAGMENT: &CStr = c"#version 300 es
precision mediump float;
in vec2 uv;
uniform sampler2D picture;
out vec4 colour;
void main() { colour = texture(picture, uv); }";

/// Loads EGL functions by symbol and GL functions through `eglGetProcAddress`.
macro_rules! functions {
    ($($field:ident = $name:literal: fn($($arg:ty),*) $(-> $ret:ty)?;)+) => {
        pub(super) struct Functions { $(pub(super) $field: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)+ }

        impl Functions {
            fn load(egl: &Library) -> Result<Functions> {
                type Find = unsafe extern "C" fn(*const c_char) -> *const c_void;
                // SAFETY: the type is eglGetProcAddress's own.
                let find = unsafe { egl.get::<Find>(c"eglGetProcAddress") };
                let find = *find.doing("eglGetProcAddress")?;
                Ok(Functions { $($field: {
                    // SAFETY: the name is a C string; any thread may ask.
                    let address = unsafe { find($name.as_ptr()) };
                    if address.is_null() {
                        return Err(Error(format!("there is no {:?}", $name)));
                    }
                    // SAFETY: the type is the one that the specification gives to this name.
                    unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn($($arg),*) $(-> $ret)?>(address) }
                },)+ })
            }
        }
    };
}

functions! {
    get_display = c"eglGetPlatformDisplay": fn(u32, *const c_void, *const isize) -> *const c_void;
    initialize = c"eglInitialize": fn(*const c_void, *mut i32, *mut i32) -> u32;
    bind_api = c"eglBindAPI": fn(u32) -> u32;
    choose = c"eglChooseConfig": fn(*const c_void, *const i32, *mut *const c_void, i32, *mut i32) -> u32;
    create_context = c"eglCreateContext": fn(*const c_void, *const c_void, *const c_void, *const i32) -> *const c_void;
    create_pbuffer = c"eglCreatePbufferSurface": fn(*const c_void, *const c_void, *const i32) -> *const c_void;
    make_current = c"eglMakeCurrent": fn(*const c_void, *const c_void, *const c_void, *const c_void) -> u32;
    get_string = c"glGetString": fn(Enum) -> *const c_char;
    get_error = c"glGetError": fn() -> Enum;
    clear = c"glClear": fn(u32);
    clear_color = c"glClearColor": fn(f32, f32, f32, f32);
    read_pixels = c"glReadPixels": fn(i32, i32, i32, i32, Enum, Enum, *mut c_void);
    finish = c"glFinish": fn();
    enable = c"glEnable": fn(Enum);
    disable = c"glDisable": fn(Enum);
    create_shader = c"glCreateShader": fn(Enum) -> u32;
    shader_source = c"glShaderSource": fn(u32, i32, *const *const c_char, *const i32);
    compile = c"glCompileShader": fn(u32);
    create_program = c"glCreateProgram": fn() -> u32;
    attach = c"glAttachShader": fn(u32, u32);
    link = c"glLinkProgram": fn(u32);
    use_program = c"glUseProgram": fn(u32);
    uniform_location = c"glGetUniformLocation": fn(u32, *const c_char) -> i32;
    uniform = c"glUniform1f": fn(i32, f32);
    gen_textures = c"glGenTextures": fn(i32, *mut u32);
    bind_texture = c"glBindTexture": fn(Enum, u32);
    tex_parameter = c"glTexParameteri": fn(Enum, Enum, i32);
    tex_image = c"glTexImage2D": fn(Enum, i32, i32, i32, i32, i32, Enum, Enum, *const c_void);
    tex_sub_image = c"glTexSubImage2D": fn(Enum, i32, i32, i32, i32, i32, Enum, Enum, *const c_void);
    gen_buffers = c"glGenBuffers": fn(i32, *mut u32);
    bind_buffer = c"glBindBuffer": fn(Enum, u32);
    buffer_data = c"glBufferData": fn(Enum, isize, *const c_void, Enum);
    buffer_sub_data = c"glBufferSubData": fn(Enum, isize, isize, *const c_void);
    gen_arrays = c"glGenVertexArrays": fn(i32, *mut u32);
    bind_array = c"glBindVertexArray": fn(u32);
    attrib_pointer = c"glVertexAttribPointer": fn(u32, i32, Enum, u8, i32, *const c_void);
    enable_attrib = c"glEnableVertexAttribArray": fn(u32);
    gen_framebuffers = c"glGenFramebuffers": fn(i32, *mut u32);
    bind_framebuffer = c"glBindFramebuffer": fn(Enum, u32);
    framebuffer_texture = c"glFramebufferTexture2D": fn(Enum, Enum, Enum, u32, i32);
    viewport = c"glViewport": fn(i32, i32, i32, i32);
    draw_arrays = c"glDrawArrays": fn(Enum, i32, i32);
    delete_buffers = c"glDeleteBuffers": fn(i32, *const u32);
    map_range = c"glMapBufferRange": fn(Enum, isize, isize, u32) -> *mut c_void;
    unmap = c"glUnmapBuffer": fn(Enum) -> u8;
    copy_buffer = c"glCopyBufferSubData": fn(Enum, Enum, isize, isize, isize);
    extension = c"glGetStringi": fn(Enum, u32) -> *const c_char;
    integer = c"glGetIntegerv": fn(Enum, *mut i32);
    buffer_storage = c"glBufferStorageEXT": fn(Enum, isize, *const c_void, u32);
    fence = c"glFenceSync": fn(Enum, u32) -> *const c_void;
    wait_fence = c"glClientWaitSync": fn(*const c_void, u32, u64) -> Enum;
    delete_fence = c"glDeleteSync": fn(*const c_void);
}

/// A current context with the scene in it. It lives as long as the process.
pub struct Gl {
    pub(super) f: Functions,
    shift: i32,
    textures: [u32; 2],
    arrays: [u32; 2],
    scratch: u32,
    upload: u32,
}

/// Calls of GL that only need the context which [`Gl::start`] made current on this thread.
macro_rules! gl {
    ($self:ident: $($name:ident($($arg:expr),*);)+) => {
        // SAFETY: the context is current on this thread, the only one that has a `Gl`, and every
        // pointer is to memory of the size that the other arguments say.
        unsafe { $(($self.f.$name)($($arg),*);)+ }
    };
}

impl Gl {
    /// Makes a context on a display without windows, and the scene.
    ///
    /// # Errors
    /// When EGL, or OpenGL ES 3 on it, is not to be had.
    pub fn start() -> Result<Gl> {
        // SAFETY: libEGL is made to be loaded by any program.
        let egl = unsafe { Library::new("libEGL.so.1") }.doing("libEGL.so.1")?;
        let f = Functions::load(&egl)?;
        // Its code must stay: a driver's threads may run until the process ends.
        std::mem::forget(egl);
        current(&f)?;
        let mut gl = Gl { f, shift: 0, textures: [0; 2], arrays: [0; 2], scratch: 0, upload: 0 };
        gl.scene();
        Ok(gl)
    }

    fn scene(&mut self) {
        // SAFETY: as in `gl!`.
        let program = unsafe { (self.f.create_program)() };
        for (kind, source) in [(0x8B31, VERTEX), (0x8B30, FRAGMENT)] {
            // SAFETY: as in `gl!`.
            let shader = unsafe { (self.f.create_shader)(kind) };
            let text = source.as_ptr();
            gl!(self: shader_source(shader, 1, &raw const text, null()); compile(shader); attach(program, shader););
        }
        gl!(self: link(program); use_program(program););
        // SAFETY: as in `gl!`.
        self.shift = unsafe { (self.f.uniform_location)(program, c"shift".as_ptr()) };

        let corners: [f32; 6] = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
        let picture = [0x80_u8; 16 * 16 * 4];
        let mut target = 0;
        let mut made = [0_u32; 4];
        gl!(self: gen_textures(4, made.as_mut_ptr()); gen_arrays(2, self.arrays.as_mut_ptr()););
        let [a, b, colour, upload] = made;
        self.textures = [a, b];
        self.upload = upload;
        let sizes = [
            (a, 16, picture.as_ptr()),
            (b, 16, picture.as_ptr()),
            (colour, 1024, null()),
            (upload, 1024, null()),
        ];
        for (texture, side, from) in sizes {
            gl!(self:
                bind_texture(TEXTURE_2D, texture);
                tex_image(TEXTURE_2D, 0, RGBA8, side, side, 0, RGBA, UNSIGNED_BYTE, from.cast());
                tex_parameter(TEXTURE_2D, 0x2801, 0x2600);
            );
        }
        for array in self.arrays {
            let mut buffer = 0;
            gl!(self:
                bind_array(array);
                gen_buffers(1, &raw mut buffer);
                bind_buffer(ARRAY_BUFFER, buffer);
                buffer_data(ARRAY_BUFFER, 24, corners.as_ptr().cast(), STATIC_DRAW);
                attrib_pointer(0, 2, FLOAT, 0, 8, null());
                enable_attrib(0);
            );
        }
        gl!(self:
            gen_buffers(1, &raw mut self.scratch);
            bind_buffer(ARRAY_BUFFER, self.scratch);
            buffer_data(ARRAY_BUFFER, 4 << 20, null(), STATIC_DRAW);
            gen_framebuffers(1, &raw mut target);
            bind_framebuffer(FRAMEBUFFER, target);
            framebuffer_texture(FRAMEBUFFER, 0x8CE0, TEXTURE_2D, colour, 0);
            viewport(0, 0, 1024, 1024);
            bind_texture(TEXTURE_2D, a);
        );
    }

    /// `GL_RENDERER`.
    pub fn renderer(&self) -> String {
        // SAFETY: as in `gl!`; the string lives as long as the context.
        let text = unsafe { (self.f.get_string)(0x1F01) };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: GL's strings end in a zero byte.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    /// `glGetError`.
    pub fn error(&self) -> u32 {
        // SAFETY: as in `gl!`.
        unsafe { (self.f.get_error)() }
    }

    /// Clears the target.
    pub fn clear(&self) {
        gl!(self: clear_color(0.1, 0.2, 0.3, 1.0); clear(COLOR_BUFFER_BIT););
    }

    /// Reads one pixel, which waits for everything before it.
    pub fn read_pixel(&self) {
        let mut pixel = [0_u8; 4];
        gl!(self: read_pixels(0, 0, 1, 1, RGBA, UNSIGNED_BYTE, pixel.as_mut_ptr().cast()););
    }

    /// `glFinish`.
    pub fn finish(&self) {
        gl!(self: finish(););
    }

    /// Draws one small triangle.
    pub fn draw(&self) {
        gl!(self: draw_arrays(TRIANGLES, 0, 3););
    }

    /// Sets the uniform.
    pub fn set_uniform(&self, value: f32) {
        gl!(self: uniform(self.shift, value););
    }

    /// Binds the first or the second texture.
    pub fn bind_texture(&self, which: usize) {
        let texture = self.textures.get(which).copied().unwrap_or(0);
        gl!(self: bind_texture(TEXTURE_2D, texture););
    }

    /// Binds the first or the second vertex array.
    pub fn bind_array(&self, which: usize) {
        let array = self.arrays.get(which).copied().unwrap_or(0);
        gl!(self: bind_array(array););
    }

    /// Switches blending.
    pub fn set_blend(&self, on: bool) {
        if on {
            gl!(self: enable(BLEND););
        } else {
            gl!(self: disable(BLEND););
        }
    }

    /// Rewrites 64 bytes of a buffer.
    pub fn update_buffer(&self, n: u32) {
        let bytes = [n as u8; 64];
        gl!(self: buffer_sub_data(ARRAY_BUFFER, 0, 64, bytes.as_ptr().cast()););
    }

    /// Rewrites a texture of `side`² pixels.
    pub fn upload_texture(&self, side: i32, bytes: &[u8]) {
        assert!(bytes.len() >= (side * side * 4) as usize, "the picture is whole");
        gl!(self:
            bind_texture(TEXTURE_2D, self.upload);
            tex_sub_image(TEXTURE_2D, 0, 0, 0, side, side, RGBA, UNSIGNED_BYTE, bytes.as_ptr().cast());
        );
    }

    /// Rewrites a buffer of up to 4 MiB.
    pub fn upload_buffer(&self, bytes: &[u8]) {
        gl!(self: buffer_sub_data(ARRAY_BUFFER, 0, bytes.len() as isize, bytes.as_ptr().cast()););
    }

    /// Reads the target's `side`² pixels.
    pub fn read_back(&self, side: i32, into: &mut [u8]) {
        assert!(into.len() >= (side * side * 4) as usize, "there is room");
        gl!(self: read_pixels(0, 0, side, side, RGBA, UNSIGNED_BYTE, into.as_mut_ptr().cast()););
    }
}

pub(super) use gl;

/// Makes an OpenGL ES 3 context current.
fn current(f: &Functions) -> Result {
    let mut config = null();
    let mut count = 0;
    let wanted = [0x3033, 1, 0x3040, 0x40, 0x3024, 8, EGL_NONE];
    let version = [0x3098, 3, EGL_NONE];
    let size = [0x3057, 64, 0x3056, 64, EGL_NONE];
    // SAFETY: EGL's own rules: lists end in EGL_NONE, outputs are of the stated types.
    unsafe {
        let display = (f.get_display)(SURFACELESS, null(), null());
        if display.is_null()
            || (f.initialize)(display, std::ptr::null_mut(), std::ptr::null_mut()) == 0
        {
            return Err(Error::new("no EGL display without windows"));
        }
        (f.bind_api)(0x30A0);
        (f.choose)(display, wanted.as_ptr(), &raw mut config, 1, &raw mut count);
        if count < 1 {
            return Err(Error::new("no EGL config with pbuffers"));
        }
        let context = (f.create_context)(display, config, null(), version.as_ptr());
        let surface = (f.create_pbuffer)(display, config, size.as_ptr());
        if context.is_null() || (f.make_current)(display, surface, surface, context) == 0 {
            return Err(Error::new("no OpenGL ES 3 context"));
        }
    }
    Ok(())
}
