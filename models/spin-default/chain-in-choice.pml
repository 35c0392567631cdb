// The statements at the head of options are no parts of chains, but can begin them if they wait.
byte g;
active proctype A() {
  byte x, y;
  do
  :: x < 2 -> y = x; x = y + 1; y = 0
  :: x == 2 -> y = 7; x = 3
  :: else -> break
  od;
  g = x + y
}
active proctype B() { g = 1; (g > 1); g = 2 }
