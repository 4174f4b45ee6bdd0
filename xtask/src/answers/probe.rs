//! The half that runs in a context: it gives every name from 0 to 0xFFFF to every function that takes one, and tells
//! which names were accepted, and how many values there were.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null;

use libloading::Library;

use crate::{Doing, Error, Result};

/// Function → name → how many values were written (0 where none are asked for), of names that are accepted. A name that is refused with
/// another error than GL_INVALID_ENUM has that error's negative.
pub type Answers = BTreeMap<String, BTreeMap<u32, i32>>;

/// What a context said.
#[derive(serde::Serialize, serde::Deserialize, Debug)]
pub struct Said {
    /// GL_VERSION.
    pub version: String,
    /// Its extensions.
    pub extensions: Vec<String>,
    /// Its answers.
    pub answers: Answers,
}

const INVALID_ENUM: u32 = 0x0500;
const TEXTURE_2D: u32 = 0x0DE1;
const ARRAY_BUFFER: u32 = 0x8892;
const FRAMEBUFFER: u32 = 0x8D40;
const RENDERBUFFER: u32 = 0x8D41;
/// More values than any variable has.
const ROOM: usize = 1024;
/// Names of GL_EXT_memory_object that a driver of the host dies of.
const DEADLY: std::ops::RangeInclusive<u32> = 0x9596..=0x959B;
const UNSET: i32 = 0x5A5A_1234;

type Find = unsafe extern "C" fn(*const c_char) -> *const c_void;

/// Calls a function by its name; nothing happens when it is not there.
macro_rules! call {
    ($find:expr, $name:literal ( $($arg:expr => $ty:ty),* ) $(-> $ret:ty)?) => {{
        // SAFETY: the name is a C string.
        let address = unsafe { $find($name.as_ptr()) };
        // SAFETY: the type is the one that the registry gives to this name; pointers are to as much as it writes.
        (!address.is_null()).then(|| unsafe {
            std::mem::transmute::<*const c_void, unsafe extern "C" fn($($ty),*) $(-> $ret)?>(address)($($arg),*)
        })
    }};
}

/// Makes a context of an API (`es` or `core`) and version (10 × major + minor), and asks it everything.
///
/// # Errors
/// When there is no such context.
pub fn ask(api: &str, version: u32) -> Result<Said> {
    // SAFETY: libEGL is made to be loaded by any program.
    let egl = unsafe { Library::new("libEGL.so.1") }.doing("libEGL.so.1")?;
    // SAFETY: the type is eglGetProcAddress's own.
    let find = *unsafe { egl.get::<Find>(c"eglGetProcAddress") }.doing("eglGetProcAddress")?;
    std::mem::forget(egl);
    current(find, api, version)?;
    let text = |name: u32| string(call!(find, c"glGetString"(name => u32) -> *const c_char));
    let error = || call!(find, c"glGetError"() -> u32).unwrap_or(0);
    let version_text = text(0x1F02);
    let extensions = if version >= 30 {
        let mut count = 0i32;
        call!(find, c"glGetIntegerv"(0x821D => u32, &raw mut count => *mut i32));
        (0..count as u32)
            .map(|i| string(call!(find, c"glGetStringi"(0x1F03 => u32, i => u32) -> *const c_char)))
            .collect()
    } else {
        text(0x1F03).split_whitespace().map(str::to_owned).collect()
    };
    objects(find, version);
    while error() != 0 {}
    let mut answers = Answers::new();
    let mut values = vec![UNSET; ROOM];
    for (what, ask) in questions() {
        let mut accepted = BTreeMap::new();
        for name in (0..0x1_0000u32).filter(|name| !DEADLY.contains(name)) {
            ask(find, name, values.as_mut_ptr());
            let written = values.iter().rposition(|v| *v != UNSET).map_or(0, |at| at + 1);
            values[..written].fill(UNSET);
            match error() {
                0 => accepted.insert(name, written as i32),
                INVALID_ENUM => None,
                other => accepted.insert(name, -(other as i32)),
            };
        }
        answers.insert(what.to_owned(), accepted);
    }
    Ok(Said { version: version_text, extensions, answers })
}

fn string(text: Option<*const c_char>) -> String {
    match text {
        // SAFETY: GL's strings end in a zero byte.
        Some(text) if !text.is_null() => unsafe { CStr::from_ptr(text) }.to_string_lossy().into(),
        _ => String::new(),
    }
}

/// Something of each kind, bound, so that its parameters can be asked for.
fn objects(find: Find, version: u32) {
    let mut name = 1u32;
    let out = &raw mut name;
    if version >= 30 {
        call!(find, c"glGenVertexArrays"(1 => i32, out => *mut u32));
        call!(find, c"glBindVertexArray"(name => u32));
    }
    call!(find, c"glGenBuffers"(1 => i32, out => *mut u32));
    call!(find, c"glBindBuffer"(ARRAY_BUFFER => u32, name => u32));
    call!(find, c"glGenTextures"(1 => i32, out => *mut u32));
    call!(find, c"glBindTexture"(TEXTURE_2D => u32, name => u32));
    call!(find, c"glTexImage2D"(TEXTURE_2D => u32, 0 => i32, 0x1908 => i32, 4 => i32, 4 => i32, 0 => i32, 0x1908 => u32,
        0x1401 => u32, null() => *const c_void));
    let texture = name;
    call!(find, c"glGenFramebuffers"(1 => i32, out => *mut u32));
    call!(find, c"glBindFramebuffer"(FRAMEBUFFER => u32, name => u32));
    call!(find, c"glFramebufferTexture2D"(FRAMEBUFFER => u32, 0x8CE0 => u32, TEXTURE_2D => u32, texture => u32, 0 => i32));
    call!(find, c"glGenRenderbuffers"(1 => i32, out => *mut u32));
    call!(find, c"glBindRenderbuffer"(RENDERBUFFER => u32, name => u32));
    call!(find, c"glRenderbufferStorage"(RENDERBUFFER => u32, 0x8D62 => u32, 4 => i32, 4 => i32));
    // Shader 1 and program 2: the first names of a fresh context.
    call!(find, c"glCreateShader"(0x8B31 => u32) -> u32);
    call!(find, c"glCreateProgram"() -> u32);
}

type Ask = fn(Find, u32, *mut i32);

/// Every function with a name to try, and how to call it.
fn questions() -> Vec<(&'static str, Ask)> {
    vec![
        ("glGetIntegerv", |f, n, out| {
            call!(f, c"glGetIntegerv"(n => u32, out => *mut i32));
        }),
        ("glGetIntegeri_v", |f, n, out| {
            call!(f, c"glGetIntegeri_v"(n => u32, 0 => u32, out => *mut i32));
        }),
        ("glIsEnabled", |f, n, _| {
            call!(f, c"glIsEnabled"(n => u32) -> u8);
        }),
        ("glGetString", |f, n, _| {
            call!(f, c"glGetString"(n => u32) -> *const c_char);
        }),
        ("glGetTexParameteriv", |f, n, out| {
            call!(f, c"glGetTexParameteriv"(TEXTURE_2D => u32, n => u32, out => *mut i32));
        }),
        ("glGetTexLevelParameteriv", |f, n, out| {
            call!(f, c"glGetTexLevelParameteriv"(TEXTURE_2D => u32, 0 => i32, n => u32, out => *mut i32));
        }),
        ("glGetBufferParameteriv", |f, n, out| {
            call!(f, c"glGetBufferParameteriv"(ARRAY_BUFFER => u32, n => u32, out => *mut i32));
        }),
        ("glGetRenderbufferParameteriv", |f, n, out| {
            call!(f, c"glGetRenderbufferParameteriv"(RENDERBUFFER => u32, n => u32, out => *mut i32));
        }),
        ("glGetFramebufferAttachmentParameteriv", |f, n, out| {
            call!(f, c"glGetFramebufferAttachmentParameteriv"(FRAMEBUFFER => u32, 0x8CE0 => u32, n => u32, out => *mut i32));
        }),
        ("glGetFramebufferParameteriv", |f, n, out| {
            call!(f, c"glGetFramebufferParameteriv"(FRAMEBUFFER => u32, n => u32, out => *mut i32));
        }),
        ("glGetVertexAttribiv", |f, n, out| {
            call!(f, c"glGetVertexAttribiv"(1 => u32, n => u32, out => *mut i32));
        }),
        ("glGetShaderiv", |f, n, out| {
            call!(f, c"glGetShaderiv"(1 => u32, n => u32, out => *mut i32));
        }),
        ("glGetProgramiv", |f, n, out| {
            call!(f, c"glGetProgramiv"(2 => u32, n => u32, out => *mut i32));
        }),
        ("glGetQueryiv", |f, n, out| {
            call!(f, c"glGetQueryiv"(n => u32, 0x8865 => u32, out => *mut i32));
        }),
        ("glBindBuffer", |f, n, _| {
            // The array buffer stays, for its parameters.
            if n != ARRAY_BUFFER {
                call!(f, c"glBindBuffer"(n => u32, 0 => u32));
            }
        }),
        ("glBindBufferBase", |f, n, _| {
            call!(f, c"glBindBufferBase"(n => u32, 0 => u32, 0 => u32));
        }),
        ("glBindTexture", |f, n, _| {
            if n != TEXTURE_2D {
                call!(f, c"glBindTexture"(n => u32, 0 => u32));
            }
        }),
        ("glCheckFramebufferStatus", |f, n, _| {
            call!(f, c"glCheckFramebufferStatus"(n => u32) -> u32);
        }),
        ("glTexParameteri GL_TEXTURE_WRAP_S", |f, n, _| {
            call!(f, c"glTexParameteri"(TEXTURE_2D => u32, 0x2802 => u32, n as i32 => i32));
        }),
        ("glTexParameteri GL_TEXTURE_MIN_FILTER", |f, n, _| {
            call!(f, c"glTexParameteri"(TEXTURE_2D => u32, 0x2801 => u32, n as i32 => i32));
        }),
        ("glHint", |f, n, _| {
            call!(f, c"glHint"(n => u32, 0x1100 => u32));
        }),
        ("glBlendEquation", |f, n, _| {
            call!(f, c"glBlendEquation"(n => u32));
        }),
        ("glBlendFunc source", |f, n, _| {
            call!(f, c"glBlendFunc"(n => u32, 1 => u32));
        }),
        ("glBlendFunc destination", |f, n, _| {
            call!(f, c"glBlendFunc"(1 => u32, n => u32));
        }),
        ("glPixelStorei", |f, n, _| {
            call!(f, c"glPixelStorei"(n => u32, 1 => i32));
        }),
        ("glCreateShader", |f, n, _| {
            if let Some(shader) = call!(f, c"glCreateShader"(n => u32) -> u32) {
                call!(f, c"glDeleteShader"(shader => u32));
            }
        }),
        ("glRenderbufferStorage", |f, n, _| {
            call!(f, c"glRenderbufferStorage"(RENDERBUFFER => u32, n => u32, 4 => i32, 4 => i32));
        }),
        ("glVertexAttribPointer", |f, n, _| {
            call!(f, c"glVertexAttribPointer"(1 => u32, 4 => i32, n => u32, 0 => u8, 0 => i32, null() => *const c_void));
        }),
        ("glBufferData usage", |f, n, _| {
            call!(f, c"glBufferData"(ARRAY_BUFFER => u32, 16 => isize, null() => *const c_void, n => u32));
        }),
        ("glTexImage2D format of that internal format", |f, n, _| {
            call!(f, c"glTexImage2D"(TEXTURE_2D => u32, 0 => i32, n as i32 => i32, 4 => i32, 4 => i32, 0 => i32, n => u32,
                0x1401 => u32, null() => *const c_void));
        }),
        ("glTexStorage2D", |f, n, _| {
            let mut name = 0u32;
            call!(f, c"glGenTextures"(1 => i32, &raw mut name => *mut u32));
            call!(f, c"glBindTexture"(TEXTURE_2D => u32, name => u32));
            call!(f, c"glTexStorage2D"(TEXTURE_2D => u32, 1 => i32, n => u32, 4 => i32, 4 => i32));
            call!(f, c"glDeleteTextures"(1 => i32, &raw const name => *const u32));
        }),
    ]
}

/// Makes the context current on a display without windows.
fn current(find: Find, api: &str, version: u32) -> Result {
    let mut config: *const c_void = null();
    let mut count = 0i32;
    let (bind, renderable) = if api == "es" { (0x30A0, 0x40) } else { (0x30A2, 8) };
    let wanted = [0x3033, 1, 0x3040, renderable, 0x3024, 8, 0x3025, 24, 0x3026, 8, 0x3038];
    let mut attributes = vec![0x3098, version as i32 / 10, 0x30FB, version as i32 % 10];
    if api != "es" {
        attributes.extend([0x30FD, 1]);
    }
    attributes.push(0x3038);
    let size = [0x3057, 64, 0x3056, 64, 0x3038];
    let display = call!(find, c"eglGetPlatformDisplay"(0x31DD => u32, null() => *const c_void, null() => *const isize) -> *const c_void)
        .unwrap_or(null());
    let ready = call!(find, c"eglInitialize"(display => *const c_void, std::ptr::null_mut() => *mut i32, std::ptr::null_mut() => *mut i32) -> u32);
    call!(find, c"eglBindAPI"(bind => u32) -> u32);
    call!(find, c"eglChooseConfig"(display => *const c_void, wanted.as_ptr() => *const i32, &raw mut config => *mut *const c_void,
        1 => i32, &raw mut count => *mut i32) -> u32);
    if ready != Some(1) || count < 1 {
        return Err(Error::new("no EGL display without windows, or no config with pbuffers"));
    }
    let context = call!(find, c"eglCreateContext"(display => *const c_void, config => *const c_void, null() => *const c_void,
        attributes.as_ptr() => *const i32) -> *const c_void)
    .unwrap_or(null());
    let surface = call!(find, c"eglCreatePbufferSurface"(display => *const c_void, config => *const c_void, size.as_ptr() => *const i32) -> *const c_void)
        .unwrap_or(null());
    let made = call!(find, c"eglMakeCurrent"(display => *const c_void, surface => *const c_void, surface => *const c_void,
        context => *const c_void) -> u32);
    match made {
        Some(1) if !context.is_null() => Ok(()),
        _ => Err(Error(format!("no context of {api} {version}"))),
    }
}
