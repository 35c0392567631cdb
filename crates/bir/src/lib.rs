//! BIR, the language of Bogor: lex · parse · lower (resolve, check and translate to the intermediate form).

#![forbid(unsafe_code)]
#![allow(dead_code)]

mod ast;
mod parse;
mod token;

#[cfg(test)]
mod tests {
    fn parse(text: &str) -> Vec<String> {
        let (tokens, mut found) = crate::token::lex(quotient_report::source::FileId(0), text);
        let (_, more) = crate::parse::parse(tokens);
        found.extend(more);
        found.into_iter().map(|one| format!("{}: {}", one.span.map_or(0, |s| s.start), one.message)).collect()
    }

    #[test]
    fn samples() {
        assert_eq!(parse(DINING), Vec::<String>::new());
        assert_eq!(parse(BUFFER), Vec::<String>::new());
        assert_eq!(parse(POOL), Vec::<String>::new());
    }
    const DINING: &str = "system Dining { const C { N = 3; }
  top record Object {}  record Fork extends Object { boolean isHeld; }
  thread Philosopher(Fork left, Fork right) {
    loc l0: when !left.isHeld  do { left.isHeld := true; }   goto l1;
    loc l1: when !right.isHeld do { right.isHeld := true; }  goto l2;
    loc l2: do { right.isHeld := false; } goto l3;
    loc l3: do { left.isHeld := false; }  goto l0; }
  main thread MAIN() { Fork[] f; int i;
    atomic f := new Fork[C.N];
      while i < C.N do f[i] := new Fork; i := i + 1; end
      i := 0;
      while i < C.N do start Philosopher(f[i], f[(i+1) % C.N]); i := i + 1; end
      return; end } }";
    const BUFFER: &str = "system Buffer { top record Object {} record Cell extends Object { Object item; }
  Cell c := new Cell;
  active[2] thread Producer() { Object o;
    while true do o := new Object;
      lock(c); while c.item != null do wait(c); end
      c.item := o; notifyAll(c); unlock(c); end }
  active thread Consumer() { Object o;
    while true do lock(c); while c.item == null do wait(c); end
      o := c.item; c.item := null; notifyAll(c); unlock(c); end } }";
    const POOL: &str = "system Pool { top record Job {}  record Good extends Job {}  record Bad extends Job {}
  throwable record Failed extends Job {}
  extension Set for quotient.Set { typedef type<`a>; expdef Set.type<`a> create<`a>(`a ...); expdef boolean isEmpty<`a>(Set.type<`a>);
    expdef `a choose<`a>(Set.type<`a>); actiondef add<`a>(Set.type<`a>, `a); actiondef remove<`a>(Set.type<`a>, `a); }
  Set.type<Job> jobs := Set.create<Job>(new Good, new Bad);  int failures;
  function ok(Job j) { skip; }
  function fail(Bad j) { throw new Failed; }
  virtual perform { Job -> ok  Good -> ok  Bad -> fail  Failed -> ok }
  active[3] thread Worker() { Job j;
    while true do
      atomic choose when <!Set.isEmpty(jobs)> do j := Set.choose(jobs); Set.remove(jobs, j); end end
      try invoke virtual perform(j); catch (Failed e) failures := failures + 1; end end } }";
}
