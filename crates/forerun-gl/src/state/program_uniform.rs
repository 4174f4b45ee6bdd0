//! `glUniform*`, `glProgramUniform*`, `glGetUniform*` (OpenGL ES 3.2, section 7.6; OpenGL 4.6, section 7.6).

use super::program_linked::Linked;
use super::program_types::{Kind, TypeInfo};
use crate::context::{Api, Context};
use crate::emit::Dirty;
use crate::error::{GlResult, check_operation, check_value};
use std::sync::Arc;

/// Whose uniform is meant.
#[derive(Clone, Copy, Debug)]
pub enum Of {
    /// The active program's (`glUniform*`).
    Active,
    /// That program's (`glProgramUniform*`).
    Program(u32),
}

fn target(cx: &Context, of: Of) -> GlResult<Arc<Linked>> {
    match of {
        Of::Active => cx.program.active().map(Arc::clone),
        Of::Program(name) => cx.group.linked(name),
    }
}

/// Stores vectors or scalars of `components` each, given as their 32-bit words.
///
/// # Errors
/// As OpenGL 4.6, section 7.6.1 says.
#[inline]
pub fn set(
    cx: &mut Context,
    of: Of,
    location: i32,
    count: i32,
    kind: Kind,
    components: u32,
    words: &[u32],
) -> GlResult {
    let limits = cx.state.uniform_limits();
    let given = TypeInfo { kind, columns: 1, rows: components };
    let moved = match of {
        Of::Active => cx.state.program.active()?.set(location, count, given, words, limits)?,
        Of::Program(name) => cx.group.linked(name)?.set(location, count, given, words, limits)?,
    };
    if moved {
        cx.state.dirty |= Dirty::PROGRAM;
    }
    Ok(())
}

/// Stores matrices.
///
/// # Errors
/// As OpenGL 4.6, section 7.6.1 says; in OpenGL ES 2.0 matrices are never transposed.
pub fn set_matrices(
    cx: &mut Context,
    of: Of,
    location: i32,
    count: i32,
    transpose: u8,
    given: TypeInfo,
    words: &[u32],
) -> GlResult {
    let linked = target(cx, of)?;
    check_value(
        transpose == 0 || cx.config.api != Api::Es || cx.es(30),
        "transpose in OpenGL ES 2.0",
    )?;
    if linked.set_matrices(location, count, transpose != 0, given, words)? {
        cx.state.dirty |= Dirty::PROGRAM;
    }
    Ok(())
}

/// A uniform's value, in the type in which it is kept.
#[derive(Clone, Debug)]
pub struct Stored {
    kind: Kind,
    words: Vec<u32>,
}

impl Stored {
    fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        self.words.chunks_exact(self.kind.words()).map(move |word| match (self.kind, word) {
            (Kind::Float, [bits]) => f64::from(f32::from_bits(*bits)),
            (Kind::Int, [bits]) => f64::from(*bits as i32),
            (Kind::Double, [low, high]) => f64::from_bits(wide(*low, *high)),
            (Kind::Int64, [low, high]) => wide(*low, *high) as i64 as f64,
            (Kind::Uint64, [low, high]) => wide(*low, *high) as f64,
            (_, [bits, ..]) => f64::from(*bits),
            _ => 0.0,
        })
    }

    /// As glGetUniformfv gives it.
    pub fn floats(&self) -> impl Iterator<Item = f32> + '_ {
        self.numbers().map(|n| n as f32)
    }

    /// As glGetUniformdv gives it.
    pub fn doubles(&self) -> impl Iterator<Item = f64> + '_ {
        self.numbers()
    }

    /// As glGetUniformiv gives it: floats are rounded.
    pub fn ints(&self) -> impl Iterator<Item = i32> + '_ {
        let keeps_bits = self.kind == Kind::Uint;
        self.numbers().map(move |n| if keeps_bits { n as u32 as i32 } else { n.round() as i32 })
    }

    /// As glGetUniformuiv gives it.
    pub fn uints(&self) -> impl Iterator<Item = u32> + '_ {
        let keeps_bits = self.kind == Kind::Int;
        self.numbers().map(move |n| if keeps_bits { n as i32 as u32 } else { n.round() as u32 })
    }

    /// As glGetUniformi64vARB gives it: all bits of 64-bit integers, other values rounded.
    pub fn longs(&self) -> impl Iterator<Item = i64> + '_ {
        self.bits().zip(self.numbers()).map(|(bits, n)| match bits {
            Some(bits) => bits as i64,
            None => n.round() as i64,
        })
    }

    /// As glGetUniformui64vARB gives it: all bits of 64-bit integers, other values rounded; those below zero keep the bits of
    /// their 64-bit integer.
    pub fn unsigned_longs(&self) -> impl Iterator<Item = u64> + '_ {
        let keeps_bits = self.kind == Kind::Int;
        self.bits().zip(self.numbers()).map(move |(bits, n)| match bits {
            Some(bits) => bits,
            None if keeps_bits => n as i64 as u64,
            None => n.round() as u64,
        })
    }

    /// The bits of each component, if it is a 64-bit integer.
    fn bits(&self) -> impl Iterator<Item = Option<u64>> + '_ {
        let whole = matches!(self.kind, Kind::Int64 | Kind::Uint64);
        self.words.chunks_exact(self.kind.words()).map(move |word| match word {
            [low, high] if whole => Some(wide(*low, *high)),
            _ => None,
        })
    }
}

/// A component of 64 bits from its words.
fn wide(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// The value of a uniform. `room` is the size in bytes that glGetnUniform* was given, `width` that of one component.
///
/// # Errors
/// As OpenGL ES 3.2, section 7.12 says.
pub fn get(
    cx: &Context,
    program: u32,
    location: i32,
    room: Option<i32>,
    width: usize,
) -> GlResult<Stored> {
    let linked = cx.group.linked(program)?;
    let (ty, words) = linked.get(location)?;
    if let Some(room) = room {
        let needed = ty.components() as usize * width;
        check_operation(
            usize::try_from(room).is_ok_and(|room| room >= needed),
            "room for a uniform's value",
        )?;
    }
    Ok(Stored { kind: ty.kind, words })
}

/// glUniformBlockBinding.
///
/// # Errors
/// GL_INVALID_VALUE for an index or a point out of range.
pub fn bind_block(cx: &mut Context, program: u32, index: u32, point: u32) -> GlResult {
    let program = cx.group.program(program)?;
    let linked = program.data.borrow_mut().linked.clone();
    let block =
        linked.as_ref().and_then(|l| Some((l, l.archive.uniform_blocks.get(index as usize)?)));
    let points = cx.caps.limits.max_uniform_buffer_bindings.max(0) as u32;
    check_value(point < points, "uniform buffer point")?;
    match block {
        Some((linked, block)) => {
            if linked.bind_block(block.slot, point) {
                cx.state.dirty |= Dirty::PROGRAM;
            }
            Ok(())
        }
        None => check_value(false, "uniform block index"),
    }
}

/// glShaderStorageBlockBinding.
///
/// # Errors
/// GL_INVALID_VALUE for an index or a point out of range.
pub fn bind_storage(cx: &mut Context, program: u32, index: u32, point: u32) -> GlResult {
    let program = cx.group.program(program)?;
    let linked = program.data.borrow_mut().linked.clone();
    let block =
        linked.as_ref().and_then(|l| Some((l, l.archive.storage_blocks.get(index as usize)?)));
    let points = cx.caps.limits.max_shader_storage_buffer_bindings.max(0) as u32;
    check_value(point < points, "storage buffer point")?;
    match block {
        Some((linked, block)) => {
            if linked.bind_storage(block.slot, point) {
                cx.state.dirty |= Dirty::PROGRAM;
            }
            Ok(())
        }
        None => check_value(false, "storage block index"),
    }
}
