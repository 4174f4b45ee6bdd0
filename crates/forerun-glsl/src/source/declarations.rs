//! Reads the global declarations of preprocessed source: no grammar, only its outline.
//!
//! What SPIR-V loses is found here: which uniforms are `bool`, which have locations or initial values.
//! Source that glslang accepts is read right; other source gives something harmless.

use super::token::{Kind, Token};

/// One declared name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarator {
    /// The name.
    pub name: String,
    /// Number of array dimensions, those on the type included.
    pub dimensions: usize,
    /// Has `= value`.
    pub initialised: bool,
}

/// A member of a structure or block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Type name.
    pub ty: String,
    /// Member name.
    pub name: String,
    /// Qualified `flat`.
    pub flat: bool,
}

/// What a declaration declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `float a, b;`, also a qualifier applied to names already declared (then `ty` is empty).
    Variables,
    /// `uniform B { … } b;`
    Block(Vec<Member>),
    /// `float f(…)`
    Function {
        /// The name.
        name: String,
        /// It has a body.
        defined: bool,
    },
    /// `precision highp float;`
    Precision,
}

/// A global declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// What it is.
    pub shape: Shape,
    /// Qualifiers in order, `layout` not among them.
    pub qualifiers: Vec<String>,
    /// Layout identifiers with their integer values, where these are literals.
    pub layout: Vec<(String, Option<i64>)>,
    /// Type or block name; empty when there is none.
    pub ty: String,
    /// Names declared.
    pub names: Vec<Declarator>,
    /// First token and the one past the last, as indices into the token list.
    pub tokens: std::ops::Range<usize>,
}

impl Declaration {
    /// True if it has that qualifier.
    pub fn is(&self, qualifier: &str) -> bool {
        self.qualifiers.iter().any(|q| q == qualifier)
    }

    /// The value of a layout identifier.
    pub fn layout_value(&self, name: &str) -> Option<i64> {
        self.layout.iter().find(|(n, _)| n == name).and_then(|(_, v)| *v)
    }

    /// True if the layout names that identifier.
    pub fn has_layout(&self, name: &str) -> bool {
        self.layout.iter().any(|(n, _)| n == name)
    }
}

/// Everything declared at global scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    /// In order.
    pub list: Vec<Declaration>,
    /// Named structures.
    pub structs: Vec<(String, Vec<Member>)>,
}

/// Words that qualify a declaration.
pub fn is_qualifier(word: &str) -> bool {
    matches!(
        word,
        "const"
            | "attribute"
            | "varying"
            | "uniform"
            | "buffer"
            | "shared"
            | "in"
            | "out"
            | "inout"
            | "centroid"
            | "sample"
            | "patch"
            | "flat"
            | "smooth"
            | "noperspective"
            | "invariant"
            | "precise"
            | "lowp"
            | "mediump"
            | "highp"
            | "coherent"
            | "volatile"
            | "restrict"
            | "readonly"
            | "writeonly"
            | "subroutine"
    )
}

struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    /// Indices of the solid tokens outside directives.
    solid: Vec<usize>,
    at: usize,
}

impl<'a> Reader<'_, 'a> {
    fn text(&self, ahead: usize) -> &'a str {
        self.solid.get(self.at + ahead).and_then(|&i| self.tokens.get(i)).map_or("", |t| t.text)
    }

    fn is_word(&self, ahead: usize) -> bool {
        let token = self.solid.get(self.at + ahead).and_then(|&i| self.tokens.get(i));
        token.is_some_and(|t| t.kind == Kind::Word)
    }

    fn done(&self) -> bool {
        self.at >= self.solid.len()
    }

    fn index(&self) -> usize {
        self.solid.get(self.at).copied().unwrap_or(self.tokens.len())
    }

    /// Skips a bracketed group that starts here.
    fn skip_group(&mut self) {
        let mut depth = 0usize;
        while !self.done() {
            match self.text(0) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    fn layout(&mut self, into: &mut Vec<(String, Option<i64>)>) {
        // At `layout`.
        self.at += 1;
        if self.text(0) != "(" {
            return;
        }
        let start = self.at + 1;
        self.skip_group();
        let end = self.at.saturating_sub(1).max(start);
        let words: Vec<&str> = self
            .solid
            .get(start..end)
            .unwrap_or_default()
            .iter()
            .filter_map(|&i| self.tokens.get(i))
            .map(|t| t.text)
            .collect();
        for part in words.split(|&w| w == ",") {
            match part {
                [name] => into.push(((*name).to_owned(), None)),
                [name, "=", value] => into.push(((*name).to_owned(), integer(value))),
                [name, "=", ..] => into.push(((*name).to_owned(), None)),
                _ => {}
            }
        }
    }

    fn arrays(&mut self) -> usize {
        let mut dimensions = 0;
        while self.text(0) == "[" {
            self.skip_group();
            dimensions += 1;
        }
        dimensions
    }

    fn members(&mut self) -> Vec<Member> {
        // At `{`.
        self.at += 1;
        let mut members = Vec::new();
        while !self.done() && self.text(0) != "}" {
            let before = self.at;
            let mut flat = false;
            while is_qualifier(self.text(0)) || self.text(0) == "layout" {
                flat |= self.text(0) == "flat";
                if self.text(0) == "layout" {
                    self.layout(&mut Vec::new());
                } else {
                    self.at += 1;
                }
            }
            let ty = self.text(0).to_owned();
            self.at += 1;
            self.arrays();
            while self.is_word(0) {
                members.push(Member { ty: ty.clone(), name: self.text(0).to_owned(), flat });
                self.at += 1;
                self.arrays();
                if self.text(0) == "," {
                    self.at += 1;
                }
            }
            if self.text(0) == ";" || self.at == before {
                self.at += 1;
            }
        }
        self.at += 1;
        members
    }

    fn declarators(&mut self, type_dimensions: usize) -> Vec<Declarator> {
        let mut names = Vec::new();
        while self.is_word(0) {
            let name = self.text(0).to_owned();
            self.at += 1;
            let dimensions = type_dimensions + self.arrays();
            let initialised = self.text(0) == "=";
            while !self.done() && !matches!(self.text(0), "," | ";") {
                if matches!(self.text(0), "(" | "[" | "{") {
                    self.skip_group();
                } else {
                    self.at += 1;
                }
            }
            names.push(Declarator { name, dimensions, initialised });
            if self.text(0) == "," {
                self.at += 1;
            }
        }
        names
    }

    fn declaration(&mut self, structs: &mut Vec<(String, Vec<Member>)>) -> Declaration {
        let start = self.index();
        let mut found = Declaration {
            shape: Shape::Variables,
            qualifiers: Vec::new(),
            layout: Vec::new(),
            ty: String::new(),
            names: Vec::new(),
            tokens: start..start,
        };
        loop {
            let word = self.text(0);
            if word == "layout" {
                self.layout(&mut found.layout);
            } else if is_qualifier(word) {
                found.qualifiers.push(word.to_owned());
                self.at += 1;
            } else {
                break;
            }
        }
        if self.text(0) == "precision" {
            found.shape = Shape::Precision;
            self.at += 1;
            while is_qualifier(self.text(0)) {
                found.qualifiers.push(self.text(0).to_owned());
                self.at += 1;
            }
            found.ty = self.text(0).to_owned();
        } else if self.text(0) == "struct" {
            self.at += 1;
            if self.is_word(0) {
                found.ty = self.text(0).to_owned();
                self.at += 1;
            }
            if self.text(0) == "{" {
                let members = self.members();
                structs.push((found.ty.clone(), members));
            }
            let dimensions = self.arrays();
            found.names = self.declarators(dimensions);
        } else if self.is_word(0) {
            let word = self.text(0).to_owned();
            match self.text(1) {
                "{" => {
                    self.at += 1;
                    found.ty = word;
                    let members = self.members();
                    found.names = self.declarators(0);
                    found.shape = Shape::Block(members);
                }
                ";" | "," => found.names = self.declarators(0),
                _ => {
                    self.at += 1;
                    found.ty = word;
                    let dimensions = self.arrays();
                    if self.is_word(0) && self.text(1) == "(" {
                        let name = self.text(0).to_owned();
                        self.at += 1;
                        self.skip_group();
                        let defined = self.text(0) == "{";
                        if defined {
                            self.skip_group();
                            found.tokens.end = self.index();
                            found.shape = Shape::Function { name, defined };
                            return found;
                        }
                        found.shape = Shape::Function { name, defined };
                    } else {
                        found.names = self.declarators(dimensions);
                    }
                }
            }
        }
        while !self.done() && self.text(0) != ";" {
            if matches!(self.text(0), "(" | "[" | "{") {
                self.skip_group();
            } else {
                self.at += 1;
            }
        }
        self.at += 1;
        found.tokens.end = self.index();
        found
    }
}

/// The value of an integer literal.
pub fn integer(text: &str) -> Option<i64> {
    let text = text.trim_end_matches(['u', 'U']);
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        i64::from_str_radix(hex, 16).ok()
    } else if text.len() > 1 && text.starts_with('0') {
        i64::from_str_radix(text, 8).ok()
    } else {
        text.parse().ok()
    }
}

/// Indices of the tokens outside directives that mean something.
pub fn solid(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut solid = Vec::with_capacity(tokens.len() / 2);
    let mut directive = false;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Hash => directive = true,
            Kind::Newline => directive = false,
            Kind::Space => {}
            _ if directive => {}
            _ => solid.push(index),
        }
    }
    solid
}

/// Reads the global declarations.
pub fn read(tokens: &[Token<'_>]) -> Declarations {
    let mut reader = Reader { tokens, solid: solid(tokens), at: 0 };
    let mut found = Declarations::default();
    while !reader.done() {
        let before = reader.at;
        let declaration = reader.declaration(&mut found.structs);
        found.list.push(declaration);
        if reader.at == before {
            reader.at += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::token::tokenize;
    use super::*;

    #[test]
    fn reads_what_a_shader_declares() {
        let source = "struct S { bool on; float f[2], g; };\n\
            layout(location = 3) uniform S s[2];\n\
            uniform highp bvec2 a = bvec2(true, false), b;\n\
            layout(std140, binding = 0x2) uniform B { mat4 m; layout(offset = 64) bool c; } inst[2];\n\
            invariant gl_Position;\n\
            float f(vec2 p) { return p.x; }\n\
            void main() { for (int i = 0; i < 3; i++) { } }\n";
        let tokens = tokenize(source);
        let found = read(&tokens);
        assert_eq!(found.structs[0].0, "S");
        let members: Vec<_> =
            found.structs[0].1.iter().map(|m| (m.ty.as_str(), m.name.as_str())).collect();
        assert_eq!(members, [("bool", "on"), ("float", "f"), ("float", "g")]);
        let s = &found.list[1];
        assert!(s.is("uniform") && s.layout_value("location") == Some(3));
        assert_eq!((s.names[0].name.as_str(), s.names[0].dimensions), ("s", 1));
        let a = &found.list[2];
        assert_eq!(a.ty, "bvec2");
        assert!(a.names[0].initialised && !a.names[1].initialised);
        let b = &found.list[3];
        assert_eq!(b.layout_value("binding"), Some(2));
        assert!(matches!(&b.shape, Shape::Block(m) if m.len() == 2 && m[1].ty == "bool"));
        assert_eq!(b.names[0].dimensions, 1);
        assert_eq!(found.list[4].names[0].name, "gl_Position");
        let functions: Vec<_> = found.list[5..]
            .iter()
            .map(|d| matches!(&d.shape, Shape::Function { defined: true, .. }))
            .collect();
        assert_eq!(functions, [true, true]);
    }

    #[test]
    fn nonsense_ends() {
        for source in ["}}}", "struct {", "layout(", "uniform B { float", "a b c d", "= = ;", "[["]
        {
            read(&tokenize(source));
        }
    }
}
