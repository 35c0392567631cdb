//! The certificate of a violation: the run is repeated on the reference interpreter, its cycle closes, the formula is false on it,
//! and it is fair. It follows the meaning of the claim, and not the search.

use quotient_ir::{Claim, ClaimKind, Model};
use quotient_ltl::lasso;
use quotient_search::Event;
use quotient_search::temporal::{Fairness, Lasso};
use quotient_step::Control;
use quotient_step::reference::{Interpreter, Moves, State};
use quotient_step::replay::Replayer;

/// A state in which everyone may move: after how many events, and who moved to come there.
struct Stop {
    events: usize,
    state: State,
    movers: Vec<usize>,
    /// The first process that ended on the way. Those behind it have its places now; so who stays forever stands before it.
    leaves: Option<usize>,
}

/// The states of a run in which everyone may move.
fn stops(model: &Model, path: &[Event]) -> Result<Vec<Stop>, String> {
    let interpreter = Interpreter { model, promises: false };
    let mut replayer = Replayer::new(interpreter);
    let first = interpreter.repeatable(replayer.state());
    let mut stops = vec![Stop { events: 0, state: first, movers: Vec::new(), leaves: None }];
    let (mut movers, mut leaves) = (Vec::new(), None);
    for (number, &event) in path.iter().enumerate() {
        let processes = replayer.state().processes.len();
        replayer.event(event).map_err(|at| format!("event {at} cannot happen"))?;
        if let Event::Move(choice) = event {
            if replayer.state().processes.len() < processes && leaves.is_none_or(|first| choice.process < first) {
                leaves = Some(choice.process);
            }
            movers.push(choice.process);
            movers.extend(choice.partner.map(|(process, _)| process));
        }
        if replayer.is_free() {
            let (movers, leaves) = (std::mem::take(&mut movers), leaves.take());
            stops.push(Stop { events: number + 1, state: interpreter.repeatable(replayer.state()), movers, leaves });
        }
    }
    if movers.is_empty() { Ok(stops) } else { Err("the run ends inside an atomic sequence".to_string()) }
}

/// Whether a run violates a claim; `Err` says why not.
pub(crate) fn certify(model: &Model, claim: &Claim, fairness: Fairness, lasso: &Lasso) -> Result<(), String> {
    let interpreter = Interpreter { model, promises: false };
    let stops = stops(model, &lasso.path)?;
    let demand = |right: bool, why: &str| if right { Ok(()) } else { Err(why.to_string()) };
    let word = |stops: &[Stop]| -> Result<Vec<u64>, String> {
        let letter = |stop: &Stop| {
            let mut letter = 0;
            for (number, proposition) in claim.propositions.iter().enumerate() {
                let holds = interpreter.holds(&stop.state, &proposition.expr).map_err(|fault| format!("{fault:?}"))?;
                letter |= u64::from(holds) << number;
            }
            Ok(letter)
        };
        stops.iter().map(letter).collect()
    };
    // While the last state repeats, `np_` is false.
    let at_rest =
        |stop: &Stop| Stop { state: State { rests: true, ..stop.state.clone() }, movers: Vec::new(), ..*stop };
    let Some(loop_start) = lasso.loop_start else {
        // However the run goes on, the formula is false: also if the last state repeats forever.
        return match &claim.kind {
            ClaimKind::Ltl { formula, .. } => {
                let mut letters = word(&stops)?;
                letters.extend(word(&[at_rest(&stops[stops.len() - 1])])?);
                demand(!lasso::holds(formula, &letters, stops.len()), "the formula may become true")
            }
            _ => Ok(()),
        };
    };
    let first = stops.iter().position(|stop| stop.events == loop_start).ok_or("the cycle begins inside a sequence")?;
    let rests = first + 1 == stops.len();
    if rests {
        let moves = interpreter.executable(&stops[first].state, Control::Free);
        demand(matches!(moves, Moves::End | Moves::Deadlock), "something can happen where the run ends")?;
    } else {
        demand(stops[first].state == stops[stops.len() - 1].state, "the cycle does not close")?;
    }
    let last = if rests { stops.len() } else { stops.len() - 1 };
    if let ClaimKind::Ltl { formula, .. } = &claim.kind {
        let mut letters = word(&stops[..last])?;
        if rests {
            letters.extend(word(&[at_rest(&stops[first])])?);
        }
        demand(!lasso::holds(formula, &letters, first + usize::from(rests)), "the formula is true")?;
    }
    let cycle = &stops[first..last];
    let moved: Vec<usize> = stops[first + 1..].iter().flat_map(|stop| stop.movers.clone()).collect();
    let most = cycle.iter().map(|stop| stop.state.processes.len()).max().unwrap_or(0);
    let most = stops[first + 1..].iter().filter_map(|stop| stop.leaves).fold(most, usize::min);
    for process in (0..most).filter(|process| !moved.contains(process)) {
        let able = |stop: &Stop| interpreter.can_move(&stop.state, process);
        let fair = match fairness {
            Fairness::None => true,
            Fairness::Weak => cycle.iter().any(|stop| !able(stop)),
            Fairness::Strong => cycle.iter().all(|stop| !able(stop)),
        };
        demand(fair, &format!("process {process} is put off"))?;
    }
    let label = |test: &dyn Fn(&quotient_ir::State) -> bool| {
        let at =
            |stop: &Stop| stop.state.processes.iter().any(|p| test(&model.proctypes[p.proctype].states[p.control]));
        cycle.iter().any(at)
    };
    match claim.kind {
        ClaimKind::Acceptance => demand(label(&|state| state.accept), "no acceptance label is visited"),
        ClaimKind::Progress => demand(!label(&|state| state.progress), "there is progress"),
        _ => Ok(()),
    }
}
