//! An estimate of the number of executions, from random walks through the tree of alternatives.
//!
//! At every point with n ways to go on, a walk takes one of them at random and multiplies its weight by n; the mean
//! weight of many walks is the number of leaves (Knuth, 1975). A walk that ends in a blocked execution counts 0.

use crate::explorer::Explorer;

/// A random walk in progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    random: u64,
    weight: f64,
    /// The walk leaves the path that the run is on.
    pub diverted: bool,
}

/// What random walks say about the number of complete executions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// How many walks there were.
    pub walks: u32,
    /// Their mean.
    pub executions: f64,
    /// The sum of squared differences from the mean.
    squares: f64,
}

impl Estimate {
    /// Adds the weight of a walk.
    fn add(&mut self, weight: f64) {
        self.walks += 1;
        let difference = weight - self.executions;
        self.executions += difference / self.walks as f64;
        self.squares += difference * (weight - self.executions);
    }

    /// The standard error of the mean.
    pub fn error(&self) -> f64 {
        if self.walks < 2 { f64::INFINITY } else { (self.squares / (self.walks - 1) as f64 / self.walks as f64).sqrt() }
    }
}

impl Explorer {
    /// Walks at random from now on, instead of exploring everything.
    pub fn walk(&mut self, seed: u64) {
        self.walk = Some(Walk { random: seed | 1, weight: 1.0, diverted: false });
    }

    /// Adds the walk that has just ended to `estimate`, and goes back to the beginning.
    pub fn end_walk(&mut self, complete: bool, estimate: &mut Estimate) {
        if let Some(walk) = &mut self.walk {
            estimate.add(if complete { walk.weight } else { 0.0 });
            walk.weight = 1.0;
        }
        self.forget_tasks();
        self.graph.clear();
    }

    /// Forgets the run that has just ended, as if there had been none.
    pub fn forget_run(&mut self) {
        self.runs = 0;
        if let Some(walk) = &mut self.walk {
            (walk.weight, walk.diverted) = (1.0, false);
        }
        self.forget_tasks();
        self.graph.clear();
    }

    /// In a random walk, keeps at most one of the alternatives from `first` on. `stays` says whether the run could also
    /// go on as it does.
    pub(crate) fn choose_at_random(&mut self, first: u32, stays: bool) {
        let Some(walk) = &mut self.walk else { return };
        let others = self.alternatives.len() - first as usize;
        let ways = others + stays as usize;
        if ways == 0 {
            return;
        }
        walk.weight *= ways as f64;
        let choice = (walk.next() % ways as u64) as usize;
        if choice < others {
            self.alternatives[first as usize] = self.alternatives[first as usize + choice];
            self.alternatives.truncate(first as usize + 1);
            walk.diverted = true;
        } else {
            self.alternatives.truncate(first as usize);
        }
    }
}

impl Walk {
    /// The next number of an xorshift generator.
    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32
    }
}
