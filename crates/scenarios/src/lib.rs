//! Behaviour tests over topology, backend and mode
