//! `docs/protocol.md`, from the catalogue.

use std::fmt::Write;

use forerun_pipe::catalogue::{BLOB, Class, OPTIONAL, REPLY, ROWS, RowInfo, TAIL, Wait};
use forerun_pipe::layout::Field;

const HEAD: &str = "\
# Records

<!-- Written by `cargo xtask docs` from crates/forerun-pipe/src/catalogue.rs; do not edit. -->

A record is a header `{op: u16, flags: u16, size: u32}`, a flat payload, then up to three tails; each part begins at a
multiple of 8 bytes. The decoder computes the size again from the counts that the payload declares, and requires equality.

- **wait**: what the client waits for after the record: nothing (–), *Applied*, its *Reply*, or *Present* credit, which is
  taken before the record is encoded.
- **flags**: *blob*: the payload refers to bytes in a segment; *tail*: tails follow; *reply*: the row has an answer;
  *optional*: sent only when the capabilities say so.
- **fingerprint**: a hash over names, offsets and sizes. The two ends compare them at the handshake: a row that one side
  lacks is unavailable, one that differs is refused by name.

";

const CLASSES: [(Class, &str); 6] = [
    (Class::Screen, "Screen: existence and storage of objects, contexts, fences"),
    (Class::Query, "Query objects"),
    (Class::Cso, "Constant state objects"),
    (Class::State, "State that the next verb uses"),
    (Class::Object, "Object: what GL executes at once on a resource"),
    (Class::Verb, "Verbs: draws, clears, copies, presents"),
];

/// The page.
pub fn page() -> String {
    let mut page = String::from(HEAD);
    let live = ROWS.iter().filter(|row| !row.reserved).count();
    let _ = writeln!(page, "{live} rows are in use, {} numbers are reserved.", ROWS.len() - live);
    for (class, title) in CLASSES {
        let rows = || ROWS.iter().filter(|row| row.class == class && !row.reserved);
        let _ = write!(
            page,
            "\n## {title}\n\n| op | name | wait | flags | bytes | what it does |\n|---|---|---|---|---|---|\n"
        );
        for row in rows() {
            let _ = writeln!(
                page,
                "| {} | [`{}`](#{}) | {} | {} | {} | {} |",
                row.op,
                row.name,
                row.name.to_lowercase(),
                wait(row.wait),
                flags(row.flags),
                row.size,
                row.doc
            );
        }
        for row in rows() {
            layout(&mut page, row);
        }
    }
    page.push_str("\n## Reserved numbers\n\nTheir records are refused by name.\n\n");
    page.push_str("| op | name | why |\n|---|---|---|\n");
    for row in ROWS.iter().filter(|row| row.reserved) {
        let _ = writeln!(page, "| {} | `{}` | {} |", row.op, row.name, row.doc);
    }
    page
}

fn layout(page: &mut String, row: &RowInfo) {
    let _ = write!(page, "\n### {}\n\n", row.name);
    let _ = writeln!(page, "Opcode {}, fingerprint `{:016x}`.\n", row.op, row.fingerprint());
    members(page, "payload", row.size, row.fields);
    for (index, (name, size, fields)) in row.tails.iter().enumerate() {
        let _ = writeln!(page);
        members(page, &format!("tail {}: `{name}`", index + 1), *size, fields);
    }
}

fn members(page: &mut String, what: &str, size: usize, fields: &[Field]) {
    if fields.is_empty() {
        let _ = writeln!(page, "{what}, {size} bytes");
        return;
    }
    let _ = writeln!(page, "| {what}, {size} bytes | type | offset | size |\n|---|---|---|---|");
    for field in fields {
        let _ = writeln!(
            page,
            "| `{}` | `{}` | {} | {} |",
            field.name, field.ty, field.offset, field.size
        );
    }
}

fn wait(wait: Wait) -> &'static str {
    match wait {
        Wait::None => "–",
        Wait::Applied => "Applied",
        Wait::Reply => "Reply",
        Wait::Present => "Present",
    }
}

fn flags(flags: u32) -> String {
    let names = [(BLOB, "blob"), (TAIL, "tail"), (REPLY, "reply"), (OPTIONAL, "optional")];
    let set: Vec<_> = names.iter().filter(|(bit, _)| flags & bit != 0).map(|(_, n)| *n).collect();
    set.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_catalogue_is_on_the_page() {
        let page = page();
        for row in ROWS {
            assert!(page.contains(&format!("`{}`", row.name)), "{}", row.name);
        }
    }
}
