//! Writing a module back with other decorations and names, and without dead variables.

use std::collections::{HashMap, HashSet};

use super::module::{Module, instructions, string, string_words};
use super::op;

/// Changes to a module.
#[derive(Debug, Default)]
pub struct Patch {
    /// Variables to leave out.
    pub dead: HashSet<u32>,
    /// Decorations to set: id → (decoration, operand). Old values of the same decoration go.
    pub decorate: HashMap<u32, Vec<(u32, u32)>>,
    /// New names of ids.
    pub names: HashMap<u32, String>,
    /// Capabilities to add.
    pub capabilities: Vec<u32>,
    /// New names of members.
    pub member_names: HashMap<(u32, u32), String>,
}

impl Patch {
    /// Sets one decoration.
    pub fn set(&mut self, id: u32, decoration: u32, operand: u32) {
        let list = self.decorate.entry(id).or_default();
        list.retain(|(d, _)| *d != decoration);
        list.push((decoration, operand));
    }

    /// The operand of a decoration that was set.
    pub fn value(&self, id: u32, decoration: u32) -> Option<u32> {
        let list = self.decorate.get(&id)?;
        list.iter().find(|(d, _)| *d == decoration).map(|(_, operand)| *operand)
    }

    /// The module's words with the changes made.
    pub fn apply(&self, module: &Module) -> Vec<u32> {
        let words = &module.words;
        let mut out = Vec::with_capacity(words.len() + self.decorate.len() * 8);
        out.extend_from_slice(words.get(..5).unwrap_or_default());
        for capability in &self.capabilities {
            push(&mut out, op::CAPABILITY, &[*capability]);
        }
        let mut decorated = false;
        for instruction in instructions(words) {
            let target = instruction.word(0);
            if !decorated && starts_types(instruction.op) {
                self.decorations(&mut out);
                decorated = true;
            }
            match instruction.op {
                op::NAME => {
                    if self.dead.contains(&target) {
                        continue;
                    }
                    if let Some(name) = self.names.get(&target) {
                        let mut operands = vec![target];
                        operands.extend(string_words(name));
                        push(&mut out, op::NAME, &operands);
                        continue;
                    }
                }
                op::MEMBER_NAME => {
                    if let Some(name) = self.member_names.get(&(target, instruction.word(1))) {
                        let mut operands = vec![target, instruction.word(1)];
                        operands.extend(string_words(name));
                        push(&mut out, op::MEMBER_NAME, &operands);
                        continue;
                    }
                }
                op::DECORATE => {
                    let replaced = self
                        .decorate
                        .get(&target)
                        .is_some_and(|list| list.iter().any(|(d, _)| *d == instruction.word(1)));
                    if replaced || self.dead.contains(&target) {
                        continue;
                    }
                }
                op::VARIABLE if self.dead.contains(&instruction.word(1)) => continue,
                op::ENTRY_POINT => {
                    self.entry_point(&mut out, instruction.operands);
                    continue;
                }
                _ => {}
            }
            push(&mut out, instruction.op, instruction.operands);
        }
        out
    }

    fn decorations(&self, out: &mut Vec<u32>) {
        let mut ids: Vec<_> = self.decorate.iter().collect();
        ids.sort();
        for (id, list) in ids {
            if self.dead.contains(id) {
                continue;
            }
            for (decoration, operand) in list {
                push(out, op::DECORATE, &[*id, *decoration, *operand]);
            }
        }
    }

    fn entry_point(&self, out: &mut Vec<u32>, operands: &[u32]) {
        let head = operands.get(..2).unwrap_or_default();
        let rest = operands.get(2..).unwrap_or_default();
        let (_, name_words) = string(rest);
        let mut new = head.to_vec();
        new.extend_from_slice(rest.get(..name_words).unwrap_or_default());
        let interface = rest.get(name_words..).unwrap_or_default();
        new.extend(interface.iter().filter(|id| !self.dead.contains(id)));
        push(out, op::ENTRY_POINT, &new);
    }
}

/// True at the first instruction after the annotations.
fn starts_types(opcode: u16) -> bool {
    (op::TYPE_VOID..=op::TYPE_FUNCTION).contains(&opcode)
        || (op::CONSTANT_TRUE..=op::FUNCTION).contains(&opcode)
}

fn push(out: &mut Vec<u32>, opcode: u16, operands: &[u32]) {
    let count = operands.len() as u32 + 1;
    out.push(count << 16 | u32::from(opcode));
    out.extend_from_slice(operands);
}
