//! Random calls give the host's picture, to the bit, in every mode.

use forerun_gles::host::Dialect;
use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::host::Direct;
use scenarios::random::{Painter, SIDE};
use scenarios::runner::Needs;
use scenarios::{Backend, Mode, Topology, World, scenarios};
use std::ops::Range;
use std::sync::OnceLock;

/// Each mode on a topology of its own: a picture takes the host's driver long, and it is the modes that must not differ.
const MODES: Needs = Needs {
    fits: |cell| {
        matches!(
            (cell.topology, cell.mode),
            (Topology::Spawn, Mode::RunAhead)
                | (Topology::Inproc, Mode::Lockstep)
                | (Topology::Unix, Mode::Audit)
                | (Topology::Inproc, Mode::TinyRing)
        )
    },
    ..Needs::PIXELS
};

scenarios! { "random";
    [Es(32)], Needs { backends: &[Backend::Gles], ..MODES } => random_calls_give_the_hosts_pictures;
    [Core(33)], Needs { backends: &[Backend::Gl], ..MODES } => random_calls_of_the_desktop_give_the_hosts_pictures;
}

const ES: &str =
    "#version 320 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n";
const CORE: &str = "#version 330 core\n";

/// Which pictures: `SCENARIO_SEEDS=FROM..TO`, or the first 200.
fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("SCENARIO_SEEDS") else { return 0..200 };
    let ends = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    ends.expect("SCENARIO_SEEDS is FROM..TO")
}

/// The host's pictures, painted once. On a thread of its own: another one's context is not to be disturbed.
fn hosts(dialect: Dialect, header: &'static str) -> Vec<Vec<[u8; 4]>> {
    let paint = move || {
        let direct = Direct::open(dialect);
        if dialect == Dialect::Gl {
            // As every core context of ours has it, too.
            direct.gl.Enable(c::PROGRAM_POINT_SIZE);
        }
        let mut painter = Painter::new(&direct.gl, header);
        seeds().map(|seed| painter.picture(seed)).collect()
    };
    std::thread::spawn(paint).join().expect("the host paints")
}

fn compare(w: &World, header: &'static str, expected: &[Vec<[u8; 4]>]) {
    if !w.is_es() {
        w.Enable(c::PROGRAM_POINT_SIZE);
    }
    let mut painter = Painter::new(w, header);
    let mut colors = std::collections::BTreeSet::new();
    for (seed, expected) in seeds().zip(expected) {
        let picture = painter.picture(seed);
        let differs = picture.iter().zip(expected).position(|(ours, hosts)| ours != hosts);
        if let Some(at) = differs {
            let count = picture.iter().zip(expected).filter(|(a, b)| a != b).count();
            let (x, y) = (at as i32 % SIDE, at as i32 / SIDE);
            panic!(
                "seed {seed}: {count} pixels differ, first at {x}, {y}: {:?}, the host's {:?}",
                picture[at], expected[at]
            );
        }
        colors.extend(picture);
    }
    assert!(
        colors.len() > 10 * expected.len(),
        "the pictures have something in them: {} colours",
        colors.len()
    );
}

fn random_calls_give_the_hosts_pictures(w: &mut World) {
    static HOSTS: OnceLock<Vec<Vec<[u8; 4]>>> = OnceLock::new();
    compare(w, ES, HOSTS.get_or_init(|| hosts(Dialect::Gles, ES)));
}

fn random_calls_of_the_desktop_give_the_hosts_pictures(w: &mut World) {
    static HOSTS: OnceLock<Vec<Vec<[u8; 4]>>> = OnceLock::new();
    compare(w, CORE, HOSTS.get_or_init(|| hosts(Dialect::Gl, CORE)));
}
