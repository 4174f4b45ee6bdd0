//! Makes the typed table of GL functions from Khronos' registry: those of OpenGL 4.6 and OpenGL ES 3.2, and a few extensions'.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::{env, error::Error, fs, path::Path};

/// Functions of extensions that scenarios call.
const EXTRA: &[&str] = &[
    "glBindBufferOffsetEXT",
    "glBufferStorageEXT",
    "glClearColorIiEXT",
    "glTextureBarrier",
    "glBlendBarrier",
    "glUniform1i64ARB",
    "glUniform4i64vARB",
    "glUniform2ui64vARB",
    "glProgramUniform1ui64ARB",
    "glGetUniformi64vARB",
    "glGetnUniformui64vARB",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let registry = std::str::from_utf8(khronos_api::GL_XML)?;
    let document = roxmltree::Document::parse(registry)?;
    let features = document.descendants().filter(|n| {
        n.has_tag_name("feature") && matches!(n.attribute("api"), Some("gl" | "gles2"))
    });
    let mut wanted: BTreeSet<&str> = EXTRA.iter().copied().collect();
    for feature in features {
        for require in feature.children().filter(|n| n.has_tag_name("require")) {
            // What only the compatibility profile has is of no interest here.
            if require.attribute("profile") != Some("compatibility") {
                let commands = require.children().filter(|n| n.has_tag_name("command"));
                wanted.extend(commands.filter_map(|c| c.attribute("name")));
            }
        }
    }
    for remove in document.descendants().filter(|n| n.has_tag_name("remove")) {
        let commands = remove.children().filter(|n| n.has_tag_name("command"));
        for name in commands.filter_map(|c| c.attribute("name")) {
            wanted.remove(name);
        }
    }
    let mut out = String::from("commands! {\n");
    for command in document.descendants().filter(|n| n.has_tag_name("command")) {
        let Some(proto) = command.children().find(|n| n.has_tag_name("proto")) else { continue };
        if !name_of(proto).is_some_and(|name| wanted.contains(name)) {
            continue;
        }
        let (name, ret) = split(proto).ok_or("a command without a name")?;
        let mut params = Vec::new();
        for param in command.children().filter(|n| n.has_tag_name("param")) {
            let (name, ty) = split(param).ok_or("a parameter without a name")?;
            params.push(format!("r#{name}: {ty}"));
        }
        let short = name.strip_prefix("gl").unwrap_or(&name);
        writeln!(out, "{short}({}) -> {ret};", params.join(", "))?;
    }
    out.push_str("}\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("commands.rs"), out)?;
    Ok(())
}

fn name_of<'a>(node: roxmltree::Node<'a, '_>) -> Option<&'a str> {
    node.children().find(|n| n.has_tag_name("name"))?.text()
}

/// The name of a prototype or parameter, and its type in Rust.
fn split(node: roxmltree::Node) -> Option<(String, String)> {
    let name = name_of(node)?.to_owned();
    let mut text = String::new();
    for child in node.descendants().filter(|n| n.is_text()) {
        if child.parent().is_some_and(|p| p.has_tag_name("name")) {
            break;
        }
        text.push_str(child.text()?);
    }
    Some((name, rust_type(&text)))
}

fn rust_type(c: &str) -> String {
    let base = c.replace("struct", "").replace("const", " ").replace('*', " ");
    let base = match base.trim() {
        "void" if !c.contains('*') => return "()".into(),
        "void" => "c_void",
        "GLenum" | "GLuint" | "GLbitfield" => "u32",
        "GLint" | "GLsizei" | "GLfixed" => "i32",
        "GLboolean" | "GLubyte" | "GLchar" => "u8",
        "GLbyte" => "i8",
        "GLshort" => "i16",
        "GLushort" | "GLhalf" => "u16",
        "GLfloat" | "GLclampf" => "f32",
        "GLdouble" | "GLclampd" => "f64",
        "GLint64" => "i64",
        "GLuint64" => "u64",
        "GLintptr" | "GLsizeiptr" => "isize",
        "GLsync" | "GLDEBUGPROC" => "*const c_void",
        other => panic!("the type {other} is new"),
    };
    match c.matches('*').count() {
        0 => base.to_owned(),
        1 if c.contains("const") => format!("*const {base}"),
        1 => format!("*mut {base}"),
        _ if c.contains("const") => format!("*const *const {base}"),
        _ => format!("*mut *mut {base}"),
    }
}
