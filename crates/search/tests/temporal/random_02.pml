byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { c?y; end: skip }
active proctype B() { if :: x++; if :: y != 0; y != 0 :: y != 0; x = 1 fi :: r?y; x = 1 fi; x == 1; r?y; end: skip }
never { T0: if :: x == 0 -> goto accept1 :: 1 -> goto T0 fi; accept1: if :: 1 -> goto T0 fi }
