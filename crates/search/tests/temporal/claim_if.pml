byte x;
active proctype A() { do :: x = 0 :: x = 1 od }
never { do :: if :: x == 0 :: x == 1 -> x == 0 fi :: x == 1 -> accept: x == 1 od }
