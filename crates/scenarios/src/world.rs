//! A session with a context that is current, and what scenarios say again and again.

use crate::cell::{Api, Cell, Mode};
use crate::gl::Gl;
use crate::servers;
use forerun_gl::context::Drawable;
use forerun_gl::stream::Owned;
use forerun_gl::{Config, Context, Group, entry};
use forerun_link::{Counter, LinkStats, Sizes, Status};
use forerun_pipe::gl as c;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{CreateSurface, present_mode, surface_kind};
use forerun_server::gate::Hand;
use std::ffi::CStr;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

/// Pixels of the drawable's sides.
pub const SIDE: i32 = 32;

/// A context of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextId(usize);

/// A context on its way to another thread.
pub struct Given(*mut Context);

// SAFETY: a context is used by one thread at a time, and nobody has it meanwhile.
unsafe impl Send for Given {}

/// The context that [`World::new`] makes.
pub const FIRST: ContextId = ContextId(0);

/// A session of a cell, with a context that is current on this thread. GL functions are methods: `world.Clear(…)`.
pub struct World {
    /// What it is.
    pub cell: Cell,
    /// The share group.
    pub group: Arc<Group>,
    gl: Gl,
    contexts: Vec<*mut Context>,
    drawable: Drawable,
    pub(crate) surface: Option<Owned<kind::Surface>>,
    array: u32,
    pub(crate) gate: Option<Hand>,
    /// Frames presented to the drawable.
    pub(crate) presents: std::cell::Cell<u64>,
}

impl Deref for World {
    type Target = Gl;
    fn deref(&self) -> &Gl {
        &self.gl
    }
}

impl World {
    /// A session with a context and a drawable of [`SIDE`]² pixels (RGBA8, depth 24, stencil 8), current on this thread.
    pub fn new(cell: Cell) -> World {
        World::behind(None, cell)
    }

    /// The same, with its server behind a gate.
    pub fn behind(gate: Option<Hand>, cell: Cell) -> World {
        let mut world = World::bare_behind(gate, cell);
        let context = world.new_context();
        world.make_current(context);
        world.setup();
        world
    }

    /// A session without a context.
    pub fn bare(cell: Cell) -> World {
        World::bare_behind(None, cell)
    }

    fn bare_behind(gate: Option<Hand>, cell: Cell) -> World {
        let group = open(&cell, servers::sizes(cell.mode), gate.as_ref().map(Hand::path));
        World::on(group, gate, cell)
    }

    /// The same as [`World::new`], on a link whose segments have those sizes.
    pub fn sized(sizes: Sizes, cell: Cell) -> World {
        World::beside(&open(&cell, sizes, None), cell)
    }

    /// The same as [`World::new`], behind a gate that is another process's.
    pub fn behind_foreign(gate: &Path, cell: Cell) -> World {
        World::beside(&open(&cell, servers::sizes(cell.mode), Some(gate)), cell)
    }

    /// Another world on the session of a group, for another thread: with a context and a drawable of its own, current on this thread,
    /// and the objects of all.
    pub fn beside(group: &Arc<Group>, cell: Cell) -> World {
        let mut world = World::on(Arc::clone(group), None, cell);
        let context = world.new_context();
        world.make_current(context);
        world.setup();
        world
    }

    fn on(group: Arc<Group>, gate: Option<Hand>, cell: Cell) -> World {
        let (surface, drawable) = new_surface(&group);
        let gl = Gl::load(&|name| forerun_gl::get_proc_address(name));
        World {
            cell,
            group,
            gl,
            contexts: Vec::new(),
            drawable,
            surface: Some(surface),
            array: 0,
            gate,
            presents: Default::default(),
        }
    }

    /// A context of the cell's API.
    pub fn new_context(&mut self) -> ContextId {
        self.new_context_that(|_| ())
    }

    /// The same, with something changed about it.
    pub fn new_context_that(&mut self, change: impl FnOnce(&mut Config)) -> ContextId {
        let mut config = config(self.cell.api);
        change(&mut config);
        let context = Context::new(Arc::clone(&self.group), config)
            .unwrap_or_else(|error| panic!("no context: {}", error.what));
        self.contexts.push(Box::into_raw(context));
        ContextId(self.contexts.len() - 1)
    }

    /// Makes a context current on this thread, with the drawable.
    pub fn make_current(&mut self, context: ContextId) {
        let context = self.contexts[context.0];
        // SAFETY: contexts live until they are destroyed, on this thread only, and no call of GL is under way.
        unsafe {
            entry::set_current(std::ptr::null_mut());
            (*context).state.attach(self.drawable, self.drawable);
            entry::set_current(context);
        }
    }

    /// Makes no context current.
    pub fn release(&mut self) {
        // SAFETY: null is always allowed.
        unsafe { entry::set_current(std::ptr::null_mut()) };
    }

    /// Destroys a context, which must not be current.
    pub fn destroy(&mut self, context: ContextId) {
        let context = std::mem::replace(&mut self.contexts[context.0], std::ptr::null_mut());
        assert!(!context.is_null() && entry::current() != context);
        // SAFETY: it came from `Box::into_raw` and is forgotten here.
        drop(unsafe { Box::from_raw(context) });
    }

    /// Lets another thread have a context, which must not be current.
    pub fn give(&mut self, context: ContextId) -> Given {
        let context = std::mem::replace(&mut self.contexts[context.0], std::ptr::null_mut());
        assert!(!context.is_null() && entry::current() != context);
        Given(context)
    }

    /// Takes a context of another world of the same group.
    pub fn take(&mut self, given: Given) -> ContextId {
        self.contexts.push(given.0);
        ContextId(self.contexts.len() - 1)
    }

    /// What a core context needs before it draws: a vertex array.
    pub fn setup(&mut self) {
        if let Api::Core(_) = self.cell.api {
            let mut array = 0;
            self.GenVertexArrays(1, &mut array);
            self.BindVertexArray(array);
            self.array = array;
        }
    }

    /// Whether the context is of OpenGL ES.
    pub fn is_es(&self) -> bool {
        matches!(self.cell.api, Api::Es(_))
    }

    /// Whether the context advertises an extension.
    pub fn has(&self, extension: &str) -> bool {
        let mut count = 0;
        if self.cell.api == Api::Es(20) {
            return self.string(c::EXTENSIONS).split(' ').any(|e| e == extension);
        }
        self.GetIntegerv(c::NUM_EXTENSIONS, &mut count);
        (0..count as u32).any(|i| self.string_at(self.GetStringi(c::EXTENSIONS, i)) == extension)
    }

    /// glGetString as text.
    pub fn string(&self, name: u32) -> String {
        self.string_at(self.GetString(name))
    }

    fn string_at(&self, text: *const u8) -> String {
        assert!(!text.is_null(), "a string is there");
        // SAFETY: GL's strings end with a null and live as long as the context.
        unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy().into_owned()
    }

    /// glGetIntegerv of one value.
    pub fn integer(&self, name: u32) -> i32 {
        let mut values = [0x5A5A_5A5A; 16];
        self.GetIntegerv(name, values.as_mut_ptr());
        values[0]
    }

    // ------------------------------------------------------------------ errors

    /// The first error of the calls must be that one.
    #[track_caller]
    pub fn rejects(&self, error: u32, calls: impl FnOnce()) {
        self.no_error();
        calls();
        let got = self.GetError();
        assert_eq!(got, error, "glGetError gives {got:#06x}, not {error:#06x}");
    }

    /// There must be no error.
    #[track_caller]
    pub fn no_error(&self) {
        let error = self.GetError();
        assert_eq!(error, c::NO_ERROR, "glGetError gives {error:#06x}");
    }

    /// At the end: no error, and the session is alive. What was current may be lost on purpose.
    #[track_caller]
    pub fn expect_clean(&self) {
        if entry::current().is_null() {
            return;
        }
        self.no_error();
        if let Some(fault) = self.group.lock().link.lost() {
            panic!("the session is lost: {fault}");
        }
    }

    // ------------------------------------------------------------------ programs

    fn source(&self, stage: u32, text: &str) -> String {
        if text.trim_start().starts_with("#version") {
            return text.to_owned();
        }
        let precision = "precision highp float;\nprecision highp int;\n";
        match self.cell.api {
            Api::Es(20) if stage == c::VERTEX_SHADER => format!("#version 100\n{text}"),
            Api::Es(20) => format!("#version 100\nprecision mediump float;\n{text}"),
            Api::Es(v) => format!("#version {v}0 es\n{precision}{text}"),
            Api::Core(v) => format!("#version {v}0 core\n{text}"),
        }
    }

    /// Compiles a source as it stands: the shader, and whether it did.
    pub fn compile(&self, stage: u32, source: &str) -> (u32, bool) {
        let shader = self.CreateShader(stage);
        let (pointer, length) = (source.as_ptr(), source.len() as i32);
        self.ShaderSource(shader, 1, &pointer, &length);
        self.CompileShader(shader);
        let mut ok = 0;
        self.GetShaderiv(shader, c::COMPILE_STATUS, &mut ok);
        (shader, ok != 0)
    }

    /// Compiles a shader. Without a `#version` the source gets the newest one of the context, and precisions.
    #[track_caller]
    pub fn shader(&self, stage: u32, text: &str) -> u32 {
        let source = self.source(stage, text);
        let (shader, compiled) = self.compile(stage, &source);
        if !compiled {
            let mut log = vec![0u8; 4096];
            let mut length = 0;
            self.GetShaderInfoLog(shader, 4096, &mut length, log.as_mut_ptr());
            log.truncate(length as usize);
            panic!("{}\n{source}", String::from_utf8_lossy(&log));
        }
        shader
    }

    /// Links shaders of those sources, after a change to the program that is not linked yet.
    #[track_caller]
    pub fn program_with(&self, stages: &[(u32, &str)], before: impl FnOnce(u32)) -> u32 {
        let program = self.CreateProgram();
        for (stage, text) in stages {
            let shader = self.shader(*stage, text);
            self.AttachShader(program, shader);
            self.DeleteShader(shader);
        }
        self.BindAttribLocation(program, 0, c"position".as_ptr().cast());
        self.BindAttribLocation(program, 1, c"second".as_ptr().cast());
        before(program);
        self.LinkProgram(program);
        self.expect_linked(program);
        program
    }

    /// A program must be linked.
    #[track_caller]
    pub fn expect_linked(&self, program: u32) {
        let mut ok = 0;
        self.GetProgramiv(program, c::LINK_STATUS, &mut ok);
        if ok == 0 {
            let mut log = vec![0u8; 4096];
            let mut length = 0;
            self.GetProgramInfoLog(program, 4096, &mut length, log.as_mut_ptr());
            log.truncate(length as usize);
            panic!("{}", String::from_utf8_lossy(&log));
        }
    }

    /// A program of a vertex and a fragment shader. The attribute `position` is at 0, `second` at 1.
    #[track_caller]
    pub fn program(&self, vertex: &str, fragment: &str) -> u32 {
        self.program_with(&[(c::VERTEX_SHADER, vertex), (c::FRAGMENT_SHADER, fragment)], |_| ())
    }

    /// A program that draws `position` (two components) with a fragment shader of the newest language of the context.
    #[track_caller]
    pub fn fragment_program(&self, fragment: &str) -> u32 {
        self.program(FLAT, fragment)
    }

    /// A program that paints the uniform `color`.
    #[track_caller]
    pub fn painter(&self) -> u32 {
        if self.cell.api == Api::Es(20) {
            return self.program(
                "attribute vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }",
                "uniform vec4 color; void main() { gl_FragColor = color; }",
            );
        }
        self.fragment_program(
            "uniform vec4 color; out vec4 result; void main() { result = color; }",
        )
    }

    /// The location of a uniform, which must be there.
    #[track_caller]
    pub fn uniform(&self, program: u32, name: &CStr) -> i32 {
        let location = self.GetUniformLocation(program, name.as_ptr().cast());
        assert!(location >= 0, "no uniform {name:?}");
        location
    }

    // ------------------------------------------------------------------ objects

    /// A buffer with those bytes, bound to that target.
    pub fn buffer<T: Copy>(&self, target: u32, data: &[T]) -> u32 {
        let mut buffer = 0;
        self.GenBuffers(1, &mut buffer);
        self.BindBuffer(target, buffer);
        let size = size_of_val(data) as isize;
        self.BufferData(target, size, data.as_ptr().cast(), c::STATIC_DRAW);
        buffer
    }

    /// The first words of a buffer, which is bound for that to where copies read.
    pub fn words<const N: usize>(&self, buffer: u32) -> [u32; N] {
        self.BindBuffer(c::COPY_READ_BUFFER, buffer);
        self.words_at(c::COPY_READ_BUFFER)
    }

    /// The first words of the buffer at a target.
    pub fn words_at<const N: usize>(&self, target: u32) -> [u32; N] {
        let map = self.MapBufferRange(target, 0, 4 * N as isize, c::MAP_READ_BIT);
        assert!(!map.is_null());
        // SAFETY: as many words are mapped.
        let words = unsafe { map.cast::<[u32; N]>().read() };
        self.UnmapBuffer(target);
        words
    }

    /// Vertices of two floats for attribute 0.
    pub fn vertices(&self, data: &[f32]) -> u32 {
        let buffer = self.buffer(c::ARRAY_BUFFER, data);
        self.VertexAttribPointer(0, 2, c::FLOAT, 0, 0, std::ptr::null());
        self.EnableVertexAttribArray(0);
        buffer
    }

    /// Attribute 0 covers the viewport with a strip of four vertices.
    pub fn whole(&self) -> u32 {
        self.vertices(&WHOLE)
    }

    /// Draws the strip of [`World::whole`].
    pub fn strip(&self) {
        self.DrawArrays(c::TRIANGLE_STRIP, 0, 4);
    }

    /// A 2D texture on the active unit, one level, nearest filtering, RGBA8.
    pub fn texture(&self, width: i32, height: i32, texels: &[[u8; 4]]) -> u32 {
        assert_eq!(texels.len(), (width * height) as usize);
        let texture = self.new_texture(c::TEXTURE_2D);
        self.TexImage2D(
            c::TEXTURE_2D,
            0,
            c::RGBA as i32,
            width,
            height,
            0,
            c::RGBA,
            c::UNSIGNED_BYTE,
            texels.as_ptr().cast(),
        );
        texture
    }

    /// A texture without storage on the active unit, nearest filtering, clamped.
    pub fn new_texture(&self, target: u32) -> u32 {
        let mut texture = 0;
        self.GenTextures(1, &mut texture);
        self.BindTexture(target, texture);
        if !matches!(target, c::TEXTURE_2D_MULTISAMPLE | c::TEXTURE_BUFFER) {
            self.TexParameteri(target, c::TEXTURE_MIN_FILTER, c::NEAREST as i32);
            self.TexParameteri(target, c::TEXTURE_MAG_FILTER, c::NEAREST as i32);
            self.TexParameteri(target, c::TEXTURE_WRAP_S, c::CLAMP_TO_EDGE as i32);
            self.TexParameteri(target, c::TEXTURE_WRAP_T, c::CLAMP_TO_EDGE as i32);
        }
        texture
    }

    /// A framebuffer, bound, with that 2D texture's level 0 as its colour.
    pub fn framebuffer_of(&self, texture: u32) -> u32 {
        let mut framebuffer = 0;
        self.GenFramebuffers(1, &mut framebuffer);
        self.BindFramebuffer(c::FRAMEBUFFER, framebuffer);
        let attachment = c::COLOR_ATTACHMENT0;
        self.FramebufferTexture2D(c::FRAMEBUFFER, attachment, c::TEXTURE_2D, texture, 0);
        self.expect_complete();
        framebuffer
    }

    /// The bound framebuffer must be complete.
    #[track_caller]
    pub fn expect_complete(&self) {
        let status = self.CheckFramebufferStatus(c::FRAMEBUFFER);
        assert_eq!(status, c::FRAMEBUFFER_COMPLETE, "the framebuffer's status is {status:#06x}");
    }

    // ------------------------------------------------------------------ pixels

    /// Clears the colour buffer to a colour of 8 bits per channel.
    pub fn clear(&self, [r, g, b, a]: [u8; 4]) {
        let f = |v: u8| f32::from(v) / 255.0;
        self.ClearColor(f(r), f(g), f(b), f(a));
        self.Clear(c::COLOR_BUFFER_BIT);
    }

    /// Reads a rectangle back.
    pub fn pixels(&self, x: i32, y: i32, width: i32, height: i32) -> Vec<[u8; 4]> {
        let mut pixels = vec![[0x5A; 4]; (width * height) as usize];
        let to = pixels.as_mut_ptr().cast();
        self.ReadPixels(x, y, width, height, c::RGBA, c::UNSIGNED_BYTE, to);
        pixels
    }

    /// Reads a pixel back.
    pub fn pixel(&self, x: i32, y: i32) -> [u8; 4] {
        self.pixels(x, y, 1, 1)[0]
    }

    /// A pixel must have that colour.
    #[track_caller]
    pub fn expect(&self, x: i32, y: i32, color: [u8; 4]) {
        assert_eq!(self.pixel(x, y), color, "at {x}, {y}");
    }

    /// A pixel must have that colour up to a step of each channel, where rounding is the driver's.
    #[track_caller]
    pub fn expect_near(&self, x: i32, y: i32, color: [u8; 4]) {
        let got = self.pixel(x, y);
        let near = got.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 1);
        assert!(near, "{got:?} at {x}, {y}, not {color:?}");
    }

    /// Every pixel of a rectangle must have that colour.
    #[track_caller]
    pub fn expect_rect(&self, x: i32, y: i32, width: i32, height: i32, color: [u8; 4]) {
        for (i, got) in self.pixels(x, y, width, height).into_iter().enumerate() {
            let (dx, dy) = (i as i32 % width, i as i32 / width);
            assert_eq!(got, color, "at {}, {}", x + dx, y + dy);
        }
    }

    /// Every pixel of the drawable must have that colour.
    #[track_caller]
    pub fn expect_all(&self, color: [u8; 4]) {
        self.expect_rect(0, 0, SIDE, SIDE, color);
    }

    // ------------------------------------------------------------------ counters

    /// Counters of the client's end.
    pub fn stats(&self) -> LinkStats {
        *self.group.lock().link.stats()
    }

    /// Driver calls of the server, after everything so far was done.
    pub fn driver_calls(&self) -> u64 {
        self.Finish();
        // The counter is brought up to date right after the answer.
        std::thread::sleep(std::time::Duration::from_millis(60));
        let mut stream = self.group.lock();
        stream.link.flush_bell();
        stream.link.server_counter(Counter::DriverCalls)
    }

    /// Objects that live on the server and that the program named, after everything so far was done.
    pub fn server_objects(&self) -> u64 {
        self.driver_calls();
        self.group.lock().link.server_counter(Counter::Objects)
    }

    /// The server's process.
    pub fn server_pid(&self) -> u32 {
        self.group.lock().link.server_pid()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.release();
        for context in self.contexts.drain(..).filter(|context| !context.is_null()) {
            // SAFETY: it came from `Box::into_raw`, and nothing has it any more.
            drop(unsafe { Box::from_raw(context) });
        }
        drop(self.surface.take());
        // Deaths are sent by the next user of the stream.
        self.group.lock().link.publish();
    }
}

/// A vertex shader that passes `position` on.
pub const FLAT: &str = "layout(location = 0) in vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }";

/// A strip over the whole viewport.
pub const WHOLE: [f32; 8] = [-1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, 1.0];

/// The configuration of a context of that API.
pub fn config(api: Api) -> Config {
    let (api, version) = match api {
        Api::Es(version) => (forerun_gl::Api::Es, version),
        Api::Core(version) => (forerun_gl::Api::Core, version),
    };
    Config::new(api, version)
}

fn open(cell: &Cell, sizes: Sizes, gate: Option<&Path>) -> Arc<Group> {
    let (link, caps) =
        servers::connect(cell, sizes, gate).unwrap_or_else(|fault| panic!("no session: {fault}"));
    Group::new(link, caps, cell.mode != Mode::Lockstep)
}

fn new_surface(group: &Arc<Group>) -> (Owned<kind::Surface>, Drawable) {
    let mut stream = group.lock();
    let surface = stream.mint::<kind::Surface>().unwrap_or_else(|e| panic!("{}", e.what));
    let drawable = Drawable {
        surface: surface.raw(),
        width: SIDE as u32,
        height: SIDE as u32,
        color_format: c::RGBA8,
        depth_stencil_format: c::DEPTH24_STENCIL8,
        samples: 0,
        double_buffered: false,
    };
    let seq = CreateSurface {
        handle: surface.raw(),
        native: 0,
        surface_kind: surface_kind::PBUFFER,
        width: drawable.width,
        height: drawable.height,
        color_format: drawable.color_format,
        depth_stencil_format: drawable.depth_stencil_format,
        samples: 0,
        present_mode: present_mode::OFFSCREEN,
        display_len: 0,
        visual: 0,
    }
    .send(&mut *stream, &[]);
    let reply = stream.link.wait_reply(seq).unwrap_or_else(|fault| panic!("no surface: {fault}"));
    assert_eq!(reply.status, Status::Ok);
    drop(stream);
    (surface, drawable)
}
