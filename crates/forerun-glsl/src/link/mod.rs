//! Linking.
use crate::Shader;
use forerun_pipe::archive::Archive;
/// Options
#[derive(Default)]
pub struct LinkOptions;
/// Link
pub fn link(shaders: &[&Shader], _o: &LinkOptions) -> Result<Archive, String> {
    let raw = shaders.iter().map(|s| s.parsed()).collect::<Result<Vec<_>, _>>()?;
    let mut p = crate::ffi::RawProgram::link(raw, crate::ffi::Client::Vulkan)?;
    let mut a = Archive::default();
    for s in shaders {
        a.stages.push(forerun_pipe::archive::StageCode {
            stage: s.stage,
            spirv: p.generate(s.stage),
            ..Default::default()
        });
    }
    Ok(a)
}
