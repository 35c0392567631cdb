/* A variable of a claim counts, up to a limit. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  byte n;
  do
  :: x == 1 && n < 3 -> n++
  :: x == 3 && n == 2 -> goto accept
  :: x != 1
  od;
accept: do :: x != 7 od
}
