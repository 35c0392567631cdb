// A condition that reads a variable last resets it; an assignment that reads one last does not.
byte g;
active proctype A() {
  byte x, y;
  if :: x = 1 :: x = 2 fi;
  g = x;
  if :: y = 1 :: y = 2 fi;
  (y > 0);
  g = 0
}
active proctype B() { g = 3 }
