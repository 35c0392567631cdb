byte x;
active proctype A() { do :: x == 0 -> x = 1 :: timeout -> x = 0 od }
never { do :: true :: x == 1 -> goto accept od; accept: do :: x == 1 od }
