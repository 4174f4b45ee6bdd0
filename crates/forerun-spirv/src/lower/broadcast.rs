//! `gl_FragColor` goes to every colour attachment: copies of output 0 at the locations after it.

use super::{Fresh, copy};
use crate::Refusal;
use crate::module::{HEADER, Module, Variable, instructions};
use crate::rewrite::{literal, push};
use forerun_pipe::archive::Stage;
use rustc_hash::FxHashSet;
use spirv::{Decoration, Op, StorageClass};

/// Writes fragment output 0 to `count` locations.
pub(crate) fn broadcast(words: Vec<u32>, count: u32) -> Result<Vec<u32>, Refusal> {
    let module = Module::read(Stage::Fragment, &words)?;
    let outputs = || module.variables.iter().filter(|v| v.class == StorageClass::Output as u32);
    let at = |variable: &&Variable| module.marks(variable.id).location;
    let Some(source) = outputs().find(|v| at(v) == Some(0)) else {
        return Ok(words);
    };
    let taken: FxHashSet<u32> = outputs().filter_map(|v| at(&v)).collect();
    let mut fresh = Fresh::new(&module);
    let mut copies = Vec::new();
    for location in (1..count.min(32)).filter(|l| !taken.contains(l)) {
        copies.push((fresh.id()?, location));
    }
    let mut out = words.get(..HEADER).unwrap_or(&[]).to_vec();
    let mut in_entry = false;
    let mut annotated = false;
    for inst in instructions(&words) {
        match Op::from_u32(inst.op) {
            Some(Op::EntryPoint) => {
                let mut args = inst.args.to_vec();
                args.extend(copies.iter().map(|c| c.0));
                push(&mut out, Op::EntryPoint, &args);
                continue;
            }
            Some(Op::Name) if !annotated => {
                annotated = true;
                for (id, location) in &copies {
                    let mut args = vec![*id];
                    args.extend(literal(&format!("f{location}")));
                    push(&mut out, Op::Name, &args);
                }
            }
            Some(Op::Decorate)
                if inst.arg(0) == source.id && inst.arg(1) == Decoration::Location as u32 =>
            {
                for (id, location) in &copies {
                    push(&mut out, Op::Decorate, &[*id, Decoration::Location as u32, *location]);
                }
            }
            Some(Op::Variable) if inst.arg(1) == source.id => {
                for (id, _) in &copies {
                    push(&mut out, Op::Variable, &[inst.arg(0), *id, StorageClass::Output as u32]);
                }
            }
            Some(Op::Function) => in_entry = inst.arg(1) == module.entry,
            Some(Op::Return) if in_entry => {
                let value = fresh.id()?;
                push(&mut out, Op::Load, &[source.ty, value, source.id]);
                for (id, _) in &copies {
                    push(&mut out, Op::Store, &[*id, value]);
                }
            }
            _ => {}
        }
        copy(&mut out, inst);
    }
    fresh.finish(&mut out);
    Ok(out)
}
