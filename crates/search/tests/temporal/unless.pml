byte x;
active proctype A() { L: { do :: x = 1 :: x = 2 od } unless { x == 2; x = 0 }; goto L }
never { do :: true :: x == 1 -> goto accept od; accept: do :: x == 1 od }
