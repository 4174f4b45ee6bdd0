//! One-dimensional textures and images for hosts that have none: two-dimensional ones of one row, of which the middle is
//! sampled.

use super::rectangle::{has_result, sampling};
use super::{Fresh, copy, with};
use crate::Refusal;
use crate::module::{HEADER, Inst, Module, Type, instructions};
use crate::rewrite::push;
use forerun_pipe::archive::Stage;
use rustc_hash::FxHashMap;
use spirv::{Capability, Dim, ImageOperands, Op};

/// Turns one-dimensional images into two-dimensional ones.
pub(crate) fn lines(stage: Stage, words: Vec<u32>) -> Result<Vec<u32>, Refusal> {
    let module = Module::read(stage, &words)?;
    if !module.types.keys().any(|ty| is_line(&module, *ty)) {
        return Ok(words);
    }
    let mut pass = Pass::new(&module)?;
    let mut out = words.get(..HEADER).unwrap_or(&[]).to_vec();
    for inst in instructions(&words) {
        let op = Op::from_u32(inst.op).unwrap_or(Op::Nop);
        if has_result(op) {
            pass.results.insert(inst.arg(1), inst.arg(0));
        }
        pass.write(&module, &mut out, op, inst)?;
    }
    pass.fresh.finish(&mut out);
    Ok(out)
}

fn is_line(module: &Module<'_>, ty: u32) -> bool {
    matches!(module.ty(ty), Type::Image { dim, .. } if *dim == Dim::Dim1D as u32)
}

/// The scalar kinds of coordinates: float, signed, unsigned.
#[derive(Clone, Copy)]
struct Kind {
    scalar: u32,
    /// Vectors of two and of three.
    vectors: [u32; 2],
    /// Where in the row: its middle, or its one texel.
    row: u32,
}

struct Pass {
    fresh: Fresh,
    results: FxHashMap<u32, u32>,
    float: Kind,
    int: Kind,
    uint: Kind,
    zero: u32,
    float_zero: u32,
    half: u32,
}

impl Pass {
    fn new(module: &Module<'_>) -> Result<Pass, Refusal> {
        let mut fresh = Fresh::new(module);
        let scalars = [fresh.float(module)?, fresh.int(module, true)?, fresh.int(module, false)?];
        let mut kind = |scalar: u32, row: u32| -> Result<Kind, Refusal> {
            let vectors = [fresh.vector(module, scalar, 2)?, fresh.vector(module, scalar, 3)?];
            Ok(Kind { scalar, vectors, row: fresh.constant(scalar, row)? })
        };
        let [float, int, uint] = scalars;
        let (float, int, uint) = (kind(float, 0.5f32.to_bits())?, kind(int, 0)?, kind(uint, 0)?);
        let float_zero = fresh.constant(float.scalar, 0)?;
        Ok(Pass {
            fresh,
            results: FxHashMap::default(),
            float,
            int,
            uint,
            zero: int.row,
            float_zero,
            half: float.row,
        })
    }

    /// Whether the image behind an image, sampled image or pointer value is a line, and has layers.
    fn line(&self, module: &Module<'_>, id: u32) -> Option<bool> {
        let mut ty = *self.results.get(&id)?;
        if let Type::Pointer { pointee, .. } = module.ty(ty) {
            ty = *pointee;
        }
        let (ty, _) = module.strip_arrays(ty);
        let image = match module.ty(ty) {
            Type::SampledImage { image } => *image,
            _ => ty,
        };
        match module.ty(image) {
            Type::Image { arrayed, .. } if is_line(module, image) => Some(*arrayed),
            _ => None,
        }
    }

    fn write(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        op: Op,
        inst: Inst<'_>,
    ) -> Result<(), Refusal> {
        let at = |index: usize| self.line(module, inst.arg(index));
        match op {
            Op::Capability
                if matches!(
                    Capability::from_u32(inst.arg(0)),
                    Some(Capability::Sampled1D | Capability::Image1D)
                ) => {}
            Op::TypeImage if inst.arg(2) == Dim::Dim1D as u32 => {
                push(out, op, &with(inst.args, 2, Dim::Dim2D as u32));
            }
            Op::ImageQuerySize | Op::ImageQuerySizeLod => match at(2) {
                Some(arrayed) => self.size(module, out, op, inst, arrayed)?,
                None => copy(out, inst),
            },
            Op::ImageQueryLod => match at(2) {
                Some(_) => self.moved(module, out, op, inst, 3, false)?,
                None => copy(out, inst),
            },
            Op::ImageRead | Op::ImageTexelPointer => match at(2) {
                Some(arrayed) => self.moved(module, out, op, inst, 3, arrayed)?,
                None => copy(out, inst),
            },
            Op::ImageWrite => match at(0) {
                Some(arrayed) => self.moved(module, out, op, inst, 1, arrayed)?,
                None => copy(out, inst),
            },
            _ => {
                let operands = if op == Op::ImageFetch { Some(4) } else { sampling(op) };
                match operands.and_then(|operands| Some((operands, at(2)?))) {
                    Some((operands, arrayed)) => {
                        self.sample(module, out, op, inst, operands, arrayed)?;
                    }
                    None => copy(out, inst),
                }
            }
        }
        Ok(())
    }

    /// Writes an instruction with its coordinate, at that operand, widened.
    fn moved(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        op: Op,
        inst: Inst<'_>,
        operand: usize,
        arrayed: bool,
    ) -> Result<(), Refusal> {
        let wide = self.widen(module, out, inst.arg(operand), arrayed, false)?;
        push(out, op, &with(inst.args, operand, wide));
        Ok(())
    }

    /// A coordinate along a line as one in the row of a picture.
    fn widen(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        coordinate: u32,
        arrayed: bool,
        projective: bool,
    ) -> Result<u32, Refusal> {
        let odd = || Refusal::Unsupported("this use of one-dimensional textures".into());
        let ty = *self.results.get(&coordinate).ok_or_else(odd)?;
        let (scalar, is_vector) = match *module.ty(ty) {
            Type::Vector { component, .. } => (component, true),
            _ => (ty, false),
        };
        let kind = [self.float, self.int, self.uint].into_iter().find(|k| k.scalar == scalar);
        let kind = kind.ok_or_else(odd)?;
        let mut x = coordinate;
        if is_vector {
            x = self.fresh.id()?;
            push(out, Op::CompositeExtract, &[kind.scalar, x, coordinate, 0]);
        }
        let wide = self.fresh.id()?;
        if !arrayed && !projective {
            push(out, Op::CompositeConstruct, &[kind.vectors[0], wide, x, kind.row]);
            return Ok(wide);
        }
        if !is_vector {
            return Err(odd());
        }
        let last = self.fresh.id()?;
        push(out, Op::CompositeExtract, &[kind.scalar, last, coordinate, 1]);
        let mut row = kind.row;
        if projective {
            // It is divided by the last component.
            row = self.fresh.id()?;
            push(out, Op::FMul, &[kind.scalar, row, last, self.half]);
        }
        push(out, Op::CompositeConstruct, &[kind.vectors[1], wide, x, row, last]);
        Ok(wide)
    }

    fn size(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        op: Op,
        inst: Inst<'_>,
        arrayed: bool,
    ) -> Result<(), Refusal> {
        let component = match *module.ty(inst.arg(0)) {
            Type::Vector { component, .. } => component,
            _ => inst.arg(0),
        };
        let kind = if component == self.uint.scalar { self.uint } else { self.int };
        let whole = self.fresh.id()?;
        let ty = kind.vectors[usize::from(arrayed)];
        push(out, op, &with(&with(inst.args, 0, ty), 1, whole));
        if arrayed {
            push(out, Op::VectorShuffle, &[inst.arg(0), inst.arg(1), whole, whole, 0, 2]);
        } else {
            push(out, Op::CompositeExtract, &[inst.arg(0), inst.arg(1), whole, 0]);
        }
        Ok(())
    }

    fn sample(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        op: Op,
        inst: Inst<'_>,
        operands: usize,
        arrayed: bool,
    ) -> Result<(), Refusal> {
        let projective = matches!(
            op,
            Op::ImageSampleProjImplicitLod
                | Op::ImageSampleProjExplicitLod
                | Op::ImageSampleProjDrefImplicitLod
                | Op::ImageSampleProjDrefExplicitLod
        );
        let wide = self.widen(module, out, inst.arg(3), arrayed, projective)?;
        let mut args = with(inst.args, 3, wide);
        let mask = inst.arg(operands);
        // Operands stand in the order of their bits; gradients are two.
        let mut index = operands + 1;
        for bit in 0..8 {
            let flag = mask & (1 << bit);
            if flag == 0 {
                continue;
            }
            if flag == ImageOperands::GRAD.bits() {
                for _ in 0..2 {
                    let vector = self.fresh.id()?;
                    let parts = [self.float.vectors[0], vector, inst.arg(index), self.float_zero];
                    push(out, Op::CompositeConstruct, &parts);
                    args = with(&args, index, vector);
                    index += 1;
                }
                continue;
            }
            let vector = [self.int.vectors[0], inst.arg(index), self.zero];
            if flag == ImageOperands::OFFSET.bits() {
                let id = self.fresh.id()?;
                push(out, Op::CompositeConstruct, &[vector[0], id, vector[1], vector[2]]);
                args = with(&args, index, id);
            } else if flag == ImageOperands::CONST_OFFSET.bits() {
                let id = self.fresh.id()?;
                let whole = [vector[0], id, vector[1], vector[2]];
                push(&mut self.fresh.declarations, Op::ConstantComposite, &whole);
                args = with(&args, index, id);
            }
            index += 1;
        }
        push(out, op, &args);
        Ok(())
    }
}
