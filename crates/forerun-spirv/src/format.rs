//! Image formats: GL internal format tokens and their SPIR-V numbers.

use spirv::ImageFormat as F;

/// Token, SPIR-V format, and whether ESSL 3.20 has it without `GL_NV_image_formats`.
const TABLE: &[(u32, F, bool)] = &[
    (0x8814, F::Rgba32f, true),
    (0x881A, F::Rgba16f, true),
    (0x822E, F::R32f, true),
    (0x8058, F::Rgba8, true),
    (0x8F97, F::Rgba8Snorm, true),
    (0x8D82, F::Rgba32i, true),
    (0x8D88, F::Rgba16i, true),
    (0x8D8E, F::Rgba8i, true),
    (0x8235, F::R32i, true),
    (0x8D70, F::Rgba32ui, true),
    (0x8D76, F::Rgba16ui, true),
    (0x8D7C, F::Rgba8ui, true),
    (0x8236, F::R32ui, true),
    (0x8230, F::Rg32f, false),
    (0x822F, F::Rg16f, false),
    (0x8C3A, F::R11fG11fB10f, false),
    (0x822D, F::R16f, false),
    (0x805B, F::Rgba16, false),
    (0x8059, F::Rgb10A2, false),
    (0x822C, F::Rg16, false),
    (0x822B, F::Rg8, false),
    (0x822A, F::R16, false),
    (0x8229, F::R8, false),
    (0x8F9B, F::Rgba16Snorm, false),
    (0x8F99, F::Rg16Snorm, false),
    (0x8F95, F::Rg8Snorm, false),
    (0x8F98, F::R16Snorm, false),
    (0x8F94, F::R8Snorm, false),
    (0x906F, F::Rgb10a2ui, false),
    (0x823B, F::Rg32i, false),
    (0x8239, F::Rg16i, false),
    (0x8237, F::Rg8i, false),
    (0x8233, F::R16i, false),
    (0x8231, F::R8i, false),
    (0x823C, F::Rg32ui, false),
    (0x823A, F::Rg16ui, false),
    (0x8238, F::Rg8ui, false),
    (0x8234, F::R16ui, false),
    (0x8232, F::R8ui, false),
];

/// The SPIR-V number of a GL internal format, if images can have it (GL 4.6, table 8.26).
pub(crate) fn from_gl(token: u32) -> Option<u32> {
    TABLE.iter().find(|row| row.0 == token).map(|row| row.1 as u32)
}

/// Whether ESSL 3.20 has the format only with `GL_NV_image_formats`.
pub(crate) fn needs_nv_formats(format: u32) -> bool {
    TABLE.iter().any(|row| row.1 as u32 == format && !row.2)
}

/// A format of the same kind that ESSL has of its own, and its layout qualifier.
pub(crate) fn nv_stand_in(format: u32) -> (u32, &'static str) {
    if format >= F::Rgba32ui as u32 {
        (F::Rgba8ui as u32, "rgba8ui")
    } else if format >= F::Rgba32i as u32 {
        (F::Rgba8i as u32, "rgba8i")
    } else {
        (F::Rgba8 as u32, "rgba8")
    }
}

/// The layout qualifier of such a format.
pub(crate) fn nv_word(format: u32) -> Option<String> {
    let (_, format, _) = TABLE.iter().find(|row| row.1 as u32 == format && !row.2)?;
    Some(match format {
        F::R11fG11fB10f => "r11f_g11f_b10f".into(),
        F::Rgb10A2 => "rgb10_a2".into(),
        F::Rgb10a2ui => "rgb10_a2ui".into(),
        plain => format!("{plain:?}").to_lowercase().replace("snorm", "_snorm"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_the_extension_have_its_words() {
        assert_eq!(nv_word(F::Rg8Snorm as u32).as_deref(), Some("rg8_snorm"));
        assert_eq!(nv_word(F::R11fG11fB10f as u32).as_deref(), Some("r11f_g11f_b10f"));
        assert_eq!(nv_word(F::Rg32ui as u32).as_deref(), Some("rg32ui"));
        assert_eq!(nv_word(F::Rgba8 as u32), None);
    }
}
