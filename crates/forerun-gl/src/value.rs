//! Answers of `glGet*` and the conversions between their types (OpenGL ES 3.2, section 2.2.2).

/// Values of one state variable, in the type in which it is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    kind: Kind,
    len: usize,
    bits: [u64; 16],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Float,
    /// A float of which integers are the fraction of the largest integer (colours, depths, normals).
    Normalized,
}

impl Value {
    fn new<T: Copy>(kind: Kind, values: &[T], bits: impl Fn(T) -> u64) -> Value {
        let mut out = Value { kind, len: values.len().min(16), bits: [0; 16] };
        for (slot, value) in out.bits.iter_mut().zip(values) {
            *slot = bits(*value);
        }
        out
    }

    /// A boolean.
    pub fn bool(value: bool) -> Value {
        Self::bools(&[value])
    }

    /// Booleans.
    pub fn bools(values: &[bool]) -> Value {
        Self::new(Kind::Bool, values, u64::from)
    }

    /// An integer, token or name.
    pub fn int(value: impl Into<i64>) -> Value {
        Self::ints(&[value.into()])
    }

    /// Integers.
    pub fn ints<T: Into<i64> + Copy>(values: &[T]) -> Value {
        Self::new(Kind::Int, values, |v| v.into() as u64)
    }

    /// A float.
    pub fn float(value: impl Into<f64>) -> Value {
        Self::floats(&[value.into()])
    }

    /// Floats.
    pub fn floats<T: Into<f64> + Copy>(values: &[T]) -> Value {
        Self::new(Kind::Float, values, |v| v.into().to_bits())
    }

    /// Floats that are mapped to the whole range of integers.
    pub fn normalized<T: Into<f64> + Copy>(values: &[T]) -> Value {
        Self::new(Kind::Normalized, values, |v| v.into().to_bits())
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn bits(&self) -> impl Iterator<Item = u64> + '_ {
        self.bits[..self.len].iter().copied()
    }

    /// As glGetBooleanv gives them.
    pub fn to_bools(&self) -> impl Iterator<Item = u8> + '_ {
        let float = matches!(self.kind, Kind::Float | Kind::Normalized);
        self.bits().map(move |b| u8::from(if float { f64::from_bits(b) != 0.0 } else { b != 0 }))
    }

    /// As glGetInteger64v gives them.
    pub fn to_i64s(&self) -> impl Iterator<Item = i64> + '_ {
        self.bits().map(|b| match self.kind {
            Kind::Bool | Kind::Int => b as i64,
            Kind::Float => f64::from_bits(b).round() as i64,
            Kind::Normalized => normalized_int(f64::from_bits(b)),
        })
    }

    /// As glGetIntegerv gives them: 64-bit values are clamped.
    pub fn to_i32s(&self) -> impl Iterator<Item = i32> + '_ {
        let token_like = self.kind == Kind::Int;
        self.to_i64s().map(move |v| {
            // Masks and tokens are unsigned 32-bit values; they keep their bits.
            if token_like
                && (0..=i64::from(u32::MAX)).contains(&v)
                && v > i64::from(i32::MAX)
                && v == 0xFFFF_FFFF
            {
                -1
            } else {
                v.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
            }
        })
    }

    /// As glGetDoublev gives them.
    pub fn to_f64s(&self) -> impl Iterator<Item = f64> + '_ {
        self.bits().map(|b| match self.kind {
            Kind::Bool => b as f64,
            Kind::Int => b as i64 as f64,
            Kind::Float | Kind::Normalized => f64::from_bits(b),
        })
    }

    /// As glGetFloatv gives them.
    pub fn to_f32s(&self) -> impl Iterator<Item = f32> + '_ {
        self.to_f64s().map(|v| v as f32)
    }
}

/// The mapping of [-1, 1] onto signed 32-bit integers (OpenGL ES 3.2, equation 2.3).
fn normalized_int(value: f64) -> i64 {
    (value.clamp(-1.0, 1.0) * f64::from(i32::MAX)).round() as i64
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn a_float_is_rounded_to_the_nearest_integer() {
        assert_eq!(Value::floats(&[1.5f32, -0.4]).to_i32s().collect::<Vec<_>>(), [2, 0]);
    }

    #[test]
    fn a_colour_is_mapped_to_the_whole_range() {
        assert_eq!(
            Value::normalized(&[1.0f32, -1.0]).to_i32s().collect::<Vec<_>>(),
            [i32::MAX, -i32::MAX]
        );
    }

    #[test]
    fn a_large_integer_is_clamped_and_a_full_mask_kept() {
        assert_eq!(Value::int(1i64 << 40).to_i32s().next(), Some(i32::MAX));
        assert_eq!(Value::int(0xFFFF_FFFFu32).to_i32s().next(), Some(-1));
    }

    #[test]
    fn anything_but_zero_is_true() {
        assert_eq!(Value::floats(&[0.0f32, 0.25]).to_bools().collect::<Vec<_>>(), [0, 1]);
    }
}
