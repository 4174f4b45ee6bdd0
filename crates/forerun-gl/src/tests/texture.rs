//! Textures: what is refused, and what crosses.

use super::{Rig, code};
use crate::Api;
use crate::emit::texture::sync_views;
use crate::state::readback::pixel_store;
use crate::state::texture::image::{Definition, tex_image};
use crate::state::texture::params::{self, Given};
use crate::state::texture::{self, copy, query, storage, upload};
use forerun_pipe::catalogue::Op;
use forerun_pipe::gl;
use forerun_pipe::records::{BoundView, ResourceRespecify, ResourceSubData, SetSamplerViews};
use std::ptr::null;

fn level(target: u32, level: i32, internal: u32, size: [i32; 3]) -> Definition {
    Definition { dims: 2, target, level, internal, size, border: 0 }
}

fn define(rig: &mut Rig, internal: u32, format: u32, ty: u32) -> crate::GlResult {
    let d = level(gl::TEXTURE_2D, 0, internal, [4, 4, 1]);
    tex_image(&mut rig.cx, d, format, ty, null())
}

#[test]
fn unpack_parameters_are_applied_before_the_bytes_cross() {
    let mut rig = Rig::new(Api::Es, 30);
    texture::bind(&mut rig.cx, gl::TEXTURE_2D, 5).unwrap();
    pixel_store(&mut rig.cx, gl::UNPACK_ROW_LENGTH, 5).unwrap();
    pixel_store(&mut rig.cx, gl::UNPACK_SKIP_PIXELS, 1).unwrap();
    pixel_store(&mut rig.cx, gl::UNPACK_SKIP_ROWS, 1).unwrap();
    let pixels: Vec<u8> = (0..60).collect();
    let d = level(gl::TEXTURE_2D, 0, gl::RGB, [2, 2, 1]);
    tex_image(&mut rig.cx, d, gl::RGB, gl::UNSIGNED_BYTE, pixels.as_ptr()).unwrap();
    let crossed = rig.crossed(Op::ResourceSubData);
    let [only] = &crossed[..] else { panic!("{} uploads", crossed.len()) };
    // Rows of five RGB pixels, aligned to 16 bytes: the second row's second pixel stands at 19.
    assert_eq!(
        only.body[size_of::<ResourceSubData>()..][..12],
        [19, 20, 21, 22, 23, 24, 35, 36, 37, 38, 39, 40]
    );
}

#[test]
fn a_texture_larger_than_a_chunk_crosses_in_slabs_that_cover_it() {
    let mut rig = Rig::new(Api::Es, 30);
    texture::bind(&mut rig.cx, gl::TEXTURE_2D, 5).unwrap();
    let most = rig.cx.group.stream().link.max_chunk();
    let (width, height) = (1024i32, 2048i32);
    assert!(most < (width * height * 16) as usize);
    let pixels = vec![0u8; (width * height * 16) as usize];
    let d = level(gl::TEXTURE_2D, 0, gl::RGBA32F, [width, height, 1]);
    tex_image(&mut rig.cx, d, gl::RGBA, gl::FLOAT, pixels.as_ptr()).unwrap();
    let mut rows = 0;
    for record in rig.crossed(Op::ResourceSubData) {
        let p: ResourceSubData = record.payload();
        assert_eq!((p.x, p.width, p.depth), (0, width as u32, 1));
        assert_eq!(p.y, rows as i32);
        assert!(p.bytes.size as usize <= most);
        rows += p.height;
    }
    assert_eq!(rows, height as u32);
}

#[test]
fn es_takes_only_the_combinations_of_its_tables() {
    let mut rig = Rig::new(Api::Es, 30);
    texture::bind(&mut rig.cx, gl::TEXTURE_2D, 5).unwrap();
    define(&mut rig, gl::RGBA, gl::RGBA, gl::UNSIGNED_SHORT_4_4_4_4).unwrap();
    define(&mut rig, gl::R11F_G11F_B10F, gl::RGB, gl::HALF_FLOAT).unwrap();
    define(&mut rig, gl::DEPTH_COMPONENT16, gl::DEPTH_COMPONENT, gl::UNSIGNED_INT).unwrap();
    let operation = gl::INVALID_OPERATION;
    assert_eq!(code(define(&mut rig, gl::RGBA8, gl::RGBA, gl::FLOAT)), operation);
    assert_eq!(code(define(&mut rig, gl::RGB, gl::RGBA, gl::UNSIGNED_BYTE)), operation);
    assert_eq!(code(define(&mut rig, gl::RGBA8UI, gl::RGBA, gl::UNSIGNED_BYTE)), operation);
    assert_eq!(code(define(&mut rig, 0xDEAD, gl::RGBA, gl::UNSIGNED_BYTE)), gl::INVALID_VALUE);
    assert_eq!(code(define(&mut rig, gl::RGBA, 0xDEAD, gl::UNSIGNED_BYTE)), gl::INVALID_ENUM);
    assert_eq!(code(define(&mut rig, gl::RGBA, gl::RGBA, 0xDEAD)), gl::INVALID_ENUM);
}

#[test]
fn desktop_gl_converts_but_not_between_kinds() {
    let mut rig = Rig::new(Api::Core, 33);
    let name = rig.cx.group.textures.borrow_mut().generate();
    texture::bind(&mut rig.cx, gl::TEXTURE_2D, name).unwrap();
    define(&mut rig, gl::RGBA8, gl::BGRA, gl::FLOAT).unwrap();
    define(&mut rig, gl::R3_G3_B2, gl::RGBA, gl::UNSIGNED_INT_8_8_8_8).unwrap();
    let operation = gl::INVALID_OPERATION;
    assert_eq!(code(define(&mut rig, gl::RGBA8, gl::RGBA_INTEGER, gl::INT)), operation);
    assert_eq!(code(define(&mut rig, gl::RGBA8, gl::DEPTH_COMPONENT, gl::FLOAT)), operation);
    assert_eq!(code(define(&mut rig, gl::RGBA8, gl::RGBA, gl::UNSIGNED_SHORT_5_6_5)), operation);
    assert_eq!(
        code(define(&mut rig, gl::LUMINANCE, gl::RGBA, gl::UNSIGNED_BYTE)),
        gl::INVALID_VALUE
    );
}

#[test]
fn immutable_storage_is_defined_once() {
    let mut rig = Rig::new(Api::Es, 31);
    texture::bind(&mut rig.cx, gl::TEXTURE_2D, 5).unwrap();
    let too_many = storage::tex_storage(&mut rig.cx, 2, gl::TEXTURE_2D, 4, gl::RGBA8, [4, 2, 1]);
    assert_eq!(code(too_many), gl::INVALID_OPERATION);
    storage::tex_storage(&mut rig.cx, 2, gl::TEXTURE_2D, 3, gl::RGBA8, [4, 2, 1]).unwrap();
    let record: ResourceRespecify = rig.crossed(Op::ResourceRespecify)[0].payload();
    assert_eq!((record.levels, record.immutable, record.internal_format), (3, 1, gl::RGBA8));
    let width = query::level_parameter(&mut rig.cx, gl::TEXTURE_2D, 2, gl::TEXTURE_WIDTH);
    assert_eq!(width.unwrap(), 1);
    let again = storage::tex_storage(&mut rig.cx, 2, gl::TEXTURE_2D, 1, gl::RGBA8, [4, 2, 1]);
    assert_eq!(code(again), gl::INVALID_OPERATION);
    let level = define(&mut rig, gl::RGBA, gl::RGBA, gl::UNSIGNED_BYTE);
    assert_eq!(code(level), gl::INVALID_OPERATION);
    let outside = upload::sub_image(
        &mut rig.cx,
        2,
        gl::TEXTURE_2D,
        2,
        [1, 0, 0],
        [1, 1, 1],
        gl::RGBA,
        gl::UNSIGNED_BYTE,
        null(),
    );
    assert_eq!(code(outside), gl::INVALID_VALUE);
}

#[test]
fn a_parameter_crosses_when_it_moves() {
    let mut rig = Rig::new(Api::Es, 30);
    texture::bind(&mut rig.cx, gl::TEXTURE_2D, 5).unwrap();
    let nearest = Given::Int(gl::NEAREST as i32);
    for _ in 0..3 {
        params::set(&mut rig.cx, gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, nearest).unwrap();
    }
    assert_eq!(rig.crossed(Op::SetTextureParams).len(), 1);
    let bad = params::set(&mut rig.cx, gl::TEXTURE_2D, gl::TEXTURE_MAG_FILTER, Given::Int(1));
    assert_eq!(code(bad), gl::INVALID_ENUM);
    let negative = params::set(&mut rig.cx, gl::TEXTURE_2D, gl::TEXTURE_BASE_LEVEL, Given::Int(-1));
    assert_eq!(code(negative), gl::INVALID_VALUE);
}

#[test]
fn only_units_whose_binding_moved_cross() {
    let mut rig = Rig::new(Api::Es, 30);
    let sync = |rig: &mut Rig| {
        let group = std::sync::Arc::clone(&rig.cx.group);
        sync_views(&mut rig.cx.state, &mut group.stream());
        let records = rig.crossed(Op::SetSamplerViews);
        records.first().map(|r| {
            let count = r.payload::<SetSamplerViews>().count as usize;
            let tail = &r.body[size_of::<SetSamplerViews>()..];
            use zerocopy::FromBytes;
            (0..count)
                .map(|i| BoundView::read_from_bytes(&tail[i * 16..][..16]).unwrap().unit)
                .collect::<Vec<_>>()
        })
    };
    for unit in [0, 3] {
        texture::set_active(&mut rig.cx, gl::TEXTURE0 + unit).unwrap();
        texture::bind(&mut rig.cx, gl::TEXTURE_2D, 5 + unit).unwrap();
    }
    assert_eq!(sync(&mut rig).map(|units| units.contains(&0) && units.contains(&3)), Some(true));
    assert_eq!(sync(&mut rig), None);
    texture::bind(&mut rig.cx, gl::TEXTURE_2D, 5).unwrap();
    assert_eq!(sync(&mut rig), Some(vec![3]));
    // A deleted texture is unbound.
    texture::delete(&mut rig.cx, &[5]).unwrap();
    assert_eq!(sync(&mut rig), Some(vec![0, 3]));
}

#[test]
fn a_name_keeps_its_target() {
    let mut rig = Rig::new(Api::Es, 30);
    texture::bind(&mut rig.cx, gl::TEXTURE_2D, 5).unwrap();
    let other = texture::bind(&mut rig.cx, gl::TEXTURE_3D, 5);
    assert_eq!(code(other), gl::INVALID_OPERATION);
    let mut core = Rig::new(Api::Core, 33);
    let unknown = texture::bind(&mut core.cx, gl::TEXTURE_2D, 77);
    assert_eq!(code(unknown), gl::INVALID_OPERATION);
}

#[test]
fn mipmaps_are_made_down_to_one_texel_and_only_of_what_can_be_filtered() {
    let mut rig = Rig::new(Api::Es, 31);
    texture::bind(&mut rig.cx, gl::TEXTURE_2D, 5).unwrap();
    let d = level(gl::TEXTURE_2D, 0, gl::RGBA, [8, 3, 1]);
    tex_image(&mut rig.cx, d, gl::RGBA, gl::UNSIGNED_BYTE, null()).unwrap();
    copy::generate_mipmap(&mut rig.cx, gl::TEXTURE_2D).unwrap();
    let mut size =
        |l, pname| query::level_parameter(&mut rig.cx, gl::TEXTURE_2D, l, pname).unwrap();
    assert_eq!((size(1, gl::TEXTURE_WIDTH), size(1, gl::TEXTURE_HEIGHT)), (4, 1));
    assert_eq!(size(3, gl::TEXTURE_WIDTH), 1);
    define(&mut rig, gl::RGBA8UI, gl::RGBA_INTEGER, gl::UNSIGNED_BYTE).unwrap();
    let integers = copy::generate_mipmap(&mut rig.cx, gl::TEXTURE_2D);
    assert_eq!(code(integers), gl::INVALID_OPERATION);
}
