//! Framebuffer configurations: what there is, what a program asks for, and in which order matches stand (EGL 1.5, §3.4).

use crate::egl::*;
use crate::error::{Result, fail};
use crate::wishes::{Match, Row, Wishes};
use forerun_x11::Visual;

/// Largest pbuffer side that is promised without asking a server.
pub const MAX_PBUFFER_SIDE: EGLint = 8192;

/// One configuration. All have 8 bits per colour channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// EGL_CONFIG_ID, from 1; also its handle.
    pub id: EGLint,
    /// Bits of alpha.
    pub alpha: EGLint,
    /// Bits of depth.
    pub depth: EGLint,
    /// Bits of stencil.
    pub stencil: EGLint,
    /// Samples; 0 for single-sampled.
    pub samples: EGLint,
    /// EGL_SURFACE_TYPE.
    pub surfaces: EGLint,
    /// EGL_RENDERABLE_TYPE and EGL_CONFORMANT.
    pub renderable: EGLint,
    /// Visual of windows, where there are windows.
    pub visual: Option<Visual>,
}

/// Clients that a config may serve, given what the server can do.
pub fn renderable(caps: &forerun_pipe::caps::Caps) -> EGLint {
    let mut bits = 0;
    if caps.max_es >= 20 {
        bits |= OPENGL_ES2_BIT;
    }
    if caps.max_es >= 30 {
        bits |= OPENGL_ES3_BIT;
    }
    if caps.max_core >= 31 {
        bits |= OPENGL_BIT;
    }
    bits
}

/// All configs of a display with those visuals (none where the platform has none); `native` are the bits of EGL_SURFACE_TYPE that native
/// drawables have.
pub fn table(
    visuals: &[Visual],
    native: EGLint,
    renderable: EGLint,
    samples: &[EGLint],
) -> Vec<Config> {
    const DEPTH_STENCIL: [(EGLint, EGLint); 3] = [(24, 8), (24, 0), (0, 0)];
    // A window of depth 24 serves configs with alpha too: the compositor ignores it there, and it is what programs expect.
    let mut colors: Vec<(EGLint, Option<Visual>)> = Vec::new();
    if visuals.is_empty() {
        colors.extend([(8, None), (0, None)]);
    } else {
        for alpha in [8, 0] {
            let fits = visuals.iter().filter(|v| v.depth == 24 || (v.depth == 32 && alpha == 8));
            colors.extend(fits.map(|v| (alpha, Some(*v))));
        }
    }
    let surfaces = PBUFFER_BIT | SWAP_BEHAVIOR_PRESERVED_BIT | native;
    let mut out = Vec::new();
    for &samples in samples {
        for &(alpha, visual) in &colors {
            for (depth, stencil) in DEPTH_STENCIL {
                let id = out.len() as EGLint + 1;
                out.push(Config {
                    id,
                    alpha,
                    depth,
                    stencil,
                    samples,
                    surfaces,
                    renderable,
                    visual,
                });
            }
        }
    }
    out
}

impl Config {
    /// Whether a surface of that config serves a context of this one: buffers of different depths cannot be one context's.
    pub fn fits(&self, other: &Config) -> bool {
        (self.depth, self.stencil, self.samples) == (other.depth, other.stencil, other.samples)
    }

    /// EGL_BUFFER_SIZE and GLX_BUFFER_SIZE.
    pub fn buffer_size(&self) -> EGLint {
        24 + self.alpha
    }

    /// The colour channels by EGL's names, with their bits.
    fn channels(&self) -> [(EGLint, EGLint); 4] {
        [(RED_SIZE, 8), (GREEN_SIZE, 8), (BLUE_SIZE, 8), (ALPHA_SIZE, self.alpha)]
    }

    /// The value of an attribute of eglGetConfigAttrib.
    ///
    /// # Errors
    /// EGL_BAD_ATTRIBUTE.
    pub fn get(&self, attribute: EGLint) -> Result<EGLint> {
        Ok(match attribute {
            BUFFER_SIZE => self.buffer_size(),
            RED_SIZE | GREEN_SIZE | BLUE_SIZE => 8,
            ALPHA_SIZE => self.alpha,
            LUMINANCE_SIZE | ALPHA_MASK_SIZE => 0,
            DEPTH_SIZE => self.depth,
            STENCIL_SIZE => self.stencil,
            SAMPLES => self.samples,
            SAMPLE_BUFFERS => EGLint::from(self.samples > 0),
            BIND_TO_TEXTURE_RGB | BIND_TO_TEXTURE_RGBA => FALSE as EGLint,
            COLOR_BUFFER_TYPE => RGB_BUFFER,
            COLOR_COMPONENT_TYPE_EXT => COLOR_COMPONENT_TYPE_FIXED_EXT,
            CONFIG_CAVEAT => NONE,
            CONFIG_ID => self.id,
            CONFORMANT | RENDERABLE_TYPE => self.renderable,
            LEVEL => 0,
            MAX_PBUFFER_WIDTH | MAX_PBUFFER_HEIGHT => MAX_PBUFFER_SIDE,
            MAX_PBUFFER_PIXELS => MAX_PBUFFER_SIDE * MAX_PBUFFER_SIDE,
            MIN_SWAP_INTERVAL => 0,
            MAX_SWAP_INTERVAL => 1,
            NATIVE_RENDERABLE => EGLint::from(self.visual.is_some()),
            NATIVE_VISUAL_ID => self.visual.map_or(0, |v| v.id as EGLint),
            NATIVE_VISUAL_TYPE => self.visual.map_or(NONE, |v| v.class.into()),
            SURFACE_TYPE => self.surfaces,
            TRANSPARENT_TYPE => NONE,
            TRANSPARENT_RED_VALUE | TRANSPARENT_GREEN_VALUE | TRANSPARENT_BLUE_VALUE => 0,
            _ => {
                return fail(BAD_ATTRIBUTE, format!("{attribute:#06x} is no attribute of configs"));
            }
        })
    }
}

/// Attributes of eglChooseConfig: how they are compared and what is asked when they are left out.
const ATTRIBUTES: &[Row] = &[
    (BUFFER_SIZE, Match::AtLeast, 0),
    (RED_SIZE, Match::AtLeast, 0),
    (GREEN_SIZE, Match::AtLeast, 0),
    (BLUE_SIZE, Match::AtLeast, 0),
    (ALPHA_SIZE, Match::AtLeast, 0),
    (LUMINANCE_SIZE, Match::AtLeast, 0),
    (ALPHA_MASK_SIZE, Match::AtLeast, 0),
    (BIND_TO_TEXTURE_RGB, Match::Exact, DONT_CARE),
    (BIND_TO_TEXTURE_RGBA, Match::Exact, DONT_CARE),
    (COLOR_BUFFER_TYPE, Match::Exact, RGB_BUFFER),
    (COLOR_COMPONENT_TYPE_EXT, Match::Exact, COLOR_COMPONENT_TYPE_FIXED_EXT),
    (CONFIG_CAVEAT, Match::Exact, DONT_CARE),
    (CONFIG_ID, Match::Exact, DONT_CARE),
    (CONFORMANT, Match::Mask, 0),
    (DEPTH_SIZE, Match::AtLeast, 0),
    (LEVEL, Match::Exact, 0),
    (MAX_PBUFFER_WIDTH, Match::Ignored, 0),
    (MAX_PBUFFER_HEIGHT, Match::Ignored, 0),
    (MAX_PBUFFER_PIXELS, Match::Ignored, 0),
    (MAX_SWAP_INTERVAL, Match::Exact, DONT_CARE),
    (MIN_SWAP_INTERVAL, Match::Exact, DONT_CARE),
    (NATIVE_RENDERABLE, Match::Exact, DONT_CARE),
    (NATIVE_VISUAL_ID, Match::Ignored, 0),
    (NATIVE_VISUAL_TYPE, Match::Exact, DONT_CARE),
    (RENDERABLE_TYPE, Match::Mask, OPENGL_ES_BIT),
    (SAMPLE_BUFFERS, Match::AtLeast, 0),
    (SAMPLES, Match::AtLeast, 0),
    (STENCIL_SIZE, Match::AtLeast, 0),
    (SURFACE_TYPE, Match::Mask, WINDOW_BIT),
    (TRANSPARENT_TYPE, Match::Exact, NONE),
    // Nothing is transparent, which makes these values ones that do not count.
    (TRANSPARENT_RED_VALUE, Match::Ignored, DONT_CARE),
    (TRANSPARENT_GREEN_VALUE, Match::Ignored, DONT_CARE),
    (TRANSPARENT_BLUE_VALUE, Match::Ignored, DONT_CARE),
];

/// What a program asks of eglChooseConfig.
#[derive(Clone, Debug)]
pub struct Request {
    wishes: Wishes,
    /// EGL_MATCH_NATIVE_PIXMAP, to be turned into a depth by the caller.
    pub pixmap: Option<EGLint>,
}

impl Request {
    /// Reads attribute pairs (without the terminator).
    ///
    /// # Errors
    /// EGL_BAD_ATTRIBUTE for an unknown attribute or an impossible value.
    pub fn parse(pairs: &[(EGLint, EGLint)]) -> Result<Request> {
        let mut wishes = Wishes::new(ATTRIBUTES);
        let mut pixmap = None;
        for &(name, value) in pairs {
            if name == MATCH_NATIVE_PIXMAP {
                pixmap = (value != NONE && value != DONT_CARE).then_some(value);
                continue;
            }
            let Some((row, slot)) = wishes.slot(name) else {
                return fail(BAD_ATTRIBUTE, format!("{name:#06x} is no attribute of configs"));
            };
            check(name, row.1, value)?;
            *slot = value;
        }
        Ok(Request { wishes, pixmap })
    }

    /// The configs that match, best first (EGL 1.5, §3.4.1.2).
    pub fn choose(&self, configs: &[Config]) -> Vec<Config> {
        let admits = |c: &&Config| self.wishes.admits(CONFIG_ID, |name| c.get(name).ok());
        let mut found: Vec<Config> = configs.iter().filter(admits).copied().collect();
        found.sort_by_key(|c| {
            let bits = self.wishes.bits(c.channels());
            (-bits, c.buffer_size(), c.samples, c.depth, c.stencil, c.id)
        });
        found
    }
}

/// Values that can never be asked for.
fn check(name: EGLint, how: Match, value: EGLint) -> Result<()> {
    let fine = match name {
        LEVEL => value != DONT_CARE,
        CONFIG_CAVEAT => matches!(value, DONT_CARE | NONE | SLOW_CONFIG | NON_CONFORMANT_CONFIG),
        COLOR_BUFFER_TYPE => matches!(value, DONT_CARE | RGB_BUFFER | LUMINANCE_BUFFER),
        COLOR_COMPONENT_TYPE_EXT => {
            matches!(
                value,
                DONT_CARE | COLOR_COMPONENT_TYPE_FIXED_EXT | COLOR_COMPONENT_TYPE_FLOAT_EXT
            )
        }
        TRANSPARENT_TYPE => matches!(value, DONT_CARE | NONE | TRANSPARENT_RGB),
        BIND_TO_TEXTURE_RGB | BIND_TO_TEXTURE_RGBA | NATIVE_RENDERABLE => {
            matches!(value, DONT_CARE | 0 | 1)
        }
        SAMPLE_BUFFERS => matches!(value, DONT_CARE | 0 | 1),
        CONFIG_ID => value == DONT_CARE || value > 0,
        _ if how == Match::AtLeast => value >= DONT_CARE,
        _ => true,
    };
    if fine { Ok(()) } else { fail(BAD_ATTRIBUTE, format!("{name:#06x} cannot be {value:#x}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V24: Visual = Visual { id: 0x21, depth: 24, class: 4 };
    const V32: Visual = Visual { id: 0x5a, depth: 32, class: 4 };

    fn configs() -> Vec<Config> {
        table(
            &[V24, V32],
            WINDOW_BIT | PIXMAP_BIT,
            OPENGL_ES2_BIT | OPENGL_ES3_BIT | OPENGL_BIT,
            &[0, 4],
        )
    }

    fn choose(pairs: &[(EGLint, EGLint)]) -> Vec<Config> {
        Request::parse(pairs).unwrap().choose(&configs())
    }

    #[test]
    fn ids_are_dense_from_one_and_visuals_are_real() {
        for (i, config) in configs().iter().enumerate() {
            assert_eq!(config.id as usize, i + 1);
            let visual = config.get(NATIVE_VISUAL_ID).unwrap();
            assert!(visual == 0x21 || (visual == 0x5a && config.alpha == 8));
        }
    }

    #[test]
    fn the_default_request_is_es1_which_nothing_has() {
        assert!(choose(&[]).is_empty());
    }

    #[test]
    fn what_is_not_asked_for_is_left_out_of_the_first_match() {
        let first = choose(&[(RENDERABLE_TYPE, OPENGL_ES2_BIT), (DEPTH_SIZE, 16)])[0];
        assert_eq!((first.alpha, first.depth, first.stencil, first.samples), (0, 24, 0, 0));
        let first = choose(&[
            (RENDERABLE_TYPE, OPENGL_ES2_BIT),
            (RED_SIZE, 5),
            (GREEN_SIZE, 6),
            (BLUE_SIZE, 5),
            (ALPHA_SIZE, 1),
            (STENCIL_SIZE, 1),
        ])[0];
        assert_eq!((first.alpha, first.depth, first.stencil, first.samples), (8, 24, 8, 0));
        assert_eq!(first.visual, Some(V24));
    }

    #[test]
    fn more_color_bits_come_first_only_for_channels_that_were_asked_for() {
        let with_alpha = choose(&[(RENDERABLE_TYPE, OPENGL_BIT), (ALPHA_SIZE, 1)]);
        assert!(with_alpha.iter().all(|c| c.alpha == 8));
        let without = choose(&[(RENDERABLE_TYPE, OPENGL_BIT), (RED_SIZE, 8)]);
        assert_eq!(without[0].alpha, 0);
        assert_eq!(without.last().unwrap().alpha, 8);
    }

    #[test]
    fn the_config_id_overrides_everything_else() {
        let got = choose(&[(CONFIG_ID, 7), (SAMPLES, 16), (SURFACE_TYPE, 0x8000)]);
        assert_eq!(got.iter().map(|c| c.id).collect::<Vec<_>>(), [7]);
    }

    #[test]
    fn impossible_values_and_unknown_attributes_are_refused() {
        for pair in
            [(LEVEL, DONT_CARE), (CONFIG_CAVEAT, 5), (0x1234, 0), (RED_SIZE, -2), (CONFIG_ID, 0)]
        {
            assert_eq!(Request::parse(&[pair]).unwrap_err().code, BAD_ATTRIBUTE, "{pair:x?}");
        }
        assert_eq!(configs()[0].get(0x1234).unwrap_err().code, BAD_ATTRIBUTE);
    }

    #[test]
    fn without_windows_no_config_has_a_visual_or_serves_windows() {
        for config in table(&[], 0, OPENGL_ES2_BIT, &[0]) {
            assert_eq!(config.get(SURFACE_TYPE).unwrap() & (WINDOW_BIT | PIXMAP_BIT), 0);
            assert_eq!(config.get(NATIVE_VISUAL_ID).unwrap(), 0);
        }
    }
}
