//! The catalogue: every call that crosses is one row of [`catalogue!`] below.
//!
//! From that one table come the opcodes, flags and wait classes, the encoders (methods on the payloads), the decoder with its size
//! checks, the [`Dispatch`] trait that the server implements, the per-row fingerprint and the page `docs/protocol.md`.
//! Rows 1–85 keep their numbers for ever; new rows are appended from 100.

use crate::codec::{Reader, Seq, Sink, framing};
use crate::fault::{Fault, Result};
use crate::layout::{Field, Layout};
use crate::records::*;
use zerocopy::IntoBytes;

/// What a client waits for after a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Nothing.
    None,
    /// That the record was applied.
    Applied,
    /// Its answer.
    Reply,
    /// Present credit, taken before encoding.
    Present,
}

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Objects' existence and storage, contexts, fences.
    Screen,
    /// Query objects.
    Query,
    /// Constant state objects.
    Cso,
    /// State that the next verb uses.
    State,
    /// What GL executes at once on a resource.
    Object,
    /// Draws, clears, copies, presents.
    Verb,
}

/// The payload owns a blob reference.
pub const BLOB: u32 = 1;
/// Tails follow the payload.
pub const TAIL: u32 = 2;
/// The row has an answer.
pub const REPLY: u32 = 4;
/// The row may be emitted only if the caps say so.
pub const OPTIONAL: u32 = 8;

/// A row, for tables, fingerprints and the protocol page.
#[derive(Clone, Copy, Debug)]
pub struct RowInfo {
    /// Opcode.
    pub op: u16,
    /// Name.
    pub name: &'static str,
    /// What it is about.
    pub class: Class,
    /// [`BLOB`], [`TAIL`], [`REPLY`], [`OPTIONAL`].
    pub flags: u32,
    /// What the client waits for.
    pub wait: Wait,
    /// Whether the row is only a number: its records are refused.
    pub reserved: bool,
    /// The payload's size in bytes.
    pub size: usize,
    /// The payload's members.
    pub fields: &'static [Field],
    /// Element names and members of the tails.
    pub tails: &'static [(&'static str, usize, &'static [Field])],
    /// One line: what it does.
    pub doc: &'static str,
}

/// Whether the payload has a member of type `BlobRef`.
const fn has_blob(fields: &[Field]) -> bool {
    const fn is_blob(ty: &str) -> bool {
        let (a, b) = (ty.as_bytes(), b"BlobRef");
        if a.len() != b.len() {
            return false;
        }
        let mut i = 0;
        while i < a.len() {
            if a[i] != b[i] {
                return false;
            }
            i += 1;
        }
        true
    }
    let mut i = 0;
    while i < fields.len() {
        if is_blob(fields[i].ty) {
            return true;
        }
        i += 1;
    }
    false
}

/// Checks a row's flags against its wait class, payload and tails. Evaluated at compile time for every row.
///
/// A right row compiles:
///
/// ```
/// # use forerun_pipe::{catalogue::*, layout::Layout, records::*, Wait};
/// const _: () = check_row(BLOB | REPLY, Wait::Reply, ReadPixels::FIELDS, 0);
/// ```
///
/// A row that waits for an answer that it does not have does not:
///
/// ```compile_fail
/// # use forerun_pipe::{catalogue::*, layout::Layout, records::*, Wait};
/// const _: () = check_row(BLOB, Wait::Reply, ReadPixels::FIELDS, 0);
/// ```
///
/// nor a row with an answer that nobody waits for:
///
/// ```compile_fail
/// # use forerun_pipe::{catalogue::*, layout::Layout, records::*, Wait};
/// const _: () = check_row(BLOB | REPLY, Wait::None, ReadPixels::FIELDS, 0);
/// ```
///
/// nor a row that hides its blob:
///
/// ```compile_fail
/// # use forerun_pipe::{catalogue::*, layout::Layout, records::*, Wait};
/// const _: () = check_row(REPLY, Wait::Reply, ReadPixels::FIELDS, 0);
/// ```
///
/// nor a row that hides its tails:
///
/// ```compile_fail
/// # use forerun_pipe::{catalogue::*, layout::Layout, records::*, Wait};
/// const _: () = check_row(0, Wait::None, SetShaderBuffers::FIELDS, 1);
/// ```
///
/// nor a payload with padding that nobody wrote down:
///
/// ```compile_fail
/// forerun_pipe::flat! {
///     /// Seven bytes of padding.
///     pub struct Padded {
///         /// One byte.
///         pub a: u8,
///         /// Eight bytes.
///         pub b: u64,
///     }
/// }
/// ```
pub const fn check_row(flags: u32, wait: Wait, fields: &[Field], tails: usize) {
    let waits_reply = matches!(wait, Wait::Reply);
    assert!(
        waits_reply == (flags & REPLY != 0),
        "a row waits for a reply if and only if it has one"
    );
    assert!((tails > 0) == (flags & TAIL != 0), "a row with tails says so, and only such a row");
    assert!(
        has_blob(fields) == (flags & BLOB != 0),
        "a payload that owns a blob reference is flagged BLOB"
    );
    assert!(tails <= 3, "a record has at most three tails");
}

/// FNV-1a, for fingerprints (not for anything that an adversary could gain from colliding).
const fn fnv(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        i += 1;
    }
    hash
}

const fn fnv_fields(mut hash: u64, fields: &[Field]) -> u64 {
    let mut i = 0;
    while i < fields.len() {
        hash = fnv(hash, fields[i].name.as_bytes());
        hash = fnv(hash, &(fields[i].offset as u32).to_le_bytes());
        hash = fnv(hash, &(fields[i].size as u32).to_le_bytes());
        i += 1;
    }
    hash
}

impl RowInfo {
    /// Whether the client waits after a record of this row: [`barriered`] for who has the row.
    pub const fn is_barriered(&self) -> bool {
        matches!(self.wait, Wait::Applied | Wait::Reply)
    }

    /// A hash over everything that both ends must agree on: names, offsets and sizes of members, tails, class of waiting.
    pub const fn fingerprint(&self) -> u64 {
        let mut hash = fnv(0xcbf2_9ce4_8422_2325, self.name.as_bytes());
        hash = fnv(
            hash,
            &[
                self.wait as u8,
                self.flags as u8,
                self.reserved as u8,
                cfg!(target_endian = "little") as u8,
            ],
        );
        hash = fnv(hash, &(self.size as u32).to_le_bytes());
        hash = fnv_fields(hash, self.fields);
        let mut i = 0;
        while i < self.tails.len() {
            hash = fnv(hash, self.tails[i].0.as_bytes());
            hash = fnv(hash, &(self.tails[i].1 as u32).to_le_bytes());
            hash = fnv_fields(hash, self.tails[i].2);
            i += 1;
        }
        hash
    }
}

/// The row of that opcode.
pub fn row(op: u16) -> Option<&'static RowInfo> {
    ROWS.binary_search_by_key(&op, |row| row.op).ok().map(|index| &ROWS[index])
}

/// Whether the client waits after a record of that row.
///
/// Both sides use this one function. No row escalates: transform feedback, client arrays, mip generation and copies are carried by
/// value, so the static column decides.
pub fn barriered(op: u16) -> bool {
    row(op).is_some_and(RowInfo::is_barriered)
}

macro_rules! catalogue {
    (
        rows { $(
            $op:literal $name:ident $method:ident $class:ident [ $($flag:ident)* ] $wait:ident
            $( ( $($tail:ident : $elem:ty = $count:expr),* ) )? $doc:literal;
        )* }
        reserved { $( $rop:literal $rname:ident $rclass:ident $rdoc:literal; )* }
    ) => {
        /// Opcodes by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Op { $( #[doc = $doc] $name = $op, )* }

        $(
            const _: () = check_row(
                0 $( | $flag )*, Wait::$wait, <$name as Layout>::FIELDS,
                0 $( $( + { let _ = stringify!($tail); 1 } )* )?,
            );
            impl $name {
                /// Appends the record to a stream. Lengths of the tails must equal the payload's counts.
                #[inline]
                pub fn send(&self, sink: &mut (impl Sink + ?Sized) $( $( , $tail: &[$elem] )* )?) -> Seq {
                    catalogue!(@send sink, $op, self, [ $( $( $tail )* )? ])
                }
            }
        )*

        const UNSORTED: &[RowInfo] = &[
            $( RowInfo {
                op: $op, name: stringify!($name), class: Class::$class, flags: 0 $( | $flag )*, wait: Wait::$wait,
                reserved: false, size: size_of::<$name>(), fields: <$name as Layout>::FIELDS,
                tails: &[ $( $( (<$elem as Layout>::NAME, size_of::<$elem>(), <$elem as Layout>::FIELDS) ),* )? ], doc: $doc,
            }, )*
            $( RowInfo {
                op: $rop, name: stringify!($rname), class: Class::$rclass, flags: 0, wait: Wait::None,
                reserved: true, size: 0, fields: &[], tails: &[], doc: $rdoc,
            }, )*
        ];

        /// The table, in the order of opcodes.
        pub static ROWS: &[RowInfo] = &sorted::<{ UNSORTED.len() }>(UNSORTED);

        /// What the server does with each record. Slices live only for the call.
        pub trait Dispatch { $(
            #[doc = $doc]
            fn $method(&mut self, p: &$name $( $( , $tail: &[$elem] )* )?) -> Result<()>;
        )* }

        /// Decodes one record and hands it to `target`. The body (all bytes after the header) is 8-aligned private memory.
        ///
        /// # Errors
        /// [`Fault::Unsupported`] for a reserved or unknown row, [`Fault::ProtocolCorruption`] when the declared counts do not give
        /// exactly this size, and whatever the target answers.
        pub fn dispatch<D: Dispatch + ?Sized>(op: u16, flags: u16, body: &[u8], target: &mut D) -> Result<()> {
            if flags & !framing::ALL != 0 {
                return Err(Fault::ProtocolCorruption { what: "Header.flags" });
            }
            match op {
                $( $op => {
                    let mut reader = Reader::new(stringify!($name), body);
                    let p: &$name = reader.payload()?;
                    $( $( let $tail = reader.tail::<$elem>(($count)(p))?; )* )?
                    reader.finish()?;
                    target.$method(p $( $( , $tail )* )?)
                } )*
                $( $rop => Err(Fault::Unsupported { row: stringify!($rname) }), )*
                _ => Err(Fault::Unsupported { row: "unknown" }),
            }
        }
    };
    (@send $sink:ident, $op:literal, $p:ident, []) => { $sink.record($op, 0, [$p.as_bytes(), &[], &[], &[]]) };
    (@send $sink:ident, $op:literal, $p:ident, [$a:ident]) => { $sink.record($op, 0, [$p.as_bytes(), $a.as_bytes(), &[], &[]]) };
    (@send $sink:ident, $op:literal, $p:ident, [$a:ident $b:ident]) => {
        $sink.record($op, 0, [$p.as_bytes(), $a.as_bytes(), $b.as_bytes(), &[]])
    };
    (@send $sink:ident, $op:literal, $p:ident, [$a:ident $b:ident $c:ident]) => {
        $sink.record($op, 0, [$p.as_bytes(), $a.as_bytes(), $b.as_bytes(), $c.as_bytes()])
    };
}

const fn sorted<const N: usize>(rows: &[RowInfo]) -> [RowInfo; N] {
    let mut out = [rows[0]; N];
    let mut i = 0;
    while i < N {
        let mut j = i;
        while j > 0 && out[j - 1].op > rows[i].op {
            out[j] = out[j - 1];
            j -= 1;
        }
        assert!(j == 0 || out[j - 1].op != rows[i].op, "an opcode stands twice in the catalogue");
        out[j] = rows[i];
        i += 1;
    }
    out
}

catalogue! {
    rows {
        // screen
        2 ResourceCreate resource_create Screen [] None "Introduces a buffer, texture or renderbuffer.";
        3 ResourceRespecify resource_respecify Screen [] None "Defines the storage of a buffer, texture (whole or one level) or renderbuffer; contents follow.";
        4 ResourceDestroy resource_destroy Screen [] None "Ends the life of a buffer, texture or renderbuffer.";
        5 MapPersistent map_persistent Screen [OPTIONAL] None "Attaches a shared segment to a buffer's persistent map.";
        6 UnmapPersistent unmap_persistent Screen [OPTIONAL] None "Detaches the segment after a last copy.";
        7 FenceCreate fence_create Screen [] None "glFenceSync; completion is told on the progress page.";
        9 FenceWait fence_wait Screen [REPLY] Reply "A blocking glClientWaitSync; answers the GL result.";
        10 FenceDestroy fence_destroy Screen [] None "glDeleteSync.";
        71 FenceWaitServer fence_wait_server Screen [] None "glWaitSync.";
        84 BindContext bind_context Screen [] None "The records after it belong to that context, draw and read surface.";
        // query
        11 QueryCreate query_create Query [] None "Introduces a query object.";
        12 QueryBegin query_begin Query [] None "glBeginQuery, glBeginQueryIndexed.";
        13 QueryEnd query_end Query [] None "glEndQuery; the result is told on the progress page.";
        15 QueryResult query_result Query [REPLY] Reply "Waits for a result; answers a u64.";
        16 QueryDestroy query_destroy Query [] None "Ends the life of a query object.";
        69 QueryTimestamp query_timestamp Query [REPLY] Reply "GL_TIMESTAMP now; answers an i64 of nanoseconds.";
        70 QueryCounter query_counter Query [] None "glQueryCounter.";
        // constant state objects
        17 CreateRenderState create_render_state Cso [] None "The pipeline half of the render state.";
        18 BindRenderState bind_render_state Cso [] None "Selects a render state.";
        19 DeleteRenderState delete_render_state Cso [] None "Frees a render state.";
        20 CreateVertexElements create_vertex_elements Cso [TAIL] None
            (attribs: VertexAttrib = |p: &CreateVertexElements| p.attrib_count, bindings: VertexBinding = |p: &CreateVertexElements| p.binding_count)
            "A vertex format: enabled attributes and the divisors of their bindings.";
        21 BindVertexElements bind_vertex_elements Cso [] None "Selects a vertex format.";
        22 DeleteVertexElements delete_vertex_elements Cso [] None "Frees a vertex format.";
        23 CreateSamplerState create_sampler_state Cso [] None "Sampler parameters.";
        24 DeleteSamplerState delete_sampler_state Cso [] None "Frees sampler parameters.";
        27 CreateShaderState create_shader_state Cso [BLOB TAIL] None
            (inline: u8 = |p: &CreateShaderState| p.archive.inline_len())
            "A linked program: the blob is its archive.";
        29 DeleteShaderState delete_shader_state Cso [] None "Frees a linked program.";
        // state
        30 SetDynamicState set_dynamic_state State [] None "The values of the render state that need no new pipeline.";
        31 SetFramebufferState set_framebuffer_state State [] None "Describes one framebuffer object whole.";
        32 SetVertexBuffers set_vertex_buffers State [TAIL] None
            (buffers: VertexBuffer = |p: &SetVertexBuffers| p.count) "Replaces the named vertex buffer bindings.";
        33 SetIndexBuffer set_index_buffer State [] None "The element array buffer.";
        35 SetSamplerViews set_sampler_views State [TAIL] None
            (views: BoundView = |p: &SetSamplerViews| p.count) "Replaces the textures of the named units.";
        36 BindSamplerStates bind_sampler_states State [TAIL] None
            (samplers: BoundSampler = |p: &BindSamplerStates| p.count) "Replaces the sampler objects of the named units.";
        37 SetShaderImages set_shader_images State [TAIL] None
            (images: ImageView = |p: &SetShaderImages| p.count) "Replaces the named image units.";
        38 SetShaderBuffers set_shader_buffers State [TAIL] None
            (ranges: BufferRange = |p: &SetShaderBuffers| p.count) "The buffer binding points of one class, from point 0.";
        40 SetGlobalConstants set_global_constants State [BLOB TAIL] None
            (ranges: ByteRange = |p: &SetGlobalConstants| p.range_count, inline: u8 = |p: &SetGlobalConstants| p.bytes.inline_len())
            "Changed byte ranges of a program's default uniform block; the bytes of all ranges stand one after another.";
        41 SetVertexAttribDefaults set_vertex_attrib_defaults State [TAIL] None
            (values: AttribDefault = |p: &SetVertexAttribDefaults| p.count) "Current values of attributes without an array.";
        43 SetPatchState set_patch_state State [] None "Patch size and default tessellation levels.";
        44 SetDrawProgram set_draw_program State [] None "The executable of draws.";
        45 SetDispatchProgram set_dispatch_program State [] None "The executable of dispatches.";
        80 SetProgramBindings set_program_bindings State [TAIL] None
            (blocks: u32 = |p: &SetProgramBindings| p.block_count,
             units: u32 = |p: &SetProgramBindings| p.sampler_count.saturating_add(p.image_count),
             storages: u32 = |p: &SetProgramBindings| p.storage_count)
            "What a program's slots read: points of uniform blocks, units of samplers then images, points of storage blocks.";
        // object
        47 SetTextureParams set_texture_params Object [] None "A texture object's own parameters.";
        48 ResourceSubData resource_sub_data Object [BLOB TAIL] None
            (inline: u8 = |p: &ResourceSubData| p.bytes.inline_len()) "Bytes for a buffer range or a box of a texture level.";
        52 ResourceReadback resource_readback Object [BLOB REPLY] Reply "Buffer bytes into the destination that the client names.";
        53 ResourceCopyRegion resource_copy_region Object [] None "glCopyImageSubData.";
        54 GenerateMipmap generate_mipmap Object [] None "glGenerateMipmap.";
        55 GetTextureImage get_texture_image Object [BLOB REPLY] Reply "A texture level into the destination that the client names.";
        78 ObjectDeath object_death Object [] None "A framebuffer, feedback, context or surface is gone.";
        83 GetTextureImageToBuffer get_texture_image_to_buffer Object [] None "A texture level into a pack buffer.";
        // verb
        56 Blit blit Verb [] None "glBlitFramebuffer between the bound framebuffers.";
        57 Clear clear Verb [] None "glClear and glClearBuffer* of the bound draw framebuffer.";
        58 ReadPixels read_pixels Verb [BLOB REPLY] Reply "Pixels of the bound read framebuffer into the destination that the client names, tight.";
        59 DrawVbo draw_vbo Verb [BLOB TAIL] None
            (ranges: DrawRange = |p: &DrawVbo| p.range_count, arrays: UserArray = |p: &DrawVbo| p.array_count,
             indirect: DrawIndirect = |p: &DrawVbo| p.indirect_count)
            "All draws.";
        60 LaunchGrid launch_grid Verb [] None "glDispatchCompute*.";
        61 MemoryBarrier memory_barrier Verb [] None "glMemoryBarrier*, glTextureBarrier, glBlendBarrier.";
        62 BeginStreamOutput begin_stream_output Verb [TAIL] None
            (targets: BufferRange = |p: &BeginStreamOutput| p.count) "glBeginTransformFeedback with its targets.";
        63 EndStreamOutput end_stream_output Verb [] None "glEndTransformFeedback.";
        64 PauseStreamOutput pause_stream_output Verb [] None "glPauseTransformFeedback.";
        65 ResumeStreamOutput resume_stream_output Verb [] None "glResumeTransformFeedback.";
        66 Flush flush Verb [] None "glFlush: the server flushes its driver.";
        67 Present present Verb [] Present "eglSwapBuffers: exactly one per swap.";
        68 SetSwapInterval set_swap_interval Verb [] None "eglSwapInterval of one surface.";
        76 CopyFramebufferToTexture copy_framebuffer_to_texture Verb [] None "glCopyTex(Sub)Image from the bound read framebuffer.";
        82 ReadPixelsToBuffer read_pixels_to_buffer Verb [] None "Pixels into a bound pack buffer.";
        // appended
        100 CreateContext create_context Screen [REPLY] Reply "Introduces a context; answers an empty OK.";
        101 CreateSurface create_surface Screen [REPLY TAIL] Reply
            (display: u8 = |p: &CreateSurface| p.display_len) "Introduces a drawable; answers a SurfaceReply.";
        102 ResizeSurface resize_surface Screen [] None "Another size for a drawable whose size the client decides.";
        103 Finish finish Verb [REPLY] Reply "glFinish: answers when the GPU is done.";
        104 BindFramebuffers bind_framebuffers State [] None "The draw and the read framebuffer.";
        105 SetViewports set_viewports State [TAIL] None
            (viewports: Viewport = |p: &SetViewports| p.count) "Viewports, depth ranges and scissors from a first index.";
        106 InvalidateFramebuffer invalidate_framebuffer Verb [TAIL] None
            (attachments: u32 = |p: &InvalidateFramebuffer| p.count) "glInvalidateFramebuffer, glInvalidateSubFramebuffer.";
        107 CopyBuffer copy_buffer Object [] None "glCopyBufferSubData.";
        108 InvalidateBuffer invalidate_buffer Object [] None "glInvalidateBufferSubData and renaming maps.";
        109 TextureSubDataFromBuffer texture_sub_data_from_buffer Object [] None "A texture upload from a bound unpack buffer.";
        110 ConditionalRender conditional_render Verb [] None "glBeginConditionalRender; a null query ends it.";
        111 DebugMarker debug_marker Verb [TAIL] None
            (text: u8 = |p: &DebugMarker| p.text_len) "Debug groups, markers and labels for the host's tools.";
        112 ReadSurface read_surface Screen [BLOB REPLY] Reply "A drawable's picture into the destination that the client names, for shm presentation and pixmaps.";
        113 ClearTexture clear_texture Object [] None "glClearTexSubImage.";
        114 ClearBufferData clear_buffer_data Object [] None "glClearBufferSubData.";
        115 InvalidateTexture invalidate_texture Object [] None "glInvalidateTexSubImage.";
        116 PresentFront present_front Verb [] None "glFlush after drawing to a window's front buffer: it is shown, without a credit.";
        117 ReadFront read_front Screen [BLOB REPLY] Reply "As ReadSurface, but of a drawable's front buffer.";
    }
    reserved {
        1 GetCaps Screen "Caps travel in the handshake.";
        8 FenceStatus Screen "Told on the progress page.";
        77 ApplierReset Screen "BindContext says what changes.";
        85 SharedImage Screen "Shared images do not cross yet.";
        14 QueryAvailable Query "Told on the progress page.";
        25 CreateSamplerView Cso "Views are textures of their own here.";
        26 DeleteSamplerView Cso "Views are textures of their own here.";
        28 BindShaderState Cso "SetDrawProgram and SetDispatchProgram select.";
        34 SetIndirectBuffers State "Indirect buffers ride the verb.";
        39 SetStreamOutputTargets State "BeginStreamOutput carries them.";
        42 SetPixelPackState State "Packing is done by the client, or rides the verb.";
        46 SetResidualValueState State "No state is left over.";
        79 SetContextValues State "No state is left over.";
        49 BufferSubDataResident Object "Writes are ordered on the stream.";
        50 ResourceSubDataComplete Object "Nothing is pulled from the client.";
        51 ResourceFlushRange Object "Flushed ranges cross as ResourceSubData.";
        72 BindShaderImage Verb "SetShaderImages is resolved at the verb.";
        73 PatchParameter Verb "SetPatchState is resolved at the verb.";
        74 BindStreamOutput Verb "The feedback object rides the verb.";
        75 SetStorageBlockBinding Verb "SetProgramBindings is resolved at the verb.";
        81 DeleteStreamOutput Verb "ObjectDeath ends it.";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_1_to_85_are_all_there_and_new_ones_start_at_100() {
        let ops: Vec<u16> = ROWS.iter().map(|row| row.op).collect();
        assert_eq!(&ops[..85], (1..=85).collect::<Vec<u16>>());
        assert!(ops[85..].iter().all(|op| *op >= 100));
    }

    #[test]
    fn payloads_are_multiples_of_eight() {
        for row in ROWS {
            assert_eq!(row.size % 8, 0, "{}", row.name);
        }
    }

    #[test]
    fn a_member_that_moves_changes_the_fingerprint() {
        static FIELDS: std::sync::OnceLock<Vec<Field>> = std::sync::OnceLock::new();
        let row = row(Op::Blit as u16).unwrap();
        let fields = FIELDS.get_or_init(|| {
            let mut fields = row.fields.to_vec();
            fields.swap(0, 1);
            fields
        });
        let moved = RowInfo { fields, ..*row };
        assert_ne!(row.fingerprint(), moved.fingerprint());
    }

    #[test]
    fn only_rows_with_an_answer_are_barriered() {
        for row in ROWS {
            assert_eq!(
                barriered(row.op),
                matches!(row.wait, Wait::Reply | Wait::Applied),
                "{}",
                row.name
            );
        }
    }
}
