// A label keeps its statement out of a chain, whether anybody jumps there or not; and so does a block.
byte g;
active proctype A() {
  byte x;
  x = 1;
  x = x + 1;
here:
  x = x + 1;
  x = x + 1;
  { x = x + 1 };
  x = x + 1;
  g = x
}
active proctype B() { g = 1 }
