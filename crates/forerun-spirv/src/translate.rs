//! SPIR-V to the host's text, through SPIRV-Cross.

use crate::module::{HEADER, Module, Type};
use crate::{Dialect, Options, Refusal, Target, format, images, lower, names, rewrite};
use forerun_pipe::archive::Stage;
use spirv::{BuiltIn, StorageClass};
use spirv_cross2::Compiler;
use spirv_cross2::compile::CompilableTarget;
use spirv_cross2::compile::glsl::GlslVersion;
use spirv_cross2::targets::Glsl;

/// Validates one stage of an archive and writes it in the host's language.
///
/// # Errors
/// A [`Refusal`]; with [`Refusal::Unsupported`] the same words may be right for another host.
pub fn translate(
    stage: Stage,
    words: &[u32],
    target: &Target,
    options: &Options<'_>,
) -> Result<String, Refusal> {
    crate::check(stage, words)?;
    let module = Module::read(stage, words)?;
    let names = names::mint(stage, options.stages, &module)?;
    let mut rewritten = rewrite::rewrite(&module, &names, target, options)?;
    rewritten = lower::counters(stage, rewritten, &lower::counter_blocks(&module))?;
    if stage == Stage::Fragment && options.broadcast > 1 {
        rewritten = lower::broadcast(rewritten, options.broadcast)?;
    }
    if target.is_es() {
        rewritten = lower::rectangles(stage, rewritten)?;
        rewritten = lower::lines(stage, rewritten)?;
        rewritten = lower::flatten(stage, rewritten)?;
        rewritten = lower::wrap(stage, rewritten)?;
    } else {
        rewritten = lower::packing(stage, rewritten)?;
    }
    let text = if target.is_es() {
        let (plain, formats) = without_nv_formats(stage, &rewritten)?;
        with_nv_formats(cross(stage, &plain, target, options)?, &formats)
    } else {
        cross(stage, &rewritten, target, options)?
    };
    let module = Module::read(stage, &rewritten)?;
    let mut text = finish(text, stage, &module, target);
    // Names in the text are minted, so these can only be the built-ins, which are only read.
    if stage == Stage::Fragment && options.pixel_center_integer && target.is_es() {
        let moved = "vec4(gl_FragCoord.xy - 0.5, gl_FragCoord.zw)";
        text = text.replace("gl_FragCoord", moved);
    }
    if stage == Stage::Fragment && options.points_up {
        let turned = "vec2(gl_PointCoord.x, 1.0 - gl_PointCoord.y)";
        text = text.replace("gl_PointCoord", turned);
    }
    if stage == Stage::Fragment && options.fetched != 0 {
        return fetching(text, target, options);
    }
    Ok(text)
}

/// Images by name, with what stands in for their formats and the formats.
type ImageFormats = Vec<(String, &'static str, String)>;

/// SPIRV-Cross refuses some formats of GL_NV_image_formats in ESSL: others of the same kind stand in. Gives the images' names,
/// what stands in and what is meant.
fn without_nv_formats(stage: Stage, words: &[u32]) -> Result<(Vec<u32>, ImageFormats), Refusal> {
    let module = Module::read(stage, words)?;
    let mut formats = Vec::new();
    for variable in &module.variables {
        let (inner, _) = module.strip_arrays(variable.ty);
        if let Type::Image { sampled: 2, format, .. } = module.ty(inner)
            && let Some(word) = format::nv_word(*format)
            && let Some(name) = module.names.get(&variable.id)
        {
            formats.push((name.clone(), format::nv_stand_in(*format).1, word));
        }
    }
    let mut plain = words.to_vec();
    let mut at = HEADER;
    while let Some(first) = words.get(at) {
        if *first & 0xFFFF == spirv::Op::TypeImage as u32
            && let Some(format) = plain.get_mut(at + 8)
            && format::needs_nv_formats(*format)
        {
            *format = format::nv_stand_in(*format).0;
        }
        at += ((first >> 16) as usize).max(1);
    }
    Ok((plain, formats))
}

/// Puts them into the text.
fn with_nv_formats(text: String, formats: &ImageFormats) -> String {
    if formats.is_empty() {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.lines() {
        let named = |name: &str| {
            line.ends_with(&format!(" {name};")) || line.contains(&format!(" {name}["))
        };
        match formats.iter().find(|(name, ..)| named(name)) {
            Some((_, stand_in, word)) if line.contains(" uniform ") => {
                out.push_str(&line.replacen(&format!(", {stand_in})"), &format!(", {word})"), 1));
            }
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// Makes outputs that are read back `inout`.
fn fetching(mut text: String, target: &Target, options: &Options<'_>) -> Result<String, Refusal> {
    let coherent = "GL_EXT_shader_framebuffer_fetch";
    let loose = "GL_EXT_shader_framebuffer_fetch_non_coherent";
    let extension =
        if !options.fetched_noncoherently || !target.has(loose) { coherent } else { loose };
    if !target.has(extension) {
        return Err(Refusal::Unsupported("framebuffer fetch".into()));
    }
    let also = if extension == loose { ", noncoherent" } else { "" };
    for location in (0..32).filter(|l| options.fetched >> l & 1 != 0) {
        let plain = format!("layout(location = {location}) out ");
        text = text.replacen(&plain, &format!("layout(location = {location}{also}) inout "), 1);
    }
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    Ok(format!("{first}\n#extension {extension} : require\n{rest}"))
}

fn cross(
    stage: Stage,
    words: &[u32],
    target: &Target,
    options: &Options<'_>,
) -> Result<String, Refusal> {
    let unsupported =
        |error: spirv_cross2::SpirvCrossError| Refusal::Unsupported(error.to_string());
    let module = spirv_cross2::Module::from_words(words);
    let mut compiler = Compiler::<Glsl>::new(module).map_err(unsupported)?;
    if stage == Stage::Fragment && !target.is_es() {
        let origin = [
            ("origin_upper_left", options.upper_left),
            ("pixel_center_integer", options.pixel_center_integer),
        ];
        let wanted: Vec<&str> = origin.iter().filter(|o| o.1).map(|o| o.0).collect();
        if !wanted.is_empty() {
            let line = format!("layout({}) in vec4 gl_FragCoord;", wanted.join(", "));
            compiler.add_header_line(line).map_err(unsupported)?;
        }
    }
    let mut cross = Glsl::options();
    cross.version = version(target.dialect)?;
    cross.vulkan_semantics = false;
    cross.common.flip_vertex_y = false;
    cross.common.fixup_clipspace = false;
    cross.support_nonzero_base_instance = false;
    cross.es_default_float_precision_highp = true;
    cross.es_default_int_precision_highp = true;
    cross.enable_row_major_load_workaround = false;
    let artifact = compiler.compile(&cross).map_err(unsupported)?;
    Ok(artifact.to_string())
}

fn version(dialect: Dialect) -> Result<GlslVersion, Refusal> {
    Ok(match dialect {
        Dialect::Essl(310) => GlslVersion::Glsl310Es,
        Dialect::Essl(320) => GlslVersion::Glsl320Es,
        Dialect::Glsl(430) => GlslVersion::Glsl430,
        Dialect::Glsl(440) => GlslVersion::Glsl440,
        Dialect::Glsl(450) => GlslVersion::Glsl450,
        Dialect::Glsl(460) => GlslVersion::Glsl460,
        other => return Err(Refusal::Unsupported(format!("a target of {other:?}"))),
    })
}

/// Adds the extensions that the text uses and SPIRV-Cross does not ask for.
fn finish(text: String, stage: Stage, module: &Module<'_>, target: &Target) -> String {
    if !target.is_es() {
        // SPIRV-Cross asks for ES's extension of the same words.
        let text = text.replace("GL_EXT_post_depth_coverage", "GL_ARB_post_depth_coverage");
        return with_picked_inputs(without_rectangle_lods(text, module), module);
    }
    let mut wanted: Vec<&str> = Vec::new();
    let mut want = |choices: &[&'static str]| {
        wanted.extend(choices.iter().find(|c| target.has(c)).or(choices.first()));
    };
    // Names in the text are minted, so a built-in's name can only be the built-in.
    if text.contains("gl_PointSize") {
        match stage {
            Stage::Geometry => want(&["GL_EXT_geometry_point_size", "GL_OES_geometry_point_size"]),
            Stage::TessControl | Stage::TessEvaluation => {
                want(&["GL_EXT_tessellation_point_size", "GL_OES_tessellation_point_size"]);
            }
            _ => {}
        }
    }
    let text = images::lower(votes(text), module);
    if text.contains("gl_ViewportIndex") {
        want(&["GL_OES_viewport_array", "GL_NV_viewport_array"]);
    }
    if stage == Stage::Fragment && module.marks.values().any(|m| m.index.is_some_and(|i| i > 0)) {
        want(&["GL_EXT_blend_func_extended"]);
    }
    let nv = |ty: &Type| matches!(ty, Type::Image { sampled: 2, format, .. } if format::needs_nv_formats(*format));
    if module.types.values().any(nv) {
        want(&["GL_NV_image_formats"]);
    }
    if wanted.is_empty() {
        return text;
    }
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let mut out = format!("{first}\n");
    for name in wanted {
        out.push_str(&format!("#extension {name} : require\n"));
    }
    out.push_str(rest);
    out
}

/// ES has votes by another extension, under other names (GL_EXT_shader_group_vote).
fn votes(text: String) -> String {
    if !text.contains("#extension GL_ARB_shader_group_vote") {
        return text;
    }
    let mut text = text.replace("GL_ARB_shader_group_vote", "GL_EXT_shader_group_vote");
    for name in ["anyInvocation", "allInvocations", "allInvocationsEqual"] {
        text = text.replace(&format!("{name}ARB("), &format!("{name}EXT("));
    }
    text
}

/// `gl_ClipDistance` and `gl_CullDistance` of `gl_in` have no size until they are declared with one, and without a size only constants
/// may index them (GLSL 4.60, section 7.1); a declaration would have to be repeated in the stage before. So a function picks.
fn with_picked_inputs(mut text: String, module: &Module<'_>) -> String {
    for (builtin, name) in
        [(BuiltIn::ClipDistance, "gl_ClipDistance"), (BuiltIn::CullDistance, "gl_CullDistance")]
    {
        let Some(length) = input_length(module, builtin) else { continue };
        let pick = format!("pick{}", name.trim_start_matches("gl_"));
        let mut picked = false;
        let mut from = 0;
        while let Some(start) = text.get(from..).and_then(|rest| rest.find("gl_in[")) {
            let start = from + start;
            from = start + 1;
            let Some((vertex, after)) = bracketed(&text, start + 5) else { continue };
            let Some(rest) = text.get(after..).and_then(|r| r.strip_prefix(&format!(".{name}")))
            else {
                continue;
            };
            let Some((index, end)) = bracketed(&text, text.len() - rest.len()) else { continue };
            if index.parse::<u32>().is_err() {
                picked = true;
                text.replace_range(start..end, &format!("{pick}({vertex}, int({index}))"));
            }
        }
        if !picked {
            continue;
        }
        let mut function = format!("float {pick}(int v, int i) {{ switch (i) {{");
        for i in 1..length.min(8) {
            function.push_str(&format!(" case {i}: return gl_in[v].{name}[{i}];"));
        }
        function.push_str(&format!(" default: return gl_in[v].{name}[0]; }} }}\n"));
        // Behind the extensions and the layouts of the whole stage, which size `gl_in` itself.
        let heading = |line: &str| {
            let layout = line.ends_with(") in;") || line.ends_with(") out;");
            line.is_empty() || line.starts_with('#') || (line.starts_with("layout(") && layout)
        };
        let lines = text.split_inclusive('\n');
        let at: usize = lines.take_while(|l| heading(l.trim_end())).map(str::len).sum();
        text.insert_str(at, &function);
    }
    text
}

/// What stands in the brackets that open at `open`, and where they are closed.
pub(crate) fn bracketed(text: &str, open: usize) -> Option<(String, usize)> {
    let rest = text.get(open..)?.strip_prefix('[')?;
    let mut depth = 1;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((rest.get(..at)?.to_owned(), open + at + 2));
        }
    }
    None
}

/// The length of a built-in array of the input block.
fn input_length(module: &Module<'_>, builtin: BuiltIn) -> Option<u32> {
    let inputs = module.variables.iter().filter(|v| v.class == StorageClass::Input as u32);
    inputs.into_iter().find_map(|variable| {
        let (inner, _) = module.strip_arrays(variable.ty);
        let Type::Struct { members } = module.ty(inner) else { return None };
        members.iter().enumerate().find_map(|(index, ty)| {
            let marks = module.member_marks.get(&(inner, index as u32))?;
            match *module.ty(*ty) {
                Type::Array { length, .. } if marks.builtin == Some(builtin as u32) => Some(length),
                _ => None,
            }
        })
    })
}

/// SPIRV-Cross gives `texelFetch` of a rectangle a level of detail, which GLSL refuses: takes it out.
fn without_rectangle_lods(mut text: String, module: &Module<'_>) -> String {
    for variable in &module.variables {
        let (inner, _) = module.strip_arrays(variable.ty);
        let Type::SampledImage { image } = module.ty(inner) else { continue };
        let rectangle = spirv::Dim::DimRect as u32;
        if !matches!(module.ty(*image), Type::Image { dim, .. } if *dim == rectangle) {
            continue;
        }
        let Some(name) = module.names.get(&variable.id) else { continue };
        for call in ["texelFetch(", "texelFetchOffset("] {
            let start = format!("{call}{name}");
            let mut from = 0;
            while let Some(at) = text.get(from..).and_then(|rest| rest.find(&start)) {
                let open = from + at + call.len();
                from = open;
                // The third argument, if the name does not merely begin another one.
                let named = text.get(open + name.len()..).unwrap_or("");
                if named.starts_with([',', '['])
                    && let Some([begin, end]) = argument(&text, open, 2)
                    && text.get(begin..end).is_some_and(|lod| lod.trim() == "0")
                {
                    text.replace_range(begin - 1..end, "");
                }
            }
        }
    }
    text
}

/// Where argument `wanted` of a call stands, whose arguments begin at `open`.
fn argument(text: &str, open: usize, wanted: usize) -> Option<[usize; 2]> {
    let (mut depth, mut index, mut begin) = (0, 0, open);
    for (offset, byte) in text.bytes().enumerate().skip(open) {
        let closes = depth == 0 && byte == b')';
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            _ => {}
        }
        if closes || (depth == 0 && byte == b',') {
            if index == wanted {
                return Some([begin, offset]);
            }
            index += 1;
            begin = offset + 1;
        }
        if closes {
            break;
        }
    }
    None
}
