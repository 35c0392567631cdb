//! Canonical labelling: refine, split into components, individualise.
//!
//! The search follows McKay & Piperno, *Practical graph isomorphism, II* (2014). It deviates in that every node is
//! solved on its own: a node's labelling is the least of those of its children, by what refinement did and then by the
//! relabelled structure, so that there are no paths to compare. This lets a node fall apart into components, which are
//! solved one by one and put in the order of their relabelled structures.
//!
//! Nothing depends on hashes being different: they only order what they tell apart, and do so in the same way in every
//! structure of an orbit. What they do not tell apart is compared exactly.

use std::cmp::Ordering;
use std::ops::Range;

use crate::arcs::Arcs;
use crate::classes::Classes;
use crate::components::Components;
use crate::group::Group;
use crate::partition::{Partition, Saved};
use crate::permutation::Permutation;
use crate::refine::Refiner;
use crate::ring::Ring;
use crate::structure::{Point, Structure};

/// Finds canonical labellings. It is a workspace, to be used again and again: after the first structures it allocates
/// nothing.
#[derive(Clone, Debug, Default)]
pub struct Canonizer {
    budget: Option<usize>,
    images: Vec<u8>,
    ring: Ring,
    ranked: Vec<(u64, u16)>,
    next: Vec<u8>,
    arcs: Arcs,
    partition: Partition,
    refiner: Refiner,
    components: Components,
    /// Points outside the region at work whose place is decided.
    settled: Vec<u16>,
    /// For each node that is being searched, the orbits that are known of the automorphisms that leave its path alone.
    orbits: Vec<Classes>,
    /// How many of them are in use.
    open: usize,
    /// How many nodes there may be yet.
    nodes: usize,
    canonical: bool,
    /// Whether any leaf will do, and whether that made a difference.
    probing: bool,
    probed: bool,
    /// Workspaces that are not in use.
    nodes_free: Vec<Node>,
    splits_free: Vec<Split>,
}

/// A renaming of a structure's points: one permutation for each sort, an element of its group.
#[derive(Clone, Copy, Debug)]
pub struct Labelling<'a> {
    structure: &'a Structure,
    images: &'a [u8],
    partition: &'a Partition,
    canonical: bool,
}

impl Canonizer {
    /// A workspace with the default budget: for n points, 8n + 64 nodes of the search tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// A workspace that visits about so many nodes of the search tree for a structure, and then takes what it has.
    pub fn with_budget(nodes: usize) -> Self {
        Self { budget: Some(nodes), ..Self::default() }
    }

    /// A workspace for which all hashes are the same, so that everything is left to exact comparison.
    #[cfg(test)]
    pub(crate) fn blind() -> Self {
        let mut canonizer = Self::with_budget(usize::MAX);
        canonizer.refiner.blind = true;
        canonizer
    }

    /// The canonical labelling of a structure whose colours are exact. Structures of one orbit become equal when renamed
    /// by their labellings, unless the budget was used up.
    pub fn canonize<'a>(&'a mut self, structure: &'a Structure) -> Labelling<'a> {
        self.canonize_by(structure, |_, _| Ordering::Equal)
    }

    /// The same for colours that are hashes: `compare` orders points of one sort (or auxiliary points) that have equal
    /// colours by the data that the colours stand for. It must not depend on how members are numbered.
    pub fn canonize_by<'a>(
        &'a mut self,
        structure: &'a Structure,
        mut compare: impl FnMut(Point, Point) -> Ordering,
    ) -> Labelling<'a> {
        let n = structure.colours().len();
        self.canonical = true;
        self.images.clear();
        if structure.is_lone_ring() {
            self.ring.canonize(structure, &mut compare, &mut self.images);
        } else {
            let discrete = self.rank(structure, compare);
            let bare = structure.edges().is_empty() && structure.relations().is_empty();
            if !discrete && !bare {
                self.nodes = self.budget.unwrap_or(8 * n + 64);
                self.search(structure);
            }
            self.number(structure);
        }
        Labelling { structure, images: &self.images, partition: &self.partition, canonical: self.canonical }
    }

    /// Orders the points by sort and colour. Whether no two have the same is the answer.
    fn rank(&mut self, structure: &Structure, mut compare: impl FnMut(Point, Point) -> Ordering) -> bool {
        let colours = structure.colours();
        let mut discrete = true;
        self.partition.clear(colours.len());
        for sort in 0..=structure.sorts().len() {
            let points = if sort < structure.sorts().len() { structure.members(sort) } else { structure.auxiliary() };
            self.ranked.clear();
            self.ranked.extend(points.map(|point| (colours[point], point as u16)));
            let mut order = |left: &(u64, u16), right: &(u64, u16)| {
                left.0.cmp(&right.0).then_with(|| compare(Point(left.1), Point(right.1)))
            };
            self.ranked.sort_unstable_by(&mut order);
            for cell in self.ranked.chunk_by(|left, right| order(left, right).is_eq()) {
                self.partition.push_cell(cell.iter().map(|&(_, point)| point));
                discrete &= cell.len() == 1;
            }
        }
        discrete
    }

    /// Makes the partition discrete.
    fn search(&mut self, structure: &Structure) {
        let n = structure.colours().len();
        self.arcs.collect(structure);
        self.refiner.clear(n);
        self.refiner.refine_all(structure, &self.arcs, &mut self.partition);
        self.solve(structure, 0..n);
    }

    /// Makes a region discrete in which refinement is done.
    fn solve(&mut self, structure: &Structure, region: Range<usize>) {
        let mut split = self.splits_free.pop().unwrap_or_default();
        split.colours.clear();
        split.colours.extend((0..structure.colours().len()).map(|point| self.partition.cell_of(point as u16) as u16));
        let orbits = &mut self.orbits[..self.open];
        let segments = &mut split.segments;
        self.components.find(structure, &self.arcs, &mut self.partition, region.clone(), segments, |points| {
            for orbits in &mut *orbits {
                points.iter().for_each(|&point| _ = orbits.join(points[0], point));
            }
        });
        if let Some(first) = segments.first() {
            let settled = self.settled.len();
            self.settled.extend_from_slice(self.partition.points(region.start..first.start));
            if segments.len() == 1 {
                self.branch(structure, first.clone());
            } else {
                for segment in &split.segments {
                    self.solve(structure, segment.clone());
                }
                self.sort(structure, &mut split);
            }
            self.settled.truncate(settled);
        }
        self.splits_free.push(split);
    }

    /// Puts components that are solved in the order of their certificates.
    fn sort(&mut self, structure: &Structure, split: &mut Split) {
        split.certificates.clear();
        split.sorted.clear();
        for segment in &split.segments {
            let start = split.certificates.len();
            self.certify(structure, segment.clone(), &split.colours, &mut split.certificates);
            split.sorted.push((segment.clone(), start..split.certificates.len()));
        }
        let Split { certificates, sorted, .. } = split;
        sorted.sort_unstable_by(|left, right| certificates[left.1.clone()].cmp(&certificates[right.1.clone()]));
        for pair in sorted.windows(2) {
            // Equal components can be exchanged.
            if certificates[pair[0].1.clone()] == certificates[pair[1].1.clone()] {
                let (left, right) =
                    (self.partition.points(pair[0].0.clone()), self.partition.points(pair[1].0.clone()));
                join(&mut self.orbits[..self.open], left, right);
            }
        }
        split.order.clear();
        for (segment, _) in sorted {
            split.order.extend_from_slice(self.partition.points(segment.clone()));
        }
        let end = split.segments.last().expect("there are components").end;
        let region = end - split.order.len()..end;
        self.partition.points_mut(region.clone()).copy_from_slice(&split.order);
        self.partition.separate(region);
    }

    /// Makes a component discrete: tries the members of one cell as its first, and takes the best.
    fn branch(&mut self, structure: &Structure, region: Range<usize>) {
        let n = structure.colours().len();
        let mut node = self.nodes_free.pop().unwrap_or_default();
        self.partition.save(region.clone(), &mut node.saved);
        node.colours.clear();
        node.colours.extend((0..n).map(|point| self.partition.cell_of(point as u16) as u16));
        node.tried.clear();
        if self.open == self.orbits.len() {
            self.orbits.push(Classes::default());
        }
        self.orbits[self.open].clear(n);
        self.open += 1;
        let target = self.partition.cells(region.clone()).min_by_key(|cell| cell.len()).expect("a component has cells");
        for place in target {
            let point = node.saved.order[place - region.start];
            let first = node.tried.is_empty();
            if !first {
                let orbits = &mut self.orbits[self.open - 1];
                let orbit = orbits.find(point);
                if node.tried.iter().any(|&tried| orbits.find(tried) == orbit) {
                    continue;
                }
                if self.nodes == 0 {
                    self.canonical = false;
                    break;
                }
                self.partition.restore(region.clone(), &node.saved);
            }
            self.nodes = self.nodes.saturating_sub(1);
            node.tried.push(point);
            let cell = self.partition.individualise(point);
            self.refiner.push(cell);
            let trace = self.refiner.refine(structure, &self.arcs, &mut self.partition, region.clone());
            if first || trace < node.trace {
                self.solve(structure, region.clone());
                node.trace = trace;
                node.certificate.clear();
                node.best.clear();
                node.best.extend_from_slice(self.partition.points(region.clone()));
            } else if trace == node.trace {
                self.compete(structure, region.clone(), point, &mut node);
            }
            if self.probing {
                self.probed = true;
                break;
            }
        }
        self.open -= 1;
        self.partition.points_mut(region.clone()).copy_from_slice(&node.best);
        self.partition.separate(region);
        self.nodes_free.push(node);
    }

    /// Solves a child of a node that refinement did not tell from the best, and keeps its labelling if it is better.
    fn compete(&mut self, structure: &Structure, region: Range<usize>, point: u16, node: &mut Node) {
        // If the two are equivalent, then most often any leaf shows it.
        (self.probing, self.probed) = (true, false);
        self.solve(structure, region.clone());
        self.probing = false;
        let mut order = self.compare(structure, region.clone(), node);
        if order.is_ne() && self.probed {
            self.partition.restore(region.clone(), &node.saved);
            let cell = self.partition.individualise(point);
            self.refiner.push(cell);
            self.refiner.refine(structure, &self.arcs, &mut self.partition, region.clone());
            self.solve(structure, region.clone());
            order = self.compare(structure, region, node);
        }
        match order {
            Ordering::Less => {
                std::mem::swap(&mut node.best, &mut node.other);
                std::mem::swap(&mut node.certificate, &mut node.other_certificate);
            }
            // There is an automorphism that takes one to the other.
            Ordering::Equal => join(&mut self.orbits[..self.open], &node.best, &node.other),
            Ordering::Greater => {}
        }
    }

    /// Compares the labelling that was just found with a node's best so far.
    fn compare(&mut self, structure: &Structure, region: Range<usize>, node: &mut Node) -> Ordering {
        node.other.clear();
        node.other.extend_from_slice(self.partition.points(region.clone()));
        node.other_certificate.clear();
        self.certify(structure, region.clone(), &node.colours, &mut node.other_certificate);
        if node.certificate.is_empty() {
            self.partition.points_mut(region.clone()).copy_from_slice(&node.best);
            self.partition.separate(region.clone());
            self.certify(structure, region, &node.colours, &mut node.certificate);
        }
        node.other_certificate.cmp(&node.certificate)
    }

    /// Appends what a discrete region looks like from inside: for each place the colour that the point there had, its
    /// edges, and its values with the points of the region and those that are settled outside. Everything else is the
    /// same for all points of a colour.
    fn certify(&self, structure: &Structure, region: Range<usize>, colours: &[u16], words: &mut Vec<u64>) {
        let points = self.partition.points(region.clone());
        let name = |point: u16| {
            let place = self.partition.place_of(point);
            if region.contains(&place) { place - region.start } else { 1 << 16 | place }
        };
        for &point in points {
            let arcs = self.arcs.of(point);
            words.extend([u64::from(colours[usize::from(point)]), arcs.len() as u64]);
            let start = words.len();
            words.extend(arcs.iter().map(|arc| arc.kind() << 17 | name(arc.other()) as u64));
            words[start..].sort_unstable();
            let point = usize::from(point);
            for relation in structure.relations() {
                if relation.rows.contains(&point) {
                    let columns = points.iter().chain(&self.settled).map(|&column| usize::from(column));
                    let columns = columns.filter(|column| relation.columns.contains(column));
                    words.extend(columns.map(|column| u64::from(relation.value(point, column))));
                }
                if relation.columns.contains(&point) {
                    let rows = self.settled.iter().map(|&row| usize::from(row));
                    let rows = rows.filter(|row| relation.rows.contains(row));
                    words.extend(rows.map(|row| u64::from(relation.value(row, point))));
                }
            }
        }
    }

    /// Numbers the members of every sort in the order of the partition. A ring is then turned so that the member that
    /// came first stays first, and, if it may be reflected, so that the earlier one of its neighbours is next.
    fn number(&mut self, structure: &Structure) {
        let sorts = structure.sorts();
        let members = structure.auxiliary().start;
        self.images.resize(members, 0);
        self.next.clear();
        self.next.resize(sorts.len() + 1, 0);
        for &point in self.partition.points(0..structure.colours().len()) {
            let point = usize::from(point);
            if point < members {
                let next = &mut self.next[structure.sort_of(point)];
                self.images[point] = *next;
                *next = next.wrapping_add(1);
            }
        }
        for (index, sort) in
            sorts.iter().enumerate().filter(|(_, sort)| sort.group != Group::Symmetric && sort.size > 0)
        {
            let images = &mut self.images[structure.members(index)];
            let n = sort.size;
            let first = images.iter().position(|&image| image == 0).expect("some member came first");
            let forwards = sort.group == Group::Cyclic || images[(first + 1) % n] <= images[(first + n - 1) % n];
            for (member, image) in images.iter_mut().enumerate() {
                let steps = if forwards { n + member - first } else { n + first - member };
                *image = (steps % n) as u8;
            }
        }
    }
}

/// Joins the orbits of points that an automorphism takes to each other.
fn join(orbits: &mut [Classes], from: &[u16], to: &[u16]) {
    for orbits in orbits {
        for (&from, &to) in from.iter().zip(to) {
            orbits.join(from, to);
        }
    }
}

/// A node of the search tree.
#[derive(Clone, Debug, Default)]
struct Node {
    saved: Saved,
    /// The cell of each point.
    colours: Vec<u16>,
    tried: Vec<u16>,
    /// What refinement said of the best child, its labelling, and its certificate if it was needed.
    trace: u64,
    best: Vec<u16>,
    certificate: Vec<u64>,
    other: Vec<u16>,
    other_certificate: Vec<u64>,
}

/// A region that falls apart.
#[derive(Clone, Debug, Default)]
struct Split {
    /// The cell of each point before.
    colours: Vec<u16>,
    segments: Vec<Range<usize>>,
    /// Certificates of the components, one after the other.
    certificates: Vec<u64>,
    /// Where each component and its certificate are.
    sorted: Vec<(Range<usize>, Range<usize>)>,
    order: Vec<u16>,
}

impl Labelling<'_> {
    /// New numbers of a sort's members, by their old numbers.
    pub fn images(&self, sort: usize) -> &[u8] {
        &self.images[self.structure.members(sort)]
    }

    /// The rank of a point among all: no two have the same. If the labelling is canonical, the points of all structures of an
    /// orbit that have a rank look the same. It is for members of sorts whose group is symmetric, and for auxiliary points.
    pub fn rank(&self, point: Point) -> usize {
        self.partition.place_of(point.0)
    }

    /// The same as a permutation.
    pub fn permutation(&self, sort: usize) -> Permutation {
        let images = self.images(sort);
        Permutation::from_fn(images.len(), |member| usize::from(images[member]))
    }

    /// Whether every structure of the orbit gets the same name. If not, the budget was used up, and the labelling is
    /// just some renaming.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }
}
