//! Words that nobody's compiler made.

mod common;

use forerun_pipe::archive::Stage;
use forerun_spirv::{Dialect, Options, Refusal, Target, check, translate};

const SHADER: &str = "#version 460
    struct S { vec2 a; float b[2]; };
    layout(set = 0, binding = 0, std140) uniform Block { mat4 m; S s[3]; } blk;
    layout(set = 2, binding = 0) uniform sampler2DRect r;
    layout(set = 3, binding = 0, rgba8) uniform writeonly image2D im;
    layout(location = 0) in vec4 colour;
    layout(location = 0) out vec4 c;
    void main() { c = blk.m * colour + blk.s[1].b[1] + texture(r, colour.xy); imageStore(im, ivec2(0), c); }";

fn attempt(words: &[u32]) -> Result<String, Refusal> {
    let options = Options { broadcast: 4, ..Options::default() };
    translate(Stage::Fragment, words, &Target::new(Dialect::Essl(320), ""), &options)
}

#[test]
fn a_header_alone_is_refused() {
    assert_eq!(check(Stage::Vertex, &[]), Err(Refusal::Malformed("header")));
    assert_eq!(check(Stage::Vertex, &[0x0723_0203]), Err(Refusal::Malformed("header")));
    let header = [0x0723_0203, 0x0001_0300, 0, u32::MAX, 0];
    assert_eq!(check(Stage::Vertex, &header), Err(Refusal::Malformed("id bound")));
}

#[test]
fn truncated_modules_are_refused() {
    let words = common::spirv(Stage::Fragment, SHADER);
    assert!(attempt(&words).is_ok());
    for length in 0..words.len() {
        assert!(attempt(&words[..length]).is_err(), "{length} of {} words", words.len());
    }
}

#[test]
fn the_wrong_stage_is_refused() {
    let words = common::spirv(Stage::Fragment, SHADER);
    assert_eq!(check(Stage::Vertex, &words), Err(Refusal::Stage("vertex")));
}

#[test]
fn resources_outside_their_sets_are_refused() {
    for source in [
        "#version 460\nlayout(set = 0, binding = 0) uniform sampler2D t; layout(location = 0) out vec4 c; void main() { c = texture(t, vec2(0)); }",
        "#version 460\nlayout(set = 2, binding = 4000) uniform sampler2D t; layout(location = 0) out vec4 c; void main() { c = texture(t, vec2(0)); }",
        "#version 460\nlayout(push_constant) uniform P { vec4 v; }; layout(location = 0) out vec4 c; void main() { c = v; }",
    ] {
        let words = common::spirv(Stage::Fragment, source);
        assert!(matches!(attempt(&words), Err(Refusal::Slot(_))), "{:?}", attempt(&words));
    }
}

#[test]
fn changed_words_are_text_or_a_refusal() {
    let words = common::spirv(Stage::Fragment, SHADER);
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..3000 {
        let mut changed = words.clone();
        for _ in 0..1 + random() % 3 {
            let at = random() as usize % changed.len();
            changed[at] = match random() % 4 {
                0 => random() as u32,
                1 => changed[at] ^ (1 << (random() % 32)),
                2 => random() as u32 % 128,
                _ => words[random() as usize % words.len()],
            };
        }
        let _ = attempt(&changed);
    }
}

#[test]
fn arrays_of_arrays_beyond_all_interfaces_are_refused() {
    let copies = |length: u32| {
        let source = format!(
            "#version 460\nlayout(location = 0) in float a[{length}][{length}]; layout(location = 0) out float c;
             void main() {{ float b[{length}][{length}] = a; c = b[1][0]; }}"
        );
        attempt(&common::spirv(Stage::Fragment, &source))
    };
    assert!(copies(8).is_ok(), "{:?}", copies(8));
    assert!(matches!(copies(64), Err(Refusal::Unsupported(_))));
}
