//! Mends what glslang gets wrong in SPIR-V.

use std::collections::{HashMap, HashSet};

use super::module::{Constant, Module, instructions};
use super::op;
use super::types::Type;

const ATOMIC_I_ADD: u16 = 234;
const ATOMIC_I_SUB: u16 = 235;

/// Gives the operand of an unsigned atomic addition the type of its result: under the relaxed rules,
/// counters are incremented by a signed 1, which is not valid.
pub fn atomic_operands(module: &mut Module) {
    let mut fresh: HashMap<(u32, u64), u32> = HashMap::new();
    let mut swaps: Vec<(usize, u32)> = Vec::new();
    let Some(mut bound) = module.words.get(3).copied() else { return };
    let mut at = 5usize;
    let mut functions = None;
    for instruction in instructions(&module.words) {
        if instruction.op == op::FUNCTION && functions.is_none() {
            functions = Some(at);
        }
        if matches!(instruction.op, ATOMIC_I_ADD | ATOMIC_I_SUB) {
            let (result, value) = (instruction.word(0), instruction.word(5));
            if let Some((ty, Constant::Scalar(bits))) = module.constants.get(&value)
                && *ty != result
                && matches!(module.ty(result), Type::Int { width: 32, .. })
            {
                let id = *fresh.entry((result, *bits)).or_insert_with(|| {
                    bound += 1;
                    bound - 1
                });
                swaps.push((at + 6, id));
            }
        }
        at += instruction.operands.len() + 1;
    }
    let Some(functions) = functions.filter(|_| !swaps.is_empty()) else { return };
    for (index, id) in swaps {
        if let Some(word) = module.words.get_mut(index) {
            *word = id;
        }
    }
    let mut constants = Vec::new();
    for ((ty, bits), id) in fresh {
        constants.extend([4 << 16 | u32::from(op::CONSTANT), ty, id, bits as u32]);
        module.constants.insert(id, (ty, Constant::Scalar(bits)));
    }
    module.words.splice(functions..functions, constants);
    if let Some(word) = module.words.get_mut(3) {
        *word = bound;
    }
}

/// Gives image types the formats that are meant (see `source::images`).
pub fn image_formats(words: &mut [u32], formats: &[(u32, u32)]) {
    let mut at = 5;
    while let Some(first) = words.get(at).copied() {
        if first as u16 == op::TYPE_IMAGE
            && let Some(format) = words.get_mut(at + 8)
            && let Some((_, meant)) = formats.iter().find(|f| f.0 == *format)
        {
            *format = *meant;
        }
        at += ((first >> 16) as usize).max(1);
    }
}

const COMPOSITE_CONSTRUCT: u16 = 80;

/// New ids and the declarations that they need.
struct Fresh {
    bound: u32,
    declarations: Vec<u32>,
}

impl Fresh {
    fn id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    fn declare(&mut self, opcode: u16, operands: &[u32]) {
        self.declarations.push((operands.len() as u32 + 1) << 16 | u32::from(opcode));
        self.declarations.extend_from_slice(operands);
    }
}

/// Reads whole arrays of `gl_in[i].gl_ClipDistance` element by element: text for a host has no size for that array, and
/// hosts refuse to copy it as a whole.
pub fn clip_distance_copies(module: &mut Module) {
    let Some(bound) = module.words.get(3).copied() else { return };
    let blocks: HashMap<u32, u32> = module
        .variables
        .iter()
        .filter(|v| v.class == op::CLASS_INPUT)
        .filter_map(|v| {
            let (base, dimensions) = module.peel(v.ty);
            let builtin = module.member_decoration(base, 0, op::DEC_BUILT_IN).is_some();
            (builtin && dimensions.len() == 1).then_some((v.id, base))
        })
        .collect();
    if blocks.is_empty() {
        return;
    }
    let mut fresh = Fresh { bound, declarations: Vec::new() };
    let mut chains = HashSet::new();
    let mut out = module.words.get(..5).unwrap_or_default().to_vec();
    let mut functions = None;
    for instruction in instructions(&module.words) {
        let word = |index| instruction.word(index);
        match instruction.op {
            op::FUNCTION if functions.is_none() => functions = Some(out.len()),
            op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN => {
                if let Some(block) = blocks.get(&word(2))
                    && let [_, member] = instruction.operands.get(3..).unwrap_or_default()
                    && let Some(member) = module.integer(*member)
                    && let Some(builtin) =
                        module.member_decoration(*block, member, op::DEC_BUILT_IN)
                    && matches!(builtin, op::BUILTIN_CLIP_DISTANCE | op::BUILTIN_CULL_DISTANCE)
                {
                    chains.insert(word(1));
                }
            }
            op::LOAD if chains.contains(&word(2)) => {
                if let Type::Array(element, count) = module.ty(word(0)) {
                    let (element, count) = (*element, *count);
                    elements(module, &mut fresh, &mut out, &instruction, element, count);
                    continue;
                }
            }
            _ => {}
        }
        push(&mut out, instruction.op, instruction.operands);
    }
    let Some(functions) = functions.filter(|_| fresh.bound != bound) else { return };
    out.splice(functions..functions, fresh.declarations);
    if let Some(word) = out.get_mut(3) {
        *word = fresh.bound;
    }
    if let Some(read) = Module::read(out) {
        *module = read;
    }
}

fn push(out: &mut Vec<u32>, opcode: u16, operands: &[u32]) {
    out.push((operands.len() as u32 + 1) << 16 | u32::from(opcode));
    out.extend_from_slice(operands);
}

/// Writes one load as loads of the elements.
fn elements(
    module: &Module,
    fresh: &mut Fresh,
    out: &mut Vec<u32>,
    load: &super::module::Instruction<'_>,
    element: u32,
    count: u32,
) {
    let pointer = fresh.id();
    fresh.declare(op::TYPE_POINTER, &[pointer, op::CLASS_INPUT, element]);
    let known = Type::Int { width: 32, signed: false };
    let integer = module.types.iter().find(|(_, ty)| **ty == known).map(|(id, _)| *id);
    let integer = integer.unwrap_or_else(|| {
        let id = fresh.id();
        fresh.declare(op::TYPE_INT, &[id, 32, 0]);
        id
    });
    let mut parts = vec![load.word(0), load.word(1)];
    for index in 0..count.min(64) {
        let constant = fresh.id();
        fresh.declare(op::CONSTANT, &[integer, constant, index]);
        let chain = fresh.id();
        push(out, op::ACCESS_CHAIN, &[pointer, chain, load.word(2), constant]);
        let value = fresh.id();
        push(out, op::LOAD, &[element, value, chain]);
        parts.push(value);
    }
    push(out, COMPOSITE_CONSTRUCT, &parts);
}
