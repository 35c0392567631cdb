//! From source files to a shared object, with the user's own compiler.

use crate::addresses;
use crate::check::Options;
use crate::compilers;
use crate::directory::Directory;
use crate::inline::{self, Unseen};
use crate::input::Language;
use crate::library::copies::unseen_copies;
use crate::table;
use crate::unwritten::Fills;
use crate::{declare, said, zones};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A program that has been compiled. Its files go away with it.
#[derive(Debug)]
pub struct Compiled {
    directory: Directory,
    /// Inline assembly that does what the checker would have to see.
    pub(crate) unseen: Vec<Unseen>,
    /// What local variables are filled with where they are declared.
    pub(crate) fills: Fills,
    /// What the compiler has said of variables that may be read before they are written.
    pub(crate) warnings: Vec<String>,
    /// What an answer says of functions that nobody has looked at.
    pub(crate) unseen_notes: Vec<String>,
    /// Whether it asks threads whether they have ended.
    pub(crate) tries_to_join: bool,
}

/// Why a program cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// One sentence.
    pub message: String,
    /// What the compiler says, or what to do about it.
    pub help: Vec<String>,
}

impl Problem {
    /// A problem that needs no further words.
    pub fn new(message: impl Into<String>) -> Self {
        Problem { message: message.into(), help: Vec::new() }
    }
}

/// C code that is linked into every program. Whoever has functions of the same names keeps them.
const GLUE: [(&str, &str); 5] = [
    ("glue.c", include_str!("../glue/glue.c")),
    ("time.c", include_str!("../glue/time.c")),
    ("ends.c", include_str!("../glue/ends.c")),
    ("memory.c", include_str!("../glue/memory.c")),
    ("library.c", include_str!("../glue/library.c")),
];
/// Those of them that are not parts of others.
const UNITS: [&str; 3] = ["glue.c", "memory.c", "library.c"];
/// Assembly that is linked in front of the program and behind the C code.
const STUBS: [&str; 2] = ["begin.s", "stubs.s"];
const HEADERS: [(&str, &str); 9] = [
    ("bits/quotient_builtins.h", include_str!("../include/bits/quotient_builtins.h")),
    ("bits/stl_tree.h", include_str!("../include/bits/stl_tree.h")),
    ("bits/stl_list.h", include_str!("../include/bits/stl_list.h")),
    ("bits/hash_bytes.h", include_str!("../include/bits/hash_bytes.h")),
    ("bits/quotient_weak.h", include_str!("../include/bits/quotient_weak.h")),
    ("bits/atomic_timed_wait.h", include_str!("../include/bits/atomic_timed_wait.h")),
    ("quotient.h", include_str!("../include/quotient.h")),
    ("genmc.h", include_str!("../include/genmc.h")),
    ("bits/atomic_wait.h", include_str!("../include/bits/atomic_wait.h")),
];

/// Headers of the C++ library whose templates are there as code. They are compiled with the program, to see what they do.
const TEMPLATES: [&str; 7] = [
    "basic_string.tcc",
    "basic_ios.tcc",
    "streambuf.tcc",
    "ostream.tcc",
    "ostream_insert.h",
    "istream.tcc",
    "sstream.tcc",
];

/// Where the object is loaded if that memory is free, so that addresses of variables are the same in every process.
const BASE: &str = "-Wl,-Ttext-segment=0x510000000000";

/// What the program must not do for real; calling it is reported. Whoever defines such a function keeps it.
const UNSUPPORTED: &str = "fork vfork execv execve execvp execl execlp system popen socket connect bind listen accept \
    accept4 send sendto sendmsg recv recvfrom recvmsg socketpair open open64 openat creat fopen fopen64 fdopen freopen \
    read pread readv pipe pipe2 dup dup2 epoll_create epoll_create1 epoll_wait kill signal sigaction \
    mmap mmap64 munmap shm_open sem_open wait waitpid pthread_cancel pthread_kill pthread_atfork scanf fscanf getchar \
    fgets fread getline getdelim fgetc getc remove rename unlink mkdir opendir ioctl fcntl ptrace timer_create alarm \
    realpath canonicalize_file_name fputws putwchar fputwc putwc wprintf fwprintf vwprintf \
    vfwprintf open_memstream fmemopen ungetc";

impl Compiled {
    /// The shared object.
    pub fn object(&self) -> PathBuf {
        self.directory.0.join("program.so")
    }
}

/// Compiles and links the files, for a check with these options, with what the user wants the compiler to be told.
///
/// # Errors
/// There is no compiler, the program does not compile or link, has no `main`, or the check was to stop before that.
pub fn compile(
    files: &[PathBuf],
    defines: &[String],
    flags: &[String],
    options: &Options,
) -> Result<Compiled, Problem> {
    compilers::watch(options, || compile_files(files, defines, flags, options))
}

fn compile_files(
    files: &[PathBuf],
    defines: &[String],
    flags: &[String],
    options: &Options,
) -> Result<Compiled, Problem> {
    let directory = Directory::new().map_err(|error| Problem::new(format!("no directory for objects: {error}")))?;
    let language =
        if files.iter().any(|file| Language::of(file) == Some(Language::Cpp)) { Language::Cpp } else { Language::C };
    write_support(&directory.0, language, options)
        .map_err(|error| Problem::new(format!("no directory for objects: {error}")))?;
    let mut parts = Vec::new();
    let mut jobs = Vec::new();
    let mut objects = Vec::new();
    let mut fills = Fills::default();
    for (number, file) in files.iter().enumerate() {
        let language = Language::of(file).unwrap_or(Language::C);
        if !file.exists() {
            return Err(Problem::new(format!("cannot read {}: there is no such file", file.display())));
        }
        let assembly = directory.0.join(format!("part{number}.s"));
        let mut command = compiler(language);
        // What is written is checked, not what is left of it when dead code is gone. C++ must be optimised a little: else
        // the memory orders of its atomics are not constants, and the compiler takes the strongest.
        command.arg(if language == Language::C { "-O0" } else { "-O1" });
        command.args(["-S", "-g", "-fPIC", "-fsanitize=thread", "-fno-omit-frame-pointer", "-pthread"]);
        command.args([
            "-ftls-model=global-dynamic",
            "-U_FORTIFY_SOURCE",
            "-D_FORTIFY_SOURCE=0",
            "-fno-stack-protector",
            // A large frame must not step over the page below the stack.
            "-fstack-clash-protection",
        ]);
        command.args(["-fno-optimize-sibling-calls", "-D__QUOTIENT__=1"]);
        // What the compiler knows of functions of the library it would turn into accesses that are not instrumented.
        command.arg("-fno-builtin");
        if language == Language::Cpp {
            command.arg("-D_GLIBCXX_ASSERTIONS");
        }
        let functions = u8::from(options.unroll.is_some());
        let is_gcc = is_gcc(language);
        command.args(said::flags(is_gcc));
        let is_filled = takes(language, declare::FILL);
        if is_filled {
            command.args(declare::flags(is_gcc, &assembly));
            if is_gcc { fills.gcc = true } else { fills.clang = true }
        }
        // Clang's other way to check bounds only crashes.
        command.arg(if is_gcc { "-fsanitize=bounds,vla-bound" } else { "-fsanitize=array-bounds,vla-bound" });
        if is_gcc {
            command.args(["-fno-tree-loop-distribute-patterns", "-fno-reorder-functions"]);
            command.arg("-fno-reorder-blocks-and-partition");
            // What it copies without instrumenting it can be seen there.
            command.arg(format!("-fdump-tree-optimized-lineno={}", assembly.with_extension("dump").display()));
            command.arg("-include").arg(directory.0.join("include/bits/quotient_builtins.h"));
            command.args(["--param", "tsan-distinguish-volatile=1", "--param"]);
            command.arg(format!("tsan-instrument-func-entry-exit={functions}"));
            if options.unroll.is_some() {
                command.arg("-fsanitize-coverage=trace-pc");
            }
        } else {
            command.args(["-mllvm", "-tsan-distinguish-volatile=1", "-mllvm"]);
            command.arg(format!("-tsan-instrument-func-entry-exit={functions}"));
            command.args(["-mllvm", "-profile-guided-section-prefix=false"]);
            if options.unroll.is_some() {
                command.arg("-fsanitize-coverage=trace-pc,no-prune");
            }
            // Clang leaves out a read that is followed by a write to the same place, which would hide what is read.
            command.args(["-mllvm", "-tsan-instrument-read-before-write=1", "-Wno-unused-command-line-argument"]);
            if language == Language::Cpp {
                // As GCC does: `delete` says how large the object is.
                command.arg("-fsized-deallocation");
            }
            // Without this, Clang leaves the atomic load of 16 bytes where it was, as a call, when it is instrumented.
            command.arg("-mcx16");
            if options.spurious_failures {
                command.arg("-include").arg(directory.0.join("include/bits/quotient_weak.h"));
            }
        }
        // These headers are no files of the user's.
        let include = directory.0.join("include");
        command.arg(format!("-ffile-prefix-map={}=/usr/include/quotient", include.display()));
        command.arg("-isystem").arg(include);
        command.args(defines.iter().map(|define| format!("-D{define}")));
        command.args(flags).arg(file).arg("-o").arg(&assembly);
        let again: Vec<OsString> = command.get_args().skip(words(language).len() - 1).map(Into::into).collect();
        parts.push((start(&mut command)?, assembly, file, (is_gcc, again)));
    }
    let with_gcc = is_gcc(Language::C);
    let support = UNITS.map(|name| {
        let mut command = compiler(Language::C);
        command.args(["-S", "-O1", "-fPIC", "-fexceptions", "-fno-builtin", "-w", "-pthread"]);
        command.args(["-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"]);
        if with_gcc {
            // Clang keeps the order of functions.
            command.arg("-fno-toplevel-reorder");
        }
        command.arg(directory.0.join(name)).arg("-o").arg(directory.0.join(name).with_extension("s"));
        start(&mut command)
    });
    let (mut unseen, mut warnings, mut tries_to_join) = (Vec::new(), Vec::new(), false);
    let mut copies = BTreeSet::new();
    for (number, (job, assembly, file, (is_gcc, again))) in parts.into_iter().enumerate() {
        warnings.extend(said::warnings(&finish(job, &format!("{} does not compile", file.display()))?));
        let text = std::fs::read(&assembly).map_err(|error| Problem::new(error.to_string()))?;
        let text = String::from_utf8_lossy(&text);
        unseen.extend(inline::unseen(&text));
        if let Ok(dump) = std::fs::read(assembly.with_extension("dump")) {
            copies.extend(unseen_copies(&String::from_utf8_lossy(&dump), &text));
        }
        tries_to_join |=
            ["pthread_tryjoin", "pthread_timedjoin", "pthread_clockjoin"].iter().any(|one| text.contains(one));
        let mut declarations = declare::read(is_gcc, &assembly);
        if !is_gcc && fills.clang && declare::says_too_little(&text) {
            let mut command = compiler(Language::of(file).unwrap_or(Language::C));
            command.args(again).args(declare::more_flags(&assembly));
            finish(start(&mut command)?, &format!("{} does not compile", file.display()))?;
            declarations.extend(declare::read_more(&assembly));
        }
        let text = addresses::mark(&zones::add(&declare::mark(&text, &declarations), number));
        std::fs::write(&assembly, text).map_err(|error| Problem::new(error.to_string()))?;
        let object = assembly.with_extension("o");
        let mut command = compiler(Language::of(file).unwrap_or(Language::C));
        command
            .arg("-c")
            .args(flags.iter().filter(|flag| flag.starts_with("-Wa,")))
            .arg(&assembly)
            .arg("-o")
            .arg(&object);
        jobs.push((start(&mut command)?, format!("{} does not compile", file.display())));
        objects.push(object);
    }
    let failure = "the part of Quotient that is linked into programs does not compile";
    for job in support {
        finish(job?, failure)?;
    }
    let mut own = Vec::new();
    for name in [STUBS[0]].into_iter().chain(UNITS).chain([STUBS[1]]) {
        let assembly = directory.0.join(name).with_extension("s");
        let object = assembly.with_extension("o");
        if !STUBS.contains(&name) {
            make_weak(&assembly).map_err(|error| Problem::new(error.to_string()))?;
        }
        let mut command = compiler(Language::C);
        command.arg("-c").arg(&assembly).arg("-o").arg(&object);
        jobs.push((start(&mut command)?, failure.to_owned()));
        own.push(object);
    }
    for (job, failure) in jobs {
        finish(job, &failure)?;
    }
    let mut unseen_notes = crate::library::unseen(&objects, &own);
    objects.insert(0, own.remove(0));
    objects.extend(own);
    if !copies.is_empty() {
        let places = Vec::from_iter(copies).join(", ");
        unseen_notes.push(format!(
            "a structure that is passed by value or returned is not checked where gcc copies it ({places}); with clang it is"
        ));
    }
    let compiled = Compiled { directory, unseen, fills, warnings, unseen_notes, tries_to_join };
    let mut command = compiler(language);
    command.args(["-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-pthread", BASE]);
    if language == Language::Cpp {
        command.args(["-static-libstdc++", "-static-libgcc", "-Wl,--wrap=__cxa_throw"]);
    }
    command.args(&objects).args(flags.iter().filter(|flag| is_for_linker(flag))).arg("-o").arg(compiled.object());
    finish(start(&mut command)?, "the program does not link")?;
    let symbols = crate::symbols::Symbols::read(&compiled.object()).map_err(Problem::new)?;
    if !symbols.has_main() {
        return Err(Problem::new("the program has no function `main`, with which a check begins"));
    }
    Ok(compiled)
}

fn is_for_linker(flag: &str) -> bool {
    ["-l", "-L", "-Wl,", "-B", "-fuse-ld"].iter().any(|start| flag.starts_with(start))
        || Path::new(flag).extension().is_some_and(|extension| extension == "a" || extension == "o")
}

fn write_support(directory: &Path, language: Language, options: &Options) -> std::io::Result<()> {
    std::fs::create_dir_all(directory.join("include/bits"))?;
    for (name, text) in HEADERS {
        std::fs::write(directory.join("include").join(name), text)?;
    }
    for name in TEMPLATES {
        let text = format!(
            "#pragma GCC system_header\n#pragma push_macro(\"{EXTERN}\")\n#undef {EXTERN}\n#define {EXTERN} 0\n\
             #include_next <bits/{name}>\n#pragma pop_macro(\"{EXTERN}\")\n"
        );
        std::fs::write(directory.join("include/bits").join(name), text)?;
    }
    for (name, text) in GLUE {
        std::fs::write(directory.join(name), text)?;
    }
    std::fs::write(directory.join(STUBS[0]), table::BEGIN)?;
    let unsupported: Vec<String> = UNSUPPORTED.split_whitespace().map(str::to_owned).collect();
    std::fs::write(directory.join("stubs.s"), table::stubs(&unsupported, options.relaxed_volatile, language))
}

/// Says whether templates are in the C++ library as code.
const EXTERN: &str = "_GLIBCXX_EXTERN_TEMPLATE";

/// Makes what is defined in a file of assembly give way to other definitions.
fn make_weak(assembly: &Path) -> std::io::Result<()> {
    let text = std::fs::read_to_string(assembly)?;
    std::fs::write(assembly, text.replace("\t.globl\t", "\t.weak\t"))
}

/// The words of the command that compiles a language: what the environment says, or the system's compiler.
fn words(language: Language) -> Vec<OsString> {
    let (variable, default) = if language == Language::C { ("CC", "cc") } else { ("CXX", "c++") };
    let text = std::env::var(variable).ok().filter(|text| !text.trim().is_empty());
    text.as_deref().unwrap_or(default).split_whitespace().map(OsString::from).collect()
}

fn compiler(language: Language) -> Command {
    let words = words(language);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Whether the compiler is GCC, which has other words for some options than Clang.
fn is_gcc(language: Language) -> bool {
    let output = compiler(language).arg("--version").output();
    output.is_ok_and(|output| !String::from_utf8_lossy(&output.stdout).contains("clang"))
}

/// Whether a compiler takes an option.
fn takes(language: Language, option: &str) -> bool {
    let name = if language == Language::C { "c" } else { "c++" };
    let output = compiler(language).args([option, "-E", "-x", name, "/dev/null"]).output();
    output.is_ok_and(|output| output.status.success())
}

fn start(command: &mut Command) -> Result<Child, Problem> {
    let name = command.get_program().to_string_lossy().into_owned();
    compilers::start(command).map_err(|error| Problem {
        message: format!("the compiler `{name}` cannot be run: {error}"),
        help: vec!["install gcc or clang, or name a compiler in CC (for C) or CXX (for C++)".to_owned()],
    })
}

/// Waits for a compiler; gives what it has said.
fn finish(job: Child, failure: &str) -> Result<String, Problem> {
    let output = compilers::wait(job).map_err(|error| Problem::new(error.to_string()))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    Err(Problem { message: failure.to_owned(), help: vec![said.trim_end().to_owned()] })
}
