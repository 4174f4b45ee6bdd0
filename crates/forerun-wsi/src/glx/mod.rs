//! GLX 1.4 as a vendor of glvnd's libGLX, on the contexts, surfaces and configs that EGL has too.
//!
//! libGLX finds the `glX*` functions through [`procs`] once it has called [`abi`]'s entry. A program's `Display` and screen are a
//! [`screen::Screen`]: it stands on the EGL display of that platform, gives its configs GLX's attributes ([`config`]), and knows which
//! XID is which surface. Refusals are X errors through the program's own handler ([`error`]). No GLX protocol is spoken: every context
//! is direct.

pub mod abi;
pub mod api;
pub mod config;
pub mod error;
pub mod procs;
pub mod request;
pub mod screen;
pub mod stubs;
pub mod tokens;
pub mod xlib;
