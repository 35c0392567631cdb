//! Structures that gcc copies when it passes them to a function or takes them from one: it does not instrument that, clang
//! does. They are looked for in what gcc says of the program (`-fdump-tree-optimized-lineno`), and an answer names them.

use std::collections::{BTreeSet, HashSet};

/// The places of calls that copy a structure which other threads may use. `assembly` says which names are variables.
pub(crate) fn unseen_copies(dump: &str, assembly: &str) -> BTreeSet<String> {
    let variables: HashSet<&str> = assembly.lines().filter_map(variable).collect();
    let mut locals: HashSet<&str> = HashSet::new();
    let mut places = BTreeSet::new();
    for line in dump.lines() {
        let (place, statement) = without_places(line);
        if line.starts_with(";; Function") {
            locals.clear();
        } else if let Some(name) = declared(line) {
            locals.insert(name);
        } else if let (Some(place), Some((result, arguments))) = (place, call(&statement)) {
            let is_shared = |operand: &str| is_shared(operand, &locals, &variables);
            // A thread's own id, which `std::thread` compares by value.
            if place.contains("/bits/std_thread.h:") {
                continue;
            }
            if result.is_some_and(is_shared) || operands(arguments).into_iter().any(is_shared) {
                places.insert(place);
            }
        }
    }
    places
}

/// The name of a variable that assembly declares.
fn variable(line: &str) -> Option<&str> {
    let (name, kind) = line.trim().strip_prefix(".type")?.trim().split_once(',')?;
    kind.contains("@object").then_some(name)
}

/// The name of a local variable: `  struct B x;`.
fn declared(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("  ")?.strip_suffix(';')?;
    let is_declaration = !rest.starts_with([' ', '[', '_']) && !rest.contains(['=', '(', '<']);
    let (_, name) = rest.rsplit_once(' ').filter(|_| is_declaration)?;
    Some(name.trim_start_matches('*').split('[').next().unwrap_or(name))
}

/// A statement without the places that are noted in it, and the first of these without its column.
fn without_places(line: &str) -> (Option<String>, String) {
    let (mut first, mut statement, mut rest) = (None, String::new(), line.trim());
    while let Some(start) = rest.find('[') {
        let Some(end) = rest[start..].find("] ").map(|end| start + end) else { break };
        let inside = &rest[start + 1..end];
        let mut parts = inside.rsplitn(3, ':');
        let (column, number, file) = (parts.next(), parts.next(), parts.next());
        let is_number = |text: Option<&str>| text.is_some_and(|text| text.parse::<u32>().is_ok());
        statement.push_str(&rest[..start]);
        match file {
            Some(file) if is_number(column) && is_number(number) => {
                first.get_or_insert_with(|| format!("{file}:{}", number.unwrap_or_default()));
            }
            _ => statement.push_str(&rest[start..end + 2]),
        }
        rest = &rest[end + 2..];
    }
    statement.push_str(rest);
    (first, statement)
}

/// What a call puts its result into, and its arguments.
fn call(statement: &str) -> Option<(Option<&str>, &str)> {
    let statement = &statement[..=statement.rfind(");")?];
    let (result, rest) = statement.split_once(" = ").map_or((None, statement), |(result, rest)| (Some(result), rest));
    let (callee, arguments) = rest.split_once(" (")?;
    let is_callee = !callee.is_empty() && !callee.contains([' ', '"', '{']) && !["if", "switch"].contains(&callee);
    let arguments = arguments.strip_suffix(')')?;
    is_callee.then_some((result, arguments))
}

/// The arguments of a call, one by one.
fn operands(arguments: &str) -> Vec<&str> {
    let (mut depth, mut start, mut quoted, mut parts) = (0, 0, false, Vec::new());
    for (at, byte) in arguments.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'(' | b'[' | b'{' | b'<' if !quoted => depth += 1,
            b')' | b']' | b'}' if !quoted => depth -= 1,
            b'>' if !quoted && !arguments[..at].ends_with('-') => depth -= 1,
            b',' if !quoted && depth == 0 => {
                parts.push(arguments[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(arguments[start..].trim());
    parts
}

/// Whether an operand is memory that is not a variable of the function itself.
fn is_shared(operand: &str, locals: &HashSet<&str>, variables: &HashSet<&str>) -> bool {
    if operand.starts_with('&') || operand.contains('"') {
        return false;
    }
    if operand.starts_with('*') || operand.contains("->") {
        return true;
    }
    let name = operand.split(['.', '[']).next().unwrap_or(operand);
    variables.contains(name) && !locals.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASSEMBLY: &str = "\t.type\tgb, @object\n\t.type\tcallback, @function\n";

    fn found(lines: &str) -> Vec<String> {
        unseen_copies(&format!(";; Function f (f, funcdef_no=0)\n\n{lines}"), ASSEMBLY).into_iter().collect()
    }

    #[test]
    fn copies_are_found() {
        assert_eq!(found("  [a.c:5:22] _3 = fb (gb);"), ["a.c:5"]);
        assert_eq!(found("  [a.c:6:19] gb = rb ();"), ["a.c:6"]);
        assert_eq!(found("  [a.c:9:160] [a.c:9:156] c_5(D)->b = rb (); [return slot optimization]"), ["a.c:9"]);
        assert_eq!(found("  [a.c:9:49] _2 = fb (1, [a.c:9:49] *p_7(D));"), ["a.c:9"]);
        assert_eq!(found("  [a.c:9:49] fb ([a.c:9:49] gb.b);"), ["a.c:9"]);
    }

    #[test]
    fn other_calls_are_not() {
        for line in [
            "  struct B l;\n  [a.c:9:43] _1 = fb (l);",
            "  struct B gb;\n  [a.c:9:43] _1 = fb (gb);",
            "  [a.c:9:43] pthread_create (&id, 0B, callback, 0B);",
            "  [a.c:9:43] if (a_1 != 0)",
            "  [a.c:9:43] printf (\"%s, *p\", s_2);",
            "  [a.c:9:43] __assert_fail (\"p->next, *q\", &\"a.c\"[0], 7, &f.name[0]);",
            "  [a.c:9:43] _1 = (int) _2;",
            "  [a.c:9:43] _1 = gb.a[2];",
        ] {
            assert_eq!(found(line), Vec::<String>::new(), "{line}");
        }
    }
}
