byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { x == 1; end: skip }
active proctype B() { x++; y != 0; end: skip }
never { T0: if :: x == 0 -> goto accept1 :: 1 -> goto T0 fi; accept1: if :: 1 -> goto T0 fi }
