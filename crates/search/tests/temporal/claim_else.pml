byte x;
active proctype A() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  do :: x == 2 -> break :: else od;
  accept: do :: x != 1 :: else -> goto again od;
  again: true
}
