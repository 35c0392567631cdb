// Jumps inside an atomic sequence are parts of chains; a jump out of it ends the chain's control.
byte g;
active proctype A() {
  byte x;
start:
  atomic {
    g = g + 1;
    if
    :: g < 4 -> x = g; goto start
    :: else -> x = 0; goto finish
    fi
  };
finish:
  g = x
}
active proctype B() { (g > 1); g = 9 }
