//! Arrays of arrays of blocks and between stages, for hosts whose language has none of them (ESSL 3.20, sections 4.3.6, 4.3.7 and 4.3.9):
//! one array of as many elements, in the same order.

use super::{Fresh, copy, with};
use crate::Refusal;
use crate::module::{HEADER, Inst, Module, Type, Variable, instructions};
use crate::rewrite::push;
use forerun_pipe::archive::Stage;
use rustc_hash::FxHashMap;
use spirv::{Op, StorageClass};

/// The lengths of the dimensions of a variable that become one, outermost first; none when there is nothing to flatten.
pub(crate) fn flattened(stage: Stage, module: &Module<'_>, variable: &Variable) -> Vec<u32> {
    let class = StorageClass::from_u32(variable.class);
    let between = match class {
        Some(StorageClass::Uniform | StorageClass::StorageBuffer) => false,
        Some(StorageClass::Input | StorageClass::Output) => true,
        _ => return Vec::new(),
    };
    if between && module.is_builtin(variable) {
        return Vec::new();
    }
    let mut lengths = Vec::new();
    let mut ty = variable.ty;
    while let Type::Array { element, length } = *module.ty(ty) {
        lengths.push(length);
        ty = element;
        if lengths.len() > 16 {
            return Vec::new();
        }
    }
    if between && per_vertex(stage, module, variable) && !lengths.is_empty() {
        lengths.remove(0);
    }
    if lengths.len() < 2 { Vec::new() } else { lengths }
}

/// Whether the outermost dimension of an input or output counts vertices.
fn per_vertex(stage: Stage, module: &Module<'_>, variable: &Variable) -> bool {
    let class = StorageClass::from_u32(variable.class);
    let input = class == Some(StorageClass::Input);
    let arrayed = match stage {
        Stage::Geometry | Stage::TessEvaluation => input,
        Stage::TessControl => input || class == Some(StorageClass::Output),
        _ => false,
    };
    arrayed && !module.marks(variable.id).patch
}

/// Flattens them.
pub(crate) fn flatten(stage: Stage, words: Vec<u32>) -> Result<Vec<u32>, Refusal> {
    let module = Module::read(stage, &words)?;
    let mut pass = Pass::new(&module);
    for variable in &module.variables {
        let lengths = flattened(stage, &module, variable);
        if lengths.is_empty() {
            continue;
        }
        let vertices = per_vertex(stage, &module, variable);
        pass.add(&module, variable, lengths, vertices)?;
    }
    if pass.flat.is_empty() {
        return Ok(words);
    }
    let mut out = words.get(..HEADER).unwrap_or(&[]).to_vec();
    for inst in instructions(&words) {
        let op = Op::from_u32(inst.op).unwrap_or(Op::Nop);
        pass.write(&module, &mut out, op, inst)?;
    }
    pass.fresh.finish(&mut out);
    Ok(out)
}

struct Flat {
    lengths: Vec<u32>,
    vertices: bool,
    class: u32,
    element: u32,
    pointer: u32,
}

/// Where in a flattened array: a constant part, and one that is known when the shader runs.
#[derive(Clone, Copy)]
struct Place {
    constant: u32,
    dynamic: Option<u32>,
}

/// A chain that ends before the last dimension.
#[derive(Clone)]
struct Part {
    base: u32,
    vertex: Option<u32>,
    place: Place,
    lengths: Vec<u32>,
}

struct Pass {
    fresh: Fresh,
    flat: FxHashMap<u32, Flat>,
    parts: FxHashMap<u32, Part>,
    uint: u32,
}

impl Pass {
    fn new(module: &Module<'_>) -> Pass {
        Pass {
            fresh: Fresh::new(module),
            flat: FxHashMap::default(),
            parts: FxHashMap::default(),
            uint: 0,
        }
    }

    /// Declares the new type of a variable. The variable itself follows the types.
    fn add(
        &mut self,
        module: &Module<'_>,
        variable: &Variable,
        lengths: Vec<u32>,
        vertices: bool,
    ) -> Result<(), Refusal> {
        if self.uint == 0 {
            self.uint = self.fresh.int(module, false)?;
        }
        let count = elements(&lengths);
        // Values are loaded and stored element by element.
        if count > MOST {
            return Err(odd());
        }
        let mut element = variable.ty;
        let mut outer = 0;
        for level in 0..lengths.len() + usize::from(vertices) {
            let Type::Array { element: inner, length } = *module.ty(element) else {
                return Err(odd());
            };
            if level == 0 {
                outer = length;
            }
            element = inner;
        }
        let count = self.fresh.constant(self.uint, count)?;
        let mut ty = self.fresh.declare(Op::TypeArray, &[element, count])?;
        if vertices {
            let outer = self.fresh.constant(self.uint, outer)?;
            ty = self.fresh.declare(Op::TypeArray, &[ty, outer])?;
        }
        let pointer = self.fresh.declare(Op::TypePointer, &[variable.class, ty])?;
        let class = variable.class;
        self.flat.insert(variable.id, Flat { lengths, vertices, class, element, pointer });
        Ok(())
    }

    fn write(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        op: Op,
        inst: Inst<'_>,
    ) -> Result<(), Refusal> {
        match op {
            Op::Variable => match self.flat.get(&inst.arg(1)) {
                Some(flat) => {
                    let args = with(inst.args, 0, flat.pointer);
                    push(&mut self.fresh.declarations, op, &args);
                }
                None => copy(out, inst),
            },
            Op::AccessChain | Op::InBoundsAccessChain
                if self.flat.contains_key(&inst.arg(2))
                    || self.parts.contains_key(&inst.arg(2)) =>
            {
                self.chain(module, out, inst)?;
            }
            Op::Load if self.part(inst.arg(2)).is_some() => {
                let part = self.part(inst.arg(2)).ok_or_else(odd)?;
                let mut next = 0;
                self.load(module, out, inst.arg(0), Some(inst.arg(1)), &part, &mut next)?;
            }
            Op::Store if self.part(inst.arg(0)).is_some() => {
                let part = self.part(inst.arg(0)).ok_or_else(odd)?;
                let ty = self.array_type(module, &part).ok_or_else(odd)?;
                self.store(module, out, ty, inst.arg(1), &part, &mut 0)?;
            }
            Op::CopyMemory | Op::FunctionCall | Op::CopyObject
                if inst.args.iter().any(|arg| self.part(*arg).is_some()) =>
            {
                return Err(odd());
            }
            _ => copy(out, inst),
        }
        Ok(())
    }

    /// The part that an id points to: a whole variable or some of it.
    fn part(&self, id: u32) -> Option<Part> {
        if let Some(flat) = self.flat.get(&id) {
            let whole = Part {
                base: id,
                vertex: None,
                place: Place { constant: 0, dynamic: None },
                lengths: flat.lengths.clone(),
            };
            // All vertices at once are never read or written.
            return (!flat.vertices).then_some(whole);
        }
        self.parts.get(&id).cloned()
    }

    /// An array of the lengths of a part, as the module declares it.
    fn array_type(&self, module: &Module<'_>, part: &Part) -> Option<u32> {
        let mut ty = self.flat.get(&part.base)?.element;
        for length in part.lengths.iter().rev() {
            let wanted = Type::Array { element: ty, length: *length };
            ty = module.types.iter().find(|(_, known)| **known == wanted).map(|(id, _)| *id)?;
        }
        Some(ty)
    }

    /// A chain from a flattened variable or a part of one.
    fn chain(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        inst: Inst<'_>,
    ) -> Result<(), Refusal> {
        let mut indices = inst.args.get(3..).unwrap_or(&[]);
        let base = inst.arg(2);
        let mut part = match self.parts.get(&base) {
            Some(part) => part.clone(),
            None => {
                let flat = self.flat.get(&base).ok_or_else(odd)?;
                let (lengths, vertices) = (flat.lengths.clone(), flat.vertices);
                let mut vertex = None;
                if vertices {
                    let (first, rest) = indices.split_first().ok_or_else(odd)?;
                    vertex = Some(*first);
                    indices = rest;
                }
                Part { base, vertex, place: Place { constant: 0, dynamic: None }, lengths }
            }
        };
        while !part.lengths.is_empty()
            && let Some((index, rest)) = indices.split_first()
        {
            part.lengths.remove(0);
            let stride = elements(&part.lengths);
            match module.constants.get(index) {
                Some(value) => {
                    let offset = value.wrapping_mul(stride);
                    part.place.constant = part.place.constant.wrapping_add(offset);
                }
                None => {
                    let mut scaled = *index;
                    if stride != 1 {
                        let by = self.fresh.constant(self.uint, stride)?;
                        scaled = self.fresh.id()?;
                        push(out, Op::IMul, &[self.uint, scaled, *index, by]);
                    }
                    part.place.dynamic = Some(match part.place.dynamic {
                        Some(before) => {
                            let sum = self.fresh.id()?;
                            push(out, Op::IAdd, &[self.uint, sum, before, scaled]);
                            sum
                        }
                        None => scaled,
                    });
                }
            }
            indices = rest;
        }
        if !part.lengths.is_empty() {
            self.parts.insert(inst.arg(1), part);
            return Ok(());
        }
        let index = self.index(out, part.place)?;
        let mut args = vec![inst.arg(0), inst.arg(1), part.base];
        args.extend(part.vertex);
        args.push(index);
        args.extend_from_slice(indices);
        push(out, Op::AccessChain, &args);
        Ok(())
    }

    fn index(&mut self, out: &mut Vec<u32>, place: Place) -> Result<u32, Refusal> {
        match place.dynamic {
            None => self.fresh.constant(self.uint, place.constant),
            Some(id) if place.constant == 0 => Ok(id),
            Some(id) => {
                let constant = self.fresh.constant(self.uint, place.constant)?;
                let sum = self.fresh.id()?;
                push(out, Op::IAdd, &[self.uint, sum, id, constant]);
                Ok(sum)
            }
        }
    }

    /// A pointer to the element at `next` behind the start of a part.
    fn element(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        part: &Part,
        next: u32,
    ) -> Result<u32, Refusal> {
        let flat = self.flat.get(&part.base).ok_or_else(odd)?;
        let (class, element) = (flat.class, flat.element);
        let wanted = Type::Pointer { class, pointee: element };
        let ty = self.fresh.ty(module, &wanted, Op::TypePointer, &[class, element])?;
        let place = Place { constant: part.place.constant.wrapping_add(next), ..part.place };
        let index = self.index(out, place)?;
        let chain = self.fresh.id()?;
        let mut args = vec![ty, chain, part.base];
        args.extend(part.vertex);
        args.push(index);
        push(out, Op::AccessChain, &args);
        Ok(chain)
    }

    /// Loads a part as a value of type `ty`, element by element.
    fn load(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        ty: u32,
        result: Option<u32>,
        part: &Part,
        next: &mut u32,
    ) -> Result<u32, Refusal> {
        let element = self.flat.get(&part.base).ok_or_else(odd)?.element;
        let mut args = match result {
            Some(id) => vec![ty, id],
            None => vec![ty, self.fresh.id()?],
        };
        let id = args.get(1).copied().unwrap_or(0);
        if ty == element {
            args.push(self.element(module, out, part, *next)?);
            *next += 1;
            push(out, Op::Load, &args);
            return Ok(id);
        }
        let Type::Array { element: inner, length } = *module.ty(ty) else { return Err(odd()) };
        for _ in 0..length {
            args.push(self.load(module, out, inner, None, part, next)?);
        }
        push(out, Op::CompositeConstruct, &args);
        Ok(id)
    }

    /// Stores a value of type `ty` into a part, element by element.
    fn store(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        ty: u32,
        value: u32,
        part: &Part,
        next: &mut u32,
    ) -> Result<(), Refusal> {
        let element = self.flat.get(&part.base).ok_or_else(odd)?.element;
        if ty == element {
            let pointer = self.element(module, out, part, *next)?;
            *next += 1;
            push(out, Op::Store, &[pointer, value]);
            return Ok(());
        }
        let Type::Array { element: inner, length } = *module.ty(ty) else { return Err(odd()) };
        for index in 0..length {
            let member = self.fresh.id()?;
            push(out, Op::CompositeExtract, &[inner, member, value, index]);
            self.store(module, out, inner, member, part, next)?;
        }
        Ok(())
    }
}

/// More elements than any interface has room for.
const MOST: u32 = 1024;

/// How many elements arrays in arrays have, by their lengths.
fn elements(lengths: &[u32]) -> u32 {
    lengths.iter().fold(1, |product: u32, length| product.saturating_mul(*length))
}

fn odd() -> Refusal {
    Refusal::Unsupported("this use of arrays of arrays".into())
}
