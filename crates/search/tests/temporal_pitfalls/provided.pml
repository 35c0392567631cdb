// p: holds, holds, holds
// q: violated, violated, violated
byte x,t;
active proctype A() provided (t==0) { do :: x=1 ; t=1 od }
active proctype B() provided (t==1) { do :: x=0 ; t=0 od }
ltl p { []<> (x==1) }
ltl q { <>[] (x==1) }
