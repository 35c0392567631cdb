// A structure that is declared after a statement takes a step that is an assignment, and is merged as one.
typedef T { byte x; byte y };
byte g;
active proctype A() {
  byte n;
  g = 1;
  n = 1;
  T t;
  n = 2;
  t.x = n;
  g = t.x
}
active proctype B() { g = 3 }
