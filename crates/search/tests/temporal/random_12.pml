byte x, y; chan c = [1] of { byte }; chan r = [0] of { byte };
active proctype A() { y = x; end: skip }
active proctype B() { if :: c?y; c?y :: do :: x == 1; r!1; break od; y = x fi; end: skip }
never { do :: np_ -> break :: 1 od; accept1: do :: np_ od }
