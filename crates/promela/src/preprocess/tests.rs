//! Tests of the preprocessor as a whole. Each hands in texts and compares the tokens, or the messages with their lines.

use std::collections::HashMap;

use quotient_report::diagnostic::Severity;

use super::*;

mod files_and_limits;

struct Outcome {
    /// The tokens as written, with a space between them.
    text: String,
    /// The line of each token.
    lines: Vec<u32>,
    /// Each message as `file:line:column: severity: message`.
    messages: Vec<String>,
    full: Preprocessed,
    sources: SourceMap,
}

fn run_bytes(files: &[(&str, &[u8])], options: &Options) -> Outcome {
    let files: HashMap<PathBuf, Vec<u8>> = files.iter().map(|(n, t)| (PathBuf::from(n), t.to_vec())).collect();
    let loader = |path: &Path| files.get(path).cloned().ok_or(io::Error::new(io::ErrorKind::NotFound, "no such file"));
    let mut sources = SourceMap::default();
    let full = preprocess(Path::new("m.pml"), options, &mut sources, &loader);
    let ends = full.tokens.iter().filter(|t| t.kind == TokenKind::End).count();
    assert!(ends == 1 && full.tokens.last().is_some_and(|t| t.kind == TokenKind::End), "one end, and it is last");
    let body = &full.tokens[..full.tokens.len() - 1];
    let messages = full.diagnostics.iter().map(|d| {
        let severity = if d.severity == Severity::Error { "error" } else { "warning" };
        let place = d.span.map_or(String::new(), |span| format!("{}: ", sources.location(span)));
        format!("{place}{severity}: {}", d.message)
    });
    Outcome {
        text: body.iter().map(Token::text).collect::<Vec<_>>().join(" "),
        lines: body.iter().map(|t| sources.line(t.span)).collect(),
        messages: messages.collect(),
        full: full.clone(),
        sources,
    }
}

fn run(text: &str) -> Outcome {
    run_bytes(&[("m.pml", text.as_bytes())], &Options::default())
}

/// The tokens of a text that must give no message.
fn clean(text: &str) -> String {
    let outcome = run(text);
    assert_eq!(outcome.messages, [""; 0], "in {text:?}");
    outcome.text
}

/// The only message about a text.
fn only_message(text: &str) -> String {
    let outcome = run(text);
    assert_eq!(outcome.messages.len(), 1, "{text:?} gives {:?}", outcome.messages);
    outcome.messages[0].clone()
}

#[test]
fn constants_have_their_values() {
    assert_eq!(clean(r"0 007 2147483647 'a' '\n' '\t' '\0' '\\' '\''"), "0 7 2147483647 97 10 9 0 92 39");
    // One greater than the greatest is half of the least.
    assert_eq!(clean("x = -2147483648; y = - 2147483648"), "x = - 2147483648 ; y = - 2147483648");
    assert_eq!(clean(r#"printf("a\n\"b\"")"#), r#"printf ( "a\n\"b\"" )"#);
}

#[test]
fn a_wrong_constant_is_told_once_and_still_gives_a_token() {
    let outcome = run("x = 2147483648;\ny = 0x10;\nz = 10u + 12ab;\nw = 010 + 'ab' + 'é' + '';\n");
    assert_eq!(outcome.text, "x = 2147483647 ; y = 16 ; z = 10 + 0 ; w = 10 + 0 + 0 + 0 ;");
    assert_eq!(
        outcome.messages,
        [
            "m.pml:1:5: error: `2147483648` is too large",
            "m.pml:2:5: error: Promela has no hexadecimal numbers",
            "m.pml:3:5: error: `10u` is not a number",
            "m.pml:3:11: error: `12ab` is neither a number nor a name",
            "m.pml:4:5: warning: `010` is the decimal number 10",
            "m.pml:4:11: error: `'ab'` is not a character constant",
            "m.pml:4:18: error: `'é'` is not a character constant",
            "m.pml:4:24: error: `''` is not a character constant",
        ]
    );
    assert_eq!(outcome.full.diagnostics[0].help, ["the largest number is 2147483647"]);
    assert_eq!(outcome.full.diagnostics[1].help, ["write it in decimal: `16`"]);
    assert_eq!(outcome.full.diagnostics[4].help, ["Promela has no octal numbers; write `10`"]);
}

#[test]
fn what_is_not_closed_is_told_where_it_opens() {
    assert_eq!(only_message("a\n  /* b\nc"), "m.pml:2:3: error: this comment is never closed");
    assert_eq!(only_message("#define A /* b\nc"), "m.pml:1:11: error: this comment is never closed");
    assert_eq!(only_message("#if 0\n/* b\n#endif"), "m.pml:2:1: error: this comment is never closed");
    let outcome = run("printf(\"a);\nx = 'b;\ny");
    assert_eq!(outcome.text, "printf ( \"a);\" x = 0 y");
    assert_eq!(
        outcome.messages,
        [
            "m.pml:1:8: error: this string is not closed on its line",
            "m.pml:2:5: error: this character constant is not closed on its line",
        ]
    );
}

#[test]
fn stray_characters_are_told_a_few_times_only() {
    let outcome = run("a # b ## c … d ... e");
    assert_eq!(outcome.text, "a b c d e");
    assert_eq!(
        outcome.messages,
        [
            "m.pml:1:3: error: stray `#`",
            "m.pml:1:7: error: stray `#`",
            "m.pml:1:12: error: stray character outside comments and strings",
            "m.pml:1:16: error: stray `...`",
        ]
    );
    assert_eq!(outcome.full.diagnostics[2].label, "`…` is not part of Promela");
    let many = run(&"$ é\n".repeat(1000));
    assert_eq!(many.messages.len(), 5);
    assert_eq!(many.full.diagnostics[4].help, ["further messages like this one are left out"]);
}

#[test]
fn too_many_different_problems_end_the_reading() {
    let text: String = (0..1000).map(|i| format!("#nonsense{i}\n")).collect();
    let outcome = run(&text);
    assert_eq!(outcome.messages.len(), 101);
    assert_eq!(outcome.messages[100], "error: more than 100 problems; the rest is not read");
}

#[test]
fn a_file_that_is_no_text_gives_one_message() {
    let random: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for bytes in [b"\x7fELF\0\0".as_slice(), &random, &[0xff; 300], b"i\0n\0t\0"] {
        let outcome = run_bytes(&[("m.pml", bytes)], &Options::default());
        assert_eq!(outcome.messages, ["error: `m.pml` is not a text file"]);
    }
    let latin_1 = run_bytes(&[("m.pml", b"/* caf\xe9 */ x")], &Options::default());
    assert_eq!((latin_1.text.as_str(), latin_1.messages.len()), ("x", 0));
    let missing = run_bytes(&[], &Options::default());
    assert_eq!(missing.messages, ["error: cannot read `m.pml`: no such file"]);
    assert_eq!(clean(""), "");
    assert_eq!(clean("\u{feff}x\r\n"), "x");
}

#[test]
fn macros_without_parameters() {
    assert_eq!(clean("#define N 3\n#define M (N+1)\nx = M; N N"), "x = ( 3 + 1 ) ; 3 3");
    assert_eq!(clean("#define EMPTY\na EMPTY b"), "a b");
    assert_eq!(clean("#define N 3\n#undef N\n#undef NEVER\nN"), "N");
    assert_eq!(clean("#define LONG a \\\n  b\nLONG"), "a b");
    assert_eq!(clean("#define N 3\n1..N [1 .. N]"), "1 .. 3 [ 1 .. 3 ]");
    assert_eq!(clean("#define F (x) y\nF"), "( x ) y");
}

#[test]
fn macros_with_parameters() {
    assert_eq!(clean("#define ADD(a,b) (a+b)\nADD(1,(2,3)) ADD(f(x,y),)"), "( 1 + ( 2 , 3 ) ) ( f ( x , y ) + )");
    assert_eq!(clean("#define F() f\nF() F( ) F"), "f f F");
    assert_eq!(clean("#define F(x) [x]\nF F (1) F\n(2) F+1"), "F [ 1 ] [ 2 ] F + 1");
    assert_eq!(clean("#define N 3\n#define F(x) x N\nF(N)"), "3 3");
    assert_eq!(clean("#define F(x) <x>\n#define G F\nG(1) G (2)"), "< 1 > < 2 >");
    assert_eq!(clean("#define F(x) x\nF(F(F(F(1))))"), "1");
    assert_eq!(clean("#define F(a, ...) f(a, __VA_ARGS__)\nF(1,2,3) F(1,) F(1)"), {
        "f ( 1 , 2 , 3 ) f ( 1 , ) f ( 1 , )"
    });
    assert_eq!(clean("#define P(f, ...) printf(f, ##__VA_ARGS__)\nP(1) P(1,2,3)"), {
        "printf ( 1 ) printf ( 1 , 2 , 3 )"
    });
    assert_eq!(clean("#define P(rest...) p(rest)\nP() P(1,2)"), "p ( ) p ( 1 , 2 )");
}

#[test]
fn stringize_and_paste() {
    assert_eq!(clean("#define S(x) #x\nS( a  +\n b[1] ) S() S(\"a\\n\") S('\\n')"), {
        r#""a + b[1]" "" "\"a\\n\"" "'\\n'""#
    });
    assert_eq!(clean("#define N 3\n#define S(x) #x\n#define T(x) S(x)\nS(N) T(N)"), "\"N\" \"3\"");
    assert_eq!(clean("#define C(a,b) a##b\nC(x,1) C(1,2) C(-,>) C(,y) C(z,) C(,) C(a b,c d)"), {
        "x1 12 -> y z a bc d"
    });
    assert_eq!(clean("#define N 3\n#define xN 5\n#define C(a,b) a ## b\nC(x,N) C(N,1)"), "5 N1");
    assert_eq!(clean("#define X a ## b ## 1\nX"), "ab1");
    assert_eq!(clean("#define HH # ## #\n#define S(x) #x\n#define T(a) S(a)\nT(HH)"), "\"##\"");
    let outcome = run("#define C(a,b) a##b\nx C(+,/) y C(/,/)");
    assert_eq!(outcome.text, "x + / y / /");
    assert_eq!(
        outcome.messages,
        [
            "m.pml:2:3: error: `##` makes no token of `+` and `/`",
            "m.pml:2:12: error: `##` makes no token of `/` and `/`"
        ]
    );
}

#[test]
fn recursion_ends_where_c_says() {
    assert_eq!(clean("#define x x + 1\nx"), "x + 1");
    assert_eq!(clean("#define a b\n#define b a\na b"), "a b");
    assert_eq!(clean("#define f(x) f(x+1)\nf(f(1))"), "f ( f ( 1 + 1 ) + 1 )");
    // The two examples of the C standard, 6.10.3.5.
    let standard = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
                    #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n\
                    #define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\n";
    assert_eq!(clean(&format!("{standard}f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);")), {
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;"
    });
    assert_eq!(clean(&format!("{standard}g(x+(3,4)-w) | h 5) & m\n(f)^m(m);")), {
        "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;"
    });
    assert_eq!(clean(&format!("{standard}p() i[q()] = {{ q(1), r(2,3), r(4,), r(,5), r(,) }}; str(hello)")), {
        "int i [ ] = { 1 , 23 , 4 , 5 , } ; \"hello\""
    });
}

#[test]
fn wrong_uses_and_definitions_of_macros() {
    let outcome = run("#define F(a,b) a b\nx = F(1);\n#define G() 1\nG(1) F(1,2,3) ;\n#define V(a,b,...) a\nV(1)");
    assert_eq!(outcome.text, "x = 0 ; 0 0 ; 0");
    assert_eq!(
        outcome.messages,
        [
            "m.pml:2:5: error: the macro `F` takes 2 arguments, not 1",
            "m.pml:4:1: error: the macro `G` takes 0 arguments, not 1",
            "m.pml:4:6: error: the macro `F` takes 2 arguments, not 3",
            "m.pml:6:1: error: the macro `V` takes at least 2 arguments, not 1",
        ]
    );
    let (place, words) = &outcome.full.diagnostics[0].related[0];
    assert_eq!((outcome.sources.line(*place), words.as_str()), (1, "the macro is defined here"));
    assert_eq!(only_message("#define F(a) a\n\n F(1"), "m.pml:3:2: error: the use of the macro `F` has no closing `)`");
    for (line, message) in [
        ("#define", "m.pml:1:1: error: `#define` must be followed by a name"),
        ("#define 3", "m.pml:1:9: error: `#define` must be followed by a name"),
        ("#define defined", "m.pml:1:9: error: `defined` cannot be defined"),
        ("#undef __LINE__", "m.pml:1:8: error: `__LINE__` cannot be undefined"),
        ("#undef", "m.pml:1:1: error: `#undef` must be followed by a name"),
        ("#define F(a,a) a", "m.pml:1:13: error: two parameters of the macro are named `a`"),
        ("#define F(a) #b", "m.pml:1:14: error: `#` must be followed by a parameter of the macro"),
        ("#define X ## a", "m.pml:1:11: error: `##` must stand between two tokens"),
        ("#define X a ##", "m.pml:1:13: error: `##` must stand between two tokens"),
    ] {
        assert_eq!(only_message(line), message);
    }
    for line in
        ["#define F(", "#define F(a", "#define F(a b) a", "#define F(a,) a", "#define F(..., a) a", "#define F(1) a"]
    {
        assert!(only_message(line).ends_with("must be names with commas between them, then `)`"), "{line}");
    }
}

#[test]
fn a_second_definition_must_say_the_same() {
    assert_eq!(clean("#define A 1 +  2\n#define A   1 + 2 // same\nA"), "1 + 2");
    for second in ["2", "1+2", "1 + 3"] {
        let outcome = run(&format!("#define A 1 + 2\n\n#define A {second}\n"));
        assert_eq!(outcome.messages, ["m.pml:3:9: warning: the macro `A` is defined a second time, differently"]);
        let (place, words) = &outcome.full.diagnostics[0].related[0];
        assert_eq!((outcome.sources.line(*place), words.as_str()), (1, "it was first defined here"));
    }
}

#[test]
fn definitions_from_the_command_line() {
    let define = |name: &str, value: Option<&str>| Options {
        defines: vec![(name.into(), value.map(Into::into))],
        ..Options::default()
    };
    let with = |text: &str, options: &Options| run_bytes(&[("m.pml", text.as_bytes())], options);
    assert_eq!(with("N", &define("N", None)).text, "1");
    assert_eq!(with("N", &define("N", Some("2+3"))).text, "2 + 3");
    assert_eq!(with("a N b", &define("N", Some(""))).text, "a b");
    assert_eq!(with("F(7)", &define("F(x)", Some("x x"))).text, "7 7");
    let default = "#ifndef N\n#define N 3\n#endif\nN";
    assert_eq!((with(default, &define("N", Some("5"))).text, clean(default)), ("5".to_string(), "3".to_string()));
    let again = with("#define N 3\nN", &define("N", Some("5")));
    assert_eq!(again.messages, ["m.pml:1:9: warning: the macro `N` is defined a second time, differently"]);
    assert_eq!(again.full.diagnostics[0].help, ["put `#ifndef N` before and `#endif` after, so that -D N wins"]);
    assert_eq!(again.sources.location(again.full.diagnostics[0].related[0].0).to_string(), "<command line>:1:9");
    for name in ["3x", "", "a b", "x\n#error", "F(x"] {
        assert!(with("", &define(name, None)).messages[0].ends_with("is not a name for a macro"), "{name:?}");
    }
    for value in ["1\n2", "\\", "a\\ "] {
        assert_eq!(with("", &define("N", Some(value))).messages, ["error: `-D N`: the value must be one line"]);
    }
}

#[test]
fn conditional_groups() {
    let text = "#if A == 1\none\n#elif A == 2\ntwo\n#elif A == 3\nthree\n#else\nother\n#endif\nend";
    for (value, expected) in [("1", "one end"), ("2", "two end"), ("3", "three end"), ("4", "other end")] {
        assert_eq!(clean(&format!("#define A {value}\n{text}")), expected);
    }
    assert_eq!(clean("#define A\n#ifdef A\na\n#else\nb\n#endif\n#ifndef A\nc\n#endif"), "a");
    assert_eq!(clean("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#if 0\nd\n#endif\ne\n#endif"), "c e");
    assert_eq!(clean("#ifdef A\n#elifdef B\nb\n#elifndef C\nc\n#endif"), "c");
}

#[test]
fn skipped_text_may_be_anything() {
    let text = "#if 0\nit's \"open $ 0x1 # \n#error no\n#nonsense\n#define A(\n#include \"none\"\n#if (\n#elif 1/0\n\
                #else x\n#endif y\n// 'quote'\n/* #endif */\n#elif 1\nread\n#elif 1/0 (\n#endif";
    assert_eq!(clean(text), "read");
}

#[test]
fn conditions_are_c_expressions() {
    for (condition, holds) in [
        ("1", true),
        ("0", false),
        ("UNKNOWN", false),
        ("defined N && defined(N) && !defined M", true),
        ("defined __LINE__ && __LINE__ == 4", true),
        ("HAS", true),
        ("N * 2 + 1 == 7 && N % 2 == 1 && 7 / N == 2", true),
        ("1 + 2 * 3 - 4 == 3", true),
        ("10 - 4 - 3 == 3", true),
        ("(1 << 4 | 1) == 17 && (6 & 3) == 2 && (6 ^ 3) == 5 && ~0 == -1", true),
        ("1 << 2 + 1 == 8", true),
        ("256 >> 4 == 0x10 && 010 == 8 && 10UL == 10", true),
        ("1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3 && 1 != 2", true),
        ("1 ? 0 : 1", false),
        ("0 ? 1/0 : 2 ? 3 : 1/0", true),
        ("0 && 1/0 || 1 || 1%0", true),
        ("!!N && !0 && - -1 == +1 && -1 < 0", true),
        ("'a' == 97", true),
        ("9223372036854775807 + 1 < 0", true),
        ("(-9223372036854775807 - 1) / -1 < 0 && (-9223372036854775807 - 1) % -1 == 0", true),
        ("-(-9223372036854775807 - 1) < 0 && 9223372036854775807 * 2 == -2", true),
        ("F(2) == 4", true),
    ] {
        let text = "#define N 3\n#define HAS defined(N)\n#define F(x) x*2\n";
        let expected = if holds { "yes" } else { "no" };
        assert_eq!(clean(&format!("{text}#if {condition}\nyes\n#else\nno\n#endif")), expected, "{condition}");
    }
}

#[test]
fn wrong_conditions() {
    for (line, message) in [
        ("#if", "1:1: error: the condition is empty"),
        ("#if 1/0", "1:6: error: division by zero in the condition"),
        ("#if 1%(2-2)", "1:6: error: division by zero in the condition"),
        ("#if 1 << 64", "1:7: error: shift by 64 in the condition"),
        ("#if 1 >> -1", "1:7: error: shift by -1 in the condition"),
        ("#if (1", "1:1: error: expected `)` in the condition, found its end"),
        ("#if 1 +", "1:1: error: the condition ends where a value is expected"),
        ("#if 1 2", "1:7: error: unexpected `2` in the condition"),
        ("#if 1 ? 2", "1:1: error: expected `:` in the condition, found its end"),
        ("#if \"a\"", "1:5: error: expected a value in the condition, found `\"a\"`"),
        ("#if 'ab'", "1:5: error: `'ab'` is not a character constant"),
        ("#if 12ab", "1:5: error: `12ab` is not a number"),
        ("#if 99999999999999999999", "1:5: error: `99999999999999999999` is too large"),
        ("#if defined", "1:5: error: `defined` must be followed by a name"),
        ("#if defined(A", "1:5: error: `defined` must be followed by a name"),
        ("#if a = 1", "1:7: error: unexpected `=` in the condition"),
        ("#if true", "1:5: warning: `true` is an unknown name here, and counts as 0"),
        ("#ifdef", "1:1: error: `#ifdef` must be followed by a name"),
        ("#ifndef 3", "1:1: error: `#ifndef` must be followed by a name"),
    ] {
        assert_eq!(only_message(&format!("{line}\nskipped\n#endif")), format!("m.pml:{message}"), "{line}");
    }
    let outcome = run("#define Z (1/0)\n\n#if 0 || Z\n#endif");
    assert_eq!(outcome.messages, ["m.pml:3:10: error: division by zero in the condition"]);
    for opening in ["(", "!", "- ", "1?", "1||1&&1|1^1&1==1<1<<1+1*("] {
        let message = only_message(&format!("#if {}1\n#endif", opening.repeat(50_000)));
        assert_eq!(message, "m.pml:1:1: error: the condition is nested more than 100 deep");
    }
}

#[test]
fn misplaced_parts_of_conditional_groups() {
    for (text, message) in [
        ("#else", "1:1: error: `#else` without `#if`"),
        ("#elif 1", "1:1: error: `#elif` without `#if`"),
        ("#endif", "1:1: error: `#endif` without `#if`"),
        ("#if 1\n#else\n#else\n#endif", "3:1: error: a second `#else`"),
        ("#if 1\n#else\n#elif 1\n#endif", "3:1: error: `#elif` after `#else`"),
        ("a\n #if 1\n", "2:2: error: this conditional group has no `#endif`"),
        ("#if 1\n#endif X", "2:8: warning: text after `#endif` is ignored"),
        ("#if 1\n#else X\n#endif", "2:7: warning: text after `#else` is ignored"),
    ] {
        assert_eq!(only_message(text), format!("m.pml:{message}"));
    }
}

#[test]
fn other_directives() {
    let text = "#\n# /* */\n#pragma it's\n#line 7 \"x\"\n# 3 \"y\" 1\n#ident \"v\"\n  # define A __LINE__\n\
                A __LINE__\n__LINE__";
    assert_eq!(clean(text), "8 8 9");
    assert_eq!(only_message("#error it's  broken"), "m.pml:1:1: error: #error: it's  broken");
    assert_eq!(only_message("\n# warning careful // now"), "m.pml:2:1: warning: #warning: careful");
    assert_eq!(only_message("#inclde \"a\""), "m.pml:1:1: error: `#inclde` is not a directive");
    assert_eq!(only_message("#(x"), "m.pml:1:1: error: `#(` is not a directive");
}
