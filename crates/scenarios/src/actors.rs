//! Programs in processes of their own, which tests kill and stop: this one once more, playing a part.

use crate::cell::{self, Api, Backend, Cell, Topology};
use crate::servers::{self, Kind};
use crate::world::World;
use forerun_server::gate::Hand;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The argument that makes this program play a part: followed by the part, the cell and the gate's file.
pub const PLAY: &str = "--play";

/// A part: its name, and what it does with a new session.
pub type Part = (&'static str, fn(&World));

/// What the arguments after [`PLAY`] say. False when they say nothing that can be played.
pub fn play(parts: &[Part], args: &[String]) -> bool {
    let [name, cell, gate] = args else { return false };
    let apis: Vec<Api> =
        [20, 30, 31, 32].map(Api::Es).into_iter().chain([33].map(Api::Core)).collect();
    let cells = cell::all(&[Backend::Gl, Backend::Gles, Backend::Null], &apis);
    let cell = cells.into_iter().find(|known| known.to_string() == *cell);
    let part = parts.iter().find(|(known, _)| known == name);
    let (Some(cell), Some((_, part))) = (cell, part) else { return false };
    let mut world = World::behind_foreign(Path::new(gate), cell);
    let _ = writeln!(std::io::stdout(), "{}", world.server_pid());
    part(&world);
    world.expect_clean();
    world.release();
    true
}

/// An actor on the stage. Killed when this goes.
pub struct Playing {
    child: Child,
    /// The server's process.
    pub server: u32,
}

impl Playing {
    /// Starts an actor, whose session is behind that gate, on a server of that kind where the cell has one that listens.
    pub fn start(part: &str, cell: &Cell, kind: Kind, gate: &Hand) -> Playing {
        let program = std::env::current_exe().expect("this program has a file");
        let mut command = Command::new(program);
        command.args([PLAY, part, &cell.to_string()]).arg(gate.path());
        if cell.topology == Topology::Unix {
            command.env(servers::SOCKET, servers::socket(kind));
        }
        let mut child = command.stdout(Stdio::piped()).spawn().expect("an actor starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("it speaks");
        let server = line.trim().parse().expect("it names its server");
        Playing { child, server }
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id() as i32).expect("a process");
        kill_process(pid, signal).expect("the actor is there");
    }

    /// Waits for its end; nothing when that does not come in time.
    pub fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + limit;
        while Instant::now() < end {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        None
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
