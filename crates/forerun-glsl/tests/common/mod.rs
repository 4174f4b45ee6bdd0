//! Helpers of the integration tests.
#![allow(dead_code)] // Each test file uses some of them.

use forerun_glsl::{CompileResult, Dialect, Limits, LinkOptions, Shader, compile, link};
use forerun_pipe::archive::{Archive, Stage, Uniform};

/// A context: ES or desktop, its highest version, its extensions.
pub fn dialect(es: bool, max_version: u32, extensions: &[&str]) -> Dialect {
    Dialect { es, max_version, extensions: extensions.iter().map(|e| (*e).to_owned()).collect() }
}

pub fn es() -> Dialect {
    dialect(true, 320, &[])
}

pub fn desktop() -> Dialect {
    dialect(false, 460, &[])
}

pub fn try_compile(stage: Stage, source: &str, dialect: &Dialect) -> CompileResult {
    compile(stage, source, dialect, &Limits::default())
}

/// Compiles what must compile.
pub fn shader(stage: Stage, source: &str, dialect: &Dialect) -> Shader {
    let result = try_compile(stage, source, dialect);
    match result.shader {
        Some(shader) => shader,
        None => panic!("does not compile:\n{}\n{source}", result.log),
    }
}

pub fn link_all(
    stages: &[(Stage, &str)],
    dialect: &Dialect,
    options: &LinkOptions<'_>,
) -> Result<Archive, String> {
    let shaders: Vec<Shader> = stages.iter().map(|(s, text)| shader(*s, text, dialect)).collect();
    let refs: Vec<&Shader> = shaders.iter().collect();
    let linked = link(&refs, options);
    if let Ok(archive) = &linked {
        let back = Archive::decode(&archive.encode());
        assert_eq!(back.as_ref(), Ok(archive), "the archive does not survive its codec");
    }
    linked
}

/// Links a vertex and a fragment shader that must link.
pub fn program(vertex: &str, fragment: &str, dialect: &Dialect) -> Archive {
    let stages = [(Stage::Vertex, vertex), (Stage::Fragment, fragment)];
    match link_all(&stages, dialect, &LinkOptions::default()) {
        Ok(archive) => archive,
        Err(log) => panic!("does not link:\n{log}"),
    }
}

pub fn uniform<'a>(archive: &'a Archive, name: &str) -> &'a Uniform {
    match archive.uniforms.iter().find(|u| u.name == name) {
        Some(uniform) => uniform,
        None => panic!("no uniform {name} among {:?}", names(archive)),
    }
}

pub fn names(archive: &Archive) -> Vec<&str> {
    let mut names: Vec<&str> = archive.uniforms.iter().map(|u| u.name.as_str()).collect();
    names.sort_unstable();
    names
}

/// The operands of an `OpDecorate` in a stage's words, by the variable's name.
pub fn decoration(archive: &Archive, stage: Stage, name: &str, decoration: u32) -> Option<u32> {
    use forerun_glsl::spirv::module::Module;
    let module = Module::read(archive.stage(stage)?.spirv.clone())?;
    let id = module
        .variables
        .iter()
        .find(|v| module.name(v.id) == name || module.name(module.peel(v.ty).0) == name)?
        .id;
    module.decoration(id, decoration)
}
