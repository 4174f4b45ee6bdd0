//! Queries about the context.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{World, scenarios};

scenarios! { "get";
    [Es(20), Es(30), Es(32), Core(33)], Needs::NOTHING => strings_name_both_sides_and_the_version;
}

fn strings_name_both_sides_and_the_version(w: &mut World) {
    let version = w.string(c::VERSION);
    let language = w.string(c::SHADING_LANGUAGE_VERSION);
    match w.cell.api {
        Es(20) => {
            assert!(version.starts_with("OpenGL ES 2.0 "), "{version}");
            assert!(language.starts_with("OpenGL ES GLSL ES 1.00"), "{language}");
        }
        Es(v) => {
            let (major, minor) = (v / 10, v % 10);
            assert!(version.starts_with(&format!("OpenGL ES {major}.{minor} ")), "{version}");
            let prefix = format!("OpenGL ES GLSL ES {major}.{minor}0");
            assert!(language.starts_with(&prefix), "{language}");
        }
        Core(v) => {
            let (major, minor) = (v / 10, v % 10);
            assert!(version.starts_with(&format!("{major}.{minor}")), "{version}");
            assert!(language.starts_with(&format!("{major}.{minor}0")), "{language}");
        }
    }
    assert!(!w.string(c::VENDOR).is_empty());
    let renderer = w.string(c::RENDERER);
    assert!(renderer.starts_with("Forerun (") && renderer.contains(": "), "{renderer}");
}
