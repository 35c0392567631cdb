byte x;
active proctype A() { do :: x < 4 -> x++ :: x == 4 -> x = 0 od }
never { S: do :: atomic { x == 3 -> assert(!(x == 3)) } :: true -> goto S od; accept_all: skip }
