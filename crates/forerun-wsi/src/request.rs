//! What a program asks of eglCreateContext, and which context it gets (EGL 1.5, §3.7.1).

use crate::egl::*;
use crate::error::{Result, fail};
use forerun_pipe::caps::Caps;
use forerun_pipe::records::api;
use std::fmt;

/// EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR, also the bit of [`Granted::flags`].
pub const DEBUG: u32 = 1;
/// EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE_BIT_KHR.
pub const FORWARD: u32 = 2;
/// EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR.
pub const ROBUST: u32 = 4;

/// The attributes of a context as they were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// EGL_OPENGL_ES_API or EGL_OPENGL_API.
    pub client: EGLenum,
    /// EGL_CONTEXT_MAJOR_VERSION.
    pub major: EGLint,
    /// EGL_CONTEXT_MINOR_VERSION.
    pub minor: EGLint,
    /// [`DEBUG`], [`FORWARD`], [`ROBUST`].
    pub flags: u32,
    /// EGL_CONTEXT_OPENGL_PROFILE_MASK.
    pub profile: EGLint,
    /// Whether the program wants to be told of resets.
    pub reset: bool,
    /// EGL_CONTEXT_OPENGL_NO_ERROR_KHR.
    pub no_error: bool,
    /// Whether commands are flushed when the context is no longer current: EGL_CONTEXT_RELEASE_BEHAVIOR_KHR.
    pub flushes: bool,
}

/// The context that a program gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    /// [`api`].
    pub api: u32,
    /// Version.
    pub major: u32,
    /// Version.
    pub minor: u32,
    /// [`DEBUG`], [`FORWARD`], [`ROBUST`].
    pub flags: u32,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { major, minor, .. } = self;
        match (self.client == OPENGL_API, self.major, self.minor) {
            (false, ..) => write!(f, "OpenGL ES {major}.{minor}")?,
            (true, 1, 0) => write!(f, "OpenGL of any version")?,
            _ => write!(f, "OpenGL {major}.{minor}")?,
        }
        if self.client == OPENGL_API && self.profiled() {
            let core = self.profile == CONTEXT_OPENGL_CORE_PROFILE_BIT;
            f.write_str(if core { " core" } else { " compatibility" })?;
        }
        Ok(())
    }
}

impl fmt::Display for Granted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = match self.api {
            api::ES => (" ES", ""),
            api::CORE => ("", " core"),
            _ => ("", ""),
        };
        write!(f, "OpenGL{before} {}.{}{after}", self.major, self.minor)
    }
}

fn flag(flags: &mut u32, bit: u32, value: EGLint) -> Result<()> {
    match value {
        0 => *flags &= !bit,
        1 => *flags |= bit,
        _ => return fail(BAD_ATTRIBUTE, format!("{value:#x} is no boolean")),
    }
    Ok(())
}

impl Request {
    /// Reads attribute pairs (without the terminator) for a context of that client API.
    ///
    /// # Errors
    /// EGL_BAD_ATTRIBUTE, EGL_BAD_MATCH, EGL_BAD_PARAMETER.
    pub fn parse(client: EGLenum, pairs: &[(EGLint, EGLint)]) -> Result<Request> {
        let desktop = client == OPENGL_API;
        let mut request = Request {
            client,
            major: 1,
            minor: 0,
            flags: 0,
            profile: CONTEXT_OPENGL_CORE_PROFILE_BIT,
            reset: false,
            no_error: false,
            flushes: true,
        };
        for &(name, value) in pairs {
            match name {
                CONTEXT_MAJOR_VERSION => request.major = value,
                CONTEXT_MINOR_VERSION => request.minor = value,
                CONTEXT_FLAGS_KHR => {
                    let known = (DEBUG | FORWARD | ROBUST) as EGLint;
                    // Only the debug bit means something for ES; robustness has an attribute of its own.
                    let allowed = if desktop { known } else { DEBUG as EGLint };
                    if value & !allowed != 0 {
                        return fail(BAD_ATTRIBUTE, format!("context flags {value:#x}"));
                    }
                    request.flags |= value as u32;
                }
                CONTEXT_OPENGL_PROFILE_MASK if desktop => {
                    request.profile = value;
                }
                CONTEXT_OPENGL_DEBUG => flag(&mut request.flags, DEBUG, value)?,
                CONTEXT_OPENGL_FORWARD_COMPATIBLE if desktop => {
                    flag(&mut request.flags, FORWARD, value)?;
                }
                CONTEXT_OPENGL_ROBUST_ACCESS | CONTEXT_OPENGL_ROBUST_ACCESS_EXT => {
                    flag(&mut request.flags, ROBUST, value)?;
                }
                CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY
                | CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT => match value {
                    NO_RESET_NOTIFICATION => request.reset = false,
                    LOSE_CONTEXT_ON_RESET => request.reset = true,
                    _ => return fail(BAD_ATTRIBUTE, format!("reset strategy {value:#x}")),
                },
                CONTEXT_OPENGL_NO_ERROR_KHR => {
                    let mut bits = 0;
                    flag(&mut bits, 1, value)?;
                    request.no_error = bits != 0;
                }
                CONTEXT_RELEASE_BEHAVIOR_KHR => match value {
                    CONTEXT_RELEASE_BEHAVIOR_NONE_KHR => request.flushes = false,
                    CONTEXT_RELEASE_BEHAVIOR_FLUSH_KHR => request.flushes = true,
                    _ => return fail(BAD_ATTRIBUTE, format!("release behaviour {value:#x}")),
                },
                CONTEXT_PRIORITY_LEVEL_IMG => match value {
                    // Priorities are accepted and make no difference.
                    CONTEXT_PRIORITY_HIGH_IMG
                    | CONTEXT_PRIORITY_MEDIUM_IMG
                    | CONTEXT_PRIORITY_LOW_IMG => {}
                    _ => return fail(BAD_ATTRIBUTE, format!("priority {value:#x}")),
                },
                _ => {
                    return fail(BAD_ATTRIBUTE, format!("{name:#06x} is no attribute of contexts"));
                }
            }
        }
        request.check()
    }

    /// Versions that never existed, and combinations that make no sense.
    fn check(self) -> Result<Request> {
        let exists = match (self.client == OPENGL_API, self.major, self.minor) {
            (true, 1, minor) => (0..=5).contains(&minor),
            (true, 2, minor) => (0..=1).contains(&minor),
            (true, 3, minor) => (0..=3).contains(&minor),
            (true, 4, minor) => (0..=6).contains(&minor),
            (false, 1, minor) => (0..=1).contains(&minor),
            (false, 2, minor) => minor == 0,
            (false, 3, minor) => (0..=2).contains(&minor),
            _ => false,
        };
        if !exists {
            return fail(BAD_MATCH, format!("there is no version {}.{}", self.major, self.minor));
        }
        let desktop = self.client == OPENGL_API;
        if desktop && self.flags & FORWARD != 0 && self.major < 3 {
            return fail(BAD_MATCH, "forward compatibility begins with version 3.0");
        }
        if desktop
            && self.profiled()
            && self.profile != CONTEXT_OPENGL_CORE_PROFILE_BIT
            && self.profile != CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT
        {
            return fail(BAD_MATCH, "exactly one profile is to be asked for");
        }
        if self.no_error && self.flags & (DEBUG | ROBUST) != 0 {
            return fail(BAD_MATCH, "a context without errors is neither a debug nor a robust one");
        }
        Ok(self)
    }

    /// Whether profiles exist in that version.
    fn profiled(&self) -> bool {
        (self.major, self.minor) >= (3, 2)
    }

    /// The renderable bit that a config needs.
    pub fn renderable_bit(&self) -> EGLint {
        match (self.client == OPENGL_API, self.major) {
            (true, _) => OPENGL_BIT,
            (false, 1) => OPENGL_ES_BIT,
            (false, 2) => OPENGL_ES2_BIT,
            (false, _) => OPENGL_ES3_BIT,
        }
    }

    /// The context that the program gets: the highest version that is compatible with the one asked for. `stated` is the version of
    /// FORERUN_GL_VERSION (10 × major + minor, 0 without it): core contexts up to it are granted as if it worked, and all contexts that
    /// can have it do.
    ///
    /// # Errors
    /// EGL_BAD_MATCH when what works does not reach what was asked for.
    pub fn grant(&self, caps: &Caps, stated: u32) -> Result<Granted> {
        let max_core = caps.max_core.max(stated);
        let asked = (10 * self.major + self.minor) as u32;
        let refuse = |best: u32| {
            fail(
                BAD_MATCH,
                format!(
                    "version {}.{} was asked for, {}.{} works",
                    self.major,
                    self.minor,
                    best / 10,
                    best % 10
                ),
            )
        };
        let grant = |api, version: u32| {
            let states = stated != 0 && (api != api::ES || stated <= caps.max_es);
            let version = if states { stated } else { version };
            Ok(Granted { api, major: version / 10, minor: version % 10, flags: self.flags })
        };
        if self.client != OPENGL_API {
            if self.major < 2 {
                return fail(BAD_MATCH, "OpenGL ES 1.x is not served");
            }
            return if asked > caps.max_es {
                refuse(caps.max_es)
            } else {
                grant(api::ES, caps.max_es)
            };
        }
        if self.profiled() {
            if self.profile == CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT {
                return fail(BAD_MATCH, "the compatibility profile is not served");
            }
            return if asked > max_core { refuse(max_core) } else { grant(api::CORE, max_core) };
        }
        if max_core < 31 {
            return refuse(max_core);
        }
        // 3.0 and 3.1 with forward compatibility are core; everything older gets 3.1 with what old programs lean on.
        if self.flags & FORWARD != 0 {
            return grant(api::CORE, max_core);
        }
        grant(api::COMPATIBILITY, 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caps(max_core: u32, max_es: u32) -> Caps {
        Caps { max_core, max_es, ..Caps::default() }
    }

    fn grant(
        client: EGLenum,
        pairs: &[(EGLint, EGLint)],
    ) -> std::result::Result<(u32, u32), EGLint> {
        Request::parse(client, pairs)
            .and_then(|r| r.grant(&caps(33, 32), 0))
            .map(|g| (g.api, g.major * 10 + g.minor))
            .map_err(|e| e.code)
    }

    #[test]
    fn es_programs_get_the_highest_version() {
        for major in [2, 3] {
            assert_eq!(grant(OPENGL_ES_API, &[(CONTEXT_MAJOR_VERSION, major)]), Ok((api::ES, 32)));
        }
        assert_eq!(grant(OPENGL_ES_API, &[]), Err(BAD_MATCH));
        assert_eq!(
            grant(OPENGL_ES_API, &[(CONTEXT_MAJOR_VERSION, 3), (CONTEXT_MINOR_VERSION, 3)]),
            Err(BAD_MATCH)
        );
    }

    #[test]
    fn a_stated_version_is_granted_in_place_of_what_works() {
        let version = |major, minor| {
            let pairs = [(CONTEXT_MAJOR_VERSION, major), (CONTEXT_MINOR_VERSION, minor)];
            let request = Request::parse(OPENGL_API, &pairs)?;
            request.grant(&caps(33, 32), 43).map(|g| g.major * 10 + g.minor)
        };
        assert_eq!(version(4, 3).map_err(|e| e.code), Ok(43));
        assert_eq!(version(3, 2).map_err(|e| e.code), Ok(43), "all of them");
        assert_eq!(version(4, 4).map_err(|e| e.code), Err(BAD_MATCH));
    }

    #[test]
    fn core_programs_get_core_and_old_ones_three_one() {
        let core = [(CONTEXT_MAJOR_VERSION, 3), (CONTEXT_MINOR_VERSION, 2)];
        assert_eq!(grant(OPENGL_API, &core), Ok((api::CORE, 33)));
        assert_eq!(grant(OPENGL_API, &[]), Ok((api::COMPATIBILITY, 31)));
        let newer = [(CONTEXT_MAJOR_VERSION, 4), (CONTEXT_MINOR_VERSION, 3)];
        assert_eq!(grant(OPENGL_API, &newer), Err(BAD_MATCH));
        let compatibility = [core[0], core[1], (CONTEXT_OPENGL_PROFILE_MASK, 2)];
        assert_eq!(grant(OPENGL_API, &compatibility), Err(BAD_MATCH));
        let forward =
            [(CONTEXT_MAJOR_VERSION, 3), (CONTEXT_MINOR_VERSION, 1), (CONTEXT_FLAGS_KHR, 2)];
        assert_eq!(grant(OPENGL_API, &forward), Ok((api::CORE, 33)));
    }

    #[test]
    fn a_request_and_what_it_gets_are_told_in_words() {
        let words = |client, pairs: &[(EGLint, EGLint)]| {
            let request = Request::parse(client, pairs).unwrap();
            let granted = request.grant(&caps(45, 32), 0).map(|granted| granted.to_string());
            (request.to_string(), granted.unwrap_or_default())
        };
        let told = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let (major, minor) = (CONTEXT_MAJOR_VERSION, CONTEXT_MINOR_VERSION);
        assert_eq!(words(OPENGL_API, &[]), told("OpenGL of any version", "OpenGL 3.1"));
        assert_eq!(
            words(OPENGL_API, &[(major, 3), (minor, 3)]),
            told("OpenGL 3.3 core", "OpenGL 4.5 core")
        );
        assert_eq!(
            words(OPENGL_API, &[(major, 3), (minor, 3), (CONTEXT_OPENGL_PROFILE_MASK, 2)]),
            told("OpenGL 3.3 compatibility", "")
        );
        assert_eq!(words(OPENGL_ES_API, &[(major, 2)]), told("OpenGL ES 2.0", "OpenGL ES 3.2"));
    }

    #[test]
    fn attributes_that_do_not_belong_are_refused() {
        for (client, pair, code) in [
            (OPENGL_ES_API, (0x1234, 0), BAD_ATTRIBUTE),
            (OPENGL_ES_API, (CONTEXT_OPENGL_PROFILE_MASK, 1), BAD_ATTRIBUTE),
            (OPENGL_ES_API, (CONTEXT_FLAGS_KHR, 2), BAD_ATTRIBUTE),
            (OPENGL_ES_API, (CONTEXT_FLAGS_KHR, 4), BAD_ATTRIBUTE),
            (OPENGL_API, (CONTEXT_FLAGS_KHR, 8), BAD_ATTRIBUTE),
            (OPENGL_API, (CONTEXT_OPENGL_DEBUG, 2), BAD_ATTRIBUTE),
            (OPENGL_API, (CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, 1), BAD_ATTRIBUTE),
            (OPENGL_API, (CONTEXT_MAJOR_VERSION, 5), BAD_MATCH),
        ] {
            assert_eq!(Request::parse(client, &[pair]).unwrap_err().code, code, "{pair:x?}");
        }
    }

    #[test]
    fn a_release_flushes_unless_the_program_wants_none() {
        let flushes = |pairs: &[(EGLint, EGLint)]| {
            Request::parse(OPENGL_ES_API, pairs).map(|r| r.flushes).map_err(|e| e.code)
        };
        assert_eq!(flushes(&[(CONTEXT_MAJOR_VERSION, 2)]), Ok(true));
        let behavior = |value| [(CONTEXT_MAJOR_VERSION, 2), (CONTEXT_RELEASE_BEHAVIOR_KHR, value)];
        assert_eq!(flushes(&behavior(CONTEXT_RELEASE_BEHAVIOR_NONE_KHR)), Ok(false));
        assert_eq!(flushes(&behavior(CONTEXT_RELEASE_BEHAVIOR_FLUSH_KHR)), Ok(true));
        assert_eq!(flushes(&behavior(1)), Err(BAD_ATTRIBUTE));
    }

    #[test]
    fn robustness_is_understood_in_both_spellings() {
        for name in [CONTEXT_OPENGL_ROBUST_ACCESS, CONTEXT_OPENGL_ROBUST_ACCESS_EXT] {
            let request =
                Request::parse(OPENGL_ES_API, &[(CONTEXT_MAJOR_VERSION, 3), (name, 1)]).unwrap();
            assert_eq!(request.flags, ROBUST);
        }
        let strategy = (CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT, LOSE_CONTEXT_ON_RESET);
        assert!(Request::parse(OPENGL_ES_API, &[strategy]).unwrap().reset);
    }
}
