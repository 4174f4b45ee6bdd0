//! Finds and loads the host's EGL vendor library, without glvnd in between.
//!
//! Our own client library may be the process's glvnd vendor (a server in the program's process), so glvnd must not be asked for the
//! host's driver: it would answer with us. glvnd's own protocol is used instead: the vendor's `__egl_Main` fills a table, and everything,
//! the GL functions included, comes from that table's `getProcAddress`.

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// glvnd's folders of vendor descriptions, in its order.
const FOLDERS: [&str; 2] = ["/etc/glvnd/egl_vendor.d", "/usr/share/glvnd/egl_vendor.d"];
/// EGL vendor ABI 0.1: the newest that every vendor since glvnd 1.0 accepts.
const ABI_VERSION: u32 = 0x0000_0001;

type Proc = *const c_void;

/// What a vendor may call back. A vendor reached like this never dispatches through glvnd, so these only have to be harmless.
#[repr(C)]
struct Exports {
    thread_init: extern "C" fn(),
    get_current_api: extern "C" fn() -> u32,
    get_current_vendor: extern "C" fn() -> *mut c_void,
    get_current_context: extern "C" fn() -> *mut c_void,
    get_current_display: extern "C" fn() -> *mut c_void,
    get_current_surface: extern "C" fn(i32) -> *mut c_void,
    fetch_dispatch_entry: extern "C" fn(*mut c_void, c_int) -> Proc,
    set_egl_error: extern "C" fn(i32),
    set_last_vendor: extern "C" fn(*mut c_void) -> u32,
    get_vendor_from_display: extern "C" fn(*mut c_void) -> *mut c_void,
    get_vendor_from_device: extern "C" fn(*mut c_void) -> *mut c_void,
    set_vendor_for_device: extern "C" fn(*mut c_void, *mut c_void) -> u32,
}

extern "C" fn nothing() {}
extern "C" fn no_api() -> u32 {
    super::egl::token::OPENGL_ES_API
}
extern "C" fn null() -> *mut c_void {
    std::ptr::null_mut()
}
extern "C" fn no_surface(_: i32) -> *mut c_void {
    std::ptr::null_mut()
}
extern "C" fn no_entry(_: *mut c_void, _: c_int) -> Proc {
    std::ptr::null()
}
extern "C" fn no_error(_: i32) {}
extern "C" fn yes(_: *mut c_void) -> u32 {
    1
}
extern "C" fn same(_: *mut c_void) -> *mut c_void {
    // The vendor compares this with what it was given at `__egl_Main`.
    DUMMY_VENDOR.as_ptr() as *mut c_void
}
extern "C" fn yes_device(_: *mut c_void, _: *mut c_void) -> u32 {
    1
}

static DUMMY_VENDOR: [u64; 8] = [0; 8];
static EXPORTS: Exports = Exports {
    thread_init: nothing,
    get_current_api: no_api,
    get_current_vendor: null,
    get_current_context: null,
    get_current_display: null,
    get_current_surface: no_surface,
    fetch_dispatch_entry: no_entry,
    set_egl_error: no_error,
    set_last_vendor: yes,
    get_vendor_from_display: same,
    get_vendor_from_device: same,
    set_vendor_for_device: yes_device,
};

type GetPlatformDisplay =
    unsafe extern "C" fn(platform: u32, native: *mut c_void, attribs: *const isize) -> *mut c_void;

/// What a vendor fills. The optional members stay as we set them.
#[repr(C)]
struct Imports {
    get_platform_display: Option<GetPlatformDisplay>,
    get_supports_api: Proc,
    get_vendor_string: Option<unsafe extern "C" fn(c_int) -> *const c_char>,
    get_proc_address: Option<unsafe extern "C" fn(*const c_char) -> Proc>,
    get_dispatch_address: Proc,
    set_dispatch_index: Proc,
    is_patch_supported: Proc,
    initiate_patch: Proc,
    release_patch: Proc,
    patch_thread_attach: Proc,
    find_native_display_platform: Proc,
    /// Room for members of later minor versions.
    spare: [Proc; 8],
}

type Main = unsafe extern "C" fn(u32, *const Exports, *mut c_void, *mut Imports) -> u32;

/// A loaded vendor library. It is never unloaded: drivers do not survive that.
pub struct Vendor {
    /// Where it was loaded from, as written in its description.
    pub path: PathBuf,
    get_platform_display: GetPlatformDisplay,
    get_proc_address: unsafe extern "C" fn(*const c_char) -> Proc,
    platforms: String,
}

impl Vendor {
    /// The address of an EGL or GL function; null when the vendor has none.
    pub fn lookup(&self, name: &str) -> *const c_void {
        match CString::new(name) {
            // SAFETY: a zero-terminated name.
            Ok(name) => unsafe { (self.get_proc_address)(name.as_ptr()) },
            Err(_) => std::ptr::null(),
        }
    }

    /// Whether the vendor names that platform extension.
    pub fn has_platform(&self, extension: &str) -> bool {
        self.platforms.split(' ').any(|name| name == extension)
    }

    /// eglGetPlatformDisplay.
    ///
    /// # Safety
    /// `native` must be what `platform` calls for.
    pub unsafe fn platform_display(&self, platform: u32, native: *mut c_void) -> *mut c_void {
        // SAFETY: the caller's; no attributes.
        unsafe { (self.get_platform_display)(platform, native, std::ptr::null()) }
    }
}

/// Vendors by path: a second `__egl_Main` of one library would only repeat the first.
static LOADED: Mutex<Vec<&'static Vendor>> = Mutex::new(Vec::new());

/// Loads a vendor library once per process.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn load(path: &Path) -> Result<&'static Vendor, String> {
    let mut loaded = LOADED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(vendor) = loaded.iter().find(|v| v.path == path) {
        return Ok(vendor);
    }
    // SAFETY: loading runs the constructors of a driver that the system or the user named.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }
        .map_err(|e| format!("{} cannot be loaded: {e}", path.display()))?;
    let library: &'static Library = Box::leak(Box::new(library));
    // SAFETY: the symbol has this type in glvnd's vendor ABI.
    let main = unsafe { library.get::<Main>(b"__egl_Main\0") }.map_err(|_| {
        format!("{} is no EGL vendor library: it has no __egl_Main", path.display())
    })?;
    let mut imports = Imports {
        get_platform_display: None,
        get_supports_api: std::ptr::null(),
        get_vendor_string: None,
        get_proc_address: None,
        get_dispatch_address: std::ptr::null(),
        set_dispatch_index: std::ptr::null(),
        is_patch_supported: std::ptr::null(),
        initiate_patch: std::ptr::null(),
        release_patch: std::ptr::null(),
        patch_thread_attach: std::ptr::null(),
        find_native_display_platform: std::ptr::null(),
        spare: [std::ptr::null(); 8],
    };
    let dummy = DUMMY_VENDOR.as_ptr() as *mut c_void;
    // SAFETY: tables of the ABI's layout, the exports for the life of the process.
    let accepted = unsafe { main(ABI_VERSION, &EXPORTS, dummy, &mut imports) };
    let (Some(get_platform_display), Some(get_proc_address)) =
        (imports.get_platform_display, imports.get_proc_address)
    else {
        return Err(format!("{} filled no table of functions", path.display()));
    };
    if accepted == 0 {
        return Err(format!("{} refuses version 0.1 of the vendor ABI", path.display()));
    }
    let platforms = match imports.get_vendor_string {
        Some(string) => {
            // SAFETY: string 0 lists the platform extensions; it is null or zero-terminated.
            let text = unsafe { string(0) };
            if text.is_null() {
                String::new()
            } else {
                // SAFETY: as above.
                unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned()
            }
        }
        None => String::new(),
    };
    let vendor: &'static Vendor = Box::leak(Box::new(Vendor {
        path: path.to_owned(),
        get_platform_display,
        get_proc_address,
        platforms,
    }));
    loaded.push(vendor);
    Ok(vendor)
}

/// The host's vendor libraries in glvnd's order, our own left out.
pub fn candidates() -> Vec<PathBuf> {
    candidates_in(&FOLDERS.map(Path::new))
}

fn candidates_in(folders: &[&Path]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let mut files: Vec<PathBuf> = entries
            .filter_map(|e| e.ok().map(|e| e.path()))
            .filter(|p| p.extension().is_some_and(|x| x == "json"))
            .collect();
        files.sort();
        for file in files {
            match library_of(&file) {
                Some(path) if is_ours(&path) || found.contains(&path) => {}
                Some(path) => found.push(path),
                None => log::debug!("{} describes no vendor library", file.display()),
            }
        }
    }
    found
}

/// The library that a vendor description names; a relative path with a slash counts from the description.
fn library_of(file: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(file).ok()?;
    let json: serde_json::Value = serde_json::from_str(&text).ok()?;
    let path = Path::new(json.get("ICD")?.get("library_path")?.as_str()?);
    if path.is_relative() && path.components().count() > 1 {
        return Some(file.parent()?.join(path));
    }
    Some(path.to_owned())
}

fn is_ours(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libEGL_forerun"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendors_are_found_in_order_and_never_ourselves() {
        let folder = std::env::temp_dir().join(format!("forerun-vendors-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, library: &str| {
            let text = format!(
                r#"{{"file_format_version":"1.0.0","ICD":{{"library_path":"{library}"}}}}"#
            );
            std::fs::write(folder.join(name), text).unwrap();
        };
        write("50_b.json", "libEGL_b.so.0");
        write("10_a.json", "libEGL_forerun.so.0");
        write("20_c.json", "lib/libEGL_c.so.0");
        std::fs::write(folder.join("00_broken.json"), "{").unwrap();
        let found = candidates_in(&[&folder, &folder]);
        assert_eq!(found, [folder.join("lib/libEGL_c.so.0"), PathBuf::from("libEGL_b.so.0")]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_no_vendor_library_says_so() {
        let error = load(Path::new("libc.so.6")).err().unwrap();
        assert!(error.contains("__egl_Main"), "{error}");
    }
}
