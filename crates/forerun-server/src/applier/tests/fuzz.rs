//! Arbitrary records: any fault by name is right, a panic never is.

use super::*;
use forerun_pipe::catalogue::{ROWS, barriered};
use std::time::Instant;

/// xorshift64*: enough for choosing bytes.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// A word as records hold them: mostly small, a known handle or token, sometimes anything.
    fn word(&mut self) -> u32 {
        const TOKENS: &[u32] = &[
            gl::TEXTURE_2D,
            gl::TEXTURE_CUBE_MAP,
            gl::TEXTURE_CUBE_MAP_POSITIVE_X,
            gl::TEXTURE_3D,
            gl::RGBA,
            gl::UNSIGNED_BYTE,
            gl::UNSIGNED_SHORT,
            gl::RGBA8,
            gl::COLOR_BUFFER_BIT,
            gl::NEAREST,
            gl::ANY_SAMPLES_PASSED,
            gl::RENDERBUFFER,
            gl::READ_WRITE,
            gl::FLOAT,
            BlobRef::INLINE,
            16,
            64,
            1024,
            u32::MAX,
            i32::MAX as u32,
            i32::MIN as u32,
        ];
        match self.below(8) {
            0..=4 => self.below(4) as u32,
            5 | 6 => TOKENS[self.below(TOKENS.len() as u64) as usize],
            _ => self.next() as u32,
        }
    }
}

/// A busy machine gets this much longer for as many records as say something.
const PATIENCE: Duration = Duration::from_secs(30);

/// Applies arbitrary records for a while, or until `least` were accepted. Returns how many were.
fn throw(seed: u64, limit: Duration, least: u64) -> u64 {
    let mut dice = Dice(seed);
    let end = Instant::now() + limit;
    let mut accepted = 0;
    let mut rig = Rig::ready();
    let mut thrown = 0u64;
    while Instant::now() < end || accepted < least && Instant::now() < end + PATIENCE {
        thrown += 1;
        if thrown.is_multiple_of(4096) {
            rig = Rig::ready();
        }
        let row = &ROWS[dice.below(ROWS.len() as u64) as usize];
        let mut words: Vec<u32> = (0..row.size / 4).map(|_| dice.word()).collect();
        // Tails: as long as small counts make them, now and then.
        let tail: usize = row.tails.iter().map(|t| t.1 * dice.below(3) as usize).sum();
        words.extend((0..tail.div_ceil(4)).map(|_| dice.word()));
        if words.len() % 2 == 1 {
            words.push(dice.word());
        }
        let mut body = vec![0u64; words.len() / 2];
        body.as_mut_bytes().copy_from_slice(words.as_bytes());
        rig.seq += 1;
        let answered = rig.heard.borrow().replies.len();
        if rig.applier.apply(row.op, 0, rig.seq, body.as_bytes()).is_ok() {
            accepted += 1;
            // What the client waits after is what the server answers, once, and nothing else.
            let answers = rig.heard.borrow().replies.len() - answered;
            assert_eq!(answers, usize::from(barriered(row.op)), "{}", row.name);
        }
        if dice.below(64) == 0 {
            let _ = rig.applier.poll();
        }
        if rig.heard.borrow().replies.len() > 10_000 {
            *rig.heard.borrow_mut() = Heard {
                segments: std::mem::take(&mut rig.heard.borrow_mut().segments),
                ..Default::default()
            };
        }
    }
    accepted
}

/// A number from the environment: how long, and from which seed.
fn wish(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

/// Records of every family that are right, in an order that is right.
fn tape() -> Vec<(u16, u16, Vec<u8>)> {
    let mut rig = Rig::ready();
    let r = &mut rig;
    let range = [DrawRange { start: 0, count: 3, ..Default::default() }];
    let draw =
        DrawVbo { mode: gl::TRIANGLES, instance_count: 1, range_count: 1, ..Default::default() };
    let attrib = VertexAttrib { size: 4, ty: gl::FLOAT, ..Default::default() };
    CreateVertexElements { handle: h(1), attrib_count: 1, binding_count: 1 }.send(
        r,
        &[attrib],
        &[VertexBinding::default()],
    );
    BindVertexElements { handle: h(1) }.send(r);
    SetVertexBuffers { count: 1, pad: 0 }
        .send(r, &[VertexBuffer { buffer: BUFFER, stride: 16, ..Default::default() }]);
    CreateRenderState { handle: h(1), ..Default::default() }.send(r);
    BindRenderState { handle: h(1) }.send(r);
    SetDynamicState::default().send(r);
    SetViewports { first: 0, count: 1 }.send(r, &[Viewport::default()]);
    CreateSamplerState { handle: h(1), ..Default::default() }.send(r);
    BindSamplerStates { count: 1, pad: 0 }
        .send(r, &[BoundSampler { sampler: h(1), unit: 3, pad: 0 }]);
    SetSamplerViews { count: 1, pad: 0 }
        .send(r, &[BoundView { texture: TEXTURE, unit: 3, target: gl::TEXTURE_2D }]);
    SetShaderImages { count: 1, pad: 0 }
        .send(r, &[ImageView { texture: TEXTURE, access: gl::READ_WRITE, ..Default::default() }]);
    for class in 0..3 {
        SetShaderBuffers { class, count: 1, ..Default::default() }
            .send(r, &[BufferRange { buffer: BUFFER, offset: 0, size: WHOLE }]);
    }
    let bindings = SetProgramBindings {
        executable: EXECUTABLE,
        block_count: 1,
        sampler_count: 1,
        image_count: 1,
        storage_count: 1,
    };
    bindings.send(r, &[0], &[3, 0], &[ATOMIC_POINT]);
    let constants = SetGlobalConstants {
        executable: EXECUTABLE,
        range_count: 1,
        bytes: BlobRef::inline(8),
        ..Default::default()
    };
    constants.send(r, &[ByteRange { offset: 8, size: 8 }], &[1; 8]);
    SetVertexAttribDefaults { count: 1, pad: 0 }.send(r, &[AttribDefault::default()]);
    SetPatchState { vertices: 3, ..Default::default() }.send(r);
    for kind in [Kind::Buffer, Kind::Texture] {
        ResourceSubData {
            handle: BUFFER,
            kind: kind as u32,
            target: gl::TEXTURE_2D,
            width: 4,
            height: 4,
            depth: 1,
            format: gl::RGBA,
            ty: gl::UNSIGNED_BYTE,
            bytes: staged(0, 64),
            ..Default::default()
        }
        .send(r, &[]);
    }
    SetTextureParams { handle: TEXTURE, max_level: 1000, ..Default::default() }.send(r);
    GenerateMipmap { handle: TEXTURE, target: gl::TEXTURE_2D, pad: 0 }.send(r);
    let mut desc = SetFramebufferState { handle: h(1), ..Default::default() };
    desc.color[0] = Attachment {
        handle: TEXTURE,
        kind: Kind::Texture as u32,
        target: gl::TEXTURE_2D,
        ..Default::default()
    };
    desc.send(r);
    BindFramebuffers { draw: h(1), read: RawHandle::DEFAULT_FRAMEBUFFER }.send(r);
    Clear { mask: gl::COLOR_BUFFER_BIT, ..Default::default() }.send(r);
    draw.send(r, &range, &[], &[]);
    DrawVbo { index_type: gl::UNSIGNED_SHORT, ..draw }.send(r, &range, &[], &[]);
    let array = UserArray { bytes: staged(16, 48), binding: 0, stride: 16 };
    let client =
        DrawVbo { index_type: gl::UNSIGNED_BYTE, indices: staged(0, 3), array_count: 1, ..draw };
    client.send(r, &range, &[array], &[]);
    let indirect = DrawIndirect { buffer: BUFFER, draw_count: 2, ..Default::default() };
    DrawVbo { range_count: 0, indirect_count: 1, ..draw }.send(r, &[], &[], &[indirect]);
    LaunchGrid { groups: [1, 1, 1], ..Default::default() }.send(r);
    LaunchGrid { indirect: 1, buffer: BUFFER, ..Default::default() }.send(r);
    Blit { src: [0, 0, 4, 4], dst: [4, 4, 0, 0], mask: gl::COLOR_BUFFER_BIT, filter: gl::NEAREST }
        .send(r);
    let pixels = ReadPixels {
        width: 4,
        height: 4,
        format: gl::RGBA,
        ty: gl::UNSIGNED_BYTE,
        dst: staged(0, 64),
        ..Default::default()
    };
    pixels.send(r);
    ReadPixelsToBuffer {
        buffer: BUFFER,
        width: 4,
        height: 4,
        format: gl::RGBA,
        ty: gl::UNSIGNED_BYTE,
        store: PixelStore { alignment: 4, ..Default::default() },
        ..Default::default()
    }
    .send(r);
    GetTextureImage {
        handle: TEXTURE,
        target: gl::TEXTURE_2D,
        size: [4, 4, 1],
        format: gl::RGBA,
        ty: gl::UNSIGNED_BYTE,
        dst: staged(0, 64),
        ..Default::default()
    }
    .send(r);
    TextureSubDataFromBuffer {
        handle: TEXTURE,
        buffer: BUFFER,
        target: gl::TEXTURE_2D,
        size: [4, 4, 1],
        format: gl::RGBA,
        ty: gl::UNSIGNED_BYTE,
        store: PixelStore { alignment: 4, ..Default::default() },
        ..Default::default()
    }
    .send(r);
    CopyFramebufferToTexture {
        handle: TEXTURE,
        target: gl::TEXTURE_2D,
        width: 4,
        height: 4,
        ..Default::default()
    }
    .send(r);
    ResourceCopyRegion {
        src: TEXTURE,
        dst: TEXTURE,
        src_target: gl::TEXTURE_2D,
        dst_target: gl::TEXTURE_2D,
        dst_origin: [4, 4, 0],
        size: [4, 4, 1],
        ..Default::default()
    }
    .send(r);
    CopyBuffer { src: BUFFER, dst: BUFFER, src_offset: 0, dst_offset: 512, size: 512 }.send(r);
    r.heard.borrow_mut().segments.insert(16, vec![3; 256]);
    MapPersistent { handle: BUFFER, offset: 0, size: 256, segment: 16, access: 3 }.send(r);
    draw.send(r, &range, &[], &[]);
    let target = gl::ANY_SAMPLES_PASSED;
    QueryCreate { handle: h(1), target, pad: 0 }.send(r);
    QueryBegin { handle: h(1), target, index: 0 }.send(r);
    QueryEnd { handle: h(1), target, index: 0 }.send(r);
    ConditionalRender { handle: h(1), mode: gl::QUERY_WAIT, pad: 0 }.send(r);
    BeginStreamOutput {
        handle: h(1),
        executable: EXECUTABLE,
        primitive_mode: gl::TRIANGLES,
        count: 1,
    }
    .send(r, &[BufferRange { buffer: BUFFER, offset: 0, size: 64 }]);
    PauseStreamOutput { handle: h(1) }.send(r);
    ResumeStreamOutput { handle: h(1) }.send(r);
    EndStreamOutput { handle: h(1) }.send(r);
    DrawVbo { range_count: 0, feedback: h(1), ..draw }.send(r, &[], &[], &[]);
    FenceCreate { handle: h(1) }.send(r);
    FenceWait { handle: h(1), timeout_ns: 1, ..Default::default() }.send(r);
    QueryResult { handle: h(1) }.send(r);
    Present { surface: SURFACE, serial: 1 }.send(r);
    PresentFront { surface: SURFACE, both: 1, pad: 0 }.send(r);
    ReadFront { surface: SURFACE, dst: staged(0, 64 * 32 * 4) }.send(r);
    Finish::default().send(r);
    UnmapPersistent { handle: BUFFER }.send(r);
    ResourceDestroy { handle: TEXTURE, kind: Kind::Texture as u32, pad: 0 }.send(r);
    ResourceDestroy { handle: BUFFER, kind: Kind::Buffer as u32, pad: 0 }.send(r);
    DeleteShaderState { handle: EXECUTABLE }.send(r);
    ObjectDeath { handle: CONTEXT, kind: Kind::Context as u32, pad: 0 }.send(r);
    ObjectDeath { handle: SURFACE, kind: Kind::Surface as u32, pad: 0 }.send(r);
    assert_eq!(rig.heard.borrow().applied.len(), rig.tape.len(), "every one of them is right");
    rig.tape
}

/// Plays the right records with a few wrong words, left out, doubled or swapped.
fn mutate(seed: u64, limit: Duration) -> (u64, u64) {
    let tape = tape();
    let mut dice = Dice(seed);
    let end = Instant::now() + limit;
    let (mut accepted, mut refused) = (0, 0);
    while Instant::now() < end {
        let mut rig = Rig::new();
        rig.heard.borrow_mut().segments.insert(16, vec![3; 256]);
        let mut order: Vec<usize> = (0..tape.len()).collect();
        for _ in 0..dice.below(4) {
            let at = dice.below(order.len() as u64) as usize;
            match dice.below(3) {
                0 => drop(order.remove(at)),
                1 => order.insert(at, dice.below(tape.len() as u64) as usize),
                _ => {
                    let other = dice.below(order.len() as u64) as usize;
                    order.swap(at, other);
                }
            }
        }
        for index in order {
            let (op, flags, bytes) = &tape[index];
            let mut body = vec![0u64; bytes.len() / 8];
            body.as_mut_bytes().copy_from_slice(bytes);
            if dice.below(6) == 0 && !body.is_empty() {
                let words = body.as_mut_bytes();
                let at = dice.below(words.len() as u64 / 4) as usize * 4;
                words[at..at + 4].copy_from_slice(&dice.word().to_ne_bytes());
            }
            rig.seq += 1;
            let answered = rig.heard.borrow().replies.len();
            match rig.applier.apply(*op, *flags, rig.seq, body.as_bytes()) {
                Ok(()) => {
                    accepted += 1;
                    let answers = rig.heard.borrow().replies.len() - answered;
                    assert_eq!(answers, usize::from(barriered(*op)), "row {op}");
                }
                Err(_) => refused += 1,
            }
        }
    }
    (accepted, refused)
}

#[test]
fn what_a_client_waits_after_is_what_the_server_answers() {
    // Right records, wrong words and arbitrary records alike: each stream checks every record of it.
    for seed in 1..=4 {
        mutate(seed, Duration::from_millis(200));
        assert!(throw(seed, Duration::from_millis(200), 101) > 100);
    }
    let waited: Vec<_> = ROWS.iter().filter(|row| barriered(row.op)).map(|row| row.op).collect();
    let mut answered: Vec<_> =
        tape().iter().map(|entry| entry.0).filter(|op| barriered(*op)).collect();
    answered.sort_unstable();
    answered.dedup();
    assert!(answered.len() * 2 > waited.len(), "{answered:?} of {waited:?} are on the tape");
}

#[test]
fn right_records_with_wrong_words_never_panic() {
    let seconds = wish("FUZZ_SECONDS", 2);
    let (accepted, refused) = mutate(wish("FUZZ_SEED", 0x5EED), Duration::from_secs(seconds));
    assert!(accepted > refused && refused > 1000, "{accepted} accepted, {refused} refused");
}

#[test]
fn arbitrary_records_never_panic() {
    let seconds = wish("FUZZ_SECONDS", 2);
    let accepted = throw(wish("FUZZ_SEED", 0x5EED), Duration::from_secs(seconds), 1001);
    assert!(accepted > 1000, "records that nothing accepts test nothing: {accepted}");
}
