/* Whether there is progress, and a variable, in a claim. */
byte x;
active proctype A() { do :: x = 1; progress: x = 2; x = 0 :: x = 3; x = 0 od }
never {
  bool quiet;
  do
  :: quiet = np_
  :: quiet && x == 3 -> break
  od;
accept: do :: np_ od
}
