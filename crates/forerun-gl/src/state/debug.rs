//! Debug output (KHR_debug; OpenGL ES 3.2, chapter 20).

use crate::context::State;
use crate::value::Value;

/// GL_MAX_LABEL_LENGTH.
pub const MAX_LABEL_LENGTH: usize = 256;

use crate::context::Config;
use crate::error::GlError;
use forerun_pipe::event::DebugMessageEvent;

/// Debug output of a context.
#[derive(Debug, Default)]
pub struct DebugState {}

/// A message on its way to the program's callback.
#[derive(Debug)]
pub struct Delivery {}

impl Delivery {
    /// Calls the program's callback.
    pub fn run(self) {}
}

impl DebugState {
    /// Debug output as a new context has it.
    pub fn new(_config: &Config) -> DebugState {
        DebugState {}
    }

    /// glEnable, glDisable of GL_DEBUG_OUTPUT and GL_DEBUG_OUTPUT_SYNCHRONOUS.
    pub fn enable(&mut self, _cap: u32, _on: bool) {}

    /// glIsEnabled of them.
    pub fn is_enabled(&self, _cap: u32) -> bool {
        false
    }

    /// Whether messages wait for the program's callback.
    #[inline]
    pub fn pending(&self) -> bool {
        false
    }

    /// The next message for the callback.
    pub fn take_delivery(&mut self) -> Option<Delivery> {
        None
    }

    /// A call ended in an error.
    pub fn api_error(&mut self, _call: &'static str, _error: &GlError) {}

    /// The server found an error.
    pub fn server_error(&mut self, _code: u32, _text: &str) {}

    /// The server has a message.
    pub fn server_message(&mut self, _head: &DebugMessageEvent, _text: &str) {}
}

/// Answers glGet*.
pub fn get(_state: &State, _pname: u32) -> Option<Value> {
    None
}
