//! Every litmus test holds in the oracle.

use std::fs;
use std::path::Path;

use quotient_oracle::{check, parse};

#[test]
fn all_claims_hold() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    let mut files: Vec<_> =
        fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() >= 75, "only {} litmus tests", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().display();
        let litmus =
            parse(&fs::read_to_string(&file).expect("a text")).unwrap_or_else(|error| panic!("{name}: {error}"));
        let claims = litmus.outcomes.len() + litmus.executions.len() + litmus.races.len();
        assert!(claims > 0, "{name} claims nothing");
        wrong.extend(check(&litmus).expect("small").into_iter().map(|claim| format!("{name}: {claim}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
