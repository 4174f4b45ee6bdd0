//! Uniform blocks, storage blocks and atomic-counter buffers: slots and reflection.

use forerun_pipe::archive::{Archive, AtomicBuffer, Block, BufferVariable, Uniform};

use super::unit::{Unit, display};
use super::walk::{self, Leaf};
use crate::Limits;
use crate::spirv::module::Variable;
use crate::spirv::op;
use crate::spirv::types::Type;

const ATOMIC_PREFIX: &str = "gl_AtomicCounterBlock";
const GL_ATOMIC_COUNTER: u32 = 0x92DB;
/// Descriptor sets of the archive's convention.
const UNIFORM_SET: u32 = 0;
const STORAGE_SET: u32 = 1;

/// A block of the program, merged over its stages.
struct Merged {
    name: String,
    dimensions: Vec<u32>,
    leaves: Vec<Leaf>,
    size: u32,
    binding: Option<u32>,
    stages: u32,
    stage_counts: Vec<u32>,
    written: bool,
    /// Variables: unit index and id.
    variables: Vec<(usize, u32)>,
}

fn is_atomic(unit: &Unit<'_>, variable: &Variable) -> bool {
    unit.module.name(unit.module.peel(variable.ty).0).starts_with(ATOMIC_PREFIX)
}

/// Gives slots to uniform and storage blocks and lists them.
///
/// # Errors
/// A line for the log.
pub fn assign(
    units: &mut [Unit<'_>],
    limits: &Limits,
    archive: &mut Archive,
) -> Result<(), String> {
    let uniform = merge(units, op::CLASS_UNIFORM)?;
    let storage = merge(units, op::CLASS_STORAGE_BUFFER)?;
    let total: usize = uniform.iter().map(|b| elements(&b.dimensions)).sum();
    count(total, limits.max_combined_uniform_blocks, "uniform blocks")?;
    let total: usize = storage.iter().map(|b| elements(&b.dimensions)).sum();
    count(total, limits.max_combined_storage_blocks, "shader storage blocks")?;
    for (list, most, what) in [
        (&uniform, limits.max_stage_uniform_blocks, "uniform blocks in one stage"),
        (&storage, limits.max_stage_storage_blocks, "shader storage blocks in one stage"),
    ] {
        for stage in 0..units.len() {
            let in_stage = list.iter().filter_map(|b| b.stage_counts.get(stage)).sum::<u32>();
            count(in_stage as usize, most, what)?;
        }
    }
    for block in &uniform {
        if block.size > limits.max_uniform_block_size.max(0) as u32 {
            return Err(format!(
                "error: uniform block `{}' has {} bytes, more than {}",
                block.name, block.size, limits.max_uniform_block_size
            ));
        }
    }
    for block in &storage {
        if block.size > limits.max_storage_block_size.max(0) as u32 {
            return Err(format!(
                "error: shader storage block `{}' has {} bytes, more than {}",
                block.name, block.size, limits.max_storage_block_size
            ));
        }
    }
    let mut slot = 0;
    for block in uniform {
        for (unit, id) in &block.variables {
            place(&mut units[*unit], *id, UNIFORM_SET, slot + 1);
        }
        let first = archive.uniform_blocks.len() as i32;
        let members = block.leaves.iter().map(|leaf| {
            archive.uniforms.push(member(leaf, first, block.stages));
            archive.uniforms.len() as u32 - 1
        });
        let members: Vec<u32> = members.collect();
        slot = push(&mut archive.uniform_blocks, &block, &members, slot);
    }
    let mut slot = 0;
    for block in storage {
        for (unit, id) in &block.variables {
            place(&mut units[*unit], *id, STORAGE_SET, slot);
        }
        let first = archive.storage_blocks.len() as i32;
        let members = block.leaves.iter().map(|leaf| {
            archive.buffer_variables.push(buffer_variable(leaf, first, block.stages));
            archive.buffer_variables.len() as u32 - 1
        });
        let members: Vec<u32> = members.collect();
        slot = push(&mut archive.storage_blocks, &block, &members, slot);
    }
    Ok(())
}

fn count(have: usize, most: i32, what: &str) -> Result<(), String> {
    if have > most.max(0) as usize {
        return Err(format!("error: too many {what}: {have} of {most}"));
    }
    Ok(())
}

fn elements(dimensions: &[u32]) -> usize {
    dimensions.iter().fold(1usize, |n, d| n.saturating_mul(*d as usize))
}

fn place(unit: &mut Unit<'_>, id: u32, set: u32, binding: u32) {
    unit.patch.set(id, op::DEC_DESCRIPTOR_SET, set);
    unit.patch.set(id, op::DEC_BINDING, binding);
}

/// Lists a block, or each element of a block array; gives the next free slot.
fn push(list: &mut Vec<Block>, block: &Merged, members: &[u32], mut slot: u32) -> u32 {
    for index in 0..elements(&block.dimensions) as u32 {
        let mut name = block.name.clone();
        let mut rest = index;
        let mut suffixes = Vec::new();
        for dimension in block.dimensions.iter().rev() {
            suffixes.push(format!("[{}]", rest % dimension.max(&1)));
            rest /= dimension.max(&1);
        }
        name.extend(suffixes.iter().rev().map(String::as_str));
        list.push(Block {
            name,
            slot,
            binding: block.binding.map_or(0, |first| first.saturating_add(index)),
            data_size: block.size,
            members: members.to_vec(),
            stages: block.stages,
            read_only: !block.written,
        });
        slot += 1;
    }
    slot
}

fn member(leaf: &Leaf, block: i32, stages: u32) -> Uniform {
    Uniform {
        name: leaf.name.clone(),
        ty: leaf.ty,
        array_size: leaf.array_size,
        is_array: leaf.is_array,
        block,
        offset: leaf.offset as i32,
        array_stride: leaf.array_stride as i32,
        matrix_stride: leaf.matrix_stride as i32,
        row_major: leaf.row_major,
        location: -1,
        sampler_slot: -1,
        image_slot: -1,
        atomic_buffer: -1,
        stages,
        is_bool: leaf.is_bool,
        ..Uniform::default()
    }
}

fn buffer_variable(leaf: &Leaf, block: i32, stages: u32) -> BufferVariable {
    BufferVariable {
        name: leaf.name.clone(),
        ty: leaf.ty,
        array_size: leaf.array_size,
        is_array: leaf.is_array,
        block,
        offset: leaf.offset as i32,
        array_stride: leaf.array_stride as i32,
        matrix_stride: leaf.matrix_stride as i32,
        row_major: leaf.row_major,
        top_level_array_size: leaf.top_level_size,
        top_level_array_stride: leaf.top_level_stride,
        stages,
        is_bool: leaf.is_bool,
    }
}

fn merge(units: &[Unit<'_>], class: u32) -> Result<Vec<Merged>, String> {
    let mut list: Vec<Merged> = Vec::new();
    for (index, unit) in units.iter().enumerate() {
        let default = unit.default_block().map(|v| v.id);
        for variable in unit.variables(class) {
            if Some(variable.id) == default || is_atomic(unit, &variable) {
                continue;
            }
            let module = &unit.module;
            let (base, dimensions) = module.peel(variable.ty);
            if !matches!(module.ty(base), Type::Struct(_)) {
                continue;
            }
            let name = display(module.name(base));
            let anonymous = module.name(variable.id).is_empty();
            let prefix = if anonymous { String::new() } else { format!("{name}.") };
            let leaves =
                walk::leaves(unit, base, &prefix, class == op::CLASS_STORAGE_BUFFER, false);
            let declared = unit
                .block_declaration(module.name(base))
                .and_then(|d| d.layout_value("binding"))
                .and_then(|b| u32::try_from(b).ok());
            let written = unit.live.uses.get(&variable.id).is_some_and(|u| u.written);
            let size = block_size(unit, base, class);
            let amount = elements(&dimensions) as u32;
            let found = list.iter_mut().find(|b| b.name == name);
            let merged = match found {
                Some(known) => {
                    agree(known, &leaves, &dimensions)?;
                    known
                }
                None => {
                    list.push(Merged {
                        name,
                        dimensions,
                        leaves,
                        size,
                        binding: None,
                        stages: 0,
                        stage_counts: vec![0; units.len()],
                        written: false,
                        variables: Vec::new(),
                    });
                    let Some(new) = list.last_mut() else { continue };
                    new
                }
            };
            merged.binding = merged.binding.or(declared);
            merged.stages |= unit.stage.bit();
            merged.written |= written;
            merged.variables.push((index, variable.id));
            if let Some(counted) = merged.stage_counts.get_mut(index) {
                *counted = amount;
            }
        }
    }
    Ok(list)
}

/// Bytes of a buffer that holds the block, an array without a size counted as one element.
fn block_size(unit: &Unit<'_>, block: u32, class: u32) -> u32 {
    let module = &unit.module;
    let mut size = module.size(block, (0, false));
    if let Type::Struct(members) = module.ty(block)
        && let Some(last) = members.last()
        && let Type::RuntimeArray(_) = module.ty(*last)
    {
        size = size.saturating_add(module.decoration(*last, op::DEC_ARRAY_STRIDE).unwrap_or(4));
    }
    if class == op::CLASS_UNIFORM { rounded(size) } else { size }
}

fn agree(known: &Merged, leaves: &[Leaf], dimensions: &[u32]) -> Result<(), String> {
    let differ =
        |what: &str| Err(format!("error: block `{}' differs between stages: {what}", known.name));
    if known.dimensions != dimensions {
        return differ("array size");
    }
    if known.leaves.len() != leaves.len() {
        return differ("number of members");
    }
    for (a, b) in known.leaves.iter().zip(leaves) {
        let tail =
            |name: &str| name.strip_prefix(&format!("{}.", known.name)).unwrap_or(name).to_owned();
        if tail(&a.name) != tail(&b.name) || a.ty != b.ty || a.array_size != b.array_size {
            return differ(&format!("`{}' and `{}'", a.name, b.name));
        }
        if a.offset != b.offset || a.row_major != b.row_major {
            return differ(&format!("layout of `{}'", a.name));
        }
    }
    Ok(())
}

/// Gives storage slots to atomic-counter buffers and lists their counters.
///
/// # Errors
/// A line for the log.
pub fn atomics(
    units: &mut [Unit<'_>],
    limits: &Limits,
    archive: &mut Archive,
) -> Result<(), String> {
    let mut slot = archive.storage_slots();
    let mut places = Vec::new();
    for (index, unit) in units.iter().enumerate() {
        for variable in unit.variables(op::CLASS_STORAGE_BUFFER) {
            if !is_atomic(unit, &variable) || !unit.live.has(variable.id) {
                continue;
            }
            let (base, _) = unit.module.peel(variable.ty);
            let name = unit.module.name(base);
            let binding = name
                .strip_prefix(ATOMIC_PREFIX)
                .and_then(|rest| rest.trim_start_matches('_').parse::<u32>().ok())
                .unwrap_or(0);
            let buffer = match archive.atomic_buffers.iter().position(|b| b.binding == binding) {
                Some(known) => known,
                None => {
                    archive.atomic_buffers.push(AtomicBuffer {
                        slot,
                        binding,
                        ..AtomicBuffer::default()
                    });
                    slot += 1;
                    archive.atomic_buffers.len() - 1
                }
            };
            let counters = walk::leaves(unit, base, "", false, false);
            let Some(entry) = archive.atomic_buffers.get_mut(buffer) else { continue };
            entry.stages |= unit.stage.bit();
            places.push((index, variable.id, entry.slot));
            for leaf in counters {
                if !unit.live.touches(variable.id, &leaf.path) {
                    continue;
                }
                let end = leaf.offset.saturating_add(leaf.array_size.max(1).saturating_mul(4));
                entry.data_size = entry.data_size.max(end);
                let known = entry.counters.iter().copied().find(|&c| {
                    archive.uniforms.get(c as usize).is_some_and(|u| u.name == leaf.name)
                });
                if let Some(uniform) = known.and_then(|c| archive.uniforms.get_mut(c as usize)) {
                    uniform.stages |= unit.stage.bit();
                    continue;
                }
                entry.counters.push(archive.uniforms.len() as u32);
                archive.uniforms.push(Uniform {
                    ty: GL_ATOMIC_COUNTER,
                    atomic_buffer: buffer as i32,
                    ..member(&leaf, -1, unit.stage.bit())
                });
            }
        }
    }
    for (unit, id, slot) in places {
        place(&mut units[unit], id, STORAGE_SET, slot);
    }
    let buffers = archive.atomic_buffers.len();
    count(buffers, limits.max_combined_atomic_counter_buffers, "atomic counter buffers")
}

/// A uniform block's size in bytes, rounded up to that of a `vec4`; sizes that no number holds stay the largest one.
pub fn rounded(size: u32) -> u32 {
    size.checked_next_multiple_of(16).unwrap_or(u32::MAX)
}
