//! Framebuffer objects.

use super::{Applier, corrupt, verb};
use crate::objects::{Framebuffer, MAX_LEVELS};
use crate::state::{DefaultFramebuffer, Framebuffers};
use forerun_pipe::fault::Result;
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, Kind, RawHandle};

/// Checks an attachment; one whose object is dead becomes empty.
fn attachment(a: &Applier, p: &Attachment) -> Result<Attachment> {
    const HANDLE: &str = "SetFramebufferState.handle";
    if p.handle.is_null() {
        return Ok(Attachment::default());
    }
    let alive = match Kind::from_u32(p.kind) {
        Some(Kind::Texture) => {
            if p.level >= MAX_LEVELS {
                return corrupt("SetFramebufferState.level");
            }
            let alive = a.tables.textures.check(p.handle, HANDLE)?;
            if let Some(texture) = a.tables.textures.get(Handle::from_raw(p.handle))
                && texture.face(p.target).is_none()
            {
                return corrupt("SetFramebufferState.target");
            }
            alive
        }
        Some(Kind::Renderbuffer) => a.tables.renderbuffers.check(p.handle, HANDLE)?,
        _ => return corrupt("SetFramebufferState.kind"),
    };
    Ok(if alive { *p } else { Attachment::default() })
}

pub(super) fn set_framebuffer_state(a: &mut Applier, p: &SetFramebufferState) -> Result<()> {
    let serial = a.tables.clock.tick();
    if p.handle == RawHandle::DEFAULT_FRAMEBUFFER {
        let state = a.state("SetFramebufferState.context")?;
        state.default_framebuffer.value =
            DefaultFramebuffer { draw_buffers: p.draw_buffers, read_buffer: p.read_buffer };
        state.default_framebuffer.serial = serial;
        return Ok(());
    }
    let mut desc = *p;
    for color in &mut desc.color {
        *color = attachment(a, color)?;
    }
    desc.depth = attachment(a, &p.depth)?;
    desc.stencil = attachment(a, &p.stencil)?;
    let object = Framebuffer { desc, serial };
    let handle = Handle::from_raw(p.handle);
    if let Some(old) = a.tables.framebuffers.get_mut(handle) {
        *old = object;
    } else if a.tables.framebuffers.is_newer(p.handle) {
        // The first description introduces it.
        a.tables.framebuffers.create(p.handle, object, "SetFramebufferState.handle")?;
    }
    Ok(())
}

fn bindable(a: &Applier, raw: RawHandle, what: &'static str) -> Result<Handle<kind::Framebuffer>> {
    if raw == RawHandle::DEFAULT_FRAMEBUFFER || a.tables.framebuffers.check(raw, what)? {
        Ok(Handle::from_raw(raw))
    } else {
        Ok(Handle::NULL)
    }
}

pub(super) fn bind_framebuffers(a: &mut Applier, p: &BindFramebuffers) -> Result<()> {
    let draw = bindable(a, p.draw, "BindFramebuffers.draw")?;
    let read = bindable(a, p.read, "BindFramebuffers.read")?;
    let serial = a.tables.clock.tick();
    let state = a.state("BindFramebuffers.context")?;
    state.framebuffers.value = Framebuffers { draw, read };
    state.framebuffers.serial = serial;
    Ok(())
}

pub(super) fn invalidate_framebuffer(
    a: &mut Applier,
    p: &InvalidateFramebuffer,
    attachments: &[u32],
) -> Result<()> {
    if attachments.len() > 64 {
        return corrupt("InvalidateFramebuffer.count");
    }
    let handle = bindable(a, p.handle, "InvalidateFramebuffer.handle")?;
    if handle.is_null() {
        return Ok(());
    }
    verb!(a, "InvalidateFramebuffer.context", invalidate_framebuffer(p, attachments))
}
