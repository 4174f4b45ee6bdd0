//! `GL_AMD_shader_trinary_minmax` as minima and maxima of two, so that no host needs the extension.

use super::module::{Module, instructions, string, string_words};
use super::op;

const EXTENSION: u16 = 10;
const EXT_INST_IMPORT: u16 = 11;
const NAME: &str = "SPV_AMD_shader_trinary_minmax";
/// FMin, UMin and SMin of `GLSL.std.450`; the maxima follow at once.
const MINIMUM: u32 = 37;
/// FMax of `GLSL.std.450`.
const MAXIMUM: u32 = 40;

/// Replaces every instruction of the extension.
pub fn lower(module: &mut Module) {
    let is_set = |instruction: &super::module::Instruction<'_>| {
        instruction.op == EXT_INST_IMPORT
            && string(instruction.operands.get(1..).unwrap_or_default()).0 == NAME
    };
    let Some(set) = instructions(&module.words).find(is_set).map(|i| i.word(0)) else { return };
    let Some(mut bound) = module.words.get(3).copied() else { return };
    let mut out = module.words.get(..5).unwrap_or_default().to_vec();
    for instruction in instructions(&module.words) {
        match instruction.op {
            EXTENSION if string(instruction.operands).0 == NAME => {}
            EXT_INST_IMPORT if instruction.word(0) == set => {
                let mut operands = vec![set];
                operands.extend(string_words("GLSL.std.450"));
                push(&mut out, EXT_INST_IMPORT, &operands);
            }
            op::EXT_INST if instruction.word(2) == set => {
                let [ty, result, _, number, a, b, c] =
                    [0, 1, 2, 3, 4, 5, 6].map(|i| instruction.word(i));
                // The numbers 1 to 9: minimum, maximum and middle, of floats, unsigned and signed integers each.
                let kind = number.wrapping_sub(1) % 3;
                let (least, most) = (MINIMUM + kind, MAXIMUM + kind);
                let mut emit = |number: u32, result: Option<u32>, a: u32, b: u32| {
                    let id = result.unwrap_or_else(|| {
                        bound += 1;
                        bound - 1
                    });
                    push(&mut out, op::EXT_INST, &[ty, id, set, number, a, b]);
                    id
                };
                match number.wrapping_sub(1) / 3 {
                    0 => {
                        let both = emit(least, None, a, b);
                        emit(least, Some(result), both, c);
                    }
                    1 => {
                        let both = emit(most, None, a, b);
                        emit(most, Some(result), both, c);
                    }
                    _ => {
                        let below = emit(least, None, a, b);
                        let above = emit(most, None, a, b);
                        let capped = emit(least, None, above, c);
                        emit(most, Some(result), below, capped);
                    }
                }
            }
            _ => push(&mut out, instruction.op, instruction.operands),
        }
    }
    if let Some(word) = out.get_mut(3) {
        *word = bound;
    }
    if let Some(read) = Module::read(out) {
        *module = read;
    }
}

fn push(out: &mut Vec<u32>, opcode: u16, operands: &[u32]) {
    out.push((operands.len() as u32 + 1) << 16 | u32::from(opcode));
    out.extend_from_slice(operands);
}
