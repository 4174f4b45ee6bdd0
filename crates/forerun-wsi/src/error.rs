//! The thread's EGL error, and the guard around every entry point.

use crate::egl::{self, EGLint};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An EGL error code and the reason, for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// EGL error code.
    pub code: EGLint,
    /// One clause, lower case.
    pub why: String,
}

impl Error {
    /// An error of that code.
    pub fn new(code: EGLint, why: impl Into<String>) -> Error {
        Error { code, why: why.into() }
    }
}

/// What an entry point answers.
pub type Result<T> = std::result::Result<T, Error>;

/// Shorthand for a refusal.
pub fn fail<T>(code: EGLint, why: impl Into<String>) -> Result<T> {
    Err(Error::new(code, why))
}

thread_local! {
    static ERROR: Cell<EGLint> = const { Cell::new(egl::SUCCESS) };
}

/// eglGetError: the error of this thread's last call, and forgets it.
pub fn take() -> EGLint {
    ERROR.try_with(|error| error.replace(egl::SUCCESS)).unwrap_or(egl::SUCCESS)
}

fn set(code: EGLint) {
    // A thread that is ending has no error any more.
    let _ = ERROR.try_with(|error| error.set(code));
}

/// Runs an entry point: sets the thread's error, turns a refusal into `failed`, and lets no panic out.
pub fn enter<T>(name: &'static str, failed: T, body: impl FnOnce() -> Result<T>) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => {
            set(egl::SUCCESS);
            value
        }
        Ok(Err(error)) => {
            log::debug!("{name}: {:#06x}, {}", error.code, error.why);
            crate::api::debug::report(name, &error);
            set(error.code);
            failed
        }
        Err(_) => {
            log::error!("{name} failed inside the library");
            set(egl::BAD_ALLOC);
            failed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_sets_the_error_once_and_a_success_clears_it() {
        assert_eq!(enter("t", 0, || fail(egl::BAD_MATCH, "no")), 0);
        assert_eq!(take(), egl::BAD_MATCH);
        assert_eq!(take(), egl::SUCCESS);
        let _ = enter("t", 0, || fail(egl::BAD_MATCH, "no"));
        assert_eq!(enter("t", 0, || Ok(1)), 1);
        assert_eq!(take(), egl::SUCCESS);
    }

    #[test]
    fn a_panic_does_not_leave_an_entry_point() {
        assert_eq!(enter("t", 7, || panic!("inside")), 7);
        assert_eq!(take(), egl::BAD_ALLOC);
    }
}
