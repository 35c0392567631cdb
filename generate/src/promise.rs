//! Small random models about promises: a few processes around a few channels, where one process is the only sender
//! (`xs`) or the only receiver (`xr`). In most models the promises are kept, and whether an error can happen depends on the
//! order of steps that a promise lets a search leave out; in others two processes race for a channel, and someone promises
//! that there is no race.

use crate::random::Random;

/// A channel: how it is written, and who may use it.
struct Channel {
    text: &'static str,
    buffered: bool,
    sender: usize,
    receiver: usize,
}

/// The model of a seed.
pub fn model(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x5eed_0000_0000);
    if random.chance(50) { race(&mut random) } else { kept(random) }
}

/// Two processes send on one channel, or two receive, and who comes first is asserted.
fn race(random: &mut Random) -> String {
    let (declared, used, other) = match random.below(3) {
        0 => ("chan q[2]", "q[1]", "q[0]"),
        1 => ("chan q[2]", "q[i]", "q[1]"),
        _ => ("chan q", "q", "q"),
    };
    let receivers = random.chance(50);
    let kind = if receivers { "xr" } else { "xs" };
    let named = if random.chance(50) { used } else { other };
    // An index in a promise must be a number.
    let promise = format!("{kind} {};\n", named.replace("[i]", "[0]"));
    let place = random.below(7);
    let by = |own: usize| if own == place { promise.as_str() } else { "" };
    let mut processes = if receivers {
        vec![
            format!("active proctype S() {{\nd_step {{ {used}!1; {used}!2 }}\n}}\n"),
            format!("active proctype B() {{\n{}byte v;\nend: {used}?v; assert(v != 1)\n}}\n", by(0)),
            format!("active proctype C() {{\n{}byte v;\nend: {used}?v\n}}\n", by(1)),
        ]
    } else {
        vec![
            format!("active proctype R() {{\nend: {used}?x; {used}?y; assert(x != 1)\n}}\n"),
            format!("active proctype B() {{\n{}end: {used}!1\n}}\n", by(0)),
            format!("active proctype C() {{\n{}end: {used}!2\n}}\n", by(1)),
        ]
    };
    let body = *random.pick(&["skip", "end: do :: false od", "x = x", "byte v; v = 1; v = 2"]);
    match place {
        2 | 3 => processes.push(format!("active proctype A() {{\n{promise}{body}\n}}\n")),
        4 => processes.push(format!("proctype A() {{\n{promise}{body}\n}}\n")),
        5 => processes.push(format!("proctype A() {{\n{promise}{body}\n}}\ninit {{\nend: x && y -> run A()\n}}\n")),
        _ => {}
    }
    for last in (1..processes.len()).rev() {
        processes.swap(last, random.below(last + 1));
    }
    format!("byte x, y, i;\n{declared} = [2] of {{ byte }};\n{}", processes.concat())
}

/// The promises are kept.
fn kept(mut random: Random) -> String {
    let processes = random.between(3, 4);
    let array = random.chance(50);
    let mut names = if array { vec!["q[0]", "q[1]"] } else { vec!["q", "r"] };
    names.push("s");
    let rendezvous = random.chance(40);
    let channels: Vec<Channel> = names
        .into_iter()
        .enumerate()
        .map(|(number, text)| {
            let sender = random.below(processes);
            let receiver = (sender + random.between(1, processes - 1)) % processes;
            Channel { text, buffered: number < 2 || !rendezvous, sender, receiver }
        })
        .collect();
    let capacity = random.between(1, 2);
    let mut text = String::from("byte g, h;\n");
    text += &match array {
        true => format!("chan q[2] = [{capacity}] of {{ byte }};\n"),
        false => format!("chan q = [{capacity}] of {{ byte }};\nchan r = [2] of {{ byte }};\n"),
    };
    text += &format!("chan s = [{}] of {{ byte }};\n", usize::from(!rendezvous));
    for process in 0..processes {
        text += &format!("active proctype P{process}() {{\n");
        for channel in &channels {
            if channel.sender == process && random.chance(60) {
                text += &format!("xs {};\n", channel.text);
            }
            if channel.receiver == process && random.chance(60) {
                text += &format!("xr {};\n", channel.text);
            }
        }
        text += "byte v, w;\nend: ";
        let length = random.between(2, 4);
        let steps: Vec<String> = (0..length).map(|_| step(&mut random, &channels, process)).collect();
        text += &match random.below(4) {
            0 => {
                let options: String = steps.iter().map(|step| format!(":: {step}\n")).collect();
                let bound = if options.contains('!') { "" } else { ":: h == 3 -> break\n" };
                format!("do\n{options}{bound}od\n")
            }
            1 => {
                let options: String = steps.iter().map(|step| format!(":: {step}\n")).collect();
                format!("if\n{options}fi\n")
            }
            _ => steps.join(";\nend1: ") + "\n",
        };
        text += "}\n";
    }
    unique_labels(&text)
}

fn step(random: &mut Random, channels: &[Channel], process: usize) -> String {
    let sends: Vec<&Channel> = channels.iter().filter(|channel| channel.sender == process).collect();
    let receives: Vec<&Channel> = channels.iter().filter(|channel| channel.receiver == process).collect();
    let value = random.between(1, 2);
    let global = *random.pick(&["g", "h"]);
    match random.below(12) {
        0..=2 if !sends.is_empty() => format!("{}!{value}", random.pick(&sends).text),
        0 | 3..=5 if !receives.is_empty() => {
            let channel = random.pick(&receives).text;
            match random.below(4) {
                0 => format!("{channel}?v; assert(v != {value})"),
                1 => format!("{channel}?v; {global} = v"),
                2 => format!("{channel}?{value}"),
                _ => format!("{channel}?v"),
            }
        }
        6 => format!("{global} = {value}"),
        7 => format!("{global} == {value}"),
        8 => format!("assert({global} != {value})"),
        9 => format!("v = (v < 2 -> v + 1 : {value})"),
        10 => {
            let probes: Vec<&&Channel> = sends.iter().chain(&receives).filter(|channel| channel.buffered).collect();
            match probes.is_empty() {
                true => "skip".to_string(),
                false => {
                    let channel = random.pick(&probes);
                    let probe = if channel.sender == process { "nfull" } else { "nempty" };
                    format!("{probe}({})", channel.text)
                }
            }
        }
        _ => format!("if :: {global} == {value} -> assert(h == g) :: {global} != {value} -> w = {value} fi"),
    }
}

/// Labels that begin with `end` may occur once in a process only.
fn unique_labels(text: &str) -> String {
    let mut parts = text.split("end1: ");
    let mut unique = parts.next().unwrap_or_default().to_string();
    for (number, part) in parts.enumerate() {
        unique += &format!("end{}: {part}", number + 1);
    }
    unique
}
