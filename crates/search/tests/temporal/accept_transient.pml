byte x;
active proctype A() { accept: x = 1; do :: x = 1 - x od }
