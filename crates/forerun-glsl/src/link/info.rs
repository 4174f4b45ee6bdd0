//! Facts about a stage that are not interface variables.

use forerun_pipe::archive::{Stage, StageInfo};

use super::unit::Unit;
use crate::spirv::live::Step;
use crate::spirv::op;
use crate::spirv::types::Type;

/// Reads a stage's facts.
pub fn of(unit: &Unit<'_>) -> StageInfo {
    let module = &unit.module;
    let has = |mode| module.mode(mode).is_some();
    let first = |mode| module.mode(mode).and_then(|o| o.first()).copied().unwrap_or(0);
    let pick = |table: &[(u32, u32)]| {
        table.iter().find(|(mode, _)| has(*mode)).map_or(0, |(_, token)| *token)
    };
    let mut info = StageInfo {
        early_fragment_tests: has(9),
        discards: unit.live.discards,
        has_side_effects: unit.live.side_effects,
        ..StageInfo::default()
    };
    match unit.stage {
        Stage::Geometry => {
            info.geometry_vertices_out = first(26);
            info.geometry_invocations = first(0).max(1);
            info.geometry_input =
                pick(&[(19, 0x0000), (20, 0x0001), (21, 0x000A), (22, 0x0004), (23, 0x000C)]);
            info.geometry_output = pick(&[(27, 0x0000), (28, 0x0003), (29, 0x0005)]);
        }
        Stage::TessControl => info.tess_vertices = first(26),
        Stage::TessEvaluation => {
            info.tess_mode = pick(&[(22, 0x0004), (24, 0x0007), (25, 0x8E7A)]);
            info.tess_spacing = pick(&[(2, 0x8E7C), (3, 0x8E7B), (1, 0x0202)]);
            info.tess_order = pick(&[(4, 0x0900), (5, 0x0901)]);
            info.tess_point_mode = has(10);
        }
        Stage::Compute => {
            if let Some([x, y, z]) = module.mode(17) {
                info.local_size = [*x, *y, *z];
            }
        }
        Stage::Vertex | Stage::Fragment => {}
    }
    for facts in unit.facts() {
        info.fragcoord_upper_left |= facts.fragcoord_upper_left;
        info.fragcoord_integer |= facts.fragcoord_integer;
    }
    fetches(unit, &mut info);
    builtins(unit, &mut info);
    info
}

/// Bits of the colour locations that are read back.
fn fetches(unit: &Unit<'_>, info: &mut StageInfo) {
    for facts in unit.facts() {
        info.fetches_noncoherently |= facts.fetches_noncoherently && !facts.fetched.is_empty();
    }
    for port in super::interface::ports(unit, op::CLASS_OUTPUT) {
        if !unit.facts().any(|f| f.fetched.contains(&port.key)) {
            continue;
        }
        let patched = unit.patch.decorate.get(&port.id).and_then(|list| {
            list.iter().find(|(decoration, _)| *decoration == op::DEC_LOCATION).map(|(_, l)| *l)
        });
        let Some(location) = patched.or(port.explicit) else { continue };
        for bit in location..location.saturating_add(port.count).min(32) {
            info.fetched_outputs |= 1 << bit;
        }
    }
}

fn builtins(unit: &Unit<'_>, info: &mut StageInfo) {
    let module = &unit.module;
    for variable in &module.variables {
        let output = variable.class == op::CLASS_OUTPUT;
        if let Some(builtin) = module.decoration(variable.id, op::DEC_BUILT_IN)
            && unit.live.has(variable.id)
        {
            note(builtin, output, length(unit, variable.ty), info);
        }
        if variable.class == op::CLASS_INPUT
            && unit.stage == Stage::Fragment
            && module.decoration(variable.id, op::DEC_SAMPLE).is_some()
            && unit.live.has(variable.id)
        {
            info.sample_shading = true;
        }
        let (base, dimensions) = module.peel(variable.ty);
        let Type::Struct(members) = module.ty(base) else { continue };
        for (member, index) in members.iter().zip(0u32..) {
            let Some(builtin) = module.member_decoration(base, index, op::DEC_BUILT_IN) else {
                continue;
            };
            let mut path = vec![Step::Any; dimensions.len()];
            path.push(Step::At(index));
            if unit.live.touches(variable.id, &path) {
                note(builtin, output, length(unit, *member), info);
            }
        }
    }
}

fn length(unit: &Unit<'_>, ty: u32) -> u32 {
    unit.module.peel(ty).1.first().copied().unwrap_or(1)
}

fn note(builtin: u32, output: bool, length: u32, info: &mut StageInfo) {
    match builtin {
        op::BUILTIN_POINT_SIZE if output => info.writes_point_size = true,
        op::BUILTIN_CLIP_DISTANCE if output => info.clip_distances = length,
        op::BUILTIN_CULL_DISTANCE if output => info.cull_distances = length,
        op::BUILTIN_LAYER if output => info.writes_layer = true,
        op::BUILTIN_VIEWPORT_INDEX if output => info.writes_viewport_index = true,
        op::BUILTIN_FRAG_DEPTH if output => info.writes_depth = true,
        op::BUILTIN_SAMPLE_ID | op::BUILTIN_SAMPLE_POSITION => info.sample_shading = true,
        op::BUILTIN_VERTEX_INDEX => info.uses_vertex_id = true,
        op::BUILTIN_INSTANCE_INDEX => info.uses_instance_id = true,
        op::BUILTIN_BASE_VERTEX => info.uses_base_vertex = true,
        op::BUILTIN_BASE_INSTANCE => info.uses_base_instance = true,
        op::BUILTIN_DRAW_INDEX => info.uses_draw_id = true,
        _ => {}
    }
}
