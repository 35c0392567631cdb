byte x;
active proctype A() { do :: x = 1 - x od }
active proctype B() { do :: progress: x < 2 od }
