byte x;
active proctype A() { x = 1; x = 2; x = 3 }
never { do :: assert(x != 2) od }
