/* What the model has is kept in a variable of the claim. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  byte before;
  do
  :: before = x
  :: before > x -> break
  od;
accept: do :: true od
}
