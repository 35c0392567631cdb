byte x;
active [2] proctype A() { x++; x++ }
never { do :: x == 3 -> break :: else od }
