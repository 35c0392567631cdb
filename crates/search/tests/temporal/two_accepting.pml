byte x;
active proctype A() { do :: x = (x + 1) % 3 :: x = 0 od }
never { S: do :: x == 0 -> goto accept_0 :: x == 1 -> goto accept_1 :: true od; accept_0: do :: x == 0 od; accept_1: do :: x != 2 -> goto accept_0 od }
