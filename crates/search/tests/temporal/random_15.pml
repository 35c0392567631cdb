byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { x == 1; end: skip }
active proctype B() { y = x; y = x; end: skip }
never { do :: 1 :: x == 1 -> goto accept1 od; accept1: if :: y == 0 -> goto accept1 fi }
