byte x;
active proctype A() { do :: x = 1; progress: x = 0 od }
never { do :: true :: np_ -> goto accept od; accept: do :: np_ od }
