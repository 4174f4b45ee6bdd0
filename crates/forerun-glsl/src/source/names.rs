//! Names that changed their meaning between language versions.

/// Before a name of the program that the raised language would misread.
pub const RENAMED: &str = "frn_";

/// Words that are keywords at 460 or 320 es, with the first version in which they are:
/// (desktop, ES); 0 where the raised language of that family never makes it one.
const KEYWORDS: &[(&[&str], u32, u32)] = &[
    (&["centroid", "invariant"], 120, 300),
    (&["lowp", "mediump", "highp", "precision"], 130, 0),
    (&["uint", "uvec2", "uvec3", "uvec4", "switch", "case", "default"], 130, 300),
    (&["smooth", "flat"], 130, 300),
    (&["noperspective"], 130, 300),
    (&["layout"], 140, 300),
    (&["mat2x2", "mat2x3", "mat2x4", "mat3x2", "mat3x3", "mat3x4"], 120, 300),
    (&["mat4x2", "mat4x3", "mat4x4"], 120, 300),
    (&["sampler3D", "sampler2DArray", "samplerCubeShadow", "sampler2DShadow"], 130, 300),
    (&["sampler2DArrayShadow", "isampler2D", "isampler3D", "isamplerCube"], 130, 300),
    (&["isampler2DArray", "usampler2D", "usampler3D", "usamplerCube", "usampler2DArray"], 130, 300),
    (&["sampler1DArray", "sampler1DArrayShadow", "isampler1D", "isampler1DArray"], 130, 300),
    (&["usampler1D", "usampler1DArray", "sampler1D", "sampler1DShadow"], 130, 300),
    (&["samplerBuffer", "isamplerBuffer", "usamplerBuffer"], 140, 320),
    (&["sampler2DRect", "sampler2DRectShadow", "isampler2DRect", "usampler2DRect"], 140, 300),
    (&["sampler2DMS", "isampler2DMS", "usampler2DMS"], 150, 310),
    (&["sampler2DMSArray", "isampler2DMSArray", "usampler2DMSArray"], 150, 320),
    (&["samplerCubeArray", "samplerCubeArrayShadow"], 400, 320),
    (&["isamplerCubeArray", "usamplerCubeArray"], 400, 320),
    (&["patch", "sample", "subroutine"], 400, 320),
    (&["double", "dvec2", "dvec3", "dvec4"], 400, 300),
    (&["dmat2", "dmat3", "dmat4", "dmat2x2", "dmat2x3", "dmat2x4"], 400, 300),
    (&["dmat3x2", "dmat3x3", "dmat3x4", "dmat4x2", "dmat4x3", "dmat4x4"], 400, 300),
    (&["coherent", "volatile", "restrict", "readonly", "writeonly"], 420, 310),
    (&["atomic_uint"], 420, 310),
    (&["image1D", "image2D", "image3D", "image2DRect", "imageCube", "imageBuffer"], 420, 310),
    (&["image1DArray", "image2DArray", "imageCubeArray", "image2DMS", "image2DMSArray"], 420, 310),
    (&["iimage1D", "iimage2D", "iimage3D", "iimage2DRect", "iimageCube"], 420, 310),
    (&["iimageBuffer", "iimage1DArray", "iimage2DArray", "iimageCubeArray"], 420, 310),
    (&["uimage1D", "uimage2D", "uimage3D", "uimage2DRect", "uimageCube"], 420, 310),
    (&["uimageBuffer", "uimage1DArray", "uimage2DArray", "uimageCubeArray"], 420, 310),
    (&["buffer", "shared"], 430, 310),
    (&["precise"], 400, 320),
    (&["resource"], 420, 300),
    (&["common", "partition", "active", "filter"], 130, 300),
    // Reserved in glslang although no version of the language says so.
    (&["texture1D", "texture2D", "texture3D", "textureCube", "sampler", "samplerShadow"], 999, 999),
    (&["subpassInput", "isubpassInput", "usubpassInput", "demote", "nonuniformEXT"], 999, 999),
    (&["texture2DArray", "textureBuffer", "textureCubeArray", "texture2DMS"], 999, 999),
];

/// The functions of deprecated noise, by the number of components that they give.
pub const NOISE: [&str; 4] = ["noise1", "noise2", "noise3", "noise4"];

/// True if `word` is an ordinary identifier in the version and a keyword at the raised one.
pub fn became_keyword(word: &str, es: bool, version: u32) -> bool {
    KEYWORDS.iter().any(|(words, desktop, es_since)| {
        let since = if es { *es_since } else { *desktop };
        since > version && words.contains(&word)
    })
}

/// Built-in functions that ES gained after a version: (version, names).
const ES_FUNCTIONS: &[(u32, &[&str])] = &[
    (
        300,
        &[
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "acosh",
            "atanh",
            "trunc",
            "round",
            "roundEven",
            "modf",
            "isnan",
            "isinf",
            "floatBitsToInt",
            "floatBitsToUint",
            "intBitsToFloat",
            "uintBitsToFloat",
            "packSnorm2x16",
            "unpackSnorm2x16",
            "packUnorm2x16",
            "unpackUnorm2x16",
            "packHalf2x16",
            "unpackHalf2x16",
            "outerProduct",
            "transpose",
            "determinant",
            "inverse",
            "textureSize",
            "texture",
            "textureProj",
            "textureLod",
            "textureOffset",
            "texelFetch",
            "texelFetchOffset",
            "textureProjOffset",
            "textureLodOffset",
            "textureProjLod",
            "textureProjLodOffset",
            "textureGrad",
            "textureGradOffset",
            "textureProjGrad",
            "textureProjGradOffset",
            "dFdx",
            "dFdy",
            "fwidth",
        ],
    ),
    (
        310,
        &[
            "frexp",
            "ldexp",
            "packUnorm4x8",
            "packSnorm4x8",
            "unpackUnorm4x8",
            "unpackSnorm4x8",
            "bitfieldExtract",
            "bitfieldInsert",
            "bitfieldReverse",
            "bitCount",
            "findLSB",
            "findMSB",
            "uaddCarry",
            "usubBorrow",
            "umulExtended",
            "imulExtended",
            "textureGather",
            "textureGatherOffset",
            "atomicCounter",
            "atomicCounterIncrement",
            "atomicCounterDecrement",
            "atomicAdd",
            "atomicMin",
            "atomicMax",
            "atomicAnd",
            "atomicOr",
            "atomicXor",
            "atomicExchange",
            "atomicCompSwap",
            "imageSize",
            "imageLoad",
            "imageStore",
            "barrier",
            "memoryBarrier",
            "memoryBarrierAtomicCounter",
            "memoryBarrierBuffer",
            "memoryBarrierImage",
            "memoryBarrierShared",
            "groupMemoryBarrier",
            "mix",
        ],
    ),
    (
        320,
        &[
            "fma",
            "imageAtomicAdd",
            "imageAtomicMin",
            "imageAtomicMax",
            "imageAtomicAnd",
            "imageAtomicOr",
            "imageAtomicXor",
            "imageAtomicExchange",
            "imageAtomicCompSwap",
            "interpolateAtCentroid",
            "interpolateAtSample",
            "interpolateAtOffset",
            "EmitVertex",
            "EndPrimitive",
            "textureGatherOffsets",
        ],
    ),
];

/// True if a function of that name is the program's own in the version, but a built-in at 320 es.
pub fn became_function(word: &str, version: u32) -> bool {
    let added =
        |since: u32| ES_FUNCTIONS.iter().any(|(s, list)| *s == since && list.contains(&word));
    // `mix` gained overloads only; the program may still not redefine it.
    word != "mix" && [300, 310, 320].iter().any(|&since| since > version && added(since))
}

/// The modern name of a texture look-up of the old languages; None when it is not one.
///
/// `shadow…` look-ups of the desktop gave a vector, see [`shadow`].
pub fn texture(word: &str) -> Option<&'static str> {
    const SHAPES: &[&str] = &[
        "texture1DArray",
        "texture2DArray",
        "texture2DRect",
        "texture1D",
        "texture2D",
        "texture3D",
        "textureCube",
    ];
    let rest = SHAPES.iter().find_map(|shape| word.strip_prefix(shape))?;
    Some(match rest {
        "" => "texture",
        "Proj" => "textureProj",
        "Lod" | "LodEXT" => "textureLod",
        "ProjLod" | "ProjLodEXT" => "textureProjLod",
        "Grad" | "GradARB" | "GradEXT" => "textureGrad",
        "ProjGrad" | "ProjGradARB" | "ProjGradEXT" => "textureProjGrad",
        "Offset" => "textureOffset",
        "ProjOffset" => "textureProjOffset",
        "LodOffset" => "textureLodOffset",
        "ProjLodOffset" => "textureProjLodOffset",
        "GradOffset" => "textureGradOffset",
        "ProjGradOffset" => "textureProjGradOffset",
        _ => return None,
    })
}

/// True for the names that [`texture`] gives.
pub fn is_modern_lookup(word: &str) -> bool {
    matches!(
        word,
        "texture"
            | "textureProj"
            | "textureLod"
            | "textureProjLod"
            | "textureGrad"
            | "textureProjGrad"
            | "textureOffset"
            | "textureProjOffset"
            | "textureLodOffset"
            | "textureProjLodOffset"
            | "textureGradOffset"
            | "textureProjGradOffset"
    )
}

/// The modern look-up behind an old depth look-up of ES (`shadow2DEXT`), which gives a scalar.
pub fn shadow_es(word: &str) -> Option<&'static str> {
    match word {
        "shadow2DEXT" => Some("texture"),
        "shadow2DProjEXT" => Some("textureProj"),
        _ => None,
    }
}

/// (look-up, sampler type, coordinate type) behind an old depth look-up of the desktop, which gives a vector.
pub fn shadow(word: &str) -> Option<(&'static str, &'static str, &'static str)> {
    const SHAPES: &[(&str, &str, &str, &str)] = &[
        ("shadow1DArray", "sampler1DArrayShadow", "vec3", ""),
        ("shadow2DArray", "sampler2DArrayShadow", "vec4", ""),
        ("shadow2DRect", "sampler2DRectShadow", "vec3", "vec4"),
        ("shadowCube", "samplerCubeShadow", "vec4", ""),
        ("shadow1D", "sampler1DShadow", "vec3", "vec4"),
        ("shadow2D", "sampler2DShadow", "vec3", "vec4"),
    ];
    let (rest, sampler, plain, proj) = SHAPES
        .iter()
        .find_map(|(shape, s, plain, proj)| Some((word.strip_prefix(shape)?, *s, *plain, *proj)))?;
    Some(match rest {
        "" => ("texture", sampler, plain),
        "Proj" if !proj.is_empty() => ("textureProj", sampler, proj),
        "Lod" => ("textureLod", sampler, plain),
        "ProjLod" if !proj.is_empty() => ("textureProjLod", sampler, proj),
        _ => return None,
    })
}

/// Built-ins of ES extensions that glslang lacks: SPIR-V's number of the built-in, and the capability that it needs.
pub fn adopted(word: &str) -> Option<(u32, u32)> {
    match word {
        "gl_ViewportIndex" | "fr_ViewportIndex" => Some((10, 57)),
        "gl_ClipDistance" | "fr_ClipDistance" => Some((3, 32)),
        "gl_CullDistance" | "fr_CullDistance" => Some((4, 33)),
        _ => None,
    }
}

/// What an atomic counter function is made of, as the tail of a macro. Counters are unsigned integers in a buffer here;
/// glslang's own lowering is invalid for some of these and lacks others.
pub fn counter_function(word: &str) -> Option<&'static str> {
    Some(match word {
        "atomicCounterIncrement" => "(c) atomicAdd(c, 1u)",
        "atomicCounterDecrement" => "(c) (atomicAdd(c, 0xFFFFFFFFu) - 1u)",
        "atomicCounterAddARB" | "atomicCounterAdd" => "(c, x) atomicAdd(c, x)",
        "atomicCounterSubtractARB" | "atomicCounterSubtract" => "(c, x) atomicAdd(c, 0u - (x))",
        "atomicCounterMinARB" | "atomicCounterMin" => "(c, x) atomicMin(c, x)",
        "atomicCounterMaxARB" | "atomicCounterMax" => "(c, x) atomicMax(c, x)",
        "atomicCounterAndARB" | "atomicCounterAnd" => "(c, x) atomicAnd(c, x)",
        "atomicCounterOrARB" | "atomicCounterOr" => "(c, x) atomicOr(c, x)",
        "atomicCounterXorARB" | "atomicCounterXor" => "(c, x) atomicXor(c, x)",
        "atomicCounterExchangeARB" | "atomicCounterExchange" => "(c, x) atomicExchange(c, x)",
        "atomicCounterCompSwapARB" | "atomicCounterCompSwap" => "(c, x, y) atomicCompSwap(c, x, y)",
        _ => return None,
    })
}

/// The program's name behind a name in SPIR-V or in a log of glslang.
pub fn original(name: &str) -> String {
    name.replace(RENAMED, "")
        .replace("fr_FragColor", "gl_FragColor")
        .replace("fr_FragData", "gl_FragData")
        .replace("fr_LastFragData", "gl_LastFragData")
        .replace("fr_main", "main")
        .replace("fr_SecondaryFragColor", "gl_SecondaryFragColorEXT")
        .replace("fr_SecondaryFragData", "gl_SecondaryFragDataEXT")
        .replace("fr_DepthRange", "gl_DepthRange")
        .replace("fr_MaxVaryingVectors", "gl_MaxVaryingVectors")
        .replace("fr_NumSamples", "gl_NumSamples")
        .replace("fr_ViewportIndex", "gl_ViewportIndex")
        .replace("fr_ClipDistance", "gl_ClipDistance")
        .replace("fr_CullDistance", "gl_CullDistance")
        .replace("fr_no_GL_", "GL_")
        .replace("fr_yes", "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_look_ups_have_modern_names() {
        assert_eq!(texture("texture2DProjLod"), Some("textureProjLod"));
        assert_eq!(texture("texture2DArray"), Some("texture"));
        assert_eq!(texture("texture2DRectProj"), Some("textureProj"));
        assert_eq!(texture("texture2Dx"), None);
        assert_eq!(texture("textureSize"), None);
        assert_eq!(shadow("shadow1D"), Some(("texture", "sampler1DShadow", "vec3")));
        assert_eq!(shadow("shadow2DProj"), Some(("textureProj", "sampler2DShadow", "vec4")));
        assert_eq!(shadow("shadows"), None);
    }

    #[test]
    fn keywords_are_known_by_version() {
        assert!(became_keyword("sample", false, 330));
        assert!(!became_keyword("sample", false, 400));
        assert!(became_keyword("sample", true, 100));
        assert!(became_keyword("texture2D", false, 460));
        assert!(!became_keyword("uniform", false, 110));
        assert!(became_function("round", 100) && !became_function("round", 300));
    }
}
