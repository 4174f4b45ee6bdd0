//! Images as ESSL wants them (ESSL 3.20, sections 4.1.7.2 and 4.9): arrays are indexed by constants alone, and what is both read and
//! written has a format of 32 bits and one component. Works on the text, whose names are minted: a name can only be what it names.

use crate::module::{Module, Type};
use crate::translate::bracketed;
use std::fmt::Write as _;

/// One image variable of the text.
struct Image<'a> {
    name: &'a str,
    lengths: Vec<u32>,
    /// Of its line: where it begins and ends.
    line: (usize, usize),
}

/// Lowers images for an ES host.
pub(crate) fn lower(mut text: String, module: &Module<'_>) -> String {
    for variable in &module.variables {
        let (inner, _) = module.strip_arrays(variable.ty);
        if !matches!(module.ty(inner), Type::Image { sampled: 2, .. }) {
            continue;
        }
        let Some(name) = module.names.get(&variable.id) else { continue };
        let mut lengths = Vec::new();
        let mut ty = variable.ty;
        while let Type::Array { element, length } = *module.ty(ty) {
            lengths.push(length);
            ty = element;
        }
        text = split(text, name);
        for name in [name.clone(), format!("{name}w")] {
            if let Some(image) = find(&text, &name, &lengths) {
                text = pick(&text, &image);
            }
        }
    }
    text
}

/// The declaration of a name.
fn find<'a>(text: &str, name: &'a str, lengths: &[u32]) -> Option<Image<'a>> {
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        if line.contains(" uniform ") && declares(line, name) {
            return Some(Image {
                name,
                lengths: lengths.to_vec(),
                line: (begin, begin + line.len()),
            });
        }
        begin += line.len();
    }
    None
}

fn declares(line: &str, name: &str) -> bool {
    let Some(rest) = line.rsplit_once(' ').and_then(|(_, last)| last.strip_prefix(name)) else {
        return false;
    };
    rest.starts_with([';', '['])
}

/// Makes of an image that is read and written one that is read and one that is written, at the same unit. Accesses of one image by two
/// names are ordered where both are coherent.
fn split(text: String, name: &str) -> String {
    let Some(Image { line: (begin, end), .. }) = find(&text, name, &[]) else { return text };
    let Some(line) = text.get(begin..end) else { return text };
    let qualified = ["readonly ", "writeonly "].iter().any(|word| line.contains(word));
    let atomic = ["r32f", "r32i", "r32ui"].iter().any(|f| line.contains(&format!(" {f})")));
    if qualified || atomic {
        return text;
    }
    let body = text.get(end..).unwrap_or("");
    let called = |function: &str| calls(body, function, name).next().is_some();
    let (reads, writes) = (called("imageLoad("), called("imageStore("));
    let coherent = if line.contains("coherent ") { "" } else { "coherent " };
    let of = |word: &str| line.replacen(" uniform ", &format!(" uniform {word}"), 1);
    let mut out = text.get(..begin).unwrap_or("").to_owned();
    if !(reads && writes) {
        // What only asks for the size may say either.
        out.push_str(&of(if writes { "writeonly " } else { "readonly " }));
        out.push_str(body);
        return out;
    }
    let plain = |line: String| line.replace("restrict ", "");
    out.push_str(&plain(of(&format!("{coherent}readonly "))));
    let written = plain(of(&format!("{coherent}writeonly ")));
    let (head, tail) = written.rsplit_once(' ').unwrap_or(("", &written));
    out.push_str(&format!("{head} {}", tail.replacen(name, &format!("{name}w"), 1)));
    let mut from = 0;
    for at in calls(body, "imageStore(", name) {
        let after = at + "imageStore(".len() + name.len();
        out.push_str(body.get(from..after).unwrap_or(""));
        out.push('w');
        from = after;
    }
    out.push_str(body.get(from..).unwrap_or(""));
    out
}

/// Where a function is called with an image of that name.
fn calls<'a>(text: &'a str, function: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(function).map(|(at, _)| at).filter(move |at| {
        let before = text.get(..*at).and_then(|t| t.chars().next_back());
        let whole = !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        let rest = text.get(at + function.len()..).and_then(|rest| rest.strip_prefix(name));
        whole && rest.is_some_and(|rest| rest.starts_with([',', '[', ')']))
    })
}

/// Calls by an index that is no constant become calls of a function that chooses.
fn pick(text: &str, image: &Image<'_>) -> String {
    let (Some(head), Some(line), Some(body)) =
        (text.get(..image.line.0), text.get(image.line.0..image.line.1), text.get(image.line.1..))
    else {
        return text.to_owned();
    };
    if image.lengths.is_empty() {
        return text.to_owned();
    }
    let mut functions = String::new();
    let mut body = body.to_owned();
    for (function, arguments) in signatures(line) {
        let mut made = false;
        let open = format!("{function}(");
        let mut from = 0;
        while let Some(at) = body
            .get(from..)
            .and_then(|rest| calls(rest, &open, image.name).next())
            .map(|at| from + at)
        {
            from = at + open.len();
            let mut end = from + image.name.len();
            let mut indices = Vec::new();
            while let Some((index, after)) = bracketed(&body, end) {
                indices.push(index);
                end = after;
            }
            let constant = |index: &String| index.trim_end_matches('u').parse::<u32>().is_ok();
            if indices.len() != image.lengths.len() || indices.iter().all(constant) {
                continue;
            }
            made = true;
            let indices: Vec<String> = indices.iter().map(|i| format!("int({i})")).collect();
            let call = format!("{function}_{}({}", image.name, indices.join(", "));
            body.replace_range(at..end, &call);
        }
        if made {
            functions.push_str(&chooser(image, function, &arguments));
        }
    }
    // Behind all declarations of images: before the first function.
    let at = body.find("\n{").and_then(|brace| body.get(..brace)?.rfind('\n')).map_or(0, |n| n + 1);
    let at = if functions.is_empty() { 0 } else { at };
    body.insert_str(at, &functions);
    format!("{head}{line}{body}")
}

/// The functions that an image takes, each with its result, and the types that follow the image.
fn signatures(line: &str) -> Vec<(&'static str, (String, Vec<String>))> {
    let Some(word) = line.split(' ').find(|word| word.contains("image")) else {
        return Vec::new();
    };
    let kind = word.split("image").next().unwrap_or("");
    let texel = format!("{kind}vec4");
    let scalar = match kind {
        "i" => "int",
        "u" => "uint",
        _ => "float",
    };
    let at = match word.rsplit("image").next() {
        Some("Buffer") => "int",
        Some("2D") => "ivec2",
        _ => "ivec3",
    };
    let size = if word.ends_with("imageCube") { "ivec2" } else { at };
    let one = |result: &str, rest: &[&str]| {
        (result.to_owned(), rest.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>())
    };
    let mut all = vec![
        ("imageLoad", one(&texel, &[at])),
        ("imageStore", one("void", &[at, &texel])),
        ("imageSize", one(size, &[])),
        ("imageAtomicExchange", one(scalar, &[at, scalar])),
        ("imageAtomicCompSwap", one(scalar, &[at, scalar, scalar])),
    ];
    all.extend(ATOMICS.map(|name| (name, one(scalar, &[at, scalar]))));
    all
}

/// Atomic functions of a coordinate and one operand.
const ATOMICS: [&str; 6] = [
    "imageAtomicAdd",
    "imageAtomicMin",
    "imageAtomicMax",
    "imageAtomicAnd",
    "imageAtomicOr",
    "imageAtomicXor",
];

/// A function that calls `function` with the image of an index. An index past the end takes the last one.
fn chooser(image: &Image<'_>, function: &str, (result, rest): &(String, Vec<String>)) -> String {
    let count = image.lengths.iter().fold(1u32, |n, length| n.saturating_mul(*length)).min(64);
    let mut parameters: Vec<String> =
        (0..image.lengths.len()).map(|i| format!("int i{i}")).collect();
    parameters.extend(rest.iter().enumerate().map(|(i, ty)| format!("highp {ty} p{i}")));
    let arguments: String = (0..rest.len()).map(|i| format!(", p{i}")).collect();
    let mut index = "0".to_owned();
    for (dimension, length) in image.lengths.iter().enumerate() {
        index = format!("({index}) * {length} + i{dimension}");
    }
    let precision = if result == "void" { "" } else { "highp " };
    let mut out = format!(
        "{precision}{result} {function}_{}({})\n{{\n    switch ({index})\n    {{\n",
        image.name,
        parameters.join(", ")
    );
    for flat in 0..count {
        let mut element = String::new();
        let mut rest = flat;
        for length in image.lengths.iter().rev() {
            element.insert_str(0, &format!("[{}]", rest % (*length).max(1)));
            rest /= (*length).max(1);
        }
        let label = if flat + 1 == count { "default".into() } else { format!("case {flat}") };
        let call = format!("{function}({}{element}{arguments})", image.name);
        let _ = match precision {
            "" => writeln!(out, "        {label}: {call}; break;"),
            _ => writeln!(out, "        {label}: return {call};"),
        };
    }
    out.push_str("    }\n}\n\n");
    out
}
