//! From a block's type to the leaves that GL lists.

use super::unit::{Unit, display};
use crate::spirv::live::Step;
use crate::spirv::op;
use crate::spirv::types::Type;

/// Most leaves of one program; more is a shader that means harm.
const MAX_LEAVES: usize = 1 << 16;

/// A leaf: a variable of basic type, or an array of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// GL name, `[0]` included.
    pub name: String,
    /// GL type token.
    pub ty: u32,
    /// Elements, 1 when not an array, 0 when without a size.
    pub array_size: u32,
    /// An array.
    pub is_array: bool,
    /// Byte offset.
    pub offset: u32,
    /// Bytes between elements, 0 when not an array.
    pub array_stride: u32,
    /// Bytes between columns or rows, 0 when not a matrix.
    pub matrix_stride: u32,
    /// Row-major.
    pub row_major: bool,
    /// Declared Boolean.
    pub is_bool: bool,
    /// Index of the block member that holds it.
    pub member: u32,
    /// Size of the block member if that is an array of aggregates.
    pub top_level_size: u32,
    /// Its stride.
    pub top_level_stride: u32,
    /// Steps from the block to the leaf.
    pub path: Vec<Step>,
}

struct Walker<'u, 'a> {
    unit: &'u Unit<'a>,
    storage: bool,
    out: Vec<Leaf>,
}

#[derive(Clone)]
struct Place {
    name: String,
    offset: u32,
    matrix: (u32, bool),
    is_bool: bool,
    path: Vec<Step>,
    member: u32,
    top: (u32, u32),
}

/// Leaves of a block type. `prefix` is `Block.` for a block with an instance name. `default`: members are uniforms.
pub fn leaves(
    unit: &Unit<'_>,
    block: u32,
    prefix: &str,
    storage: bool,
    default: bool,
) -> Vec<Leaf> {
    let mut walker = Walker { unit, storage, out: Vec::new() };
    let module = &unit.module;
    let Type::Struct(members) = module.ty(block) else { return Vec::new() };
    let block_name = module.name(block);
    for (member, index) in members.iter().zip(0u32..) {
        let name = module.member_name(block, index);
        if name.starts_with("/*") {
            continue;
        }
        let is_bool = if default {
            unit.uniform_is_bool(name)
        } else {
            unit.member_is_bool(block_name, name)
        };
        let place = Place {
            name: format!("{prefix}{}", display(name)),
            offset: module.member_decoration(block, index, op::DEC_OFFSET).unwrap_or(0),
            matrix: module.matrix_layout(block, index),
            is_bool,
            path: vec![Step::At(index)],
            member: index,
            top: (1, 0),
        };
        walker.walk(*member, place, true);
    }
    walker.out
}

impl Walker<'_, '_> {
    fn walk(&mut self, ty: u32, place: Place, top: bool) {
        if self.out.len() >= MAX_LEAVES {
            return;
        }
        let module = &self.unit.module;
        match module.ty(ty) {
            Type::Struct(members) => {
                let container = module.name(ty);
                for (member, index) in members.iter().zip(0u32..) {
                    let name = module.member_name(ty, index);
                    if name.starts_with("/*") {
                        continue;
                    }
                    let offset = module.member_decoration(ty, index, op::DEC_OFFSET).unwrap_or(0);
                    let mut path = place.path.clone();
                    path.push(Step::At(index));
                    let inner = Place {
                        name: format!("{}.{}", place.name, display(name)),
                        offset: place.offset.saturating_add(offset),
                        matrix: module.matrix_layout(ty, index),
                        is_bool: self.unit.member_is_bool(container, name),
                        path,
                        ..place.clone()
                    };
                    self.walk(*member, inner, false);
                }
            }
            Type::Array(element, count) => self.array(ty, *element, *count, place, top),
            Type::RuntimeArray(element) => self.array(ty, *element, 0, place, top),
            _ => self.leaf(ty, None, place),
        }
    }

    fn array(&mut self, ty: u32, element: u32, count: u32, place: Place, top: bool) {
        let module = &self.unit.module;
        let stride = module
            .decoration(ty, op::DEC_ARRAY_STRIDE)
            .unwrap_or_else(|| module.size(element, place.matrix));
        let aggregate =
            matches!(module.ty(element), Type::Struct(_) | Type::Array(..) | Type::RuntimeArray(_));
        if !aggregate {
            self.leaf(element, Some((count, stride)), place);
            return;
        }
        // Of a storage block's outermost array only the first element is listed.
        let first_only = self.storage && top;
        let listed = if first_only { 1 } else { count };
        for index in 0..listed {
            if self.out.len() >= MAX_LEAVES {
                return;
            }
            let mut inner = place.clone();
            inner.name = format!("{}[{index}]", place.name);
            inner.offset = place.offset.saturating_add(stride.saturating_mul(index));
            inner.path.push(Step::At(index));
            if first_only {
                inner.top = (count, stride);
            }
            self.walk(element, inner, false);
        }
    }

    fn leaf(&mut self, ty: u32, array: Option<(u32, u32)>, place: Place) {
        let module = &self.unit.module;
        let matrix = matches!(module.ty(ty), Type::Matrix(..));
        let name = if array.is_some() { format!("{}[0]", place.name) } else { place.name };
        self.out.push(Leaf {
            name,
            ty: module.gl_type(ty, place.is_bool),
            array_size: array.map_or(1, |(count, _)| count),
            is_array: array.is_some(),
            offset: place.offset,
            array_stride: array.map_or(0, |(_, stride)| stride),
            matrix_stride: if matrix { place.matrix.0 } else { 0 },
            row_major: matrix && place.matrix.1,
            is_bool: place.is_bool,
            member: place.member,
            top_level_size: place.top.0,
            top_level_stride: place.top.1,
            path: place.path,
        });
    }
}
