//! Every GL name resolves: to its entry point, to the entry point that it is an alias of, or to a function that gives
//! GL_INVALID_OPERATION and one log line with the name.

use crate::api;
use crate::entry::{Entry, enter};
use crate::error::invalid_operation;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Every command of the registry and the command that it is an alias of, or "".
static COMMANDS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/commands.rs"));

/// Commands that the registry does not call aliases, though by their specifications they are: same parameters, same effect.
#[rustfmt::skip]
static EQUALS: &[(&str, &str)] = &[
    // ARB_robustness
    ("glGetGraphicsResetStatusARB", "glGetGraphicsResetStatus"),
    ("glGetnCompressedTexImageARB", "glGetnCompressedTexImage"),
    ("glGetnTexImageARB", "glGetnTexImage"),
    ("glGetnUniformdvARB", "glGetnUniformdv"),
    ("glGetnUniformfvARB", "glGetnUniformfv"),
    ("glGetnUniformivARB", "glGetnUniformiv"),
    ("glGetnUniformuivARB", "glGetnUniformuiv"),
    // EXT_blend_func_extended
    ("glGetProgramResourceLocationIndexEXT", "glGetProgramResourceLocationIndex"),
    // EXT_occlusion_query_boolean, EXT_disjoint_timer_query
    ("glBeginQueryEXT", "glBeginQuery"),
    ("glDeleteQueriesEXT", "glDeleteQueries"),
    ("glEndQueryEXT", "glEndQuery"),
    ("glGenQueriesEXT", "glGenQueries"),
    ("glGetQueryObjectuivEXT", "glGetQueryObjectuiv"),
    ("glGetQueryivEXT", "glGetQueryiv"),
    ("glIsQueryEXT", "glIsQuery"),
    // EXT_separate_shader_objects, as OpenGL ES has it
    ("glActiveShaderProgramEXT", "glActiveShaderProgram"),
    ("glBindProgramPipelineEXT", "glBindProgramPipeline"),
    ("glCreateShaderProgramvEXT", "glCreateShaderProgramv"),
    ("glDeleteProgramPipelinesEXT", "glDeleteProgramPipelines"),
    ("glGenProgramPipelinesEXT", "glGenProgramPipelines"),
    ("glGetProgramPipelineInfoLogEXT", "glGetProgramPipelineInfoLog"),
    ("glGetProgramPipelineivEXT", "glGetProgramPipelineiv"),
    ("glIsProgramPipelineEXT", "glIsProgramPipeline"),
    ("glUseProgramStagesEXT", "glUseProgramStages"),
    ("glValidateProgramPipelineEXT", "glValidateProgramPipeline"),
    // NV_draw_buffers, NV_read_buffer
    ("glDrawBuffersNV", "glDrawBuffers"),
    ("glReadBufferNV", "glReadBuffer"),
    // OES_texture_3D
    ("glCompressedTexImage3DOES", "glCompressedTexImage3D"),
    ("glCompressedTexSubImage3DOES", "glCompressedTexSubImage3D"),
    ("glCopyTexSubImage3DOES", "glCopyTexSubImage3D"),
    ("glTexImage3DOES", "glTexImage3D"),
    ("glTexSubImage3DOES", "glTexSubImage3D"),
];

/// How many different unimplemented names can be asked for. The registry has about 3,200 commands.
const THUNKS: usize = 4096;

static NAMES: [OnceLock<Box<str>>; THUNKS] = [const { OnceLock::new() }; THUNKS];
static LOGGED: [AtomicBool; THUNKS] = [const { AtomicBool::new(false) }; THUNKS];
static UNIMPLEMENTED_CALLS: AtomicU64 = AtomicU64::new(0);

/// How many calls of unimplemented functions there were.
pub fn unimplemented_calls() -> u64 {
    UNIMPLEMENTED_CALLS.load(Ordering::Relaxed)
}

/// What an unimplemented function does. Arguments are ignored: in the C calling conventions the caller removes them.
extern "C" fn thunk<const N: usize>() -> usize {
    unimplemented(N)
}

/// One function for all thunks, so that each of the thousands is a jump.
#[inline(never)]
fn unimplemented(index: usize) -> usize {
    enter("unimplemented function", |_| {
        UNIMPLEMENTED_CALLS.fetch_add(1, Ordering::Relaxed);
        if !LOGGED[index].swap(true, Ordering::Relaxed) {
            log::warn!("{} is not implemented", NAMES[index].get().map_or("?", |name| name));
        }
        invalid_operation("the function is not implemented")
    })
}

macro_rules! thunks {
    ($table:ident, $base:expr, [$($digit:literal)*]) => {
        [ $( thunks!(@sixteen $base + $digit * 16) ),* ]
    };
    (@sixteen $base:expr) => { [
        thunk::<{ $base }>, thunk::<{ $base + 1 }>, thunk::<{ $base + 2 }>, thunk::<{ $base + 3 }>,
        thunk::<{ $base + 4 }>, thunk::<{ $base + 5 }>, thunk::<{ $base + 6 }>, thunk::<{ $base + 7 }>,
        thunk::<{ $base + 8 }>, thunk::<{ $base + 9 }>, thunk::<{ $base + 10 }>, thunk::<{ $base + 11 }>,
        thunk::<{ $base + 12 }>, thunk::<{ $base + 13 }>, thunk::<{ $base + 14 }>, thunk::<{ $base + 15 }>,
    ] };
    (@page $base:expr) => { thunks!(table, $base, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]) };
}

static TABLE: [[[extern "C" fn() -> usize; 16]; 16]; 16] = [
    thunks!(@page 0x000),
    thunks!(@page 0x100),
    thunks!(@page 0x200),
    thunks!(@page 0x300),
    thunks!(@page 0x400),
    thunks!(@page 0x500),
    thunks!(@page 0x600),
    thunks!(@page 0x700),
    thunks!(@page 0x800),
    thunks!(@page 0x900),
    thunks!(@page 0xA00),
    thunks!(@page 0xB00),
    thunks!(@page 0xC00),
    thunks!(@page 0xD00),
    thunks!(@page 0xE00),
    thunks!(@page 0xF00),
];

struct Resolver {
    entries: FxHashMap<&'static str, Entry>,
    thunks: FxHashMap<Box<str>, usize>,
}

fn resolver() -> &'static Mutex<Resolver> {
    static RESOLVER: OnceLock<Mutex<Resolver>> = OnceLock::new();
    RESOLVER.get_or_init(|| {
        let mut entries: FxHashMap<_, _> = api::all().collect();
        // An alias may name another alias, so the table is walked from each name to an implemented one.
        for (name, alias) in COMMANDS {
            let mut target = *alias;
            for _ in 0..4 {
                if target.is_empty() {
                    break;
                }
                if let Some(entry) = entries.get(target).copied() {
                    entries.entry(name).or_insert(entry);
                    break;
                }
                target =
                    COMMANDS.binary_search_by_key(&target, |c| c.0).map_or("", |i| COMMANDS[i].1);
            }
        }
        for (name, equal) in EQUALS {
            if let Some(entry) = entries.get(equal).copied() {
                entries.insert(name, entry);
            }
        }
        Mutex::new(Resolver { entries, thunks: FxHashMap::default() })
    })
}

/// Whether calls of that name do what the specification says.
pub fn is_implemented(name: &str) -> bool {
    resolver().lock().entries.contains_key(name)
}

/// The address of a GL function; null only for names that do not begin with `gl`, and when more unimplemented names are asked
/// for than there are thunks.
pub fn get_proc_address(name: &str) -> *const () {
    let mut resolver = resolver().lock();
    if let Some(entry) = resolver.entries.get(name) {
        return entry.0;
    }
    if !name.starts_with("gl") {
        return std::ptr::null();
    }
    let next = resolver.thunks.len();
    let index = match resolver.thunks.get(name) {
        Some(index) => *index,
        None if next < THUNKS => {
            let _ = NAMES[next].set(name.into());
            resolver.thunks.insert(name.into(), next);
            next
        }
        None => return std::ptr::null(),
    };
    TABLE[index >> 8][(index >> 4) & 15][index & 15] as *const ()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_its_target() {
        assert_eq!(get_proc_address("glGenBuffersARB"), get_proc_address("glGenBuffers"));
    }

    #[test]
    fn unknown_names_have_addresses_of_their_own() {
        let (a, b) = (get_proc_address("glNoSuchThing1"), get_proc_address("glNoSuchThing2"));
        assert!(!a.is_null() && !b.is_null() && a != b);
        assert_eq!(a, get_proc_address("glNoSuchThing1"));
        assert!(get_proc_address("wglFoo").is_null());
    }

    #[test]
    fn an_unimplemented_function_does_nothing_without_a_context() {
        let address = get_proc_address("glNoSuchThing3");
        // SAFETY: the table holds functions of exactly this type.
        let function: extern "C" fn() -> usize = unsafe { std::mem::transmute(address) };
        assert_eq!(function(), 0);
    }
}
