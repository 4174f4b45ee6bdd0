//! Queries and conditional rendering.
//!
//! GL_TIME_ELAPSED is the difference of two timestamps, which every host that measures time has: llvmpipe's own query gives a time
//! since its start when nothing was drawn in between.

use crate::backend::GlBackend;
use crate::host::Dialect;
use forerun_pipe::handle::kind;
use forerun_pipe::{Handle, gl as c};
use forerun_server::Tables;
use forerun_server::backend::Outcome;
use forerun_server::state::Env;

/// A query of the host.
#[derive(Clone, Copy, Debug)]
pub struct QueryTwin {
    name: u32,
    /// The host's target, or 0 for one that the host does not have: its result is 0.
    target: u32,
    index: u32,
    /// For GL_TIME_ELAPSED: the query of the time at its beginning; `name` has that at its end.
    begun: u32,
}

impl GlBackend {
    fn host_query_target(&self, target: u32) -> u32 {
        if self.host.dialect == Dialect::Gl {
            return target;
        }
        match target {
            // ES counts no samples: whether any passed is the nearest that it can say.
            c::SAMPLES_PASSED => c::ANY_SAMPLES_PASSED,
            c::TIME_ELAPSED | c::TIMESTAMP if !self.host.gl.has.query_counter => 0,
            _ => target,
        }
    }

    fn ensure_query(&mut self, tables: &Tables, handle: Handle<kind::Query>) -> Option<QueryTwin> {
        let object = tables.queries.get(handle)?;
        let target = self.host_query_target(object.target);
        if let Some(twin) = self.queries.get_mut(handle) {
            twin.target = target;
            twin.index = object.index;
            return Some(*twin);
        }
        let mut name = 0;
        // SAFETY: one name.
        unsafe { self.host.gl.gen_queries(1, &mut name) };
        let mut begun = 0;
        if target == c::TIME_ELAPSED {
            // SAFETY: one name.
            unsafe { self.host.gl.gen_queries(1, &mut begun) };
        }
        let twin = QueryTwin { name, target, index: object.index, begun };
        self.queries.insert(handle, twin);
        Some(twin)
    }

    pub(crate) fn begin_query(&mut self, tables: &Tables, handle: Handle<kind::Query>) -> Outcome {
        let Some(twin) = self.ensure_query(tables, handle) else { return Ok(()) };
        if twin.begun != 0 {
            self.host.gl.query_counter(twin.begun, c::TIMESTAMP);
        } else if twin.index > 0 && self.host.gl.has.begin_query_indexed {
            self.host.gl.begin_query_indexed(twin.target, twin.index, twin.name);
        } else if twin.target != 0 {
            self.host.gl.begin_query(twin.target, twin.name);
        }
        Ok(())
    }

    pub(crate) fn end_query(&mut self, _tables: &Tables, handle: Handle<kind::Query>) -> Outcome {
        let Some(twin) = self.queries.get(handle) else { return Ok(()) };
        if twin.begun != 0 {
            self.host.gl.query_counter(twin.name, c::TIMESTAMP);
        } else if twin.index > 0 && self.host.gl.has.end_query_indexed {
            self.host.gl.end_query_indexed(twin.target, twin.index);
        } else if twin.target != 0 {
            self.host.gl.end_query(twin.target);
        }
        Ok(())
    }

    pub(crate) fn count_time(&mut self, tables: &Tables, handle: Handle<kind::Query>) -> Outcome {
        if let Some(twin) = self.ensure_query(tables, handle)
            && twin.target != 0
        {
            self.host.gl.query_counter(twin.name, c::TIMESTAMP);
        }
        Ok(())
    }

    pub(crate) fn result(
        &mut self,
        handle: Handle<kind::Query>,
        wait: bool,
    ) -> Outcome<Option<u64>> {
        let Some(twin) = self.queries.get(handle) else { return Ok(Some(0)) };
        if twin.target == 0 {
            return Ok(Some(0));
        }
        let gl = &self.host.gl;
        let name = twin.name;
        if !wait {
            let mut there = 0;
            // SAFETY: one integer is answered.
            unsafe { gl.get_query_objectuiv(name, c::QUERY_RESULT_AVAILABLE, &mut there) };
            if there == 0 {
                return Ok(None);
            }
        }
        let value = |name| {
            let (mut long, mut short) = (0u64, 0u32);
            // SAFETY: one integer is answered.
            unsafe {
                if gl.has.get_query_objectui_64v {
                    gl.get_query_objectui_64v(name, c::QUERY_RESULT, &mut long);
                } else {
                    gl.get_query_objectuiv(name, c::QUERY_RESULT, &mut short);
                    long = u64::from(short);
                }
            }
            long
        };
        let begun = if twin.begun != 0 { value(twin.begun) } else { 0 };
        Ok(Some(value(name).saturating_sub(begun)))
    }

    pub(crate) fn time_now(&mut self) -> Outcome<i64> {
        let mut value = 0;
        if self.host_query_target(c::TIMESTAMP) != 0 {
            // SAFETY: one integer is answered.
            unsafe { self.host.gl.get_integer_64v(c::TIMESTAMP, &mut value) };
        }
        Ok(value)
    }

    pub(crate) fn set_conditional(&mut self, env: &Env) -> Outcome {
        let gl = &self.host.gl;
        if self.conditional {
            self.conditional = false;
            gl.end_conditional_render();
        }
        self.skip = false;
        let Some((query, mode)) = env.context.conditional.value else { return Ok(()) };
        let Some(twin) = self.queries.get(query) else { return Ok(()) };
        if gl.has.begin_conditional_render {
            gl.begin_conditional_render(twin.name, mode);
            self.conditional = true;
            return Ok(());
        }
        let passed = self.result(query, true)?.unwrap_or(1) != 0;
        let inverted = matches!(
            mode,
            c::QUERY_WAIT_INVERTED
                | c::QUERY_NO_WAIT_INVERTED
                | c::QUERY_BY_REGION_WAIT_INVERTED
                | c::QUERY_BY_REGION_NO_WAIT_INVERTED
        );
        self.skip = passed == inverted;
        Ok(())
    }

    pub(crate) fn query_gone(&mut self, handle: Handle<kind::Query>) {
        if let Some(twin) = self.queries.remove(handle.raw()) {
            // SAFETY: two names, of which 0 is none.
            unsafe { self.host.gl.delete_queries(2, [twin.name, twin.begun].as_ptr()) };
        }
    }
}
