// A state in which every process rests at an end label is an invalid end state while the event trace is not complete.
//
// expect verdict=violated
// expect por=off states=2 matched=0 transitions=2 errors=1
// expect por=on states=2 matched=0 transitions=2 errors=1
chan c = [1] of { byte };

active proctype P() {
  c!1;
  end: c!2
}

trace {
  c!_; c?_
}
