//! Fixed-function state: what the host's context has, moved to what a verb needs.

use crate::backend::GlBackend;
use crate::host::{Dialect, gl::Gl};
use forerun_pipe::gl as c;
use forerun_pipe::records::{
    AttribDefault, BlendTarget, MAX_VERTEX_ATTRIBS, MAX_VIEWPORTS, RenderStateDesc, StencilFace,
    Viewport,
};
use forerun_server::state::Env;

/// The fixed-function state of the host's context.
#[derive(Clone, Debug)]
pub struct Raster {
    desc: RenderStateDesc,
    /// Serials of the synced families: render state, dynamic state, viewports.
    desc_serial: u64,
    dynamic_serial: u64,
    viewport_serial: u64,
    many_viewports: bool,
    blend_color: [f32; 4],
    stencil: [(StencilFace, i32); 2],
    line_width: f32,
    point_size: f32,
    offset: [f32; 3],
    coverage: (f32, u32),
    sample_mask: u32,
    min_sample_shading: f32,
    restart_index: u32,
    point_fade: f32,
    viewports: [Viewport; MAX_VIEWPORTS as usize],
    scissor_indexed: bool,
    /// Current attribute values.
    pub attribs: [AttribDefault; MAX_VERTEX_ATTRIBS as usize],
    /// Clear values.
    pub clear_color: [u32; 4],
    /// Clear values.
    pub clear_depth: f32,
    /// Clear values.
    pub clear_stencil: i32,
}

/// GL's initial render state (OpenGL 4.6, tables 23.10 to 23.26; ES 3.2, chapter 21), as far as the two agree.
fn initial_desc() -> RenderStateDesc {
    let blend = BlendTarget {
        enable: 0,
        src_rgb: c::ONE,
        dst_rgb: c::ZERO,
        src_alpha: c::ONE,
        dst_alpha: c::ZERO,
        equation_rgb: c::FUNC_ADD,
        equation_alpha: c::FUNC_ADD,
        color_mask: 15,
    };
    RenderStateDesc {
        blend: [blend; 8],
        stencil: [initial_face(); 2],
        depth_func: c::LESS,
        depth_mask: 1,
        cull_face: c::BACK,
        front_face: c::CCW,
        polygon_mode: c::FILL,
        dither: 1,
        multisample: 1,
        logic_op: c::COPY,
        provoking_vertex: c::LAST_VERTEX_CONVENTION,
        point_sprite_origin: c::UPPER_LEFT,
        clip_origin: c::LOWER_LEFT,
        clip_depth_mode: c::NEGATIVE_ONE_TO_ONE,
        program_point_size: 1,
        blend_advanced_coherent: 1,
        ..Default::default()
    }
}

fn initial_face() -> StencilFace {
    StencilFace {
        func: c::ALWAYS,
        fail: c::KEEP,
        zfail: c::KEEP,
        zpass: c::KEEP,
        compare_mask: u32::MAX,
        write_mask: u32::MAX,
    }
}

impl Default for Raster {
    fn default() -> Self {
        let one = 1.0f32.to_bits();
        let attrib = AttribDefault { value: [0, 0, 0, one, 0, 0, 0, 0], ..Default::default() };
        // A rectangle that no viewport has, so that the first is set.
        let nowhere = Viewport {
            rect: [f32::NAN; 4],
            depth_range: [0.0, 1.0],
            scissor: [i32::MIN; 4],
            ..Default::default()
        };
        Raster {
            desc: initial_desc(),
            desc_serial: u64::MAX,
            dynamic_serial: u64::MAX,
            viewport_serial: u64::MAX,
            many_viewports: false,
            blend_color: [0.0; 4],
            stencil: [(initial_face(), 0); 2],
            line_width: 1.0,
            point_size: 1.0,
            offset: [0.0; 3],
            coverage: (1.0, 0),
            sample_mask: u32::MAX,
            min_sample_shading: 0.0,
            restart_index: 0,
            point_fade: 1.0,
            viewports: [nowhere; MAX_VIEWPORTS as usize],
            scissor_indexed: false,
            attribs: [attrib; MAX_VERTEX_ATTRIBS as usize],
            clear_color: [0; 4],
            clear_depth: 1.0,
            clear_stencil: 0,
        }
    }
}

impl Raster {
    /// A fresh context's state on a host of that dialect.
    pub fn new(dialect: Dialect) -> Raster {
        let mut raster = Raster::default();
        // ES encodes all writes to sRGB buffers from the start.
        raster.desc.framebuffer_srgb = u32::from(dialect == Dialect::Gles);
        raster
    }
}

fn switch(gl: &Gl, name: u32, had: &mut u32, wants: u32) {
    if *had != wants {
        *had = wants;
        if wants != 0 { gl.enable(name) } else { gl.disable(name) }
    }
}

impl GlBackend {
    /// All fixed-function state that draws, clears and blits use.
    pub(crate) fn sync_raster(&mut self, env: &Env, many_viewports: bool) {
        self.sync_viewports(env, many_viewports);
        let state = env.context.render_state.value;
        let Some(object) = env.tables.render_states.get(state) else { return };
        let desc_moved = self.raster.desc_serial != object.serial;
        let dynamic_moved = self.raster.dynamic_serial != env.context.dynamic.serial;
        if desc_moved {
            self.raster.desc_serial = object.serial;
            self.sync_desc(&object.desc);
        }
        if desc_moved || dynamic_moved {
            self.raster.dynamic_serial = env.context.dynamic.serial;
            self.sync_dynamic(env, &object.desc);
        }
    }

    fn sync_desc(&mut self, wants: &RenderStateDesc) {
        self.sync_blend(wants);
        self.sync_tests(wants);
        let desktop = self.host.dialect == Dialect::Gl;
        let has = self.host.gl.has;
        let gl = &self.host.gl;
        let had = &mut self.raster.desc;
        switch(gl, c::CULL_FACE, &mut had.cull_enable, wants.cull_enable);
        if had.cull_face != wants.cull_face {
            had.cull_face = wants.cull_face;
            gl.cull_face(wants.cull_face);
        }
        if had.front_face != wants.front_face {
            had.front_face = wants.front_face;
            gl.front_face(wants.front_face);
        }
        if had.polygon_mode != wants.polygon_mode && has.polygon_mode && wants.polygon_mode != 0 {
            had.polygon_mode = wants.polygon_mode;
            gl.polygon_mode(c::FRONT_AND_BACK, wants.polygon_mode);
        }
        switch(gl, c::POLYGON_OFFSET_FILL, &mut had.polygon_offset_fill, wants.polygon_offset_fill);
        switch(gl, c::DITHER, &mut had.dither, wants.dither);
        switch(
            gl,
            c::SAMPLE_ALPHA_TO_COVERAGE,
            &mut had.alpha_to_coverage,
            wants.alpha_to_coverage,
        );
        switch(gl, c::SAMPLE_COVERAGE, &mut had.sample_coverage, wants.sample_coverage);
        switch(gl, c::SAMPLE_MASK, &mut had.sample_mask, wants.sample_mask);
        switch(gl, c::SAMPLE_SHADING, &mut had.sample_shading, wants.sample_shading);
        switch(gl, c::RASTERIZER_DISCARD, &mut had.rasterizer_discard, wants.rasterizer_discard);
        switch(
            gl,
            c::PRIMITIVE_RESTART_FIXED_INDEX,
            &mut had.primitive_restart_fixed,
            // An ES host has no other restart: draws with another index rewrite their indices.
            wants.primitive_restart_fixed | if desktop { 0 } else { wants.primitive_restart },
        );
        let clips = self.facts.limits.clip_distances.min(8);
        for i in 0..clips {
            let (bit, name) = (1 << i, c::CLIP_DISTANCE0 + i);
            if (had.clip_distances ^ wants.clip_distances) & bit != 0 {
                if wants.clip_distances & bit != 0 { gl.enable(name) } else { gl.disable(name) }
            }
        }
        had.clip_distances = wants.clip_distances;
        if self.facts.depth_clamp {
            switch(gl, c::DEPTH_CLAMP, &mut had.depth_clamp, wants.depth_clamp);
        }
        if self.facts.multisample_switch {
            switch(gl, c::MULTISAMPLE, &mut had.multisample, wants.multisample);
            switch(gl, c::SAMPLE_ALPHA_TO_ONE, &mut had.alpha_to_one, wants.alpha_to_one);
        }
        if self.facts.srgb_switch {
            switch(gl, c::FRAMEBUFFER_SRGB, &mut had.framebuffer_srgb, wants.framebuffer_srgb);
        }
        let clip = (wants.clip_origin, wants.clip_depth_mode);
        if has.clip_control && (had.clip_origin, had.clip_depth_mode) != clip && clip.0 != 0 {
            (had.clip_origin, had.clip_depth_mode) = clip;
            gl.clip_control(clip.0, clip.1);
        }
        if !desktop {
            return;
        }
        switch(gl, c::POLYGON_OFFSET_LINE, &mut had.polygon_offset_line, wants.polygon_offset_line);
        switch(
            gl,
            c::POLYGON_OFFSET_POINT,
            &mut had.polygon_offset_point,
            wants.polygon_offset_point,
        );
        switch(gl, c::LINE_SMOOTH, &mut had.line_smooth, wants.line_smooth);
        switch(gl, c::POLYGON_SMOOTH, &mut had.polygon_smooth, wants.polygon_smooth);
        switch(gl, c::PRIMITIVE_RESTART, &mut had.primitive_restart, wants.primitive_restart);
        switch(gl, c::PROGRAM_POINT_SIZE, &mut had.program_point_size, wants.program_point_size);
        switch(gl, c::TEXTURE_CUBE_MAP_SEAMLESS, &mut had.cube_seamless, wants.cube_seamless);
        switch(gl, c::COLOR_LOGIC_OP, &mut had.logic_op_enable, wants.logic_op_enable);
        if had.logic_op != wants.logic_op && wants.logic_op != 0 {
            had.logic_op = wants.logic_op;
            gl.logic_op(wants.logic_op);
        }
        if had.provoking_vertex != wants.provoking_vertex && wants.provoking_vertex != 0 {
            had.provoking_vertex = wants.provoking_vertex;
            gl.provoking_vertex(wants.provoking_vertex);
        }
        if had.point_sprite_origin != wants.point_sprite_origin && wants.point_sprite_origin != 0 {
            had.point_sprite_origin = wants.point_sprite_origin;
            gl.point_parameteri(c::POINT_SPRITE_COORD_ORIGIN, wants.point_sprite_origin as i32);
        }
    }

    fn sync_blend(&mut self, wants: &RenderStateDesc) {
        let count = self.facts.limits.draw_buffers.min(8) as usize;
        let gl = &self.host.gl;
        let had = &mut self.raster.desc.blend;
        if had[..count] == wants.blend[..count] {
            return;
        }
        let first = wants.blend[0];
        let uniform = wants.blend[..count].iter().all(|b| *b == first);
        let mask =
            |bits: u32| [bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1].map(|b| b as u8);
        // What all buffers are to have alike is set by one call, if any of them differs.
        if uniform {
            let any = |differs: fn(&BlendTarget, &BlendTarget) -> bool| {
                had[..count].iter().any(|had| differs(had, &first))
            };
            if any(|a, b| a.enable != b.enable) {
                if first.enable != 0 { gl.enable(c::BLEND) } else { gl.disable(c::BLEND) }
            }
            if any(|a, b| factors(a) != factors(b)) {
                let [a, b, d, e] = factors(&first);
                gl.blend_func_separate(a, b, d, e);
            }
            if any(|a, b| equations(a) != equations(b)) {
                gl.blend_equation_separate(first.equation_rgb, first.equation_alpha);
            }
            if any(|a, b| a.color_mask != b.color_mask) {
                let [r, g, b, a] = mask(first.color_mask);
                gl.color_mask(r, g, b, a);
            }
        } else {
            for (i, (had, wants)) in had.iter().zip(&wants.blend).enumerate().take(count) {
                let i = i as u32;
                if had.enable != wants.enable {
                    if wants.enable != 0 {
                        gl.enablei(c::BLEND, i)
                    } else {
                        gl.disablei(c::BLEND, i)
                    }
                }
                if factors(had) != factors(wants) {
                    let [a, b, d, e] = factors(wants);
                    gl.blend_func_separatei(i, a, b, d, e);
                }
                if equations(had) != equations(wants) {
                    gl.blend_equation_separatei(i, wants.equation_rgb, wants.equation_alpha);
                }
                if had.color_mask != wants.color_mask {
                    let [r, g, b, a] = mask(wants.color_mask);
                    gl.color_maski(i, r, g, b, a);
                }
            }
        }
        *had = wants.blend;
    }

    fn sync_tests(&mut self, wants: &RenderStateDesc) {
        let gl = &self.host.gl;
        let had = &mut self.raster.desc;
        switch(gl, c::STENCIL_TEST, &mut had.stencil_test, wants.stencil_test);
        switch(gl, c::DEPTH_TEST, &mut had.depth_test, wants.depth_test);
        if had.depth_func != wants.depth_func && wants.depth_func != 0 {
            had.depth_func = wants.depth_func;
            gl.depth_func(wants.depth_func);
        }
        if had.depth_mask != wants.depth_mask {
            had.depth_mask = wants.depth_mask;
            gl.depth_mask(u8::from(wants.depth_mask != 0));
        }
        let had = &mut self.raster.stencil;
        let wants = &wants.stencil;
        let both = wants[0] == wants[1];
        for (i, face) in [c::FRONT, c::BACK].into_iter().enumerate() {
            let (had, wants) = (&mut had[i].0, &wants[i]);
            let face = if both { c::FRONT_AND_BACK } else { face };
            if (had.fail, had.zfail, had.zpass) != (wants.fail, wants.zfail, wants.zpass) {
                gl.stencil_op_separate(face, wants.fail, wants.zfail, wants.zpass);
            }
            if had.write_mask != wants.write_mask {
                gl.stencil_mask_separate(face, wants.write_mask);
            }
        }
        for (had, wants) in had.iter_mut().zip(wants) {
            (had.0.fail, had.0.zfail, had.0.zpass) = (wants.fail, wants.zfail, wants.zpass);
            had.0.write_mask = wants.write_mask;
        }
    }

    fn sync_stencil_functions(&mut self, desc: &RenderStateDesc, references: [i32; 2]) {
        let gl = &self.host.gl;
        let had = &mut self.raster.stencil;
        let differs = |i: usize| {
            let (face, reference) = &had[i];
            let wants = &desc.stencil[i];
            face.func != wants.func
                || face.compare_mask != wants.compare_mask
                || *reference != references[i]
        };
        let moved = [differs(0), differs(1)];
        let [front, back] = &desc.stencil;
        if moved == [false; 2] || front.func == 0 {
            return;
        }
        let alike = (front.func, front.compare_mask, references[0])
            == (back.func, back.compare_mask, references[1]);
        if alike {
            let (reference, mask) = (references[0], front.compare_mask);
            gl.stencil_func_separate(c::FRONT_AND_BACK, front.func, reference, mask);
        }
        for (i, face) in [c::FRONT, c::BACK].into_iter().enumerate() {
            let wants = &desc.stencil[i];
            if moved[i] && !alike {
                gl.stencil_func_separate(face, wants.func, references[i], wants.compare_mask);
            }
            had[i].0.func = wants.func;
            had[i].0.compare_mask = wants.compare_mask;
            had[i].1 = references[i];
        }
    }

    fn sync_dynamic(&mut self, env: &Env, desc: &RenderStateDesc) {
        let wants = &env.context.dynamic;
        let gl = &self.host.gl;
        let had = &mut self.raster;
        if had.blend_color != wants.blend_color {
            had.blend_color = wants.blend_color;
            let [r, g, b, a] = wants.blend_color;
            gl.blend_color(r, g, b, a);
        }
        self.sync_stencil_functions(desc, wants.stencil_ref);
        let gl = &self.host.gl;
        let had = &mut self.raster;
        if had.line_width != wants.line_width && wants.line_width > 0.0 {
            had.line_width = wants.line_width;
            gl.line_width(wants.line_width);
        }
        let offset = [wants.offset_factor, wants.offset_units, wants.offset_clamp];
        if had.offset != offset {
            if (offset[2] != 0.0 || had.offset[2] != 0.0) && gl.has.polygon_offset_clamp {
                gl.polygon_offset_clamp(offset[0], offset[1], offset[2]);
            } else {
                gl.polygon_offset(offset[0], offset[1]);
            }
            had.offset = offset;
        }
        let coverage = (wants.sample_coverage_value, wants.sample_coverage_invert);
        if had.coverage != coverage {
            had.coverage = coverage;
            gl.sample_coverage(coverage.0, u8::from(coverage.1 != 0));
        }
        if had.sample_mask != wants.sample_mask {
            had.sample_mask = wants.sample_mask;
            gl.sample_maski(0, wants.sample_mask);
        }
        if had.min_sample_shading != wants.min_sample_shading {
            had.min_sample_shading = wants.min_sample_shading;
            gl.min_sample_shading(wants.min_sample_shading);
        }
        if self.synced.bounding_box != wants.bounding_box && gl.has.primitive_bounding_box {
            self.synced.bounding_box = wants.bounding_box;
            let [a, b, d, e, f, g, h, i] = wants.bounding_box;
            gl.primitive_bounding_box(a, b, d, e, f, g, h, i);
        }
        if self.host.dialect != Dialect::Gl {
            return;
        }
        if had.point_size != wants.point_size && wants.point_size > 0.0 {
            had.point_size = wants.point_size;
            gl.point_size(wants.point_size);
        }
        if had.restart_index != wants.restart_index {
            had.restart_index = wants.restart_index;
            gl.primitive_restart_index(wants.restart_index);
        }
        if had.point_fade != wants.point_fade_threshold {
            had.point_fade = wants.point_fade_threshold;
            gl.point_parameterf(c::POINT_FADE_THRESHOLD_SIZE, wants.point_fade_threshold);
        }
    }

    fn sync_viewports(&mut self, env: &Env, many: bool) {
        let family = &env.context.viewports;
        let many = many && self.facts.limits.viewports > 1;
        let had = &mut self.raster;
        if had.viewport_serial == family.serial && had.many_viewports == many {
            return;
        }
        had.viewport_serial = family.serial;
        had.many_viewports = many;
        let gl = &self.host.gl;
        let first = &family.value[0];
        // Coordinates that are no whole numbers need the indexed call; and calls without an index set all viewports.
        let whole = first.rect.iter().all(|v| v.fract() == 0.0);
        if had.viewports[0].rect != first.rect {
            let [x, y, w, h] = first.rect;
            if whole || !gl.has.viewport_indexedf {
                gl.viewport(x as i32, y as i32, w as i32, h as i32);
                for viewport in &mut had.viewports {
                    viewport.rect = first.rect;
                }
            } else {
                gl.viewport_indexedf(0, x, y, w, h);
                had.viewports[0].rect = first.rect;
            }
        }
        if had.viewports[0].depth_range != first.depth_range {
            let [near, far] = first.depth_range;
            gl.depth_rangef(near as f32, far as f32);
            for viewport in &mut had.viewports {
                viewport.depth_range = first.depth_range;
            }
        }
        if had.viewports[0].scissor_enable != first.scissor_enable || had.scissor_indexed {
            let on = first.scissor_enable;
            if on != 0 {
                gl.enable(c::SCISSOR_TEST)
            } else {
                gl.disable(c::SCISSOR_TEST)
            }
            for viewport in &mut had.viewports {
                viewport.scissor_enable = on;
            }
            had.scissor_indexed = false;
        }
        if had.viewports[0].scissor != first.scissor && first.scissor_enable != 0 {
            let [x, y, w, h] = first.scissor;
            gl.scissor(x, y, w, h);
            for viewport in &mut had.viewports {
                viewport.scissor = first.scissor;
            }
        }
        if !many {
            return;
        }
        let count = self.facts.limits.viewports as usize;
        for (i, wants) in family.value.iter().enumerate().take(count).skip(1) {
            let Some(had) = self.raster.viewports.get_mut(i) else { continue };
            let index = i as u32;
            if had.rect != wants.rect {
                let [x, y, w, h] = wants.rect;
                gl.viewport_indexedf(index, x, y, w, h);
            }
            if had.depth_range != wants.depth_range {
                let [near, far] = wants.depth_range;
                if gl.has.depth_range_indexed {
                    gl.depth_range_indexed(index, near, far);
                } else {
                    gl.depth_range_indexedf_oes(index, near as f32, far as f32);
                }
            }
            if had.scissor_enable != wants.scissor_enable {
                self.raster.scissor_indexed = true;
                if wants.scissor_enable != 0 {
                    gl.enablei(c::SCISSOR_TEST, index);
                } else {
                    gl.disablei(c::SCISSOR_TEST, index);
                }
            }
            if had.scissor != wants.scissor {
                let [x, y, w, h] = wants.scissor;
                gl.scissor_indexed(index, x, y, w, h);
            }
            *had = *wants;
        }
    }

    /// The next verb looks at the viewport and scissor again: a copy of ours has moved them.
    pub(crate) fn forget_scissor(&mut self) {
        self.raster.viewport_serial = u64::MAX;
    }

    /// The host has set viewport and scissor by itself, as it does when a context gets its first surface (OpenGL 4.6, section 13.8.1).
    pub(crate) fn forget_viewports(&mut self) {
        for viewport in &mut self.raster.viewports {
            viewport.rect = [f32::NAN; 4];
            viewport.scissor = [i32::MIN; 4];
        }
        self.forget_scissor();
    }

    /// Turns the scissor test off for a copy of ours.
    pub(crate) fn scissor_off(&mut self) {
        let had = &mut self.raster;
        if had.viewports[0].scissor_enable != 0 || had.scissor_indexed {
            self.host.gl.disable(c::SCISSOR_TEST);
            for viewport in &mut had.viewports {
                viewport.scissor_enable = 0;
            }
            had.scissor_indexed = false;
            self.forget_scissor();
        }
    }

    /// Lets a blit between two drawables of one encoding copy the bytes as they are: desktop GL does so with sRGB encoding off
    /// (OpenGL 4.6 §18.3.1), OpenGL ES, which always decodes what it reads, with encoding on (OpenGL ES 3.2 §16.2.1).
    pub(crate) fn encode_as_read(&mut self) {
        let wanted = u32::from(self.is_gles());
        let had = &mut self.raster.desc.framebuffer_srgb;
        if self.facts.srgb_switch && *had != wanted {
            switch(&self.host.gl, c::FRAMEBUFFER_SRGB, had, wanted);
            self.raster.desc_serial = u64::MAX;
        }
    }

    /// Tessellation parameters outside programs.
    pub(crate) fn sync_patch(&mut self, env: &Env) {
        let family = &env.context.patch;
        if self.synced.patch == family.serial {
            return;
        }
        self.synced.patch = family.serial;
        let gl = &self.host.gl;
        if family.vertices > 0 {
            gl.patch_parameteri(c::PATCH_VERTICES, family.vertices as i32);
        }
        // SAFETY: four and two floats.
        unsafe {
            gl.patch_parameterfv(c::PATCH_DEFAULT_OUTER_LEVEL, family.outer.as_ptr());
            gl.patch_parameterfv(c::PATCH_DEFAULT_INNER_LEVEL, family.inner.as_ptr());
        }
    }
}

fn factors(b: &BlendTarget) -> [u32; 4] {
    [b.src_rgb, b.dst_rgb, b.src_alpha, b.dst_alpha]
}

fn equations(b: &BlendTarget) -> [u32; 2] {
    [b.equation_rgb, b.equation_alpha]
}
