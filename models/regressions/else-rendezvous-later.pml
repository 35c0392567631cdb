// The else next to a rendezvous send is executable until the receiver is ready, and no longer then.
//
// expect verdict=violated
// expect por=off states=10 matched=0 transitions=10 errors=2
// expect por=on states=10 matched=0 transitions=10 errors=2
chan c = [0] of { byte };
byte g;

active proctype P() {
  if
  :: c!0
  :: else -> g = 2
  fi
}

active proctype Q() {
  g = 1;
  c?g
}
