// What a loop reads in its next round is not dead, and what it writes first is.
byte g;
active proctype A() {
  byte i, t;
  do
  :: i < 3 -> t = i + g; g = t; i++
  :: i == 3 -> break
  od
}
active proctype B() { g = 1; g = 2 }
