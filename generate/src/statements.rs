//! Changes to programs of which a good share still compiles: statements are left out, doubled and exchanged, calls of locks
//! and the like become others of their kind, numbers, operators and memory orderings change.

use crate::random::Random;

use crate::text::{is_number, pieces};

/// Words that can stand in each other's places.
const ALIKE: [&[&str]; 25] = [
    &["pthread_mutex_lock", "pthread_mutex_unlock", "pthread_mutex_trylock", "pthread_mutex_destroy"],
    &["pthread_cond_signal", "pthread_cond_broadcast", "pthread_cond_destroy"],
    &[
        "pthread_rwlock_rdlock",
        "pthread_rwlock_wrlock",
        "pthread_rwlock_unlock",
        "pthread_rwlock_tryrdlock",
        "pthread_rwlock_trywrlock",
        "pthread_rwlock_destroy",
    ],
    &["pthread_barrier_wait", "pthread_barrier_destroy"],
    &["sem_wait", "sem_post", "sem_trywait", "sem_destroy"],
    &["pthread_spin_lock", "pthread_spin_unlock", "pthread_spin_trylock", "pthread_spin_destroy"],
    &["mtx_lock", "mtx_unlock", "mtx_trylock"],
    &["cnd_signal", "cnd_broadcast"],
    &[
        "memory_order_relaxed",
        "memory_order_acquire",
        "memory_order_release",
        "memory_order_acq_rel",
        "memory_order_seq_cst",
    ],
    &["atomic_fetch_add", "atomic_fetch_sub", "atomic_fetch_or", "atomic_fetch_and", "atomic_exchange", "atomic_store"],
    &[
        "atomic_fetch_add_explicit",
        "atomic_fetch_sub_explicit",
        "atomic_fetch_xor_explicit",
        "atomic_exchange_explicit",
        "atomic_store_explicit",
    ],
    &["atomic_compare_exchange_strong", "atomic_compare_exchange_weak"],
    &["pthread_exit", "exit", "_exit"],
    &["while", "if"],
    &["lock", "unlock", "try_lock"],
    &["notify_one", "notify_all"],
    &["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"],
    &["fetch_add", "fetch_sub", "fetch_or", "fetch_and", "fetch_xor", "swap", "store"],
    &["compare_exchange", "compare_exchange_weak"],
    &["read", "write"],
    &["send", "try_send"],
    &["recv", "try_recv"],
    &["break", "continue"],
    &["true", "false"],
    &["NULL", "0", "(void*)1", "(void*)-1"],
];

/// Operators that can stand in each other's places.
const OPERATORS: [&[&str]; 6] = [
    &[" < ", " <= ", " > ", " >= ", " == ", " != "],
    &[" + ", " - ", " * ", " / "],
    &[" && ", " || "],
    &["++", "--"],
    &["if (", "if (!", "while (", "while (!"],
    &["while (", "if (", "while (0 && ", "while (1 || "],
];

/// Numbers for thread counts, indices and sizes.
const NUMBERS: [&str; 14] = ["0", "1", "2", "3", "4", "5", "8", "16", "17", "64", "100", "-1", "65536", "2147483647"];

/// Puts every statement and every brace on a line of its own, so that lines can be exchanged.
pub fn lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with('#') || line.trim_start().starts_with("//") || line.contains('\\') {
            lines.push(line.to_owned());
            continue;
        }
        let (mut current, mut depth, mut quoted) = (String::new(), 0i32, None);
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            current.push(c);
            match (c, quoted) {
                (_, Some(quote)) => quoted = (c != quote).then_some(quote),
                ('"', None) => quoted = Some('"'),
                ('/', None) if chars.peek() == Some(&'/') => current.extend(chars.by_ref()),
                ('(', None) => depth += 1,
                (')', None) => depth -= 1,
                (';' | '{', None) if depth == 0 && chars.peek().is_some() => lines.push(std::mem::take(&mut current)),
                _ => {}
            }
        }
        lines.push(current);
    }
    lines
}

/// Changes some of the lines in `range` once; false if there was nothing to change.
pub fn change(lines: &mut Vec<String>, range: std::ops::Range<usize>, random: &mut Random) -> bool {
    let is_statement = |line: &str| {
        let global = !line.starts_with([' ', '\t']);
        let line = line.trim();
        line.ends_with(';') && !line.starts_with('#') && !line.starts_with("use ") && line.len() > 1 && !global
    };
    let statements: Vec<usize> = range.clone().filter(|&at| is_statement(&lines[at])).collect();
    match random.below(10) {
        0..=3 if !statements.is_empty() => {
            let (at, other) = (*random.pick(&statements), *random.pick(&statements));
            match random.below(5) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at].clone()),
                2 => lines.swap(at, other),
                3 => lines.insert(at, lines[other].clone()),
                _ => {
                    let moved = lines.remove(at);
                    lines.insert(other, moved);
                }
            }
            true
        }
        _ => {
            let places: Vec<usize> = range.filter(|&at| !lines[at].trim_start().starts_with("//")).collect();
            // Many lines have nothing to change.
            (0..8).any(|_| !places.is_empty() && change_line(&mut lines[*random.pick(&places)], random))
        }
    }
}

/// Changes one word, number or operator of a line.
fn change_line(line: &mut String, random: &mut Random) -> bool {
    if random.chance(30) {
        let all: Vec<(usize, usize, usize)> = OPERATORS
            .iter()
            .enumerate()
            .flat_map(|(group, words)| words.iter().map(move |word| (group, word)))
            .flat_map(|(group, word)| line.match_indices(word).map(move |(at, word)| (group, at, word.len())))
            .collect();
        if all.is_empty() {
            return false;
        }
        let (group, at, length) = *random.pick(&all);
        let other: &str = random.pick::<&str>(OPERATORS[group]);
        line.replace_range(at..at + length, other);
        return true;
    }
    let mut words: Vec<&str> = pieces(line);
    let group_of = |word: &str| ALIKE.iter().find(|group| group.contains(&word));
    let places: Vec<usize> =
        (0..words.len()).filter(|&at| is_number(words[at]) || group_of(words[at]).is_some()).collect();
    if places.is_empty() {
        return false;
    }
    let at = *random.pick(&places);
    words[at] = match group_of(words[at]).filter(|_| words[at] != "0" || random.chance(30)) {
        Some(group) => *random.pick(group),
        None => *random.pick(&NUMBERS),
    };
    *line = words.concat();
    true
}

/// The program, changed in one to three places.
pub fn changed(text: &str, random: &mut Random) -> String {
    let mut lines = lines(text);
    for _ in 0..=random.below(3) {
        let all = 0..lines.len();
        change(&mut lines, all, random);
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_lines_of_their_own() {
        let text = "int main(void) { for (int i = 0; i < 2; i++) f(\"a;b\"); return 0; } // c; d";
        let parts = ["int main(void) {", " for (int i = 0; i < 2; i++) f(\"a;b\");", " return 0;", " } // c; d"];
        assert_eq!(lines(text), parts);
    }

    #[test]
    fn most_changes_change_something() {
        let text = "int x = 1;\nif (a < b) {\n  pthread_mutex_lock(&m);\n  x = 2;\n}\n";
        assert!((0..100).filter(|&seed| changed(text, &mut Random::new(seed)) != text).count() > 80);
    }
}
