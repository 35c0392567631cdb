// An assignment to _ reads its value, and is merged as an assignment.
byte g;
active proctype A() { byte x; x = 1; _ = x; x = 2; _ = g; x = x + 1; g = x }
active proctype B() { g = 1 }
