byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { y = x; end: skip }
active proctype B() { if :: y = x; x = 1 fi; do :: if :: r?y; x++ fi; do :: y = x; break :: c?y; y != 0 od; break od; r!1; end: skip }
never { progress2: accept_all: skip; do :: x > 0 -> skip; goto accept_all :: x == 0 od }
