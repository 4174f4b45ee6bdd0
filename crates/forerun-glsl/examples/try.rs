use forerun_glsl::*;
use forerun_pipe::archive::Stage;
fn main() {
    let mut shaders = vec![];
    let es = std::env::var("ES").is_ok();
    for f in std::env::args().skip(1) {
        let stage = match f.rsplit('.').next().unwrap() {
            "vert" => Stage::Vertex,
            "frag" => Stage::Fragment,
            "geom" => Stage::Geometry,
            "tesc" => Stage::TessControl,
            "tese" => Stage::TessEvaluation,
            _ => Stage::Compute,
        };
        let r = compile(
            stage,
            &std::fs::read_to_string(&f).unwrap(),
            &Dialect::new(es, if es { 320 } else { 460 }),
            &Limits::default(),
        );
        eprintln!("{f}: {}\n{}", r.shader.is_some(), r.log);
        if let Some(s) = r.shader {
            if std::env::var("V").is_ok() {
                eprintln!("{}", s.raised_source());
            }
            shaders.push(s)
        }
    }
    let refs: Vec<_> = shaders.iter().collect();
    match link(&refs, &LinkOptions::default()) {
        Ok(mut a) => {
            for s in &mut a.stages {
                let b: Vec<u8> = s.spirv.iter().flat_map(|w| w.to_le_bytes()).collect();
                std::fs::write(format!("/tmp/glslout.{:?}.spv", s.stage), b).unwrap();
                s.spirv.clear();
            }
            eprintln!("{a:#?}")
        }
        Err(e) => eprintln!("LINK: {e}"),
    }
}
