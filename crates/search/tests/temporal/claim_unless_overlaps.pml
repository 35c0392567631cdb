/* An escape that can be taken with what it interrupts. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  { do :: x < 3 :: x == 3 -> goto accept od } unless { x == 2; x == 3; x == 0 };
  do :: true od;
accept: do :: x < 9 od
}
