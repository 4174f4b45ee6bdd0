//! Which shaders may be linked together.

use std::collections::HashMap;

use forerun_pipe::archive::Stage;

use super::LinkOptions;
use super::unit::{Unit, display};
use crate::source::declarations::Shape;
use crate::source::token::tokenize;
use crate::spirv::module::instructions;
use crate::spirv::op;
use crate::{Limits, Shader};

/// Checks languages and the set of stages.
///
/// # Errors
/// A line for the log.
pub fn check(shaders: &[&Shader], options: &LinkOptions<'_>) -> Result<(), String> {
    let es = shaders.iter().any(|s| s.es());
    if es && shaders.iter().any(|s| !s.es()) {
        return Err("error: ES and desktop shaders cannot be linked together".into());
    }
    let versions = || shaders.iter().map(|s| s.version());
    if es && versions().min() != versions().max() && !options.pipeline {
        return Err("error: all shaders of an ES program must have the same #version".into());
    }
    uniform_types(shaders)?;
    fragcoord(shaders)?;
    invariant_inputs(shaders)?;
    if let Some(mixed) = shaders.iter().find_map(|s| s.facts.mixed_outputs.clone()) {
        return Err(mixed);
    }
    subroutines(shaders)?;
    streams(shaders)?;
    if options.separable && !es {
        per_vertex(shaders)?;
    }
    let has = |stage| shaders.iter().any(|s| s.stage() == stage);
    if has(Stage::Compute) && shaders.iter().any(|s| s.stage() != Stage::Compute) {
        return Err("error: a compute shader cannot be linked with shaders of other stages".into());
    }
    if has(Stage::Compute) && !shaders.iter().any(|s| has_local_size(s)) {
        return Err("error: the compute shader declares no work group size".into());
    }
    if has(Stage::Compute) || options.separable || options.pipeline {
        return Ok(());
    }
    if es && !has(Stage::Vertex) {
        return Err("error: the program lacks a vertex shader".into());
    }
    if es && !has(Stage::Fragment) {
        return Err("error: the program lacks a fragment shader".into());
    }
    for stage in [Stage::Geometry, Stage::TessControl, Stage::TessEvaluation] {
        if has(stage) && !has(Stage::Vertex) {
            return Err(format!("error: a {} shader needs a vertex shader", stage.word()));
        }
    }
    if has(Stage::TessControl) && !has(Stage::TessEvaluation) {
        return Err("error: a tessellation control shader needs an evaluation shader".into());
    }
    if es && has(Stage::TessEvaluation) && !has(Stage::TessControl) {
        return Err("error: a tessellation evaluation shader needs a control shader".into());
    }
    Ok(())
}

/// OpenGL 4.6, section 11.3.4.2: a geometry shader that emits to other streams than the first makes points.
fn streams(shaders: &[&Shader]) -> Result<(), String> {
    let geometry = || shaders.iter().filter(|s| s.stage() == Stage::Geometry);
    let declares =
        |s: &&&Shader| {
            s.facts.declarations.list.iter().any(|d| {
                d.is("out") && (d.has_layout("line_strip") || d.has_layout("triangle_strip"))
            })
        };
    let emits = |s: &&&Shader| {
        let tokens = tokenize(&s.text);
        let solid: Vec<&str> = tokens.iter().filter(|t| t.solid()).map(|t| t.text).collect();
        solid.windows(3).any(|w| w[0] == "EmitStreamVertex" && w[1] == "(" && w[2] != "0")
    };
    if geometry().any(|s| declares(&s)) && geometry().any(|s| emits(&s)) {
        return Err("error: only points can be emitted to several vertex streams".into());
    }
    Ok(())
}

/// OpenGL 4.6, section 11.3.4.2: vertices are emitted to the streams that there are, `GL_MAX_VERTEX_STREAMS`.
pub fn emitted_streams(unit: &Unit<'_>, limits: &Limits) -> Result<(), String> {
    let streams = limits.max_vertex_streams.max(1) as u32;
    let emits = |op: u16| matches!(op, op::EMIT_STREAM_VERTEX | op::END_STREAM_PRIMITIVE);
    let mut emitted = instructions(&unit.module.words).filter(|i| emits(i.op));
    match emitted.find_map(|i| unit.module.integer(i.word(0)).filter(|s| *s >= streams)) {
        Some(stream) => {
            Err(format!("error: the geometry shader emits to vertex stream {stream} of {streams}"))
        }
        None => Ok(()),
    }
}

/// OpenGL 4.6, section 7.4.1: blocks with locations on both sides are matched by these, whatever they are called. glslang matches
/// by names, so an input block that shares its name with the block of another location gets another one.
pub fn blocks_apart(sorted: &[&Shader]) -> Vec<Option<Shader>> {
    fn blocks<'a>(
        shader: &'a Shader,
        qualifier: &'static str,
    ) -> impl Iterator<Item = (&'a str, Option<i64>)> {
        let list = &shader.facts.declarations.list;
        let blocks = list.iter().filter(move |d| {
            matches!(d.shape, Shape::Block(_)) && d.is(qualifier) && !d.ty.is_empty()
        });
        blocks.map(|d| (d.ty.as_str(), d.layout_value("location")))
    }
    let mut out = Vec::with_capacity(sorted.len());
    for shader in sorted {
        let before = sorted.iter().map(|s| s.stage()).filter(|stage| *stage < shader.stage()).max();
        let producers = || sorted.iter().filter(|s| Some(s.stage()) == before);
        let differs = |name: &str, location: i64| {
            producers()
                .flat_map(|s| blocks(s, "out"))
                .any(|(other, at)| other == name && at.is_some_and(|at| at != location))
        };
        let own = |name: &str| blocks(shader, "out").any(|(other, _)| other == name);
        let names: Vec<String> = blocks(shader, "in")
            .filter(|(name, at)| at.is_some_and(|at| differs(name, at)) && !own(name))
            .map(|(name, _)| name.to_owned())
            .collect();
        out.push((!names.is_empty()).then(|| shader.renamed(&names, "fr_in_")));
    }
    out
}

/// OpenGL 4.6, section 7.4.1: separable programs redeclare the block of built-ins between stages that use it.
fn per_vertex(shaders: &[&Shader]) -> Result<(), String> {
    let redeclares = |stage: Stage, qualifier: &str| {
        let of_stage = shaders.iter().filter(|s| s.stage() == stage);
        of_stage.flat_map(|s| &s.facts.declarations.list).any(|d| {
            matches!(d.shape, Shape::Block(_)) && d.ty == "gl_PerVertex" && d.is(qualifier)
        })
    };
    // Members stand after a dot only where they are of `gl_in` or `gl_out`.
    let uses = |stage: Stage, names: &[&str]| {
        shaders.iter().filter(|s| s.stage() == stage).any(|s| {
            let tokens = tokenize(&s.text);
            let solid: Vec<&str> = tokens.iter().filter(|t| t.solid()).map(|t| t.text).collect();
            solid.windows(2).any(|w| names.contains(&w[1]) && w[0] != ".")
        })
    };
    let stages = [Stage::Vertex, Stage::TessControl, Stage::TessEvaluation, Stage::Geometry];
    let present: Vec<Stage> =
        stages.into_iter().filter(|stage| shaders.iter().any(|s| s.stage() == *stage)).collect();
    for pair in present.windows(2) {
        let [producer, consumer] = *pair else { continue };
        let outputs: &[&str] = match producer {
            Stage::TessControl => &["gl_out"],
            _ => &["gl_Position", "gl_PointSize", "gl_ClipDistance", "gl_CullDistance"],
        };
        if uses(producer, outputs)
            && !redeclares(producer, "out")
            && uses(consumer, &["gl_in"])
            && !redeclares(consumer, "in")
        {
            return Err(format!(
                "error: a separable program must redeclare gl_PerVertex between its {} and {} shaders",
                producer.word(),
                consumer.word()
            ));
        }
    }
    Ok(())
}

/// What is wrong with the subroutines of a stage. Each shader numbers its own, so that one shader of a stage may have some.
fn subroutines(shaders: &[&Shader]) -> Result<(), String> {
    for stage in Stage::ALL.iter().copied() {
        let of_stage =
            || shaders.iter().filter(|s| s.stage() == stage).map(|s| &s.facts.subroutines);
        if let Some(wrong) = of_stage().find_map(|s| s.wrong.clone()) {
            return Err(wrong);
        }
        if of_stage().filter(|s| !s.functions.is_empty() || !s.uniforms.is_empty()).count() > 1 {
            return Err(format!(
                "error: several {} shaders have subroutines, which is not supported",
                stage.word()
            ));
        }
    }
    Ok(())
}

/// GLSL 1.50 §4.3.8.1: all fragment shaders that redeclare or use `gl_FragCoord` redeclare it alike.
fn fragcoord(shaders: &[&Shader]) -> Result<(), String> {
    let facts = || shaders.iter().filter(|s| s.stage() == Stage::Fragment).map(|s| &s.facts);
    let Some(first) = facts().find(|f| f.fragcoord_redeclared) else { return Ok(()) };
    for other in facts() {
        let alike = other.fragcoord_upper_left == first.fragcoord_upper_left
            && other.fragcoord_integer == first.fragcoord_integer;
        if other.fragcoord_redeclared && !alike {
            return Err("error: gl_FragCoord is redeclared with different layouts".into());
        }
        if !other.fragcoord_redeclared && other.uses_fragcoord {
            return Err(
                "error: gl_FragCoord is redeclared in only some of the shaders using it".into()
            );
        }
    }
    Ok(())
}

/// Uniforms of one name have one type. glslang checks this too, but cannot say it for opaque types.
fn uniform_types(shaders: &[&Shader]) -> Result<(), String> {
    let mut known: HashMap<&str, (&str, Stage)> = HashMap::new();
    for shader in shaders {
        let declarations = &shader.facts.declarations;
        let is_struct = |ty: &str| declarations.structs.iter().any(|(name, _)| name == ty);
        for declaration in &declarations.list {
            let ty = declaration.ty.as_str();
            let plain = declaration.is("uniform") && declaration.shape == Shape::Variables;
            if !plain || ty.is_empty() || is_struct(ty) {
                continue;
            }
            for declared in &declaration.names {
                let (other, stage) = *known.entry(&declared.name).or_insert((ty, shader.stage()));
                if other != ty {
                    return Err(format!(
                        "error: uniform `{}' is {other} in the {} shader and {ty} in the {} shader",
                        display(&declared.name),
                        stage.word(),
                        shader.stage().word()
                    ));
                }
            }
        }
    }
    Ok(())
}

fn has_local_size(shader: &Shader) -> bool {
    shader.facts.declarations.list.iter().any(|d| {
        ["local_size_x", "local_size_y", "local_size_z", "local_size_x_id"]
            .iter()
            .any(|name| d.has_layout(name))
    })
}

/// The old language's inputs of the fragment shader are invariant only where what makes them is (OpenGL ES SL 1.00, section 4.6.4).
fn invariant_inputs(shaders: &[&Shader]) -> Result<(), String> {
    let declares = |stage: Stage, name: &str| {
        let mut of_stage = shaders.iter().filter(|s| s.stage() == stage);
        of_stage.any(|s| s.facts.invariant.iter().any(|n| n == name))
    };
    let old = shaders.iter().all(|s| s.es() && s.version() < 300);
    for (input, output) in [
        ("gl_FragCoord", "gl_Position"),
        ("gl_FrontFacing", "gl_Position"),
        ("gl_PointCoord", "gl_PointSize"),
    ] {
        let vertex = shaders.iter().any(|s| s.stage() == Stage::Vertex);
        if old && vertex && declares(Stage::Fragment, input) && !declares(Stage::Vertex, output) {
            return Err(format!("error: `{input}' is invariant, but `{output}' is not"));
        }
    }
    Ok(())
}
