byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { c!1; end: skip }
active proctype B() { if :: x = 1; y != 0 :: x == 1 fi; end: skip }
never { accept1: do :: 1 od }
