//! EGL contexts.

use crate::config::Config;
use crate::egl::*;
use crate::error::{Result, fail};
use crate::request::{DEBUG, FORWARD, Granted, ROBUST, Request};
use crate::{session, settings};
use forerun_gl::{Api, Group};
use forerun_pipe::records::api;
use std::cell::UnsafeCell;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An EGL context. The GL context in it is used by the thread on which it is current, and by nobody else.
pub struct Context {
    /// EGLContext.
    pub handle: EGLContext,
    /// The config that it was created with, if any.
    pub config: Option<Config>,
    /// What the program asked for.
    pub request: Request,
    /// What it got.
    pub granted: Granted,
    /// What it shares.
    pub group: Arc<Group>,
    gl: UnsafeCell<ManuallyDrop<Box<forerun_gl::Context>>>,
    current: AtomicBool,
    forks: u64,
}

// SAFETY: `gl` is reached only by the thread that set `current` (see `acquire`), everything else is shared safely.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// eglCreateContext.
    ///
    /// # Errors
    /// EGL_BAD_CONFIG, EGL_BAD_MATCH, EGL_BAD_ALLOC (the reason is logged as an error: a server that is missing is a thing that
    /// a person must mend).
    pub fn create(
        config: Option<Config>,
        share: Option<Arc<Context>>,
        request: Request,
    ) -> Result<Arc<Context>> {
        if let Some(config) = &config
            && config.renderable & request.renderable_bit() == 0
        {
            return fail(BAD_CONFIG, "the config does not support that client API");
        }
        let caps = match &share {
            Some(share) => share.group.caps.clone(),
            None => session::caps().or_else(|why| {
                settings::complain(&why);
                fail(BAD_ALLOC, why)
            })?,
        };
        let granted = request.grant(&caps, settings::gl_version())?;
        let group = match share {
            Some(share) => {
                if share.is_lost() {
                    return fail(BAD_ALLOC, "the context to share with is lost");
                }
                if share.request.reset != request.reset {
                    return fail(BAD_MATCH, "contexts that share must have one reset strategy");
                }
                share.group.clone()
            }
            None => session::new_group().or_else(|why| {
                settings::complain(&why);
                fail(BAD_ALLOC, why)
            })?,
        };
        log::info!("a context: {request} is asked for, {granted} given");
        let config_of_gl = forerun_gl::Config {
            api: match granted.api {
                api::ES => Api::Es,
                api::CORE => Api::Core,
                _ => Api::Legacy,
            },
            version: 10 * granted.major + granted.minor,
            debug: granted.flags & DEBUG != 0,
            forward_compatible: granted.flags & FORWARD != 0,
            robust_access: granted.flags & ROBUST != 0,
            lose_context_on_reset: request.reset,
            no_error: request.no_error,
            flushes: request.flushes,
        };
        let gl = match forerun_gl::Context::new(group.clone(), config_of_gl) {
            Ok(mut gl) => {
                if let Ok(knobs) = settings::knobs() {
                    gl.state.extensions.edit(&knobs.extensions);
                }
                gl
            }
            Err(error) => {
                let why = match group.lock().link.lost() {
                    Some(fault) => format!("no context: {fault}"),
                    None => format!("no context: {}", error.what),
                };
                settings::complain(&why);
                return fail(BAD_ALLOC, why);
            }
        };
        Ok(Arc::new(Context {
            handle: crate::display::new_handle(),
            config,
            request,
            granted,
            group,
            gl: UnsafeCell::new(ManuallyDrop::new(gl)),
            current: AtomicBool::new(false),
            forks: session::forks(),
        }))
    }

    /// Claims the context for this thread; false when it is current on another.
    pub fn acquire(&self) -> bool {
        self.current.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Gives it up.
    pub fn release(&self) {
        self.current.store(false, Ordering::Release);
    }

    /// The GL context, for the thread that acquired it.
    pub fn gl(&self) -> *mut forerun_gl::Context {
        // SAFETY: the box is there until this value is dropped; only its address is taken here.
        unsafe { &raw mut ***self.gl.get() }
    }

    /// Whether this process is a child of the one that made the context.
    pub fn is_orphan(&self) -> bool {
        self.forks != session::forks()
    }

    /// Whether its session ended.
    pub fn is_lost(&self) -> bool {
        self.is_orphan() || self.group.lock().link.lost().is_some()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.is_orphan() {
            // Its memory is shared with the parent, whose session goes on.
            std::mem::forget(self.group.clone());
            return;
        }
        // SAFETY: dropped once, here; nobody has the context any more.
        unsafe { ManuallyDrop::drop(self.gl.get_mut()) };
        // Deaths are sent by the next user of the stream, which there may never be.
        if !session::is_monolith() {
            self.group.lock().link.publish();
        }
        session::note(&self.group);
    }
}
