// p: violated, violated, violated
// q: violated, violated, holds
byte x,y;
active proctype A(){ do :: atomic { x=1; y==1 -> x=2; x = 0 } od }
active proctype B(){ do :: y=1 ; y=0 od }
ltl p { []<> (x==2) }
ltl q { []<> (x==0) }
