//! Vertex formats, vertex and index buffers, current attribute values.

use crate::flat;
use crate::handle::RawHandle;

/// Attributes and bindings at most.
pub const MAX_VERTEX_ATTRIBS: u32 = 32;

/// How an attribute reaches the shader.
pub mod attrib_class {
    /// As floats (converted or normalized).
    pub const FLOAT: u32 = 0;
    /// As integers.
    pub const INTEGER: u32 = 1;
    /// As doubles.
    pub const LONG: u32 = 2;
}

flat! {
    /// An enabled attribute.
    pub struct VertexAttrib {
        /// Location, below [`MAX_VERTEX_ATTRIBS`].
        pub location: u32,
        /// Vertex buffer binding.
        pub binding: u32,
        /// 1–4, or GL_BGRA.
        pub size: u32,
        /// GL type.
        pub ty: u32,
        /// Whether integers are normalized.
        pub normalized: u32,
        /// [`attrib_class`].
        pub class: u32,
        /// Bytes from the start of the element.
        pub relative_offset: u32,
        /// Zero.
        pub pad: u32,
    }

    /// A vertex buffer binding that the attributes use.
    pub struct VertexBinding {
        /// Binding, below [`MAX_VERTEX_ATTRIBS`].
        pub binding: u32,
        /// Instances per element; 0 for one element per vertex.
        pub divisor: u32,
    }

    /// Introduces a vertex format.
    pub struct CreateVertexElements {
        /// The new handle.
        pub handle: RawHandle,
        /// Attributes that follow.
        pub attrib_count: u32,
        /// Bindings that follow.
        pub binding_count: u32,
    }

    /// Selects a vertex format.
    pub struct BindVertexElements {
        /// The handle.
        pub handle: RawHandle,
    }

    /// Frees a vertex format.
    pub struct DeleteVertexElements {
        /// The handle.
        pub handle: RawHandle,
    }

    /// A vertex buffer at a binding.
    pub struct VertexBuffer {
        /// The buffer, or null (client memory rides the draw).
        pub buffer: RawHandle,
        /// First byte.
        pub offset: u64,
        /// Bytes between elements.
        pub stride: u32,
        /// Binding.
        pub binding: u32,
    }

    /// Replaces the named vertex buffer bindings.
    pub struct SetVertexBuffers {
        /// How many follow.
        pub count: u32,
        /// Zero.
        pub pad: u32,
    }

    /// The element array buffer.
    pub struct SetIndexBuffer {
        /// The buffer, or null (client indices ride the draw).
        pub buffer: RawHandle,
    }

    /// Current value of an attribute.
    pub struct AttribDefault {
        /// Location.
        pub location: u32,
        /// 0 float, 1 int, 2 unsigned int, 3 double.
        pub class: u32,
        /// Four components of 32 bits, or four doubles.
        pub value: [u32; 8],
    }

    /// Replaces the current values of the named attributes.
    pub struct SetVertexAttribDefaults {
        /// How many follow.
        pub count: u32,
        /// Zero.
        pub pad: u32,
    }

    /// Tessellation parameters outside programs.
    pub struct SetPatchState {
        /// GL_PATCH_VERTICES.
        pub vertices: u32,
        /// GL_PATCH_DEFAULT_OUTER_LEVEL.
        pub outer: [f32; 4],
        /// GL_PATCH_DEFAULT_INNER_LEVEL.
        pub inner: [f32; 2],
        /// Zero.
        pub pad: u32,
    }
}
