//! Blocks with matrices of doubles whose vectors have two components, under `std140`.
//!
//! A matrix is an array of its vectors, which stand 16 bytes apart when they have two doubles (OpenGL 4.6, section 7.6.2.2, rules 4 to
//! 7: the alignment is rounded up to that of a `vec4`). SPIRV-Cross takes four components of the matrix's own type instead, 32
//! bytes, so it recognises no such block as `std140` and refuses it. What it writes has no offsets, only the word `std140`,
//! so a block that follows the rules is given the offsets and strides that SPIRV-Cross looks for, and the host's compiler lays it out by
//! the rules again.

use super::{copy, with};
use crate::Refusal;
use crate::module::{HEADER, Module, Type, instructions};
use forerun_pipe::archive::Stage;
use rustc_hash::FxHashMap;
use spirv::{Decoration, Op, StorageClass};

/// Deepest nesting that is followed.
const MAX_DEPTH: u32 = 64;

/// Moves the members of those blocks.
pub(crate) fn packing(stage: Stage, words: Vec<u32>) -> Result<Vec<u32>, Refusal> {
    let module = Module::read(stage, &words)?;
    let double = |ty: &Type| match ty {
        Type::Matrix { column, .. } => width(&module, *column) == 8,
        _ => false,
    };
    if !module.types.values().any(double) {
        return Ok(words);
    }
    let given = Places::read(&module);
    let mut moved = Places::default();
    for variable in &module.variables {
        let class = StorageClass::from_u32(variable.class);
        if !matches!(class, Some(StorageClass::Uniform | StorageClass::StorageBuffer)) {
            continue;
        }
        let (block, _) = module.strip_arrays(variable.ty);
        let mut rules = Layout::new(&module, false);
        let mut cross = Layout::new(&module, true);
        let followed = rules.measure(block, false, 0).is_some() && given.agree(&rules.places);
        if followed && cross.measure(block, false, 0).is_some() && cross.places != rules.places {
            if !moved.agree(&cross.places) {
                // One type stands in two blocks that need it at different places.
                return Ok(words);
            }
            moved.offsets.extend(cross.places.offsets);
            moved.strides.extend(cross.places.strides);
        }
    }
    if moved.offsets.is_empty() {
        return Ok(words);
    }
    let mut out = words.get(..HEADER).unwrap_or(&[]).to_vec();
    for inst in instructions(&words) {
        let is = |index: usize, decoration: Decoration| inst.arg(index) == decoration as u32;
        let (index, place) = match Op::from_u32(inst.op) {
            Some(Op::MemberDecorate) if is(2, Decoration::Offset) => {
                (3, moved.offsets.get(&(inst.arg(0), inst.arg(1))))
            }
            Some(Op::Decorate) if is(1, Decoration::ArrayStride) => {
                (2, moved.strides.get(&inst.arg(0)))
            }
            _ => (0, None),
        };
        match place {
            Some(place) => {
                crate::rewrite::push(
                    &mut out,
                    Op::from_u32(inst.op).unwrap_or(Op::Nop),
                    &with(inst.args, index, *place),
                );
            }
            None => copy(&mut out, inst),
        }
    }
    Ok(out)
}

/// Bytes of a scalar or of a vector's component; 0 for another type.
fn width(module: &Module<'_>, ty: u32) -> u32 {
    match *module.ty(ty) {
        Type::Scalar { width, .. } => width / 8,
        Type::Vector { component, .. } => match *module.ty(component) {
            Type::Scalar { width, .. } => width / 8,
            _ => 0,
        },
        _ => 0,
    }
}

/// Where members stand, and how far elements are apart, in bytes.
#[derive(Debug, Default, PartialEq)]
struct Places {
    /// By structure and member.
    offsets: FxHashMap<(u32, u32), u32>,
    /// By type of array.
    strides: FxHashMap<u32, u32>,
}

impl Places {
    /// What a module says.
    fn read(module: &Module<'_>) -> Places {
        let mut places = Places::default();
        for inst in instructions(module.words) {
            match Op::from_u32(inst.op) {
                Some(Op::MemberDecorate) if inst.arg(2) == Decoration::Offset as u32 => {
                    places.offsets.insert((inst.arg(0), inst.arg(1)), inst.arg(3));
                }
                Some(Op::Decorate) if inst.arg(1) == Decoration::ArrayStride as u32 => {
                    places.strides.insert(inst.arg(0), inst.arg(2));
                }
                _ => {}
            }
        }
        places
    }

    /// Whether nothing of `other` is elsewhere here.
    fn agree(&self, other: &Places) -> bool {
        let same = |mine: Option<&u32>, theirs: &u32| mine.is_none_or(|mine| mine == theirs);
        other.offsets.iter().all(|(at, place)| same(self.offsets.get(at), place))
            && other.strides.iter().all(|(at, stride)| same(self.strides.get(at), stride))
    }
}

/// One reading of `std140`, and what it makes of the types that it was asked about.
struct Layout<'a> {
    module: &'a Module<'a>,
    /// Vectors of a matrix are taken to have four components.
    cross: bool,
    places: Places,
    /// Alignment and size by type and whether its matrices are row-major.
    known: FxHashMap<(u32, bool), (u32, u32)>,
}

impl<'a> Layout<'a> {
    fn new(module: &'a Module<'a>, cross: bool) -> Layout<'a> {
        Layout { module, cross, places: Places::default(), known: FxHashMap::default() }
    }

    /// Alignment and size of a type in bytes. None: it cannot stand in a block, or one type of array would have two strides.
    fn measure(&mut self, ty: u32, row_major: bool, depth: u32) -> Option<(u32, u32)> {
        if let Some(known) = self.known.get(&(ty, row_major)) {
            return Some(*known);
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let module = self.module;
        let vector = |count: u32, each: u32| each * if count == 2 { 2 } else { 4 };
        let measured = match module.ty(ty) {
            Type::Scalar { .. } => {
                let each = width(module, ty);
                (each, each)
            }
            Type::Vector { count, .. } => {
                let each = width(module, ty);
                (vector(*count, each), each.checked_mul(*count)?)
            }
            Type::Matrix { column, count } => {
                let Type::Vector { count: rows, .. } = *module.ty(*column) else { return None };
                let each = width(module, *column);
                let (vectors, components) = if row_major { (rows, *count) } else { (*count, rows) };
                let stride = if self.cross { 4 * each } else { vector(components, each).max(16) };
                (stride, stride.checked_mul(vectors)?)
            }
            Type::Array { element, .. } | Type::RuntimeArray { element } => {
                let (alignment, size) = self.measure(*element, row_major, depth + 1)?;
                let alignment = alignment.max(16);
                let stride = size.checked_next_multiple_of(alignment)?;
                let other = self.places.strides.insert(ty, stride);
                if other.is_some_and(|other| other != stride) {
                    return None;
                }
                let length = match module.ty(ty) {
                    Type::Array { length, .. } => *length,
                    _ => 0,
                };
                (alignment, stride.checked_mul(length)?)
            }
            Type::Struct { members } => {
                let (mut alignment, mut end) = (16, 0u32);
                for (index, member) in (0u32..).zip(members) {
                    let marks = module.member_marks.get(&(ty, index));
                    let row_major = marks.is_some_and(|marks| marks.row_major);
                    let (own, size) = self.measure(*member, row_major, depth + 1)?;
                    let offset = end.checked_next_multiple_of(own)?;
                    self.places.offsets.insert((ty, index), offset);
                    alignment = alignment.max(own);
                    end = offset.checked_add(size)?;
                }
                (alignment, end.checked_next_multiple_of(alignment)?)
            }
            _ => return None,
        };
        if measured.0 == 0 {
            return None;
        }
        self.known.insert((ty, row_major), measured);
        Some(measured)
    }
}
