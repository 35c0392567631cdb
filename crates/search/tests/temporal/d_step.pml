byte x, y;
active [2] proctype A() { do :: d_step { x < 2 -> x++; y = x } :: d_step { x == 2 -> x = 0; y = 0 } od }
never { do :: true :: y == 1 -> goto accept od; accept: do :: y > 0 od }
