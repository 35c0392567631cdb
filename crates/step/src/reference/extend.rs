//! Operations of extensions.

use quotient_ir::extension::{Call, Contents, Stopped};
use quotient_ir::{Access, Extend, Gives, RecordId};

use super::Record;
use super::execute::{Run, Stop};
use crate::FaultKind;

impl Run<'_> {
    /// Carries out an operation; gives back its result.
    pub(super) fn extend(&mut self, call: &Extend) -> Result<i32, Stop> {
        let heap = self.heap_model();
        let args = call.args.iter().map(|arg| self.evaluate(arg)).collect::<Result<Vec<_>, _>>()?;
        let mut values = Vec::new();
        for (&name, access) in args.iter().zip(&call.access) {
            values.push(access.value().map(|record| self.contents(name, record, call)).transpose()?);
        }
        let mut made = match call.gives {
            Gives::New(record) => Some(heap.records[record].nothing()),
            Gives::Number | Gives::Reference => None,
        };
        let extension = &heap.extensions[call.extension];
        let result =
            extension.apply(call.operation, &mut Call::new(&args, &mut values, made.as_mut(), call.alternative));
        let result = result.map_err(|stopped| match stopped {
            Stopped::NoAlternative => Stop::Blocked,
            Stopped::Failed(failure) => self.at(FaultKind::Extension(failure), call.span),
            Stopped::TooMany(most) => self.at(FaultKind::TooManyAlternatives { most }, call.span),
        })?;
        for ((&name, access), value) in args.iter().zip(&call.access).zip(values) {
            if let (Access::Writes(record), Some(value)) = (access, value) {
                self.record_mut(name).values = self.cells(value, *record, call)?;
            }
        }
        match (call.gives, made) {
            (Gives::New(record), Some(made)) => {
                let values = self.cells(made, record, call)?;
                self.make(Record { ty: record, values, ..Record::default() }, call.span)
            }
            _ => Ok(result),
        }
    }

    /// What is in a value, which must be of a type.
    fn contents(&self, name: i32, record: RecordId, call: &Extend) -> Result<Contents, Stop> {
        let found = self.opened(name, call.span)?;
        if found.ty != record {
            return Err(self.at(FaultKind::BadCast, call.span));
        }
        let (head, width) = self.heap_model().records[record].shape();
        Ok(Contents::of_cells(found.values.clone(), head, width))
    }

    /// What is stored of a value.
    fn cells(&self, value: Contents, record: RecordId, call: &Extend) -> Result<Vec<i32>, Stop> {
        let heap = self.heap_model();
        if value.len() > heap.most_records {
            return Err(self.at(FaultKind::ValueLimit { most: heap.most_records as u32 }, call.span));
        }
        let ty = &heap.records[record];
        let cells = value.into_cells().into_iter().enumerate();
        Ok(cells.map(|(number, cell)| ty.slot(number).scalar.truncate(cell)).collect())
    }
}
