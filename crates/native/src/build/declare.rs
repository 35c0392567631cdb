//! Where the compiler fills local variables that are declared without a value. GCC says so in a dump of its first form of
//! the program, Clang in its record of optimisations; the calls for these writes are then given names of their own.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::Path;

/// Where variables are declared: the name of the file without its directory, line and column.
pub(crate) type Declarations = HashSet<(String, u32, u32)>;

/// What to tell the compiler so that it fills local variables and says where, in a file beside the assembly.
pub(crate) fn flags(is_gcc: bool, assembly: &Path) -> Vec<OsString> {
    let record = record(assembly).into_os_string();
    let named = |option: &str| {
        let mut flag = OsString::from(option);
        flag.push(&record);
        flag
    };
    let mut flags = vec![OsString::from(FILL)];
    if is_gcc {
        flags.push(named("-fdump-tree-gimple-lineno="));
    } else {
        flags.extend(["-fsave-optimization-record", "-foptimization-record-passes=annotation-remarks"].map(Into::into));
        flags.push(named("-foptimization-record-file="));
    }
    flags
}

/// The option by which local variables are filled.
pub(crate) const FILL: &str = "-ftrivial-auto-var-init=pattern";

fn record(assembly: &Path) -> std::path::PathBuf {
    assembly.with_extension("declared")
}

/// What the compiler has said.
pub(crate) fn read(is_gcc: bool, assembly: &Path) -> Declarations {
    let text = std::fs::read(record(assembly)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    if is_gcc { of_dump(&text) } else { of_record(&text) }
}

/// Whether Clang has filled something with a call, which its record leaves out when the program is instrumented.
pub(crate) fn says_too_little(assembly: &str) -> bool {
    assembly.contains("$170, %esi") || assembly.contains("\n.L__const.")
}

/// What to tell Clang in the end so that it says all, and makes nothing.
pub(crate) fn more_flags(assembly: &Path) -> Vec<OsString> {
    let mut flag = OsString::from("-foptimization-record-file=");
    flag.push(more(assembly));
    ["-fno-sanitize=all", "-O0", "-w", "-o", "/dev/null"].into_iter().map(OsString::from).chain([flag]).collect()
}

fn more(assembly: &Path) -> std::path::PathBuf {
    assembly.with_extension("more")
}

/// What Clang has said then.
pub(crate) fn read_more(assembly: &Path) -> Declarations {
    of_record(&String::from_utf8_lossy(&std::fs::read(more(assembly)).unwrap_or_default()))
}

/// Lines like `[file.c:4:19] _1 = .DEFERRED_INIT (4, 1, …);`.
fn of_dump(text: &str) -> Declarations {
    let lines = text.lines().filter(|line| line.contains(" = .DEFERRED_INIT ("));
    let place = |line: &str| {
        let place = line.trim_start().strip_prefix('[')?.split(']').next()?;
        let (rest, column) = place.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        Some((last(file), line.parse().ok()?, column.parse().ok()?))
    };
    lines.filter_map(place).collect()
}

/// Entries named `AutoInit…` with `DebugLoc: { File: file.c, Line: 4, Column: 19 }`, which may be broken into lines.
fn of_record(text: &str) -> Declarations {
    let fills = text.split("--- ").filter(|entry| entry.contains("\nName:            AutoInit"));
    let place = |entry: &str| {
        let place = entry.split_once("DebugLoc:")?.1.split('}').next()?;
        let value = |key: &str| Some(place.split_once(key)?.1.split(',').next()?.trim().trim_matches(['\'', '"']));
        let number = |key: &str| value(key)?.parse().ok();
        Some((last(value("File:")?), number("Line:")?, number("Column:")?))
    };
    fills.filter_map(place).collect()
}

/// The last part of a path.
fn last(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Gives the calls that fill variables names of their own.
pub(crate) fn mark(assembly: &str, declarations: &Declarations) -> String {
    if declarations.is_empty() {
        return assembly.to_owned();
    }
    let mut files: HashMap<&str, String> = HashMap::new();
    let mut is_declaration = false;
    let mut out = String::with_capacity(assembly.len() + 1024);
    for line in assembly.lines() {
        let text = line.trim_start();
        if let Some(rest) = text.strip_prefix(".file") {
            let number = rest.split_whitespace().next().unwrap_or_default();
            if let Some(name) =
                rest.split('"').skip(1).step_by(2).take(2).last().filter(|_| number.parse::<u32>().is_ok())
            {
                files.insert(number, last(name));
            }
        } else if let Some(rest) = text.strip_prefix(".loc") {
            let mut words = rest.split_whitespace();
            let mut next = || words.next().unwrap_or_default();
            let (file, line, column) = (files.get(next()).cloned(), next().parse(), next().parse());
            is_declaration = match (file, line, column) {
                (Some(file), Ok(line), Ok(column)) => declarations.contains(&(file, line, column)),
                _ => false,
            };
        } else if is_declaration
            && let Some(callee) = text.strip_prefix("call").map(|rest| rest.trim_start_matches('q').trim())
            && let Some(name) = filling(callee.trim_end_matches("@PLT"))
        {
            out.push_str("\tcall\t");
            out.push_str(name);
            out.push('\n');
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The name of a call that only fills.
fn filling(callee: &str) -> Option<&'static str> {
    let callee = callee.replace("unaligned_", "");
    Some(match &*callee {
        "__tsan_write1" => "quotient_declared1",
        "__tsan_write2" => "quotient_declared2",
        "__tsan_write4" => "quotient_declared4",
        "__tsan_write8" => "quotient_declared8",
        "__tsan_write16" => "quotient_declared16",
        "__tsan_write_range" => "quotient_declared_range",
        "memset" | "__tsan_memset" => "quotient_declared_memset",
        "memcpy" | "__tsan_memcpy" => "quotient_declared_memcpy",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_compilers_are_understood() {
        let expected: Declarations = [("a.c".to_owned(), 4, 19)].into();
        let dump = "  [sub/a.c:4:19] _1 = .DEFERRED_INIT (4, 1, [sub/a.c:4:19] &\"x\"[0]);\n  [a.c:5:1] x = _1;\n";
        assert_eq!(of_dump(dump), expected);
        let record = "--- !Missed\nPass:            annotation-remarks\nName:            AutoInitStore\n\
                      DebugLoc:        { File: 'sub/a.c', \n                   Line: 4, Column: 19 }\n...\n--- !Analysis\n\
                      Name:            AnnotationSummary\nDebugLoc:        { File: a.c, Line: 9, Column: 0 }\n";
        assert_eq!(of_record(record), expected);
    }

    #[test]
    fn only_calls_at_declarations_change() {
        let declarations: Declarations = [("a.c".to_owned(), 4, 19)].into();
        let text = "\t.file 1 \"dir\" \"a.c\"\n\t.loc 1 4 19\n\tcall\t__tsan_write4@PLT\n\t.loc 1 5 3 is_stmt 0\n\
                    \tcallq\t__tsan_write4@PLT\n";
        let marked = mark(text, &declarations);
        assert_eq!(marked.matches("quotient_declared4").count(), 1);
        assert_eq!(marked.matches("__tsan_write4").count(), 1);
    }
}
