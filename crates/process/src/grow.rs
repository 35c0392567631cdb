//! Grows the trees of processes: runs a copy of a stopped process for every edge that is missing. Follows sections 1 and 3 of the
//! design of process checks; a process that is not kept any more is run again from the nearest one that is.

use crate::core::OneProcessor;
use crate::footprint;
use crate::launch::{self, Follow, LaunchError, Limits, Loader, Program};
use crate::likeness::{self, Likeness};
use crate::own::Own;
use crate::run::{self, Standing, Traces};
use crate::snapshots::Snapshots;
use crate::source::SourceLocations;
use crate::tracee::{Lost, Tracee};
use crate::world::{World, join};
use nix::errno::Errno;
use quotient_system::{Arrival, Grow, Node, Op, Outcome, Pid, SourceLocation, Step, Stop, Trouble};
use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// How many steps one process makes when it is run again.
const LINEAGE: usize = 20;

/// How many processes are kept when memory is looked at for the first time.
const FIRST_LOOK: usize = 32;

/// What is to be run, and how.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The programs.
    pub programs: Vec<Program>,
    /// The directories that the checker plays. Nothing below them is read or written on the disk.
    pub shared: Vec<PathBuf>,
    /// What one process may use.
    pub limits: Limits,
    /// How many stopped processes are kept.
    pub keep: usize,
    /// Processes that cannot be told from each other become one node.
    pub merge: bool,
    /// How many bytes the checker and the stopped processes may take together. Stopped processes go first; they can be run again.
    pub most_memory: Option<u64>,
    /// How many edges are grown twice, to find processes that do not always do the same.
    pub twice: u64,
    /// How processes are followed.
    pub follow: Follow,
}

impl Setup {
    /// These programs, with the usual settings.
    #[must_use]
    pub fn new(programs: Vec<Program>) -> Self {
        Self {
            programs,
            shared: Vec::new(),
            limits: Limits::default(),
            keep: 1000,
            merge: false,
            most_memory: None,
            twice: 1000,
            follow: Follow::Any,
        }
    }
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Programs that were started.
    pub started: u64,
    /// Edges that were grown.
    pub steps: u64,
    /// Steps that were repeated, because a process was not kept any more.
    pub repeated: u64,
    /// Steps that were run a second time to compare.
    pub compared: u64,
    /// Copies of processes.
    pub copies: u64,
    /// Processes that were ended because there were too many.
    pub evicted: u64,
    /// Processes that are kept.
    pub kept: u64,
    /// Nodes that were found to be one that there was already.
    pub merged: u64,
    /// Bytes of memory that were compared for that.
    pub looked: u64,
}

/// How a node was reached.
#[derive(Clone, Debug)]
enum Via {
    /// A program was started under this id.
    Start(usize, Pid),
    /// A process at this node got this outcome.
    Edge(Node, Outcome),
}

#[derive(Debug)]
struct Known {
    via: Via,
    standing: Standing,
    /// Where the process is, if it is not kept.
    place: Option<SourceLocation>,
}

/// Real processes. All of them are children of the thread that has made this, and die with it.
#[derive(Debug)]
pub struct Processes {
    setup: Setup,
    world: World,
    nodes: HashMap<Node, Known>,
    snapshots: Snapshots,
    /// For the first nodes, processes that have come there from another start, to compare with.
    twins: Snapshots,
    likenesses: HashMap<Likeness, Node>,
    places: SourceLocations,
    counts: Counts,
    /// How many processes are kept when memory is looked at next.
    look_at: usize,
    /// Follows processes in place of ptrace.
    loader: Option<Loader>,
    _processor: OneProcessor,
    /// Tracing is a matter of one thread.
    _thread: std::marker::PhantomData<*const ()>,
}

impl Processes {
    /// Gets everything ready; nothing is started yet.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let shared = setup.shared.iter().map(|path| join(b"/", path.as_os_str().as_bytes())).collect();
        Self {
            world: World { shared },
            nodes: HashMap::new(),
            snapshots: Snapshots::new(setup.keep),
            twins: Snapshots::new(setup.keep),
            likenesses: HashMap::new(),
            places: SourceLocations::default(),
            counts: Counts::default(),
            look_at: FIRST_LOOK,
            loader: None,
            _processor: OneProcessor::stay(),
            setup,
            _thread: std::marker::PhantomData,
        }
    }

    /// What was done so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts { evicted: self.snapshots.evicted, kept: self.snapshots.len() as u64, ..self.counts }
    }

    /// The ids that the system has given to the processes that are kept.
    #[must_use]
    pub fn real_ids(&self) -> Vec<i32> {
        [self.snapshots.ids(), self.twins.ids()].concat()
    }

    /// Starts a program and runs it to its first operation.
    fn launch(&mut self, index: usize, pid: Pid) -> Result<(Tracee, Standing, Traces), Trouble> {
        let failed = |error: LaunchError| Trouble::Failed { what: error.to_string() };
        let (tracee, path) = self.launch_program(index).map_err(failed)?;
        let program = &self.setup.programs[index];
        self.counts.started += 1;
        let directory = program.directory.canonicalize().unwrap_or_else(|_| program.directory.clone());
        let bytes = |path: &std::path::Path| path.as_os_str().as_bytes().to_vec();
        let own = Own::new(pid, bytes(&directory), bytes(&path));
        let (standing, traces) = run::begin(&tracee, own, &self.world)?;
        Ok((tracee, standing, traces))
    }

    /// Starts a program. If the system does not allow ptrace, all programs are followed with the loader from now on.
    fn launch_program(&mut self, index: usize) -> Result<(Tracee, PathBuf), LaunchError> {
        let Setup { programs, limits, follow, .. } = &self.setup;
        if *follow != Follow::Loader && self.loader.is_none() {
            match launch::launch(&programs[index], *limits, None) {
                Err(LaunchError::Tracing(_)) if *follow == Follow::Any => {}
                done => return done,
            }
        }
        if self.loader.is_none() {
            self.loader = Some(Loader::new().map_err(LaunchError::Loading)?);
        }
        launch::launch(&programs[index], *limits, self.loader.as_ref())
    }

    /// A copy of the process that is kept for a node, if one is. Where the system makes no more processes, fewer are kept.
    fn copy_of(&mut self, node: Node) -> Result<Option<Tracee>, Trouble> {
        loop {
            let Some(tracee) = self.snapshots.get(node) else { return Ok(None) };
            self.counts.copies += 1;
            match tracee.copy() {
                Err(Lost(Errno::EAGAIN | Errno::ENOMEM)) if self.snapshots.len() + self.twins.len() > 1 => {
                    self.twins.keep_half();
                    self.snapshots.keep_half();
                }
                copied => return Ok(Some(copied?)),
            }
        }
    }

    /// A process at this node of its own, which nobody else uses.
    fn fresh(&mut self, node: Node) -> Result<Tracee, Trouble> {
        if let Some(copy) = self.copy_of(node)? {
            return Ok(copy);
        }
        // Back to a process that is kept, or to the start.
        let mut chain = vec![node];
        let (mut tracee, mut at) = loop {
            let last = chain[chain.len() - 1];
            match &self.known(last)?.via {
                Via::Start(index, pid) => {
                    let (index, pid) = (*index, *pid);
                    let (tracee, standing, _) = self.launch(index, pid)?;
                    self.same(last, &standing)?;
                    chain.pop();
                    break (tracee, last);
                }
                Via::Edge(from, _) => {
                    let from = *from;
                    if let Some(copy) = self.copy_of(from)? {
                        break (copy, from);
                    }
                    chain.push(from);
                }
            }
        };
        while let Some(to) = chain.pop() {
            let known = self.known(to)?;
            let Via::Edge(_, outcome) = &known.via else { continue };
            let (standing, _) = run::step(&tracee, &self.known(at)?.standing, outcome, &self.world)?;
            self.counts.repeated += 1;
            self.same(to, &standing)?;
            at = to;
            // A copy has used no processor time yet, of which each process has only some.
            if chain.len() % LINEAGE == LINEAGE - 1 {
                self.counts.copies += 1;
                tracee = tracee.copy()?;
            }
        }
        self.counts.copies += 1;
        let copy = tracee.copy()?;
        self.snapshots.put(node, tracee);
        Ok(copy)
    }

    /// A process at this node that has come there from another start, if there is one; otherwise just another one.
    fn twin(&mut self, node: Node) -> Result<Tracee, Trouble> {
        match self.twins.get(node) {
            Some(twin) => {
                self.counts.copies += 1;
                Ok(twin.copy()?)
            }
            None => self.fresh(node),
        }
    }

    fn known(&self, node: Node) -> Result<&Known, Trouble> {
        self.nodes.get(&node).ok_or_else(|| Trouble::Failed { what: format!("there is no node {node}") })
    }

    /// That a process is where it was the last time.
    fn same(&self, node: Node, now: &Standing) -> Result<(), Trouble> {
        compare(&self.known(node)?.standing, now)
    }

    /// Notes where a process has come to.
    fn arrive(
        &mut self,
        via: Via,
        to: Node,
        (tracee, standing, traces): (Tracee, Standing, Traces),
        twin: Option<Tracee>,
    ) -> Result<Step, Trouble> {
        let Traces { printed, wrote } = traces;
        let ends = matches!(standing.op, Op::Exit { .. } | Op::Crash { .. });
        if self.setup.merge && !ends {
            let (likeness, looked) = likeness::of(&tracee, &standing)?;
            self.counts.looked += looked;
            if let Some(&same) = self.likenesses.get(&likeness) {
                self.counts.merged += 1;
                return Ok(Step { arrival: Arrival::Same(same), printed, wrote });
            }
            self.likenesses.insert(likeness, to);
        }
        let handlers = standing.own.handlers();
        let stop = Stop { op: standing.op.clone(), signals: standing.signals, handlers };
        // Who has ended gives no further operations.
        let crashed = matches!(standing.op, Op::Crash { .. });
        let place = if crashed { self.places.of(&tracee, &standing.own.program) } else { None };
        if !ends {
            self.snapshots.put(to, tracee);
            if let Some(twin) = twin {
                self.twins.put(to, twin);
            }
            self.stay_within_memory();
        }
        self.nodes.insert(to, Known { via, standing, place });
        Ok(Step { arrival: Arrival::Stop(stop), printed, wrote })
    }

    /// Ends stopped processes if they and the checker take too much memory. That is looked at whenever a quarter more are kept, since
    /// it takes long.
    fn stay_within_memory(&mut self) {
        let kept = self.snapshots.len() + self.twins.len();
        let Some(most) = self.setup.most_memory.filter(|_| kept >= self.look_at) else { return };
        let mut bytes = footprint::of_all(&self.real_ids());
        while bytes + footprint::own() > most && self.snapshots.len() + self.twins.len() > 2 {
            self.snapshots.keep_half();
            self.twins.keep_half();
            bytes = footprint::of_all(&self.real_ids());
        }
        let kept = self.snapshots.len() + self.twins.len();
        self.look_at = (kept + kept / 4).max(FIRST_LOOK.min(kept + 1));
    }

    /// Whether the next step is to be run twice.
    fn compares(&mut self) -> bool {
        let compares = self.counts.compared < self.setup.twice;
        self.counts.compared += u64::from(compares);
        compares
    }
}

/// That a process did the same as before.
fn compare(before: &Standing, now: &Standing) -> Result<(), Trouble> {
    if before == now {
        return Ok(());
    }
    let tell = |standing: &Standing| format!("{:?}", standing.op);
    Err(Trouble::Nondeterminism { before: tell(before), now: tell(now) })
}

impl Grow for Processes {
    fn start(&mut self, index: usize, pid: Pid, to: Node) -> Result<Step, Trouble> {
        let found = self.launch(index, pid)?;
        let twin = if self.compares() {
            let (twin, again, traces) = self.launch(index, pid)?;
            compare(&found.1, &again)?;
            compare_traces(&found.2, &traces)?;
            Some(twin)
        } else {
            None
        };
        self.arrive(Via::Start(index, pid), to, found, twin)
    }

    fn grow(&mut self, from: Node, outcome: &Outcome, to: Node) -> Result<Step, Trouble> {
        let tracee = self.fresh(from)?;
        let (standing, traces) = run::step(&tracee, &self.known(from)?.standing, outcome, &self.world)?;
        self.counts.steps += 1;
        let twin = if self.compares() {
            let twin = self.twin(from)?;
            let (again, other_traces) = run::step(&twin, &self.known(from)?.standing, outcome, &self.world)?;
            compare(&standing, &again)?;
            compare_traces(&traces, &other_traces)?;
            Some(twin)
        } else {
            None
        };
        self.arrive(Via::Edge(from, outcome.clone()), to, (tracee, standing, traces), twin)
    }

    fn place(&mut self, node: Node) -> Option<SourceLocation> {
        let known = self.nodes.get(&node)?;
        if matches!(known.standing.op, Op::Exit { .. } | Op::Crash { .. }) {
            return known.place.clone();
        }
        let program = known.standing.own.program.clone();
        let tracee = self.fresh(node).ok()?;
        self.places.of(&tracee, &program)
    }
}

/// That a process printed and wrote the same as before.
fn compare_traces(before: &Traces, now: &Traces) -> Result<(), Trouble> {
    if before == now {
        return Ok(());
    }
    Err(Trouble::Nondeterminism { before: format!("{before:?}"), now: format!("{now:?}") })
}
