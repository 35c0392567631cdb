byte x;
active proctype A() provided (x == 0) { do :: x = 1 od }
active proctype B() { do :: x = 0 :: x = x od }
never { do :: true :: x == 1 -> goto accept od; accept: do :: x == 1 od }
