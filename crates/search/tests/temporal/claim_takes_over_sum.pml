/* A sum of what the model has, cut to two bits. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  unsigned sum : 2 = 1;
  do
  :: sum = sum + x
  :: sum == 3 && x == 2 -> break
  od;
accept: do :: x != 2 od
}
