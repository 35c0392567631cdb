byte x;
active proctype A() { do :: x < 3 -> x++; assert(x != 2) :: x == 3 -> x = 0 od }
never { do :: true :: x == 0 -> goto accept od; accept: do :: x != 2 od }
