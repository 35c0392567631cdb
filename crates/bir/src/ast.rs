//! The syntax tree of BIR. Every part has its place; texts of statements are taken from the source.

use std::rc::Rc;

use quotient_report::source::Span;

/// A name where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub text: Rc<str>,
    pub span: Span,
}

/// A whole model.
#[derive(Clone, Debug)]
pub(crate) struct System {
    pub name: Name,
    pub members: Vec<Member>,
}

/// What a system is made of.
#[derive(Clone, Debug)]
pub(crate) enum Member {
    Const(ConstBlock),
    Enum(Enum),
    Record(Record),
    Extension(Extension),
    Alias(Type, Name),
    Global(Variable),
    Thread(Thread),
    Function(Function),
    Virtual(Virtual),
    Fun(Fun),
    Claim(Claim),
}

/// `ltl live { [] (want => <> got) }`
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub name: Name,
    pub formula: Formula,
}

/// A temporal formula.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    pub kind: FormulaKind,
    pub span: Span,
}

/// Kinds of formulas.
#[derive(Clone, Debug)]
pub(crate) enum FormulaKind {
    /// What is said of a state.
    State(Box<Expr>),
    /// An operator and its operands.
    Operator(Temporal, Vec<Formula>),
}

/// Operators of formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Temporal {
    Not,
    And,
    Or,
    Implies,
    Equivalent,
    Always,
    Eventually,
    Next,
    Until,
    WeakUntil,
    Release,
}

/// `const C { N = 3; }`
#[derive(Clone, Debug)]
pub(crate) struct ConstBlock {
    pub name: Name,
    pub entries: Vec<(Name, Expr)>,
}

/// `enum Color { RED, GREEN }`
#[derive(Clone, Debug)]
pub(crate) struct Enum {
    pub name: Name,
    pub values: Vec<Name>,
}

/// `record Fork extends Object { boolean isHeld; }`
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub name: Name,
    pub top: bool,
    pub throwable: bool,
    pub supers: Vec<Name>,
    pub fields: Vec<(Type, Name)>,
}

/// `extension Set for quotient.Set { … }`
#[derive(Clone, Debug)]
pub(crate) struct Extension {
    pub name: Name,
    /// What implements it, with its dots.
    pub class: Name,
    pub entries: Vec<ExtensionEntry>,
}

/// What an extension declares.
#[derive(Clone, Debug)]
pub(crate) struct ExtensionEntry {
    pub kind: EntryKind,
    pub name: Name,
    /// How many type variables there are.
    pub variables: usize,
    /// What an operation takes; whether the last one stands for any number of arguments; and what it gives back.
    pub params: Vec<Type>,
    pub repeats: bool,
    pub result: Option<Type>,
}

/// Kinds of what an extension declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Type,
    Expression,
    Action,
}

/// A global or local variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub ty: Type,
    pub name: Name,
    pub init: Option<Expr>,
}

/// How instances of a thread come about.
#[derive(Clone, Debug)]
pub(crate) enum Activation {
    /// By `start` only.
    Started,
    /// One, at the beginning.
    Main,
    /// Some, at the beginning.
    Active(Option<Expr>),
}

/// A thread.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub activation: Activation,
    pub code: Code,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub returns: Option<Type>,
    pub code: Code,
}

/// What threads and functions have in common.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub name: Name,
    pub params: Vec<(Type, Name)>,
    pub locals: Vec<Variable>,
    pub body: Body,
    /// The closing brace.
    pub end: Span,
}

/// A body in one of the two forms.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    Low { locations: Vec<Location>, catches: Vec<Catch> },
    High(Vec<Stmt>),
}

/// `loc l0: live {x} …`
#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub name: Name,
    pub live: Option<Vec<Name>>,
    pub transformations: Vec<Transformation>,
}

/// A way out of a location.
#[derive(Clone, Debug)]
pub(crate) struct Transformation {
    pub guard: Option<Expr>,
    pub work: Work,
    pub jump: Jump,
    /// Without the jump.
    pub span: Span,
}

/// What a transformation does.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    Actions { invisible: bool, actions: Vec<Action> },
    Invoke(Box<Invoke>),
}

/// Where a transformation leads.
#[derive(Clone, Debug)]
pub(crate) struct Jump {
    pub kind: JumpKind,
    pub span: Span,
}

/// Kinds of jumps.
#[derive(Clone, Debug)]
pub(crate) enum JumpKind {
    Goto(Name),
    Return(Option<Expr>),
}

/// `catch Failed e at l1, l2 goto l3;`
#[derive(Clone, Debug)]
pub(crate) struct Catch {
    pub record: Name,
    pub variable: Name,
    pub locations: Vec<Name>,
    pub target: Name,
}

/// `x := invoke f(a)`
#[derive(Clone, Debug)]
pub(crate) struct Invoke {
    pub result: Option<Expr>,
    pub is_virtual: bool,
    pub name: Name,
    /// Where the function is, if it is a part of a record: `p.act` or `all[i]`; the name is the first then.
    pub through: Option<Expr>,
    pub args: Vec<Expr>,
}

/// A high-level statement.
#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub kind: StmtKind,
    /// Of a compound statement, its head.
    pub span: Span,
}

/// A guarded sequence.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub guard: Option<Expr>,
    pub body: Vec<Stmt>,
    /// The guard with its keyword.
    pub span: Span,
}

/// A handler of a `try`.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    pub record: Name,
    pub variable: Name,
    pub body: Vec<Stmt>,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    Atomic(Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    If(Vec<Branch>, Option<Vec<Stmt>>),
    Choose(Vec<Branch>, Option<Vec<Stmt>>),
    Try(Vec<Stmt>, Vec<Handler>),
    Invoke(Invoke),
    Return(Option<Expr>),
    Skip,
    /// `whole` is for `<action>`: one step.
    Action {
        action: Action,
        whole: bool,
    },
}

/// An action.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub kind: ActionKind,
    pub span: Span,
}

/// Kinds of actions.
#[derive(Clone, Debug)]
pub(crate) enum ActionKind {
    Assign(Expr, Expr),
    Assert(Expr),
    Assume(Expr),
    Monitor(MonitorOp, Expr),
    Throw(Expr),
    Start { result: Option<Expr>, name: Name, args: Vec<Expr> },
    Exit,
    Extension(ExtensionCall),
}

/// What is done to a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MonitorOp {
    Lock,
    Unlock,
    Wait,
    Unwait,
    Notify,
    NotifyAll,
}

/// What is asked about a lock or a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MonitorTest {
    LockAvailable,
    HasLock,
    WasNotified,
    ThreadTerminated,
}

/// `Set.add<Job>(jobs, j)`
#[derive(Clone, Debug)]
pub(crate) struct ExtensionCall {
    pub extension: Name,
    pub operation: Name,
    pub types: Vec<Type>,
    pub args: Vec<Expr>,
}

/// `virtual perform on Job { Job -> ok … }`
#[derive(Clone, Debug)]
pub(crate) struct Virtual {
    pub name: Name,
    pub on: Option<Name>,
    pub entries: Vec<(Name, Name)>,
}

/// `fun f(int x) returns int = x + 1;`
#[derive(Clone, Debug)]
pub(crate) struct Fun {
    pub name: Name,
    pub params: Vec<(Type, Name)>,
    pub returns: Type,
    pub body: Expr,
}

/// A type as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

/// Kinds of types.
#[derive(Clone, Debug)]
pub(crate) enum TypeKind {
    Boolean,
    Int(Option<IntRange>),
    Tid,
    Lock,
    String,
    /// A type of BIR that models cannot have here.
    Refused(&'static str),
    Named(Name),
    Array(Box<Type>),
    Extension(Name, Name, Vec<Type>),
    /// `fun (int, Node) returns Node`
    Function(Vec<Type>, Option<Box<Type>>),
    /// `` `a ``, in extensions only.
    Variable,
}

/// `int wrap (0, 3)`
#[derive(Clone, Debug)]
pub(crate) struct IntRange {
    pub wrap: bool,
    pub low: Box<Expr>,
    pub high: Box<Expr>,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// Of the tree, so that nothing that walks it goes too deep.
    pub height: usize,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Int(i32),
    Bool(bool),
    Null,
    Text,
    Name(Name),
    /// A field, the length of an array, a constant or a value of an enum.
    Member(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    Cast(Type, Box<Expr>),
    New(Name),
    NewLock,
    NewArray(Type, Box<Expr>),
    /// `exact` is for `kindof`.
    InstanceOf {
        value: Box<Expr>,
        ty: Type,
        exact: bool,
    },
    Test(MonitorTest, Box<Expr>),
    Let(Vec<(Name, Expr)>, Box<Expr>),
    Call(Name, Vec<Expr>),
    Extension(ExtensionCall),
    /// `T#1:x`, `T@l`: what a formula asks of a thread.
    Remote(Remote),
}

/// A variable or a location of a thread, in a formula.
#[derive(Clone, Debug)]
pub(crate) struct Remote {
    pub thread: Name,
    /// Which one of its name it is, with the place of the number; the only one if nothing is said.
    pub number: Option<(i32, Span)>,
    /// Whether it is a location.
    pub is_location: bool,
    pub name: Name,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Plus,
    Minus,
    Not,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    UShr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Implies,
    BitAnd,
    BitOr,
    BitXor,
}

impl BinaryOp {
    /// The operator as it is written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Shl => "shl",
            BinaryOp::Shr => "shr",
            BinaryOp::UShr => "ushr",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
            BinaryOp::Implies => "=>",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
        }
    }
}
