//! Framebuffer and renderbuffer objects (OpenGL ES 3.2, chapter 9; OpenGL 4.6, chapter 9).

pub mod attach;
pub mod buffers;
pub mod complete;
pub mod named;
pub mod query;
pub mod renderbuffer;

pub use complete::{check_draw_complete, check_read_complete, read_format, read_source};
pub use query::get;
pub use renderbuffer::Renderbuffer;

use super::texture::Texture;
use crate::context::{Api, Config, Context, Drawable, State};
use crate::emit::{self, Dirty};
use crate::error::{GlResult, check_operation, check_value, invalid_enum, invalid_operation};
use crate::names::Names;
use crate::stream::Owned;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{InvalidateFramebuffer, MAX_COLOR_ATTACHMENTS};
use forerun_pipe::{Kind, RawHandle, gl, records};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Row of [`Framebuffer::points`] of the depth attachment.
pub const DEPTH: usize = MAX_COLOR_ATTACHMENTS;
/// Row of [`Framebuffer::points`] of the stencil attachment.
pub const STENCIL: usize = MAX_COLOR_ATTACHMENTS + 1;

/// An object that is attached.
#[derive(Clone, Debug)]
pub enum Object {
    /// A texture.
    Texture(Arc<Texture>),
    /// A renderbuffer.
    Renderbuffer(Arc<Renderbuffer>),
}

impl Object {
    fn same(&self, other: &Object) -> bool {
        match (self, other) {
            (Object::Texture(a), Object::Texture(b)) => Arc::ptr_eq(a, b),
            (Object::Renderbuffer(a), Object::Renderbuffer(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// What is attached at one point.
#[derive(Clone, Debug, Default)]
pub struct Attachment {
    /// The object.
    pub object: Option<Object>,
    /// Texture: image target (a cube face, or the texture's target).
    pub target: u32,
    /// Texture: level.
    pub level: u32,
    /// Texture: layer.
    pub layer: u32,
    /// Texture: all layers.
    pub layered: bool,
    /// Implicit multisampling.
    pub samples: u32,
}

impl Attachment {
    /// As it crosses.
    pub fn record(&self) -> records::Attachment {
        match &self.object {
            None => records::Attachment::default(),
            Some(Object::Texture(texture)) => records::Attachment {
                handle: texture.handle.raw(),
                kind: Kind::Texture as u32,
                target: self.target,
                level: self.level,
                layer: self.layer,
                layered: u32::from(self.layered),
                samples: self.samples,
            },
            Some(Object::Renderbuffer(object)) => records::Attachment {
                handle: object.handle.raw(),
                kind: Kind::Renderbuffer as u32,
                target: gl::RENDERBUFFER,
                ..Default::default()
            },
        }
    }

    /// Whether it is the same image.
    pub fn same(&self, other: &Attachment) -> bool {
        match (&self.object, &other.object) {
            (Some(a), Some(b)) => {
                a.same(b)
                    && (self.target, self.level, self.layer, self.layered)
                        == (other.target, other.level, other.layer, other.layered)
            }
            _ => false,
        }
    }
}

/// A framebuffer object.
#[derive(Debug)]
pub struct Framebuffer {
    /// Its name.
    pub name: u32,
    /// Its identity on the stream.
    pub handle: Owned<kind::Framebuffer>,
    /// Attachments: colours, depth, stencil.
    pub points: [Attachment; MAX_COLOR_ATTACHMENTS + 2],
    /// Draw buffers.
    pub draw_buffers: [u32; 8],
    /// Read buffer.
    pub read_buffer: u32,
    /// GL_FRAMEBUFFER_DEFAULT_WIDTH, _HEIGHT, _LAYERS, _SAMPLES, _FIXED_SAMPLE_LOCATIONS.
    pub defaults: [u32; 5],
    /// What completeness was last found to be, and [`crate::Group::storage_epoch`] then.
    status: Option<(u64, u32)>,
    /// Whether it has to be sent.
    pub moved: bool,
}

/// Framebuffers of a context.
#[derive(Debug)]
pub struct FramebufferBindings {
    /// Objects.
    pub objects: Names<Box<Framebuffer>>,
    /// Name of the draw framebuffer.
    pub draw: u32,
    /// Name of the read framebuffer.
    pub read: u32,
    /// Draw buffers of the default framebuffer.
    pub draw_buffers: [u32; 8],
    /// Read buffer of the default framebuffer.
    pub read_buffer: u32,
    /// Whether those have to be sent.
    pub moved: bool,
    /// The bound renderbuffer.
    pub renderbuffer: Option<Arc<Renderbuffer>>,
    /// [`crate::Group::storage_epoch`] plus one at which the draw framebuffer was found complete; 0 for not known.
    complete_at: u64,
    /// Whether the draw buffers are still those that the drawable gives.
    untouched: bool,
    /// Whether the context is one of OpenGL ES, whose default framebuffer has one colour buffer.
    es: bool,
    /// Whether buffers that are not draw buffers any more await that they are shown.
    unshown: Option<Front>,
    /// Whether the draw and the read surface have a back buffer.
    pub double: (bool, bool),
}

/// Which visible buffers were drawn to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Front {
    /// The front buffer.
    Alone,
    /// The front buffer and the back buffer alike.
    WithBack,
}

impl Front {
    fn among(buffers: &[u32; 8]) -> Option<Front> {
        let front = |buffer: &u32| match *buffer {
            gl::FRONT | gl::FRONT_LEFT => Some(Front::Alone),
            gl::LEFT | gl::FRONT_AND_BACK => Some(Front::WithBack),
            _ => None,
        };
        buffers.iter().filter_map(front).max()
    }
}

impl FramebufferBindings {
    /// The default framebuffer is bound.
    pub fn new(config: &Config) -> FramebufferBindings {
        let mut draw_buffers = [gl::NONE; 8];
        draw_buffers[0] = gl::BACK;
        FramebufferBindings {
            objects: Names::default(),
            draw: 0,
            read: 0,
            draw_buffers,
            read_buffer: gl::BACK,
            moved: false,
            renderbuffer: None,
            complete_at: 0,
            untouched: true,
            es: config.api == Api::Es,
            unshown: None,
            double: (true, true),
        }
    }

    /// Other draw buffers of the default framebuffer.
    fn set_draw_buffers(&mut self, buffers: [u32; 8]) {
        self.untouched = false;
        if self.draw_buffers != buffers {
            self.unshown = self.unshown.max(Front::among(&self.draw_buffers));
            self.draw_buffers = buffers;
            self.moved = true;
        }
    }

    /// Which visible buffers may have been drawn to since this was last asked.
    pub fn take_front(&mut self) -> Option<Front> {
        self.unshown.take().max(Front::among(&self.draw_buffers))
    }

    /// The context got other drawables, or theirs changed size. They say which buffer desktop GL draws to until the program does.
    pub fn drawable_changed(&mut self, draw: &Drawable, read: &Drawable) {
        let double = (draw.double_buffered, read.double_buffered);
        self.moved |= self.double != double;
        self.double = double;
        if self.untouched && !draw.surface.is_null() {
            let initial = if self.es || draw.double_buffered { gl::BACK } else { gl::FRONT };
            self.draw_buffers[0] = initial;
            self.read_buffer = initial;
            self.moved = true;
        }
    }

    /// The draw framebuffer, if it is an object.
    pub fn draw_object(&self) -> Option<&Framebuffer> {
        self.objects.get(self.draw).map(|b| &**b)
    }

    /// The read framebuffer, if it is an object.
    pub fn read_object(&self) -> Option<&Framebuffer> {
        self.objects.get(self.read).map(|b| &**b)
    }

    /// The handle of a framebuffer by name.
    pub fn handle(&self, name: u32) -> RawHandle {
        self.objects.get(name).map_or(RawHandle::DEFAULT_FRAMEBUFFER, |f| f.handle.raw())
    }
}

/// The identity of a framebuffer, for labels.
pub fn handle(cx: &Context, name: u32) -> Option<RawHandle> {
    cx.framebuffer.objects.get(name).map(|object| object.handle.raw())
}

/// Which of the two bindings a target names: (draw, read).
///
/// # Errors
/// GL_INVALID_ENUM.
fn sides(state: &State, target: u32) -> GlResult<(bool, bool)> {
    match target {
        gl::FRAMEBUFFER => Ok((true, true)),
        gl::DRAW_FRAMEBUFFER if state.knows(target) => Ok((true, false)),
        gl::READ_FRAMEBUFFER if state.knows(target) => Ok((false, true)),
        _ => invalid_enum("framebuffer target"),
    }
}

/// The name that a target binds; GL_FRAMEBUFFER means the draw framebuffer.
///
/// # Errors
/// GL_INVALID_ENUM.
pub fn bound_name(state: &State, target: u32) -> GlResult<u32> {
    Ok(match sides(state, target)? {
        (true, _) => state.framebuffer.draw,
        _ => state.framebuffer.read,
    })
}

/// The framebuffer object that a target binds.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target, GL_INVALID_OPERATION for the default framebuffer.
pub fn bound(state: &mut State, target: u32) -> GlResult<&mut Framebuffer> {
    let name = bound_name(state, target)?;
    match state.framebuffer.objects.get_mut(name) {
        Some(object) => Ok(object),
        None => invalid_operation("the default framebuffer is bound"),
    }
}

impl State {
    /// Something of a bound framebuffer moved.
    pub fn framebuffer_moved(&mut self) {
        self.framebuffer.complete_at = 0;
        self.dirty |= Dirty::FRAMEBUFFER;
    }
}

/// glBindFramebuffer.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target, GL_INVALID_OPERATION for a name that was not generated, in a core profile.
pub fn bind(cx: &mut Context, target: u32, name: u32) -> GlResult {
    let (draw, read) = sides(&cx.state, target)?;
    if name != 0 && cx.framebuffer.objects.get(name).is_none() {
        check_operation(
            cx.config.api != Api::Core || cx.framebuffer.objects.is_reserved(name),
            "the framebuffer name was not generated",
        )?;
        let object = create(cx, name)?;
        cx.framebuffer.objects.insert(name, object);
    }
    let state = &mut cx.state;
    let bindings = &mut state.framebuffer;
    if draw && bindings.draw != name || read && bindings.read != name {
        if draw {
            bindings.draw = name;
        }
        if read {
            bindings.read = name;
        }
        state.framebuffer_moved();
    }
    Ok(())
}

fn create(cx: &Context, name: u32) -> GlResult<Box<Framebuffer>> {
    let handle = cx.group.stream().mint::<kind::Framebuffer>()?;
    let mut draw_buffers = [gl::NONE; 8];
    draw_buffers[0] = gl::COLOR_ATTACHMENT0;
    Ok(Box::new(Framebuffer {
        name,
        handle,
        points: Default::default(),
        draw_buffers,
        read_buffer: gl::COLOR_ATTACHMENT0,
        defaults: [0; 5],
        status: None,
        moved: true,
    }))
}

/// glDeleteFramebuffers: a bound one is replaced by the default framebuffer.
pub fn delete(cx: &mut Context, names: &[u32]) -> GlResult {
    for &name in names.iter().filter(|n| **n != 0) {
        cx.framebuffer.objects.remove(name);
        let bindings = &mut cx.state.framebuffer;
        if bindings.draw == name || bindings.read == name {
            if bindings.draw == name {
                bindings.draw = 0;
            }
            if bindings.read == name {
                bindings.read = 0;
            }
            cx.state.framebuffer_moved();
        }
    }
    Ok(())
}

fn detach(state: &mut State, gone: &Object) {
    let bound = [state.framebuffer.draw, state.framebuffer.read];
    let mut any = false;
    for name in bound {
        let Some(object) = state.framebuffer.objects.get_mut(name) else { continue };
        for point in &mut object.points {
            if point.object.as_ref().is_some_and(|o| o.same(gone)) {
                *point = Attachment::default();
                object.moved = true;
                object.status = None;
                any = true;
            }
        }
    }
    if any {
        state.framebuffer_moved();
    }
}

/// A texture was deleted: bound framebuffers let go of it.
pub fn texture_deleted(state: &mut State, texture: &Arc<Texture>) {
    if texture.attached.load(Ordering::Relaxed) {
        detach(state, &Object::Texture(Arc::clone(texture)));
    }
}

/// A renderbuffer was deleted: bound framebuffers let go of it.
pub fn renderbuffer_deleted(state: &mut State, object: &Arc<Renderbuffer>) {
    if object.attached.load(Ordering::Relaxed) {
        detach(state, &Object::Renderbuffer(Arc::clone(object)));
    }
}

/// glInvalidateFramebuffer, glInvalidateSubFramebuffer and glDiscardFramebufferEXT.
///
/// # Errors
/// As OpenGL ES 3.2, section 9.4.3 says.
pub fn invalidate(
    cx: &mut Context,
    target: u32,
    attachments: &[u32],
    rect: Option<[i32; 4]>,
) -> GlResult {
    let name = bound_name(&cx.state, target)?;
    if let Some([_, _, width, height]) = rect {
        check_value(width >= 0 && height >= 0, "size of a rectangle")?;
    }
    let most = cx.caps.limits.max_color_attachments.max(0) as u32;
    for &token in attachments {
        let color = token.wrapping_sub(gl::COLOR_ATTACHMENT0);
        if name != 0 && color < 32 {
            check_operation(color < most, "colour attachment")?;
            continue;
        }
        let known = if name != 0 {
            matches!(
                token,
                gl::DEPTH_ATTACHMENT | gl::STENCIL_ATTACHMENT | gl::DEPTH_STENCIL_ATTACHMENT
            )
        } else {
            matches!(token, gl::COLOR | gl::DEPTH | gl::STENCIL)
                || cx.config.api != Api::Es && (gl::FRONT_LEFT..=gl::BACK_RIGHT).contains(&token)
        };
        if !known {
            return invalid_enum("attachment");
        }
    }
    if name == 0 && cx.draw.surface.is_null() || attachments.is_empty() {
        return Ok(());
    }
    let mut stream = cx.group.stream();
    cx.state.bind(&mut stream);
    emit::sync(&mut cx.state, &mut stream, Dirty::FRAMEBUFFER)?;
    InvalidateFramebuffer {
        handle: cx.state.framebuffer.handle(name),
        count: attachments.len().min(64) as u32,
        has_rect: u32::from(rect.is_some()),
        rect: rect.unwrap_or_default(),
    }
    .send(&mut *stream, &attachments[..attachments.len().min(64)]);
    Ok(())
}
