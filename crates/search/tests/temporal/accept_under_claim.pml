byte x;
active proctype A() { do :: x == 0 -> accept: x = 1 :: x == 1 -> x = 0 od }
never { do :: x < 5 od }
