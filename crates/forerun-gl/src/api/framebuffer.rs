//! Entry points of framebuffers and renderbuffers.

use super::{put, put_all, slice};
use crate::entries;
use crate::error::count;
use crate::state::framebuffer::{self, attach, buffers, query, renderbuffer};

entries! {
    fn glGenFramebuffers(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        unsafe { put_all(names, (0..n).map(|_| cx.state.framebuffer.objects.generate())) };
        Ok(())
    };
    fn glDeleteFramebuffers(n: i32, names: *const u32) = |cx| {
        let n = count(n)? as usize;
        framebuffer::delete(cx, unsafe { slice(names, n) })
    };
    fn glIsFramebuffer(name: u32) -> u8 = |cx| Ok(u8::from(cx.framebuffer.objects.get(name).is_some()));
    fn glBindFramebuffer(target: u32, name: u32) = |cx| framebuffer::bind(cx, target, name);
    fn glBindFramebufferEXT(target: u32, name: u32) = |cx| framebuffer::bind(cx, target, name);
    fn glCheckFramebufferStatus(target: u32) -> u32 = |cx| query::check_status(cx, target);
    fn glFramebufferRenderbuffer(target: u32, attachment: u32, renderbuffer_target: u32, name: u32) = |cx| {
        attach::renderbuffer(cx, target, attachment, renderbuffer_target, name)
    };
    fn glFramebufferTexture1D(target: u32, attachment: u32, image_target: u32, name: u32, level: i32) = |cx| {
        attach::texture(cx, 1, target, attachment, image_target, name, level, 0, 0)
    };
    fn glFramebufferTexture2D(target: u32, attachment: u32, image_target: u32, name: u32, level: i32) = |cx| {
        attach::texture(cx, 2, target, attachment, image_target, name, level, 0, 0)
    };
    fn glFramebufferTexture3D(
        target: u32, attachment: u32, image_target: u32, name: u32, level: i32, layer: i32,
    ) = |cx| attach::texture(cx, 3, target, attachment, image_target, name, level, layer, 0);
    fn glFramebufferTexture3DOES(
        target: u32, attachment: u32, image_target: u32, name: u32, level: i32, layer: i32,
    ) = |cx| attach::texture(cx, 3, target, attachment, image_target, name, level, layer, 0);
    fn glFramebufferTextureLayer(target: u32, attachment: u32, name: u32, level: i32, layer: i32) = |cx| {
        attach::texture_layer(cx, target, attachment, name, level, layer)
    };
    fn glFramebufferTexture(target: u32, attachment: u32, name: u32, level: i32) = |cx| {
        attach::texture_whole(cx, target, attachment, name, level)
    };
    fn glFramebufferParameteri(target: u32, pname: u32, value: i32) = |cx| {
        attach::set_parameter(cx, target, pname, value)
    };
    fn glGetFramebufferParameteriv(target: u32, pname: u32, out: *mut i32) = |cx| {
        let value = attach::parameter(cx, target, pname)?;
        unsafe { put(out, value) };
        Ok(())
    };
    fn glGetFramebufferAttachmentParameteriv(target: u32, attachment: u32, pname: u32, out: *mut i32) = |cx| {
        let value = query::attachment_parameter(cx, target, attachment, pname)?;
        unsafe { put(out, value) };
        Ok(())
    };
    fn glDrawBuffers(n: i32, tokens: *const u32) = |cx| {
        let n = count(n)? as usize;
        buffers::draw_buffers(cx, unsafe { slice(tokens, n) })
    };
    fn glDrawBuffer(token: u32) = |cx| buffers::draw_buffer(cx, token);
    fn glReadBuffer(token: u32) = |cx| buffers::read_buffer(cx, token);
    fn glInvalidateFramebuffer(target: u32, n: i32, attachments: *const u32) = |cx| {
        let n = count(n)? as usize;
        framebuffer::invalidate(cx, target, unsafe { slice(attachments, n) }, None)
    };
    fn glInvalidateSubFramebuffer(
        target: u32, n: i32, attachments: *const u32, x: i32, y: i32, width: i32, height: i32,
    ) = |cx| {
        let n = count(n)? as usize;
        framebuffer::invalidate(cx, target, unsafe { slice(attachments, n) }, Some([x, y, width, height]))
    };
    fn glDiscardFramebufferEXT(target: u32, n: i32, attachments: *const u32) = |cx| {
        let n = count(n)? as usize;
        framebuffer::invalidate(cx, target, unsafe { slice(attachments, n) }, None)
    };
    fn glGetMultisamplefv(pname: u32, index: u32, out: *mut f32) = |cx| {
        let position = query::sample_position(cx, pname, index)?;
        unsafe { put_all(out, position.into_iter()) };
        Ok(())
    };

    fn glGenRenderbuffers(n: i32, names: *mut u32) = |cx| {
        let n = count(n)?;
        let mut table = cx.group.renderbuffers.borrow_mut();
        unsafe { put_all(names, (0..n).map(|_| table.generate())) };
        Ok(())
    };
    fn glDeleteRenderbuffers(n: i32, names: *const u32) = |cx| {
        let n = count(n)? as usize;
        renderbuffer::delete(cx, unsafe { slice(names, n) })
    };
    fn glIsRenderbuffer(name: u32) -> u8 = |cx| Ok(u8::from(cx.group.renderbuffers.borrow_mut().get(name).is_some()));
    fn glBindRenderbuffer(target: u32, name: u32) = |cx| renderbuffer::bind(cx, target, name);
    fn glBindRenderbufferEXT(target: u32, name: u32) = |cx| renderbuffer::bind(cx, target, name);
    fn glRenderbufferStorage(target: u32, internal: u32, width: i32, height: i32) = |cx| {
        renderbuffer::storage(cx, target, None, internal, width, height)
    };
    fn glRenderbufferStorageMultisample(target: u32, samples: i32, internal: u32, width: i32, height: i32) = |cx| {
        renderbuffer::storage(cx, target, Some(samples), internal, width, height)
    };
    fn glGetRenderbufferParameteriv(target: u32, pname: u32, out: *mut i32) = |cx| {
        let value = renderbuffer::parameter(cx, target, pname)?;
        unsafe { put(out, value) };
        Ok(())
    };
}
