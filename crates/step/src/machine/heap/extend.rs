//! Operations of extensions: the values among their arguments are read as cells, and written back if they have changed.

use quotient_ir::extension::{Alternative, Call, Contents, Stopped};
use quotient_ir::schema::HeapLayout;
use quotient_ir::{Access, Extend, Gives, RecordId};
use quotient_report::source::Span;

use super::super::code::Memory;
use super::super::{FaultKind, Machine, Trap};
use super::execute::at;

/// A call of an operation, whose arguments are in registers.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    extension: usize,
    operation: usize,
    access: Vec<Access>,
    gives: Gives,
    alternative: Alternative,
    span: Span,
}

impl Operation {
    pub(super) fn of(call: &Extend) -> Self {
        let Extend { extension, operation, args: _, ref access, gives, alternative, span } = *call;
        Operation { extension, operation, access: access.clone(), gives, alternative, span }
    }
}

impl Machine<'_, '_> {
    /// Carries out an operation whose arguments begin in a register; gives back its result.
    pub(super) fn extend(&mut self, call: usize, reg: usize) -> Result<i32, Trap> {
        let program = self.program;
        let call = &program.access.calls[call];
        let heap = program.model.heap.as_ref().expect("the model has a heap");
        let mut values = Vec::with_capacity(call.access.len());
        for (&name, access) in self.registers[reg..].iter().zip(&call.access) {
            values.push(access.value().map(|record| self.contents(name, record, call.span)).transpose()?);
        }
        let mut made = match call.gives {
            Gives::New(record) => Some(heap.records[record].nothing()),
            Gives::Number | Gives::Reference => None,
        };
        let args = &self.registers[reg..reg + call.access.len()];
        let result = heap.extensions[call.extension]
            .apply(call.operation, &mut Call::new(args, &mut values, made.as_mut(), call.alternative));
        let result = result.map_err(|stopped| match stopped {
            Stopped::NoAlternative => Trap::Blocked,
            Stopped::Failed(failure) => at(FaultKind::Extension(failure), call.span),
            Stopped::TooMany(most) => at(FaultKind::TooManyAlternatives { most }, call.span),
        })?;
        for (number, (access, value)) in call.access.iter().zip(&values).enumerate() {
            if let (Access::Writes(record), Some(value)) = (access, value) {
                self.replace(self.registers[reg + number], *record, value, call.span)?;
            }
        }
        match (call.gives, made) {
            (Gives::New(record), Some(made)) => {
                self.not_too_long(&made, call.span)?;
                let name = self.make(record, made.len(), call.span)?;
                self.write_cells(self.places.records[name as usize - 1] as usize, record, &made);
                Ok(name)
            }
            _ => Ok(result),
        }
    }

    /// What is in a value, which must be of a type.
    fn contents(&self, name: i32, record: RecordId, span: Span) -> Result<Contents, Trap> {
        let start = self.opened(name, span)?;
        if usize::from(self.work[start]) != record {
            return Err(at(FaultKind::BadCast, span));
        }
        let head = self.program.heap_layout().records[record].fields.len();
        let width = self.program.access.cells[record].len() - head;
        let cells = self.cells(&self.work, start, record).map(|(at, memory)| memory.read(&self.work, at));
        Ok(Contents::of_cells(cells.collect(), head, width))
    }

    /// Where the cells of a value that starts at an offset lie, in order, and how.
    pub(super) fn cells(
        &self,
        bytes: &[u8],
        start: usize,
        record: RecordId,
    ) -> impl Iterator<Item = (usize, Memory)> + use<'_> {
        let layout = &self.program.heap_layout().records[record];
        let (head, entry) = self.program.access.cells[record].split_at(layout.fields.len());
        let first = layout.fields.iter().zip(head).map(move |(&offset, &memory)| (start + offset as usize, memory));
        let rest = layout.entries(bytes, start).flat_map(move |at| {
            layout.entry.iter().zip(entry).map(move |(&(offset, _), &memory)| (at + offset as usize, memory))
        });
        first.chain(rest)
    }

    fn not_too_long(&self, value: &Contents, span: Span) -> Result<(), Trap> {
        let most = self.program.model.heap.as_ref().map_or(0, |heap| heap.most_records);
        if value.len() > most {
            return Err(at(FaultKind::ValueLimit { most: most as u32 }, span));
        }
        Ok(())
    }

    /// Writes the cells of a value where there is room for them.
    fn write_cells(&mut self, start: usize, record: RecordId, value: &Contents) {
        let places: Vec<(usize, Memory)> = self.cells(&self.work, start, record).collect();
        let fields = &self.program.model.heap.as_ref().expect("the model has a heap").records[record];
        for (number, ((at, memory), &cell)) in places.into_iter().zip(value.cells()).enumerate() {
            memory.write(&mut self.work, at, fields.slot(number).scalar.truncate(cell));
        }
    }

    /// Puts something else into a value.
    fn replace(&mut self, name: i32, record: RecordId, value: &Contents, span: Span) -> Result<(), Trap> {
        self.not_too_long(value, span)?;
        let start = self.used(name, span)?;
        let size = self.program.heap_layout().records[record].element.0 as usize;
        let (old, new) = (HeapLayout::length(&self.work, start), value.len());
        if old != new {
            let end = start + self.program.heap_layout().size(&self.work, start);
            match new > old {
                true => self.insert_zeros(end, (new - old) * size),
                false => drop(self.work.drain(end - (old - new) * size..end)),
            }
            self.work[start + 1..start + 3].copy_from_slice(&(new as u16).to_le_bytes());
            self.scan();
        }
        self.write_cells(start, record, value);
        self.places.dirty = true;
        Ok(())
    }
}
