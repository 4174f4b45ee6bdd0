//! What buffers, textures and renderbuffers share: existence, storage, contents.

use super::{Applier, corrupt, maps, surface, texture};
use crate::backend::{Defined, Failure, Pixels};
use crate::objects::*;
use crate::quota;
use forerun_pipe::fault::Result;
use forerun_pipe::handle::MAX_SLOTS;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, Kind, RawHandle, gl, pixel};

/// Bytes of a buffer at most: more is out of memory without asking the driver.
const MAX_BUFFER: u64 = 1 << 40;
/// Texels of a side, or layers, at most: no driver has more.
pub(super) const MAX_SIDE: u32 = 1 << 16;

pub(super) fn resource_create(a: &mut Applier, p: &ResourceCreate) -> Result<()> {
    const HANDLE: &str = "ResourceCreate.handle";
    match Kind::from_u32(p.kind) {
        Some(Kind::Buffer) => {
            a.tables.buffers.create(p.handle, Buffer::default(), HANDLE)?;
        }
        Some(Kind::Texture) => {
            if !texture::is_target(p.target) {
                return corrupt("ResourceCreate.target");
            }
            a.tables.textures.create(p.handle, Texture::new(p.target), HANDLE)?;
        }
        Some(Kind::Renderbuffer) => {
            a.tables.renderbuffers.create(p.handle, Renderbuffer::default(), HANDLE)?;
        }
        _ => return corrupt("ResourceCreate.kind"),
    }
    Ok(())
}

/// Counts what an object's storage takes, where that is limited.
fn meter(a: &mut Applier, kind: Kind, raw: RawHandle) -> Result<()> {
    let Some(meter) = &mut a.meter else { return Ok(()) };
    let bytes = match kind {
        Kind::Buffer => a.tables.buffers.get(Handle::from_raw(raw)).map(|buffer| buffer.size),
        Kind::Texture => a.tables.textures.get(Handle::from_raw(raw)).map(quota::texture_bytes),
        _ => a.tables.renderbuffers.get(Handle::from_raw(raw)).map(quota::renderbuffer_bytes),
    };
    match bytes {
        Some(bytes) => meter.takes(kind, raw, bytes),
        None => Ok(()),
    }
}

pub(super) fn resource_respecify(a: &mut Applier, p: &ResourceRespecify) -> Result<()> {
    define(a, p)?;
    Kind::from_u32(p.kind).map_or(Ok(()), |kind| meter(a, kind, p.handle))
}

fn define(a: &mut Applier, p: &ResourceRespecify) -> Result<()> {
    const HANDLE: &str = "ResourceRespecify.handle";
    match Kind::from_u32(p.kind) {
        Some(Kind::Buffer) => {
            if a.tables.buffers.check(p.handle, HANDLE)? {
                return respecify_buffer(a, p);
            }
        }
        Some(Kind::Texture) => {
            if a.tables.textures.check(p.handle, HANDLE)? {
                return texture::respecify(a, p);
            }
        }
        Some(Kind::Renderbuffer) => {
            if a.tables.renderbuffers.check(p.handle, HANDLE)? {
                return respecify_renderbuffer(a, p);
            }
        }
        _ => return corrupt("ResourceRespecify.kind"),
    }
    Ok(())
}

fn respecify_buffer(a: &mut Applier, p: &ResourceRespecify) -> Result<()> {
    let handle = Handle::from_raw(p.handle);
    let serial = a.tables.clock.tick();
    let Some(buffer) = a.tables.buffers.get_mut(handle) else { return Ok(()) };
    if buffer.immutable {
        return corrupt("ResourceRespecify.immutable");
    }
    *buffer = Buffer {
        size: p.size,
        usage: p.usage,
        storage_flags: p.storage_flags,
        immutable: p.immutable != 0,
        serial,
        content_serial: serial,
        declined: false,
    };
    maps::detach(a, handle);
    let outcome = if p.size > MAX_BUFFER {
        Err(Failure::gl(gl::OUT_OF_MEMORY, "a buffer larger than any driver's"))
    } else {
        a.backend.buffer_defined(&a.tables, handle)
    };
    let Err(failure) = outcome else { return Ok(()) };
    if let Some(buffer) = a.tables.buffers.get_mut(handle) {
        buffer.declined = true;
    }
    a.decline(Kind::Buffer, p.handle, failure)
}

fn respecify_renderbuffer(a: &mut Applier, p: &ResourceRespecify) -> Result<()> {
    if p.width > MAX_SIDE || p.height > MAX_SIDE {
        return corrupt("ResourceRespecify.width");
    }
    let handle = Handle::from_raw(p.handle);
    let serial = a.tables.clock.tick();
    let Some(object) = a.tables.renderbuffers.get_mut(handle) else { return Ok(()) };
    *object = Renderbuffer {
        internal_format: p.internal_format,
        width: p.width,
        height: p.height,
        samples: p.samples,
        declined: false,
        serial,
    };
    let Err(failure) = a.backend.renderbuffer_defined(&a.tables, handle) else { return Ok(()) };
    if let Some(object) = a.tables.renderbuffers.get_mut(handle) {
        object.declined = true;
    }
    a.decline(Kind::Renderbuffer, p.handle, failure)
}

pub(super) fn resource_destroy(a: &mut Applier, p: &ResourceDestroy) -> Result<()> {
    const HANDLE: &str = "ResourceDestroy.handle";
    let raw = p.handle;
    let kind = match Kind::from_u32(p.kind) {
        Some(kind @ Kind::Buffer) => {
            if !a.tables.buffers.check(raw, HANDLE)? {
                return Ok(());
            }
            maps::detach(a, Handle::from_raw(raw));
            a.tables.buffers.destroy(Handle::from_raw(raw));
            kind
        }
        Some(kind @ Kind::Texture) => {
            if !a.tables.textures.check(raw, HANDLE)? {
                return Ok(());
            }
            a.tables.textures.destroy(Handle::from_raw(raw));
            kind
        }
        Some(kind @ Kind::Renderbuffer) => {
            if !a.tables.renderbuffers.check(raw, HANDLE)? {
                return Ok(());
            }
            a.tables.renderbuffers.destroy(Handle::from_raw(raw));
            kind
        }
        _ => return corrupt("ResourceDestroy.kind"),
    };
    if let Some(meter) = &mut a.meter {
        meter.gone(kind, raw);
    }
    a.backend.destroyed(kind, raw);
    Ok(())
}

pub(super) fn resource_sub_data(a: &mut Applier, p: &ResourceSubData, inline: &[u8]) -> Result<()> {
    const HANDLE: &str = "ResourceSubData.handle";
    const BYTES: &str = "ResourceSubData.bytes";
    if p.bytes.size == 0 {
        return corrupt(BYTES);
    }
    match Kind::from_u32(p.kind) {
        Some(Kind::Buffer) => {
            if !a.tables.buffers.check(p.handle, HANDLE)? {
                return Ok(());
            }
            let handle = Handle::from_raw(p.handle);
            let content = a.content(&p.bytes, inline, BYTES)?;
            let serial = a.tables.clock.tick();
            let Some(buffer) = a.tables.buffers.get_mut(handle) else { return Ok(()) };
            if p.offset.checked_add(p.bytes.size).is_none_or(|end| end > buffer.size) {
                return corrupt("ResourceSubData.offset");
            }
            if buffer.declined {
                return Ok(());
            }
            buffer.content_serial = serial;
            maps::sync_written(a, handle)?;
            let outcome = a.backend.buffer_sub_data(&a.tables, handle, p.offset, content.source());
            a.settle(outcome)
        }
        Some(Kind::Texture) => {
            let size = [p.width, p.height, p.depth];
            if pixel::content_bytes(p.format, p.ty, size) != Some(p.bytes.size) {
                return corrupt(BYTES);
            }
            let origin = [p.x, p.y, p.z];
            let names =
                ["ResourceSubData.target", "ResourceSubData.level", "ResourceSubData.width"];
            let Some(region) =
                texture::region(a, p.handle, HANDLE, p.target, p.level, origin, size, names)?
            else {
                return Ok(());
            };
            let content = a.content(&p.bytes, inline, BYTES)?;
            let pixels = Pixels { format: p.format, ty: p.ty, bytes: content.source() };
            let handle = Handle::from_raw(p.handle);
            let outcome = a.backend.texture_sub_data(&a.tables, handle, &region, &pixels);
            a.settle(outcome)
        }
        _ => corrupt("ResourceSubData.kind"),
    }
}

pub(super) fn object_death(a: &mut Applier, p: &ObjectDeath) -> Result<()> {
    if p.handle.slot >= MAX_SLOTS || p.handle.generation == 0 {
        return corrupt("ObjectDeath.handle");
    }
    // Framebuffers and feedback objects are introduced by their first use, and may die before it.
    match Kind::from_u32(p.kind) {
        Some(Kind::Framebuffer) => {
            if p.handle == RawHandle::DEFAULT_FRAMEBUFFER {
                return corrupt("ObjectDeath.handle");
            }
            if a.tables.framebuffers.destroy(Handle::from_raw(p.handle)).is_some() {
                a.backend.destroyed(Kind::Framebuffer, p.handle);
            }
        }
        Some(Kind::Feedback) => {
            if a.tables.feedbacks.destroy(Handle::from_raw(p.handle)).is_some() {
                a.backend.destroyed(Kind::Feedback, p.handle);
            }
        }
        Some(Kind::Context) => return surface::context_death(a, p.handle),
        Some(Kind::Surface) => return surface::surface_death(a, p.handle),
        _ => return corrupt("ObjectDeath.kind"),
    }
    Ok(())
}

/// Which storage a record defines, for the backend.
pub(super) fn define_texture(
    a: &mut Applier,
    handle: Handle<forerun_pipe::handle::kind::Texture>,
    what: Defined,
) -> Result<()> {
    let Err(failure) = a.backend.texture_defined(&a.tables, handle, what) else { return Ok(()) };
    if let Some(texture) = a.tables.textures.get_mut(handle) {
        texture.declined = true;
    }
    a.decline(Kind::Texture, handle.raw(), failure)
}
