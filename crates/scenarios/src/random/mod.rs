//! Pictures of random calls: state, contents, objects and draws that a seed decides. The same seed makes the same calls on any GL, ours
//! or the host's, so that pictures can be compared to the bit. The calls are legal and their results defined.

mod dice;
mod shaders;

pub use dice::Dice;

use crate::gl::Gl;
use forerun_pipe::gl as c;
use shaders::Program;
use std::ptr::null;

/// Pixels of a picture's sides.
pub const SIDE: i32 = 64;
/// Vertices of the buffer, of [`STRIDE`] bytes.
const VERTICES: usize = 64;
const STRIDE: usize = 16;
const INDICES: usize = 96;
/// Ranges of the uniform buffer.
const RANGES: usize = 8;
const IMAGES: usize = 4;
/// Calls of a picture.
const STEPS: usize = 60;

/// A GL with everything that pictures are made with.
pub struct Painter<'a> {
    gl: &'a Gl,
    programs: Vec<Program>,
    range_step: usize,
    framebuffers: [u32; 2],
    targets: [u32; 4],
    images: [u32; IMAGES],
    samplers: [u32; 2],
    vertices: u32,
    indices: u32,
    moves: u32,
    scratch: u32,
    array: u32,
}

impl<'a> Painter<'a> {
    /// Links the programs. `header` is the version and the precisions of their language.
    pub fn new(gl: &'a Gl, header: &str) -> Painter<'a> {
        let programs =
            (0..shaders::COUNT).map(|number| shaders::link(gl, header, number)).collect();
        let mut alignment = 0;
        gl.GetIntegerv(c::UNIFORM_BUFFER_OFFSET_ALIGNMENT, &mut alignment);
        let mut painter = Painter {
            gl,
            programs,
            range_step: alignment.max(16) as usize,
            framebuffers: [0; 2],
            targets: [0; 4],
            images: [0; IMAGES],
            samplers: [0; 2],
            vertices: 0,
            indices: 0,
            moves: 0,
            scratch: 0,
            array: 0,
        };
        painter.make_targets();
        painter
    }

    fn make_targets(&mut self) {
        let gl = self.gl;
        gl.GenFramebuffers(2, self.framebuffers.as_mut_ptr());
        gl.GenRenderbuffers(4, self.targets.as_mut_ptr());
        for (i, framebuffer) in self.framebuffers.into_iter().enumerate() {
            gl.BindFramebuffer(c::FRAMEBUFFER, framebuffer);
            for (attachment, format, target) in [
                (c::COLOR_ATTACHMENT0, c::RGBA8, self.targets[2 * i]),
                (c::DEPTH_STENCIL_ATTACHMENT, c::DEPTH24_STENCIL8, self.targets[2 * i + 1]),
            ] {
                gl.BindRenderbuffer(c::RENDERBUFFER, target);
                gl.RenderbufferStorage(c::RENDERBUFFER, format, SIDE, SIDE);
                gl.FramebufferRenderbuffer(c::FRAMEBUFFER, attachment, c::RENDERBUFFER, target);
            }
            assert_eq!(gl.CheckFramebufferStatus(c::FRAMEBUFFER), c::FRAMEBUFFER_COMPLETE);
        }
        gl.GenSamplers(2, self.samplers.as_mut_ptr());
        for (sampler, wrap) in self.samplers.into_iter().zip([c::REPEAT, c::MIRRORED_REPEAT]) {
            gl.SamplerParameteri(sampler, c::TEXTURE_MIN_FILTER, c::NEAREST as i32);
            gl.SamplerParameteri(sampler, c::TEXTURE_MAG_FILTER, c::NEAREST as i32);
            gl.SamplerParameteri(sampler, c::TEXTURE_WRAP_S, wrap as i32);
            gl.SamplerParameteri(sampler, c::TEXTURE_WRAP_T, wrap as i32);
        }
    }

    /// Everything that a picture may have changed is as at the start of any other.
    fn begin(&mut self, dice: &mut Dice) {
        let gl = self.gl;
        for capability in [c::BLEND, c::DEPTH_TEST, c::STENCIL_TEST, c::SCISSOR_TEST, c::CULL_FACE]
        {
            gl.Disable(capability);
        }
        gl.Disable(c::POLYGON_OFFSET_FILL);
        gl.ColorMask(1, 1, 1, 1);
        gl.DepthMask(1);
        gl.StencilMask(0xFF);
        gl.BlendFunc(c::ONE, c::ZERO);
        gl.BlendEquation(c::FUNC_ADD);
        gl.DepthFunc(c::LESS);
        gl.StencilFunc(c::ALWAYS, 0, 0xFF);
        gl.StencilOp(c::KEEP, c::KEEP, c::KEEP);
        gl.Viewport(0, 0, SIDE, SIDE);
        gl.ClearColor(0.0, 0.0, 0.0, 0.0);
        for framebuffer in self.framebuffers {
            gl.BindFramebuffer(c::FRAMEBUFFER, framebuffer);
            gl.Clear(c::COLOR_BUFFER_BIT | c::DEPTH_BUFFER_BIT | c::STENCIL_BUFFER_BIT);
        }
        gl.DeleteVertexArrays(1, &self.array);
        gl.DeleteBuffers(4, [self.vertices, self.indices, self.moves, self.scratch].as_ptr());
        gl.DeleteTextures(IMAGES as i32, self.images.as_ptr());
        gl.GenVertexArrays(1, &mut self.array);
        gl.BindVertexArray(self.array);
        for buffer in [&mut self.vertices, &mut self.indices, &mut self.moves, &mut self.scratch] {
            gl.GenBuffers(1, buffer);
        }
        gl.BindBuffer(c::ELEMENT_ARRAY_BUFFER, self.indices);
        gl.BindBuffer(c::UNIFORM_BUFFER, self.moves);
        gl.BindBuffer(c::COPY_READ_BUFFER, self.scratch);
        self.define_vertices(dice);
        self.define_indices(dice);
        self.define_moves(dice);
        let data = vertex_data(dice);
        let size = data.len() as isize;
        gl.BufferData(c::COPY_READ_BUFFER, size, data.as_ptr().cast(), c::STATIC_DRAW);
        gl.GenTextures(IMAGES as i32, self.images.as_mut_ptr());
        for image in self.images {
            self.define_image(image, dice);
        }
        for unit in 0..2 {
            gl.BindSampler(unit, 0);
            self.bind_image(unit, self.images[unit as usize]);
        }
        for program in &self.programs {
            gl.UseProgram(program.name);
            gl.Uniform2f(program.shift, 0.0, 0.0);
            gl.Uniform1f(program.depth, 0.0);
            gl.Uniform4f(program.tint, 1.0, 1.0, 1.0, 1.0);
        }
    }

    fn bind_image(&self, unit: u32, image: u32) {
        self.gl.ActiveTexture(c::TEXTURE0 + unit);
        self.gl.BindTexture(c::TEXTURE_2D, image);
    }

    /// The vertices' buffer with its layout.
    fn define_vertices(&self, dice: &mut Dice) {
        let gl = self.gl;
        let data = vertex_data(dice);
        gl.BindBuffer(c::ARRAY_BUFFER, self.vertices);
        let (size, usage) = (data.len() as isize, dice.of(&[c::STATIC_DRAW, c::STREAM_DRAW]));
        gl.BufferData(c::ARRAY_BUFFER, size, data.as_ptr().cast(), usage);
        gl.VertexAttribPointer(0, 2, c::FLOAT, 0, STRIDE as i32, null());
        gl.VertexAttribIPointer(1, 4, c::UNSIGNED_BYTE, STRIDE as i32, 8 as *const _);
        gl.EnableVertexAttribArray(0);
        gl.EnableVertexAttribArray(1);
    }

    fn define_indices(&self, dice: &mut Dice) {
        let data: Vec<u16> = (0..INDICES).map(|_| dice.below(VERTICES) as u16).collect();
        let size = size_of_val(&data[..]) as isize;
        self.gl.BufferData(c::ELEMENT_ARRAY_BUFFER, size, data.as_ptr().cast(), c::STATIC_DRAW);
    }

    fn define_moves(&self, dice: &mut Dice) {
        let mut data = vec![0f32; self.range_step / 4 * RANGES];
        for range in data.chunks_mut(self.range_step / 4) {
            range[..4].copy_from_slice(&[0.5, 0.75, dice.unit() * 0.5, dice.unit() * 0.5]);
        }
        let size = size_of_val(&data[..]) as isize;
        self.gl.BufferData(c::UNIFORM_BUFFER, size, data.as_ptr().cast(), c::DYNAMIC_DRAW);
        self.gl.BindBufferRange(c::UNIFORM_BUFFER, 2, self.moves, 0, 16);
    }

    fn define_image(&self, image: u32, dice: &mut Dice) {
        let gl = self.gl;
        let side = dice.of(&[4usize, 8, 16]);
        let texels: Vec<[u8; 4]> = (0..side * side).map(|_| color(dice)).collect();
        self.bind_image(0, image);
        let (w, data) = (side as i32, texels.as_ptr().cast());
        gl.TexImage2D(c::TEXTURE_2D, 0, c::RGBA8 as i32, w, w, 0, c::RGBA, c::UNSIGNED_BYTE, data);
        gl.TexParameteri(c::TEXTURE_2D, c::TEXTURE_MIN_FILTER, c::NEAREST as i32);
        gl.TexParameteri(c::TEXTURE_2D, c::TEXTURE_MAG_FILTER, c::NEAREST as i32);
    }

    /// The picture of a seed: what both framebuffers hold at the end.
    pub fn picture(&mut self, seed: u64) -> Vec<[u8; 4]> {
        let mut dice = Dice::new(seed);
        self.begin(&mut dice);
        let gl = self.gl;
        let first = dice.below(self.programs.len());
        gl.UseProgram(self.programs[first].name);
        gl.BindFramebuffer(c::FRAMEBUFFER, self.framebuffers[0]);
        let mut program = first;
        for _ in 0..STEPS {
            match dice.below(16) {
                0..=5 => self.draw(&mut dice),
                6 | 7 => self.state(&mut dice),
                8 => {
                    program = dice.below(self.programs.len());
                    gl.UseProgram(self.programs[program].name);
                }
                9 | 10 => self.uniform(program, &mut dice),
                11 | 12 => self.content(&mut dice),
                13 => self.objects(&mut dice),
                14 => self.pixels(&mut dice),
                _ => self.target(&mut dice),
            }
        }
        gl.Disable(c::SCISSOR_TEST);
        let mut picture = vec![[0x5A; 4]; (SIDE * SIDE * 2) as usize];
        for (half, framebuffer) in picture.chunks_mut((SIDE * SIDE) as usize).zip(self.framebuffers)
        {
            gl.BindFramebuffer(c::FRAMEBUFFER, framebuffer);
            let to = half.as_mut_ptr().cast();
            gl.ReadPixels(0, 0, SIDE, SIDE, c::RGBA, c::UNSIGNED_BYTE, to);
        }
        assert_eq!(gl.GetError(), c::NO_ERROR, "seed {seed}");
        picture
    }

    fn draw(&self, dice: &mut Dice) {
        const MODES: [u32; 7] = [
            c::TRIANGLES,
            c::TRIANGLE_STRIP,
            c::TRIANGLE_FAN,
            c::TRIANGLES,
            c::LINES,
            c::LINE_LOOP,
            c::POINTS,
        ];
        let gl = self.gl;
        let mode = dice.of(&MODES);
        let count = 1 + dice.below(24);
        let start = dice.below(VERTICES - count);
        let (first, count, instances) = (start as i32, count as i32, 1 + dice.below(4) as i32);
        match dice.below(4) {
            0 | 1 => gl.DrawArrays(mode, first, count),
            2 => gl.DrawArraysInstanced(mode, first, count, instances),
            _ => {
                let offset = (2 * start) as *const _;
                gl.DrawElementsInstanced(mode, count, c::UNSIGNED_SHORT, offset, instances);
            }
        }
    }

    fn state(&self, dice: &mut Dice) {
        let gl = self.gl;
        let switch =
            |capability, on| if on { gl.Enable(capability) } else { gl.Disable(capability) };
        let compare = [c::LESS, c::LEQUAL, c::ALWAYS, c::GREATER, c::NOTEQUAL, c::EQUAL];
        match dice.below(10) {
            0 => {
                switch(c::BLEND, dice.coin());
                let factors = [c::ONE, c::ZERO, c::DST_COLOR, c::ONE_MINUS_DST_ALPHA, c::SRC_ALPHA];
                gl.BlendFuncSeparate(
                    dice.of(&factors),
                    dice.of(&factors),
                    dice.of(&factors),
                    dice.of(&factors),
                );
            }
            1 => gl.BlendEquation(dice.of(&[c::FUNC_ADD, c::FUNC_SUBTRACT, c::MIN, c::MAX])),
            2 => {
                switch(c::DEPTH_TEST, dice.coin());
                gl.DepthFunc(dice.of(&compare));
                gl.DepthMask(u8::from(dice.coin()));
            }
            3 => {
                switch(c::STENCIL_TEST, dice.coin());
                gl.StencilFunc(dice.of(&compare), dice.below(4) as i32, 0xF);
                let operations = [c::KEEP, c::REPLACE, c::INCR_WRAP, c::INVERT, c::ZERO];
                gl.StencilOp(c::KEEP, dice.of(&operations), dice.of(&operations));
                gl.StencilMask(dice.below(16) as u32);
            }
            4 => {
                switch(c::SCISSOR_TEST, dice.coin());
                let size = SIDE as usize;
                let (x, y) = (dice.below(size) as i32, dice.below(size) as i32);
                gl.Scissor(x, y, dice.below(size) as i32, dice.below(size) as i32);
            }
            5 => {
                let (x, y) = (dice.below(32) as i32 - 8, dice.below(32) as i32 - 8);
                gl.Viewport(x, y, 16 + dice.below(64) as i32, 16 + dice.below(64) as i32);
            }
            6 => {
                let mut bit = || u8::from(dice.below(4) > 0);
                gl.ColorMask(bit(), bit(), bit(), bit());
            }
            7 => {
                switch(c::CULL_FACE, dice.coin());
                gl.CullFace(dice.of(&[c::FRONT, c::BACK]));
                gl.FrontFace(dice.of(&[c::CW, c::CCW]));
            }
            8 => {
                let mut mask = 0;
                for bit in [c::COLOR_BUFFER_BIT, c::DEPTH_BUFFER_BIT, c::STENCIL_BUFFER_BIT] {
                    mask |= if dice.coin() { bit } else { 0 };
                }
                let [r, g, b, a] = color(dice).map(|v| f32::from(v) / 255.0);
                gl.ClearColor(r, g, b, a);
                gl.ClearDepthf(dice.below(5) as f32 / 4.0);
                gl.ClearStencil(dice.below(4) as i32);
                gl.Clear(mask);
            }
            _ => {
                let of = |color: [u8; 4]| color.map(|v| f32::from(v) / 255.0);
                gl.ClearBufferfv(c::COLOR, 0, of(color(dice)).as_ptr());
            }
        }
    }

    fn uniform(&self, program: usize, dice: &mut Dice) {
        let (gl, program) = (self.gl, self.programs[program]);
        match dice.below(4) {
            0 => gl.Uniform2f(program.shift, dice.unit(), dice.unit()),
            1 => gl.Uniform1f(program.depth, dice.unit()),
            2 => {
                let [r, g, b, a] = color(dice).map(|v| f32::from(v) / 255.0);
                gl.Uniform4f(program.tint, r, g, b, a);
            }
            _ => {
                let offset = (self.range_step * dice.below(RANGES)) as isize;
                gl.BindBufferRange(c::UNIFORM_BUFFER, 2, self.moves, offset, 16);
            }
        }
    }

    fn content(&self, dice: &mut Dice) {
        let gl = self.gl;
        match dice.below(8) {
            0 => self.define_vertices(dice),
            1 => {
                let vertex = dice.below(VERTICES);
                let data = vertex_data(dice);
                let offset = (STRIDE * vertex) as isize;
                let size = (data.len() - STRIDE * vertex).min(160) as isize;
                gl.BindBuffer(c::ARRAY_BUFFER, self.vertices);
                gl.BufferSubData(c::ARRAY_BUFFER, offset, size, data.as_ptr().cast());
            }
            2 => self.define_indices(dice),
            3 => self.define_moves(dice),
            4 => {
                let offset = (self.range_step * dice.below(RANGES)) as isize;
                let data = [0.5, 0.75, dice.unit() * 0.5, dice.unit() * 0.5];
                gl.BufferSubData(c::UNIFORM_BUFFER, offset, 16, data.as_ptr().cast());
            }
            5 => {
                let place = |dice: &mut Dice| (STRIDE * dice.below(VERTICES / 2)) as isize;
                let (from, to) = (place(dice), place(dice));
                gl.BindBuffer(c::ARRAY_BUFFER, self.vertices);
                gl.CopyBufferSubData(c::COPY_READ_BUFFER, c::ARRAY_BUFFER, from, to, 256);
            }
            6 => {
                let vertex = dice.below(VERTICES / 2);
                let data = vertex_data(dice);
                let (offset, access) =
                    ((STRIDE * vertex) as isize, c::MAP_WRITE_BIT | c::MAP_INVALIDATE_RANGE_BIT);
                gl.BindBuffer(c::ARRAY_BUFFER, self.vertices);
                let map = gl.MapBufferRange(c::ARRAY_BUFFER, offset, 256, access);
                assert!(!map.is_null());
                // SAFETY: 256 bytes are mapped for writing, and as many there are in the data.
                unsafe { map.cast::<u8>().copy_from_nonoverlapping(data.as_ptr(), 256) };
                gl.UnmapBuffer(c::ARRAY_BUFFER);
            }
            _ => {
                let texels: [[u8; 4]; 4] = std::array::from_fn(|_| color(dice));
                let image = dice.of(&self.images);
                self.bind_image(0, image);
                let (x, y) = (2 * dice.below(2) as i32, 2 * dice.below(2) as i32);
                let (target, data) = (c::TEXTURE_2D, texels.as_ptr().cast());
                gl.TexSubImage2D(target, 0, x, y, 2, 2, c::RGBA, c::UNSIGNED_BYTE, data);
            }
        }
    }

    fn objects(&mut self, dice: &mut Dice) {
        let gl = self.gl;
        match dice.below(5) {
            0 => {
                let number = dice.below(IMAGES);
                gl.DeleteTextures(1, &self.images[number]);
                gl.GenTextures(1, &mut self.images[number]);
                self.define_image(self.images[number], dice);
                // Nothing is left unbound: what an unbound unit gives is not what this is about.
                for unit in 0..2 {
                    self.bind_image(unit, self.images[dice.below(IMAGES)]);
                }
            }
            1 => {
                gl.DeleteBuffers(1, &self.vertices);
                gl.GenBuffers(1, &mut self.vertices);
                self.define_vertices(dice);
            }
            2 => {
                let samplers = [0, self.samplers[0], self.samplers[1]];
                gl.BindSampler(dice.below(2) as u32, dice.of(&samplers));
            }
            3 => self.bind_image(dice.below(2) as u32, self.images[dice.below(IMAGES)]),
            _ => {
                let image = dice.of(&self.images);
                self.bind_image(0, image);
                self.define_image(image, dice);
            }
        }
    }

    fn pixels(&self, dice: &mut Dice) {
        let gl = self.gl;
        let mut place = || 4 * dice.below(12) as i32;
        let (x, y, to_x, to_y) = (place(), place(), place(), place());
        match dice.below(4) {
            0 => {
                let from = dice.below(2);
                gl.BindFramebuffer(c::READ_FRAMEBUFFER, self.framebuffers[from]);
                gl.BindFramebuffer(c::DRAW_FRAMEBUFFER, self.framebuffers[1 - from]);
                let size = 8 + 4 * dice.below(2) as i32;
                let (right, top) = (to_x + 2 * size, to_y + 2 * size);
                let mask = c::COLOR_BUFFER_BIT;
                gl.BlitFramebuffer(
                    x,
                    y,
                    x + size,
                    y + size,
                    to_x,
                    to_y,
                    right,
                    top,
                    mask,
                    c::NEAREST,
                );
                gl.BindFramebuffer(c::FRAMEBUFFER, self.framebuffers[1 - from]);
            }
            1 => {
                self.bind_image(0, dice.of(&self.images));
                gl.CopyTexSubImage2D(c::TEXTURE_2D, 0, 0, 0, x, y, 4, 4);
            }
            2 => {
                self.bind_image(0, dice.of(&self.images));
                gl.CopyTexImage2D(c::TEXTURE_2D, 0, c::RGBA8, x, y, 8, 8, 0);
            }
            _ => gl.Flush(),
        }
    }

    fn target(&self, dice: &mut Dice) {
        self.gl.BindFramebuffer(c::FRAMEBUFFER, dice.of(&self.framebuffers));
    }
}

fn color(dice: &mut Dice) -> [u8; 4] {
    [dice.byte(), dice.byte(), dice.byte(), dice.byte()]
}

/// Vertices: a place of two floats, a colour of four bytes, four bytes that nobody reads.
fn vertex_data(dice: &mut Dice) -> Vec<u8> {
    let mut data = Vec::with_capacity(VERTICES * STRIDE);
    for _ in 0..VERTICES {
        data.extend(dice.unit().to_ne_bytes());
        data.extend(dice.unit().to_ne_bytes());
        data.extend(color(dice));
        data.extend([0xAA; 4]);
    }
    data
}
