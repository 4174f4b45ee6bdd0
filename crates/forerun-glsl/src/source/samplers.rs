//! Samplers in arrays of structures that are indexed by what is no constant.
//!
//! glslang makes a variable of each sampler of each element (`s[1].tex`), which an index of run time cannot choose between. Here such
//! a member becomes an array of its own, with the dimensions of all that holds it: `s[n].tex` becomes `frsXsXtex[n]`. The link
//! lists its elements by the names that the program knows.

use super::declarations::{Declaration, Declarations, Shape, is_qualifier, solid};
use super::rewrite::Edit;
use super::token::Kind;

/// Before the names of those arrays.
const PREFIX: &str = "frsX";
/// Deepest nesting of structures that is followed.
const MAX_DEPTH: usize = 16;

/// An array that stands for a member of structures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifted {
    /// Its name in the text.
    pub name: String,
    /// What the program calls it: names (`s`, then `.tex`), each with the number of its dimensions.
    pub parts: Vec<(String, usize)>,
}

/// Whether a name in the text is that of such an array of the program's variable `root`.
pub fn is_of(name: &str, root: &str) -> bool {
    let rest = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix(root));
    rest.is_some_and(|rest| rest.starts_with('X'))
}

/// A member or variable: its type as the text says it, precision included, and its dimensions.
#[derive(Clone, Debug)]
struct Field {
    qualifiers: String,
    ty: String,
    name: String,
    /// The brackets of each dimension.
    dimensions: Vec<String>,
}

/// One use of a sampler member.
struct Access {
    /// Positions in the list of solid tokens: the name of the variable, and then each dot and member name.
    words: Vec<usize>,
    fields: Vec<Field>,
    dynamic: bool,
}

/// Lifts what must be lifted.
pub fn lift(edit: &mut Edit<'_>, declarations: &Declarations) -> Vec<Lifted> {
    let mut lifted: Vec<Lifted> = Vec::new();
    if declarations.structs.is_empty() {
        return lifted;
    }
    let mut pass = Pass { solid: solid(&edit.tokens), structs: Vec::new() };
    pass.read_structs(edit);
    for declaration in &declarations.list {
        let known = pass.structs.iter().any(|(name, _)| *name == declaration.ty);
        let plain = declaration.shape == Shape::Variables && declaration.layout.is_empty();
        if !declaration.is("uniform") || !known || !plain {
            continue;
        }
        for root in pass.variables(edit, declaration) {
            let Some(accesses) = pass.accesses(edit, declaration, &root) else { continue };
            if accesses.iter().any(|access| access.dynamic) {
                pass.replace(edit, declaration, &accesses, &mut lifted);
            }
        }
    }
    lifted
}

struct Pass {
    solid: Vec<usize>,
    structs: Vec<(String, Vec<Field>)>,
}

impl Pass {
    fn text<'e>(&self, edit: &'e Edit<'_>, at: usize) -> &'e str {
        self.solid.get(at).and_then(|i| edit.tokens.get(*i)).map_or("", |t| t.text)
    }

    fn read_structs(&mut self, edit: &Edit<'_>) {
        for at in 0..self.solid.len() {
            if self.text(edit, at) == "struct" && self.text(edit, at + 2) == "{" {
                let name = self.text(edit, at + 1).to_owned();
                let mut fields = Vec::new();
                let mut next = at + 3;
                while !matches!(self.text(edit, next), "}" | "") {
                    let before = next;
                    next = self.fields(edit, next, &mut fields);
                    if next == before {
                        break;
                    }
                }
                self.structs.push((name, fields));
            }
        }
    }

    /// Reads `qualifiers type[] name[], name[];` and gives what is behind it.
    fn fields(&self, edit: &Edit<'_>, mut at: usize, out: &mut Vec<Field>) -> usize {
        let mut qualifiers = String::new();
        while is_qualifier(self.text(edit, at)) {
            if matches!(self.text(edit, at), "lowp" | "mediump" | "highp") {
                qualifiers = format!("{} ", self.text(edit, at));
            }
            at += 1;
        }
        let ty = self.text(edit, at).to_owned();
        let (shared, mut at) = self.dimensions(edit, at + 1);
        loop {
            let name = self.text(edit, at).to_owned();
            let (mut dimensions, end) = self.dimensions(edit, at + 1);
            dimensions.extend(shared.iter().cloned());
            let (qualifiers, ty) = (qualifiers.clone(), ty.clone());
            out.push(Field { qualifiers, ty, name, dimensions });
            match self.text(edit, end) {
                "," => at = end + 1,
                ";" => return end + 1,
                _ => return end,
            }
        }
    }

    fn dimensions(&self, edit: &Edit<'_>, mut at: usize) -> (Vec<String>, usize) {
        let mut list = Vec::new();
        while self.text(edit, at) == "[" {
            let Some(end) = self.bracket(edit, at) else { break };
            list.push((at..end).map(|i| self.text(edit, i)).collect::<Vec<_>>().join(" "));
            at = end;
        }
        (list, at)
    }

    /// What is behind the bracket that opens at `at`.
    fn bracket(&self, edit: &Edit<'_>, at: usize) -> Option<usize> {
        let mut depth = 0usize;
        for next in at..self.solid.len() {
            match self.text(edit, next) {
                "[" => depth += 1,
                "]" if depth == 1 => return Some(next + 1),
                "]" => depth -= 1,
                _ => {}
            }
        }
        None
    }

    /// The variables of a declaration that has only qualifiers, a type and names.
    fn variables(&self, edit: &Edit<'_>, declaration: &Declaration) -> Vec<Field> {
        let start = self.solid.partition_point(|i| *i < declaration.tokens.start);
        let mut fields = Vec::new();
        self.fields(edit, start, &mut fields);
        fields.retain(|field| field.ty == declaration.ty);
        fields
    }

    /// The uses of samplers in a variable. None if the name means something else as well.
    fn accesses(
        &self,
        edit: &Edit<'_>,
        declaration: &Declaration,
        root: &Field,
    ) -> Option<Vec<Access>> {
        let mut list = Vec::new();
        for at in 0..self.solid.len() {
            let index = *self.solid.get(at)?;
            if self.text(edit, at) != root.name || declaration.tokens.contains(&index) {
                continue;
            }
            let before = at.checked_sub(1).map_or("", |at| self.text(edit, at));
            if before == "." {
                continue;
            }
            let word = before.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if word && !matches!(before, "return" | "else" | "case" | "do") {
                return None;
            }
            list.extend(self.access(edit, at, root));
        }
        Some(list)
    }

    fn access(&self, edit: &Edit<'_>, start: usize, root: &Field) -> Option<Access> {
        let mut access = Access { words: vec![start], fields: vec![root.clone()], dynamic: false };
        let mut at = start + 1;
        loop {
            let field = access.fields.last()?.clone();
            for _ in &field.dimensions {
                if self.text(edit, at) != "[" {
                    break;
                }
                let end = self.bracket(edit, at)?;
                let index = *self.solid.get(at + 1)?;
                let literal = end == at + 3 && edit.tokens.get(index)?.kind == Kind::Number;
                access.dynamic |= !literal;
                at = end;
            }
            if is_sampler(&field.ty) {
                return (access.fields.len() > 1).then_some(access);
            }
            let (_, fields) = self.structs.iter().find(|(name, _)| *name == field.ty)?;
            if self.text(edit, at) != "." || access.fields.len() > MAX_DEPTH {
                return None;
            }
            let member = self.text(edit, at + 1);
            access.fields.push(fields.iter().find(|f| f.name == member)?.clone());
            access.words.extend([at, at + 1]);
            at += 2;
        }
    }

    fn replace(
        &self,
        edit: &mut Edit<'_>,
        declaration: &Declaration,
        accesses: &[Access],
        lifted: &mut Vec<Lifted>,
    ) {
        let mut declared = String::new();
        for access in accesses {
            let names: Vec<&str> = access.fields.iter().map(|f| f.name.as_str()).collect();
            let name = format!("{PREFIX}{}", names.join("X"));
            let mut words = access.words.iter().filter_map(|at| self.solid.get(*at));
            if let Some(first) = words.next() {
                edit.set(*first, name.clone());
            }
            for index in words {
                edit.set(*index, "");
            }
            let Some(member) =
                access.fields.last().filter(|_| lifted.iter().all(|l| l.name != name))
            else {
                continue;
            };
            let dimensions: String = access
                .fields
                .iter()
                .flat_map(|f| f.dimensions.iter().map(String::as_str))
                .collect();
            let Field { qualifiers, ty, .. } = member;
            declared.push_str(&format!(" uniform {qualifiers}{ty} {name}{dimensions};"));
            let part = |(index, field): (usize, &Field)| {
                let dot = if index == 0 { "" } else { "." };
                (format!("{dot}{}", field.name), field.dimensions.len())
            };
            let parts = access.fields.iter().enumerate().map(part).collect();
            lifted.push(Lifted { name, parts });
        }
        let end = declaration
            .tokens
            .clone()
            .rev()
            .find(|i| edit.tokens.get(*i).is_some_and(|t| t.is(";")));
        if let Some(end) = end {
            edit.set(end, format!(";{declared}"));
        }
    }
}

fn is_sampler(ty: &str) -> bool {
    ty.trim_start_matches(['i', 'u']).starts_with("sampler")
}
