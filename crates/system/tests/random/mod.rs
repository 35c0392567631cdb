//! Random systems of scripted processes: a first process makes semaphores and pipes and the others; everybody gives up some of what
//! it has, branches on what it was told, and may begin again.

use quotient_generate::random::Random;
use quotient_system::script::Line;
use quotient_system::{
    Action, FileOp, Handler, Lock, Op, OpenHow, SemEntry, SemOp, Signals, SocketKind, SocketOp, StartContent,
    StartFile, System, Target, Timeout, Who,
};

const SEMS: usize = 2;

/// One program that makes everything.
pub(crate) fn system(random: &mut Random) -> Vec<Line> {
    let pipes = random.between(1, 2);
    // The handler of signals does nothing.
    let mut lines = vec![
        Line::Jump(2),
        Line::Return,
        Line::Handler(1),
        Line::Do(Op::Sem(SemOp::Get { key: None, count: SEMS, create: true, exclusive: false })),
        Line::Copy { from: 0, to: 2 },
    ];
    for index in 0..SEMS {
        let value = random.below(2) as i32;
        lines.push(Line::On(2, Op::Sem(SemOp::SetValue { id: 0, index, value })));
    }
    for pipe in 0..pipes {
        let (read, write) = ends(pipe);
        lines.push(Line::Do(Op::Pipe { read, write, nonblocking: random.chance(20) }));
    }
    let passes = random.chance(30);
    if passes {
        lines.push(Line::Do(Op::Socket(SocketOp::Pair {
            fds: [30, 31],
            kind: SocketKind::Stream,
            nonblocking: false,
        })));
    }
    let files = random.chance(30);
    if files {
        let how = OpenHow { read: true, write: true, create: true, ..OpenHow::default() };
        lines.push(Line::Do(Op::File(FileOp::Open { fd: 60, path: b"/s/lock".to_vec(), how })));
    }
    let signals = random.chance(20);
    if signals && random.chance(60) {
        let handled = Signals { handled: 1 << 9, ..Signals::default() };
        lines.push(Line::Signals(handled));
    }
    let odd = random.chance(50);
    let children = random.between(1, 2);
    let maker = Maker { pipes, odd, passes, files, signals, loops: random.chance(40) };
    let grandchild = random.chance(25);
    for child in 0..children {
        let body = lines.len() + 3;
        let mut part = maker.body(random, body, false);
        if grandchild && child == 0 {
            // It makes a child of its own, with what it has left.
            let more = body + part.len() + 3;
            let inner = maker.body(random, more, false);
            part.push(Line::Do(Op::Fork { waits: false }));
            part.push(Line::If(0, 0, more));
            part.push(Line::Jump(more + inner.len()));
            part.extend(inner);
            part.extend(maker.body(random, body + part.len(), false));
        }
        part.push(Line::Do(Op::Exit { status: 0 }));
        lines.push(Line::Do(Op::Fork { waits: false }));
        lines.push(Line::If(0, 0, body));
        lines.push(Line::Jump(body + part.len()));
        lines.extend(part);
    }
    let from = lines.len();
    lines.extend(maker.body(random, from, true));
    lines
}

/// The directory that all share.
pub(crate) fn start() -> System {
    let files = vec![StartFile { path: b"/s".to_vec(), content: StartContent::Directory, mode: 0o755, written: None }];
    System { programs: vec![quotient_system::Program::default()], files, ..System::default() }
}

fn ends(pipe: usize) -> (i32, i32) {
    (10 + 2 * pipe as i32, 11 + 2 * pipe as i32)
}

struct Maker {
    pipes: usize,
    /// Semaphores are used in every way.
    odd: bool,
    /// Descriptors are passed on through sockets.
    passes: bool,
    /// There is a shared directory.
    files: bool,
    /// The first process is sent signals.
    signals: bool,
    loops: bool,
}

impl Maker {
    fn body(&self, random: &mut Random, from: usize, waits: bool) -> Vec<Line> {
        let mut lines = vec![Line::Set(0, 0), Line::Set(1, -1)];
        for pipe in 0..self.pipes {
            let (read, write) = ends(pipe);
            for fd in [read, write] {
                if random.chance(40) {
                    lines.push(Line::Do(Op::Close { fd }));
                }
            }
        }
        let first = from + lines.len();
        let count = random.between(2, 4);
        for _ in 0..count {
            if self.passes && random.chance(25) {
                self.pass(random, &mut lines);
                continue;
            }
            lines.push(self.line(random, waits));
            if random.chance(20) {
                let skip = from + lines.len() + 2;
                let (variable, value) = *random.pick(&[(0, 0), (0, 1), (0, -11), (1, 7), (1, 8)]);
                lines.push(Line::If(variable, value, skip));
                lines.push(self.line(random, waits));
            }
        }
        if self.loops && random.chance(50) {
            // Whoever begins again forgets what it was told.
            let again = from + lines.len() + 1;
            lines.push(Line::If(0, 1, again + 3));
            lines.extend([Line::Set(0, 0), Line::Set(1, -1), Line::Jump(first)]);
        }
        lines
    }

    /// Passes a descriptor on, or takes one, or uses one that was taken.
    fn pass(&self, random: &mut Random, lines: &mut Vec<Line>) {
        let (read, write) = ends(random.below(self.pipes));
        let op = match random.below(6) {
            0 | 1 => {
                let fds = vec![*random.pick(&[read, write])];
                Op::Socket(SocketOp::Send { fd: 30, bytes: vec![7], to: None, fds, no_wait: false, no_signal: true })
            }
            2 | 3 => {
                lines.push(Line::Do(Op::Close { fd: 40 }));
                let free = vec![40];
                Op::Socket(SocketOp::Receive {
                    fd: 31,
                    count: 1,
                    free,
                    no_wait: random.chance(30),
                    peek: false,
                    all: false,
                })
            }
            4 => Op::Read { fd: 40, count: 1, at: None },
            _ => Op::Write { fd: 40, bytes: vec![8], at: None },
        };
        lines.push(Line::Do(op));
    }

    /// Something in the shared directory, or about its lock.
    fn file(random: &mut Random) -> Op {
        let path = random.pick(&[b"/s/a", b"/s/b"]).to_vec();
        match random.below(6) {
            0 => Op::File(FileOp::MakeDir { path, mode: 0o755 }),
            1 => Op::File(FileOp::RemoveDir { path }),
            2 => Op::File(FileOp::Stat { target: Target::Path(path) }),
            3 => Op::Flock { fd: 60, lock: Some(Lock::Exclusive), no_wait: random.chance(50) },
            4 => Op::Flock { fd: 60, lock: None, no_wait: false },
            _ => Op::File(FileOp::Rename {
                from: b"/s/a".to_vec(),
                to: b"/s/b".to_vec(),
                no_replace: false,
                exchange: false,
            }),
        }
    }

    fn line(&self, random: &mut Random, waits: bool) -> Line {
        if self.files && random.chance(30) {
            return Line::Do(Self::file(random));
        }
        if self.signals && random.chance(15) {
            return Line::Do(Op::Kill { to: 100, signal: 10 });
        }
        if self.signals && random.chance(15) {
            let usual = Handler { mask: 1 << 9, once: false };
            let action =
                *random.pick(&[Action::Handled(usual), Action::Handled(usual), Action::Ignored, Action::Default]);
            return Line::Do(match random.below(3) {
                0 => Op::SetAction { signal: 10, action },
                1 => Op::SetMask { blocked: 0 },
                _ => Op::SetMask { blocked: 1 << 9 },
            });
        }
        let index = random.below(SEMS);
        let pipe = random.below(self.pipes);
        let (read, write) = ends(pipe);
        let change = |by: i32, no_wait: bool| {
            let entries = vec![SemEntry { index, by, no_wait, undo: false }];
            Line::On(2, Op::Sem(SemOp::Change { id: 0, entries, timeout: Timeout::Never }))
        };
        let byte = 7 + random.below(2) as u8;
        match random.below(if self.odd { 15 } else { 12 }) {
            0 | 1 => change(-1, false),
            2 | 3 => change(1, false),
            4 | 5 => Line::Do(Op::Read { fd: read, count: random.between(1, 2), at: None }),
            6 | 7 => Line::Do(Op::Write { fd: write, bytes: vec![byte], at: None }),
            8 => Line::Do(Op::Toss { most: 1 }),
            9 if waits => Line::Do(Op::Wait { who: Who::Any, no_hang: random.chance(30), keep: false }),
            9 => Line::Assert(1, i64::from(byte)),
            10 => Line::Do(Op::Close { fd: *random.pick(&[read, write]) }),
            11 => Line::Assert(0, *random.pick(&[0, 1])),
            12 => change(-1, true),
            13 => Line::On(2, Op::Sem(SemOp::Value { id: 0, index })),
            _ => change(0, false),
        }
    }
}
