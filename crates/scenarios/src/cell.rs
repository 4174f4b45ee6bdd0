//! The matrix: what a scenario runs on.

use std::fmt;

/// Where the server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// On the program's thread.
    Monolith,
    /// On a thread of its own.
    Inproc,
    /// In a process of its own that the client starts.
    Spawn,
    /// Behind a socket.
    Unix,
}

/// What the server executes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The host's desktop GL.
    Gl,
    /// The host's GLES.
    Gles,
    /// Nothing: no pixels.
    Null,
}

/// How the link behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The client goes on without waiting.
    RunAhead,
    /// The client waits after each verb.
    Lockstep,
    /// Retired stage bytes are overwritten with 0xDD.
    Audit,
    /// Rings of 4 KiB and a stage of 16 KiB.
    TinyRing,
}

/// What a context speaks: the API and 10 × major + minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// OpenGL ES.
    Es(u32),
    /// OpenGL core.
    Core(u32),
}

/// One point of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Where the server is.
    pub topology: Topology,
    /// What it executes on.
    pub backend: Backend,
    /// How the link behaves.
    pub mode: Mode,
    /// What the context speaks.
    pub api: Api,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cell { topology, backend, mode, api } = self;
        let text = match api {
            Api::Es(v) => format!("{topology:?} {backend:?} {mode:?} ES{v}"),
            Api::Core(v) => format!("{topology:?} {backend:?} {mode:?} Core{v}"),
        };
        f.write_str(&text.to_lowercase().replace(' ', "-"))
    }
}

const TOPOLOGIES: [Topology; 4] =
    [Topology::Monolith, Topology::Inproc, Topology::Spawn, Topology::Unix];
const MODES: [Mode; 4] = [Mode::RunAhead, Mode::Lockstep, Mode::Audit, Mode::TinyRing];

/// A server on the program's thread is nothing that one could run ahead of.
fn exists(topology: Topology, mode: Mode) -> bool {
    (topology, mode) != (Topology::Monolith, Mode::RunAhead)
}

/// Every combination.
pub fn all(backends: &[Backend], apis: &[Api]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for topology in TOPOLOGIES {
        for mode in MODES.into_iter().filter(|mode| exists(topology, *mode)) {
            for &backend in backends {
                cells.extend(apis.iter().map(|&api| Cell { topology, backend, mode, api }));
            }
        }
    }
    cells
}

/// As few combinations as hold every pair of topology, backend and mode; the APIs take turns.
pub fn pairs(backends: &[Backend], apis: &[Api]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (t, topology) in TOPOLOGIES.into_iter().enumerate() {
        for (m, mode) in MODES.into_iter().enumerate() {
            if exists(topology, mode) {
                let backend = backends[(t + m) % backends.len()];
                let api = apis[(t + m / 2) % apis.len()];
                cells.push(Cell { topology, backend, mode, api });
            }
        }
    }
    cells
}

/// Every topology with every backend in every mode; the APIs take turns.
pub fn each(backends: &[Backend], apis: &[Api]) -> Vec<Cell> {
    let mut cells = all(backends, &apis[..1]);
    for (i, cell) in cells.iter_mut().enumerate() {
        cell.api = apis[(i + i / backends.len()) % apis.len()];
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_hold_every_pair() {
        let backends = [Backend::Gl, Backend::Gles];
        let apis = [Api::Es(32), Api::Core(33)];
        let all = all(&backends, &apis);
        let pairs = pairs(&backends, &apis);
        assert!(pairs.len() <= 15);
        for cell in all {
            let has = |fits: &dyn Fn(&Cell) -> bool| assert!(pairs.iter().any(fits), "{cell}");
            has(&|p| p.topology == cell.topology && p.mode == cell.mode);
            has(&|p| p.topology == cell.topology && p.backend == cell.backend);
            has(&|p| p.mode == cell.mode && p.backend == cell.backend);
            has(&|p| p.api == cell.api && p.backend == cell.backend);
        }
    }
}
