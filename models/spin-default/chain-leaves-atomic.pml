// A chain goes on behind the end of an atomic sequence; its last statement decides whether control is kept.
byte g, h;
active proctype A() {
  byte x;
  atomic { g = 1; h = 2; x = 1 };
  x = x + 1;
  h = x
}
active proctype B() { h = 1; g = 3; (g == 3); h = 4 }
