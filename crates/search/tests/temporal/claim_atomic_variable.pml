/* An atomic sequence of a claim with assignments. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  bit n;
  do
  :: atomic { x == 2 -> n = 1 - n; assert(n < 2) }
  :: x == 3 && n == 1 -> break
  :: x != 2
  od;
accept: do :: x != 9 od
}
