//! Which variables, and which parts of them, the entry point can reach.

use std::collections::{HashMap, HashSet};

use super::module::{Instruction, Module, instructions};
use super::op;

/// One step into a variable: a known element, or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Element or member of that index.
    At(u32),
    /// An index that is not constant.
    Any,
}

/// How a variable is used.
#[derive(Clone, Debug, Default)]
pub struct Use {
    /// Paths that are read or handed on.
    pub paths: HashSet<Vec<Step>>,
    /// Something is stored through it.
    pub written: bool,
}

impl Use {
    /// True if the part at `path` may be touched.
    pub fn touches(&self, path: &[Step]) -> bool {
        self.paths.iter().any(|used| {
            used.iter().zip(path).all(|(u, p)| *u == Step::Any || *p == Step::Any || u == p)
        })
    }
}

/// What the entry point reaches.
#[derive(Debug, Default)]
pub struct Live {
    /// By variable id.
    pub uses: HashMap<u32, Use>,
    /// Stores to images or buffers, or does atomic operations.
    pub side_effects: bool,
    /// May discard.
    pub discards: bool,
}

impl Live {
    /// True if the variable is used at all.
    pub fn has(&self, id: u32) -> bool {
        self.uses.contains_key(&id)
    }

    /// True if the part at `path` of the variable may be touched.
    pub fn touches(&self, id: u32, path: &[Step]) -> bool {
        self.uses.get(&id).is_some_and(|u| u.touches(path))
    }
}

/// Walks `module` from its entry point.
pub fn find(module: &Module) -> Live {
    let functions = functions(module);
    let globals: HashMap<u32, u32> = module.variables.iter().map(|v| (v.id, v.class)).collect();
    let mut live = Live::default();
    let mut seen = HashSet::new();
    let mut queue = vec![module.entry];
    while let Some(function) = queue.pop() {
        if !seen.insert(function) {
            continue;
        }
        let Some(body) = functions.get(&function) else { continue };
        let mut chains: HashMap<u32, (u32, Vec<Step>)> = HashMap::new();
        for instruction in body {
            visit(module, *instruction, &globals, &mut chains, &mut live, &mut queue);
        }
    }
    live
}

fn functions(module: &Module) -> HashMap<u32, Vec<Instruction<'_>>> {
    let mut map: HashMap<u32, Vec<Instruction<'_>>> = HashMap::new();
    let mut current = 0;
    for instruction in instructions(&module.words) {
        match instruction.op {
            op::FUNCTION => current = instruction.word(1),
            op::FUNCTION_END => current = 0,
            _ if current != 0 => map.entry(current).or_default().push(instruction),
            _ => {}
        }
    }
    map
}

/// Operands that are ids, literals left out where there are any.
fn id_operands(instruction: Instruction<'_>) -> &[u32] {
    let all = instruction.operands;
    match instruction.op {
        op::LABEL | op::SELECTION_MERGE | op::LOOP_MERGE => &[],
        op::VECTOR_SHUFFLE | op::COMPOSITE_INSERT => all.get(2..4).unwrap_or_default(),
        op::COMPOSITE_EXTRACT | op::LOAD | op::ARRAY_LENGTH => all.get(2..3).unwrap_or_default(),
        op::EXT_INST => all.get(4..).unwrap_or_default(),
        op::SWITCH => all.get(..1).unwrap_or_default(),
        op::STORE => all.get(..2).unwrap_or_default(),
        op::VARIABLE => all.get(3..).unwrap_or_default(),
        _ => all,
    }
}

fn visit(
    module: &Module,
    instruction: Instruction<'_>,
    globals: &HashMap<u32, u32>,
    chains: &mut HashMap<u32, (u32, Vec<Step>)>,
    live: &mut Live,
    queue: &mut Vec<u32>,
) {
    let resolve = |id: u32, chains: &HashMap<u32, (u32, Vec<Step>)>| {
        if globals.contains_key(&id) { Some((id, Vec::new())) } else { chains.get(&id).cloned() }
    };
    match instruction.op {
        op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN => {
            if let Some((variable, mut path)) = resolve(instruction.word(2), chains) {
                for index in instruction.operands.get(3..).unwrap_or_default() {
                    path.push(module.integer(*index).map_or(Step::Any, Step::At));
                    // An index may itself be a variable's value only through a load, which is seen there.
                }
                chains.insert(instruction.word(1), (variable, path));
            }
            return;
        }
        op::FUNCTION_CALL => queue.push(instruction.word(2)),
        op::KILL => live.discards = true,
        op::IMAGE_WRITE => live.side_effects = true,
        op::ATOMIC_FIRST..=op::ATOMIC_LAST => live.side_effects = true,
        _ => {}
    }
    let stores = instruction.op == op::STORE;
    for (position, id) in id_operands(instruction).iter().enumerate() {
        let Some((variable, path)) = resolve(*id, chains) else { continue };
        let written = stores && position == 0
            || matches!(instruction.op, op::ATOMIC_FIRST..=op::ATOMIC_LAST)
            || instruction.op == op::FUNCTION_CALL;
        if written && globals.get(&variable) == Some(&op::CLASS_STORAGE_BUFFER) {
            live.side_effects = true;
        }
        let entry = live.uses.entry(variable).or_default();
        entry.written |= written;
        entry.paths.insert(path);
    }
}
