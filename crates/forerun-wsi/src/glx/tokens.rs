//! Types and tokens of GLX 1.4 and of the extensions that are served here, under the names of the registry without `GLX_`.

use std::ffi::{c_int, c_ulong};

/// `Display *` of Xlib.
pub type XDisplay = usize;
/// XID.
pub type Xid = c_ulong;
/// GLXContext.
pub type GLXContext = usize;
/// GLXFBConfig.
pub type GLXFBConfig = usize;
/// Bool of Xlib.
pub type Bool = c_int;

/// Bool of Xlib.
pub const TRUE: Bool = 1;
/// Bool of Xlib.
pub const FALSE: Bool = 0;

macro_rules! tokens {
    ($ty:ty: $( $name:ident = $value:expr; )*) => { $( #[allow(missing_docs)] pub const $name: $ty = $value; )* };
}

tokens! { c_int:
    BAD_SCREEN = 1;
    BAD_ATTRIBUTE = 2;
    NO_EXTENSION = 3;
    BAD_VISUAL = 4;
    BAD_CONTEXT = 5;
    BAD_VALUE = 6;

    NONE = 0x8000;
    DONT_CARE = -1;

    USE_GL = 1;
    BUFFER_SIZE = 2;
    LEVEL = 3;
    RGBA = 4;
    DOUBLEBUFFER = 5;
    STEREO = 6;
    AUX_BUFFERS = 7;
    RED_SIZE = 8;
    GREEN_SIZE = 9;
    BLUE_SIZE = 10;
    ALPHA_SIZE = 11;
    DEPTH_SIZE = 12;
    STENCIL_SIZE = 13;
    ACCUM_RED_SIZE = 14;
    ACCUM_GREEN_SIZE = 15;
    ACCUM_BLUE_SIZE = 16;
    ACCUM_ALPHA_SIZE = 17;
    CONFIG_CAVEAT = 0x20;
    X_VISUAL_TYPE = 0x22;
    TRANSPARENT_TYPE = 0x23;
    TRANSPARENT_INDEX_VALUE = 0x24;
    TRANSPARENT_RED_VALUE = 0x25;
    TRANSPARENT_GREEN_VALUE = 0x26;
    TRANSPARENT_BLUE_VALUE = 0x27;
    TRANSPARENT_ALPHA_VALUE = 0x28;
    CONTEXT_MAJOR_VERSION = 0x2091;
    CONTEXT_MINOR_VERSION = 0x2092;
    CONTEXT_FLAGS = 0x2094;
    FRAMEBUFFER_SRGB_CAPABLE = 0x20B2;
    BIND_TO_TEXTURE_RGB = 0x20D0;
    BIND_TO_TEXTURE_RGBA = 0x20D1;
    SWAP_INTERVAL = 0x20F1;
    MAX_SWAP_INTERVAL = 0x20F2;
    BACK_BUFFER_AGE = 0x20F4;
    CONTEXT_OPENGL_NO_ERROR = 0x31B3;
    SLOW_CONFIG = 0x8001;
    TRUE_COLOR = 0x8002;
    DIRECT_COLOR = 0x8003;
    TRANSPARENT_RGB = 0x8008;
    TRANSPARENT_INDEX = 0x8009;
    VISUAL_ID = 0x800B;
    SCREEN = 0x800C;
    NON_CONFORMANT_CONFIG = 0x800D;
    DRAWABLE_TYPE = 0x8010;
    RENDER_TYPE = 0x8011;
    X_RENDERABLE = 0x8012;
    FBCONFIG_ID = 0x8013;
    RGBA_TYPE = 0x8014;
    COLOR_INDEX_TYPE = 0x8015;
    MAX_PBUFFER_WIDTH = 0x8016;
    MAX_PBUFFER_HEIGHT = 0x8017;
    MAX_PBUFFER_PIXELS = 0x8018;
    PRESERVED_CONTENTS = 0x801B;
    LARGEST_PBUFFER = 0x801C;
    WIDTH = 0x801D;
    HEIGHT = 0x801E;
    EVENT_MASK = 0x801F;
    PBUFFER_HEIGHT = 0x8040;
    PBUFFER_WIDTH = 0x8041;
    CONTEXT_RESET_NOTIFICATION_STRATEGY = 0x8256;
    LOSE_CONTEXT_ON_RESET = 0x8252;
    NO_RESET_NOTIFICATION = 0x8261;
    CONTEXT_PROFILE_MASK = 0x9126;
    CONTEXT_RELEASE_BEHAVIOR = 0x2097;
    CONTEXT_RELEASE_BEHAVIOR_NONE = 0;
    CONTEXT_RELEASE_BEHAVIOR_FLUSH = 0x2098;

    RENDERER_VENDOR_ID = 0x8183;
    RENDERER_DEVICE_ID = 0x8184;
    RENDERER_VERSION = 0x8185;
    RENDERER_ACCELERATED = 0x8186;
    RENDERER_VIDEO_MEMORY = 0x8187;
    RENDERER_UNIFIED_MEMORY_ARCHITECTURE = 0x8188;
    RENDERER_PREFERRED_PROFILE = 0x8189;
    RENDERER_OPENGL_CORE_PROFILE_VERSION = 0x818A;
    RENDERER_OPENGL_COMPATIBILITY_PROFILE_VERSION = 0x818B;
    RENDERER_OPENGL_ES_PROFILE_VERSION = 0x818C;
    RENDERER_OPENGL_ES2_PROFILE_VERSION = 0x818D;
    SAMPLE_BUFFERS = 100000;
    SAMPLES = 100001;

    WINDOW_BIT = 1;
    PIXMAP_BIT = 2;
    PBUFFER_BIT = 4;
    RGBA_BIT = 1;
    COLOR_INDEX_BIT = 2;

    CONTEXT_CORE_PROFILE_BIT = 1;
    CONTEXT_COMPATIBILITY_PROFILE_BIT = 2;
    CONTEXT_ES2_PROFILE_BIT = 4;
    CONTEXT_FLAGS_ALL = 7;

    VENDOR = 1;
    VERSION = 2;
    EXTENSIONS = 3;
}

/// Events that a GLX drawable can send; the only one of GLX 1.4.
pub const PBUFFER_CLOBBER_MASK: c_ulong = 0x0800_0000;

/// Minor opcodes of the GLX protocol, for X errors.
pub mod opcode {
    #![allow(missing_docs)]
    pub const CREATE_CONTEXT: u8 = 3;
    pub const DESTROY_CONTEXT: u8 = 4;
    pub const MAKE_CURRENT: u8 = 5;
    pub const IS_DIRECT: u8 = 6;
    pub const WAIT_GL: u8 = 8;
    pub const WAIT_X: u8 = 9;
    pub const COPY_CONTEXT: u8 = 10;
    pub const SWAP_BUFFERS: u8 = 11;
    pub const USE_X_FONT: u8 = 12;
    pub const CREATE_GLX_PIXMAP: u8 = 13;
    pub const GET_VISUAL_CONFIGS: u8 = 14;
    pub const DESTROY_GLX_PIXMAP: u8 = 15;
    pub const VENDOR_PRIVATE: u8 = 16;
    pub const QUERY_SERVER_STRING: u8 = 19;
    pub const GET_FB_CONFIGS: u8 = 21;
    pub const CREATE_PIXMAP: u8 = 22;
    pub const DESTROY_PIXMAP: u8 = 23;
    pub const CREATE_NEW_CONTEXT: u8 = 24;
    pub const QUERY_CONTEXT: u8 = 25;
    pub const MAKE_CONTEXT_CURRENT: u8 = 26;
    pub const CREATE_PBUFFER: u8 = 27;
    pub const DESTROY_PBUFFER: u8 = 28;
    pub const GET_DRAWABLE_ATTRIBUTES: u8 = 29;
    pub const CHANGE_DRAWABLE_ATTRIBUTES: u8 = 30;
    pub const CREATE_WINDOW: u8 = 31;
    pub const DESTROY_WINDOW: u8 = 32;
    pub const CREATE_CONTEXT_ATTRIBS: u8 = 34;
}
