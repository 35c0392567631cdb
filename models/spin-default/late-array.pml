// An array that is declared after a statement: the declaration sets its first element, and resets it at once.
byte g;
active proctype A() {
  g = 1;
  byte a[2] = 5;
  g = a[0];
  if :: g == 5 -> g = 7 :: g == 0 -> g = 8 fi
}
active proctype B() { byte n; (g > 1); n = 1; g = n }
