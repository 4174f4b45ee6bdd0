//! Atomic counters: the block of a counter buffer becomes one array of integers.
//!
//! Under the relaxed rules a counter is a member of a storage block at the offset that the program gave it. No version of
//! ESSL, and no GLSL before 4.40, can say where a member stands, and stages that use different counters of one buffer would declare
//! different blocks under one name. An array says both the same way everywhere.

use super::{Fresh, copy, with};
use crate::Refusal;
use crate::module::{HEADER, Inst, Module, Type, instructions};
use crate::rewrite::push;
use forerun_pipe::archive::Stage;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{Decoration, Op};

/// How the archive names the block of a counter buffer.
const PREFIX: &str = "fr_AtomicCounterBlock";

/// The block structures of counter buffers, by the program's own names.
pub(crate) fn blocks(module: &Module<'_>) -> Vec<u32> {
    let is_counters = |id: &&u32| {
        let Type::Struct { members } = module.ty(**id) else { return false };
        module.names.get(*id).is_some_and(|name| name.starts_with(PREFIX))
            && members.iter().all(|m| scalar(module, module.strip_arrays(*m).0))
    };
    module.types.keys().filter(is_counters).copied().collect()
}

fn scalar(module: &Module<'_>, ty: u32) -> bool {
    matches!(module.ty(ty), Type::Scalar { width: 32, .. })
}

/// Turns those blocks into arrays.
pub(crate) fn counters(stage: Stage, words: Vec<u32>, blocks: &[u32]) -> Result<Vec<u32>, Refusal> {
    if blocks.is_empty() {
        return Ok(words);
    }
    let module = Module::read(stage, &words)?;
    let mut pass = Pass::new(&module, blocks)?;
    let mut out = words.get(..HEADER).unwrap_or(&[]).to_vec();
    let mut annotated = false;
    for inst in instructions(&words) {
        let decorates = matches!(Op::from_u32(inst.op), Some(Op::Decorate | Op::MemberDecorate));
        if decorates && !annotated {
            annotated = true;
            for (array, _) in pass.arrays.values() {
                push(&mut out, Op::Decorate, &[*array, Decoration::ArrayStride as u32, 4]);
            }
        }
        pass.write(&module, &mut out, inst)?;
    }
    pass.fresh.finish(&mut out);
    Ok(out)
}

struct Pass {
    fresh: Fresh,
    /// Block → the id of its array type and that of the integer.
    arrays: FxHashMap<u32, (u32, u32)>,
    /// Where each member of a block stands, in integers.
    places: FxHashMap<(u32, u32), u32>,
    /// Variable → block.
    variables: FxHashMap<u32, u32>,
    /// The type of an index.
    uint: u32,
    zero: u32,
}

impl Pass {
    fn new(module: &Module<'_>, blocks: &[u32]) -> Result<Pass, Refusal> {
        let mut fresh = Fresh::new(module);
        let uint = fresh.int(module, false)?;
        let zero = fresh.constant(uint, 0)?;
        let wanted: FxHashSet<u32> = blocks.iter().copied().collect();
        let mut arrays = FxHashMap::default();
        for block in blocks {
            let Type::Struct { members } = module.ty(*block) else { continue };
            let integer = members.first().map_or(uint, |m| module.strip_arrays(*m).0);
            arrays.insert(*block, (fresh.id()?, integer));
        }
        let mut places = FxHashMap::default();
        for inst in instructions(module.words).filter(|i| i.is(Op::MemberDecorate)) {
            if inst.arg(2) == Decoration::Offset as u32 && wanted.contains(&inst.arg(0)) {
                places.insert((inst.arg(0), inst.arg(1)), inst.arg(3) / 4);
            }
        }
        let of_block = |ty: u32| wanted.contains(&ty).then_some(ty);
        let variables =
            module.variables.iter().filter_map(|v| Some((v.id, of_block(v.ty)?))).collect();
        Ok(Pass { fresh, arrays, places, variables, uint, zero })
    }

    fn write(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        inst: Inst<'_>,
    ) -> Result<(), Refusal> {
        match Op::from_u32(inst.op) {
            Some(Op::TypeStruct) => match self.arrays.get(&inst.arg(0)) {
                Some((array, integer)) => {
                    push(out, Op::TypeRuntimeArray, &[*array, *integer]);
                    push(out, Op::TypeStruct, &[inst.arg(0), *array]);
                }
                None => copy(out, inst),
            },
            // The one member stands at the beginning.
            Some(Op::MemberDecorate) if self.arrays.contains_key(&inst.arg(0)) => {
                if inst.arg(1) == 0 {
                    let is_offset = inst.arg(2) == Decoration::Offset as u32;
                    let place = if is_offset { 0 } else { inst.arg(3) };
                    push(out, Op::MemberDecorate, &with(inst.args, 3, place));
                }
            }
            Some(Op::AccessChain | Op::InBoundsAccessChain) => {
                match self.variables.get(&inst.arg(2)).copied() {
                    Some(block) => self.chain(module, out, inst, block)?,
                    None => copy(out, inst),
                }
            }
            _ => copy(out, inst),
        }
        Ok(())
    }

    /// `block.member[index]` becomes `block.array[place + index]`.
    fn chain(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        inst: Inst<'_>,
        block: u32,
    ) -> Result<(), Refusal> {
        let odd = || Refusal::Unsupported("this use of atomic counters".into());
        let member = module.constants.get(&inst.arg(3)).copied().ok_or_else(odd)?;
        let place = self.places.get(&(block, member)).copied().ok_or_else(odd)?;
        let Type::Struct { members } = module.ty(block) else { return Err(odd()) };
        let mut ty = *members.get(member as usize).ok_or_else(odd)?;
        let base = self.fresh.constant(self.uint, place)?;
        let mut index = base;
        let mut at = 4;
        while let Type::Array { element, .. } = *module.ty(ty) {
            let given = *inst.args.get(at).ok_or_else(odd)?;
            let stride = module.strip_arrays(element).1.max(1);
            let mut part = given;
            if stride > 1 {
                let wide = self.fresh.constant(self.uint, stride)?;
                part = self.fresh.id()?;
                push(out, Op::IMul, &[self.uint, part, given, wide]);
            }
            let sum = self.fresh.id()?;
            push(out, Op::IAdd, &[self.uint, sum, index, part]);
            (index, ty, at) = (sum, element, at + 1);
        }
        if inst.args.len() != at {
            return Err(odd());
        }
        push(out, Op::AccessChain, &[inst.arg(0), inst.arg(1), inst.arg(2), self.zero, index]);
        Ok(())
    }
}
