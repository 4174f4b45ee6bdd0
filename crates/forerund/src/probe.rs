//! `forerund probe`: what this machine's drivers offer, and what a server would make of it; `forerun doctor` asks.
//!
//! One finding a line, its parts divided by tabs: `backend NAME ok|missing TEXT`, `choice NAME WHY`, `windows WAY WHY`. A driver that
//! ends its process ends this one, and not the doctor.

use forerun_gles::host::{self, Dialect};
use forerun_pipe::knobs::{Backend, Knobs};

/// Looks, in a process of its own, whether a server has anything to run on.
///
/// # Errors
/// A sentence with the reason.
pub fn look() -> Result<(), String> {
    let mut probe = std::process::Command::new("/proc/self/exe");
    let output = probe.arg("probe").output().map_err(|error| format!("cannot look: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("looking at the host's driver ended with {}", output.status));
    }
    if said.lines().any(|line| line.starts_with("choice\t")) {
        return Ok(());
    }
    let wrong = said.lines().find_map(|line| line.split_once("\tmissing\t"));
    let wrong = wrong.map_or("the host has none of what the backends need", |(_, why)| why);
    Err(format!("{wrong}; `forerun doctor` says what mends it"))
}

/// The lines.
pub fn report(knobs: &Knobs) -> String {
    let found = host::survey(knobs.host_egl.as_deref());
    let mut lines = Vec::new();
    for (dialect, host) in &found {
        let (verdict, text) = match host {
            Ok(host) => ("ok", host.what.clone()),
            Err(fault) => ("missing", fault.to_string()),
        };
        lines.push(format!("backend\t{}\t{verdict}\t{}", dialect.name(), one_line(&text)));
    }
    let has = found.each_ref().map(|(_, host)| host.is_ok());
    if let Some((name, why)) = choice(knobs.backend, has) {
        lines.push(format!("choice\t{name}\t{why}"));
        let software = found
            .iter()
            .find(|(dialect, _)| dialect.name() == name)
            .and_then(|(_, host)| host.as_ref().ok())
            .map(|host| host.software);
        match software {
            Some(true) => lines.push(
                "windows\tput\tthe driver rasterises on the CPU, so pictures are put with MIT-SHM"
                    .into(),
            ),
            Some(false) => {
                lines.push("windows\tswap\tthe driver presents on windows by itself".into());
            }
            None => {}
        }
    }
    lines.join("\n")
}

/// What a server takes, and why, when the host has (`gl`, `gles`); `None` when it can take nothing.
fn choice(wanted: Backend, has: [bool; 2]) -> Option<(&'static str, &'static str)> {
    let [gl, gles] = [Dialect::Gl, Dialect::Gles].map(Dialect::name);
    const NAMED: &str = "FORERUN_BACKEND names it";
    match (wanted, has) {
        (Backend::Null, _) => Some(("null", NAMED)),
        (Backend::Gl, [true, _]) => Some((gl, NAMED)),
        (Backend::Gles, [_, true]) => Some((gles, NAMED)),
        (Backend::Auto, [true, _]) => {
            Some((gl, "the host has desktop OpenGL 4.3 or later, which serves every program"))
        }
        (Backend::Auto, [false, true]) => {
            Some((gles, "the host has OpenGL ES 3.2, and no desktop OpenGL 4.3"))
        }
        _ => None,
    }
}

fn one_line(text: &str) -> String {
    text.split(['\n', '\t']).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_takes_desktop_gl_where_it_is_and_says_why() {
        let name = |wanted, has| choice(wanted, has).map(|(name, _)| name);
        assert_eq!(name(Backend::Auto, [true, true]), Some("gl"));
        assert_eq!(name(Backend::Auto, [false, true]), Some("gles"));
        assert_eq!(name(Backend::Auto, [false, false]), None);
        assert_eq!(name(Backend::Gles, [true, true]), Some("gles"));
        assert_eq!(name(Backend::Gl, [false, true]), None);
        assert!(choice(Backend::Auto, [false, true]).unwrap().1.contains("no desktop OpenGL"));
    }
}
