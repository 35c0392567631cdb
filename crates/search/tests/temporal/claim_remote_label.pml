byte x;
active proctype A() { do :: x = 1; here: x = 2; x = 0 od }
never { do :: A[0]@here -> break :: true od; accept: do :: !A[0]@here od }
