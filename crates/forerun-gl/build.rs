//! Makes the table of GL command names and their aliases from Khronos' registry.

use std::fmt::Write as _;
use std::{collections::BTreeMap, env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let registry = std::str::from_utf8(khronos_api::GL_XML)?;
    let document = roxmltree::Document::parse(registry)?;
    let mut commands = BTreeMap::new();
    for command in document.descendants().filter(|n| n.has_tag_name("command")) {
        let child = |tag: &str| command.children().find(|n| n.has_tag_name(tag));
        let Some(name) = child("proto")
            .and_then(|proto| proto.children().find(|n| n.has_tag_name("name")))
            .and_then(|name| name.text())
        else {
            continue;
        };
        let alias = child("alias").and_then(|alias| alias.attribute("name")).unwrap_or("");
        commands.insert(name, alias);
    }
    let mut out = String::from("&[\n");
    for (name, alias) in commands {
        writeln!(out, "({name:?}, {alias:?}),")?;
    }
    out.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("commands.rs"), out)?;
    Ok(())
}
