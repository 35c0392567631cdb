//! Promela as a list of words, just enough to damage and shrink it: where statements begin, what is declared, which
//! processes there are. It follows the lexical rules of Promela; lines of the preprocessor are one word each.

/// A word, a number, a string, an operator, or a line of the preprocessor.
pub type Token = String;

const OPERATORS: [&str; 15] =
    ["::", "->", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "<<", ">>", "!!", "??", ".."];

/// The tokens of a text; comments are left out.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut fresh = true;
    while let Some(c) = rest.chars().next() {
        let length = if c.is_whitespace() {
            fresh |= c == '\n';
            rest = &rest[c.len_utf8()..];
            continue;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            continue;
        } else if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        } else if c == '#' && fresh {
            directive(rest)
        } else if c.is_ascii_alphabetic() || c == '_' {
            rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else if c.is_ascii_digit() {
            rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())
        } else if c == '"' {
            1 + string(&rest[1..])
        } else {
            OPERATORS.iter().find(|o| rest.starts_with(**o)).map_or(c.len_utf8(), |o| o.len())
        };
        fresh = false;
        found.push(rest[..length].to_string());
        rest = &rest[length..];
    }
    found
}

/// The length of a line of the preprocessor with the lines that continue it.
fn directive(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    text[..end].trim_end().len()
}

/// The length of the rest of a string, with its quote.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The text of tokens, one statement per line as far as that is easy.
pub fn text(tokens: &[Token]) -> String {
    let mut text = String::new();
    let mut parentheses = 0i32;
    for (at, token) in tokens.iter().enumerate() {
        let starts = token.starts_with('#') || matches!(token.as_str(), "::" | "}" | "od" | "fi");
        if starts && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(token);
        match token.as_str() {
            "(" | "[" => parentheses += 1,
            ")" | "]" => parentheses -= 1,
            _ => {}
        }
        let next = tokens.get(at + 1).map_or("", String::as_str);
        let ends = matches!(token.as_str(), "{" | "}" | "do" | "if") && next != ";"
            || token == ";" && parentheses == 0
            || token.starts_with('#');
        if ends {
            text.push('\n');
        } else if !glued(token, next) {
            text.push(' ');
        }
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Whether two tokens are written without a space.
fn glued(token: &str, next: &str) -> bool {
    matches!(next, ";" | "," | ")" | "]" | "[" | "++" | "--" | ":") || matches!(token, "(" | "[" | "!")
}

/// Whether a token is a name.
pub fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !is_keyword(token)
}

/// Whether a token is a number.
pub fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

/// The types of variables.
pub const TYPES: [&str; 8] = ["bit", "bool", "byte", "short", "int", "mtype", "pid", "chan"];

fn is_keyword(token: &str) -> bool {
    const WORDS: [&str; 49] = [
        "active",
        "assert",
        "atomic",
        "break",
        "d_step",
        "do",
        "else",
        "empty",
        "enabled",
        "eval",
        "fi",
        "for",
        "full",
        "get_priority",
        "goto",
        "hidden",
        "if",
        "in",
        "init",
        "inline",
        "len",
        "local",
        "ltl",
        "never",
        "nempty",
        "nfull",
        "notrace",
        "od",
        "of",
        "pc_value",
        "printf",
        "priority",
        "proctype",
        "provided",
        "run",
        "select",
        "set_priority",
        "show",
        "skip",
        "timeout",
        "trace",
        "true",
        "false",
        "typedef",
        "unless",
        "unsigned",
        "xr",
        "xs",
        "scalarset",
    ];
    WORDS.contains(&token) || TYPES.contains(&token)
}

/// The place of the bracket that closes the one at `open`.
pub fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0i32;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.as_str() {
            "(" | "[" | "{" | "if" | "do" => depth += 1,
            ")" | "]" | "}" | "fi" | "od" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// What kind of unit of a model a token lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Declarations outside of processes.
    Outside,
    /// A `proctype`, from its body's first token on.
    Process,
    /// The body of `init`.
    Init,
    /// The body of a `trace` or `notrace`.
    Trace,
    /// Something else in braces: a `typedef`, an `inline`, a claim.
    Other,
}

/// A variable as far as one can tell from its declaration.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Token,
    /// Its type.
    pub ty: Token,
    /// Whether it is an array.
    pub array: bool,
    /// Whether it is an array that a declared scalarset indexes.
    pub by_members: bool,
    /// Whether it is declared outside of processes.
    pub global: bool,
    /// Where its name stands in the declaration.
    pub at: usize,
}

/// What is known about a list of tokens.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The unit that each token lies in.
    pub units: Vec<Unit>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The names of process types, and where their bodies open.
    pub processes: Vec<(Token, usize)>,
    /// The labels of processes, with their process.
    pub labels: Vec<(Token, Token)>,
    /// Where `init` opens.
    pub init: Option<usize>,
    /// Places at which a statement and a semicolon can be put.
    pub inserts: Vec<usize>,
    /// The declared scalarsets.
    pub scalarsets: Vec<Token>,
}

impl Facts {
    /// Whether a name is that of an array that a declared scalarset indexes.
    pub fn is_member_index(&self, name: &str) -> bool {
        self.variables.iter().any(|variable| variable.by_members && variable.name == name)
    }
}

/// Looks a list of tokens over.
pub fn facts(tokens: &[Token]) -> Facts {
    let (units, processes, init) = units(tokens);
    let mut labels = Vec::new();
    let mut inserts = Vec::new();
    let mut depth = 0i32;
    let mut process = None;
    for at in 0..tokens.len() {
        let token = tokens[at].as_str();
        process = processes.iter().rev().find(|(_, open)| *open <= at).or(process);
        match token {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        let inside = matches!(units[at], Unit::Process | Unit::Init);
        if inside && depth == 0 && matches!(token, "->" | ";" | "{") && at + 1 < tokens.len() {
            let next = tokens[at + 1].as_str();
            if !TYPES.contains(&next) && !matches!(next, "}" | "unsigned" | "xr" | "xs" | "::" | "od" | "fi") {
                inserts.push(at + 1);
            }
        }
        if units[at] == Unit::Process && depth == 0 && is_name(token) && tokens.get(at + 1).is_some_and(|t| t == ":") {
            labels.extend(process.map(|(name, _)| (token.to_string(), name.clone())));
        }
    }
    let scalarsets: Vec<Token> = tokens.windows(2).filter(|w| w[0] == "scalarset").map(|w| w[1].clone()).collect();
    let variables = variables(tokens, &units, &scalarsets);
    Facts { units, variables, processes, labels, init, inserts, scalarsets }
}

type Units = (Vec<Unit>, Vec<(Token, usize)>, Option<usize>);

fn units(tokens: &[Token]) -> Units {
    let mut units = vec![Unit::Outside; tokens.len()];
    let mut processes = Vec::new();
    let mut init = None;
    let mut kind = Unit::Other;
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at].as_str() {
            "proctype" | "D_proctype" => {
                kind = Unit::Process;
                if let Some(name) = tokens.get(at + 1) {
                    processes.push((name.clone(), at));
                }
            }
            "init" => kind = Unit::Init,
            "trace" | "notrace" => kind = Unit::Trace,
            "typedef" | "inline" | "never" | "ltl" | "mtype" | "of" => kind = Unit::Other,
            "{" => {
                let end = closing_brace(tokens, at);
                units[at..end].fill(kind);
                match kind {
                    Unit::Process => {
                        if let Some(process) = processes.last_mut() {
                            process.1 = at;
                        }
                    }
                    Unit::Init => init = Some(at),
                    _ => {}
                }
                kind = Unit::Other;
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    (units, processes, init)
}

fn closing_brace(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0i32;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        depth += i32::from(token == "{") - i32::from(token == "}");
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

fn variables(tokens: &[Token], units: &[Unit], scalarsets: &[Token]) -> Vec<Variable> {
    let mut found = Vec::new();
    for at in 1..tokens.len().saturating_sub(1) {
        let before = tokens[at - 1].as_str();
        let typed = TYPES.contains(&before) || scalarsets.iter().any(|set| set == before);
        if !typed || !is_name(&tokens[at]) || units[at] == Unit::Trace || units[at] == Unit::Other {
            continue;
        }
        let next = tokens[at + 1].as_str();
        found.push(Variable {
            name: tokens[at].clone(),
            ty: before.to_string(),
            array: next == "[",
            by_members: next == "[" && tokens.get(at + 2).is_some_and(|length| scalarsets.contains(length)),
            global: units[at] == Unit::Outside && matches!(next, ";" | "=" | "[" | ","),
            at,
        });
    }
    // Parameters lie outside of braces, too.
    let parameters: Vec<bool> = found.iter().map(|variable| is_parameter(tokens, variable.at)).collect();
    for (variable, parameter) in found.iter_mut().zip(parameters) {
        variable.global &= !parameter;
    }
    found
}

/// Whether a name stands between the parentheses of a process type.
fn is_parameter(tokens: &[Token], at: usize) -> bool {
    for before in (0..at).rev() {
        match tokens[before].as_str() {
            "(" => return before >= 2 && matches!(tokens[before - 2].as_str(), "proctype" | "D_proctype"),
            ")" | "{" | "}" => return false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_keeps_the_tokens() {
        for seed in 0..200 {
            let first = tokens(&crate::idiom::model(seed));
            assert_eq!(tokens(&text(&first)), first, "seed {seed}");
        }
    }
}
