/* An array of a claim, and a loop over it. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  bool seen[4];
  byte i;
  do
  :: x == 0 -> seen[0] = true
  :: x == 2 -> seen[2] = true
  :: seen[0] && seen[2] -> break
  :: else
  od;
  for (i : 0 .. 2) { true };
accept: do :: i > 1 od
}
