//! The arrays behind slots. A component of a model is a flat list of slots; their names (`x`, `a[2]`, `t[1].g[0]`) say
//! which of them are elements of one array, and along which dimensions they differ.

use std::collections::{HashMap, HashSet};

use quotient_ir::{Place, Slot};

/// The variables of one component.
#[derive(Clone, Debug, Default)]
pub struct Arrays {
    /// What each slot is an element of.
    pub elements: Vec<Element>,
    /// The shapes: one per variable and path of fields in it.
    pub shapes: Vec<Shape>,
    at: HashMap<(usize, Vec<usize>), usize>,
}

/// A slot as an element of a shape.
#[derive(Clone, Debug)]
pub struct Element {
    /// Index into [`Arrays::shapes`].
    pub shape: usize,
    /// The indices, outermost first.
    pub indices: Vec<usize>,
}

/// All elements that differ in their indices only.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// The name with empty brackets: `t[].g[]`.
    pub pattern: String,
    /// The number of the variable.
    pub variable: usize,
    /// The length of each dimension.
    pub lengths: Vec<usize>,
    /// Slots between neighbours along each dimension.
    pub strides: Vec<usize>,
}

impl Arrays {
    /// Reads the shapes off the names of a component's slots.
    pub fn new(slots: &[Slot]) -> Self {
        let mut arrays = Arrays::default();
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut seen: HashSet<&str> = HashSet::new();
        let mut variable = "";
        let mut number = 0;
        for slot in slots {
            let base = slot.name.split(['[', '.']).next().unwrap_or("");
            // Blocks of one process can have variables of the same name.
            if base != variable || !seen.insert(&slot.name) {
                known.clear();
                seen = HashSet::from([slot.name.as_str()]);
                variable = base;
                number += 1;
            }
            let (pattern, indices) = split(&slot.name);
            let shape = *known.entry(pattern.clone()).or_insert_with(|| {
                let zeros = vec![0; indices.len()];
                arrays.shapes.push(Shape { pattern, variable: number, lengths: zeros.clone(), strides: zeros });
                arrays.shapes.len() - 1
            });
            for (length, &index) in arrays.shapes[shape].lengths.iter_mut().zip(&indices) {
                *length = (*length).max(index + 1);
            }
            arrays.at.insert((shape, indices.clone()), arrays.elements.len());
            arrays.elements.push(Element { shape, indices });
        }
        for shape in 0..arrays.shapes.len() {
            for dimension in 0..arrays.shapes[shape].lengths.len() {
                let mut indices = vec![0; arrays.shapes[shape].lengths.len()];
                let first = arrays.slot(shape, &indices);
                indices[dimension] = 1;
                let second = arrays.slot(shape, &indices);
                arrays.shapes[shape].strides[dimension] = match (first, second) {
                    (Some(first), Some(second)) => second - first,
                    _ => 0,
                };
            }
        }
        arrays
    }

    /// The slot of an element.
    pub fn slot(&self, shape: usize, indices: &[usize]) -> Option<usize> {
        self.at.get(&(shape, indices.to_vec())).copied()
    }

    /// Which dimension each index of a place belongs to.
    pub fn dimensions(&self, place: &Place) -> Vec<usize> {
        let shape = &self.shapes[self.elements[place.slot].shape];
        let mut next = 0;
        place
            .indices
            .iter()
            .map(|index| {
                let fits = |d: &usize| {
                    shape.lengths[*d] == index.length && (shape.strides[*d] == index.stride || index.length == 1)
                };
                let dimension = (next..shape.lengths.len()).find(fits).unwrap_or(next);
                next = dimension + 1;
                dimension
            })
            .collect()
    }
}

impl Shape {
    /// The name up to one of its dimensions: `t[]` for the first one of `t[].g[]`. Fields of one structure share it.
    pub fn axis(&self, dimension: usize) -> &str {
        let end = self.pattern.match_indices("[]").nth(dimension).map_or(self.pattern.len(), |(at, _)| at + 2);
        &self.pattern[..end]
    }
}

/// `t[1].g[0]` as `t[].g[]` and `[1, 0]`.
fn split(name: &str) -> (String, Vec<usize>) {
    let mut pattern = String::new();
    let mut indices = Vec::new();
    let mut rest = name;
    while let Some(open) = rest.find('[') {
        let Some(close) = rest[open..].find(']').map(|at| at + open) else { break };
        pattern.push_str(&rest[..open]);
        pattern.push_str("[]");
        indices.push(rest[open + 1..close].parse().unwrap_or(0));
        rest = &rest[close + 1..];
    }
    pattern.push_str(rest);
    (pattern, indices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quotient_ir::{Scalar, Width};

    fn slots(names: &[&str]) -> Vec<Slot> {
        let slot = |name: &&str| Slot {
            name: name.to_string(),
            scalar: Scalar::plain(Width::Byte),
            mtype: None,
            hidden: false,
            private: false,
            boxed: false,
        };
        names.iter().map(slot).collect()
    }

    #[test]
    fn names_give_shapes() {
        let arrays =
            Arrays::new(&slots(&["x", "t[0].a", "t[0].g[0]", "t[0].g[1]", "t[1].a", "t[1].g[0]", "t[1].g[1]"]));
        let shape = &arrays.shapes[arrays.elements[6].shape];
        assert_eq!(
            (shape.pattern.as_str(), &shape.lengths[..], &shape.strides[..]),
            ("t[].g[]", &[2, 2][..], &[3, 1][..])
        );
        assert_eq!(arrays.slot(arrays.elements[2].shape, &[1, 1]), Some(6));
    }

    #[test]
    fn two_blocks_have_two_variables() {
        let arrays = Arrays::new(&slots(&["a[0]", "a[1]", "a[0]", "a[1]"]));
        assert_ne!(arrays.elements[0].shape, arrays.elements[2].shape);
    }
}
