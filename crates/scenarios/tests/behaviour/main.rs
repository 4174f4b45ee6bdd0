//! What programs see, as sentences: each scenario over topology × backend × mode. One file per room.

mod ahead;
mod ahead_gpu;
mod buffer;
mod census;
mod clear;
mod compute;
mod direct;
mod double;
mod draw;
mod errors;
mod events;
mod feedback;
mod format;
mod framebuffer;
mod get;
mod host;
mod integer64;
mod language;
mod lifetimes;
mod line;
mod loss;
mod maps;
mod memory;
mod names;
mod points;
mod program;
mod query;
mod random;
mod raster;
mod readback;
mod sampler;
mod share;
mod steady;
mod subroutine;
mod sync;
mod texture;
mod threads;
mod vertex;

fn main() -> std::process::ExitCode {
    let rooms: &[&[scenarios::Scenario]] = &[
        ahead::SCENARIOS,
        ahead_gpu::SCENARIOS,
        buffer::SCENARIOS,
        census::SCENARIOS,
        clear::SCENARIOS,
        compute::SCENARIOS,
        direct::SCENARIOS,
        double::SCENARIOS,
        draw::SCENARIOS,
        errors::SCENARIOS,
        events::SCENARIOS,
        feedback::SCENARIOS,
        format::SCENARIOS,
        framebuffer::SCENARIOS,
        get::SCENARIOS,
        host::SCENARIOS,
        integer64::SCENARIOS,
        language::SCENARIOS,
        lifetimes::SCENARIOS,
        line::SCENARIOS,
        loss::SCENARIOS,
        maps::SCENARIOS,
        memory::SCENARIOS,
        points::SCENARIOS,
        names::SCENARIOS,
        program::SCENARIOS,
        query::SCENARIOS,
        random::SCENARIOS,
        raster::SCENARIOS,
        readback::SCENARIOS,
        sampler::SCENARIOS,
        share::SCENARIOS,
        steady::SCENARIOS,
        subroutine::SCENARIOS,
        sync::SCENARIOS,
        texture::SCENARIOS,
        threads::SCENARIOS,
        vertex::SCENARIOS,
    ];
    scenarios::main(rooms, points::PARTS)
}
