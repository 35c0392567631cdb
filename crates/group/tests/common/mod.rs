//! States to be renamed: an independent description, which knows how to rename itself and how to become a structure.

#![allow(dead_code, reason = "each test uses a part")]

pub(super) mod graphs;

pub(super) use quotient_generate::random::Random;
use quotient_group::{Canonizer, Group, Permutation, RelationId, Sort, Structure, group};

/// A member: its sort and its number.
pub(super) type Member = (usize, usize);

/// What a caller would know of its state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct State {
    pub colours: Vec<Vec<u64>>,
    pub edges: Vec<(u32, Member, Member)>,
    pub facts: Vec<(u64, Vec<Member>)>,
    /// Sort of the rows, sort of the columns, and the values row by row.
    pub relations: Vec<(usize, usize, Vec<u32>)>,
}

impl State {
    /// A state in which all members are alike.
    pub(super) fn new(sorts: &[Sort]) -> Self {
        let colours = sorts.iter().map(|sort| vec![0; sort.size]).collect();
        Self { colours, edges: Vec::new(), facts: Vec::new(), relations: Vec::new() }
    }

    /// The state with every member renamed. Edges and facts are sets, so they are sorted.
    pub(super) fn rename(&self, element: &[Permutation]) -> Self {
        let image = |(sort, member): Member| (sort, element[sort].image(member));
        let mut renamed = self.clone();
        for (sort, colours) in self.colours.iter().enumerate() {
            for (member, &colour) in colours.iter().enumerate() {
                renamed.colours[sort][element[sort].image(member)] = colour;
            }
        }
        renamed.edges = self.edges.iter().map(|&(label, from, to)| (label, image(from), image(to))).collect();
        renamed.edges.sort_unstable();
        renamed.facts = (self.facts.iter())
            .map(|(colour, members)| (*colour, members.iter().map(|&member| image(member)).collect()))
            .collect();
        renamed.facts.sort_unstable();
        for ((rows, columns, values), (_, _, old)) in renamed.relations.iter_mut().zip(&self.relations) {
            let (rows, columns) = (&element[*rows], &element[*columns]);
            for row in 0..rows.len() {
                for column in 0..columns.len() {
                    values[rows.image(row) * columns.len() + columns.image(column)] = old[row * columns.len() + column];
                }
            }
        }
        renamed
    }

    /// The structure of the state.
    pub(super) fn structure(&self, sorts: &[Sort]) -> Structure {
        let mut structure = Structure::new(sorts);
        let relations = self.relations.iter().map(|&(rows, columns, _)| structure.add_relation(rows, columns));
        let relations = relations.collect::<Vec<_>>();
        self.fill(&mut structure, &relations);
        structure
    }

    fn fill(&self, structure: &mut Structure, relations: &[RelationId]) {
        structure.clear();
        for (sort, colours) in self.colours.iter().enumerate() {
            structure.colours_mut(sort).copy_from_slice(colours);
        }
        for &(label, from, to) in &self.edges {
            structure.edge(label, structure.point(from.0, from.1), structure.point(to.0, to.1));
        }
        for (colour, members) in &self.facts {
            let members = members.iter().map(|&(sort, member)| structure.point(sort, member)).collect::<Vec<_>>();
            structure.fact(*colour, &members);
        }
        for (&relation, (_, _, values)) in relations.iter().zip(&self.relations) {
            structure.relation_mut(relation).copy_from_slice(values);
        }
    }
}

/// Canonizes states over some sorts, all with the same relations.
pub(super) struct Namer {
    pub sorts: Vec<Sort>,
    canonizer: Canonizer,
    structure: Structure,
    relations: Vec<RelationId>,
}

impl Namer {
    pub(super) fn new(sorts: &[Sort], canonizer: Canonizer) -> Self {
        Self { sorts: sorts.to_vec(), canonizer, structure: Structure::new(sorts), relations: Vec::new() }
    }

    /// The labelling of a state, and whether it is canonical.
    pub(super) fn labelling(&mut self, state: &State) -> (Vec<Permutation>, bool) {
        for (rows, columns, _) in &state.relations[self.relations.len()..] {
            self.relations.push(self.structure.add_relation(*rows, *columns));
        }
        state.fill(&mut self.structure, &self.relations);
        let labelling = self.canonizer.canonize(&self.structure);
        let element = (0..self.sorts.len()).map(|sort| labelling.permutation(sort)).collect::<Vec<_>>();
        for (sort, factor) in self.sorts.iter().zip(&element) {
            assert_eq!(Permutation::from_images(factor.images()).as_ref(), Some(factor), "not a permutation");
            assert!(sort.contains(factor), "{factor:?} is not in the group of {sort:?}");
        }
        (element, labelling.is_canonical())
    }

    /// The representative of a state's orbit.
    pub(super) fn name(&mut self, state: &State) -> State {
        let (element, canonical) = self.labelling(state);
        assert!(canonical, "the budget was used up on {state:?}");
        state.rename(&element)
    }
}

/// The least state of an orbit, by trying every element of the group.
pub(super) fn least(sorts: &[Sort], state: &State) -> State {
    let mut element = group::identity(sorts);
    let mut least = state.rename(&element);
    while group::advance(sorts, &mut element) {
        least = least.min(state.rename(&element));
    }
    least
}

/// A random element of the groups.
pub(super) fn element(random: &mut Random, sorts: &[Sort]) -> Vec<Permutation> {
    sorts.iter().map(|sort| sort.random(&mut || random.bits())).collect()
}

pub(super) fn symmetric(size: usize) -> Sort {
    Sort { size, group: Group::Symmetric }
}

pub(super) fn cyclic(size: usize) -> Sort {
    Sort { size, group: Group::Cyclic }
}

pub(super) fn dihedral(size: usize) -> Sort {
    Sort { size, group: Group::Dihedral }
}

/// How a random state is made, in parts of a hundred where nothing else is said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    pub name: &'static str,
    /// How many colours there are.
    pub colours: usize,
    /// How many pid variables a member has, and how many of them are defined.
    pub variables: usize,
    pub defined: usize,
    /// How many elements of a matrix are not zero.
    pub matrix: usize,
    /// How many elements of a matrix of pids are defined.
    pub facts: usize,
}

/// The families of states that were measured when the algorithm was chosen, and one with a matrix of pids.
pub(super) const FAMILIES: [Family; 9] = {
    const BARE: Family = Family { name: "all identical", colours: 1, variables: 0, defined: 0, matrix: 0, facts: 0 };
    [
        Family { name: "pc only", colours: 5, ..BARE },
        Family { name: "pc + 1 pid variable", colours: 5, variables: 1, defined: 60, ..BARE },
        Family { name: "pc + 2 pid variables", colours: 5, variables: 2, defined: 60, ..BARE },
        Family { name: "all idle, sparse pid variable", variables: 1, defined: 25, ..BARE },
        Family { name: "all idle, total pid function", variables: 1, defined: 100, ..BARE },
        Family { name: "pc + message matrix", colours: 5, matrix: 15, ..BARE },
        Family { name: "all idle + message matrix", matrix: 15, ..BARE },
        Family { name: "pc + matrix of pids", colours: 3, facts: 15, ..BARE },
        BARE,
    ]
};

impl Family {
    /// A random state. Members of every sort refer to members of every sort.
    pub(super) fn state(&self, sorts: &[Sort], random: &mut Random) -> State {
        let mut state = State::new(sorts);
        state.colours.iter_mut().flatten().for_each(|colour| *colour = random.below(self.colours) as u64);
        for (sort, from) in sorts.iter().enumerate() {
            for (other, to) in sorts.iter().enumerate().filter(|(_, to)| to.size > 0) {
                for member in 0..from.size {
                    for variable in 0..self.variables {
                        if random.below(100) < self.defined {
                            state.edges.push((variable as u32, (sort, member), (other, random.below(to.size))));
                        }
                    }
                    for column in 0..to.size {
                        if random.below(100) < self.facts {
                            let element = (sort, random.below(from.size));
                            state.facts.push((1, vec![(sort, member), (other, column), element]));
                        }
                    }
                }
                if self.matrix > 0 {
                    let value = |_| if random.below(100) < self.matrix { 1 + random.below(2) as u32 } else { 0 };
                    state.relations.push((sort, other, (0..from.size * to.size).map(value).collect()));
                }
            }
        }
        state
    }
}
