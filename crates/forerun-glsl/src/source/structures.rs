//! How large structures become when each member that is a structure counts as its members.
//!
//! The compiler walks the whole tree of a type each time that it asks whether something is in it, so that twenty structures of
//! two members of the one before are a million steps for each use.

use std::collections::HashMap;

use super::token::Token;

/// Most members of a structure, those of its members counted; an array counts once.
const MAX_MEMBERS: u64 = 1 << 12;

/// Checks the structures that `tokens`, preprocessed source, define in any scope. Adds a line that names the first structure or
/// block which is too large.
pub fn check(tokens: &[Token<'_>], errors: &mut Vec<String>) {
    let words: Vec<(usize, &str)> =
        tokens.iter().enumerate().filter(|(_, t)| t.solid()).map(|(at, t)| (at, t.text)).collect();
    // Scopes are not told apart: of two structures of one name, the larger counts.
    let mut sizes: HashMap<&str, u64> = HashMap::new();
    // Of each bracket that is open: whose it is, and what it has so far.
    let mut open: Vec<(Owner<'_>, Members)> = Vec::new();
    for (index, &(at, word)) in words.iter().enumerate() {
        match word {
            "{" => {
                let before = |n: usize| index.checked_sub(n).map_or("", |i| words[i].1);
                let is_word = before(1).starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                let owner = if before(2) == "struct" {
                    Owner::Structure(before(1))
                } else if before(1) == "struct" {
                    Owner::Structure("")
                } else if is_word && !matches!(before(1), "else" | "do") {
                    Owner::Block(before(1))
                } else {
                    Owner::Statements
                };
                open.push((owner, Members::default()));
            }
            "}" => {
                let Some((owner, members)) = open.pop() else { continue };
                let size = members.all;
                let (Owner::Structure(name) | Owner::Block(name)) = owner else { continue };
                if size > MAX_MEMBERS {
                    let line = super::rules::line_of(tokens, at);
                    errors.push(format!(
                        "0:{line}: error: `{name}': more than {MAX_MEMBERS} members, those of its members counted"
                    ));
                    return;
                }
                if let Owner::Structure(name) = owner {
                    let known = sizes.entry(name).or_insert(size);
                    *known = size.max(*known);
                    // What an outer one declares after it is of this type.
                    if let Some((_, outer)) = open.last_mut() {
                        outer.of_type = size;
                    }
                }
            }
            ";" => {
                if let Some((_, members)) = open.last_mut() {
                    members.end();
                }
            }
            "," => {
                if let Some((_, members)) = open.last_mut() {
                    members.names += 1;
                }
            }
            _ => {
                if let (Some((_, members)), Some(size)) = (open.last_mut(), sizes.get(word)) {
                    members.of_type = members.of_type.max(*size);
                }
            }
        }
    }
}

/// Whose brackets they are.
enum Owner<'a> {
    /// A structure's, whose name may be empty.
    Structure(&'a str),
    /// An interface block's.
    Block(&'a str),
    /// A function's, a loop's, an initializer's: what has no members.
    Statements,
}

/// The members so far.
#[derive(Default)]
struct Members {
    /// All of them.
    all: u64,
    /// The size of the type of those being declared.
    of_type: u64,
    /// Commas since the last semicolon.
    names: u64,
}

impl Members {
    fn end(&mut self) {
        let each = self.of_type.max(1);
        self.all = self.all.saturating_add(each.saturating_mul(self.names + 1));
        self.of_type = 0;
        self.names = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokenize;
    use super::*;

    /// Structures each with two members of the one before.
    fn doubling(count: usize) -> String {
        let next = |i: usize| format!("struct S{i} {{ S{} a, b; }};\n", i - 1);
        format!("struct S0 {{ float a; }};\n{}", (1..=count).map(next).collect::<String>())
    }

    fn said(source: &str) -> String {
        let mut errors = Vec::new();
        check(&tokenize(source), &mut errors);
        errors.join("\n")
    }

    #[test]
    fn members_of_members_count() {
        assert_eq!(said(&doubling(12)), "");
        let log = said(&doubling(13));
        assert!(log.starts_with("0:14: error: `S13': more than 4096 members"), "{log}");
        // S11 has 2048.
        let with = |rest: &str| said(&format!("{}{rest}", doubling(11)));
        assert_eq!(with("struct T { S11 a; S11 b[9]; };"), "");
        assert!(with("struct T { S11 a, b; float c; };").contains("`T'"));
        assert!(with("uniform B { S11 a; S11 b, c; };").contains("`B'"));
        // The smaller one of the name is not what the last structure has.
        let hidden = "void f() { struct S11 { int i; }; } struct T { S11 a[2], b, c; };";
        assert!(with(hidden).contains("`T'"));
    }

    #[test]
    fn statements_are_no_members() {
        let body = "x = f(x, x); if (x > 1.0) { x = 2.0; } else { x = 3.0, y = 1.0; }".repeat(4096);
        assert_eq!(said(&format!("void main() {{ {body} }}")), "");
    }
}
