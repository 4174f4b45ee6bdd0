//! What glslang would lose of a source, said in another way.

use std::collections::HashSet;

use forerun_pipe::archive::Stage;

use super::declarations::{Declarations, Shape};
use super::rewrite::Edit;
use super::token::Kind;

/// Gives a uniform array without a size that of its initial value (GLSL 4.60 §4.1.9): the value itself does not reach glslang's
/// back end, which would size the array by its use.
pub fn uniform_sizes(edit: &mut Edit<'_>, declarations: &Declarations) {
    for declaration in &declarations.list {
        let initialised = declaration.names.iter().any(|n| n.initialised && n.dimensions == 1);
        if !declaration.is("uniform") || !initialised {
            continue;
        }
        let solid: Vec<usize> = declaration
            .tokens
            .clone()
            .filter(|&i| edit.tokens.get(i).is_some_and(|t| t.solid()))
            .collect();
        let text =
            |at: usize| solid.get(at).and_then(|&i| edit.tokens.get(i)).map_or("", |t| t.text);
        let mut sizes = Vec::new();
        for at in 0..solid.len() {
            if text(at) == "[" && text(at + 1) == "]" && text(at + 2) == "=" {
                // `T[](…)`, `T[n](…)` or `{…}`.
                let open = (at + 3..solid.len()).find(|&i| matches!(text(i), "(" | "{"));
                if let Some(count) = open.and_then(|open| arguments(&text, open, solid.len())) {
                    sizes.push((at, count));
                }
            }
        }
        for (at, count) in sizes {
            if let Some(&index) = solid.get(at) {
                edit.set(index, format!("[{count}"));
            }
        }
    }
}

/// How many arguments stand in the brackets that open at `open`.
fn arguments<'a>(text: &impl Fn(usize) -> &'a str, open: usize, end: usize) -> Option<usize> {
    let (mut depth, mut commas) = (0usize, 0);
    for at in open..end {
        match text(at) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth -= 1;
                if depth == 0 {
                    let none = at == open + 1;
                    // A list may end with a comma.
                    let trailing = usize::from(text(at - 1) == ",");
                    return (!none).then_some(commas + 1 - trailing);
                }
            }
            "," if depth == 1 => commas += 1,
            _ => {}
        }
    }
    None
}

/// Makes of `v.wxy[i]` in control shaders `v[ivec3(3, 0, 1)[i]]`: invocations write components of one patch output, and glslang
/// would have each write the whole vector.
pub fn indexed_swizzles(edit: &mut Edit<'_>, declarations: &Declarations, stage: Stage) {
    if stage != Stage::TessControl {
        return;
    }
    let structs = declarations.structs.iter().map(|(_, members)| members);
    let blocks = declarations.list.iter().filter_map(|d| match &d.shape {
        Shape::Block(members) => Some(members),
        _ => None,
    });
    let members: HashSet<&str> =
        structs.chain(blocks).flatten().map(|member| member.name.as_str()).collect();
    let solid: Vec<usize> =
        (0..edit.tokens.len()).filter(|&i| edit.tokens.get(i).is_some_and(|t| t.solid())).collect();
    for window in solid.windows(3) {
        let [dot, word, open] = *window else { continue };
        let (Some(d), Some(w), Some(o)) =
            (edit.tokens.get(dot), edit.tokens.get(word), edit.tokens.get(open))
        else {
            continue;
        };
        if !d.is(".") || w.kind != Kind::Word || !o.is("[") || members.contains(w.text) {
            continue;
        }
        let Some(components) = components(w.text) else { continue };
        let Some(close) = closing(edit, open) else { continue };
        let list: Vec<String> = components.iter().map(usize::to_string).collect();
        edit.set(dot, "");
        edit.set(word, format!("[ivec{}({})", list.len(), list.join(", ")));
        edit.set(close, "]]");
    }
}

/// The components that a swizzle of several names.
fn components(word: &str) -> Option<Vec<usize>> {
    if !(2..=4).contains(&word.len()) {
        return None;
    }
    ["xyzw", "rgba", "stpq"].iter().find_map(|set| word.chars().map(|c| set.find(c)).collect())
}

/// The token that closes the bracket at `open`.
fn closing(edit: &Edit<'_>, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (index, token) in edit.tokens.iter().enumerate().skip(open) {
        match token.text {
            "[" => depth += 1,
            "]" => {
                depth -= 1;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::declarations;
    use crate::source::token::tokenize;

    fn edited(text: &str, change: impl Fn(&mut Edit<'_>, &Declarations)) -> String {
        let tokens = tokenize(text);
        let declarations = declarations::read(&tokens);
        let mut edit = Edit { changed: vec![None; tokens.len()], tokens };
        change(&mut edit, &declarations);
        let pairs = edit.tokens.iter().zip(&edit.changed);
        pairs.map(|(token, changed)| changed.as_deref().unwrap_or(token.text)).collect()
    }

    #[test]
    fn uniform_arrays_have_the_size_of_their_value() {
        let sized = |text: &str| edited(text, uniform_sizes);
        assert_eq!(
            sized("uniform int a[] = int[](1, f(2, 3), 4);"),
            "uniform int a[3] = int[](1, f(2, 3), 4);"
        );
        assert_eq!(sized("uniform int a[] = {1, 2,};"), "uniform int a[2] = {1, 2,};");
        assert_eq!(sized("uniform int a[];"), "uniform int a[];");
        assert_eq!(sized("const int a[] = int[](1);"), "const int a[] = int[](1);");
    }

    #[test]
    fn swizzles_by_index_become_indices() {
        let mended = |text: &str| edited(text, |e, d| indexed_swizzles(e, d, Stage::TessControl));
        assert_eq!(
            mended("void f() { v.wxy[2 - a[1]] = 1; }"),
            "void f() { v[ivec3(3, 0, 1)[2 - a[1]]] = 1; }"
        );
        let member = "struct S { float xy[2]; }; void f() { s.xy[1] = 1.0; }";
        assert_eq!(mended(member), member);
    }
}
