//! Every `glX*` function that libGLX can ask a vendor for, by name.

use super::api::{config, context, drawable, query, renderer, swap};
use std::ffi::c_void;

macro_rules! procs {
    ($( $module:ident { $( $name:ident ),* $(,)? } )*) => {
        /// The function of that name, or null.
        pub fn find(name: &[u8]) -> *const c_void {
            match name {
                $( $( n if n == stringify!($name).as_bytes() => $module::$name as *const c_void, )* )*
                _ => std::ptr::null(),
            }
        }
    };
}

procs! {
    config {
        glXChooseFBConfig, glXChooseVisual, glXGetConfig, glXGetFBConfigAttrib, glXGetFBConfigs, glXGetVisualFromFBConfig,
    }
    context {
        glXCopyContext, glXCreateContext, glXCreateContextAttribsARB, glXCreateNewContext, glXDestroyContext, glXIsDirect,
        glXMakeContextCurrent, glXMakeCurrent, glXQueryContext,
    }
    drawable {
        glXCreateGLXPixmap, glXCreatePbuffer, glXCreatePixmap, glXCreateWindow, glXDestroyGLXPixmap, glXDestroyPbuffer,
        glXDestroyPixmap, glXDestroyWindow, glXGetSelectedEvent, glXQueryDrawable, glXSelectEvent,
    }
    renderer {
        glXQueryCurrentRendererIntegerMESA, glXQueryCurrentRendererStringMESA, glXQueryRendererIntegerMESA,
        glXQueryRendererStringMESA,
    }
    query { glXGetClientString, glXQueryExtensionsString, glXQueryServerString }
    swap {
        glXGetSwapIntervalMESA, glXSwapBuffers, glXSwapIntervalEXT, glXSwapIntervalMESA, glXSwapIntervalSGI, glXUseXFont,
        glXWaitGL, glXWaitX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// glvnd drops a vendor without a word when one of these is missing.
    const MANDATORY: &[&str] = &[
        "glXChooseFBConfig",
        "glXChooseVisual",
        "glXCopyContext",
        "glXCreateContext",
        "glXCreateGLXPixmap",
        "glXCreateNewContext",
        "glXCreatePbuffer",
        "glXCreatePixmap",
        "glXCreateWindow",
        "glXDestroyContext",
        "glXDestroyGLXPixmap",
        "glXDestroyPbuffer",
        "glXDestroyPixmap",
        "glXDestroyWindow",
        "glXGetClientString",
        "glXGetConfig",
        "glXGetFBConfigAttrib",
        "glXGetFBConfigs",
        "glXGetSelectedEvent",
        "glXGetVisualFromFBConfig",
        "glXIsDirect",
        "glXMakeContextCurrent",
        "glXMakeCurrent",
        "glXQueryContext",
        "glXQueryDrawable",
        "glXQueryExtensionsString",
        "glXQueryServerString",
        "glXSelectEvent",
        "glXSwapBuffers",
        "glXUseXFont",
        "glXWaitGL",
        "glXWaitX",
    ];

    #[test]
    fn the_mandatory_names_resolve() {
        assert_eq!(MANDATORY.len(), 32);
        for name in MANDATORY {
            assert!(!find(name.as_bytes()).is_null(), "{name}");
        }
        assert!(!find(b"glXCreateContextAttribsARB").is_null());
        assert!(find(b"glXNoSuchThing").is_null());
    }
}
