// In a D_proctype every part of a chain is an error of its own if something else could be done; skip and jumps are none.
byte g;
active D_proctype A() {
  byte x;
  if :: g < 9 -> x = 1; x = 2; g = x :: g < 8 -> x = 3; g = x :: skip fi
}
