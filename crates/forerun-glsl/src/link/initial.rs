//! Initial values of uniforms: `uniform float f = 2.0;`
//!
//! The relaxed rules drop them. A second parse under the OpenGL rules keeps every uniform a variable with
//! its initialiser folded to constants, and that is where the bytes come from.

use forerun_pipe::archive::Archive;

use super::unit::{Unit, display};
use crate::ffi::{Client, RawProgram};
use crate::spirv::module::{Constant, Module};
use crate::spirv::op;
use crate::spirv::types::Type;

/// Fills in the initial values.
pub fn values(units: &[Unit<'_>], archive: &mut Archive) {
    for unit in units {
        for shader in &unit.shaders {
            if !shader.facts.has_initialisers {
                continue;
            }
            let Ok(raw) = shader.parse(Client::OpenGl) else {
                ::log::warn!("initial values of uniforms could not be read");
                continue;
            };
            let Ok(mut program) = RawProgram::link(vec![raw], Client::OpenGl) else {
                ::log::warn!("initial values of uniforms could not be read");
                continue;
            };
            if let Some(module) = Module::read(program.generate(unit.stage)) {
                from_module(&module, archive);
            }
        }
    }
}

fn from_module(module: &Module, archive: &mut Archive) {
    for variable in &module.variables {
        if variable.class == op::CLASS_UNIFORM_CONSTANT && variable.initialiser != 0 {
            let name = display(module.name(variable.id));
            fill(module, variable.ty, variable.initialiser, &name, archive);
        }
    }
}

fn fill(module: &Module, ty: u32, constant: u32, name: &str, archive: &mut Archive) {
    let parts = match module.constants.get(&constant) {
        Some((_, Constant::Composite(parts))) => parts.clone(),
        Some((_, Constant::Scalar(_))) => Vec::new(),
        _ => return,
    };
    match module.ty(ty) {
        Type::Struct(members) => {
            for (index, (member, part)) in members.iter().zip(&parts).enumerate() {
                let field = display(module.member_name(ty, index as u32));
                fill(module, *member, *part, &format!("{name}.{field}"), archive);
            }
        }
        Type::Array(element, _)
            if matches!(module.ty(*element), Type::Struct(_) | Type::Array(..)) =>
        {
            for (index, part) in parts.iter().enumerate() {
                fill(module, *element, *part, &format!("{name}[{index}]"), archive);
            }
        }
        Type::Array(..) => {
            let name = format!("{name}[0]");
            let Some(uniform) = archive.uniforms.iter_mut().find(|u| u.name == name) else {
                return;
            };
            let stride = uniform.array_stride.max(0) as usize;
            let matrix = uniform.matrix_stride.max(0) as usize;
            let mut bytes = Vec::new();
            for (index, part) in parts.iter().enumerate() {
                bytes.resize(index.saturating_mul(stride), 0);
                bytes.extend(value(module, *part, matrix, uniform.row_major));
            }
            bytes.truncate(stride.saturating_mul(uniform.array_size as usize));
            uniform.initial = bytes;
        }
        _ => {
            let Some(uniform) = archive.uniforms.iter_mut().find(|u| u.name == name) else {
                return;
            };
            let matrix = uniform.matrix_stride.max(0) as usize;
            uniform.initial = value(module, constant, matrix, uniform.row_major);
        }
    }
}

/// Bytes of a scalar, vector or matrix.
fn value(module: &Module, constant: u32, stride: usize, row_major: bool) -> Vec<u8> {
    let Some((ty, constant)) = module.constants.get(&constant) else { return Vec::new() };
    match constant {
        Constant::Scalar(bits) => {
            let wide = matches!(module.ty(*ty), Type::Float(64) | Type::Int { width: 64, .. });
            if wide { bits.to_le_bytes().to_vec() } else { (*bits as u32).to_le_bytes().to_vec() }
        }
        Constant::Null => Vec::new(),
        Constant::Composite(parts) => {
            let columns: Vec<Vec<u8>> =
                parts.iter().map(|p| value(module, *p, stride, row_major)).collect();
            let Type::Matrix(column, _) = module.ty(*ty) else { return columns.concat() };
            let Type::Vector(component, _) = module.ty(*column) else { return Vec::new() };
            let width = if *module.ty(*component) == Type::Float(64) { 8 } else { 4 };
            let vectors = if row_major { transposed(&columns, width) } else { columns };
            let mut bytes = Vec::new();
            for (index, vector) in vectors.iter().enumerate() {
                bytes.resize(index.saturating_mul(stride).max(bytes.len()), 0);
                bytes.extend_from_slice(vector);
            }
            bytes
        }
    }
}

/// The rows of a matrix whose components are `width` bytes wide.
fn transposed(columns: &[Vec<u8>], width: usize) -> Vec<Vec<u8>> {
    let rows = columns.first().map_or(0, |c| c.len() / width);
    let part = |column: &Vec<u8>, row: usize| {
        let found = column.get(row * width..(row + 1) * width);
        found.map_or_else(|| vec![0; width], <[u8]>::to_vec)
    };
    (0..rows).map(|row| columns.iter().flat_map(|c| part(c, row)).collect()).collect()
}
