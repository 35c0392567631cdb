//! The programs of `programs/c/library`, which use the C and C++ libraries, and the table in the book.

mod ways;

use std::path::Path;

use quotient_native::library::book;
use ways::Programs;

/// The table in the book is the one in the code. With `QUOTIENT_WRITE_BOOK=1` it is written.
#[test]
fn the_book_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/c-library.md");
    let text = std::fs::read_to_string(&path).expect("the book");
    let (begin, end) = ("<!-- functions:begin -->\n", "<!-- functions:end -->");
    let (before, rest) = text.split_once(begin).expect("where the table begins");
    let (table, after) = rest.split_once(end).expect("where the table ends");
    if std::env::var_os("QUOTIENT_WRITE_BOOK").is_some() {
        std::fs::write(&path, format!("{before}{begin}{}{end}{after}", book())).expect("the book");
    } else {
        assert_eq!(table, book(), "docs/src/c-library.md is not what the code says");
    }
}

#[test]
fn programs_show_what_they_should() {
    let options = &["--max-executions=2000"];
    ways::check_all(&Programs { directory: "library", options, both_symmetries: false, group: ways::by_compiler });
}
