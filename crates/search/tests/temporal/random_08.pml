byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { if :: r!1 :: if :: c!1; goto end fi; if :: c?y; x++ :: y != 0 fi fi; end: skip }
active proctype B() { x++; end: skip }
never { accept1: do :: 1 od }
