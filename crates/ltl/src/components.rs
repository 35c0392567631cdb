//! Strongly connected components of a graph. Tarjan's algorithm (1972), without recursion.

/// For every node the number of its component. Components are numbered so that edges lead to the same or a smaller number.
pub(crate) fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let nodes = edges.len();
    let mut component = vec![NONE; nodes];
    let mut index = vec![NONE; nodes];
    let mut low = vec![NONE; nodes];
    let (mut open, mut path) = (Vec::new(), Vec::new());
    let (mut next, mut found) = (0, 0);
    for root in 0..nodes {
        if index[root] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some((node, position)) = path.pop() {
            if position == 0 {
                (index[node], low[node]) = (next, next);
                next += 1;
                open.push(node);
            }
            if let Some(&target) = edges[node].get(position) {
                path.push((node, position + 1));
                if index[target] == NONE {
                    path.push((target, 0));
                } else if component[target] == NONE {
                    low[node] = low[node].min(index[target]);
                }
                continue;
            }
            if low[node] == index[node] {
                while let Some(member) = open.pop() {
                    component[member] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn cycles_are_one_component() {
        let found = components(&[vec![1], vec![2, 3], vec![0], vec![4], vec![3], vec![5]]);
        assert_eq!(found[0], found[1]);
        assert_eq!(found[1], found[2]);
        assert_eq!(found[3], found[4]);
        assert!(found[0] > found[3]);
        assert!(found[5] != found[0] && found[5] != found[3]);
    }
}
