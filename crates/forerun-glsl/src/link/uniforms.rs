//! The default block, samplers and images: locations, slots and reflection.

use std::collections::HashMap;

use forerun_pipe::archive::{Archive, Image, Sampler, Stage, Uniform};

use super::interface::Ranges;
use super::unit::{Unit, display};
use super::walk;
use crate::Limits;
use crate::spirv::module::Variable;
use crate::spirv::op;
use crate::spirv::types::Type;

const SAMPLER_SET: u32 = 2;
const IMAGE_SET: u32 = 3;

/// A uniform on its way into the archive.
struct Entry {
    uniform: Uniform,
    /// Declared location.
    explicit: Option<u32>,
}

/// The root of a uniform's path: `a` of `a[1].b`.
pub fn root(name: &str) -> &str {
    name.split(['[', '.']).next().unwrap_or(name)
}

/// Lists default uniforms, samplers and images, and gives them locations and slots.
///
/// # Errors
/// A line for the log.
pub fn assign(
    units: &mut [Unit<'_>],
    limits: &Limits,
    archive: &mut Archive,
) -> Result<(), String> {
    precisions(units)?;
    let mut entries = Vec::new();
    let mut by_name = HashMap::new();
    default_block(units, limits, archive, &mut entries, &mut by_name)?;
    opaque(units, limits, archive, &mut entries, &mut by_name)?;
    locations(&mut entries, limits)?;
    let first = archive.uniforms.len() as u32;
    for sampler in &mut archive.samplers {
        sampler.uniform += first;
    }
    for image in &mut archive.images {
        image.uniform += first;
    }
    archive.uniforms.extend(entries.into_iter().map(|e| e.uniform));
    Ok(())
}

fn explicit(unit: &Unit<'_>, spirv_name: &str) -> Option<u32> {
    let location = unit.declaration(root(spirv_name), "uniform")?.layout_value("location")?;
    u32::try_from(location).ok()
}

fn default_block(
    units: &mut [Unit<'_>],
    limits: &Limits,
    archive: &mut Archive,
    entries: &mut Vec<Entry>,
    by_name: &mut HashMap<String, usize>,
) -> Result<(), String> {
    for unit in units.iter_mut() {
        let Some(variable) = unit.default_block() else { continue };
        unit.patch.set(variable.id, op::DEC_DESCRIPTOR_SET, 0);
        unit.patch.set(variable.id, op::DEC_BINDING, 0);
        let (block, _) = unit.module.peel(variable.ty);
        let size = super::blocks::rounded(unit.module.size(block, (0, false)));
        archive.default_block_size = archive.default_block_size.max(size);
        if !matches!(unit.module.ty(block), Type::Struct(_)) {
            continue;
        }
        let mut next: HashMap<u32, u32> = HashMap::new();
        let mut components = 0u32;
        for leaf in walk::leaves(unit, block, "", false, true) {
            if super::subroutines::take(unit, &variable, &leaf, archive)? {
                continue;
            }
            let builtin = leaf.name.starts_with("gl_");
            let spirv_name = unit.module.member_name(block, leaf.member);
            // The leaves of one structure follow each other from its declared location.
            let declared = explicit(unit, spirv_name).map(|first| {
                let at = next.entry(leaf.member).or_insert(first);
                let mine = *at;
                *at = at.saturating_add(leaf.array_size.max(1));
                mine
            });
            if !unit.live.touches(variable.id, &leaf.path) {
                continue;
            }
            let each = components_of(leaf.ty).saturating_mul(leaf.array_size.max(1));
            components = components.saturating_add(each);
            let bit = unit.stage.bit();
            if let Some(entry) = by_name.get(&leaf.name).and_then(|&i| entries.get_mut(i)) {
                if entry.uniform.ty != leaf.ty || entry.uniform.array_size != leaf.array_size {
                    return Err(mismatch(&leaf.name));
                }
                if entry.uniform.offset != leaf.offset as i32 {
                    return Err(format!("error: uniform `{}' has two layouts", leaf.name));
                }
                entry.uniform.stages |= bit;
                entry.agree(declared, &leaf.name)?;
                continue;
            }
            by_name.insert(leaf.name.clone(), entries.len());
            entries.push(Entry {
                uniform: Uniform {
                    name: leaf.name,
                    ty: leaf.ty,
                    array_size: leaf.array_size,
                    is_array: leaf.is_array,
                    block: -1,
                    offset: leaf.offset as i32,
                    array_stride: leaf.array_stride as i32,
                    matrix_stride: leaf.matrix_stride as i32,
                    row_major: leaf.row_major,
                    location: -1,
                    sampler_slot: -1,
                    image_slot: -1,
                    atomic_buffer: -1,
                    stages: bit,
                    is_bool: leaf.is_bool,
                    is_builtin: builtin,
                    initial: Vec::new(),
                },
                explicit: declared,
            });
        }
        let most = stage_components(unit.stage, limits);
        if components > most.max(0) as u32 {
            return Err(format!(
                "error: the {} shader uses {components} uniform components, more than {most}",
                unit.stage.word()
            ));
        }
    }
    Ok(())
}

/// GL_MAX_VERTEX_UNIFORM_COMPONENTS and its kin.
fn stage_components(stage: Stage, limits: &Limits) -> i32 {
    match stage {
        Stage::Vertex => limits.max_vertex_uniform_components,
        Stage::Fragment => limits.max_fragment_uniform_components,
        Stage::Compute => limits.max_compute_uniform_components,
        _ => limits.max_geometry_uniform_components,
    }
}

/// Components of a type of the default block; a double takes two (OpenGL 4.6, section 7.6), and so does a 64-bit integer
/// (GL_ARB_gpu_shader_int64).
fn components_of(ty: u32) -> u32 {
    match ty {
        0x8B50 | 0x8B53 | 0x8B57 | 0x8DC6 | 0x140A | 0x140E | 0x140F => 2,
        0x8B51 | 0x8B54 | 0x8B58 | 0x8DC7 => 3,
        0x8B52 | 0x8B55 | 0x8B59 | 0x8DC8 | 0x8B5A | 0x8FFC | 0x8FE9 | 0x8FF5 => 4,
        0x8B65 | 0x8B67 | 0x8FFD | 0x8FEA | 0x8FF6 => 6,
        0x8B66 | 0x8B69 | 0x8FFE | 0x8F46 | 0x8FEB | 0x8FF7 => 8,
        0x8B5B => 9,
        0x8B68 | 0x8B6A | 0x8F49 | 0x8F4B => 12,
        0x8B5C | 0x8F4A | 0x8F4D => 16,
        0x8F47 => 18,
        0x8F4C | 0x8F4E => 24,
        0x8F48 => 32,
        _ => 1,
    }
}

fn mismatch(name: &str) -> String {
    format!("error: uniform `{name}' is declared with different types in different stages")
}

impl Entry {
    fn agree(&mut self, declared: Option<u32>, name: &str) -> Result<(), String> {
        match (self.explicit, declared) {
            (Some(a), Some(b)) if a != b => {
                Err(format!("error: uniform `{name}' has two locations, {a} and {b}"))
            }
            _ => {
                self.explicit = self.explicit.or(declared);
                Ok(())
            }
        }
    }
}

/// A sampler or image variable, merged over the stages.
struct Opaque {
    name: String,
    /// The name in parts, each with the number of dimensions behind it.
    parts: Vec<(String, usize)>,
    ty: u32,
    dimensions: Vec<u32>,
    image: bool,
    format: u32,
    access: u32,
    binding: Option<u32>,
    explicit: Option<u32>,
    stages: u32,
    variables: Vec<(usize, u32)>,
}

fn opaque(
    units: &mut [Unit<'_>],
    limits: &Limits,
    archive: &mut Archive,
    entries: &mut Vec<Entry>,
    by_name: &mut HashMap<String, usize>,
) -> Result<(), String> {
    let mut list: Vec<Opaque> = Vec::new();
    for (index, unit) in units.iter().enumerate() {
        let mut in_stage = 0usize;
        for variable in unit.variables(op::CLASS_UNIFORM_CONSTANT) {
            let Some(found) = read_opaque(unit, index, &variable) else { continue };
            if !unit.live.has(variable.id) {
                continue;
            }
            if !found.image {
                in_stage = in_stage.saturating_add(total(&found.dimensions) as usize);
            }
            match list.iter_mut().find(|o| o.name == found.name) {
                Some(known) => {
                    if known.ty != found.ty || known.dimensions != found.dimensions {
                        return Err(mismatch(&found.name));
                    }
                    if known.format != found.format {
                        return Err(format!("error: image `{}' has two formats", found.name));
                    }
                    known.stages |= found.stages;
                    known.variables.extend(found.variables);
                    known.binding = known.binding.or(found.binding);
                    known.explicit = known.explicit.or(found.explicit);
                }
                None => list.push(found),
            }
        }
        if in_stage > limits.max_texture_image_units.max(1) as usize {
            return Err(format!(
                "error: the {} shader uses {in_stage} samplers, more than {}",
                unit.stage.word(),
                limits.max_texture_image_units
            ));
        }
    }
    let mut slots = [0u32, 0u32];
    // Arrays that were lifted out of structures come first: what another stage names alone is an element of theirs.
    list.sort_by_key(|opaque| opaque.parts.len() < 2);
    for opaque in list {
        if let Some(first) = element_of(&opaque, archive, entries, by_name) {
            for (unit, id) in &opaque.variables {
                if let Some(unit) = units.get_mut(*unit) {
                    unit.patch.set(*id, op::DEC_DESCRIPTOR_SET, SAMPLER_SET);
                    unit.patch.set(*id, op::DEC_BINDING, first);
                }
            }
            continue;
        }
        let slot = &mut slots[usize::from(opaque.image)];
        let set = if opaque.image { IMAGE_SET } else { SAMPLER_SET };
        for (unit, id) in &opaque.variables {
            if let Some(unit) = units.get_mut(*unit) {
                unit.patch.set(*id, op::DEC_DESCRIPTOR_SET, set);
                unit.patch.set(*id, op::DEC_BINDING, *slot);
            }
        }
        for (name, count, start) in elements(&opaque.parts, &opaque.dimensions) {
            list_one(&opaque, name, count, *slot, start, archive, entries, by_name);
        }
        *slot = slot.saturating_add(total(&opaque.dimensions));
    }
    Ok(())
}

fn total(dimensions: &[u32]) -> u32 {
    dimensions.iter().fold(1u32, |n, d| n.saturating_mul((*d).max(1)))
}

/// The slot of a sampler that an earlier stage has as an element of an array lifted out of structures.
fn element_of(
    opaque: &Opaque,
    archive: &mut Archive,
    entries: &mut [Entry],
    by_name: &HashMap<String, usize>,
) -> Option<u32> {
    // One variable for each element, also of the innermost array.
    let (array, element) = match opaque.name.strip_suffix(']').and_then(|n| n.rsplit_once('[')) {
        Some((array, index)) => (format!("{array}[0]"), index.parse().ok()?),
        None => (opaque.name.clone(), 0),
    };
    let entry = entries.get_mut(*by_name.get(&array)?)?;
    let known = entry.uniform.ty == opaque.ty && opaque.dimensions.is_empty();
    if opaque.image || !known || element >= entry.uniform.array_size.max(1) {
        return None;
    }
    let slot = u32::try_from(entry.uniform.sampler_slot).ok()?;
    entry.uniform.stages |= opaque.stages;
    for sampler in archive.samplers.iter_mut().filter(|s| s.slot == slot) {
        sampler.stages |= opaque.stages;
    }
    Some(slot.saturating_add(element))
}

/// The uniforms that an array of arrays is listed as: name, elements, index of the first. Only dimensions that end the name
/// make an array of one uniform.
fn elements(parts: &[(String, usize)], dimensions: &[u32]) -> Vec<(String, Option<u32>, u32)> {
    let ends = parts.last().is_some_and(|(_, count)| *count > 0);
    let (inner, outer) = match dimensions.split_last() {
        Some((inner, outer)) if ends => (Some((*inner).max(1)), outer),
        _ => (None, dimensions),
    };
    let each = inner.unwrap_or(1);
    let mut list = Vec::new();
    for index in 0..total(outer).min(4096) {
        let mut indices = Vec::new();
        let mut rest = index;
        for dimension in outer.iter().rev() {
            indices.insert(0, rest % (*dimension).max(1));
            rest /= (*dimension).max(1);
        }
        let mut indices = indices.into_iter();
        let mut name = String::new();
        for (part, count) in parts {
            name.push_str(part);
            name.extend((0..*count).map(|_| format!("[{}]", indices.next().unwrap_or(0))));
        }
        list.push((name, inner, index.saturating_mul(each)));
    }
    list
}

#[allow(clippy::too_many_arguments)] // One row of each table at a time.
fn list_one(
    opaque: &Opaque,
    name: String,
    count: Option<u32>,
    first_slot: u32,
    start: u32,
    archive: &mut Archive,
    entries: &mut Vec<Entry>,
    by_name: &mut HashMap<String, usize>,
) {
    let slot = first_slot.saturating_add(start);
    let binding = opaque.binding.map_or(-1, |b| b.saturating_add(start) as i32);
    let uniform = entries.len() as u32;
    let size = count.unwrap_or(1);
    if opaque.image {
        archive.images.push(Image {
            slot,
            count: size,
            ty: opaque.ty,
            format: opaque.format,
            uniform,
            binding,
            access: opaque.access,
            stages: opaque.stages,
        });
    } else {
        archive.samplers.push(Sampler {
            slot,
            count: size,
            ty: opaque.ty,
            uniform,
            binding,
            stages: opaque.stages,
        });
    }
    by_name.insert(name.clone(), entries.len());
    entries.push(Entry {
        uniform: Uniform {
            name,
            ty: opaque.ty,
            array_size: size,
            is_array: count.is_some(),
            block: -1,
            offset: -1,
            array_stride: -1,
            matrix_stride: -1,
            location: -1,
            sampler_slot: if opaque.image { -1 } else { slot as i32 },
            image_slot: if opaque.image { slot as i32 } else { -1 },
            atomic_buffer: -1,
            stages: opaque.stages,
            ..Uniform::default()
        },
        explicit: opaque.explicit.map(|l| l.saturating_add(start)),
    });
}

fn read_opaque(unit: &Unit<'_>, index: usize, variable: &Variable) -> Option<Opaque> {
    let module = &unit.module;
    let (base, dimensions) = module.peel(variable.ty);
    let image = match module.ty(base) {
        Type::SampledImage(_) => false,
        Type::Image { sampled, .. } => !sampled,
        _ => return None,
    };
    let has = |decoration| module.decoration(variable.id, decoration).is_some();
    let access = match (has(op::DEC_NON_READABLE), has(op::DEC_NON_WRITABLE)) {
        (true, false) => 0x88B9,
        (false, true) => 0x88B8,
        _ => 0x88BA,
    };
    let name = module.name(variable.id);
    let binding = unit
        .declaration(root(name), "uniform")
        .and_then(|d| d.layout_value("binding"))
        .and_then(|b| u32::try_from(b).ok());
    let shown = display(name);
    let lifted = unit.facts().flat_map(|f| &f.lifted).find(|l| l.name == name);
    let parts = match lifted {
        Some(lifted) => lifted.parts.clone(),
        None => vec![(shown.clone(), dimensions.len())],
    };
    Some(Opaque {
        name: shown,
        parts,
        ty: module.gl_type(base, false),
        dimensions,
        image,
        format: if image { module.gl_format(base) } else { 0 },
        access: if image { access } else { 0 },
        binding,
        explicit: explicit(unit, name),
        stages: unit.stage.bit(),
        variables: vec![(index, variable.id)],
    })
}

fn locations(entries: &mut [Entry], limits: &Limits) -> Result<(), String> {
    let most = limits.max_uniform_locations.max(1) as u32;
    let mut used = Ranges::default();
    for entry in entries.iter_mut() {
        let Some(location) = entry.explicit else { continue };
        let count = entry.uniform.array_size.max(1);
        let name = &entry.uniform.name;
        if location.saturating_add(count) > most {
            return Err(format!("error: uniform `{name}' at location {location} is out of range"));
        }
        if used.overlaps(location, count) {
            return Err(format!("error: uniform `{name}' shares location {location}"));
        }
        used.take(location, count);
        entry.uniform.location = location as i32;
    }
    let any_explicit = used.end() > 0;
    let mut next = 0u32;
    for entry in entries.iter_mut() {
        if entry.explicit.is_some() || entry.uniform.is_builtin {
            continue;
        }
        let count = entry.uniform.array_size.max(1);
        let location = if any_explicit {
            used.fit(count)
        } else {
            let mine = next;
            next = next.saturating_add(count);
            mine
        };
        if location.saturating_add(count) > most.max(1 << 16) {
            return Err("error: too many uniforms".to_owned());
        }
        entry.uniform.location = location as i32;
    }
    Ok(())
}

/// ES: a uniform that two stages use must have one precision.
fn precisions(units: &[Unit<'_>]) -> Result<(), String> {
    if !units.iter().flat_map(|u| &u.shaders).any(|s| s.es()) {
        return Ok(());
    }
    let mut known: HashMap<String, (String, forerun_pipe::archive::Stage)> = HashMap::new();
    for unit in units {
        let default = unit.default_block();
        for facts in unit.facts() {
            let mut defaults = crate::source::rules::Precisions::new(unit.stage);
            for declaration in &facts.declarations.list {
                defaults.note(declaration);
                if !declaration.is("uniform") || declaration.names.is_empty() {
                    continue;
                }
                let Some(precision) = defaults.of(declaration) else { continue };
                for declared in &declaration.names {
                    let strict = unit.shaders.iter().any(|s| s.version() >= 300);
                    if !strict && !used(unit, default.as_ref(), &declared.name) {
                        continue;
                    }
                    match known.get(&declared.name) {
                        Some((other, stage)) if *other != precision => {
                            return Err(format!(
                                "error: uniform `{}' is {other} in the {} shader and {precision} in the {} shader",
                                display(&declared.name),
                                stage.word(),
                                unit.stage.word()
                            ));
                        }
                        _ => {
                            known.insert(declared.name.clone(), (precision.clone(), unit.stage));
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

fn used(unit: &Unit<'_>, default: Option<&Variable>, name: &str) -> bool {
    let module = &unit.module;
    let opaque = module.variables.iter().any(|v| module.name(v.id) == name && unit.live.has(v.id));
    let in_block = default.is_some_and(|block| {
        let (ty, _) = module.peel(block.ty);
        let Type::Struct(members) = module.ty(ty) else { return false };
        (0..members.len() as u32).any(|index| {
            module.member_name(ty, index) == name
                && unit.live.touches(block.id, &[crate::spirv::live::Step::At(index)])
        })
    });
    opaque || in_block
}
