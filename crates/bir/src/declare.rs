//! What a system declares: names, types, records with what they extend, threads, functions and tables. Bodies come later,
//! in `lower`.

mod tables;
mod values;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use quotient_extension::{Extension, Registry};
use quotient_ir::{RecordId, RecordKind};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use crate::ast::{self, Activation, Code, Expr, Fun, Member, Name, System, Type, TypeKind};
use crate::constants::Constants;
use crate::types::{EnumInfo, Range, RecordInfo, Ty, Types};

/// Messages after this many would not be read.
const MAX_DIAGNOSTICS: usize = 100;

/// The most threads that a model can begin with.
const MOST_ACTIVE: i32 = 200;

/// So many numbers can be come back to without an overflow on the way.
const MOST_WRAPPED: i64 = 1 << 30;

/// What a name of the system stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    Const,
    Enum(usize),
    Record(RecordId),
    Extension(usize),
    Alias(usize),
    Global(usize),
    /// A thread or function, by its number.
    Code(usize),
    Virtual(usize),
    Fun(usize),
}

/// A global variable.
pub(crate) struct Global<'a> {
    pub name: &'a Name,
    pub ty: Ty,
    pub init: Option<&'a Expr>,
}

/// A thread or a function.
pub(crate) struct Routine<'a> {
    pub code: &'a Code,
    pub params: Vec<Ty>,
    /// Of a function: what it gives back. `None` for a thread.
    pub returns: Option<Option<Ty>>,
    /// How many instances there are at the beginning.
    pub active: usize,
}

impl Routine<'_> {
    pub(crate) fn is_thread(&self) -> bool {
        self.returns.is_none()
    }
}

/// A table of functions by record.
pub(crate) struct Table {
    pub entries: Vec<(RecordId, usize)>,
}

/// An expression with parameters.
pub(crate) struct FunInfo<'a> {
    pub fun: &'a Fun,
    pub params: Vec<Ty>,
    pub returns: Ty,
}

/// Everything that the system declares.
#[derive(Default)]
pub(crate) struct Declared<'a> {
    pub types: Types,
    pub constants: Constants,
    pub symbols: HashMap<Rc<str>, (Symbol, Span)>,
    pub extensions: Vec<&'a ast::Extension>,
    /// What implements them, and all that there is.
    pub implementations: Vec<Option<Arc<dyn Extension>>>,
    registry: Registry,
    pub globals: Vec<Global<'a>>,
    pub routines: Vec<Routine<'a>>,
    pub tables: Vec<Table>,
    pub funs: Vec<FunInfo<'a>>,
    aliases: Vec<(&'a Type, &'a Name, bool)>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Collects what a system declares.
pub(crate) fn declare<'a>(system: &'a System, options: &crate::Options) -> Declared<'a> {
    let defines = &options.defines;
    let mut declared = Declared { registry: options.extensions.clone(), ..Declared::default() };
    declared.names(system);
    for member in &system.members {
        if let Member::Const(block) = member {
            declared.constants.declare(block, defines, &mut declared.diagnostics);
        }
    }
    declared.constants.check_defines(defines, &mut declared.diagnostics);
    declared.records(system);
    declared.rest(system);
    declared.virtual_tables(system);
    declared
}

impl<'a> Declared<'a> {
    pub(crate) fn tell(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS && !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.tell(Diagnostic::error(span, message));
    }

    fn name(&mut self, name: &Name, symbol: Symbol) {
        match self.symbols.get(&name.text) {
            Some(&(_, first)) => {
                let problem = Diagnostic::error(name.span, format!("`{}` is declared twice", name.text));
                self.tell(problem.related(first, "first declared here"));
            }
            None => {
                self.symbols.insert(name.text.clone(), (symbol, name.span));
            }
        }
    }

    /// Gives every name its number.
    fn names(&mut self, system: &'a System) {
        let (mut globals, mut codes, mut tables, mut funs) = (0, 0, 0, 0);
        let next = |counter: &mut usize| {
            *counter += 1;
            *counter - 1
        };
        for member in &system.members {
            match member {
                Member::Const(block) => self.name(&block.name, Symbol::Const),
                Member::Enum(one) => {
                    let id = self.types.enums.len();
                    self.name(&one.name, Symbol::Enum(id));
                    let values = one.values.iter().map(|value| value.text.clone()).collect();
                    self.types.enums.push(EnumInfo { name: one.name.text.clone(), values });
                    self.no_twins(&one.values);
                }
                Member::Record(record) => {
                    let id = self.types.records.len();
                    self.name(&record.name, Symbol::Record(id));
                    self.types.records.push(RecordInfo {
                        name: record.name.text.clone(),
                        fields: Vec::new(),
                        supers: Vec::new(),
                        kind: RecordKind::Object,
                        throwable: record.throwable,
                        monitor: false,
                        value: None,
                        span: record.name.span,
                    });
                }
                Member::Extension(extension) => {
                    self.name(&extension.name, Symbol::Extension(self.extensions.len()));
                    self.extensions.push(extension);
                    let registry = self.registry.clone();
                    self.implementations.push(registry.find(&extension.class.text).cloned());
                    crate::extensions::check(extension, &registry, &mut |problem| self.tell(problem));
                }
                Member::Alias(ty, name) => {
                    self.name(name, Symbol::Alias(self.aliases.len()));
                    self.aliases.push((ty, name, false));
                }
                Member::Global(variable) => self.name(&variable.name, Symbol::Global(next(&mut globals))),
                Member::Thread(thread) => self.name(&thread.code.name, Symbol::Code(next(&mut codes))),
                Member::Function(function) => self.name(&function.code.name, Symbol::Code(next(&mut codes))),
                Member::Virtual(table) => self.name(&table.name, Symbol::Virtual(next(&mut tables))),
                Member::Fun(fun) => self.name(&fun.name, Symbol::Fun(next(&mut funs))),
                // Formulas have names of their own.
                Member::Claim(_) => {}
            }
        }
    }

    /// Says which names occur twice in a list.
    pub(crate) fn no_twins<'n>(&mut self, names: impl IntoIterator<Item = &'n Name>) {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for name in names {
            if let Some(&first) = seen.get(&*name.text) {
                let problem = Diagnostic::error(name.span, format!("`{}` is declared twice", name.text));
                self.tell(problem.related(first, "first declared here"));
            } else {
                seen.insert(&name.text, name.span);
            }
        }
    }

    /// What a name stands for.
    pub(crate) fn symbol(&self, name: &Name) -> Option<Symbol> {
        self.symbols.get(&name.text).map(|&(symbol, _)| symbol)
    }

    /// The functions, each with its number where it is a value: from 1 on, since 0 is none.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (i32, usize)> {
        let functions = self.routines.iter().enumerate().filter(|(_, routine)| !routine.is_thread());
        (1..).zip(functions.map(|(id, _)| id))
    }

    /// A function as a value.
    pub(crate) fn function_value(&self, id: usize) -> Option<(i32, Ty)> {
        let (number, _) = self.numbered().find(|&(_, other)| other == id)?;
        let Routine { params, returns, .. } = &self.routines[id];
        Some((number, Ty::Function(params.clone(), returns.clone().flatten().map(Box::new))))
    }

    /// A record by name.
    pub(crate) fn record(&mut self, name: &Name) -> Option<RecordId> {
        match self.symbol(name) {
            Some(Symbol::Record(id)) => Some(id),
            Some(Symbol::Alias(_)) => {
                let ty = Type { kind: TypeKind::Named(name.clone()), span: name.span };
                match self.ty(&ty) {
                    Ty::Ref(id) if self.types.records[id].kind == RecordKind::Object => Some(id),
                    Ty::Error => None,
                    _ => {
                        self.error(name.span, format!("`{}` is not a record", name.text));
                        None
                    }
                }
            }
            Some(_) => {
                self.error(name.span, format!("`{}` is not a record", name.text));
                None
            }
            None => {
                self.error(name.span, format!("record `{}` is not declared", name.text));
                None
            }
        }
    }

    // ---- types ----

    /// A type as it is meant.
    pub(crate) fn ty(&mut self, ty: &Type) -> Ty {
        match &ty.kind {
            TypeKind::Boolean => Ty::Boolean,
            TypeKind::Int(None) => Ty::Int(None),
            TypeKind::Int(Some(range)) => self.range(range, ty.span),
            TypeKind::Tid => self.types.tid(ty.span),
            TypeKind::Lock => self.types.lock(ty.span),
            TypeKind::String => self.refuse(ty.span, "string"),
            TypeKind::Refused(name) => self.refuse(ty.span, name),
            TypeKind::Named(name) => self.named(name),
            TypeKind::Array(element) => match self.ty(element) {
                Ty::Error => Ty::Error,
                element => self.types.array(&element, ty.span),
            },
            TypeKind::Extension(extension, name, types) => self.extension_type(extension, name, types, ty.span),
            TypeKind::Function(params, result) => {
                let params = params.iter().map(|ty| self.ty(ty)).collect();
                Ty::Function(params, result.as_ref().map(|ty| Box::new(self.ty(ty))))
            }
            TypeKind::Variable => {
                self.error(ty.span, "a type variable can only stand in an extension");
                Ty::Error
            }
        }
    }

    fn refuse(&mut self, span: Span, name: &str) -> Ty {
        self.error(span, format!("type `{name}` is not supported"));
        Ty::Error
    }

    fn named(&mut self, name: &Name) -> Ty {
        match self.symbol(name) {
            Some(Symbol::Enum(id)) => Ty::Enum(id),
            Some(Symbol::Record(id)) => Ty::Ref(id),
            Some(Symbol::Alias(id)) => {
                let (ty, _, busy) = self.aliases[id];
                if busy {
                    self.error(name.span, format!("type `{}` is defined by itself", name.text));
                    return Ty::Error;
                }
                self.aliases[id].2 = true;
                let ty = self.ty(ty);
                self.aliases[id].2 = false;
                ty
            }
            Some(_) => {
                self.error(name.span, format!("`{}` is not a type", name.text));
                Ty::Error
            }
            None => {
                self.error(name.span, format!("type `{}` is not declared", name.text));
                Ty::Error
            }
        }
    }

    fn range(&mut self, range: &ast::IntRange, span: Span) -> Ty {
        let limits = (self.constants.integer(&range.low), self.constants.integer(&range.high));
        let (low, high) = match limits {
            (Ok(low), Ok(high)) => (low, high),
            (Err(problem), _) | (_, Err(problem)) => {
                self.tell(problem);
                return Ty::Error;
            }
        };
        if low > high {
            self.error(span, format!("the range from {low} to {high} is empty"));
            return Ty::Error;
        }
        if low > 0 || high < 0 {
            self.tell(
                Diagnostic::error(span, "the range does not contain 0")
                    .help("variables and fields are 0 at the beginning"),
            );
            return Ty::Error;
        }
        let count = i64::from(high) - i64::from(low) + 1;
        if range.wrap && count > MOST_WRAPPED && count < 1 << 32 {
            self.error(span, format!("a range with `wrap` has at most {MOST_WRAPPED} numbers, or all of them"));
            return Ty::Error;
        }
        Ty::Int(Some(Range { low, high, wrap: range.wrap }))
    }

    // ---- records ----

    /// What records extend, and their fields.
    fn records(&mut self, system: &'a System) {
        let record_of = |member: &'a Member| match member {
            Member::Record(record) => Some(record),
            _ => None,
        };
        let records: Vec<&ast::Record> = system.members.iter().filter_map(record_of).collect();
        for (id, record) in records.iter().enumerate() {
            if record.top {
                match self.types.top {
                    None => self.types.top = Some(id),
                    Some(first) => {
                        let problem = Diagnostic::error(record.name.span, "there are two top records");
                        self.tell(problem.related(self.types.records[first].span, "the first is here"));
                    }
                }
            }
        }
        for (id, record) in records.iter().enumerate() {
            if record.top && !record.supers.is_empty() {
                self.error(record.supers[0].span, "a top record extends nothing");
                continue;
            }
            if !record.top && record.supers.is_empty() && self.types.top.is_some() {
                let problem = format!("record `{}` extends nothing, but there is a top record", record.name.text);
                let top = self.types.top.map_or(String::new(), |top| self.types.records[top].name.to_string());
                self.tell(Diagnostic::error(record.name.span, problem).help(format!("write `extends {top}`")));
            }
            for above in &record.supers {
                let Some(other) = self.record(above) else { continue };
                if self.types.is_a(other, id) {
                    self.error(above.span, format!("record `{}` extends itself", record.name.text));
                } else {
                    self.types.records[id].supers.push(other);
                }
            }
        }
        // Those that are extended come first.
        let mut done = vec![false; records.len()];
        for id in 0..records.len() {
            self.fields(id, &records, &mut done);
        }
    }

    fn fields(&mut self, id: RecordId, records: &[&'a ast::Record], done: &mut [bool]) {
        if std::mem::replace(&mut done[id], true) {
            return;
        }
        let mut fields: Vec<(Rc<str>, Ty)> = Vec::new();
        for above in self.types.records[id].supers.clone() {
            self.fields(above, records, done);
            let inherited = self.types.records[above].fields.clone();
            if self.types.records[above].throwable {
                self.types.records[id].throwable = true;
            }
            match (fields.is_empty(), inherited.is_empty()) {
                (true, _) => fields = inherited,
                (false, true) => {}
                (false, false) => {
                    let name = &records[id].name;
                    let message = format!("record `{}` extends two records that have fields", name.text);
                    self.error(name.span, message);
                }
            }
        }
        for (ty, name) in &records[id].fields {
            if fields.iter().any(|(known, _)| *known == name.text) {
                self.error(name.span, format!("field `{}` is declared twice", name.text));
            } else {
                fields.push((name.text.clone(), self.ty(ty)));
            }
        }
        self.types.records[id].fields = fields;
    }

    // ---- the rest ----

    fn rest(&mut self, system: &'a System) {
        for id in 0..self.aliases.len() {
            let (ty, ..) = self.aliases[id];
            self.aliases[id].2 = true;
            self.ty(ty);
            self.aliases[id].2 = false;
        }
        for member in &system.members {
            match member {
                Member::Global(variable) => {
                    let ty = self.ty(&variable.ty);
                    self.globals.push(Global { name: &variable.name, ty, init: variable.init.as_ref() });
                }
                Member::Thread(thread) => {
                    let active = self.active(&thread.activation);
                    if active > 0 && !thread.code.params.is_empty() {
                        let span = thread.code.params[0].1.span;
                        self.error(span, "a thread that is there at the beginning has no parameters");
                    }
                    let params = self.params(&thread.code.params);
                    self.routines.push(Routine { code: &thread.code, params, returns: None, active });
                }
                Member::Function(function) => {
                    let returns = function.returns.as_ref().map(|ty| self.ty(ty));
                    let params = self.params(&function.code.params);
                    self.routines.push(Routine { code: &function.code, params, returns: Some(returns), active: 0 });
                }
                Member::Fun(fun) => {
                    let returns = self.ty(&fun.returns);
                    let params = self.params(&fun.params);
                    self.funs.push(FunInfo { fun, params, returns });
                }
                _ => {}
            }
        }
        let active: usize = self.routines.iter().map(|routine| routine.active).sum();
        if active == 0 && self.diagnostics.is_empty() {
            self.tell(
                Diagnostic::error(system.name.span, "the system has no thread at the beginning")
                    .help("write `main thread` or `active thread` for one of them"),
            );
        }
        if active > MOST_ACTIVE as usize {
            self.error(system.name.span, format!("there are more than {MOST_ACTIVE} threads at the beginning"));
        }
    }

    fn params(&mut self, params: &'a [(Type, Name)]) -> Vec<Ty> {
        self.no_twins(params.iter().map(|(_, name)| name));
        params.iter().map(|(ty, _)| self.ty(ty)).collect()
    }

    fn active(&mut self, activation: &Activation) -> usize {
        let count = match activation {
            Activation::Started => return 0,
            Activation::Main | Activation::Active(None) => return 1,
            Activation::Active(Some(count)) => count,
        };
        match self.constants.integer(count) {
            Ok(value @ 1..=MOST_ACTIVE) => value as usize,
            Ok(value) => {
                self.error(count.span, format!("{value} threads: there can be 1 to {MOST_ACTIVE}"));
                1
            }
            Err(problem) => {
                self.tell(problem);
                1
            }
        }
    }
}
