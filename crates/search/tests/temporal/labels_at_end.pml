byte x;
active proctype A() { end: do :: x == 0 -> x = 1 od }
active proctype B() { accept: x == 1; x = 2 }
