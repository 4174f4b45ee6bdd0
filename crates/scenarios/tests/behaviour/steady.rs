//! What a frame costs when nothing new happens.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{World, scenarios};

scenarios! { "steady";
    [Es(20), Es(32), Core(33)], Needs::NOTHING => a_steady_frame_waits_for_no_answer_and_sends_few_records;
    [Es(20), Es(32), Core(33)], Needs::PIXELS => a_steady_draw_is_few_calls_of_the_driver;
}

struct Scene {
    programs: [(u32, i32); 2],
    textures: [u32; 2],
}

fn scene(w: &World) -> Scene {
    let make = || {
        let program = w.painter();
        (program, w.uniform(program, c"color"))
    };
    let programs = [make(), make()];
    let textures = [w.texture(1, 1, &[[1; 4]]), w.texture(1, 1, &[[2; 4]])];
    w.whole();
    Scene { programs, textures }
}

/// Eight draws with a changed uniform each, of which every other changes program and texture too.
fn frame(w: &World, scene: &Scene) {
    w.Clear(c::COLOR_BUFFER_BIT | c::DEPTH_BUFFER_BIT);
    for i in 0..8 {
        let (program, color) = scene.programs[i / 2 % 2];
        w.UseProgram(program);
        w.BindTexture(c::TEXTURE_2D, scene.textures[i / 2 % 2]);
        w.Uniform4f(color, i as f32 / 8.0, 0.0, 0.0, 1.0);
        w.strip();
    }
}

fn a_steady_frame_waits_for_no_answer_and_sends_few_records(w: &mut World) {
    let scene = scene(w);
    for _ in 0..3 {
        frame(w, &scene);
    }
    w.Finish();
    let before = w.stats();
    for _ in 0..10 {
        frame(w, &scene);
        w.Flush();
    }
    let after = w.stats();
    assert_eq!(after.reply_waits, before.reply_waits);
    let records = after.records - before.records;
    // Eighty draws, ten clears and ten flushes.
    assert!(records <= 3 * 80 + 20, "{records} records for 80 draws");
    // Draws that differ in nothing join.
    let before = w.stats();
    for _ in 0..100 {
        w.strip();
    }
    w.Flush();
    let records = w.stats().records - before.records;
    assert!(records <= 100 + 2, "{records} records for 100 draws of the same");
}

fn a_steady_draw_is_few_calls_of_the_driver(w: &mut World) {
    let scene = scene(w);
    for _ in 0..3 {
        frame(w, &scene);
    }
    let idle = w.driver_calls();
    let finish = w.driver_calls() - idle;
    let before = w.driver_calls();
    for _ in 0..10 {
        frame(w, &scene);
    }
    let calls = w.driver_calls() - before - finish;
    // A draw: its uniforms' range, its program and texture every other time, itself; and a clear for eight.
    assert!(calls <= 80 * 4 + 10 * 4, "{calls} calls for 80 draws and 10 clears");
    assert!(calls >= 80, "{calls} calls cannot be 80 draws");
}
