//! What is in scope while a program is generated: types, variables, channels, and where in a body we are.
//! A variable is a [`Place`], a path such as `t0.u[#].f` whose indices are filled in anew at each use.

use std::collections::BTreeSet;

use super::feature::Feature;
use crate::random::Random;

/// The type of a variable or of a message field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// `bit`
    Bit,
    /// `bool`
    Bool,
    /// `byte`
    Byte,
    /// `pid`
    Pid,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned x : w`
    Unsigned(u8),
    /// A family of mtype names, by its number in [`World::mtypes`].
    Mtype(usize),
    /// A channel of a group, by its number in [`World::groups`].
    Chan(usize),
    /// A structure of scalars, by its number in [`World::structs`].
    Struct(usize),
}

/// Part of a path to a variable.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Text of the path.
    Text(String),
    /// An index below this bound.
    Index(usize),
}

/// A variable, array element or structure field.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The path to it.
    pub parts: Vec<Part>,
    /// Its type.
    pub ty: Type,
    /// Whether statements may assign to it.
    pub writable: bool,
}

impl Place {
    /// A simple variable.
    pub(super) fn variable(name: &str, ty: Type) -> Self {
        Self { parts: vec![Part::Text(name.to_string())], ty, writable: true }
    }

    /// An element of an array.
    pub(super) fn element(name: &str, bound: usize, ty: Type) -> Self {
        let parts = vec![Part::Text(format!("{name}[")), Part::Index(bound), Part::Text("]".to_string())];
        Self { parts, ty, writable: true }
    }
}

/// A family of mtype names.
pub(super) struct Mtypes {
    /// The subtype, for `mtype:name`.
    pub name: Option<String>,
    /// Its constants.
    pub constants: Vec<String>,
}

/// What channels that may stand for each other have in common.
pub(super) struct Group {
    /// Field types.
    pub fields: Vec<Type>,
    /// Whether the channels are rendezvous ports.
    pub rendezvous: bool,
}

/// A channel in scope.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    /// How it is named.
    pub place: Place,
    /// Its group.
    pub group: usize,
    /// Its capacity, or 0 when it is a channel variable whose capacity is not known, or a rendezvous port.
    pub capacity: usize,
    /// Whether this body may send to it.
    pub sends: bool,
    /// Whether this body may receive from it.
    pub receives: bool,
    /// Whether it is declared `xr` and `xs` somewhere, which restricts polls and probes.
    pub exclusive: bool,
    /// Whether it is global, and not an alias.
    pub global: bool,
}

/// An inline that can be called: `name(place, value)`.
pub(super) struct InlineSignature {
    /// Its name.
    pub name: String,
    /// Whether it can never block, so that it may be called in a `d_step`.
    pub plain: bool,
}

/// A structure type usable as a message.
pub(super) struct Structure {
    /// Its name.
    pub name: String,
    /// A global variable of that type.
    pub variable: String,
}

/// Everything known about the program so far.
pub(super) struct World {
    /// The source of all choices.
    pub random: Random,
    /// Features this program may use.
    pub features: BTreeSet<Feature>,
    /// Features it does use.
    pub used: BTreeSet<Feature>,
    /// Families of mtype names.
    pub mtypes: Vec<Mtypes>,
    /// Channel groups.
    pub groups: Vec<Group>,
    /// Structures usable as messages.
    pub structs: Vec<Structure>,
    /// The types of the fields `x` and `y` of the structure `Pair`, if it is declared.
    pub pair: Option<(Type, Type)>,
    /// Global variables.
    pub globals: Vec<Place>,
    /// Global arrays, for `for (i in a)`.
    pub arrays: Vec<String>,
    /// Global channels.
    pub channels: Vec<Channel>,
    /// Inlines.
    pub inlines: Vec<InlineSignature>,
    /// Macros that stand for a condition.
    pub conditions: Vec<String>,
    /// Macros that stand for a small constant.
    pub constants: Vec<String>,
    /// Macros with one parameter that stand for a number, and those that stand for a condition.
    pub functions: (Vec<String>, Vec<String>),
    /// Inlines with one parameter that return a number.
    pub returning: Vec<String>,
    /// Global variables declared `local` that no process has been given yet.
    pub tagged: Vec<Place>,
    /// A `hidden` variable, which may be written but never read.
    pub scratch: Option<Place>,
    /// Whether sends may put values other than 0 and 1 into bit and bool fields, which pan stores as bytes.
    pub wide_bits: bool,
    /// Whether SPIN's reduction takes for local what reads a shared variable.
    pub misjudged: bool,
    /// SPIN's verifier with partial-order reduction computes something else than the program says.
    pub miscompiled: bool,
    /// Remote references, usable as conditions by processes younger than their target.
    pub remotes: Vec<String>,
    next_name: usize,
}

impl World {
    /// An empty world.
    pub(super) fn new(mut random: Random, features: BTreeSet<Feature>) -> Self {
        Self {
            wide_bits: random.chance(30),
            random,
            features,
            used: BTreeSet::new(),
            mtypes: Vec::new(),
            groups: Vec::new(),
            structs: Vec::new(),
            pair: None,
            globals: Vec::new(),
            arrays: Vec::new(),
            channels: Vec::new(),
            inlines: Vec::new(),
            conditions: Vec::new(),
            constants: Vec::new(),
            functions: (Vec::new(), Vec::new()),
            returning: Vec::new(),
            tagged: Vec::new(),
            misjudged: false,
            miscompiled: false,
            scratch: None,
            remotes: Vec::new(),
            next_name: 0,
        }
    }

    /// Whether the program may use `feature`.
    pub(super) fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// Decides to use `feature`, if the program may, in `percent` of 100 cases.
    pub(super) fn roll(&mut self, feature: Feature, percent: usize) -> bool {
        let use_it = self.has(feature) && self.random.chance(percent);
        if use_it {
            self.used.insert(feature);
        }
        use_it
    }

    /// Records that the program uses `feature`.
    pub(super) fn note(&mut self, feature: Feature) {
        self.used.insert(feature);
    }

    /// Whether a variable is global, hence shared.
    pub(super) fn is_global(&self, place: &Place) -> bool {
        let same =
            |other: &Place| matches!((&other.parts[0], &place.parts[0]), (Part::Text(a), Part::Text(b)) if a == b);
        self.globals.iter().any(same) || matches!(place.ty, Type::Chan(_)) && place.parts.len() > 1
    }

    /// What `make` makes, without knowing the global variables if they are to be hidden from it.
    pub(super) fn hiding_globals<T>(&mut self, hide: bool, make: impl FnOnce(&mut Self) -> T) -> T {
        let globals = if hide { std::mem::take(&mut self.globals) } else { Vec::new() };
        let made = make(self);
        if hide {
            self.globals = globals;
        }
        made
    }

    /// Whether a text mentions anything shared: a global variable, a macro that may read one, a channel's length.
    pub(super) fn mentions_shared(&self, text: &str) -> bool {
        let globals = self.globals.iter().filter_map(|place| match &place.parts[0] {
            Part::Text(path) => path.split(['[', '.']).next(),
            Part::Index(_) => None,
        });
        let shared: Vec<&str> =
            globals.chain(self.conditions.iter().map(String::as_str)).chain(["len", "_nr_pr"]).collect();
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| shared.contains(&word))
    }

    /// A name not used before.
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    /// A declaration's type and name.
    pub(super) fn declarator(&self, ty: Type, name: &str) -> String {
        let plain = |keyword: &str| format!("{keyword} {name}");
        match ty {
            Type::Bit => plain("bit"),
            Type::Bool => plain("bool"),
            Type::Byte => plain("byte"),
            Type::Pid => plain("pid"),
            Type::Short => plain("short"),
            Type::Int => plain("int"),
            Type::Unsigned(width) => format!("unsigned {name} : {width}"),
            Type::Mtype(family) => plain(&self.field_type(Type::Mtype(family))),
            Type::Chan(_) => plain("chan"),
            Type::Struct(number) => plain(&self.structs[number].name),
        }
    }

    /// A type as the field of a message.
    pub(super) fn field_type(&self, ty: Type) -> String {
        match ty {
            Type::Mtype(family) => match &self.mtypes[family].name {
                Some(name) => format!("mtype:{name}"),
                None => "mtype".to_string(),
            },
            _ => self.declarator(ty, "").split_whitespace().next().unwrap_or_default().to_string(),
        }
    }
}

/// Where in a body we are, and what is visible there.
#[derive(Clone)]
pub(super) struct Body {
    /// Local variables, parameters included.
    pub locals: Vec<Place>,
    /// Channels.
    pub channels: Vec<Channel>,
    /// Loop counters not in use by an enclosing loop.
    pub counters: Vec<String>,
    /// Statements still to be spent.
    pub budget: usize,
    /// Nesting depth.
    pub depth: usize,
    /// Whether the statement may be executed more than once, so that variables must be kept small.
    pub looping: bool,
    /// Whether we are inside an atomic sequence, where endless loops are never stored.
    pub atomic: bool,
    /// Whether we are inside a `d_step`, after its first statement, where nothing may block.
    pub deterministic: bool,
    /// Whether the next statement stands next to an `else`, so that it must not touch channels.
    pub beside_else: bool,
    /// Label that jumps may go forward to.
    pub forward: Option<String>,
    /// Whether a jump to [`Body::forward`] was made.
    pub jumped: bool,
    /// Percentage of channel operations that are sends.
    pub send_percent: usize,
    /// Whether remote references may be made.
    pub remote: bool,
    /// Whether declarations may be made here (not in inlines).
    pub declares: bool,
    /// Whether this is the body of an inline.
    pub inline: bool,
    /// Whether this is the body of a `D_proctype`.
    ///
    /// When pan looks for non-determinism it does not count `skip`, jumps, breaks and `d_step`s, so none of them heads
    /// an option.
    pub single: bool,
}

impl Body {
    /// The start of a body with these channels and statements to spend.
    pub(super) fn new(channels: Vec<Channel>, budget: usize) -> Self {
        Self {
            locals: Vec::new(),
            channels,
            counters: Vec::new(),
            budget,
            depth: 0,
            looping: false,
            atomic: false,
            deterministic: false,
            beside_else: false,
            forward: None,
            jumped: false,
            send_percent: 50,
            remote: false,
            declares: true,
            inline: false,
            single: false,
        }
    }
}
