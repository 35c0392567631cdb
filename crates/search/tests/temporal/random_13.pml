byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { if :: x = 1; if :: y = x :: y = x; skip fi :: r?y fi; do :: goto end od; end: skip }
active proctype B() { c!1; end: skip }
never { do :: x != 1 :: x == 1 -> break od; accept1: if :: y != 1 -> goto accept1 :: y == 1 -> skip fi }
