byte x;
active proctype A() { x = 1; x = 2 }
never { do :: true :: x == 2 -> goto accept od; accept: do :: x == 2 od }
