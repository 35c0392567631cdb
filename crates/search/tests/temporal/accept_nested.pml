byte x;
active proctype A() { do :: x == 0 -> accept_a: x = 1 :: x == 1 -> x = 2 :: x == 2 -> accept_b: x = 1 od }
