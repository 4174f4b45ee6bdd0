//! The tree has the shape that the project promises.

#[test]
fn the_tree_is_tidy() {
    let found: Vec<_> = xtask::tidy::all()
        .unwrap()
        .into_iter()
        .flat_map(|(what, faults)| faults.into_iter().map(move |fault| format!("{what}: {fault}")))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
