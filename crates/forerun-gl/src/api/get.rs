//! Entry points of queries about the context.

use super::buffer::Pointer;
use super::put_all;
use crate::entries;
use crate::state::get;
use crate::state::texture::query::compressed_formats;
use forerun_pipe::gl;

entries! {
    fn glGetError() -> u32 = |cx| Ok(cx.take_error());
    fn glGetGraphicsResetStatus() -> u32 = |cx| Ok(get::reset_status(cx));
    fn glGetString(name: u32) -> Pointer = |cx| get::string(cx, name).map(Pointer::from);
    fn glGetStringi(name: u32, index: u32) -> Pointer = |cx| get::string_indexed(cx, name, index).map(Pointer::from);
    // SAFETY (all below): the program promised room for as many values as the variable has.
    fn glGetBooleanv(pname: u32, out: *mut u8) = |cx| {
        let value = get::get(cx, pname)?;
        unsafe { put_all(out, value.to_bools()) };
        Ok(())
    };
    fn glGetIntegerv(pname: u32, out: *mut i32) = |cx| {
        if pname == gl::COMPRESSED_TEXTURE_FORMATS {
            // More values than any other variable has.
            let formats = compressed_formats(&cx.state);
            unsafe { put_all(out, formats.into_iter().map(|format| format as i32)) };
            return Ok(());
        }
        let value = get::get(cx, pname)?;
        unsafe { put_all(out, value.to_i32s()) };
        Ok(())
    };
    fn glGetInteger64v(pname: u32, out: *mut i64) = |cx| {
        let value = get::get(cx, pname)?;
        unsafe { put_all(out, value.to_i64s()) };
        Ok(())
    };
    fn glGetFloatv(pname: u32, out: *mut f32) = |cx| {
        let value = get::get(cx, pname)?;
        unsafe { put_all(out, value.to_f32s()) };
        Ok(())
    };
    fn glGetDoublev(pname: u32, out: *mut f64) = |cx| {
        let value = get::get(cx, pname)?;
        unsafe { put_all(out, value.to_f64s()) };
        Ok(())
    };
    fn glGetBooleani_v(pname: u32, index: u32, out: *mut u8) = |cx| {
        let value = get::get_indexed(cx, pname, index)?;
        unsafe { put_all(out, value.to_bools()) };
        Ok(())
    };
    fn glGetIntegeri_v(pname: u32, index: u32, out: *mut i32) = |cx| {
        let value = get::get_indexed(cx, pname, index)?;
        unsafe { put_all(out, value.to_i32s()) };
        Ok(())
    };
    fn glGetInteger64i_v(pname: u32, index: u32, out: *mut i64) = |cx| {
        let value = get::get_indexed(cx, pname, index)?;
        unsafe { put_all(out, value.to_i64s()) };
        Ok(())
    };
    fn glGetFloati_v(pname: u32, index: u32, out: *mut f32) = |cx| {
        let value = get::get_indexed(cx, pname, index)?;
        unsafe { put_all(out, value.to_f32s()) };
        Ok(())
    };
    fn glGetDoublei_v(pname: u32, index: u32, out: *mut f64) = |cx| {
        let value = get::get_indexed(cx, pname, index)?;
        unsafe { put_all(out, value.to_f64s()) };
        Ok(())
    };
}
