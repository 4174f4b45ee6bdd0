use super::*;
use crate::error::GlError;
use forerun_pipe::archive::Sampler;
use forerun_pipe::gl;

const LIMITS: Limits = Limits { texture_units: 16, image_units: 8, images_settable: false };
const FLOAT: TypeInfo = TypeInfo { kind: Kind::Float, columns: 1, rows: 1 };
const VEC4: TypeInfo = TypeInfo { kind: Kind::Float, columns: 1, rows: 4 };
const INT: TypeInfo = TypeInfo { kind: Kind::Int, columns: 1, rows: 1 };
const MAT3: TypeInfo = TypeInfo { kind: Kind::Float, columns: 3, rows: 3 };

fn plain(name: &str, ty: u32, location: i32, offset: i32) -> Uniform {
    Uniform {
        name: name.into(),
        ty,
        array_size: 1,
        block: -1,
        offset,
        location,
        sampler_slot: -1,
        image_slot: -1,
        atomic_buffer: -1,
        ..Uniform::default()
    }
}

/// `float a[3]` at 0, `mat3 m` at 48, `bvec2 b` at 96, `vec4 v` at 112, `sampler2D t[2]`.
fn linked() -> Linked {
    let archive = Archive {
        default_block_size: 128,
        uniforms: vec![
            Uniform {
                array_size: 3,
                is_array: true,
                array_stride: 16,
                ..plain("a[0]", gl::FLOAT, 0, 0)
            },
            Uniform { matrix_stride: 16, ..plain("m", gl::FLOAT_MAT3, 3, 48) },
            Uniform { is_bool: true, ..plain("b", gl::BOOL_VEC2, 4, 96) },
            Uniform { initial: 2f32.to_ne_bytes().to_vec(), ..plain("v", gl::FLOAT_VEC4, 5, 112) },
            Uniform {
                array_size: 2,
                is_array: true,
                sampler_slot: 0,
                ..plain("t[0]", gl::SAMPLER_2D, 6, -1)
            },
        ],
        samplers: vec![Sampler {
            count: 2,
            ty: gl::SAMPLER_2D,
            uniform: 4,
            binding: 3,
            ..Sampler::default()
        }],
        ..Archive::default()
    };
    Linked::new(archive, Vec::new())
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

fn code(result: GlResult<bool>) -> Option<u32> {
    result.err().map(|GlError { code, .. }| code)
}

#[test]
fn array_elements_are_apart_by_the_stride_and_end_at_the_array() {
    let linked = linked();
    assert_eq!(linked.set(1, 9, FLOAT, &bits(&[1.0; 9]), LIMITS), Ok(true));
    let values = linked.values.borrow_mut();
    let floats: Vec<f32> = (0..12).map(|i| f32::from_bits(values.load(i * 4))).collect();
    assert_eq!(floats, [0., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0.]);
    assert_eq!(values.load(48), 0);
}

#[test]
fn a_transposed_matrix_reads_back_by_columns() {
    let linked = linked();
    let rows = bits(&[1., 2., 3., 4., 5., 6., 7., 8., 9.]);
    assert_eq!(linked.set_matrices(3, 1, true, MAT3, &rows), Ok(true));
    let (_, back) = linked.get(3).unwrap();
    assert_eq!(back, bits(&[1., 4., 7., 2., 5., 8., 3., 6., 9.]));
    assert_eq!(linked.values.borrow_mut().load(48 + 16), 2f32.to_bits());
}

#[test]
fn any_number_but_zero_is_true() {
    let linked = linked();
    let vec2 = TypeInfo { rows: 2, ..FLOAT };
    linked.set(4, 1, vec2, &bits(&[-0.0, f32::NAN]), LIMITS).unwrap();
    assert_eq!(linked.get(4).unwrap().1, [0, 1]);
    let uvec2 = TypeInfo { kind: Kind::Uint, ..vec2 };
    linked.set(4, 1, uvec2, &[7, 0], LIMITS).unwrap();
    assert_eq!(linked.get(4).unwrap().1, [1, 0]);
}

#[test]
fn errors_are_those_of_section_7_6_1() {
    let linked = linked();
    let set = |location, count, given, words: &[u32]| {
        code(linked.set(location, count, given, words, LIMITS))
    };
    assert_eq!(set(-1, 1, INT, &[0]), None);
    assert_eq!(set(-2, 1, FLOAT, &[0]), Some(gl::INVALID_OPERATION));
    assert_eq!(set(99, 1, FLOAT, &[0]), Some(gl::INVALID_OPERATION));
    assert_eq!(set(0, -1, FLOAT, &[0]), Some(gl::INVALID_VALUE));
    assert_eq!(set(0, 1, INT, &[0]), Some(gl::INVALID_OPERATION));
    assert_eq!(set(5, 2, VEC4, &[0; 8]), Some(gl::INVALID_OPERATION));
    assert_eq!(set(6, 1, FLOAT, &[0]), Some(gl::INVALID_OPERATION));
    assert_eq!(set(6, 1, INT, &[16]), Some(gl::INVALID_VALUE));
    assert_eq!(set(6, 1, INT, &[u32::MAX]), Some(gl::INVALID_VALUE));
    assert_eq!(
        code(linked.set_matrices(3, 1, false, TypeInfo { columns: 2, ..MAT3 }, &[0; 6])),
        Some(gl::INVALID_OPERATION)
    );
    assert_eq!(linked.get(-1).map(|_| false), linked.get(99).map(|_| false));
}

#[test]
fn initial_values_and_units_stand_from_the_start() {
    let linked = linked();
    let values = linked.values.borrow_mut();
    assert_eq!(values.load(112), 2f32.to_bits());
    assert_eq!(values.changed, vec![0..128]);
    assert_eq!(values.bindings.samplers, [3, 4]);
    assert!(values.bindings_changed);
}

#[test]
fn only_changes_are_marked_and_neighbours_merge() {
    let linked = linked();
    linked.values.borrow_mut().changed.clear();
    let serial = linked.serial();
    assert_eq!(linked.set(5, 1, VEC4, &bits(&[2., 0., 0., 0.]), LIMITS), Ok(false));
    assert!(linked.values.borrow_mut().changed.is_empty());
    assert_eq!(linked.serial(), serial);
    linked.set(5, 1, VEC4, &bits(&[1.; 4]), LIMITS).unwrap();
    linked.set(4, 1, TypeInfo { rows: 2, ..INT }, &[1, 1], LIMITS).unwrap();
    linked.set(5, 1, VEC4, &bits(&[3.; 4]), LIMITS).unwrap();
    assert_eq!(linked.values.borrow_mut().changed, [112..128, 96..104]);
    assert!(linked.serial() > serial);
}

#[test]
fn samplers_of_two_types_may_not_share_a_unit() {
    let mut archive = linked().archive;
    archive.uniforms.push(Uniform { sampler_slot: 2, ..plain("c", gl::SAMPLER_CUBE, 8, -1) });
    archive.samplers.push(Sampler {
        slot: 2,
        count: 1,
        ty: gl::SAMPLER_CUBE,
        uniform: 5,
        binding: 4,
        ..Sampler::default()
    });
    let linked = Linked::new(archive, Vec::new());
    assert!(linked.samplers_collide());
    linked.set(8, 1, INT, &[5], LIMITS).unwrap();
    assert!(!linked.samplers_collide());
}
