byte x;
active [2] proctype A() { do :: atomic { x < 2 -> x++; x = x } :: atomic { x == 2 -> x = 1; x = 0 } od }
never { do :: true :: x == 0 -> goto accept od; accept: do :: x != 2 od }
