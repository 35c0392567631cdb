/* An atomic sequence of a claim whose second statement blocks. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  do
  :: atomic { x == 1 -> x == 2 }
  :: x == 3 -> break
  :: x < 3
  od;
accept: do :: true od
}
