//! The types that shader variables have (OpenGL 4.6, tables 7.3 and 7.4; OpenGL ES 3.2, table 7.3).

use forerun_pipe::gl;

/// What the components of a type are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `int64_t`.
    Int64,
    /// `uint64_t`.
    Uint64,
    /// `bool`, stored as a `uint` that is 0 or 1.
    Bool,
    /// A sampler: its value is a texture unit.
    Sampler,
    /// An image: its value is an image unit.
    Image,
    /// An atomic counter: it has no value of its own.
    Atomic,
}

impl Kind {
    /// 32-bit words of one component.
    pub fn words(self) -> usize {
        if matches!(self, Kind::Double | Kind::Int64 | Kind::Uint64) { 2 } else { 1 }
    }
}

/// The shape of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeInfo {
    /// Kind of the components.
    pub kind: Kind,
    /// Columns: 1 unless a matrix.
    pub columns: u32,
    /// Components of a column.
    pub rows: u32,
}

impl TypeInfo {
    /// Components in all.
    pub fn components(&self) -> u32 {
        self.columns * self.rows
    }

    /// 32-bit words of one component.
    pub fn words(&self) -> usize {
        self.kind.words()
    }

    /// Whether it is a matrix.
    pub fn is_matrix(&self) -> bool {
        self.columns > 1
    }
}

macro_rules! types {
    ($( $kind:ident { $( $token:ident = $columns:literal x $rows:literal ),* $(,)? } )*) => {
        /// The shape of a GL type token. Every sampler and image type is one `Int`-like value; an unknown token is a sampler, since
        /// the archive's types are the compiler's.
        pub fn info(ty: u32) -> TypeInfo {
            let (kind, columns, rows) = match ty {
                $( $( gl::$token => (Kind::$kind, $columns, $rows), )* )*
                gl::UNSIGNED_INT_ATOMIC_COUNTER => (Kind::Atomic, 1, 1),
                gl::IMAGE_1D..=gl::UNSIGNED_INT_IMAGE_2D_MULTISAMPLE_ARRAY => (Kind::Image, 1, 1),
                _ => (Kind::Sampler, 1, 1),
            };
            TypeInfo { kind, columns, rows }
        }
    };
}

types! {
    Float {
        FLOAT = 1 x 1, FLOAT_VEC2 = 1 x 2, FLOAT_VEC3 = 1 x 3, FLOAT_VEC4 = 1 x 4,
        FLOAT_MAT2 = 2 x 2, FLOAT_MAT2x3 = 2 x 3, FLOAT_MAT2x4 = 2 x 4,
        FLOAT_MAT3x2 = 3 x 2, FLOAT_MAT3 = 3 x 3, FLOAT_MAT3x4 = 3 x 4,
        FLOAT_MAT4x2 = 4 x 2, FLOAT_MAT4x3 = 4 x 3, FLOAT_MAT4 = 4 x 4,
    }
    Double {
        DOUBLE = 1 x 1, DOUBLE_VEC2 = 1 x 2, DOUBLE_VEC3 = 1 x 3, DOUBLE_VEC4 = 1 x 4,
        DOUBLE_MAT2 = 2 x 2, DOUBLE_MAT2x3 = 2 x 3, DOUBLE_MAT2x4 = 2 x 4,
        DOUBLE_MAT3x2 = 3 x 2, DOUBLE_MAT3 = 3 x 3, DOUBLE_MAT3x4 = 3 x 4,
        DOUBLE_MAT4x2 = 4 x 2, DOUBLE_MAT4x3 = 4 x 3, DOUBLE_MAT4 = 4 x 4,
    }
    Int { INT = 1 x 1, INT_VEC2 = 1 x 2, INT_VEC3 = 1 x 3, INT_VEC4 = 1 x 4 }
    Uint {
        UNSIGNED_INT = 1 x 1, UNSIGNED_INT_VEC2 = 1 x 2, UNSIGNED_INT_VEC3 = 1 x 3,
        UNSIGNED_INT_VEC4 = 1 x 4,
    }
    Int64 {
        INT64_ARB = 1 x 1, INT64_VEC2_ARB = 1 x 2, INT64_VEC3_ARB = 1 x 3, INT64_VEC4_ARB = 1 x 4,
    }
    Uint64 {
        UNSIGNED_INT64_ARB = 1 x 1, UNSIGNED_INT64_VEC2_ARB = 1 x 2,
        UNSIGNED_INT64_VEC3_ARB = 1 x 3, UNSIGNED_INT64_VEC4_ARB = 1 x 4,
    }
    Bool { BOOL = 1 x 1, BOOL_VEC2 = 1 x 2, BOOL_VEC3 = 1 x 3, BOOL_VEC4 = 1 x 4 }
}

#[cfg(test)]
mod tests {
    use super::{Kind, info};
    use forerun_pipe::gl;

    #[test]
    fn matrix_names_say_columns_first() {
        let ty = info(gl::FLOAT_MAT2x4);
        assert_eq!((ty.columns, ty.rows, ty.components()), (2, 4, 8));
    }

    #[test]
    fn opaque_types_are_told_apart() {
        assert_eq!(info(gl::SAMPLER_2D_ARRAY_SHADOW).kind, Kind::Sampler);
        assert_eq!(info(gl::UNSIGNED_INT_SAMPLER_BUFFER).kind, Kind::Sampler);
        assert_eq!(info(gl::IMAGE_2D).kind, Kind::Image);
        assert_eq!(info(gl::UNSIGNED_INT_IMAGE_CUBE_MAP_ARRAY).kind, Kind::Image);
        assert_eq!(info(gl::UNSIGNED_INT_ATOMIC_COUNTER).kind, Kind::Atomic);
        assert_eq!(info(gl::UNSIGNED_INT).kind, Kind::Uint);
    }
}
