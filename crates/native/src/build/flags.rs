//! What the user wants the compiler to be told: some of it would make a program that is not seen, and is refused.

use crate::problem::Problem;

/// What comes behind all that the user says: it must hold whatever that is.
pub(crate) const LAST: [&str; 3] = ["-fno-lto", "-fsanitize=thread", "-fvisibility=default"];

/// Options that are refused, by how they begin, and why.
const REFUSED: [(&str, &str); 25] = [
    ("-flto", LTO),
    ("-ffat-lto", LTO),
    ("-fwhole-program-vtables", LTO),
    ("-fthinlto", LTO),
    ("-emit-llvm", LTO),
    ("-fno-sanitize=thread", SEEN),
    ("-fno-sanitize=all", SEEN),
    ("-fsanitize=address", OTHER),
    ("-fsanitize=memory", OTHER),
    ("-fsanitize=leak", OTHER),
    ("-fsanitize=hwaddress", OTHER),
    ("-fsanitize=kernel-", OTHER),
    ("-fsanitize=dataflow", OTHER),
    ("-fsanitize=safe-stack", OTHER),
    ("-fsanitize=shadow-call-stack", OTHER),
    ("-fsanitize=fuzzer", OTHER),
    ("-fsanitize-ignorelist", SEEN),
    ("-fsanitize-blacklist", SEEN),
    ("-fsanitize-thread-", SEEN),
    ("-fno-sanitize-thread-", SEEN),
    ("-fplugin", "a plugin can change what the program does"),
    ("-fpass-plugin", "a plugin can change what the program does"),
    ("-fsplit-stack", "stacks are the checker's, and have one part"),
    ("-masm=intel", "accesses are looked for in the other form of assembly"),
    ("-x", "the name of a file says its language"),
];

const LTO: &str = "the program would not be code before it is linked, and what it does would not be seen";
const SEEN: &str = "accesses to memory would not be seen";
const OTHER: &str = "the instrumentation of another tool cannot be there beside Quotient's";

/// Options that end what is asked of the compiler before there is a program.
const ENDS: [&str; 7] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-o"];

/// Options of the linker that would put something else in the place of what Quotient links.
const LINKER: [&str; 14] = [
    "--wrap",
    "-wrap",
    "--defsym",
    "-defsym",
    "-T",
    "--script",
    "-script",
    "-N",
    "--omagic",
    "-omagic",
    "-s",
    "--strip-all",
    "-S",
    "--strip-debug",
];

/// Why what the user wants is refused, if it is.
pub(crate) fn refused(flags: &[String]) -> Option<Problem> {
    flags.iter().find_map(|flag| {
        let why = why(flag)?;
        Some(Problem {
            message: format!("the option `{flag}` of the compiler cannot be used: {why}"),
            help: Vec::new(),
        })
    })
}

fn why(flag: &str) -> Option<&'static str> {
    if flag.starts_with('@') {
        return Some("options are given one by one, not in a file");
    }
    // A list of what is to be instrumented, or not, in which this stands somewhere.
    if let Some(list) = flag.strip_prefix("-fno-sanitize=")
        && list.split(',').any(|one| ["thread", "all"].contains(&one))
    {
        return Some(SEEN);
    }
    if let Some(list) = flag.strip_prefix("-fsanitize=") {
        let is_refused = |one: &str| REFUSED.iter().any(|(start, _)| *start == format!("-fsanitize={one}"));
        if list.split(',').any(is_refused) {
            return Some(OTHER);
        }
    }
    if flag.contains("tsan-") || flag.contains("disable-llvm-passes") {
        return Some(SEEN);
    }
    if ENDS.contains(&flag) {
        return Some("it makes no program");
    }
    if let Some(list) = flag.strip_prefix("-Wl,") {
        let is_refused = |one: &str| {
            let name = one.split('=').next().unwrap_or(one);
            LINKER.contains(&name)
                || one.starts_with("-T")
                || one.starts_with('@')
                || one.contains("separate-code")
                || one == "execstack"
        };
        return list.split(',').any(is_refused).then_some("it would change what Quotient links");
    }
    REFUSED
        .iter()
        .find(|(start, _)| flag.starts_with(start) && (*start != "-x" || is_language(flag)))
        .map(|(_, why)| *why)
}

/// Whether an option says which language files have.
fn is_language(flag: &str) -> bool {
    ["-x", "-xc", "-xc++", "-xassembler", "-xnone", "-xir", "-xassembler-with-cpp"].contains(&flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_not_be_seen_is_refused_by_name() {
        for flag in [
            "-flto",
            "-flto=auto",
            "-ffat-lto-objects",
            "-fno-sanitize=thread",
            "-fno-sanitize=bounds,thread",
            "-fsanitize=bounds,address",
            "-Wl,--wrap=pthread_create",
            "-Wl,-z,noseparate-code",
            "-fsplit-stack",
            "-masm=intel",
            "-c",
            "-tsan-instrument-memory-accesses=0",
            "@file",
            "-xc++",
            "-Wl,-Tscript",
        ] {
            let problem = refused(&["-O2".to_owned(), flag.to_owned()]).unwrap_or_else(|| panic!("{flag} is taken"));
            assert!(problem.message.contains(flag), "{problem}");
        }
    }

    #[test]
    fn what_is_usual_is_taken() {
        for flag in [
            "-O2",
            "-std=c11",
            "-Wall",
            "-Ix",
            "-Wl,-rpath,/x",
            "-fsanitize=bounds",
            "-lm",
            "-DX=-flto",
            "-fvisibility=hidden",
            "-shared",
            "-fno-sanitize=bounds",
        ] {
            assert_eq!(refused(&[flag.to_owned()]), None);
        }
    }
}
