//! Which extensions a context advertises: exactly those that work on the backend in use.

use crate::context::{Api, Config};
use forerun_pipe::caps::{Caps, feature};
use std::ffi::CString;

/// The extensions of a context.
#[derive(Debug)]
pub struct Extensions {
    names: Vec<&'static str>,
    indexed: Vec<CString>,
    joined: CString,
}

/// One extension: its name without `GL_`, the least version at which each API has it (0: any, 99: never), and the
/// [`feature`] bits that it needs.
struct Row {
    name: &'static str,
    es: u32,
    desktop: u32,
    needs: u64,
}

const fn row(name: &'static str, es: u32, desktop: u32, needs: u64) -> Row {
    Row { name, es, desktop, needs }
}

const NEVER: u32 = 99;

/// Sorted by name.
const TABLE: &[Row] = &[
    row("GL_EXT_map_buffer_range", 20, NEVER, 0),
    row("GL_EXT_buffer_storage", 31, NEVER, feature::PERSISTENT_MAP),
    row("GL_ARB_buffer_storage", NEVER, 31, feature::PERSISTENT_MAP),
    row("GL_ARB_copy_buffer", NEVER, 31, 0),
    row("GL_ARB_map_buffer_range", NEVER, 30, 0),
    row("GL_OES_element_index_uint", 20, NEVER, 0),
    row("GL_OES_mapbuffer", 20, NEVER, 0),
    row("GL_OES_vertex_array_object", 20, NEVER, 0),
    row("GL_ARB_vertex_array_object", NEVER, 30, 0),
    row("GL_ARB_explicit_attrib_location", NEVER, 31, 0),
    row("GL_ARB_explicit_uniform_location", NEVER, 33, 0),
    row("GL_ARB_get_program_binary", NEVER, 31, 0),
    row("GL_ARB_parallel_shader_compile", NEVER, 31, 0),
    row("GL_ARB_program_interface_query", NEVER, 33, 0),
    row("GL_ARB_separate_shader_objects", NEVER, 31, 0),
    row("GL_ARB_uniform_buffer_object", NEVER, 31, 0),
    row("GL_KHR_parallel_shader_compile", 20, 31, 0),
    row("GL_OES_get_program_binary", 20, NEVER, 0),
];

impl Extensions {
    /// What a context of that configuration has.
    pub fn new(config: &Config, caps: &Caps) -> Extensions {
        let mut names: Vec<&'static str> = TABLE
            .iter()
            .filter(|row| {
                let least = if config.api == Api::Es { row.es } else { row.desktop };
                config.version >= least && caps.has(row.needs)
            })
            .map(|row| row.name)
            .collect();
        names.sort_unstable();
        let indexed = names.iter().filter_map(|name| CString::new(*name).ok()).collect();
        let joined = CString::new(names.join(" ")).unwrap_or_default();
        Extensions { names, indexed, joined }
    }

    /// Whether it is advertised.
    pub fn has(&self, name: &str) -> bool {
        self.names.binary_search(&name).is_ok()
    }

    /// GL_NUM_EXTENSIONS.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// glGetStringi(GL_EXTENSIONS, index).
    pub fn get(&self, index: usize) -> Option<&CString> {
        self.indexed.get(index)
    }

    /// glGetString(GL_EXTENSIONS).
    pub fn joined(&self) -> &CString {
        &self.joined
    }
}
