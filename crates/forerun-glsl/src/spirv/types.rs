//! SPIR-V types, their GL tokens, sizes and locations.

use std::collections::HashMap;

use super::module::{Constant, Instruction, Module};
use super::op;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `bool`
    Bool,
    /// Integer.
    Int {
        /// Bits.
        width: u32,
        /// Signed.
        signed: bool,
    },
    /// Floating point of a width in bits.
    Float(u32),
    /// Component type and count.
    Vector(u32, u32),
    /// Column type and count.
    Matrix(u32, u32),
    /// Image, sampled or stored.
    Image {
        /// Type of a component.
        component: u32,
        /// SPIR-V `Dim`.
        dim: u32,
        /// Depth comparison.
        depth: bool,
        /// Arrayed.
        arrayed: bool,
        /// Multisampled.
        multisampled: bool,
        /// Used with a sampler, not for loads and stores.
        sampled: bool,
        /// SPIR-V image format.
        format: u32,
    },
    /// Image and sampler in one.
    SampledImage(u32),
    /// Element type and count.
    Array(u32, u32),
    /// Element type of an array without a size.
    RuntimeArray(u32),
    /// Member types.
    Struct(Vec<u32>),
    /// Pointer.
    Pointer {
        /// Storage class.
        class: u32,
        /// Type pointed to.
        to: u32,
    },
    /// Anything else.
    Other,
}

impl Type {
    /// Reads a type instruction: id and type.
    pub fn read(
        instruction: Instruction<'_>,
        constants: &HashMap<u32, (u32, Constant)>,
    ) -> Option<(u32, Type)> {
        let word = |index| instruction.word(index);
        let ty = match instruction.op {
            op::TYPE_VOID | op::TYPE_FUNCTION => Type::Other,
            op::TYPE_BOOL => Type::Bool,
            op::TYPE_INT => Type::Int { width: word(1), signed: word(2) == 1 },
            op::TYPE_FLOAT => Type::Float(word(1)),
            op::TYPE_VECTOR => Type::Vector(word(1), word(2)),
            op::TYPE_MATRIX => Type::Matrix(word(1), word(2)),
            op::TYPE_IMAGE => Type::Image {
                component: word(1),
                dim: word(2),
                depth: word(3) == 1,
                arrayed: word(4) == 1,
                multisampled: word(5) == 1,
                sampled: word(6) == 1,
                format: word(7),
            },
            op::TYPE_SAMPLED_IMAGE => Type::SampledImage(word(1)),
            op::TYPE_ARRAY => {
                let count = match constants.get(&word(2)) {
                    Some((_, Constant::Scalar(value))) => *value as u32,
                    _ => 1,
                };
                Type::Array(word(1), count)
            }
            op::TYPE_RUNTIME_ARRAY => Type::RuntimeArray(word(1)),
            op::TYPE_STRUCT => Type::Struct(instruction.operands.get(1..)?.to_vec()),
            op::TYPE_POINTER => Type::Pointer { class: word(1), to: word(2) },
            _ => return None,
        };
        Some((word(0), ty))
    }
}

const BASE: [[u32; 4]; 5] = [
    [0x1406, 0x8B50, 0x8B51, 0x8B52], // float
    [0x1404, 0x8B53, 0x8B54, 0x8B55], // int
    [0x1405, 0x8DC6, 0x8DC7, 0x8DC8], // unsigned int
    [0x8B56, 0x8B57, 0x8B58, 0x8B59], // bool
    [0x140A, 0x8FFC, 0x8FFD, 0x8FFE], // double
];
const INT64: [u32; 4] = [0x140E, 0x8FE9, 0x8FEA, 0x8FEB];
const UINT64: [u32; 4] = [0x140F, 0x8FF5, 0x8FF6, 0x8FF7];
/// By columns − 2 and rows − 2.
const MATRIX: [[u32; 3]; 3] =
    [[0x8B5A, 0x8B65, 0x8B66], [0x8B67, 0x8B5B, 0x8B68], [0x8B69, 0x8B6A, 0x8B5C]];
const DOUBLE_MATRIX: [[u32; 3]; 3] =
    [[0x8F46, 0x8F49, 0x8F4A], [0x8F4B, 0x8F47, 0x8F4C], [0x8F4D, 0x8F4E, 0x8F48]];

impl Module {
    /// The GL token of a basic or opaque type; 0 for structures and arrays. `boolean`: the source says `bool`.
    pub fn gl_type(&self, id: u32, boolean: bool) -> u32 {
        match self.ty(id) {
            Type::Vector(component, count) => self.scalar_row(*component, boolean, *count),
            Type::Matrix(column, columns) => {
                let Type::Vector(component, rows) = self.ty(*column) else { return 0 };
                let table =
                    if *self.ty(*component) == Type::Float(64) { DOUBLE_MATRIX } else { MATRIX };
                let cell = table.get((*columns as usize).wrapping_sub(2));
                cell.and_then(|row| row.get((*rows as usize).wrapping_sub(2))).copied().unwrap_or(0)
            }
            Type::SampledImage(image) => self.image_type(*image, true),
            // A buffer texture is sampled without a sampler.
            Type::Image { sampled, .. } => self.image_type(id, *sampled),
            _ => self.scalar_row(id, boolean, 1),
        }
    }

    fn scalar_row(&self, scalar: u32, boolean: bool, count: u32) -> u32 {
        let row = match self.ty(scalar) {
            _ if boolean => BASE[3],
            Type::Float(64) => BASE[4],
            Type::Float(_) => BASE[0],
            Type::Int { width: 64, signed: true } => INT64,
            Type::Int { width: 64, signed: false } => UINT64,
            Type::Int { signed: true, .. } => BASE[1],
            Type::Int { signed: false, .. } => BASE[2],
            Type::Bool => BASE[3],
            _ => return 0,
        };
        row.get((count as usize).wrapping_sub(1)).copied().unwrap_or(0)
    }

    fn image_type(&self, image: u32, sampler: bool) -> u32 {
        let Type::Image { component, dim, depth, arrayed, multisampled, .. } = self.ty(image)
        else {
            return 0;
        };
        let kind = match self.ty(*component) {
            Type::Float(_) => 0,
            Type::Int { signed: true, .. } => 1,
            _ => 2,
        };
        // Dim: 1D 0, 2D 1, 3D 2, Cube 3, Rect 4, Buffer 5.
        let row: [u32; 3] = match (sampler, dim, arrayed, multisampled) {
            (true, 0, false, _) => [0x8B5D, 0x8DC9, 0x8DD1],
            (true, 1, false, false) => [0x8B5E, 0x8DCA, 0x8DD2],
            (true, 2, ..) => [0x8B5F, 0x8DCB, 0x8DD3],
            (true, 3, false, _) => [0x8B60, 0x8DCC, 0x8DD4],
            (true, 4, ..) => [0x8B63, 0x8DCD, 0x8DD5],
            (true, 0, true, _) => [0x8DC0, 0x8DCE, 0x8DD6],
            (true, 1, true, false) => [0x8DC1, 0x8DCF, 0x8DD7],
            (true, 3, true, _) => [0x900C, 0x900E, 0x900F],
            (true, 5, ..) => [0x8DC2, 0x8DD0, 0x8DD8],
            (true, 1, false, true) => [0x9108, 0x9109, 0x910A],
            (true, 1, true, true) => [0x910B, 0x910C, 0x910D],
            (false, 0, false, _) => [0x904C, 0x9057, 0x9062],
            (false, 1, false, false) => [0x904D, 0x9058, 0x9063],
            (false, 2, ..) => [0x904E, 0x9059, 0x9064],
            (false, 4, ..) => [0x904F, 0x905A, 0x9065],
            (false, 3, false, _) => [0x9050, 0x905B, 0x9066],
            (false, 5, ..) => [0x9051, 0x905C, 0x9067],
            (false, 0, true, _) => [0x9052, 0x905D, 0x9068],
            (false, 1, true, false) => [0x9053, 0x905E, 0x9069],
            (false, 3, true, _) => [0x9054, 0x905F, 0x906A],
            (false, 1, false, true) => [0x9055, 0x9060, 0x906B],
            (false, 1, true, true) => [0x9056, 0x9061, 0x906C],
            _ => [0; 3],
        };
        let plain = row.get(kind).copied().unwrap_or(0);
        if sampler && *depth {
            match plain {
                0x8B5D => 0x8B61,
                0x8B5E => 0x8B62,
                0x8B60 => 0x8DC5,
                0x8B63 => 0x8B64,
                0x8DC0 => 0x8DC3,
                0x8DC1 => 0x8DC4,
                0x900C => 0x900D,
                other => other,
            }
        } else {
            plain
        }
    }

    /// The GL internal format of a SPIR-V image format, 0 for none.
    pub fn gl_format(&self, image: u32) -> u32 {
        const FORMATS: [u32; 40] = [
            0, 0x8814, 0x881A, 0x822E, 0x8058, 0x8F97, 0x8230, 0x822F, 0x8C3A, 0x822D, 0x805B,
            0x8059, 0x822C, 0x822B, 0x822A, 0x8229, 0x8F9B, 0x8F99, 0x8F95, 0x8F98, 0x8F94, 0x8D82,
            0x8D88, 0x8D8E, 0x8235, 0x823B, 0x8239, 0x8237, 0x8233, 0x8231, 0x8D70, 0x8D76, 0x8D7C,
            0x8236, 0x906F, 0x823C, 0x823A, 0x8238, 0x8234, 0x8232,
        ];
        match self.ty(image) {
            Type::Image { format, .. } => FORMATS.get(*format as usize).copied().unwrap_or(0),
            _ => 0,
        }
    }

    /// Strips arrays: element type and dimensions, outermost first (0 for one without a size).
    pub fn peel(&self, mut id: u32) -> (u32, Vec<u32>) {
        let mut dimensions = Vec::new();
        loop {
            match self.ty(id) {
                Type::Array(element, count) => {
                    dimensions.push(*count);
                    id = *element;
                }
                Type::RuntimeArray(element) => {
                    dimensions.push(0);
                    id = *element;
                }
                _ => return (id, dimensions),
            }
        }
    }

    /// Interface locations that a variable of the type takes. `attribute`: a `dvec4` takes one as a vertex input, two elsewhere.
    pub fn locations(&self, id: u32, attribute: bool) -> u32 {
        match self.ty(id) {
            Type::Array(element, count) => {
                self.locations(*element, attribute).saturating_mul(*count)
            }
            Type::Matrix(column, count) => {
                self.locations(*column, attribute).saturating_mul(*count)
            }
            Type::Struct(members) => members
                .iter()
                .fold(0u32, |sum, m| sum.saturating_add(self.locations(*m, attribute))),
            Type::Vector(component, count) => {
                let wide =
                    matches!(self.ty(*component), Type::Float(64) | Type::Int { width: 64, .. });
                if wide && *count > 2 && !attribute { 2 } else { 1 }
            }
            _ => 1,
        }
    }

    /// Components of an interface variable as transform feedback counts them.
    pub fn components(&self, id: u32) -> u32 {
        match self.ty(id) {
            Type::Array(element, count) => self.components(*element).saturating_mul(*count),
            Type::Matrix(column, count) => self.components(*column).saturating_mul(*count),
            Type::Vector(component, count) => self.components(*component).saturating_mul(*count),
            Type::Struct(members) => {
                members.iter().fold(0u32, |sum, m| sum.saturating_add(self.components(*m)))
            }
            Type::Float(64) | Type::Int { width: 64, .. } => 2,
            _ => 1,
        }
    }

    /// Bytes of a type in a buffer, by its decorations. `matrix`: stride and row-major of the member holding it.
    pub fn size(&self, id: u32, matrix: (u32, bool)) -> u32 {
        match self.ty(id) {
            Type::Array(element, count) => {
                let stride = self
                    .decoration(id, op::DEC_ARRAY_STRIDE)
                    .unwrap_or_else(|| self.size(*element, matrix));
                stride.saturating_mul(*count)
            }
            Type::Matrix(column, columns) => {
                let Type::Vector(_, rows) = self.ty(*column) else { return 0 };
                let vectors = if matrix.1 { *rows } else { *columns };
                matrix.0.saturating_mul(vectors)
            }
            Type::Vector(component, count) => self.size(*component, matrix).saturating_mul(*count),
            Type::Struct(members) => {
                let ends = members.iter().zip(0u32..).map(|(m, index)| {
                    let offset = self.member_decoration(id, index, op::DEC_OFFSET).unwrap_or(0);
                    offset.saturating_add(self.size(*m, self.matrix_layout(id, index)))
                });
                ends.max().unwrap_or(0)
            }
            Type::Float(width) | Type::Int { width, .. } => width / 8,
            Type::RuntimeArray(_) => 0,
            _ => 4,
        }
    }

    /// Matrix stride and row-major of a member.
    pub fn matrix_layout(&self, ty: u32, member: u32) -> (u32, bool) {
        (
            self.member_decoration(ty, member, op::DEC_MATRIX_STRIDE).unwrap_or(0),
            self.member_decoration(ty, member, op::DEC_ROW_MAJOR).is_some(),
        )
    }
}
