//! Programs: what the objects refuse, what a link keeps, and what crosses at a verb.

use super::{Rig, code};
use crate::Api;
use crate::emit;
use crate::state::program_types::Kind;
use crate::state::program_uniform::{self as uniform, Of};
use crate::state::{
    buffer, feedback, program, program_link, program_pipeline as pipeline, program_query as query,
};
use forerun_pipe::catalogue::Op;
use forerun_pipe::gl;
use forerun_pipe::records::{
    ByteRange, CreateShaderState, SetDrawProgram, SetGlobalConstants, SetProgramBindings,
};
use zerocopy::FromBytes;

const VERTEX: &str = "#version 300 es
    uniform vec4 scale; uniform float unused_elsewhere[3];
    in vec4 position;
    void main() { gl_Position = position * scale + unused_elsewhere[2]; }";

const FRAGMENT: &str = "#version 300 es
    precision highp float;
    uniform sampler2D tex; uniform vec4 tint;
    layout(std140) uniform Block { vec4 inside; };
    out vec4 colour;
    void main() { colour = texture(tex, tint.xy) * tint + inside; }";

fn shader(rig: &mut Rig, stage: u32, source: &str) -> u32 {
    let name = program::create_shader(&mut rig.cx, stage).unwrap();
    program::set_source(&mut rig.cx, name, source.as_bytes().to_vec()).unwrap();
    program_link::compile(&mut rig.cx, name).unwrap();
    name
}

fn linked(rig: &mut Rig, vertex: &str, fragment: &str) -> (u32, [u32; 2]) {
    let shaders =
        [shader(rig, gl::VERTEX_SHADER, vertex), shader(rig, gl::FRAGMENT_SHADER, fragment)];
    let name = program::create_program(&mut rig.cx).unwrap();
    for shader in shaders {
        program::attach(&mut rig.cx, name, shader).unwrap();
    }
    program_link::link(&mut rig.cx, name).unwrap();
    (name, shaders)
}

fn parameter(rig: &Rig, name: u32, pname: u32) -> i32 {
    query::program_parameter(&rig.cx, name, pname).unwrap().0[0]
}

fn assert_linked(rig: &Rig, name: u32) {
    let log = rig.cx.group.program(name).unwrap().data.borrow_mut().log.clone();
    assert_eq!(parameter(rig, name, gl::LINK_STATUS), 1, "{log}");
}

fn location(rig: &Rig, name: u32, of: &str) -> i32 {
    query::uniform_location(&rig.cx, name, of).unwrap()
}

fn set_vec4(rig: &mut Rig, location: i32, value: f32) {
    uniform::set(&mut rig.cx, Of::Active, location, 1, Kind::Float, 4, &[value.to_bits(); 4])
        .unwrap();
}

/// What a verb sends of the program family.
fn sync(rig: &mut Rig) {
    let mut stream = rig.cx.group.stream();
    emit::program::sync(&mut rig.cx.state, &mut stream).unwrap();
}

#[test]
fn a_link_crosses_once_and_a_use_selects_it() {
    let mut rig = Rig::new(Api::Es, 30);
    let (name, _) = linked(&mut rig, VERTEX, FRAGMENT);
    assert_linked(&rig, name);
    let created = rig.crossed(Op::CreateShaderState);
    assert_eq!(created.len(), 1);
    let handle = created[0].payload::<CreateShaderState>().handle;
    program::use_program(&mut rig.cx, name).unwrap();
    sync(&mut rig);
    sync(&mut rig);
    let selected = rig.crossed(Op::SetDrawProgram);
    let [only] = &selected[..] else { panic!("{} selections", selected.len()) };
    assert_eq!(only.payload::<SetDrawProgram>().executable, handle);
}

#[test]
fn only_changed_bytes_of_uniforms_cross_and_only_at_a_verb() {
    let mut rig = Rig::new(Api::Es, 30);
    let (name, _) = linked(&mut rig, VERTEX, FRAGMENT);
    program::use_program(&mut rig.cx, name).unwrap();
    sync(&mut rig);
    let tint = location(&rig, name, "tint");
    rig.crossed(Op::SetGlobalConstants);
    set_vec4(&mut rig, tint, 1.0);
    set_vec4(&mut rig, tint, 2.0);
    assert!(rig.crossed(Op::SetGlobalConstants).is_empty());
    sync(&mut rig);
    let sent = rig.crossed(Op::SetGlobalConstants);
    let [only] = &sent[..] else { panic!("{} records", sent.len()) };
    let head = only.payload::<SetGlobalConstants>();
    assert_eq!((head.range_count, head.bytes.size), (1, 16));
    let rest = &only.body[size_of::<SetGlobalConstants>()..];
    let range = ByteRange::read_from_bytes(&rest[..8]).unwrap();
    assert_eq!(range.size, 16);
    assert_eq!(rest[8..24], [2f32; 4].map(f32::to_ne_bytes).concat());
    set_vec4(&mut rig, tint, 2.0);
    sync(&mut rig);
    assert!(rig.crossed(Op::SetGlobalConstants).is_empty());
}

#[test]
fn bindings_cross_when_a_slot_reads_elsewhere() {
    let mut rig = Rig::new(Api::Es, 30);
    let (name, _) = linked(&mut rig, VERTEX, FRAGMENT);
    program::use_program(&mut rig.cx, name).unwrap();
    sync(&mut rig);
    rig.crossed(Op::SetProgramBindings);
    let block = query::uniform_block_index(&rig.cx, name, "Block").unwrap();
    uniform::bind_block(&mut rig.cx, name, block, 5).unwrap();
    let tex = location(&rig, name, "tex");
    uniform::set(&mut rig.cx, Of::Active, tex, 1, Kind::Int, 1, &[3]).unwrap();
    sync(&mut rig);
    let sent = rig.crossed(Op::SetProgramBindings);
    let [only] = &sent[..] else { panic!("{} records", sent.len()) };
    let head = only.payload::<SetProgramBindings>();
    assert_eq!((head.block_count, head.sampler_count, head.image_count), (1, 1, 0));
    let tail = &only.body[size_of::<SetProgramBindings>()..];
    assert_eq!((tail[0], tail[8]), (5, 3));
    assert_eq!(code(uniform::bind_block(&mut rig.cx, name, block + 1, 0)), gl::INVALID_VALUE);
}

#[test]
fn a_failed_relink_sends_nothing_and_the_old_program_draws_on() {
    let mut rig = Rig::new(Api::Es, 30);
    let (name, [vertex, _]) = linked(&mut rig, VERTEX, FRAGMENT);
    program::use_program(&mut rig.cx, name).unwrap();
    sync(&mut rig);
    program::detach(&mut rig.cx, name, vertex).unwrap();
    rig.crossed(Op::CreateShaderState);
    program_link::link(&mut rig.cx, name).unwrap();
    assert_eq!(parameter(&rig, name, gl::LINK_STATUS), 0);
    assert_ne!(parameter(&rig, name, gl::INFO_LOG_LENGTH), 0);
    assert!(program::check_draw(&mut rig.cx, gl::TRIANGLES).unwrap());
    sync(&mut rig);
    assert!(rig.crossed(Op::SetDrawProgram).is_empty());
    assert_eq!(code(program::use_program(&mut rig.cx, name)), gl::INVALID_OPERATION);
    // A successful relink is taken over without another glUseProgram.
    program::attach(&mut rig.cx, name, vertex).unwrap();
    program_link::link(&mut rig.cx, name).unwrap();
    assert!(program::check_draw(&mut rig.cx, gl::TRIANGLES).unwrap());
    sync(&mut rig);
    assert_eq!(rig.crossed(Op::SetDrawProgram).len(), 1);
}

#[test]
fn a_deleted_program_lives_while_it_is_current() {
    let mut rig = Rig::new(Api::Es, 30);
    let (name, [vertex, fragment]) = linked(&mut rig, VERTEX, FRAGMENT);
    program::use_program(&mut rig.cx, name).unwrap();
    for shader in [vertex, fragment] {
        program::delete_shader(&mut rig.cx, shader).unwrap();
        assert_eq!(program::is_shader(&rig.cx, shader), Ok(1));
    }
    program::delete_program(&mut rig.cx, name).unwrap();
    assert_eq!(program::is_program(&rig.cx, name), Ok(1));
    assert_eq!(parameter(&rig, name, gl::DELETE_STATUS), 1);
    program::use_program(&mut rig.cx, 0).unwrap();
    assert_eq!(program::is_program(&rig.cx, name), Ok(0));
    assert_eq!(program::is_shader(&rig.cx, vertex), Ok(0));
    assert_eq!(program::is_shader(&rig.cx, fragment), Ok(0));
}

#[test]
fn names_of_the_other_kind_and_unknown_names_are_told_apart() {
    let mut rig = Rig::new(Api::Es, 30);
    let shader = shader(&mut rig, gl::VERTEX_SHADER, VERTEX);
    let program = program::create_program(&mut rig.cx).unwrap();
    assert_eq!(code(program::use_program(&mut rig.cx, shader)), gl::INVALID_OPERATION);
    assert_eq!(code(program::use_program(&mut rig.cx, 999)), gl::INVALID_VALUE);
    assert_eq!(code(program_link::compile(&mut rig.cx, program)), gl::INVALID_OPERATION);
    assert_eq!(code(program::create_shader(&mut rig.cx, gl::COMPUTE_SHADER)), gl::INVALID_ENUM);
    assert_eq!(code(query::uniform_location(&rig.cx, program, "x")), gl::INVALID_OPERATION);
    program::attach(&mut rig.cx, program, shader).unwrap();
    assert_eq!(code(program::attach(&mut rig.cx, program, shader)), gl::INVALID_OPERATION);
}

#[test]
fn arrays_are_found_by_element() {
    let mut rig = Rig::new(Api::Es, 30);
    let (name, _) = linked(&mut rig, VERTEX, FRAGMENT);
    let first = location(&rig, name, "unused_elsewhere");
    assert!(first >= 0);
    assert_eq!(location(&rig, name, "unused_elsewhere[0]"), first);
    assert_eq!(location(&rig, name, "unused_elsewhere[2]"), first + 2);
    assert_eq!(location(&rig, name, "unused_elsewhere[3]"), -1);
    assert_eq!(location(&rig, name, "inside"), -1);
    assert_eq!(location(&rig, name, "nothing"), -1);
}

#[test]
fn a_binary_links_to_the_same_interface() {
    let mut rig = Rig::new(Api::Es, 30);
    let (name, _) = linked(&mut rig, VERTEX, FRAGMENT);
    let size = parameter(&rig, name, gl::PROGRAM_BINARY_LENGTH);
    let bytes = program_link::binary(&rig.cx, name, size).unwrap();
    assert_eq!(code(program_link::binary(&rig.cx, name, size - 1)), gl::INVALID_OPERATION);
    let copy = program::create_program(&mut rig.cx).unwrap();
    let format = program_link::BINARY_FORMAT;
    program_link::load_binary(&mut rig.cx, copy, format, &bytes).unwrap();
    assert_linked(&rig, copy);
    assert_eq!(location(&rig, copy, "tint"), location(&rig, name, "tint"));
    program_link::load_binary(&mut rig.cx, copy, format, &bytes[1..]).unwrap();
    assert_eq!(parameter(&rig, copy, gl::LINK_STATUS), 0);
}

#[test]
fn a_pipeline_keeps_uniforms_of_one_name_apart() {
    let mut rig = Rig::new(Api::Es, 32);
    let vertex = "#version 320 es
        uniform vec4 same; out vec4 v;
        void main() { gl_Position = same; v = same; }";
    let fragment = "#version 320 es
        precision highp float;
        uniform vec4 same; in vec4 v; out vec4 colour;
        void main() { colour = same * v; }";
    let make = |rig: &mut Rig, stage, source: &str| {
        program_link::create_shader_program(&mut rig.cx, stage, source.as_bytes().to_vec()).unwrap()
    };
    let stages =
        [make(&mut rig, gl::VERTEX_SHADER, vertex), make(&mut rig, gl::FRAGMENT_SHADER, fragment)];
    let name = pipeline::generate(&mut rig.cx, 1, false).unwrap()[0];
    for (program, bit) in stages.into_iter().zip([gl::VERTEX_SHADER_BIT, gl::FRAGMENT_SHADER_BIT]) {
        assert_linked(&rig, program);
        pipeline::use_stages(&mut rig.cx, name, bit, program).unwrap();
    }
    pipeline::bind(&mut rig.cx, name).unwrap();
    for (program, value) in stages.into_iter().zip([1f32, 2f32]) {
        let location = location(&rig, program, "same");
        let of = Of::Program(program);
        uniform::set(&mut rig.cx, of, location, 1, Kind::Float, 4, &[value.to_bits(); 4]).unwrap();
    }
    assert!(program::check_draw(&mut rig.cx, gl::TRIANGLES).unwrap());
    rig.crossed(Op::CreateShaderState);
    sync(&mut rig);
    let whole = rig.cx.program.drawing().unwrap();
    assert_eq!(whole.parts.len(), 2);
    let bytes = whole.values.borrow_mut().bytes.clone();
    let floats: Vec<f32> =
        bytes.chunks_exact(16).map(|c| f32::read_from_bytes(&c[..4]).unwrap()).collect();
    assert!(floats == [1.0, 2.0] || floats == [2.0, 1.0], "{floats:?}");
    assert_eq!(rig.crossed(Op::SetDrawProgram).len(), 1);
}

#[test]
fn a_pipeline_of_half_a_program_is_refused() {
    let mut rig = Rig::new(Api::Es, 32);
    let name = program::create_program(&mut rig.cx).unwrap();
    let shaders = [
        shader(&mut rig, gl::VERTEX_SHADER, VERTEX),
        shader(&mut rig, gl::FRAGMENT_SHADER, FRAGMENT),
    ];
    for shader in shaders {
        program::attach(&mut rig.cx, name, shader).unwrap();
    }
    let stages = pipeline::generate(&mut rig.cx, 1, true).unwrap()[0];
    program_link::link(&mut rig.cx, name).unwrap();
    let bit = gl::VERTEX_SHADER_BIT;
    assert_eq!(code(pipeline::use_stages(&mut rig.cx, stages, bit, name)), gl::INVALID_OPERATION);
    program::parameter(&mut rig.cx, name, gl::PROGRAM_SEPARABLE, 1).unwrap();
    program_link::link(&mut rig.cx, name).unwrap();
    pipeline::use_stages(&mut rig.cx, stages, bit, name).unwrap();
    pipeline::bind(&mut rig.cx, stages).unwrap();
    pipeline::validate(&mut rig.cx, stages).unwrap();
    assert_eq!(pipeline::parameter(&mut rig.cx, stages, gl::VALIDATE_STATUS), Ok(0));
    assert_eq!(code(program::check_draw(&mut rig.cx, gl::TRIANGLES)), gl::INVALID_OPERATION);
}

#[test]
fn a_capturing_program_is_neither_replaced_nor_relinked() {
    let mut rig = Rig::new(Api::Es, 30);
    let (name, _) = linked(&mut rig, VERTEX, FRAGMENT);
    let varyings = vec!["gl_Position".to_owned()];
    program::feedback_varyings(&mut rig.cx, name, varyings, gl::INTERLEAVED_ATTRIBS).unwrap();
    program_link::link(&mut rig.cx, name).unwrap();
    assert_linked(&rig, name);
    program::use_program(&mut rig.cx, name).unwrap();
    let target = gl::TRANSFORM_FEEDBACK_BUFFER;
    buffer::bind_indexed(&mut rig.cx, target, 0, 1, None).unwrap();
    buffer::data(&mut rig.cx, target, 64, None, gl::STATIC_DRAW).unwrap();
    feedback::begin(&mut rig.cx, gl::POINTS).unwrap();
    assert_eq!(code(program::use_program(&mut rig.cx, 0)), gl::INVALID_OPERATION);
    assert_eq!(code(program_link::link(&mut rig.cx, name)), gl::INVALID_OPERATION);
    feedback::pause(&mut rig.cx).unwrap();
    program::use_program(&mut rig.cx, 0).unwrap();
    assert_eq!(code(program_link::link(&mut rig.cx, name)), gl::INVALID_OPERATION);
}
