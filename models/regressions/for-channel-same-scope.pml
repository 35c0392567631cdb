// Two loops over channels share one hidden counter when no brace separates their scopes, even if one is inside a selection.
//
// expect verdict=holds
// expect por=off states=25 matched=5 transitions=30 errors=0
// expect por=on states=22 matched=2 transitions=24 errors=0
typedef Pair { byte x; byte y }
Pair s;
chan c = [2] of { Pair };

active proctype P() {
  c!s
}

active proctype Q() {
  for (s in c) {
    skip
  };
  if
  :: for (s in c) {
       skip
     }
  fi
}
