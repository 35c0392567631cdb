//! Tests of included files, of where tokens stand, and of input that would go on forever. The last one throws random
//! changes of small models at everything.

use super::*;

#[test]
fn included_files() {
    let files: [(&str, &[u8]); 4] = [
        ("m.pml", b"#include \"d/a.pml\"\n#define B <d/b.pml>\n#include B\nlast N"),
        ("d/a.pml", b"a1\n#include <c.pml>\na2"),
        ("d/b.pml", b"b1 N"),
        ("d/c.pml", b"#define N 3\nc1"),
    ];
    let outcome = run_bytes(&files, &Options::default());
    assert_eq!(outcome.messages, [""; 0]);
    assert_eq!(outcome.text, "a1 c1 a2 b1 3 last 3");
    let places: Vec<_> = outcome.full.tokens.iter().map(|t| outcome.sources.location(t.span).to_string()).collect();
    assert_eq!(
        places,
        [
            "d/a.pml:1:1",
            "d/c.pml:2:1",
            "d/a.pml:3:1",
            "d/b.pml:1:1",
            "d/b.pml:1:4",
            "m.pml:4:1",
            "m.pml:4:6",
            "m.pml:4:7"
        ]
    );
    assert_eq!(outcome.sources.files()[0].path, Path::new("m.pml"));
    // The same file twice is registered once.
    let twice = run_bytes(&[("m.pml", b"#include \"a\"\n#include \"a\""), ("a", b"x")], &Options::default());
    assert_eq!((twice.text.as_str(), twice.sources.files().len()), ("x x", 2));
}

#[test]
fn files_that_cannot_be_included() {
    assert_eq!(only_message("a\n  #include \"no.pml\"\nb"), "m.pml:2:3: error: cannot read `no.pml`: no such file");
    for line in ["#include", "#include no.pml", "#include <no", "#include \"\"", "#include \"no"] {
        assert_eq!(only_message(line), "m.pml:1:1: error: `#include` must be followed by the name of a file");
    }
    let binary = run_bytes(&[("m.pml", b"#include \"a\""), ("a", b"\0")], &Options::default());
    assert_eq!(binary.messages, ["m.pml:1:1: error: `a` is not a text file"]);
    let group = run_bytes(&[("m.pml", b"#include \"a\"\nx\n#endif"), ("a", b"#if 1")], &Options::default());
    assert_eq!(
        group.messages,
        ["a:1:1: error: this conditional group has no `#endif`", "m.pml:3:1: error: `#endif` without `#if`"]
    );
    let split = run_bytes(&[("m.pml", b"#include \"a\"\n(1)"), ("a", b"#define F(x) x\nF")], &Options::default());
    assert_eq!(split.text, "F ( 1 )");
    assert_eq!(only_message("#define F(x) x\nF(1\n#include \"a\"\n)"), {
        "m.pml:3:1: error: `#include` within the arguments of a macro"
    });
}

#[test]
fn files_that_include_one_another_for_ever() {
    let files: [(&str, &[u8]); 2] = [("m.pml", b"\n#include \"a\""), ("a", b"\n\n#include \"m.pml\"\n#include \"a\"")];
    let outcome = run_bytes(&files, &Options::default());
    assert_eq!(outcome.messages, ["a:3:1: error: files include one another more than 64 deep"]);
    let chain = &outcome.full.diagnostics[0].related;
    let chain: Vec<_> = chain.iter().map(|(s, w)| format!("{}: {w}", outcome.sources.location(*s))).collect();
    assert_eq!(chain, ["m.pml:2:1: which was included from here"]);
}

#[test]
fn tokens_of_a_macro_stand_where_the_user_uses_it() {
    let outcome = run("#define IN 1 +\n#define F(x) IN x ; \\\n  end\n\n  F(\n  a\n) b IN");
    assert_eq!(outcome.text, "1 + a ; end b 1 +");
    assert_eq!(outcome.lines, [5, 5, 5, 5, 5, 7, 7, 7]);
    assert_eq!(outcome.sources.text(outcome.full.tokens[2].span), "F(\n  a\n)");
    assert_eq!(outcome.sources.text(outcome.full.tokens[6].span), "IN");
    let name = run("#define G F\n#define F(x) x\n\nG (1) G 2");
    assert_eq!(name.sources.text(name.full.tokens[0].span), "G (1)");
    assert_eq!(name.sources.text(name.full.tokens[1].span), "G");
    assert_eq!(name.text, "1 F 2");
    let broken = run("#define BIG 99999999999\n\nx = BIG;");
    assert_eq!(broken.messages, ["m.pml:3:5: error: `99999999999` is too large"]);
    let (place, words) = &broken.full.diagnostics[0].related[0];
    assert_eq!((broken.sources.line(*place), words.as_str()), (1, "it is written here"));
}

#[test]
fn directives_may_stand_among_the_arguments_of_a_macro() {
    let outcome = run("#define F(x) [x]\nF(1\n#if 2 > 1\n+ 2\n#else\n+ 3\n#endif\n)");
    assert_eq!((outcome.text.as_str(), outcome.messages.len()), ("[ 1 + 2 ]", 0));
    assert_eq!(outcome.lines, [2, 2, 2, 2, 2]);
    assert_eq!(clean("#define F(x) [x]\nF\n#define N 1\n(N)"), "F ( 1 )");
}

#[test]
fn macros_that_grow_without_end_are_stopped() {
    let chain = |body: &str, last: &str| {
        let lines: String =
            (1..80).map(|i| format!("#define M{i}{}\n", body.replace('P', &format!("M{}", i - 1)))).collect();
        format!("#define M0{last}\n{lines}")
    };
    let doubling = chain(" P P", " x");
    let vanishing = chain(" P P", "");
    let arguments = chain("(x) P(x x)", "(x) x");
    let pasting = chain("(x) P(x##x)", "(x) x");
    let strings = "#define S(x) #x\n#define T(x) S(x)\n".to_string() + &chain("(x) P(T(x x))", "(x) x");
    for (text, last) in
        [(doubling, "M79"), (vanishing, "M79"), (arguments, "M79(a)"), (pasting, "M79(a)"), (strings, "M79(a)")]
    {
        let outcome = run(&format!("{text}\n {last}"));
        assert_eq!(outcome.messages.len(), 1, "{:?}", outcome.messages);
        let problem = &outcome.full.diagnostics[0];
        assert_eq!(problem.message, "the macros used here expand without end, or nearly so");
        assert!(problem.span.is_some_and(|span| outcome.sources.text(span) == last));
    }
}

#[test]
fn deep_nesting_overflows_no_stack() {
    let nested = |depth| format!("#define F(x) x\n{}1{}", "F(".repeat(depth), ")".repeat(depth));
    assert_eq!(clean(&nested(150)), "1");
    assert_eq!(
        only_message(&nested(50_000)),
        "m.pml:2:1: error: the macros used here expand without end, or nearly so"
    );
    assert_eq!(only_message(&nested(500)), {
        "m.pml:2:1: error: uses of macros stand within one another's arguments more than 200 deep"
    });
    let chain: String = (1..100_000).map(|i| format!("#define M{i} M{}\n", i - 1)).collect();
    assert_eq!(clean(&format!("{chain}M99999")), "M0");
    let parens = format!("#define F(x) x\nF({}{})", "(".repeat(50_000), ")".repeat(50_000));
    assert_eq!(clean(&parens).len(), 199_999);
    let groups = format!("{}x\n{}", "#if 1\n".repeat(50_000), "#endif\n".repeat(50_000));
    assert_eq!(clean(&groups), "x");
}

#[test]
fn no_mutation_of_a_small_model_makes_it_panic() {
    let seeds = [
        "#define F(a,b,...) a##b #a __VA_ARGS__\nF(1,2,3) F(x,F(y,z))\n#undef F\n",
        "#if defined(N) && N > 3 ? 1 : 0\nx = 'a';\n#elif !defined M\n\"s\\n\" /* c */ // d\n#else\n#endif\n",
        "#include \"m.pml\"\n#define X X Y\n#define Y X\nX \\\n Y 0x10 [] <> <-> /\\ \\/\n#error é\n",
        "#define f(a) a*g\n#define g(a) f(a)\nf(2)(9) g(f)(1)(2)\n#define E(x,...) x,##__VA_ARGS__\nE(1)E(1,2)\n",
    ];
    let pieces = [
        "#", "##", "(", ")", ",", "\"", "'", "\\\n", "\n", "/*", "*/", "...", "é", "\0", "F", "X", "__LINE__", "#if ",
        "9",
    ];
    let mut random = quotient_generate::random::Random::new(1);
    let mut below = |limit: usize| random.below(limit);
    for round in 0..20_000 {
        let mut bytes = seeds[round % seeds.len()].as_bytes().to_vec();
        for _ in 0..1 + below(4) {
            let at = below(bytes.len());
            match below(4) {
                _ if bytes.is_empty() => break,
                0 => bytes.truncate(at.max(1)),
                1 => drop(bytes.remove(at)),
                2 => bytes[at] = below(256) as u8,
                _ => drop(bytes.splice(at..at, pieces[below(pieces.len())].bytes())),
            }
        }
        let outcome = run_bytes(&[("m.pml", &bytes)], &Options::default());
        for token in &outcome.full.tokens {
            let text = &outcome.sources.file(token.span.file).text;
            assert!(text.get(token.span.start as usize..token.span.end as usize).is_some(), "{bytes:?}");
        }
    }
}
