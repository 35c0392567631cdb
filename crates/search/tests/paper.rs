//! The unreduced columns of the tables in "Symmetric Spin" (Bošnački, Dams, Holenderski): the number of states of two
//! models with and without partial-order reduction, without symmetry. SPIN 6.5.2 with `-o1 -o2 -o3` agrees on all. The
//! database managers are reduced only if what SPIN believes is believed.

mod common;

use quotient_search::{Options, Order};

use common::{explore, load, models_directory, way};

/// The states of a model of the project with reduction and without.
fn states(file: &str, processes: u32) -> (u64, u64) {
    let model = load(&models_directory().join(file), &[("N".to_string(), Some(processes.to_string()))]);
    let [reduced, full] =
        [true, false].map(|por| explore(&model, &Options { trust: por, ..way(Order::DepthFirst, por) }));
    assert_eq!((reduced.errors, full.errors), (0, 0));
    (reduced.states, full.states)
}

#[test]
fn peterson_for_two_processes() {
    assert_eq!(states("peterson.pml", 2), (154, 263));
}

#[test]
fn peterson_for_three_processes() {
    assert_eq!(states("peterson.pml", 3), (4992, 11318));
}

#[test]
fn peterson_for_four_processes() {
    assert_eq!(states("peterson.pml", 4), (202_673, 542_921));
}

#[test]
fn seven_database_managers() {
    assert_eq!(states("database-managers.pml", 7), (100, 5112));
}

#[test]
fn eight_database_managers() {
    assert_eq!(states("database-managers.pml", 8), (130, 17506));
}

#[test]
fn nine_database_managers() {
    assert_eq!(states("database-managers.pml", 9), (164, 59060));
}

#[test]
fn ten_database_managers() {
    assert_eq!(states("database-managers.pml", 10), (202, 196_842));
}

#[test]
fn eleven_database_managers() {
    assert_eq!(states("database-managers.pml", 11), (244, 649_552));
}

#[test]
#[ignore = "takes ten seconds: run it with --release"]
fn twelve_database_managers() {
    // The table has 2.1M for the second.
    assert_eq!(states("database-managers.pml", 12), (290, 2_125_778));
}
