//! Attaching images, and parameters of framebuffers without attachments (OpenGL ES 3.2, sections 9.2.1, 9.2.7 and 9.2.8).

use super::{Attachment, DEPTH, Object, STENCIL, bound};
use crate::context::{Api, Context, State};
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_enum, invalid_operation,
    invalid_value,
};
use crate::state::texture::{Texture, face_of};
use forerun_pipe::gl;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The points that an attachment token names: one, or depth and stencil.
///
/// # Errors
/// GL_INVALID_ENUM, or GL_INVALID_OPERATION for a colour attachment past the limit.
pub fn points(state: &State, token: u32) -> GlResult<(usize, Option<usize>)> {
    let color = token.wrapping_sub(gl::COLOR_ATTACHMENT0);
    if color < 32 {
        let most = if state.es(30)
            || state.config.api != Api::Es
            || state.extensions.has("GL_EXT_draw_buffers")
        {
            (state.caps.limits.max_color_attachments.max(1) as u32).min(DEPTH as u32)
        } else {
            1
        };
        if color < most {
            return Ok((color as usize, None));
        }
        return if state.at_least(30, 30) {
            invalid_operation("colour attachment past the limit")
        } else {
            invalid_enum("colour attachment")
        };
    }
    match token {
        gl::DEPTH_ATTACHMENT => Ok((DEPTH, None)),
        gl::STENCIL_ATTACHMENT => Ok((STENCIL, None)),
        gl::DEPTH_STENCIL_ATTACHMENT if state.at_least(30, 30) => Ok((DEPTH, Some(STENCIL))),
        _ => invalid_enum("attachment"),
    }
}

fn put(cx: &mut Context, target: u32, token: u32, attachment: Attachment) -> GlResult {
    let (first, second) = points(&cx.state, token)?;
    match &attachment.object {
        Some(Object::Texture(texture)) => texture.attached.store(true, Ordering::Relaxed),
        Some(Object::Renderbuffer(object)) => object.attached.store(true, Ordering::Relaxed),
        None => {}
    }
    let object = bound(&mut cx.state, target)?;
    if let Some(second) = second {
        object.points[second] = attachment.clone();
    }
    object.points[first] = attachment;
    object.moved = true;
    object.status = None;
    cx.state.framebuffer_moved();
    Ok(())
}

/// Checks target and attachment before anything else is looked at.
fn check_place(cx: &mut Context, target: u32, token: u32) -> GlResult {
    super::bound_name(&cx.state, target)?;
    points(&cx.state, token)?;
    bound(&mut cx.state, target).map(|_| ())
}

/// glFramebufferRenderbuffer.
///
/// # Errors
/// As OpenGL ES 3.2, section 9.2.7 says.
pub fn renderbuffer(
    cx: &mut Context,
    target: u32,
    token: u32,
    renderbuffer_target: u32,
    name: u32,
) -> GlResult {
    check_place(cx, target, token)?;
    check_enum(
        renderbuffer_target == gl::RENDERBUFFER || name == 0 && cx.config.api != Api::Core,
        "renderbuffer target",
    )?;
    let object = if name == 0 {
        None
    } else {
        let known = cx.group.renderbuffers.borrow_mut().get(name).cloned();
        match known {
            Some(object) => Some(Object::Renderbuffer(object)),
            None => return invalid_operation("no such renderbuffer"),
        }
    };
    put(cx, target, token, Attachment { object, ..Default::default() })
}

fn find(cx: &Context, name: u32) -> GlResult<Arc<Texture>> {
    match cx.group.texture(name) {
        Some(texture) => Ok(texture),
        None => invalid_operation("no such texture"),
    }
}

/// A level that the target has.
fn check_level(cx: &Context, target: u32, level: i32) -> GlResult<u32> {
    let level = cx.state.check_level(target, level)?;
    check_value(
        level == 0
            || cx.config.api != Api::Es
            || cx.config.version >= 30
            || cx.extensions.has("GL_OES_fbo_render_mipmap"),
        "level of an attachment",
    )?;
    Ok(level)
}

/// glFramebufferTexture1D, 2D (layer 0) and 3D; `samples` is for glFramebufferTexture2DMultisampleEXT.
///
/// # Errors
/// As OpenGL ES 3.2, section 9.2.8 says.
#[allow(clippy::too_many_arguments)]
pub fn texture(
    cx: &mut Context,
    dims: u32,
    target: u32,
    token: u32,
    image_target: u32,
    name: u32,
    level: i32,
    layer: i32,
    samples: u32,
) -> GlResult {
    check_place(cx, target, token)?;
    if name == 0 {
        return put(cx, target, token, Attachment::default());
    }
    let texture = find(cx, name)?;
    let known = match dims {
        1 => image_target == gl::TEXTURE_1D,
        2 => {
            // Drivers take an array here as its first layer, and programs rely on it.
            matches!(
                image_target,
                gl::TEXTURE_2D
                    | gl::TEXTURE_RECTANGLE
                    | gl::TEXTURE_2D_MULTISAMPLE
                    | gl::TEXTURE_2D_ARRAY
            ) || face_of(image_target).is_some()
        }
        _ => image_target == gl::TEXTURE_3D,
    };
    let own = crate::state::texture::owner_target(image_target);
    if !known || !cx.state.has_target(own) {
        let any = crate::state::texture::target_index(own).is_some();
        return if any && cx.config.api != Api::Es {
            invalid_operation("image target of an attachment")
        } else {
            invalid_enum("image target of an attachment")
        };
    }
    check_operation(texture.target == own, "the texture has another target")?;
    let level = check_level(cx, image_target, level)?;
    if dims == 3 {
        check_value(
            (0..cx.caps.limits.max_3d_texture_size.max(1)).contains(&layer),
            "slice of a 3D texture",
        )?;
    }
    let attachment = Attachment {
        object: Some(Object::Texture(texture)),
        target: image_target,
        level,
        layer: layer.max(0) as u32,
        layered: false,
        samples,
    };
    put(cx, target, token, attachment)
}

/// glFramebufferTextureLayer.
///
/// # Errors
/// As OpenGL ES 3.2, section 9.2.8 says.
pub fn texture_layer(
    cx: &mut Context,
    target: u32,
    token: u32,
    name: u32,
    level: i32,
    layer: i32,
) -> GlResult {
    check_place(cx, target, token)?;
    if name == 0 {
        return put(cx, target, token, Attachment::default());
    }
    let texture = find(cx, name)?;
    let limits = &cx.caps.limits;
    let most = match texture.target {
        gl::TEXTURE_3D => limits.max_3d_texture_size,
        gl::TEXTURE_1D_ARRAY
        | gl::TEXTURE_2D_ARRAY
        | gl::TEXTURE_CUBE_MAP_ARRAY
        | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => limits.max_array_texture_layers,
        gl::TEXTURE_CUBE_MAP if cx.state.desktop(31) => 6,
        _ => return invalid_operation("the texture has no layers"),
    };
    check_value((0..most.max(1)).contains(&layer), "layer of an attachment")?;
    let level = check_level(cx, texture.target, level)?;
    let (image_target, layer) = if texture.target == gl::TEXTURE_CUBE_MAP {
        (gl::TEXTURE_CUBE_MAP_POSITIVE_X + layer as u32, 0)
    } else {
        (texture.target, layer as u32)
    };
    let attachment = Attachment {
        object: Some(Object::Texture(texture)),
        target: image_target,
        level,
        layer,
        layered: false,
        samples: 0,
    };
    put(cx, target, token, attachment)
}

/// glFramebufferTexture: all layers.
///
/// # Errors
/// As OpenGL ES 3.2, section 9.2.8 says.
pub fn texture_whole(cx: &mut Context, target: u32, token: u32, name: u32, level: i32) -> GlResult {
    check_place(cx, target, token)?;
    if name == 0 {
        return put(cx, target, token, Attachment::default());
    }
    let Some(texture) = cx.group.texture(name) else {
        return if cx.config.api == Api::Es {
            invalid_operation("no such texture")
        } else {
            invalid_value("no such texture")
        };
    };
    check_operation(texture.target != gl::TEXTURE_BUFFER, "a buffer texture as an attachment")?;
    let level = check_level(cx, texture.target, level)?;
    let layered = matches!(
        texture.target,
        gl::TEXTURE_3D
            | gl::TEXTURE_CUBE_MAP
            | gl::TEXTURE_1D_ARRAY
            | gl::TEXTURE_2D_ARRAY
            | gl::TEXTURE_CUBE_MAP_ARRAY
            | gl::TEXTURE_2D_MULTISAMPLE_ARRAY
    );
    let attachment = Attachment {
        target: texture.target,
        object: Some(Object::Texture(texture)),
        level,
        layer: 0,
        layered,
        samples: 0,
    };
    put(cx, target, token, attachment)
}

/// Row of [`super::Framebuffer::defaults`] of a parameter.
fn default_row(state: &State, pname: u32) -> GlResult<usize> {
    match pname {
        _ if !state.knows(gl::FRAMEBUFFER_DEFAULT_WIDTH) => {
            invalid_operation("framebuffer parameters in this version")
        }
        gl::FRAMEBUFFER_DEFAULT_WIDTH => Ok(0),
        gl::FRAMEBUFFER_DEFAULT_HEIGHT => Ok(1),
        gl::FRAMEBUFFER_DEFAULT_LAYERS if state.knows(pname) => Ok(2),
        gl::FRAMEBUFFER_DEFAULT_SAMPLES => Ok(3),
        gl::FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS => Ok(4),
        _ => invalid_enum("framebuffer parameter"),
    }
}

/// glFramebufferParameteri.
///
/// # Errors
/// As OpenGL ES 3.2, section 9.2.1 says.
pub fn set_parameter(cx: &mut Context, target: u32, pname: u32, value: i32) -> GlResult {
    super::bound_name(&cx.state, target)?;
    let row = default_row(&cx.state, pname)?;
    let limits = &cx.caps.limits;
    let most = match row {
        0 => limits.max_framebuffer_width,
        1 => limits.max_framebuffer_height,
        2 => limits.max_framebuffer_layers,
        3 => limits.max_framebuffer_samples,
        _ => i32::MAX,
    };
    check_value(row == 4 || (0..=most).contains(&value), "framebuffer parameter")?;
    let object = bound(&mut cx.state, target)?;
    object.defaults[row] = if row == 4 { u32::from(value != 0) } else { value as u32 };
    object.moved = true;
    object.status = None;
    cx.state.framebuffer_moved();
    Ok(())
}

/// glGetFramebufferParameteriv.
///
/// # Errors
/// As OpenGL ES 3.2, section 9.2.3 says.
pub fn parameter(cx: &mut Context, target: u32, pname: u32) -> GlResult<i32> {
    super::bound_name(&cx.state, target)?;
    if let Some(value) = super::query::drawable_parameter(cx, target, pname) {
        return value;
    }
    let row = default_row(&cx.state, pname)?;
    Ok(bound(&mut cx.state, target)?.defaults[row] as i32)
}
