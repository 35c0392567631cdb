// p: violated, violated, violated
byte x;
active proctype A(){ do :: atomic { x=1; accept: x=0 } :: x=2; x=0 od }
ltl p { []<> (x==2) }
