byte x;
active proctype A() { progress: x = 1; x = 2 }
