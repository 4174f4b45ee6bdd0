//! glBlitFramebuffer (OpenGL ES 3.2, section 16.2.1; OpenGL 4.6, section 18.3.1).

use super::framebuffer::complete::Attached;
use super::framebuffer::{self, Attachment, DEPTH, Framebuffer, STENCIL};
use super::texture::format::{self, Class, Format};
use crate::context::{Api, Context, Drawable, State};
use crate::emit::{self, Dirty};
use crate::error::{GlResult, check_enum, check_operation, check_value};
use forerun_pipe::gl;
use forerun_pipe::records::Blit;

/// One end of a blit.
struct End<'a> {
    object: Option<&'a Framebuffer>,
    drawable: &'a Drawable,
}

impl End<'_> {
    fn samples(&self) -> u32 {
        match self.object {
            Some(object) => object.images().map(|(_, _, image)| image.samples).max().unwrap_or(0),
            None => self.drawable.samples,
        }
    }

    fn point(&self, row: usize) -> Option<Attached> {
        self.object?.points.get(row)?.image()
    }

    fn depth(&self) -> Option<&'static Format> {
        match self.object {
            Some(_) => self.point(DEPTH).map(|i| i.format),
            None => format::find(self.drawable.depth_stencil_format).filter(|f| f.has_depth()),
        }
    }

    fn stencil(&self) -> Option<&'static Format> {
        match self.object {
            Some(_) => self.point(STENCIL).map(|i| i.format),
            None => format::find(self.drawable.depth_stencil_format).filter(|f| f.has_stencil()),
        }
    }
}

/// Colours convert within floats and fractions, signed integers, unsigned integers.
fn kind(format: &Format) -> u32 {
    match format.class {
        Class::Int => 1,
        Class::Uint => 2,
        Class::Norm | Class::Snorm | Class::Float => 0,
    }
}

/// Formats as a multisample resolve compares them: bits and nature, not names.
fn alike(a: &Format, b: &Format) -> bool {
    a.token == b.token
        || a.bits == b.bits && a.class == b.class && a.is_srgb() == b.is_srgb()
        // An RGB8 drawable is often RGBA8 underneath.
        || a.bits[..3] == b.bits[..3] && a.class == b.class && (a.bits[3] == 0 || b.bits[3] == 0)
}

/// The draw buffers of the draw framebuffer with what they are made of.
fn destinations(state: &State) -> Vec<(Option<&Attachment>, &'static Format)> {
    let bindings = &state.framebuffer;
    match bindings.draw_object() {
        Some(object) => object
            .draw_buffers
            .iter()
            .filter_map(|token| {
                let row = token.checked_sub(gl::COLOR_ATTACHMENT0)? as usize;
                let point = object.points[..DEPTH].get(row)?;
                Some((Some(point), point.image()?.format))
            })
            .collect(),
        None => bindings
            .draw_buffers
            .iter()
            .filter(|token| **token != gl::NONE)
            .filter_map(|_| Some((None, format::find(state.draw.color_format)?)))
            .collect(),
    }
}

/// The attachment that is read, if the read framebuffer is an object.
fn source_point(state: &State) -> Option<&Attachment> {
    let object = state.framebuffer.read_object()?;
    let row = object.read_buffer.checked_sub(gl::COLOR_ATTACHMENT0)? as usize;
    object.points[..DEPTH].get(row)
}

/// glBlitFramebuffer.
///
/// # Errors
/// As the specifications say.
pub fn blit(cx: &mut Context, src: [i32; 4], dst: [i32; 4], mask: u32, filter: u32) -> GlResult {
    const KNOWN: u32 = gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT | gl::STENCIL_BUFFER_BIT;
    framebuffer::check_read_complete(cx)?;
    framebuffer::check_draw_complete(cx)?;
    check_value(mask & !KNOWN == 0, "unknown buffer bits")?;
    check_enum(matches!(filter, gl::NEAREST | gl::LINEAR), "blit filter")?;
    let depths = mask & (gl::DEPTH_BUFFER_BIT | gl::STENCIL_BUFFER_BIT);
    check_operation(
        depths == 0 || filter == gl::NEAREST,
        "depth and stencil are not filtered linearly",
    )?;
    let mask = check_buffers(&cx.state, src, dst, mask, filter)?;
    if mask == 0 || src[0] == src[2] || src[1] == src[3] || dst[0] == dst[2] || dst[1] == dst[3] {
        return Ok(());
    }
    let mut stream = cx.group.stream();
    cx.state.bind(&mut stream);
    emit::sync(&mut cx.state, &mut stream, Dirty::BLIT)?;
    Blit { src, dst, mask, filter }.send(&mut *stream);
    Ok(())
}

/// Checks both ends against each other; gives the buffers that both have.
fn check_buffers(
    state: &State,
    src: [i32; 4],
    dst: [i32; 4],
    mut mask: u32,
    filter: u32,
) -> GlResult<u32> {
    let bindings = &state.framebuffer;
    let es = state.config.api == Api::Es;
    let read = End { object: bindings.read_object(), drawable: &state.read };
    let draw = End { object: bindings.draw_object(), drawable: &state.draw };
    let (from, to) = (read.samples(), draw.samples());
    if es {
        check_operation(to == 0, "the draw framebuffer is multisampled")?;
        check_operation(from == 0 || src == dst, "a resolve that moves or scales")?;
    } else {
        check_operation(from == 0 || to == 0 || from == to, "sample counts differ")?;
        let size = |r: [i32; 4]| {
            [r[2].wrapping_sub(r[0]).unsigned_abs(), r[3].wrapping_sub(r[1]).unsigned_abs()]
        };
        check_operation(
            from == 0 && to == 0 || size(src) == size(dst),
            "a multisample blit that scales",
        )?;
    }
    if mask & gl::COLOR_BUFFER_BIT != 0 {
        let source = framebuffer::read_format(state);
        let targets = destinations(state);
        match source {
            Some(source) if !targets.is_empty() => {
                let read_point = source_point(state);
                for (point, target) in &targets {
                    check_operation(kind(source) == kind(target), "kinds of colours differ")?;
                    check_operation(
                        !(es && from > 0) || alike(source, target),
                        "formats of a resolve differ",
                    )?;
                    let own = match (read_point, point) {
                        (Some(a), Some(b)) => a.same(b),
                        (None, None) => bindings.read == bindings.draw && state.read == state.draw,
                        _ => false,
                    };
                    check_operation(!(es && own), "source and destination are one")?;
                }
                check_operation(
                    kind(source) == 0 || filter == gl::NEAREST,
                    "integers are not filtered linearly",
                )?;
            }
            _ => mask &= !gl::COLOR_BUFFER_BIT,
        }
    }
    let pairs = [
        (gl::DEPTH_BUFFER_BIT, read.depth(), draw.depth(), DEPTH),
        (gl::STENCIL_BUFFER_BIT, read.stencil(), draw.stencil(), STENCIL),
    ];
    for (bit, source, target, row) in pairs {
        if mask & bit == 0 {
            continue;
        }
        match (source, target) {
            (Some(a), Some(b)) => {
                let same = if row == DEPTH {
                    a.bits[4] == b.bits[4] && a.class == b.class
                } else {
                    a.bits[5] == b.bits[5]
                };
                check_operation(same, "formats of depth or stencil differ")?;
                let points =
                    (read.object.map(|o| &o.points[row]), draw.object.map(|o| &o.points[row]));
                if let (true, (Some(a), Some(b))) = (es, points) {
                    check_operation(!a.same(b), "source and destination are one")?;
                }
            }
            _ => mask &= !bit,
        }
    }
    Ok(mask)
}
