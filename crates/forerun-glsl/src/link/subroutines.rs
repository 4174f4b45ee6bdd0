//! Subroutines and subroutine uniforms: indices, locations and reflection (OpenGL 4.6, section 7.10).

use forerun_pipe::archive::{Archive, Subroutine, SubroutineUniform};

use super::interface::Ranges;
use super::uniforms::root;
use super::unit::Unit;
use super::walk::Leaf;
use crate::source::subroutines::{self, MAX_LOCATIONS};
use crate::spirv::module::Variable;

/// Takes a leaf of the default block that stands for a subroutine uniform into the archive, without a location yet. False: it is
/// another uniform.
///
/// # Errors
/// A line for the log: no function has the uniform's type.
pub fn take(
    unit: &Unit<'_>,
    block: &Variable,
    leaf: &Leaf,
    archive: &mut Archive,
) -> Result<bool, String> {
    let stage = unit.stage;
    let Some(name) = subroutines::original(&leaf.name, stage) else {
        // Stages share the layout of the block, so one sees the uniforms of the others too.
        let other = |s: &forerun_pipe::archive::Stage| subroutines::original(&leaf.name, *s);
        return Ok(forerun_pipe::archive::Stage::ALL.iter().any(|s| other(s).is_some()));
    };
    if !unit.live.touches(block.id, &leaf.path) {
        return Ok(true);
    }
    let facts = unit.facts().map(|f| &f.subroutines);
    let Some((found, of)) =
        facts.filter_map(|f| Some((f, f.uniforms.iter().find(|u| u.name == root(name))?))).next()
    else {
        return Ok(true);
    };
    let compatible: Vec<u32> =
        found.functions.iter().filter(|f| f.types.contains(&of.ty)).map(|f| f.index).collect();
    if compatible.is_empty() {
        return Err(format!("error: no function has the type of subroutine uniform `{name}'"));
    }
    archive.subroutine_uniforms.push(SubroutineUniform {
        stage,
        name: name.to_owned(),
        array_size: leaf.array_size.max(1),
        is_array: leaf.is_array,
        location: u32::MAX,
        offset: leaf.offset,
        array_stride: leaf.array_stride,
        compatible,
    });
    Ok(true)
}

/// Lists the subroutines and gives locations to the subroutine uniforms.
///
/// # Errors
/// A line for the log: locations overlap, or there are too many.
pub fn assign(units: &[Unit<'_>], archive: &mut Archive) -> Result<(), String> {
    for unit in units {
        let of_stage = |u: &SubroutineUniform| u.stage == unit.stage;
        let mut used = Ranges::default();
        let mut next: Vec<(String, u32)> = Vec::new();
        for uniform in archive.subroutine_uniforms.iter_mut().filter(|u| of_stage(u)) {
            let name = root(&uniform.name).to_owned();
            let declared = unit
                .facts()
                .flat_map(|f| &f.subroutines.uniforms)
                .find(|u| u.name == name)
                .and_then(|u| u.location);
            let Some(first) = declared else { continue };
            if first >= MAX_LOCATIONS {
                return Err("error: a subroutine uniform's location is out of range".to_owned());
            }
            // The elements of an array of arrays follow each other.
            let at = match next.iter_mut().find(|(known, _)| *known == name) {
                Some((_, at)) => std::mem::replace(at, *at + uniform.array_size),
                None => {
                    next.push((name, first + uniform.array_size));
                    first
                }
            };
            if used.overlaps(at, uniform.array_size) {
                return Err(format!(
                    "error: subroutine uniform `{}' shares a location",
                    uniform.name
                ));
            }
            used.take(at, uniform.array_size);
            uniform.location = at;
        }
        let free = |u: &&mut SubroutineUniform| of_stage(u) && u.location == u32::MAX;
        for uniform in archive.subroutine_uniforms.iter_mut().filter(free) {
            uniform.location = used.fit(uniform.array_size);
        }
        let beyond =
            |u: &SubroutineUniform| u.location.saturating_add(u.array_size) > MAX_LOCATIONS;
        if archive.subroutine_uniforms.iter().any(|u| of_stage(u) && beyond(u)) {
            return Err("error: a subroutine uniform's location is out of range".to_owned());
        }
        for function in unit.facts().flat_map(|f| &f.subroutines.functions) {
            archive.subroutines.push(Subroutine {
                stage: unit.stage,
                name: function.name.clone(),
                index: function.index,
            });
        }
    }
    archive.subroutine_uniforms.sort_by_key(|u| (u.stage as u32, u.location));
    Ok(())
}
