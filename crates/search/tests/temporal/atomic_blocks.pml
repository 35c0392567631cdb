byte x, y;
active proctype A() { do :: atomic { x = 1; y == 1; x = 0 } od }
active proctype B() { do :: x == 1 -> y = 1 :: y == 1 -> y = 0 od }
never { do :: true :: x == 1 -> goto accept od; accept: do :: x == 1 od }
