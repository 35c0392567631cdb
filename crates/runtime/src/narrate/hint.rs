//! What the program's text calls the memory that a call is about: the receiver of a method (`flag` in
//! `flag.load(Acquire)` and `shared.flag.load(Acquire)`), or the first argument of a function (`x` in
//! `load(&x, Acquire)`).

/// How many columns a tab takes in the positions that rustc gives.
const TAB: usize = 4;
const LONGEST: usize = 32;

/// The name that stands at a call, whose position is the one that `#[track_caller]` gives: the name of the method, or
/// the beginning of the function's path.
pub(super) fn hint(text: &str, line: u32, column: u32) -> Option<String> {
    let at = offset(text, line, column)?;
    let before = text[..at].trim_end();
    let expression = match before.strip_suffix('.') {
        Some(receiver) => last_expression(receiver),
        None => first_argument(&text[at..])?,
    };
    name(&expression)
}

/// Where a position is in the text.
fn offset(text: &str, line: u32, column: u32) -> Option<usize> {
    let start = text.split_inclusive('\n').take(line.checked_sub(1)? as usize).map(str::len).sum::<usize>();
    let mut seen = 1;
    for (index, c) in text.get(start..)?.char_indices() {
        if seen >= column as usize {
            return Some(start + index);
        }
        if c == '\n' {
            return None;
        }
        seen += if c == '\t' { TAB } else { 1 };
    }
    None
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The expression at the end of a text, without white space: names, fields, indices, calls.
fn last_expression(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut start = chars.len();
    let mut depth = 0;
    while start > 0 {
        let c = chars[start - 1];
        let inside = depth > 0;
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' if inside => depth -= 1,
            _ if inside || is_word(c) || matches!(c, '.' | ':' | '?') => {}
            // White space belongs to an expression only around a dot.
            _ if c.is_whitespace() => {
                let left = chars[..start].iter().rev().find(|c| !c.is_whitespace());
                let right = chars[start..].iter().find(|c| !c.is_whitespace());
                if left != Some(&'.') && right.is_some_and(|&c| c != '.') {
                    break;
                }
            }
            _ => break,
        }
        start -= 1;
    }
    chars[start..].iter().filter(|c| !c.is_whitespace()).collect()
}

/// The first argument of the call that a text begins with.
fn first_argument(text: &str) -> Option<String> {
    let path = text.find(|c: char| !is_word(c) && c != ':')?;
    let arguments = text[path..].strip_prefix('(')?;
    let mut depth = 0;
    let end = arguments.find(|c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            ')' | ',' if depth == 0 => return true,
            _ => {}
        }
        false
    })?;
    Some(arguments[..end].split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The part of an expression that serves as a name.
fn name(expression: &str) -> Option<String> {
    let mut name = expression.trim();
    loop {
        let shorter = name.trim_start_matches(['&', '*', ' ']);
        let shorter = shorter.strip_prefix("mut ").unwrap_or(shorter);
        let shorter = shorter.trim_end_matches(['?', '.', ' ']);
        let calls = [".clone()", ".as_ref()", ".borrow()", ".unwrap()", ".get()"];
        let shorter = calls.iter().find_map(|call| shorter.strip_suffix(call)).unwrap_or(shorter);
        let shorter = in_parentheses(shorter).unwrap_or(shorter);
        if shorter == name {
            break;
        }
        name = shorter;
    }
    name = field(name).unwrap_or(name);
    if name.chars().count() > LONGEST {
        name = name.rsplit('.').next().unwrap_or_default();
    }
    let fits =
        name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '(')) && name.chars().count() <= LONGEST;
    let plain = !name.contains(['"', '|', '{', ';']);
    (fits && plain).then(|| name.to_owned())
}

/// A field without the variable that it belongs to, which is often called differently in every thread.
fn field(expression: &str) -> Option<&str> {
    let (variable, field) = expression.split_once('.')?;
    let variable = in_parentheses(variable).unwrap_or(variable).trim_start_matches(['&', '*']);
    let simple = variable.chars().all(is_word) && field.starts_with(|c: char| c.is_alphabetic() || c == '_');
    simple.then_some(field)
}

/// What is inside the parentheses that surround the whole of an expression.
fn in_parentheses(expression: &str) -> Option<&str> {
    let inside = expression.strip_prefix('(')?.strip_suffix(')')?;
    (!inside.contains(['(', ')'])).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hint for the call of which `mark` is the beginning.
    fn at(text: &str, mark: &str) -> Option<String> {
        let index = text.find(mark).expect("the mark");
        let line = text[..index].matches('\n').count() as u32 + 1;
        let start = text[..index].rfind('\n').map_or(0, |newline| newline + 1);
        let column = text[start..index].chars().map(|c| if c == '\t' { 4 } else { 1 }).sum::<u32>() + 1;
        hint(text, line, column)
    }

    #[test]
    fn methods_are_named_after_their_receivers() {
        let load = |text| at(text, "load").unwrap_or_default();
        assert_eq!(load("let v = flag.load(Acquire);"), "flag");
        assert_eq!(load("\tif !self.head.next.load(Acquire) {"), "head.next");
        assert_eq!(load("while slots[i + 1].load(Relaxed) == 0 {}"), "slots[i + 1]".replace(' ', ""));
        assert_eq!(load("unsafe { (*node).next.load(Acquire) }"), "next");
        assert_eq!(load("self.0.load(Acquire)"), "self.0");
        assert_eq!(load("node(1).next.load(Acquire)"), "node(1).next");
        assert_eq!(load("(*flag).load(Acquire)"), "flag");
        assert_eq!(load("assert_eq!(x.load(Relaxed), 1)"), "x");
        assert_eq!(load("shared\n    .queue\n    .tail\n    .load(Acquire)"), "queue.tail");
        assert_eq!(load("STATIC.load(Relaxed)"), "STATIC");
        assert_eq!(load("a.clone().load(Relaxed)"), "a");
        assert_eq!(load("return x.load(Relaxed)"), "x");
        assert_eq!(load("é = ö.load(Relaxed)"), "ö");
    }

    #[test]
    fn functions_are_named_after_their_first_arguments() {
        assert_eq!(at("let v = ops::load(&flag, 0, Acquire);", "ops").as_deref(), Some("flag"));
        assert_eq!(at("ops::store(\n    &self.lock.place,\n    1)", "ops").as_deref(), Some("lock.place"));
        assert_eq!(at("write(&pair[index(0, 1)], 2)", "write").as_deref(), Some("pair[index(0, 1)]"));
        assert_eq!(at("fence(SeqCst)", "fence").as_deref(), Some("SeqCst"));
    }

    #[test]
    fn what_has_no_name_gets_none() {
        assert_eq!(at("load(|| x, 1)", "load"), None);
        assert_eq!(at("x + y", "x"), None);
        assert_eq!(at(&format!("{}.load()", "a".repeat(40)), "load"), None);
        for (line, column) in [(0, 1), (1, 0), (1, 99), (9, 1), (u32::MAX, u32::MAX)] {
            let _ = hint("x.load()\ny", line, column);
        }
        assert_eq!(hint("", 1, 1), None);
    }
}
