//! What a successful link made: the interface, where each uniform location stands, and the uniforms' values.
//!
//! Values of the default block are kept as the block's own bytes (std140, `bool` as `uint`), values of samplers and images as the
//! units that their slots read. Both belong to the program, not to a context, and are sent at the next verb that uses it.

mod builtins;

use super::program_types::{Kind, TypeInfo, info};
use crate::error::{GlResult, check_operation, check_value, invalid_operation};
use crate::shared::Shared;
use crate::stream::Owned;
use builtins::Builtins;
use forerun_pipe::archive::{Archive, Stage, StageInfo, Uniform};
use forerun_pipe::handle::kind;
use forerun_pipe::records::ATOMIC_POINT;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A linked program, immutable but for its uniforms and bindings.
#[derive(Debug)]
pub struct Linked {
    /// No other link of this process has it.
    pub id: u64,
    /// Its interface and code.
    pub archive: Archive,
    /// Bits of the stages present.
    stages: u32,
    /// Its identity on the stream, once a verb has used it.
    pub executable: OnceLock<Owned<kind::Executable>>,
    /// Uniform and element by location.
    locations: Vec<Option<(u32, u32)>>,
    /// Where the built-in uniforms stand in the default block.
    builtins: Builtins,
    /// Values and bindings.
    pub values: Shared<Values>,
    /// Moves with `values`.
    serial: AtomicU64,
    /// Moves with the units of samplers and images.
    units_serial: AtomicU64,
    /// What it was linked from; empty for a program binary.
    pub ingredients: super::program_link::Ingredients,
    /// The programs whose values a composed pipeline takes; empty for a program of its own.
    pub parts: Vec<Part>,
}

/// One program inside a composed pipeline.
#[derive(Debug)]
pub struct Part {
    /// The program's own link.
    pub linked: Arc<Linked>,
    /// Bytes to copy into the default block: from, to, length.
    pub spans: Vec<(u32, u32, u32)>,
    /// Slots of the part and of the whole: uniform blocks, samplers, images, storage.
    pub slots: [Vec<(u32, u32)>; 4],
}

/// The values of a program.
#[derive(Debug, Default)]
pub struct Values {
    /// The default block.
    pub bytes: Vec<u8>,
    /// Changed ranges of `bytes` that were not sent, apart and in no order.
    pub changed: Vec<Range<u32>>,
    /// What the slots read.
    pub bindings: Bindings,
    /// `bindings` changed since it was sent.
    pub bindings_changed: bool,
}

/// What the slots of an executable read, as it crosses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// Uniform buffer point by uniform block slot.
    pub blocks: Vec<u32>,
    /// Texture unit by sampler slot.
    pub samplers: Vec<u32>,
    /// Image unit by image slot.
    pub images: Vec<u32>,
    /// Storage buffer point by storage slot, with [`ATOMIC_POINT`] the atomic counter buffer point.
    pub storages: Vec<u32>,
}

/// Changed ranges are merged into one beyond this many.
const MAX_RANGES: usize = 16;

impl Linked {
    /// A fresh link: uniforms have their initial values.
    pub fn new(archive: Archive, parts: Vec<Part>) -> Linked {
        let mut locations = Vec::new();
        for (index, uniform) in archive.uniforms.iter().enumerate() {
            let Ok(first) = usize::try_from(uniform.location) else { continue };
            let count = uniform.array_size.max(1) as usize;
            if first.saturating_add(count) > MAX_LOCATIONS {
                continue;
            }
            if locations.len() < first + count {
                locations.resize(first + count, None);
            }
            for (element, slot) in locations[first..first + count].iter_mut().enumerate() {
                *slot = Some((index as u32, element as u32));
            }
        }
        let values = Shared::new(Values::initial(&archive));
        let builtins = Builtins::find(&archive);
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Linked {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            stages: archive.stage_mask(),
            archive,
            executable: OnceLock::new(),
            locations,
            builtins,
            values,
            serial: AtomicU64::new(1),
            units_serial: AtomicU64::new(1),
            ingredients: Default::default(),
            parts,
        }
    }

    /// Whether the program reads built-in uniforms.
    pub fn has_builtins(&self) -> bool {
        self.builtins != Builtins::default()
    }

    /// Sets the built-in uniforms that the program reads. The first viewport's depth range counts (OpenGL ES Shading Language
    /// 3.20, section 7.6).
    pub fn set_builtins(&self, depth_range: [f64; 2], samples: impl FnOnce() -> u32) {
        if !self.has_builtins() {
            return;
        }
        let mut values = self.values.borrow_mut();
        let [near, far] = depth_range.map(|v| v as f32);
        for (offset, value) in self.builtins.depth_range.iter().zip([near, far, far - near]) {
            if let Some(offset) = offset {
                values.store(*offset, &[value.to_bits()]);
            }
        }
        if let Some(offset) = self.builtins.samples {
            values.store(offset, &[samples()]);
        }
    }

    /// Stores one word of the default block; contexts that share the program see that it moved.
    pub fn set_word(&self, offset: u32, word: u32) {
        if self.values.borrow_mut().store(offset as usize, &[word]) {
            self.touch();
        }
    }

    /// Moves when a value or a binding of the program, or of a part of it, changes.
    #[inline]
    pub fn serial(&self) -> u64 {
        let own = self.serial.load(Ordering::Acquire);
        self.parts.iter().fold(own, |sum, part| sum.wrapping_add(part.linked.serial()))
    }

    /// Moves when the unit of a sampler or image changes.
    pub fn units_serial(&self) -> u64 {
        let own = self.units_serial.load(Ordering::Acquire);
        self.parts.iter().fold(own, |sum, part| sum.wrapping_add(part.linked.units_serial()))
    }

    /// Values or bindings changed.
    pub fn touch(&self) {
        self.serial.fetch_add(1, Ordering::Release);
    }

    /// Facts about a stage, if the program has it.
    #[inline]
    pub fn stage(&self, stage: Stage) -> Option<&StageInfo> {
        if self.stages & stage.bit() == 0 {
            return None;
        }
        self.archive.stage(stage).map(|code| &code.info)
    }

    /// Whether there are stages for drawing.
    pub fn draws(&self) -> bool {
        self.stages & !Stage::Compute.bit() != 0
    }

    /// Whether there is a compute stage.
    pub fn computes(&self) -> bool {
        self.stages & Stage::Compute.bit() != 0
    }

    /// The uniform and element at a location. `Ok(None)` for -1, which is ignored silently.
    ///
    /// # Errors
    /// GL_INVALID_OPERATION for a location that no active uniform has.
    pub fn at(&self, location: i32) -> GlResult<Option<(&Uniform, u32)>> {
        if location == -1 {
            return Ok(None);
        }
        let entry =
            usize::try_from(location).ok().and_then(|l| self.locations.get(l).copied().flatten());
        match entry.and_then(|(index, element)| {
            Some((self.archive.uniforms.get(index as usize)?, element))
        }) {
            Some(found) => Ok(Some(found)),
            None => invalid_operation("no active uniform has that location"),
        }
    }

    /// Stores `count` elements of a vector or scalar type; `words` are the components as the program gave them.
    ///
    /// # Errors
    /// As OpenGL 4.6, section 7.6.1 says.
    pub fn set(
        &self,
        location: i32,
        count: i32,
        given: TypeInfo,
        words: &[u32],
        limits: Limits,
    ) -> GlResult<bool> {
        check_value(count >= 0, "count of uniform values")?;
        let Some((uniform, element)) = self.at(location)? else { return Ok(false) };
        let ty = info(uniform.ty);
        let fits = match ty.kind {
            Kind::Sampler => given.kind == Kind::Int && given.components() == 1,
            Kind::Image => {
                given.kind == Kind::Int && given.components() == 1 && limits.images_settable
            }
            Kind::Bool => given.kind.words() == 1 && ty.rows == given.rows && !given.is_matrix(),
            Kind::Atomic => false,
            _ => ty == given,
        };
        check_operation(fits, "the uniform has another type")?;
        check_operation(
            count <= 1 || uniform.is_array,
            "several values for a uniform that is no array",
        )?;
        let left = uniform.array_size.max(1).saturating_sub(element);
        let count = (count as u32).min(left) as usize;
        match ty.kind {
            Kind::Sampler | Kind::Image => {
                self.set_units(uniform, element, ty.kind, &words[..count.min(words.len())], limits)
            }
            _ => Ok(self.set_elements(uniform, element, ty, given.kind, words, count)),
        }
    }

    fn set_units(
        &self,
        uniform: &Uniform,
        element: u32,
        kind: Kind,
        units: &[u32],
        limits: Limits,
    ) -> GlResult<bool> {
        let (slot, most) = match kind {
            Kind::Sampler => (uniform.sampler_slot, limits.texture_units),
            _ => (uniform.image_slot, limits.image_units),
        };
        check_value(units.iter().all(|unit| *unit < most), "texture or image unit")?;
        let Ok(first) = usize::try_from(slot) else { return Ok(false) };
        let mut values = self.values.borrow_mut();
        let values = &mut *values;
        let list = match kind {
            Kind::Sampler => &mut values.bindings.samplers,
            _ => &mut values.bindings.images,
        };
        let first = first + element as usize;
        let Some(target) = list.get_mut(first..first + units.len()) else { return Ok(false) };
        if target == units {
            return Ok(false);
        }
        target.copy_from_slice(units);
        values.bindings_changed = true;
        self.units_serial.fetch_add(1, Ordering::Release);
        self.touch();
        Ok(true)
    }

    fn set_elements(
        &self,
        uniform: &Uniform,
        element: u32,
        ty: TypeInfo,
        given: Kind,
        words: &[u32],
        count: usize,
    ) -> bool {
        let per_element = ty.rows as usize * ty.words();
        let stride = uniform.array_stride.max(0) as usize;
        let base = uniform.offset.max(0) as usize + element as usize * stride;
        let mut values = self.values.borrow_mut();
        let mut moved = false;
        if stride == per_element * 4 && ty.kind != Kind::Bool {
            moved = values.store(base, &words[..(count * per_element).min(words.len())]);
        } else {
            for (index, value) in words.chunks_exact(per_element).take(count).enumerate() {
                let at = base + index * stride;
                if ty.kind == Kind::Bool {
                    let mut bools = [0; 4];
                    for (to, from) in bools.iter_mut().zip(value) {
                        *to = as_bool(given, *from);
                    }
                    moved |= values.store(at, &bools[..per_element.min(4)]);
                } else {
                    moved |= values.store(at, value);
                }
            }
        }
        if moved {
            self.touch();
        }
        moved
    }

    /// Stores `count` matrices; `words` are columns one after another, or rows if `transpose`.
    ///
    /// # Errors
    /// As OpenGL 4.6, section 7.6.1 says.
    pub fn set_matrices(
        &self,
        location: i32,
        count: i32,
        transpose: bool,
        given: TypeInfo,
        words: &[u32],
    ) -> GlResult<bool> {
        check_value(count >= 0, "count of uniform values")?;
        let Some((uniform, element)) = self.at(location)? else { return Ok(false) };
        check_operation(info(uniform.ty) == given, "the uniform has another type")?;
        check_operation(
            count <= 1 || uniform.is_array,
            "several values for a uniform that is no array",
        )?;
        let left = uniform.array_size.max(1).saturating_sub(element);
        let count = (count as u32).min(left) as usize;
        let (columns, rows, width) = (given.columns as usize, given.rows as usize, given.words());
        let per_element = columns * rows * width;
        let stride = uniform.array_stride.max(0) as usize;
        let base = uniform.offset.max(0) as usize + element as usize * stride;
        let between = uniform.matrix_stride.max(0) as usize;
        let mut values = self.values.borrow_mut();
        let mut moved = false;
        let whole = !uniform.row_major && !transpose && between == rows * width * 4;
        for (index, value) in words.chunks_exact(per_element).take(count).enumerate() {
            let at = base + index * stride;
            if whole {
                moved |= values.store(at, value);
                continue;
            }
            // The stored vectors are columns, or rows in a row-major block.
            let (outer, inner) = if uniform.row_major { (rows, columns) } else { (columns, rows) };
            let as_given = transpose == uniform.row_major;
            for o in 0..outer {
                let mut vector = [0u32; 8];
                for i in 0..inner {
                    let from = if as_given { o * inner + i } else { i * outer + o } * width;
                    vector[i * width..(i + 1) * width].copy_from_slice(&value[from..from + width]);
                }
                moved |= values.store(at + o * between, &vector[..inner * width]);
            }
        }
        drop(values);
        if moved {
            self.touch();
        }
        Ok(moved)
    }

    /// The value at a location as its words, columns one after another, with its type.
    ///
    /// # Errors
    /// GL_INVALID_OPERATION for a location that no active uniform has, -1 included.
    pub fn get(&self, location: i32) -> GlResult<(TypeInfo, Vec<u32>)> {
        let Some((uniform, element)) = self.at(location)? else {
            return invalid_operation("no active uniform has that location");
        };
        let ty = info(uniform.ty);
        let values = self.values.borrow_mut();
        let unit = |list: &[u32], slot: i32| {
            let index = usize::try_from(slot).ok().map(|slot| slot + element as usize);
            vec![index.and_then(|i| list.get(i).copied()).unwrap_or(0)]
        };
        match ty.kind {
            Kind::Sampler => {
                return Ok((ty, unit(&values.bindings.samplers, uniform.sampler_slot)));
            }
            Kind::Image => return Ok((ty, unit(&values.bindings.images, uniform.image_slot))),
            _ => {}
        }
        let base = uniform.offset.max(0) as usize
            + element as usize * uniform.array_stride.max(0) as usize;
        let between = uniform.matrix_stride.max(0) as usize;
        let (columns, rows, width) = (ty.columns as usize, ty.rows as usize, ty.words());
        let mut out = Vec::with_capacity(columns * rows * width);
        for column in 0..columns {
            for row in 0..rows {
                let (o, i) = if uniform.row_major { (row, column) } else { (column, row) };
                for word in 0..width {
                    out.push(values.load(base + o * between + (i * width + word) * 4));
                }
            }
        }
        Ok((ty, out))
    }

    /// Makes a uniform block slot read another point.
    pub fn bind_block(&self, slot: u32, point: u32) -> bool {
        self.bind(slot, point, |bindings| &mut bindings.blocks)
    }

    /// Makes a storage slot read another point.
    pub fn bind_storage(&self, slot: u32, point: u32) -> bool {
        self.bind(slot, point, |bindings| &mut bindings.storages)
    }

    fn bind(
        &self,
        slot: u32,
        point: u32,
        list: impl FnOnce(&mut Bindings) -> &mut Vec<u32>,
    ) -> bool {
        let mut values = self.values.borrow_mut();
        match list(&mut values.bindings).get_mut(slot as usize) {
            Some(current) if *current != point => *current = point,
            _ => return false,
        }
        values.bindings_changed = true;
        self.touch();
        true
    }

    /// Takes the values of the parts into a composed pipeline's own; nothing for a program of its own.
    pub fn gather(&self) {
        if self.parts.is_empty() {
            return;
        }
        let mut values = self.values.borrow_mut();
        for part in &self.parts {
            let from = part.linked.values.borrow_mut();
            for (source, target, len) in &part.spans {
                let range = *source as usize..(*source + *len) as usize;
                let words: Vec<u32> = range.step_by(4).map(|at| from.load(at)).collect();
                values.store(*target as usize, &words);
            }
            let own = [
                &from.bindings.blocks,
                &from.bindings.samplers,
                &from.bindings.images,
                &from.bindings.storages,
            ];
            let values = &mut *values;
            let b = &mut values.bindings;
            let whole = [&mut b.blocks, &mut b.samplers, &mut b.images, &mut b.storages];
            for ((own, whole), pairs) in own.into_iter().zip(whole).zip(&part.slots) {
                for (mine, theirs) in pairs {
                    let (Some(value), Some(target)) =
                        (own.get(*mine as usize), whole.get_mut(*theirs as usize))
                    else {
                        continue;
                    };
                    if target != value {
                        *target = *value;
                        values.bindings_changed = true;
                    }
                }
            }
        }
    }

    /// Whether two samplers of different types read one unit (OpenGL 4.6, section 7.10): then nothing can be drawn.
    pub fn samplers_collide(&self) -> bool {
        let values = self.values.borrow_mut();
        let mut seen: Vec<(u32, u32)> = Vec::new();
        for sampler in &self.archive.samplers {
            for slot in sampler.slot..sampler.slot.saturating_add(sampler.count) {
                let Some(unit) = values.bindings.samplers.get(slot as usize) else { continue };
                match seen.iter().find(|(known, _)| known == unit) {
                    Some((_, ty)) if *ty != sampler.ty => return true,
                    Some(_) => {}
                    None => seen.push((*unit, sampler.ty)),
                }
            }
        }
        false
    }
}

/// Locations beyond this are given to nobody; GL_MAX_UNIFORM_LOCATIONS is far below.
const MAX_LOCATIONS: usize = 1 << 18;

/// What bounds the values of opaque uniforms.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS.
    pub texture_units: u32,
    /// GL_MAX_IMAGE_UNITS.
    pub image_units: u32,
    /// Whether glUniform1i may set an image's unit: not in OpenGL ES (ES 3.2, section 7.6).
    pub images_settable: bool,
}

fn as_bool(given: Kind, word: u32) -> u32 {
    u32::from(match given {
        Kind::Float => f32::from_bits(word) != 0.0,
        _ => word != 0,
    })
}

impl Values {
    fn initial(archive: &Archive) -> Values {
        let mut bytes = vec![0; archive.default_block_size as usize];
        for uniform in archive.uniforms.iter().filter(|u| u.block < 0 && u.atomic_buffer < 0) {
            let Ok(offset) = usize::try_from(uniform.offset) else { continue };
            if let Some(target) = bytes.get_mut(offset..offset + uniform.initial.len()) {
                target.copy_from_slice(&uniform.initial);
            }
        }
        // The server starts from zeros.
        let mut changed = Vec::new();
        if bytes.iter().any(|byte| *byte != 0) {
            changed.push(0..bytes.len() as u32);
        }
        let mut bindings = Bindings {
            blocks: vec![0; archive.uniform_slots() as usize],
            samplers: vec![0; archive.sampler_slots() as usize],
            images: vec![0; archive.image_slots() as usize],
            storages: vec![0; archive.storage_slots() as usize],
        };
        let put = |list: &mut Vec<u32>, slot: u32, value: u32| {
            if let Some(target) = list.get_mut(slot as usize) {
                *target = value;
            }
        };
        for block in &archive.uniform_blocks {
            put(&mut bindings.blocks, block.slot, block.binding);
        }
        for block in &archive.storage_blocks {
            put(&mut bindings.storages, block.slot, block.binding);
        }
        for buffer in &archive.atomic_buffers {
            put(&mut bindings.storages, buffer.slot, buffer.binding | ATOMIC_POINT);
        }
        for sampler in &archive.samplers {
            if let Ok(first) = u32::try_from(sampler.binding) {
                (0..sampler.count)
                    .for_each(|i| put(&mut bindings.samplers, sampler.slot + i, first + i));
            }
        }
        for image in &archive.images {
            if let Ok(first) = u32::try_from(image.binding) {
                (0..image.count).for_each(|i| put(&mut bindings.images, image.slot + i, first + i));
            }
        }
        let bindings_changed = bindings != Bindings::default();
        Values { bytes, changed, bindings, bindings_changed }
    }

    /// Writes words at a byte offset; true if that changed anything.
    fn store(&mut self, at: usize, words: &[u32]) -> bool {
        let end = at + words.len() * 4;
        let Some(target) = self.bytes.get_mut(at..end) else { return false };
        let same = target.chunks_exact(4).zip(words).all(|(have, word)| have == word.to_ne_bytes());
        if same {
            return false;
        }
        for (have, word) in target.chunks_exact_mut(4).zip(words) {
            have.copy_from_slice(&word.to_ne_bytes());
        }
        self.mark(at as u32..end as u32);
        true
    }

    fn load(&self, at: usize) -> u32 {
        match self.bytes.get(at..at + 4) {
            Some(&[a, b, c, d]) => u32::from_ne_bytes([a, b, c, d]),
            _ => 0,
        }
    }

    /// Adds a changed range. Ranges that touch become one.
    fn mark(&mut self, range: Range<u32>) {
        for known in self.changed.iter_mut().rev() {
            if range.start <= known.end && known.start <= range.end {
                known.start = known.start.min(range.start);
                known.end = known.end.max(range.end);
                return;
            }
        }
        self.changed.push(range);
        if self.changed.len() > MAX_RANGES {
            let start = self.changed.iter().map(|r| r.start).min().unwrap_or(0);
            let end = self.changed.iter().map(|r| r.end).max().unwrap_or(0);
            self.changed.clear();
            self.changed.push(start..end);
        }
    }
}

#[cfg(test)]
mod tests;
