byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { r?y; end: skip }
active proctype B() { goto end; end: skip }
never { do :: 1 :: x == 1 -> goto accept1 od; accept1: if :: y == 0 -> goto accept1 fi }
