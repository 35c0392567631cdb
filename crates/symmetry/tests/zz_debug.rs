mod common;
#[test]
fn debug() {
    let s = common::load(std::path::Path::new(&std::env::var("MODEL").unwrap()), &[]);
    if std::env::var_os("DUMP").is_some() {
        for p in &s.model.proctypes {
            for st in &p.statements {
                eprintln!("{}: {:?}\n", st.text, st.action);
            }
        }
    }
    eprintln!("{:#?}", s.lines());
}
