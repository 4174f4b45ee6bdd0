//! Passes over the words for what a host's language lacks, each from a whole module to a whole module. A pass that
//! finds nothing to do costs one look at the declarations.

mod broadcast;
mod counters;
mod flatten;
mod lines;
mod packing;
mod rectangle;
mod wrap;

pub(crate) use broadcast::broadcast;
pub(crate) use counters::{blocks as counter_blocks, counters};
pub(crate) use flatten::{flatten, flattened};
pub(crate) use lines::lines;
pub(crate) use packing::packing;
pub(crate) use rectangle::rectangles;
pub(crate) use wrap::{wrap, wrapped};

use crate::Refusal;
use crate::module::{HEADER, Inst, MAX_BOUND, Module, Type};
use crate::rewrite::push;
use rustc_hash::FxHashMap;
use spirv::Op;

/// New ids and the declarations that they need, for one pass.
struct Fresh {
    bound: u32,
    /// Types and constants, to stand before the first function.
    declarations: Vec<u32>,
    /// Constants declared so far, by type and bits.
    constants: FxHashMap<(u32, u32), u32>,
}

impl Fresh {
    fn new(module: &Module<'_>) -> Fresh {
        Fresh {
            bound: module.words.get(3).copied().unwrap_or(0),
            declarations: Vec::new(),
            constants: FxHashMap::default(),
        }
    }

    fn id(&mut self) -> Result<u32, Refusal> {
        if self.bound >= MAX_BOUND {
            return Err(Refusal::Malformed("id bound"));
        }
        self.bound += 1;
        Ok(self.bound - 1)
    }

    /// The id of a type, declared if the module has none.
    fn ty(
        &mut self,
        module: &Module<'_>,
        wanted: &Type,
        op: Op,
        args: &[u32],
    ) -> Result<u32, Refusal> {
        if let Some((id, _)) = module.types.iter().find(|(_, ty)| *ty == wanted) {
            return Ok(*id);
        }
        self.declare(op, args)
    }

    /// Declares a type.
    fn declare(&mut self, op: Op, args: &[u32]) -> Result<u32, Refusal> {
        let id = self.id()?;
        let mut whole = vec![id];
        whole.extend_from_slice(args);
        push(&mut self.declarations, op, &whole);
        Ok(id)
    }

    /// A scalar constant of a type, declared once.
    fn constant(&mut self, ty: u32, bits: u32) -> Result<u32, Refusal> {
        if let Some(id) = self.constants.get(&(ty, bits)) {
            return Ok(*id);
        }
        let id = self.id()?;
        push(&mut self.declarations, Op::Constant, &[ty, id, bits]);
        self.constants.insert((ty, bits), id);
        Ok(id)
    }

    /// The type of a 32-bit float.
    fn float(&mut self, module: &Module<'_>) -> Result<u32, Refusal> {
        let wanted = Type::Scalar { op: Op::TypeFloat as u32, width: 32, signed: true };
        self.ty(module, &wanted, Op::TypeFloat, &[32])
    }

    /// The type of a 32-bit integer.
    fn int(&mut self, module: &Module<'_>, signed: bool) -> Result<u32, Refusal> {
        let wanted = Type::Scalar { op: Op::TypeInt as u32, width: 32, signed };
        self.ty(module, &wanted, Op::TypeInt, &[32, signed.into()])
    }

    /// The type of a vector.
    fn vector(&mut self, module: &Module<'_>, component: u32, count: u32) -> Result<u32, Refusal> {
        let wanted = Type::Vector { component, count };
        self.ty(module, &wanted, Op::TypeVector, &[component, count])
    }

    /// Puts the declarations into a finished module, before its first function, and the bound into its header.
    fn finish(&self, words: &mut Vec<u32>) {
        let mut at = HEADER;
        while let Some(first) = words.get(at).filter(|w| **w & 0xFFFF != Op::Function as u32) {
            at += ((first >> 16) as usize).max(1);
        }
        let at = at.min(words.len());
        words.splice(at..at, self.declarations.iter().copied());
        if let Some(bound) = words.get_mut(3) {
            *bound = self.bound;
        }
    }
}

/// Operands with one changed.
fn with(args: &[u32], index: usize, value: u32) -> Vec<u32> {
    let mut args = args.to_vec();
    if let Some(word) = args.get_mut(index) {
        *word = value;
    }
    args
}

/// Copies an instruction unchanged.
fn copy(out: &mut Vec<u32>, inst: Inst<'_>) {
    out.push(((inst.args.len() as u32 + 1) << 16) | inst.op);
    out.extend_from_slice(inst.args);
}
