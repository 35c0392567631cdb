//! Types, symbolic constants and variables.

use std::rc::Rc;

use quotient_ir::{Axis, ChannelType, ChannelTypeId, Expr, HeapExpr, Place, Scalar, Scope, Setup, Slot, Sort, Width};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::{Lowering, is_constant, undeclared};
use crate::ast::{self, Decl, Declarator, Initialiser, MessageField, Spec, TypeName, Unit, Visibility};
use crate::symbols::{FieldInfo, FieldInit, Pointee, Structure, Type, Variable};

/// A slot with nothing special about it.
pub(super) static TEMPLATE: Slot = Slot {
    name: String::new(),
    scalar: Scalar { width: Width::Int, sort: Sort::Plain },
    mtype: None,
    hidden: false,
    private: false,
    boxed: false,
};

/// Arrays longer than this are refused rather than attempted.
const LONGEST_ARRAY: i32 = 1 << 20;
/// More slots than this in one component are refused rather than attempted.
const MOST_SLOTS: usize = 1 << 22;
/// The slots of a structure that has been refused.
const TOO_LARGE: usize = usize::MAX;

impl Lowering {
    /// `mtype` and `typedef` declarations.
    pub(super) fn declare_types(&mut self, spec: &Spec) {
        self.declare_records(spec);
        for unit in &spec.units {
            match unit {
                Unit::Mtype(decl) => self.declare_mtype(decl),
                Unit::Typedef(decl) => self.declare_structure(decl),
                Unit::Scalarset(decl) => self.declare_scalarset(decl),
                _ => {}
            }
        }
        self.define_records();
    }

    fn declare_mtype(&mut self, decl: &ast::MtypeDecl) {
        let set_name: Rc<str> = decl.subtype.as_ref().map_or_else(|| "".into(), |n| n.text.clone());
        let set = match self.symbols.mtype_sets.get(&set_name) {
            Some(&set) => set,
            None => {
                self.model.mtypes.push(Vec::new());
                self.symbols.mtype_sets.insert(set_name, self.model.mtypes.len() - 1);
                self.model.mtypes.len() - 1
            }
        };
        // Names are numbered from the last one of a declaration upward.
        for name in decl.names.iter().rev() {
            if let Some(&(_, _, first)) = self.symbols.constants.get(&name.text) {
                self.error(
                    Diagnostic::error(name.span, format!("`{}` is declared twice as an mtype name", name.text))
                        .related(first, "first declared here"),
                );
                continue;
            }
            self.model.mtypes[set].push(name.text.to_string());
            let value = self.model.mtypes[set].len() as i32;
            if value == 256 {
                self.error(Diagnostic::error(name.span, "an mtype has at most 255 names"));
            }
            self.symbols.constants.insert(name.text.clone(), (set, value, name.span));
        }
    }

    fn declare_structure(&mut self, decl: &ast::Typedef) {
        let Some(declared) = &decl.fields else { return };
        let known = self.symbols.structure_names.get(&decl.name.text).copied();
        if let Some(first) = known.filter(|&known| self.symbols.structures[known].defined) {
            let span = self.symbols.structures[first].span;
            self.error(
                Diagnostic::error(decl.name.span, format!("type `{}` is declared twice", decl.name.text))
                    .related(span, "first declared here"),
            );
            return;
        }
        let mut fields: Vec<FieldInfo> = Vec::new();
        let mut slots = 0usize;
        for field in declared {
            if let Some((_, span)) = field.visibility {
                self.error(Diagnostic::error(span, "a field cannot be `hidden`, `show` or `local`"));
            }
            for var in &field.vars {
                let is_taken = self.symbols.taken_fields.contains(&var.name.text);
                let Some((ty, boxed)) = self.declared_type(&field.ty, var, is_taken) else {
                    self.symbols.rejected.insert(var.name.text.clone());
                    continue;
                };
                let length = self.array_length(var);
                if fields.iter().any(|f| f.name == var.name.text) {
                    let message = format!("field `{}` is declared twice", var.name.text);
                    self.error(Diagnostic::error(var.name.span, message));
                }
                let axis = var.length.as_ref().and_then(|length| self.named_set(length));
                if !self.model.declared.sets.is_empty() {
                    self.check_initial(&ty, axis, var);
                }
                let default = self.default_value(&ty);
                let init = match &var.init {
                    None if default != 0 => FieldInit::Value(default),
                    None => FieldInit::Zero,
                    Some(Initialiser::Expr(_)) if default != 0 => FieldInit::Value(default),
                    Some(Initialiser::Expr(e)) => FieldInit::Value(self.constant(e).unwrap_or(0)),
                    Some(Initialiser::Channel { capacity, fields, span }) => {
                        match self.channel_type(&var.name.text, capacity, fields, *span) {
                            Some(channel) => FieldInit::Channel(channel),
                            None => FieldInit::Zero,
                        }
                    }
                    Some(Initialiser::List(_, span)) => {
                        self.error(Diagnostic::error(*span, "a field cannot have a list of initial values"));
                        FieldInit::Zero
                    }
                };
                let init = match boxed {
                    true => FieldInit::Boxed(self.boxed_field(&field.ty, &ty, &init, var.name.span)),
                    false => init,
                };
                let each = self.symbols.stride(&ty, boxed);
                fields.push(FieldInfo { name: var.name.text.clone(), ty, length, axis, slot: slots, boxed, init });
                slots = slots.saturating_add(each.saturating_mul(length.unwrap_or(1)));
                if slots > MOST_SLOTS {
                    if each != TOO_LARGE && slots != TOO_LARGE {
                        self.error(Diagnostic::error(var.name.span, "the structure is too large"));
                    }
                    slots = TOO_LARGE;
                }
            }
        }
        let span = decl.name.span;
        match known {
            Some(known) => {
                let record = self.symbols.structures[known].record;
                self.symbols.structures[known] = Structure { fields, slots, span, record, defined: true };
            }
            None => {
                self.symbols.structures.push(Structure { fields, slots, span, record: None, defined: true });
                self.symbols.structure_names.insert(decl.name.text.clone(), self.symbols.structures.len() - 1);
            }
        }
    }

    /// The type of a declared variable (without its array length).
    pub(super) fn resolve_type(&mut self, ty: &TypeName, var: &Declarator) -> Option<Type> {
        if let Some((width, span)) = var.width {
            if !matches!(ty, TypeName::Unsigned) {
                self.error(Diagnostic::error(span, "only `unsigned` has a width"));
            } else if !(1..=32).contains(&width) {
                self.error(
                    Diagnostic::error(span, format!("a width of {width} bits is out of range"))
                        .help("widths are 1 to 32"),
                );
            }
        }
        if var.pointer {
            return self.pointer_type(ty, var);
        }
        let plain = |width| Some(Type::Scalar(Scalar::plain(width), None));
        match ty {
            // The elements of an array of bits are bytes in SPIN's verifiers, and keep what a byte can hold.
            TypeName::Bit | TypeName::Bool if var.length.is_some() => plain(Width::Byte),
            TypeName::Bit | TypeName::Bool => plain(Width::Bit),
            TypeName::Byte => plain(Width::Byte),
            TypeName::Pid => Some(Type::Scalar(Scalar { width: Width::Byte, sort: Sort::Process }, None)),
            TypeName::Short => plain(Width::Short),
            TypeName::Int => plain(Width::Int),
            TypeName::Unsigned => {
                let Some((width, _)) = var.width else {
                    self.error(
                        Diagnostic::error(var.name.span, format!("`unsigned {}` has no width", var.name.text))
                            .help(format!("write `unsigned {} : 4` for four bits", var.name.text)),
                    );
                    return plain(Width::Unsigned(32));
                };
                plain(Width::Unsigned(width.clamp(1, 32) as u8))
            }
            TypeName::Chan => Some(self.channel_variable()),
            TypeName::Mtype(subtype) => {
                let set = match subtype {
                    None => self.symbols.mtype_sets.get("").copied(),
                    Some(name) => match self.symbols.mtype_sets.get(&name.text) {
                        Some(&set) => Some(set),
                        None => {
                            self.error(undeclared(name, "mtype"));
                            return None;
                        }
                    },
                };
                Some(Type::Scalar(Scalar::plain(Width::Byte), set))
            }
            TypeName::Function => {
                if self.symbols.function_set.is_none() {
                    let message = "there is no function that a variable could hold";
                    self.error(Diagnostic::error(var.name.span, message).help("declare one: `function f() { … }`"));
                    return None;
                }
                Some(Type::Scalar(Scalar::plain(Width::Byte), self.symbols.function_set))
            }
            TypeName::User(name) => match self.symbols.structure_names.get(&name.text) {
                Some(&id) if self.symbols.structures[id].defined => Some(Type::Structure(id)),
                Some(_) => {
                    let message = format!("the fields of `{}` are not known here", name.text);
                    let help = format!("declare a reference, as in `{0} &x`, or define `{0}` before", name.text);
                    self.error(Diagnostic::error(name.span, message).help(help));
                    None
                }
                None if self.symbols.scalarsets.contains_key(&name.text) => self.member_type(&name.text),
                None => {
                    self.error(undeclared(name, "type").help("types are declared with `typedef` before they are used"));
                    None
                }
            },
        }
    }

    fn array_length(&mut self, var: &Declarator) -> Option<usize> {
        let length = var.length.as_ref()?;
        if let Some(set) = self.named_set(length) {
            return Some(self.model.declared.sets[set].size);
        }
        let value = self.constant(length)?;
        if value < 1 {
            self.error(Diagnostic::error(length.span, format!("an array cannot have {value} elements")));
            return Some(1);
        }
        if value > LONGEST_ARRAY {
            self.error(
                Diagnostic::error(length.span, format!("an array of {value} elements is too long"))
                    .help(format!("the longest array has {LONGEST_ARRAY} elements")),
            );
            return Some(1);
        }
        Some(value as usize)
    }

    /// A constant expression's value; it may name a variable with a constant initial value.
    pub(super) fn constant(&mut self, expr: &ast::Expr) -> Option<i32> {
        if let ast::ExprKind::Var(var) = &expr.kind
            && let [field] = &var.path[..]
            && let Some(value) = self.symbols.globals.get(&field.name.text).and_then(|v| v.constant)
        {
            return Some(value);
        }
        let value = self.expr(expr);
        if is_constant(&value) {
            match fold(&value) {
                Some(value) => return Some(value),
                None => self.error(Diagnostic::error(expr.span, "division by zero in a constant")),
            }
        } else {
            self.error(
                Diagnostic::error(expr.span, "a constant is needed here")
                    .help("use a number, a `#define`, or a variable with a constant initial value"),
            );
        }
        None
    }

    fn channel_type(
        &mut self,
        name: &str,
        capacity: &ast::Expr,
        fields: &[MessageField],
        span: Span,
    ) -> Option<ChannelTypeId> {
        let count = self.constant(capacity)?;
        if !(0..=65535).contains(&count) {
            self.error(Diagnostic::error(capacity.span, format!("a channel cannot hold {count} messages")));
            return None;
        }
        let mut scalars = Vec::new();
        let mut mtypes = Vec::new();
        let mut types = Vec::new();
        for MessageField { ty, pointer, indirect, span } in fields {
            if matches!(ty, TypeName::Unsigned) {
                self.error(
                    Diagnostic::error(*span, "`unsigned` cannot be the type of a message field")
                        .help("use `byte`, `short` or `int`"),
                );
                continue;
            }
            let anonymous = Declarator { pointer: *pointer, indirect: *indirect, ..super::dynamic::anonymous(*span) };
            let Some(ty) = self.resolve_type(ty, &anonymous) else { continue };
            self.no_boxes_inside(&ty, *span);
            let mut slots = Vec::new();
            self.symbols.flatten("", &ty, None, &TEMPLATE, &mut slots);
            scalars.extend(slots.iter().map(|slot| slot.scalar));
            mtypes.extend(slots.iter().map(|slot| slot.mtype));
            types.push(ty);
        }
        // A message that is a single bit is a byte in SPIN's verifiers.
        if let [field] = &mut scalars[..]
            && field.width == Width::Bit
        {
            field.width = Width::Byte;
        }
        if scalars.len().saturating_mul(count as usize) > MOST_SLOTS {
            self.error(Diagnostic::error(span, "the channel is too large"));
            return None;
        }
        self.symbols.message_types.insert(self.model.channels.len(), types);
        self.model.channels.push(ChannelType {
            name: name.to_string(),
            capacity: count as usize,
            fields: scalars,
            mtypes,
        });
        let channel = self.model.channels.len() - 1;
        self.add_channel_record(channel, span);
        Some(channel)
    }

    /// Global variables, with how they start.
    pub(super) fn declare_globals(&mut self, spec: &Spec) {
        for unit in &spec.units {
            let Unit::Decl(decl) = unit else { continue };
            for var in &decl.vars {
                let is_taken = decl.visibility.is_none() && self.symbols.taken_variables.contains(&var.name.text);
                let Some((ty, boxed)) = self.declared_type(&decl.ty, var, is_taken) else {
                    self.symbols.rejected.insert(var.name.text.clone());
                    continue;
                };
                let length = self.array_length(var);
                let slot = self.model.globals.len();
                let visibility = decl.visibility.map(|(v, _)| v);
                let template = Slot {
                    hidden: visibility == Some(Visibility::Hidden),
                    private: visibility == Some(Visibility::Local),
                    ..TEMPLATE.clone()
                };
                if !self.check_size(&ty, length, slot, &var.name) {
                    continue;
                }
                match boxed {
                    true => self.symbols.flatten_boxed(&var.name.text, length, &template, &mut self.model.globals),
                    false => {
                        self.symbols.flatten(&var.name.text, &ty, length, &template, &mut self.model.globals);
                    }
                }
                let axis = var.length.as_ref().and_then(|length| self.named_set(length));
                let mut axes = Vec::new();
                self.symbols.axes(&ty, length, axis, slot, 0, &mut axes);
                let axes = axes.into_iter().map(|(slot, dimension, set)| Axis { proctype: None, slot, dimension, set });
                self.model.declared.axes.extend(axes);
                if !self.model.declared.sets.is_empty() {
                    self.check_initial(&ty, axis, var);
                }
                let mut variable = Variable {
                    scope: Scope::Global,
                    slot,
                    ty,
                    length,
                    axis,
                    boxed,
                    channel: None,
                    constant: None,
                    span: var.name.span,
                };
                let setup = self.initialise(&decl.ty, &mut variable, var);
                self.model.setup.extend(setup);
                self.check_name(&var.name);
                if let Some(first) = self.symbols.globals.insert(var.name.text.clone(), variable) {
                    self.error(
                        Diagnostic::error(var.name.span, format!("`{}` is declared twice", var.name.text))
                            .related(first.span, "first declared here"),
                    );
                }
            }
        }
    }

    fn check_size(&mut self, ty: &Type, length: Option<usize>, before: usize, name: &ast::Name) -> bool {
        let each = self.symbols.slots(ty);
        let size = each.saturating_mul(length.unwrap_or(1));
        let fits = before.saturating_add(size) <= MOST_SLOTS;
        // A structure that is too large has been told of where it is declared.
        if !fits && each != TOO_LARGE {
            self.error(Diagnostic::error(name.span, "the variables of the model are too large"));
        }
        if !fits {
            self.symbols.rejected.insert(name.text.clone());
        }
        fits
    }

    fn check_name(&mut self, name: &ast::Name) {
        if let Some(&(_, _, span)) = self.symbols.constants.get(&name.text) {
            self.error(
                Diagnostic::error(name.span, format!("`{}` is already an mtype name", name.text))
                    .related(span, "declared here"),
            );
        }
        if self.symbols.proctypes.contains_key(&name.text) {
            self.error(Diagnostic::error(name.span, format!("`{}` is already a proctype", name.text)));
        }
    }

    /// The steps that give a new variable its initial values; for a scalar also notes a constant one.
    fn initialise(&mut self, ty: &TypeName, variable: &mut Variable, var: &Declarator) -> Vec<Setup> {
        let mut setup = Vec::new();
        if variable.boxed {
            let plain = Variable { boxed: false, slot: 0, ..variable.clone() };
            let values = self.initialise(ty, &mut plain.clone(), var);
            return self.boxed_setup(ty, variable, values);
        }
        let elements = variable.length.unwrap_or(1);
        let is_structure = matches!(variable.ty, Type::Structure(_));
        match &var.init {
            None => {
                let mut inits = Vec::new();
                self.symbols.field_inits(&variable.ty, variable.length, variable.slot, &mut inits);
                let default = self.default_value(&variable.ty);
                if default != 0 {
                    let slots = variable.slot..variable.slot + elements;
                    setup.extend(slots.map(|slot| Setup::Assign(slot, Expr::Const(default))));
                }
                for (slot, init) in inits {
                    setup.push(match init {
                        FieldInit::Value(value) => Setup::Assign(slot, Expr::Const(value)),
                        FieldInit::Channel(channel) => self.channel_setup(slot, channel, var.name.span),
                        FieldInit::Boxed(value) => Setup::Assign(slot, value),
                        FieldInit::Zero => continue,
                    });
                }
            }
            Some(Initialiser::Expr(_) | Initialiser::List(..)) if is_structure => {
                self.error(Diagnostic::error(var.name.span, "a structure cannot have an initial value"));
            }
            Some(Initialiser::Expr(e)) => {
                self.check_initial_value(e, variable);
                let value = self.expr_of(e, &variable.ty);
                if value.runs() {
                    self.error(Diagnostic::error(e.span, "`run` cannot be used in an initialiser"));
                }
                if is_constant(&value) && variable.length.is_none() {
                    variable.constant = fold(&value);
                }
                for element in 0..elements {
                    setup.push(Setup::Assign(variable.slot + element, value.clone()));
                }
            }
            Some(Initialiser::List(values, span)) => {
                self.check_list(values, &variable.ty, *span);
                if variable.length.is_none() {
                    self.error(Diagnostic::error(*span, format!("`{}` is not an array", var.name.text)));
                }
                if values.len() > elements {
                    let message = format!("{} initial values for {elements} elements", values.len());
                    self.error(Diagnostic::error(*span, message));
                }
                // The last value fills what is left.
                let mut last = Expr::Const(0);
                for element in 0..elements {
                    if let Some(value) = values.get(element) {
                        let constant = match self.expr_of(value, &variable.ty) {
                            Expr::Const(constant) => Some(constant),
                            _ => self.constant(value),
                        };
                        last = Expr::Const(constant.unwrap_or(0));
                    }
                    setup.push(Setup::Assign(variable.slot + element, last.clone()));
                }
            }
            Some(Initialiser::Channel { capacity, fields, span }) => {
                let is_channel = match &variable.ty {
                    Type::Scalar(scalar, _) => scalar.sort == Sort::Channel,
                    Type::Pointer(_, to) => *to == Pointee::Channel,
                    Type::Structure(_) => false,
                };
                if !is_channel {
                    self.error(Diagnostic::error(*span, format!("`{}` is not a channel", var.name.text)));
                    return setup;
                }
                if let Some(channel) = self.channel_type(&var.name.text, capacity, fields, *span) {
                    variable.channel = Some(channel);
                    let slots = variable.slot..variable.slot + elements;
                    setup.extend(slots.map(|slot| self.channel_setup(slot, channel, *span)));
                }
            }
        }
        setup
    }

    /// Parameters of the process type being lowered.
    pub(super) fn declare_params(&mut self, decl: &Decl) {
        for var in &decl.vars {
            if var.init.is_some() {
                self.error(Diagnostic::error(var.name.span, "a parameter cannot have an initial value"));
            }
            if var.length.is_some() {
                self.error(
                    Diagnostic::error(var.name.span, "a parameter cannot be an array")
                        .help("pass the elements one by one, or put the array into a typedef"),
                );
            }
            let Some((ty, boxed)) = self.declared_type(&decl.ty, var, self.is_taken(&var.name.text)) else {
                self.symbols.rejected.insert(var.name.text.clone());
                continue;
            };
            match boxed {
                // What is given goes into a box after all parameters have their slots.
                true => self.declare_given(var, &ty),
                false => drop(self.declare_local(var, ty, None, false)),
            }
        }
    }

    pub(super) fn declare_local(
        &mut self,
        var: &Declarator,
        ty: Type,
        length: Option<usize>,
        boxed: bool,
    ) -> Option<Variable> {
        let slot = self.body.slots.len();
        if !self.check_size(&ty, length, slot, &var.name) {
            return None;
        }
        match boxed {
            true => self.symbols.flatten_boxed(&var.name.text, length, &TEMPLATE, &mut self.body.slots),
            false => self.symbols.flatten(&var.name.text, &ty, length, &TEMPLATE, &mut self.body.slots),
        }
        self.check_name(&var.name);
        let axis = var.length.as_ref().and_then(|length| self.named_set(length));
        self.symbols.axes(&ty, length, axis, slot, 0, &mut self.body.axes);
        let variable = Variable {
            scope: Scope::Local,
            slot,
            ty,
            length,
            axis,
            boxed,
            channel: None,
            constant: None,
            span: var.name.span,
        };
        if let Some(first) = self.body.scopes.declare(var.name.text.clone(), variable.clone()) {
            self.error(
                Diagnostic::error(var.name.span, format!("`{}` is declared twice", var.name.text))
                    .related(first.span, "first declared here"),
            );
        }
        if let Some(id) = self.body.proctype
            && !self.complete
        {
            self.symbols.signatures[id].locals.entry(var.name.text.clone()).or_insert_with(|| variable.clone());
        }
        Some(variable)
    }

    /// A declaration inside a body. Before the first statement it belongs to the creation of the process; after that
    /// it is an assignment, one step, even without an initialiser.
    pub(super) fn lower_decl(&mut self, decl: &Decl, sequence: super::elements::SequenceId) {
        if let Some((Visibility::Hidden | Visibility::Local, span)) = decl.visibility {
            self.error(Diagnostic::error(span, "only a global variable can be `hidden` or `local`"));
        }
        for var in &decl.vars {
            let Some((ty, boxed)) = self.declared_type(&decl.ty, var, self.is_taken(&var.name.text)) else {
                self.symbols.rejected.insert(var.name.text.clone());
                continue;
            };
            let length = self.array_length(var);
            // The initialiser is resolved first: it cannot see the variable it initialises.
            let slot = self.body.slots.len();
            if !self.check_size(&ty, length, slot, &var.name) {
                continue;
            }
            if self.checking() {
                let axis = var.length.as_ref().and_then(|length| self.named_set(length));
                self.check_initial(&ty, axis, var);
            }
            let mut probe = Variable {
                scope: Scope::Local,
                slot,
                ty: ty.clone(),
                length,
                axis: None,
                boxed: boxed && self.body.fresh,
                channel: None,
                constant: None,
                span: var.name.span,
            };
            let setup = self.initialise(&decl.ty, &mut probe, var);
            let Some(declared) = self.declare_local(var, ty, length, boxed) else { continue };
            self.body.scopes.declare(var.name.text.clone(), Variable { channel: probe.channel, ..declared.clone() });
            match &var.init {
                Some(Initialiser::Expr(_)) => {
                    let local = |e: &Expr| match e {
                        Expr::Const(_) => true,
                        Expr::Read(place) => place.scope == Scope::Local && place.indices.is_empty(),
                        _ => false,
                    };
                    self.body.global_setup = setup.iter().any(|s| !matches!(s, Setup::Assign(_, e) if local(e)));
                }
                Some(_) => self.body.global_setup = true,
                None => {}
            }
            if self.body.fresh {
                self.body.setup.extend(setup);
                continue;
            }
            if boxed {
                let boxes = self.boxed_setup(&decl.ty, &declared, Vec::new());
                self.body.setup.extend(boxes);
            }
            self.lower_late_decl(var, &declared, setup, sequence);
        }
    }

    fn lower_late_decl(
        &mut self,
        var: &Declarator,
        declared: &Variable,
        setup: Vec<Setup>,
        sequence: super::elements::SequenceId,
    ) {
        use quotient_ir::Action;
        let name = &var.name.text;
        match (&var.init, &declared.ty) {
            (Some(Initialiser::Channel { span, .. }), _)
                if !self.symbols.channels_are_records || declared.length.is_some() =>
            {
                self.error(
                    Diagnostic::error(*span, "a channel must be created before the first statement of a process")
                        .help("move the declaration to the start of the proctype, or make it global"),
                );
            }
            (Some(Initialiser::List(_, span)), _) => {
                self.error(
                    Diagnostic::error(
                        *span,
                        "a list of initial values must come before the first statement of a process",
                    )
                    .help("move the declaration to the start of the proctype"),
                );
            }
            (_, Type::Structure(_)) => {
                // Channels that come and go are there from the start of the process.
                self.body.setup.extend(setup.into_iter().filter(|_| self.symbols.channels_are_records));
                let element = self.body.graph.element(
                    super::elements::Kind::Basic(Action::Skip),
                    var.name.span,
                    format!("{name}"),
                );
                self.body.graph.elements[element].assigned = Some(Expr::Const(0));
                self.body.graph.append(sequence, element);
            }
            (init, Type::Scalar(scalar, _) | Type::Pointer(scalar, _)) => {
                let value = match setup.into_iter().next() {
                    Some(Setup::Assign(_, value)) => value,
                    _ if scalar.sort == Sort::Ref => HeapExpr::Null.into(),
                    _ => Expr::Const(0),
                };
                let text = match init {
                    Some(Initialiser::Expr(e)) => format!("{name} = {e}"),
                    Some(Initialiser::Channel { .. }) => format!("{name} = a new channel"),
                    _ if matches!(scalar.sort, Sort::Member { .. }) => format!("{name} = undef"),
                    _ if scalar.sort == Sort::Ref => format!("{name} = null"),
                    _ => format!("{name} = 0"),
                };
                let assigned = declared.length.map(|_| value.clone());
                let action = match declared.boxed {
                    true => self.set_boxed(declared, value, var.name.span),
                    false => Action::Assign(Place::scalar(Scope::Local, declared.slot, *scalar), value),
                };
                let element = self.body.graph.element(super::elements::Kind::Basic(action), var.name.span, text);
                self.body.graph.elements[element].assigned = assigned;
                self.body.graph.append(sequence, element);
            }
        }
    }
}

/// The value of a constant expression; `None` for a division by zero.
pub(super) fn fold(expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Unary(op, a) => Some(op.apply(fold(a)?)),
        Expr::Binary(op, a, b) => op.apply(fold(a)?, fold(b)?),
        Expr::And(a, b) => Some((fold(a)? != 0 && fold(b)? != 0) as i32),
        Expr::Or(a, b) => Some((fold(a)? != 0 || fold(b)? != 0) as i32),
        Expr::Cond(c, a, b) => {
            if fold(c)? != 0 {
                fold(a)
            } else {
                fold(b)
            }
        }
        _ => None,
    }
}
