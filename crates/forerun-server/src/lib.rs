//! Sessions, applier, the Backend trait, presentation and the supervisor
