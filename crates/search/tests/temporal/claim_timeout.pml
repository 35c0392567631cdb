/* A timeout in a claim. */
byte x;
active proctype A() { do :: x < 3 -> x++ :: x == 3 -> break od; x = 5; x == 6 }
active proctype B() { x == 2; x = 3 }
never {
  do
  :: timeout -> break
  :: x < 9
  od;
accept: do :: x == 5 od
}
