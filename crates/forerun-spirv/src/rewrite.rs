//! The words that SPIRV-Cross is given: the program's own, with minted names and without what the host's text
//! cannot or must not say.

use crate::module::{HEADER, Module, instructions};
use crate::{Options, Refusal, Target};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{Capability, Decoration, ExecutionMode, Op, StorageClass};

/// Rewrites a module for `target`.
pub(crate) fn rewrite(
    module: &Module<'_>,
    names: &FxHashMap<u32, String>,
    target: &Target,
    options: &Options<'_>,
) -> Result<Vec<u32>, Refusal> {
    let mut plan = Plan::new(module, target);
    plan.image_formats(module, options)?;
    let mut out = Vec::with_capacity(module.words.len());
    out.extend_from_slice(module.words.get(..HEADER).unwrap_or(&[]));
    let mut named = false;
    for inst in instructions(module.words) {
        let Some(op) = Op::from_u32(inst.op) else {
            return Err(Refusal::Malformed("opcode"));
        };
        if !named && !is_preamble(op) {
            named = true;
            push_names(&mut out, names);
        }
        if plan.drops(op, inst.args) {
            continue;
        }
        match op {
            Op::EntryPoint => push_entry(&mut out, inst.args),
            Op::TypeImage => {
                let start = out.len();
                push(&mut out, op, inst.args);
                if let Some(format) = plan.formats.get(&inst.arg(0))
                    && let Some(word) = out.get_mut(start + 8)
                {
                    *word = *format;
                }
            }
            _ => push(&mut out, op, inst.args),
        }
    }
    Ok(out)
}

struct Plan {
    es: bool,
    inputs: FxHashSet<u32>,
    outputs: FxHashSet<u32>,
    output_blocks: FxHashSet<u32>,
    /// Ids and structures whose precision must be the same in all stages.
    shared: FxHashSet<u32>,
    /// New formats of image types.
    formats: FxHashMap<u32, u32>,
}

impl Plan {
    fn new(module: &Module<'_>, target: &Target) -> Plan {
        let mut plan = Plan {
            es: target.is_es(),
            inputs: FxHashSet::default(),
            outputs: FxHashSet::default(),
            output_blocks: FxHashSet::default(),
            shared: FxHashSet::default(),
            formats: FxHashMap::default(),
        };
        for variable in &module.variables {
            let (inner, _) = module.strip_arrays(variable.ty);
            match StorageClass::from_u32(variable.class) {
                Some(StorageClass::Input) => {
                    plan.inputs.insert(variable.id);
                }
                Some(StorageClass::Output) => {
                    plan.outputs.insert(variable.id);
                    plan.output_blocks.insert(inner);
                }
                Some(StorageClass::Uniform | StorageClass::StorageBuffer) => {
                    plan.share(module, inner, 0);
                }
                Some(StorageClass::UniformConstant) => {
                    plan.shared.insert(variable.id);
                }
                _ => {}
            }
        }
        plan
    }

    /// Marks a structure and those inside it as shared between stages.
    fn share(&mut self, module: &Module<'_>, id: u32, depth: u32) {
        if depth > 64 || !self.shared.insert(id) {
            return;
        }
        if let crate::module::Type::Struct { members } = module.ty(id) {
            for member in members {
                let (inner, _) = module.strip_arrays(*member);
                self.share(module, inner, depth + 1);
            }
        }
    }

    /// Gives image types without a format the one that the host's text must name.
    fn image_formats(&mut self, module: &Module<'_>, options: &Options<'_>) -> Result<(), Refusal> {
        for variable in &module.variables {
            let (inner, _) = module.strip_arrays(variable.ty);
            let crate::module::Type::Image { sampled: 2, format: 0, .. } = module.ty(inner) else {
                continue;
            };
            let slot = module.marks(variable.id).binding;
            let Some((_, token)) = options.image_formats.iter().find(|f| Some(f.0) == slot) else {
                continue;
            };
            let Some(format) = crate::format::from_gl(*token) else {
                return Err(Refusal::Unsupported(format!("image format {token:#06x}")));
            };
            if self.formats.insert(inner, format).is_some_and(|other| other != format) {
                return Err(Refusal::Unsupported("images of one type with two formats".into()));
            }
        }
        Ok(())
    }

    /// Whether an instruction is left out.
    fn drops(&self, op: Op, args: &[u32]) -> bool {
        let arg = |index: usize| args.get(index).copied().unwrap_or(0);
        match op {
            Op::Name
            | Op::MemberName
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::ModuleProcessed
            | Op::Line
            | Op::NoLine => true,
            Op::Capability => Capability::from_u32(arg(0)) == Some(Capability::TransformFeedback),
            Op::ExecutionMode => match ExecutionMode::from_u32(arg(1)) {
                Some(ExecutionMode::Xfb) => true,
                Some(
                    ExecutionMode::DepthGreater
                    | ExecutionMode::DepthLess
                    | ExecutionMode::DepthUnchanged,
                ) => self.es,
                _ => false,
            },
            Op::Decorate => self.drops_decoration(arg(0), arg(1), arg(2), false),
            Op::MemberDecorate => self.drops_decoration(arg(0), arg(2), arg(3), true),
            _ => false,
        }
    }

    fn drops_decoration(&self, id: u32, decoration: u32, value: u32, member: bool) -> bool {
        match Decoration::from_u32(decoration) {
            Some(Decoration::XfbBuffer | Decoration::XfbStride) => true,
            // On outputs these say where feedback goes, which the API says here.
            Some(Decoration::Offset) if member => self.output_blocks.contains(&id),
            Some(Decoration::Offset) => self.outputs.contains(&id),
            Some(Decoration::Stream) => self.es && value == 0,
            // Since GLSL 4.20 and ESSL 3.00 only outputs are invariant.
            Some(Decoration::Invariant) => self.inputs.contains(&id),
            Some(Decoration::RelaxedPrecision) => self.shared.contains(&id),
            // Sets mean nothing to GL: the binding is the slot.
            Some(Decoration::DescriptorSet) => true,
            _ => false,
        }
    }
}

/// Whether the instruction stands before names in the logical layout (SPIR-V 2.4), or is left out anyway.
fn is_preamble(op: Op) -> bool {
    matches!(
        op,
        Op::Capability
            | Op::Extension
            | Op::ExtInstImport
            | Op::MemoryModel
            | Op::EntryPoint
            | Op::ExecutionMode
            | Op::ExecutionModeId
            | Op::String
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::Name
            | Op::MemberName
            | Op::ModuleProcessed
    )
}

pub(crate) fn push(out: &mut Vec<u32>, op: Op, args: &[u32]) {
    out.push(((args.len() as u32 + 1) << 16) | op as u32);
    out.extend_from_slice(args);
}

fn push_names(out: &mut Vec<u32>, names: &FxHashMap<u32, String>) {
    let mut sorted: Vec<_> = names.iter().collect();
    sorted.sort();
    for (id, name) in sorted {
        let mut args = vec![*id];
        args.extend(literal(name));
        push(out, Op::Name, &args);
    }
}

fn push_entry(out: &mut Vec<u32>, args: &[u32]) {
    let (head, tail) = args.split_at(args.len().min(2));
    let name_words =
        tail.iter().position(|word| word.to_le_bytes().contains(&0)).map_or(0, |p| p + 1);
    let mut whole = head.to_vec();
    whole.extend(literal("main"));
    whole.extend_from_slice(tail.get(name_words..).unwrap_or(&[]));
    push(out, Op::EntryPoint, &whole);
}

pub(crate) fn literal(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}
