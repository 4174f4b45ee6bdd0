//! Entry points of framebuffers and renderbuffers by name.

use super::clear::values;
use super::{put, put_all, slice};
use crate::entries;
use crate::error::{count, invalid_enum};
use crate::state::framebuffer::{
    self, attach, buffers,
    named::{self, TARGET},
    query, renderbuffer,
};
use crate::state::{blit, clear};
use forerun_pipe::gl;

entries! {
    fn glCreateFramebuffers(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        let made: Result<Vec<u32>, _> = (0..n).map(|_| named::create_named(cx)).collect();
        unsafe { put_all(names, made?.into_iter()) };
        Ok(())
    };
    fn glNamedFramebufferRenderbuffer(name: u32, attachment: u32, target: u32, object: u32) = |cx| {
        named::with_object(cx, name, |cx| attach::renderbuffer(cx, TARGET, attachment, target, object))
    };
    fn glNamedFramebufferTexture(name: u32, attachment: u32, texture: u32, level: i32) = |cx| {
        named::with_object(cx, name, |cx| attach::texture_whole(cx, TARGET, attachment, texture, level))
    };
    fn glNamedFramebufferTextureLayer(name: u32, attachment: u32, texture: u32, level: i32, layer: i32) = |cx| {
        named::with_object(cx, name, |cx| attach::texture_layer(cx, TARGET, attachment, texture, level, layer))
    };
    fn glNamedFramebufferParameteri(name: u32, pname: u32, value: i32) = |cx| {
        named::with_object(cx, name, |cx| attach::set_parameter(cx, TARGET, pname, value))
    };
    fn glNamedFramebufferDrawBuffer(name: u32, token: u32) = |cx| {
        named::with(cx, name, |cx| buffers::draw_buffer(cx, token))
    };
    fn glNamedFramebufferDrawBuffers(name: u32, n: i32, tokens: *const u32) = |cx| {
        let n = count(n)? as usize;
        let tokens = unsafe { slice(tokens, n) };
        named::with(cx, name, |cx| buffers::draw_buffers(cx, tokens))
    };
    fn glNamedFramebufferReadBuffer(name: u32, token: u32) = |cx| {
        named::with(cx, name, |cx| buffers::read_buffer(cx, token))
    };
    fn glInvalidateNamedFramebufferData(name: u32, n: i32, attachments: *const u32) = |cx| {
        let n = count(n)? as usize;
        let attachments = unsafe { slice(attachments, n) };
        named::with(cx, name, |cx| framebuffer::invalidate(cx, TARGET, attachments, None))
    };
    fn glInvalidateNamedFramebufferSubData(
        name: u32, n: i32, attachments: *const u32, x: i32, y: i32, width: i32, height: i32,
    ) = |cx| {
        let n = count(n)? as usize;
        let (attachments, area) = (unsafe { slice(attachments, n) }, Some([x, y, width, height]));
        named::with(cx, name, |cx| framebuffer::invalidate(cx, TARGET, attachments, area))
    };
    fn glClearNamedFramebufferiv(name: u32, buffer: u32, index: i32, value: *const i32) = |cx| {
        if buffer != gl::COLOR && buffer != gl::STENCIL {
            return invalid_enum("buffer to clear");
        }
        let value = unsafe { values(buffer, value.cast()) };
        named::with(cx, name, |cx| clear::clear_buffer(cx, 1, buffer, index, value))
    };
    fn glClearNamedFramebufferuiv(name: u32, buffer: u32, index: i32, value: *const u32) = |cx| {
        if buffer != gl::COLOR {
            return invalid_enum("buffer to clear");
        }
        let value = unsafe { values(buffer, value) };
        named::with(cx, name, |cx| clear::clear_buffer(cx, 2, buffer, index, value))
    };
    fn glClearNamedFramebufferfv(name: u32, buffer: u32, index: i32, value: *const f32) = |cx| {
        if buffer != gl::COLOR && buffer != gl::DEPTH {
            return invalid_enum("buffer to clear");
        }
        let value = unsafe { values(buffer, value.cast()) };
        named::with(cx, name, |cx| clear::clear_buffer(cx, 0, buffer, index, value))
    };
    fn glClearNamedFramebufferfi(name: u32, buffer: u32, index: i32, depth: f32, stencil: i32) = |cx| {
        named::with(cx, name, |cx| clear::clear_depth_stencil(cx, buffer, index, depth, stencil))
    };
    fn glBlitNamedFramebuffer(
        read: u32, draw: u32,
        src_x0: i32, src_y0: i32, src_x1: i32, src_y1: i32,
        dst_x0: i32, dst_y0: i32, dst_x1: i32, dst_y1: i32,
        mask: u32, filter: u32,
    ) = |cx| {
        let (src, dst) = ([src_x0, src_y0, src_x1, src_y1], [dst_x0, dst_y0, dst_x1, dst_y1]);
        named::with_both(cx, draw, read, |cx| blit::blit(cx, src, dst, mask, filter))
    };
    fn glCheckNamedFramebufferStatus(name: u32, target: u32) -> u32 = |cx| named::check_status(cx, name, target);
    fn glGetNamedFramebufferParameteriv(name: u32, pname: u32, out: *mut i32) = |cx| {
        let value = named::with(cx, name, |cx| attach::parameter(cx, TARGET, pname))?;
        unsafe { put(out, value) };
        Ok(())
    };
    fn glGetNamedFramebufferAttachmentParameteriv(name: u32, attachment: u32, pname: u32, out: *mut i32) = |cx| {
        let value = named::with(cx, name, |cx| query::attachment_parameter(cx, TARGET, attachment, pname))?;
        unsafe { put(out, value) };
        Ok(())
    };
    fn glCreateRenderbuffers(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        let made: Result<Vec<u32>, _> = (0..n).map(|_| named::create_renderbuffer(cx)).collect();
        unsafe { put_all(names, made?.into_iter()) };
        Ok(())
    };
    fn glNamedRenderbufferStorage(name: u32, internal: u32, width: i32, height: i32) = |cx| {
        named::with_renderbuffer(cx, name, |cx| {
            renderbuffer::storage(cx, gl::RENDERBUFFER, None, internal, width, height)
        })
    };
    fn glNamedRenderbufferStorageMultisample(name: u32, samples: i32, internal: u32, width: i32, height: i32) = |cx| {
        named::with_renderbuffer(cx, name, |cx| {
            renderbuffer::storage(cx, gl::RENDERBUFFER, Some(samples), internal, width, height)
        })
    };
    fn glGetNamedRenderbufferParameteriv(name: u32, pname: u32, out: *mut i32) = |cx| {
        let value = named::with_renderbuffer(cx, name, |cx| renderbuffer::parameter(cx, gl::RENDERBUFFER, pname))?;
        unsafe { put(out, value) };
        Ok(())
    };
}
