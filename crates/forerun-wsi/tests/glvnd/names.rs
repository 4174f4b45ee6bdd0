//! What a fresh context answers to every name that there is.

use crate::cases::{COLOR, ES, GL, context, display, pbuffer};
use crate::egl::{egl, gl, ok, text};
use std::ffi::c_int;

const INVALID_ENUM: u32 = 0x0500;
/// Room for the longest list of values.
const ROOM: usize = 1024;

/// Calls that need a context, without one.
fn nothing_is_current() {
    let mut values = [7; ROOM];
    for name in [0x1F00, 0x1F01, 0x1F02, 0x1F03, 0x8B8C, 0x0BA2, 0x821D] {
        gl().glGetString(name);
        gl().glGetStringi(name, 0);
        gl().glGetIntegerv(name, values.as_mut_ptr());
    }
    gl().glClear(COLOR);
    gl().glFlush();
    gl().glFinish();
    gl().glGetError();
}

/// Every number up to 0xFFFF is a name with a value, or none and an error; no name is between.
pub fn all() {
    nothing_is_current();
    let display = display();
    nothing_is_current();
    for (api, bit, least) in [(ES, 4, 290), (GL, 8, 300)] {
        let context = context(display, api, 0);
        let surface = pbuffer(display, bit, 16, 8);
        ok(egl().eglMakeCurrent(display, surface, surface, context));
        assert_eq!(gl().glGetError(), 0);
        let known = (0..0x1_0000).filter(|name| variable(*name)).count();
        assert!(known >= least, "{known} state variables");
        let strings = (0..0x1_0000).filter(|name| string(*name)).count();
        // GL_VENDOR, GL_RENDERER, GL_VERSION, GL_SHADING_LANGUAGE_VERSION, and for ES GL_EXTENSIONS.
        assert_eq!(strings, if api == ES { 5 } else { 4 });
        let mut count: c_int = 0;
        gl().glGetIntegerv(0x821D, &mut count);
        for i in 0..count as u32 {
            assert!(text(gl().glGetStringi(0x1F03, i)).starts_with("GL_"));
        }
        assert!(gl().glGetStringi(0x1F03, count as u32).is_null());
        assert_eq!(gl().glGetError(), 0x0501);
        ok(egl().eglMakeCurrent(display, 0, 0, 0));
        nothing_is_current();
    }
}

fn variable(name: u32) -> bool {
    let ask = |mark: c_int| {
        let mut values = [mark; ROOM];
        gl().glGetIntegerv(name, values.as_mut_ptr());
        (gl().glGetError(), values[0])
    };
    let ((error, one), (again, two)) = (ask(0x5A5A_5A5A), ask(0x1B1B_1B1B));
    assert_eq!(error, again, "{name:#x}");
    if error != 0 {
        assert_eq!((error, one, two), (INVALID_ENUM, 0x5A5A_5A5A, 0x1B1B_1B1B), "{name:#x}");
        return false;
    }
    // GL_SHADER_BINARY_FORMATS and its like are lists, and may be empty.
    let list = [0x8DF8, 0x86A3, 0x87FF].contains(&name);
    assert!(list || one == two, "{name:#x} has no value");
    true
}

fn string(name: u32) -> bool {
    let pointer = gl().glGetString(name);
    let error = gl().glGetError();
    if pointer.is_null() {
        assert_eq!(error, INVALID_ENUM, "{name:#x}");
        return false;
    }
    assert_eq!(error, 0, "{name:#x}");
    assert!(!text(pointer).is_empty(), "{name:#x}");
    true
}

/// ARB_shader_objects, whose commands take shaders and programs alike.
pub fn objects() {
    let display = display();
    let context = context(display, GL, 0);
    let surface = pbuffer(display, 8, 16, 8);
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    let parameter = |object, name| {
        let mut value: c_int = -1;
        gl().glGetObjectParameterivARB(object, name, &mut value);
        value
    };
    let log = |object| {
        let (mut bytes, mut length) = ([0u8; 512], -1);
        gl().glGetInfoLogARB(object, 512, &mut length, bytes.as_mut_ptr().cast());
        String::from_utf8_lossy(&bytes[..length as usize]).into_owned()
    };
    let program = gl().glCreateProgramObjectARB();
    for (stage, source) in [(0x8B31, VERTEX), (0x8B30, FRAGMENT)] {
        let shader = gl().glCreateShaderObjectARB(stage);
        assert_eq!(parameter(shader, OBJECT_TYPE), 0x8B48, "GL_SHADER_OBJECT_ARB");
        assert_eq!(parameter(shader, 0x8B4F), stage as c_int, "GL_OBJECT_SUBTYPE_ARB");
        gl().glShaderSourceARB(shader, 1, &c"no shader".as_ptr(), std::ptr::null());
        gl().glCompileShaderARB(shader);
        assert_eq!(parameter(shader, 0x8B81), 0, "GL_OBJECT_COMPILE_STATUS_ARB");
        assert!(log(shader).contains("error"), "{}", log(shader));
        gl().glShaderSourceARB(shader, 1, &source.as_ptr(), std::ptr::null());
        gl().glCompileShaderARB(shader);
        assert_eq!(parameter(shader, 0x8B81), 1, "{}", log(shader));
        gl().glAttachObjectARB(program, shader);
        gl().glDeleteObjectARB(shader);
        assert_eq!(parameter(shader, 0x8B80), 1, "GL_OBJECT_DELETE_STATUS_ARB while attached");
    }
    gl().glLinkProgramARB(program);
    assert_eq!(parameter(program, 0x8B82), 1, "{}", log(program));
    assert_eq!(parameter(program, OBJECT_TYPE), PROGRAM_OBJECT as c_int);
    assert_eq!(parameter(program, 0x8B85), 2, "GL_OBJECT_ATTACHED_OBJECTS_ARB");
    let (mut attached, mut count) = ([0; 4], 0);
    gl().glGetAttachedObjectsARB(program, 4, &mut count, attached.as_mut_ptr());
    assert_eq!(count, 2);
    gl().glUseProgramObjectARB(program);
    assert_eq!(gl().glGetHandleARB(PROGRAM_OBJECT), program);
    gl().glUseProgramObjectARB(0);
    gl().glDeleteObjectARB(program);
    gl().glDeleteObjectARB(0);
    assert_eq!(gl().glGetError(), 0);
    gl().glDeleteObjectARB(attached[0]);
    assert_eq!(gl().glGetError(), 0x0501, "its shaders went with it");
    gl().glGetHandleARB(0x8B48);
    assert_eq!(gl().glGetError(), INVALID_ENUM);
    ok(egl().eglMakeCurrent(display, 0, 0, 0));
}

const OBJECT_TYPE: u32 = 0x8B4E;
const PROGRAM_OBJECT: u32 = 0x8B40;
const VERTEX: &std::ffi::CStr = c"#version 150\nin vec4 at; void main() { gl_Position = at; }";
const FRAGMENT: &std::ffi::CStr =
    c"#version 150\nout vec4 color; void main() { color = vec4(1.0); }";
