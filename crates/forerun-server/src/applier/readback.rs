//! Readbacks.

use super::{Applier, buffer, corrupt, maps, texture};
use crate::backend::Failure;
use crate::state::Env;
use forerun_link::Status;
use forerun_pipe::fault::Result;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, pixel};

fn rectangle(x: i32, y: i32, width: u32, height: u32, what: &'static str) -> Result<()> {
    let inside = |v: i32, len: u32| len <= i32::MAX as u32 && v.checked_add_unsigned(len).is_some();
    if inside(x, width) && inside(y, height) { Ok(()) } else { corrupt(what) }
}

pub(super) fn read_pixels(a: &mut Applier, p: &ReadPixels) -> Result<()> {
    rectangle(p.x, p.y, p.width, p.height, "ReadPixels.x")?;
    if p.width == 0 || p.height == 0 {
        return a.answer(Status::Ok, &[]);
    }
    let size = pixel::tight_bytes(p.format, p.ty, [p.width, p.height, 1]);
    let mut bytes = a.destination(&p.dst, size, "ReadPixels.dst")?;
    let env = Env::of(&a.tables, &a.contexts, a.current, "ReadPixels.context")?;
    let outcome = a.backend.read_pixels(&env, p, &mut bytes.dest());
    a.answer_outcome(outcome)
}

pub(super) fn read_pixels_to_buffer(a: &mut Applier, p: &ReadPixelsToBuffer) -> Result<()> {
    rectangle(p.x, p.y, p.width, p.height, "ReadPixelsToBuffer.x")?;
    let size = pixel::stored_bytes(p.format, p.ty, [p.width, p.height, 1], &p.store, false);
    let Some(size) = size else { return corrupt("ReadPixelsToBuffer.format") };
    let names = ["ReadPixelsToBuffer.buffer", "ReadPixelsToBuffer.offset"];
    let Some(handle) = buffer::inside(a, p.buffer, p.offset, size, names)? else { return Ok(()) };
    if size == 0 {
        return Ok(());
    }
    maps::sync_written(a, handle)?;
    super::verb!(a, "ReadPixelsToBuffer.context", read_pixels_to_buffer(handle, p))
}

pub(super) fn get_texture_image(a: &mut Applier, p: &GetTextureImage) -> Result<()> {
    let names = ["GetTextureImage.target", "GetTextureImage.level", "GetTextureImage.size"];
    let what = "GetTextureImage.handle";
    let region = texture::region(a, p.handle, what, p.target, p.level, p.origin, p.size, names)?;
    if region.is_none() {
        return a.answer(Status::Declined, &[]);
    }
    let size = content_bytes(a, p.handle, p.target, p.level, p.format, p.ty, p.size);
    let mut bytes = a.destination(&p.dst, size, "GetTextureImage.dst")?;
    let handle = Handle::from_raw(p.handle);
    let outcome = a.backend.texture_read(&a.tables, handle, p, &mut bytes.dest());
    a.answer_outcome(outcome)
}

/// Bytes of a box in tight rows; with format 0, of the image's own compressed format.
fn content_bytes(
    a: &Applier,
    raw: forerun_pipe::RawHandle,
    target: u32,
    level: u32,
    format: u32,
    ty: u32,
    size: [u32; 3],
) -> Option<u64> {
    if format != 0 {
        return pixel::tight_bytes(format, ty, size);
    }
    let texture = a.tables.textures.get(Handle::from_raw(raw))?;
    let image = texture.level(texture.face(target)?, level)?;
    pixel::compressed_bytes(image.internal_format, size)
}

pub(super) fn get_texture_image_to_buffer(
    a: &mut Applier,
    p: &GetTextureImageToBuffer,
) -> Result<()> {
    let names = [
        "GetTextureImageToBuffer.target",
        "GetTextureImageToBuffer.level",
        "GetTextureImageToBuffer.size",
    ];
    let what = "GetTextureImageToBuffer.handle";
    let region = texture::region(a, p.handle, what, p.target, p.level, p.origin, p.size, names)?;
    if region.is_none() {
        return Ok(());
    }
    let size = if p.format == 0 {
        content_bytes(a, p.handle, p.target, p.level, 0, 0, p.size)
    } else {
        pixel::stored_bytes(p.format, p.ty, p.size, &p.store, texture::has_images(p.target))
    };
    let Some(size) = size else { return corrupt("GetTextureImageToBuffer.format") };
    let names = ["GetTextureImageToBuffer.buffer", "GetTextureImageToBuffer.offset"];
    let Some(buffer) = buffer::inside(a, p.buffer, p.offset, size, names)? else { return Ok(()) };
    maps::sync_written(a, buffer)?;
    let handle = Handle::from_raw(p.handle);
    match a.backend.texture_read_to_buffer(&a.tables, handle, p) {
        Err(Failure::Fault(fault)) => Err(fault),
        outcome => a.settle(outcome),
    }
}
