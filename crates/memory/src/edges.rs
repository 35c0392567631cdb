//! A relation as a list of edges between numbered nodes, and whether it has a cycle (Kahn's algorithm). Time and memory
//! are proportional to the number of nodes and edges.

/// A relation; keeps its storage.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    edges: Vec<(u32, u32)>,
    degrees: Vec<u32>,
    starts: Vec<u32>,
    targets: Vec<u32>,
    ready: Vec<u32>,
    /// How many nodes and edges have been looked at so far.
    pub work: u64,
}

impl Edges {
    /// Forgets the edges.
    pub(crate) fn clear(&mut self) {
        self.edges.clear();
    }

    /// Adds an edge.
    #[inline]
    pub(crate) fn add(&mut self, from: u32, to: u32) {
        self.edges.push((from, to));
    }

    /// Whether the edges between the first `nodes` nodes have no cycle.
    pub(crate) fn acyclic(&mut self, nodes: usize) -> bool {
        self.work += (nodes + self.edges.len()) as u64;
        self.degrees.clear();
        self.degrees.resize(nodes, 0);
        self.starts.clear();
        self.starts.resize(nodes + 1, 0);
        for &(from, to) in &self.edges {
            self.degrees[to as usize] += 1;
            self.starts[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            self.starts[node + 1] += self.starts[node];
        }
        self.targets.clear();
        self.targets.resize(self.edges.len(), 0);
        let mut fill = std::mem::take(&mut self.ready);
        fill.clear();
        fill.extend_from_slice(&self.starts[..nodes]);
        for &(from, to) in &self.edges {
            self.targets[fill[from as usize] as usize] = to;
            fill[from as usize] += 1;
        }
        fill.clear();
        fill.extend((0..nodes as u32).filter(|&node| self.degrees[node as usize] == 0));
        let mut done = 0;
        while let Some(node) = fill.pop() {
            done += 1;
            for &target in &self.targets[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize] {
                self.degrees[target as usize] -= 1;
                if self.degrees[target as usize] == 0 {
                    fill.push(target);
                }
            }
        }
        self.ready = fill;
        done == nodes
    }
}
