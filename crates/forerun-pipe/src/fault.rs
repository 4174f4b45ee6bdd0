//! Names for what goes wrong (see `docs/failures.md`, made from this file).
//!
//! Three answers are different things: *declined* (a value; go on), *refused* (this operation failed by name; the session goes
//! on) and *fault* (this session ends). This enum holds the faults and the refusals of a session's start.

macro_rules! faults {
    ($( $(#[doc = $doc:literal])* $name:ident $( { $($field:ident : $ty:ty),* } )? = $code:literal, $text:literal; )*) => {
        /// Why a session ended, or could not start.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        pub enum Fault { $(
            $(#[doc = $doc])*
            #[error($text)]
            $name $( { $(
                /// Detail of the fault, as in its message.
                $field: $ty),* } )?,
        )* }

        impl Fault {
            /// Every fault: its number on the wire, its name, its message pattern and its meaning.
            pub const PAGE: &'static [(u32, &'static str, &'static str, &'static str)] =
                &[ $( ($code, stringify!($name), $text, concat!($($doc, "\n"),*)) ),* ];

            /// The number that stands for this fault in events and control messages.
            pub fn code(&self) -> u32 {
                match self { $( Fault::$name { .. } => $code, )* }
            }

            /// The fault's name.
            pub fn name(&self) -> &'static str {
                match self { $( Fault::$name { .. } => stringify!($name), )* }
            }
        }
    };
}

faults! {
    /// A record, answer, event or control message contradicts itself or the tables. `what` is `Row.field`.
    ProtocolCorruption { what: &'static str } = 1, "protocol corruption in {what}";
    /// A cursor of the ring moved backwards, past the capacity, or over a record's end.
    RingOverrun { what: &'static str } = 2, "ring overrun: {what}";
    /// A segment's size or seals are not what was agreed, or a blob lies outside its segment.
    SegmentMismatch { what: &'static str } = 3, "segment mismatch: {what}";
    /// A row that this side does not implement.
    Unsupported { row: &'static str } = 4, "unsupported record {row}";
    /// A record that waits for its answer was applied without giving one.
    ReplyMissing { row: &'static str } = 5, "no answer to {row}";
    /// A readback whose destination was refused by the server.
    ReadbackDeclined { row: &'static str } = 6, "readback declined by {row}";
    /// No present credit came back within the wait bound.
    PresentCreditTimeout { waited_ms: u64 } = 7, "no present credit after {waited_ms} ms";
    /// A bounded wait expired.
    WaitExpired { what: &'static str, waited_ms: u64 } = 8, "waited {waited_ms} ms for {what}";
    /// The two ends disagree about a record that both have.
    AbiMismatch { row: String, ours: u64, theirs: u64 } = 9, "record {row} differs: ours {ours:#018x}, theirs {theirs:#018x}";
    /// The handshake ended in a refusal.
    Refused { what: String, ours: String, theirs: String } = 10, "refused: {what} (ours {ours}, theirs {theirs})";
    /// The peer hung up.
    PeerLost = 11, "the peer hung up";
    /// The host's driver reported a lost device or context.
    BackendDeviceLost = 12, "the host's device was lost";
    /// The session asked for more than its quota.
    QuotaExceeded { what: &'static str } = 13, "quota exceeded: {what}";
    /// No server could be reached or started.
    ServerUnavailable { why: String } = 14, "no server: {why}";
    /// The server found no host driver that it could use.
    NoHostDriver { why: String } = 15, "no host driver: {why}";
    /// A fault reported by the peer under a number that this side does not know.
    Peer { code: u32, text: String } = 16, "the peer reported fault {code}: {text}";
    /// An operating system call failed.
    System { what: &'static str, why: String } = 17, "{what}: {why}";
}

/// The result of anything that can end a session.
pub type Result<T> = core::result::Result<T, Fault>;

#[cfg(test)]
mod tests {
    use super::Fault;

    #[test]
    fn codes_are_unique_and_dense() {
        for (index, row) in Fault::PAGE.iter().enumerate() {
            assert_eq!(row.0 as usize, index + 1, "{}", row.1);
        }
    }
}
