// A chain that comes back to itself ends where it would begin to repeat.
byte g;
active proctype A() {
  byte x;
again:
  x = 1 - x;
  x = 1 - x;
  x = 1 - x;
  goto again
}
active proctype B() { g = 1; g = 2 }
