byte x;
active proctype A() { do :: x = (x + 1) % 4 od }
never {
  S0: if :: x == 1 -> goto S1 :: x != 1 -> goto S0 fi;
  accept_S1: S1: if :: x != 0 -> goto S1 :: x == 0 -> goto S0 fi
}
