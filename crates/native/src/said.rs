//! What the compiler itself says about memory: variables in registers are not seen when the program runs, and pointers to
//! variables that are gone only sometimes. Its warnings of these are passed on.

/// What to ask the compiler to look for. That is never an error, even if the user wants warnings to be.
pub fn flags(is_gcc: bool) -> Vec<String> {
    let names: &[&str] = if is_gcc {
        &["uninitialized", "maybe-uninitialized", "return-local-addr", "dangling-pointer", "free-nonheap-object"]
    } else {
        &["uninitialized", "sometimes-uninitialized", "conditional-uninitialized", "return-stack-address", "dangling"]
    };
    names.iter().flat_map(|name| [format!("-W{name}"), format!("-Wno-error={name}")]).collect()
}

/// The warnings of these kinds among what the compiler has said: place and text.
pub fn warnings(said: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in said.lines() {
        let Some((place, text)) = line.split_once(": warning: ") else { continue };
        let Some((text, kind)) = text.rsplit_once(" [-W") else { continue };
        let kind = kind.trim_end_matches(']');
        let is_asked_for = [true, false].into_iter().any(|is_gcc| flags(is_gcc).contains(&format!("-W{kind}")));
        let warning = format!("the compiler says: {text} ({})", without_column(place));
        if is_asked_for && !found.contains(&warning) {
            found.push(warning);
        }
    }
    found.truncate(MOST);
    found
}

/// More are left out.
const MOST: usize = 5;

/// A place by file and line.
fn without_column(place: &str) -> &str {
    match place.rsplit_once(':') {
        Some((rest, _)) if rest.contains(':') => rest,
        _ => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_asked_for_is_passed_on() {
        let said = "a.c: In function 'f':\na.c:3:7: warning: 'x' is used uninitialized [-Wuninitialized]\n   3 | int x;\n\
                    a.c:4:1: warning: unused variable 'y' [-Wunused-variable]\n";
        assert_eq!(warnings(said), ["the compiler says: 'x' is used uninitialized (a.c:3)"]);
    }
}
