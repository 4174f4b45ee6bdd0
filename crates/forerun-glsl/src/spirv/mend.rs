//! Mends what glslang gets wrong in SPIR-V.

use std::collections::HashMap;

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
