byte x;
active proctype A() { do :: x == 0 -> progress: x = 1 :: x == 1 -> x = 2 :: x == 2 -> x = 1 od }
