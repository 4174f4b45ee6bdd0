//! Constant expressions that glslang does not fold: a call of a built-in function on bits whose arguments are literals is a
//! constant expression (GLSL 4.60, section 4.3.3), so that it may size an array, and glslang takes it for a value of run time. Its
//! value is written in its place.

use std::collections::HashSet;

use super::declarations::solid;
use super::rewrite::Edit;
use super::token::Kind;

/// Most calls and constructors inside each other.
const MAX_DEPTH: u32 = 32;

/// What the components of a constant are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Int,
    Uint,
    Float,
}

/// A scalar or vector: the bits of its components.
#[derive(Clone, Debug, PartialEq)]
struct Value {
    base: Base,
    bits: Vec<u32>,
}

/// Folds what can be folded; `functions` are the program's own, which hide built-in ones.
pub fn fold(edit: &mut Edit<'_>, functions: &HashSet<&str>) {
    let is_call = |word: &str| is_foldable(word) && !functions.contains(word);
    if !edit.tokens.iter().any(|t| t.kind == Kind::Word && is_call(t.text)) {
        return;
    }
    let solid = solid(&edit.tokens);
    let mut at = 0;
    while at < solid.len() {
        let reader = Reader { edit, solid: &solid, functions };
        let member = at > 0 && reader.text(at - 1) == ".";
        let found = (is_call(reader.text(at)) && !member).then(|| reader.value(at, 0)).flatten();
        let Some((value, end)) = found else {
            at += 1;
            continue;
        };
        let Some(text) = value.text() else {
            at = end;
            continue;
        };
        for index in solid.get(at..end).unwrap_or_default() {
            edit.set(*index, "");
        }
        if let Some(first) = solid.get(at) {
            edit.set(*first, text);
        }
        at = end;
    }
}

fn is_foldable(word: &str) -> bool {
    matches!(
        word,
        "findLSB"
            | "findMSB"
            | "bitCount"
            | "bitfieldReverse"
            | "bitfieldExtract"
            | "bitfieldInsert"
            | "ldexp"
            | "floatBitsToInt"
            | "floatBitsToUint"
            | "intBitsToFloat"
            | "uintBitsToFloat"
    )
}

struct Reader<'e, 't> {
    edit: &'e Edit<'t>,
    solid: &'e [usize],
    functions: &'e HashSet<&'e str>,
}

impl Reader<'_, '_> {
    fn text(&self, at: usize) -> &str {
        self.solid.get(at).and_then(|i| self.edit.tokens.get(*i)).map_or("", |t| t.text)
    }

    /// The constant that begins at a solid token, and the token behind it.
    fn value(&self, at: usize, depth: u32) -> Option<(Value, usize)> {
        if depth > MAX_DEPTH {
            return None;
        }
        let word = self.text(at);
        if word == "-" || word == "+" {
            let (value, end) = self.value(at + 1, depth + 1)?;
            return Some((if word == "-" { value.negated() } else { value }, end));
        }
        if let Some(value) = number(word) {
            return Some((value, at + 1));
        }
        if self.functions.contains(word) || self.text(at + 1) != "(" {
            return None;
        }
        let mut arguments = Vec::new();
        let mut next = at + 2;
        loop {
            let (argument, end) = self.value(next, depth + 1)?;
            arguments.push(argument);
            next = end + 1;
            match self.text(end) {
                "," => {}
                ")" => break,
                _ => return None,
            }
        }
        let value = match type_of(word) {
            Some((base, size)) => construct(base, size, &arguments)?,
            None => call(word, &arguments)?,
        };
        Some((value, next))
    }
}

/// A literal.
fn number(text: &str) -> Option<Value> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    if hex.is_none() && text.contains(['.', 'e', 'E']) {
        let digits = text.trim_end_matches(['f', 'F']);
        return Some(Value {
            base: Base::Float,
            bits: vec![digits.parse::<f32>().ok()?.to_bits()],
        });
    }
    let unsigned = text.ends_with(['u', 'U']);
    let digits = |text: &str| text.trim_end_matches(['u', 'U']).to_owned();
    let bits = match hex {
        Some(hex) => u32::from_str_radix(&digits(hex), 16),
        None if text.starts_with('0') && digits(text).len() > 1 => {
            u32::from_str_radix(&digits(text), 8)
        }
        None => digits(text).parse(),
    };
    let base = if unsigned { Base::Uint } else { Base::Int };
    Some(Value { base, bits: vec![bits.ok()?] })
}

fn type_of(word: &str) -> Option<(Base, usize)> {
    let (base, size) = match word {
        "int" => return Some((Base::Int, 1)),
        "uint" => return Some((Base::Uint, 1)),
        "float" => return Some((Base::Float, 1)),
        _ => word.split_once("vec")?,
    };
    let base = match base {
        "i" => Base::Int,
        "u" => Base::Uint,
        "" => Base::Float,
        _ => return None,
    };
    match size {
        "2" => Some((base, 2)),
        "3" => Some((base, 3)),
        "4" => Some((base, 4)),
        _ => None,
    }
}

/// GLSL 4.60, sections 5.4.1 and 5.4.2. None: what the language refuses, or leaves undefined.
fn construct(base: Base, size: usize, arguments: &[Value]) -> Option<Value> {
    let mut bits = Vec::new();
    for argument in arguments {
        for component in &argument.bits {
            bits.push(converted(argument.base, base, *component)?);
        }
    }
    match *bits.as_slice() {
        [one] => bits = vec![one; size],
        _ if bits.len() != size => return None,
        _ => {}
    }
    Some(Value { base, bits })
}

fn converted(from: Base, to: Base, bits: u32) -> Option<u32> {
    let float = f32::from_bits(bits);
    match (from, to) {
        (Base::Int, Base::Float) => Some((bits as i32 as f32).to_bits()),
        (Base::Uint, Base::Float) => Some((bits as f32).to_bits()),
        (Base::Float, Base::Int) if float.abs() < 2_147_483_648.0 => Some(float as i32 as u32),
        (Base::Float, Base::Uint) if (0.0..4_294_967_296.0).contains(&float) => Some(float as u32),
        (Base::Float, Base::Int | Base::Uint) => None,
        _ => Some(bits),
    }
}

/// GLSL 4.60, sections 8.3 and 8.8.
fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    let first = arguments.first()?;
    let whole = |base: Base, map: &dyn Fn(u32) -> u32| {
        let bits = first.bits.iter().map(|bits| map(*bits)).collect();
        Some(Value { base, bits })
    };
    let integers = first.base != Base::Float;
    let signed = first.base == Base::Int;
    match (name, arguments.len()) {
        ("findLSB", 1) if integers => whole(Base::Int, &|x| match x {
            0 => u32::MAX,
            _ => x.trailing_zeros(),
        }),
        ("findMSB", 1) if integers => whole(Base::Int, &|x| {
            // Of a negative number, the highest bit that is 0.
            let x = if signed && (x as i32) < 0 { !x } else { x };
            31u32.wrapping_sub(x.leading_zeros())
        }),
        ("bitCount", 1) if integers => whole(Base::Int, &u32::count_ones),
        ("bitfieldReverse", 1) if integers => whole(first.base, &u32::reverse_bits),
        ("floatBitsToInt", 1) if !integers => whole(Base::Int, &|x| x),
        ("floatBitsToUint", 1) if !integers => whole(Base::Uint, &|x| x),
        ("intBitsToFloat", 1) if signed => whole(Base::Float, &|x| x),
        ("uintBitsToFloat", 1) if integers && !signed => whole(Base::Float, &|x| x),
        ("bitfieldExtract", 3) if integers => {
            let (offset, bits) = field(arguments.get(1)?, arguments.get(2)?)?;
            whole(first.base, &|x| match (bits, signed) {
                (0, _) => 0,
                (_, true) => ((x << (32 - offset - bits)) as i32 >> (32 - bits)) as u32,
                (_, false) => (x << (32 - offset - bits)) >> (32 - bits),
            })
        }
        ("bitfieldInsert", 4) if integers => {
            let insert = arguments.get(1)?;
            if insert.base != first.base || insert.bits.len() != first.bits.len() {
                return None;
            }
            let (offset, bits) = field(arguments.get(2)?, arguments.get(3)?)?;
            let mask = if bits == 0 { 0 } else { (u32::MAX >> (32 - bits)) << offset };
            let put = |(x, new): (&u32, &u32)| x & !mask | new.wrapping_shl(offset) & mask;
            let bits = first.bits.iter().zip(&insert.bits).map(put).collect();
            Some(Value { base: first.base, bits })
        }
        ("ldexp", 2) if !integers => {
            let exponents = arguments.get(1)?;
            if exponents.base != Base::Int || exponents.bits.len() != first.bits.len() {
                return None;
            }
            let pairs = first.bits.iter().zip(&exponents.bits);
            let bits: Option<_> = pairs.map(|(x, n)| ldexp(*x, *n as i32)).collect();
            Some(Value { base: Base::Float, bits: bits? })
        }
        _ => None,
    }
}

/// Offset and width of a bit field, which must lie inside 32 bits.
fn field(offset: &Value, bits: &Value) -> Option<(u32, u32)> {
    let ([offset], [bits]) = (offset.bits.as_slice(), bits.bits.as_slice()) else { return None };
    (offset.checked_add(*bits)? <= 32).then_some((*offset, *bits))
}

/// A product too small for a normal number is 0 with its sign (GLSL 4.60, section 4.7.1); one too large is undefined.
fn ldexp(bits: u32, exponent: i32) -> Option<u32> {
    let x = f64::from(f32::from_bits(bits));
    let product = (x * 2.0f64.powi(exponent.clamp(-400, 400))) as f32;
    let flushed = if product.is_normal() { product } else { 0.0f32.copysign(product) };
    product.is_finite().then_some(flushed.to_bits())
}

impl Value {
    fn negated(mut self) -> Value {
        for bits in &mut self.bits {
            *bits = match self.base {
                Base::Float => (-f32::from_bits(*bits)).to_bits(),
                _ => bits.wrapping_neg(),
            };
        }
        self
    }

    /// As source. None: the language has no literal for it.
    fn text(&self) -> Option<String> {
        let component = |bits: &u32| match self.base {
            Base::Int if *bits == 1 << 31 => Some("int(0x80000000u)".to_owned()),
            Base::Int => Some((*bits as i32).to_string()),
            Base::Uint => Some(format!("{bits}u")),
            Base::Float => {
                let float = f32::from_bits(*bits);
                (float.is_normal() || *bits << 1 == 0).then(|| format!("{float:?}"))
            }
        };
        let parts = self.bits.iter().map(component).collect::<Option<Vec<_>>>()?.join(", ");
        let (scalar, vector) = match self.base {
            Base::Int => ("int", "ivec"),
            Base::Uint => ("uint", "uvec"),
            Base::Float => ("float", "vec"),
        };
        Some(match self.bits.len() {
            1 => format!("{scalar}({parts})"),
            size => format!("{vector}{size}({parts})"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::token::tokenize;

    fn folded(source: &str) -> String {
        let tokens = tokenize(source);
        let mut edit = Edit { changed: vec![None; tokens.len()], tokens };
        fold(&mut edit, &HashSet::from(["bitCount"]));
        let texts = edit.tokens.iter().zip(&edit.changed);
        texts.map(|(token, changed)| changed.as_deref().unwrap_or(token.text)).collect()
    }

    #[test]
    fn bits_are_counted_as_the_language_says() {
        for (source, expected) in [
            ("findLSB(ivec4(0, 2, -4, -2147483648))", "ivec4(-1, 1, 2, 31)"),
            ("findMSB(ivec3(0, -1, -16))", "ivec3(-1, -1, 3)"),
            ("findMSB(uvec2(0u, 0xFFFFFFFFu))", "ivec2(-1, 31)"),
            ("bitfieldReverse(1u)", "uint(2147483648u)"),
            ("bitfieldExtract(ivec2(3, 1), 0, 2)", "ivec2(-1, 1)"),
            ("bitfieldExtract(0xF0u, 4, 4)", "uint(15u)"),
            ("bitfieldExtract(uvec2(7u), 0, 0)", "uvec2(0u, 0u)"),
            ("bitfieldInsert(0, 5, 8, 3)", "int(1280)"),
            ("bitfieldInsert(1u, 0xFFFFFFFFu, 0, 32)", "uint(4294967295u)"),
            ("ldexp(vec2(0.98, 25.0), ivec2(-1, 2))", "vec2(0.49, 100.0)"),
            // Too small for a normal number.
            ("ldexp(-0.5, -127)", "float(-0.0)"),
            ("floatBitsToInt(1.0)", "int(1065353216)"),
            ("intBitsToFloat(floatBitsToInt(vec2(2.5)))", "vec2(2.5, 2.5)"),
        ] {
            assert_eq!(folded(source).split_whitespace().collect::<Vec<_>>().join(" "), expected);
        }
    }

    #[test]
    fn what_is_no_constant_stays() {
        for source in [
            "findLSB(n)",
            "findLSB(ivec2(1, n))",
            "bitCount(5)",
            "x.findLSB(4)",
            "bitfieldExtract(1, 20, 20)",
            "bitfieldExtract(1, -1, 1)",
            "ldexp(1.0, 200)",
            "intBitsToFloat(0x7F800000)",
            "findLSB(",
            "findLSB(1.0)",
            "ldexp(1.0, ivec2(1))",
        ] {
            assert_eq!(folded(source), source);
        }
    }
}
