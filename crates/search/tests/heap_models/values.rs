//! Values of extensions in random models.

use quotient_extension::{Alternative, Bag, Extension, Map, Queue, Set, Stack, Term};
use quotient_generate::random::Random;
use quotient_ir::{
    Access, Action, Builder, Expr, Extend, Gives, HeapAction, HeapExpr, ProcessBuilder, RecordId, Scalar, Variable,
};

use super::BYTE;
use super::random::{World, base_expr, reference_expr};

/// What the values of a model are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Set,
    Numbers,
    Bag,
    Map,
    Counts,
    Queue,
    Stack,
}

impl Kind {
    pub(crate) const ALL: [Kind; 7] =
        [Kind::Set, Kind::Map, Kind::Bag, Kind::Counts, Kind::Queue, Kind::Numbers, Kind::Stack];

    fn extension(self) -> Box<dyn Extension> {
        match self {
            Kind::Set | Kind::Numbers => Box::new(Set),
            Kind::Bag => Box::new(Bag),
            Kind::Map | Kind::Counts => Box::new(Map),
            Kind::Queue => Box::new(Queue),
            Kind::Stack => Box::new(Stack),
        }
    }
}

/// The values of a model: a type, and a global variable that has one at first.
#[derive(Clone, Copy)]
pub(crate) struct Values {
    kind: Kind,
    record: RecordId,
    global: Variable,
    /// Whether keys and values are references.
    references: [bool; 2],
}

impl Values {
    pub(super) fn new(builder: &mut Builder, kind: Kind, random: &mut Random, reference: Scalar) -> Self {
        builder.heap().most_records = builder.heap().most_records.max(random.between(3, 5));
        let references = match kind {
            Kind::Numbers => [false, false],
            Kind::Counts => [true, false],
            _ => [true, true],
        };
        let cells = references.map(|is_reference| if is_reference { reference } else { BYTE });
        let width = if matches!(kind, Kind::Map | Kind::Counts) { 2 } else { 1 };
        let unordered = !matches!(kind, Kind::Queue | Kind::Stack);
        let record = builder.value("Values", &[], &cells[..width], unordered);
        match kind {
            Kind::Set | Kind::Numbers => builder.extension(Set),
            Kind::Bag => builder.extension(Bag),
            Kind::Map | Kind::Counts => builder.extension(Map),
            Kind::Queue => builder.extension(Queue),
            Kind::Stack => builder.extension(Stack),
        };
        let global = builder.global("s", reference);
        let values = Values { kind, record, global, references };
        builder.initially(global, values.call("create", Vec::new(), Alternative::Only));
        values
    }

    /// A call of an operation.
    fn call(self, name: &str, args: Vec<Expr>, alternative: Alternative) -> Expr {
        let extension = self.kind.extension();
        let operations = extension.operations();
        let number =
            operations.iter().position(|operation| operation.name == name).expect("there is such an operation");
        let operation = operations[number];
        let access = (0..args.len()).map(|arg| match operation.parameter(arg).expect("it takes so many") {
            parameter if parameter.term != Term::Own(0) => Access::Plain,
            parameter if parameter.writes => Access::Writes(self.record),
            _ => Access::Reads(self.record),
        });
        let gives = match operation.result {
            Some(Term::Own(_)) => Gives::New(self.record),
            Some(Term::Variable(variable)) if self.references[variable] => Gives::Reference,
            _ => Gives::Number,
        };
        let access = access.collect();
        let span = Default::default();
        HeapExpr::Extend(Extend { extension: 0, operation: number, args, access, gives, alternative, span }).into()
    }

    fn value(self, random: &mut Random, world: World) -> Expr {
        if random.chance(75) { self.global.read() } else { base_expr(random, world) }
    }

    fn element(self, random: &mut Random, world: World, which: usize) -> Expr {
        match self.references[which] {
            true if random.chance(25) => HeapExpr::make(world.node),
            true => reference_expr(random, world),
            false => Expr::Const(random.below(2) as i32),
        }
    }

    /// An element that is not made.
    fn known(self, random: &mut Random, world: World, which: usize) -> Expr {
        match self.references[which] {
            true => reference_expr(random, world),
            false => Expr::Const(random.below(2) as i32),
        }
    }

    /// Something that is asked of a value.
    pub(super) fn question(self, random: &mut Random, world: World) -> Expr {
        let value = self.value(random, world);
        match (self.kind, random.chance(50)) {
            (_, true) => self.call("isEmpty", vec![value], Alternative::Only),
            (Kind::Map | Kind::Counts, false) => {
                let key = self.known(random, world, 0);
                self.call("containsKey", vec![value, key], Alternative::Only)
            }
            _ => {
                let element = self.known(random, world, 0);
                self.call("contains", vec![value, element], Alternative::Only)
            }
        }
    }

    /// Something that is done with a value.
    pub(super) fn step(
        self,
        body: &mut ProcessBuilder<'_>,
        random: &mut Random,
        world: World,
        (from, to): (usize, usize),
        (q, number): (Variable, Variable),
    ) {
        let only = Alternative::Only;
        let value = self.value(random, world);
        let is_map = matches!(self.kind, Kind::Map | Kind::Counts);
        let (put, take, look) = match self.kind {
            Kind::Queue => ("enqueue", Some("dequeue"), Some("front")),
            Kind::Stack => ("push", Some("pop"), Some("top")),
            Kind::Map | Kind::Counts => ("put", None, None),
            Kind::Set | Kind::Numbers | Kind::Bag => ("add", None, None),
        };
        let result = |is_reference: bool, value: Expr| if is_reference { q.set(value) } else { number.set(value) };
        let evaluate = |value: Expr| Action::from(HeapAction::Evaluate(value));
        let first = self.references[0];
        match random.below(8) {
            0 => {
                let made = self.call("create", Vec::new(), only);
                let action = if random.chance(60) { q.set(made) } else { self.global.set(made) };
                body.step(from, "create", action, to);
            }
            1..=3 => {
                let mut args = vec![value, self.element(random, world, 0)];
                if is_map {
                    args.push(self.element(random, world, 1));
                }
                body.step(from, put, evaluate(self.call(put, args, only)), to);
            }
            4 => {
                let size = self.call("size", vec![value], only);
                body.step(from, "size", number.set(size), to);
            }
            _ => match (take, look) {
                (Some(take), Some(look)) => {
                    let name = if random.chance(70) { take } else { look };
                    body.step(from, name, result(first, self.call(name, vec![value], only)), to);
                }
                _ if is_map && random.chance(40) => {
                    let key = self.known(random, world, 0);
                    let got = result(self.references[1], self.call("get", vec![value, key], only));
                    body.step(from, "get", got, to);
                }
                _ if random.chance(30) => {
                    let element = self.known(random, world, 0);
                    body.step(from, "remove", evaluate(self.call("remove", vec![value, element], only)), to);
                }
                _ => {
                    let name = match random.below(2) {
                        _ if is_map => "chooseKey",
                        0 => "choose",
                        _ => "take",
                    };
                    let most = random.between(1, 3) as u32;
                    let numbered = (0..most).map(|chosen| Alternative::Number { chosen, most });
                    for alternative in numbered.chain([Alternative::Beyond(most)]) {
                        let chosen = self.call(name, vec![value.clone()], alternative);
                        body.step(from, name, result(first, chosen), to);
                    }
                }
            },
        }
    }
}
