//! Small random models in which processes come and go: which id a process gets, how many there are, and which number a
//! channel has depends on who has ended by then, and the models look at that in one way or another.

use crate::random::Random;

/// The model of a seed.
pub fn model(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x11fe_0000_0000);
    let mut text = String::from("byte x, y;\nbool g;\nbyte a[3];\nchan q = [2] of { byte };\nchan h;\n");
    for number in 0..random.between(1, 2) {
        let body = match random.below(4) {
            0 => "skip".to_string(),
            1 => "chan s = [1] of { byte };\nskip".to_string(),
            2 => "chan s = [1] of { byte };\nh = s".to_string(),
            _ => format!("{}; skip", step(&mut random)),
        };
        text += &format!("active proctype Short{number}() {{\n{body}\n}}\n");
    }
    let own = if random.chance(30) { "chan c = [1] of { byte };\n" } else { "" };
    let first = if random.chance(30) { format!("byte v = {};\n", value(&mut random)) } else { "byte v;\n".to_string() };
    let steps: Vec<String> = (0..random.between(1, 2)).map(|_| step(&mut random)).collect();
    let end = if random.chance(60) { ";\nend: do\n:: false\nod" } else { "" };
    text += &format!("proctype P(byte id) {{\n{own}{first}{}{end}\n}}\n", steps.join(";\n"));
    let runs: Vec<String> = (0..random.between(1, 2))
        .map(|number| match random.below(4) {
            0 => format!("x = run P({number})"),
            1 => format!("{};\nrun P({number})", step(&mut random).replace("id", "0")),
            _ => format!("run P({number})"),
        })
        .collect();
    let test = condition(&mut random);
    text += &format!("init {{\nbyte v, id;\n{};\nend: ({test}) -> assert(false)\n}}\n", runs.join(";\n"));
    if random.chance(10) {
        text += &format!("notrace {{ q!{} }}\n", random.between(1, 3));
    }
    text
}

/// Something that depends on who lives.
fn value(random: &mut Random) -> String {
    match random.below(9) {
        0 | 1 => "_pid".to_string(),
        2 => "_nr_pr".to_string(),
        3 => format!("4 / (_pid - {})", random.between(1, 3)),
        4 => "a[_pid]".to_string(),
        5 => "x".to_string(),
        6 => format!("q?[{}]", random.between(1, 3)),
        7 => "len(q)".to_string(),
        _ => "_pid + 1".to_string(),
    }
}

fn step(random: &mut Random) -> String {
    match random.below(10) {
        0 => format!("x = {}", value(random)),
        1 => format!("y = {}", value(random)),
        2 => format!("v = {}", value(random)),
        3 => format!("printf(\"%d\\n\", {})", value(random)),
        4 => "if :: nfull(q) -> q!_pid :: full(q) fi".to_string(),
        5 => "g = q?[eval(_pid)]".to_string(),
        6 => "g = 1".to_string(),
        7 => "a[x % 3] = id".to_string(),
        8 => "if :: v == 2 -> y = 1 :: v != 2 fi".to_string(),
        _ => format!("assert(x != {})", random.between(1, 3)),
    }
}

fn condition(random: &mut Random) -> String {
    let number = random.between(1, 4);
    match random.below(6) {
        0 | 1 => format!("x == {number}"),
        2 => format!("y == {number}"),
        3 => "g".to_string(),
        4 => format!("_nr_pr == {number}"),
        _ => format!("q?[{number}]"),
    }
}
