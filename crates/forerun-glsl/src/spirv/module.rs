//! A SPIR-V module as tables.

use std::collections::HashMap;

use super::op;
use super::types::Type;

/// One instruction: its opcode and operands (the words after the first).
#[derive(Clone, Copy)]
pub struct Instruction<'a> {
    /// Opcode.
    pub op: u16,
    /// Operand words.
    pub operands: &'a [u32],
}

impl Instruction<'_> {
    /// An operand, 0 when there is none.
    pub fn word(&self, index: usize) -> u32 {
        self.operands.get(index).copied().unwrap_or(0)
    }
}

/// Iterates over the instructions after the header; stops at the first malformed one.
pub fn instructions(words: &[u32]) -> impl Iterator<Item = Instruction<'_>> {
    let mut rest = words.get(5..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let count = (first >> 16) as usize;
        let (this, next) = rest.split_at_checked(count)?;
        let operands = this.get(1..)?;
        rest = next;
        Some(Instruction { op: first as u16, operands })
    })
}

/// Reads a literal string; gives it and the number of words that it takes.
pub fn string(words: &[u32]) -> (String, usize) {
    let mut bytes = Vec::new();
    for (index, word) in words.iter().enumerate() {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                return (String::from_utf8_lossy(&bytes).into_owned(), index + 1);
            }
            bytes.push(byte);
        }
    }
    (String::from_utf8_lossy(&bytes).into_owned(), words.len())
}

/// A string as literal words.
pub fn string_words(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    while !bytes.len().is_multiple_of(4) {
        bytes.push(0);
    }
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// A global variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its id.
    pub id: u32,
    /// Id of the type pointed to.
    pub ty: u32,
    /// Storage class.
    pub class: u32,
    /// Id of the initialiser, 0 for none.
    pub initialiser: u32,
}

/// A constant.
#[derive(Clone, Debug)]
pub enum Constant {
    /// Number or truth value, as its bits.
    Scalar(u64),
    /// Composite, by constituent ids.
    Composite(Vec<u32>),
    /// Null of any type.
    Null,
}

/// Tables over one module.
#[derive(Default)]
pub struct Module {
    /// The words.
    pub words: Vec<u32>,
    /// Names of ids.
    pub names: HashMap<u32, String>,
    /// Names of members.
    pub member_names: HashMap<(u32, u32), String>,
    /// Decorations of ids: decoration and first operand.
    pub decorations: HashMap<u32, Vec<(u32, u32)>>,
    /// Decorations of members.
    pub member_decorations: HashMap<(u32, u32), Vec<(u32, u32)>>,
    /// Types.
    pub types: HashMap<u32, Type>,
    /// Constants with their types.
    pub constants: HashMap<u32, (u32, Constant)>,
    /// Global variables in order.
    pub variables: Vec<Variable>,
    /// Function id of the entry point.
    pub entry: u32,
    /// Execution modes: mode and operands.
    pub modes: Vec<(u32, Vec<u32>)>,
}

impl Module {
    /// Reads `words`; None if they are not a module with an entry point.
    pub fn read(words: Vec<u32>) -> Option<Self> {
        if words.first() != Some(&0x0723_0203) {
            return None;
        }
        let mut module = Module::default();
        let mut in_function = false;
        for instruction in instructions(&words) {
            module.take(instruction, &mut in_function);
        }
        module.words = words;
        (module.entry != 0).then_some(module)
    }

    fn take(&mut self, instruction: Instruction<'_>, in_function: &mut bool) {
        let word = |index| instruction.word(index);
        match instruction.op {
            op::NAME => {
                let (name, _) = string(instruction.operands.get(1..).unwrap_or_default());
                self.names.insert(word(0), name);
            }
            op::MEMBER_NAME => {
                let (name, _) = string(instruction.operands.get(2..).unwrap_or_default());
                self.member_names.insert((word(0), word(1)), name);
            }
            op::ENTRY_POINT => self.entry = word(1),
            op::EXECUTION_MODE => {
                let operands = instruction.operands.get(2..).unwrap_or_default().to_vec();
                self.modes.push((word(1), operands));
            }
            op::DECORATE => {
                self.decorations.entry(word(0)).or_default().push((word(1), word(2)));
            }
            op::MEMBER_DECORATE => {
                let key = (word(0), word(1));
                self.member_decorations.entry(key).or_default().push((word(2), word(3)));
            }
            op::CONSTANT_TRUE => self.constant(word(0), word(1), Constant::Scalar(1)),
            op::CONSTANT_FALSE => self.constant(word(0), word(1), Constant::Scalar(0)),
            op::CONSTANT | op::SPEC_CONSTANT => {
                let value = u64::from(word(2)) | u64::from(word(3)) << 32;
                self.constant(word(0), word(1), Constant::Scalar(value));
            }
            op::CONSTANT_COMPOSITE => {
                let parts = instruction.operands.get(2..).unwrap_or_default().to_vec();
                self.constant(word(0), word(1), Constant::Composite(parts));
            }
            op::CONSTANT_NULL => self.constant(word(0), word(1), Constant::Null),
            op::FUNCTION => *in_function = true,
            op::FUNCTION_END => *in_function = false,
            op::VARIABLE if !*in_function => {
                if let Some(Type::Pointer { to, .. }) = self.types.get(&word(0)) {
                    self.variables.push(Variable {
                        id: word(1),
                        ty: *to,
                        class: word(2),
                        initialiser: word(3),
                    });
                }
            }
            _ => {
                if let Some((id, ty)) = Type::read(instruction, &self.constants) {
                    self.types.insert(id, ty);
                }
            }
        }
    }

    fn constant(&mut self, ty: u32, id: u32, value: Constant) {
        self.constants.insert(id, (ty, value));
    }

    /// The name of an id, empty when it has none.
    pub fn name(&self, id: u32) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// The name of a member.
    pub fn member_name(&self, ty: u32, member: u32) -> &str {
        self.member_names.get(&(ty, member)).map_or("", String::as_str)
    }

    /// First operand of an id's decoration (0 when it takes none).
    pub fn decoration(&self, id: u32, decoration: u32) -> Option<u32> {
        find(self.decorations.get(&id), decoration)
    }

    /// First operand of a member's decoration.
    pub fn member_decoration(&self, ty: u32, member: u32, decoration: u32) -> Option<u32> {
        find(self.member_decorations.get(&(ty, member)), decoration)
    }

    /// The type of an id.
    pub fn ty(&self, id: u32) -> &Type {
        self.types.get(&id).unwrap_or(&Type::Other)
    }

    /// Value of an integer constant.
    pub fn integer(&self, id: u32) -> Option<u32> {
        match self.constants.get(&id) {
            Some((_, Constant::Scalar(value))) => Some(*value as u32),
            _ => None,
        }
    }

    /// Operands of an execution mode.
    pub fn mode(&self, mode: u32) -> Option<&[u32]> {
        self.modes.iter().find(|(m, _)| *m == mode).map(|(_, operands)| operands.as_slice())
    }
}

fn find(list: Option<&Vec<(u32, u32)>>, decoration: u32) -> Option<u32> {
    list?.iter().find(|(d, _)| *d == decoration).map(|(_, operand)| *operand)
}
