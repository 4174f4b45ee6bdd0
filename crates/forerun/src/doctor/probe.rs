//! What the server says that this machine's drivers offer. It is asked in a process of its own: a driver may end that, and not this.

use std::path::Path;
use std::process::Command;

use super::{Finding, Verdict, apt};

/// The packages of a driver that serves everything.
const DRIVERS: &str = "libegl-mesa0 libgl1-mesa-dri";

/// Runs `forerund probe` and turns its lines into findings.
pub fn findings(server: &Path) -> Vec<Finding> {
    let output = match Command::new(server).arg("probe").output() {
        Ok(output) => output,
        // That it cannot be started has been found before.
        Err(_) => return Vec::new(),
    };
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let wrong = String::from_utf8_lossy(&output.stderr);
        let wrong = wrong.lines().next_back().unwrap_or("it said nothing").to_owned();
        let text = format!("looking at the host's driver ended with {}: {wrong}", output.status);
        return vec![Finding::not("backend", Verdict::Bad, text, apt(DRIVERS))];
    }
    read(&said)
}

/// One finding for each of the host's APIs, one for the choice, one for windows.
fn read(said: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut chosen = false;
    for line in said.lines() {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["backend", name, verdict, text] => {
                let what = if name == "gl" { "host OpenGL" } else { "host OpenGL ES" };
                findings.push(match verdict {
                    "ok" => Finding::good(what, text),
                    _ => Finding::not(what, Verdict::Warn, text, apt(DRIVERS)),
                });
            }
            ["choice", name, why] => {
                chosen = true;
                findings.push(Finding::good("backend", format!("{name}: {why}")));
            }
            ["windows", way, why] => {
                findings.push(Finding::good("windows", format!("{way}: {why}")));
            }
            _ => {}
        }
    }
    if !chosen {
        let text = "the host's driver has none of what the backends need";
        findings.push(Finding::not("backend", Verdict::Bad, text, apt(DRIVERS)));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_with_its_cure() {
        let some =
            read("backend\tgl\tmissing\tno 4.3\nbackend\tgles\tok\tES 3.2\nchoice\tgles\twhy");
        let verdicts: Vec<_> = some.iter().map(|f| (f.what, f.verdict == Verdict::Good)).collect();
        let wanted = [("host OpenGL", false), ("host OpenGL ES", true), ("backend", true)];
        assert_eq!(verdicts, wanted);
        assert!(some[0].cure.starts_with("apt-get install"));
        let none = read("backend\tgl\tmissing\tx\nbackend\tgles\tmissing\ty\n");
        assert!(none[2].verdict == Verdict::Bad && !none[2].cure.is_empty());
    }
}
