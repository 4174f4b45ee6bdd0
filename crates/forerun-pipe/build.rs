//! Makes the GL tokens from Khronos' registry, so that none is typed by hand.

use std::fmt::Write as _;
use std::{collections::BTreeMap, env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let registry = std::str::from_utf8(khronos_api::GL_XML)?;
    let document = roxmltree::Document::parse(registry)?;
    let mut tokens = BTreeMap::new();
    for node in document.descendants().filter(|n| n.has_tag_name("enum")) {
        // A token of one API only (GL_ACTIVE_PROGRAM_EXT differs between gl and gles2): the unmarked one wins.
        let (Some(name), Some(value)) = (node.attribute("name"), node.attribute("value")) else {
            continue;
        };
        let Some(name) = name.strip_prefix("GL_") else { continue };
        let parsed = match value.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => value.parse::<i64>().map(|v| v as u64),
        }?;
        if node.attribute("api").is_none() {
            tokens.insert(name.to_owned(), parsed);
        } else {
            tokens.entry(name.to_owned()).or_insert(parsed);
        }
    }
    let mut out = String::new();
    for (name, value) in tokens {
        let ident = if name.starts_with(|c: char| c.is_ascii_digit()) {
            format!("_{name}")
        } else {
            name.clone()
        };
        match u32::try_from(value) {
            Ok(value) => {
                writeln!(out, "#[doc = \"GL_{name}\"] pub const {ident}: u32 = {value:#06X};")?
            }
            Err(_) => {
                writeln!(out, "#[doc = \"GL_{name}\"] pub const {ident}: u64 = {value:#018X};")?
            }
        }
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("tokens.rs"), out)?;
    Ok(())
}
