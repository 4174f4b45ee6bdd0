//! Query objects.

use crate::flat;
use crate::handle::RawHandle;

flat! {
    /// Introduces a query.
    pub struct QueryCreate {
        /// The new handle.
        pub handle: RawHandle,
        /// GL query target.
        pub target: u32,
        /// Zero.
        pub pad: u32,
    }

    /// Begins a query.
    pub struct QueryBegin {
        /// The query.
        pub handle: RawHandle,
        /// GL query target.
        pub target: u32,
        /// Vertex stream.
        pub index: u32,
    }

    /// Ends a query.
    pub struct QueryEnd {
        /// The query.
        pub handle: RawHandle,
        /// GL query target.
        pub target: u32,
        /// Vertex stream.
        pub index: u32,
    }

    /// Waits for the result of a query.
    pub struct QueryResult {
        /// The query.
        pub handle: RawHandle,
    }

    /// Ends a query's life.
    pub struct QueryDestroy {
        /// The query.
        pub handle: RawHandle,
    }

    /// Asks for the GPU's time.
    pub struct QueryTimestamp {
        /// Zero.
        pub pad: u64,
    }

    /// glQueryCounter.
    pub struct QueryCounter {
        /// The query.
        pub handle: RawHandle,
    }

    /// glBeginConditionalRender; ends it when the query is null.
    pub struct ConditionalRender {
        /// The query, or null.
        pub handle: RawHandle,
        /// GL_QUERY_WAIT and its kin.
        pub mode: u32,
        /// Zero.
        pub pad: u32,
    }
}
