/* A never claim with a variable of its own. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  byte n;
  do
  :: x == 1 -> n = 1
  :: x == 2 && n == 1 -> break
  :: else
  od;
accept: do :: true od
}
