byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { goto end; progress_1: y = 0; end: skip }
active proctype B() { progress_2: y = 0; if :: do :: x++; c!1 od :: y != 0 fi; x == 1; end: skip }
never { T0: if :: x == 0 -> goto accept1 :: 1 -> goto T0 fi; accept1: if :: 1 -> goto T0 fi }
