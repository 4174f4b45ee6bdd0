//! The client: GL entry points, objects, state, errors, tracker and emitters
