//! Tables of functions by record.

use quotient_ir::RecordId;

use super::{Declared, Symbol, Table};
use crate::ast::{self, Member, Name, System};
use crate::types::Ty;

impl<'a> Declared<'a> {
    /// Checks all tables.
    pub(super) fn virtual_tables(&mut self, system: &'a System) {
        for member in &system.members {
            let Member::Virtual(table) = member else { continue };
            let mut entries: Vec<(RecordId, usize)> = Vec::new();
            if let Some(on) = &table.on {
                self.record(on);
            }
            for (record, function) in &table.entries {
                let Some(id) = self.record(record) else { continue };
                if entries.iter().any(|&(known, _)| known == id) {
                    self.error(record.span, format!("`{}` has two functions in this table", record.text));
                    continue;
                }
                let Some(code) = self.function(function) else { continue };
                entries.push((id, code));
                self.fits_table(record, id, function, code, entries[0].1);
            }
            self.is_closed(table, &entries);
            self.tables.push(Table { entries });
        }
    }

    /// A function by name.
    pub(crate) fn function(&mut self, name: &Name) -> Option<usize> {
        let problem = match self.symbol(name) {
            Some(Symbol::Code(id)) if !self.routines[id].is_thread() => return Some(id),
            Some(Symbol::Code(_)) => format!("`{}` is a thread, not a function", name.text),
            Some(_) => format!("`{}` is not a function", name.text),
            None => format!("function `{}` is not declared", name.text),
        };
        self.error(name.span, problem);
        None
    }

    /// The function takes the record, and is like the first function of the table in everything else.
    fn fits_table(&mut self, record: &Name, id: RecordId, name: &Name, code: usize, first: usize) {
        let takes = self.routines[code].params.first().is_some_and(|first| self.types.fits(&Ty::Ref(id), first));
        if !takes {
            let message = format!("the first parameter of `{}` must be `{}`", name.text, record.text);
            self.error(name.span, message);
            return;
        }
        let (one, other) = (&self.routines[code], &self.routines[first]);
        let same = one.returns == other.returns && one.params.get(1..) == other.params.get(1..);
        if !same {
            let message = format!(
                "`{}` and `{}` differ in more than their first parameter",
                name.text, self.routines[first].code.name.text
            );
            self.error(name.span, message);
        }
    }

    /// Every record that extends one of the table is in the table.
    fn is_closed(&mut self, table: &ast::Virtual, entries: &[(RecordId, usize)]) {
        for id in 0..self.types.records.len() {
            let listed = entries.iter().any(|&(known, _)| known == id);
            let above = entries.iter().find(|&&(known, _)| self.types.is_a(id, known)).map(|&(known, _)| known);
            if let (false, Some(above)) = (listed, above) {
                let (name, above) = (self.types.records[id].name.clone(), self.types.records[above].name.clone());
                let message = format!("table `{}` has `{above}` but not `{name}`, which extends it", table.name.text);
                self.error(table.name.span, message);
            }
        }
    }
}
