// A label does not keep a statement from beginning a chain; a label that another process looks at does.
byte g;
active proctype A() {
  byte x;
  g = 1;
plain:
  (x == 0);
  x = 1;
  x = x + 1;
  g = 2;
watched:
  (x == 2);
  x = 1;
  x = x + 1;
  g = 3
}
active proctype B() { byte y; (A@watched); y = 1; g = 4 }
