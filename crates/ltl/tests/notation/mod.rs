//! Formulas as text. Operators are as in SPIN and in the papers; propositions are single letters, numbered as they are met.

use quotient_ltl::Formula;

/// Reads a formula. Unary operators bind tightest, then `U W V R`, `&`, `|`, and `->` with `<->`; all bind to the left.
pub(crate) fn parse(text: &str) -> Formula {
    let text: Vec<char> = text
        .replace("[]", "G")
        .replace("<>", "F")
        .replace("<->", "=")
        .replace("->", ">")
        .replace("&&", "&")
        .replace("||", "|")
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    let mut reader = Reader { text, at: 0, names: Vec::new() };
    let formula = reader.binary(0);
    assert_eq!(reader.at, reader.text.len(), "{:?}", reader.text);
    formula
}

struct Reader {
    text: Vec<char>,
    at: usize,
    names: Vec<char>,
}

impl Reader {
    fn binary(&mut self, level: usize) -> Formula {
        const LEVELS: [&str; 4] = [">=", "|", "&", "UWVR"];
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1);
        while let Some(&operator) = self.text.get(self.at).filter(|&&c| LEVELS[level].contains(c)) {
            self.at += 1;
            let right = self.binary(level + 1);
            left = match operator {
                '>' => Formula::implies(left, right),
                '=' => Formula::equivalent(left, right),
                '|' => Formula::or(left, right),
                '&' => Formula::and(left, right),
                'U' => Formula::until(left, right),
                'W' => Formula::weak_until(left, right),
                _ => Formula::release(left, right),
            };
        }
        left
    }

    fn unary(&mut self) -> Formula {
        let c = self.text[self.at];
        self.at += 1;
        match c {
            '!' => self.unary().negated(),
            'X' => Formula::next(self.unary()),
            'G' => Formula::always(self.unary()),
            'F' => Formula::eventually(self.unary()),
            '1' => Formula::True,
            '0' => Formula::False,
            '(' => {
                let inner = self.binary(0);
                assert_eq!(self.text.get(self.at), Some(&')'));
                self.at += 1;
                inner
            }
            name => {
                assert!(name.is_ascii_lowercase(), "{name}");
                let known = self.names.iter().position(|&other| other == name);
                Formula::Proposition(known.unwrap_or_else(|| {
                    self.names.push(name);
                    self.names.len() - 1
                }))
            }
        }
    }
}
