//! Renderbuffer objects (OpenGL ES 3.2, section 9.2.4).

use super::super::texture::format::{self, Format};
use crate::context::{Api, Context};
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_enum, invalid_operation,
};
use crate::shared::Shared;
use crate::stream::Owned;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{ResourceCreate, ResourceRespecify};
use forerun_pipe::{Kind, gl};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A renderbuffer object.
#[derive(Debug)]
pub struct Renderbuffer {
    /// Its name.
    pub name: u32,
    /// Its identity on the stream.
    pub handle: Owned<kind::Renderbuffer>,
    /// Whether it was ever attached to a framebuffer.
    pub attached: AtomicBool,
    /// What can change.
    pub data: Shared<RenderbufferData>,
}

/// What can change of a renderbuffer object.
#[derive(Clone, Copy, Debug, Default)]
pub struct RenderbufferData {
    /// Internal format, as the program gave it.
    pub internal: u32,
    /// What it is made of; `None` before storage is defined.
    pub format: Option<&'static Format>,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// 0 for single-sampled.
    pub samples: u32,
}

/// glBindRenderbuffer.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target, GL_INVALID_OPERATION for a name that was not generated, in a core profile.
pub fn bind(cx: &mut Context, target: u32, name: u32) -> GlResult {
    check_enum(target == gl::RENDERBUFFER, "renderbuffer target")?;
    cx.framebuffer.renderbuffer = if name == 0 { None } else { Some(named(cx, name)?) };
    Ok(())
}

pub(super) fn named(cx: &Context, name: u32) -> GlResult<Arc<Renderbuffer>> {
    let mut names = cx.group.renderbuffers.borrow_mut();
    if let Some(object) = names.get(name) {
        return Ok(Arc::clone(object));
    }
    check_operation(
        cx.config.api != Api::Core || names.is_reserved(name),
        "the renderbuffer name was not generated",
    )?;
    let mut stream = cx.group.stream();
    let handle = stream.mint::<kind::Renderbuffer>()?;
    ResourceCreate { handle: handle.raw(), kind: Kind::Renderbuffer as u32, target: 0 }
        .send(&mut *stream);
    let object = Arc::new(Renderbuffer {
        name,
        handle,
        attached: AtomicBool::new(false),
        data: Shared::default(),
    });
    names.insert(name, Arc::clone(&object));
    Ok(object)
}

/// glDeleteRenderbuffers: unbinds from this context and its bound framebuffers, frees the names.
pub fn delete(cx: &mut Context, names: &[u32]) -> GlResult {
    for &name in names.iter().filter(|n| **n != 0) {
        let Some(object) = cx.group.renderbuffers.borrow_mut().remove(name) else { continue };
        let bound = &mut cx.state.framebuffer.renderbuffer;
        if bound.as_ref().is_some_and(|b| Arc::ptr_eq(b, &object)) {
            *bound = None;
        }
        super::renderbuffer_deleted(&mut cx.state, &object);
    }
    Ok(())
}

fn current(cx: &Context) -> GlResult<Arc<Renderbuffer>> {
    match &cx.framebuffer.renderbuffer {
        Some(object) => Ok(Arc::clone(object)),
        None => invalid_operation("no renderbuffer is bound"),
    }
}

/// glRenderbufferStorage (`samples` is `None`) and glRenderbufferStorageMultisample.
///
/// # Errors
/// As OpenGL ES 3.2, section 9.2.4 says.
pub fn storage(
    cx: &mut Context,
    target: u32,
    samples: Option<i32>,
    internal: u32,
    width: i32,
    height: i32,
) -> GlResult {
    check_enum(target == gl::RENDERBUFFER, "renderbuffer target")?;
    let es = cx.config.api == Api::Es;
    // Neither generic compressed formats nor those that are only formats of pixels have storage in renderbuffers.
    let bare = internal < 5
        || matches!(internal, gl::BGRA | gl::BGRA8_EXT | gl::COMPRESSED_RED | gl::COMPRESSED_RG)
        || matches!(internal, gl::COMPRESSED_RGB | gl::COMPRESSED_RGBA)
        || matches!(internal, gl::COMPRESSED_SRGB | gl::COMPRESSED_SRGB_ALPHA);
    let found = if es {
        format::FORMATS.iter().find(|f| f.token == internal)
    } else {
        format::effective(false, internal, 0).filter(|_| !bare)
    };
    let state = &cx.state;
    let format = found.filter(|f| {
        let known = !f.is_compressed()
            && match f.token {
                gl::DEPTH_COMPONENT16 | gl::STENCIL_INDEX8 => true,
                gl::DEPTH_COMPONENT24 => state.knows(f.token),
                gl::DEPTH_COMPONENT32 => !es,
                gl::DEPTH24_STENCIL8 => state.knows(f.token),
                gl::RGBA8 | gl::RGB8 => state.knows(f.token),
                _ if f.is_color() => state.is_color_renderable(f),
                _ => !es || state.config.version >= f.es,
            };
        known && (!f.is_color() || state.is_color_renderable(f))
    });
    let Some(format) = format else { return invalid_enum("internal format is not renderable") };
    let most = cx.caps.limits.max_renderbuffer_size;
    check_value(
        (0..=most).contains(&width) && (0..=most).contains(&height),
        "size of a renderbuffer",
    )?;
    let samples = samples.unwrap_or(0);
    check_value(samples >= 0, "samples")?;
    let counts = cx.state.sample_counts(format);
    let most = counts.first().copied().unwrap_or(0);
    // OpenGL ES 3.0 has no multisampled integers.
    check_operation(
        !(es && cx.config.version == 30 && format.is_integer() && samples > 0),
        "samples of an integer format",
    )?;
    if es || cx.config.version >= 42 {
        check_operation(samples as u32 <= most.max(1), "too many samples")?;
    } else {
        let limit = cx.caps.limits.max_samples.max(0) as u32;
        check_value(samples as u32 <= limit.max(most), "too many samples")?;
    }
    let samples = match samples as u32 {
        0 => 0,
        wanted => counts.iter().rev().copied().find(|n| *n >= wanted).unwrap_or(most),
    };
    let object = current(cx)?;
    let (width, height) = (width as u32, height as u32);
    *object.data.borrow_mut() =
        RenderbufferData { internal, format: Some(format), width, height, samples };
    ResourceRespecify {
        handle: object.handle.raw(),
        kind: Kind::Renderbuffer as u32,
        internal_format: if es { internal } else { format.token },
        width,
        height,
        depth: 1,
        samples,
        ..Default::default()
    }
    .send(&mut *cx.stream());
    cx.group.storage_moved(&object.attached);
    Ok(())
}

/// glGetRenderbufferParameteriv.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target or parameter, GL_INVALID_OPERATION when none is bound.
pub fn parameter(cx: &Context, target: u32, pname: u32) -> GlResult<i32> {
    check_enum(target == gl::RENDERBUFFER, "renderbuffer target")?;
    let object = current(cx)?;
    let data = *object.data.borrow_mut();
    let bits = |i: usize| data.format.map_or(0, |f| i32::from(f.bits[i]));
    Ok(match pname {
        gl::RENDERBUFFER_WIDTH => data.width as i32,
        gl::RENDERBUFFER_HEIGHT => data.height as i32,
        gl::RENDERBUFFER_INTERNAL_FORMAT => match data.format {
            Some(_) => data.internal as i32,
            None if cx.config.api == Api::Es => gl::RGBA4 as i32,
            None => gl::RGBA as i32,
        },
        gl::RENDERBUFFER_RED_SIZE => bits(0),
        gl::RENDERBUFFER_GREEN_SIZE => bits(1),
        gl::RENDERBUFFER_BLUE_SIZE => bits(2),
        gl::RENDERBUFFER_ALPHA_SIZE => bits(3),
        gl::RENDERBUFFER_DEPTH_SIZE => bits(4),
        gl::RENDERBUFFER_STENCIL_SIZE => bits(5),
        gl::RENDERBUFFER_SAMPLES if cx.knows(pname) => data.samples as i32,
        _ => return invalid_enum("renderbuffer parameter"),
    })
}
