//! Info logs: glslang's lines, cleaned of what is ours.

use crate::source::names;

/// Cleans a log of glslang. Warnings are left out: most speak of the rules that we compile under.
pub fn clean(raw: &str) -> String {
    let mut out = String::new();
    for line in raw.lines() {
        let line = line.trim_end();
        let noise = line.is_empty()
            || line.starts_with("WARNING:")
            || line.contains("compilation errors.  No code generated")
            || line.ends_with("'' : compilation terminated")
            || line.starts_with("Linked ")
            || line.contains("No code generated");
        if noise {
            continue;
        }
        let line = match line.strip_prefix("ERROR: ") {
            Some(rest) => position(rest),
            None => line.to_owned(),
        };
        out.push_str(&names::original(&line));
        out.push('\n');
    }
    out
}

/// `0:12: 'x' : text` becomes `0:12: error: 'x' : text`.
fn position(rest: &str) -> String {
    let mut parts = rest.splitn(3, ':');
    if let (Some(string), Some(line), Some(text)) = (parts.next(), parts.next(), parts.next())
        && string.bytes().all(|b| b.is_ascii_digit())
        && line.bytes().all(|b| b.is_ascii_digit())
        && !string.is_empty()
    {
        return format!("{string}:{line}: error:{text}");
    }
    format!("error: {rest}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_read_like_a_drivers() {
        let raw = "ERROR: 0:12: 'frn_sample' : undeclared identifier \n\
            WARNING: 0:1: x\nERROR: 1 compilation errors.  No code generated.\n\n\n";
        assert_eq!(super::clean(raw), "0:12: error: 'sample' : undeclared identifier\n");
    }
}
