//! Compiles, links, translates and gives to the host's driver the shaders of piglit's `.shader_test` files named as arguments, and
//! says for each how far it came. `corpus es FILE…` translates to ESSL, `corpus gl FILE…` to GLSL; `-v` prints texts and logs.

#[path = "../tests/common/host.rs"]
mod host;

use forerun_glsl::{Dialect as Source, Limits, LinkOptions, compile, link};
use forerun_pipe::archive::Stage;
use forerun_spirv::{Dialect, Options, Target, feedback_names, translate};
use std::io::Write;

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let verbose = args.iter().any(|a| a == "-v");
    args.retain(|a| a != "-v");
    let es = args.first().is_some_and(|a| a == "es");
    let Some(host) = host::Host::new(es) else { return };
    let dialect = if es { Dialect::Essl(320) } else { Dialect::Glsl(450) };
    let target = Target::new(dialect, &host.extensions);
    let mut out = std::io::stdout().lock();
    for path in args.iter().skip(1) {
        let Ok(bytes) = std::fs::read(path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let outcome = attempt(&text, &host, &target);
        let name = path.rsplit("piglit/").next().unwrap_or(path);
        let (word, log) = match &outcome {
            Ok(()) => ("ok", ""),
            Err((word, log)) => (*word, log.as_str()),
        };
        let first = log.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
        let _ = writeln!(out, "{word}\t{name}\t{first}");
        if verbose {
            let _ = writeln!(out, "{log}");
        }
    }
}

fn attempt(text: &str, host: &host::Host, target: &Target) -> Result<(), (&'static str, String)> {
    let mut shaders: Vec<(Stage, String)> = Vec::new();
    let mut stage = None;
    let (mut es, mut wants_error) = (false, false);
    for line in text.lines() {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end().trim_end_matches(']');
            stage = match section {
                "vertex shader" => Some(Stage::Vertex),
                "tessellation control shader" => Some(Stage::TessControl),
                "tessellation evaluation shader" => Some(Stage::TessEvaluation),
                "geometry shader" => Some(Stage::Geometry),
                "fragment shader" => Some(Stage::Fragment),
                "compute shader" => Some(Stage::Compute),
                "vertex shader passthrough" => {
                    let pass =
                        "in vec4 piglit_vertex; void main() { gl_Position = piglit_vertex; }\n";
                    shaders.push((Stage::Vertex, pass.into()));
                    None
                }
                _ => None,
            };
            if let Some(stage) = stage {
                shaders.push((stage, String::new()));
            }
        } else if stage.is_some()
            && let Some((_, source)) = shaders.last_mut()
        {
            es |= line.starts_with("#version") && line.contains("es");
            source.push_str(line);
            source.push('\n');
        }
        es |= line.starts_with("GL ES") || line.starts_with("GLSL ES");
        wants_error |= line.trim() == "link error";
    }
    // As piglit's runner does: the version is the one required, unless the shader says one.
    let required = text.lines().find_map(|line| {
        let digits = |n: &str| format!("{:0<3}", n.trim().replace('.', ""));
        match line.split_once(">=")? {
            ("GLSL ", n) => Some(format!("#version {}\n", digits(n))),
            ("GLSL ES ", n) if n.trim() == "1.00" => Some("#version 100\n".into()),
            ("GLSL ES ", n) => Some(format!("#version {} es\n", digits(n))),
            _ => None,
        }
    });
    for (_, source) in shaders.iter_mut().filter(|(_, source)| !source.contains("#version")) {
        source.insert_str(0, required.as_deref().unwrap_or(""));
    }
    let mut source = Source::new(es, if es { 320 } else { 460 });
    source.extensions = target.extensions.iter().cloned().collect();
    let limits = Limits::default();
    let mut compiled = Vec::new();
    for (stage, text) in &shaders {
        let result = compile(*stage, text, &source, &limits);
        match result.shader {
            Some(shader) => compiled.push(shader),
            None => return Err(("compile", result.log)),
        }
    }
    let references: Vec<_> = compiled.iter().collect();
    let archive = match link(&references, &LinkOptions::default()) {
        Ok(_) if wants_error => return Err(("accepted", String::new())),
        Ok(archive) => archive,
        Err(_) if wants_error => return Ok(()),
        Err(log) => return Err(("link", log)),
    };
    let names = feedback_names(&archive, target).map_err(|why| ("feedback", why.to_string()))?;
    let mut texts = Vec::new();
    for code in &archive.stages {
        let options = Options {
            stages: archive.stage_mask(),
            upper_left: code.info.fragcoord_upper_left,
            pixel_center_integer: code.info.fragcoord_integer,
            ..Options::default()
        };
        match translate(code.stage, &code.spirv, target, &options) {
            Ok(text) => texts.push((code.stage, text)),
            Err(why) => return Err(("translate", why.to_string())),
        }
    }
    host.link(&texts, &names).map(|_| ()).map_err(|log| ("host", log))
}
