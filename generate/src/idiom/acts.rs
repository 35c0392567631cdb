//! What a process does: guards and effects, in terms of what is shared.
//! Each uses the variables that it needs, and these are declared later.

use super::{Style, World};

impl World {
    /// A guard that is a statement: a condition or a receive.
    pub(super) fn guard(&mut self, me: &str) -> String {
        if self.random.chance(75) {
            return format!("({})", self.guard_expr(me));
        }
        let mine = !me.is_empty();
        match self.random.below(9) {
            0 if self.style == Style::RunChannels && mine => {
                self.uses("x");
                "mine?x".to_string()
            }
            0 | 1 if mine => {
                self.uses("q");
                format!("q?eval({me})")
            }
            2 if mine => {
                self.uses("q");
                format!("q??eval({me})")
            }
            3 if mine => {
                self.uses("c");
                self.uses("x");
                format!("c[{me}]?x")
            }
            4 => {
                self.uses("rv");
                self.uses("who");
                "rv?who".to_string()
            }
            5 if mine => {
                self.uses("rv");
                format!("rv!{me}")
            }
            6 => {
                self.uses("qq");
                self.uses("who");
                self.uses("x");
                "qq?who,x".to_string()
            }
            _ => {
                self.uses("q");
                self.uses("who");
                if self.random.chance(15) { "q?<who>".to_string() } else { "q?who".to_string() }
            }
        }
    }

    /// A condition; without `me` only what all members are alike in.
    pub(super) fn guard_expr(&mut self, me: &str) -> String {
        let v = self.value();
        let n = self.n;
        let none = self.none.clone();
        if me.is_empty() || self.random.chance(45) {
            return match self.random.below(17) {
                0 => format!("{} == {none}", self.uses("t")),
                1 => format!("{} != {none}", self.uses("t")),
                2 => {
                    self.uses("t");
                    self.uses("a");
                    format!("t != {none} && a[t] == {v}")
                }
                3 => {
                    self.uses("a");
                    self.all("exists", " || ", |j| format!("a[{j}] == {v}"))
                }
                4 => {
                    self.uses("f");
                    self.all("forall", " && ", |j| format!("!f[{j}]"))
                }
                5 => {
                    self.uses("a");
                    format!("{} < {n}", self.all("count", " + ", |j| format!("a[{j}] == {v}")))
                }
                6 => format!("{} == {v}", self.uses("x")),
                7 => self.uses("g").to_string(),
                8 => format!("!{}", self.uses("g")),
                9 => format!("len({}) < {}", self.uses("q"), 1 + v),
                10 => format!("{}({})", self.random.pick(&["empty", "nempty", "full", "nfull"]), self.uses("q")),
                11 => {
                    self.uses("b");
                    self.all("exists", " || ", |j| format!("b[{j}] == {j}"))
                }
                12 => {
                    self.uses("s");
                    self.all("forall", " && ", |j| format!("s[{j}] == idle"))
                }
                13 => {
                    self.uses("m");
                    self.all("exists", " || ", |j| format!("m[{j}].e[{j}]"))
                }
                14 if !self.declared() && n == 2 => {
                    let [i, j] = [self.first, self.first + self.step];
                    format!("{a}[{i}] != {a}[{j}]", a = self.uses("a"))
                }
                15 if !self.declared() => {
                    let pids: Vec<usize> = self.pids();
                    let terms: Vec<String> = pids.iter().map(|pid| format!("P[{pid}]@end")).collect();
                    let all = terms.join(if self.random.chance(50) { " || " } else { " && " });
                    format!("({all})")
                }
                _ => "true".to_string(),
            };
        }
        match self.random.below(13) {
            0 | 1 => format!("{}[{me}] == {v}", self.uses("a")),
            2 => format!("{}[{me}]", self.uses("f")),
            3 => format!("{} == {me}", self.uses("t")),
            4 => format!("{} != {me} && t != {none}", self.uses("t")),
            5 => {
                self.uses("a");
                self.all("forall", " && ", |j| format!("{j} == {me} || a[{j}] != {v}"))
            }
            6 => format!("{}[{me}] == {none}", self.uses("b")),
            7 => {
                self.uses("b");
                self.uses("a");
                format!("b[{me}] != {none} && a[b[{me}]] == {v}")
            }
            8 => format!("{}[{me}].v == {v}", self.uses("r")),
            9 => format!("{}[{me}] == busy", self.uses("s")),
            10 => format!("{}?[eval({me})]", self.uses("q")),
            11 if !self.declared() && self.first == 0 && self.step == 1 => {
                format!("{}[({me} + 1) % {n}] == {v}", self.uses("a"))
            }
            12 => {
                self.uses("m");
                self.uses("t");
                format!("t != {none} && m[{me}].e[t]")
            }
            _ => format!("nempty({}[{me}])", self.uses("c")),
        }
    }

    /// The ids of the family's processes.
    pub(super) fn pids(&self) -> Vec<usize> {
        match self.style {
            Style::Active | Style::ActiveLocal | Style::Declared => (0..self.n).collect(),
            Style::Interleaved => self.members(),
            _ => (1..=self.n).collect(),
        }
    }

    pub(super) fn effect(&mut self, me: &str) -> String {
        let v = self.value();
        let none = self.none.clone();
        if me.is_empty() || self.random.chance(50) {
            return match self.random.below(17) {
                0 | 1 => format!("{} = {none}", self.uses("t")),
                2 => {
                    let most = self.values - 1;
                    format!("{x} = ({x} < {most} -> {x} + 1 : 0)", x = self.uses("x"))
                }
                3 => format!("{} = {}", self.uses("g"), v % 2),
                4 => {
                    self.uses("a");
                    self.uses("t");
                    format!("if :: t != {none} -> a[t] = {v} :: else fi")
                }
                5 => self.reset(v),
                6 => self.select(),
                7 => {
                    self.uses("who");
                    self.uses("a");
                    format!("if :: who != {none} -> a[who] = {v}; who = {none} :: else -> skip fi")
                }
                8 => self.gather(v),
                9 => {
                    self.uses("t");
                    self.uses("who");
                    "who = t".to_string()
                }
                10 => self.one_each(v),
                11 => {
                    self.uses("who");
                    self.uses("c");
                    format!("if :: who != {none} && nfull(c[who]) -> c[who]!{v} :: else fi")
                }
                12 => format!("printf(\"%d\\n\", {})", self.uses("x")),
                13 => {
                    self.uses("b");
                    self.uses("t");
                    format!("if :: t != {none} -> b[t] = t :: else fi")
                }
                14 => {
                    self.uses("la");
                    self.uses("t");
                    format!("if :: t != {none} -> la[t] = {v} :: else fi")
                }
                15 => {
                    self.uses("who");
                    format!("who = {none}")
                }
                _ => "skip".to_string(),
            };
        }
        match self.random.below(14) {
            0..=2 => format!("{}[{me}] = {v}", self.uses("a")),
            3 => format!("{} = {me}", self.uses("t")),
            4 => format!("{}[{me}] = {}", self.uses("f"), v % 2),
            5 => {
                self.uses("q");
                let send = if self.random.chance(12) && !self.declared() { "!!" } else { "!" };
                format!("if :: nfull(q) -> q{send}{me} :: full(q) fi")
            }
            6 => {
                self.uses("qq");
                format!("if :: nfull(qq) -> qq!{me},{v} :: full(qq) fi")
            }
            7 => {
                self.uses("c");
                format!("if :: nfull(c[{me}]) -> c[{me}]!{v} :: else fi")
            }
            8 => format!("{}[{me}] = {me}", self.uses("b")),
            9 => {
                self.uses("b");
                self.uses("who");
                format!("b[{me}] = who")
            }
            10 => format!("{}[{me}].v = {v}; r[{me}].w = 1 - r[{me}].w", self.uses("r")),
            11 => format!("{}[{me}] = (s[{me}] == idle -> busy : idle)", self.uses("s")),
            12 => format!("{m}[{me}].e[{me}] = 1 - {m}[{me}].e[{me}]", m = self.uses("m")),
            _ if self.style == Style::RunChannels => format!("if :: nfull(mine) -> mine!{v} :: else fi"),
            _ => format!("printf(\"%d %d\\n\", {me}, {}[{me}])", self.uses("a")),
        }
    }

    /// All members are set to the same.
    pub(super) fn reset(&mut self, v: usize) -> String {
        self.uses("a");
        let row: Vec<String> = self.members().iter().map(|j| format!("a[{j}] = {v}")).collect();
        let (first, last) = (self.first, self.first + self.n - 1);
        match self.random.below(3) {
            _ if self.declared() => format!("for (j : T) {{ a[j] = {v} }}"),
            0 if self.step == 1 => {
                self.uses("k");
                format!("d_step {{ for (k : {first} .. {last}) {{ a[k] = {v} }}; k = 0 }}")
            }
            1 => row.join("; "),
            _ => format!("d_step {{ {} }}", row.join("; ")),
        }
    }

    /// A member is chosen.
    pub(super) fn select(&mut self) -> String {
        self.uses("who");
        if self.declared() {
            return "select (who : T)".to_string();
        }
        let options: String = self.members().iter().map(|j| format!(":: who = {j} ")).collect();
        match self.step {
            1 if self.random.chance(30) => format!("select (who : {} .. {})", self.first, self.first + self.n - 1),
            _ => format!("if {options}fi"),
        }
    }

    /// Something is counted or looked for over all members.
    pub(super) fn gather(&mut self, v: usize) -> String {
        self.uses("a");
        self.uses("x");
        let (first, last) = (self.first, self.first + self.n - 1);
        if self.declared() {
            return match self.random.below(2) {
                0 => format!("x = 0; for (j : T) {{ x = x + (a[j] == {v}) }}"),
                _ => {
                    self.uses("g");
                    format!("g = 0; for (j : T) {{ g = g || (a[j] == {v}) }}")
                }
            };
        }
        if self.step != 1 {
            return format!("x = {}", self.all("", " + ", |j| format!("a[{j}] == {v}")));
        }
        self.uses("k");
        match self.random.below(3) {
            0 => format!("x = 0; for (k : {first} .. {last}) {{ x = x + (a[k] == {v}) }}; k = 0"),
            1 => format!("d_step {{ x = 0; for (k : {first} .. {last}) {{ x = (a[k] > x -> a[k] : x) }}; k = 0 }}"),
            _ => format!("x = {}", self.all("", " + ", |j| format!("a[{j}] == {v}"))),
        }
    }

    /// One option per member with several statements.
    pub(super) fn one_each(&mut self, v: usize) -> String {
        self.uses("t");
        self.uses("a");
        self.uses("x");
        if self.declared() {
            return format!("if :: t != undef -> a[t] = {v}; x = 0 :: else fi");
        }
        let options: String = self.members().iter().map(|j| format!(":: t == {j} -> a[{j}] = {v}; x = 0 ")).collect();
        format!("if {options}:: else -> skip fi")
    }
}
