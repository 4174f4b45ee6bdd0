//! Vertex arrays and current attribute values (OpenGL ES 3.2, chapter 10).

use super::buffer::Buffer;
use crate::context::{Api, Config, Context, State};
use crate::emit::Dirty;
use crate::error::{GlResult, check_enum, check_operation, check_value, invalid_enum};
use crate::names::Names;
use crate::stream::Owned;
use crate::value::Value;
use forerun_pipe::gl;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{AttribDefault, attrib_class};
use std::sync::Arc;

/// A generic vertex attribute of a vertex array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attrib {
    /// Components, or GL_BGRA.
    pub size: u32,
    /// GL type.
    pub ty: u32,
    /// Whether integers are normalized.
    pub normalized: bool,
    /// [`attrib_class`].
    pub class: u32,
    /// Bytes from the start of the element.
    pub relative_offset: u32,
    /// Vertex buffer binding.
    pub binding: u32,
    /// The stride that glVertexAttribPointer was given.
    pub stride: i32,
    /// The pointer that glVertexAttribPointer was given.
    pub pointer: usize,
}

impl Attrib {
    /// Bytes of one element.
    pub fn bytes(&self) -> u32 {
        let components = if self.size == gl::BGRA { 4 } else { self.size };
        match self.ty {
            gl::BYTE | gl::UNSIGNED_BYTE => components,
            gl::SHORT | gl::UNSIGNED_SHORT | gl::HALF_FLOAT | gl::HALF_FLOAT_OES => components * 2,
            gl::DOUBLE => components * 8,
            gl::INT_2_10_10_10_REV
            | gl::UNSIGNED_INT_2_10_10_10_REV
            | gl::UNSIGNED_INT_10F_11F_11F_REV => 4,
            _ => components * 4,
        }
    }
}

/// A vertex buffer binding of a vertex array.
#[derive(Clone, Debug, Default)]
pub struct Binding {
    /// The buffer; `None` for client memory at `offset`.
    pub buffer: Option<Arc<Buffer>>,
    /// First byte, or an address in client memory.
    pub offset: u64,
    /// Bytes between elements.
    pub stride: u32,
    /// Instances per element.
    pub divisor: u32,
}

/// A vertex array object.
#[derive(Debug)]
pub struct VertexArray {
    /// Its name; 0 for the default one.
    pub name: u32,
    /// Attributes.
    pub attribs: [Attrib; 32],
    /// Bindings.
    pub bindings: [Binding; 32],
    /// Bit per enabled attribute.
    pub enabled: u32,
    /// The element array buffer.
    pub element_buffer: Option<Arc<Buffer>>,
    /// The format as the server knows it; `None` when it has to be looked up again.
    pub elements: Option<Arc<Owned<kind::VertexElements>>>,
}

impl VertexArray {
    /// A vertex array as it is at first.
    pub fn new(name: u32) -> VertexArray {
        VertexArray {
            name,
            attribs: std::array::from_fn(|index| Attrib {
                size: 4,
                ty: gl::FLOAT,
                normalized: false,
                class: attrib_class::FLOAT,
                relative_offset: 0,
                binding: index as u32,
                stride: 0,
                pointer: 0,
            }),
            bindings: std::array::from_fn(|_| Binding { stride: 16, ..Default::default() }),
            enabled: 0,
            element_buffer: None,
            elements: None,
        }
    }

    /// The enabled attributes with their locations.
    pub fn enabled_attribs(&self) -> impl Iterator<Item = (u32, &Attrib)> {
        let enabled = self.enabled;
        self.attribs
            .iter()
            .enumerate()
            .filter_map(move |(i, a)| (enabled >> i & 1 != 0).then_some((i as u32, a)))
    }

    /// Bit per binding that enabled attributes read.
    pub fn used_bindings(&self) -> u32 {
        self.enabled_attribs().fold(0, |mask, (_, a)| mask | 1 << (a.binding & 31))
    }

    /// Bit per binding that enabled attributes read from client memory.
    fn client_bindings(&self) -> u32 {
        let mut mask = self.used_bindings();
        for (index, binding) in self.bindings.iter().enumerate() {
            if binding.buffer.is_some() || binding.offset == 0 {
                mask &= !(1 << index);
            }
        }
        mask
    }

    fn forget(&mut self, buffer: &Arc<Buffer>) -> bool {
        let gone =
            |slot: &Option<Arc<Buffer>>| slot.as_ref().is_some_and(|b| Arc::ptr_eq(b, buffer));
        let mut any = false;
        for binding in self.bindings.iter_mut().filter(|b| gone(&b.buffer)) {
            *binding =
                Binding { stride: binding.stride, divisor: binding.divisor, ..Default::default() };
            any = true;
        }
        if gone(&self.element_buffer) {
            self.element_buffer = None;
            any = true;
        }
        any
    }
}

/// Vertex arrays and current attribute values of a context.
#[derive(Debug)]
pub struct VertexState {
    /// The bound vertex array; it is not in `arrays` meanwhile.
    pub current: Box<VertexArray>,
    /// The vertex arrays; the bound one is taken out.
    pub arrays: Names<Option<Box<VertexArray>>>,
    /// The default vertex array while another is bound.
    default: Option<Box<VertexArray>>,
    /// Current values.
    pub defaults: [AttribDefault; 32],
    /// Bit per binding that enabled attributes read from client memory, as [`State::client_bindings`] found last.
    pub client: u32,
}

impl VertexState {
    /// The default vertex array is bound.
    pub fn new(_config: &Config) -> VertexState {
        let one = 1.0f32.to_bits();
        VertexState {
            current: Box::new(VertexArray::new(0)),
            arrays: Names::default(),
            default: None,
            client: 0,
            defaults: std::array::from_fn(|index| AttribDefault {
                location: index as u32,
                class: 0,
                value: [0, 0, 0, one, 0, 0, 0, 0],
            }),
        }
    }
}

impl State {
    /// Bit per binding that enabled attributes read from client memory. Core contexts have none (OpenGL 4.6, section 10.3.9).
    #[inline]
    pub fn client_bindings(&mut self) -> u32 {
        if self.dirty.intersects(Dirty::VERTEX_FORMAT.union(Dirty::VERTEX_BUFFERS)) {
            self.vertex.client = match self.config.api {
                Api::Core => 0,
                _ => self.vertex.current.client_bindings(),
            };
        }
        self.vertex.client
    }
}

const ALL: Dirty = Dirty::VERTEX_FORMAT.union(Dirty::VERTEX_BUFFERS).union(Dirty::INDEX_BUFFER);

/// glBindVertexArray.
///
/// # Errors
/// GL_INVALID_OPERATION for a name that glGenVertexArrays did not give.
pub fn bind(cx: &mut Context, name: u32) -> GlResult {
    let state = &mut cx.state;
    let vertex = &mut state.vertex;
    if vertex.current.name == name {
        return Ok(());
    }
    let next = if name == 0 {
        vertex.default.take()
    } else {
        check_operation(
            vertex.arrays.is_reserved(name),
            "the vertex array name was not generated",
        )?;
        // The slot stays reserved while its object is bound.
        Some(match vertex.arrays.get_mut(name) {
            Some(array) => array.take(),
            None => {
                vertex.arrays.insert(name, None);
                None
            }
        })
        .map(|known| known.unwrap_or_else(|| Box::new(VertexArray::new(name))))
    };
    let next = next.unwrap_or_else(|| Box::new(VertexArray::new(0)));
    let previous = std::mem::replace(&mut vertex.current, next);
    if previous.name == 0 {
        vertex.default = Some(previous);
    } else if let Some(slot) = vertex.arrays.get_mut(previous.name) {
        *slot = Some(previous);
    }
    state.dirty |= ALL;
    Ok(())
}

/// glDeleteVertexArrays.
pub fn delete(cx: &mut Context, names: &[u32]) -> GlResult {
    for &name in names.iter().filter(|n| **n != 0) {
        if cx.vertex.current.name == name {
            bind(cx, 0)?;
        }
        cx.vertex.arrays.remove(name);
    }
    Ok(())
}

/// A buffer was deleted: the bound vertex array lets go of it, others keep it (OpenGL ES 3.2, section 5.1.2).
pub fn buffer_deleted(state: &mut State, buffer: &Arc<Buffer>) {
    if state.vertex.current.forget(buffer) {
        state.dirty |= ALL;
    }
}

fn attrib_index(cx: &Context, index: u32) -> GlResult<usize> {
    check_value(
        i64::from(index) < i64::from(cx.caps.limits.max_vertex_attribs.min(32)),
        "attribute index",
    )?;
    Ok(index as usize)
}

fn binding_index(cx: &Context, index: u32) -> GlResult<usize> {
    check_value(
        i64::from(index) < i64::from(cx.caps.limits.max_vertex_attrib_bindings.min(32)),
        "binding index",
    )?;
    Ok(index as usize)
}

fn check_array(cx: &Context) -> GlResult {
    check_operation(
        cx.config.api != Api::Core || cx.vertex.current.name != 0,
        "no vertex array is bound",
    )
}

/// What glVertexAttrib*Format and glVertexAttrib*Pointer say of an attribute.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Components, or GL_BGRA.
    pub size: i32,
    /// GL type.
    pub ty: u32,
    /// Whether integers are normalized.
    pub normalized: bool,
    /// [`attrib_class`].
    pub class: u32,
}

fn check_format(cx: &Context, format: &Format) -> GlResult {
    let bgra =
        format.size == gl::BGRA as i32 && format.class == attrib_class::FLOAT && cx.desktop(32);
    check_value((1..=4).contains(&format.size) || bgra, "attribute size")?;
    let packed = matches!(format.ty, gl::INT_2_10_10_10_REV | gl::UNSIGNED_INT_2_10_10_10_REV);
    let es = cx.config.api == Api::Es;
    let known = match (format.class, format.ty) {
        (attrib_class::LONG, ty) => ty == gl::DOUBLE,
        (_, gl::BYTE | gl::UNSIGNED_BYTE | gl::SHORT | gl::UNSIGNED_SHORT) => true,
        (_, gl::INT | gl::UNSIGNED_INT) => cx.at_least(30, 10),
        (attrib_class::INTEGER, _) => false,
        (_, gl::FLOAT) => true,
        (_, gl::FIXED) => cx.knows(format.ty),
        (_, gl::HALF_FLOAT) => cx.knows(format.ty),
        (_, gl::HALF_FLOAT_OES) => es && cx.knows(format.ty),
        (_, gl::DOUBLE) => !es,
        (_, gl::INT_2_10_10_10_REV | gl::UNSIGNED_INT_2_10_10_10_REV) => {
            cx.at_least(30, 33) || cx.extensions.has("GL_ARB_vertex_type_2_10_10_10_rev")
        }
        (_, gl::UNSIGNED_INT_10F_11F_11F_REV) => {
            cx.desktop(44) || cx.extensions.has("GL_ARB_vertex_type_10f_11f_11f_rev")
        }
        _ => false,
    };
    check_enum(known, "attribute type")?;
    check_operation(!packed || format.size == 4 || bgra, "a packed type needs four components")?;
    check_operation(
        format.ty != gl::UNSIGNED_INT_10F_11F_11F_REV || format.size == 3,
        "packed floats are three",
    )?;
    check_operation(
        !bgra || (format.normalized && (packed || format.ty == gl::UNSIGNED_BYTE)),
        "BGRA needs a normalized packed or byte type",
    )
}

/// glVertexAttribPointer, glVertexAttribIPointer, glVertexAttribLPointer.
///
/// # Errors
/// As OpenGL ES 3.2, section 10.3.1 says.
pub fn pointer(
    cx: &mut Context,
    index: u32,
    format: Format,
    stride: i32,
    pointer: usize,
) -> GlResult {
    let index = attrib_index(cx, index)?;
    check_array(cx)?;
    check_format(cx, &format)?;
    check_value(stride >= 0, "stride")?;
    check_value(
        !cx.at_least(31, 44) || stride <= cx.caps.limits.max_vertex_attrib_stride,
        "stride",
    )?;
    let state = &mut cx.state;
    let array = state.vertex.current.as_mut();
    let buffer = state.buffer.slots.array.clone();
    let client = buffer.is_none() && pointer != 0;
    check_operation(!client || array.name == 0, "client memory in a vertex array object")?;
    let attrib = &mut array.attribs[index];
    let mut next = Attrib {
        size: format.size as u32,
        ty: format.ty,
        normalized: format.normalized,
        class: format.class,
        relative_offset: 0,
        binding: index as u32,
        stride,
        pointer,
    };
    let same_format = Attrib { stride: attrib.stride, pointer: attrib.pointer, ..next } == *attrib;
    std::mem::swap(attrib, &mut next);
    if !same_format {
        array.elements = None;
        state.dirty |= Dirty::VERTEX_FORMAT;
    }
    let element = array.attribs[index].bytes();
    let binding = &mut array.bindings[index];
    binding.buffer = buffer;
    binding.offset = pointer as u64;
    binding.stride = if stride == 0 { element } else { stride as u32 };
    state.dirty |= Dirty::VERTEX_BUFFERS;
    Ok(())
}

/// glVertexAttribFormat, glVertexAttribIFormat, glVertexAttribLFormat.
///
/// # Errors
/// As OpenGL ES 3.2, section 10.3.1 says.
pub fn format(cx: &mut Context, index: u32, format: Format, relative_offset: u32) -> GlResult {
    let index = attrib_index(cx, index)?;
    check_array(cx)?;
    check_format(cx, &format)?;
    check_value(
        i64::from(relative_offset) <= i64::from(cx.caps.limits.max_vertex_attrib_relative_offset),
        "relative offset",
    )?;
    check_operation(
        cx.config.api != Api::Es || cx.vertex.current.name != 0,
        "no vertex array is bound",
    )?;
    let attrib = &mut cx.state.vertex.current.attribs[index];
    attrib.size = format.size as u32;
    attrib.ty = format.ty;
    attrib.normalized = format.normalized;
    attrib.class = format.class;
    attrib.relative_offset = relative_offset;
    format_moved(cx);
    Ok(())
}

fn format_moved(cx: &mut Context) {
    cx.state.vertex.current.elements = None;
    cx.dirty |= Dirty::VERTEX_FORMAT | Dirty::VERTEX_BUFFERS;
}

/// glVertexAttribBinding.
///
/// # Errors
/// GL_INVALID_VALUE for an index too large, GL_INVALID_OPERATION without a vertex array object.
pub fn attrib_binding(cx: &mut Context, index: u32, binding: u32) -> GlResult {
    let index = attrib_index(cx, index)?;
    binding_index(cx, binding)?;
    check_array(cx)?;
    check_operation(
        cx.config.api != Api::Es || cx.vertex.current.name != 0,
        "no vertex array is bound",
    )?;
    cx.state.vertex.current.attribs[index].binding = binding;
    format_moved(cx);
    Ok(())
}

/// glBindVertexBuffer.
///
/// # Errors
/// As OpenGL ES 3.2, section 10.3.1 says.
pub fn bind_buffer(
    cx: &mut Context,
    binding: u32,
    name: u32,
    offset: i64,
    stride: i32,
) -> GlResult {
    let index = binding_index(cx, binding)?;
    check_value(offset >= 0, "offset of a vertex buffer")?;
    check_value(stride >= 0, "stride")?;
    check_value(
        !cx.at_least(31, 44) || stride <= cx.caps.limits.max_vertex_attrib_stride,
        "stride",
    )?;
    check_array(cx)?;
    check_operation(
        cx.config.api != Api::Es || cx.vertex.current.name != 0,
        "no vertex array is bound",
    )?;
    check_operation(
        name == 0 || cx.group.buffers.borrow_mut().is_reserved(name),
        "the buffer name was not generated",
    )?;
    let buffer = cx.group.buffer(cx.config.api, name)?;
    let slot = &mut cx.state.vertex.current.bindings[index];
    slot.buffer = buffer;
    slot.offset = offset as u64;
    slot.stride = stride as u32;
    cx.dirty |= Dirty::VERTEX_BUFFERS;
    Ok(())
}

/// glVertexBindingDivisor.
///
/// # Errors
/// As [`attrib_binding`].
pub fn binding_divisor(cx: &mut Context, binding: u32, divisor: u32) -> GlResult {
    let index = binding_index(cx, binding)?;
    check_array(cx)?;
    check_operation(
        cx.config.api != Api::Es || cx.vertex.current.name != 0,
        "no vertex array is bound",
    )?;
    set_divisor(cx, index, divisor);
    Ok(())
}

/// glVertexAttribDivisor: also selects the binding of the same index.
///
/// # Errors
/// GL_INVALID_VALUE for an index too large.
pub fn attrib_divisor(cx: &mut Context, index: u32, divisor: u32) -> GlResult {
    let index = attrib_index(cx, index)?;
    check_array(cx)?;
    if cx.vertex.current.attribs[index].binding != index as u32 {
        cx.state.vertex.current.attribs[index].binding = index as u32;
        format_moved(cx);
    }
    set_divisor(cx, index, divisor);
    Ok(())
}

fn set_divisor(cx: &mut Context, index: usize, divisor: u32) {
    let slot = &mut cx.state.vertex.current.bindings[index].divisor;
    if *slot != divisor {
        *slot = divisor;
        format_moved(cx);
    }
}

/// glEnableVertexAttribArray, glDisableVertexAttribArray.
///
/// # Errors
/// GL_INVALID_VALUE for an index too large.
pub fn enable(cx: &mut Context, index: u32, on: bool) -> GlResult {
    let index = attrib_index(cx, index)?;
    check_array(cx)?;
    let array = &mut cx.state.vertex.current;
    let enabled = if on { array.enabled | 1 << index } else { array.enabled & !(1 << index) };
    if enabled != array.enabled {
        array.enabled = enabled;
        format_moved(cx);
    }
    Ok(())
}

/// glVertexAttrib*: sets the current value.
///
/// # Errors
/// GL_INVALID_VALUE for an index too large.
pub fn set_current(cx: &mut Context, index: u32, class: u32, value: [u32; 4]) -> GlResult {
    let [x, y, z, w] = value;
    put_current(cx, index, class, [x, y, z, w, 0, 0, 0, 0])
}

/// glVertexAttribL*: sets the current value to doubles.
///
/// # Errors
/// GL_INVALID_VALUE for an index too large.
pub fn set_current_doubles(cx: &mut Context, index: u32, value: [f64; 4]) -> GlResult {
    let mut words = [0; 8];
    for (pair, value) in words.chunks_exact_mut(2).zip(value) {
        let bits = value.to_bits();
        pair.copy_from_slice(&[bits as u32, (bits >> 32) as u32]);
    }
    put_current(cx, index, DOUBLES, words)
}

/// [`AttribDefault::class`] of doubles.
const DOUBLES: u32 = 3;

/// The components of a current value as numbers.
pub fn current_as_doubles(value: &AttribDefault) -> [f64; 4] {
    std::array::from_fn(|i| {
        let word = value.value[i];
        match value.class {
            0 => f64::from(f32::from_bits(word)),
            1 => f64::from(word as i32),
            DOUBLES => {
                let [low, high] = [value.value[2 * i], value.value[2 * i + 1]].map(u64::from);
                f64::from_bits(high << 32 | low)
            }
            _ => f64::from(word),
        }
    })
}

fn put_current(cx: &mut Context, index: u32, class: u32, value: [u32; 8]) -> GlResult {
    let index = attrib_index(cx, index)?;
    cx.state.vertex.defaults[index] = AttribDefault { location: index as u32, class, value };
    cx.dirty |= Dirty::ATTRIB_DEFAULTS;
    Ok(())
}

/// glGetVertexAttrib*: everything but the current value.
///
/// # Errors
/// GL_INVALID_VALUE for an index too large, GL_INVALID_ENUM for an unknown parameter.
pub fn parameter(cx: &Context, index: u32, pname: u32) -> GlResult<Value> {
    let index = attrib_index(cx, index)?;
    let array = &cx.vertex.current;
    let attrib = &array.attribs[index];
    let binding = &array.bindings[attrib.binding as usize & 31];
    check_enum(cx.knows(pname), "attribute parameter")?;
    Ok(match pname {
        gl::VERTEX_ATTRIB_ARRAY_ENABLED => Value::bool(array.enabled >> index & 1 != 0),
        gl::VERTEX_ATTRIB_ARRAY_SIZE => Value::int(attrib.size),
        gl::VERTEX_ATTRIB_ARRAY_STRIDE => Value::int(attrib.stride),
        gl::VERTEX_ATTRIB_ARRAY_TYPE => Value::int(attrib.ty),
        gl::VERTEX_ATTRIB_ARRAY_NORMALIZED => Value::bool(attrib.normalized),
        gl::VERTEX_ATTRIB_ARRAY_BUFFER_BINDING => {
            Value::int(binding.buffer.as_ref().map_or(0, |b| b.name))
        }
        gl::VERTEX_ATTRIB_ARRAY_INTEGER => Value::bool(attrib.class == attrib_class::INTEGER),
        gl::VERTEX_ATTRIB_ARRAY_LONG => Value::bool(attrib.class == attrib_class::LONG),
        gl::VERTEX_ATTRIB_ARRAY_DIVISOR => Value::int(binding.divisor),
        gl::VERTEX_ATTRIB_BINDING => Value::int(attrib.binding),
        gl::VERTEX_ATTRIB_RELATIVE_OFFSET => Value::int(attrib.relative_offset),
        _ => return invalid_enum("attribute parameter"),
    })
}

/// The current value of an attribute for glGetVertexAttrib(GL_CURRENT_VERTEX_ATTRIB).
///
/// # Errors
/// GL_INVALID_VALUE for an index too large; GL_INVALID_OPERATION for attribute 0 in a legacy context.
pub fn current(cx: &Context, index: u32) -> GlResult<AttribDefault> {
    let index = attrib_index(cx, index)?;
    Ok(cx.vertex.defaults[index])
}
