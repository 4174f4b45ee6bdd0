//! The generated pages are what the code says now.

#[test]
fn no_generated_page_is_stale() {
    xtask::docs::check().unwrap();
}
