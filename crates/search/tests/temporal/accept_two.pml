byte x;
active [2] proctype A() { do :: x = 1 - x; accept: x < 3 od }
