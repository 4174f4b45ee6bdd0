//! What a client waited for, by row.

use crate::cell::Mode;
use crate::world::World;
use forerun_link::RowWaits;
use forerun_pipe::catalogue::{self, Class, barriered};
use std::collections::BTreeMap;

/// Rows that wait for an answer because GL demands one: it goes to the program.
const DEMANDED: [&str; 11] = [
    "CreateContext",
    "CreateSurface",
    "FenceWait",
    "Finish",
    "GetTextureImage",
    "QueryResult",
    "QueryTimestamp",
    "ReadFront",
    "ReadPixels",
    "ReadSurface",
    "ResourceReadback",
];

impl World {
    /// The waits so far.
    pub fn waits(&self) -> BTreeMap<u16, RowWaits> {
        self.group.lock().link.waits().clone()
    }

    /// The client waited where GL demands it and nowhere else; in lockstep after verbs, too. No answer is left unread.
    #[track_caller]
    pub fn expect_only_demanded_waits(&self) {
        let lockstep = self.cell.mode == Mode::Lockstep;
        for (op, waits) in self.waits() {
            let name = catalogue::row(op).map_or("an unknown row", |row| row.name);
            let verb = catalogue::row(op).is_some_and(|row| row.class == Class::Verb);
            let demanded = barriered(op) && DEMANDED.contains(&name);
            assert!(waits.reply == 0 || demanded, "{} waits for answers of {name}", waits.reply);
            let applied = waits.applied == 0 || (lockstep && verb);
            assert!(applied, "{} waits for {name} to be applied", waits.applied);
        }
        let unread = self.group.lock().link.unread();
        assert_eq!(unread, 0, "answers that nobody reads");
    }
}
