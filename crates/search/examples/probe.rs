fn main() {
    let args: Vec<String> = std::env::args().collect();
    let defines = args[4..].iter().map(|d| { let (a,b)=d.split_once('=').unwrap(); (a.to_string(), Some(b.to_string())) }).collect();
    let loaded = quotient_promela::load(args[1].as_ref(), &quotient_promela::Options { defines });
    let Some(model) = loaded.model else {
        println!("{}", quotient_report::render::render(&loaded.diagnostics, &loaded.sources, false));
        std::process::exit(2)
    };
    let options = quotient_search::Options { por: args[2] == "on", all_errors: args[3] == "all", ..Default::default() };
    let t = std::time::Instant::now();
    let f = quotient_search::explore(&model, &options, &mut |_| true);
    println!("{}\t{}\t{}\t{}", f.states, f.matched, f.states + f.matched, f.errors);
    eprintln!("{:?} depth {} bytes/state {} errors {:?}", t.elapsed(), f.depth, f.store_bytes / f.states.max(1), f.violations.iter().map(|v| format!("{:?}", v.error)).take(3).collect::<Vec<_>>());
}
