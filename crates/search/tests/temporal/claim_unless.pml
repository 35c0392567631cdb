/* An unless in a claim. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  { do :: x == 1 :: x == 2 :: x == 0 od } unless { x == 3 };
accept: do :: true od
}
