//! Shows the steps of a long run as they happen, so that they need not be kept. The columns are as wide as any step of the
//! model needs.

use quotient_ir::Model;
use quotient_report::run::Table;
use quotient_report::source::SourceMap;
use quotient_report::text::{Palette, place, width};
use quotient_report::trace::Step;

use crate::output;

/// So much text is written at once.
const MANY: usize = 1 << 16;

/// Writes the lines of steps to standard output.
pub(crate) struct Lines {
    table: Table,
    palette: Palette,
    text: String,
}

impl Lines {
    /// Lines of this width, under a title.
    pub(crate) fn new(table: Table, title: String, palette: Palette) -> Self {
        Lines { table, palette, text: title }
    }

    /// The line of the next step.
    pub(crate) fn step(&mut self, step: &Step) {
        self.text.push_str(&self.table.step(step, self.palette));
        if self.text.len() >= MANY {
            output::out(&self.text);
            self.text.clear();
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        output::out(&self.text);
    }
}

/// A table that is wide enough for any step of the model.
pub(crate) fn table(model: &Model, sources: &SourceMap) -> Table {
    let mut table = Table { number: 4, who: 0, place: 0, statement: 0 };
    for (_, proctype) in model.process_types() {
        table.who = table.who.max(width(&proctype.name) + 3);
        for statement in &proctype.statements {
            table.place = table.place.max(width(&place(&sources.location(statement.span))));
            table.statement = table.statement.max(width(&statement.text).min(40));
        }
    }
    table
}
