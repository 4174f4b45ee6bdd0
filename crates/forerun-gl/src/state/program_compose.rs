//! Composing the stages of several programs into one. Uniforms and blocks of different programs are different things even when their
//! names are the same, so all but the first program's are renamed before the link, and their values are copied from the programs
//! at each verb.

use super::program_link::Ingredients;
use super::program_linked::{Linked, Part};
use super::program_query::subscript;
use super::program_types::info;
use forerun_pipe::archive::{Archive, Stage, Uniform};
use std::sync::Arc;

/// Links the stages of `parts` together.
///
/// # Errors
/// The log of the failed link.
pub fn compose(stages: &[(Stage, Arc<Linked>)], parts: &[Arc<Linked>]) -> Result<Linked, String> {
    let mut shaders = Vec::new();
    for (stage, linked) in stages {
        let index = parts.iter().position(|part| Arc::ptr_eq(part, linked)).unwrap_or(0);
        let of_stage = linked
            .ingredients
            .shaders
            .iter()
            .filter_map(|compiled| compiled.shader.as_ref())
            .filter(|shader| shader.stage() == *stage);
        let before = shaders.len();
        for shader in of_stage {
            shaders.push(shader.renamed(&own_names(&linked.archive), &prefix(index)));
        }
        if shaders.len() == before {
            return Err(format!("error: the {} stage comes from a program binary\n", stage.word()));
        }
    }
    let of = |stage: Stage| {
        stages.iter().find(|(s, _)| *s == stage).map(|(_, linked)| &linked.ingredients)
    };
    let none = Ingredients::default();
    let vertex = of(Stage::Vertex).unwrap_or(&none);
    let fragment = of(Stage::Fragment).unwrap_or(&none);
    let feeding = [Stage::Geometry, Stage::TessEvaluation, Stage::Vertex]
        .into_iter()
        .find_map(of)
        .unwrap_or(&none);
    let references: Vec<&forerun_glsl::Shader> = shaders.iter().collect();
    let archive = forerun_glsl::link(
        &references,
        &forerun_glsl::LinkOptions {
            attributes: &vertex.attributes,
            frag_data: &fragment.frag_data,
            feedback: &feeding.feedback,
            feedback_mode: feeding.feedback_mode,
            separable: false,
            pipeline: true,
        },
    )?;
    let parts = parts
        .iter()
        .enumerate()
        .map(|(index, linked)| part(&archive, linked, &prefix(index)))
        .collect();
    Ok(Linked::new(archive, parts))
}

fn prefix(index: usize) -> String {
    if index == 0 { String::new() } else { format!("fr{index}_") }
}

/// The identifiers that belong to a program alone: its uniforms and its blocks.
fn own_names(archive: &Archive) -> Vec<String> {
    let root = |name: &str| name.split(['.', '[']).next().unwrap_or("").to_owned();
    let uniforms =
        archive.uniforms.iter().filter(|u| u.block < 0 && !u.is_builtin).map(|u| root(&u.name));
    let blocks =
        archive.uniform_blocks.iter().chain(&archive.storage_blocks).map(|b| root(&b.name));
    let mut names: Vec<String> =
        uniforms.chain(blocks).filter(|name| !name.starts_with("gl_")).collect();
    names.sort();
    names.dedup();
    names
}

fn part(whole: &Archive, linked: &Arc<Linked>, prefix: &str) -> Part {
    let own = &linked.archive;
    let mut spans = Vec::new();
    let mut slots: [Vec<(u32, u32)>; 4] = Default::default();
    for mine in &own.uniforms {
        let name = format!("{prefix}{}", mine.name);
        let Some(theirs) = whole.uniforms.iter().find(|u| u.name == name && u.ty == mine.ty) else {
            continue;
        };
        if let Some(span) = span(mine, theirs) {
            spans.push(span);
        }
        let count = mine.array_size.max(1).min(theirs.array_size.max(1));
        for (list, from, to) in
            [(1, mine.sampler_slot, theirs.sampler_slot), (2, mine.image_slot, theirs.image_slot)]
        {
            if let (Ok(from), Ok(to)) = (u32::try_from(from), u32::try_from(to)) {
                slots[list].extend((0..count).map(|i| (from + i, to + i)));
            }
        }
    }
    for (list, mine, theirs) in [
        (0, &own.uniform_blocks, &whole.uniform_blocks),
        (3, &own.storage_blocks, &whole.storage_blocks),
    ] {
        for block in mine {
            let (base, index) =
                subscript(&block.name).map_or((block.name.as_str(), None), |(b, i)| (b, Some(i)));
            let name = match index {
                Some(index) => format!("{prefix}{base}[{index}]"),
                None => format!("{prefix}{base}"),
            };
            if let Some(other) = theirs.iter().find(|b| b.name == name) {
                slots[list].push((block.slot, other.slot));
            }
        }
    }
    Part { linked: Arc::clone(linked), spans, slots }
}

/// The bytes of a uniform of the default block: from, to, length.
fn span(mine: &Uniform, theirs: &Uniform) -> Option<(u32, u32, u32)> {
    let in_default = |u: &Uniform| u.block < 0 && u.atomic_buffer < 0 && u.offset >= 0;
    if !in_default(mine) || !in_default(theirs) || mine.array_stride != theirs.array_stride {
        return None;
    }
    let ty = info(mine.ty);
    let element = if ty.is_matrix() {
        let vectors = if mine.row_major { ty.rows } else { ty.columns };
        mine.matrix_stride.max(0) as u32 * vectors
    } else {
        ty.rows * ty.words() as u32 * 4
    };
    let count = mine.array_size.max(1).min(theirs.array_size.max(1));
    let len = mine.array_stride.max(0) as u32 * (count - 1) + element;
    Some((mine.offset as u32, theirs.offset as u32, len))
}
