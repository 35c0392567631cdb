byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { skip; skip; progress_1: y = 0; end: skip }
active proctype B() { if :: if :: x == 1; goto end :: skip fi fi; end: skip }
never { progress2: accept_all: skip; do :: x > 0 -> skip; goto accept_all :: x == 0 od }
