//! The rows of the table: every function of the C library that is known to touch memory.

use super::Case::{Ignored, Matters};
use super::Size::{Argument, Constant, Product};
use super::Span::{
    Append, AppendAtMost, Bytes, Compared, ComparedAtMost, Copy, CopyUntil, Elements, Format, Match, New, Number,
    Result, Text, TextAtMost, TextIfAny, TextUntil, Token, Until, UntilFound, Value, While, WhileNot,
};
use super::own::Action::{Glue, Library, Number as ReadsNumber, Own};
use super::own::{self, Action};
use super::{Function, Span, strings};
use std::sync::OnceLock;

/// All functions that the C library of this system has.
pub fn rows() -> &'static [Function] {
    static ROWS: OnceLock<Vec<Function>> = OnceLock::new();
    let is_there = |function: &Function| !function.has_stub() || super::real(function.name) != 0;
    ROWS.get_or_init(|| every_row().filter(is_there).collect())
}

/// All functions, also those that only other versions of the C library have.
pub(super) fn every_row() -> impl Iterator<Item = Function> {
    [memory(), texts(), wide(), numbers(), output(), times()].into_iter().flatten()
}

/// A function of bytes.
fn row(example: &'static str, reads: &'static [Span], writes: &'static [Span], action: Action) -> Function {
    let call = example.strip_prefix('(').unwrap_or(example);
    let name = call.split('(').next().unwrap_or(call);
    Function { name, also: &[], header: "", reads, writes, keeps: None, example, unit: 1, action }
}

impl Function {
    fn also(self, also: &'static [&'static str]) -> Self {
        Function { also, ..self }
    }

    fn keeps(self, keeps: &'static str) -> Self {
        Function { keeps: Some(keeps), ..self }
    }
}

/// Rows of one header, with elements of so many bytes.
fn of(header: &'static str, unit: usize, rows: Vec<Function>) -> Vec<Function> {
    rows.into_iter().map(|row| Function { header, unit, ..row }).collect()
}

const ALL: Span = Bytes(0, Argument(2));
const OTHER: Span = Bytes(1, Argument(2));

fn memory() -> Vec<Function> {
    let mut rows = of(
        "string.h",
        1,
        vec![
            row("memcpy(a, b, n)", &[OTHER], &[ALL], Glue).also(&["__memcpy_chk"]),
            row("memmove(a, b, n)", &[OTHER], &[ALL], Glue).also(&["__memmove_chk"]),
            row("mempcpy(a, b, n)", &[OTHER], &[ALL], Own(own::copy_to_end)).also(&["__mempcpy", "__mempcpy_chk"]),
            row("memset(a, 1, n)", &[], &[ALL], Glue).also(&["__memset_chk"]),
            row("(explicit_bzero(a, n), 0)", &[], &[Bytes(0, Argument(1))], Library).also(&["__explicit_bzero_chk"]),
            row("memcmp(a, b, n)", &[ALL, OTHER], &[], Glue).also(&["__memcmpeq"]),
            row("memchr(a, 'q', n)", &[Until(0, 1, 2)], &[], Library),
            row("memrchr(a, 'q', n)", &[ALL], &[], Library),
            row("rawmemchr(a, 0)", &[UntilFound(0, 1)], &[], Library),
            row("memmem(a, n, c, 3)", &[Bytes(0, Argument(1)), Bytes(2, Argument(3))], &[], Library),
            row("memccpy(a, b, 'q', n)", &[Until(1, 2, 3)], &[CopyUntil(0, 1, 2, 3)], Library),
        ],
    );
    rows.extend(of(
        "strings.h",
        1,
        vec![
            row("(bzero(a, n), 0)", &[], &[Bytes(0, Argument(1))], Library),
            row("(bcopy(b, a, n), 0)", &[ALL], &[OTHER], Library),
            row("bcmp(a, b, n)", &[ALL, OTHER], &[], Library),
            row("strcasecmp(a, b)", &[Compared(0, 1, Ignored)], &[], Library),
            row("strncasecmp(a, b, n)", &[ComparedAtMost(0, 1, 2, Ignored)], &[], Library),
        ],
    ));
    rows.extend(of("unistd.h", 1, vec![row("(swab(b, a, n), 0)", &[ALL], &[OTHER], Library)]));
    rows
}

fn texts() -> Vec<Function> {
    of(
        "string.h",
        1,
        vec![
            row("strlen(a)", &[Text(0)], &[], Library),
            row("strnlen(a, n)", &[TextAtMost(0, 1)], &[], Library),
            row("strcpy(a, b)", &[Text(1)], &[Copy(0, 1)], Library).also(&["__strcpy_chk"]),
            row("stpcpy(a, b)", &[Text(1)], &[Copy(0, 1)], Library).also(&["__stpcpy", "__stpcpy_chk"]),
            row("strncpy(a, b, n)", &[TextAtMost(1, 2)], &[ALL], Library).also(&["__strncpy_chk"]),
            row("stpncpy(a, b, n)", &[TextAtMost(1, 2)], &[ALL], Library).also(&["__stpncpy_chk"]),
            row("strcat(a, b)", &[Text(0), Text(1)], &[Append(0, 1)], Library).also(&["__strcat_chk"]),
            row("strncat(a, b, n)", &[Text(0), TextAtMost(1, 2)], &[AppendAtMost(0, 1, 2)], Library)
                .also(&["__strncat_chk"]),
            row("strcmp(a, b)", &[Compared(0, 1, Matters)], &[], Library),
            row("strncmp(a, b, n)", &[ComparedAtMost(0, 1, 2, Matters)], &[], Library),
            row("strcoll(a, b)", &[Text(0), Text(1)], &[], Library),
            row("strverscmp(a, b)", &[Text(0), Text(1)], &[], Library),
            row("strchr(a, 'q')", &[TextUntil(0, 1)], &[], Library).also(&["index"]),
            row("strrchr(a, 'q')", &[Text(0)], &[], Library).also(&["rindex"]),
            row("strchrnul(a, 'q')", &[TextUntil(0, 1)], &[], Library),
            row("strstr(a, c)", &[Match(0, 1, Matters), Text(1)], &[], Library),
            row("strcasestr(a, c)", &[Match(0, 1, Ignored), Text(1)], &[], Library),
            row("strpbrk(a, c)", &[WhileNot(0, 1), Text(1)], &[], Library),
            row("strspn(a, b)", &[While(0, 1), Text(1)], &[], Library),
            row("strcspn(a, c)", &[WhileNot(0, 1), Text(1)], &[], Library),
            row("strtok(a, c)", &[Token(0, 1), Text(1)], &[], Own(strings::strtok)).keeps(super::KEPT[0].0),
            row("strtok_r(a, c, p)", &[Token(0, 1), Text(1)], &[Value(2, 8)], Own(strings::strtok_r))
                .also(&["__strtok_r"]),
            row("strsep(p, c)", &[Value(0, 8), Text(1)], &[Value(0, 8)], Own(strings::strsep)),
            row("strdup(a)", &[Text(0)], &[New], Own(own::duplicate)).also(&["__strdup"]),
            row("strndup(a, n)", &[TextAtMost(0, 1)], &[New], Own(own::duplicate_at_most)).also(&["__strndup"]),
            row("strxfrm(a, b, n)", &[Text(1)], &[Result(0)], Own(own::strxfrm)),
            row("strlcpy(a, b, n)", &[Text(1)], &[ALL], Library),
            row("strlcat(a, b, n)", &[Text(0), Text(1)], &[ALL], Library),
            row("strerror(1)", &[], &[], Own(own::strerror)).keeps(super::KEPT[3].0),
            row("__xpg_strerror_r(1, a, 64)", &[], &[Result(1)], Own(own::strerror_r)),
            row("strerror_r(1, a, 64)", &[], &[Result(1)], Own(own::gnu_strerror_r)),
        ],
    )
}

fn wide() -> Vec<Function> {
    of(
        "wchar.h",
        4,
        vec![
            row("wmemcpy(w, v, n)", &[OTHER], &[ALL], Own(own::copy)).also(&["__wmemcpy_chk"]),
            row("wmemmove(w, v, n)", &[OTHER], &[ALL], Own(own::copy)).also(&["__wmemmove_chk"]),
            row("wmempcpy(w, v, n)", &[OTHER], &[ALL], Own(own::copy_to_end)).also(&["__wmempcpy_chk"]),
            row("wmemset(w, 1, n)", &[], &[ALL], Library).also(&["__wmemset_chk"]),
            row("wmemcmp(w, v, n)", &[ALL, OTHER], &[], Library),
            row("wmemchr(w, 'q', n)", &[Until(0, 1, 2)], &[], Library),
            row("wcslen(w)", &[Text(0)], &[], Library),
            row("wcsnlen(w, n)", &[TextAtMost(0, 1)], &[], Library),
            row("wcscpy(w, v)", &[Text(1)], &[Copy(0, 1)], Library).also(&["__wcscpy_chk"]),
            row("wcpcpy(w, v)", &[Text(1)], &[Copy(0, 1)], Library).also(&["__wcpcpy_chk"]),
            row("wcsncpy(w, v, n)", &[TextAtMost(1, 2)], &[ALL], Library).also(&["__wcsncpy_chk"]),
            row("wcpncpy(w, v, n)", &[TextAtMost(1, 2)], &[ALL], Library).also(&["__wcpncpy_chk"]),
            row("wcscat(w, v)", &[Text(0), Text(1)], &[Append(0, 1)], Library).also(&["__wcscat_chk"]),
            row("wcsncat(w, v, n)", &[Text(0), TextAtMost(1, 2)], &[AppendAtMost(0, 1, 2)], Library)
                .also(&["__wcsncat_chk"]),
            row("wcscmp(w, v)", &[Compared(0, 1, Matters)], &[], Library),
            row("wcsncmp(w, v, n)", &[ComparedAtMost(0, 1, 2, Matters)], &[], Library),
            row("wcscasecmp(w, v)", &[Compared(0, 1, Ignored)], &[], Library),
            row("wcsncasecmp(w, v, n)", &[ComparedAtMost(0, 1, 2, Ignored)], &[], Library),
            row("wcscoll(w, v)", &[Text(0), Text(1)], &[], Library),
            row("wcschr(w, 'q')", &[TextUntil(0, 1)], &[], Library),
            row("wcsrchr(w, 'q')", &[Text(0)], &[], Library),
            row("wcschrnul(w, 'q')", &[TextUntil(0, 1)], &[], Library),
            row("wcsstr(w, x)", &[Match(0, 1, Matters), Text(1)], &[], Library),
            row("wcspbrk(w, x)", &[WhileNot(0, 1), Text(1)], &[], Library),
            row("wcsspn(w, v)", &[While(0, 1), Text(1)], &[], Library),
            row("wcscspn(w, x)", &[WhileNot(0, 1), Text(1)], &[], Library),
            row("wcstok(w, x, (wchar_t **)p)", &[Token(0, 1), Text(1)], &[Value(2, 8)], Own(strings::strtok_r)),
            row("wcsdup(w)", &[Text(0)], &[New], Own(own::duplicate)),
            row("wcsxfrm(w, v, n)", &[Text(1)], &[Result(0)], Own(own::strxfrm)),
            row("wcstol(w, (wchar_t **)p, 10)", &[Number(0)], &[Value(1, 8)], ReadsNumber).also(&["wcstoll"]),
            row("wcstoul(w, (wchar_t **)p, 10)", &[Number(0)], &[Value(1, 8)], ReadsNumber).also(&["wcstoull"]),
        ],
    )
}

fn numbers() -> Vec<Function> {
    let mut rows = of(
        "stdlib.h",
        1,
        vec![
            row("strtol(a, p, 10)", &[Number(0)], &[Value(1, 8)], ReadsNumber).also(&[
                "strtoll",
                "strtoimax",
                "strtoq",
                "__isoc23_strtol",
                "__isoc23_strtoll",
                "__isoc23_strtoimax",
            ]),
            row("strtoul(a, p, 10)", &[Number(0)], &[Value(1, 8)], ReadsNumber).also(&[
                "strtoull",
                "strtoumax",
                "strtouq",
                "__isoc23_strtoul",
                "__isoc23_strtoull",
                "__isoc23_strtoumax",
            ]),
            row("strtod(a, p)", &[Number(0)], &[Value(1, 8)], Glue),
            row("strtof(a, p)", &[Number(0)], &[Value(1, 8)], Glue),
            row("strtold(a, p)", &[Number(0)], &[Value(1, 8)], Glue),
            row("atoi(a)", &[Number(0)], &[], Glue),
            row("atol(a)", &[Number(0)], &[], Glue).also(&["atoll"]),
            row("atof(a)", &[Number(0)], &[], Glue),
            row("mbstowcs(w, a, n)", &[Text(1)], &[Result(0)], Own(own::mbstowcs)).also(&["__mbstowcs_chk"]),
            row("getenv(a)", &[Text(0)], &[], Own(own::getenv)).also(&["secure_getenv"]),
            row("setenv(a, b, 1)", &[Text(0), Text(1)], &[], Library).keeps(super::KEPT[4].0),
            row("unsetenv(a)", &[Text(0)], &[], Library).keeps(super::KEPT[4].0),
            row("putenv(a)", &[Text(0)], &[], Library).keeps(super::KEPT[4].0),
            row("(qsort(a, n, 1, compare), 0)", &[Elements(0)], &[Elements(0)], Glue),
            row("(qsort_r(a, n, 1, compare_more, 0), 0)", &[Elements(0)], &[Elements(0)], Glue),
            row("bsearch(b, a, n, 1, compare)", &[Elements(1)], &[], Glue),
        ],
    );
    let wide = row("wcstombs(a, w, n)", &[Text(1)], &[Result(0)], Own(own::wcstombs)).also(&["__wcstombs_chk"]);
    rows.extend(of("stdlib.h", 4, vec![wide]));
    rows.extend(of(
        "math.h",
        1,
        vec![
            row("frexp(1.0, e)", &[], &[Value(1, 4)], Glue).also(&["frexpf", "frexpl"]),
            row("modf(1.5, d)", &[], &[Value(1, 8)], Glue).also(&["modff", "modfl"]),
            row("remquo(1.5, 1.0, e)", &[], &[Value(2, 4)], Glue).also(&["remquof", "remquol"]),
            row("lgamma_r(1.5, e)", &[], &[Value(1, 4)], Glue).also(&["lgammaf_r"]),
            row("(sincos(1.5, d, d + 1), 0)", &[], &[Value(1, 8), Value(2, 8)], Glue).also(&["sincosf", "sincosl"]),
        ],
    ));
    rows
}

fn output() -> Vec<Function> {
    let mut rows = of(
        "stdio.h",
        1,
        vec![
            row("printf(f, b)", &[Format(0)], &[], Glue).also(&["vprintf", "__printf_chk", "__vprintf_chk"]),
            row("fprintf(stdout, f, b)", &[Format(1)], &[], Glue).also(&[
                "vfprintf",
                "__fprintf_chk",
                "__vfprintf_chk",
            ]),
            row("dprintf(1, f, b)", &[Format(1)], &[], Glue).also(&["vdprintf", "__dprintf_chk", "__vdprintf_chk"]),
            row("sprintf(a, f, b)", &[Format(1)], &[Result(0)], Glue).also(&[
                "vsprintf",
                "__sprintf_chk",
                "__vsprintf_chk",
            ]),
            row("snprintf(a, n, f, b)", &[Format(2)], &[Result(0)], Glue).also(&[
                "vsnprintf",
                "__snprintf_chk",
                "__vsnprintf_chk",
            ]),
            row("asprintf(p, f, b)", &[Format(1)], &[Value(0, 8), New], Glue).also(&[
                "vasprintf",
                "__asprintf_chk",
                "__vasprintf_chk",
            ]),
            row("sscanf(b, f, a)", &[Text(0), Text(1)], &[Result(2)], Glue).also(&[
                "vsscanf",
                "__isoc99_sscanf",
                "__isoc99_vsscanf",
                "__isoc23_sscanf",
                "__isoc23_vsscanf",
            ]),
            row("puts(a)", &[Text(0)], &[], Own(own::puts)),
            row("fputs(a, stdout)", &[Text(0)], &[], Own(own::fputs)).also(&["fputs_unlocked"]),
            row("fwrite(a, 1, n, stdout)", &[Bytes(0, Product(1, 2))], &[], Own(own::fwrite))
                .also(&["fwrite_unlocked"]),
            row("(perror(a), 0)", &[TextIfAny(0)], &[], Own(own::perror)),
        ],
    );
    let written = &[Bytes(1, Argument(2))];
    rows.extend(of("unistd.h", 1, vec![row("write(1, a, n)", written, &[], Own(own::write))]));
    let parts = row("writev(1, (struct iovec *)p, 0)", &[], &[], Own(own::writev));
    rows.extend(of("sys/uio.h", 1, vec![parts]));
    rows
}

/// The sizes of `struct tm` and of `time_t`.
const TIME: Span = Bytes(0, Constant(56));
const SECONDS: Span = Bytes(0, Constant(8));

fn times() -> Vec<Function> {
    of(
        "time.h",
        1,
        vec![
            row("gmtime_r(k, t)", &[SECONDS], &[Bytes(1, Constant(56))], Library),
            row("localtime_r(k, t)", &[SECONDS], &[Bytes(1, Constant(56))], Library),
            row("gmtime(k)", &[SECONDS], &[], Own(own::gmtime)).keeps(super::KEPT[1].0),
            row("localtime(k)", &[SECONDS], &[], Own(own::localtime)).keeps(super::KEPT[1].0),
            row("asctime(t)", &[TIME], &[], Own(own::asctime)).keeps(super::KEPT[2].0),
            row("ctime(k)", &[SECONDS], &[], Own(own::ctime)).keeps(super::KEPT[2].0),
            row("asctime_r(t, a)", &[TIME], &[Result(1)], Own(own::asctime_r)),
            row("ctime_r(k, a)", &[SECONDS], &[Result(1)], Own(own::ctime_r)),
            row("mktime(t)", &[TIME], &[TIME], Library),
            row("timegm(t)", &[TIME], &[TIME], Library),
            row("strftime(a, 64, c, t)", &[Text(2), Bytes(3, Constant(56))], &[Result(0)], Own(own::strftime)),
        ],
    )
}
