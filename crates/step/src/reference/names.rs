//! States whose records have plain names: whether two states are the same but for names is then a comparison. It follows the order of
//! [`State::reachable`].

use std::collections::BTreeMap;

use quotient_ir::{Slot, Sort};

use super::State;

impl State {
    /// The same state with its records named by their places in [`State::reachable`], without those that cannot be reached: two
    /// states that differ in the names of records only become one.
    pub fn with_plain_names(&self, model: &quotient_ir::Model) -> State {
        let Some(heap) = &model.heap else { return self.clone() };
        let names: BTreeMap<i32, i32> = self.reachable(model).into_iter().zip(1..).collect();
        let rename = |sort: Sort, value: &mut i32| {
            if sort == Sort::Ref {
                *value = names.get(value).copied().unwrap_or(0);
            }
        };
        let rename_all = |slots: &[Slot], values: &mut [i32]| {
            slots.iter().zip(values).for_each(|(slot, value)| rename(slot.scalar.sort, value));
        };
        let mut state = self.clone();
        rename_all(&model.globals, &mut state.globals);
        for channel in &mut state.channels {
            let fields = &model.channels[channel.ty].fields;
            for message in &mut channel.messages {
                fields.iter().zip(message).for_each(|(field, value)| rename(field.sort, value));
            }
        }
        for process in &mut state.processes {
            rename_all(&model.proctypes[process.proctype].slots, &mut process.locals);
            for caller in &mut process.callers {
                rename_all(&model.proctypes[caller.proctype].slots, &mut caller.locals);
            }
        }
        state.heap.records.clear();
        for (old, &new) in &names {
            let mut record = self.heap.records[old].clone();
            if record.deleted {
                // What it was is of no interest any more.
                record.ty = 0;
                state.heap.records.insert(new, record);
                continue;
            }
            let ty = &heap.records[record.ty];
            for (number, value) in record.values.iter_mut().enumerate() {
                rename(ty.slot(number).scalar.sort, value);
            }
            state.heap.records.insert(new, record);
        }
        state.heap.made = names.len() as i32;
        state
    }
}
