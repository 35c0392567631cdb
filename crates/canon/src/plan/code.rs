//! Codes: which members a value stands for, where that is more than a run of names. Control states that stand for members
//! are values of that kind, and may stand for several at once.
//!
//! A code works on the bytes of a field, read as a number without a sign: no value is ever cut or extended.

use std::collections::BTreeMap;

use quotient_ir::{Group, Names, Position, Scalar, SetId};

use super::{Axis, Images, Member, Set, read, renamed};
use crate::Misfit;

/// The most combinations of members that control states of a class can stand for.
const MOST_COMBINATIONS: usize = 1 << 20;

/// No value stands for these members.
const NOTHING: u32 = u32::MAX;

/// A field whose values stand for members as a code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coded {
    pub(crate) at: u32,
    pub(crate) width: u8,
    /// Number of the code in the plan.
    pub(crate) code: u16,
}

/// What values stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Code {
    places: Places,
    pub(crate) classes: Vec<CodeClass>,
}

/// Values that become each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodeClass {
    pub(crate) axes: Vec<Axis>,
    /// The value that stands for each combination of members; the last axis runs fastest.
    values: Vec<u32>,
}

/// The class of a value, and its number there.
type Place = (u16, u32);

/// Where each value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Places {
    /// By value.
    Direct(Vec<Option<Place>>),
    /// Lowest value first.
    Sparse(Vec<(u32, Place)>),
}

/// How the values of a table lie in the bytes of a field.
pub(crate) enum Naming {
    /// Plain numbers: nothing has a name.
    Plain,
    /// All members of one set, in order.
    Run(Member),
    /// Anything else.
    Code(Code),
}

impl Code {
    /// The class of a value and its number there, if it stands for something.
    #[inline(always)]
    pub(crate) fn place(&self, value: u32) -> Option<(usize, usize)> {
        let place = match &self.places {
            Places::Direct(places) => places.get(value as usize).copied().flatten(),
            Places::Sparse(places) => {
                places.binary_search_by_key(&value, |&(value, _)| value).ok().map(|at| places[at].1)
            }
        };
        place.map(|(class, element)| (usize::from(class), element as usize))
    }

    /// What a value becomes.
    #[inline(always)]
    pub(crate) fn renamed(&self, value: u32, images: &Images) -> u32 {
        match self.place(value) {
            None => value,
            Some((class, element)) => {
                let class = &self.classes[class];
                class.values[renamed(&class.axes, element, images)]
            }
        }
    }

    /// The least number among the values of each class, for all of them; other values keep their own number.
    pub(crate) fn shared(&self, numbers: &mut [u32]) {
        for class in &self.classes {
            let values = || class.values.iter().filter(|&&value| value != NOTHING).map(|&value| value as usize);
            let least = values().map(|value| numbers[value]).min().unwrap_or(0);
            values().for_each(|value| numbers[value] = least);
        }
    }

    /// The code of a type's control states; `None` if all of them stay.
    pub(crate) fn of_controls(positions: &[Position], sets: &[Set], type_name: &str) -> Result<Option<Code>, Misfit> {
        let mut classes: BTreeMap<(u32, Vec<SetId>), Vec<_>> = BTreeMap::new();
        let mut places = vec![None; positions.len()];
        for (state, position) in positions.iter().enumerate().filter(|(_, position)| !position.members.is_empty()) {
            let exists = |&(set, k): &(SetId, u8)| sets.get(set).is_some_and(|s: &Set| usize::from(k) < s.size);
            if !position.members.iter().all(exists) {
                return Err(Misfit::ControlMember(type_name.to_string()));
            }
            let key: Vec<SetId> = position.members.iter().map(|&(set, _)| set).collect();
            let axes = axes(&key, sets);
            if axes
                .iter()
                .try_fold(1usize, |product, axis| product.checked_mul(axis.size))
                .is_none_or(|all| all > MOST_COMBINATIONS)
            {
                return Err(Misfit::ControlTooMany(type_name.to_string()));
            }
            let element: usize =
                axes.iter().zip(&position.members).map(|(axis, &(_, k))| usize::from(k) * axis.stride).sum();
            classes.entry((position.class, key)).or_default().push((element, state as u32));
        }
        if classes.is_empty() {
            return Ok(None);
        }
        let generators = generators(sets);
        let mut built = Vec::new();
        for ((_, key), elements) in classes {
            let axes = axes(&key, sets);
            let mut values = vec![NOTHING; axes.iter().map(|axis| axis.size).product()];
            for (element, state) in elements {
                if std::mem::replace(&mut values[element], state) != NOTHING {
                    return Err(Misfit::ControlTwice(type_name.to_string()));
                }
                places[state as usize] = Some((built.len() as u16, element as u32));
            }
            let is_closed = |images: &Vec<u8>| {
                let there = values.iter().enumerate().filter(|&(_, &value)| value != NOTHING);
                there.into_iter().all(|(element, _)| values[renamed(&axes, element, images)] != NOTHING)
            };
            if !generators.iter().all(is_closed) {
                return Err(Misfit::ControlMissing(type_name.to_string()));
            }
            built.push(CodeClass { axes, values });
        }
        Ok(Some(Code { places: Places::Direct(places), classes: built }))
    }
}

impl Coded {
    /// The number in the field.
    #[inline(always)]
    pub(crate) fn value(&self, bytes: &[u8], start: usize) -> u32 {
        read(bytes, start + self.at as usize, usize::from(self.width))
    }

    #[inline(always)]
    pub(crate) fn rename(&self, codes: &[Code], bytes: &mut [u8], start: usize, images: &Images) {
        let value = codes[usize::from(self.code)].renamed(self.value(bytes, start), images);
        let (at, width) = (start + self.at as usize, usize::from(self.width));
        bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
    }
}

/// How the values of a table lie in a field at an offset.
pub(crate) fn naming(names: &Names, scalar: Scalar, at: u32, sets: &[Set]) -> Result<Naming, Misfit> {
    let mut found: BTreeMap<SetId, Vec<Option<u32>>> = BTreeMap::new();
    if !names.values.is_sorted_by(|a, b| a.0 < b.0) {
        return Err(Misfit::NamesOrder);
    }
    for &(value, set, member) in &names.values {
        let Some(own) = sets.get(set).filter(|own| usize::from(member) < own.size) else {
            return Err(Misfit::NamesMember { member, set });
        };
        if scalar.truncate(value) != value {
            return Err(Misfit::TooNarrow);
        }
        let values = found.entry(set).or_insert_with(|| vec![None; own.size]);
        if values[usize::from(member)].replace(raw(value, scalar)).is_some() {
            return Err(Misfit::NameTwice);
        }
    }
    if found.values().flatten().any(Option::is_none) {
        return Err(Misfit::NameMissing);
    }
    let Some(&(first, set, _)) = names.values.first() else { return Ok(Naming::Plain) };
    let (Set { base, size, .. }, width) = (sets[set], scalar.bytes() as u8);
    if *names == Names::run(set, first, size) && first >= 0 && first as usize + size <= 256 {
        return Ok(Naming::Run(Member { at, width, first: first as u8, base: base as u16, size: size as u16 }));
    }
    let mut places = Vec::new();
    let mut classes = Vec::new();
    for (set, values) in found {
        let values: Vec<u32> = values.into_iter().flatten().collect();
        let of_class = values.iter().enumerate().map(|(member, &value)| (value, (classes.len() as u16, member as u32)));
        places.extend(of_class);
        classes.push(CodeClass { axes: axes(&[set], sets), values });
    }
    places.sort_unstable();
    let places = match width {
        1 => {
            let mut direct = vec![None; 256];
            places.iter().for_each(|&(value, place)| direct[value as usize] = Some(place));
            Places::Direct(direct)
        }
        _ => Places::Sparse(places),
    };
    Ok(Naming::Code(Code { places, classes }))
}

/// The sets that index something, as axes; the last one runs fastest.
pub(crate) fn axes(indices: &[SetId], sets: &[Set]) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    let mut stride = 1usize;
    for &set in indices.iter().rev() {
        let Set { base, size, .. } = sets[set];
        axes.push(Axis { set, base, size, stride });
        stride = stride.saturating_mul(size);
    }
    axes.reverse();
    axes
}

/// Renamings that make all others, as images over all vertices.
pub(crate) fn generators(sets: &[Set]) -> Vec<Vec<u8>> {
    let identity: Vec<u8> = sets.iter().flat_map(|set| (0..set.size).map(|member| member as u8)).collect();
    let mut generators = Vec::new();
    for set in sets.iter().filter(|set| set.size > 1) {
        let mut add = |change: &dyn Fn(&mut [u8])| {
            let mut images = identity.clone();
            change(&mut images[set.base..set.base + set.size]);
            generators.push(images);
        };
        add(&|own| own.rotate_left(1));
        match set.group {
            Group::Symmetric => add(&|own| own.swap(0, 1)),
            Group::Cyclic => {}
            Group::Dihedral => add(&|own| own.reverse()),
        }
    }
    generators
}

/// The bytes of a value in a field that can hold it, as a number without a sign.
fn raw(value: i32, scalar: Scalar) -> u32 {
    match scalar.bytes() {
        1 => u32::from(value as u8),
        2 => u32::from(value as u16),
        _ => value as u32,
    }
}
