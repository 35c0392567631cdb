//! Dividing an exploration between explorers that cannot talk to each other, such as processes.
//!
//! Executions form a tree: each but the first comes from another one by an alternative. All explorers run the executions
//! near the root, in the same order, and deal out what hangs below them in turn; so each knows what is its own.

use crate::explorer::Explorer;

/// Which part of an exploration an explorer does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    index: u32,
    of: u32,
    /// Executions so many alternatives away from the first one are dealt out; those above are run by all. 0 as long as that
    /// is not known.
    depth: u32,
    /// How many have been dealt out.
    dealt: u32,
}

impl Share {
    /// Where parts are dealt out, and how many have been.
    pub(crate) fn progress(self) -> (u32, u32) {
        (self.depth, self.dealt)
    }

    /// Goes on where an explorer of the same part was.
    pub(crate) fn set_progress(&mut self, (depth, dealt): (u32, u32)) {
        (self.depth, self.dealt) = (depth, dealt);
    }
}

/// There are to be about so many parts for each explorer, so that all have equally much to do.
const PARTS: usize = 64;
const DEEPEST: u32 = 6;

impl Explorer {
    /// Makes this explorer do only one of `of` parts of the exploration; together they do everything once.
    pub fn take_share(&mut self, index: u32, of: u32) {
        self.share = (of > 1).then_some(Share { index, of, depth: 0, dealt: 0 });
    }

    /// Whether an alternative of a frame is this explorer's to explore.
    pub(crate) fn is_own(&mut self, frame_depth: u32) -> bool {
        let alternatives = self.alternatives.len();
        let Some(share) = &mut self.share else { return true };
        if share.depth == 0 {
            // The first execution is over, and nothing has been taken from its alternatives yet.
            share.depth = depth_for(alternatives, share.of);
        }
        if frame_depth + 1 != share.depth {
            return true;
        }
        share.dealt += 1;
        share.dealt % share.of == share.index
    }

    /// Whether the current execution counts here: of those that all explorers run, only the first does count them.
    pub(crate) fn is_counted(&self) -> bool {
        self.share.is_none_or(|share| share.index == 0 || share.depth != 0 && self.depth >= share.depth)
    }
}

/// How deep to go for enough parts, if every execution has as many alternatives as the first.
fn depth_for(alternatives: usize, explorers: u32) -> u32 {
    let enough = PARTS * explorers as usize;
    let mut parts = 1usize;
    (1..DEEPEST)
        .find(|_| {
            parts = parts.saturating_mul(alternatives);
            parts >= enough
        })
        .unwrap_or(DEEPEST)
}
