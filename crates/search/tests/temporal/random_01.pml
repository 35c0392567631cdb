byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { y = x; y != 0; if :: c!1; x == 1 fi; end: skip }
active proctype B() { if :: x = 1 - x fi; end: skip }
never { do :: np_ && x < 2 :: !np_ -> break od }
