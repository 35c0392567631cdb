// A rendezvous send that a waiting process accepts makes the else next to it unexecutable.
//
// expect verdict=holds
// expect por=off states=4 matched=0 transitions=4 errors=0
// expect por=on states=4 matched=0 transitions=4 errors=0
chan c = [0] of { byte };
byte g;

active proctype P() {
  if
  :: c!0
  :: else
  fi
}

active proctype Q() {
  c?g
}
