//! States whose records have plain names: whether two states are the same but for names is then a comparison. It follows the order of
//! [`State::reachable`].

use std::collections::BTreeMap;

use quotient_ir::{RecordKind, Slot, Sort};

use super::State;

impl State {
    /// The same state with its records named by their places in [`State::reachable`], without those that cannot be reached: two
    /// states that differ in the names of records only become one.
    pub fn with_plain_names(&self, model: &quotient_ir::Model) -> State {
        let Some(heap) = &model.heap else { return self.clone() };
        let names: BTreeMap<i32, i32> = self.reachable(model).into_iter().zip(1..).collect();
        let rename = |slots: &[Slot], values: &mut [i32]| {
            for (slot, value) in slots.iter().zip(values) {
                if slot.scalar.sort == Sort::Ref {
                    *value = names.get(value).copied().unwrap_or(0);
                }
            }
        };
        let mut state = self.clone();
        rename(&model.globals, &mut state.globals);
        for channel in &mut state.channels {
            let fields = &model.channels[channel.ty].fields;
            for (field, value) in channel.messages.iter_mut().flat_map(|message| fields.iter().zip(message)) {
                if field.sort == Sort::Ref {
                    *value = names.get(value).copied().unwrap_or(0);
                }
            }
        }
        for process in &mut state.processes {
            rename(&model.proctypes[process.proctype].slots, &mut process.locals);
            for caller in &mut process.callers {
                rename(&model.proctypes[caller.proctype].slots, &mut caller.locals);
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
            match ty.kind {
                RecordKind::Array => {
                    record.values.iter_mut().for_each(|value| rename(&ty.fields[..1], std::slice::from_mut(value)));
                }
                RecordKind::Object | RecordKind::Thread => rename(&ty.fields, &mut record.values),
            }
            state.heap.records.insert(new, record);
        }
        state.heap.made = names.len() as i32;
        state
    }
}
