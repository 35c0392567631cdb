//! The syntax tree, as the user wrote it after preprocessing and inlining. Names are not resolved here; `resolve`
//! does that. `Display` gives statements and expressions back in one line, as reports show them.

use std::rc::Rc;

use quotient_report::source::Span;

/// A whole specification, in textual order.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// The units.
    pub units: Vec<Unit>,
    /// What addresses are taken of.
    pub taken: Vec<Taken>,
    /// dSPIN's `null` stands somewhere.
    pub has_null: bool,
}

/// A name after `&`.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The number of the body that it stands in, among all bodies of the specification; none for an initial value.
    pub body: Option<usize>,
    /// It names a field.
    pub field: bool,
    /// The name.
    pub name: Rc<str>,
}

/// A top-level unit.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Unit {
    Proctype(Proctype),
    Init(Init),
    Never(Never),
    Trace(Trace),
    Ltl(Ltl),
    Decl(Decl),
    Mtype(MtypeDecl),
    Typedef(Typedef),
    Function(Function),
    Scalarset(ScalarsetDecl),
}

/// A name and where it stands.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: Rc<str>,
    /// Where.
    pub span: Span,
}

/// `[active [n]] proctype name(params) [priority p] [provided (e)] { … }`
#[derive(Clone, Debug)]
pub struct Proctype {
    /// `active` with its optional count.
    pub active: Option<Active>,
    /// `D_proctype`: choices must be deterministic.
    pub deterministic: bool,
    /// The name.
    pub name: Name,
    /// Parameters: declarations without initialisers.
    pub params: Vec<Decl>,
    /// `priority n`
    pub priority: Option<(i32, Span)>,
    /// `provided (e)`
    pub provided: Option<Expr>,
    /// The body.
    pub body: Sequence,
}

/// `active` or `active [n]`
#[derive(Clone, Debug)]
pub struct Active {
    /// The number of instances; `None` is one.
    pub count: Option<Expr>,
    /// Where.
    pub span: Span,
}

/// `init [priority p] { … }`
#[derive(Clone, Debug)]
pub struct Init {
    /// The word `init`.
    pub span: Span,
    /// `priority n`
    pub priority: Option<(i32, Span)>,
    /// The body.
    pub body: Sequence,
}

/// `never [name] { … }`
#[derive(Clone, Debug)]
pub struct Never {
    /// The word `never`.
    pub span: Span,
    /// The optional name.
    pub name: Option<Name>,
    /// The body.
    pub body: Sequence,
}

/// `trace { … }` or `notrace { … }`
#[derive(Clone, Debug)]
pub struct Trace {
    /// The word.
    pub span: Span,
    /// `notrace`
    pub negated: bool,
    /// The body.
    pub body: Sequence,
}

/// `ltl [name] { formula }`
#[derive(Clone, Debug)]
pub struct Ltl {
    /// The word `ltl`.
    pub span: Span,
    /// The optional name.
    pub name: Option<Name>,
    /// The formula.
    pub formula: Expr,
}

/// `mtype [: subtype] [=] { a, b, c }`
#[derive(Clone, Debug)]
pub struct MtypeDecl {
    /// The word `mtype`.
    pub span: Span,
    /// The named subtype.
    pub subtype: Option<Name>,
    /// The names, in textual order.
    pub names: Vec<Name>,
}

/// `typedef Name { fields }`, or `typedef Name;` before it is known what the fields are.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// The name.
    pub name: Name,
    /// The fields; none if only the name is declared.
    pub fields: Option<Vec<Decl>>,
}

/// `function name(params) [: type [&]] { … }`
#[derive(Clone, Debug)]
pub struct Function {
    /// The name.
    pub name: Name,
    /// Parameters: declarations without initialisers.
    pub params: Vec<Decl>,
    /// The type of its result, as that of a variable without a name.
    pub result: Option<(TypeName, Declarator)>,
    /// The body.
    pub body: Sequence,
}

/// `scalarset Name[size]`: a type whose values differ by name only.
#[derive(Clone, Debug)]
pub struct ScalarsetDecl {
    /// The name.
    pub name: Name,
    /// How many members it has.
    pub size: Expr,
}

/// `hidden`, `show` or `local` before a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Visibility {
    Hidden,
    Show,
    Local,
}

/// A type as written.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum TypeName {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    Chan,
    Mtype(Option<Name>),
    User(Name),
    /// `ftype`: a function.
    Function,
}

/// One declaration: a type and its variables.
#[derive(Clone, Debug)]
pub struct Decl {
    /// Where the type stands.
    pub span: Span,
    /// `hidden`, `show`, `local`
    pub visibility: Option<(Visibility, Span)>,
    /// The type.
    pub ty: TypeName,
    /// The variables.
    pub vars: Vec<Declarator>,
}

/// `name`, `name : width`, `name[n]`, `&name`, each with an optional initialiser.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// `&`: it refers to something of the type.
    pub pointer: bool,
    /// `& &`: it refers to a variable that does.
    pub indirect: bool,
    /// The name.
    pub name: Name,
    /// `: width`, for `unsigned`.
    pub width: Option<(i32, Span)>,
    /// `[length]`: a constant expression, or the name of an initialised variable.
    pub length: Option<Expr>,
    /// The initialiser.
    pub init: Option<Initialiser>,
}

/// What follows `=` in a declaration.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Initialiser {
    Expr(Expr),
    /// `{ 1, 2, 3 }`
    List(Vec<Expr>, Span),
    /// `[capacity] of { types }`
    Channel {
        capacity: Expr,
        fields: Vec<MessageField>,
        span: Span,
    },
}

/// The type of a field of messages.
#[derive(Clone, Debug)]
pub struct MessageField {
    /// The type.
    pub ty: TypeName,
    /// `&`: it is a reference.
    pub pointer: bool,
    /// `& &`: it refers to a variable that is one.
    pub indirect: bool,
    /// Where it is written.
    pub span: Span,
}

/// Statements between braces, or after `::`.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The steps; never empty after a successful parse.
    pub steps: Vec<Step>,
    /// From the opening brace (or `::`) on.
    pub open: Span,
    /// The closing brace; for an option, the last token of it.
    pub close: Span,
}

/// One element of a sequence.
#[derive(Clone, Debug)]
#[allow(missing_docs, clippy::large_enum_variant)] // A sequence is short-lived and most steps are statements.
pub enum Step {
    Decl(Decl),
    /// `xr c, d` (receive) or `xs c` (send)
    Exclusive {
        receive: bool,
        channels: Vec<VarRef>,
        span: Span,
    },
    Stmt(Stmt),
    Unless {
        body: Stmt,
        escape: Stmt,
        span: Span,
    },
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// All of it.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum StmtKind {
    /// `label: stmt`; the statement is absent in `label: }`.
    Labelled(Name, Option<Box<Stmt>>),
    Assign(VarRef, Expr),
    Increment(VarRef),
    Decrement(VarRef),
    Send {
        channel: VarRef,
        args: Vec<Expr>,
        sorted: bool,
    },
    /// `c?…`, `c??…` (random), `c?<…>` (copy), `c??<…>` (both)
    Receive {
        channel: VarRef,
        args: Vec<RecvArg>,
        random: bool,
        copy: bool,
    },
    If(Vec<Sequence>),
    Do(Vec<Sequence>),
    /// `for (v : from .. to) { … }`
    ForRange {
        var: VarRef,
        from: Expr,
        to: Expr,
        body: Sequence,
    },
    /// `for (v in array_or_channel) { … }`
    ForIn {
        var: VarRef,
        collection: VarRef,
        body: Sequence,
    },
    /// `for (v : T) { … }`, once for each member of a scalarset, in any order and in one step.
    ForEach {
        var: Name,
        set: Name,
        body: Sequence,
    },
    /// `select (v : T)`, a choice between the members of a scalarset.
    Choose {
        var: VarRef,
        set: Name,
    },
    /// `select (v : from .. to)`
    Select {
        var: VarRef,
        from: Expr,
        to: Expr,
    },
    Break,
    Goto(Name),
    Assert(Expr),
    Printf {
        format: Rc<str>,
        args: Vec<Expr>,
    },
    Printm(Expr),
    /// An expression used as a condition (also `skip`, `timeout`, `run p()`).
    Expr(Expr),
    Else,
    Atomic(Sequence),
    DStep(Sequence),
    Block(Sequence),
    /// The body of an inline after substitution; `id` is different for every call, so that labels inside are too.
    Inlined {
        name: Name,
        id: u32,
        /// Words in the arguments; SPIN takes the variables among them for read.
        mentioned: Vec<Name>,
        body: Sequence,
    },
    SetPriority(Expr, Expr),
    /// `target = new T`, `target = new T[length]`
    New {
        target: VarRef,
        made: Made,
    },
    /// `delete p`
    Delete(VarRef),
    /// `f(args)`, `target = f(args)`
    Call {
        target: Option<VarRef>,
        call: Call,
    },
    Return(Returned),
}

/// `new T`, `new T[length]`
#[derive(Clone, Debug)]
pub struct Made {
    /// The type.
    pub ty: TypeName,
    /// How many elements there are.
    pub length: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// `f(args)`
#[derive(Clone, Debug)]
pub struct Call {
    /// The function, or the variable that it is called through.
    pub name: Name,
    /// What holds the function, if it is called through a variable.
    pub through: Option<VarRef>,
    /// The arguments.
    pub args: Vec<Expr>,
    /// All of it.
    pub span: Span,
}

/// What a function returns.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Returned {
    Nothing,
    Value(Expr),
    Made(Made),
    Call(Call),
}

/// An argument of a receive or a poll.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum RecvArg {
    /// A variable to store into, an `mtype` constant to match, or `_`; `resolve` tells which.
    Var(VarRef),
    Const(i32, Span),
    Eval(Expr),
}

/// `a`, `a[i]`, `a.b[j].c`
#[derive(Clone, Debug)]
pub struct VarRef {
    /// The parts, at least one.
    pub path: Vec<Field>,
    /// All of it.
    pub span: Span,
}

/// A name with an optional index.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name.
    pub name: Name,
    /// The index.
    pub index: Option<Box<Expr>>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum ExprKind {
    /// A number, `true`, `false` or `skip`.
    Const(i32),
    /// A variable or an `mtype` constant.
    Var(VarRef),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    Run {
        proctype: Name,
        args: Vec<Expr>,
        priority: Option<(i32, Span)>,
    },
    Len(VarRef),
    Probe(Probe, VarRef),
    /// `forall (i : T) (e)`, `exists (i : T) (e)`, `count (i : T) (e)`
    Quantified {
        quantifier: Quantifier,
        var: Name,
        set: Name,
        body: Box<Expr>,
    },
    /// `c?[…]` and `c??[…]`
    Poll {
        channel: VarRef,
        args: Vec<RecvArg>,
        random: bool,
    },
    Enabled(Box<Expr>),
    PcValue(Box<Expr>),
    GetPriority(Box<Expr>),
    Timeout,
    /// `np_`
    NonProgress,
    /// `null`
    Null,
    /// `&x`
    Address(VarRef),
    /// `P[pid]@label`, `P@label`
    RemoteLabel {
        proctype: Name,
        pid: Option<Box<Expr>>,
        label: Name,
    },
    /// `P[pid]:var`, `P:var`
    RemoteVar {
        proctype: Name,
        pid: Option<Box<Expr>>,
        var: VarRef,
    },
}

/// What is said of the members of a scalarset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `forall`: it holds for each of them.
    All,
    /// `exists`: it holds for one of them at least.
    Some,
    /// `count`: for how many it holds.
    Count,
}

/// `full`, `nfull`, `empty`, `nempty`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Probe {
    Full,
    Nfull,
    Empty,
    Nempty,
}

/// Unary operators; the last three are temporal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Not,
    Neg,
    BitNot,
    Always,
    Eventually,
    Next,
}

/// Binary operators; the last five are for `ltl` formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitXor,
    BitOr,
    Gt,
    Lt,
    Ge,
    Le,
    Eq,
    Ne,
    And,
    Or,
    Shl,
    Shr,
    Until,
    WeakUntil,
    Release,
    Implies,
    Equivalent,
}
