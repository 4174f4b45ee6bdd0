//! Subroutines (GLSL 4.60 §6.1.2), which SPIR-V does not have: a subroutine uniform becomes an `int`, a call through it a call of a
//! function that chooses by that number.
//!
//! ```glsl
//! subroutine vec4 Tint(vec4 c);                     // vec4 fr_call_Tint(int fr_which, vec4 fr_p0);
//! subroutine(Tint) vec4 warm(vec4 c) { … }          // vec4 warm(vec4 c) { … }
//! subroutine uniform Tint tint[2];                  // uniform int fr_su4_tint[2];
//! tint[i](color)                                    // fr_call_Tint(fr_su4_tint[i], color)
//! ```
//!
//! The choosing functions are defined behind the shader's last line, where every subroutine is known.

use std::fmt::Write as _;

use forerun_pipe::archive::Stage;

use super::declarations::integer;
use super::prepass::Heading;
use super::rules::line_of;
use super::token::{Kind, Token, tokenize};

/// What the uniforms that stand for subroutine uniforms are called before their stage's number.
const PREFIX: &str = "fr_su";
/// What the choosing functions are called.
const CALL: &str = "fr_call_";

/// A function with a subroutine type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// The name.
    pub name: String,
    /// The number that selects it.
    pub index: u32,
    /// The subroutine types that it has.
    pub types: Vec<String>,
}

/// A subroutine uniform.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uniform {
    /// The name.
    pub name: String,
    /// Its subroutine type.
    pub ty: String,
    /// `layout(location)`.
    pub location: Option<u32>,
}

/// The subroutines of one shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subroutines {
    /// Functions, sorted by index.
    pub functions: Vec<Function>,
    /// Uniforms.
    pub uniforms: Vec<Uniform>,
    /// Why the shader does not link.
    pub wrong: Option<String>,
}

/// The program's name of a subroutine uniform, from the name of the uniform that stands for it in that stage.
pub fn original(name: &str, stage: Stage) -> Option<&str> {
    name.strip_prefix(PREFIX)?.strip_prefix(&(stage as u32).to_string())?.strip_prefix('_')
}

/// What a subroutine type or function takes: type words of each parameter, without names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Signature {
    returns: Vec<String>,
    parameters: Vec<Vec<String>>,
}

struct Type {
    name: String,
    signature: Signature,
}

/// One source, token by token, with what some of them become.
struct Lowering<'a> {
    tokens: Vec<Token<'a>>,
    /// Indices of the solid tokens outside directives.
    solid: Vec<usize>,
    changed: Vec<Option<String>>,
    types: Vec<Type>,
    /// Functions, their indices if declared, and where they stand.
    functions: Vec<(Function, Option<u32>, usize)>,
    uniforms: Vec<Uniform>,
    errors: Vec<String>,
    indices: bool,
}

/// Lowers the subroutines of preprocessed `code`; `None` when it has none.
///
/// # Errors
/// Lines for the log.
pub fn lower(
    code: &str,
    stage: Stage,
    heading: &Heading,
) -> Result<Option<(String, Subroutines)>, String> {
    let on = heading.version >= 400 || heading.has(&["GL_ARB_shader_subroutine"]);
    if heading.es || !on || !code.contains("subroutine") {
        return Ok(None);
    }
    let tokens = tokenize(code);
    let solid = super::declarations::solid(&tokens);
    if !solid.iter().any(|&i| tokens.get(i).is_some_and(|t| t.is("subroutine"))) {
        return Ok(None);
    }
    let mut lowering = Lowering {
        changed: vec![None; tokens.len()],
        tokens,
        solid,
        types: Vec::new(),
        functions: Vec::new(),
        uniforms: Vec::new(),
        errors: Vec::new(),
        indices: heading.version >= 430 || heading.has(&["GL_ARB_explicit_uniform_location"]),
    };
    lowering.declarations(stage);
    lowering.calls(stage);
    lowering.number();
    if !lowering.errors.is_empty() {
        return Err(lowering.errors.join("\n"));
    }
    let mut text = String::with_capacity(code.len() + 512);
    for (token, changed) in lowering.tokens.iter().zip(&lowering.changed) {
        text.push_str(changed.as_deref().unwrap_or(token.text));
    }
    let wrong = lowering.overloads(&text);
    text.push('\n');
    lowering.choosers(&mut text);
    let mut functions: Vec<Function> =
        lowering.functions.into_iter().map(|(function, ..)| function).collect();
    functions.sort_by_key(|f| f.index);
    Ok(Some((text, Subroutines { functions, uniforms: lowering.uniforms, wrong })))
}

impl Lowering<'_> {
    fn text(&self, at: usize) -> &str {
        self.solid.get(at).and_then(|&i| self.tokens.get(i)).map_or("", |t| t.text)
    }

    fn is_word(&self, at: usize) -> bool {
        let token = self.solid.get(at).and_then(|&i| self.tokens.get(i));
        token.is_some_and(|t| t.kind == Kind::Word)
    }

    fn set(&mut self, at: usize, text: impl Into<String>) {
        let slot = self.solid.get(at).and_then(|&i| self.changed.get_mut(i));
        if let Some(slot) = slot {
            *slot = Some(text.into());
        }
    }

    fn blank(&mut self, from: usize, to: usize) {
        (from..to).for_each(|at| self.set(at, ""));
    }

    fn error(&mut self, at: usize, message: &str) {
        let token = self.solid.get(at).copied().unwrap_or(self.tokens.len());
        self.errors.push(format!("0:{}: error: {message}", line_of(&self.tokens, token)));
    }

    /// One past the bracket that closes the one at `at`.
    fn past_group(&self, mut at: usize) -> usize {
        let mut depth = 0usize;
        while at < self.solid.len() {
            match self.text(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            at += 1;
            if depth == 0 {
                break;
            }
        }
        at
    }

    /// Reads every declaration that says `subroutine`.
    fn declarations(&mut self, stage: Stage) {
        let mut at = 0;
        let mut depth = 0usize;
        // Where the declaration began, and its `layout(…)` there.
        let mut start = 0;
        while at < self.solid.len() {
            match self.text(at) {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                "subroutine" if depth == 0 => {
                    at = self.declaration(start, at, stage);
                    start = at;
                    continue;
                }
                "subroutine" => self.error(at, "`subroutine' inside a function"),
                _ => {}
            }
            if depth == 0 && matches!(self.text(at), ";" | "}") {
                start = at + 1;
            }
            at += 1;
        }
    }

    /// The value of `layout(… name = value …)` between two places.
    fn layout(&self, from: usize, to: usize, name: &str) -> Option<u32> {
        let at = (from..to).find(|&at| {
            self.text(at) == name
                && self.text(at + 1) == "="
                && matches!(self.text(at + 3), "," | ")")
        })?;
        u32::try_from(integer(self.text(at + 2))?).ok()
    }

    /// Reads the declaration from `start` whose `subroutine` stands at `at`; gives where reading goes on.
    fn declaration(&mut self, start: usize, at: usize, stage: Stage) -> usize {
        if self.text(at + 1) == "(" {
            return self.function(start, at);
        }
        let mut next = at + 1;
        let mut uniform = (start..at).any(|i| self.text(i) == "uniform");
        let mut from = start;
        while matches!(self.text(next), "uniform" | "layout" | "const" | "highp" | "mediump") {
            uniform |= self.text(next) == "uniform";
            if self.text(next) == "layout" {
                from = next;
                next = self.past_group(next + 1);
            } else {
                next += 1;
            }
        }
        if uniform {
            self.uniform(start, at, next, from, stage)
        } else {
            self.type_declaration(at, next)
        }
    }

    /// `subroutine uniform T a, b[2];`, its type at `next`.
    fn uniform(
        &mut self,
        start: usize,
        at: usize,
        next: usize,
        layout: usize,
        stage: Stage,
    ) -> usize {
        let ty = self.text(next).to_owned();
        if !self.types.iter().any(|t| t.name == ty) {
            self.error(next, &format!("`{ty}' is no subroutine type"));
        }
        let location = self.layout(start.min(layout), next, "location");
        // Neither the location nor the word means anything to an `int`.
        self.blank(start, at + 1);
        for i in at + 1..next {
            if self.text(i) != "uniform" {
                self.set(i, "");
            }
        }
        if !(at + 1..next).any(|i| self.text(i) == "uniform") {
            self.set(at, "uniform ");
        }
        self.set(next, "int");
        let mut i = next + 1;
        while i < self.solid.len() && self.text(i) != ";" {
            match self.text(i) {
                "[" => {
                    i = self.past_group(i);
                    continue;
                }
                "=" => self.error(i, "a subroutine uniform has no initial value"),
                name if self.is_word(i) => {
                    let name = name.to_owned();
                    self.set(i, format!("{PREFIX}{}_{name}", stage as u32));
                    self.uniforms.push(Uniform { name, ty: ty.clone(), location });
                }
                _ => {}
            }
            i += 1;
        }
        i + 1
    }

    /// `subroutine vec4 T(vec4 c);`, its return type at `next`.
    fn type_declaration(&mut self, at: usize, next: usize) -> usize {
        let mut open = next;
        while open < self.solid.len() && !matches!(self.text(open), "(" | ";" | "{" | "=") {
            open += 1;
        }
        if self.text(open) != "(" || open < next + 2 || !self.is_word(open - 1) {
            self.error(at, "`subroutine' declares a type, a function or a uniform");
            return open + 1;
        }
        let name = self.text(open - 1).to_owned();
        let signature = self.signature(next, open - 1, open);
        let end = self.past_group(open);
        if self.text(end) != ";" {
            self.error(open, "a subroutine type has no body");
        }
        self.blank(at, end + 1);
        let mut prototype = String::new();
        head(&mut prototype, &name, &signature);
        prototype.push(';');
        self.set(at, prototype);
        self.types.push(Type { name, signature });
        end + 1
    }

    /// `subroutine(T, U) vec4 f(vec4 c) { … }`, `subroutine` at `at`.
    fn function(&mut self, start: usize, at: usize) -> usize {
        let close = self.past_group(at + 1);
        let mut types = Vec::new();
        for i in at + 2..close.saturating_sub(1) {
            match self.text(i) {
                "," => {}
                name if self.types.iter().any(|t| t.name == name) => types.push(name.to_owned()),
                name => {
                    let message = format!("`{name}' is no subroutine type");
                    self.error(i, &message);
                }
            }
        }
        if types.is_empty() && self.errors.is_empty() {
            self.error(at, "the list of subroutine types is empty");
        }
        let index = self.layout(start, at, "index");
        if start < at && !self.indices {
            self.error(
                at,
                "`index' of a subroutine needs version 430 or GL_ARB_explicit_uniform_location",
            );
        }
        self.blank(start, close);
        let mut open = close;
        while open < self.solid.len() && !matches!(self.text(open), "(" | ";" | "{" | "=") {
            if self.text(open) == "subroutine" {
                self.error(open, "`subroutine' stands twice");
                return self.solid.len();
            }
            open += 1;
        }
        if self.text(open) != "(" || open < close + 2 {
            self.error(at, "`subroutine(...)' is for functions");
            return open + 1;
        }
        let name = self.text(open - 1).to_owned();
        let signature = self.signature(close, open - 1, open);
        let end = self.past_group(open);
        if self.text(end) != "{" {
            self.error(at, "a subroutine needs a body");
            return end;
        }
        for ty in &types {
            if self.types.iter().any(|t| t.name == *ty && t.signature != signature) {
                self.error(at, &format!("`{name}' does not have the subroutine type `{ty}'"));
            }
        }
        self.functions.push((Function { name, index: 0, types }, index, at));
        self.past_group(end)
    }

    /// The types from `returns` up to the name at `name`, and those of the parameters in the bracket at `open`.
    fn signature(&self, returns: usize, name: usize, open: usize) -> Signature {
        let word = |w: &&str| !matches!(*w, "highp" | "mediump" | "lowp" | "precise");
        let mut signature = Signature {
            returns: (returns..name)
                .map(|i| self.text(i))
                .filter(word)
                .map(str::to_owned)
                .collect(),
            parameters: Vec::new(),
        };
        let end = self.past_group(open).saturating_sub(1);
        let mut at = open + 1;
        while at < end {
            let mut words = Vec::new();
            let mut named = false;
            while at < end && self.text(at) != "," {
                let stop = if self.text(at) == "[" { self.past_group(at) } else { at + 1 };
                let qualifier = matches!(self.text(at), "const" | "in" | "out" | "inout");
                let typed = words
                    .iter()
                    .any(|w: &String| !matches!(w.as_str(), "const" | "in" | "out" | "inout"));
                if self.is_word(at) && typed && !qualifier && !named {
                    named = true;
                } else if !matches!(self.text(at), "in" | "highp" | "mediump" | "lowp" | "precise")
                {
                    words.extend((at..stop).map(|i| self.text(i).to_owned()));
                }
                at = stop;
            }
            at += 1;
            if words != ["void"] && !words.is_empty() {
                signature.parameters.push(words);
            }
        }
        signature
    }

    /// Calls through subroutine uniforms, and other uses of them.
    fn calls(&mut self, stage: Stage) {
        for at in 0..self.solid.len() {
            let untouched = self
                .solid
                .get(at)
                .is_some_and(|&i| self.changed.get(i).is_some_and(Option::is_none));
            if !untouched || at > 0 && self.text(at - 1) == "." || !self.is_word(at) {
                continue;
            }
            let Some(uniform) = self.uniforms.iter().find(|u| u.name == self.text(at)) else {
                continue;
            };
            let (ty, name) =
                (uniform.ty.clone(), format!("{PREFIX}{}_{}", stage as u32, uniform.name));
            let mut open = at + 1;
            while self.text(open) == "[" {
                open = self.past_group(open);
            }
            if self.text(open) != "(" {
                self.set(at, name);
                continue;
            }
            // Brackets between the name and its arguments hold the element's index.
            self.set(at, format!("{CALL}{ty}({name}"));
            let empty = self.text(open + 1) == ")"
                || self.text(open + 1) == "void" && self.text(open + 2) == ")";
            if self.text(open + 1) == "void" && empty {
                self.set(open + 1, "");
            }
            self.set(open, if empty { "" } else { ", " });
        }
    }

    /// Gives indices to the functions that did not declare one.
    fn number(&mut self) {
        if self.functions.len() > MAX_SUBROUTINES as usize {
            self.errors.push("0:1: error: too many subroutines".to_owned());
            return;
        }
        let mut taken: Vec<u32> = Vec::new();
        let mut wrong = Vec::new();
        for (_, index, at) in &self.functions {
            let Some(index) = index else { continue };
            if *index >= MAX_SUBROUTINES || taken.contains(index) {
                wrong.push(*at);
            }
            taken.push(*index);
        }
        for at in wrong {
            self.error(at, "the index of a subroutine is too large or taken");
        }
        let mut next = 0;
        for (function, index, _) in &mut self.functions {
            function.index = index.unwrap_or_else(|| {
                while taken.contains(&next) {
                    next += 1;
                }
                taken.push(next);
                next
            });
        }
    }

    /// GLSL 4.60 §6.1.2: no two functions have the name of a subroutine, and no other function that of a subroutine type.
    /// `lowered` is the text without the choosers.
    fn overloads(&self, lowered: &str) -> Option<String> {
        let declarations = super::declarations::read(&tokenize(lowered));
        let mut names: Vec<&str> = Vec::new();
        for declaration in &declarations.list {
            if let super::declarations::Shape::Function { name, defined: true } = &declaration.shape
            {
                let typed = self.types.iter().any(|t| t.name == *name);
                let subroutine = self.functions.iter().any(|(f, ..)| f.name == *name);
                if typed || subroutine && names.contains(&name.as_str()) {
                    return Some(format!("error: `{name}' is defined twice, once as a subroutine"));
                }
                names.push(name);
            }
        }
        None
    }

    /// Defines the function of each type that chooses among those that have it.
    fn choosers(&self, out: &mut String) {
        for ty in &self.types {
            head(out, &ty.name, &ty.signature);
            out.push_str(" { ");
            let void = ty.signature.returns == ["void"];
            let arguments: Vec<String> =
                (0..ty.signature.parameters.len()).map(|i| format!("fr_p{i}")).collect();
            let arguments = arguments.join(", ");
            let mut last = None;
            for (function, ..) in self.functions.iter().filter(|(f, ..)| f.types.contains(&ty.name))
            {
                let Function { name, index, .. } = function;
                let _ = if void {
                    write!(out, "if (fr_which == {index}) {{ {name}({arguments}); return; }} ")
                } else {
                    write!(out, "if (fr_which == {index}) return {name}({arguments}); ")
                };
                last = Some(name);
            }
            let returns = ty.signature.returns.join(" ");
            let _ = match last {
                _ if void => Ok(()),
                Some(name) => write!(out, "return {name}({arguments}); "),
                None => write!(out, "{returns} fr_none; return fr_none; "),
            };
            out.push_str("}\n");
        }
    }
}

/// GL_MAX_SUBROUTINES, and GL_MAX_SUBROUTINE_UNIFORM_LOCATIONS is four times that (OpenGL 4.6, table 23.64).
pub const MAX_SUBROUTINES: u32 = 256;
/// GL_MAX_SUBROUTINE_UNIFORM_LOCATIONS.
pub const MAX_LOCATIONS: u32 = 1024;

/// `vec4 fr_call_T(int fr_which, vec4 fr_p0)`.
fn head(out: &mut String, name: &str, signature: &Signature) {
    let _ = write!(out, "{} {CALL}{name}(int fr_which", signature.returns.join(" "));
    for (index, words) in signature.parameters.iter().enumerate() {
        // An array's brackets may follow the type.
        let _ = write!(out, ", {} fr_p{index}", words.join(" "));
    }
    out.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lowered(source: &str) -> Result<(String, Subroutines), String> {
        let heading = Heading { version: 430, ..Heading::default() };
        lower(source, Stage::Fragment, &heading).map(|found| found.expect("it has subroutines"))
    }

    #[test]
    fn a_call_through_a_uniform_chooses_by_number() {
        let source = "subroutine float T(vec2 p, out int n);\n\
            layout(location = 3) subroutine uniform T t[2], u;\n\
            layout(index = 1) subroutine(T) float a(vec2 q, out int m) { return q.x; }\n\
            subroutine(T) float b(vec2 q, out int m) { return q.y; }\n\
            void main() { int n; t[n + 1](vec2(0), n); u(vec2(1), n); }";
        let (text, found) = lowered(source).unwrap();
        let indices: Vec<_> = found.functions.iter().map(|f| (f.name.as_str(), f.index)).collect();
        assert_eq!(indices, [("b", 0), ("a", 1)]);
        assert_eq!(found.uniforms[0].location, Some(3));
        assert!(text.contains("fr_call_T(fr_su4_t[n + 1], vec2(0), n)"), "{text}");
        assert!(text.contains("fr_call_T(fr_su4_u, vec2(1), n)"), "{text}");
        assert!(
            text.contains("float fr_call_T(int fr_which, vec2 fr_p0, out int fr_p1);"),
            "{text}"
        );
        assert!(text.contains("if (fr_which == 1) return a(fr_p0, fr_p1);"), "{text}");
        assert_eq!(text.lines().count(), source.lines().count() + 1, "lines stay lines: {text}");
    }

    #[test]
    fn what_is_no_subroutine_is_refused() {
        for source in [
            "subroutine int x;",
            "subroutine void T(); subroutine(T) void f();",
            "subroutine void T(float x); subroutine(T) void f(int x) {}",
            "subroutine void T(); subroutine(T) int f() { return 1; }",
            "subroutine(U) void f() {}",
            "subroutine() void f() {}",
            "subroutine void T(); subroutine(T) subroutine(T) void f() {}",
            "subroutine void T(); subroutine uniform U u;",
        ] {
            assert!(lowered(source).is_err(), "{source}");
        }
    }
}
