//! The program archive: what a linked program is on its way from the client to the server.
//!
//! It holds SPIR-V for each stage and the interface that GL's queries describe. GLSL never crosses.
//! The SPIR-V names its resources by **dense slots**:
//!
//! | set | binding | resource |
//! |---|---|---|
//! | 0 | 0 | the default uniform block, the same layout in every stage |
//! | 0 | 1 + k | uniform block of slot k |
//! | 1 | s | storage block of slot s, then one per atomic-counter buffer |
//! | 2 | i | sampler of slot i; an array is one variable at its first slot |
//! | 3 | j | image of slot j; likewise |
//!
//! The form is a header (magic, version, schema hash, body length) and a body. [`Archive::decode`]
//! takes bytes from anybody.

mod types;
pub mod wire;

#[cfg(test)]
mod tests;

pub use types::*;

use wire::{Reader, Wire, wire_struct};

/// First word of every archive, `FRPA`.
pub const MAGIC: u32 = u32::from_le_bytes(*b"FRPA");
/// Version of the format.
pub const VERSION: u32 = 3;
/// Largest archive in bytes that either side will make or take.
pub const MAX_BYTES: usize = 64 << 20;
/// Most slots of one class (uniform blocks, storage, samplers, images).
pub const MAX_SLOTS: u32 = 1024;
/// Largest default uniform block in bytes.
pub const MAX_DEFAULT_BLOCK: u32 = 1 << 20;

const SPIRV_MAGIC: u32 = 0x0723_0203;

/// Why bytes are not an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// The bytes end too early.
    #[error("the archive is truncated")]
    Truncated,
    /// Bytes are left over.
    #[error("the archive has trailing bytes")]
    Trailing,
    /// Larger than [`MAX_BYTES`].
    #[error("the archive is too large")]
    TooLarge,
    /// Does not begin with [`MAGIC`].
    #[error("not a program archive")]
    Magic,
    /// Another format version or schema.
    #[error("archive version {version} with schema {schema:#018x} is not ours")]
    Schema {
        /// The version found.
        version: u32,
        /// The schema hash found.
        schema: u64,
    },
    /// A count that the bytes left cannot hold.
    #[error("an archive count exceeds the archive")]
    Count,
    /// A field outside its type's values.
    #[error("archive field {0} has an impossible value")]
    Value(&'static str),
}

wire_struct! {
    /// A linked program.
    pub struct Archive {
        /// The language of the source.
        pub dialect: SourceDialect,
        /// Linked with `GL_PROGRAM_SEPARABLE`.
        pub separable: bool,
        /// The stages present, in pipeline order, each at most once.
        pub stages: Vec<StageCode>,
        /// Bytes of the default uniform block, 0 when there is none.
        pub default_block_size: u32,
        /// Active uniforms in `glGetActiveUniform` order.
        pub uniforms: Vec<Uniform>,
        /// Active uniform blocks in `glGetActiveUniformBlockiv` order.
        pub uniform_blocks: Vec<Block>,
        /// Active storage blocks.
        pub storage_blocks: Vec<Block>,
        /// Active storage block members.
        pub buffer_variables: Vec<BufferVariable>,
        /// Active atomic-counter buffers.
        pub atomic_buffers: Vec<AtomicBuffer>,
        /// Active samplers by slot.
        pub samplers: Vec<Sampler>,
        /// Active images by slot.
        pub images: Vec<Image>,
        /// Active inputs of the first stage (`GL_PROGRAM_INPUT`, vertex attributes).
        pub inputs: Vec<Varying>,
        /// Active outputs of the last stage (`GL_PROGRAM_OUTPUT`).
        pub outputs: Vec<Varying>,
        /// Transform feedback varyings in order.
        pub feedback: Vec<Feedback>,
        /// `GL_INTERLEAVED_ATTRIBS` or `GL_SEPARATE_ATTRIBS`, 0 when nothing is captured.
        pub feedback_mode: u32,
        /// Bytes per vertex of each feedback buffer.
        pub feedback_strides: Vec<u32>,
        /// `gl_FragColor` is written: output 0 goes to every colour attachment.
        pub broadcasts_color: bool,
        /// Active subroutines, by stage and then by index.
        pub subroutines: Vec<Subroutine>,
        /// Active subroutine uniforms, by stage and then by location.
        pub subroutine_uniforms: Vec<SubroutineUniform>,
    }
}

/// Hash over names, order and types of everything in an [`Archive`].
pub fn schema_hash() -> u64 {
    Archive::schema(0xcbf2_9ce4_8422_2325)
}

impl Archive {
    /// The stage's code, if the program has that stage.
    pub fn stage(&self, stage: Stage) -> Option<&StageCode> {
        self.stages.iter().find(|code| code.stage == stage)
    }

    /// Bits of the stages present.
    pub fn stage_mask(&self) -> u32 {
        self.stages.iter().fold(0, |mask, code| mask | code.stage.bit())
    }

    /// Sampler slots in use: one past the highest.
    pub fn sampler_slots(&self) -> u32 {
        self.samplers.iter().map(|s| s.slot.saturating_add(s.count)).max().unwrap_or(0)
    }

    /// Image slots in use.
    pub fn image_slots(&self) -> u32 {
        self.images.iter().map(|i| i.slot.saturating_add(i.count)).max().unwrap_or(0)
    }

    /// Storage slots in use, atomic-counter buffers included.
    pub fn storage_slots(&self) -> u32 {
        let blocks = self.storage_blocks.iter().map(|b| b.slot);
        let atomics = self.atomic_buffers.iter().map(|a| a.slot);
        blocks.chain(atomics).map(|slot| slot.saturating_add(1)).max().unwrap_or(0)
    }

    /// Uniform-block slots in use, the default block not counted.
    pub fn uniform_slots(&self) -> u32 {
        self.uniform_blocks.iter().map(|b| b.slot.saturating_add(1)).max().unwrap_or(0)
    }

    /// The archive's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        MAGIC.put(&mut out);
        VERSION.put(&mut out);
        schema_hash().put(&mut out);
        0u32.put(&mut out);
        let start = out.len();
        self.put(&mut out);
        let body = (out.len() - start) as u32;
        out[start - 4..start].copy_from_slice(&body.to_le_bytes());
        out
    }

    /// Reads an archive that anybody may have made. What comes back keeps its own promises: slots,
    /// offsets and indices lie in range.
    ///
    /// # Errors
    /// The first [`ArchiveError`] met.
    pub fn decode(bytes: &[u8]) -> Result<Archive, ArchiveError> {
        if bytes.len() > MAX_BYTES {
            return Err(ArchiveError::TooLarge);
        }
        let mut reader = Reader::new(bytes);
        if u32::get(&mut reader)? != MAGIC {
            return Err(ArchiveError::Magic);
        }
        let version = u32::get(&mut reader)?;
        let schema = u64::get(&mut reader)?;
        if version != VERSION || schema != schema_hash() {
            return Err(ArchiveError::Schema { version, schema });
        }
        let body = u32::get(&mut reader)? as usize;
        match reader.remaining() {
            left if left < body => return Err(ArchiveError::Truncated),
            left if left > body => return Err(ArchiveError::Trailing),
            _ => {}
        }
        let archive = Archive::get(&mut reader)?;
        if reader.remaining() != 0 {
            return Err(ArchiveError::Trailing);
        }
        archive.validate()?;
        Ok(archive)
    }

    /// Checks every index, slot and range that a reader would otherwise have to doubt.
    ///
    /// # Errors
    /// [`ArchiveError::Value`] with the field's name.
    pub fn validate(&self) -> Result<(), ArchiveError> {
        let bad = |field| Err(ArchiveError::Value(field));
        let mut seen = 0;
        for code in &self.stages {
            if seen & code.stage.bit() != 0 || seen > code.stage.bit() {
                return bad("stages");
            }
            seen |= code.stage.bit();
            if code.spirv.first() != Some(&SPIRV_MAGIC) {
                return bad("spirv");
            }
        }
        if self.default_block_size > MAX_DEFAULT_BLOCK {
            return bad("default_block_size");
        }
        let index_ok =
            |index: i32, len: usize| index == -1 || usize::try_from(index).is_ok_and(|i| i < len);
        for uniform in &self.uniforms {
            if !index_ok(uniform.block, self.uniform_blocks.len()) {
                return bad("uniform.block");
            }
            if !index_ok(uniform.atomic_buffer, self.atomic_buffers.len()) {
                return bad("uniform.atomic_buffer");
            }
            if uniform.sampler_slot < -1 || uniform.image_slot < -1 || uniform.location < -1 {
                return bad("uniform.slot");
            }
            let in_default =
                uniform.block == -1 && uniform.atomic_buffer == -1 && uniform.offset >= 0;
            let end = i64::from(uniform.offset) + uniform.initial.len() as i64;
            if in_default
                && (uniform.offset as u32 >= self.default_block_size
                    || end > i64::from(self.default_block_size))
            {
                return bad("uniform.offset");
            }
        }
        let members_ok = |list: &[u32], len: usize| list.iter().all(|&m| (m as usize) < len);
        for block in &self.uniform_blocks {
            if block.slot >= MAX_SLOTS || !members_ok(&block.members, self.uniforms.len()) {
                return bad("uniform_blocks");
            }
        }
        for block in &self.storage_blocks {
            if block.slot >= MAX_SLOTS || !members_ok(&block.members, self.buffer_variables.len()) {
                return bad("storage_blocks");
            }
        }
        for variable in &self.buffer_variables {
            if !index_ok(variable.block, self.storage_blocks.len()) {
                return bad("buffer_variables");
            }
        }
        for buffer in &self.atomic_buffers {
            if buffer.slot >= MAX_SLOTS || !members_ok(&buffer.counters, self.uniforms.len()) {
                return bad("atomic_buffers");
            }
        }
        let slots_ok = |slot: u32, count: u32| {
            count > 0 && slot.checked_add(count).is_some_and(|end| end <= MAX_SLOTS)
        };
        for sampler in &self.samplers {
            let known = (sampler.uniform as usize) < self.uniforms.len();
            if !slots_ok(sampler.slot, sampler.count) || !known {
                return bad("samplers");
            }
        }
        for image in &self.images {
            let known = (image.uniform as usize) < self.uniforms.len();
            if !slots_ok(image.slot, image.count) || !known {
                return bad("images");
            }
        }
        for uniform in &self.subroutine_uniforms {
            let last = u64::from(uniform.array_size.max(1)) - 1;
            let end = u64::from(uniform.offset) + last * u64::from(uniform.array_stride) + 4;
            if end > u64::from(self.default_block_size)
                || uniform.location >= MAX_SLOTS
                || uniform.array_size > MAX_SLOTS - uniform.location
                || uniform.compatible.is_empty()
            {
                return bad("subroutine_uniforms");
            }
        }
        if self.feedback_strides.len() > 8 || self.feedback.iter().any(|f| f.buffer >= 8) {
            return bad("feedback");
        }
        Ok(())
    }
}
