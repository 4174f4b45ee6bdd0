//! The names by which the host knows the varyings that transform feedback captures.

use crate::lower::{flattened, wrapped};
use crate::module::{Module, Type, Variable};
use crate::{Refusal, Target, names};
use forerun_pipe::archive::{Archive, Stage};
use spirv::{BuiltIn, StorageClass};

/// The names to give `glTransformFeedbackVaryings` of the host, one for each entry of the archive's `feedback` in order.
/// `gl_SkipComponents*` and `gl_NextBuffer` come back as they are.
///
/// # Errors
/// [`Refusal::Slot`] when a path names no output of the last stage before rasterisation.
pub fn feedback_names(archive: &Archive, target: &Target) -> Result<Vec<String>, Refusal> {
    if archive.feedback.is_empty() {
        return Ok(Vec::new());
    }
    let last = [Stage::Geometry, Stage::TessEvaluation, Stage::Vertex];
    let Some(code) = last.iter().find_map(|stage| archive.stage(*stage)) else {
        return Err(Refusal::Slot("feedback without a vertex stage"));
    };
    let module = Module::read(code.stage, &code.spirv)?;
    let minted = names::mint(code.stage, archive.stage_mask(), &module)?;
    let outputs: Vec<&Variable> =
        module.variables.iter().filter(|v| v.class == StorageClass::Output as u32).collect();
    archive
        .feedback
        .iter()
        .map(|entry| {
            if entry.ty == 0 {
                return Ok(entry.name.clone());
            }
            outputs
                .iter()
                .find_map(|variable| {
                    let wraps = target.is_es() && wrapped(code.stage, &module, variable).is_some();
                    let flat = match target.is_es() {
                        true => flattened(code.stage, &module, variable),
                        false => Vec::new(),
                    };
                    let name = host_name(&module, &minted, variable, &entry.path, wraps)?;
                    one_index(name, &flat)
                })
                .ok_or(Refusal::Slot("feedback varying"))
        })
        .collect()
}

/// Makes one index of those of an array of arrays, whose lengths are given, in the order of its elements.
fn one_index(name: String, lengths: &[u32]) -> Option<String> {
    if lengths.is_empty() {
        return Some(name);
    }
    let (root, mut rest) = name.split_at(name.find('[')?);
    let mut element = 0u32;
    for length in lengths {
        let (index, tail) = rest.strip_prefix('[')?.split_once(']')?;
        element = element.checked_mul(*length)?.checked_add(index.parse().ok()?)?;
        rest = tail;
    }
    Some(format!("{root}[{element}]{rest}"))
}

/// Follows `path` from one output variable.
fn host_name(
    module: &Module<'_>,
    minted: &rustc_hash::FxHashMap<u32, String>,
    variable: &Variable,
    path: &str,
    wraps: bool,
) -> Option<String> {
    let (inner, _) = module.strip_arrays(variable.ty);
    let is_block = module.marks(inner).block;
    let own = module.names.get(&variable.id).map_or("", String::as_str);
    let (root, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    if let Some(builtin) = builtin_name(module, variable, inner, root) {
        return Some(format!("{builtin}{rest}"));
    }
    if !is_block {
        let mut name = minted.get(&variable.id)?.clone();
        if wraps {
            name = format!("{}._m0", name.to_ascii_uppercase());
        }
        return (own == root).then(|| members(module, variable.ty, name, rest)).flatten();
    }
    let block = module.names.get(&inner).map_or("", String::as_str);
    let minted = minted.get(&inner)?;
    if block == root || (!own.is_empty() && own == root) {
        return members(module, variable.ty, minted.clone(), rest);
    }
    // A member of a block without an instance name is named alone.
    own.is_empty().then(|| members(module, inner, minted.clone(), &format!(".{path}"))).flatten()
}

fn builtin_name(
    module: &Module<'_>,
    variable: &Variable,
    inner: u32,
    root: &str,
) -> Option<&'static str> {
    let (name, builtin) = [
        ("gl_Position", BuiltIn::Position),
        ("gl_PointSize", BuiltIn::PointSize),
        ("gl_ClipDistance", BuiltIn::ClipDistance),
        ("gl_CullDistance", BuiltIn::CullDistance),
        ("gl_Layer", BuiltIn::Layer),
        ("gl_ViewportIndex", BuiltIn::ViewportIndex),
        ("gl_PrimitiveID", BuiltIn::PrimitiveId),
    ]
    .into_iter()
    .find(|(name, _)| *name == root)?;
    let wanted = Some(builtin as u32);
    let member = module.member_marks.iter().any(|(key, m)| key.0 == inner && m.builtin == wanted);
    (member || module.marks(variable.id).builtin == wanted).then_some(name)
}

/// Renames the members along `rest`, which is made of `[n]` and `.member`.
fn members(module: &Module<'_>, mut ty: u32, mut name: String, mut rest: &str) -> Option<String> {
    while !rest.is_empty() {
        if rest.starts_with('[') {
            let end = rest.find(']')? + 1;
            let (index, tail) = rest.split_at(end);
            name.push_str(index);
            rest = tail;
            ty = match *module.ty(ty) {
                Type::Array { element, .. } => element,
                _ => return rest.is_empty().then_some(name),
            };
            continue;
        }
        let path = rest.strip_prefix('.')?;
        let (member, tail) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
        let (inner, _) = module.strip_arrays(ty);
        let Type::Struct { members } = module.ty(inner) else { return None };
        let index = (0..members.len() as u32)
            .find(|m| module.member_names.get(&(inner, *m)).is_some_and(|n| n == member))?;
        name.push_str(&format!("._m{index}"));
        ty = *members.get(index as usize)?;
        rest = tail;
    }
    Some(name)
}
