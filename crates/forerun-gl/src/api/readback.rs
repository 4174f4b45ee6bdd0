//! Entry points of pixel store parameters and reads.

use crate::entries;
use crate::state::readback;
use std::ffi::c_void;

entries! {
    fn glClampColor(target: u32, clamp: u32) = |cx| readback::clamp_color(&mut cx.state, target, clamp);
    fn glPixelStorei(pname: u32, value: i32) = |cx| readback::pixel_store(cx, pname, value);
    fn glPixelStoref(pname: u32, value: f32) = |cx| readback::pixel_store(cx, pname, value.round() as i32);
    fn glReadPixels(x: i32, y: i32, width: i32, height: i32, format: u32, ty: u32, pixels: *mut c_void) = |cx| {
        readback::read_pixels(cx, [x, y], [width, height], format, ty, None, pixels.cast())
    };
    fn glReadnPixels(
        x: i32, y: i32, width: i32, height: i32, format: u32, ty: u32, room: i32, pixels: *mut c_void,
    ) = |cx| readback::read_pixels(cx, [x, y], [width, height], format, ty, Some(room), pixels.cast());
}
