//! Refusals of GLX: X errors, as GLX 1.4 names them, through the program's own handler.

use super::tokens::{XDisplay, Xid};
use super::xlib;
use crate::egl;
use crate::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An X error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// An error of the core protocol.
    Core(u8),
    /// An error of GLX, counted from its first.
    Glx(u8),
    /// None that X could carry.
    Silent,
}

/// BadRequest.
pub const BAD_REQUEST: Code = Code::Core(1);
/// BadValue.
pub const BAD_VALUE: Code = Code::Core(2);
/// BadWindow.
pub const BAD_WINDOW: Code = Code::Core(3);
/// BadPixmap.
pub const BAD_PIXMAP: Code = Code::Core(4);
/// BadFont.
pub const BAD_FONT: Code = Code::Core(7);
/// BadMatch.
pub const BAD_MATCH: Code = Code::Core(8);
/// BadAccess.
pub const BAD_ACCESS: Code = Code::Core(10);
/// BadAlloc.
pub const BAD_ALLOC: Code = Code::Core(11);
/// BadImplementation, where the X server has no GLX and so no numbers for its errors.
const BAD_IMPLEMENTATION: u8 = 17;
/// GLXBadContext.
pub const GLX_BAD_CONTEXT: Code = Code::Glx(0);
/// GLXBadDrawable.
pub const GLX_BAD_DRAWABLE: Code = Code::Glx(2);
/// GLXBadPixmap.
pub const GLX_BAD_PIXMAP: Code = Code::Glx(3);
/// GLXBadFBConfig.
pub const GLX_BAD_FBCONFIG: Code = Code::Glx(9);
/// GLXBadPbuffer.
pub const GLX_BAD_PBUFFER: Code = Code::Glx(10);
/// GLXBadWindow.
pub const GLX_BAD_WINDOW: Code = Code::Glx(12);
/// GLXBadProfileARB.
pub const GLX_BAD_PROFILE: Code = Code::Glx(13);

/// An X error with the resource that it is about, and the reason, for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which error.
    pub code: Code,
    /// XID, or 0.
    pub resource: Xid,
    /// One clause, lower case.
    pub why: String,
}

/// What a GLX call answers.
pub type Result<T> = std::result::Result<T, Refusal>;

/// Shorthand for a refusal.
pub fn fail<T>(code: Code, resource: Xid, why: impl Into<String>) -> Result<T> {
    Err(Refusal { code, resource, why: why.into() })
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        let code = match error.code {
            egl::BAD_ACCESS => BAD_ACCESS,
            egl::BAD_ATTRIBUTE | egl::BAD_PARAMETER => BAD_VALUE,
            egl::BAD_CONFIG => GLX_BAD_FBCONFIG,
            egl::BAD_CONTEXT => GLX_BAD_CONTEXT,
            egl::BAD_MATCH => BAD_MATCH,
            egl::BAD_NATIVE_PIXMAP => BAD_PIXMAP,
            egl::BAD_NATIVE_WINDOW => BAD_WINDOW,
            egl::BAD_SURFACE => GLX_BAD_DRAWABLE,
            // The program hears of it from GL, if it asked to be told; its X error handler would end it.
            egl::CONTEXT_LOST => Code::Silent,
            _ => BAD_ALLOC,
        };
        Refusal { code, resource: 0, why: error.why }
    }
}

/// Runs an entry point: a refusal becomes an X error and `failed`, and no panic gets out.
pub fn enter<T>(
    name: &'static str,
    display: XDisplay,
    minor: u8,
    failed: T,
    body: impl FnOnce() -> Result<T>,
) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => value,
        Ok(Err(refusal)) => {
            log::debug!("{name}: {:?}, {}", refusal.code, refusal.why);
            raise(display, minor, &refusal);
            failed
        }
        Err(_) => {
            log::error!("{name} failed inside the library");
            failed
        }
    }
}

fn raise(display: XDisplay, minor: u8, refusal: &Refusal) {
    if display == 0 || refusal.code == Code::Silent {
        return;
    }
    let codes = xlib::glx_codes(display);
    let error = match (refusal.code, codes) {
        (Code::Core(error), _) => error,
        (Code::Glx(error), Some((_, first))) => first.wrapping_add(error),
        _ => BAD_IMPLEMENTATION,
    };
    let major = codes.map_or(0, |(major, _)| major);
    xlib::raise(display, error, major, minor, refusal.resource);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_keep_their_meaning_in_x() {
        let code = |code| Refusal::from(Error::new(code, "")).code;
        assert_eq!(code(egl::BAD_MATCH), BAD_MATCH);
        assert_eq!(code(egl::BAD_CONTEXT), GLX_BAD_CONTEXT);
        assert_eq!(code(egl::BAD_NATIVE_WINDOW), BAD_WINDOW);
        assert_eq!(code(egl::CONTEXT_LOST), Code::Silent);
        // Without a display there is nobody to tell, and nothing is touched.
        assert_eq!(enter("t", 0, 3, 7, || fail(BAD_VALUE, 0, "no")), 7);
        assert_eq!(enter("t", 0, 3, 7, || panic!("inside")), 7);
    }
}
