// p: violated, holds, holds
// q: violated, violated, violated
chan c=[1] of {bit}; byte y;
active proctype A(){ do :: c?_ -> y=1 :: empty(c) -> y=0 od }
active proctype B(){ do :: c!1 od }
ltl p { []<> (y==1) }
ltl q { <>[] (y==0) }
