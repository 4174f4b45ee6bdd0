//! Makes two tables from Khronos' registry: GL command names with their aliases, and where each token is known.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::{env, error::Error, fs, path::Path};

use roxmltree::{Document, Node};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let registry = std::str::from_utf8(khronos_api::GL_XML)?;
    let document = Document::parse(registry)?;
    let folder = env::var("OUT_DIR")?;
    fs::write(Path::new(&folder).join("commands.rs"), commands(&document)?)?;
    fs::write(Path::new(&folder).join("tokens.rs"), tokens(&document)?)?;
    Ok(())
}

fn commands(document: &Document) -> Result<String, Box<dyn Error>> {
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
    Ok(out)
}

/// Where a token is known.
struct Token<'a> {
    /// The first OpenGL ES version; 99 for none.
    es: u32,
    /// The first OpenGL version; 99 for none.
    desktop: u32,
    /// The first version whose core profile has it; 99 for none.
    core: u32,
    extensions: BTreeSet<&'a str>,
}

/// One row for each value below 0x10000 that is no bit: value, versions, extensions.
fn tokens(document: &Document) -> Result<String, Box<dyn Error>> {
    let mut values: BTreeMap<&str, u32> = BTreeMap::new();
    for list in document.root_element().children().filter(|n| n.has_tag_name("enums")) {
        if list.attribute("type") == Some("bitmask") {
            continue;
        }
        for token in list.children().filter(|n| n.has_tag_name("enum")) {
            let (Some(name), Some(text)) = (token.attribute("name"), token.attribute("value"))
            else {
                continue;
            };
            let hex = text.strip_prefix("0x").map(|digits| u32::from_str_radix(digits, 16));
            if let Ok(value) = hex.unwrap_or_else(|| text.parse())
                && value < 0x1_0000
            {
                values.insert(name, value);
            }
        }
    }
    let mut all: BTreeMap<u32, Token> = BTreeMap::new();
    // By name, because of two names with one value the core profile may remove the older one alone.
    let mut core: BTreeMap<&str, u32> = BTreeMap::new();
    for part in document.descendants().filter(|n| n.has_tag_name("feature")) {
        let number = part.attribute("number").unwrap_or("").replace('.', "");
        let (Some(api), Ok(version)) = (part.attribute("api"), number.parse::<u32>()) else {
            continue;
        };
        for (name, removed) in names(part) {
            let Some(value) = values.get(name) else { continue };
            let token = all.entry(*value).or_insert_with(none);
            match api {
                "gles2" if !removed => token.es = token.es.min(version),
                "gl" if removed => {
                    core.remove(name);
                }
                "gl" => {
                    token.desktop = token.desktop.min(version);
                    core.entry(name).or_insert(version);
                }
                _ => {}
            }
        }
    }
    for (name, version) in core {
        if let Some(token) = values.get(name).and_then(|value| all.get_mut(value)) {
            token.core = token.core.min(version);
        }
    }
    for part in document.descendants().filter(|n| n.has_tag_name("extension")) {
        let here = part.attribute("supported").unwrap_or("").split('|');
        if !here.into_iter().any(|api| matches!(api, "gl" | "glcore" | "gles2")) {
            continue;
        }
        for (name, _) in names(part) {
            if let (Some(value), Some(own)) = (values.get(name), part.attribute("name")) {
                all.entry(*value).or_insert_with(none).extensions.insert(own);
            }
        }
    }
    let mut out = String::from("&[\n");
    for (value, Token { es, desktop, core, extensions }) in all {
        let extensions: Vec<_> = extensions.into_iter().collect();
        writeln!(out, "({value:#06x}, {es}, {desktop}, {core}, &{extensions:?}),")?;
    }
    out.push_str("]\n");
    Ok(out)
}

fn none<'a>() -> Token<'a> {
    Token { es: 99, desktop: 99, core: 99, extensions: BTreeSet::new() }
}

/// The tokens that a version or an extension brings (false) or removes from the core profile (true).
fn names<'a>(part: Node<'a, 'a>) -> impl Iterator<Item = (&'a str, bool)> {
    let blocks = part.children().filter(|n| n.is_element());
    let blocks = blocks.filter(|n| n.attribute("profile") != Some("compatibility"));
    blocks.flat_map(|block| {
        let tokens = block.children().filter(|n| n.has_tag_name("enum"));
        tokens.filter_map(move |n| Some((n.attribute("name")?, block.has_tag_name("remove"))))
    })
}
