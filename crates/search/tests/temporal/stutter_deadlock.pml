byte x;
active proctype A() { x = 1; x == 2 }
never { do :: true :: x == 1 -> goto accept od; accept: do :: x == 1 od }
