//! Representatives of states of heap models: the names of records and the order of threads do not matter.
//!
//! A heap-normal state has records named in the order in which they are found (see `quotient_step::machine`), so only the
//! order of the threads is left. Each strategy is a way to choose it; what is stored is the state with its threads in this
//! order, and its records named anew. Every order is right, as the result differs from the state by a renaming only. A good
//! one is the same for all states that differ by a renaming.
//!
//! | strategy | order of threads | source |
//! |---|---|---|
//! | `none`, `heap` | that of creation | Iosif, "Symmetry reductions for model checking of concurrent dynamic software" |
//! | `pc` | by control states | Robby, Dwyer, Hatcliff, Iosif, "Space-reduction strategies for model checking dynamic software" |
//! | `kbots` | by what threads can reach, compared in pairs | the same, figure 3 |
//! | `canonical` | by a canonical labelling | `label` |
//!
//! Where members of scalarsets are proved to differ by name only, `canonical` takes the least of the representatives of all states
//! that differ by a renaming of members (`members`).

mod bots;
mod label;
mod members;
mod order;
mod strategy;
mod unordered;
mod write;

use std::time::Instant;

use quotient_ir::schema::{HeapLayout, Schema};
use quotient_ir::{At, Expr, HeapExpr, Model, Setup, Termination};

use crate::Counts;
use label::Labeller;
use members::Members;
pub use strategy::HeapStrategy;
use write::Writer;

/// Every how many states the clock is looked at.
const SAMPLE: u64 = 32;

/// What [`obstacle`] says of models with such statements.
pub const STARTS_WITH_ID: &str = "processes are started with `run`, which gives their ids";

/// Where in a model processes are started by expressions that stand for their ids: the first such statement.
pub fn starts_with_id(model: &Model) -> Option<At> {
    let is_run = |expr: &Expr| matches!(expr, Expr::Run { .. });
    model.proctypes.iter().enumerate().find_map(|(ty, proctype)| {
        let found = proctype.statements.iter().position(|statement| statement.action.any(&is_run))?;
        Some(At::Statement(ty, found))
    })
}

/// Why threads of a model cannot change places, if they cannot: in a sentence without a full stop. Names of records can be
/// changed in every model.
pub fn obstacle(model: &Model) -> Option<&'static str> {
    let mut found = None;
    let mut note = |obstacle: &'static str| found = found.or(Some(obstacle));
    let (mut pids, mut starts) = (0, false);
    // What formulas ask is for temporal searches to look at.
    model.walk_steps(&mut |expr| match expr {
        Expr::Pid => pids += 1,
        Expr::Heap(heap) => starts |= matches!(**heap, HeapExpr::Start { .. }),
        Expr::Run { .. } => note(STARTS_WITH_ID),
        Expr::Last => note("the model looks at `_last`"),
        Expr::Enabled(_) | Expr::PcValue(_) | Expr::RemoteAt { .. } | Expr::RemoteRead { .. } => {
            note("the model looks at the state of a process from outside");
        }
        Expr::OwnPriority | Expr::PriorityOf(_) => note("the model uses priorities"),
        _ => {}
    });
    // Where processes are there from the beginning only, their ids say no more than how they begin.
    let has_pids = pids > 0;
    let begins = model.process_types().flat_map(|(_, ty)| &ty.setup);
    begins.for_each(|setup| {
        if let Setup::Assign(_, value) = setup {
            value.walk(&mut |expr| pids -= usize::from(matches!(expr, Expr::Pid)));
        }
    });
    if pids > 0 || (starts && has_pids) {
        note("the model uses ids of processes");
    }
    if model.uses.priority {
        note("the model uses priorities");
    }
    let ordered = |ty: &quotient_ir::Proctype| !ty.termination.is_symmetric() && ty.end.is_some();
    if model.process_types().any(|(_, ty)| ordered(ty)) {
        note("processes can end, and the youngest is removed first");
    }
    debug_assert!(Termination::Removed.is_symmetric());
    found
}

/// Whether the strategy `canonical` renames the members of the declared scalarsets of a model: that they differ by name only was
/// proved, and there are not too many renamings.
pub fn renames_members(model: &Model) -> bool {
    let is_proved = model.heap.as_ref().is_some_and(|heap| heap.members_alike);
    is_proved && (2..=members::MOST).contains(&members::number(model))
}

/// Where the parts of a state lie.
#[derive(Clone, Debug, Default)]
struct View {
    /// Where processes start, and where the last one ends.
    processes: Vec<u32>,
    /// Where records start; the record with name `n` is at `n - 1`.
    records: Vec<u32>,
}

impl View {
    fn of(&mut self, layout: &HeapLayout, state: &[u8]) {
        let end = layout.scan(state, &mut self.processes, &mut self.records);
        self.processes.push(end as u32);
    }

    fn threads(&self) -> usize {
        self.processes.len() - 1
    }

    fn thread(&self, thread: usize) -> usize {
        self.processes[thread] as usize
    }

    fn record(&self, name: usize) -> usize {
        self.records[name - 1] as usize
    }
}

/// Finds representatives of the states of a model with a heap.
#[derive(Clone, Debug)]
pub struct HeapReducer {
    layout: HeapLayout,
    control_bytes: usize,
    strategy: HeapStrategy,
    /// Whether threads change places.
    orders: bool,
    /// The renamings of members of scalarsets, if there are any.
    members: Option<Members>,
    view: View,
    /// The threads in their new order.
    order: Vec<u8>,
    labeller: Labeller,
    writer: Writer,
    /// The state with the entries of its unordered values in their canonical order.
    sorted: Vec<u8>,
    /// The state with its members renamed, and the least way to write it so far.
    renamed: Vec<u8>,
    best: Vec<u8>,
    counts: Counts,
}

impl HeapReducer {
    /// For a model; none if threads keep their places, so that a heap-normal state stands for itself.
    pub fn new(model: &Model, schema: &Schema, strategy: HeapStrategy) -> Option<Self> {
        (strategy.orders_threads() && obstacle(model).is_none()).then(|| Self::of(schema, strategy))?
    }

    /// The same, with the members of declared scalarsets renamed as well, where that was proved right: see
    /// [`quotient_ir::Heap::members_alike`].
    pub fn with_members(model: &Model, schema: &Schema, strategy: HeapStrategy) -> Option<Self> {
        let members = (strategy == HeapStrategy::Canonical).then(|| Members::new(model, schema)).flatten();
        let orders = strategy.orders_threads() && obstacle(model).is_none();
        if members.is_none() && !orders {
            return None;
        }
        Some(HeapReducer { orders, members, ..Self::of(schema, strategy)? })
    }

    fn of(schema: &Schema, strategy: HeapStrategy) -> Option<Self> {
        let layout = schema.heap.as_deref()?.clone();
        Some(HeapReducer {
            layout,
            control_bytes: schema.control_bytes as usize,
            strategy,
            orders: true,
            members: None,
            view: View::default(),
            order: Vec::new(),
            labeller: Labeller::default(),
            writer: Writer::default(),
            sorted: Vec::new(),
            renamed: Vec::new(),
            best: Vec::new(),
            counts: Counts::default(),
        })
    }

    /// What was done so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Goes on with what another reducer has counted.
    pub fn count_from(&mut self, counts: Counts) {
        self.counts = counts;
    }

    /// The strategy.
    pub fn strategy(&self) -> HeapStrategy {
        self.strategy
    }

    /// The representative of a state.
    pub fn representative(&mut self, state: &[u8]) -> &[u8] {
        self.counts.representatives += 1;
        let sampled = self.counts.representatives.is_multiple_of(SAMPLE).then(Instant::now);
        match self.members.take() {
            None => self.write(state),
            Some(members) => {
                self.write_least(&members, state);
                self.members = Some(members);
            }
        }
        if let Some(started) = sampled {
            self.counts.time += started.elapsed() * SAMPLE as u32;
        }
        if self.members.is_some() { &self.best } else { self.writer.bytes() }
    }

    /// Writes a state with its threads in the order of its representative.
    fn write(&mut self, state: &[u8]) {
        self.choose(state);
        let ranks = self.labeller.ranks();
        if ranks.is_empty() {
            self.writer.write(&self.layout, &self.view, state, &self.order);
        } else {
            self.sorted.clear();
            self.sorted.extend_from_slice(state);
            unordered::sort(&self.layout, &self.view, &mut self.sorted, ranks);
            self.writer.write(&self.layout, &self.view, &self.sorted, &self.order);
        }
    }

    /// Writes a state in the least way, of all that renamings of members lead to.
    fn write_least(&mut self, members: &Members, state: &[u8]) {
        for number in 0..members.len() {
            let mut renamed = std::mem::take(&mut self.renamed);
            members.apply(number, &self.layout, state, &mut renamed);
            self.write(&renamed);
            if number == 0 || self.writer.bytes() < &self.best[..] {
                self.best.clear();
                self.best.extend_from_slice(self.writer.bytes());
            }
            self.renamed = renamed;
        }
    }

    /// The threads of a state in the order that they have in its representative.
    pub fn order(&mut self, state: &[u8]) -> &[u8] {
        self.choose(state);
        &self.order
    }

    /// Chooses the order of the threads.
    fn choose(&mut self, state: &[u8]) {
        let HeapReducer { layout, view, order, strategy, orders, .. } = self;
        view.of(layout, state);
        order.clear();
        order.extend((0..view.threads()).map(|thread| thread as u8));
        if !*orders || (order.len() < 2 && !layout.has_unordered()) {
            return;
        }
        match *strategy {
            HeapStrategy::None | HeapStrategy::Heap => {}
            HeapStrategy::Pc => order::by_control(layout, view, state, self.control_bytes, order),
            HeapStrategy::Bots(depth) => bots::sort(layout, view, state, depth, order),
            HeapStrategy::Canonical => {
                let canonical = self.labeller.order(layout, view, state, order);
                self.counts.normalised += u64::from(!canonical);
            }
        }
    }
}
