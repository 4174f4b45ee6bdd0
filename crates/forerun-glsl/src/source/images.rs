//! Formats of images that GL_NV_image_formats brings to OpenGL ES. glslang does not know them there: the text names another
//! format of the same kind, which the shader does not use, and the words are given the right one after the parse.

use super::declarations::Declarations;
use super::rewrite::Edit;
use super::token::Token;

/// Format words by their number in SPIR-V (section 3.11), from 1.
const WORDS: [&str; 39] = [
    "rgba32f",
    "rgba16f",
    "r32f",
    "rgba8",
    "rgba8_snorm",
    "rg32f",
    "rg16f",
    "r11f_g11f_b10f",
    "r16f",
    "rgba16",
    "rgb10_a2",
    "rg16",
    "rg8",
    "r16",
    "r8",
    "rgba16_snorm",
    "rg16_snorm",
    "rg8_snorm",
    "r16_snorm",
    "r8_snorm",
    "rgba32i",
    "rgba16i",
    "rgba8i",
    "r32i",
    "rg32i",
    "rg16i",
    "rg8i",
    "r16i",
    "r8i",
    "rgba32ui",
    "rgba16ui",
    "rgba8ui",
    "r32ui",
    "rgb10_a2ui",
    "rg32ui",
    "rg16ui",
    "rg8ui",
    "r16ui",
    "r8ui",
];
/// The formats that stand in, for floating-point, signed and unsigned images: those without atomic operations.
const STAND_INS: [&[&str]; 3] = [
    &["rgba8_snorm", "rgba16f", "rgba8", "rgba32f"],
    &["rgba16i", "rgba8i", "rgba32i"],
    &["rgba16ui", "rgba8ui", "rgba32ui"],
];
/// Those that OpenGL ES has of its own.
const OWN: [&str; 13] = [
    "rgba32f",
    "rgba16f",
    "r32f",
    "rgba8",
    "rgba8_snorm",
    "rgba32i",
    "rgba16i",
    "rgba8i",
    "r32i",
    "rgba32ui",
    "rgba16ui",
    "rgba8ui",
    "r32ui",
];

fn number(word: &str) -> Option<u32> {
    WORDS.iter().position(|w| *w == word).map(|at| at as u32 + 1)
}

fn kind(word: &str) -> usize {
    if word.ends_with("ui") { 2 } else { usize::from(word.ends_with('i')) }
}

/// Replaces the formats that ES has only by the extension. Gives (format in the words, format that is meant).
pub fn stand_in(edit: &mut Edit<'_>, declarations: &Declarations) -> Vec<(u32, u32)> {
    let mut places: Vec<(usize, String)> = Vec::new();
    for declaration in declarations.list.iter().filter(|d| d.is("uniform")) {
        for index in declaration.tokens.clone() {
            let Some(token) = edit.tokens.get(index) else { break };
            if token.is(";") || token.is("{") {
                break;
            }
            let in_layout = matches!(edit.neighbour(index, false), "(" | ",");
            if Token::solid(token) && in_layout && number(token.text).is_some() {
                places.push((index, token.text.to_owned()));
            }
        }
    }
    let mut taken: Vec<&str> =
        OWN.iter().copied().filter(|own| places.iter().any(|p| p.1 == *own)).collect();
    let mut swaps: Vec<(&str, String)> = Vec::new();
    for (_, word) in places.iter().filter(|p| !OWN.contains(&p.1.as_str())) {
        if swaps.iter().any(|s| s.1 == *word) {
            continue;
        }
        let choices = STAND_INS.get(kind(word)).copied().unwrap_or(&[]);
        if let Some(free) = choices.iter().find(|c| !taken.contains(c)) {
            taken.push(free);
            swaps.push((free, word.clone()));
        }
    }
    for (index, word) in &places {
        if let Some((free, _)) = swaps.iter().find(|s| s.1 == *word) {
            edit.set(*index, *free);
        }
    }
    swaps.iter().filter_map(|(free, word)| Some((number(free)?, number(word)?))).collect()
}
