//! From source files to a shared object, with the user's own compiler.

use crate::build::compiler::{Compiler, finish, start};
use crate::build::directory::Directory;
use crate::build::inline_asm::{self, Unseen};
use crate::input::Language;
use crate::build::watch;
use crate::check::child::{self, Excess};
use crate::build::{addresses, bare, compiler, declare, flags as user_flags, frames, glue, linked, said, zones};
use crate::calls::library;
use crate::options::Options;
use crate::problem::Problem;
use crate::memory::unwritten::Fills;
use quotient_report::Answer;
use quotient_report::verdict::StopReason;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    /// Whether it deletes keys for thread-specific data.
    pub(crate) deletes_keys: bool,
    /// Whether it looks at its error number.
    pub(crate) reads_errno: bool,
    /// The compilers, each with its version.
    pub(crate) compilers: Vec<String>,
}

/// What comes of compiling.
#[derive(Debug)]
pub enum Build {
    /// A program that can be checked.
    Program(Box<Compiled>),
    /// A limit was passed before, or somebody wanted the check to stop: the answer of the check.
    Stopped(Box<Answer>),
}

/// Where the object is loaded if that memory is free, so that addresses of variables are the same in every process.
const BASE: &str = "-Wl,-Ttext-segment=0x510000000000";

impl Compiled {
    /// The shared object.
    pub fn object(&self) -> PathBuf {
        self.directory.0.join("program.so")
    }

    /// Looks at the assembly of a part, and adds to it what is needed.
    fn prepare(&mut self, part: &Part, compiler: &Compiler) -> Result<(), Problem> {
        let Part { assembly, file, again, number, .. } = part;
        let is_gcc = compiler.is_gcc;
        if compiler.fills {
            if is_gcc { self.fills.gcc = true } else { self.fills.clang = true }
        }
        let text = std::fs::read(assembly).map_err(|error| Problem::new(error.to_string()))?;
        let text = String::from_utf8_lossy(&text);
        self.unseen.extend(inline_asm::unseen(&text));
        self.tries_to_join |=
            ["pthread_tryjoin", "pthread_timedjoin", "pthread_clockjoin"].iter().any(|one| text.contains(one));
        self.deletes_keys |= ["pthread_key_delete", "tss_delete"].iter().any(|one| text.contains(one));
        self.reads_errno |= text.contains("__errno_location");
        let mut declarations = declare::read(is_gcc, assembly);
        if !is_gcc && compiler.fills && declare::says_too_little(&text) {
            let mut command = compiler.command();
            command.args(again).args(declare::more_flags(assembly));
            finish(start(&mut command)?, &format!("{} does not compile", file.display()))?;
            declarations.extend(declare::read_more(assembly));
        }
        let (text, unseen) = bare::mark(&text, part.parts_unseen);
        self.unseen_notes.extend(unseen);
        let text = addresses::mark(&zones::add(&declare::mark(&text, &declarations), *number));
        std::fs::write(assembly, text).map_err(|error| Problem::new(error.to_string()))
    }
}

/// Compiles and links the files, for a check with these options, with what the user wants the compiler to be told.
///
/// # Errors
/// There is no compiler, the program does not compile or link, or has no `main`.
pub fn compile(
    files: &[PathBuf],
    defines: &[String],
    flags: &[String],
    options: &Options,
) -> Result<Build, Problem> {
    match watch::over(options, || compile_files(files, defines, flags, options)) {
        (Ok(build), _) => Ok(build),
        (Err(_), Some(answer)) => Ok(Build::Stopped(Box::new(answer))),
        (Err(problem), None) => Err(problem),
    }
}

fn compile_files(
    files: &[PathBuf],
    defines: &[String],
    flags: &[String],
    options: &Options,
) -> Result<Build, Problem> {
    if let Some(file) = files.iter().find(|file| !file.exists()) {
        return Err(Problem::new(format!("cannot read {}: there is no such file", file.display())));
    }
    if let Some(problem) = user_flags::refused(flags) {
        return Err(problem);
    }
    let files: &[PathBuf] = &files.iter().map(|file| as_file(file)).collect::<Vec<_>>();
    let language_of = |file: &Path| Language::of(file).unwrap_or(Language::C);
    let language =
        if files.iter().any(|file| language_of(file) == Language::Cpp) { Language::Cpp } else { Language::C };
    let no_directory = |error| Problem::new(format!("no directory for objects: {error}"));
    let directory = Directory::new().map_err(no_directory)?;
    let include = glue::write_headers(&directory.0).map_err(no_directory)?;
    let own = glue::write_objects(&directory.0, language, options.relaxed_volatile).map_err(no_directory)?;
    // Each is asked once, and none that is not needed.
    let mut compilers: Vec<Compiler> = Vec::new();
    let mut parts = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let language = language_of(file);
        let known = compilers.iter().position(|compiler| compiler.language == language);
        let known = known.unwrap_or_else(|| {
            compilers.push(Compiler::ask(language));
            compilers.len() - 1
        });
        let assembly = directory.0.join(format!("part{number}.s"));
        let mut command = compilers[known].command();
        instrument(&mut command, &compilers[known], options, &include, &assembly);
        command.args(defines.iter().map(|define| format!("-D{define}")));
        command.args(flags);
        if !compilers[known].is_gcc {
            // It does not instrument an access to more than 16 bytes. A level of optimisation behind this would undo it.
            command.args(["-fno-vectorize", "-fno-slp-vectorize"]);
        }
        command.args(user_flags::LAST);
        let shares_all = compilers[known].shares_all && frames::is_optimised(&command);
        if shares_all {
            command.args(compiler::SHARES_ALL);
        }
        let parts_unseen = !compilers[known].is_gcc && !shares_all;
        if compilers[known].zones && frames::is_optimised(&command) {
            command.args(frames::FLAGS);
        }
        command.arg(file).arg("-o").arg(&assembly);
        let again = frames::without(compilers[known].options(&command));
        parts.push((start(&mut command)?, Part { compiler: known, number, assembly, file, again, parts_unseen }));
    }
    let mut compiled = Compiled {
        directory,
        unseen: Vec::new(),
        fills: Fills::default(),
        warnings: Vec::new(),
        unseen_notes: Vec::new(),
        tries_to_join: false,
        deletes_keys: false,
        reads_errno: false,
        compilers: compilers.iter().map(|compiler| compiler.version.clone()).collect(),
    };
    let (mut jobs, mut objects) = (Vec::new(), Vec::new());
    for (job, part) in parts {
        let failure = format!("{} does not compile", part.file.display());
        compiled.warnings.extend(said::warnings(&finish(job, &failure)?));
        let compiler = &compilers[part.compiler];
        compiled.prepare(&part, compiler)?;
        let object = part.assembly.with_extension("o");
        let mut command = compiler.command();
        command.arg("-c").args(flags.iter().filter(|flag| flag.starts_with("-Wa,")));
        command.arg(&part.assembly).arg("-o").arg(&object);
        jobs.push((start(&mut command)?, failure));
        objects.push(object);
    }
    for (job, failure) in jobs {
        finish(job, &failure)?;
    }
    // What the program has at its beginning is read, kept, and put back before every execution.
    let size: u64 = objects.iter().filter_map(|object| std::fs::metadata(object).ok()).map(|data| data.len()).sum();
    if let Some(most) = options.max_memory.filter(|&most| size.saturating_mul(TIMES_READ) > most && size > SMALL) {
        let reason = format!(
            "the program has {} MB of code and data at its beginning, which is too much for the limit on memory ({} MB)",
            size >> 20,
            most >> 20
        );
        let answer = child::stopped(Excess { reason, stop: StopReason::MaxMemory });
        return Ok(Build::Stopped(Box::new(answer)));
    }
    let given = flags.iter().map(PathBuf::from).filter(|flag| flag.extension().is_some_and(|extension| extension == "o"));
    let parts: Vec<PathBuf> = objects.iter().cloned().chain(given).collect();
    let ours: Vec<PathBuf> = own.front.iter().chain(&own.behind).cloned().collect();
    if let Some(problem) = linked::taken(&parts, &ours) {
        return Err(problem);
    }
    if let Some(part) = parts.iter().find(|part| linked::is_unfinished(part)) {
        let name = part.file_name().unwrap_or_default().to_string_lossy();
        return Err(Problem::new(format!("{name} is no code before it is linked (-flto): what it does would not be seen")));
    }
    let unseen = library::unseen(&objects, &own.behind);
    compiled.unseen_notes.extend(unseen.notes());
    let compiler = compilers.iter().find(|compiler| compiler.language == language);
    let mut command = compiler.map_or_else(|| Compiler::ask(language).command(), Compiler::command);
    command.args(["-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-pthread", BASE]);
    if language == Language::Cpp {
        command.args(["-static-libstdc++", "-static-libgcc", "-Wl,--wrap=__cxa_throw"]);
    }
    if !unseen.calls.is_empty() {
        let stubs = compiled.directory.0.join("unseen.s");
        std::fs::write(&stubs, unseen.stubs()).map_err(|error| Problem::new(error.to_string()))?;
        command.args(unseen.calls.iter().map(|name| format!("-Wl,--wrap={name}"))).arg(stubs);
    }
    command.args(own.front.iter().chain(&objects).chain(&own.behind));
    command.args(flags.iter().filter(|flag| is_for_linker(flag)));
    command.args(["-fno-lto", "-Wl,-z,separate-code", "-o"]).arg(compiled.object());
    finish(start(&mut command)?, "the program does not link")?;
    if let Some(problem) = linked::problem_of(&compiled.object(), &ours) {
        return Err(problem);
    }
    let symbols = crate::memory::symbols::Symbols::read(&compiled.object()).map_err(|problem| Problem::new(problem.to_string()))?;
    if !symbols.has_main() {
        return Err(Problem::new("the program has no function `main`, with which a check begins"));
    }
    Ok(Build::Program(Box::new(compiled)))
}

/// How often what is in the program is in memory.
const TIMES_READ: u64 = 3;
/// An object of this size is no matter.
const SMALL: u64 = 32 << 20;

/// A file of the program that is being compiled.
struct Part<'a> {
    /// Which of the compilers.
    compiler: usize,
    number: usize,
    file: &'a Path,
    assembly: PathBuf,
    /// What the compiler was told.
    again: Vec<OsString>,
    /// Whether it leaves out what a function does to parts of its own variables.
    parts_unseen: bool,
}

/// The options with which every file is compiled.
fn instrument(command: &mut Command, compiler: &Compiler, options: &Options, include: &Path, assembly: &Path) {
    let &Compiler { language, is_gcc, fills, .. } = compiler;
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
    // No function can ask not to be seen.
    command.args(
        ["no_sanitize_thread", "__no_sanitize_thread__", "no_sanitize(...)", "__no_sanitize__(...)"]
            .map(|attribute| format!("-D{attribute}=unused")),
    );
    // What the compiler knows of functions of the library it would turn into accesses that are not instrumented.
    command.arg("-fno-builtin");
    if language == Language::Cpp {
        command.arg("-D_GLIBCXX_ASSERTIONS");
    }
    command.arg("-include").arg(include.join("bits/quotient_alloca.h"));
    let functions = u8::from(options.unroll.is_some());
    command.args(said::flags(is_gcc));
    if fills {
        command.args(declare::flags(is_gcc, assembly));
    }
    // Clang's other way to check bounds only crashes.
    command.arg(if is_gcc { "-fsanitize=bounds,vla-bound" } else { "-fsanitize=array-bounds,vla-bound" });
    if is_gcc {
        command.args(["-fno-tree-loop-distribute-patterns", "-fno-reorder-functions"]);
        command.arg("-fno-reorder-blocks-and-partition");
        // A callee may change all registers that the ABI lets it change: what is live is computed by that.
        command.arg("-fno-ipa-ra");
        if language == Language::Cpp {
            // What a destructor writes is seen, and so are `new` and `delete` of what nobody uses, such as a second `delete`.
            command.args(["-fno-lifetime-dse", "-fno-allocation-dce"]);
        }
        command.arg("-include").arg(include.join("bits/quotient_builtins.h"));
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
            command.arg("-include").arg(include.join("bits/quotient_weak.h"));
        }
    }
    // These headers are no files of the user's.
    command.arg(format!("-ffile-prefix-map={}=/usr/include/quotient", include.display()));
    command.arg("-isystem").arg(include);
}

/// The name of a file, such that it is no option of a compiler: `@file` stands for what is in the file.
fn as_file(path: &Path) -> PathBuf {
    let is_option = matches!(path.as_os_str().as_encoded_bytes().first(), Some(b'@' | b'-'));
    if is_option { Path::new(".").join(path) } else { path.to_owned() }
}

fn is_for_linker(flag: &str) -> bool {
    ["-l", "-L", "-Wl,", "-B", "-fuse-ld"].iter().any(|start| flag.starts_with(start))
        || Path::new(flag).extension().is_some_and(|extension| extension == "a" || extension == "o")
}
