//! Makes a model smaller while it keeps some property: options, statements, declarations and processes are left out as
//! long as the property stays.

use crate::tokens::{Token, closing, text, tokens};

/// A smaller model with the property; at most `tries` models are tried.
pub fn shrink(model: &str, mut tries: usize, mut keeps: impl FnMut(&str) -> bool) -> String {
    let mut best = tokens(model);
    loop {
        let mut improved = false;
        let mut at = 0;
        while at < best.len() {
            for (from, to, with) in cuts(&best, at) {
                if tries == 0 {
                    return text(&best);
                }
                tries -= 1;
                let mut smaller = best.clone();
                smaller.splice(from..to, with);
                if smaller.len() < best.len() && keeps(&text(&smaller)) {
                    best = smaller;
                    improved = true;
                    break;
                }
            }
            at += 1;
        }
        if !improved {
            return text(&best);
        }
    }
}

/// What could be left out at a place: from where to where, and what is put there instead.
fn cuts(tokens: &[Token], at: usize) -> Vec<(usize, usize, Vec<Token>)> {
    let mut cuts = Vec::new();
    let word = tokens[at].as_str();
    let end = |stops: &[&str]| {
        let mut depth = 0i32;
        for (place, token) in tokens.iter().enumerate().skip(at + 1) {
            if depth == 0 && stops.contains(&token.as_str()) {
                return Some(place);
            }
            match token.as_str() {
                "(" | "[" | "{" | "if" | "do" => depth += 1,
                ")" | "]" | "}" | "fi" | "od" => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return Some(place);
            }
        }
        None
    };
    match word {
        "::" => cuts.extend(end(&["::", "fi", "od"]).map(|to| (at, to, Vec::new()))),
        ";" => cuts.extend(end(&[";", "::", "->"]).map(|to| (at, to, Vec::new()))),
        "->" | "{" => {
            cuts.extend(end(&[";", "->"]).filter(|&to| tokens[to] == ";").map(|to| (at + 1, to + 1, Vec::new())));
            cuts.extend(end(&[";", "::"]).filter(|_| word == "->").map(|to| (at, to, Vec::new())));
        }
        "active" | "proctype" | "init" | "trace" | "notrace" | "typedef" => {
            let open = (at..tokens.len()).find(|&place| tokens[place] == "{");
            cuts.extend(open.and_then(|open| closing(tokens, open)).map(|to| (at, to + 1, Vec::new())));
        }
        "bit" | "bool" | "byte" | "short" | "int" | "pid" | "chan" | "mtype" | "xr" | "xs" | "T" => {
            cuts.extend(end(&[";"]).filter(|&to| tokens[to] == ";").map(|to| (at, to + 1, Vec::new())));
        }
        "provided" => cuts.extend(closing(tokens, at + 1).map(|to| (at, to + 1, Vec::new()))),
        "priority" => cuts.push((at, at + 2, Vec::new())),
        "(" => {
            let close = closing(tokens, at);
            cuts.extend(close.map(|to| (at, to + 1, vec!["true".to_string()])));
            for join in ["&&", "||"] {
                cuts.extend(end(&[join]).filter(|&to| tokens[to] == join).map(|to| (at + 1, to + 1, Vec::new())));
            }
        }
        "&&" | "||" => cuts.extend(end(&["&&", "||", ";", "->", "::"]).map(|to| (at, to, Vec::new()))),
        _ => {}
    }
    cuts
}
