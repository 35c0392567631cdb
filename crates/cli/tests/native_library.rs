//! Every function of the table of `quotient_native::library` is called in C programs that are made from the table: as it should
//! be, in a race with another thread, with memory that was freed, and with memory that is too small. There is one test in
//! this file: it starts processes that go on with what this one has, so no other thread may be at work.

mod compilers;

use compilers::installed;
use std::fmt::Write as _;

use quotient_native::library::{Function, rows};
use quotient_native::{Build, Options, check, compile};

/// What is wrong with a function, or with how it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Right,
    OtherWrites,
    OtherReads,
    Freed,
    Short,
    Both,
}

impl Mode {
    fn kind(self) -> Option<&'static str> {
        match self {
            Mode::Right => None,
            Mode::OtherWrites | Mode::OtherReads | Mode::Both => Some("race"),
            Mode::Freed => Some("use-after-free"),
            Mode::Short => Some("out-of-bounds"),
        }
    }
}

/// One call of one function.
#[derive(Clone, Copy, Debug)]
struct Case {
    row: usize,
    variable: char,
    mode: Mode,
}

/// The variables of the examples: name, type, what is in the memory they point to, how much of it there is, and how much if
/// it is too small.
const VARIABLES: [(char, &str, &str, usize, usize); 12] = [
    ('a', "char *", "\"1234\"", 5, 2),
    ('b', "char *", "\"1234\"", 5, 2),
    ('c', "char *", "\"qrs\"", 4, 2),
    ('f', "char *", "\"%s\"", 3, 2),
    ('w', "wchar_t *", "L\"1234\"", 20, 8),
    ('v', "wchar_t *", "L\"1234\"", 20, 8),
    ('x', "wchar_t *", "L\"qrs\"", 16, 8),
    ('t', "struct tm *", "&some_time", 56, 16),
    ('k', "time_t *", "&some_seconds", 8, 4),
    ('e', "int *", "&some_seconds", 4, 2),
    ('d', "double *", "&some_time", 16, 4),
    ('p', "char **", "&some_pointer", 8, 4),
];

/// The variable that an argument is, if it is one and nothing more.
fn variable(function: &Function, argument: u8) -> Option<char> {
    let inside = function.example.trim_start_matches('(').split_once('(')?.1;
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for letter in inside.chars() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => depth -= 1,
            ',' if depth == 0 => parts.push(String::new()),
            _ => {}
        }
        if !(letter == ',' && depth == 0) {
            parts.last_mut()?.push(letter);
        }
    }
    let part = parts.get(usize::from(argument))?.trim();
    let name = part.rsplit(')').next()?.trim();
    let first = name.chars().next().filter(|_| name.len() == 1)?;
    VARIABLES.iter().map(|variable| variable.0).find(|&variable| variable == first)
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (row, function) in rows().iter().enumerate() {
        cases.push(Case { row, variable: 'a', mode: Mode::Right });
        if function.keeps.is_some() {
            cases.push(Case { row, variable: 'a', mode: Mode::Both });
        }
        for (spans, other) in [(function.reads, Mode::OtherWrites), (function.writes, Mode::OtherReads)] {
            for argument in spans.iter().flat_map(|span| span.arguments()) {
                let Some(variable) = variable(function, argument) else { continue };
                cases.extend([other, Mode::Freed, Mode::Short].map(|mode| Case { row, variable, mode }));
            }
        }
    }
    cases
}

/// A program that calls every function as the variable CASE of its environment says: row, variable, mode.
fn program() -> String {
    let mut text = String::from(
        "#define _GNU_SOURCE\n#include <errno.h>\n#include <inttypes.h>\n#include <math.h>\n#include <pthread.h>\n\
         #include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <strings.h>\n#include <sys/uio.h>\n\
         #include <time.h>\n#include <unistd.h>\n#include <wchar.h>\n\
         int __xpg_strerror_r(int, char *, size_t);\n\
         static struct tm some_time = {.tm_mday = 1};\nstatic time_t some_seconds;\n\
         static char some_text[] = \"1234\", *some_pointer = some_text;\nstatic volatile long result;\n\
         static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }\n\
         static int compare_more(const void *a, const void *b, void *more) { (void)more; return compare(a, b); }\n\
         static int row, variable, mode;\nenum { right, writes, reads, freed, small, both };\n\
         static void *block(const void *contents, size_t size, size_t room) {\n\
           char *memory = malloc(room);\n\
           for (size_t i = 0; i < room; i++) memory[i] = i < size ? ((const char *)contents)[i] : 0;\n\
           return memory;\n}\nstruct set {\n",
    );
    for (name, type_, ..) in VARIABLES {
        let _ = writeln!(text, "  {type_}{name};");
    }
    text.push_str("};\nstatic struct set ours, theirs;\nstatic void *touched;\n");
    text.push_str("static void fill(struct set *s, int is_ours) {\n");
    for (name, _, contents, size, short) in VARIABLES {
        let _ = writeln!(
            text,
            "  s->{name} = is_ours && variable == '{name}' && mode == small ? block({contents}, {short}, {short}) : \
             block({contents}, {size}, 64);\n  if (is_ours && variable == '{name}') touched = s->{name};"
        );
    }
    text.push_str("}\n");
    for (row, function) in rows().iter().enumerate() {
        let _ = writeln!(text, "static void call{row}(struct set *s) {{\n  size_t n = 4; (void)n;");
        for (name, type_, ..) in VARIABLES {
            let _ = writeln!(text, "  {type_}{name} = s->{name}; (void){name};");
        }
        let _ = writeln!(text, "  result = (long)({});\n}}", function.example);
    }
    text.push_str("static void call(struct set *s) {\n  switch (row) {\n");
    for row in 0..rows().len() {
        let _ = writeln!(text, "  case {row}: call{row}(s); break;");
    }
    text.push_str(
        "  }\n}\nstatic void *other(void *argument) {\n\
           if (mode == writes) *(char *)touched = '1';\n\
           for (int i = 0; i < 32; i++) if (mode == reads && ((char *)touched)[i] == 77) result = 1;\n\
           if (mode == both) call(&theirs);\n\
           return argument;\n}\n\
         int main(void) {\n\
           const char *text = getenv(\"CASE\");\n\
           row = (text[0] - '0') * 100 + (text[1] - '0') * 10 + text[2] - '0';\n\
           variable = text[3];\n  mode = text[4] - '0';\n\
           fill(&ours, 1);\n\
           if (mode == both) fill(&theirs, 0);\n\
           if (mode == freed) free(touched);\n\
           pthread_t thread;\n\
           if (mode != right) pthread_create(&thread, 0, other, 0);\n\
           call(&ours);\n\
           if (mode != right) pthread_join(thread, 0);\n  return 0;\n}\n",
    );
    // What is volatile must not race: every thread may write the result.
    text.replace("static volatile long result;", "static _Thread_local volatile long result;")
}

/// Every function of the table, with both compilers. Cases share a program, and which one it is stands in the environment.
#[test]
fn every_function_of_the_table_is_seen() {
    let directory = std::env::temp_dir().join(format!("quotient-library-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let file = directory.join("table.c");
    std::fs::write(&file, program()).expect("a program");
    let mut wrong = Vec::new();
    for (number, compilers) in installed().into_iter().enumerate() {
        // SAFETY: there is no other thread that looks at the environment.
        unsafe { std::env::set_var("CC", compilers.0) };
        let options = Options { max_executions: Some(50), ..Options::default() };
        let level = ["-O2", "-O0"][number % 2].to_owned();
        let compiled = compile(std::slice::from_ref(&file), &[], &[level], &options);
        let Ok(Build::Program(compiled)) = compiled else { panic!("a program that compiles: {compiled:?}") };
        for case in cases() {
            let text = format!("{:03}{}{}", case.row, case.variable, case.mode as u8);
            // SAFETY: as above.
            unsafe { std::env::set_var("CASE", &text) };
            let answer = check(&compiled, &options).expect("an answer");
            let found = answer.execution().map(|violation| violation.kind.as_str());
            if found != case.mode.kind() || answer.reason.is_some() {
                let example = rows()[case.row].example;
                let message = answer.execution().map(|violation| &violation.message);
                wrong.push(format!(
                    "{compilers:?} {example}: {case:?} shows {found:?}: {message:?} {:?}",
                    answer.reason
                ));
            }
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases().len() > 500, "only {} cases", cases().len());
}
