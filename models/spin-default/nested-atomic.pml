// An atomic sequence, and a d_step, stand for themselves: chains do not go into them.
byte g, h;
active proctype A() {
  byte x;
  x = 1;
  d_step { x = x + 1; g = x; x = 0 };
  x = 2;
  atomic { (g > 0); x = x + 1; h = x; x = x + 1; d_step { h = 7; x = 1 }; x = x + 1; h = x };
  x = 9;
  g = x
}
active proctype B() { g = 1; h = 1 }
