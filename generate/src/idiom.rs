//! Small random symmetric models in the idioms that people write: how a family is created, what tells its members apart,
//! what they share, and who else is there. Most are symmetric as they stand; that is for others to find out.

mod acts;

use std::collections::BTreeSet;

use crate::random::Random;

/// How the processes of the family come to be, and what a member calls itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `active [n] proctype P()`, `_pid`.
    Active,
    /// `active [n] proctype P()`, a local that begins with `_pid`.
    ActiveLocal,
    /// A server first, then `active [n]`; `_pid - 1`.
    ActiveAfter,
    /// `run P(0); run P(1)`.
    RunId,
    /// `run P(i)` in a loop.
    RunLoop,
    /// `run P()` with `_pid`, which begins with 1.
    RunPid,
    /// `run P(c1, 1); run P(c2, 2)` with channels that are in no array.
    RunChannels,
    /// `run P(); run Q(); run P()` with `_pid`.
    Interleaved,
    /// `run P(1); run P(2)`; 0 is none.
    FromOne,
    /// A declared scalarset, `active [T]`.
    Declared,
    /// A declared scalarset, `run` in a loop over it.
    DeclaredRun,
}

const STYLES: [Style; 11] = [
    Style::Active,
    Style::ActiveLocal,
    Style::ActiveAfter,
    Style::RunId,
    Style::RunLoop,
    Style::RunPid,
    Style::RunChannels,
    Style::Interleaved,
    Style::FromOne,
    Style::Declared,
    Style::DeclaredRun,
];

/// What a model is made with.
struct World {
    random: Random,
    style: Style,
    /// How many members there are.
    n: usize,
    /// The value of the first member, and by how much the next is greater.
    first: usize,
    step: usize,
    /// What a member calls itself.
    me: &'static str,
    /// The value that is no member.
    none: String,
    /// The type of a variable that holds a member or none.
    ty: &'static str,
    /// Values of plain data are below this.
    values: usize,
    /// What is used, and has to be declared.
    used: BTreeSet<&'static str>,
}

/// The model of a seed.
pub fn model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let style = *random.pick(&STYLES);
    let n = if random.chance(60) { 2 } else { 3 };
    let (first, step) = match style {
        Style::RunPid | Style::FromOne => (1, 1),
        Style::Interleaved => (1, 2),
        _ => (0, 1),
    };
    let me = match style {
        Style::Active | Style::RunPid | Style::Interleaved => "_pid",
        Style::ActiveAfter => "(_pid - 1)",
        _ => "id",
    };
    let declared = matches!(style, Style::Declared | Style::DeclaredRun);
    let last = first + (n - 1) * step;
    let (none, ty) = match random.below(6) {
        _ if declared => ("undef".to_string(), "T"),
        _ if style == Style::FromOne && random.chance(70) => ("0".to_string(), "byte"),
        0 => ("255".to_string(), "byte"),
        1 => ("-1".to_string(), *random.pick(&["short", "int"])),
        2 => ((last + 1).to_string(), "short"),
        3 if last < 3 => ((last + 1).to_string(), "pid"),
        _ => ((last + 1).to_string(), "byte"),
    };
    let values = random.between(2, 3);
    let mut world = World { random, style, n, first, step, me, none, ty, values, used: BTreeSet::new() };
    world.text()
}

impl World {
    fn declared(&self) -> bool {
        matches!(self.style, Style::Declared | Style::DeclaredRun)
    }

    fn members(&self) -> Vec<usize> {
        (0..self.n).map(|k| self.first + k * self.step).collect()
    }

    /// The length of an array that every member can index.
    fn length(&self) -> String {
        if self.declared() { "T".to_string() } else { (self.first + (self.n - 1) * self.step + 1).to_string() }
    }

    fn uses(&mut self, name: &'static str) -> &'static str {
        self.used.insert(name);
        name
    }

    fn value(&mut self) -> usize {
        let values = self.values;
        self.random.below(values)
    }

    /// The same of every member, joined by an operator or a quantifier.
    fn all(&self, quantifier: &str, join: &str, term: impl Fn(&str) -> String) -> String {
        if self.declared() {
            return format!("({quantifier} (j : T) ({}))", term("j"));
        }
        let terms: Vec<String> = self.members().iter().map(|j| format!("({})", term(&j.to_string()))).collect();
        format!("({})", terms.join(join))
    }

    fn text(&mut self) -> String {
        let body = self.body(self.me);
        let server = (matches!(self.style, Style::ActiveAfter | Style::Interleaved) || self.random.chance(35))
            .then(|| self.body(""));
        let tail = self.random.chance(30).then(|| self.tail());
        let promise = if self.random.chance(25) { self.promise() } else { String::new() };
        let mine = self.random.chance(50);
        let observer = self.observer();
        let mut text = self.declarations();
        let label = if self.random.chance(85) { "end: " } else { "" };
        let locals = self.locals();
        let own = if mine { promise.as_str() } else { "" };
        let other = if mine { "" } else { promise.as_str() };
        let family = |head: &str, more: &str| format!("{head} {{\n{own}{more}{locals}{label}{body}}}\n");
        let server = server.map(|server| {
            let active =
                matches!(self.style, Style::Active | Style::ActiveLocal | Style::ActiveAfter | Style::Declared);
            let head = if active { "active proctype Q()" } else { "proctype Q()" };
            format!("{head} {{\n{other}{locals}end: {server}}}\n")
        });
        let has_server = server.is_some();
        let server = server.unwrap_or_default();
        let n = self.n;
        match self.style {
            Style::Active => text += &(family(&format!("active [{n}] proctype P()"), "") + &server),
            Style::ActiveLocal => {
                text += &(family(&format!("active [{n}] proctype P()"), "byte id = _pid;\n") + &server);
            }
            Style::ActiveAfter => text += &(server + &family(&format!("active [{n}] proctype P()"), "")),
            Style::Declared => text += &(family("active [T] proctype P(T id)", "") + &server),
            Style::RunChannels => text += &(family("proctype P(chan mine; byte id)", "") + &server),
            Style::RunPid | Style::Interleaved => text += &(family("proctype P()", "") + &server),
            Style::DeclaredRun => text += &(family("proctype P(T id)", "") + &server),
            Style::RunId | Style::RunLoop | Style::FromOne => text += &(family("proctype P(byte id)", "") + &server),
        }
        text += &self.init(has_server, tail);
        text + &observer
    }

    /// `init`, where the style needs one or there is something else to do.
    fn init(&mut self, server: bool, tail: Option<String>) -> String {
        let members = self.members();
        let mut runs: Vec<String> = match self.style {
            Style::Active | Style::ActiveLocal | Style::ActiveAfter | Style::Declared => {
                return tail.map_or(String::new(), |tail| format!("init {{\n{}{tail}}}\n", self.locals()));
            }
            Style::RunId | Style::FromOne => members.iter().map(|id| format!("run P({id})")).collect(),
            Style::RunLoop if self.random.chance(50) => {
                vec![format!("for (k : 0 .. {}) {{ run P(k) }}", self.n - 1)]
            }
            Style::RunLoop => {
                vec![format!("k = 0;\ndo\n:: k < {n} -> run P(k); k++\n:: k >= {n} -> break\nod;\nk = 0", n = self.n)]
            }
            Style::RunPid => members.iter().map(|_| "run P()".to_string()).collect(),
            Style::RunChannels => members.iter().map(|id| format!("run P(c{id}, {id})")).collect(),
            Style::DeclaredRun => vec!["for (i : T) { run P(i) }".to_string()],
            Style::Interleaved => members.iter().flat_map(|_| ["run P()".to_string(), "run Q()".to_string()]).collect(),
        };
        if self.style == Style::Interleaved {
            runs.pop();
        } else if server {
            runs.push("run Q()".to_string());
        }
        let runs = runs.join(";\n");
        let tail = tail.map_or(String::new(), |tail| format!(";\n{tail}"));
        format!("init {{\n{}atomic {{\n{runs}\n}}{tail}\n}}\n", self.locals())
    }

    fn declarations(&self) -> String {
        let (n, ty, none, length) = (self.n, self.ty, &self.none, self.length());
        let own = if self.declared() { "T" } else { "byte" };
        let first = if self.declared() { String::new() } else { format!(" = {none}") };
        let mut text = if self.declared() { format!("scalarset T[{n}];\n") } else { String::new() };
        for name in &self.used {
            text += &match *name {
                "a" => format!("byte a[{length}];\n"),
                "f" => format!("bool f[{length}];\n"),
                "b" => format!("{ty} b[{length}]{first};\n"),
                "t" => format!("{ty} t{first};\n"),
                "x" => "byte x;\n".to_string(),
                "g" => "bool g;\n".to_string(),
                "q" => format!("chan q = [2] of {{ {own} }};\n"),
                "qq" => format!("chan qq = [1] of {{ {own}, byte }};\n"),
                "rv" => format!("chan rv = [0] of {{ {own} }};\n"),
                "c" => format!("chan c[{length}] = [1] of {{ byte }};\n"),
                "m" => format!("typedef Row {{ bit e[{length}] }}\nRow m[{length}];\n"),
                "r" => format!("typedef Rec {{ byte v; bool w }}\nRec r[{length}];\n"),
                "s" => format!("mtype = {{ idle, busy }}\nmtype s[{length}] = idle;\n"),
                _ => String::new(),
            };
        }
        if self.style == Style::RunChannels {
            text += &self.members().iter().map(|id| format!("chan c{id} = [1] of {{ byte }};\n")).collect::<String>();
        }
        text
    }

    /// Local variables; the same in every process.
    fn locals(&self) -> String {
        let (ty, none, length) = (self.ty, &self.none, self.length());
        let first = if self.declared() { String::new() } else { format!(" = {none}") };
        let mut text = String::new();
        for name in &self.used {
            text += &match *name {
                "who" => format!("{ty} who{first};\n"),
                "la" => format!("byte la[{length}];\n"),
                _ => String::new(),
            };
        }
        if self.used.contains("k") || self.style == Style::RunLoop {
            text += "byte k;\n";
        }
        text
    }

    /// What a process does, forever or once; without `me` it is none of the family.
    fn body(&mut self, me: &str) -> String {
        let options = self.random.between(1, if self.n > 2 { 2 } else { 3 });
        let mut list: Vec<String> = (0..options).map(|_| self.option(me)).collect();
        if !me.is_empty() {
            if self.random.chance(60) {
                list.insert(0, self.chooser(me));
            }
            if self.random.chance(55) {
                list.push(self.detector(me));
            }
        }
        let ends = !me.is_empty() && self.random.chance(10);
        if !ends && self.random.chance(12) {
            return list.iter().map(|option| format!("{option};\n")).collect::<String>() + "false\n";
        }
        if ends {
            list.push(format!("{} -> break", self.guard(me)));
        }
        if self.random.chance(8) {
            let guard = self.guard(me);
            let inner = list.join("\n:: ");
            return format!("do\n:: {{ if\n:: {inner}\nfi }} unless {{ {guard} }}\nod\n");
        }
        if self.random.chance(6) {
            list.push("else -> skip".to_string());
        } else if self.random.chance(4) {
            list.push(format!("timeout -> {}", self.effect(me)));
        }
        let options: String = list.iter().map(|option| format!(":: {option}\n")).collect();
        format!("do\n{options}od\n")
    }

    fn option(&mut self, me: &str) -> String {
        let guard = self.guard(me);
        let effects: Vec<String> = (0..self.random.between(1, 2)).map(|_| self.effect(me)).collect();
        self.wrap(&guard, &effects.join("; "))
    }

    fn wrap(&mut self, guard: &str, effects: &str) -> String {
        match self.random.below(10) {
            0 | 1 => format!("{guard} -> {effects}"),
            2 if !effects.contains("rv") && !guard.contains("rv") => format!("d_step {{ {guard} -> {effects} }}"),
            _ => format!("atomic {{ {guard} -> {effects} }}"),
        }
    }

    /// Someone is chosen once: what happens next depends on whom.
    fn chooser(&mut self, me: &str) -> String {
        let v = self.value().max(1);
        let none = self.none.clone();
        match self.random.below(4) {
            0 => {
                self.uses("t");
                format!("atomic {{ t == {none} -> t = {me} }}")
            }
            1 => {
                self.uses("g");
                self.uses("a");
                format!("atomic {{ !g -> g = 1; a[{me}] = {v} }}")
            }
            2 => {
                self.uses("t");
                self.uses("f");
                format!("atomic {{ t == {none} -> t = {me}; f[{me}] = 1 }}")
            }
            _ => {
                self.uses("t");
                self.uses("g");
                format!("atomic {{ !g -> g = 1; t = {me} }}")
            }
        }
    }

    /// Something that must never be so, and may be so.
    fn detector(&mut self, me: &str) -> String {
        let (a, b) = (self.guard_expr(me), self.guard_expr(me));
        match self.random.below(4) {
            0 => format!("assert(!({a}) || !({b}))"),
            1 => format!("atomic {{ ({a}) -> assert({b}) }}"),
            _ => format!("atomic {{ ({a}) && ({b}) -> assert(false) }}"),
        }
    }

    /// What `init` does after all processes exist.
    fn tail(&mut self) -> String {
        let (a, b) = (self.guard_expr(""), self.guard_expr(""));
        match self.random.below(3) {
            0 => format!("end: ({a}) -> assert({b})\n"),
            1 => format!("end: ({a}) && ({b}) -> assert(false)\n"),
            _ => {
                let option = self.option("");
                format!("end: do\n:: {option}\nod\n")
            }
        }
    }

    /// A promise about a channel, true or not.
    fn promise(&mut self) -> String {
        let kind = *self.random.pick(&["xr", "xs"]);
        match self.random.below(4) {
            0 if self.used.contains("rv") => format!("{kind} rv;\n"),
            1 if self.used.contains("qq") => format!("{kind} qq;\n"),
            2 if self.used.contains("c") && !self.declared() => format!("{kind} c;\n"),
            _ if self.used.contains("q") => format!("{kind} q;\n"),
            _ => String::new(),
        }
    }

    /// A trace over the channel of names.
    fn observer(&mut self) -> String {
        if !self.used.contains("q") || self.declared() || !self.random.chance(12) {
            return String::new();
        }
        let members = self.members();
        let sends: String = members.iter().map(|j| format!(":: q!{j}\n")).collect();
        match self.random.below(4) {
            0 => format!("trace {{\nendS: do\n{sends}:: q?_\nod\n}}\n"),
            1 => "trace {\nendS: do\n:: q!_ -> endR: q?_\nod\n}\n".to_string(),
            2 => "notrace {\nq!_; q!_; q?_; q!_\n}\n".to_string(),
            _ => format!("trace {{\nendS: if\n{sends}fi;\nendT: do\n:: q!_\n:: q?_\nod\n}}\n"),
        }
    }
}
