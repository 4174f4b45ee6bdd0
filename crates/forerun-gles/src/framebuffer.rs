//! Framebuffer objects, and which framebuffer a verb uses.

use crate::backend::GlBackend;
use crate::format::{self, Class};
use crate::surface::is_front;
use crate::twin::Native;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{Attachment, InvalidateFramebuffer, SetFramebufferState};
use forerun_pipe::{Handle, RawHandle, gl as c};
use forerun_server::Tables;
use forerun_server::backend::Outcome;
use forerun_server::objects::{Attached, Framebuffer};
use forerun_server::state::{Env, Target};

/// A framebuffer of the host.
#[derive(Clone, Copy, Debug)]
pub struct FramebufferTwin {
    /// The object.
    pub native: Native,
    /// Serial of the description that was synced; 0 for none.
    serial: u64,
    /// [`GlBackend::attach_epoch`] at that time.
    epoch: u64,
    /// What the host's object has at each point: unique number, level, layer and a word for the rest. Colours, depth, stencil.
    attached: [(u64, u32, u32, u32); 10],
    draw_buffers: [u32; 8],
    read_buffer: u32,
    defaults: [u32; 5],
}

/// Which colour attachment of the program stands at each of the host's; 8 for none.
///
/// On an ES host draw buffer `i` can only be attachment `i`: where a program of desktop GL says otherwise, the attachments move.
fn arrangement(es_host: bool, desc: &SetFramebufferState) -> [usize; 8] {
    const IDENTITY: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    let index = |buffer: u32| buffer.wrapping_sub(c::COLOR_ATTACHMENT0) as usize;
    let in_place = |(i, buffer): (usize, &u32)| *buffer == c::NONE || index(*buffer) == i;
    if !es_host || desc.draw_buffers.iter().enumerate().all(in_place) {
        return IDENTITY;
    }
    let mut places = desc.draw_buffers.map(|buffer| index(buffer).min(8));
    let read = index(desc.read_buffer);
    if read < 8
        && !places.contains(&read)
        && let Some(free) = places.iter().position(|place| *place == 8)
    {
        places[free] = read;
    }
    places
}

/// The host's name of a colour attachment of the program.
fn moved(places: &[usize; 8], buffer: u32) -> u32 {
    let index = buffer.wrapping_sub(c::COLOR_ATTACHMENT0) as usize;
    match places.iter().position(|place| *place == index) {
        Some(at) if buffer != c::NONE => c::COLOR_ATTACHMENT0 + at as u32,
        _ => buffer,
    }
}

/// What a verb draws to or reads from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Nothing: the verb is skipped.
    Nothing,
    /// A drawable.
    Surface(Handle<kind::Surface>),
    /// A framebuffer object.
    Object(Handle<kind::Framebuffer>),
}

/// Host attachment points in the order of [`FramebufferTwin::attached`].
fn point(index: usize) -> u32 {
    match index {
        8 => c::DEPTH_ATTACHMENT,
        9 => c::STENCIL_ATTACHMENT,
        color => c::COLOR_ATTACHMENT0 + color as u32,
    }
}

impl GlBackend {
    /// Binds the draw target of a verb.
    pub(crate) fn bind_draw_target(&mut self, env: &Env) -> Bound {
        match env.draw_target() {
            Target::None => Bound::Nothing,
            Target::Surface(handle) => {
                let buffer = env.context.default_framebuffer.draw_buffers[0];
                let native = self.surface_buffer(handle, buffer);
                if native == Native::NONE {
                    return Bound::Nothing;
                }
                self.binds.draw_framebuffer(&self.host.gl, native);
                self.sync_surface_draw(handle, buffer);
                Bound::Surface(handle)
            }
            Target::Framebuffer(handle, object) => {
                let native = self.framebuffer(env.tables, handle, object);
                self.binds.draw_framebuffer(&self.host.gl, native);
                self.sync_draw_buffers(handle, object);
                Bound::Object(handle)
            }
        }
    }

    /// Binds the read target of a verb. A multisampled drawable is resolved first when `single` is set.
    pub(crate) fn bind_read_target(&mut self, env: &Env, single: bool) -> Bound {
        match env.read_target() {
            Target::None => Bound::Nothing,
            Target::Surface(handle) => {
                let buffer = env.context.default_framebuffer.read_buffer;
                let Some(twin) = self.surfaces.get(handle) else { return Bound::Nothing };
                let native = if single && twin.samples > 0 {
                    self.resolve_surface(handle, is_front(buffer))
                } else {
                    self.surface_buffer(handle, buffer)
                };
                self.binds.read_framebuffer(&self.host.gl, native);
                Bound::Surface(handle)
            }
            Target::Framebuffer(handle, object) => {
                let native = self.framebuffer(env.tables, handle, object);
                self.binds.read_framebuffer(&self.host.gl, native);
                self.sync_read_buffer(handle, object);
                Bound::Object(handle)
            }
        }
    }

    /// What kind of values the read target's colour buffer has.
    pub(crate) fn read_class(&self, env: &Env) -> Class {
        let Target::Framebuffer(_, object) = env.read_target() else { return Class::Norm };
        let index = object.desc.read_buffer.wrapping_sub(c::COLOR_ATTACHMENT0) as usize;
        let Some(attachment) = object.desc.color.get(index) else { return Class::Norm };
        self.class_of(attachment)
    }

    fn class_of(&self, attachment: &Attachment) -> Class {
        let format = match Framebuffer::attached(attachment) {
            Attached::None => None,
            Attached::Texture(handle, _) => self.textures.get(handle).map(|twin| twin.format),
            Attached::Renderbuffer(handle) => {
                self.renderbuffers.get(handle).map(|twin| twin.format)
            }
        };
        format.map_or(Class::Norm, |format: format::Native| format.class)
    }

    /// The host's object of a framebuffer, with its attachments.
    fn framebuffer(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Framebuffer>,
        object: &Framebuffer,
    ) -> Native {
        if let Some(twin) = self.framebuffers.get(handle)
            && twin.serial == object.serial
            && twin.epoch == self.attach_epoch
        {
            return twin.native;
        }
        let mut twin = match self.framebuffers.get(handle) {
            Some(twin) => *twin,
            None => FramebufferTwin {
                native: self.new_framebuffer(),
                serial: 0,
                epoch: 0,
                attached: [(0, 0, 0, 0); 10],
                draw_buffers: [c::COLOR_ATTACHMENT0, 0, 0, 0, 0, 0, 0, 0],
                read_buffer: c::COLOR_ATTACHMENT0,
                defaults: [0; 5],
            },
        };
        twin.serial = object.serial;
        twin.epoch = self.attach_epoch;
        self.binds.draw_framebuffer(&self.host.gl, twin.native);
        let desc = &object.desc;
        let places = arrangement(self.is_gles(), desc);
        let nothing = Attachment::default();
        for index in 0..10 {
            let attachment = match index {
                8 => &desc.depth,
                9 => &desc.stencil,
                color => places.get(color).and_then(|at| desc.color.get(*at)).unwrap_or(&nothing),
            };
            let wanted = self.describe(tables, attachment);
            if twin.attached[index] != wanted {
                twin.attached[index] = wanted;
                self.attach(tables, point(index), attachment);
            }
        }
        let defaults = [
            desc.default_width,
            desc.default_height,
            desc.default_layers,
            desc.default_samples,
            desc.default_fixed_sample_locations,
        ];
        let names = [
            c::FRAMEBUFFER_DEFAULT_WIDTH,
            c::FRAMEBUFFER_DEFAULT_HEIGHT,
            c::FRAMEBUFFER_DEFAULT_LAYERS,
            c::FRAMEBUFFER_DEFAULT_SAMPLES,
            c::FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS,
        ];
        for (i, pname) in names.into_iter().enumerate() {
            if twin.defaults[i] != defaults[i] {
                self.host.gl.framebuffer_parameteri(c::DRAW_FRAMEBUFFER, pname, defaults[i] as i32);
            }
        }
        twin.defaults = defaults;
        self.framebuffers.insert(handle, twin);
        twin.native
    }

    /// An attachment in words that compare.
    fn describe(&mut self, tables: &Tables, a: &Attachment) -> (u64, u32, u32, u32) {
        match Framebuffer::attached(a) {
            Attached::None => (0, 0, 0, 0),
            Attached::Texture(handle, a) => {
                let (native, _) = self.texture_storage(tables, handle);
                if native == Native::NONE {
                    return (0, 0, 0, 0);
                }
                (native.uid, a.level, a.layer, a.target << 6 | a.layered << 5 | a.samples & 31)
            }
            Attached::Renderbuffer(handle) => {
                let uid = self.renderbuffers.get(handle).map_or(0, |twin| twin.native.uid);
                (uid, 0, 0, 0)
            }
        }
    }

    fn attach(&mut self, tables: &Tables, point: u32, attachment: &Attachment) {
        const TO: u32 = c::DRAW_FRAMEBUFFER;
        match Framebuffer::attached(attachment) {
            Attached::Renderbuffer(handle) => {
                let name = self.renderbuffers.get(handle).map_or(0, |twin| twin.native.name);
                self.host.gl.framebuffer_renderbuffer(TO, point, c::RENDERBUFFER, name);
            }
            Attached::Texture(handle, a) => {
                // With its parameters: a host takes a level only of a complete texture.
                let (native, target) = self.texture(tables, handle);
                self.attach_texture(TO, point, native, target, &a);
            }
            Attached::None => {
                self.host.gl.framebuffer_renderbuffer(TO, point, c::RENDERBUFFER, 0);
            }
        }
    }

    /// Attaches a texture's image to the framebuffer bound at `to`.
    pub(crate) fn attach_texture(
        &mut self,
        to: u32,
        point: u32,
        native: Native,
        target: u32,
        a: &Attachment,
    ) {
        let gl = &self.host.gl;
        let level = a.level as i32;
        if a.layered != 0 {
            gl.framebuffer_texture(to, point, native.name, level);
            return;
        }
        match target {
            c::TEXTURE_3D
            | c::TEXTURE_2D_ARRAY
            | c::TEXTURE_1D_ARRAY
            | c::TEXTURE_CUBE_MAP_ARRAY
            | c::TEXTURE_2D_MULTISAMPLE_ARRAY => {
                gl.framebuffer_texture_layer(to, point, native.name, level, a.layer as i32);
            }
            c::TEXTURE_1D => gl.framebuffer_texture_1d(to, point, target, native.name, level),
            _ => {
                let image = if target == c::TEXTURE_CUBE_MAP {
                    if a.target == c::TEXTURE_CUBE_MAP {
                        c::TEXTURE_CUBE_MAP_POSITIVE_X + a.layer
                    } else {
                        a.target
                    }
                } else {
                    target
                };
                if a.samples > 0 && gl.has.framebuffer_texture_2d_multisample_ext {
                    gl.framebuffer_texture_2d_multisample_ext(
                        to,
                        point,
                        image,
                        native.name,
                        level,
                        a.samples as i32,
                    );
                } else {
                    gl.framebuffer_texture_2d(to, point, image, native.name, level);
                }
            }
        }
    }

    /// The bound draw framebuffer's draw buffers.
    fn sync_draw_buffers(&mut self, handle: Handle<kind::Framebuffer>, object: &Framebuffer) {
        let places = arrangement(self.is_gles(), &object.desc);
        let Some(twin) = self.framebuffers.get_mut(handle) else { return };
        let wanted = object.desc.draw_buffers.map(|buffer| moved(&places, buffer));
        if twin.draw_buffers == wanted {
            return;
        }
        twin.draw_buffers = wanted;
        let count = wanted.iter().rposition(|b| *b != c::NONE).map_or(1, |last| last + 1);
        // SAFETY: as many tokens as stated.
        unsafe { self.host.gl.draw_buffers(count as i32, wanted.as_ptr()) };
    }

    /// The bound read framebuffer's read buffer.
    fn sync_read_buffer(&mut self, handle: Handle<kind::Framebuffer>, object: &Framebuffer) {
        let places = arrangement(self.is_gles(), &object.desc);
        let Some(twin) = self.framebuffers.get_mut(handle) else { return };
        let wanted = moved(&places, object.desc.read_buffer);
        if twin.read_buffer != wanted {
            twin.read_buffer = wanted;
            self.host.gl.read_buffer(wanted);
        }
    }

    pub(crate) fn invalidate_target(
        &mut self,
        env: &Env,
        p: &InvalidateFramebuffer,
        attachments: &[u32],
    ) -> Outcome {
        let handle = Handle::<kind::Framebuffer>::from_raw(p.handle);
        let native = if p.handle == RawHandle::DEFAULT_FRAMEBUFFER {
            let draw = env.context.surfaces.draw;
            self.surfaces.get(draw).map(|twin| twin.framebuffer)
        } else {
            env.tables
                .framebuffers
                .get(handle)
                .map(|object| self.framebuffer(env.tables, handle, object))
        };
        let Some(native) = native else { return Ok(()) };
        self.binds.draw_framebuffer(&self.host.gl, native);
        let points: Vec<u32> = attachments
            .iter()
            .map(|name| match *name {
                c::COLOR | c::BACK | c::FRONT | c::BACK_LEFT | c::FRONT_LEFT => {
                    c::COLOR_ATTACHMENT0
                }
                c::DEPTH => c::DEPTH_ATTACHMENT,
                c::STENCIL => c::STENCIL_ATTACHMENT,
                other => other,
            })
            .collect();
        let [x, y, width, height] = p.rect;
        let gl = &self.host.gl;
        // SAFETY: as many points as stated.
        unsafe {
            if p.has_rect != 0 {
                gl.invalidate_sub_framebuffer(
                    c::DRAW_FRAMEBUFFER,
                    points.len() as i32,
                    points.as_ptr(),
                    x,
                    y,
                    width,
                    height,
                );
            } else {
                gl.invalidate_framebuffer(
                    c::DRAW_FRAMEBUFFER,
                    points.len() as i32,
                    points.as_ptr(),
                );
            }
        }
        Ok(())
    }

    pub(crate) fn delete_framebuffer(&mut self, native: Native) {
        if native != Native::NONE {
            // SAFETY: one name.
            unsafe { self.host.gl.delete_framebuffers(1, &native.name) };
            self.binds.framebuffer_gone(native.uid);
        }
    }

    pub(crate) fn framebuffer_gone(&mut self, raw: RawHandle) {
        if let Some(twin) = self.framebuffers.remove(raw) {
            self.delete_framebuffer(twin.native);
        }
    }
}
