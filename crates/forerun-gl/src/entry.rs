//! From a C call to the current context and back.

use crate::context::Context;
use crate::error::{GlError, GlResult};
use forerun_pipe::gl;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

/// The current context's slot on x86-64: a thread-local pointer of the initial-exec model, which the compiler cannot be asked for.
/// Reading it takes two instructions; `thread_local!` in a library calls a function of the loader.
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64"))]
mod slot {
    use super::Context;

    core::arch::global_asm!(
        ".pushsection .tbss.forerun_current, \"awT\", @nobits",
        ".hidden forerun_current",
        ".globl forerun_current",
        ".type forerun_current, @object",
        ".size forerun_current, 8",
        ".p2align 3",
        "forerun_current:",
        ".zero 8",
        ".popsection",
    );

    #[inline(always)]
    pub fn get() -> *mut Context {
        let context;
        // SAFETY: reads this thread's slot, which the loader has set aside and zeroed.
        unsafe {
            core::arch::asm!(
                "mov {at}, qword ptr [rip + forerun_current@GOTTPOFF]",
                "mov {at}, qword ptr fs:[{at}]",
                at = out(reg) context,
                options(nostack, readonly, preserves_flags),
            );
        }
        context
    }

    pub fn set(context: *mut Context) {
        // SAFETY: writes this thread's slot.
        unsafe {
            core::arch::asm!(
                "mov {at}, qword ptr [rip + forerun_current@GOTTPOFF]",
                "mov qword ptr fs:[{at}], {context}",
                at = out(reg) _,
                context = in(reg) context,
                options(nostack, preserves_flags),
            );
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64")))]
mod slot {
    use super::Context;
    use std::cell::Cell;

    thread_local! {
        static CURRENT: Cell<*mut Context> = const { Cell::new(std::ptr::null_mut()) };
    }

    pub fn get() -> *mut Context {
        CURRENT.with(Cell::get)
    }

    pub fn set(context: *mut Context) {
        CURRENT.with(|current| current.set(context));
    }
}

thread_local! {
    /// In the child of a fork: the context that was current on the thread that forked.
    static PARENTS: Cell<*mut Context> = const { Cell::new(ptr::null_mut()) };
}

/// To be called in the child of a fork, on its only thread: what is current belongs to the parent from now on. Neither allocates nor
/// locks, as such handlers must not.
pub fn forked() {
    let parents = slot::get();
    if !parents.is_null() {
        slot::set(ptr::null_mut());
        // A thread that is ending makes no call any more.
        let _ = PARENTS.try_with(|cell| cell.set(parents));
    }
}

/// What a call finds that finds no context: nothing, or in the child of a fork a lost one in the place of its parent's.
#[cold]
#[inline(never)]
fn adopt() -> *mut Context {
    let parents = PARENTS.try_with(|cell| cell.replace(ptr::null_mut()));
    let parents = parents.unwrap_or(ptr::null_mut());
    if parents.is_null() {
        return parents;
    }
    // SAFETY: it was current when its thread forked, outside of a GL call; nothing in this process has changed it since.
    let heir = catch_unwind(AssertUnwindSafe(|| Context::heir(unsafe { &*parents })));
    let Ok(Ok(heir)) = heir else { return ptr::null_mut() };
    // As long as this process: nobody else knows of it.
    let heir = Box::into_raw(heir);
    // SAFETY: it is never freed, and no other thread has it.
    unsafe { set_current(heir) };
    heir
}

/// Makes a context current on this thread, or none.
///
/// # Safety
/// The pointer must stay valid, and no other reference to the context may be used on any thread, until another call on this
/// thread replaces it.
pub unsafe fn set_current(context: *mut Context) {
    if !context.is_null() {
        // SAFETY: the caller's promise.
        let context = unsafe { &mut *context };
        context.presence = context.group.bias.presence();
    }
    let _ = PARENTS.try_with(|cell| cell.set(ptr::null_mut()));
    slot::set(context);
}

/// The context that is current on this thread, or null.
#[inline(always)]
pub fn current() -> *mut Context {
    slot::get()
}

/// A C function's address, in a table.
#[derive(Clone, Copy, Debug)]
pub struct Entry(pub *const ());

// SAFETY: the address of a function never changes and carries no data.
unsafe impl Sync for Entry {}
// SAFETY: as above.
unsafe impl Send for Entry {}

/// Runs one GL call on the current context. Without one nothing happens and the default is returned; an error is recorded and
/// the default is returned.
#[inline(always)]
pub fn enter<R: Default>(name: &'static str, call: impl FnOnce(&mut Context) -> GlResult<R>) -> R {
    let mut context = current();
    if context.is_null() {
        context = adopt();
        if context.is_null() {
            return R::default();
        }
    }
    // SAFETY: `set_current`'s caller promised that the pointer is valid and unaliased while it is current. What lies behind these two
    // references is not part of the context itself, and stays while it is current.
    let (group, who) = unsafe { (&*Arc::as_ptr(&(*context).group), &(*context).presence) };
    let result = catch_unwind(AssertUnwindSafe(|| {
        let _inside = group.bias.enter(who);
        // SAFETY: as above. GL calls from a debug callback happen only in `after`, when this reference is gone.
        call(unsafe { &mut *context })
    }));
    match result {
        Ok(Ok(value)) => {
            // SAFETY: as above.
            if unsafe { (&*context).state.debug.pending() } {
                after(context);
            }
            value
        }
        Ok(Err(error)) => {
            fail(context, name, error);
            R::default()
        }
        Err(_) => {
            fail(
                context,
                name,
                GlError {
                    code: gl::INVALID_OPERATION,
                    what: "internal error (a bug of Forerun; see the log)",
                },
            );
            R::default()
        }
    }
}

#[cold]
fn fail(context: *mut Context, name: &'static str, error: GlError) {
    // SAFETY: as in `enter`: the call's own reference is gone.
    unsafe { (&mut *context).state.record_error(name, error) };
    // SAFETY: as above.
    if unsafe { (&*context).state.debug.pending() } {
        after(context);
    }
}

/// Hands collected debug messages to the program's callback, which may call GL again.
#[cold]
fn after(context: *mut Context) {
    // SAFETY: as in `enter`. Each message is taken out before the callback runs, so that no reference is alive meanwhile.
    while let Some(delivery) = unsafe { (&mut *context).state.debug.take_delivery() } {
        delivery.run();
    }
}

/// Declares the C entry points of a family and lists them in `ENTRIES`.
///
/// `fn glName(args) -> Ret = |cx| expression;` where the expression is a [`GlResult`] of the return type.
#[macro_export]
macro_rules! entries {
    ($( $(#[$meta:meta])* fn $name:ident ( $($arg:ident : $ty:ty),* $(,)? ) $(-> $ret:ty)? = |$cx:ident| $body:expr; )*) => {
        $(
            $(#[$meta])*
            #[doc = concat!("`", stringify!($name), "` as the OpenGL and OpenGL ES specifications define it.")]
            ///
            /// # Safety
            /// Pointers must be valid for what the specification says is read or written through them.
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
                $crate::entry::enter(stringify!($name), |$cx| $body)
            }
        )*

        /// The entry points of this family by name.
        pub static ENTRIES: &[(&str, $crate::entry::Entry)] =
            &[ $( (stringify!($name), $crate::entry::Entry($name as *const ())) ),* ];
    };
}
