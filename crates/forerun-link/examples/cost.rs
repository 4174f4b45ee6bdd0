//! What the link costs: records, stage bytes, round trips. Run with
//! `cargo run --release -p forerun-link --example cost`; quiet machines give the least figures.
#![allow(clippy::print_stdout, reason = "the figures are what it is for")]

use forerun_link::{ClientLink, LinkOptions, Next, RecordBuf, ServerLink, ServerOptions, Status};
use forerun_pipe::caps::Caps;
use forerun_pipe::{Fault, Sink};
use std::os::unix::net::UnixStream;
use std::time::Instant;

const NOTHING: u16 = 66;
const ECHO: u16 = 103;
const BLOB: u16 = 48;

fn step(link: &mut ServerLink, buf: &mut RecordBuf, next: Next) -> Result<bool, Fault> {
    if let Next::Record { op, seq, .. } = next {
        if op == ECHO {
            link.reply(seq, Status::Ok, &[])?;
        }
        std::hint::black_box(buf.body());
        link.done(seq)?;
    }
    Ok(next != Next::HangUp)
}

fn serve(mut link: ServerLink) -> Result<(), Fault> {
    let mut buf = RecordBuf::default();
    loop {
        let next = link.next(&mut buf, None)?;
        if !step(&mut link, &mut buf, next)? {
            return Ok(());
        }
    }
}

/// CPU time of this thread in nanoseconds.
fn cpu() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn measure(name: &str, link: &mut ClientLink) {
    let body = [7u8; 96];
    let print = |what: &str, count: u64, wall: Instant, cpu_before: u64| {
        let wall = wall.elapsed().as_nanos() as f64 / count as f64;
        let cpu = (cpu() - cpu_before) as f64 / count as f64;
        println!("{name:9} {what:34} {wall:9.1} ns, {cpu:9.1} ns of this thread's CPU");
    };
    let mut round = |what: &str, count: u64, one: &mut dyn FnMut(&mut ClientLink)| {
        for _ in 0..3 {
            let (start, used) = (Instant::now(), cpu());
            for _ in 0..count {
                one(link);
            }
            link.publish();
            print(what, count, start, used);
            let last = link.seq();
            let _ = link.wait_applied(last);
        }
    };
    round("104-byte record, room in the ring", 50_000, &mut |link| {
        link.record(NOTHING, 0, [&body, &[], &[], &[]]);
    });
    round("104-byte record, steady state", 2_000_000, &mut |link| {
        link.record(NOTHING, 0, [&body, &[], &[], &[]]);
    });
    round("range appended to an open record", 2_000_000, &mut |link| {
        let seq = link.seq();
        if !link.extend_last(seq, &body, &[1; 16]) {
            link.record(NOTHING, 0, [&body, &[], &[], &[]]);
        }
    });
    round("round trip", 20_000, &mut |link| {
        let seq = link.record(ECHO, 0, [&body, &[], &[], &[]]);
        let _ = link.wait_reply(seq);
    });
    let chunk = vec![3u8; 1 << 20];
    round("1 MiB through the stage", 2000, &mut |link| {
        if link.put(&chunk).is_ok() {
            link.record(BLOB, 0, [&body, &[], &[], &[]]);
        }
    });
    println!("{name:9} {:?}", link.stats());
}

fn main() -> Result<(), Fault> {
    let (options, server_options) = (LinkOptions::default(), ServerOptions::default());

    let (mut client, mut server) = ClientLink::monolith(&options, &server_options)?;
    let mut buf = RecordBuf::default();
    client.set_pump(Box::new(move || {
        loop {
            let next = server.next(&mut buf, None)?;
            if next == Next::Idle || !step(&mut server, &mut buf, next)? {
                return Ok(());
            }
        }
    }));
    measure("monolith", &mut client);
    drop(client);

    let (mut client, server) = ClientLink::inproc(&options, &server_options)?;
    let thread = std::thread::spawn(move || serve(server));
    measure("inproc", &mut client);
    drop(client);
    let _ = thread.join();

    let (ours, theirs) = UnixStream::pair()
        .map_err(|error| Fault::System { what: "socketpair", why: error.to_string() })?;
    // SAFETY: no other thread runs now; the child serves and leaves.
    let child = unsafe { libc::fork() };
    if child == 0 {
        drop(ours);
        let served =
            ServerLink::accept(theirs.into(), &server_options, |_| Ok((Caps::default(), ())))
                .and_then(|(link, ())| serve(link));
        std::process::exit(i32::from(served.is_err()));
    }
    drop(theirs);
    let (mut client, _) = ClientLink::shake_hands(ours.into(), &options)?;
    measure("process", &mut client);
    Ok(())
}
