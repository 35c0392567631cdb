byte x;
active proctype A() { x++; x++ }
never { x == 0 }
