byte x;
active proctype A() { do :: x = 1 - x od }
never { x == 5; accept: do :: true od }
