//! One stage during a link.

use forerun_pipe::archive::Stage;

use crate::Shader;
use crate::ffi::DEFAULT_BLOCK;
use crate::source::declarations::{Declaration, Shape};
use crate::source::names;
use crate::source::rewrite::Facts;
use crate::spirv::live::{self, Live};
use crate::spirv::mend;
use crate::spirv::module::{Module, Variable};
use crate::spirv::op;
use crate::spirv::patch::Patch;
use crate::spirv::trinary;
use crate::spirv::types::Type;

/// One stage: its module, what is live in it, and what will be changed.
pub struct Unit<'a> {
    /// The stage.
    pub stage: Stage,
    /// The module as glslang made it.
    pub module: Module,
    /// What its entry point reaches.
    pub live: Live,
    /// Changes.
    pub patch: Patch,
    /// The shaders of the stage.
    pub shaders: Vec<&'a Shader>,
}

/// True for the name of a Boolean type.
fn is_bool_type(ty: &str) -> bool {
    matches!(ty, "bool" | "bvec2" | "bvec3" | "bvec4")
}

impl<'a> Unit<'a> {
    /// Reads a stage's words.
    pub fn new(stage: Stage, mut words: Vec<u32>, shaders: Vec<&'a Shader>) -> Option<Self> {
        let formats: Vec<(u32, u32)> =
            shaders.iter().flat_map(|s| s.facts.image_formats.iter().copied()).collect();
        mend::image_formats(&mut words, &formats);
        let mut module = Module::read(words)?;
        mend::atomic_operands(&mut module);
        mend::clip_distance_copies(&mut module);
        trinary::lower(&mut module);
        let live = live::find(&module);
        let mut patch = Patch::default();
        if !formats.is_empty() {
            patch.capabilities.push(op::CAPABILITY_EXTENDED_FORMATS);
        }
        for variable in &module.variables {
            let Some((builtin, capability)) =
                module.names.get(&variable.id).and_then(|name| names::adopted(name))
            else {
                continue;
            };
            if !matches!(variable.class, op::CLASS_INPUT | op::CLASS_OUTPUT) {
                continue;
            }
            patch.set(variable.id, op::DEC_BUILT_IN, builtin);
            patch.capabilities.push(capability);
            module.decorations.entry(variable.id).or_default().push((op::DEC_BUILT_IN, builtin));
        }
        Some(Self { stage, module, live, patch, shaders })
    }

    /// Facts of the stage's shaders.
    pub fn facts(&self) -> impl Iterator<Item = &Facts> {
        self.shaders.iter().map(|s| &s.facts)
    }

    /// Global variables of a storage class.
    pub fn variables(&self, class: u32) -> Vec<Variable> {
        self.module.variables.iter().copied().filter(|v| v.class == class).collect()
    }

    /// The default uniform block.
    pub fn default_block(&self) -> Option<Variable> {
        let name = DEFAULT_BLOCK.to_str().unwrap_or_default();
        self.variables(op::CLASS_UNIFORM)
            .into_iter()
            .find(|v| self.module.name(self.module.peel(v.ty).0) == name)
    }

    /// The `uniform`, `in` or `out` declaration of a variable.
    pub fn declaration(&self, name: &str, qualifier: &str) -> Option<&Declaration> {
        self.facts().flat_map(|f| &f.declarations.list).find(|d| {
            d.is(qualifier) && d.shape == Shape::Variables && d.names.iter().any(|n| n.name == name)
        })
    }

    /// The declaration of a block.
    pub fn block_declaration(&self, name: &str) -> Option<&Declaration> {
        self.facts()
            .flat_map(|f| &f.declarations.list)
            .find(|d| matches!(d.shape, Shape::Block(_)) && d.ty == name)
    }

    /// True if a default uniform is declared with a Boolean type.
    pub fn uniform_is_bool(&self, name: &str) -> bool {
        self.declaration(name, "uniform").is_some_and(|d| is_bool_type(&d.ty))
    }

    /// True if a member of a structure or block is declared with a Boolean type.
    pub fn member_is_bool(&self, container: &str, member: &str) -> bool {
        self.facts().any(|facts| {
            let structs = facts.declarations.structs.iter().map(|(name, m)| (name, m));
            let blocks = facts.declarations.list.iter().filter_map(|d| match &d.shape {
                Shape::Block(members) => Some((&d.ty, members)),
                _ => None,
            });
            structs
                .chain(blocks)
                .filter(|(name, _)| name.as_str() == container)
                .flat_map(|(_, members)| members)
                .any(|m| m.name == member && is_bool_type(&m.ty))
        })
    }

    /// True if the variable is a built-in or a block of built-ins.
    pub fn is_builtin(&self, variable: &Variable) -> bool {
        if self.module.decoration(variable.id, op::DEC_BUILT_IN).is_some() {
            return true;
        }
        let (base, _) = self.module.peel(variable.ty);
        matches!(self.module.ty(base), Type::Struct(_))
            && self.module.member_decoration(base, 0, op::DEC_BUILT_IN).is_some()
    }

    /// Marks what nothing reaches, and mends names that the back end could not keep.
    pub fn strip(&mut self) {
        for variable in &self.module.variables {
            let class = matches!(
                variable.class,
                op::CLASS_UNIFORM_CONSTANT
                    | op::CLASS_UNIFORM
                    | op::CLASS_STORAGE_BUFFER
                    | op::CLASS_INPUT
            );
            if class && !self.live.has(variable.id) {
                self.patch.dead.insert(variable.id);
            }
        }
        for ((ty, member), name) in &self.module.member_names {
            if name.starts_with("/*") {
                self.patch.member_names.insert((*ty, *member), format!("fr_opaque{member}"));
            }
        }
        for (id, name) in &self.module.names {
            if let Some(rest) = name.strip_prefix("gl_AtomicCounterBlock") {
                self.patch.names.insert(*id, format!("fr_AtomicCounterBlock{rest}"));
            }
        }
    }
}

/// The program's name of something.
pub fn display(name: &str) -> String {
    names::original(name)
}
