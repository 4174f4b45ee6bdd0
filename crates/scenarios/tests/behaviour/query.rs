//! Query objects.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{Backend, World, scenarios};
use std::time::{Duration, Instant};

/// OpenGL ES tells whether samples passed and not how many.
const COUNTS: Needs = Needs { backends: &[Backend::Gl], ..Needs::PIXELS };

scenarios! { "query";
    [Es(30), Core(33)], Needs::PIXELS =>
        occlusion_is_told;
    [Es(30), Core(33)], Needs::PIXELS => polls_end_without_a_wait;
    [Core(33)], COUNTS => samples_are_counted;
    [Core(33)], Needs::PIXELS => a_condition_skips_draws, time_passes, elapsed_time_is_no_more_than_has_passed;
    [Es(30), Es(32), Core(33)], Needs::NOTHING => queries_are_guarded;
}

fn painter(w: &World) {
    let program = w.painter();
    w.UseProgram(program);
    w.Uniform4f(w.uniform(program, c"color"), 0.0, 1.0, 0.0, 1.0);
    w.whole();
}

fn result(w: &World, query: u32) -> u32 {
    let mut value = 0x5A5A;
    w.GetQueryObjectuiv(query, c::QUERY_RESULT, &mut value);
    value
}

fn occlusion_is_told(w: &mut World) {
    painter(w);
    let mut queries = [0; 2];
    w.GenQueries(2, queries.as_mut_ptr());
    w.Enable(c::DEPTH_TEST);
    w.Clear(c::DEPTH_BUFFER_BIT);
    let target = c::ANY_SAMPLES_PASSED;
    w.BeginQuery(target, queries[0]);
    w.strip();
    w.EndQuery(target);
    // The second lies behind the first.
    w.BeginQuery(target, queries[1]);
    w.strip();
    w.EndQuery(target);
    assert_eq!(result(w, queries[0]), 1);
    assert_eq!(result(w, queries[1]), 0);
    // A query is used again, with nothing drawn.
    w.BeginQuery(target, queries[0]);
    w.EndQuery(target);
    assert_eq!(result(w, queries[0]), 0);
}

fn polls_end_without_a_wait(w: &mut World) {
    painter(w);
    let mut query = 0;
    w.GenQueries(1, &mut query);
    w.BeginQuery(c::ANY_SAMPLES_PASSED, query);
    w.strip();
    w.EndQuery(c::ANY_SAMPLES_PASSED);
    let before = w.stats();
    let end = Instant::now() + Duration::from_secs(20);
    let mut available = 0;
    while available == 0 {
        w.GetQueryObjectuiv(query, c::QUERY_RESULT_AVAILABLE, &mut available);
        assert!(Instant::now() < end, "the result is never there");
        std::thread::yield_now();
    }
    assert_eq!(result(w, query), 1);
    assert_eq!(w.stats().reply_waits, before.reply_waits, "polls are local");
}

fn samples_are_counted(w: &mut World) {
    painter(w);
    let mut query = 0;
    w.GenQueries(1, &mut query);
    w.Enable(c::SCISSOR_TEST);
    for (width, height) in [(32, 32), (5, 7), (0, 3)] {
        w.Scissor(0, 0, width, height);
        w.BeginQuery(c::SAMPLES_PASSED, query);
        w.strip();
        w.EndQuery(c::SAMPLES_PASSED);
        assert_eq!(result(w, query), (width * height) as u32);
    }
    // A query stays of its kind.
    w.rejects(c::INVALID_OPERATION, || w.BeginQuery(c::PRIMITIVES_GENERATED, query));
}

fn a_condition_skips_draws(w: &mut World) {
    painter(w);
    let mut queries = [0; 2];
    w.GenQueries(2, queries.as_mut_ptr());
    w.Enable(c::SCISSOR_TEST);
    for (query, side) in queries.into_iter().zip([32, 0]) {
        w.Scissor(0, 0, side, side);
        w.BeginQuery(c::SAMPLES_PASSED, query);
        w.strip();
        w.EndQuery(c::SAMPLES_PASSED);
    }
    w.Scissor(0, 0, 32, 32);
    w.clear([1; 4]);
    for (query, x) in [(queries[0], 0), (queries[1], 16)] {
        w.BeginConditionalRender(query, c::QUERY_WAIT);
        w.Scissor(x, 0, 16, 32);
        w.strip();
        w.EndConditionalRender();
    }
    w.expect_rect(0, 0, 16, 32, [0, 255, 0, 255]);
    w.expect_rect(16, 0, 16, 32, [1; 4]);
}

fn time_passes(w: &mut World) {
    painter(w);
    let mut queries = [0; 2];
    w.GenQueries(2, queries.as_mut_ptr());
    w.QueryCounter(queries[0], c::TIMESTAMP);
    w.strip();
    w.QueryCounter(queries[1], c::TIMESTAMP);
    let time = |query| {
        let mut value = 0;
        w.GetQueryObjectui64v(query, c::QUERY_RESULT, &mut value);
        value
    };
    let (first, last) = (time(queries[0]), time(queries[1]));
    assert!(first > 0 && last >= first, "{first} {last}");
}

/// Whatever stands between the two ends, nothing included.
fn elapsed_time_is_no_more_than_has_passed(w: &mut World) {
    painter(w);
    let begun = Instant::now();
    let works: [&dyn Fn(); 3] = [&|| (), &|| w.strip(), &|| w.Clear(c::COLOR_BUFFER_BIT)];
    for (at, work) in works.iter().enumerate() {
        let mut query = 0;
        w.GenQueries(1, &mut query);
        w.BeginQuery(c::TIME_ELAPSED, query);
        work();
        w.EndQuery(c::TIME_ELAPSED);
        let mut nanoseconds = 0;
        w.GetQueryObjectui64v(query, c::QUERY_RESULT, &mut nanoseconds);
        let passed = begun.elapsed();
        assert!(
            Duration::from_nanos(nanoseconds) <= passed,
            "{at}: {nanoseconds} ns of {passed:?}"
        );
    }
}

fn queries_are_guarded(w: &mut World) {
    let mut query = 0;
    w.GenQueries(1, &mut query);
    let target = c::ANY_SAMPLES_PASSED;
    assert_eq!(w.IsQuery(query), 0);
    w.rejects(c::INVALID_ENUM, || w.BeginQuery(c::TEXTURE_2D, query));
    w.rejects(c::INVALID_OPERATION, || w.BeginQuery(target, 0));
    w.rejects(c::INVALID_OPERATION, || w.EndQuery(target));
    w.BeginQuery(target, query);
    assert_eq!(w.IsQuery(query), 1);
    w.rejects(c::INVALID_OPERATION, || w.BeginQuery(target, query));
    let mut current = 0;
    w.GetQueryiv(target, c::CURRENT_QUERY, &mut current);
    assert_eq!(current as u32, query);
    let mut value = 0;
    w.rejects(c::INVALID_OPERATION, || w.GetQueryObjectuiv(query, c::QUERY_RESULT, &mut value));
    w.EndQuery(target);
    w.DeleteQueries(1, &query);
    w.rejects(c::INVALID_OPERATION, || w.GetQueryObjectuiv(query, c::QUERY_RESULT, &mut value));
}
