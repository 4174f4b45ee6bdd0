//! A server that listens, on the null backend.

use forerun_link::{ClientLink, LinkOptions, ServerOptions, Sizes};
use forerun_pipe::fault::Fault;
use forerun_pipe::knobs::{Isolate, Knobs, Transport};
use forerun_server::null::NullBackend;
use forerun_server::session::{Make, Terms};
use forerun_server::supervisor::{self, MAX_SESSIONS};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[test]
fn a_client_too_many_is_told_so_and_finds_a_place_later() {
    let folder = std::env::temp_dir().join(format!("forerun-listening-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("socket");
    let listener = supervisor::bind(&path).unwrap();
    let terms = Terms { link: ServerOptions::default(), ..Terms::from_knobs(&Knobs::default()) };
    let makers = Arc::new(|| -> Box<Make<'static>> {
        Box::new(|_: &_| Ok(Box::new(NullBackend::new()) as _))
    });
    // It listens for ever: until this process ends.
    std::thread::spawn(move || supervisor::listen(&listener, &terms, Isolate::Thread, makers));
    let options = LinkOptions {
        transport: Transport::Unix(path),
        sizes: Sizes::TINY,
        wait: Duration::from_secs(20),
        ..LinkOptions::default()
    };
    let mut clients: Vec<_> =
        (0..MAX_SESSIONS).map(|_| ClientLink::connect(&options).unwrap().0).collect();
    let full = Fault::ServerUnavailable { why: "64 sessions run there already".into() };
    assert_eq!(ClientLink::connect(&options).err(), Some(full.clone()));
    clients.pop();
    let begun = Instant::now();
    // The session that lost its client ends in its own time.
    while let Err(fault) = ClientLink::connect(&options) {
        assert_eq!(fault, full);
        assert!(begun.elapsed() < Duration::from_secs(10), "no place became free");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::fs::remove_dir_all(folder).unwrap();
}
