//! Subroutines: functions that a program chooses among (OpenGL 4.6, section 7.10).

use forerun_pipe::gl as c;
use scenarios::Api::Core;
use scenarios::runner::Needs;
use scenarios::world::FLAT;
use scenarios::{World, scenarios};
use std::ffi::CStr;

scenarios! { "subroutine";
    [Core(40), Core(45)], Needs::DESKTOP =>
        uniforms_choose_among_functions,
        elements_of_arrays_choose_apart,
        what_is_active_is_told,
        a_choice_ends_with_the_use_of_its_program,
        wrong_choices_are_refused;
    [Core(45)], Needs::DESKTOP => places_and_numbers_are_those_declared;
}

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];

/// Two functions of one type, one of which has a second type, and a uniform of each type.
const TINTS: &str = "
    subroutine vec4 Tint(float strength);
    subroutine void Fade(inout vec4 color, const in float by);
    subroutine uniform Tint tint;
    subroutine uniform Fade fade;
    subroutine(Tint) vec4 red(float s) { return vec4(s, 0.0, 0.0, 1.0); }
    subroutine(Tint) vec4 green(float s) { return vec4(0.0, s, 0.0, 1.0); }
    subroutine(Fade) void keep(inout vec4 c, const in float by) { }
    subroutine(Fade) void halve(inout vec4 c, const in float by) { c.rgb *= by; }
    out vec4 color;
    void main() { vec4 c = tint(1.0); fade(c, 0.2); color = c; }";

fn location(w: &World, program: u32, stage: u32, name: &CStr) -> usize {
    let location = w.GetSubroutineUniformLocation(program, stage, name.as_ptr().cast());
    usize::try_from(location).unwrap_or_else(|_| panic!("no subroutine uniform {name:?}"))
}

fn index(w: &World, program: u32, stage: u32, name: &CStr) -> u32 {
    let index = w.GetSubroutineIndex(program, stage, name.as_ptr().cast());
    assert_ne!(index, c::INVALID_INDEX, "no subroutine {name:?}");
    index
}

/// Chooses functions of the fragment shader by the names of uniforms and functions.
fn choose(w: &World, program: u32, pairs: &[(&CStr, &CStr)]) {
    let mut indices = [0u32; 8];
    for (uniform, function) in pairs {
        let at = location(w, program, c::FRAGMENT_SHADER, uniform);
        indices[at] = index(w, program, c::FRAGMENT_SHADER, function);
    }
    let mut count = 0;
    let pname = c::ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS;
    w.GetProgramStageiv(program, c::FRAGMENT_SHADER, pname, &mut count);
    w.UniformSubroutinesuiv(c::FRAGMENT_SHADER, count, indices.as_ptr());
}

fn uniforms_choose_among_functions(w: &mut World) {
    let program = w.fragment_program(TINTS);
    w.UseProgram(program);
    w.whole();
    choose(w, program, &[(c"tint", c"green"), (c"fade", c"keep")]);
    w.strip();
    w.expect_all(GREEN);
    choose(w, program, &[(c"tint", c"red"), (c"fade", c"halve")]);
    w.strip();
    w.expect_all([51, 0, 0, 255]);
    // The choice of one stage leaves the values of ordinary uniforms and other stages alone.
    let both = w.program(
        "subroutine float Place(); subroutine uniform Place place;
         subroutine(Place) float left() { return -1.0; } subroutine(Place) float right() { return 0.0; }
         layout(location = 0) in vec2 position;
         void main() { gl_Position = vec4(place() + (position.x + 1.0) / 2.0, position.y, 0.0, 1.0); }",
        "subroutine vec4 Tint(); subroutine uniform Tint place; uniform float blue;
         subroutine(Tint) vec4 red() { return vec4(1.0, 0.0, blue, 1.0); }
         out vec4 color; void main() { color = place(); }",
    );
    w.UseProgram(both);
    w.Uniform1f(w.uniform(both, c"blue"), 1.0);
    w.clear([0, 0, 0, 255]);
    let right = index(w, both, c::VERTEX_SHADER, c"right");
    w.UniformSubroutinesuiv(c::VERTEX_SHADER, 1, &right);
    w.strip();
    w.expect_rect(16, 0, 16, 32, [255, 0, 255, 255]);
    w.expect_rect(0, 0, 16, 32, [0, 0, 0, 255]);
}

fn elements_of_arrays_choose_apart(w: &mut World) {
    let program = w.fragment_program(
        "subroutine float Part(); subroutine uniform Part parts[3]; uniform int last;
         subroutine(Part) float none() { return 0.0; } subroutine(Part) float all() { return 1.0; }
         subroutine(Part) float some() { return 0.2; }
         out vec4 color; void main() { color = vec4(parts[0](), parts[1](), parts[last](), 1.0); }",
    );
    w.UseProgram(program);
    w.Uniform1i(w.uniform(program, c"last"), 2);
    w.whole();
    choose(w, program, &[(c"parts[0]", c"some"), (c"parts[1]", c"none"), (c"parts[2]", c"all")]);
    w.strip();
    w.expect_all([51, 0, 255, 255]);
    choose(w, program, &[(c"parts", c"all"), (c"parts[1]", c"some"), (c"parts[2]", c"none")]);
    w.strip();
    w.expect_all([255, 51, 0, 255]);
}

fn what_is_active_is_told(w: &mut World) {
    let program = w.fragment_program(TINTS);
    let stage = c::FRAGMENT_SHADER;
    let told = |pname: u32| {
        let mut value = -1;
        w.GetProgramStageiv(program, stage, pname, &mut value);
        value
    };
    assert_eq!(told(c::ACTIVE_SUBROUTINES), 4);
    assert_eq!(told(c::ACTIVE_SUBROUTINE_UNIFORMS), 2);
    assert_eq!(told(c::ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS), 2);
    assert_eq!(told(c::ACTIVE_SUBROUTINE_MAX_LENGTH), 6);
    assert_eq!(told(c::ACTIVE_SUBROUTINE_UNIFORM_MAX_LENGTH), 5);
    let mut names = Vec::new();
    for at in 0..4 {
        let (mut text, mut length) = ([0u8; 16], 0);
        w.GetActiveSubroutineName(program, stage, at, 16, &mut length, text.as_mut_ptr());
        let name = String::from_utf8_lossy(&text[..length as usize]).into_owned();
        assert_eq!(w.GetSubroutineIndex(program, stage, text.as_ptr()), at, "{name}");
        names.push(name);
    }
    names.sort();
    assert_eq!(names, ["green", "halve", "keep", "red"]);
    for at in 0..2 {
        let (mut text, mut length) = ([0u8; 16], 0);
        w.GetActiveSubroutineUniformName(program, stage, at, 16, &mut length, text.as_mut_ptr());
        let tint = &text[..length as usize] == b"tint";
        assert!(tint || &text[..length as usize] == b"fade");
        let mut values = [-1; 4];
        let pname = c::NUM_COMPATIBLE_SUBROUTINES;
        w.GetActiveSubroutineUniformiv(program, stage, at, pname, values.as_mut_ptr());
        assert_eq!(values, [2, -1, -1, -1]);
        let pname = c::COMPATIBLE_SUBROUTINES;
        w.GetActiveSubroutineUniformiv(program, stage, at, pname, values.as_mut_ptr());
        let functions = if tint { [c"red", c"green"] } else { [c"keep", c"halve"] };
        let mut expected = functions.map(|name| index(w, program, stage, name) as i32);
        expected.sort();
        values[..2].sort();
        assert_eq!(values[..2], expected);
        w.GetActiveSubroutineUniformiv(program, stage, at, c::UNIFORM_SIZE, values.as_mut_ptr());
        assert_eq!(values[0], 1);
    }
    // They are no uniforms of the other kind.
    let mut uniforms = -1;
    w.GetProgramiv(program, c::ACTIVE_UNIFORMS, &mut uniforms);
    assert_eq!(uniforms, 0);
    assert!(w.integer(c::MAX_SUBROUTINES) >= 256);
    assert!(w.integer(c::MAX_SUBROUTINE_UNIFORM_LOCATIONS) >= 1024);
}

fn a_choice_ends_with_the_use_of_its_program(w: &mut World) {
    let program = w.fragment_program(
        "subroutine vec4 Tint(); subroutine uniform Tint tint;
         subroutine(Tint) vec4 red() { return vec4(1.0, 0.0, 0.0, 1.0); }
         subroutine(Tint) vec4 green() { return vec4(0.0, 1.0, 0.0, 1.0); }
         out vec4 color; void main() { color = tint(); }",
    );
    let stage = c::FRAGMENT_SHADER;
    let at = location(w, program, stage, c"tint") as i32;
    w.UseProgram(program);
    let mut first = 77;
    w.GetUniformSubroutineuiv(stage, at, &mut first);
    // Which one is chosen at first is the implementation's; it is one of them, and comes back.
    let names = [(c"red", RED), (c"green", GREEN)];
    let initial = names.iter().find(|(name, _)| index(w, program, stage, name) == first);
    let other = names.iter().find(|(name, _)| index(w, program, stage, name) != first);
    let (Some((_, color)), Some((name, changed))) = (initial, other) else { panic!("{first}") };
    w.whole();
    choose(w, program, &[(c"tint", name)]);
    w.strip();
    w.expect_all(*changed);
    w.UseProgram(program);
    w.strip();
    w.expect_all(*color);
    // A second context of the group chooses for itself.
    choose(w, program, &[(c"tint", name)]);
    let second = w.new_context();
    w.make_current(second);
    w.setup();
    w.whole();
    w.UseProgram(program);
    w.strip();
    w.expect_all(*color);
    w.make_current(scenarios::world::FIRST);
    w.strip();
    w.expect_all(*changed);
}

fn wrong_choices_are_refused(w: &mut World) {
    let stage = c::FRAGMENT_SHADER;
    w.rejects(c::INVALID_OPERATION, || w.UniformSubroutinesuiv(stage, 1, &0));
    let program = w.fragment_program(TINTS);
    w.UseProgram(program);
    let (red, keep) = (index(w, program, stage, c"red"), index(w, program, stage, c"keep"));
    w.rejects(c::INVALID_ENUM, || w.UniformSubroutinesuiv(c::TEXTURE_2D, 2, [red, keep].as_ptr()));
    w.rejects(c::INVALID_VALUE, || w.UniformSubroutinesuiv(stage, 1, &red));
    w.rejects(c::INVALID_VALUE, || w.UniformSubroutinesuiv(stage, 2, [9, 9].as_ptr()));
    // One of the two does not suit, wherever the uniforms stand.
    w.rejects(c::INVALID_OPERATION, || w.UniformSubroutinesuiv(stage, 2, [red, red].as_ptr()));
    let mut value = 0;
    w.rejects(c::INVALID_VALUE, || w.GetUniformSubroutineuiv(stage, 2, &mut value));
    let mut value = 0;
    w.rejects(c::INVALID_ENUM, || w.GetProgramStageiv(program, stage, c::LINK_STATUS, &mut value));
    w.rejects(c::INVALID_VALUE, || {
        let pname = c::UNIFORM_SIZE;
        w.GetActiveSubroutineUniformiv(program, stage, 2, pname, &mut value);
    });
    w.rejects(c::INVALID_ENUM, || {
        w.GetActiveSubroutineUniformiv(program, stage, 0, c::TEXTURE_2D, &mut value);
    });
    w.rejects(c::INVALID_VALUE, || {
        w.GetActiveSubroutineName(program, stage, 4, 0, std::ptr::null_mut(), std::ptr::null_mut());
    });
    let fresh = w.CreateProgram();
    w.rejects(c::INVALID_OPERATION, || {
        w.GetSubroutineIndex(fresh, stage, c"red".as_ptr().cast());
    });
    assert_eq!(w.GetSubroutineIndex(program, stage, c"none".as_ptr().cast()), c::INVALID_INDEX);
    assert_eq!(w.GetSubroutineUniformLocation(program, stage, c"red".as_ptr().cast()), -1);
}

fn places_and_numbers_are_those_declared(w: &mut World) {
    let program = w.program(
        FLAT,
        "subroutine vec4 Tint();
         layout(location = 2) subroutine uniform Tint tint;
         layout(index = 5) subroutine(Tint) vec4 red() { return vec4(1.0, 0.0, 0.0, 1.0); }
         layout(index = 3) subroutine(Tint) vec4 green() { return vec4(0.0, 1.0, 0.0, 1.0); }
         out vec4 color; void main() { color = tint(); }",
    );
    let stage = c::FRAGMENT_SHADER;
    assert_eq!(location(w, program, stage, c"tint"), 2);
    assert_eq!(index(w, program, stage, c"red"), 5);
    assert_eq!(index(w, program, stage, c"green"), 3);
    w.UseProgram(program);
    w.whole();
    // Locations that no uniform has take any value.
    w.UniformSubroutinesuiv(stage, 3, [99, 99, 5].as_ptr());
    w.strip();
    w.expect_all(RED);
    w.UniformSubroutinesuiv(stage, 3, [0, 0, 3].as_ptr());
    w.strip();
    w.expect_all(GREEN);
    let interface = c::FRAGMENT_SUBROUTINE_UNIFORM;
    let at = w.GetProgramResourceIndex(program, interface, c"tint".as_ptr().cast());
    let props = [c::LOCATION, c::ARRAY_SIZE, c::NUM_COMPATIBLE_SUBROUTINES];
    let (mut values, mut length) = ([-1; 3], 0);
    let (count, to) = (props.len() as i32, values.as_mut_ptr());
    w.GetProgramResourceiv(program, interface, at, count, props.as_ptr(), 3, &mut length, to);
    assert_eq!((length, values), (3, [2, 1, 2]));
}
