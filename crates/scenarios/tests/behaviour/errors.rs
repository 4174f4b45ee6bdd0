//! glGetError's rules, a few per family. Others stand with the behaviour that they guard.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{World, scenarios};
use std::ptr::null;

scenarios! { "errors";
    [Es(20), Es(30), Es(32), Core(33)], Needs::NOTHING =>
        the_first_error_is_kept_until_it_is_asked_for,
        a_rejected_call_changes_nothing,
        a_function_that_is_not_implemented_says_so;
    [Es(20)], Needs::NOTHING => later_versions_names_are_unknown;
    [Es(30), Es(32), Core(33)], Needs::NOTHING => objects_must_be_generated_and_of_their_kind;
}

fn the_first_error_is_kept_until_it_is_asked_for(w: &mut World) {
    w.Enable(0x7777);
    w.Viewport(0, 0, -1, -1);
    w.DepthFunc(0x7777);
    assert_eq!(w.GetError(), c::INVALID_ENUM);
    assert_eq!(w.GetError(), c::NO_ERROR);
    w.Viewport(0, 0, -1, -1);
    w.Enable(0x7777);
    assert_eq!(w.GetError(), c::INVALID_VALUE);
    assert_eq!(w.GetError(), c::NO_ERROR);
}

fn a_rejected_call_changes_nothing(w: &mut World) {
    w.LineWidth(1.0);
    w.rejects(c::INVALID_VALUE, || w.LineWidth(-1.0));
    w.rejects(c::INVALID_ENUM, || w.ActiveTexture(c::TEXTURE0 - 1));
    assert_eq!(w.integer(c::ACTIVE_TEXTURE) as u32, c::TEXTURE0);
    w.rejects(c::INVALID_ENUM, || w.BindBuffer(c::TEXTURE_2D, 1));
    w.rejects(c::INVALID_OPERATION, || w.BufferData(c::ARRAY_BUFFER, 1, null(), c::STATIC_DRAW));
    w.buffer(c::ARRAY_BUFFER, &[0u8; 4]);
    w.rejects(c::INVALID_VALUE, || w.BufferData(c::ARRAY_BUFFER, -1, null(), c::STATIC_DRAW));
    w.rejects(c::INVALID_VALUE, || w.Clear(1 << 30));
    w.rejects(c::INVALID_VALUE, || w.GenTextures(-1, std::ptr::null_mut()));
    w.rejects(c::INVALID_ENUM, || w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_WRAP_S, 7));
    w.rejects(c::INVALID_ENUM, || w.StencilFunc(7, 0, 0));
    w.rejects(c::INVALID_VALUE, || w.EnableVertexAttribArray(1000));
    if w.cell.api == Es(20) {
        w.rejects(c::INVALID_ENUM, || {
            w.VertexAttribPointer(0, 4, c::UNSIGNED_INT_2_10_10_10_REV, 1, 0, null());
        });
    }
    w.rejects(c::INVALID_VALUE, || w.VertexAttribPointer(0, 5, c::FLOAT, 0, 0, null()));
    w.rejects(c::INVALID_VALUE, || w.VertexAttribPointer(0, 4, c::FLOAT, 0, -4, null()));
    w.rejects(c::INVALID_ENUM, || w.VertexAttribPointer(0, 4, c::RGBA, 0, 0, null()));
    w.rejects(c::INVALID_ENUM, || w.PixelStorei(c::TEXTURE_2D, 1));
    w.rejects(c::INVALID_ENUM, || w.Hint(c::TEXTURE_2D, c::NICEST));
    w.rejects(c::INVALID_ENUM, || {
        w.GetString(c::TEXTURE_2D);
    });
    let mut value = 0x5A;
    w.rejects(c::INVALID_ENUM, || w.GetIntegerv(c::COLOR_BUFFER_BIT, &mut value));
    assert_eq!(value, 0x5A);
    w.rejects(c::INVALID_ENUM, || {
        w.IsEnabled(c::RGBA);
    });
    let size = w.integer(c::MAX_TEXTURE_SIZE);
    w.rejects(c::INVALID_VALUE, || {
        w.TexImage2D(
            c::TEXTURE_2D,
            0,
            c::RGBA as i32,
            size + 1,
            1,
            0,
            c::RGBA,
            c::UNSIGNED_BYTE,
            null(),
        );
    });
    w.rejects(c::INVALID_VALUE, || {
        w.TexImage2D(c::TEXTURE_2D, -1, c::RGBA as i32, 1, 1, 0, c::RGBA, c::UNSIGNED_BYTE, null());
    });
    w.rejects(c::INVALID_ENUM, || {
        w.TexImage2D(c::TEXTURE_2D, 0, c::RGBA as i32, 1, 1, 0, c::RGBA, c::TEXTURE_2D, null());
    });
    w.rejects(c::INVALID_OPERATION, || {
        w.TexImage2D(
            c::TEXTURE_2D,
            0,
            c::RGBA as i32,
            1,
            1,
            0,
            c::RGBA,
            c::UNSIGNED_SHORT_5_6_5,
            null(),
        );
    });
}

fn a_function_that_is_not_implemented_says_so(w: &mut World) {
    let name = "glVertexAttribs4hvNV";
    assert!(!forerun_gl::proc_address::is_implemented(name));
    let before = forerun_gl::proc_address::unimplemented_calls();
    let address = forerun_gl::get_proc_address(name);
    assert!(!address.is_null());
    assert_eq!(address, forerun_gl::get_proc_address(name));
    // SAFETY: functions that are not implemented take whatever they are given.
    let function: extern "C" fn(u32, i32, usize) = unsafe { std::mem::transmute(address) };
    w.rejects(c::INVALID_OPERATION, || function(0, 0, 0));
    assert!(forerun_gl::proc_address::unimplemented_calls() > before);
    assert!(forerun_gl::get_proc_address("eglNothing").is_null());
}

fn later_versions_names_are_unknown(w: &mut World) {
    w.rejects(c::INVALID_ENUM, || w.BindBuffer(c::UNIFORM_BUFFER, 0));
    w.rejects(c::INVALID_ENUM, || w.Enable(c::RASTERIZER_DISCARD));
}

fn objects_must_be_generated_and_of_their_kind(w: &mut World) {
    let mut array = 0;
    w.GenVertexArrays(1, &mut array);
    assert_eq!(w.IsVertexArray(array), 0);
    w.BindVertexArray(array);
    assert_eq!(w.IsVertexArray(array), 1);
    w.rejects(c::INVALID_OPERATION, || w.BindVertexArray(4711));
    w.rejects(c::INVALID_OPERATION, || w.BindSampler(0, 4711));
    w.rejects(c::INVALID_VALUE, || w.BindSampler(100_000, 0));
    let mut texture = 0;
    w.GenTextures(1, &mut texture);
    assert_eq!(w.IsTexture(texture), 0);
    w.BindTexture(c::TEXTURE_3D, texture);
    assert_eq!(w.IsTexture(texture), 1);
    w.rejects(c::INVALID_OPERATION, || w.BindTexture(c::TEXTURE_2D, texture));
    w.rejects(c::INVALID_VALUE, || w.AttachShader(4711, 4711));
    let shader = w.CreateShader(c::VERTEX_SHADER);
    w.rejects(c::INVALID_OPERATION, || w.LinkProgram(shader));
    w.rejects(c::INVALID_OPERATION, || w.UseProgram(shader));
    w.rejects(c::INVALID_VALUE, || w.VertexAttribDivisor(1000, 1));
    w.rejects(c::INVALID_VALUE, || {
        let mut value = 0;
        w.GetIntegeri_v(c::UNIFORM_BUFFER_BINDING, 100_000, &mut value);
    });
}
