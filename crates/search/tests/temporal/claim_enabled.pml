/* Who can move, in a claim. */
byte x;
active proctype A() { do :: x == 0 -> x = 1 od }
active proctype B() { do :: x == 1 -> x = 2 :: x == 2 -> x = 0 od }
never {
  do
  :: enabled(0) && !enabled(1)
  :: !enabled(0) -> break
  od;
accept: do :: enabled(0) || enabled(1) od
}
