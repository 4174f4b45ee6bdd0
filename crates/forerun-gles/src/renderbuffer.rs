//! Renderbuffer objects.

use crate::backend::GlBackend;
use crate::format;
use crate::twin::Native;
use forerun_pipe::handle::kind;
use forerun_pipe::{Handle, RawHandle, gl as c};
use forerun_server::Tables;
use forerun_server::backend::{Failure, Outcome};

/// A renderbuffer of the host.
#[derive(Clone, Copy, Debug)]
pub struct RenderbufferTwin {
    /// The object.
    pub native: Native,
    /// What its format is on the host.
    pub format: format::Native,
}

impl GlBackend {
    /// Makes a renderbuffer with storage.
    pub(crate) fn new_renderbuffer(
        &mut self,
        internal: u32,
        samples: u32,
        width: u32,
        height: u32,
    ) -> Native {
        let mut name = 0;
        // SAFETY: one name.
        unsafe { self.host.gl.gen_renderbuffers(1, &mut name) };
        let native = Native { name, uid: self.uid() };
        self.renderbuffer_storage(native, internal, samples, width, height);
        native
    }

    fn renderbuffer_storage(
        &mut self,
        native: Native,
        internal: u32,
        samples: u32,
        width: u32,
        height: u32,
    ) {
        self.binds.renderbuffer(&self.host.gl, native);
        let gl = &self.host.gl;
        let (width, height) = (width as i32, height as i32);
        if samples == 0 {
            gl.renderbuffer_storage(c::RENDERBUFFER, internal, width, height);
        } else {
            gl.renderbuffer_storage_multisample(
                c::RENDERBUFFER,
                samples as i32,
                internal,
                width,
                height,
            );
        }
    }

    /// The internal format of a renderbuffer of ours.
    pub(crate) fn renderbuffer_format(&mut self, native: Native) -> u32 {
        self.binds.renderbuffer(&self.host.gl, native);
        let mut value = 0;
        // SAFETY: one integer is answered.
        unsafe {
            self.host.gl.get_renderbuffer_parameteriv(
                c::RENDERBUFFER,
                c::RENDERBUFFER_INTERNAL_FORMAT,
                &mut value,
            );
        }
        value as u32
    }

    pub(crate) fn delete_renderbuffer(&mut self, native: Native) {
        if native != Native::NONE {
            // SAFETY: one name.
            unsafe { self.host.gl.delete_renderbuffers(1, &native.name) };
            self.binds.renderbuffer_gone(native.uid);
        }
    }

    pub(crate) fn define_renderbuffer(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Renderbuffer>,
    ) -> Outcome {
        let Some(object) = tables.renderbuffers.get(handle) else { return Ok(()) };
        let dialect = self.host.dialect;
        let es = self.client_es;
        let Some(format) = format::resolve(dialect, &self.facts, es, object.internal_format, 0, 0)
        else {
            return Err(Failure::Declined { code: c::INVALID_OPERATION });
        };
        let (samples, width, height) = (object.samples, object.width, object.height);
        match self.renderbuffers.get_mut(handle) {
            Some(twin) => {
                twin.format = format;
                let native = twin.native;
                self.renderbuffer_storage(native, format.internal, samples, width, height);
            }
            None => {
                let native = self.new_renderbuffer(format.internal, samples, width, height);
                self.renderbuffers.insert(handle, RenderbufferTwin { native, format });
            }
        }
        self.check_memory("a renderbuffer's storage")
    }

    pub(crate) fn renderbuffer_gone(&mut self, raw: RawHandle) {
        if let Some(twin) = self.renderbuffers.remove(raw) {
            self.delete_renderbuffer(twin.native);
        }
    }
}
