//! Executables, their uniforms and their bindings.

use super::{Applier, corrupt};
use crate::backend::Failure;
use crate::objects::{Bindings, Executable};
use forerun_pipe::archive::{Archive, MAX_BYTES, MAX_SLOTS};
use forerun_pipe::fault::Result;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, Kind};
use std::sync::Arc;

/// The default block with the initial values that the source gave.
fn initial_constants(archive: &Archive) -> Vec<u8> {
    let mut bytes = vec![0; archive.default_block_size as usize];
    for uniform in &archive.uniforms {
        if uniform.block != -1 || uniform.atomic_buffer != -1 {
            continue;
        }
        let Ok(start) = usize::try_from(uniform.offset) else { continue };
        if let Some(place) = bytes.get_mut(start..start.saturating_add(uniform.initial.len())) {
            place.copy_from_slice(&uniform.initial);
        }
    }
    bytes
}

pub(super) fn create_shader_state(
    a: &mut Applier,
    p: &CreateShaderState,
    inline: &[u8],
) -> Result<()> {
    const ARCHIVE: &str = "CreateShaderState.archive";
    if p.archive.size == 0 || p.archive.size > MAX_BYTES as u64 {
        return corrupt(ARCHIVE);
    }
    // Private before anything in it is looked at.
    let bytes = a.content(&p.archive, inline, ARCHIVE)?.source().to_vec();
    let archive = match Archive::decode(&bytes) {
        Ok(archive) => archive,
        Err(error) => {
            log::warn!("executable {}.{}: {error}", p.handle.slot, p.handle.generation);
            return corrupt(ARCHIVE);
        }
    };
    let serial = a.tables.clock.tick();
    let executable = Executable {
        constants: initial_constants(&archive),
        archive: Arc::new(archive),
        serial,
        constants_serial: serial,
        bindings: Bindings::default(),
        bindings_serial: serial,
    };
    let handle = a.tables.executables.create(p.handle, executable, "CreateShaderState.handle")?;
    match a.backend.executable_created(&a.tables, handle) {
        Ok(()) => Ok(()),
        Err(Failure::Fault(fault)) => Err(fault),
        Err(failure) => a.decline(Kind::Executable, p.handle, failure),
    }
}

pub(super) fn delete_shader_state(a: &mut Applier, p: &DeleteShaderState) -> Result<()> {
    if a.tables.executables.check(p.handle, "DeleteShaderState.handle")? {
        a.tables.executables.destroy(Handle::from_raw(p.handle));
        a.backend.destroyed(Kind::Executable, p.handle);
    }
    Ok(())
}

pub(super) fn set_global_constants(
    a: &mut Applier,
    p: &SetGlobalConstants,
    ranges: &[ByteRange],
    inline: &[u8],
) -> Result<()> {
    if !a.tables.executables.check(p.executable, "SetGlobalConstants.executable")? {
        return Ok(());
    }
    let total: u64 = ranges.iter().map(|r| u64::from(r.size)).sum();
    if total != p.bytes.size {
        return corrupt("SetGlobalConstants.bytes");
    }
    let content = a.content(&p.bytes, inline, "SetGlobalConstants.bytes")?;
    let source = content.source();
    let serial = a.tables.clock.tick();
    let Some(executable) = a.tables.executables.get_mut(Handle::from_raw(p.executable)) else {
        return Ok(());
    };
    let mut from = 0usize;
    for range in ranges {
        let (start, len) = (range.offset as usize, range.size as usize);
        let place = start.checked_add(len).and_then(|end| executable.constants.get_mut(start..end));
        let (Some(place), Some(bytes)) = (place, source.slice(from, len)) else {
            return corrupt("SetGlobalConstants.ranges");
        };
        bytes.copy_to(place);
        from += len;
    }
    executable.constants_serial = serial;
    Ok(())
}

pub(super) fn set_draw_program(a: &mut Applier, p: &SetDrawProgram) -> Result<()> {
    let alive = a.tables.executables.check(p.executable, "SetDrawProgram.executable")?;
    let serial = a.tables.clock.tick();
    let state = a.state("SetDrawProgram.context")?;
    state.draw_program.value = if alive { Handle::from_raw(p.executable) } else { Handle::NULL };
    state.draw_program.serial = serial;
    Ok(())
}

pub(super) fn set_dispatch_program(a: &mut Applier, p: &SetDispatchProgram) -> Result<()> {
    let alive = a.tables.executables.check(p.executable, "SetDispatchProgram.executable")?;
    let serial = a.tables.clock.tick();
    let state = a.state("SetDispatchProgram.context")?;
    state.dispatch_program.value =
        if alive { Handle::from_raw(p.executable) } else { Handle::NULL };
    state.dispatch_program.serial = serial;
    Ok(())
}

pub(super) fn set_program_bindings(
    a: &mut Applier,
    p: &SetProgramBindings,
    blocks: &[u32],
    units: &[u32],
    storages: &[u32],
) -> Result<()> {
    if p.block_count.max(p.sampler_count).max(p.image_count).max(p.storage_count) > MAX_SLOTS {
        return corrupt("SetProgramBindings.block_count");
    }
    let (Some(samplers), Some(images)) =
        (units.get(..p.sampler_count as usize), units.get(p.sampler_count as usize..))
    else {
        return corrupt("SetProgramBindings.sampler_count");
    };
    if blocks.iter().any(|point| *point >= MAX_POINTS) {
        return corrupt("SetProgramBindings.blocks");
    }
    if samplers.iter().any(|unit| *unit >= MAX_TEXTURE_UNITS)
        || images.iter().any(|unit| *unit >= MAX_IMAGE_UNITS)
    {
        return corrupt("SetProgramBindings.units");
    }
    if storages.iter().any(|point| point & !ATOMIC_POINT >= MAX_POINTS) {
        return corrupt("SetProgramBindings.storages");
    }
    if !a.tables.executables.check(p.executable, "SetProgramBindings.executable")? {
        return Ok(());
    }
    let serial = a.tables.clock.tick();
    let Some(executable) = a.tables.executables.get_mut(Handle::from_raw(p.executable)) else {
        return Ok(());
    };
    executable.bindings = Bindings {
        blocks: blocks.to_vec(),
        samplers: samplers.to_vec(),
        images: images.to_vec(),
        storages: storages.to_vec(),
    };
    executable.bindings_serial = serial;
    Ok(())
}
