byte x;
active proctype A() { byte n; do :: n < 2 -> n++ :: n == 2 -> n = 0; x = 1 - x od }
never { do :: A[0]:n == 2 -> break :: true od; accept: do :: A[0]:n != 2 od }
