byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { do :: skip; c!1; break od; end: skip }
active proctype B() { x = 1 - x; end: skip }
never { do :: x == 0 :: y == 1 -> break od }
