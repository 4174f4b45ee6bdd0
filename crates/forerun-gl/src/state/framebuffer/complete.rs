//! Completeness (OpenGL ES 3.2, section 9.4).

use super::{Attachment, DEPTH, Framebuffer, Object, STENCIL};
use crate::context::{Api, Context, State};
use crate::error::{GlResult, check_operation, invalid_framebuffer_operation, invalid_operation};
use crate::state::texture::format::{self, Format};
use forerun_pipe::gl;
use std::sync::atomic::Ordering;

/// What an attached image is.
#[derive(Clone, Copy, Debug)]
pub struct Attached {
    /// What it is made of.
    pub format: &'static Format,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Layers or slices.
    pub depth: u32,
    /// Samples, implicit ones included; 0 for single-sampled.
    pub samples: u32,
    /// GL fixed sample locations; renderbuffers have them.
    pub fixed_sample_locations: bool,
}

impl Attachment {
    /// The attached image, if there is one.
    pub fn image(&self) -> Option<Attached> {
        match self.object.as_ref()? {
            Object::Renderbuffer(object) => {
                let data = object.data.borrow_mut();
                Some(Attached {
                    format: data.format?,
                    width: data.width,
                    height: data.height,
                    depth: 1,
                    samples: data.samples,
                    fixed_sample_locations: true,
                })
            }
            Object::Texture(texture) => {
                let data = texture.data.borrow_mut();
                let image = *data.image(texture.face(self.target)?, self.level)?;
                let depth = match texture.target {
                    gl::TEXTURE_1D_ARRAY => image.size[1],
                    _ => image.size[2],
                };
                Some(Attached {
                    format: image.format,
                    width: image.size[0],
                    height: if texture.target == gl::TEXTURE_1D_ARRAY { 1 } else { image.size[1] },
                    depth,
                    samples: image.samples.max(self.samples),
                    fixed_sample_locations: image.fixed_sample_locations,
                })
            }
        }
    }

    /// Whether it is complete as the attachment of that row of [`Framebuffer::points`]; an empty one is.
    fn is_complete(&self, state: &State, row: usize) -> bool {
        let Some(object) = &self.object else { return true };
        let Some(image) = self.image() else { return false };
        if image.width == 0 || image.height == 0 {
            return false;
        }
        if let Object::Texture(texture) = object {
            if !self.layered && self.layer >= image.depth.max(1) {
                return false;
            }
            let data = texture.data.borrow_mut();
            if self.layered && texture.target == gl::TEXTURE_CUBE_MAP {
                let first = data.image(0, self.level).map(|i| (i.size, i.format.token));
                let whole = (1..6).all(|face| {
                    data.image(face, self.level).map(|i| (i.size, i.format.token)) == first
                });
                if !whole {
                    return false;
                }
            }
        }
        match row {
            DEPTH => state.is_depth_renderable(image.format),
            STENCIL => image.format.has_stencil(),
            _ => state.is_color_renderable(image.format),
        }
    }
}

impl Framebuffer {
    /// The images attached, with their rows.
    pub fn images(&self) -> impl Iterator<Item = (usize, &Attachment, Attached)> {
        self.points.iter().enumerate().filter_map(|(row, point)| Some((row, point, point.image()?)))
    }

    fn evaluate(&self, state: &State) -> u32 {
        if !self.points.iter().enumerate().all(|(row, point)| point.is_complete(state, row)) {
            return gl::FRAMEBUFFER_INCOMPLETE_ATTACHMENT;
        }
        let images: Vec<_> = self.images().collect();
        let Some((_, first_point, first)) = images.first() else {
            let sized = self.defaults[0] > 0 && self.defaults[1] > 0;
            return if sized {
                gl::FRAMEBUFFER_COMPLETE
            } else {
                gl::FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT
            };
        };
        if state.config.api == Api::Es
            && state.config.version < 30
            && images.iter().any(|(_, _, i)| (i.width, i.height) != (first.width, first.height))
        {
            return gl::FRAMEBUFFER_INCOMPLETE_DIMENSIONS_EXT;
        }
        let color =
            images.iter().find(|(row, _, _)| *row < DEPTH).map(|(_, point, _)| point.target);
        let apart = images.iter().any(|(row, point, _)| {
            point.layered != first_point.layered
                || point.layered && *row < DEPTH && Some(point.target) != color
        });
        if apart {
            return gl::FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS;
        }
        let samples = images.iter().any(|(_, _, i)| {
            i.samples != first.samples || i.fixed_sample_locations != first.fixed_sample_locations
        });
        if samples {
            return gl::FRAMEBUFFER_INCOMPLETE_MULTISAMPLE;
        }
        let (depth, stencil) = (&self.points[DEPTH], &self.points[STENCIL]);
        if depth.object.is_some() && stencil.object.is_some() && !depth.same(stencil) {
            return gl::FRAMEBUFFER_UNSUPPORTED;
        }
        gl::FRAMEBUFFER_COMPLETE
    }
}

/// What glCheckFramebufferStatus says of a framebuffer by name; remembered until something attached moves.
pub fn status(cx: &mut Context, name: u32) -> u32 {
    let epoch = cx.group.storage_epoch.load(Ordering::Acquire);
    if name == 0 {
        let some = !cx.draw.surface.is_null() || !cx.read.surface.is_null();
        return if some { gl::FRAMEBUFFER_COMPLETE } else { gl::FRAMEBUFFER_UNDEFINED };
    }
    let Some(object) = cx.framebuffer.objects.get(name) else { return gl::FRAMEBUFFER_UNDEFINED };
    if let Some((at, status)) = object.status
        && at == epoch
    {
        return status;
    }
    let status = object.evaluate(&cx.state);
    if let Some(object) = cx.framebuffer.objects.get_mut(name) {
        object.status = Some((epoch, status));
    }
    status
}

/// Whether the draw framebuffer is complete; remembered until something attached moves.
///
/// # Errors
/// GL_INVALID_FRAMEBUFFER_OPERATION.
#[inline]
pub fn check_draw_complete(cx: &mut Context) -> GlResult {
    let bindings = &cx.state.framebuffer;
    if bindings.draw == 0 && !cx.state.draw.surface.is_null()
        || bindings.complete_at == cx.group.storage_epoch.load(Ordering::Relaxed) + 1
    {
        return Ok(());
    }
    find_draw_complete(cx)
}

#[cold]
fn find_draw_complete(cx: &mut Context) -> GlResult {
    let name = cx.framebuffer.draw;
    if status(cx, name) != gl::FRAMEBUFFER_COMPLETE {
        return invalid_framebuffer_operation("the draw framebuffer is incomplete");
    }
    if name != 0 {
        cx.framebuffer.complete_at = cx.group.storage_epoch.load(Ordering::Relaxed) + 1;
    }
    Ok(())
}

/// Whether the read framebuffer is complete.
///
/// # Errors
/// GL_INVALID_FRAMEBUFFER_OPERATION.
pub fn check_read_complete(cx: &mut Context) -> GlResult {
    let name = cx.framebuffer.read;
    if status(cx, name) != gl::FRAMEBUFFER_COMPLETE {
        return invalid_framebuffer_operation("the read framebuffer is incomplete");
    }
    Ok(())
}

/// The colour format that is read, if there is one.
pub fn read_format(state: &State) -> Option<&'static Format> {
    let Some(object) = state.framebuffer.read_object() else {
        return (state.framebuffer.read_buffer != gl::NONE)
            .then(|| format::find(state.read.color_format))?;
    };
    let row = object.read_buffer.checked_sub(gl::COLOR_ATTACHMENT0)? as usize;
    Some(object.points.get(row).filter(|_| row < DEPTH)?.image()?.format)
}

/// What a read, or a copy to an image of that (internal) format, takes from: the read buffer, or depth and stencil.
///
/// # Errors
/// GL_INVALID_FRAMEBUFFER_OPERATION when the read framebuffer is incomplete, GL_INVALID_OPERATION when there is nothing to
/// read or it is multisampled.
pub fn read_source(cx: &mut Context, wanted: u32) -> GlResult<&'static Format> {
    check_read_complete(cx)?;
    let state = &cx.state;
    let kind = match wanted {
        gl::DEPTH_COMPONENT => Some((true, false)),
        gl::DEPTH_STENCIL => Some((true, true)),
        gl::STENCIL_INDEX => Some((false, true)),
        _ => format::FORMATS
            .iter()
            .find(|f| f.token == wanted && !f.is_color())
            .map(|f| (f.has_depth(), f.has_stencil())),
    };
    let (source, samples) = match state.framebuffer.read_object() {
        None => {
            let token = match kind {
                None if state.framebuffer.read_buffer == gl::NONE => 0,
                None => state.read.color_format,
                Some(_) => state.read.depth_stencil_format,
            };
            (format::find(token), state.read.samples)
        }
        Some(object) => {
            let image = match kind {
                None => object
                    .read_buffer
                    .checked_sub(gl::COLOR_ATTACHMENT0)
                    .and_then(|row| object.points[..DEPTH].get(row as usize))
                    .and_then(Attachment::image),
                Some((true, true)) => {
                    object.points[DEPTH].image().filter(|_| object.points[STENCIL].object.is_some())
                }
                Some((true, false)) => object.points[DEPTH].image(),
                Some(_) => object.points[STENCIL].image(),
            };
            let explicit = |point: &Attachment| point.samples == 0;
            let samples = object
                .images()
                .filter(|(_, point, _)| explicit(point))
                .map(|(_, _, image)| image.samples)
                .max();
            (image.map(|i| i.format), samples.unwrap_or(0))
        }
    };
    let default = state.framebuffer.read == 0;
    let Some(source) = source else { return invalid_operation("there is no such buffer to read") };
    if let Some((depth, stencil)) = kind {
        check_operation(
            (!depth || source.has_depth()) && (!stencil || source.has_stencil()),
            "there is no such buffer to read",
        )?;
    }
    // The server resolves the default framebuffer's samples.
    check_operation(samples == 0 || default, "the read framebuffer is multisampled")?;
    Ok(source)
}
