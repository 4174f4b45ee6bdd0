//! The programs of the gallery, all from Debian.

use crate::shell::system_library;

/// How a program talks to the window system, which is what its trace is recorded by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// EGL.
    Egl,
    /// GLX.
    Glx,
}

impl Api {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Api::Egl => "EGL",
            Api::Glx => "GLX",
        }
    }
}

/// How a program is traced with apitrace.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    /// apitrace's word for the API: gl or egl.
    pub api: &'static str,
    /// Environment besides the program's own.
    pub environment: &'static [(&'static str, &'static str)],
}

/// Through GLX, as most are.
const GLX: Option<Trace> = Some(Trace { api: "gl", environment: &[] });

/// A program and how it is run.
pub struct Program {
    /// What it is called here, and its pictures are.
    pub name: &'static str,
    /// Debian's package.
    pub package: &'static str,
    /// What makes its toolkit's windows.
    pub toolkit: &'static str,
    /// How it gets its contexts.
    pub api: Api,
    /// What is run; the first word is a file or a program in `PATH`.
    pub command: Vec<String>,
    /// Its environment.
    pub environment: &'static [(&'static str, &'static str)],
    /// Whether its picture stands still, so that two runs must show the same.
    pub still: bool,
    /// How it is traced, if it is.
    pub trace: Option<Trace>,
}

/// A text of all colours and some letters that are drawn by more than one texture; then nothing moves.
const TEXT: &str = "for i in $(seq 1 20); do printf '\\033[3%dmline %d \\033[4%dm of kitty \\033[0m äöüß €→ ░▒▓\\n' \
     $((i % 8)) $i $(((i + 3) % 8)); done; sleep ${GALLERY_SECONDS:-600}";

/// All of them.
pub fn all() -> Vec<Program> {
    let qt = |name: &'static str, still| Program {
        name,
        package: "qtbase5-examples",
        toolkit: "Qt 5",
        api: Api::Glx,
        command: vec![system_library(&format!("qt5/examples/opengl/{name}/{name}"))],
        environment: &[],
        still,
        trace: GLX,
    };
    let gtk = |name, run: Option<&str>, still| Program {
        name,
        package: "gtk-4-examples",
        toolkit: "GTK 4",
        api: Api::Egl,
        command: std::iter::once("gtk4-demo".to_owned())
            .chain(run.map(|example| format!("--run={example}")))
            .collect(),
        environment: &[("GSK_RENDERER", "gl")],
        still,
        // apitrace's wrapper of EGL has no GLX, which libepoxy asks for: GTK is traced through GLX.
        trace: Some(Trace { api: "gl", environment: &[("GDK_DEBUG", "gl-glx")] }),
    };
    vec![
        Program {
            name: "kitty",
            package: "kitty",
            toolkit: "GLFW",
            api: Api::Glx,
            command: words("kitty --config NONE -o cursor_blink_interval=0 sh -c")
                .into_iter()
                .chain([TEXT.to_owned()])
                .collect(),
            environment: &[("KITTY_DISABLE_WAYLAND", "1")],
            still: true,
            trace: GLX,
        },
        gtk("gtk4-demo", None, true),
        gtk("gtk4-demo-glarea", Some("glarea"), true),
        gtk("gtk4-demo-gears", Some("gears"), false),
        Program {
            name: "supertuxkart",
            package: "supertuxkart",
            toolkit: "SDL 2",
            api: Api::Glx,
            command: words("/usr/games/supertuxkart --windowed --screensize=640x480"),
            environment: &[],
            still: true,
            trace: GLX,
        },
        qt("hellogl2", true),
        qt("cube", true),
        qt("computegles31", false),
        qt("threadedqopenglwidget", false),
        Program {
            name: "es2gears_x11",
            package: "mesa-utils",
            toolkit: "none",
            api: Api::Egl,
            command: words("es2gears_x11"),
            environment: &[],
            still: false,
            trace: Some(Trace { api: "egl", environment: &[] }),
        },
    ]
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}
