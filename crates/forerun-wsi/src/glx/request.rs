//! What a program asks of glXCreateContextAttribsARB, in the words that EGL has for the same (GLX_ARB_create_context and what extends
//! it).

use super::error::{BAD_MATCH, BAD_VALUE, GLX_BAD_PROFILE, Result, fail};
use super::tokens::*;
use crate::egl;
use crate::request::Request;
use std::ffi::c_int;

/// Reads attribute pairs (without the terminator).
///
/// # Errors
/// BadValue, BadMatch, GLXBadProfileARB.
pub fn parse(pairs: &[(c_int, c_int)]) -> Result<Request> {
    let (mut major, mut minor, mut profile) = (1, 0, CONTEXT_CORE_PROFILE_BIT);
    let mut translated = Vec::with_capacity(pairs.len());
    for &(name, value) in pairs {
        match name {
            CONTEXT_MAJOR_VERSION => {
                major = value;
                translated.push((egl::CONTEXT_MAJOR_VERSION, value));
            }
            CONTEXT_MINOR_VERSION => {
                minor = value;
                translated.push((egl::CONTEXT_MINOR_VERSION, value));
            }
            CONTEXT_FLAGS => {
                if value & !CONTEXT_FLAGS_ALL != 0 {
                    return fail(BAD_VALUE, 0, format!("context flags {value:#x}"));
                }
                translated.push((egl::CONTEXT_FLAGS_KHR, value));
            }
            CONTEXT_PROFILE_MASK => profile = value,
            CONTEXT_RESET_NOTIFICATION_STRATEGY => {
                let strategy = match value {
                    NO_RESET_NOTIFICATION => egl::NO_RESET_NOTIFICATION,
                    LOSE_CONTEXT_ON_RESET => egl::LOSE_CONTEXT_ON_RESET,
                    _ => return fail(BAD_VALUE, 0, format!("reset strategy {value:#x}")),
                };
                translated.push((egl::CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, strategy));
            }
            CONTEXT_OPENGL_NO_ERROR => {
                translated.push((egl::CONTEXT_OPENGL_NO_ERROR_KHR, c_int::from(value != 0)))
            }
            CONTEXT_RELEASE_BEHAVIOR => match value {
                CONTEXT_RELEASE_BEHAVIOR_NONE | CONTEXT_RELEASE_BEHAVIOR_FLUSH => {
                    translated.push((egl::CONTEXT_RELEASE_BEHAVIOR_KHR, value));
                }
                _ => return fail(BAD_VALUE, 0, format!("release behaviour {value:#x}")),
            },
            RENDER_TYPE => match value {
                RGBA_TYPE => {}
                COLOR_INDEX_TYPE => return fail(BAD_MATCH, 0, "no context draws colour indices"),
                _ => return fail(BAD_VALUE, 0, format!("render type {value:#x}")),
            },
            _ => return fail(BAD_VALUE, 0, format!("{name:#06x} is no attribute of contexts")),
        }
    }
    let es = profile == CONTEXT_ES2_PROFILE_BIT;
    let known = matches!(profile, CONTEXT_CORE_PROFILE_BIT | CONTEXT_COMPATIBILITY_PROFILE_BIT);
    if !es && !known {
        return fail(GLX_BAD_PROFILE, 0, format!("profile mask {profile:#x}"));
    }
    if es && !matches!((major, minor), (1, 0..=1) | (2, 0) | (3, 0..=2)) {
        return fail(GLX_BAD_PROFILE, 0, format!("there is no OpenGL ES {major}.{minor}"));
    }
    if es {
        // The forward-compatible bit is one that ES contexts cannot have.
        let flags = translated.iter().any(|&(name, value)| {
            name == egl::CONTEXT_FLAGS_KHR && value & crate::request::FORWARD as c_int != 0
        });
        if flags {
            return fail(BAD_MATCH, 0, "an OpenGL ES context is not forward compatible");
        }
        for pair in &mut translated {
            if pair.0 == egl::CONTEXT_FLAGS_KHR && pair.1 & crate::request::ROBUST as c_int != 0 {
                pair.1 &= !(crate::request::ROBUST as c_int);
            }
        }
        let robust = pairs.iter().any(|&(name, value)| {
            name == CONTEXT_FLAGS && value & crate::request::ROBUST as c_int != 0
        });
        if robust {
            translated.push((egl::CONTEXT_OPENGL_ROBUST_ACCESS_EXT, 1));
        }
    } else if known {
        translated.push((egl::CONTEXT_OPENGL_PROFILE_MASK, profile));
    }
    let client = if es { egl::OPENGL_ES_API } else { egl::OPENGL_API };
    Ok(Request::parse(client, &translated)?)
}

/// The context that glXCreateContext and glXCreateNewContext make: no version, no profile.
pub fn legacy() -> Result<Request> {
    Ok(Request::parse(egl::OPENGL_API, &[])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glx::error::Code;

    fn code(pairs: &[(c_int, c_int)]) -> std::result::Result<(u32, c_int, c_int), Code> {
        parse(pairs).map(|r| (r.client, r.major, r.minor)).map_err(|refusal| refusal.code)
    }

    #[test]
    fn versions_and_profiles_are_those_of_egl() {
        assert_eq!(code(&[]), Ok((egl::OPENGL_API, 1, 0)));
        let core =
            [(CONTEXT_MAJOR_VERSION, 3), (CONTEXT_MINOR_VERSION, 3), (CONTEXT_PROFILE_MASK, 1)];
        assert_eq!(code(&core), Ok((egl::OPENGL_API, 3, 3)));
        let es = [(CONTEXT_MAJOR_VERSION, 2), (CONTEXT_PROFILE_MASK, 4)];
        assert_eq!(code(&es), Ok((egl::OPENGL_ES_API, 2, 0)));
        let robust = [es[0], es[1], (CONTEXT_FLAGS, 4)];
        assert_eq!(parse(&robust).unwrap().flags, crate::request::ROBUST);
    }

    #[test]
    fn each_wrong_attribute_has_its_own_error() {
        assert_eq!(code(&[(0x1234, 1)]), Err(BAD_VALUE));
        assert_eq!(code(&[(CONTEXT_FLAGS, 0x4000_0000)]), Err(BAD_VALUE));
        assert_eq!(code(&[(CONTEXT_RESET_NOTIFICATION_STRATEGY, 1)]), Err(BAD_VALUE));
        assert_eq!(code(&[(RENDER_TYPE, COLOR_INDEX_TYPE)]), Err(BAD_MATCH));
        assert_eq!(code(&[(CONTEXT_MAJOR_VERSION, 3), (CONTEXT_MINOR_VERSION, 4)]), Err(BAD_MATCH));
        let version = [(CONTEXT_MAJOR_VERSION, 3), (CONTEXT_MINOR_VERSION, 2)];
        for mask in [0, 3, 8] {
            let pairs = [version[0], version[1], (CONTEXT_PROFILE_MASK, mask)];
            assert_eq!(code(&pairs), Err(GLX_BAD_PROFILE));
        }
        assert_eq!(code(&[(CONTEXT_PROFILE_MASK, 0)]), Err(GLX_BAD_PROFILE));
        let es =
            [(CONTEXT_MAJOR_VERSION, 2), (CONTEXT_MINOR_VERSION, 1), (CONTEXT_PROFILE_MASK, 4)];
        assert_eq!(code(&es), Err(GLX_BAD_PROFILE));
        // Before 3.2 there are no profiles, but the mask names one all the same.
        assert!(code(&[(CONTEXT_MAJOR_VERSION, 3), (CONTEXT_PROFILE_MASK, 2)]).is_ok());
        assert_eq!(code(&[(CONTEXT_MAJOR_VERSION, 2), (CONTEXT_FLAGS, 2)]), Err(BAD_MATCH));
    }
}
