//! The host's own driver, for drawing the same thing without us.

use crate::gl::Gl;
use forerun_gles::host::{Dialect, Host};

/// A context of the host, current on this thread as long as this lives.
pub struct Direct {
    /// Its functions.
    pub gl: Gl,
    _host: Host,
}

impl Direct {
    /// Opens the host's driver in that dialect.
    pub fn open(dialect: Dialect) -> Direct {
        let vendor = std::env::var_os("FORERUN_HOST_EGL").map(std::path::PathBuf::from);
        let host = Host::open(vendor.as_deref(), &[dialect]).expect("the host has a driver");
        let gl = Gl::load(&|name| host.display.vendor.lookup(name).cast());
        Direct { gl, _host: host }
    }
}
