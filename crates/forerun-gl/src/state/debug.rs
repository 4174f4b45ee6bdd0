//! Debug output: messages, groups, labels (KHR_debug; OpenGL ES 3.2, chapter 20).

use crate::context::{Config, State};
use crate::error::{GlError, GlResult, check_enum, check_operation, check_value, invalid_enum};
use crate::value::Value;
use forerun_pipe::event::DebugMessageEvent;
use forerun_pipe::gl;
use std::collections::VecDeque;
use std::ffi::{c_char, c_void};

/// GL_MAX_LABEL_LENGTH.
pub const MAX_LABEL_LENGTH: usize = 256;
/// GL_MAX_DEBUG_MESSAGE_LENGTH.
pub const MAX_MESSAGE_LENGTH: usize = 4096;
const MAX_LOGGED: usize = 256;
const MAX_GROUPS: usize = 64;

/// A program's callback.
pub type Callback = unsafe extern "C" fn(u32, u32, u32, u32, i32, *const c_char, *const c_void);

/// A debug message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// GL_DEBUG_SOURCE_*.
    pub source: u32,
    /// GL_DEBUG_TYPE_*.
    pub ty: u32,
    /// Its id.
    pub id: u32,
    /// GL_DEBUG_SEVERITY_*.
    pub severity: u32,
    /// Its text, without NUL.
    pub text: Vec<u8>,
}

/// A message on its way to the program's callback.
#[derive(Debug)]
pub struct Delivery {
    callback: Callback,
    user: *const c_void,
    message: Message,
}

impl Delivery {
    /// Calls the program's callback.
    pub fn run(self) {
        let Message { source, ty, id, severity, mut text } = self.message;
        let len = text.len() as i32;
        text.push(0);
        // SAFETY: the program gave this function for exactly this, and the text ends in NUL.
        unsafe { (self.callback)(source, ty, id, severity, len, text.as_ptr().cast(), self.user) };
    }
}

/// One call of glDebugMessageControl; GL_DONT_CARE matches all.
#[derive(Clone, Debug)]
struct Rule {
    source: u32,
    ty: u32,
    severity: u32,
    ids: Vec<u32>,
    on: bool,
}

impl Rule {
    fn matches(&self, message: &Message) -> bool {
        let is = |rule: u32, value: u32| rule == gl::DONT_CARE || rule == value;
        is(self.source, message.source)
            && is(self.ty, message.ty)
            && is(self.severity, message.severity)
            && (self.ids.is_empty() || self.ids.contains(&message.id))
    }
}

#[derive(Debug)]
struct Group {
    source: u32,
    id: u32,
    text: Vec<u8>,
    rules: Vec<Rule>,
}

/// Debug output of a context.
#[derive(Debug, Default)]
pub struct DebugState {
    output: bool,
    synchronous: bool,
    callback: Option<Callback>,
    user: usize,
    rules: Vec<Rule>,
    groups: Vec<Group>,
    log: VecDeque<Message>,
    deliveries: VecDeque<Message>,
}

impl DebugState {
    /// Debug output as a new context has it: on in debug contexts only.
    pub fn new(config: &Config) -> DebugState {
        DebugState { output: config.debug, ..Default::default() }
    }

    /// glEnable, glDisable of GL_DEBUG_OUTPUT and GL_DEBUG_OUTPUT_SYNCHRONOUS.
    pub fn enable(&mut self, cap: u32, on: bool) {
        if cap == gl::DEBUG_OUTPUT {
            self.output = on;
        } else {
            self.synchronous = on;
        }
    }

    /// glIsEnabled of them.
    pub fn is_enabled(&self, cap: u32) -> bool {
        if cap == gl::DEBUG_OUTPUT { self.output } else { self.synchronous }
    }

    /// Whether messages wait for the program's callback.
    #[inline]
    pub fn pending(&self) -> bool {
        !self.deliveries.is_empty()
    }

    /// The next message for the callback.
    pub fn take_delivery(&mut self) -> Option<Delivery> {
        let message = self.deliveries.pop_front()?;
        Some(Delivery { callback: self.callback?, user: self.user as *const c_void, message })
    }

    /// Whether anybody would see such a message.
    fn wanted(&self, message: &Message) -> bool {
        let initially = message.severity != gl::DEBUG_SEVERITY_LOW;
        self.output
            && self
                .rules
                .iter()
                .rev()
                .find(|rule| rule.matches(message))
                .map_or(initially, |rule| rule.on)
    }

    fn post(&mut self, message: Message) {
        if !self.wanted(&message) {
            return;
        }
        if self.callback.is_some() {
            self.deliveries.push_back(message);
        } else if self.log.len() < MAX_LOGGED {
            self.log.push_back(message);
        }
    }

    /// A call ended in an error.
    pub fn api_error(&mut self, call: &'static str, error: &GlError) {
        if self.output {
            self.error(gl::DEBUG_SOURCE_API, error.code, format!("{call}: {}", error.what));
        }
    }

    /// The server found an error.
    pub fn server_error(&mut self, code: u32, text: &str) {
        if self.output {
            self.error(gl::DEBUG_SOURCE_API, code, text.to_owned());
        }
    }

    fn error(&mut self, source: u32, code: u32, text: String) {
        self.post(Message {
            source,
            ty: gl::DEBUG_TYPE_ERROR,
            id: code,
            severity: gl::DEBUG_SEVERITY_HIGH,
            text: text.into_bytes(),
        });
    }

    /// The server has a message.
    pub fn server_message(&mut self, head: &DebugMessageEvent, text: &str) {
        let DebugMessageEvent { source, ty, id, severity, .. } = *head;
        self.post(Message { source, ty, id, severity, text: text.as_bytes().to_vec() });
    }

    /// glDebugMessageCallback.
    pub fn set_callback(&mut self, callback: Option<Callback>, user: *const c_void) {
        self.callback = callback;
        self.user = user as usize;
        self.deliveries.clear();
    }

    /// GL_DEBUG_CALLBACK_FUNCTION and GL_DEBUG_CALLBACK_USER_PARAM.
    ///
    /// # Errors
    /// GL_INVALID_ENUM for another name.
    pub fn pointer(&self, pname: u32) -> GlResult<*const c_void> {
        match pname {
            gl::DEBUG_CALLBACK_FUNCTION => {
                Ok(self.callback.map_or(std::ptr::null(), |c| c as *const c_void))
            }
            gl::DEBUG_CALLBACK_USER_PARAM => Ok(self.user as *const c_void),
            _ => invalid_enum("pointer"),
        }
    }

    /// glDebugMessageControl.
    ///
    /// # Errors
    /// As OpenGL ES 3.2, section 20.4 says.
    pub fn control(
        &mut self,
        source: u32,
        ty: u32,
        severity: u32,
        ids: &[u32],
        on: bool,
    ) -> GlResult {
        let any = gl::DONT_CARE;
        check_enum(source == any || is_source(source), "message source")?;
        check_enum(ty == any || is_type(ty), "message type")?;
        check_enum(severity == any || is_severity(severity), "message severity")?;
        let exact = source != any && ty != any && severity == any;
        check_operation(ids.is_empty() || exact, "ids need a source and a type, and no severity")?;
        self.rules.push(Rule { source, ty, severity, ids: ids.to_vec(), on });
        Ok(())
    }

    /// glDebugMessageInsert.
    ///
    /// # Errors
    /// GL_INVALID_ENUM, or GL_INVALID_VALUE for a text that is too long.
    pub fn insert(&mut self, message: Message) -> GlResult {
        check_enum(is_inserted_source(message.source), "message source")?;
        check_enum(is_type(message.ty), "message type")?;
        check_enum(is_severity(message.severity), "message severity")?;
        check_value(message.text.len() < MAX_MESSAGE_LENGTH, "length of a message")?;
        self.post(message);
        Ok(())
    }

    /// glPushDebugGroup.
    ///
    /// # Errors
    /// GL_INVALID_ENUM, GL_INVALID_VALUE, GL_STACK_OVERFLOW.
    pub fn push(&mut self, source: u32, id: u32, text: Vec<u8>) -> GlResult {
        check_enum(is_inserted_source(source), "group source")?;
        check_value(text.len() < MAX_MESSAGE_LENGTH, "length of a message")?;
        if self.groups.len() + 1 >= MAX_GROUPS {
            return crate::error::stack_overflow("too many debug groups");
        }
        self.post(group_message(gl::DEBUG_TYPE_PUSH_GROUP, source, id, text.clone()));
        self.groups.push(Group { source, id, text, rules: self.rules.clone() });
        Ok(())
    }

    /// glPopDebugGroup.
    ///
    /// # Errors
    /// GL_STACK_UNDERFLOW.
    pub fn pop(&mut self) -> GlResult {
        let Some(group) = self.groups.pop() else {
            return crate::error::stack_underflow("no debug group");
        };
        // The message is filtered by the rules that are in force again, as drivers do.
        self.rules = group.rules;
        self.post(group_message(gl::DEBUG_TYPE_POP_GROUP, group.source, group.id, group.text));
        Ok(())
    }

    /// glGetDebugMessageLog: takes the oldest message if its text with NUL has room.
    pub fn take_logged(&mut self, room: Option<usize>) -> Option<Message> {
        let fits = |message: &Message| room.is_none_or(|room| message.text.len() < room);
        if self.log.front().is_some_and(fits) { self.log.pop_front() } else { None }
    }
}

fn group_message(ty: u32, source: u32, id: u32, text: Vec<u8>) -> Message {
    Message { source, ty, id, severity: gl::DEBUG_SEVERITY_NOTIFICATION, text }
}

fn is_source(source: u32) -> bool {
    (gl::DEBUG_SOURCE_API..=gl::DEBUG_SOURCE_OTHER).contains(&source)
}

fn is_inserted_source(source: u32) -> bool {
    matches!(source, gl::DEBUG_SOURCE_APPLICATION | gl::DEBUG_SOURCE_THIRD_PARTY)
}

fn is_type(ty: u32) -> bool {
    (gl::DEBUG_TYPE_ERROR..=gl::DEBUG_TYPE_OTHER).contains(&ty)
        || (gl::DEBUG_TYPE_MARKER..=gl::DEBUG_TYPE_POP_GROUP).contains(&ty)
}

fn is_severity(severity: u32) -> bool {
    matches!(
        severity,
        gl::DEBUG_SEVERITY_HIGH
            | gl::DEBUG_SEVERITY_MEDIUM
            | gl::DEBUG_SEVERITY_LOW
            | gl::DEBUG_SEVERITY_NOTIFICATION
    )
}

/// Answers glGet*.
pub fn get(state: &State, pname: u32) -> Option<Value> {
    let debug = &state.debug;
    Some(match pname {
        gl::DEBUG_GROUP_STACK_DEPTH => Value::int(debug.groups.len() as i64 + 1),
        gl::DEBUG_LOGGED_MESSAGES => Value::int(debug.log.len() as i64),
        gl::DEBUG_NEXT_LOGGED_MESSAGE_LENGTH => {
            Value::int(debug.log.front().map_or(0, |m| m.text.len() as i64 + 1))
        }
        gl::MAX_DEBUG_GROUP_STACK_DEPTH => Value::int(MAX_GROUPS as i64),
        gl::MAX_DEBUG_LOGGED_MESSAGES => Value::int(MAX_LOGGED as i64),
        gl::MAX_DEBUG_MESSAGE_LENGTH => Value::int(MAX_MESSAGE_LENGTH as i64),
        gl::MAX_LABEL_LENGTH => Value::int(MAX_LABEL_LENGTH as i64),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: u32, severity: u32) -> Message {
        Message {
            source: gl::DEBUG_SOURCE_APPLICATION,
            ty: gl::DEBUG_TYPE_MARKER,
            id,
            severity,
            text: b"m".to_vec(),
        }
    }

    fn state() -> DebugState {
        DebugState { output: true, ..Default::default() }
    }

    #[test]
    fn low_severity_is_off_until_a_rule_turns_it_on() {
        let mut debug = state();
        debug.insert(message(1, gl::DEBUG_SEVERITY_LOW)).unwrap();
        debug.control(gl::DONT_CARE, gl::DONT_CARE, gl::DEBUG_SEVERITY_LOW, &[], true).unwrap();
        debug.insert(message(2, gl::DEBUG_SEVERITY_LOW)).unwrap();
        assert_eq!(debug.take_logged(None).map(|m| m.id), Some(2));
    }

    #[test]
    fn popping_a_group_brings_its_rules_back() {
        let mut debug = state();
        debug.push(gl::DEBUG_SOURCE_APPLICATION, 7, b"g".to_vec()).unwrap();
        debug.control(gl::DONT_CARE, gl::DONT_CARE, gl::DONT_CARE, &[], false).unwrap();
        debug.pop().unwrap();
        debug.insert(message(3, gl::DEBUG_SEVERITY_HIGH)).unwrap();
        let ids: Vec<_> =
            std::iter::from_fn(|| debug.take_logged(None)).map(|m| (m.ty, m.id)).collect();
        let pop = (gl::DEBUG_TYPE_POP_GROUP, 7);
        assert_eq!(ids, [(gl::DEBUG_TYPE_PUSH_GROUP, 7), pop, (gl::DEBUG_TYPE_MARKER, 3)]);
    }

    #[test]
    fn a_message_that_does_not_fit_stays_in_the_log() {
        let mut debug = state();
        debug.insert(message(4, gl::DEBUG_SEVERITY_HIGH)).unwrap();
        assert_eq!(debug.take_logged(Some(1)), None);
        assert!(debug.take_logged(Some(2)).is_some());
    }
}
