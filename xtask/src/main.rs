//! Everything a developer runs that is not `cargo test`, as `cargo xtask COMMAND`.
//! Each command is a module of its own, so that this file only lists them.

#![forbid(unsafe_code)]

mod bench;
mod bench_native;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod bench_processes;
mod bench_states;
mod bench_store;
mod bench_symmetry;
mod bench_temporal;
mod compare;
mod fuzz;
mod fuzz_attack;
mod fuzz_c;
mod fuzz_heap;
mod fuzz_loops;
mod fuzz_robust;
mod fuzz_symmetry;
mod fuzz_temporal;
#[path = "../../crates/search/tests/heap_models/oracle.rs"]
mod heap_oracle;
mod pan;
mod process;
mod programs;
mod quotient;
mod reference;
mod rumur;
mod seeds;
mod self_test;
mod spin;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "xtask", about = "Quotient's development tasks")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compare Quotient with the installed SPIN on random Promela programs
    FuzzSpin(fuzz::Options),
    /// Damage symmetric models and promises in one place, and compare every reduction with none
    FuzzAttack(fuzz_attack::Options),
    /// Compare the answers for random C programs between compilers, levels, symmetry and numbers of processes
    FuzzC(fuzz_c::Options),
    /// Compare random programs with a heap in BIR and dSPIN's Promela, every strategy and store, with brute force
    FuzzHeap(fuzz_heap::Options),
    /// Compare random C programs with loops with a brute-force oracle
    FuzzLoops(fuzz_loops::Options),
    /// Damage programs, models and saved files at random: nothing may crash, hang or leave something behind
    FuzzRobust(fuzz_robust::Options),
    /// Compare every symmetry reduction with the installed SPIN, unreduced, on random symmetric models
    FuzzSymmetry(fuzz_symmetry::Options),
    /// Compare temporal searches with the installed SPIN and with an oracle, on random models, formulas and claims
    FuzzTemporal(fuzz_temporal::Options),
    /// Measure Quotient against SPIN's compiled verifier on the models of `benches/spin.tsv`
    BenchSpin(bench::Options),
    /// Measure Quotient against loom, shuttle and TraceForge on the programs of `benches/programs`
    BenchPrograms(programs::Options),
    /// Measure how fast C programs are explored, beside GenMC's published speed and the same program in Rust
    BenchNative(bench_native::Options),
    /// Measure checks of processes: known trees, steps, copies, and running every path again
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    BenchProcesses(bench_processes::Options),
    /// Count states beside SPIN's verifier, default against default, on all models
    BenchStates(bench_states::Options),
    /// Measure the ways to keep visited states, beside SPIN's collapse, on the models of `benches/spin.tsv`
    BenchStore(bench::Options),
    /// Measure symmetry reduction on the models of `benches/symmetry.tsv`, and beside rumur
    BenchSymmetry(bench_symmetry::Options),
    /// Measure temporal searches against `pan -a` and `pan -a -f` on the lines of `benches/temporal.tsv`
    BenchTemporal(bench_temporal::Options),
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::FuzzSpin(options) => fuzz::run(&options),
        Command::FuzzAttack(options) => fuzz_attack::run(&options),
        Command::FuzzC(options) => fuzz_c::run(&options),
        Command::FuzzHeap(options) => fuzz_heap::run(&options),
        Command::FuzzLoops(options) => fuzz_loops::run(&options),
        Command::FuzzRobust(options) => fuzz_robust::run(&options),
        Command::FuzzSymmetry(options) => fuzz_symmetry::run(&options),
        Command::FuzzTemporal(options) => fuzz_temporal::run(&options),
        Command::BenchSpin(options) => bench::run(&options),
        Command::BenchPrograms(options) => programs::run(&options),
        Command::BenchNative(options) => bench_native::run(&options),
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        Command::BenchProcesses(options) => bench_processes::run(&options),
        Command::BenchStates(options) => bench_states::run(&options),
        Command::BenchStore(options) => bench_store::run(&options),
        Command::BenchSymmetry(options) => bench_symmetry::run(&options),
        Command::BenchTemporal(options) => bench_temporal::run(&options),
    }
}
