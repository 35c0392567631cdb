byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { if :: goto end :: x == 1; goto end fi; end: skip }
active proctype B() { c!1; r!1; do :: do :: c?y; y = x od; break :: x++; break od; end: skip }
never { do :: x != 1 :: x == 1 -> break od; accept1: if :: y != 1 -> goto accept1 :: y == 1 -> skip fi }
