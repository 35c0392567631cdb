/* A choice in a d_step of a claim. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  byte n;
  do
  :: d_step { x > 0; if :: x == 2 -> n = 1 :: x == 3 -> n = 2 :: else -> n = 0 fi }
  :: n == 2 && x == 0 -> break
  :: else
  od;
accept: do :: x < 4 od
}
