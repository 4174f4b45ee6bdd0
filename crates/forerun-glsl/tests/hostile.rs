//! No source makes the process abort, overflow its stack or print.

mod common;

use common::*;
use forerun_glsl::{LinkOptions, link};
use forerun_pipe::archive::Stage;
use proptest::prelude::*;

const SOURCE: &str = "#version 310 es\n#extension GL_OES_x : warn\nlayout(local_size_x = 1) in;\n\
    #define M(a) a ## 1\nlayout(std430, binding = 1) buffer B { uint n[]; } b[2];\n\
    struct S { vec4 v[2]; }; uniform S s[3]; layout(binding = 0, offset = 4) uniform atomic_uint c;\n\
    void main() { if (s[1].v[0].x > 0.5) b[0].n[1] = atomicCounterIncrement(c); }\n";

fn attempt(stage: Stage, source: &str, context: &forerun_glsl::Dialect) {
    if let Some(shader) = try_compile(stage, source, context).shader {
        let options = LinkOptions { separable: true, ..Default::default() };
        let _ = link(&[&shader], &options);
    }
}

#[test]
fn every_prefix_of_a_shader_is_survived() {
    for end in 0..SOURCE.len() {
        attempt(Stage::Compute, &SOURCE[..end], &es());
    }
}

#[test]
fn inputs_that_broke_compilers_are_survived() {
    let deep = |open: &str, close: &str, count: usize| {
        format!(
            "#version 330\nvoid main() {{ float x = {}1.0{}; }}",
            open.repeat(count),
            close.repeat(count)
        )
    };
    let sources = [
        deep("(", ")", 60_000),
        deep("x+", "", 500_000).replace("float x", "float x = 2.0; float y"),
        deep("- ", "", 50_000),
        deep("!", "", 5_000),
        deep("x+", "", 60_000).replace("float x", "float x = 2.0; float y"),
        deep("x,", "", 60_000).replace("float x", "float x = 2.0; float y"),
        deep("x>1.?x:", "", 20_000).replace("float x", "float x = 2.0; float y"),
        deep("x=", "", 20_000).replace("float x", "float x = 2.0; float y"),
        format!("#version 330\nvoid main() {{ float x = 1.0; {} ; }}", "if (x > 1.0) x = 2.0; else ".repeat(20_000)),
        format!("#version 330\nvoid main() {{ float x = 1.0; {} ; }}", "for (;x<1.0;) ".repeat(20_000)),
        format!("#version 330\nvoid main() {{ mat4 x = mat4(1); x{}; }}", "[0]".repeat(20_000)),
        format!(
            "#version 330\nstruct S0 {{ float a; }};\n{}void main() {{ S40 x; S40 y; }}",
            (1..=40).map(|i| format!("struct S{i} {{ S{0} a; S{0} b; }};\n", i - 1)).collect::<String>()
        ),
        format!("#version 330\nfloat a{};\nvoid main() {{ }}", "[1]".repeat(2_000)),
        format!("#version 330\nvoid main() {{ float x = 1.0; {} }}", "x = x + 1.0;".repeat(20_000)),
        format!("#version 330\nvoid main() {{ {} }}", "{".repeat(20_000)),
        "#version 310 es\nlayout(binding = 0) uniform atomic_uint a[2]; void main() { gl_Position = vec4(atomicCounter(a[1])); }".into(),
        "#version 310 es\nlayout(binding = 0, offset = 3) uniform atomic_uint a; void main() { atomicCounter(a); }".into(),
        "#version 310 es\nlayout(binding = 99999999) uniform atomic_uint a; void main() { atomicCounter(a); }".into(),
        "#version 330\nuniform float a[2147483647]; void main() { gl_Position = vec4(a[1]); }".into(),
        "#version 330\nuniform struct { float b[60000]; } a[60000]; void main() { gl_Position = vec4(a[1].b[2]); }".into(),
        "#version 330\nin float a[100000]; void main() { gl_Position = vec4(a[1]); }".into(),
        "#version 330\nfloat f(float x) { return f(x); } void main() { gl_Position = vec4(f(1.0)); }".into(),
        "#version 330\n#define A A A\n#define B(x) x B(x)\nvoid main() { A B(A) }".into(),
        "#version 330\nvoid main() { gl_Position = vec4(1.0 / 0.0, 1 / 0, 1 % 0, 0); }".into(),
        "#version 330\nvoid main() { int i = -2147483648 / -1; gl_Position = vec4(i); }".into(),
        "#version 330\nstruct S { S s; }; uniform S s; void main() { }".into(),
        "#version 99999999999999999999\nvoid main() { }".into(),
        "#version\n".into(),
        "#line 4294967295\n#line -1\n#line 1 2 3\nvoid main() { nope; }".into(),
        "#include \"/etc/hostname\"\nvoid main() { }".into(),
        "\u{0}\u{1}\u{7f}é".into(),
        "#version 330\nvoid main() { \\\n".into(),
        "/*".into(),
        String::new(),
    ];
    for source in &sources {
        let stages = if source.len() > 1000 { &Stage::ALL[..1] } else { Stage::ALL };
        for stage in stages {
            attempt(*stage, source, &desktop());
            attempt(*stage, source, &es());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn mangled_shaders_are_survived(cuts in proptest::collection::vec((0usize..600, 0usize..40), 1..6), junk in "[ -~\\n]{0,8}") {
        let mut source = SOURCE.to_owned();
        for (at, length) in cuts {
            let at = at % (source.len() + 1);
            let end = (at + length).min(source.len());
            source.replace_range(at..end, &junk);
        }
        attempt(Stage::Compute, &source, &es());
        attempt(Stage::Fragment, &source, &es());
    }

    #[test]
    fn words_in_any_order_are_survived(words in proptest::collection::vec(
        prop_oneof![
            Just("uniform"), Just("struct"), Just("{"), Just("}"), Just("("), Just(")"), Just("["), Just("]"), Just(";"), Just(","),
            Just("layout"), Just("location"), Just("="), Just("1"), Just("vec4"), Just("sampler2D"), Just("main"), Just("void"),
            Just("in"), Just("out"), Just("gl_FragColor"), Just("texture2D"), Just("\n#"), Just("\n"), Just("invariant"), Just("sample"),
            Just("precision"), Just("highp"), Just("float"), Just("0.5"), Just("if"), Just("return"), Just("subroutine"), Just("buffer"),
        ], 0..40)) {
        let source = words.join(" ");
        attempt(Stage::Fragment, &source, &desktop());
        attempt(Stage::Vertex, &source, &es());
    }
}
