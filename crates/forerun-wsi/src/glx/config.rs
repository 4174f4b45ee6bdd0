//! GLXFBConfigs and visuals: what there is, what a program asks for, and in which order matches stand (GLX 1.4, §3.3.3 and §3.4.1).
//! Each is a config of the display, with or without a back buffer.

use super::tokens::*;
use crate::config::{Config, MAX_PBUFFER_SIDE};
use crate::wishes::{Match, Row, Wishes};
use forerun_x11::Visual;
use std::ffi::c_int;

/// A framebuffer configuration of GLX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FbConfig {
    /// GLX_FBCONFIG_ID, from 1.
    pub id: c_int,
    /// The config that it stands on; its visual is this one's own where the X server has enough.
    pub config: Config,
    /// GLX_DOUBLEBUFFER.
    pub double: bool,
    /// GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB.
    pub srgb: bool,
    /// Whether glXChooseVisual and glXGetConfig know it by its visual.
    pub owns_visual: bool,
}

/// Handles of GLXFBConfigs begin here. They are numbers, the same on every display.
const FIRST_HANDLE: usize = 0x0FB0_0000;
/// Handles of a screen's configs.
const PER_SCREEN: usize = 0x1_0000;
/// Handles are this far apart.
const STEP: usize = 16;

/// All GLXFBConfigs of a screen, from the configs of its display and the X server's visuals.
///
/// A visual stands for one config, as GLX 1.2 has it, for as long as there are visuals of that depth; what comes later shares the first.
pub fn table(configs: &[Config], visuals: &[Visual]) -> Vec<FbConfig> {
    let mut out: Vec<FbConfig> = Vec::new();
    let mut taken = vec![false; visuals.len()];
    for (double, srgb) in [(true, false), (false, false), (true, true)] {
        for config in configs {
            let mut config = *config;
            let mut owns_visual = false;
            if let Some(first) = config.visual {
                let free = visuals
                    .iter()
                    .zip(&mut taken)
                    .find(|(visual, taken)| visual.depth == first.depth && !**taken);
                if let Some((visual, taken)) = free {
                    config.visual = Some(*visual);
                    (*taken, owns_visual) = (true, true);
                }
            }
            let id = out.len() as c_int + 1;
            out.push(FbConfig { id, config, double, srgb, owns_visual });
        }
    }
    out
}

/// The GLXFBConfig of a number.
pub fn handle(screen: c_int, id: c_int) -> GLXFBConfig {
    FIRST_HANDLE + screen.max(0) as usize * PER_SCREEN + id.max(0) as usize * STEP
}

/// Screen and number of a GLXFBConfig, if it may be one.
pub fn parts(handle: GLXFBConfig) -> Option<(c_int, c_int)> {
    let offset = handle.checked_sub(FIRST_HANDLE)?;
    let (screen, rest) = (offset / PER_SCREEN, offset % PER_SCREEN);
    (screen < 256 && rest % STEP == 0).then_some((screen as c_int, (rest / STEP) as c_int))
}

impl FbConfig {
    /// The value of an attribute of glXGetFBConfigAttrib; `None` for what is none.
    pub fn get(&self, screen: c_int, attribute: c_int) -> Option<c_int> {
        let config = &self.config;
        Some(match attribute {
            FBCONFIG_ID => self.id,
            SCREEN => screen,
            BUFFER_SIZE => config.buffer_size(),
            LEVEL | STEREO | AUX_BUFFERS => 0,
            DOUBLEBUFFER => c_int::from(self.double),
            RED_SIZE | GREEN_SIZE | BLUE_SIZE => 8,
            ALPHA_SIZE => config.alpha,
            DEPTH_SIZE => config.depth,
            STENCIL_SIZE => config.stencil,
            ACCUM_RED_SIZE | ACCUM_GREEN_SIZE | ACCUM_BLUE_SIZE | ACCUM_ALPHA_SIZE => 0,
            SAMPLE_BUFFERS => c_int::from(config.samples > 0),
            SAMPLES => config.samples,
            RENDER_TYPE => RGBA_BIT,
            DRAWABLE_TYPE => WINDOW_BIT | PIXMAP_BIT | PBUFFER_BIT,
            X_RENDERABLE => c_int::from(config.visual.is_some()),
            VISUAL_ID => config.visual.map_or(0, |visual| visual.id as c_int),
            X_VISUAL_TYPE => {
                if config.visual.is_some() {
                    TRUE_COLOR
                } else {
                    NONE
                }
            }
            CONFIG_CAVEAT | TRANSPARENT_TYPE => NONE,
            TRANSPARENT_INDEX_VALUE
            | TRANSPARENT_RED_VALUE
            | TRANSPARENT_GREEN_VALUE
            | TRANSPARENT_BLUE_VALUE
            | TRANSPARENT_ALPHA_VALUE => 0,
            MAX_PBUFFER_WIDTH | MAX_PBUFFER_HEIGHT => MAX_PBUFFER_SIDE,
            MAX_PBUFFER_PIXELS => MAX_PBUFFER_SIDE * MAX_PBUFFER_SIDE,
            FRAMEBUFFER_SRGB_CAPABLE => c_int::from(self.srgb),
            BIND_TO_TEXTURE_RGB | BIND_TO_TEXTURE_RGBA => 0,
            _ => return None,
        })
    }
}

/// Attributes of glXChooseFBConfig: how they are compared, and what is asked when they are left out.
const ATTRIBUTES: &[Row] = &[
    (FBCONFIG_ID, Match::Exact, DONT_CARE),
    (BUFFER_SIZE, Match::AtLeast, 0),
    (LEVEL, Match::Exact, 0),
    (DOUBLEBUFFER, Match::Exact, DONT_CARE),
    (STEREO, Match::Exact, 0),
    (AUX_BUFFERS, Match::AtLeast, 0),
    (RED_SIZE, Match::AtLeast, 0),
    (GREEN_SIZE, Match::AtLeast, 0),
    (BLUE_SIZE, Match::AtLeast, 0),
    (ALPHA_SIZE, Match::AtLeast, 0),
    (DEPTH_SIZE, Match::AtLeast, 0),
    (STENCIL_SIZE, Match::AtLeast, 0),
    (ACCUM_RED_SIZE, Match::AtLeast, 0),
    (ACCUM_GREEN_SIZE, Match::AtLeast, 0),
    (ACCUM_BLUE_SIZE, Match::AtLeast, 0),
    (ACCUM_ALPHA_SIZE, Match::AtLeast, 0),
    (SAMPLE_BUFFERS, Match::AtLeast, 0),
    (SAMPLES, Match::AtLeast, 0),
    (RENDER_TYPE, Match::Mask, RGBA_BIT),
    (DRAWABLE_TYPE, Match::Mask, WINDOW_BIT),
    (X_RENDERABLE, Match::Exact, DONT_CARE),
    (VISUAL_ID, Match::Ignored, DONT_CARE),
    (X_VISUAL_TYPE, Match::Exact, DONT_CARE),
    (CONFIG_CAVEAT, Match::Exact, DONT_CARE),
    (TRANSPARENT_TYPE, Match::Exact, NONE),
    (TRANSPARENT_INDEX_VALUE, Match::Ignored, DONT_CARE),
    (TRANSPARENT_RED_VALUE, Match::Ignored, DONT_CARE),
    (TRANSPARENT_GREEN_VALUE, Match::Ignored, DONT_CARE),
    (TRANSPARENT_BLUE_VALUE, Match::Ignored, DONT_CARE),
    (TRANSPARENT_ALPHA_VALUE, Match::Ignored, DONT_CARE),
    (MAX_PBUFFER_WIDTH, Match::Ignored, 0),
    (MAX_PBUFFER_HEIGHT, Match::Ignored, 0),
    (MAX_PBUFFER_PIXELS, Match::Ignored, 0),
    (FRAMEBUFFER_SRGB_CAPABLE, Match::Exact, DONT_CARE),
    (BIND_TO_TEXTURE_RGB, Match::Exact, DONT_CARE),
    (BIND_TO_TEXTURE_RGBA, Match::Exact, DONT_CARE),
];

/// What a program asks of glXChooseFBConfig or glXChooseVisual.
#[derive(Clone, Debug)]
pub struct Request {
    wishes: Wishes,
    /// Whether glXChooseVisual was asked for RGBA; there is nothing else.
    rgba: bool,
}

impl Request {
    fn new() -> Request {
        Request { wishes: Wishes::new(ATTRIBUTES), rgba: true }
    }

    fn set(&mut self, name: c_int, value: c_int) -> Option<()> {
        *self.wishes.slot(name)?.1 = value;
        Some(())
    }

    /// Reads the pairs of glXChooseFBConfig; `None` when one is no attribute.
    pub fn of_pairs(pairs: &[(c_int, c_int)]) -> Option<Request> {
        let mut request = Request::new();
        for &(name, value) in pairs {
            let fine = match name {
                LEVEL => value != DONT_CARE,
                CONFIG_CAVEAT => {
                    matches!(value, DONT_CARE | NONE | SLOW_CONFIG | NON_CONFORMANT_CONFIG)
                }
                _ => true,
            };
            if !fine {
                return None;
            }
            request.set(name, value)?;
        }
        Some(request)
    }

    /// Reads the list of glXChooseVisual, without its end: some names stand alone. `None` when one is no attribute.
    pub fn of_visual(list: &[c_int]) -> Option<Request> {
        let mut request = Request::new();
        request.rgba = false;
        request.set(DOUBLEBUFFER, 0)?;
        request.set(X_RENDERABLE, 1)?;
        let mut rest = list.iter();
        while let Some(&name) = rest.next() {
            match name {
                USE_GL => {}
                RGBA => request.rgba = true,
                DOUBLEBUFFER | STEREO => request.set(name, 1)?,
                FBCONFIG_ID | DRAWABLE_TYPE | RENDER_TYPE | X_RENDERABLE => return None,
                _ => request.set(name, *rest.next()?)?,
            }
        }
        Some(request)
    }

    /// The configs that match, best first.
    pub fn choose(&self, screen: c_int, configs: &[FbConfig]) -> Vec<FbConfig> {
        let wishes = &self.wishes;
        let admits =
            |c: &&FbConfig| self.rgba && wishes.admits(FBCONFIG_ID, |name| c.get(screen, name));
        let mut found: Vec<FbConfig> = configs.iter().filter(admits).copied().collect();
        let channels = |c: &FbConfig| {
            [(RED_SIZE, 8), (GREEN_SIZE, 8), (BLUE_SIZE, 8), (ALPHA_SIZE, c.config.alpha)]
        };
        let deeper = if wishes.wants(DEPTH_SIZE) { -1 } else { 1 };
        found.sort_by_key(|c| {
            (
                -wishes.bits(channels(c)),
                c.config.buffer_size(),
                c.double,
                c.config.samples,
                deeper * c.config.depth,
                c.config.stencil,
                c.id,
            )
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::egl::{OPENGL_BIT, OPENGL_ES2_BIT};

    fn visual(id: u32, depth: u8) -> Visual {
        Visual { id, depth, class: 4 }
    }

    fn configs(visuals: &[Visual]) -> Vec<FbConfig> {
        let two = [visuals[0], *visuals.iter().find(|v| v.depth == 32).unwrap()];
        table(
            &config::table(&two, WINDOW_BIT | PIXMAP_BIT, OPENGL_BIT | OPENGL_ES2_BIT, &[0, 4]),
            visuals,
        )
    }

    fn many() -> Vec<FbConfig> {
        let visuals: Vec<Visual> =
            (0..200).map(|i| visual(0x21 + i, if i < 100 { 24 } else { 32 })).collect();
        configs(&visuals)
    }

    #[test]
    fn a_visual_stands_for_one_config_and_the_root_visual_for_the_most_usual() {
        let all = many();
        let mut seen = std::collections::HashSet::new();
        for config in &all {
            assert!(config.owns_visual && seen.insert(config.config.visual.unwrap().id));
        }
        let root = all.iter().find(|c| c.config.visual.unwrap().id == 0x21).unwrap();
        assert!(root.double && !root.srgb);
        let c = root.config;
        assert_eq!((c.alpha, c.depth, c.stencil, c.samples), (8, 24, 8, 0));
    }

    #[test]
    fn with_few_visuals_the_rest_share_the_first_of_their_depth() {
        let all = configs(&[visual(0x21, 24), visual(0x5a, 32)]);
        assert_eq!(all.iter().filter(|c| c.owns_visual).count(), 2);
        assert!(all.iter().all(|c| matches!(c.config.visual.unwrap().id, 0x21 | 0x5a)));
    }

    #[test]
    fn handles_come_back_to_their_numbers() {
        assert_eq!(parts(handle(2, 17)), Some((2, 17)));
        assert_eq!(parts(handle(0, 1) + 1), None);
        assert_eq!(parts(0), None);
    }

    #[test]
    fn channels_and_depth_that_are_asked_for_come_large_and_others_small() {
        let all = many();
        let choose = |pairs: &[(c_int, c_int)]| {
            let c = Request::of_pairs(pairs).unwrap().choose(0, &all)[0];
            (c.double, c.config.alpha, c.config.depth, c.config.stencil, c.config.samples)
        };
        assert_eq!(choose(&[]), (false, 0, 0, 0, 0));
        assert_eq!(choose(&[(DOUBLEBUFFER, 1), (DEPTH_SIZE, 1)]), (true, 0, 24, 0, 0));
        assert_eq!(choose(&[(RED_SIZE, 1), (ALPHA_SIZE, 1)]), (false, 8, 0, 0, 0));
        assert_eq!(choose(&[(STENCIL_SIZE, 1), (SAMPLES, 2)]), (false, 0, 24, 8, 4));
    }

    #[test]
    fn a_visual_is_single_buffered_and_rgba_only_if_the_program_says_so() {
        let all = many();
        let choose = |list: &[c_int]| Request::of_visual(list).unwrap().choose(0, &all);
        assert!(choose(&[]).is_empty());
        assert!(choose(&[RGBA]).iter().all(|c| !c.double));
        let found = choose(&[RGBA, DOUBLEBUFFER, DEPTH_SIZE, 16]);
        assert!(!found.is_empty() && found.iter().all(|c| c.double && c.config.depth == 24));
        assert!(Request::of_visual(&[RGBA, DEPTH_SIZE]).is_none());
        assert!(Request::of_visual(&[0x1234, 1]).is_none());
    }

    #[test]
    fn a_number_overrides_everything_else_and_unknown_names_are_refused() {
        let all = many();
        let found = Request::of_pairs(&[(FBCONFIG_ID, 9), (SAMPLES, 64)]).unwrap().choose(0, &all);
        assert_eq!(found.iter().map(|c| c.id).collect::<Vec<_>>(), [9]);
        assert!(Request::of_pairs(&[(0x1234, 1)]).is_none());
        assert!(Request::of_pairs(&[(LEVEL, DONT_CARE)]).is_none());
        assert!(Request::of_pairs(&[(DRAWABLE_TYPE, 8)]).unwrap().choose(0, &all).is_empty());
        assert_eq!(all[0].get(0, 0x1234), None);
    }
}
