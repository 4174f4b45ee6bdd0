//! Varyings that ESSL does not allow alone but in a block: arrays of structures, and structures that hold arrays or structures
//! (ESSL 3.20, section 4.3.6). Each becomes the one member of an interface block, in the stage that writes it and in the one
//! that reads it.

use super::{Fresh, copy, with};
use crate::Refusal;
use crate::module::{HEADER, Inst, Module, Type, Variable, execution_model, instructions};
use crate::rewrite::{literal, push};
use forerun_pipe::archive::Stage;
use rustc_hash::FxHashMap;
use spirv::{Decoration, Op, StorageClass};

/// Whether the variable is an array with an element for each vertex.
fn per_vertex(stage: Stage, module: &Module<'_>, variable: &Variable) -> bool {
    let input = variable.class == StorageClass::Input as u32;
    !module.marks(variable.id).patch
        && match stage {
            Stage::TessControl => true,
            Stage::TessEvaluation | Stage::Geometry => input,
            _ => false,
        }
}

/// Whether a variable has to stand in a block, and the type that the block's member has.
pub(crate) fn wrapped(stage: Stage, module: &Module<'_>, variable: &Variable) -> Option<u32> {
    let varying = match StorageClass::from_u32(variable.class) {
        Some(StorageClass::Input) => stage != Stage::Vertex,
        Some(StorageClass::Output) => stage != Stage::Fragment,
        _ => false,
    };
    if !varying || module.is_builtin(variable) || module.model != execution_model(stage) as u32 {
        return None;
    }
    let own = match *module.ty(variable.ty) {
        Type::Array { element, .. } if per_vertex(stage, module, variable) => element,
        _ => variable.ty,
    };
    let (inner, _) = module.strip_arrays(own);
    let Type::Struct { members } = module.ty(inner) else { return None };
    let deep = members.iter().any(|m| {
        matches!(
            module.ty(*m),
            Type::Array { .. } | Type::RuntimeArray { .. } | Type::Struct { .. }
        )
    });
    (!module.marks(inner).block && (deep || inner != own)).then_some(own)
}

/// Puts those variables into blocks, which take the variables' names in capitals.
pub(crate) fn wrap(stage: Stage, words: Vec<u32>) -> Result<Vec<u32>, Refusal> {
    let module = Module::read(stage, &words)?;
    let mut pass = Pass { fresh: Fresh::new(&module), boxes: FxHashMap::default(), zero: 0 };
    for variable in &module.variables {
        let Some(own) = wrapped(stage, &module, variable) else { continue };
        let arrayed = own != variable.ty;
        let [block, array, pointer, inner] =
            [pass.fresh.id()?, pass.fresh.id()?, pass.fresh.id()?, pass.fresh.id()?];
        let plain = Boxed { block, array, pointer, inner, own, arrayed, variable: *variable };
        pass.boxes.insert(variable.id, plain);
    }
    if pass.boxes.is_empty() {
        return Ok(words);
    }
    let int = pass.fresh.int(&module, true)?;
    pass.zero = pass.fresh.constant(int, 0)?;
    let mut out = words.get(..HEADER).unwrap_or(&[]).to_vec();
    let mut named = false;
    for inst in instructions(&words) {
        let op = Op::from_u32(inst.op).unwrap_or(Op::Nop);
        if op == Op::Decorate && !named {
            named = true;
            pass.annotate(&module, &mut out);
        }
        pass.write(&module, &mut out, op, inst)?;
    }
    pass.fresh.finish(&mut out);
    Ok(out)
}

#[derive(Clone, Copy)]
struct Boxed {
    block: u32,
    array: u32,
    pointer: u32,
    /// Pointer to the member.
    inner: u32,
    own: u32,
    arrayed: bool,
    variable: Variable,
}

struct Pass {
    fresh: Fresh,
    boxes: FxHashMap<u32, Boxed>,
    zero: u32,
}

impl Pass {
    /// Names and decorates the blocks.
    fn annotate(&self, module: &Module<'_>, out: &mut Vec<u32>) {
        for (id, boxed) in &self.boxes {
            if let Some(name) = module.names.get(id) {
                let mut args = vec![boxed.block];
                args.extend(literal(&name.to_ascii_uppercase()));
                push(out, Op::Name, &args);
            }
        }
        for boxed in self.boxes.values() {
            push(out, Op::Decorate, &[boxed.block, Decoration::Block as u32]);
        }
    }

    fn write(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        op: Op,
        inst: Inst<'_>,
    ) -> Result<(), Refusal> {
        match op {
            // How it is interpolated is said of members.
            Op::Decorate if self.boxes.contains_key(&inst.arg(0)) => {
                let moves = matches!(
                    Decoration::from_u32(inst.arg(1)),
                    Some(
                        Decoration::Flat
                            | Decoration::NoPerspective
                            | Decoration::Centroid
                            | Decoration::Sample
                    )
                );
                match self.boxes.get(&inst.arg(0)).filter(|_| moves) {
                    Some(b) => push(out, Op::MemberDecorate, &[b.block, 0, inst.arg(1)]),
                    None => copy(out, inst),
                }
            }
            Op::Variable => match self.boxes.get(&inst.arg(1)).copied() {
                Some(boxed) => self.declare(module, out, &boxed, inst),
                None => copy(out, inst),
            },
            Op::AccessChain | Op::InBoundsAccessChain => match self.boxes.get(&inst.arg(2)) {
                Some(boxed) => {
                    let keep = if boxed.arrayed { 4 } else { 3 };
                    let (head, tail) = inst.args.split_at(inst.args.len().min(keep));
                    if boxed.arrayed && inst.args.len() < keep {
                        return Err(odd());
                    }
                    push(out, op, &[head, &[self.zero], tail].concat());
                }
                None => copy(out, inst),
            },
            // The whole of a variable that is no array of vertices.
            Op::Load | Op::Store => {
                let at = if op == Op::Load { 2 } else { 0 };
                match self.boxes.get(&inst.arg(at)).copied() {
                    Some(boxed) if !boxed.arrayed => {
                        let chain = self.fresh.id()?;
                        let args = [boxed.inner, chain, boxed.variable.id, self.zero];
                        push(out, Op::AccessChain, &args);
                        push(out, op, &with(inst.args, at, chain));
                    }
                    Some(_) => return Err(odd()),
                    None => copy(out, inst),
                }
            }
            Op::CopyMemory | Op::FunctionCall
                if inst.args.iter().any(|arg| self.boxes.contains_key(arg)) =>
            {
                return Err(odd());
            }
            _ => copy(out, inst),
        }
        Ok(())
    }

    fn declare(&self, module: &Module<'_>, out: &mut Vec<u32>, boxed: &Boxed, inst: Inst<'_>) {
        let class = boxed.variable.class;
        push(out, Op::TypeStruct, &[boxed.block, boxed.own]);
        let mut whole = boxed.block;
        if boxed.arrayed {
            // The length is a constant's id, which only the words have.
            let length = instructions(module.words)
                .find(|i| i.is(Op::TypeArray) && i.arg(0) == boxed.variable.ty)
                .map_or(0, |i| i.arg(2));
            push(out, Op::TypeArray, &[boxed.array, boxed.block, length]);
            whole = boxed.array;
        }
        push(out, Op::TypePointer, &[boxed.pointer, class, whole]);
        push(out, Op::TypePointer, &[boxed.inner, class, boxed.own]);
        push(out, Op::Variable, &with(inst.args, 0, boxed.pointer));
    }
}

fn odd() -> Refusal {
    Refusal::Unsupported("this use of structures between stages".into())
}
