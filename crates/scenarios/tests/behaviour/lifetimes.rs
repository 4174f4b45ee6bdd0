//! Objects of all kinds, made, used and deleted in any order on two contexts of a share group, beside a model of what must be seen. At
//! the end nothing is left on the server.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::random::Dice;
use scenarios::runner::Needs;
use scenarios::world::{ContextId, FIRST, WHOLE};
use scenarios::{World, scenarios};
use std::ffi::c_void;
use std::ptr::null;

scenarios! { "lifetimes";
    [Es(30), Es(32), Core(33)], Needs::PIXELS => objects_live_as_long_as_anything_holds_them;
}

const STEPS: usize = 1200;

/// What a store holds, seen through whatever holds it.
#[derive(Clone, Debug)]
struct Store {
    name: u32,
    /// The program deleted its name.
    dead: bool,
    color: [u8; 4],
    holders: usize,
}

/// Names that a context does not share.
struct Own {
    id: ContextId,
    /// Framebuffers: name, and which texture or renderbuffer is attached.
    framebuffers: Vec<(u32, Held)>,
    /// Vertex arrays: name, and which buffer gives the colour.
    arrays: Vec<(u32, usize)>,
    /// The current program.
    program: Option<usize>,
    queries: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    Texture(usize),
    Renderbuffer(usize),
}

struct Model<'a> {
    w: &'a mut World,
    dice: Dice,
    textures: Vec<Store>,
    renderbuffers: Vec<Store>,
    buffers: Vec<Store>,
    programs: Vec<Store>,
    samplers: Vec<u32>,
    fences: Vec<*const c_void>,
    own: [Own; 2],
    at: usize,
    corners: u32,
}

fn alive(stores: &[Store], dice: &mut Dice) -> Option<usize> {
    let alive: Vec<usize> = (0..stores.len()).filter(|i| !stores[*i].dead).collect();
    (!alive.is_empty()).then(|| dice.of(&alive))
}

fn color(dice: &mut Dice) -> [u8; 4] {
    [dice.byte(), dice.byte(), dice.byte(), 255]
}

fn floats(color: [u8; 4]) -> [f32; 4] {
    color.map(|v| f32::from(v) / 255.0)
}

impl Model<'_> {
    fn switch(&mut self) {
        self.at = 1 - self.at;
        // Contents pass between contexts once they are complete (OpenGL 4.6 §5.3).
        self.w.Flush();
        self.w.make_current(self.own[self.at].id);
    }

    fn make_texture(&mut self) {
        let color = color(&mut self.dice);
        let name = self.w.texture(4, 4, &[color; 16]);
        self.textures.push(Store { name, dead: false, color, holders: 0 });
    }

    fn make_renderbuffer(&mut self) {
        let mut name = 0;
        self.w.GenRenderbuffers(1, &mut name);
        self.w.BindRenderbuffer(c::RENDERBUFFER, name);
        self.w.RenderbufferStorage(c::RENDERBUFFER, c::RGBA8, 4, 4);
        // Its content is undefined until somebody clears it: that is done where it is attached first.
        self.renderbuffers.push(Store { name, dead: false, color: [0; 4], holders: 0 });
    }

    fn make_buffer(&mut self) {
        let color = color(&mut self.dice);
        let name = self.w.buffer(c::ARRAY_BUFFER, &[floats(color); 4]);
        self.buffers.push(Store { name, dead: false, color, holders: 0 });
    }

    fn make_program(&mut self) {
        let current = self.own[self.at].program;
        if current.is_some_and(|i| self.programs[i].dead) {
            // It would end for good while another one gets its uniforms.
            return;
        }
        let color = color(&mut self.dice);
        let name = self.w.program(
            "layout(location = 0) in vec2 position; layout(location = 1) in vec4 second; out vec4 given;
             void main() { given = second; gl_Position = vec4(position, 0.0, 1.0); }",
            "in vec4 given; uniform vec4 own; uniform float mine; out vec4 color; void main() { color = mine > 0.5 ? own : given; }",
        );
        let used = current.map_or(0, |i| self.programs[i].name);
        self.w.UseProgram(name);
        let [r, g, b, a] = floats(color);
        self.w.Uniform4f(self.w.uniform(name, c"own"), r, g, b, a);
        self.w.UseProgram(used);
        self.programs.push(Store { name, dead: false, color, holders: 0 });
    }

    fn attach(&mut self) {
        let held = if self.dice.coin() {
            alive(&self.textures, &mut self.dice).map(Held::Texture)
        } else {
            alive(&self.renderbuffers, &mut self.dice).map(Held::Renderbuffer)
        };
        let Some(held) = held else { return };
        let mut name = 0;
        self.w.GenFramebuffers(1, &mut name);
        self.w.BindFramebuffer(c::FRAMEBUFFER, name);
        let (target, point) = (c::FRAMEBUFFER, c::COLOR_ATTACHMENT0);
        match held {
            Held::Texture(i) => {
                self.textures[i].holders += 1;
                let texture = self.textures[i].name;
                self.w.FramebufferTexture2D(target, point, c::TEXTURE_2D, texture, 0);
            }
            Held::Renderbuffer(i) => {
                let object = &mut self.renderbuffers[i];
                self.w.FramebufferRenderbuffer(target, point, c::RENDERBUFFER, object.name);
                if object.holders == 0 && object.color == [0; 4] {
                    object.color = [1, 2, 3, 4];
                    self.w.clear(object.color);
                }
                object.holders += 1;
            }
        }
        self.w.BindFramebuffer(target, 0);
        self.w.no_error();
        self.own[self.at].framebuffers.push((name, held));
    }

    fn hold_buffer(&mut self) {
        let Some(i) = alive(&self.buffers, &mut self.dice) else { return };
        let mut name = 0;
        self.w.GenVertexArrays(1, &mut name);
        self.w.BindVertexArray(name);
        self.w.BindBuffer(c::ARRAY_BUFFER, self.corners);
        self.w.VertexAttribPointer(0, 2, c::FLOAT, 0, 0, null());
        self.w.EnableVertexAttribArray(0);
        self.w.BindBuffer(c::ARRAY_BUFFER, self.buffers[i].name);
        self.w.VertexAttribPointer(1, 4, c::FLOAT, 0, 0, null());
        self.w.EnableVertexAttribArray(1);
        self.w.BindBuffer(c::ARRAY_BUFFER, 0);
        self.w.BindVertexArray(0);
        self.buffers[i].holders += 1;
        self.own[self.at].arrays.push((name, i));
    }

    fn use_program(&mut self) {
        let Some(i) = alive(&self.programs, &mut self.dice) else { return };
        if let Some(before) = self.own[self.at].program.replace(i) {
            self.programs[before].holders -= 1;
        }
        self.programs[i].holders += 1;
        self.w.UseProgram(self.programs[i].name);
    }

    /// Deletes a name. Nothing that is not bound in this context lets it go.
    fn delete(&mut self) {
        match self.dice.below(8) {
            0 => {
                if let Some(i) = alive(&self.textures, &mut self.dice) {
                    self.w.DeleteTextures(1, &self.textures[i].name);
                    self.textures[i].dead = true;
                }
            }
            1 => {
                if let Some(i) = alive(&self.renderbuffers, &mut self.dice) {
                    self.w.DeleteRenderbuffers(1, &self.renderbuffers[i].name);
                    self.renderbuffers[i].dead = true;
                }
            }
            2 => {
                if let Some(i) = alive(&self.buffers, &mut self.dice) {
                    let name = self.buffers[i].name;
                    if self.dice.coin() {
                        // Mapped while it dies.
                        self.w.BindBuffer(c::COPY_WRITE_BUFFER, name);
                        self.w.MapBufferRange(c::COPY_WRITE_BUFFER, 0, 64, c::MAP_READ_BIT);
                    }
                    self.w.DeleteBuffers(1, &name);
                    self.buffers[i].dead = true;
                }
            }
            3 => {
                if let Some(i) = alive(&self.programs, &mut self.dice) {
                    self.w.DeleteProgram(self.programs[i].name);
                    self.programs[i].dead = true;
                }
            }
            4 => self.delete_framebuffer(),
            5 => {
                let own = &mut self.own[self.at];
                if !own.arrays.is_empty() {
                    let number = self.dice.below(own.arrays.len());
                    let (name, buffer) = own.arrays.swap_remove(number);
                    self.w.DeleteVertexArrays(1, &name);
                    self.buffers[buffer].holders -= 1;
                }
            }
            6 => {
                if let Some(fence) = self.fences.pop() {
                    self.w.DeleteSync(fence);
                }
                if let Some(sampler) = self.samplers.pop() {
                    self.w.DeleteSamplers(1, &sampler);
                }
            }
            _ => {
                if let Some(query) = self.own[self.at].queries.pop() {
                    self.w.DeleteQueries(1, &query);
                }
            }
        }
    }

    fn delete_framebuffer(&mut self) {
        let own = &mut self.own[self.at];
        if own.framebuffers.is_empty() {
            return;
        }
        let number = self.dice.below(own.framebuffers.len());
        let (name, held) = own.framebuffers.swap_remove(number);
        self.w.DeleteFramebuffers(1, &name);
        match held {
            Held::Texture(i) => self.textures[i].holders -= 1,
            Held::Renderbuffer(i) => self.renderbuffers[i].holders -= 1,
        }
    }

    /// What a framebuffer of this context shows is the store's content, whoever deleted its name; now and then it gets another.
    fn look_at_framebuffer(&mut self) {
        let own = &self.own[self.at];
        if own.framebuffers.is_empty() {
            return;
        }
        let (name, held) = dice_of(&own.framebuffers, &mut self.dice);
        self.w.BindFramebuffer(c::FRAMEBUFFER, name);
        self.w.expect_complete();
        let store = match held {
            Held::Texture(i) => &mut self.textures[i],
            Held::Renderbuffer(i) => &mut self.renderbuffers[i],
        };
        let seen = self.w.pixel(3, 3);
        assert_eq!(seen, store.color, "{held:?} {store:?}");
        if self.dice.coin() {
            store.color = color(&mut self.dice);
            self.w.clear(store.color);
        }
        self.w.BindFramebuffer(c::FRAMEBUFFER, 0);
    }

    /// A draw with this context's program and one of its arrays.
    fn draw(&mut self) {
        let own = &self.own[self.at];
        let Some(program) = own.program else { return };
        if own.arrays.is_empty() {
            return;
        }
        let (array, buffer) = dice_of(&own.arrays, &mut self.dice);
        let mine = self.dice.coin();
        self.w.BindVertexArray(array);
        // A deleted program that is current has no name to ask by; its uniforms stand where those of its twins stand.
        let program = &self.programs[program];
        if !program.dead {
            self.w.Uniform1f(self.w.uniform(program.name, c"mine"), f32::from(u8::from(mine)));
            self.w.strip();
            let expected = if mine { program.color } else { self.buffers[buffer].color };
            self.w.expect(1, 1, expected);
        } else {
            self.w.strip();
            let seen = self.w.pixel(1, 1);
            let either = [program.color, self.buffers[buffer].color];
            assert!(either.contains(&seen), "{seen:?}, not one of {either:?}");
        }
        self.w.BindVertexArray(0);
    }

    /// A buffer with a name has its content, and gets another.
    fn rewrite(&mut self) {
        let Some(i) = alive(&self.buffers, &mut self.dice) else { return };
        let store = &mut self.buffers[i];
        store.color = color(&mut self.dice);
        let data = [floats(store.color); 4];
        self.w.BindBuffer(c::ARRAY_BUFFER, store.name);
        if self.dice.coin() {
            self.w.BufferSubData(c::ARRAY_BUFFER, 0, 64, data.as_ptr().cast());
        } else {
            self.w.BufferData(c::ARRAY_BUFFER, 64, data.as_ptr().cast(), c::STREAM_DRAW);
        }
        self.w.BindBuffer(c::ARRAY_BUFFER, 0);
    }

    fn small_things(&mut self) {
        match self.dice.below(3) {
            0 => self.fences.push(self.w.FenceSync(c::SYNC_GPU_COMMANDS_COMPLETE, 0)),
            1 => {
                let mut sampler = 0;
                self.w.GenSamplers(1, &mut sampler);
                let filter = self.dice.of(&[c::NEAREST, c::LINEAR]);
                self.w.SamplerParameteri(sampler, c::TEXTURE_MIN_FILTER, filter as i32);
                self.w.BindSampler(self.dice.below(4) as u32, sampler);
                self.samplers.push(sampler);
            }
            _ => {
                let mut query = 0;
                self.w.GenQueries(1, &mut query);
                self.w.BeginQuery(c::ANY_SAMPLES_PASSED, query);
                self.w.EndQuery(c::ANY_SAMPLES_PASSED);
                self.own[self.at].queries.push(query);
            }
        }
    }

    fn step(&mut self) {
        let few = |stores: &[Store]| stores.iter().filter(|s| !s.dead).count() < 12;
        match self.dice.below(20) {
            0 => self.switch(),
            1 | 2 if few(&self.textures) => self.make_texture(),
            3 if few(&self.renderbuffers) => self.make_renderbuffer(),
            4 | 5 if few(&self.buffers) => self.make_buffer(),
            6 if few(&self.programs) && self.programs.len() < 24 => self.make_program(),
            7 | 8 => self.attach(),
            9 => self.hold_buffer(),
            10 => self.use_program(),
            11 => self.small_things(),
            12 => self.rewrite(),
            13 | 14 => self.delete(),
            15..=17 => self.look_at_framebuffer(),
            _ => self.draw(),
        }
    }

    /// Deletes everything there is, in both contexts.
    fn end(&mut self) {
        for side in 0..2 {
            self.at = side;
            self.w.make_current(self.own[side].id);
            self.w.UseProgram(0);
            self.w.BindTexture(c::TEXTURE_2D, 0);
            self.w.BindRenderbuffer(c::RENDERBUFFER, 0);
            for target in [c::ARRAY_BUFFER, c::COPY_WRITE_BUFFER] {
                self.w.BindBuffer(target, 0);
            }
            for unit in 0..4 {
                self.w.BindSampler(unit, 0);
            }
            while !self.own[side].framebuffers.is_empty() {
                self.delete_framebuffer();
            }
            for (array, _) in std::mem::take(&mut self.own[side].arrays) {
                self.w.DeleteVertexArrays(1, &array);
            }
            for query in std::mem::take(&mut self.own[side].queries) {
                self.w.DeleteQueries(1, &query);
            }
        }
        for texture in self.textures.drain(..).filter(|store| !store.dead) {
            self.w.DeleteTextures(1, &texture.name);
        }
        for object in self.renderbuffers.drain(..).filter(|store| !store.dead) {
            self.w.DeleteRenderbuffers(1, &object.name);
        }
        for buffer in self.buffers.drain(..).filter(|store| !store.dead) {
            self.w.DeleteBuffers(1, &buffer.name);
        }
        for program in self.programs.drain(..).filter(|store| !store.dead) {
            self.w.DeleteProgram(program.name);
        }
        self.w.DeleteSamplers(self.samplers.len() as i32, self.samplers.as_ptr());
        for fence in self.fences.drain(..) {
            self.w.DeleteSync(fence);
        }
        self.w.DeleteBuffers(1, &self.corners);
    }
}

fn dice_of<T: Copy>(items: &[T], dice: &mut Dice) -> T {
    items[dice.below(items.len())]
}

fn objects_live_as_long_as_anything_holds_them(w: &mut World) {
    let second = w.new_context();
    // What a context has for itself it has from its first draw on.
    let warm = |w: &mut World| {
        let program = w.painter();
        w.UseProgram(program);
        let mut array = 0;
        w.GenVertexArrays(1, &mut array);
        w.BindVertexArray(array);
        let corners = w.whole();
        w.strip();
        w.pixel(0, 0);
        w.UseProgram(0);
        w.BindVertexArray(0);
        w.DeleteVertexArrays(1, &array);
        w.DeleteBuffers(1, &corners);
        w.DeleteProgram(program);
    };
    warm(w);
    w.make_current(second);
    warm(w);
    let before = w.server_objects();
    for seed in 0..2 {
        w.make_current(FIRST);
        let corners = w.buffer(c::ARRAY_BUFFER, &WHOLE);
        w.BindBuffer(c::ARRAY_BUFFER, 0);
        let own = |id| Own {
            id,
            framebuffers: Vec::new(),
            arrays: Vec::new(),
            program: None,
            queries: Vec::new(),
        };
        let mut model = Model {
            dice: Dice::new(seed),
            textures: Vec::new(),
            renderbuffers: Vec::new(),
            buffers: Vec::new(),
            programs: Vec::new(),
            samplers: Vec::new(),
            fences: Vec::new(),
            own: [own(FIRST), own(second)],
            at: 0,
            corners,
            w,
        };
        for _ in 0..STEPS {
            model.step();
        }
        model.w.no_error();
        model.end();
        w.no_error();
        assert_eq!(w.server_objects(), before, "seed {seed}: what is left on the server");
    }
}
