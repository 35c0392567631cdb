/* An unless in an unless. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  { { do :: true od } unless { x == 1; x == 2 } } unless { x == 3 };
accept: do :: true od
}
