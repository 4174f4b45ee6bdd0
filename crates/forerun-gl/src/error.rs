//! GL errors as values.

use forerun_pipe::gl;

/// A GL error with what a debug message says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlError {
    /// GL_INVALID_* and its kin.
    pub code: u32,
    /// What was wrong, for the debug log.
    pub what: &'static str,
}

/// The result of everything that can end in a GL error.
pub type GlResult<T = ()> = Result<T, GlError>;

macro_rules! errors {
    ($( $name:ident = $code:ident; )*) => { $(
        #[doc = concat!("GL_", stringify!($code), ".")]
        pub fn $name<T>(what: &'static str) -> GlResult<T> {
            Err(GlError { code: gl::$code, what })
        }
    )* };
}

errors! {
    invalid_enum = INVALID_ENUM;
    invalid_value = INVALID_VALUE;
    invalid_operation = INVALID_OPERATION;
    invalid_framebuffer_operation = INVALID_FRAMEBUFFER_OPERATION;
    out_of_memory = OUT_OF_MEMORY;
    stack_overflow = STACK_OVERFLOW;
    stack_underflow = STACK_UNDERFLOW;
}

/// Fails with GL_INVALID_ENUM unless the condition holds.
pub fn check_enum(holds: bool, what: &'static str) -> GlResult {
    if holds { Ok(()) } else { invalid_enum(what) }
}

/// Fails with GL_INVALID_VALUE unless the condition holds.
pub fn check_value(holds: bool, what: &'static str) -> GlResult {
    if holds { Ok(()) } else { invalid_value(what) }
}

/// Fails with GL_INVALID_OPERATION unless the condition holds.
pub fn check_operation(holds: bool, what: &'static str) -> GlResult {
    if holds { Ok(()) } else { invalid_operation(what) }
}

/// A count that must not be negative.
///
/// # Errors
/// GL_INVALID_VALUE.
pub fn count(n: i32) -> GlResult<u32> {
    u32::try_from(n).or_else(|_| invalid_value("a count or size is negative"))
}
