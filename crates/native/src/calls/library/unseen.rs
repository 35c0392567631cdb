//! Functions of other libraries that the program calls and that nobody has looked at: what they do to memory is not seen. An
//! answer names them.

use object::{Object, ObjectSection, ObjectSymbol, RelocationKind, RelocationTarget};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Functions that touch no memory of the program but what they are known to, and data. A star stands for anything.
const HARMLESS: &str = "\
    abs labs llabs imaxabs div ldiv lldiv imaxdiv __errno_location difftime clock ffs ffsl ffsll \
    isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit toascii tolower \
    toupper isw* tow* btowc wctob __ctype_* htonl htons ntohl ntohs getpagesize \
    localeconv setvbuf setbuf setbuffer setlinebuf fileno ferror feof clearerr stdout stderr stdin \
    fegetround fesetround feclearexcept feraiseexcept fetestexcept feenableexcept fedisableexcept fegetexcept uselocale duplocale freelocale \
    getpid getppid gettid getuid geteuid getgid getegid sched_getcpu isatty usleep atexit at_quick_exit \
    __stack_chk_fail __chk_fail __fortify_fail __assert _GLOBAL_OFFSET_TABLE_ __dso_handle __libc_single_threaded \
    __sched_cpucount __tls_get_addr _Unwind_* __gxx_personality* __gcc_personality* _ITM_* __gmon_start__ \
    __cxa_throw* __cxa_rethrow* __cxa_begin_catch __cxa_end_catch __cxa_allocate_exception __cxa_free_exception __cxa_bad_* \
    __cxa_pure_virtual __cxa_deleted_virtual __cxa_get_* __cxa_call_* __cxa_init_primary_exception __cxa_finalize \
    __cxa_current_exception_type __cxa_vec_* \
    __dynamic_cast __powidf2 __powisf2 __powixf2 __mul* __div* __udiv* __mod* __umod* __float* __fix* __ext* __trunc* \
    __popcount* __clz* __ctz* __ubsan_handle_* __sanitizer_* \
    _ZTI* _ZTV* _ZTS* _ZTT* _ZTH* _ZTW* _ZSt9terminatev _ZSt*__throw_* _ZSt7nothrow _Znw* _Zna* _Zdl* _Zda* _ZNSaI* _ZSt4c* _ZSt3cin \
    _ZSt5w* _ZSt18uncaught_exception* _ZSt19uncaught_exception* _ZSt17current_exception* _ZSt17rethrow_exception* \
    _ZSt13get_terminate* _ZSt10unexpectedv _ZSt16__once_* _ZSt11__once_* _ZSt15__once_* __once_proxy \
    _ZNSt6thread15* _ZNSt6thread20hardware_concurrencyEv _ZNSt6thread6_State* _ZNSt6thread24* _ZNSt18condition_variable* _ZNSt28__atomic_futex* _ZNSt13__future_base* _ZNSt3_V2* \
    _ZNSt15__exception_ptr* _ZNKSt15__exception_ptr* _ZSt15future_category* _ZSt20generic_category* \
    _ZNSt6chrono* _ZNSt10lock_error* _ZNSt12future_error* _ZNKSt12future_error* _ZNSt12system_error* _ZNSt9exception* \
    _ZNKSt9exception* _ZNSt9bad_alloc* _ZNKSt9bad_alloc* _ZNSt8bad_cast* _ZNSt10bad_typeid* _ZNSt17bad_function_call* \
    _ZNSt*_errorC* _ZNSt*_errorD* _ZNSt*errorC* _ZNSt*errorD* _ZNKSt*error4what* _ZNSt*exceptionD* _ZNSt12out_of_range* \
    _ZNSt16invalid_argument* _ZNSt12length_error* _ZNSt13runtime_error* _ZNSt11logic_error* _ZNSt14overflow_error* \
    _ZNSt12domain_error* _ZNSt11range_error* _ZNSt15underflow_error* _ZNKSt13runtime_error* _ZNKSt11logic_error* \
    _ZNSt6localeC* _ZNSt6localeD* _ZNSt6locale7classicEv _ZNSt6locale2id* _ZNKSt6locale2id* _ZNSt6locale5facet* _ZNKSt5ctype* _ZNSt5ctype* _ZSt9use_facet* _ZSt9has_facet* _ZNSt8ios_base* _ZNKSt8ios_base* \
    _ZNSt7codecvt* _ZNKSt7codecvt* _ZNKSt8numpunct* _ZNKSt8time_* _ZNKSt7num_* _ZNSt7num_* _ZNSt8numpunct* _ZNSt7__cxx118numpunct* \
    _ZNKSt8__detail20_Prime_rehash_policy* _ZNSt8__detail15_List_node_base* _ZSt18_Rb_tree_* _ZSt28_Rb_tree_* _ZSt29_Rb_tree_* \
    _ZSt11_Hash_bytes* _ZNKSt9type_info* _ZNSt9type_info* _ZNSt9nothrow* _ZSt21ios_base_library_init* _ZSt25__throw_* \
    _ZNSt4__padI* _ZSt16__ostream_insert* _ZNSt12__cow_string* _ZNSt13random_device*";

/// What is not harmless all the same: tables of virtual functions that nobody has looked at.
const VIRTUAL: &str = "_ZTVNSt3pmr*";

/// Functions of mathematics, with what may follow their names.
const MATHEMATICS: &str = "acos asin atan atan2 ceil cos cosh exp exp2 exp10 expm1 fabs floor fmod log log10 log1p log2 logb \
    pow sin sinh sqrt tan tanh acosh asinh atanh cbrt copysign erf erfc fdim fma fmax fmin hypot ilogb ldexp tgamma \
    llrint llround lrint lround nearbyint nextafter nexttoward remainder rint round scalbln scalbn trunc roundeven significand \
    drem j0 j1 jn y0 y1 yn finite isinf isnan __finite __isinf __isnan __signbit __fpclassify __iseqsig __issignaling \
    cabs carg creal cimag conj cproj csqrt cexp clog cpow csin ccos ctan";

/// What is not seen of a program.
pub(crate) struct Unseen {
    /// Functions and data of other libraries that nobody has looked at.
    names: BTreeSet<String>,
    /// Those of them that are called.
    pub calls: Vec<String>,
    /// Annotations that are ignored.
    annotations: Vec<String>,
    /// Functions that are to give random numbers.
    random: Vec<String>,
}

/// Functions that are to give random numbers, and that Quotient stands behind.
const RANDOM: [&str; 5] = ["rand", "random", "drand48", "lrand48", "mrand48"];

/// What objects of a program use that neither they nor our `own` objects have, and that is not known.
pub(crate) fn unseen(program: &[PathBuf], own: &[PathBuf]) -> Unseen {
    let (mut wanted, mut defined) = (BTreeSet::new(), BTreeSet::new());
    program.iter().for_each(|object| collect(object, &mut wanted, &mut defined));
    wanted.retain(|name| !defined.contains(name));
    own.iter().for_each(|object| collect(object, &mut BTreeSet::new(), &mut defined));
    let names: BTreeSet<String> = wanted.difference(&defined).filter(|name| !is_harmless(name)).cloned().collect();
    let called: BTreeSet<String> = program.iter().flat_map(|object| called(object)).collect();
    let lasts = |name: &&String| names.contains(*name) && !TWICE.contains(&name.as_str());
    let calls = called.iter().filter(lasts).cloned().collect();
    let random = RANDOM.iter().filter(|&&name| wanted.contains(name)).map(|&name| name.to_owned()).collect();
    let annotations = wanted.iter().filter_map(|name| name.strip_prefix("quotient_ignores_")).map(str::to_owned);
    Unseen { names, calls, annotations: annotations.collect(), random }
}

/// Functions that may return more than once, or never: they are called directly.
const TWICE: [&str; 10] = [
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "getcontext",
    "setcontext",
    "swapcontext",
];

impl Unseen {
    /// What an answer says of it.
    pub(crate) fn notes(&self) -> Vec<String> {
        let ignored = |name: &String| format!("the annotation `__VERIFIER_{name}` is ignored: it is not checked");
        let same = |name: &String| format!("`{name}` gives the same number at every call: no other is tried");
        let mut notes: Vec<String> =
            self.annotations.iter().map(ignored).chain(self.random.iter().map(same)).collect();
        let names: BTreeSet<String> = self.names.iter().map(|name| format!("`{}`", readable(name))).collect();
        if !names.is_empty() {
            notes.push(format!("memory touched by {} is not checked", Vec::from_iter(names).join(", ")));
        }
        notes
    }

    /// Assembly that stands before each function that is called: it may do something that lasts, so a loop around it does not go
    /// round in vain. All registers in which arguments are passed are kept.
    pub(crate) fn stubs(&self) -> String {
        const KEPT: [&str; 8] = ["rdi", "rsi", "rdx", "rcx", "r8", "r9", "rax", "r10"];
        let mut text = String::from("\t.text\n");
        for name in &self.calls {
            text.push_str(&format!("\t.globl \"__wrap_{name}\"\n\t.hidden \"__wrap_{name}\"\n"));
            text.push_str(&format!("\t.type \"__wrap_{name}\", @function\n\"__wrap_{name}\":\n"));
            KEPT.iter().for_each(|register| text.push_str(&format!("\tpushq %{register}\n")));
            // Room for eight registers of 16 bytes, and as much as the stack is off.
            text.push_str("\tsubq $136, %rsp\n");
            (0..8).for_each(|n| text.push_str(&format!("\tmovups %xmm{n}, {}(%rsp)\n", 16 * n)));
            text.push_str("\tcall quotient_deed\n");
            (0..8).for_each(|n| text.push_str(&format!("\tmovups {}(%rsp), %xmm{n}\n", 16 * n)));
            text.push_str("\taddq $136, %rsp\n");
            KEPT.iter().rev().for_each(|register| text.push_str(&format!("\tpopq %{register}\n")));
            text.push_str(&format!("\tjmp \"__real_{name}\"@PLT\n\t.size \"__wrap_{name}\", .-\"__wrap_{name}\"\n"));
        }
        text.push_str("\t.section .note.GNU-stack,\"\",@progbits\n");
        text
    }
}

/// The names that an object calls.
fn called(path: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let Ok(data) = std::fs::read(path) else { return names };
    let Ok(file) = object::File::parse(&*data) else { return names };
    for (_, relocation) in file.sections().flat_map(|section| section.relocations()) {
        let (RelocationKind::PltRelative, RelocationTarget::Symbol(index)) = (relocation.kind(), relocation.target())
        else {
            continue;
        };
        let name = file.symbol_by_index(index).ok().and_then(|symbol| symbol.name().ok().map(str::to_owned));
        names.extend(name.filter(|name| !name.is_empty()));
    }
    names
}

/// The names that an object uses and does not have, and those that it has.
fn collect(path: &Path, wanted: &mut BTreeSet<String>, defined: &mut BTreeSet<String>) {
    let Ok(data) = std::fs::read(path) else { return };
    let Ok(file) = object::File::parse(&*data) else { return };
    for symbol in file.symbols().filter(|symbol| !symbol.is_local()) {
        let Ok(name) = symbol.name() else { continue };
        if name.is_empty() {
            continue;
        }
        if symbol.is_undefined() { &mut *wanted } else { &mut *defined }.insert(name.to_owned());
    }
}

fn is_harmless(name: &str) -> bool {
    let is_mathematics = |name: &str| MATHEMATICS.split_whitespace().any(|known| known == name);
    is_mathematics(name)
        || name.strip_suffix(['f', 'l']).is_some_and(is_mathematics)
        || is_in(HARMLESS, name) && !is_in(VIRTUAL, name)
}

/// Whether a name is in a list of names and forms.
fn is_in(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|pattern| matches(pattern, name))
}

/// Whether a name is of a form in which a star stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = None;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        last = Some(part);
    }
    rest.is_empty() || last == Some("")
}

/// A name as a program has it.
fn readable(name: &str) -> String {
    if name.starts_with("_Z") { addr2line::demangle_auto(name.into(), None).into_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        assert!(matches("abs", "abs") && !matches("abs", "labs") && !matches("abs", "absx"));
        assert!(matches("isw*", "iswalpha") && matches("isw*", "isw") && !matches("isw*", "isx"));
        assert!(matches("_ZSt*__throw_*", "_ZSt20__throw_length_errorPKc"));
    }

    #[test]
    fn mathematics_is_harmless_in_all_sizes() {
        assert!(is_harmless("sin") && is_harmless("sinf") && is_harmless("sinl") && !is_harmless("sinx"));
        assert!(!is_harmless("getline_of_a_library"));
    }
}
