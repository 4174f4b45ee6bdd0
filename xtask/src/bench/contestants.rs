//! Who is measured: the host's driver, Forerun in each topology, Mesa's virgl.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::conformance::forerun;
use crate::display::Display;
use crate::shell::Running;
use crate::{Error, Result};

/// The contestant that the others are compared with.
pub const HOST: &str = "host";

/// Where virgl's server listens; Mesa's client knows no other place.
const VIRGL_SOCKET: &str = "/tmp/.virgl_test";

/// One way to run a program.
pub struct Contestant {
    /// Its name in tables.
    pub name: &'static str,
    /// What stands before the program.
    prefix: Vec<String>,
    /// What is set in the program's environment.
    env: Vec<(&'static str, String)>,
    /// The server's process, where it is not the program's child.
    pub server: Option<u32>,
}

impl Contestant {
    /// The command that runs `program` with `args` on this contestant.
    pub fn command(&self, program: &Path, args: &[String]) -> Command {
        let mut command = match self.prefix.split_first() {
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.args(args).envs(self.env.iter().map(|(name, value)| (*name, value)));
        command
    }
}

/// The display and the server that contestants need, for as long as they are measured.
pub struct Bench {
    display: Display,
    virgl: Option<(Running, u32)>,
}

impl Bench {
    /// Starts an X server and virgl's.
    ///
    /// # Errors
    /// When there is no X server to be had.
    pub fn start() -> Result<Bench> {
        let virgl = match start_virgl() {
            Ok(server) => Some(server),
            Err(error) => {
                println!("virgl is left out: {error}");
                None
            }
        };
        Ok(Bench { display: Display::new()?, virgl })
    }

    /// The contestants, the host's driver first.
    pub fn contestants(&self) -> Vec<Contestant> {
        let display = || ("DISPLAY", self.display.name().to_owned());
        let ours = |name, backend, transport| Contestant {
            name,
            prefix: forerun(backend, transport),
            env: vec![display()],
            server: None,
        };
        let mut all = vec![
            Contestant { name: HOST, prefix: Vec::new(), env: vec![display()], server: None },
            ours("monolith", "auto", "monolith"),
            ours("inproc", "auto", "inproc"),
            ours("spawn", "auto", "spawn"),
            ours("spawn gles", "gles", "spawn"),
        ];
        if let Some((_, process)) = &self.virgl {
            let virpipe = ("GALLIUM_DRIVER", "virpipe".to_owned());
            let software = ("LIBGL_ALWAYS_SOFTWARE", "true".to_owned());
            all.push(Contestant {
                name: "virgl",
                prefix: Vec::new(),
                env: vec![display(), virpipe, software],
                server: Some(*process),
            });
        }
        all.push(ours("spawn null", "null", "spawn"));
        for (name, backend) in [("lockstep", "auto"), ("lockstep null", "null")] {
            let mut lockstep = ours(name, backend, "spawn");
            lockstep.env.push(("FORERUN_RUN_AHEAD", "0".to_owned()));
            all.push(lockstep);
        }
        all
    }
}

fn start_virgl() -> Result<(Running, u32)> {
    let mut command = Command::new("virgl_test_server");
    command.args(["--use-egl-surfaceless", "--multi-clients"]);
    let mut server = Running::start(&mut command)?;
    let begun = Instant::now();
    while !Path::new(VIRGL_SOCKET).exists() || begun.elapsed() < Duration::from_millis(300) {
        if server.ended().is_some() || begun.elapsed() > Duration::from_secs(5) {
            let said = String::from_utf8_lossy(&server.output()?).trim().to_owned();
            return Err(Error(format!("virgl_test_server did not start: {said}")));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let process = server.id();
    Ok((server, process))
}
