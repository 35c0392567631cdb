/* A d_step in a claim is one step of it. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  byte n;
  do
  :: d_step { x == 1 -> n = 2; n++ }
  :: n == 3 && x == 0 -> break
  :: else
  od;
accept: do :: true od
}
