byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { if :: x = 1; r!1 fi; do :: y = x; break od; if :: c?y :: do :: x++; r!1; break od; c!1 fi; end: skip }
active proctype B() { skip; if :: c?y :: do :: c?y; y = x :: x == 1; break od fi; end: skip }
never { do :: x != 1 :: x == 1 -> break od; accept1: if :: y != 1 -> goto accept1 :: y == 1 -> skip fi }
