//! The contract: catalogue, records, handles, caps, value types and failure names
pub mod knobs;
