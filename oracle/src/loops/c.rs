//! Programs with loops as C, with pthreads and `<stdatomic.h>`: macros say what is asserted of the final state. What an
//! access means is left to the compiler and to the checker.

use std::fmt::Write;

use super::{Program, REGISTERS, Stmt};
use crate::interleave::Outcome;
use crate::program::{Expr, Instr, Mode, Op};

/// Where a thread keeps its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In variables of its function.
    Locals,
    /// In an array on its stack.
    Array,
    /// In a block of the heap.
    Heap,
    /// In a global array.
    Global,
}

impl Layout {
    /// All layouts.
    pub const ALL: [Layout; 4] = [Layout::Locals, Layout::Array, Layout::Heap, Layout::Global];
}

/// The program as C. With `-DNEVER=i` it asserts that the final state is never the one of this number, without that the
/// final state is one of those given.
pub fn c_source(program: &Program, finals: &[Outcome], layout: Layout) -> String {
    let mut text =
        String::from("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n");
    for (loc, init) in program.init.iter().enumerate() {
        if program.mutexes.contains(&loc) {
            let _ = writeln!(text, "static pthread_mutex_t x{loc} = PTHREAD_MUTEX_INITIALIZER;");
        } else if program.plain.contains(&loc) {
            let _ = writeln!(text, "static long x{loc} = {init};");
        } else {
            let _ = writeln!(text, "static atomic_long x{loc} = {init};");
        }
    }
    let _ = writeln!(text, "static long result[{}][{REGISTERS}];", program.threads.len());
    if layout == Layout::Global {
        let _ = writeln!(text, "static long globals[{}][{REGISTERS}];", program.threads.len());
    }
    for (number, thread) in program.threads.iter().enumerate() {
        let mut writer = Writer { text: &mut text, layout, program, labels: 0 };
        writer.thread(number, thread);
    }
    main(&mut text, program, finals);
    text
}

fn main(text: &mut String, program: &Program, finals: &[Outcome]) {
    let threads = program.threads.len();
    let observed: Vec<usize> = (0..program.init.len()).filter(|loc| !program.mutexes.contains(loc)).collect();
    let _ = writeln!(text, "static int is(const long *want) {{");
    let _ = writeln!(text, "  for (int t = 0; t < {threads}; t++)");
    let _ = writeln!(text, "    for (int r = 0; r < {REGISTERS}; r++) if (result[t][r] != *want++) return 0;");
    for loc in &observed {
        let _ = writeln!(text, "  if (x{loc} != *want++) return 0;");
    }
    let _ = writeln!(text, "  return 1;\n}}");
    let size = threads * REGISTERS + observed.len();
    let _ = writeln!(text, "static const long finals[][{size}] = {{");
    for outcome in finals {
        let memory = observed.iter().map(|&loc| &outcome.memory[loc]);
        let all: Vec<String> = outcome.registers.iter().flatten().chain(memory).map(u64::to_string).collect();
        let _ = writeln!(text, "  {{{}}},", all.join(", "));
    }
    if finals.is_empty() {
        let _ = writeln!(text, "  {{-1}},");
    }
    let _ = writeln!(text, "}};\nint main(void) {{\n  pthread_t t[{threads}];");
    for number in 0..threads {
        let _ = writeln!(text, "  pthread_create(&t[{number}], 0, thread{number}, 0);");
    }
    let _ = writeln!(text, "  for (int i = 0; i < {threads}; i++) pthread_join(t[i], 0);");
    let _ = writeln!(text, "#ifdef NEVER\n  assert(!is(finals[NEVER]));\n#else\n  int known = 0;");
    let _ = writeln!(text, "  for (int i = 0; i < {}; i++) known |= is(finals[i]);", finals.len().max(1));
    let _ = writeln!(text, "  assert(known);\n#endif\n  return 0;\n}}");
}

struct Writer<'a> {
    text: &'a mut String,
    layout: Layout,
    program: &'a Program,
    labels: usize,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "  ".repeat(depth));
    }

    fn thread(&mut self, number: usize, code: &[Stmt]) {
        self.line(0, &format!("static void *thread{number}(void *argument) {{"));
        match self.layout {
            Layout::Locals => {
                let all: Vec<String> = (0..REGISTERS).map(|reg| format!("r{reg} = 0")).collect();
                self.line(1, &format!("long {};", all.join(", ")));
            }
            Layout::Array => self.line(1, &format!("long r[{REGISTERS}] = {{0}};")),
            Layout::Heap => self.line(1, &format!("long *r = calloc({REGISTERS}, sizeof *r);")),
            Layout::Global => self.line(1, &format!("long *r = globals[{number}];")),
        }
        self.block(1, code);
        for reg in 0..REGISTERS {
            let name = self.register(reg);
            self.line(1, &format!("result[{number}][{reg}] = {name};"));
        }
        if self.layout == Layout::Heap {
            self.line(1, "free(r);");
        }
        self.line(1, "return argument;\n}");
    }

    fn block(&mut self, depth: usize, code: &[Stmt]) {
        for stmt in code {
            match stmt {
                Stmt::Access(instr) => self.access(depth, instr),
                Stmt::TryLock { ok, loc } => {
                    let ok = self.register(*ok);
                    self.line(depth, &format!("{ok} = pthread_mutex_trylock(&x{loc}) == 0;"));
                }
                Stmt::Set { reg, value } => {
                    let line = format!("{} = {};", self.register(*reg), self.expr(value));
                    self.line(depth, &line);
                }
                Stmt::Break => self.line(depth, "break;"),
                Stmt::Assert { cond } => {
                    let line = format!("assert({});", self.expr(cond));
                    self.line(depth, &line);
                }
                Stmt::Loop { body } => {
                    self.line(depth, "for (;;) {");
                    self.block(depth + 1, body);
                    self.line(depth, "}");
                }
                Stmt::If { cond, then, otherwise } => {
                    let line = format!("if ({}) {{", self.expr(cond));
                    self.line(depth, &line);
                    self.block(depth + 1, then);
                    if !otherwise.is_empty() {
                        self.line(depth, "} else {");
                        self.block(depth + 1, otherwise);
                    }
                    self.line(depth, "}");
                }
            }
        }
    }

    fn access(&mut self, depth: usize, instr: &Instr) {
        let line = match instr {
            Instr::Load { reg, loc, .. } if self.program.plain.contains(loc) => {
                format!("{} = x{loc};", self.register(*reg))
            }
            Instr::Load { reg, loc, mode } => {
                format!("{} = atomic_load_explicit(&x{loc}, {});", self.register(*reg), order(*mode))
            }
            Instr::Store { loc, value, .. } if self.program.plain.contains(loc) => {
                format!("x{loc} = {};", self.expr(value))
            }
            Instr::Store { loc, mode, value } => {
                format!("atomic_store_explicit(&x{loc}, {}, {});", self.expr(value), order(*mode))
            }
            Instr::Rmw { reg, loc, mode, op, value } => self.update(*reg, *loc, *mode, *op, value),
            Instr::Cas { reg, ok, loc, success, failure, expected, new, .. } => {
                self.labels += 1;
                let (old, label) = (self.register(*reg), self.labels);
                let ok = ok.map_or(String::new(), |ok| format!("{} = done{label}; ", self.register(ok)));
                format!(
                    "{{ long old{label} = {}; int done{label} = atomic_compare_exchange_strong_explicit(&x{loc}, \
                     &old{label}, {}, {}, {}); {old} = old{label}; {ok}}}",
                    self.expr(expected),
                    self.expr(new),
                    order(*success),
                    order(*failure)
                )
            }
            Instr::Fence { mode } => format!("atomic_thread_fence({});", order(*mode)),
            Instr::Lock { loc } => format!("pthread_mutex_lock(&x{loc});"),
            Instr::Unlock { loc } => format!("pthread_mutex_unlock(&x{loc});"),
            Instr::Set { .. } | Instr::If { .. } | Instr::Assume { .. } => String::new(),
        };
        self.line(depth, &line);
    }

    fn update(&self, reg: usize, loc: usize, mode: Mode, op: Op, value: &Expr) -> String {
        let (reg, value, order) = (self.register(reg), self.expr(value), order(mode));
        let name = match op {
            Op::Swap => return format!("{reg} = atomic_exchange_explicit(&x{loc}, {value}, {order});"),
            Op::Max | Op::Min => unreachable!("C has no such operation, and random programs do not use it"),
            Op::Add => "add",
            Op::Sub => "sub",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
        };
        format!("{reg} = atomic_fetch_{name}_explicit(&x{loc}, {value}, {order});")
    }

    fn register(&self, reg: usize) -> String {
        if self.layout == Layout::Locals { format!("r{reg}") } else { format!("r[{reg}]") }
    }

    fn expr(&self, expr: &Expr) -> String {
        let two = |a: &Expr, op: &str, b: &Expr| format!("({} {op} {})", self.expr(a), self.expr(b));
        match expr {
            Expr::Const(value) => value.to_string(),
            Expr::Reg(reg) => self.register(*reg),
            Expr::Add(a, b) => two(a, "+", b),
            Expr::Eq(a, b) => two(a, "==", b),
            Expr::Ne(a, b) => two(a, "!=", b),
            Expr::Lt(a, b) => two(a, "<", b),
            Expr::And(a, b) => two(a, "&&", b),
            Expr::Or(a, b) => two(a, "||", b),
            Expr::Not(a) => format!("!{}", self.expr(a)),
        }
    }
}

fn order(mode: Mode) -> &'static str {
    match mode {
        Mode::Na | Mode::Rlx => "memory_order_relaxed",
        Mode::Acq => "memory_order_acquire",
        Mode::Rel => "memory_order_release",
        Mode::AcqRel => "memory_order_acq_rel",
        Mode::Sc => "memory_order_seq_cst",
    }
}
