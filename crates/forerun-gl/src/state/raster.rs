//! Fixed-function render state: blending, depth, stencil, culling, multisampling, viewports.

use crate::context::{Api, Config, Context, State};
use crate::emit::Dirty;
use crate::error::{GlResult, check_value, invalid_enum};
use crate::value::Value;
use forerun_pipe::gl;
use forerun_pipe::records::{
    BlendTarget, MAX_VIEWPORTS, RenderStateDesc, SetDynamicState, SetPatchState, StencilFace,
    Viewport,
};

/// Render state of a context, kept as it crosses.
#[derive(Clone, Debug)]
pub struct RasterState {
    /// The pipeline half.
    pub desc: RenderStateDesc,
    /// The dynamic half.
    pub dynamic: SetDynamicState,
    /// Viewports, depth ranges and scissors.
    pub viewports: [Viewport; MAX_VIEWPORTS as usize],
    /// Patch parameters.
    pub patch: SetPatchState,
    /// GL_GENERATE_MIPMAP_HINT.
    pub mipmap_hint: u32,
    /// GL_FRAGMENT_SHADER_DERIVATIVE_HINT.
    pub derivative_hint: u32,
    /// GL_LINE_SMOOTH_HINT.
    pub line_hint: u32,
    /// GL_POLYGON_SMOOTH_HINT.
    pub polygon_hint: u32,
    /// GL_TEXTURE_COMPRESSION_HINT.
    pub compression_hint: u32,
}

impl RasterState {
    /// The initial values of a context.
    pub fn new(config: &Config) -> RasterState {
        let es = u32::from(config.api == Api::Es);
        let blend = BlendTarget {
            enable: 0,
            src_rgb: gl::ONE,
            dst_rgb: gl::ZERO,
            src_alpha: gl::ONE,
            dst_alpha: gl::ZERO,
            equation_rgb: gl::FUNC_ADD,
            equation_alpha: gl::FUNC_ADD,
            color_mask: 15,
        };
        let face = StencilFace {
            func: gl::ALWAYS,
            fail: gl::KEEP,
            zfail: gl::KEEP,
            zpass: gl::KEEP,
            compare_mask: u32::MAX,
            write_mask: u32::MAX,
        };
        let desc = RenderStateDesc {
            blend: [blend; 8],
            stencil: [face; 2],
            depth_func: gl::LESS,
            depth_mask: 1,
            cull_face: gl::BACK,
            front_face: gl::CCW,
            polygon_mode: gl::FILL,
            dither: 1,
            multisample: 1,
            // What OpenGL ES has no switch for.
            framebuffer_srgb: es,
            program_point_size: es,
            cube_seamless: es,
            logic_op: gl::COPY,
            provoking_vertex: gl::LAST_VERTEX_CONVENTION,
            blend_advanced_coherent: 1,
            point_sprite_origin: gl::UPPER_LEFT,
            clip_origin: gl::LOWER_LEFT,
            clip_depth_mode: gl::NEGATIVE_ONE_TO_ONE,
            ..Default::default()
        };
        let dynamic = SetDynamicState {
            line_width: 1.0,
            point_size: 1.0,
            sample_coverage_value: 1.0,
            sample_mask: u32::MAX,
            point_fade_threshold: 1.0,
            bounding_box: [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
            ..Default::default()
        };
        RasterState {
            desc,
            dynamic,
            viewports: [Viewport { depth_range: [0.0, 1.0], ..Default::default() };
                MAX_VIEWPORTS as usize],
            patch: SetPatchState { vertices: 3, outer: [1.0; 4], inner: [1.0; 2], pad: 0 },
            mipmap_hint: gl::DONT_CARE,
            derivative_hint: gl::DONT_CARE,
            line_hint: gl::DONT_CARE,
            polygon_hint: gl::DONT_CARE,
            compression_hint: gl::DONT_CARE,
        }
    }

    /// The first drawable's size becomes viewport and scissor.
    pub fn set_initial_size(&mut self, width: u32, height: u32) {
        for viewport in &mut self.viewports {
            viewport.rect = [0.0, 0.0, width as f32, height as f32];
            viewport.scissor = [0, 0, width as i32, height as i32];
        }
    }
}

impl State {
    /// Stores a value of the pipeline half and marks it if it moved.
    #[inline]
    pub fn set_raster<T: PartialEq>(
        &mut self,
        field: impl FnOnce(&mut RenderStateDesc) -> &mut T,
        value: T,
    ) {
        let field = field(&mut self.raster.desc);
        if *field != value {
            *field = value;
            self.dirty |= Dirty::RASTER;
        }
    }

    /// Stores a value of the dynamic half and marks it if it moved.
    #[inline]
    pub fn set_dynamic<T: PartialEq>(
        &mut self,
        field: impl FnOnce(&mut SetDynamicState) -> &mut T,
        value: T,
    ) {
        let field = field(&mut self.raster.dynamic);
        if *field != value {
            *field = value;
            self.dirty |= Dirty::DYNAMIC;
        }
    }

    /// Stores a value of some viewports and marks them if it moved.
    pub fn set_viewports<T: PartialEq + Copy>(
        &mut self,
        range: std::ops::Range<usize>,
        field: impl Fn(&mut Viewport) -> &mut T,
        value: T,
    ) {
        for viewport in self.raster.viewports.iter_mut().take(range.end).skip(range.start) {
            let field = field(viewport);
            if *field != value {
                *field = value;
                self.dirty |= Dirty::VIEWPORTS;
            }
        }
    }

    /// How many viewports there are.
    pub fn viewport_count(&self) -> usize {
        (self.caps.limits.max_viewports.max(1) as usize).min(MAX_VIEWPORTS as usize)
    }
}

/// A capability of glEnable that is one switch of the pipeline half.
fn switch(desc: &mut RenderStateDesc, cap: u32) -> Option<&mut u32> {
    Some(match cap {
        gl::CULL_FACE => &mut desc.cull_enable,
        gl::DEPTH_TEST => &mut desc.depth_test,
        gl::STENCIL_TEST => &mut desc.stencil_test,
        gl::DITHER => &mut desc.dither,
        gl::POLYGON_OFFSET_FILL => &mut desc.polygon_offset_fill,
        gl::SAMPLE_ALPHA_TO_COVERAGE => &mut desc.alpha_to_coverage,
        gl::SAMPLE_COVERAGE => &mut desc.sample_coverage,
        // OpenGL 4.3, or GL_ARB_ES3_compatibility.
        gl::PRIMITIVE_RESTART_FIXED_INDEX => &mut desc.primitive_restart_fixed,
        gl::RASTERIZER_DISCARD => &mut desc.rasterizer_discard,
        gl::SAMPLE_MASK => &mut desc.sample_mask,
        gl::SAMPLE_SHADING => &mut desc.sample_shading,
        // EXT_multisample_compatibility, EXT_sRGB_write_control and EXT_clip_cull_distance have these on ES.
        gl::MULTISAMPLE => &mut desc.multisample,
        gl::SAMPLE_ALPHA_TO_ONE => &mut desc.alpha_to_one,
        gl::FRAMEBUFFER_SRGB => &mut desc.framebuffer_srgb,
        gl::DEPTH_CLAMP => &mut desc.depth_clamp,
        gl::BLEND_ADVANCED_COHERENT_KHR => &mut desc.blend_advanced_coherent,
        gl::LINE_SMOOTH => &mut desc.line_smooth,
        gl::POLYGON_SMOOTH => &mut desc.polygon_smooth,
        gl::POLYGON_OFFSET_LINE => &mut desc.polygon_offset_line,
        gl::POLYGON_OFFSET_POINT => &mut desc.polygon_offset_point,
        gl::PROGRAM_POINT_SIZE => &mut desc.program_point_size,
        gl::PRIMITIVE_RESTART => &mut desc.primitive_restart,
        gl::COLOR_LOGIC_OP => &mut desc.logic_op_enable,
        gl::TEXTURE_CUBE_MAP_SEAMLESS => &mut desc.cube_seamless,
        _ => return None,
    })
}

/// glEnable, glDisable.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown capability.
pub fn enable(cx: &mut Context, cap: u32, on: bool) -> GlResult {
    match cap {
        gl::BLEND => {
            for index in 0..8 {
                cx.state.set_raster(|d| &mut d.blend[index].enable, u32::from(on));
            }
        }
        gl::SCISSOR_TEST => cx.state.set_viewports(
            0..MAX_VIEWPORTS as usize,
            |v| &mut v.scissor_enable,
            u32::from(on),
        ),
        gl::CLIP_DISTANCE0..=0x3007
            if (cap - gl::CLIP_DISTANCE0) < cx.caps.limits.max_clip_distances.max(0) as u32 =>
        {
            let bit = 1 << (cap - gl::CLIP_DISTANCE0);
            let mask = cx.raster.desc.clip_distances;
            cx.state
                .set_raster(|d| &mut d.clip_distances, if on { mask | bit } else { mask & !bit });
        }
        gl::DEBUG_OUTPUT | gl::DEBUG_OUTPUT_SYNCHRONOUS if cx.knows(cap) => {
            cx.debug.enable(cap, on);
        }
        _ if !cx.knows(cap) => return invalid_enum("capability"),
        _ => match switch(&mut cx.state.raster.desc, cap) {
            Some(field) => {
                if *field != u32::from(on) {
                    *field = u32::from(on);
                    cx.dirty |= Dirty::RASTER;
                }
            }
            None => return invalid_enum("capability"),
        },
    }
    Ok(())
}

/// glIsEnabled.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown capability.
pub fn is_enabled(state: &State, cap: u32) -> GlResult<bool> {
    Ok(match cap {
        gl::BLEND => state.raster.desc.blend[0].enable != 0,
        gl::SCISSOR_TEST => state.raster.viewports[0].scissor_enable != 0,
        gl::CLIP_DISTANCE0..=0x3007
            if (cap - gl::CLIP_DISTANCE0) < state.caps.limits.max_clip_distances.max(0) as u32 =>
        {
            state.raster.desc.clip_distances >> (cap - gl::CLIP_DISTANCE0) & 1 != 0
        }
        gl::DEBUG_OUTPUT | gl::DEBUG_OUTPUT_SYNCHRONOUS if state.knows(cap) => {
            state.debug.is_enabled(cap)
        }
        _ if !state.knows(cap) => return invalid_enum("capability"),
        _ => match switch(&mut state.raster.desc.clone(), cap) {
            Some(field) => *field != 0,
            None => return invalid_enum("capability"),
        },
    })
}

/// glEnablei, glDisablei.
///
/// # Errors
/// GL_INVALID_ENUM for a capability without indices, GL_INVALID_VALUE for an index too large.
pub fn enable_indexed(cx: &mut Context, cap: u32, index: u32, on: bool) -> GlResult {
    match cap {
        gl::BLEND => {
            check_value(index < cx.caps.limits.max_draw_buffers as u32, "draw buffer index")?;
            cx.state.set_raster(|d| &mut d.blend[index as usize & 7].enable, u32::from(on));
        }
        gl::SCISSOR_TEST => {
            check_value((index as usize) < cx.state.viewport_count(), "viewport index")?;
            let index = index as usize;
            cx.state.set_viewports(index..index + 1, |v| &mut v.scissor_enable, u32::from(on));
        }
        _ => return invalid_enum("capability with an index"),
    }
    Ok(())
}

/// glIsEnabledi.
///
/// # Errors
/// As [`enable_indexed`].
pub fn is_enabled_indexed(state: &State, cap: u32, index: u32) -> GlResult<bool> {
    match cap {
        gl::BLEND => {
            check_value(index < state.caps.limits.max_draw_buffers as u32, "draw buffer index")?;
            Ok(state.raster.desc.blend[index as usize & 7].enable != 0)
        }
        gl::SCISSOR_TEST => {
            check_value((index as usize) < state.viewport_count(), "viewport index")?;
            Ok(state.raster.viewports[index as usize].scissor_enable != 0)
        }
        _ => invalid_enum("capability with an index"),
    }
}

/// Whether a blend factor is known (dual-source factors only where they work).
pub fn is_factor(state: &State, factor: u32) -> bool {
    match factor {
        gl::ZERO | gl::ONE | gl::CONSTANT_COLOR..=gl::ONE_MINUS_CONSTANT_ALPHA => true,
        gl::SRC_COLOR..=gl::SRC_ALPHA_SATURATE => true,
        gl::SRC1_ALPHA | gl::SRC1_COLOR | gl::ONE_MINUS_SRC1_COLOR | gl::ONE_MINUS_SRC1_ALPHA => {
            state.knows(factor)
        }
        _ => false,
    }
}

/// Whether a blend equation is known; the advanced ones only for both colour and alpha at once.
pub fn is_equation(state: &State, equation: u32, both: bool) -> bool {
    match equation {
        gl::FUNC_ADD | gl::FUNC_SUBTRACT | gl::FUNC_REVERSE_SUBTRACT => true,
        gl::MIN | gl::MAX => state.knows(equation),
        gl::MULTIPLY..=gl::EXCLUSION | gl::HSL_HUE..=gl::HSL_LUMINOSITY => {
            both && equation != 0x9293 && state.knows(equation)
        }
        _ => false,
    }
}

/// Answers glGet*.
pub fn get(state: &State, pname: u32) -> Option<Value> {
    let RasterState { desc, dynamic, viewports, patch, .. } = &state.raster;
    let blend = &desc.blend[0];
    let [front, back] = &desc.stencil;
    if let Ok(on) = is_enabled(state, pname) {
        return Some(Value::bool(on));
    }
    Some(match pname {
        gl::BLEND_SRC_RGB => Value::int(blend.src_rgb),
        gl::BLEND_DST_RGB => Value::int(blend.dst_rgb),
        gl::BLEND_SRC_ALPHA => Value::int(blend.src_alpha),
        gl::BLEND_DST_ALPHA => Value::int(blend.dst_alpha),
        gl::BLEND_EQUATION_RGB => Value::int(blend.equation_rgb),
        gl::BLEND_EQUATION_ALPHA => Value::int(blend.equation_alpha),
        gl::BLEND_SRC => Value::int(blend.src_rgb),
        gl::BLEND_DST => Value::int(blend.dst_rgb),
        gl::BLEND_COLOR => Value::normalized(&dynamic.blend_color),
        gl::COLOR_WRITEMASK => mask(blend.color_mask),
        gl::DEPTH_WRITEMASK => Value::bool(desc.depth_mask != 0),
        gl::DEPTH_FUNC => Value::int(desc.depth_func),
        gl::CULL_FACE_MODE => Value::int(desc.cull_face),
        gl::FRONT_FACE => Value::int(desc.front_face),
        gl::POLYGON_MODE => Value::ints(&[desc.polygon_mode, desc.polygon_mode]),
        gl::LOGIC_OP_MODE => Value::int(desc.logic_op),
        gl::PROVOKING_VERTEX => Value::int(desc.provoking_vertex),
        gl::STENCIL_FUNC => Value::int(front.func),
        gl::STENCIL_FAIL => Value::int(front.fail),
        gl::STENCIL_PASS_DEPTH_FAIL => Value::int(front.zfail),
        gl::STENCIL_PASS_DEPTH_PASS => Value::int(front.zpass),
        gl::STENCIL_VALUE_MASK => Value::int(front.compare_mask),
        gl::STENCIL_WRITEMASK => Value::int(front.write_mask),
        gl::STENCIL_REF => Value::int(dynamic.stencil_ref[0]),
        gl::STENCIL_BACK_FUNC => Value::int(back.func),
        gl::STENCIL_BACK_FAIL => Value::int(back.fail),
        gl::STENCIL_BACK_PASS_DEPTH_FAIL => Value::int(back.zfail),
        gl::STENCIL_BACK_PASS_DEPTH_PASS => Value::int(back.zpass),
        gl::STENCIL_BACK_VALUE_MASK => Value::int(back.compare_mask),
        gl::STENCIL_BACK_WRITEMASK => Value::int(back.write_mask),
        gl::STENCIL_BACK_REF => Value::int(dynamic.stencil_ref[1]),
        gl::LINE_WIDTH => Value::float(dynamic.line_width),
        gl::POINT_SIZE => Value::float(dynamic.point_size),
        gl::POINT_SIZE_RANGE => Value::floats(&state.caps.limits.aliased_point_size_range),
        gl::POINT_FADE_THRESHOLD_SIZE => Value::float(dynamic.point_fade_threshold),
        gl::POINT_SPRITE_COORD_ORIGIN => Value::int(desc.point_sprite_origin),
        gl::POLYGON_OFFSET_FACTOR => Value::float(dynamic.offset_factor),
        gl::POLYGON_OFFSET_UNITS => Value::float(dynamic.offset_units),
        gl::POLYGON_OFFSET_CLAMP_EXT => Value::float(dynamic.offset_clamp),
        gl::SAMPLE_COVERAGE_VALUE => Value::float(dynamic.sample_coverage_value),
        gl::SAMPLE_COVERAGE_INVERT => Value::bool(dynamic.sample_coverage_invert != 0),
        gl::MIN_SAMPLE_SHADING_VALUE => Value::float(dynamic.min_sample_shading),
        gl::PRIMITIVE_RESTART_INDEX => Value::int(dynamic.restart_index),
        gl::PRIMITIVE_BOUNDING_BOX => Value::floats(&dynamic.bounding_box),
        gl::CLIP_ORIGIN => Value::int(desc.clip_origin),
        gl::CLIP_DEPTH_MODE => Value::int(desc.clip_depth_mode),
        gl::PATCH_VERTICES => Value::int(patch.vertices),
        gl::PATCH_DEFAULT_OUTER_LEVEL => Value::floats(&patch.outer),
        gl::PATCH_DEFAULT_INNER_LEVEL => Value::floats(&patch.inner),
        gl::VIEWPORT => Value::floats(&viewports[0].rect),
        gl::DEPTH_RANGE => Value::normalized(&viewports[0].depth_range),
        gl::SCISSOR_BOX => Value::ints(&viewports[0].scissor),
        gl::GENERATE_MIPMAP_HINT => Value::int(state.raster.mipmap_hint),
        gl::FRAGMENT_SHADER_DERIVATIVE_HINT => Value::int(state.raster.derivative_hint),
        gl::LINE_SMOOTH_HINT => Value::int(state.raster.line_hint),
        gl::POLYGON_SMOOTH_HINT => Value::int(state.raster.polygon_hint),
        gl::TEXTURE_COMPRESSION_HINT => Value::int(state.raster.compression_hint),
        _ => return None,
    })
}

fn mask(bits: u32) -> Value {
    Value::bools(&[bits & 1 != 0, bits & 2 != 0, bits & 4 != 0, bits & 8 != 0])
}

/// Answers glGet*i_v.
pub fn get_indexed(state: &State, pname: u32, index: u32) -> Option<GlResult<Value>> {
    let viewport = || {
        check_value((index as usize) < state.viewport_count(), "viewport index")
            .map(|()| &state.raster.viewports[index as usize & 15])
    };
    let blend = || {
        check_value(
            (index as i64) < i64::from(state.caps.limits.max_draw_buffers),
            "draw buffer index",
        )
        .map(|()| &state.raster.desc.blend[index as usize & 7])
    };
    Some(match pname {
        gl::VIEWPORT => viewport().map(|v| Value::floats(&v.rect)),
        // Unlike GL_DEPTH_RANGE without an index, drivers round this one.
        gl::DEPTH_RANGE => viewport().map(|v| Value::floats(&v.depth_range)),
        gl::SCISSOR_BOX => viewport().map(|v| Value::ints(&v.scissor)),
        gl::BLEND_SRC_RGB => blend().map(|b| Value::int(b.src_rgb)),
        gl::BLEND_DST_RGB => blend().map(|b| Value::int(b.dst_rgb)),
        gl::BLEND_SRC_ALPHA => blend().map(|b| Value::int(b.src_alpha)),
        gl::BLEND_DST_ALPHA => blend().map(|b| Value::int(b.dst_alpha)),
        gl::BLEND_EQUATION_RGB => blend().map(|b| Value::int(b.equation_rgb)),
        gl::BLEND_EQUATION_ALPHA => blend().map(|b| Value::int(b.equation_alpha)),
        gl::COLOR_WRITEMASK => blend().map(|b| mask(b.color_mask)),
        gl::SAMPLE_MASK_VALUE => check_value(index == 0, "sample mask word")
            .map(|()| Value::int(state.raster.dynamic.sample_mask)),
        gl::BLEND | gl::SCISSOR_TEST => is_enabled_indexed(state, pname, index).map(Value::bool),
        _ => return None,
    })
}
