//! Which shaders may be linked together.

use forerun_pipe::archive::Stage;

use super::LinkOptions;
use crate::Shader;

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
    if es && versions().min() != versions().max() {
        return Err("error: all shaders of an ES program must have the same #version".into());
    }
    let has = |stage| shaders.iter().any(|s| s.stage() == stage);
    if has(Stage::Compute) && shaders.iter().any(|s| s.stage() != Stage::Compute) {
        return Err("error: a compute shader cannot be linked with shaders of other stages".into());
    }
    if has(Stage::Compute) || options.separable {
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
