//! Framebuffers: completeness, what is refused, and what crosses.

use super::{Rig, code};
use crate::emit::framebuffer::sync;
use crate::state::framebuffer::{self, attach, buffers, complete, renderbuffer};
use crate::state::texture::{self, storage};
use crate::state::{blit, readback};
use crate::{Api, GlResult};
use forerun_pipe::catalogue::Op;
use forerun_pipe::gl;
use std::sync::Arc;

const FB: u32 = gl::FRAMEBUFFER;
const COLOR: u32 = gl::COLOR_ATTACHMENT0;

fn make_texture(rig: &mut Rig, name: u32, internal: u32, size: i32) {
    texture::bind(&mut rig.cx, gl::TEXTURE_2D, name).unwrap();
    storage::tex_storage(&mut rig.cx, 2, gl::TEXTURE_2D, 1, internal, [size, size, 1]).unwrap();
}

fn attach(rig: &mut Rig, token: u32, name: u32) -> GlResult {
    attach::texture(&mut rig.cx, 2, FB, token, gl::TEXTURE_2D, name, 0, 0, 0)
}

fn status(rig: &mut Rig) -> u32 {
    let name = rig.cx.framebuffer.draw;
    complete::status(&mut rig.cx, name)
}

#[test]
fn completeness_follows_what_is_attached() {
    let mut rig = Rig::new(Api::Es, 30);
    assert_eq!(status(&mut rig), gl::FRAMEBUFFER_COMPLETE);
    framebuffer::bind(&mut rig.cx, FB, 1).unwrap();
    assert_eq!(status(&mut rig), gl::FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT);
    let draw = framebuffer::check_draw_complete(&mut rig.cx);
    assert_eq!(code(draw), gl::INVALID_FRAMEBUFFER_OPERATION);
    make_texture(&mut rig, 7, gl::RGBA8, 8);
    attach(&mut rig, COLOR, 7).unwrap();
    assert_eq!(status(&mut rig), gl::FRAMEBUFFER_COMPLETE);
    framebuffer::check_draw_complete(&mut rig.cx).unwrap();
    // Formats that OpenGL ES 3.0 does not render to.
    make_texture(&mut rig, 8, gl::RGB9_E5, 8);
    attach(&mut rig, COLOR, 8).unwrap();
    assert_eq!(status(&mut rig), gl::FRAMEBUFFER_INCOMPLETE_ATTACHMENT);
    // A bound framebuffer lets go of a deleted texture.
    texture::delete(&mut rig.cx, &[8]).unwrap();
    assert_eq!(status(&mut rig), gl::FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT);
}

#[test]
fn a_renderbuffer_defined_anew_is_looked_at_again() {
    let mut rig = Rig::new(Api::Es, 30);
    framebuffer::bind(&mut rig.cx, FB, 1).unwrap();
    renderbuffer::bind(&mut rig.cx, gl::RENDERBUFFER, 3).unwrap();
    let cx = &mut rig.cx;
    renderbuffer::storage(cx, gl::RENDERBUFFER, None, gl::RGBA8, 4, 4).unwrap();
    attach::renderbuffer(cx, FB, COLOR, gl::RENDERBUFFER, 3).unwrap();
    framebuffer::check_draw_complete(cx).unwrap();
    renderbuffer::storage(cx, gl::RENDERBUFFER, None, gl::RGBA8, 0, 4).unwrap();
    let draw = framebuffer::check_draw_complete(cx);
    assert_eq!(code(draw), gl::INVALID_FRAMEBUFFER_OPERATION);
}

#[test]
fn sample_counts_must_agree() {
    let mut rig = Rig::new(Api::Es, 30);
    framebuffer::bind(&mut rig.cx, FB, 1).unwrap();
    for (name, samples, token) in [(3, None, COLOR), (4, Some(4), gl::DEPTH_ATTACHMENT)] {
        renderbuffer::bind(&mut rig.cx, gl::RENDERBUFFER, name).unwrap();
        let format = if token == COLOR { gl::RGBA8 } else { gl::DEPTH_COMPONENT16 };
        renderbuffer::storage(&mut rig.cx, gl::RENDERBUFFER, samples, format, 4, 4).unwrap();
        attach::renderbuffer(&mut rig.cx, FB, token, gl::RENDERBUFFER, name).unwrap();
    }
    assert_eq!(status(&mut rig), gl::FRAMEBUFFER_INCOMPLETE_MULTISAMPLE);
}

#[test]
fn a_description_crosses_once_per_change() {
    let mut rig = Rig::new(Api::Es, 30);
    let send = |rig: &mut Rig| {
        let group = Arc::clone(&rig.cx.group);
        sync(&mut rig.cx.state, &mut group.stream()).unwrap();
    };
    make_texture(&mut rig, 7, gl::RGBA8, 8);
    framebuffer::bind(&mut rig.cx, FB, 1).unwrap();
    attach(&mut rig, COLOR, 7).unwrap();
    send(&mut rig);
    assert_eq!(rig.crossed(Op::SetFramebufferState).len(), 1);
    send(&mut rig);
    assert_eq!(rig.crossed(Op::SetFramebufferState).len(), 0);
    framebuffer::bind(&mut rig.cx, FB, 0).unwrap();
    send(&mut rig);
    framebuffer::bind(&mut rig.cx, FB, 1).unwrap();
    send(&mut rig);
    assert_eq!(rig.crossed(Op::BindFramebuffers).len(), 2);
    framebuffer::delete(&mut rig.cx, &[1]).unwrap();
    send(&mut rig);
    assert_eq!(rig.crossed(Op::ObjectDeath).len(), 1);
}

#[test]
fn draw_buffers_of_es_stand_in_order() {
    let mut rig = Rig::new(Api::Es, 30);
    framebuffer::bind(&mut rig.cx, FB, 1).unwrap();
    buffers::draw_buffers(&mut rig.cx, &[gl::NONE, COLOR + 1]).unwrap();
    let swapped = buffers::draw_buffers(&mut rig.cx, &[COLOR + 1]);
    assert_eq!(code(swapped), gl::INVALID_OPERATION);
    let back = buffers::draw_buffers(&mut rig.cx, &[gl::BACK]);
    assert_eq!(code(back), gl::INVALID_OPERATION);
    let mut core = Rig::new(Api::Core, 33);
    let name = core.cx.framebuffer.objects.generate();
    framebuffer::bind(&mut core.cx, FB, name).unwrap();
    buffers::draw_buffers(&mut core.cx, &[COLOR + 1]).unwrap();
    let twice = buffers::draw_buffers(&mut core.cx, &[COLOR, COLOR]);
    assert_eq!(code(twice), gl::INVALID_OPERATION);
}

#[test]
fn a_blit_between_kinds_of_colours_is_refused() {
    let mut rig = Rig::new(Api::Es, 30);
    make_texture(&mut rig, 7, gl::RGBA8UI, 8);
    framebuffer::bind(&mut rig.cx, gl::READ_FRAMEBUFFER, 1).unwrap();
    let read = gl::READ_FRAMEBUFFER;
    attach::texture(&mut rig.cx, 2, read, COLOR, gl::TEXTURE_2D, 7, 0, 0, 0).unwrap();
    let all = [0, 0, 8, 8];
    let result = blit::blit(&mut rig.cx, all, all, gl::COLOR_BUFFER_BIT, gl::NEAREST);
    assert_eq!(code(result), gl::INVALID_OPERATION);
    let filtered = blit::blit(&mut rig.cx, all, all, gl::DEPTH_BUFFER_BIT, gl::LINEAR);
    assert_eq!(code(filtered), gl::INVALID_OPERATION);
    // Buffers that one end lacks are left out, and nothing is left.
    blit::blit(&mut rig.cx, all, all, gl::DEPTH_BUFFER_BIT, gl::NEAREST).unwrap();
    assert_eq!(rig.crossed(Op::Blit).len(), 0);
}

#[test]
fn reads_are_checked_against_the_read_buffer() {
    let mut rig = Rig::new(Api::Es, 30);
    let mut out = [0u8; 64];
    let mut read = |format, ty| {
        readback::read_pixels(&mut rig.cx, [0, 0], [2, 2], format, ty, None, out.as_mut_ptr())
    };
    read(gl::RGBA, gl::UNSIGNED_BYTE).unwrap();
    assert_eq!(code(read(gl::RGBA, gl::FLOAT)), gl::INVALID_OPERATION);
    assert_eq!(code(read(gl::RGBA_INTEGER, gl::INT)), gl::INVALID_OPERATION);
    assert_eq!(code(read(0xDEAD, gl::UNSIGNED_BYTE)), gl::INVALID_ENUM);
}
