//! Rows that go down a tree from node to node, all rows of a block one level at a time.

use super::blocks::{Block, LANES};
use super::{Forest, Tree};

impl Forest {
    /// The leaf of each lane that holds a row, from left to right.
    #[inline(always)]
    pub(super) fn descended(&self, tree: &Tree, block: &Block) -> [u32; LANES] {
        let mut places = [0; LANES];
        let nodes = self.nodes.get(tree.nodes.clone()).unwrap_or_default();
        if nodes.is_empty() {
            return places;
        }
        // Lanes on their way, and where they are; who arrives falls out, without a branch that could be mispredicted.
        let mut lanes: [u8; LANES] = std::array::from_fn(|lane| lane as u8);
        let mut at = [0i32; LANES];
        let mut moving = block.rows;
        while moving > 0 {
            let mut kept = 0;
            for k in 0..moving {
                let lane = lanes[k % LANES] as usize % LANES;
                let Some(node) = nodes.get(at[lane] as usize) else { break };
                let x = block.column(node.feature)[lane];
                let child = if node.goes_left(x, &self.sets) { node.left } else { node.right };
                at[lane] = child;
                lanes[kept % LANES] = lane as u8;
                kept += usize::from(child >= 0);
            }
            moving = kept;
        }
        for (place, child) in places.iter_mut().zip(at) {
            *place = (-1 - child) as u32;
        }
        places
    }
}
