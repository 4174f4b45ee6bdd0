//! What is current on this thread.

use crate::context::Context;
use crate::egl::*;
use crate::error::{Error, Result, fail};
use crate::session;
use crate::surface::{Kind, Surface};
use forerun_gl::context::{Drawable, Flushed, Moved};
use forerun_gl::entry;
use forerun_gl::state::framebuffer::Front;
use forerun_gl::stream::Stream;
use forerun_pipe::RawHandle;
use forerun_pipe::records::{BindContext, Finish};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A context and its surfaces, current on the thread that holds this. Dropping it releases them, also when the thread ends.
pub struct Binding {
    /// The display's handle.
    pub display: EGLDisplay,
    /// The context.
    pub context: Arc<Context>,
    /// The draw surface; none for a surfaceless context.
    pub draw: Option<Arc<Surface>>,
    /// The read surface.
    pub read: Option<Arc<Surface>>,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Binding>>> = const { RefCell::new(None) };
}

/// What is current on this thread; nothing when the thread is ending. Let go of it before anything else is made current.
pub fn get() -> Option<Rc<Binding>> {
    CURRENT.try_with(|current| current.try_borrow().ok().and_then(|b| b.clone())).ok().flatten()
}

fn replace(new: Option<Rc<Binding>>) -> Option<Rc<Binding>> {
    let swap = |current: &RefCell<Option<Rc<Binding>>>| {
        current.try_borrow_mut().ok().and_then(|mut slot| std::mem::replace(&mut *slot, new))
    };
    CURRENT.try_with(swap).ok().flatten()
}

/// eglMakeCurrent with nothing, eglReleaseThread, a thread's end.
pub fn release() {
    // Dropped outside of the borrow: an object's end may look at what is current.
    drop(replace(None));
}

/// eglMakeCurrent with a context. What was current stays so when this fails.
///
/// # Errors
/// EGL_BAD_ACCESS, EGL_BAD_ALLOC, EGL_CONTEXT_LOST.
pub fn make(
    display: EGLDisplay,
    context: Arc<Context>,
    draw: Option<Arc<Surface>>,
    read: Option<Arc<Surface>>,
) -> Result<()> {
    let old = get().map_or(0, |b| b.context.handle);
    if context.is_lost() {
        return fail(CONTEXT_LOST, "the context's session has ended");
    }
    let again = old == context.handle;
    if !again && !context.acquire() {
        return fail(BAD_ACCESS, "the context is current on another thread");
    }
    // Claimed before anything is done with them: another thread may want the same.
    let mut claims = Claims { context: &context, keep: again, surfaces: Vec::new() };
    for surface in [&draw, &read].into_iter().flatten() {
        if !claims.claim(surface, old) {
            return fail(BAD_ACCESS, "a surface is current to another context");
        }
    }
    let (draw_view, read_view) =
        attach(&context, draw.as_deref(), read.as_deref(), &mut context.group.lock())?;
    claims.stand();
    // The old binding gives up what the new one does not keep; a context that stays is claimed by the new binding already.
    release();
    if again {
        context.acquire();
    }
    for surface in [&draw, &read].into_iter().flatten() {
        surface.acquire(context.handle);
    }
    let gl = context.gl();
    let window = draw.as_ref().is_some_and(|draw| draw.kind.is_window());
    // SAFETY: this thread has acquired the context; the binding that is stored below keeps it alive until `set_current` is called again.
    unsafe {
        (*gl).state.attach(draw_view, read_view);
        (*gl).state.moved = window.then_some(moved as Moved);
        (*gl).state.flushed = window.then_some(flushed as Flushed);
        entry::set_current(gl);
    }
    replace(Some(Rc::new(Binding { display, context, draw, read })));
    Ok(())
}

/// What a thread has claimed for a context that it is about to make current; given up unless it stands.
struct Claims<'a> {
    context: &'a Context,
    /// The context was this thread's before.
    keep: bool,
    surfaces: Vec<&'a Surface>,
}

impl<'a> Claims<'a> {
    /// Claims a surface; false when a context of another thread has it. `old` is the context that this thread has: what it has may
    /// change to the new one.
    fn claim(&mut self, surface: &'a Surface, old: usize) -> bool {
        let owner = surface.owner();
        if owner != 0 && (owner == old || owner == self.context.handle) {
            return true;
        }
        let claimed = surface.acquire(self.context.handle);
        if claimed {
            self.surfaces.push(surface);
        }
        claimed
    }

    fn stand(mut self) {
        self.keep = true;
        self.surfaces.clear();
    }
}

impl Drop for Claims<'_> {
    fn drop(&mut self) {
        for surface in &self.surfaces {
            surface.release();
        }
        if !self.keep {
            self.context.release();
        }
    }
}

fn attach(
    context: &Context,
    draw: Option<&Surface>,
    read: Option<&Surface>,
    stream: &mut Stream,
) -> Result<(Drawable, Drawable)> {
    let mut view = |surface: Option<&Surface>| match surface {
        Some(surface) => surface.attach(&context.group, stream),
        None => Ok(Drawable::default()),
    };
    Ok((view(draw)?, view(read)?))
}

/// eglWaitClient, glXWaitGL: GL is done when this returns, pixmaps show it, and windows what is in their front buffer.
///
/// # Errors
/// EGL_CONTEXT_LOST, EGL_BAD_ALLOC, EGL_BAD_NATIVE_WINDOW.
pub fn finish() -> Result<()> {
    let Some(binding) = get() else { return Ok(()) };
    if binding.context.is_orphan() {
        return fail(CONTEXT_LOST, "the context belongs to the parent process");
    }
    binding.show_front()?;
    {
        let mut stream = binding.context.group.lock();
        let seq = Finish { pad: 0 }.send(&mut *stream);
        let lost = |fault: forerun_pipe::Fault| Error::new(CONTEXT_LOST, fault.to_string());
        stream.link.wait_reply(seq).map_err(lost)?;
    }
    if let Some(draw) = &binding.draw {
        draw.copy_out(&binding.context.group, None)?;
    }
    Ok(())
}

/// glFlush and glFinish after drawing to a window's front buffer: it is shown.
fn flushed(front: Front) {
    let Some(binding) = get().filter(|b| !b.context.is_orphan()) else { return };
    let Some(draw) = &binding.draw else { return };
    if let Err(error) = draw.show_front(&binding.context.group, front) {
        log::debug!("nothing is shown at glFlush: {}", error.why);
    }
}

impl Binding {
    /// Shows what was drawn to the window's front buffer, if anything was. To be called outside of GL.
    ///
    /// # Errors
    /// EGL_CONTEXT_LOST, EGL_BAD_ALLOC, EGL_BAD_NATIVE_WINDOW.
    fn show_front(&self) -> Result<()> {
        let Some(draw) = self.draw.as_ref().filter(|d| d.kind.is_window()) else {
            return Ok(());
        };
        // SAFETY: the context is this thread's, and no GL call is under way.
        let front = unsafe { (*self.context.gl()).state.framebuffer.take_front() };
        front.map_or(Ok(()), |front| draw.show_front(&self.context.group, front))
    }
}

/// The context that is current on this thread hears of a surface's new size, if it has that surface.
pub fn tell(surface: &Arc<Surface>) {
    let Some(binding) = get().filter(|b| !b.context.is_orphan()) else { return };
    let has =
        |other: &Option<Arc<Surface>>| other.as_ref().is_some_and(|o| Arc::ptr_eq(o, surface));
    if has(&binding.draw) || has(&binding.read) {
        refresh(&binding);
    }
}

/// Asked by GL when the program sets a viewport, as it does when its window has another size: the drawables.
fn moved(stream: &mut Stream) -> Option<(Drawable, Drawable)> {
    let binding = get().filter(|b| !b.context.is_orphan())?;
    attach(&binding.context, binding.draw.as_deref(), binding.read.as_deref(), stream).ok()
}

fn refresh(binding: &Binding) {
    let (draw, read) = (binding.draw.as_deref(), binding.read.as_deref());
    let views = attach(&binding.context, draw, read, &mut binding.context.group.lock());
    if let Ok((draw, read)) = views {
        // SAFETY: the context is current on this thread, and no GL call is under way.
        unsafe { (*binding.context.gl()).state.attach(draw, read) };
    }
}

impl Drop for Binding {
    fn drop(&mut self) {
        // SAFETY: null is always allowed.
        unsafe { entry::set_current(std::ptr::null_mut()) };
        if !self.context.is_orphan() {
            let flushes = self.context.request.flushes;
            if let Some(draw) = &self.draw
                && let Kind::Pixmap(_) = draw.kind
                && flushes
            {
                // Others may look at a pixmap from now on. A lost session has nothing to show.
                let _ = draw.copy_out(&self.context.group, None);
            }
            if flushes {
                let _ = self.show_front();
            }
            // SAFETY: this thread still has the context.
            let handle = unsafe { (*self.context.gl()).state.handle.raw() };
            let mut stream = self.context.group.lock();
            if stream.bound.0 == handle {
                let null = RawHandle::NULL;
                stream.bound = (null, null, null);
                BindContext { context: null, draw: null, read: null }.send(&mut *stream);
            }
            // Without it, what was drawn goes when the next context of the group sends something, or when this one is current again
            // (GL_KHR_context_flush_control).
            if flushes {
                stream.link.publish();
            }
        }
        for surface in [&self.draw, &self.read].into_iter().flatten() {
            if surface.owner() == self.context.handle {
                surface.release();
            }
        }
        session::leave_thread();
        self.context.release();
    }
}
