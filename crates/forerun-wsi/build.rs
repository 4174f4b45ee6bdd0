//! Link arguments of the vendor library.

fn main() {
    // glvnd unloads vendors with dlclose, but entry points, thread-local destructors and exit handlers of ours stay reachable.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libEGL_forerun.so.0");
    println!("cargo:rerun-if-changed=build.rs");
}
