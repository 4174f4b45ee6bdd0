//! Program interface queries (OpenGL ES 3.2, section 7.3.1; OpenGL 4.6, section 7.3.1).

use super::program_linked::Linked;
use super::program_query::{is_named, uniform_location_in, varying_location_in};
use super::program_subroutine::{location_in, of_stage, uniforms_of};
use crate::context::{Context, State};
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_enum, invalid_operation,
    invalid_value,
};
use forerun_pipe::archive::{Archive, BufferVariable, Stage, Uniform, Varying};
use forerun_pipe::gl;
use forerun_pipe::records::ATOMIC_POINT;
use std::sync::Arc;

/// An interface of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// GL_UNIFORM.
    Uniform,
    /// GL_UNIFORM_BLOCK.
    UniformBlock,
    /// GL_ATOMIC_COUNTER_BUFFER.
    AtomicBuffer,
    /// GL_PROGRAM_INPUT.
    Input,
    /// GL_PROGRAM_OUTPUT.
    Output,
    /// GL_TRANSFORM_FEEDBACK_VARYING.
    FeedbackVarying,
    /// GL_TRANSFORM_FEEDBACK_BUFFER.
    FeedbackBuffer,
    /// GL_BUFFER_VARIABLE.
    BufferVariable,
    /// GL_SHADER_STORAGE_BLOCK.
    StorageBlock,
    /// GL_VERTEX_SUBROUTINE and those of the other stages.
    Subroutine(Stage),
    /// GL_VERTEX_SUBROUTINE_UNIFORM and those of the other stages.
    SubroutineUniform(Stage),
}

use Interface as I;

/// The interface of subroutines that a token names.
fn subroutines(token: u32) -> Option<Interface> {
    Some(match token {
        gl::VERTEX_SUBROUTINE => I::Subroutine(Stage::Vertex),
        gl::TESS_CONTROL_SUBROUTINE => I::Subroutine(Stage::TessControl),
        gl::TESS_EVALUATION_SUBROUTINE => I::Subroutine(Stage::TessEvaluation),
        gl::GEOMETRY_SUBROUTINE => I::Subroutine(Stage::Geometry),
        gl::FRAGMENT_SUBROUTINE => I::Subroutine(Stage::Fragment),
        gl::COMPUTE_SUBROUTINE => I::Subroutine(Stage::Compute),
        gl::VERTEX_SUBROUTINE_UNIFORM => I::SubroutineUniform(Stage::Vertex),
        gl::TESS_CONTROL_SUBROUTINE_UNIFORM => I::SubroutineUniform(Stage::TessControl),
        gl::TESS_EVALUATION_SUBROUTINE_UNIFORM => I::SubroutineUniform(Stage::TessEvaluation),
        gl::GEOMETRY_SUBROUTINE_UNIFORM => I::SubroutineUniform(Stage::Geometry),
        gl::FRAGMENT_SUBROUTINE_UNIFORM => I::SubroutineUniform(Stage::Fragment),
        gl::COMPUTE_SUBROUTINE_UNIFORM => I::SubroutineUniform(Stage::Compute),
        _ => return None,
    })
}

impl Interface {
    /// The interface of a token.
    ///
    /// # Errors
    /// GL_INVALID_ENUM for one that this context does not have.
    pub fn from_token(state: &State, token: u32) -> GlResult<Interface> {
        Ok(match token {
            gl::UNIFORM => I::Uniform,
            gl::UNIFORM_BLOCK => I::UniformBlock,
            gl::ATOMIC_COUNTER_BUFFER => I::AtomicBuffer,
            gl::PROGRAM_INPUT => I::Input,
            gl::PROGRAM_OUTPUT => I::Output,
            gl::TRANSFORM_FEEDBACK_VARYING => I::FeedbackVarying,
            gl::BUFFER_VARIABLE => I::BufferVariable,
            gl::SHADER_STORAGE_BLOCK => I::StorageBlock,
            gl::TRANSFORM_FEEDBACK_BUFFER
                if state.desktop(44) || state.extensions.has("GL_ARB_enhanced_layouts") =>
            {
                I::FeedbackBuffer
            }
            _ => match subroutines(token) {
                Some(interface) if state.knows(token) => interface,
                _ => return invalid_enum("program interface"),
            },
        })
    }

    fn has_names(self) -> bool {
        !matches!(self, I::AtomicBuffer | I::FeedbackBuffer)
    }

    fn is_buffer(self) -> bool {
        matches!(self, I::UniformBlock | I::AtomicBuffer | I::StorageBlock | I::FeedbackBuffer)
    }

    fn len(self, archive: &Archive) -> usize {
        match self {
            I::Uniform => archive.uniforms.len(),
            I::UniformBlock => archive.uniform_blocks.len(),
            I::AtomicBuffer => archive.atomic_buffers.len(),
            I::Input => archive.inputs.len(),
            I::Output => archive.outputs.len(),
            I::FeedbackVarying => archive.feedback.len(),
            I::FeedbackBuffer => archive.feedback_strides.len(),
            I::BufferVariable => archive.buffer_variables.len(),
            I::StorageBlock => archive.storage_blocks.len(),
            I::Subroutine(stage) => of_stage(archive, stage).count(),
            I::SubroutineUniform(stage) => uniforms_of(archive, stage).count(),
        }
    }

    /// The indices of the resources: one after another, but for subroutines, whose indices the shader may choose.
    fn indices(self, archive: &Archive) -> Vec<usize> {
        match self {
            I::Subroutine(stage) => of_stage(archive, stage).map(|s| s.index as usize).collect(),
            _ => (0..self.len(archive)).collect(),
        }
    }

    fn name(self, archive: &Archive, index: usize) -> Option<&str> {
        Some(match self {
            I::Uniform => &archive.uniforms.get(index)?.name,
            I::UniformBlock => &archive.uniform_blocks.get(index)?.name,
            I::Input => &archive.inputs.get(index)?.name,
            I::Output => &archive.outputs.get(index)?.name,
            I::FeedbackVarying => &archive.feedback.get(index)?.name,
            I::BufferVariable => &archive.buffer_variables.get(index)?.name,
            I::StorageBlock => &archive.storage_blocks.get(index)?.name,
            I::Subroutine(stage) => {
                &of_stage(archive, stage).find(|s| s.index as usize == index)?.name
            }
            I::SubroutineUniform(stage) => &uniforms_of(archive, stage).nth(index)?.name,
            I::AtomicBuffer | I::FeedbackBuffer => return None,
        })
    }

    /// Indices of the variables of a buffer.
    fn variables(self, archive: &Archive, index: usize) -> Vec<u32> {
        let members = match self {
            I::UniformBlock => archive.uniform_blocks.get(index).map(|b| b.members.clone()),
            I::StorageBlock => archive.storage_blocks.get(index).map(|b| b.members.clone()),
            I::AtomicBuffer => archive.atomic_buffers.get(index).map(|b| b.counters.clone()),
            I::FeedbackBuffer => Some(
                (0..archive.feedback.len() as u32)
                    .filter(|f| {
                        archive
                            .feedback
                            .get(*f as usize)
                            .is_some_and(|f| f.buffer as usize == index && f.ty != 0)
                    })
                    .collect(),
            ),
            _ => None,
        };
        members.unwrap_or_default()
    }
}

/// An archive with nothing in it, for programs that are not linked.
fn linked_or_empty(cx: &Context, program: u32) -> GlResult<Arc<Linked>> {
    let program = cx.group.program(program)?;
    let linked = program.data.borrow_mut().linked.clone();
    Ok(linked.unwrap_or_else(|| Arc::new(Linked::new(Archive::default(), Vec::new()))))
}

/// glGetProgramInterfaceiv.
///
/// # Errors
/// As OpenGL 4.6, section 7.3.1.1 says.
pub fn interface_parameter(
    cx: &Context,
    program: u32,
    interface: u32,
    pname: u32,
) -> GlResult<i32> {
    let linked = linked_or_empty(cx, program)?;
    // Drivers and the tests of them agree on this error too.
    let Ok(interface) = I::from_token(&cx.state, interface) else {
        return invalid_operation("program interface");
    };
    let archive = &linked.archive;
    let all = interface.indices(archive).into_iter();
    Ok(match pname {
        gl::ACTIVE_RESOURCES => all.len() as i32,
        gl::MAX_NAME_LENGTH => {
            check_operation(interface.has_names(), "the interface has no names")?;
            all.filter_map(|i| Some(interface.name(archive, i)?.len() as i32 + 1))
                .max()
                .unwrap_or(0)
        }
        gl::MAX_NUM_ACTIVE_VARIABLES => {
            check_operation(interface.is_buffer(), "the interface has no variables")?;
            all.map(|i| interface.variables(archive, i).len() as i32).max().unwrap_or(0)
        }
        gl::MAX_NUM_COMPATIBLE_SUBROUTINES if cx.knows(pname) => match interface {
            I::SubroutineUniform(stage) => {
                uniforms_of(archive, stage).map(|u| u.compatible.len() as i32).max().unwrap_or(0)
            }
            _ => return invalid_operation("the interface has no compatible subroutines"),
        },
        // Drivers and the tests of them agree on this error, where the specification names none.
        _ => return invalid_operation("program interface parameter"),
    })
}

/// glGetProgramResourceIndex.
///
/// # Errors
/// GL_INVALID_ENUM for an interface without names.
pub fn resource_index(cx: &Context, program: u32, interface: u32, name: &str) -> GlResult<u32> {
    let linked = linked_or_empty(cx, program)?;
    let interface = I::from_token(&cx.state, interface)?;
    check_enum(interface.has_names(), "the interface has no names")?;
    let archive = &linked.archive;
    let index = interface
        .indices(archive)
        .into_iter()
        .find(|i| interface.name(archive, *i).is_some_and(|known| is_named(known, name)));
    Ok(index.map_or(gl::INVALID_INDEX, |i| i as u32))
}

/// glGetProgramResourceName.
///
/// # Errors
/// GL_INVALID_ENUM for an interface without names, GL_INVALID_VALUE for the index.
pub fn resource_name(
    cx: &Context,
    program: u32,
    interface: u32,
    index: u32,
    room: i32,
) -> GlResult<String> {
    let linked = linked_or_empty(cx, program)?;
    let interface = I::from_token(&cx.state, interface)?;
    check_enum(interface.has_names(), "the interface has no names")?;
    check_value(room >= 0, "room for a name")?;
    match interface.name(&linked.archive, index as usize) {
        Some(name) => Ok(name.to_owned()),
        None => invalid_value("index of a program resource"),
    }
}

/// glGetProgramResourceLocation.
///
/// # Errors
/// GL_INVALID_OPERATION when the program is not linked, GL_INVALID_ENUM for an interface without locations.
pub fn resource_location(cx: &Context, program: u32, interface: u32, name: &str) -> GlResult<i32> {
    let program = cx.group.program(program)?;
    let interface = I::from_token(&cx.state, interface)?;
    check_enum(
        matches!(interface, I::Uniform | I::Input | I::Output | I::SubroutineUniform(_)),
        "the interface has no locations",
    )?;
    let linked = program.linked()?;
    Ok(match interface {
        I::Uniform => uniform_location_in(&linked.archive, name),
        I::Input => varying_location_in(linked.archive.inputs.iter(), name),
        I::Output => varying_location_in(linked.archive.outputs.iter(), name),
        I::SubroutineUniform(stage) => location_in(&linked.archive, stage, name),
        _ => -1,
    })
}

/// glGetProgramResourceLocationIndex.
///
/// # Errors
/// GL_INVALID_ENUM for another interface than outputs.
pub fn resource_location_index(
    cx: &Context,
    program: u32,
    interface: u32,
    name: &str,
) -> GlResult<i32> {
    check_enum(interface == gl::PROGRAM_OUTPUT, "the interface has no location indices")?;
    super::program_query::frag_data(cx, program, name, true)
}

/// glGetProgramResourceiv: the values of all properties, one after another.
///
/// # Errors
/// GL_INVALID_VALUE for the index, GL_INVALID_ENUM for an unknown property, GL_INVALID_OPERATION for one that the interface does
/// not have.
pub fn resource_values(
    cx: &Context,
    program: u32,
    interface: u32,
    index: u32,
    props: &[u32],
) -> GlResult<Vec<i32>> {
    let linked = linked_or_empty(cx, program)?;
    let interface = I::from_token(&cx.state, interface)?;
    if !interface.indices(&linked.archive).contains(&(index as usize)) {
        return invalid_value("index of a program resource");
    }
    let mut out = Vec::with_capacity(props.len());
    for prop in props {
        match value(&linked, interface, index as usize, *prop) {
            Some(values) => out.extend(values),
            None if is_property(*prop) => {
                return invalid_operation("the interface does not have that property");
            }
            None => return invalid_enum("program resource property"),
        }
    }
    Ok(out)
}

fn is_property(token: u32) -> bool {
    matches!(
        token,
        gl::NAME_LENGTH
            | gl::TYPE
            | gl::ARRAY_SIZE
            | gl::OFFSET
            | gl::BLOCK_INDEX
            | gl::ARRAY_STRIDE
            | gl::MATRIX_STRIDE
            | gl::IS_ROW_MAJOR
            | gl::ATOMIC_COUNTER_BUFFER_INDEX
            | gl::BUFFER_BINDING
            | gl::BUFFER_DATA_SIZE
            | gl::NUM_ACTIVE_VARIABLES
            | gl::ACTIVE_VARIABLES
            | gl::REFERENCED_BY_VERTEX_SHADER
            | gl::REFERENCED_BY_TESS_CONTROL_SHADER
            | gl::REFERENCED_BY_TESS_EVALUATION_SHADER
            | gl::REFERENCED_BY_GEOMETRY_SHADER
            | gl::REFERENCED_BY_FRAGMENT_SHADER
            | gl::REFERENCED_BY_COMPUTE_SHADER
            | gl::TOP_LEVEL_ARRAY_SIZE
            | gl::TOP_LEVEL_ARRAY_STRIDE
            | gl::LOCATION
            | gl::LOCATION_INDEX
            | gl::IS_PER_PATCH
            | gl::LOCATION_COMPONENT
            | gl::TRANSFORM_FEEDBACK_BUFFER_INDEX
            | gl::TRANSFORM_FEEDBACK_BUFFER_STRIDE
            | gl::NUM_COMPATIBLE_SUBROUTINES
            | gl::COMPATIBLE_SUBROUTINES
    )
}

fn stage_of(prop: u32) -> Option<Stage> {
    Some(match prop {
        gl::REFERENCED_BY_VERTEX_SHADER => Stage::Vertex,
        gl::REFERENCED_BY_TESS_CONTROL_SHADER => Stage::TessControl,
        gl::REFERENCED_BY_TESS_EVALUATION_SHADER => Stage::TessEvaluation,
        gl::REFERENCED_BY_GEOMETRY_SHADER => Stage::Geometry,
        gl::REFERENCED_BY_FRAGMENT_SHADER => Stage::Fragment,
        gl::REFERENCED_BY_COMPUTE_SHADER => Stage::Compute,
        _ => return None,
    })
}

fn value(linked: &Linked, interface: Interface, index: usize, prop: u32) -> Option<Vec<i32>> {
    let archive = &linked.archive;
    if prop == gl::NAME_LENGTH {
        return interface.name(archive, index).map(|name| vec![name.len() as i32 + 1]);
    }
    if interface.is_buffer() {
        match prop {
            gl::NUM_ACTIVE_VARIABLES => {
                return Some(vec![interface.variables(archive, index).len() as i32]);
            }
            gl::ACTIVE_VARIABLES => {
                return Some(
                    interface.variables(archive, index).iter().map(|v| *v as i32).collect(),
                );
            }
            _ => {}
        }
    }
    let one = match interface {
        I::Uniform => uniform(archive.uniforms.get(index)?, prop),
        I::BufferVariable => buffer_variable(archive.buffer_variables.get(index)?, prop),
        I::Input => varying(archive.inputs.get(index)?, prop, archive.stages.first()?.stage, false),
        I::Output => varying(archive.outputs.get(index)?, prop, archive.stages.last()?.stage, true),
        I::FeedbackVarying => {
            let f = archive.feedback.get(index)?;
            match prop {
                gl::TYPE => Some(f.ty as i32),
                gl::ARRAY_SIZE => Some(f.array_size as i32),
                gl::OFFSET => Some(f.offset as i32),
                gl::TRANSFORM_FEEDBACK_BUFFER_INDEX => Some(f.buffer as i32),
                _ => None,
            }
        }
        I::FeedbackBuffer => match prop {
            gl::BUFFER_BINDING => Some(index as i32),
            gl::TRANSFORM_FEEDBACK_BUFFER_STRIDE => {
                archive.feedback_strides.get(index).map(|s| *s as i32)
            }
            _ => None,
        },
        I::UniformBlock | I::StorageBlock | I::AtomicBuffer => {
            buffer(linked, interface, index, prop)
        }
        I::SubroutineUniform(stage) => {
            let uniform = uniforms_of(archive, stage).nth(index)?;
            match prop {
                gl::ARRAY_SIZE => Some(uniform.array_size as i32),
                gl::LOCATION => Some(uniform.location as i32),
                gl::NUM_COMPATIBLE_SUBROUTINES => Some(uniform.compatible.len() as i32),
                gl::COMPATIBLE_SUBROUTINES => {
                    return Some(uniform.compatible.iter().map(|i| *i as i32).collect());
                }
                _ => None,
            }
        }
        I::Subroutine(_) => None,
    };
    one.map(|value| vec![value])
}

fn buffer(linked: &Linked, interface: Interface, index: usize, prop: u32) -> Option<i32> {
    let archive = &linked.archive;
    let (slot, size, stages) = match interface {
        I::AtomicBuffer => {
            let buffer = archive.atomic_buffers.get(index)?;
            (buffer.slot, buffer.data_size, buffer.stages)
        }
        I::StorageBlock => {
            let block = archive.storage_blocks.get(index)?;
            (block.slot, block.data_size, block.stages)
        }
        _ => {
            let block = archive.uniform_blocks.get(index)?;
            (block.slot, block.data_size, block.stages)
        }
    };
    match prop {
        gl::BUFFER_DATA_SIZE => Some(size as i32),
        gl::BUFFER_BINDING => {
            let values = linked.values.borrow_mut();
            let list = if interface == I::UniformBlock {
                &values.bindings.blocks
            } else {
                &values.bindings.storages
            };
            Some(list.get(slot as usize).map_or(0, |point| (*point & !ATOMIC_POINT) as i32))
        }
        _ => stage_of(prop).map(|stage| i32::from(stages & stage.bit() != 0)),
    }
}

fn uniform(u: &Uniform, prop: u32) -> Option<i32> {
    let in_buffer = u.block >= 0 || u.atomic_buffer >= 0;
    let placed = |value: i32| if in_buffer { value } else { -1 };
    Some(match prop {
        gl::TYPE => u.ty as i32,
        gl::ARRAY_SIZE => u.array_size.max(1) as i32,
        gl::OFFSET => placed(u.offset),
        gl::BLOCK_INDEX => u.block,
        gl::ARRAY_STRIDE => placed(u.array_stride),
        gl::MATRIX_STRIDE => placed(u.matrix_stride),
        gl::IS_ROW_MAJOR => i32::from(in_buffer && u.row_major),
        gl::ATOMIC_COUNTER_BUFFER_INDEX => u.atomic_buffer,
        gl::LOCATION => u.location,
        _ => return stage_of(prop).map(|stage| i32::from(u.stages & stage.bit() != 0)),
    })
}

fn buffer_variable(v: &BufferVariable, prop: u32) -> Option<i32> {
    Some(match prop {
        gl::TYPE => v.ty as i32,
        gl::ARRAY_SIZE => v.array_size as i32,
        gl::OFFSET => v.offset,
        gl::BLOCK_INDEX => v.block,
        gl::ARRAY_STRIDE => v.array_stride,
        gl::MATRIX_STRIDE => v.matrix_stride,
        gl::IS_ROW_MAJOR => i32::from(v.row_major),
        gl::TOP_LEVEL_ARRAY_SIZE => v.top_level_array_size as i32,
        gl::TOP_LEVEL_ARRAY_STRIDE => v.top_level_array_stride as i32,
        _ => return stage_of(prop).map(|stage| i32::from(v.stages & stage.bit() != 0)),
    })
}

fn varying(v: &Varying, prop: u32, stage: Stage, output: bool) -> Option<i32> {
    Some(match prop {
        gl::TYPE => v.ty as i32,
        gl::ARRAY_SIZE => v.array_size.max(1) as i32,
        gl::LOCATION => v.location,
        gl::LOCATION_INDEX if output => {
            if stage == Stage::Fragment && v.location >= 0 {
                v.index as i32
            } else {
                -1
            }
        }
        gl::IS_PER_PATCH => i32::from(v.is_patch),
        gl::LOCATION_COMPONENT => v.component as i32,
        _ => return stage_of(prop).map(|asked| i32::from(asked == stage)),
    })
}
