//! Formulas are rewritten while they are built, so that their automata are small. The rules are those of Somenzi & Bloem, with
//! the purely eventual and universal formulas of Etessami & Holzmann.

use crate::pool::{FALSE, Id, Node, Pool, TRUE};

impl Pool {
    /// The conjunction.
    pub(crate) fn and(&mut self, parts: Vec<Id>) -> Id {
        let mut flat = Vec::new();
        for part in parts {
            match self.node(part) {
                Node::And(inner) => flat.extend(inner.iter().copied()),
                _ => flat.push(part),
            }
        }
        self.strongest(&mut flat);
        // `(c V a) && (c V b)` is `c V (a && b)`; `(a U c) && (b U c)` is `(a && b) U c`; and so for `X`.
        for i in 0..flat.len() {
            for j in i + 1..flat.len() {
                let joined = match (self.node(flat[i]).clone(), self.node(flat[j]).clone()) {
                    (Node::Release(c, a), Node::Release(d, b)) if c == d => {
                        let both = self.and(vec![a, b]);
                        self.release(c, both)
                    }
                    (Node::Until(a, c), Node::Until(b, d)) if c == d => {
                        let both = self.and(vec![a, b]);
                        self.until(both, c)
                    }
                    (Node::Until(TRUE, a), Node::Until(TRUE, b)) => match (self.always_of(a), self.always_of(b)) {
                        (Some(a), Some(b)) => {
                            let both = self.and(vec![a, b]);
                            let always = self.release(FALSE, both);
                            self.until(TRUE, always)
                        }
                        _ => continue,
                    },
                    (Node::Next(a), Node::Next(b)) => {
                        let both = self.and(vec![a, b]);
                        self.next(both)
                    }
                    _ => continue,
                };
                flat.swap_remove(j);
                flat.swap_remove(i);
                flat.push(joined);
                return self.and(flat);
            }
        }
        match flat[..] {
            [] => TRUE,
            [only] => only,
            _ => self.id(Node::And(flat)),
        }
    }

    /// The disjunction.
    pub(crate) fn or(&mut self, parts: Vec<Id>) -> Id {
        let mut flat = Vec::new();
        for part in parts {
            match self.node(part) {
                Node::Or(inner) => flat.extend(inner.iter().copied()),
                _ => flat.push(part),
            }
        }
        self.weakest(&mut flat);
        for i in 0..flat.len() {
            for j in i + 1..flat.len() {
                let joined = match (self.node(flat[i]).clone(), self.node(flat[j]).clone()) {
                    (Node::Until(c, a), Node::Until(d, b)) if c == d => {
                        let either = self.or(vec![a, b]);
                        self.until(c, either)
                    }
                    (Node::Release(a, c), Node::Release(b, d)) if c == d => {
                        let either = self.or(vec![a, b]);
                        self.release(either, c)
                    }
                    (Node::Release(FALSE, a), Node::Release(FALSE, b)) => {
                        match (self.eventually_of(a), self.eventually_of(b)) {
                            (Some(a), Some(b)) => {
                                let either = self.or(vec![a, b]);
                                let eventually = self.until(TRUE, either);
                                self.release(FALSE, eventually)
                            }
                            _ => continue,
                        }
                    }
                    (Node::Next(a), Node::Next(b)) => {
                        let either = self.or(vec![a, b]);
                        self.next(either)
                    }
                    _ => continue,
                };
                flat.swap_remove(j);
                flat.swap_remove(i);
                flat.push(joined);
                return self.or(flat);
            }
        }
        match flat[..] {
            [] => FALSE,
            [only] => only,
            _ => self.id(Node::Or(flat)),
        }
    }

    /// The formula in the next state.
    pub(crate) fn next(&mut self, a: Id) -> Id {
        if a == TRUE || a == FALSE || self.timeless(a) { a } else { self.id(Node::Next(a)) }
    }

    /// The second now or later, and until then the first.
    pub(crate) fn until(&mut self, a: Id, b: Id) -> Id {
        if self.implies(a, b) || self.eventual(b) {
            return b;
        }
        match self.node(b).clone() {
            Node::True | Node::False => return b,
            Node::Until(c, _) if self.implies(a, c) => return b,
            Node::Until(_, d) if a == TRUE => return self.until(TRUE, d),
            Node::Next(b) => {
                if a == TRUE {
                    let later = self.until(TRUE, b);
                    return self.next(later);
                }
                if let Node::Next(a) = *self.node(a) {
                    let later = self.until(a, b);
                    return self.next(later);
                }
            }
            // What does not depend on the time can be asked now.
            Node::And(parts) => {
                let (timeless, rest): (Vec<Id>, Vec<Id>) = parts.iter().partition(|&&part| self.timeless(part));
                if !timeless.is_empty() {
                    let rest = self.and(rest);
                    let until = self.until(a, rest);
                    return self.and(timeless.into_iter().chain([until]).collect());
                }
            }
            Node::Or(parts) => {
                let (timeless, rest): (Vec<Id>, Vec<Id>) = parts.iter().partition(|&&part| self.timeless(part));
                if !timeless.is_empty() {
                    let rest = self.or(rest);
                    let until = self.until(a, rest);
                    return self.or(timeless.into_iter().chain([until]).collect());
                }
            }
            _ => {}
        }
        let not_b = self.negation(b);
        if a != TRUE && self.implies(not_b, a) {
            return self.until(TRUE, b);
        }
        self.id(Node::Until(a, b))
    }

    /// The second up to and including the first state in which the first holds.
    pub(crate) fn release(&mut self, a: Id, b: Id) -> Id {
        if self.implies(b, a) || self.universal(b) {
            return b;
        }
        match self.node(b).clone() {
            Node::True | Node::False => return b,
            Node::Release(c, _) if self.implies(c, a) => return b,
            Node::Release(_, d) if a == FALSE => return self.release(FALSE, d),
            Node::Next(b) => {
                if a == FALSE {
                    let later = self.release(FALSE, b);
                    return self.next(later);
                }
                if let Node::Next(a) = *self.node(a) {
                    let later = self.release(a, b);
                    return self.next(later);
                }
            }
            Node::And(parts) => {
                let (timeless, rest): (Vec<Id>, Vec<Id>) = parts.iter().partition(|&&part| self.timeless(part));
                if !timeless.is_empty() && a != FALSE {
                    let rest = self.and(rest);
                    let release = self.release(a, rest);
                    return self.and(timeless.into_iter().chain([release]).collect());
                }
            }
            Node::Or(parts) => {
                let (timeless, rest): (Vec<Id>, Vec<Id>) = parts.iter().partition(|&&part| self.timeless(part));
                if !timeless.is_empty() {
                    let rest = self.or(rest);
                    let release = self.release(a, rest);
                    return self.or(timeless.into_iter().chain([release]).collect());
                }
            }
            _ => {}
        }
        let not_a = self.negation(a);
        if a != FALSE && self.implies(b, not_a) {
            return self.release(FALSE, b);
        }
        self.id(Node::Release(a, b))
    }

    /// Leaves out parts of a conjunction that follow from others; leaves `FALSE` if two contradict each other.
    pub(crate) fn strongest(&mut self, parts: &mut Vec<Id>) {
        parts.sort_unstable();
        parts.dedup();
        let mut i = 0;
        while i < parts.len() {
            let part = parts[i];
            let negation = self.negation(part);
            if part == FALSE || parts.iter().any(|&other| self.implies(other, negation)) {
                *parts = vec![FALSE];
                return;
            }
            if part == TRUE || parts.iter().any(|&other| other != part && self.implies(other, part)) {
                parts.remove(i);
            } else {
                i += 1;
            }
        }
    }

    /// Leaves out parts of a disjunction that imply others; leaves `TRUE` if one of two always holds.
    fn weakest(&mut self, parts: &mut Vec<Id>) {
        parts.sort_unstable();
        parts.dedup();
        let mut i = 0;
        while i < parts.len() {
            let part = parts[i];
            let negation = self.negation(part);
            if part == TRUE || parts.iter().any(|&other| self.implies(negation, other)) {
                *parts = vec![TRUE];
                return;
            }
            if part == FALSE || parts.iter().any(|&other| other != part && self.implies(part, other)) {
                parts.remove(i);
            } else {
                i += 1;
            }
        }
    }

    fn always_of(&self, id: Id) -> Option<Id> {
        match *self.node(id) {
            Node::Release(FALSE, a) => Some(a),
            _ => None,
        }
    }

    fn eventually_of(&self, id: Id) -> Option<Id> {
        match *self.node(id) {
            Node::Until(TRUE, a) => Some(a),
            _ => None,
        }
    }

    /// Whether the formula holds before every state in which it holds.
    fn eventual(&self, id: Id) -> bool {
        match self.node(id) {
            Node::True | Node::False => true,
            Node::Literal(..) => false,
            Node::And(parts) | Node::Or(parts) => parts.iter().all(|&part| self.eventual(part)),
            Node::Next(a) => self.eventual(*a),
            Node::Until(a, b) => *a == TRUE || self.eventual(*b),
            Node::Release(a, b) => (*a == FALSE || self.eventual(*a)) && self.eventual(*b),
        }
    }

    /// Whether the formula holds after every state in which it holds.
    fn universal(&self, id: Id) -> bool {
        match self.node(id) {
            Node::True | Node::False => true,
            Node::Literal(..) => false,
            Node::And(parts) | Node::Or(parts) => parts.iter().all(|&part| self.universal(part)),
            Node::Next(a) => self.universal(*a),
            Node::Release(a, b) => *a == FALSE || self.universal(*b),
            Node::Until(a, b) => (*a == TRUE || self.universal(*a)) && self.universal(*b),
        }
    }

    /// Whether the formula holds in all states of a run or in none.
    fn timeless(&self, id: Id) -> bool {
        self.eventual(id) && self.universal(id)
    }

    /// Whether the first implies the second, as far as their syntax shows it.
    ///
    /// States of automata leave out what others imply. So nothing that is put off may follow from something that is put off in
    /// another way: `X <> p` does not imply `<> p` here, since it promises nothing.
    pub(crate) fn implies(&mut self, f: Id, g: Id) -> bool {
        if f == g || f == FALSE || g == TRUE {
            return true;
        }
        if f == TRUE || g == FALSE {
            return false;
        }
        if let Some(&known) = self.implied.get(&(f, g)) {
            return known;
        }
        let found = self.find_implication(f, g);
        self.implied.insert((f, g), found);
        found
    }

    fn find_implication(&mut self, f: Id, g: Id) -> bool {
        let (left, right) = (self.node(f).clone(), self.node(g).clone());
        if let Node::And(parts) = &right {
            return parts.iter().all(|&part| self.implies(f, part));
        }
        if let Node::Or(parts) = &left {
            return parts.iter().all(|&part| self.implies(part, g));
        }
        if let Node::And(parts) = &left
            && parts.iter().any(|&part| self.implies(part, g))
        {
            return true;
        }
        if let Node::Or(parts) = &right
            && parts.iter().any(|&part| self.implies(f, part))
        {
            return true;
        }
        match right {
            Node::Until(_, b) if self.implies(f, b) => return true,
            Node::Release(a, b) if self.implies(f, a) && self.implies(f, b) => return true,
            _ => {}
        }
        match left {
            Node::Release(_, b) if self.implies(b, g) => return true,
            Node::Until(a, b) if self.implies(a, g) && self.implies(b, g) => return true,
            _ => {}
        }
        match (left, right) {
            (Node::Until(a, b), Node::Until(c, d)) | (Node::Release(a, b), Node::Release(c, d)) => {
                self.implies(a, c) && self.implies(b, d)
            }
            (Node::Next(a), Node::Next(b)) => self.implies(a, b),
            // What holds always holds next.
            (Node::Release(FALSE, _), Node::Next(b)) => self.implies(f, b),
            _ => false,
        }
    }
}
