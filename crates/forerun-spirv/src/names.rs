//! The names that the host's text uses. They are minted from slots, locations and shapes alone, so that the
//! stages of a program agree about them without having seen each other:
//!
//! | name | what |
//! |---|---|
//! | `U0`, `U1`… | uniform block by host binding (`U0` is the default block) |
//! | `S0`… | storage block by slot |
//! | `t0`…, `im0`… | sampler, image by first slot |
//! | `a0`… | vertex input by location |
//! | `v0`…, `c0`…, `e0`…, `g0`… | output of the vertex, control, evaluation, geometry stage by location, and the input that reads it |
//! | `V0`… | likewise, an interface block by its first location |
//! | `f0`… | fragment output by location; `f0i1` is its second source |
//! | `T` + hash | structure by its shape |
//!
//! Members are `_m0`, `_m1`… as SPIRV-Cross names them when it is told no name.

use crate::Refusal;
use crate::module::{Module, Type, Variable};
use forerun_pipe::archive::{MAX_SLOTS, Stage};
use rustc_hash::FxHashMap;
use spirv::StorageClass;

/// The id names of a module: variables, blocks and structures.
pub(crate) fn mint(
    stage: Stage,
    stages: u32,
    module: &Module<'_>,
) -> Result<FxHashMap<u32, String>, Refusal> {
    let mut names = FxHashMap::default();
    for id in module.types.keys() {
        if let Type::Struct { .. } = module.ty(*id) {
            names.insert(*id, format!("T{:08x}", shape(module, *id, 0)));
        }
    }
    for variable in &module.variables {
        resource(module, variable, &mut names)?;
        interface(stage, stages, module, variable, &mut names)?;
    }
    Ok(names)
}

fn resource(
    module: &Module<'_>,
    variable: &Variable,
    names: &mut FxHashMap<u32, String>,
) -> Result<(), Refusal> {
    let class = StorageClass::from_u32(variable.class);
    if !matches!(
        class,
        Some(StorageClass::Uniform | StorageClass::UniformConstant | StorageClass::StorageBuffer)
    ) {
        return match class {
            Some(StorageClass::PushConstant | StorageClass::AtomicCounter) => {
                Err(Refusal::Slot("storage class"))
            }
            _ => Ok(()),
        };
    }
    let (inner, count) = module.strip_arrays(variable.ty);
    let marks = module.marks(variable.id);
    let (Some(set), Some(binding)) = (marks.set, marks.binding) else {
        return Err(Refusal::Slot("undecorated resource"));
    };
    // Uniform blocks are counted from 1 behind the default block.
    if count == 0 || binding.checked_add(count).is_none_or(|end| end > MAX_SLOTS + 1) {
        return Err(Refusal::Slot("binding"));
    }
    let block = module.marks(inner);
    let storage = block.buffer_block || class == Some(StorageClass::StorageBuffer);
    let (id, name) = match module.ty(inner) {
        Type::Struct { .. } if set == 0 && block.block && !storage => {
            (inner, format!("U{binding}"))
        }
        Type::Struct { .. } if set == 1 && storage => (inner, format!("S{binding}")),
        Type::SampledImage { .. } if set == 2 => (variable.id, format!("t{binding}")),
        Type::Image { sampled: 2, .. } if set == 3 => (variable.id, format!("im{binding}")),
        _ => return Err(Refusal::Slot("descriptor set")),
    };
    names.insert(id, name);
    Ok(())
}

fn interface(
    stage: Stage,
    stages: u32,
    module: &Module<'_>,
    variable: &Variable,
    names: &mut FxHashMap<u32, String>,
) -> Result<(), Refusal> {
    let output = match StorageClass::from_u32(variable.class) {
        Some(StorageClass::Input) => false,
        Some(StorageClass::Output) => true,
        _ => return Ok(()),
    };
    let (inner, _) = module.strip_arrays(variable.ty);
    if module.is_builtin(variable) {
        // SPIRV-Cross knows the built-in block by its members; the hash must not reach it.
        names.remove(&inner);
        return Ok(());
    }
    let Some(location) = module.location(variable) else {
        return Err(Refusal::Slot("location"));
    };
    let name = interface_name(stage, stages, output, location, &module.marks(variable.id));
    if module.marks(inner).block {
        names.insert(inner, name.to_ascii_uppercase());
    } else {
        names.insert(variable.id, name);
    }
    Ok(())
}

fn interface_name(
    stage: Stage,
    stages: u32,
    output: bool,
    location: u32,
    marks: &crate::module::Marks,
) -> String {
    let producer = if output { Some(stage) } else { previous(stage, stages) };
    let letter = match producer {
        None => "a",
        Some(Stage::Vertex) => "v",
        Some(Stage::TessControl) => "c",
        Some(Stage::TessEvaluation) => "e",
        Some(Stage::Geometry) => "g",
        Some(Stage::Fragment | Stage::Compute) => "f",
    };
    let patch = if marks.patch { "p" } else { "" };
    let mut name = format!("{letter}{patch}{location}");
    if let Some(component) = marks.component.filter(|c| *c != 0) {
        name.push_str(&format!("c{component}"));
    }
    if let Some(index) = marks.index.filter(|i| *i != 0) {
        name.push_str(&format!("i{index}"));
    }
    name
}

/// The stage whose outputs `stage` reads: the nearest present one before it, vertex when the program has none.
fn previous(stage: Stage, stages: u32) -> Option<Stage> {
    let mut before = Stage::ALL.iter().copied().filter(|s| *s < stage);
    if stage == Stage::Vertex {
        return None;
    }
    Some(before.rfind(|s| stages & s.bit() != 0).unwrap_or(Stage::Vertex))
}

/// A hash over what a structure is made of, names left out. Structures of one shape are one to the host.
fn shape(module: &Module<'_>, id: u32, depth: u32) -> u32 {
    let mut hash = 0x811c_9dc5u32;
    let mut fold = |value: u32| {
        for byte in value.to_le_bytes() {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    };
    if depth > 64 {
        return hash;
    }
    match module.ty(id) {
        Type::Scalar { op, width, signed } => [1, *op, *width, u32::from(*signed)].map(fold),
        Type::Vector { component, count } => {
            [2, shape(module, *component, depth + 1), *count, 0].map(fold)
        }
        Type::Matrix { column, count } => {
            [3, shape(module, *column, depth + 1), *count, 0].map(fold)
        }
        Type::Array { element, length } => {
            [4, shape(module, *element, depth + 1), *length, 0].map(fold)
        }
        Type::RuntimeArray { element } => [5, shape(module, *element, depth + 1), 0, 0].map(fold),
        Type::Struct { members } => {
            fold(6);
            for (index, member) in members.iter().enumerate() {
                let marks = module.member_marks.get(&(id, index as u32));
                fold(shape(module, *member, depth + 1));
                fold(u32::from(marks.is_some_and(|m| m.row_major)));
            }
            [(); 4]
        }
        Type::Pointer { .. } | Type::Image { .. } | Type::SampledImage { .. } | Type::Other => {
            [7, 0, 0, 0].map(fold)
        }
    };
    hash
}
