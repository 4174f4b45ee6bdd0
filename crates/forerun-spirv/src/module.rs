//! One SPIR-V module, read from words that anybody may have written: what a backend needs to know of its
//! types, decorations and variables.
//!
//! Reading is total. It is done after validation, but does not lean on it for memory safety or for bounds.

use crate::Refusal;
use forerun_pipe::archive::Stage;
use rustc_hash::FxHashMap;
use spirv::{Decoration, ExecutionModel, Op, StorageClass};

/// Words of the header.
pub(crate) const HEADER: usize = 5;
/// Most words of one stage: 16 MiB.
pub(crate) const MAX_WORDS: usize = 4 << 20;
/// Largest id bound. SPIRV-Cross keeps a slot for each id, so it is bounded by the module's own size as well.
pub(crate) const MAX_BOUND: u32 = 1 << 20;

/// An instruction: its opcode and its operands, the opcode word left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inst<'a> {
    pub op: u32,
    pub args: &'a [u32],
}

impl Inst<'_> {
    /// The operand at `index`, 0 when there is none.
    pub fn arg(&self, index: usize) -> u32 {
        self.args.get(index).copied().unwrap_or(0)
    }

    /// Whether this is an `op`.
    pub fn is(&self, op: Op) -> bool {
        self.op == op as u32
    }
}

/// Walks the instructions of a module, the header left out.
pub(crate) fn instructions(words: &[u32]) -> impl Iterator<Item = Inst<'_>> {
    let mut rest = words.get(HEADER..).unwrap_or(&[]);
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let (whole, tail) = rest.split_at_checked((first >> 16) as usize)?;
        rest = tail;
        Some(Inst { op: first & 0xffff, args: whole.get(1..)? })
    })
}

/// A type declaration, as far as interfaces need it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    Scalar { op: u32, width: u32, signed: bool },
    Vector { component: u32, count: u32 },
    Matrix { column: u32, count: u32 },
    Array { element: u32, length: u32 },
    RuntimeArray { element: u32 },
    Struct { members: Vec<u32> },
    Pointer { class: u32, pointee: u32 },
    Image { dim: u32, arrayed: bool, multisampled: bool, sampled: u32, format: u32 },
    SampledImage { image: u32 },
    Other,
}

/// The decorations of one id or one member that matter here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    pub location: Option<u32>,
    pub component: Option<u32>,
    pub index: Option<u32>,
    pub binding: Option<u32>,
    pub set: Option<u32>,
    pub builtin: Option<u32>,
    pub stream: u32,
    pub block: bool,
    pub buffer_block: bool,
    pub patch: bool,
    pub row_major: bool,
}

/// A module-scope variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub id: u32,
    pub class: u32,
    /// The type behind the pointer.
    pub ty: u32,
}

/// What a module declares.
#[derive(Debug)]
pub(crate) struct Module<'a> {
    pub words: &'a [u32],
    pub model: u32,
    pub entry: u32,
    pub types: FxHashMap<u32, Type>,
    pub constants: FxHashMap<u32, u32>,
    pub marks: FxHashMap<u32, Marks>,
    pub member_marks: FxHashMap<(u32, u32), Marks>,
    pub names: FxHashMap<u32, String>,
    pub member_names: FxHashMap<(u32, u32), String>,
    pub variables: Vec<Variable>,
}

impl<'a> Module<'a> {
    /// Reads the declarations of `words`, which must be one stage with one entry point.
    ///
    /// # Errors
    /// [`Refusal::Malformed`], [`Refusal::Stage`].
    pub fn read(stage: Stage, words: &'a [u32]) -> Result<Module<'a>, Refusal> {
        check_header(words)?;
        let mut module = Module {
            words,
            model: u32::MAX,
            entry: 0,
            types: FxHashMap::default(),
            constants: FxHashMap::default(),
            marks: FxHashMap::default(),
            member_marks: FxHashMap::default(),
            names: FxHashMap::default(),
            member_names: FxHashMap::default(),
            variables: Vec::new(),
        };
        let mut entries = 0;
        for inst in instructions(words) {
            if inst.is(Op::EntryPoint) {
                entries += 1;
                module.model = inst.arg(0);
                module.entry = inst.arg(1);
            }
            module.declare(inst);
        }
        if entries != 1 {
            return Err(Refusal::Malformed("entry points"));
        }
        if module.model != execution_model(stage) as u32 {
            return Err(Refusal::Stage(stage.word()));
        }
        Ok(module)
    }

    fn declare(&mut self, inst: Inst<'_>) {
        let id = inst.arg(0);
        let Some(op) = Op::from_u32(inst.op) else { return };
        let ty = match op {
            Op::Name => {
                self.names.insert(id, text(inst.args.get(1..)));
                return;
            }
            Op::MemberName => {
                self.member_names.insert((id, inst.arg(1)), text(inst.args.get(2..)));
                return;
            }
            Op::Decorate => {
                mark(self.marks.entry(id).or_default(), inst.arg(1), inst.arg(2));
                return;
            }
            Op::MemberDecorate => {
                let marks = self.member_marks.entry((id, inst.arg(1))).or_default();
                mark(marks, inst.arg(2), inst.arg(3));
                return;
            }
            Op::Constant => {
                self.constants.insert(inst.arg(1), inst.arg(2));
                return;
            }
            Op::Variable => {
                if let Some(&Type::Pointer { class, pointee }) = self.types.get(&id)
                    && class != StorageClass::Function as u32
                {
                    self.variables.push(Variable { id: inst.arg(1), class, ty: pointee });
                }
                return;
            }
            Op::TypeVoid | Op::TypeBool => Type::Scalar { op: inst.op, width: 0, signed: false },
            Op::TypeInt => {
                Type::Scalar { op: inst.op, width: inst.arg(1), signed: inst.arg(2) != 0 }
            }
            Op::TypeFloat => Type::Scalar { op: inst.op, width: inst.arg(1), signed: true },
            Op::TypeVector => Type::Vector { component: inst.arg(1), count: inst.arg(2) },
            Op::TypeMatrix => Type::Matrix { column: inst.arg(1), count: inst.arg(2) },
            Op::TypeArray => {
                let length = self.constants.get(&inst.arg(2)).copied().unwrap_or(0);
                Type::Array { element: inst.arg(1), length }
            }
            Op::TypeRuntimeArray => Type::RuntimeArray { element: inst.arg(1) },
            Op::TypeStruct => Type::Struct { members: inst.args.get(1..).unwrap_or(&[]).to_vec() },
            Op::TypePointer => Type::Pointer { class: inst.arg(1), pointee: inst.arg(2) },
            Op::TypeImage => Type::Image {
                dim: inst.arg(2),
                arrayed: inst.arg(4) != 0,
                multisampled: inst.arg(5) != 0,
                sampled: inst.arg(6),
                format: inst.arg(7),
            },
            Op::TypeSampledImage => Type::SampledImage { image: inst.arg(1) },
            Op::TypeSampler | Op::TypeFunction => Type::Other,
            _ => return,
        };
        self.types.insert(id, ty);
    }

    /// The type, `Other` when the id is none.
    pub fn ty(&self, id: u32) -> &Type {
        self.types.get(&id).unwrap_or(&Type::Other)
    }

    /// The type below all array levels, and how many elements they make together.
    pub fn strip_arrays(&self, mut id: u32) -> (u32, u32) {
        let mut count = 1u32;
        // A type can only name earlier ones, but a hostile module may say otherwise.
        for _ in 0..256 {
            match *self.ty(id) {
                Type::Array { element, length } => {
                    count = count.saturating_mul(length);
                    id = element;
                }
                Type::RuntimeArray { element } => id = element,
                _ => break,
            }
        }
        (id, count)
    }

    /// Decorations of an id.
    pub fn marks(&self, id: u32) -> Marks {
        self.marks.get(&id).cloned().unwrap_or_default()
    }

    /// Whether a variable is a built-in or a block of built-ins.
    pub fn is_builtin(&self, variable: &Variable) -> bool {
        if self.marks(variable.id).builtin.is_some() {
            return true;
        }
        let (inner, _) = self.strip_arrays(variable.ty);
        match self.ty(inner) {
            Type::Struct { members } => (0..members.len() as u32)
                .any(|m| self.member_marks.get(&(inner, m)).is_some_and(|k| k.builtin.is_some())),
            _ => false,
        }
    }

    /// The first location of an input or output: its own, or that of its block's first member.
    pub fn location(&self, variable: &Variable) -> Option<u32> {
        let (inner, _) = self.strip_arrays(variable.ty);
        let own = self.marks(variable.id).location;
        own.or_else(|| self.member_marks.get(&(inner, 0)).and_then(|marks| marks.location))
    }
}

/// The execution model of a stage.
pub(crate) fn execution_model(stage: Stage) -> ExecutionModel {
    match stage {
        Stage::Vertex => ExecutionModel::Vertex,
        Stage::TessControl => ExecutionModel::TessellationControl,
        Stage::TessEvaluation => ExecutionModel::TessellationEvaluation,
        Stage::Geometry => ExecutionModel::Geometry,
        Stage::Fragment => ExecutionModel::Fragment,
        Stage::Compute => ExecutionModel::GLCompute,
    }
}

/// Checks the header and that the instructions fill the module exactly.
pub(crate) fn check_header(words: &[u32]) -> Result<(), Refusal> {
    let [magic, version, _, bound, schema] = *words.first_chunk::<HEADER>().unwrap_or(&[0; HEADER]);
    if magic != spirv::MAGIC_NUMBER || schema != 0 {
        return Err(Refusal::Malformed("header"));
    }
    if words.len() > MAX_WORDS {
        return Err(Refusal::Malformed("size"));
    }
    if version & 0xff00_00ff != 0 || version > 0x0001_0600 {
        return Err(Refusal::Malformed("version"));
    }
    if bound == 0 || bound > MAX_BOUND || bound as usize > words.len().saturating_mul(8) {
        return Err(Refusal::Malformed("id bound"));
    }
    let mut filled = HEADER;
    for inst in instructions(words) {
        filled += 1 + inst.args.len();
    }
    if filled != words.len() {
        return Err(Refusal::Malformed("instruction length"));
    }
    Ok(())
}

fn mark(marks: &mut Marks, decoration: u32, value: u32) {
    match Decoration::from_u32(decoration) {
        Some(Decoration::Location) => marks.location = Some(value),
        Some(Decoration::Component) => marks.component = Some(value),
        Some(Decoration::Index) => marks.index = Some(value),
        Some(Decoration::Binding) => marks.binding = Some(value),
        Some(Decoration::DescriptorSet) => marks.set = Some(value),
        Some(Decoration::BuiltIn) => marks.builtin = Some(value),
        Some(Decoration::Stream) => marks.stream = value,
        Some(Decoration::Block) => marks.block = true,
        Some(Decoration::BufferBlock) => marks.buffer_block = true,
        Some(Decoration::Patch) => marks.patch = true,
        Some(Decoration::RowMajor) => marks.row_major = true,
        _ => {}
    }
}

/// A literal string: bytes in little-endian words up to the first zero.
pub(crate) fn text(words: Option<&[u32]>) -> String {
    let bytes: Vec<u8> = words
        .unwrap_or(&[])
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .take_while(|byte| *byte != 0)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
