fn main() {
    let args: Vec<String> = std::env::args().collect();
    let loaded = quotient_promela::load(args[1].as_ref(), &quotient_promela::Options { defines: vec![] });
    println!("{}", quotient_report::render::render(&loaded.diagnostics, &loaded.sources, false));
    let model = loaded.model.unwrap();
    for p in &model.proctypes { println!("{}", p.name); for (i,s) in p.states.iter().enumerate() { for t in &s.transitions { println!("  {} [{}] -> {} {} {}", i, s.number, t.target, if t.atomic {"A"} else {""}, p.statements[t.statement].text); } } }
    println!("{:?}", quotient_search::naive::explore(&model, 100000));
}
