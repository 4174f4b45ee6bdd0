//! Showing what was drawn: swaps, front buffers, pixmaps.

use super::{Buffers, Kind, MIN_SIDE, State, Surface, lost};
use crate::egl::*;
use crate::error::{Error, Result, fail};
use crate::settings;
use crate::wayland::Rect;
use forerun_gl::Group;
use forerun_gl::state::framebuffer::Front;
use forerun_gl::stream::Stream;
use forerun_link::Status;
use forerun_pipe::records::{Flush, Present, PresentFront, ReadFront, ReadSurface, present_mode};
use std::sync::Arc;

impl Surface {
    /// eglSwapBuffers: exactly one present per swap, behind its credit.
    ///
    /// # Errors
    /// EGL_CONTEXT_LOST, EGL_BAD_NATIVE_WINDOW.
    pub fn swap(&self, group: &Arc<Group>) -> Result<()> {
        self.swap_damaged(group, &[])
    }

    /// eglSwapBuffersWithDamageKHR: the same, with rectangles outside of which the picture is as it was; none when that is not known.
    ///
    /// # Errors
    /// EGL_CONTEXT_LOST, EGL_BAD_NATIVE_WINDOW.
    pub fn swap_damaged(&self, group: &Arc<Group>, damage: &[Rect]) -> Result<()> {
        if self.attribs.buffers == Buffers::Single && self.kind.is_window() {
            // Without a back buffer a swap does what glFlush does.
            return self.show_front(group, Front::Alone);
        }
        if self.attribs.buffers == Buffers::Double && self.kind == Kind::Pbuffer {
            self.state.lock().swaps += 1;
            return self.show_front(group, Front::WithBack);
        }
        let (surface, serial) = {
            let mut state = self.state.lock();
            state.swaps += 1;
            let Some(twin) = state.twin(group) else {
                return fail(BAD_SURFACE, "the surface is not current");
            };
            if self.kind.is_window() {
                twin.serial += 1;
            }
            (twin.surface.raw(), twin.serial)
        };
        if !self.kind.is_window() {
            // Nobody sees it, but what was drawn is to be done some time.
            let mut stream = group.lock();
            Flush { pad: 0 }.send(&mut *stream);
            return publish(&mut stream);
        }
        // The calling thread has the surface, so that nobody else presents it; whoever asks for its size does not wait for its screen.
        let credit = settings::knobs().map_or(1, |knobs| knobs.present_credit);
        group.take_present_credit(surface, serial, credit).map_err(lost)?;
        self.compositor_is_ready(true)?;
        let mut state = self.state.lock();
        let state = &mut *state;
        let (width, height) = (state.width, state.height);
        let Some(twin) = state.twin(group) else {
            return fail(BAD_SURFACE, "the surface is not current");
        };
        {
            let mut stream = group.lock();
            twin.tell_size(width, height, &mut stream);
            Present { surface, serial }.send(&mut *stream);
            stream.frames += 1;
            publish(&mut stream)?;
        }
        match self.kind {
            Kind::Window(window) if twin.mode == present_mode::SHM => {
                self.put(group, surface, false, state, window).map_err(of_window)
            }
            Kind::Wayland(_) if twin.mode == present_mode::SHM => {
                self.commit(group, surface, false, state, damage).map_err(of_window)
            }
            _ => Ok(()),
        }
    }

    /// glFlush after drawing to the front buffer of a window: it is shown, without a credit.
    ///
    /// # Errors
    /// EGL_CONTEXT_LOST, EGL_BAD_NATIVE_WINDOW.
    pub fn show_front(&self, group: &Arc<Group>, front: Front) -> Result<()> {
        self.compositor_is_ready(false)?;
        let mut state = self.state.lock();
        let state = &mut *state;
        let (width, height) = (state.width, state.height);
        let Some(twin) = state.twin(group) else { return Ok(()) };
        let (surface, mode) = (twin.surface.raw(), twin.mode);
        {
            let mut stream = group.lock();
            twin.tell_size(width, height, &mut stream);
            let both = u32::from(front == Front::WithBack);
            PresentFront { surface, both, pad: 0 }.send(&mut *stream);
            publish(&mut stream)?;
        }
        match self.kind {
            Kind::Window(window) if mode == present_mode::SHM => {
                self.put(group, surface, true, state, window).map_err(of_window)
            }
            Kind::Wayland(_) if mode == present_mode::SHM => {
                self.commit(group, surface, true, state, &[]).map_err(of_window)
            }
            _ => Ok(()),
        }
    }

    /// Shows what was drawn in the native pixmap (eglWaitClient, release), or in another one (eglCopyBuffers).
    ///
    /// # Errors
    /// EGL_CONTEXT_LOST, EGL_BAD_ALLOC, EGL_BAD_NATIVE_PIXMAP.
    pub fn copy_out(&self, group: &Arc<Group>, target: Option<u32>) -> Result<()> {
        let mut state = self.state.lock();
        let twin = state.twin(group);
        let Some(surface) = twin.map(|t| t.surface.raw()) else { return Ok(()) };
        let pixmap = match (target, self.kind) {
            (Some(pixmap), _) | (None, Kind::Pixmap(pixmap)) => pixmap,
            _ => return Ok(()),
        };
        self.put(group, surface, false, &mut state, pixmap)
    }

    /// Reads the picture back and puts it on a drawable of the X server.
    fn put(
        &self,
        group: &Arc<Group>,
        surface: forerun_pipe::RawHandle,
        front: bool,
        state: &mut State,
        drawable: u32,
    ) -> Result<()> {
        let Some(x) = &self.x else {
            return fail(BAD_MATCH, "the display has no native drawables");
        };
        let (width, height) = (state.width.max(MIN_SIDE), state.height.max(MIN_SIDE));
        if state.frame.as_ref().is_none_or(|f| (f.width, f.height) != (width, height)) {
            if let Some(old) = state.frame.take() {
                x.drop_frame(old);
            }
            let made = x.frame(width, height).map_err(|why| Error::new(BAD_ALLOC, why))?;
            state.frame = Some(made);
        }
        let Some(frame) = &mut state.frame else { return Ok(()) };
        if !read_back(group, surface, front, frame.bytes())? {
            return Ok(());
        }
        x.put_frame(drawable, frame, state.depth).map_err(|why| Error::new(BAD_ALLOC, why))
    }

    /// Waits until a Wayland compositor takes a frame; with `pace` until it wants one, if the swap interval asks for that. Called without
    /// the surface's lock.
    fn compositor_is_ready(&self, pace: bool) -> Result<()> {
        let Some(window) = &self.wayland else { return Ok(()) };
        let (size, interval) = {
            let state = self.state.lock();
            (state.sides(), state.interval)
        };
        let ready = window.ready(size.0, size.1, pace && interval > 0);
        ready.map_err(|why| Error::new(BAD_NATIVE_WINDOW, why))
    }

    /// Reads the picture back into memory that a Wayland compositor shares, and commits it.
    fn commit(
        &self,
        group: &Arc<Group>,
        surface: forerun_pipe::RawHandle,
        front: bool,
        state: &State,
        damage: &[Rect],
    ) -> Result<()> {
        let Some(window) = &self.wayland else { return Ok(()) };
        let pace = !front && state.interval > 0;
        window.show(state.sides(), pace, damage, |bytes| read_back(group, surface, front, bytes))
    }
}

impl State {
    /// The size of the drawable on the server, in pixels.
    fn sides(&self) -> (u32, u32) {
        (self.width.max(MIN_SIDE), self.height.max(MIN_SIDE))
    }
}

/// Reads a drawable's picture: tight BGRA8 rows, the top row first. False when it has another size by now: the next picture will fit.
fn read_back(
    group: &Arc<Group>,
    surface: forerun_pipe::RawHandle,
    front: bool,
    into: &mut [u8],
) -> Result<bool> {
    let mut stream = group.lock();
    let slice = stream.link.stage(into.len()).map_err(lost)?;
    let dst = slice.blob();
    let seq = if front {
        ReadFront { surface, dst }.send(&mut *stream)
    } else {
        ReadSurface { surface, dst }.send(&mut *stream)
    };
    let reply = stream.link.wait_reply(seq).map_err(lost)?;
    match reply.status {
        Status::Ok => {}
        Status::Declined => return Ok(false),
        Status::Error => return fail(BAD_ALLOC, "the server could not read the surface back"),
    }
    slice.read(0, into);
    Ok(true)
}

/// Lets the server have what was sent.
///
/// # Errors
/// EGL_CONTEXT_LOST when it is known that there is none any more.
fn publish(stream: &mut Stream) -> Result<()> {
    stream.link.publish();
    stream.link.lost().map_or(Ok(()), |fault| Err(lost(fault.clone())))
}

/// A picture that did not reach a window is the window's fault.
fn of_window(error: Error) -> Error {
    if error.code == BAD_ALLOC { Error { code: BAD_NATIVE_WINDOW, ..error } } else { error }
}
