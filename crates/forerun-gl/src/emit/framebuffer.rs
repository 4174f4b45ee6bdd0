//! Framebuffer objects that moved, and which ones are bound.

use super::tracker::same;
use crate::context::State;
use crate::error::GlResult;
use crate::state::framebuffer::{DEPTH, Framebuffer, STENCIL};
use crate::stream::Stream;
use forerun_pipe::records::{Attachment, BindFramebuffers, SetFramebufferState};
use forerun_pipe::{RawHandle, gl};

/// Sends what moved of the bound framebuffers, then which ones are bound.
///
/// # Errors
/// None: handles were minted when the objects were made.
pub fn sync(state: &mut State, stream: &mut Stream) -> GlResult {
    let bindings = &mut state.framebuffer;
    if bindings.moved && (bindings.draw == 0 || bindings.read == 0) {
        bindings.moved = false;
        let (draw, read) = bindings.double;
        SetFramebufferState {
            handle: RawHandle::DEFAULT_FRAMEBUFFER,
            draw_buffers: bindings.draw_buffers.map(|buffer| side(buffer, draw)),
            read_buffer: side(bindings.read_buffer, read),
            ..Default::default()
        }
        .send(stream);
    }
    for name in [bindings.draw, bindings.read] {
        if let Some(object) = bindings.objects.get_mut(name)
            && object.moved
        {
            object.moved = false;
            describe(object).send(stream);
        }
    }
    let now = BindFramebuffers {
        draw: bindings.handle(bindings.draw),
        read: bindings.handle(bindings.read),
    };
    if !state.tracker.framebuffers.as_ref().is_some_and(|sent| same(sent, &now)) {
        now.send(stream);
        state.tracker.framebuffers = Some(now);
    }
    Ok(())
}

/// The buffer of a drawable that a token means to a server: the front buffer is named only where there is a back buffer too, and
/// what names both means the back buffer, which becomes the front one when it is shown.
fn side(buffer: u32, double: bool) -> u32 {
    match buffer {
        gl::FRONT | gl::FRONT_LEFT if double => gl::FRONT,
        gl::FRONT | gl::FRONT_LEFT | gl::LEFT | gl::FRONT_AND_BACK | gl::BACK_LEFT => gl::BACK,
        other => other,
    }
}

fn describe(object: &Framebuffer) -> SetFramebufferState {
    let mut color = [Attachment::default(); 8];
    for (slot, point) in color.iter_mut().zip(&object.points) {
        *slot = point.record();
    }
    let [default_width, default_height, default_layers, default_samples, fixed] = object.defaults;
    SetFramebufferState {
        handle: object.handle.raw(),
        color,
        depth: object.points[DEPTH].record(),
        stencil: object.points[STENCIL].record(),
        draw_buffers: object.draw_buffers,
        read_buffer: object.read_buffer,
        default_width,
        default_height,
        default_layers,
        default_samples,
        default_fixed_sample_locations: fixed,
    }
}
