//! Damaged models: nothing panics, and nothing goes on forever.

use std::path::{Path, PathBuf};

use quotient_bir::{Options, load};

/// How many models are damaged.
const ROUNDS: usize = 4_000;

/// Words that are put where they do not belong.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "atomic", "end", "while", "do", "if", "else", "choose", "when", "<", ">", "try", "catch", "(", ")", "{", "}", "[", "]",
    "loc", "goto", "return", "invoke", "virtual", "start", "new", "lock", "unlock", "wait", "notify", "null", "true", "0",
    "-1", "2147483647", ":=", ";", ".", ",", "int", "boolean", "tid", "record", "extends", "thread", "active", "main",
    "function", "top", "throwable", "throw", "exit", "skip", "assert", "live", "invisible", "let", "in", "fun", "?", ":",
    "int (0, 1)", "[]", "instanceof", "/", "%", "=>", "ushr", "length",
];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// A text with some of its words left out, doubled, exchanged or replaced.
fn damaged(text: &str, random: &mut Random) -> String {
    let mut words: Vec<String> = text.split_inclusive(|c: char| !c.is_alphanumeric()).map(str::to_string).collect();
    if random.below(2) == 0 {
        // A name takes the place of another: what comes out is often a model.
        let is_name = |word: &String| word.starts_with(char::is_alphanumeric);
        let names: Vec<usize> = (0..words.len()).filter(|&at| is_name(&words[at])).collect();
        let (to, from) = (names[random.below(names.len())], names[random.below(names.len())]);
        let end = words[to].trim_start_matches(char::is_alphanumeric).to_string();
        words[to] = format!("{}{end}", words[from].trim_end_matches(|c: char| !c.is_alphanumeric()));
        return words.concat();
    }
    for _ in 0..1 + random.below(3) {
        let at = random.below(words.len());
        match random.below(5) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[at].clone()),
            2 => {
                let other = random.below(words.len());
                words.swap(at, other);
            }
            3 => words[at] = format!(" {} ", WORDS[random.below(WORDS.len())]),
            _ => words.insert(at, format!(" {} ", WORDS[random.below(WORDS.len())])),
        }
        if words.is_empty() {
            break;
        }
    }
    words.concat()
}

#[test]
fn damaged_models_never_panic() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for (directory, times) in [(here.join("../../models/dynamic"), 4), (here.join("tests/broken"), 1)] {
        let entries = std::fs::read_dir(&directory).expect("the directory can be read");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the directory can be read").path()).collect();
        paths.sort();
        // The models are damaged more often than what is broken already.
        for _ in 0..times {
            texts.extend(paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()));
        }
    }
    let mut random = Random(18);
    let mut loaded = 0;
    for round in 0..ROUNDS {
        let text = damaged(&texts[round % texts.len()], &mut random);
        let result = load(Path::new("m.bir"), text.as_bytes(), &Options::default());
        assert!(result.model.is_some() || !result.diagnostics.is_empty(), "nothing is said about:\n{text}");
        loaded += usize::from(result.model.is_some());
        // In debug builds the model has been validated.
        assert!(result.model.is_none_or(|model| model.validate().is_ok()), "{text}");
    }
    assert!(loaded > ROUNDS / 50, "only {loaded} of {ROUNDS} load: the damage is too great to tell anything");
}

#[test]
fn every_beginning_of_a_model_is_refused_with_a_message() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/dynamic/job-pool.bir");
    let text = std::fs::read_to_string(path).expect("the model can be read");
    let whole = text.trim_end().len();
    for end in (0..whole).filter(|&end| text.is_char_boundary(end)) {
        let result = load(Path::new("m.bir"), &text.as_bytes()[..end], &Options::default());
        assert!(result.model.is_none() && !result.diagnostics.is_empty(), "{}", &text[..end]);
    }
}
