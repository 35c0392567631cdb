byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { y = x; goto end; end: skip }
active proctype B() { r?y; end: skip }
never { accept1: do :: 1 od }
