//! Every function that libEGL and libGLX can ask a vendor for, by name.

use crate::api::{context, debug, device, display, image, surface, swap, sync};
use std::ffi::{CStr, c_void};

macro_rules! procs {
    ($( $module:ident { $( $name:ident $( = $function:ident )? ),* $(,)? } )*) => {
        fn egl(name: &[u8]) -> *const c_void {
            match name {
                $( $( n if n == stringify!($name).as_bytes() => procs!(@address $module $name $($function)?), )* )*
                _ => std::ptr::null(),
            }
        }

        #[cfg(test)]
        const ALL: &[&str] = &[ $( $( stringify!($name), )* )* ];
    };
    (@address $module:ident $name:ident) => { $module::$name as *const c_void };
    (@address $module:ident $name:ident $function:ident) => { $module::$function as *const c_void };
}

procs! {
    display {
        eglBindAPI, eglChooseConfig, eglGetConfigAttrib, eglGetConfigs, eglGetError, eglInitialize, eglQueryString,
        eglReleaseThread, eglTerminate,
    }
    context { eglCreateContext, eglDestroyContext, eglMakeCurrent, eglQueryContext }
    surface {
        eglBindTexImage, eglCreatePbufferFromClientBuffer, eglCreatePbufferSurface, eglCreatePixmapSurface,
        eglCreatePlatformPixmapSurface, eglCreatePlatformPixmapSurfaceEXT, eglCreatePlatformWindowSurface,
        eglCreatePlatformWindowSurfaceEXT, eglCreateWindowSurface, eglDestroySurface, eglQuerySurface,
        eglReleaseTexImage, eglSurfaceAttrib,
    }
    swap {
        eglCopyBuffers, eglSwapBuffers, eglSwapBuffersWithDamageEXT = eglSwapBuffersWithDamage,
        eglSwapBuffersWithDamageKHR = eglSwapBuffersWithDamage, eglSwapInterval, eglWaitClient, eglWaitGL = eglWaitClient,
        eglWaitNative,
    }
    sync {
        eglClientWaitSync, eglClientWaitSyncKHR = eglClientWaitSync, eglCreateSync, eglCreateSyncKHR, eglDestroySync,
        eglDestroySyncKHR = eglDestroySync, eglGetSyncAttrib, eglGetSyncAttribKHR, eglWaitSync, eglWaitSyncKHR = eglWaitSync,
    }
    image { eglCreateImage, eglDestroyImage }
    device { eglQueryDeviceAttribEXT, eglQueryDeviceStringEXT, eglQueryDevicesEXT, eglQueryDisplayAttribEXT }
    debug { eglDebugMessageControlKHR, eglLabelObjectKHR, eglQueryDebugKHR }
}

/// The function of that name, or null. Called under the dispatch lock of libEGL or libGLX thousands of times at the first eglMakeCurrent: it
/// calls nothing of glvnd.
pub fn find(name: &CStr) -> *const c_void {
    let bytes = name.to_bytes();
    if bytes.starts_with(b"egl") {
        return egl(bytes);
    }
    if bytes.starts_with(b"glX") {
        return crate::glx::procs::find(bytes);
    }
    match name.to_str() {
        Ok(name) if name.starts_with("gl") => forerun_gl::get_proc_address(name).cast(),
        _ => std::ptr::null(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// glvnd drops a vendor without a word when one of these is missing.
    const MANDATORY: &[&CStr] = &[
        c"eglBindTexImage",
        c"eglChooseConfig",
        c"eglCopyBuffers",
        c"eglCreateContext",
        c"eglCreatePbufferFromClientBuffer",
        c"eglCreatePbufferSurface",
        c"eglCreatePixmapSurface",
        c"eglCreateWindowSurface",
        c"eglDestroyContext",
        c"eglDestroySurface",
        c"eglGetConfigAttrib",
        c"eglGetConfigs",
        c"eglGetError",
        c"eglInitialize",
        c"eglMakeCurrent",
        c"eglQueryContext",
        c"eglQueryString",
        c"eglQuerySurface",
        c"eglReleaseTexImage",
        c"eglReleaseThread",
        c"eglSurfaceAttrib",
        c"eglSwapBuffers",
        c"eglSwapInterval",
        c"eglTerminate",
        c"eglWaitClient",
        c"eglWaitGL",
        c"eglWaitNative",
    ];

    #[test]
    fn the_mandatory_names_resolve() {
        assert_eq!(MANDATORY.len(), 27);
        for name in MANDATORY {
            assert!(!find(name).is_null(), "{name:?}");
        }
        assert!(ALL.len() > MANDATORY.len());
        assert!(find(c"eglNoSuchThing").is_null());
        assert!(find(c"wglSwap").is_null());
    }
}
