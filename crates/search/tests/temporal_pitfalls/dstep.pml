// p: holds, holds, holds
// q: violated, holds, holds
byte x,y;
active proctype A(){ do :: d_step { x=1; x=2; x=0 } od }
active proctype B(){ do :: y=1-y od }
ltl p { [] (x==0) }
ltl q { []<> (y==1) }
