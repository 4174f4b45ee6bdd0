//! Vertex inputs, fragment outputs, and what GL lists of the program's ends.

use forerun_pipe::archive::{Archive, Stage, Varying};

use super::LinkOptions;
use super::interface::{Ranges, ports};
use super::unit::{Unit, display};
use crate::Limits;
use crate::spirv::op;
use crate::spirv::types::Type;

/// Assigns attribute locations and lists the inputs of the first stage.
///
/// # Errors
/// A line for the log.
pub fn inputs(
    units: &mut [Unit<'_>],
    options: &LinkOptions<'_>,
    limits: &Limits,
    archive: &mut Archive,
) -> Result<(), String> {
    let Some(unit) = units.first_mut() else { return Ok(()) };
    if unit.stage == Stage::Vertex {
        attributes(unit, options, limits)?;
    }
    list(unit, op::CLASS_INPUT, &mut archive.inputs);
    Ok(())
}

fn attributes(
    unit: &mut Unit<'_>,
    options: &LinkOptions<'_>,
    limits: &Limits,
) -> Result<(), String> {
    let most = limits.max_vertex_attribs.clamp(1, 64) as u32;
    let aliasing = unit.shaders.iter().all(|s| !s.es() || s.version() < 300);
    let mut used = Ranges::default();
    let mut free = Vec::new();
    // Where aliasing is an error, it is one between unused attributes too (OpenGL ES 3.2, section 11.1.1).
    let mut declared = Ranges::default();
    for port in ports(unit, op::CLASS_INPUT) {
        let name = display(&port.key);
        let count = unit.module.locations(port.ty, true);
        let bound = options.attributes.iter().rev().find(|(n, _)| *n == name).map(|(_, l)| *l);
        let wanted = port.explicit.or(bound);
        if let Some(location) = wanted
            && !aliasing
        {
            if declared.overlaps(location, count) {
                return Err(format!("error: attribute `{name}' shares location {location}"));
            }
            declared.take(location, count);
        }
        if !port.live {
            continue;
        }
        let Some(location) = wanted else {
            free.push((port.id, count, name));
            continue;
        };
        if location.saturating_add(count) > most {
            return Err(format!(
                "error: attribute `{name}' at location {location} is out of range"
            ));
        }
        if used.overlaps(location, count) && !aliasing {
            return Err(format!("error: attribute `{name}' shares location {location}"));
        }
        used.take(location, count);
        unit.patch.set(port.id, op::DEC_LOCATION, location);
    }
    // Large ones first, so that a matrix finds room.
    free.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
    for (id, count, name) in free {
        let location = used.fit(count);
        if location.saturating_add(count) > most {
            return Err(format!(
                "error: no room for attribute `{name}': there are {most} locations"
            ));
        }
        unit.patch.set(id, op::DEC_LOCATION, location);
    }
    Ok(())
}

/// Assigns colour numbers and lists the outputs of the last stage.
///
/// # Errors
/// A line for the log.
pub fn outputs(
    units: &mut [Unit<'_>],
    options: &LinkOptions<'_>,
    limits: &Limits,
    archive: &mut Archive,
) -> Result<(), String> {
    let Some(unit) = units.last_mut() else { return Ok(()) };
    if unit.stage == Stage::Fragment {
        colors(unit, options, limits)?;
    }
    list(unit, op::CLASS_OUTPUT, &mut archive.outputs);
    Ok(())
}

fn colors(unit: &mut Unit<'_>, options: &LinkOptions<'_>, limits: &Limits) -> Result<(), String> {
    let mut used = [Ranges::default(), Ranges::default()];
    let mut free = Vec::new();
    let mut dual = false;
    // Locations from, to, components from, to of each index.
    let mut taken: [Vec<(u32, u32, u32, u32)>; 2] = Default::default();
    for port in ports(unit, op::CLASS_OUTPUT) {
        let name = display(&port.key);
        let count = port.count;
        let matches = |n: &str| n == name || n.strip_suffix("[0]") == Some(&name);
        let bound = options.frag_data.iter().rev().find(|(n, ..)| matches(n));
        let explicit_index = unit.module.decoration(port.id, op::DEC_INDEX);
        let free_by_name = unit.facts().any(|f| f.free_outputs.contains(&port.key));
        let declared = port.explicit.filter(|_| !free_by_name);
        let secondary = port.key.starts_with("fr_SecondaryFrag");
        let place = match (declared, bound) {
            _ if secondary => Some((0, 1)),
            (Some(location), _) => Some((location, explicit_index.unwrap_or(0))),
            (None, Some((_, location, index))) => Some((*location, *index)),
            (None, None) => None,
        };
        let Some((location, index)) = place else {
            free.push((port.id, count, name));
            continue;
        };
        dual |= index == 1;
        let most =
            if index == 1 { limits.max_dual_source_draw_buffers } else { limits.max_draw_buffers };
        let Some(ranges) = used.get_mut(index as usize) else {
            return Err(format!("error: fragment output `{name}' has index {index}"));
        };
        if location.saturating_add(count) > most.max(1) as u32 {
            return Err(format!(
                "error: fragment output `{name}' at location {location} is out of range"
            ));
        }
        let first = port.component;
        let width = unit.module.components(unit.module.peel(port.ty).0).max(1);
        let clash = |(from, to, component, end): &(u32, u32, u32, u32)| {
            location < *to && *from < location + count && first < *end && *component < first + width
        };
        let Some(places) = taken.get_mut(index as usize) else { continue };
        if places.iter().any(clash) {
            return Err(format!("error: fragment output `{name}' shares location {location}"));
        }
        places.push((location, location + count, first, first + width));
        ranges.take(location, count);
        unit.patch.set(port.id, op::DEC_LOCATION, location);
        if index != 0 {
            unit.patch.set(port.id, op::DEC_INDEX, index);
        }
    }
    let most = limits.max_draw_buffers.max(1) as u32;
    for (id, count, name) in free {
        let location = used[0].fit(count);
        if location.saturating_add(count) > most {
            return Err(format!("error: no room for fragment output `{name}'"));
        }
        unit.patch.set(id, op::DEC_LOCATION, location);
    }
    if dual && used[0].end() > limits.max_dual_source_draw_buffers.max(1) as u32 {
        return Err("error: too many fragment outputs beside one with index 1".into());
    }
    Ok(())
}

/// Lists a stage's active variables of a class.
fn list(unit: &Unit<'_>, class: u32, out: &mut Vec<Varying>) {
    for variable in unit.variables(class) {
        let module = &unit.module;
        if !unit.live.has(variable.id) {
            continue;
        }
        if unit.is_builtin(&variable) {
            builtins(unit, variable.id, variable.ty, out);
            continue;
        }
        let (base, _) = module.peel(variable.ty);
        let location = unit
            .patch
            .decorate
            .get(&variable.id)
            .and_then(|l| l.iter().find(|(d, _)| *d == op::DEC_LOCATION))
            .map(|(_, l)| *l)
            .or_else(|| module.decoration(variable.id, op::DEC_LOCATION));
        let name = display(module.name(variable.id));
        let patch = module.decoration(variable.id, op::DEC_PATCH).is_some();
        let arrayed = matches!(
            (unit.stage, class),
            (Stage::TessControl, _) | (Stage::TessEvaluation | Stage::Geometry, op::CLASS_INPUT)
        );
        let ty = match module.ty(variable.ty) {
            Type::Array(element, _) if arrayed && !patch => *element,
            _ => variable.ty,
        };
        let block = module.decoration(base, op::DEC_BLOCK).is_some();
        let prefix = if !block {
            name.clone()
        } else if name.is_empty() {
            String::new()
        } else {
            display(module.name(base))
        };
        let index = unit
            .patch
            .decorate
            .get(&variable.id)
            .and_then(|l| l.iter().find(|(d, _)| *d == op::DEC_INDEX))
            .map(|(_, i)| *i)
            .or_else(|| module.decoration(variable.id, op::DEC_INDEX))
            .unwrap_or(0);
        let start = out.len();
        // A patch's outputs are no variables of one vertex, which a location would be of.
        let location = location.filter(|_| !patch || class == op::CLASS_INPUT);
        leaves(unit, ty, prefix, location.map_or(-1, |l| l as i32), out);
        for varying in out.iter_mut().skip(start) {
            varying.is_patch = patch;
            varying.index = index;
            varying.component = module.decoration(variable.id, op::DEC_COMPONENT).unwrap_or(0);
            if varying.name.starts_with("gl_") {
                varying.location = -1;
            }
        }
    }
}

/// Adds the leaves of an interface variable.
fn leaves(unit: &Unit<'_>, ty: u32, name: String, location: i32, out: &mut Vec<Varying>) {
    let module = &unit.module;
    if out.len() > 4096 {
        return;
    }
    match module.ty(ty) {
        Type::Struct(members) => {
            let mut at = location;
            for (member, index) in members.iter().zip(0u32..) {
                let own = module.member_decoration(ty, index, op::DEC_LOCATION);
                let here = own.map_or(at, |l| l as i32);
                let member_name = display(module.member_name(ty, index));
                let path =
                    if name.is_empty() { member_name } else { format!("{name}.{member_name}") };
                leaves(unit, *member, path, here, out);
                if here >= 0 {
                    at = here.saturating_add(module.locations(*member, false) as i32);
                }
            }
        }
        Type::Array(element, count)
            if matches!(module.ty(*element), Type::Struct(_) | Type::Array(..)) =>
        {
            let each = module.locations(*element, false) as i32;
            for index in 0..*count {
                let at = if location < 0 {
                    -1
                } else {
                    location.saturating_add(each.saturating_mul(index as i32))
                };
                leaves(unit, *element, format!("{name}[{index}]"), at, out);
            }
        }
        Type::Array(element, count) => out.push(Varying {
            name: format!("{name}[0]"),
            ty: module.gl_type(*element, false),
            array_size: *count,
            is_array: true,
            location,
            ..Varying::default()
        }),
        _ => out.push(Varying {
            name,
            ty: module.gl_type(ty, false),
            array_size: 1,
            location,
            ..Varying::default()
        }),
    }
}

fn builtins(unit: &Unit<'_>, id: u32, ty: u32, out: &mut Vec<Varying>) {
    use crate::spirv::live::Step;
    let module = &unit.module;
    let mut push = |name: String, ty: u32| {
        let (base, dimensions) = module.peel(ty);
        let is_array = !dimensions.is_empty();
        out.push(Varying {
            name: if is_array { format!("{name}[0]") } else { name },
            ty: module.gl_type(base, false),
            array_size: dimensions.first().copied().unwrap_or(1),
            is_array,
            location: -1,
            ..Varying::default()
        });
    };
    if let Some(builtin) = module.decoration(id, op::DEC_BUILT_IN) {
        let name = match builtin {
            op::BUILTIN_VERTEX_INDEX => "gl_VertexID".to_owned(),
            op::BUILTIN_INSTANCE_INDEX => "gl_InstanceID".to_owned(),
            _ => display(module.name(id)),
        };
        push(name, ty);
        return;
    }
    let (base, dimensions) = module.peel(ty);
    let Type::Struct(members) = module.ty(base) else { return };
    // `gl_in` and `gl_out` are named instances of their block, whose members GL lists by the block's name.
    let block = if dimensions.is_empty() { "" } else { "gl_PerVertex." };
    for (member, index) in members.iter().zip(0u32..) {
        let mut path = vec![Step::Any; dimensions.len()];
        path.push(Step::At(index));
        if unit.live.touches(id, &path) {
            push(format!("{block}{}", module.member_name(base, index)), *member);
        }
    }
}
