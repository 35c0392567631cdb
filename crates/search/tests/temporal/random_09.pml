byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { y != 0; end: skip }
active proctype B() { do :: x == 1; skip; break :: if :: skip; x = 1 - x fi; c?y od; end: skip }
never { do :: x == 0 :: y == 1 -> break od }
