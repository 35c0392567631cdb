//! Which registers a function may still read, at each of its instructions. A register that is not needed may hold the
//! address of a variable without that going anywhere.

use super::code::{Next, Step, reads, writes, zeroes};
use super::{ARGUMENTS, CLOBBERED, RESULTS, number};
use iced_x86::{FlowControl, OpAccess, Register};

/// A bit for each register, by number.
type Registers = u16;

/// The registers that are needed before each instruction.
pub(super) fn registers(code: &[Step]) -> Vec<Registers> {
    let used: Vec<(Registers, Registers)> = code.iter().map(used).collect();
    let returned = CLOBBERED.into_iter().filter(|register| !RESULTS.contains(register)).filter_map(number);
    let returned = returned.fold(!0, |all: Registers, register| all & !(1 << register));
    let mut needed = vec![0; code.len()];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for at in (0..code.len()).rev() {
            let mut after = 0;
            for next in code[at].all_next() {
                after |= match next {
                    Next::To(to) => needed[to],
                    Next::Away if code[at].instruction.flow_control() == FlowControl::Return => returned,
                    Next::Away | Next::Anywhere => !0,
                };
            }
            let (read, written) = used[at];
            let before = after & !written | read;
            changed |= before != needed[at];
            needed[at] = before;
        }
    }
    needed
}

/// What of the registers an instruction reads, and which of them it overwrites.
fn used(step: &Step) -> (Registers, Registers) {
    let instruction = &step.instruction;
    let zeroes = zeroes(instruction);
    let (mut read, mut written) = (0, 0);
    for used in &step.registers {
        let Some(number) = number(used.register()) else { continue };
        let is_whole = used.register().size() >= 4;
        if reads(used.access()) && !zeroes || writes(used.access()) && !is_whole {
            read |= 1 << number;
        }
        if matches!(used.access(), OpAccess::Write | OpAccess::ReadWrite) && is_whole {
            written |= 1 << number;
        }
    }
    if step.is_call() {
        let bits =
            |registers: &[Register]| registers.iter().filter_map(|&one| number(one)).fold(0, |all, one| all | 1 << one);
        read |= bits(&ARGUMENTS);
        written |= bits(&CLOBBERED);
    }
    (read, written)
}
