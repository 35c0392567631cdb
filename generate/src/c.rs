//! Random C programs with threads that use the library, the heap, locks and waits with deadlines. Each statement stands for
//! itself, so that any of them can be left out; many of the programs are wrong.

use crate::random::Random;
use std::fmt::Write;

/// A program: what each thread function does, and which of them each thread runs.
#[derive(Clone, Debug)]
pub struct Program {
    functions: Vec<Vec<String>>,
    threads: Vec<usize>,
}

/// What comes first. Accesses are in functions that are not inlined, and to variables that others could read, so that no compiler
/// leaves one out.
const BEGIN: &str = r#"#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define KEPT __attribute__((noinline))
struct node { int value; char name[8]; };
int x, y, flag;
char text[8] = "";
atomic_int a, b, sink;
_Atomic(struct node *) shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
sem_t s;
static const struct timespec soon = {2000000000, 0};
static KEPT int get(int *p) { __asm__ volatile("" ::: "memory"); return *p; }
static KEPT void put(int *p, int v) { *p = v; __asm__ volatile("" ::: "memory"); }
static KEPT void use(int v) { if (v == 12345) atomic_store_explicit(&sink, v, memory_order_relaxed); }
"#;

impl Program {
    /// The program of a seed.
    pub fn random(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x00c0_ffee_c0de);
        let count = 1 + random.below(2);
        let functions =
            (0..count).map(|_| (0..1 + random.below(4)).map(|_| statement(&mut random)).collect()).collect();
        let threads = (0..2 + usize::from(random.chance(25))).map(|_| random.below(count)).collect();
        Program { functions, threads }
    }

    /// The program in C.
    pub fn source(&self) -> String {
        let mut text = String::from(BEGIN);
        for (number, statements) in self.functions.iter().enumerate() {
            let _ = writeln!(text, "static void *f{number}(void *argument) {{");
            statements.iter().for_each(|statement| text.extend(["  ", statement, "\n"]));
            text.push_str("  return argument;\n}\n");
        }
        let _ = writeln!(text, "int main(void) {{\n  pthread_t t[{}];\n  sem_init(&s, 0, 0);", self.threads.len());
        for (number, function) in self.threads.iter().enumerate() {
            let _ = writeln!(text, "  pthread_create(&t[{number}], 0, f{function}, 0);");
        }
        for number in 0..self.threads.len() {
            let _ = writeln!(text, "  pthread_join(t[{number}], 0);");
        }
        text.push_str("  use(get(&x) + get(&y));\n  return 0;\n}\n");
        text
    }

    /// The program without one of its statements, for each of them.
    pub fn smaller(&self) -> Vec<Program> {
        let mut all = Vec::new();
        for (function, statements) in self.functions.iter().enumerate() {
            for statement in 0..statements.len() {
                let mut smaller = self.clone();
                smaller.functions[function].remove(statement);
                all.push(smaller);
            }
        }
        if self.threads.len() > 1 {
            all.push(Program { threads: self.threads[1..].to_vec(), ..self.clone() });
        }
        all
    }
}

/// One statement.
fn statement(random: &mut Random) -> String {
    let number = 1 + random.below(3);
    let load = *random.pick(&["relaxed", "acquire", "seq_cst"]);
    let store = *random.pick(&["relaxed", "release", "seq_cst"]);
    let update = *random.pick(&["relaxed", "acq_rel", "seq_cst"]);
    let place = *random.pick(&["a", "b"]);
    let plain = *random.pick(&["x", "y"]);
    let string = *random.pick(&[
        "strcpy(text, \"abc\");",
        "use((int)strlen(text));",
        "snprintf(text, sizeof text, \"%d\", 42);",
        "memset(text, 0, 4);",
        "use(strcmp(text, \"abc\"));",
        "strncat(text, \"d\", 1);",
    ]);
    let locked = |body: &str| format!("pthread_mutex_lock(&m); {body} pthread_mutex_unlock(&m);");
    match random.below(20) {
        0 | 1 => locked(&format!("put(&{plain}, get(&{plain}) + {number});")),
        2 => format!("put(&{plain}, {number});"),
        3 => format!("use(get(&{plain}));"),
        4 => format!("atomic_store_explicit(&{place}, {number}, memory_order_{store});"),
        5 => format!("use(atomic_load_explicit(&{place}, memory_order_{load}));"),
        6 => format!("atomic_fetch_add_explicit(&{place}, {number}, memory_order_{update});"),
        7 => format!("assert(atomic_load_explicit(&{place}, memory_order_{load}) != {});", number + 1),
        8 | 9 => format!(
            "{{ struct node *n = malloc(sizeof *n); n->value = {number}; strcpy(n->name, \"n\"); \
             atomic_store_explicit(&shared, n, memory_order_{store}); }}"
        ),
        10 => format!(
            "{{ struct node *n = atomic_load_explicit(&shared, memory_order_{load}); \
             if (n) use(get(&n->value) + (int)strlen(n->name)); }}"
        ),
        11 => {
            let own = if random.chance(70) { "0" } else { "n" };
            format!(
                "{{ struct node *n = 0; n = atomic_exchange_explicit(&shared, {own}, memory_order_acq_rel); free(n); }}"
            )
        }
        12 => locked(string),
        13 => string.to_string(),
        14 => format!(
            "if (pthread_mutex_timedlock(&m, &soon) == 0) {{ put(&{plain}, {number}); pthread_mutex_unlock(&m); }}"
        ),
        15 => format!("if (sem_timedwait(&s, &soon) == 0) put(&{plain}, {number}); else use(1);"),
        16 => "sem_post(&s);".to_string(),
        17 => locked("while (!flag) if (pthread_cond_timedwait(&c, &m, &soon)) break;"),
        18 => locked("flag = 1; pthread_cond_signal(&c);"),
        _ => {
            let room = 3 + number;
            let after = if random.chance(20) { "use(q[0]);" } else { "" };
            format!("{{ char *q = malloc({room}); strcpy(q, \"abcd\"); use((int)strlen(q)); free(q); {after} }}")
        }
    }
}
