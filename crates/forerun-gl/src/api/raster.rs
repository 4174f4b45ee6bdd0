//! Entry points of the fixed-function render state.

use super::slice;
use crate::context::Api;
use crate::emit::Dirty;
use crate::entries;
use crate::error::{GlResult, check_enum, check_operation, check_value};
use crate::state::raster;
use crate::{Context, GlError};
use forerun_pipe::gl;

fn is_compare(func: u32) -> bool {
    (gl::NEVER..=gl::ALWAYS).contains(&func)
}

fn is_stencil_op(op: u32) -> bool {
    matches!(
        op,
        gl::KEEP
            | gl::ZERO
            | gl::REPLACE
            | gl::INCR
            | gl::DECR
            | gl::INVERT
            | gl::INCR_WRAP
            | gl::DECR_WRAP
    )
}

/// Faces that a token names: front is 0, back is 1.
fn faces(face: u32) -> GlResult<std::ops::Range<usize>> {
    match face {
        gl::FRONT => Ok(0..1),
        gl::BACK => Ok(1..2),
        gl::FRONT_AND_BACK => Ok(0..2),
        _ => Err(GlError { code: gl::INVALID_ENUM, what: "face" }),
    }
}

fn buffers(cx: &Context, index: Option<u32>) -> GlResult<std::ops::Range<usize>> {
    match index {
        None => Ok(0..8),
        Some(index) => {
            check_value(
                i64::from(index) < i64::from(cx.caps.limits.max_draw_buffers),
                "draw buffer index",
            )?;
            let index = index as usize & 7;
            Ok(index..index + 1)
        }
    }
}

fn blend_func(cx: &mut Context, index: Option<u32>, factors: [u32; 4]) -> GlResult {
    check_enum(factors.iter().all(|f| raster::is_factor(&cx.state, *f)), "blend factor")?;
    for i in buffers(cx, index)? {
        let [src_rgb, dst_rgb, src_alpha, dst_alpha] = factors;
        cx.state.set_raster(|d| &mut d.blend[i].src_rgb, src_rgb);
        cx.state.set_raster(|d| &mut d.blend[i].dst_rgb, dst_rgb);
        cx.state.set_raster(|d| &mut d.blend[i].src_alpha, src_alpha);
        cx.state.set_raster(|d| &mut d.blend[i].dst_alpha, dst_alpha);
    }
    Ok(())
}

fn blend_equation(
    cx: &mut Context,
    index: Option<u32>,
    rgb: u32,
    alpha: u32,
    both: bool,
) -> GlResult {
    let known =
        raster::is_equation(&cx.state, rgb, both) && raster::is_equation(&cx.state, alpha, both);
    check_enum(known, "blend equation")?;
    for i in buffers(cx, index)? {
        cx.state.set_raster(|d| &mut d.blend[i].equation_rgb, rgb);
        cx.state.set_raster(|d| &mut d.blend[i].equation_alpha, alpha);
    }
    Ok(())
}

fn color_mask(cx: &mut Context, index: Option<u32>, on: [u8; 4]) -> GlResult {
    let mask = on.iter().enumerate().fold(0, |mask, (bit, on)| mask | u32::from(*on != 0) << bit);
    for i in buffers(cx, index)? {
        cx.state.set_raster(|d| &mut d.blend[i].color_mask, mask);
    }
    Ok(())
}

fn stencil_func(cx: &mut Context, face: u32, func: u32, reference: i32, mask: u32) -> GlResult {
    check_enum(is_compare(func), "comparison")?;
    for i in faces(face)? {
        cx.state.set_raster(|d| &mut d.stencil[i].func, func);
        cx.state.set_raster(|d| &mut d.stencil[i].compare_mask, mask);
        cx.state.set_dynamic(|d| &mut d.stencil_ref[i], reference);
    }
    Ok(())
}

fn stencil_op(cx: &mut Context, face: u32, ops: [u32; 3]) -> GlResult {
    check_enum(ops.iter().all(|op| is_stencil_op(*op)), "stencil operation")?;
    for i in faces(face)? {
        cx.state.set_raster(|d| &mut d.stencil[i].fail, ops[0]);
        cx.state.set_raster(|d| &mut d.stencil[i].zfail, ops[1]);
        cx.state.set_raster(|d| &mut d.stencil[i].zpass, ops[2]);
    }
    Ok(())
}

fn stencil_mask(cx: &mut Context, face: u32, mask: u32) -> GlResult {
    for i in faces(face)? {
        cx.state.set_raster(|d| &mut d.stencil[i].write_mask, mask);
    }
    Ok(())
}

/// Clamps a viewport as OpenGL ES 3.2, section 13.8.1 and OES_viewport_array say.
fn viewport_rect(cx: &Context, rect: [f32; 4]) -> GlResult<[f32; 4]> {
    check_value(rect[2] >= 0.0 && rect[3] >= 0.0, "viewport size")?;
    let limits = &cx.caps.limits;
    let [low, high] = limits.viewport_bounds_range;
    let [w, h] = limits.max_viewport_dims.map(|v| v as f32);
    let place = |v: f32| if low < high { v.clamp(low, high) } else { v };
    Ok([place(rect[0]), place(rect[1]), rect[2].min(w), rect[3].min(h)])
}

fn viewports(cx: &mut Context, first: u32, rects: &[[f32; 4]]) -> GlResult {
    let end = (first as usize).saturating_add(rects.len());
    check_value(end <= cx.state.viewport_count(), "viewport index")?;
    check_value(rects.iter().all(|r| r[2] >= 0.0 && r[3] >= 0.0), "viewport size")?;
    for (index, rect) in (first as usize..end).zip(rects) {
        let rect = viewport_rect(cx, *rect)?;
        cx.state.set_viewports(index..index + 1, |v| &mut v.rect, rect);
    }
    Ok(())
}

fn depth_ranges(
    cx: &mut Context,
    first: u32,
    ranges: impl ExactSizeIterator<Item = [f64; 2]>,
) -> GlResult {
    let end = (first as usize).saturating_add(ranges.len());
    check_value(end <= cx.state.viewport_count(), "viewport index")?;
    for (index, range) in (first as usize..end).zip(ranges) {
        let range = range.map(|v| v.clamp(0.0, 1.0));
        cx.state.set_viewports(index..index + 1, |v| &mut v.depth_range, range);
    }
    Ok(())
}

fn scissors(cx: &mut Context, first: u32, boxes: &[[i32; 4]]) -> GlResult {
    let end = (first as usize).saturating_add(boxes.len());
    check_value(end <= cx.state.viewport_count(), "viewport index")?;
    check_value(boxes.iter().all(|b| b[2] >= 0 && b[3] >= 0), "scissor size")?;
    for (index, rect) in (first as usize..end).zip(boxes) {
        cx.state.set_viewports(index..index + 1, |v| &mut v.scissor, *rect);
    }
    Ok(())
}

fn hint(cx: &mut Context, target: u32, mode: u32) -> GlResult {
    check_enum(matches!(mode, gl::FASTEST | gl::NICEST | gl::DONT_CARE), "hint mode")?;
    check_enum(cx.knows(target), "hint")?;
    let raster = &mut cx.state.raster;
    match target {
        gl::GENERATE_MIPMAP_HINT => raster.mipmap_hint = mode,
        gl::FRAGMENT_SHADER_DERIVATIVE_HINT => raster.derivative_hint = mode,
        gl::LINE_SMOOTH_HINT => raster.line_hint = mode,
        gl::POLYGON_SMOOTH_HINT => raster.polygon_hint = mode,
        gl::TEXTURE_COMPRESSION_HINT => raster.compression_hint = mode,
        _ => return check_enum(false, "hint"),
    }
    Ok(())
}

fn polygon_offset(cx: &mut Context, factor: f32, units: f32, clamp: f32) -> GlResult {
    cx.state.set_dynamic(|d| &mut d.offset_factor, factor);
    cx.state.set_dynamic(|d| &mut d.offset_units, units);
    cx.state.set_dynamic(|d| &mut d.offset_clamp, clamp);
    Ok(())
}

fn patch(cx: &mut Context, change: impl FnOnce(&mut Context)) -> GlResult {
    change(cx);
    cx.dirty |= Dirty::PATCH;
    Ok(())
}

entries! {
    fn glEnable(cap: u32) = |cx| raster::enable(cx, cap, true);
    fn glDisable(cap: u32) = |cx| raster::enable(cx, cap, false);
    fn glIsEnabled(cap: u32) -> u8 = |cx| raster::is_enabled(&cx.state, cap).map(u8::from);
    fn glEnablei(cap: u32, index: u32) = |cx| raster::enable_indexed(cx, cap, index, true);
    fn glDisablei(cap: u32, index: u32) = |cx| raster::enable_indexed(cx, cap, index, false);
    fn glIsEnabledi(cap: u32, index: u32) -> u8 = |cx| raster::is_enabled_indexed(&cx.state, cap, index).map(u8::from);
    fn glBlendFunc(src: u32, dst: u32) = |cx| blend_func(cx, None, [src, dst, src, dst]);
    fn glBlendFunci(index: u32, src: u32, dst: u32) = |cx| blend_func(cx, Some(index), [src, dst, src, dst]);
    fn glBlendFuncSeparate(src: u32, dst: u32, src_alpha: u32, dst_alpha: u32) = |cx| {
        blend_func(cx, None, [src, dst, src_alpha, dst_alpha])
    };
    fn glBlendFuncSeparatei(index: u32, src: u32, dst: u32, src_alpha: u32, dst_alpha: u32) = |cx| {
        blend_func(cx, Some(index), [src, dst, src_alpha, dst_alpha])
    };
    fn glBlendEquation(mode: u32) = |cx| blend_equation(cx, None, mode, mode, true);
    fn glBlendEquationi(index: u32, mode: u32) = |cx| blend_equation(cx, Some(index), mode, mode, true);
    fn glBlendEquationSeparate(rgb: u32, alpha: u32) = |cx| blend_equation(cx, None, rgb, alpha, false);
    fn glBlendEquationSeparatei(index: u32, rgb: u32, alpha: u32) = |cx| {
        blend_equation(cx, Some(index), rgb, alpha, false)
    };
    fn glBlendColor(r: f32, g: f32, b: f32, a: f32) = |cx| {
        // Floating-point colour buffers exist from ES 3.0 on; before, the constant is clamped.
        let clamp = cx.config.api == Api::Es && cx.config.version < 30;
        let color = [r, g, b, a].map(|v| if clamp { v.clamp(0.0, 1.0) } else { v });
        cx.state.set_dynamic(|d| &mut d.blend_color, color);
        Ok(())
    };
    fn glColorMask(r: u8, g: u8, b: u8, a: u8) = |cx| color_mask(cx, None, [r, g, b, a]);
    fn glColorMaski(index: u32, r: u8, g: u8, b: u8, a: u8) = |cx| color_mask(cx, Some(index), [r, g, b, a]);
    fn glDepthFunc(func: u32) = |cx| {
        check_enum(is_compare(func), "comparison")?;
        cx.state.set_raster(|d| &mut d.depth_func, func);
        Ok(())
    };
    fn glDepthMask(on: u8) = |cx| {
        cx.state.set_raster(|d| &mut d.depth_mask, u32::from(on != 0));
        Ok(())
    };
    fn glDepthRangef(near: f32, far: f32) = |cx| {
        let all = [[f64::from(near), f64::from(far)]; 16];
        let count = cx.state.viewport_count();
        depth_ranges(cx, 0, all[..count].iter().copied())
    };
    fn glDepthRange(near: f64, far: f64) = |cx| {
        let count = cx.state.viewport_count();
        depth_ranges(cx, 0, [[near, far]; 16][..count].iter().copied())
    };
    fn glDepthRangeIndexed(index: u32, near: f64, far: f64) = |cx| depth_ranges(cx, index, [[near, far]].into_iter());
    fn glDepthRangeIndexedfOES(index: u32, near: f32, far: f32) = |cx| {
        depth_ranges(cx, index, [[f64::from(near), f64::from(far)]].into_iter())
    };
    fn glDepthRangeArrayv(first: u32, count: i32, values: *const f64) = |cx| {
        let count = crate::error::count(count)? as usize;
        // SAFETY: the program promised count pairs.
        depth_ranges(cx, first, unsafe { slice(values.cast::<[f64; 2]>(), count) }.iter().copied())
    };
    fn glDepthRangeArrayfvOES(first: u32, count: i32, values: *const f32) = |cx| {
        let count = crate::error::count(count)? as usize;
        // SAFETY: the program promised count pairs.
        let ranges = unsafe { slice(values.cast::<[f32; 2]>(), count) };
        depth_ranges(cx, first, ranges.iter().map(|r| r.map(f64::from)))
    };
    fn glViewport(x: i32, y: i32, width: i32, height: i32) = |cx| {
        if let Some((draw, read)) = cx.state.moved.and_then(|ask| ask(&mut cx.group.stream())) {
            cx.state.attach(draw, read);
        }
        let rect = [x as f32, y as f32, width as f32, height as f32];
        let count = cx.state.viewport_count();
        viewports(cx, 0, &[rect; 16][..count])
    };
    fn glViewportIndexedf(index: u32, x: f32, y: f32, w: f32, h: f32) = |cx| viewports(cx, index, &[[x, y, w, h]]);
    fn glViewportIndexedfv(index: u32, values: *const f32) = |cx| {
        // SAFETY: the program promised four values.
        viewports(cx, index, unsafe { slice(values.cast::<[f32; 4]>(), 1) })
    };
    fn glViewportArrayv(first: u32, count: i32, values: *const f32) = |cx| {
        let count = crate::error::count(count)? as usize;
        // SAFETY: the program promised count quadruples.
        viewports(cx, first, unsafe { slice(values.cast::<[f32; 4]>(), count) })
    };
    fn glScissor(x: i32, y: i32, width: i32, height: i32) = |cx| {
        let count = cx.state.viewport_count();
        scissors(cx, 0, &[[x, y, width, height]; 16][..count])
    };
    fn glScissorIndexed(index: u32, x: i32, y: i32, w: i32, h: i32) = |cx| scissors(cx, index, &[[x, y, w, h]]);
    fn glScissorIndexedv(index: u32, values: *const i32) = |cx| {
        // SAFETY: the program promised four values.
        scissors(cx, index, unsafe { slice(values.cast::<[i32; 4]>(), 1) })
    };
    fn glScissorArrayv(first: u32, count: i32, values: *const i32) = |cx| {
        let count = crate::error::count(count)? as usize;
        // SAFETY: the program promised count quadruples.
        scissors(cx, first, unsafe { slice(values.cast::<[i32; 4]>(), count) })
    };
    fn glStencilFunc(func: u32, reference: i32, mask: u32) = |cx| {
        stencil_func(cx, gl::FRONT_AND_BACK, func, reference, mask)
    };
    fn glStencilFuncSeparate(face: u32, func: u32, reference: i32, mask: u32) = |cx| {
        stencil_func(cx, face, func, reference, mask)
    };
    fn glStencilOp(fail: u32, zfail: u32, zpass: u32) = |cx| stencil_op(cx, gl::FRONT_AND_BACK, [fail, zfail, zpass]);
    fn glStencilOpSeparate(face: u32, fail: u32, zfail: u32, zpass: u32) = |cx| {
        stencil_op(cx, face, [fail, zfail, zpass])
    };
    fn glStencilMask(mask: u32) = |cx| stencil_mask(cx, gl::FRONT_AND_BACK, mask);
    fn glStencilMaskSeparate(face: u32, mask: u32) = |cx| stencil_mask(cx, face, mask);
    fn glCullFace(mode: u32) = |cx| {
        faces(mode)?;
        cx.state.set_raster(|d| &mut d.cull_face, mode);
        Ok(())
    };
    fn glFrontFace(mode: u32) = |cx| {
        check_enum(matches!(mode, gl::CW | gl::CCW), "winding")?;
        cx.state.set_raster(|d| &mut d.front_face, mode);
        Ok(())
    };
    fn glPolygonMode(face: u32, mode: u32) = |cx| {
        let core = cx.config.api == Api::Core;
        check_enum(face == gl::FRONT_AND_BACK || !core && faces(face).is_ok(), "face")?;
        check_enum(matches!(mode, gl::POINT | gl::LINE | gl::FILL), "polygon mode")?;
        cx.state.set_raster(|d| &mut d.polygon_mode, mode);
        Ok(())
    };
    fn glPolygonOffset(factor: f32, units: f32) = |cx| polygon_offset(cx, factor, units, 0.0);
    fn glPolygonOffsetClamp(factor: f32, units: f32, clamp: f32) = |cx| polygon_offset(cx, factor, units, clamp);
    fn glLineWidth(width: f32) = |cx| {
        check_value(width > 0.0, "line width")?;
        check_value(!cx.config.forward_compatible || width <= 1.0, "wide lines in a forward-compatible context")?;
        cx.state.set_dynamic(|d| &mut d.line_width, width);
        Ok(())
    };
    fn glPointSize(size: f32) = |cx| {
        check_value(size > 0.0, "point size")?;
        cx.state.set_dynamic(|d| &mut d.point_size, size);
        Ok(())
    };
    fn glPointParameterf(pname: u32, value: f32) = |cx| point_parameter(cx, pname, value);
    fn glPointParameteri(pname: u32, value: i32) = |cx| point_parameter(cx, pname, value as f32);
    fn glPointParameterfv(pname: u32, value: *const f32) = |cx| {
        // SAFETY: the program promised one value.
        let value = unsafe { slice(value, 1) }.first().copied().unwrap_or_default();
        point_parameter(cx, pname, value)
    };
    fn glPointParameteriv(pname: u32, value: *const i32) = |cx| {
        // SAFETY: the program promised one value.
        let value = unsafe { slice(value, 1) }.first().copied().unwrap_or_default();
        point_parameter(cx, pname, value as f32)
    };
    fn glLogicOp(op: u32) = |cx| {
        check_enum((gl::CLEAR..=gl::SET).contains(&op), "logic operation")?;
        cx.state.set_raster(|d| &mut d.logic_op, op);
        Ok(())
    };
    fn glProvokingVertex(mode: u32) = |cx| {
        check_enum(matches!(mode, gl::FIRST_VERTEX_CONVENTION | gl::LAST_VERTEX_CONVENTION), "provoking vertex")?;
        cx.state.set_raster(|d| &mut d.provoking_vertex, mode);
        Ok(())
    };
    fn glClipControl(origin: u32, depth: u32) = |cx| {
        check_enum(matches!(origin, gl::LOWER_LEFT | gl::UPPER_LEFT), "clip origin")?;
        check_enum(matches!(depth, gl::NEGATIVE_ONE_TO_ONE | gl::ZERO_TO_ONE), "clip depth mode")?;
        cx.state.set_raster(|d| &mut d.clip_origin, origin);
        cx.state.set_raster(|d| &mut d.clip_depth_mode, depth);
        Ok(())
    };
    fn glSampleCoverage(value: f32, invert: u8) = |cx| {
        cx.state.set_dynamic(|d| &mut d.sample_coverage_value, value.clamp(0.0, 1.0));
        cx.state.set_dynamic(|d| &mut d.sample_coverage_invert, u32::from(invert != 0));
        Ok(())
    };
    fn glSampleMaski(word: u32, mask: u32) = |cx| {
        check_value(i64::from(word) < i64::from(cx.caps.limits.max_sample_mask_words), "sample mask word")?;
        cx.state.set_dynamic(|d| &mut d.sample_mask, mask);
        Ok(())
    };
    fn glMinSampleShading(value: f32) = |cx| {
        cx.state.set_dynamic(|d| &mut d.min_sample_shading, value.clamp(0.0, 1.0));
        Ok(())
    };
    fn glPrimitiveRestartIndex(index: u32) = |cx| {
        cx.state.set_dynamic(|d| &mut d.restart_index, index);
        Ok(())
    };
    fn glPrimitiveBoundingBox(x0: f32, y0: f32, z0: f32, w0: f32, x1: f32, y1: f32, z1: f32, w1: f32) = |cx| {
        cx.state.set_dynamic(|d| &mut d.bounding_box, [x0, y0, z0, w0, x1, y1, z1, w1]);
        Ok(())
    };
    fn glPatchParameteri(pname: u32, value: i32) = |cx| {
        check_enum(pname == gl::PATCH_VERTICES, "patch parameter")?;
        check_value(value > 0 && value <= cx.caps.limits.max_patch_vertices, "patch size")?;
        patch(cx, |cx| cx.raster.patch.vertices = value as u32)
    };
    fn glPatchParameterfv(pname: u32, values: *const f32) = |cx| {
        let len = match pname {
            gl::PATCH_DEFAULT_OUTER_LEVEL => 4,
            gl::PATCH_DEFAULT_INNER_LEVEL => 2,
            _ => return check_enum(false, "patch parameter"),
        };
        // SAFETY: the program promised that many values.
        let values = unsafe { slice(values, len) };
        check_operation(values.len() == len, "no values")?;
        patch(cx, |cx| match len {
            4 => cx.raster.patch.outer.copy_from_slice(values),
            _ => cx.raster.patch.inner.copy_from_slice(values),
        })
    };
    fn glHint(target: u32, mode: u32) = |cx| hint(cx, target, mode);
}

fn point_parameter(cx: &mut Context, pname: u32, value: f32) -> GlResult {
    match pname {
        gl::POINT_FADE_THRESHOLD_SIZE => {
            check_value(value >= 0.0, "point fade threshold")?;
            cx.state.set_dynamic(|d| &mut d.point_fade_threshold, value);
        }
        gl::POINT_SPRITE_COORD_ORIGIN => {
            let origin = value as u32;
            check_enum(matches!(origin, gl::LOWER_LEFT | gl::UPPER_LEFT), "point sprite origin")?;
            cx.state.set_raster(|d| &mut d.point_sprite_origin, origin);
        }
        _ => return check_enum(false, "point parameter"),
    }
    Ok(())
}
