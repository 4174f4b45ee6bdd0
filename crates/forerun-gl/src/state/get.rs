//! `glGet*` and `glGetString*`: every family answers for its own state; limits come from the caps.

use crate::context::{Api, Context, State};
use crate::error::{GlResult, check_enum, invalid_enum, invalid_value};
use crate::value::Value;
use forerun_pipe::caps::{LimitInfo, LimitType, Limits};
use forerun_pipe::gl;
use std::ffi::{CStr, CString};
use std::sync::OnceLock;
use zerocopy::{FromBytes, IntoBytes};

/// Answers glGetBooleanv, glGetIntegerv, glGetInteger64v, glGetFloatv, glGetDoublev.
///
/// # Errors
/// GL_INVALID_ENUM for a name that this context does not know.
pub fn get(cx: &mut Context, pname: u32) -> GlResult<Value> {
    check_enum(cx.state.knows(pname), "state variable")?;
    if let Some(value) = super::query::get(cx, pname) {
        return value;
    }
    let state = &cx.state;
    let families: [fn(&State, u32) -> Option<Value>; 13] = [
        super::raster::get,
        super::buffer_query::get,
        super::texture::get,
        super::framebuffer::get,
        super::program::get,
        super::vertex_query::get,
        super::clear::get,
        super::readback::get,
        super::sampler::get,
        super::feedback::get,
        super::debug::get,
        own,
        limit,
    ];
    match families.iter().find_map(|family| family(state, pname)) {
        Some(value) => Ok(value),
        None => invalid_enum("state variable"),
    }
}

/// How a family answers glGet*i_v: `None` when the name is not its own.
type Indexed = fn(&State, u32, u32) -> Option<GlResult<Value>>;

/// Answers glGet*i_v.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown name, GL_INVALID_VALUE for an index too large.
pub fn get_indexed(cx: &Context, pname: u32, index: u32) -> GlResult<Value> {
    let state = &cx.state;
    check_enum(state.knows(pname), "indexed state variable")?;
    let families: [Indexed; 6] = [
        super::raster::get_indexed,
        super::buffer_query::get_indexed,
        super::vertex_query::get_indexed,
        super::feedback::get_indexed,
        super::sampler::get_indexed,
        super::texture::get_indexed,
    ];
    if let Some(answer) = families.iter().find_map(|family| family(state, pname, index)) {
        return answer;
    }
    match find(pname).filter(|info| info.ty == LimitType::Indexed) {
        Some(info) if (index as usize) < info.count => {
            let bytes = state.caps.limits.as_bytes();
            Ok(Value::int(read_i32(bytes, info.offset + 4 * index as usize)))
        }
        Some(_) => invalid_value("index of a limit"),
        None => invalid_enum("indexed state variable"),
    }
}

fn find(pname: u32) -> Option<&'static LimitInfo> {
    (pname != 0).then(|| Limits::TABLE.iter().find(|info| info.pname == pname))?
}

fn read_i32(bytes: &[u8], at: usize) -> i32 {
    bytes.get(at..at + 4).and_then(|b| i32::read_from_bytes(b).ok()).unwrap_or_default()
}

fn limit(state: &State, pname: u32) -> Option<Value> {
    let info = find(pname)?;
    let bytes = state.caps.limits.as_bytes();
    let at = |i: usize| info.offset + 4 * i;
    Some(match info.ty {
        LimitType::Int => {
            Value::ints(&(0..info.count).map(|i| read_i32(bytes, at(i))).collect::<Vec<_>>())
        }
        LimitType::Float => {
            // Granularities are kept in pairs for alignment; only their first value is GL's.
            let count = if matches!(
                pname,
                gl::SMOOTH_LINE_WIDTH_GRANULARITY | gl::POINT_SIZE_GRANULARITY
            ) {
                1
            } else {
                info.count
            };
            Value::floats(
                &(0..count)
                    .map(|i| f32::from_bits(read_i32(bytes, at(i)) as u32))
                    .collect::<Vec<_>>(),
            )
        }
        LimitType::Int64 => Value::int(
            bytes.get(info.offset..info.offset + 8).and_then(|b| i64::read_from_bytes(b).ok())?,
        ),
        LimitType::Indexed => return None,
    })
}

/// Bits of a colour or depth component of the draw framebuffer (compatibility and ES queries).
fn own(state: &State, pname: u32) -> Option<Value> {
    Some(match pname {
        gl::MAJOR_VERSION => Value::int(state.config.version / 10),
        gl::MINOR_VERSION => Value::int(state.config.version % 10),
        gl::NUM_EXTENSIONS => Value::int(state.extensions.count() as i64),
        gl::CONTEXT_FLAGS => {
            let bits = [
                (state.config.forward_compatible, gl::CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT),
                (state.config.debug, gl::CONTEXT_FLAG_DEBUG_BIT),
                (state.config.robust_access, gl::CONTEXT_FLAG_ROBUST_ACCESS_BIT),
                (state.config.no_error, gl::CONTEXT_FLAG_NO_ERROR_BIT),
            ];
            Value::int(bits.iter().filter(|b| b.0).fold(0, |flags, b| flags | b.1))
        }
        gl::CONTEXT_PROFILE_MASK => Value::int(match state.config.api {
            Api::Core => gl::CONTEXT_CORE_PROFILE_BIT,
            _ => gl::CONTEXT_COMPATIBILITY_PROFILE_BIT,
        }),
        gl::RESET_NOTIFICATION_STRATEGY => Value::int(if state.config.lose_context_on_reset {
            gl::LOSE_CONTEXT_ON_RESET
        } else {
            gl::NO_RESET_NOTIFICATION
        }),
        gl::NUM_SHADING_LANGUAGE_VERSIONS => Value::int(language_versions(state).len() as i64),
        gl::SHADER_COMPILER => Value::bool(true),
        gl::CONTEXT_RELEASE_BEHAVIOR => Value::int(if state.config.flushes {
            gl::CONTEXT_RELEASE_BEHAVIOR_FLUSH
        } else {
            gl::NONE
        }),
        gl::PRIMITIVE_RESTART_FOR_PATCHES_SUPPORTED => Value::bool(false),
        // Of several samples that fetch, each is shaded and discarded by itself.
        gl::FRAGMENT_SHADER_DISCARDS_SAMPLES_EXT => Value::bool(false),
        gl::MAX_VARYING_FLOATS => Value::int(state.caps.limits.max_varying_components),
        gl::STEREO => Value::bool(false),
        gl::DOUBLEBUFFER => Value::bool(state.draw.double_buffered),
        gl::CONTEXT_ROBUST_ACCESS => Value::bool(state.config.robust_access),
        gl::MULTISAMPLE_LINE_WIDTH_GRANULARITY => {
            Value::floats(&state.caps.limits.smooth_line_width_granularity[..1])
        }
        gl::POINT_SIZE_RANGE => Value::floats(&state.caps.limits.aliased_point_size_range),
        gl::MAX_LABEL_LENGTH => Value::int(super::debug::MAX_LABEL_LENGTH as i64),
        _ => return None,
    })
}

/// The strings of a context, made once.
#[derive(Debug, Default)]
pub struct Strings {
    renderer: OnceLock<CString>,
    version: OnceLock<CString>,
    language: OnceLock<CString>,
    languages: OnceLock<Vec<CString>>,
}

/// What may follow `#version` in this context, newest first; 1.10 is the language of shaders without one (OpenGL 4.6, section 22.2).
fn language_versions(state: &State) -> &[CString] {
    state.strings.languages.get_or_init(|| {
        let newest = state.config.version * 10;
        let desktop = [460, 450, 440, 430, 420, 410, 400, 330, 150, 140, 130, 120, 110];
        let known = |version: &u32| match *version {
            150 => newest >= 320,
            140 => newest >= 310,
            ..140 => true,
            version => version <= newest,
        };
        let of_desktop = desktop.into_iter().filter(known).map(|version| match version {
            110 => String::new(),
            150.. => format!("{version} core"),
            _ => version.to_string(),
        });
        let of_es = [
            ("310 es", "GL_ARB_ES3_1_compatibility"),
            ("300 es", "GL_ARB_ES3_compatibility"),
            ("100", "GL_ARB_ES2_compatibility"),
        ];
        let of_es = of_es.into_iter().filter(|(_, gate)| state.extensions.has(gate));
        of_desktop.chain(of_es.map(|(text, _)| text.to_owned())).map(c_string).collect()
    })
}

fn c_string(text: String) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// GL_RENDERER: what draws, and by what.
pub fn renderer(caps: &forerun_pipe::caps::Caps) -> String {
    format!("Forerun ({}: {})", caps.backend, caps.renderer)
}

/// glGetString.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown name; GL_EXTENSIONS is unknown in a core profile.
pub fn string(cx: &Context, name: u32) -> GlResult<*const u8> {
    let state = &cx.state;
    let strings = &state.strings;
    let (major, minor) = (state.config.version / 10, state.config.version % 10);
    let build = concat!("Forerun ", env!("CARGO_PKG_VERSION"));
    let text: &CStr = match name {
        gl::VENDOR => c"Forerun",
        gl::RENDERER => strings.renderer.get_or_init(|| c_string(renderer(&state.caps))),
        gl::VERSION => strings.version.get_or_init(|| {
            c_string(match state.config.api {
                Api::Es => format!("OpenGL ES {major}.{minor} {build}"),
                Api::Core if state.config.version >= 32 => {
                    format!("{major}.{minor} (Core Profile) {build}")
                }
                Api::Core | Api::Legacy => format!("{major}.{minor} {build}"),
            })
        }),
        gl::SHADING_LANGUAGE_VERSION => strings.language.get_or_init(|| {
            c_string(match (state.config.api, state.config.version) {
                (Api::Es, 20) => "OpenGL ES GLSL ES 1.00".into(),
                (Api::Es, _) => format!("OpenGL ES GLSL ES {major}.{minor}0"),
                (_, 33..) => format!("{major}.{minor}0"),
                (_, 32) => "1.50".into(),
                (_, 31) => "1.40".into(),
                (_, 30) => "1.30".into(),
                _ => "1.20".into(),
            })
        }),
        gl::EXTENSIONS if state.config.api != Api::Core => state.extensions.joined(),
        _ => return invalid_enum("string"),
    };
    Ok(text.as_ptr().cast())
}

/// glGetStringi.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown name, GL_INVALID_VALUE for an index too large.
pub fn string_indexed(cx: &Context, name: u32, index: u32) -> GlResult<*const u8> {
    match name {
        gl::EXTENSIONS => match cx.extensions.get(index as usize) {
            Some(text) => Ok(text.as_ptr().cast()),
            None => invalid_value("extension index"),
        },
        gl::SHADING_LANGUAGE_VERSION if cx.desktop(43) => {
            match language_versions(&cx.state).get(index as usize) {
                Some(text) => Ok(text.as_ptr().cast()),
                None => invalid_value("index of a language version"),
            }
        }
        _ => invalid_enum("indexed string"),
    }
}

/// glGetGraphicsResetStatus: a lost session is a reset, told to contexts that asked for it (OpenGL ES 3.2, section 2.3.3).
pub fn reset_status(cx: &Context) -> u32 {
    if cx.config.lose_context_on_reset && cx.lost().is_some() {
        gl::UNKNOWN_CONTEXT_RESET
    } else {
        gl::NO_ERROR
    }
}
