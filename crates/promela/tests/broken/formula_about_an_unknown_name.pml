// error: line 6: variable `y` is not declared
byte x;
active proctype p() {
  x = 1
}
ltl unknown { <> (x == 1 && y == 2) }
