//! Entry points of draws and dispatches.

use super::slice;
use crate::entries;
use crate::error::{check_value, count};
use crate::state::draw::{self, Indirect};
use std::ffi::c_void;

entries! {
    fn glDrawArrays(mode: u32, first: i32, count: i32) = |cx| draw::arrays(cx, mode, &[(first, count)], 1, 0);
    fn glDrawArraysInstanced(mode: u32, first: i32, count: i32, instances: i32) = |cx| {
        draw::arrays(cx, mode, &[(first, count)], instances, 0)
    };
    fn glDrawArraysInstancedBaseInstance(mode: u32, first: i32, count: i32, instances: i32, base: u32) = |cx| {
        draw::arrays(cx, mode, &[(first, count)], instances, base)
    };
    fn glMultiDrawArrays(mode: u32, first: *const i32, counts: *const i32, draws: i32) = |cx| {
        let draws = count(draws)? as usize;
        // SAFETY: the program promised as many values as draws.
        let (first, counts) = unsafe { (slice(first, draws), slice(counts, draws)) };
        let ranges: Vec<_> = first.iter().copied().zip(counts.iter().copied()).collect();
        draw::arrays(cx, mode, &ranges, 1, 0)
    };
    fn glDrawElements(mode: u32, count: i32, ty: u32, indices: *const c_void) = |cx| {
        draw::elements(cx, mode, ty, &[(indices as usize, count, 0)], 1, 0)
    };
    fn glDrawElementsBaseVertex(mode: u32, count: i32, ty: u32, indices: *const c_void, base: i32) = |cx| {
        draw::elements(cx, mode, ty, &[(indices as usize, count, base)], 1, 0)
    };
    fn glDrawRangeElements(mode: u32, start: u32, end: u32, count: i32, ty: u32, indices: *const c_void) = |cx| {
        check_value(end >= start, "index range")?;
        draw::elements(cx, mode, ty, &[(indices as usize, count, 0)], 1, 0)
    };
    fn glDrawRangeElementsBaseVertex(
        mode: u32, start: u32, end: u32, count: i32, ty: u32, indices: *const c_void, base: i32,
    ) = |cx| {
        check_value(end >= start, "index range")?;
        draw::elements(cx, mode, ty, &[(indices as usize, count, base)], 1, 0)
    };
    fn glDrawElementsInstanced(mode: u32, count: i32, ty: u32, indices: *const c_void, instances: i32) = |cx| {
        draw::elements(cx, mode, ty, &[(indices as usize, count, 0)], instances, 0)
    };
    fn glDrawElementsInstancedBaseVertex(
        mode: u32, count: i32, ty: u32, indices: *const c_void, instances: i32, base: i32,
    ) = |cx| draw::elements(cx, mode, ty, &[(indices as usize, count, base)], instances, 0);
    fn glDrawElementsInstancedBaseInstance(
        mode: u32, count: i32, ty: u32, indices: *const c_void, instances: i32, base_instance: u32,
    ) = |cx| draw::elements(cx, mode, ty, &[(indices as usize, count, 0)], instances, base_instance);
    fn glDrawElementsInstancedBaseVertexBaseInstance(
        mode: u32, count: i32, ty: u32, indices: *const c_void, instances: i32, base: i32, base_instance: u32,
    ) = |cx| draw::elements(cx, mode, ty, &[(indices as usize, count, base)], instances, base_instance);
    fn glMultiDrawElements(mode: u32, counts: *const i32, ty: u32, indices: *const *const c_void, draws: i32) = |cx| {
        let draws = count(draws)? as usize;
        // SAFETY: the program promised as many values as draws.
        let (counts, indices) = unsafe { (slice(counts, draws), slice(indices, draws)) };
        let ranges: Vec<_> = indices.iter().zip(counts).map(|(p, n)| (*p as usize, *n, 0)).collect();
        draw::elements(cx, mode, ty, &ranges, 1, 0)
    };
    fn glMultiDrawElementsBaseVertex(
        mode: u32, counts: *const i32, ty: u32, indices: *const *const c_void, draws: i32, bases: *const i32,
    ) = |cx| {
        let draws = count(draws)? as usize;
        // SAFETY: the program promised as many values as draws.
        let (counts, indices, bases) = unsafe { (slice(counts, draws), slice(indices, draws), slice(bases, draws)) };
        let ranges: Vec<_> = indices.iter().zip(counts).zip(bases).map(|((p, n), b)| (*p as usize, *n, *b)).collect();
        draw::elements(cx, mode, ty, &ranges, 1, 0)
    };
    fn glDrawArraysIndirect(mode: u32, offset: *const c_void) = |cx| {
        draw::indirect(cx, mode, 0, Indirect { offset: offset as usize, draw_count: 1, stride: 0, count_at: None })
    };
    fn glDrawElementsIndirect(mode: u32, ty: u32, offset: *const c_void) = |cx| {
        draw::check_index_type(ty)?;
        draw::indirect(cx, mode, ty, Indirect { offset: offset as usize, draw_count: 1, stride: 0, count_at: None })
    };
    fn glMultiDrawArraysIndirect(mode: u32, offset: *const c_void, draw_count: i32, stride: i32) = |cx| {
        draw::indirect(cx, mode, 0, Indirect { offset: offset as usize, draw_count, stride, count_at: None })
    };
    fn glMultiDrawElementsIndirect(mode: u32, ty: u32, offset: *const c_void, draw_count: i32, stride: i32) = |cx| {
        draw::check_index_type(ty)?;
        draw::indirect(cx, mode, ty, Indirect { offset: offset as usize, draw_count, stride, count_at: None })
    };
    fn glMultiDrawArraysIndirectCount(mode: u32, offset: *const c_void, at: isize, most: i32, stride: i32) = |cx| {
        let (offset, count_at) = (offset as usize, Some(at));
        draw::indirect(cx, mode, 0, Indirect { offset, draw_count: most, stride, count_at })
    };
    fn glMultiDrawElementsIndirectCount(
        mode: u32, ty: u32, offset: *const c_void, at: isize, most: i32, stride: i32,
    ) = |cx| {
        draw::check_index_type(ty)?;
        let (offset, count_at) = (offset as usize, Some(at));
        draw::indirect(cx, mode, ty, Indirect { offset, draw_count: most, stride, count_at })
    };
    fn glDispatchCompute(x: u32, y: u32, z: u32) = |cx| draw::dispatch(cx, [x, y, z]);
    fn glDispatchComputeIndirect(offset: isize) = |cx| draw::dispatch_indirect(cx, offset);
}
