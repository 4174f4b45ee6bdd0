//! Queries about framebuffers (OpenGL ES 3.2, section 9.2.3).

use super::complete::status;
use super::{Attachment, DEPTH, Object, STENCIL, attach, bound_name};
use crate::context::{Api, Context, State};
use crate::error::{GlResult, check_enum, check_operation, invalid_enum, invalid_operation};
use crate::state::texture::face_of;
use crate::state::texture::format::{self, Class, Format};
use crate::value::Value;
use forerun_pipe::gl;

/// glCheckFramebufferStatus.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target.
pub fn check_status(cx: &mut Context, target: u32) -> GlResult<u32> {
    let name = bound_name(&cx.state, target)?;
    Ok(status(cx, name))
}

/// What a point of the default framebuffer is made of, and whether it is colour, depth or stencil (0, 1, 2).
fn drawable_point(state: &State, token: u32) -> GlResult<(Option<&'static Format>, usize)> {
    let kind = match token {
        gl::DEPTH => 1,
        gl::STENCIL => 2,
        gl::BACK if state.config.api == Api::Es || state.desktop(45) => 0,
        gl::FRONT if state.desktop(45) => 0,
        gl::FRONT_LEFT | gl::FRONT_RIGHT | gl::BACK_LEFT | gl::BACK_RIGHT
            if state.config.api != Api::Es =>
        {
            0
        }
        _ => return invalid_enum("attachment of the default framebuffer"),
    };
    let draw = &state.draw;
    let format = match kind {
        0 => match token {
            gl::FRONT_RIGHT | gl::BACK_RIGHT => None,
            gl::BACK_LEFT if !draw.double_buffered => None,
            _ => format::find(draw.color_format),
        },
        1 => format::find(draw.depth_stencil_format).filter(|f| f.has_depth()),
        _ => format::find(draw.depth_stencil_format).filter(|f| f.has_stencil()),
    };
    Ok((format, kind))
}

fn format_value(state: &State, format: &Format, kind: usize, pname: u32) -> Option<i32> {
    let bits = |i: usize| Some(i32::from(format.bits[i]));
    Some(match pname {
        gl::FRAMEBUFFER_ATTACHMENT_RED_SIZE => return bits(0),
        gl::FRAMEBUFFER_ATTACHMENT_GREEN_SIZE => return bits(1),
        gl::FRAMEBUFFER_ATTACHMENT_BLUE_SIZE => return bits(2),
        gl::FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE => return bits(3),
        gl::FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE => return bits(4),
        gl::FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE => return bits(5),
        gl::FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE => match (kind, format.class) {
            (2, _) => {
                if state.config.api == Api::Es {
                    gl::UNSIGNED_INT as i32
                } else {
                    gl::INDEX as i32
                }
            }
            (1, Class::Float) => gl::FLOAT as i32,
            (1, _) => gl::UNSIGNED_NORMALIZED as i32,
            _ => format.component_type() as i32,
        },
        gl::FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING => {
            (if format.is_srgb() { gl::SRGB } else { gl::LINEAR }) as i32
        }
        _ => return None,
    })
}

/// glGetFramebufferAttachmentParameteriv.
///
/// # Errors
/// As OpenGL ES 3.2, section 9.2.3 says.
pub fn attachment_parameter(
    cx: &mut Context,
    target: u32,
    token: u32,
    pname: u32,
) -> GlResult<i32> {
    let name = bound_name(&cx.state, target)?;
    let state = &cx.state;
    let newer = state.at_least(30, 30);
    let Some(object) = state.framebuffer.objects.get(name) else {
        check_operation(newer, "the default framebuffer is bound")?;
        let (format, kind) = drawable_point(state, token)?;
        if pname == gl::FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE {
            let there = format.is_some() && !state.draw.surface.is_null();
            return Ok((if there { gl::FRAMEBUFFER_DEFAULT } else { gl::NONE }) as i32);
        }
        if pname == gl::FRAMEBUFFER_ATTACHMENT_OBJECT_NAME
            && (format.is_none() || state.config.api == Api::Es)
        {
            return if format.is_none() { Ok(0) } else { invalid_enum("attachment parameter") };
        }
        return match format {
            Some(format) => match format_value(state, format, kind, pname) {
                Some(value) => Ok(value),
                None => invalid_enum("attachment parameter"),
            },
            None => invalid_operation("there is no such attachment"),
        };
    };
    let (first, second) = attach::points(state, token)?;
    let point = &object.points[first];
    if let Some(second) = second {
        let other = &object.points[second];
        let alike = point.object.is_none() && other.object.is_none() || point.same(other);
        check_operation(alike, "depth and stencil attachments differ")?;
        check_operation(
            pname != gl::FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE,
            "component type of depth and stencil together",
        )?;
    }
    let kind = match first {
        DEPTH => 1,
        STENCIL => 2,
        _ => 0,
    };
    point_value(state, point, kind, pname)
}

fn point_value(state: &State, point: &Attachment, kind: usize, pname: u32) -> GlResult<i32> {
    let newer = state.at_least(30, 30);
    check_enum(state.knows(pname), "attachment parameter")?;
    let Some(object) = &point.object else {
        return match pname {
            gl::FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE => Ok(gl::NONE as i32),
            gl::FRAMEBUFFER_ATTACHMENT_OBJECT_NAME if newer => Ok(0),
            _ if newer => invalid_operation("nothing is attached"),
            _ => invalid_enum("nothing is attached"),
        };
    };
    match (pname, object) {
        (gl::FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, Object::Texture(_)) => {
            return Ok(gl::TEXTURE as i32);
        }
        (gl::FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, Object::Renderbuffer(_)) => {
            return Ok(gl::RENDERBUFFER as i32);
        }
        (gl::FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, Object::Texture(texture)) => {
            return Ok(texture.name as i32);
        }
        (gl::FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, Object::Renderbuffer(object)) => {
            return Ok(object.name as i32);
        }
        (gl::FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL, Object::Texture(_)) => {
            return Ok(point.level as i32);
        }
        (gl::FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE, Object::Texture(_)) => {
            return Ok(if face_of(point.target).is_some() { point.target as i32 } else { 0 });
        }
        (gl::FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER, Object::Texture(_)) => {
            return Ok(point.layer as i32);
        }
        (gl::FRAMEBUFFER_ATTACHMENT_LAYERED, Object::Texture(_)) => {
            return Ok(i32::from(point.layered));
        }
        (gl::FRAMEBUFFER_ATTACHMENT_TEXTURE_SAMPLES_EXT, Object::Texture(_)) => {
            return Ok(point.samples as i32);
        }
        _ => {}
    }
    let format = point.image().map(|i| i.format);
    // Without storage, sizes are 0 and there is no type.
    match format {
        Some(format) => match format_value(state, format, kind, pname) {
            Some(value) => Ok(value),
            None => invalid_enum("attachment parameter"),
        },
        None => match pname {
            gl::FRAMEBUFFER_ATTACHMENT_RED_SIZE
            | gl::FRAMEBUFFER_ATTACHMENT_GREEN_SIZE
            | gl::FRAMEBUFFER_ATTACHMENT_BLUE_SIZE
            | gl::FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE
            | gl::FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE
            | gl::FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE => Ok(0),
            gl::FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE => Ok(gl::NONE as i32),
            gl::FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING => Ok(gl::LINEAR as i32),
            _ => invalid_enum("attachment parameter"),
        },
    }
}

/// Parameters of glGetFramebufferParameteriv that desktop GL answers for any framebuffer (OpenGL 4.5).
pub fn drawable_parameter(cx: &mut Context, target: u32, pname: u32) -> Option<GlResult<i32>> {
    if !cx.state.desktop(45) {
        return None;
    }
    let name = bound_name(&cx.state, target).ok()?;
    let (_, samples) = draw_info(&cx.state, name);
    Some(Ok(match pname {
        gl::DOUBLEBUFFER => i32::from(name == 0 && cx.draw.double_buffered),
        gl::STEREO => 0,
        gl::SAMPLES => samples as i32,
        gl::SAMPLE_BUFFERS => i32::from(samples > 0),
        gl::IMPLEMENTATION_COLOR_READ_FORMAT | gl::IMPLEMENTATION_COLOR_READ_TYPE => {
            crate::state::readback::get(&cx.state, pname)?.to_i32s().next()?
        }
        _ => return None,
    }))
}

/// Bits of a framebuffer's components, and its samples.
fn draw_info(state: &State, name: u32) -> ([u8; 6], u32) {
    let mut bits = [0; 6];
    let Some(object) = state.framebuffer.objects.get(name) else {
        let draw = &state.draw;
        if let Some(color) = format::find(draw.color_format) {
            bits[..4].copy_from_slice(&color.bits[..4]);
        }
        if let Some(depth) = format::find(draw.depth_stencil_format) {
            bits[4..].copy_from_slice(&depth.bits[4..]);
        }
        return (bits, draw.samples);
    };
    let mut samples = object.defaults[3];
    let mut first = true;
    for (row, _, image) in object.images() {
        samples = image.samples;
        match row {
            DEPTH => bits[4] = image.format.bits[4],
            STENCIL => bits[5] = image.format.bits[5],
            _ if first => {
                bits[..4].copy_from_slice(&image.format.bits[..4]);
                first = false;
            }
            _ => {}
        }
    }
    (bits, samples)
}

/// Answers glGet*.
pub fn get(state: &State, pname: u32) -> Option<Value> {
    let bindings = &state.framebuffer;
    let draw_buffers = bindings.draw_object().map_or(&bindings.draw_buffers, |o| &o.draw_buffers);
    Some(match pname {
        gl::DRAW_FRAMEBUFFER_BINDING => Value::int(bindings.draw),
        gl::READ_FRAMEBUFFER_BINDING => Value::int(bindings.read),
        gl::RENDERBUFFER_BINDING => {
            Value::int(bindings.renderbuffer.as_ref().map_or(0, |r| r.name))
        }
        gl::DRAW_BUFFER => Value::int(draw_buffers[0]),
        gl::DRAW_BUFFER0..=gl::DRAW_BUFFER7 => {
            Value::int(draw_buffers[(pname - gl::DRAW_BUFFER0) as usize & 7])
        }
        gl::READ_BUFFER => {
            Value::int(bindings.read_object().map_or(bindings.read_buffer, |o| o.read_buffer))
        }
        gl::SAMPLES => Value::int(draw_info(state, bindings.draw).1),
        gl::SAMPLE_BUFFERS => Value::int(u32::from(draw_info(state, bindings.draw).1 > 0)),
        gl::RED_BITS | gl::GREEN_BITS | gl::BLUE_BITS | gl::ALPHA_BITS => Value::int(u32::from(
            draw_info(state, bindings.draw).0[(pname - gl::RED_BITS) as usize & 3],
        )),
        gl::DEPTH_BITS => Value::int(u32::from(draw_info(state, bindings.draw).0[4])),
        gl::STENCIL_BITS => Value::int(u32::from(draw_info(state, bindings.draw).0[5])),
        _ => return None,
    })
}

/// glGetMultisamplefv: where a sample lies in the pixel. The host's own positions are not told, so these are the usual ones for
/// that many samples.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown name, GL_INVALID_VALUE for an index past the samples.
pub fn sample_position(cx: &Context, pname: u32, index: u32) -> GlResult<[f32; 2]> {
    if pname != gl::SAMPLE_POSITION {
        return invalid_enum("multisample parameter");
    }
    let (_, samples) = draw_info(&cx.state, cx.framebuffer.draw);
    crate::error::check_value(index < samples.max(1), "sample index")?;
    const FOUR: [[f32; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];
    const EIGHT: [[f32; 2]; 8] = [
        [0.5625, 0.3125],
        [0.4375, 0.6875],
        [0.8125, 0.5625],
        [0.3125, 0.1875],
        [0.1875, 0.8125],
        [0.0625, 0.4375],
        [0.6875, 0.9375],
        [0.9375, 0.0625],
    ];
    let index = index as usize;
    Ok(match samples {
        2 => [[0.25, 0.25], [0.75, 0.75]][index & 1],
        4 => FOUR[index & 3],
        8 => EIGHT[index & 7],
        _ => [0.5, 0.5],
    })
}
