//! What a session may use: memory of its objects, how many there are, and time for compiling its programs. Whoever asks for more ends its
//! session by name, and no other.

use crate::objects::{Level, Renderbuffer, Texture};
use forerun_pipe::fault::{Fault, Result};
use forerun_pipe::knobs::Knobs;
use forerun_pipe::{Kind, RawHandle, gl, pixel};
use std::collections::HashMap;
use std::time::Duration;

/// The most that a session may use; 0 is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quotas {
    /// Bytes of buffers, textures and renderbuffers, as they are declared.
    pub memory: u64,
    /// Objects of all kinds.
    pub objects: u64,
    /// Time that the host's compiler takes for the session's programs.
    pub compile: Duration,
}

impl Quotas {
    /// What the knobs say.
    pub fn from_knobs(knobs: &Knobs) -> Quotas {
        Quotas {
            memory: u64::from(knobs.quota_mb) << 20,
            objects: knobs.quota_objects.into(),
            compile: Duration::from_millis(knobs.quota_compile_ms.into()),
        }
    }
}

/// What a session uses of its quotas.
#[derive(Debug)]
pub(crate) struct Meter {
    quotas: Quotas,
    /// By kind, slot and generation.
    sizes: HashMap<(u32, u32, u32), u64>,
    memory: u64,
}

fn key(kind: Kind, handle: RawHandle) -> (u32, u32, u32) {
    (kind as u32, handle.slot, handle.generation)
}

impl Meter {
    /// A meter, where anything is limited.
    pub(crate) fn new(quotas: Quotas) -> Option<Box<Meter>> {
        let meter = Meter { quotas, sizes: HashMap::new(), memory: 0 };
        (quotas != Quotas::default()).then(|| Box::new(meter))
    }

    /// An object takes that much from now on.
    pub(crate) fn takes(&mut self, kind: Kind, handle: RawHandle, bytes: u64) -> Result<()> {
        let before = self.sizes.insert(key(kind, handle), bytes).unwrap_or(0);
        self.memory = self.memory.saturating_sub(before).saturating_add(bytes);
        if self.quotas.memory != 0 && self.memory > self.quotas.memory {
            return Err(Fault::QuotaExceeded { what: "memory" });
        }
        Ok(())
    }

    /// An object is gone.
    pub(crate) fn gone(&mut self, kind: Kind, handle: RawHandle) {
        let before = self.sizes.remove(&key(kind, handle)).unwrap_or(0);
        self.memory = self.memory.saturating_sub(before);
    }

    /// After a record: what is there by now, and how long compiling took.
    pub(crate) fn check(&self, objects: usize, compile: Duration) -> Result<()> {
        if self.quotas.objects != 0 && objects as u64 > self.quotas.objects {
            return Err(Fault::QuotaExceeded { what: "objects" });
        }
        if !self.quotas.compile.is_zero() && compile > self.quotas.compile {
            return Err(Fault::QuotaExceeded { what: "compile time" });
        }
        Ok(())
    }
}

/// Bytes of a texel, as drivers store it.
fn texel_bytes(internal_format: u32) -> u64 {
    match internal_format {
        gl::R8 | gl::R8_SNORM | gl::R8I | gl::R8UI | gl::STENCIL_INDEX8 | gl::RED => 1,
        gl::RG8 | gl::RG8_SNORM | gl::RG8I | gl::RG8UI | gl::RG | gl::R16 | gl::R16_SNORM => 2,
        gl::R16F | gl::R16I | gl::R16UI | gl::RGB565 | gl::RGBA4 | gl::RGB5_A1 => 2,
        gl::DEPTH_COMPONENT16 => 2,
        gl::DEPTH32F_STENCIL8 | gl::RGBA16 | gl::RGBA16_SNORM | gl::RGB16 | gl::RGB16_SNORM => 8,
        gl::RGBA16F | gl::RGBA16I | gl::RGBA16UI | gl::RGB16F | gl::RGB16I | gl::RGB16UI => 8,
        gl::RG32F | gl::RG32I | gl::RG32UI => 8,
        gl::RGBA32F | gl::RGBA32I | gl::RGBA32UI | gl::RGB32F | gl::RGB32I | gl::RGB32UI => 16,
        _ => 4,
    }
}

fn level_bytes(level: &Level) -> u64 {
    let size = [level.width, level.height, level.depth];
    if let Some(bytes) = pixel::compressed_bytes(level.internal_format, size) {
        return bytes;
    }
    size.into_iter()
        .fold(texel_bytes(level.internal_format), |bytes, side| bytes.saturating_mul(side.into()))
}

/// Bytes of a texture's own storage. A view has none.
pub(crate) fn texture_bytes(texture: &Texture) -> u64 {
    if texture.view.is_some() {
        return 0;
    }
    let levels = texture.faces.iter().flatten().flatten();
    let bytes = levels.map(level_bytes).fold(0, u64::saturating_add);
    bytes.saturating_mul(texture.samples.max(1).into())
}

/// Bytes of a renderbuffer.
pub(crate) fn renderbuffer_bytes(object: &Renderbuffer) -> u64 {
    texel_bytes(object.internal_format)
        .saturating_mul(object.width.into())
        .saturating_mul(object.height.into())
        .saturating_mul(object.samples.max(1).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_with_mipmaps_takes_what_its_faces_take() {
        let mut cube = Texture::new(gl::TEXTURE_CUBE_MAP);
        let level = |side| Level {
            internal_format: gl::RGBA8,
            format: 0,
            ty: 0,
            width: side,
            height: side,
            depth: 1,
        };
        for face in &mut cube.faces {
            *face = vec![Some(level(4)), None, Some(level(1))];
        }
        assert_eq!(texture_bytes(&cube), 6 * (64 + 4));
        cube.faces.truncate(1);
        cube.faces[0] = vec![Some(Level { internal_format: gl::COMPRESSED_RGB8_ETC2, ..level(5) })];
        assert_eq!(texture_bytes(&cube), 4 * 8, "whole blocks");
    }

    #[test]
    fn what_is_defined_anew_or_gone_gives_its_bytes_back() {
        let handle = RawHandle { slot: 3, generation: 1 };
        let mut meter = Meter::new(Quotas { memory: 100, ..Quotas::default() }).unwrap();
        for _ in 0..10 {
            meter.takes(Kind::Buffer, handle, 100).unwrap();
            meter.takes(Kind::Buffer, handle, 60).unwrap();
            meter.takes(Kind::Texture, handle, 40).unwrap();
            meter.gone(Kind::Texture, handle);
            meter.gone(Kind::Buffer, handle);
        }
        meter.takes(Kind::Buffer, handle, u64::MAX).unwrap_err();
        assert!(Meter::new(Quotas::default()).is_none(), "no limit costs nothing");
    }
}
