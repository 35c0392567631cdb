//! Random calls.

use quotient_ir::extension::{Contents, Extension, Operation, Term};

use super::{Case, Renaming};

/// A source of random calls.
pub(crate) struct Sample(u64);

/// Numbers and names are below this, so that many are the same.
const FEW: u64 = 6;

impl Sample {
    pub(crate) fn new(seed: u64) -> Self {
        Sample(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: u64) -> u64 {
        // A xorshift generator (Marsaglia, "Xorshift RNGs").
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % limit
    }

    fn cell(&mut self, term: Term) -> i32 {
        self.below(if term == Term::Boolean { 2 } else { FEW }) as i32
    }

    /// A value of a type, as its own operations make it: they are carried out one after another.
    fn value(&mut self, extension: &dyn Extension, ty: usize) -> Contents {
        let declared = &extension.types()[ty];
        let mut value = Contents::new(declared.head.len(), declared.entry.len());
        let makers: Vec<usize> = makers(extension, ty);
        for _ in 0..self.below(8) {
            let Some(&maker) = makers.get(self.below(makers.len().max(1) as u64) as usize) else { break };
            let operation = &extension.operations()[maker];
            let arguments = self.arguments(operation);
            let args: Vec<i32> = (0..arguments).map(|number| self.cell(term(operation, number))).collect();
            let mut values: Vec<Option<Contents>> = (0..arguments)
                .map(|number| matches!(term(operation, number), Term::Own(_)).then(|| value.clone()))
                .collect();
            let makes = matches!(operation.result, Some(Term::Own(_)));
            let mut made = Contents::new(declared.head.len(), declared.entry.len());
            let call = &mut super::Call::new(&args, &mut values, makes.then_some(&mut made), Default::default());
            if extension.apply(maker, call).is_ok() {
                let written = values.into_iter().flatten().next();
                value = if makes { made } else { written.unwrap_or(value) };
            }
        }
        value
    }

    fn arguments(&mut self, operation: &Operation) -> usize {
        let (least, most) = operation.arguments();
        most.unwrap_or_else(|| least + self.below(5) as usize)
    }

    /// A call of an operation.
    pub(crate) fn case(&mut self, extension: &dyn Extension, operation: &Operation) -> Case {
        let arguments = self.arguments(operation);
        let variables = extension.types().iter().map(|ty| ty.variables).max().unwrap_or(0).max(8);
        let references = (0..variables).map(|_| self.below(3) > 0).collect();
        let mut case = Case { args: Vec::new(), values: Vec::new(), types: Vec::new(), references };
        for number in 0..arguments {
            let term = term(operation, number);
            case.args.push(self.cell(term));
            case.types.push(if let Term::Own(ty) = term { Some(ty) } else { None });
            case.values.push(if let Term::Own(ty) = term { Some(self.value(extension, ty)) } else { None });
        }
        case
    }

    /// A renaming of references; null stays what it is.
    pub(crate) fn renaming(&mut self) -> Renaming {
        let (shift, least) = (self.below(FEW - 1) as i32, self.below(2) as i32 * 50);
        Box::new(move |name| match name {
            0 => 0,
            name => (name - 1 + shift) % (FEW as i32 - 1) + 1 + least,
        })
    }

    /// The same call with the entries of unordered values in another order.
    pub(crate) fn shuffled(&mut self, extension: &dyn Extension, case: &Case) -> Case {
        let mut shuffled = case.clone();
        for (ty, value) in case.types.iter().zip(&mut shuffled.values) {
            let (Some(ty), Some(value)) = (ty, value) else { continue };
            if !extension.types()[*ty].unordered {
                continue;
            }
            let mut entries: Vec<Vec<i32>> = value.entries().map(<[i32]>::to_vec).collect();
            for end in (1..entries.len()).rev() {
                entries.swap(end, self.below(end as u64 + 1) as usize);
            }
            value.clear();
            entries.iter().for_each(|entry| value.push(entry));
        }
        shuffled
    }
}

fn term(operation: &Operation, argument: usize) -> Term {
    operation.parameter(argument).map_or(Term::Int, |parameter| parameter.term)
}

/// The operations that change or make a value of a type, and take no other values.
fn makers(extension: &dyn Extension, ty: usize) -> Vec<usize> {
    let operations = extension.operations().iter().enumerate();
    let fits = |operation: &Operation| {
        let own = |term: Term| matches!(term, Term::Own(_));
        let others = operation.parameters.iter().skip(1).any(|parameter| own(parameter.term));
        let changes = operation.parameters.first().is_some_and(|first| first.writes && first.term == Term::Own(ty));
        let makes = operation.result == Some(Term::Own(ty)) && !operation.parameters.iter().any(|p| own(p.term));
        !operation.chooses && !others && (changes || makes)
    };
    operations.filter(|(_, operation)| fits(operation)).map(|(number, _)| number).collect()
}
