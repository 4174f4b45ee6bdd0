//! A peer that writes what it likes into the shared memory.

use super::*;
use crate::memory::Mapping;
use crate::page::{ControlRef, PAGE, Segments};
use crate::ring::{Consumer, Events, NoRoom, Producer, Records};
use crate::sync::Ordering;
use forerun_pipe::codec::{Header, framing};
use proptest::prelude::*;
use std::sync::Arc;

/// A ring of 4096 bytes whose producer is this test.
fn ring() -> (ControlRef, Arc<Mapping>, Consumer<Records>) {
    let map = |len| Arc::new(Mapping::anonymous(len).unwrap());
    let command = map(PAGE + 4096);
    let segments = Segments {
        command: command.clone(),
        stage: map(4096),
        reply: map(4096),
        event: map(4096),
        progress: map(4096),
    };
    let control = segments.control().unwrap();
    control.reset();
    let consumer = Consumer::new(control.clone(), command.clone(), PAGE).unwrap();
    (control, command, consumer)
}

/// What the consumer says to one header at the ring's start, with `head` published.
fn reads(header: Header, head: u64) -> Result<Option<Header>, Fault> {
    let (control, memory, mut consumer) = ring();
    assert!(memory.write(PAGE, header.as_bytes()));
    control.client.head.store(head, Ordering::Release);
    consumer.pop(&mut RecordBuf::default())
}

#[test]
fn a_record_must_lie_whole_in_what_was_published() {
    let of = |size| Header { op: 1, flags: 0, size };
    let overrun = Err(Fault::RingOverrun { what: "Header.size" });
    assert_eq!(reads(of(16), 16), Ok(Some(of(16))));
    assert_eq!(reads(of(2048), 4096), Ok(Some(of(2048))), "half the ring");
    for (size, head) in [(0, 16), (7, 16), (12, 16), (24, 16), (2056, 4096), (u32::MAX, 4096)] {
        assert_eq!(reads(of(size), head), overrun, "size {size}, head {head}");
    }
}

#[test]
fn a_head_must_be_within_the_ring() {
    let header = Header { op: 1, flags: 0, size: 16 };
    for head in [4104, u64::MAX, 4, u64::MAX - 7] {
        assert_eq!(reads(header, head), Err(Fault::RingOverrun { what: "head" }), "{head}");
    }
}

#[test]
fn a_pad_must_reach_the_end_and_be_nothing_else() {
    let pad = |op, flags, size| Header { op, flags, size };
    assert_eq!(reads(pad(0, framing::PAD, 4096), 4096), Ok(None), "a whole lap of nothing");
    let corrupt = Err(Fault::ProtocolCorruption { what: "Header.pad" });
    assert_eq!(reads(pad(0, framing::PAD, 64), 4096), corrupt);
    assert_eq!(reads(pad(3, framing::PAD, 4096), 4096), corrupt);
    let both = framing::PAD | framing::NO_ANSWER;
    assert_eq!(reads(pad(0, both, 4096), 4096), corrupt);
}

#[test]
fn a_head_that_goes_back_is_noticed() {
    let (control, memory, mut consumer) = ring();
    let header = Header { op: 1, flags: 0, size: 64 };
    assert!(memory.write(PAGE, header.as_bytes()));
    control.client.head.store(64, Ordering::Release);
    let mut buf = RecordBuf::default();
    assert_eq!(consumer.pop(&mut buf), Ok(Some(header)));
    control.client.head.store(32, Ordering::Release);
    assert_eq!(consumer.pop(&mut buf), Err(Fault::RingOverrun { what: "head" }));
}

#[test]
fn a_consumer_that_lies_about_its_tail_is_noticed() {
    let (control, _, _) = ring();
    let events = Arc::new(Mapping::anonymous(4096).unwrap());
    let mut producer = Producer::<Events>::new(control.clone(), events, 0).unwrap();
    for _ in 0..2 {
        producer.push(1, 0, [&[0; 2000], &[], &[], &[]]).unwrap();
    }
    producer.publish();
    let mut next = || producer.push(1, 0, [&[0; 2000], &[], &[], &[]]);
    assert!(matches!(next(), Err(NoRoom::Until(_))));
    control.client.event_tail.store(1 << 40, Ordering::Release);
    assert_eq!(next(), Err(NoRoom::Lies));
}

proptest! {
    /// Any bytes, any cursor: records or a fault, never a panic, never an endless loop.
    #[test]
    fn any_ring_is_survived(
        words in prop::collection::vec(any::<u64>(), 512),
        sizes in prop::collection::vec(0u32..80, 0..60),
        head in 0u64..=4096,
    ) {
        let (control, memory, mut consumer) = ring();
        prop_assert!(memory.write(PAGE, words.as_bytes()));
        let mut place = 0;
        for size in sizes {
            let header = Header { op: 9, flags: (size % 3) as u16, size: size * 8 };
            prop_assert!(memory.write(PAGE + place, header.as_bytes()));
            place = (place + size as usize * 8).min(4088);
        }
        control.client.head.store(head & !7, Ordering::Release);
        let mut buf = RecordBuf::default();
        let mut left = 600;
        while let Ok(Some(header)) = consumer.pop(&mut buf) {
            prop_assert_eq!(buf.body().len() + 8, header.size as usize);
            prop_assert!(left > 0);
            left -= 1;
        }
    }
}
