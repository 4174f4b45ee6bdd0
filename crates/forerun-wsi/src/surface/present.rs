//! Showing what was drawn: swaps, front buffers, pixmaps.

use super::{Buffers, Kind, MIN_SIDE, State, Surface, lost};
use crate::egl::*;
use crate::error::{Error, Result, fail};
use crate::settings;
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
        if self.attribs.buffers == Buffers::Single && matches!(self.kind, Kind::Window(_)) {
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
            if matches!(self.kind, Kind::Window(_)) {
                twin.serial += 1;
            }
            (twin.surface.raw(), twin.serial)
        };
        let Kind::Window(window) = self.kind else {
            // Nobody sees it, but what was drawn is to be done some time.
            let mut stream = group.lock();
            Flush { pad: 0 }.send(&mut *stream);
            return publish(&mut stream);
        };
        // The calling thread has the surface, so that nobody else presents it; whoever asks for its size does not wait for its screen.
        let credit = settings::knobs().map_or(1, |knobs| knobs.present_credit);
        group.take_present_credit(surface, serial, credit).map_err(lost)?;
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
        if twin.mode == present_mode::SHM {
            self.put(group, surface, false, state, window).map_err(of_window)?;
        }
        Ok(())
    }

    /// glFlush after drawing to the front buffer of a window: it is shown, without a credit.
    ///
    /// # Errors
    /// EGL_CONTEXT_LOST, EGL_BAD_NATIVE_WINDOW.
    pub fn show_front(&self, group: &Arc<Group>, front: Front) -> Result<()> {
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
        {
            let mut stream = group.lock();
            let len = width as usize * height as usize * 4;
            let slice = stream.link.stage(len).map_err(lost)?;
            let dst = slice.blob();
            let seq = if front {
                ReadFront { surface, dst }.send(&mut *stream)
            } else {
                ReadSurface { surface, dst }.send(&mut *stream)
            };
            let reply = stream.link.wait_reply(seq).map_err(lost)?;
            match reply.status {
                Status::Ok => {}
                // The drawable has another size by now: the next picture will fit.
                Status::Declined => return Ok(()),
                Status::Error => {
                    return fail(BAD_ALLOC, "the server could not read the surface back");
                }
            }
            slice.read(0, frame.bytes());
        }
        x.put_frame(drawable, frame, state.depth).map_err(|why| Error::new(BAD_ALLOC, why))
    }
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
