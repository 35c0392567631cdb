byte x;
active [2] proctype A() { do :: x = 1 - x od }
never { do :: true :: _last == 1 -> goto accept od; accept: do :: _last == 1 od }
