// p: violated, violated, violated
// q: violated, violated, violated
byte x,y;
active proctype A(){ do :: x==1 -> y=1 :: else -> y=0 od }
active proctype B(){ do :: x=1 ; x=0 od }
ltl p { []<> (y==1) }
ltl q { []<> (y==0) }
