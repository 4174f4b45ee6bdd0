//! Rectangle textures for hosts that have none: two-dimensional textures of one level, whose coordinates are divided by their
//! size.

use super::{Fresh, copy, with};
use crate::Refusal;
use crate::module::{HEADER, Inst, Module, Type, instructions};
use crate::rewrite::push;
use forerun_pipe::archive::Stage;
use rustc_hash::FxHashMap;
use spirv::{Capability, Dim, ImageOperands, Op};

/// Turns rectangle images into two-dimensional ones.
pub(crate) fn rectangles(stage: Stage, words: Vec<u32>) -> Result<Vec<u32>, Refusal> {
    let module = Module::read(stage, &words)?;
    let is_rectangle =
        |ty: u32| matches!(module.ty(ty), Type::Image { dim, .. } if *dim == Dim::DimRect as u32);
    if !module.types.keys().any(|ty| is_rectangle(*ty)) {
        return Ok(words);
    }
    let mut pass = Pass::new(&module)?;
    let mut out = words.get(..HEADER).unwrap_or(&[]).to_vec();
    for inst in instructions(&words) {
        let op = Op::from_u32(inst.op).unwrap_or(Op::Nop);
        if has_result(op) {
            pass.results.insert(inst.arg(1), inst.arg(0));
        }
        match op {
            Op::Capability
                if matches!(
                    Capability::from_u32(inst.arg(0)),
                    Some(Capability::SampledRect | Capability::ImageRect)
                ) => {}
            Op::TypeImage if inst.arg(2) == Dim::DimRect as u32 => {
                push(&mut out, op, &with(inst.args, 2, Dim::Dim2D as u32));
            }
            Op::ImageQuerySize if pass.of_sampled(&module, inst.arg(2), is_rectangle).is_some() => {
                let args = [inst.arg(0), inst.arg(1), inst.arg(2), pass.zero];
                push(&mut out, Op::ImageQuerySizeLod, &args);
            }
            _ => match pass.of_sampling(&module, op, inst, is_rectangle) {
                Some(image) => pass.sample(&module, &mut out, op, inst, image)?,
                None => copy(&mut out, inst),
            },
        }
    }
    pass.fresh.finish(&mut out);
    Ok(out)
}

struct Pass {
    fresh: Fresh,
    /// Result id → its type, for the instructions that lead to an image or a coordinate.
    results: FxHashMap<u32, u32>,
    float: u32,
    vec2: u32,
    vec3: u32,
    ivec2: u32,
    zero: u32,
    one: u32,
}

impl Pass {
    fn new(module: &Module<'_>) -> Result<Pass, Refusal> {
        let mut fresh = Fresh::new(module);
        let (float, int) = (fresh.float(module)?, fresh.int(module, true)?);
        let vec2 = fresh.vector(module, float, 2)?;
        let vec3 = fresh.vector(module, float, 3)?;
        let ivec2 = fresh.vector(module, int, 2)?;
        let zero = fresh.constant(int, 0)?;
        let one = fresh.constant(float, 1f32.to_bits())?;
        Ok(Pass { fresh, results: FxHashMap::default(), float, vec2, vec3, ivec2, zero, one })
    }

    /// The image type behind an image or sampled image value, if it is a sampled rectangle.
    fn of_sampled(
        &self,
        module: &Module<'_>,
        id: u32,
        is_rectangle: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let ty = *self.results.get(&id)?;
        let image = match module.ty(ty) {
            Type::SampledImage { image } => *image,
            Type::Image { sampled: 1, .. } => ty,
            _ => return None,
        };
        is_rectangle(image).then_some(image)
    }

    fn of_sampling(
        &self,
        module: &Module<'_>,
        op: Op,
        inst: Inst<'_>,
        is_rectangle: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        sampling(op)?;
        self.of_sampled(module, inst.arg(2), is_rectangle)
    }

    /// Writes a sampling instruction whose coordinate and gradients are divided by the image's size.
    fn sample(
        &mut self,
        module: &Module<'_>,
        out: &mut Vec<u32>,
        op: Op,
        inst: Inst<'_>,
        image: u32,
    ) -> Result<(), Refusal> {
        let operands = sampling(op).unwrap_or(0);
        let coordinate = inst.arg(3);
        let wide = match self.results.get(&coordinate).map(|ty| module.ty(*ty)) {
            Some(Type::Vector { count: 3, .. }) => true,
            Some(Type::Vector { count: 2, .. }) => false,
            _ => return Err(Refusal::Unsupported("this use of rectangle textures".into())),
        };
        let [picture, texels, size] = [self.fresh.id()?, self.fresh.id()?, self.fresh.id()?];
        push(out, Op::Image, &[image, picture, inst.arg(2)]);
        push(out, Op::ImageQuerySizeLod, &[self.ivec2, texels, picture, self.zero]);
        push(out, Op::ConvertSToF, &[self.vec2, size, texels]);
        let divided = self.fresh.id()?;
        if wide {
            // A projective coordinate: its last component divides later.
            let [x, y, whole] = [self.fresh.id()?, self.fresh.id()?, self.fresh.id()?];
            push(out, Op::CompositeExtract, &[self.float, x, size, 0]);
            push(out, Op::CompositeExtract, &[self.float, y, size, 1]);
            push(out, Op::CompositeConstruct, &[self.vec3, whole, x, y, self.one]);
            push(out, Op::FDiv, &[self.vec3, divided, coordinate, whole]);
        } else {
            push(out, Op::FDiv, &[self.vec2, divided, coordinate, size]);
        }
        let mut args = with(inst.args, 3, divided);
        let mask = inst.arg(operands);
        if mask & ImageOperands::GRAD.bits() != 0 {
            let skip = (mask & (ImageOperands::GRAD.bits() - 1)).count_ones() as usize;
            for index in [operands + 1 + skip, operands + 2 + skip] {
                let gradient = self.fresh.id()?;
                push(out, Op::FDiv, &[self.vec2, gradient, inst.arg(index), size]);
                args = with(&args, index, gradient);
            }
        }
        push(out, op, &args);
        Ok(())
    }
}

/// For sampling instructions with a coordinate at operand 3: where the image operands begin.
pub(super) fn sampling(op: Op) -> Option<usize> {
    Some(match op {
        Op::ImageSampleImplicitLod
        | Op::ImageSampleExplicitLod
        | Op::ImageSampleProjImplicitLod
        | Op::ImageSampleProjExplicitLod => 4,
        Op::ImageSampleDrefImplicitLod
        | Op::ImageSampleDrefExplicitLod
        | Op::ImageSampleProjDrefImplicitLod
        | Op::ImageSampleProjDrefExplicitLod
        | Op::ImageGather
        | Op::ImageDrefGather => 5,
        _ => return None,
    })
}

/// Whether an instruction of a function (or a constant) has a result type and a result at operands 0 and 1.
pub(super) fn has_result(op: Op) -> bool {
    !matches!(
        op,
        Op::Capability
            | Op::Extension
            | Op::ExtInstImport
            | Op::MemoryModel
            | Op::EntryPoint
            | Op::ExecutionMode
            | Op::Name
            | Op::Decorate
            | Op::MemberDecorate
            | Op::Store
            | Op::CopyMemory
            | Op::Label
            | Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::Unreachable
            | Op::ImageWrite
            | Op::AtomicStore
            | Op::EmitVertex
            | Op::EndPrimitive
            | Op::EmitStreamVertex
            | Op::EndStreamPrimitive
            | Op::ControlBarrier
            | Op::MemoryBarrier
            | Op::FunctionEnd
    ) && !(Op::TypeVoid as u32..=Op::TypeForwardPointer as u32).contains(&(op as u32))
}
