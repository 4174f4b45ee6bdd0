//! Inputs and outputs between stages: matching by name or location, and assigning locations.

use std::collections::HashSet;

use forerun_pipe::archive::Stage;

use super::LinkOptions;
use super::unit::{Unit, display};
use crate::Limits;
use crate::spirv::module::Module;
use crate::spirv::op;
use crate::spirv::types::Type;

/// One side of an interface: a variable of the program, not a built-in.
#[derive(Clone, Debug)]
pub struct Port {
    /// Variable id.
    pub id: u32,
    /// What it is matched by: its name, or the block's.
    pub key: String,
    /// Its type, the per-vertex array taken off.
    pub ty: u32,
    /// Locations that it takes.
    pub count: u32,
    /// Declared location.
    pub explicit: Option<u32>,
    /// Declared component.
    pub component: u32,
    /// `patch`.
    pub patch: bool,
    /// Interpolation: flat, no perspective, or neither.
    pub interpolation: u32,
    /// Reached by the entry point.
    pub live: bool,
}

/// Ranges of locations in use.
#[derive(Debug, Default)]
pub struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    /// Marks `count` locations from `first`.
    pub fn take(&mut self, first: u32, count: u32) {
        self.0.push((first, first.saturating_add(count.max(1))));
    }

    /// True if one of the locations is taken.
    pub fn overlaps(&self, first: u32, count: u32) -> bool {
        let end = first.saturating_add(count.max(1));
        self.0.iter().any(|(from, to)| first < *to && *from < end)
    }

    /// Finds and takes the lowest free range.
    pub fn fit(&mut self, count: u32) -> u32 {
        let mut first = 0u32;
        loop {
            let end = first.saturating_add(count.max(1));
            match self.0.iter().filter(|(from, to)| first < *to && *from < end).map(|r| r.1).max() {
                Some(next) => first = next,
                None => break,
            }
        }
        self.take(first, count);
        first
    }

    /// One past the highest.
    pub fn end(&self) -> u32 {
        self.0.iter().map(|r| r.1).max().unwrap_or(0)
    }
}

/// The stage's variables of a class (inputs or outputs) that are not built in.
pub fn ports(unit: &Unit<'_>, class: u32) -> Vec<Port> {
    let module = &unit.module;
    let arrayed = matches!(
        (unit.stage, class),
        (Stage::TessControl, _) | (Stage::TessEvaluation | Stage::Geometry, op::CLASS_INPUT)
    );
    let mut ports = Vec::new();
    for variable in unit.variables(class) {
        if unit.is_builtin(&variable) {
            continue;
        }
        let (base, _) = module.peel(variable.ty);
        let block = matches!(module.ty(base), Type::Struct(_))
            && module.decoration(base, op::DEC_BLOCK).is_some();
        let patch = module.decoration(variable.id, op::DEC_PATCH).is_some()
            || block && module.member_decoration(base, 0, op::DEC_PATCH).is_some();
        let ty = match module.ty(variable.ty) {
            Type::Array(element, _) if arrayed && !patch => *element,
            _ => variable.ty,
        };
        let on_member = |decoration| {
            if block { module.member_decoration(base, 0, decoration) } else { None }
        };
        let own = module.decoration(variable.id, op::DEC_LOCATION);
        let has = |decoration| {
            module.decoration(variable.id, decoration).or_else(|| on_member(decoration)).is_some()
        };
        let interpolation = if has(op::DEC_FLAT) {
            op::DEC_FLAT
        } else if has(op::DEC_NO_PERSPECTIVE) {
            op::DEC_NO_PERSPECTIVE
        } else {
            0
        };
        ports.push(Port {
            id: variable.id,
            key: if block {
                format!("block {}", module.name(base))
            } else {
                module.name(variable.id).to_owned()
            },
            ty,
            count: module.locations(ty, false),
            explicit: own.or_else(|| on_member(op::DEC_LOCATION)),
            component: module.decoration(variable.id, op::DEC_COMPONENT).unwrap_or(0),
            patch,
            interpolation,
            live: unit.live.has(variable.id),
        });
    }
    ports
}

/// A type in a form that can be compared between modules.
pub fn signature(module: &Module, ty: u32) -> String {
    match module.ty(ty) {
        Type::Array(element, count) => format!("{}[{count}]", signature(module, *element)),
        Type::RuntimeArray(element) => format!("{}[]", signature(module, *element)),
        Type::Struct(members) => {
            let list: Vec<String> = members
                .iter()
                .zip(0u32..)
                .map(|(m, i)| format!("{} {}", signature(module, *m), module.member_name(ty, i)))
                .collect();
            format!("{{{}}}", list.join("; "))
        }
        _ => format!("{:#x}", module.gl_type(ty, false)),
    }
}

/// Gives locations to everything between the stages.
///
/// # Errors
/// A line for the log: something read is not written, or types or interpolation differ.
pub fn connect(
    units: &mut [Unit<'_>],
    options: &LinkOptions<'_>,
    limits: &Limits,
) -> Result<(), String> {
    for index in 0..units.len() {
        let (left, right) = units.split_at_mut(index + 1);
        let Some(producer) = left.last_mut() else { continue };
        match right.first_mut() {
            Some(consumer) => pair(producer, consumer, options.pipeline, limits)?,
            None if producer.stage != Stage::Fragment && producer.stage != Stage::Compute => {
                alone(producer, op::CLASS_OUTPUT, limits)?;
            }
            None => {}
        }
    }
    if let Some(first) = units.first_mut()
        && !matches!(first.stage, Stage::Vertex | Stage::Compute)
    {
        alone(first, op::CLASS_INPUT, limits)?;
    }
    Ok(())
}

/// An open end of a separable program.
fn alone(unit: &mut Unit<'_>, class: u32, limits: &Limits) -> Result<(), String> {
    let ports = ports(unit, class);
    let mut used = Ranges::default();
    for port in &ports {
        if let Some(location) = port.explicit {
            used.take(location, port.count);
        }
    }
    for port in &ports {
        if port.explicit.is_none() && (class == op::CLASS_OUTPUT || port.live) {
            let location = used.fit(port.count);
            unit.patch.set(port.id, op::DEC_LOCATION, location);
        }
    }
    room(&used, limits)
}

fn room(used: &Ranges, limits: &Limits) -> Result<(), String> {
    // Built-ins and unused outputs have no say here, so allow the components' worth of whole vectors.
    let most = (limits.max_varying_components.max(limits.max_vertex_output_components) / 4).max(1);
    if used.end() > most as u32 + 1 {
        return Err(format!("error: more than {most} varying vectors are passed between stages"));
    }
    Ok(())
}

fn pair(
    producer: &mut Unit<'_>,
    consumer: &mut Unit<'_>,
    loose: bool,
    limits: &Limits,
) -> Result<(), String> {
    let outputs = ports(producer, op::CLASS_OUTPUT);
    let inputs = ports(consumer, op::CLASS_INPUT);
    let mut used = Ranges::default();
    for port in outputs.iter().chain(&inputs) {
        if let Some(location) = port.explicit {
            used.take(location, port.count);
        }
    }
    let mut assigned = Vec::new();
    let mut matched = HashSet::new();
    for input in &inputs {
        let by_name = outputs.iter().find(|o| readable(&o.key) == readable(&input.key));
        let by_location = || {
            let location = input.explicit?;
            outputs.iter().find(|o| o.explicit == Some(location) && o.component == input.component)
        };
        // Two locations match by location, whatever the names.
        let output = match by_name {
            Some(o) if o.explicit.is_some() && input.explicit.is_some() => by_location(),
            Some(o) => Some(o),
            None => by_location(),
        };
        let Some(output) = output else {
            if input.live && !loose && !covered(&outputs, input) {
                return Err(format!(
                    "error: {} shader input `{}' is not written by the {} shader",
                    consumer.stage.word(),
                    readable(&input.key),
                    producer.stage.word()
                ));
            }
            if input.explicit.is_none() {
                assigned.push((None, Some(input.id), input.count, None));
            }
            continue;
        };
        matched.insert(output.id);
        if !loose {
            compare(producer, consumer, output, input)?;
        }
        match (output.explicit, input.explicit) {
            (Some(_), Some(_)) => {}
            (Some(location), None) => consumer.patch.set(input.id, op::DEC_LOCATION, location),
            (None, Some(location)) => producer.patch.set(output.id, op::DEC_LOCATION, location),
            (None, None) => assigned.push((
                Some(output.id),
                Some(input.id),
                output.count.max(input.count),
                None::<u32>,
            )),
        }
    }
    for output in &outputs {
        let done = output.explicit.is_some()
            || assigned.iter().any(|(o, ..)| *o == Some(output.id))
            || producer.patch.decorate.contains_key(&output.id);
        if !done {
            assigned.push((Some(output.id), None, output.count, None));
        }
    }
    for (output, input, count, _) in &assigned {
        if output.is_none() {
            continue;
        }
        let location = used.fit(*count);
        if let Some(id) = output {
            producer.patch.set(*id, op::DEC_LOCATION, location);
        }
        if let Some(id) = input {
            consumer.patch.set(*id, op::DEC_LOCATION, location);
        }
    }
    // What an input without an output holds is undefined, but it needs a location of its own. As on drivers, which know no names
    // between separate programs, it is that of the output whose turn it is, if they are of one type.
    let partner = |(output, input, ..): &(Option<u32>, Option<u32>, u32, Option<u32>)| {
        input.filter(|_| output.is_none())
    };
    let alone: HashSet<u32> = assigned.iter().filter_map(partner).collect();
    let mut spare = outputs.iter().filter(|o| o.explicit.is_none() && !matched.contains(&o.id));
    for input in inputs.iter().filter(|i| alone.contains(&i.id)) {
        let wanted = signature(&consumer.module, input.ty);
        let found =
            spare.find(|o| o.patch == input.patch && signature(&producer.module, o.ty) == wanted);
        let location = match found.and_then(|o| producer.patch.value(o.id, op::DEC_LOCATION)) {
            Some(location) => location,
            None if input.live => used.fit(input.count),
            None => continue,
        };
        consumer.patch.set(input.id, op::DEC_LOCATION, location);
    }
    room(&used, limits)
}

/// True if the input's location lies inside a larger output (an array, structure or block).
fn covered(outputs: &[Port], input: &Port) -> bool {
    input.explicit.is_some_and(|location| {
        outputs.iter().any(|o| {
            o.explicit.is_some_and(|first| first <= location && location - first < o.count)
        })
    })
}

fn readable(key: &str) -> String {
    display(key.strip_prefix("block ").unwrap_or(key))
}

fn compare(
    producer: &Unit<'_>,
    consumer: &Unit<'_>,
    output: &Port,
    input: &Port,
) -> Result<(), String> {
    let stages = format!("{} and {}", producer.stage.word(), consumer.stage.word());
    let name = readable(&input.key);
    let types = (signature(&producer.module, output.ty), signature(&consumer.module, input.ty));
    let named_alike = readable(&output.key) == readable(&input.key);
    if types.0 != types.1 && named_alike {
        return Err(format!("error: `{name}' has different types in the {stages} shaders"));
    }
    if output.patch != input.patch {
        return Err(format!("error: `{name}' is `patch' in only one of the {stages} shaders"));
    }
    let strict = producer
        .shaders
        .iter()
        .chain(&consumer.shaders)
        .all(|s| if s.es() { s.version() >= 300 } else { s.version() < 440 });
    let mismatch = output.interpolation != input.interpolation;
    if strict && mismatch && consumer.stage == Stage::Fragment && named_alike {
        return Err(format!(
            "error: `{name}' has different interpolation qualifiers in the {stages} shaders"
        ));
    }
    let invariant =
        |unit: &Unit<'_>, key: &str| unit.facts().any(|f| f.invariant.iter().any(|n| n == key));
    let old_es = producer.shaders.iter().any(|s| s.es() && s.version() == 100);
    let old = producer.shaders.iter().any(|s| !s.es() && s.version() < 420);
    let (out, into) = (invariant(producer, &output.key), invariant(consumer, &input.key));
    if old_es && out != into || old && into && !out {
        return Err(format!("error: `{name}' is `invariant' in only one of the {stages} shaders"));
    }
    Ok(())
}
